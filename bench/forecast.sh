#!/usr/bin/env bash
# The forecast against the machine: three scenarios with one and two workers and, where the method is computed by several
# ranks, with two ranks; measured by cairn bench, and predicted by cairn forecast from the tasks of one worker.
#
#   bench/forecast.sh PROGRAMS [FOLDER [SCENARIO]]
#
# PROGRAMS is the folder of the built benchmarks; FOLDER (default: PROGRAMS/forecast) keeps beds and tables. SCENARIO is
# dense, motion or contact (default: all). CAIRN_BED=FILE takes a given bed of 10 000 bodies. TRIAL: seconds of a row.
set -euo pipefail
programs=$(cd "$1" && pwd)
cairn=$(cd "$1/.." && pwd)/cairn
folder=${2:-$programs/forecast}
trial=${TRIAL:-2}
# A rank with as many workers as cores: its driver and the thread of StarPU-MPI wait for a core when a message comes. This
# is no number of the network; it was fitted to motion on two ranks and holds for dense.
latency=${LATENCY:-5e-5}
export STARPU_SILENT=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p "$folder"
cd "$folder"
bed=${CAIRN_BED:-bed_10000.txt}
[ -f "$bed" ] || "$programs/make_bed" 10000 "$bed"

# Five by two beds side by side, every second one mirrored, as dense_bed does it.
[ -f tiled.txt ] || awk '
  NR == 1 { n = $1; edge = $2; next }
  { x[NR - 2] = $1; y[NR - 2] = $2; z[NR - 2] = $3; r[NR - 2] = $4 }
  END {
    for (a = 0; a < 5; a++) for (b = 0; b < 2; b++) for (i = 0; i < n; i++)
      print edge * a + (a % 2 ? edge - x[i] : x[i]), edge * b + (b % 2 ? edge - y[i] : y[i]), z[i], r[i]
  }' "$bed" >tiled.txt
tail -n +2 "$bed" >single.txt
edge=$(awk 'NR == 1 { print $2 }' "$bed")

walls() {
  cat <<YAML
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: grain}
  - plane: {name: left, normal: [1, 0, 0], material: grain}
  - plane: {name: front, normal: [0, 1, 0], material: grain}
  - plane: {name: right, point: [$1, 0, 0], normal: [-1, 0, 0], material: grain}
  - plane: {name: back, point: [0, $2, 0], normal: [0, -1, 0], material: grain}
output: {frames: 0, series: 0, checkpoint: 0}
overlap: {limit: 1, initial: 0.2}
YAML
}
{
  cat <<YAML
title: dense bed, soft spheres
time: {step: 1.0e-4, end: 10}
gravity: {uniform: [0, 0, -1]}
materials: [{name: grain, density: 1.909859317}]
interactions:
  - {between: [grain, grain], stiffness: 2.0e5, restitution: 0.7, tangential_restitution: 0.7165, friction: 0.5}
bodies: [{table: {file: tiled.txt, material: grain}}]
YAML
  walls "$(awk "BEGIN { print 5 * $edge }")" "$(awk "BEGIN { print 2 * $edge }")"
} >dense.yaml
{
  cat <<YAML
title: dense bed, contact dynamics
method: contact_dynamics
time: {step: 0.01, end: 100}
gravity: {uniform: [0, 0, -1]}
materials: [{name: grain, density: 1.909859317}]
interactions:
  - {between: [grain, grain], restitution: 0, friction: 0.5}
solver: {sweeps: 40, tolerance: 1.0e-9, patience: 0}
bodies: [{table: {file: tiled.txt, material: grain}}]
YAML
  walls "$(awk "BEGIN { print 5 * $edge }")" "$(awk "BEGIN { print 2 * $edge }")"
} >contact.yaml
{
  cat <<YAML
title: a bed that moves and is stopped by a wall, soft spheres
time: {step: 1.0e-4, end: 10}
gravity: {uniform: [0, 0, -1]}
materials: [{name: grain, density: 1.909859317}]
interactions:
  - {between: [grain, grain], stiffness: 2.0e5, restitution: 0.7, tangential_restitution: 0.7165, friction: 0.5}
bodies: [{table: {file: single.txt, material: grain, velocity: [10, 0, 0]}}]
YAML
  walls "$edge" "$edge"
} >motion.yaml

# Three times each row of a table, in turn: the fastest counts, because other work may get in between.
thrice() { awk 'NR == 1 { print; next } { row[++n] = $0 } END { for (k = 0; k < 3; k++) for (i = 1; i <= n; i++) print row[i] }'; }

# The fastest of the three rows that are the ROW-th of the table before it was repeated: its number, or one of its columns.
best() { # FILE ROW N_ROWS [COLUMN]
  awk -F , -v row="$2" -v n="$3" -v key="${4:-}" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    (NR - 2) % n == row - 1 && (!found || $at["seconds_per_step"] < least) {
      least = $at["seconds_per_step"]; found = NR - 1; value = $at[key]
    }
    END { print key == "" ? found : value }' "$1"
}

# compare NAME CELLS SIZES RANKS: cells of up to CELLS bodies; tasks are measured with cells of SIZES, three of them.
# Cores that are busy side by side are slower than one alone, because they share caches, memory and the driving threads:
# the speed of a core on the filled machine is that of two processes with a worker each, which have nothing to do with
# each other. The driving thread is in it, so that the machine of the forecast has a core for it (cores).
compare() {
  local name=$1 cells=$2 sizes=$3 ranks=$4 k bodies n=3 row steps
  { echo workers,cells.bodies && for k in $sizes; do echo "1,$k"; done; } | thrice >"$name.cells.csv"
  "$cairn" bench "$name.cells.csv" "$name.yaml" --trial "$trial" -q --device cpu
  awk -F , -v runs=",$(for k in 1 2 3; do best "$name.cells.bench.csv" $k 3; done | tr '\n' ',')" \
    'NR == 1 || index(runs, "," $1 ",")' "$name.cells.bench_tasks.csv" >"$name.tasks.csv"
  steps=$(best "$name.cells.bench.csv" 1 3 steps)
  printf 'workers,cells.bodies,steps\n1,%d,%d\n' "$cells" "$steps" | thrice >"$name.one.csv"
  "$cairn" bench "$name.one.csv" "$name.yaml" -q --device cpu --output "$name.alone.csv"
  for k in 0 1; do taskset -c $k "$cairn" bench "$name.one.csv" "$name.yaml" -q --device cpu --output "$name.filled$k.csv" & done
  wait
  speed=$(awk -v alone="$(best "$name.alone.csv" 1 1 kernels)" -v a="$(best "$name.filled0.csv" 1 1 kernels)" \
    -v b="$(best "$name.filled1.csv" 1 1 kernels)" 'BEGIN { s = 2 * alone / (a + b); print s < 1 ? s : 1 }') # above 1: noise
  [ "$ranks" = 2 ] || n=2
  { printf 'ranks,workers,cells.bodies,steps\n' && printf "%d,%d,$cells,$steps\n" 1 1 1 2 2 1 | head -n $n; } | thrice >"$name.measured.csv"
  "$cairn" bench "$name.measured.csv" "$name.yaml" -q --device cpu
  bodies=$(best "$name.measured.bench.csv" 1 $n n_bodies)
  cells=$((bodies / $(best "$name.measured.bench.csv" 1 $n n_cells)))
  {
    echo nodes,workers,cores,speed,latency,bandwidth,bodies,cell_bodies
    echo "1,1,2,1,$latency,5e9,$bodies,$cells"
    echo "1,2,3,$speed,$latency,5e9,$bodies,$cells"
    echo "2,1,2,$speed,$latency,5e9,$bodies,$cells"
  } >"$name.machine.csv"
  "$cairn" forecast "$name.machine.csv" "$name.tasks.csv" -q
  for ((row = 2; row <= n; row++)); do
    awk -v name="$name" -v row=$row -v speed="$speed" -v m1="$(best "$name.measured.bench.csv" 1 $n seconds_per_step)" \
      -v m="$(best "$name.measured.bench.csv" $row $n seconds_per_step)" \
      -v p1="$(best "$name.machine.forecast.csv" 1 3 seconds_per_step)" \
      -v p="$(best "$name.machine.forecast.csv" $row 3 seconds_per_step)" 'BEGIN {
        measured = m1 / (2 * m); predicted = p1 / (2 * p)
        printf "%s, %s: ms per step %.3f measured, %.3f predicted (one worker %.3f, %.3f; speed of a core %.2f); ", name,
          row == 2 ? "two workers" : "two ranks", 1e3 * m, 1e3 * p, 1e3 * m1, 1e3 * p1, speed
        printf "efficiency %.2f, %.2f: %+.0f points\n", measured, predicted, 100 * (predicted - measured) }'
  done
}
[ "${3:-dense}" != dense ] || compare dense 4000 "1500 4000 12000" 2
[ "${3:-motion}" != motion ] || compare motion 1500 "800 1500 3000" 2
[ "${3:-contact}" != contact ] || compare contact 5400 "2700 5400 10800" 2
