#!/usr/bin/env bash
# A run beside other work: how much longer it takes beside threads that compute without end, and how much longer it
# should take if each thread had its share of the cores.
#
#   bench/busy.sh PROGRAMS
#
# PROGRAMS is the folder of the built benchmarks. CAIRN=FILE takes another program to compare with.
set -euo pipefail

cairn=${CAIRN:-$1/../cairn}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
others=()
trap 'kill "${others[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cores=$(nproc)

# Seconds of the best of three runs of the scenario with as many workers as cores.
seconds() {
  local best="" start now
  for _ in 1 2 3; do
    start=$EPOCHREALTIME
    "$cairn" run "$here/../scenarios/$1.yaml" --quiet --overwrite --output "$folder/run" --workers "$cores" \
      --set "time.end=$2" --set output.frames=0 >/dev/null
    now=$EPOCHREALTIME
    best=$(awk -v a="$start" -v b="$now" -v c="${best:-1e9}" 'BEGIN { d = b - a; print d < c ? d : c }')
  done
  echo "$best"
}

# Short runs of cells that wait for each other often: soft spheres, contact dynamics.
runs=("collapse 0.02" "bed 0.1")
alone=()
for run in "${runs[@]}"; do alone+=("$(seconds $run)"); done
for n in "$cores" $((2 * cores)); do
  while [ ${#others[@]} -lt "$n" ]; do
    (while :; do :; done) &
    others+=($!)
  done
  for i in "${!runs[@]}"; do
    awk -v name="${runs[i]% *}" -v n="$n" -v a="${alone[i]}" -v b="$(seconds ${runs[i]})" -v c="$cores" \
      'BEGIN { printf "%-8s beside %d threads on %d cores: %.2f s, alone %.2f s, ratio %.1f, by shares %.1f\n", name, n, c, b, a, b / a, (n + c) / c }'
  done
done
