#!/usr/bin/env bash
# Contact dynamics in motion. Three scenes of two halves each: a column of spheres is poured into a tube and collapses,
# beads fall into a drum and turn with it, boulders accrete and are spun up. Each line: scene, bodies, rolling and
# twisting friction, workers, seconds, mean sweeps of a step in the first half and in the second, program.
#
#   bench/contact_scenes.sh PROGRAMS
#
# PROGRAMS is the folder of the built benchmarks. CAIRN_OTHER names the program of another build to compare with: they
# take turns, so that what else the machine does hits both. CAIRN_BENCH_BODIES (default "2000 5000"), CAIRN_BENCH_ROLLING
# (default "0.2 0"), CAIRN_BENCH_WORKERS (default "1 2") and CAIRN_BENCH_SCENES (default "column drum accretion") choose;
# CAIRN_BENCH_END is the simulated time of column and drum (s, default 0.8), the accretion takes 7500 times as long.
# With CAIRN_BENCH_SOFT=1 soft spheres do the same after them, with restitution 0.1. `stiffness: auto` expects every body
# to hit at the greatest speed: with its limit at 6 % overlaps are far smaller. Lines tell the largest of the rows.
set -euo pipefail

programs=("$(cd "$1/.." && pwd)/cairn" ${CAIRN_OTHER:+"$CAIRN_OTHER"})

end=${CAIRN_BENCH_END:-0.8}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# pile BODIES ROLLING: boulders on a grid
pile() {
  cat << PILE
title: accretion
method: contact_dynamics
seed: 4
time: {step: 4, end: $(awk -v e="$end" 'BEGIN { print 7500 * e }')}
gravity: {self: {accuracy: 1.0e-3}}
materials: [{name: rock, density: 5164}]
interactions:
  - {between: [rock, rock], restitution: 0, friction: 0.5, rolling_friction: $2, twisting_friction: $2}
solver: {tolerance: 1.0e-4, sweeps: 3000}
overlap: {limit: 1}
bodies:
  - cloud: {count: $1, in: {sphere: {radius: $(awk -v n="$1" 'BEGIN { print 62 * (n / 1000) ^ (1 / 3) }')}},
            radius: {uniform_volume: [3.75, 5]}, material: rock}
spin_up:
  - increments: {spin: [0, 0, 2.0e-5], from: $(awk -v e="$end" 'BEGIN { print 3750 * e }'), every: 60}
output: {frames: 0, series: 4}
PILE
}

# scene NAME BODIES ROLLING: a scenario with as many bodies, in a space that grows with them
scene() {
  local s half
  half=$(awk -v e="$end" 'BEGIN { print e / 2 }')
  if [ "$1" = accretion ]; then
    pile "$2" "$3"
    return
  fi
  s=$(awk -v n="$2" 'BEGIN { print (n / 2000) ^ (1 / 3) }')
  at() { awk -v s="$s" -v x="$1" 'BEGIN { print s * x }'; }
  cat << HEAD
title: $1
method: contact_dynamics
seed: 4
time: {step: 1.0e-3, end: $end}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: stone, density: 2500}]
interactions:
  - {between: [stone, stone], restitution: 0, friction: 0.5, rolling_friction: $3, twisting_friction: $3}
solver: {tolerance: 1.0e-4, sweeps: 3000}
overlap: {limit: 1}
output: {frames: 0, series: 1.0e-3}
HEAD
  if [ "$1" = column ]; then
    cat << COLUMN
bodies:
  - cloud: {count: $2, in: {cylinder: {radius: $(at 0.11), height: $(at 0.84)}}, radius: {uniform: [0.009, 0.011]},
            material: stone}
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: stone}
  - cylinder: {name: tube, axis: [0, 0, 1], radius: $(at 0.112), length: 9, material: stone, behavior: frictionless,
               vanishes: $half}
COLUMN
  else
    cat << DRUM
bodies:
  - cloud: {count: $2, in: {cylinder: {base: [0, $(at -0.075), 0], axis: [0, 1, 0], radius: $(at 0.29),
            height: $(at 0.15)}}, radius: {uniform: [0.009, 0.011]}, material: stone}
assemblies:
  - name: drum
    center: [0, 0, 0]
    axis: [0, 1, 0]
    motion: {from: $half, spin: 2.5}
    walls:
      - cylinder: {name: shell, axis: [0, 1, 0], radius: $(at 0.3), length: $(at 0.18), material: stone}
      - disk: {name: front, center: [0, $(at -0.09), 0], normal: [0, 1, 0], radius: $(at 0.3), material: stone,
               behavior: frictionless}
      - disk: {name: back, center: [0, $(at 0.09), 0], normal: [0, -1, 0], radius: $(at 0.3), material: stone,
               behavior: frictionless}
DRUM
  fi
}

# soften FILE: the scene by soft spheres
soften() {
  sed -i -e 's/^method:.*/method: soft_spheres/' -e '/^solver:/d' -e 's/{step: [^,]*, /{/' \
    -e 's/restitution: 0,/restitution: 0.1,/' -e 's/^overlap:.*/overlap: {limit: 0.06}/' "$1"
}

# largest FILE: overlap of the rows
largest() {
  ncdump -v max_overlap "$1" | sed -n '/^ max_overlap =/,/;/p' | tr -d ' ;\n' | sed 's/max_overlap=//' | tr ',' '\n' |
    awk '$1 > most { most = $1 } END { printf "%.2f %% overlap", 100 * most }'
}

# halves FILE: mean sweeps in both halves of the rows
halves() {
  ncdump -v solver_sweeps "$1" | sed -n '/^ solver_sweeps =/,/;/p' | tr -d ' ;\n' | sed 's/solver_sweeps=//' |
    tr ',' '\n' | awk '$1 != "" { x[n++] = $1 } END {
      for (i = 0; i < n; i++) sum[2 * i >= n] += x[i]
      printf "%7.1f %7.1f", sum[0] / int((n + 1) / 2), sum[1] / int(n / 2) }'
}

# timed PROGRAM WORKERS: run $name.yaml, seconds
timed() {
  local start
  start=$(date +%s.%N)
  "$1" run "$folder/$name.yaml" --quiet --workers "$2" --output "$folder/run" --overwrite > /dev/null
  awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%8.1f", b - a }'
}

line='%-9s %7d bodies, rolling %3s %2d workers %s s %s  %s\n'
for name in ${CAIRN_BENCH_SCENES:-column drum accretion}; do
  for bodies in ${CAIRN_BENCH_BODIES:-2000 5000}; do
    for rolling in ${CAIRN_BENCH_ROLLING:-0.2 0}; do
      scene "$name" "$bodies" "$rolling" > "$folder/$name.yaml"
      for workers in ${CAIRN_BENCH_WORKERS:-1 2}; do
        for program in "${programs[@]}"; do
          seconds=$(timed "$program" "$workers")
          printf "$line" "$name" "$bodies" "$rolling" "$workers" "$seconds" "$(halves "$folder/run.series.nc") sweeps" \
            "$program"
        done
      done
      [ "${CAIRN_BENCH_SOFT:-0}" = 1 ] || continue
      soften "$folder/$name.yaml"
      for workers in ${CAIRN_BENCH_WORKERS:-1 2}; do
        seconds=$(timed "${programs[0]}" "$workers")
        printf "$line" "$name" "$bodies" "$rolling" "$workers" "$seconds" "$(largest "$folder/run.series.nc")" "soft spheres"
      done
    done
  done
done
