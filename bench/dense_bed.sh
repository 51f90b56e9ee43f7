#!/usr/bin/env bash
# The dense bed: cairn on one and two workers and, in turn with it, LAMMPS on one and two processes if it is installed.
#
#   bench/dense_bed.sh PROGRAMS [FOLDER]
#
# PROGRAMS is the folder of the built benchmarks. FOLDER (default: PROGRAMS) keeps the beds for the next time: the first
# time they are settled, which takes some minutes. CAIRN_BED=FILE takes a given bed of 10 000 bodies instead.
# CAIRN_BENCH_LAW=hertz does all of it with the Hertz law.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
programs=$1
folder=${2:-$1}
bed=${CAIRN_BED:-$folder/bed_10000.txt}
law=${CAIRN_BENCH_LAW:-hooke}
case $law in
hooke) peer_law="hooke/history 2e5 57142.857 142.7 71.35 0.5 1" ;;
hertz) peer_law="hertz/history 5e7 3e7 2000 0 0.5 1" ;;
*) echo "CAIRN_BENCH_LAW: hooke or hertz" >&2 && exit 2 ;;
esac
sizes=${CAIRN_BENCH_SIZES:-"1x1 5x2 10x10"}

[ -f "$bed" ] || "$programs/make_bed" 10000 "$bed"

lammps_data() { # NX NY OUT
  python3 "$here/tiled_bed.py" "$bed" "$1" "$2" "$3"
}

# Best body-steps per second of the timed stretches of a LAMMPS run on PROCESSES processes.
lammps_speed() { # PROCESSES DATA BODIES RELAX STEPS REPEATS
  mpirun --allow-run-as-root --oversubscribe -np "$1" lmp -in "$here/dense_bed.lmp" -log none \
    -var data "$2" -var law "$peer_law" -var relax "$4" -var steps "$5" -var repeats "$6" 2>&1 |
    awk -v n="$3" -v steps="$5" '
      /^Loop time/ && ++runs > 1 { speed = n * steps / $4; if (speed > best) best = speed }
      END { if (best) printf "%.4g\n", best; else print "failed" }'
}

speed_of() { sed -n 's/.* speed \([^ ]*\).*/\1/p' <<< "$1"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b + 0 > 0 && a + 0 > 0) printf "%.2f", a / b; else printf "-" }'; }

# A small system is one cell, whose task does many steps: what is left of the overhead, in microseconds per step.
small=$folder/bed_1000.txt
[ -f "$small" ] || "$programs/make_bed" 1000 "$small"
one=$("$programs/dense_bed" "$small" 1 1 1 20000 100000 3 "$law")
echo "cairn, 1 worker:  $one"
awk '{ printf "  outside of tasks: %.3f us per step\n", (1 - $8) * $2 / $6 * 1e6 }' <<< "$one"

for size in $sizes; do
  nx=${size%x*} ny=${size#*x}
  bodies=$((nx * ny * $(head -n 1 "$bed" | cut -d ' ' -f 1)))
  steps=$((20000000 / bodies)) relax=$((10000000 / bodies)) repeats=5
  [ "$steps" -ge 20 ] || steps=20
  [ "$relax" -ge 20 ] || relax=20
  one=$("$programs/dense_bed" "$bed" "$nx" "$ny" 1 "$relax" "$steps" "$repeats" "$law")
  two=$("$programs/dense_bed" "$bed" "$nx" "$ny" 2 "$relax" "$steps" "$repeats" "$law")
  echo "cairn, 1 worker:  $one"
  echo "cairn, 2 workers: $two"
  echo "  two workers over one: $(ratio "$(speed_of "$two")" "$(speed_of "$one")")"
  if command -v lmp > /dev/null && command -v mpirun > /dev/null; then
    data=$(mktemp)
    lammps_data "$nx" "$ny" "$data"
    peer_one=$(lammps_speed 1 "$data" "$bodies" "$relax" "$steps" "$repeats")
    peer_two=$(lammps_speed 2 "$data" "$bodies" "$relax" "$steps" "$repeats")
    rm -f "$data"
    echo "LAMMPS, 1 process:   bodies $bodies speed $peer_one"
    echo "LAMMPS, 2 processes: bodies $bodies speed $peer_two"
    echo "  cairn over LAMMPS: one core $(ratio "$(speed_of "$one")" "$peer_one"), two cores $(ratio "$(speed_of "$two")" "$peer_two")"
  else
    echo "LAMMPS is not installed (Debian package lammps): no comparison"
  fi
done

# The same physics: kinetic energy per body and coordination 1000 steps after friction was switched on.
if command -v lmp > /dev/null && command -v mpirun > /dev/null; then
  data=$(mktemp)
  lammps_data 1 1 "$data"
  echo "after 1000 steps, cairn:  $("$programs/dense_bed" "$bed" 1 1 1 0 1000 1 "$law" | sed 's/.*\(coordination [^ ]*\) \(kinetic [^ ]*\).*/\1 \2/')"
  echo "after 1000 steps, LAMMPS: $(mpirun --allow-run-as-root -np 1 lmp -in "$here/dense_bed.lmp" -log none -var data "$data" -var law "$peer_law" \
    -var relax 0 -var steps 1000 -var repeats 1 2>&1 | awk '$1 == 1000 && NF == 4 { line = "coordination " $4 " kinetic " $3 } END { print line }')"
  rm -f "$data"
fi
