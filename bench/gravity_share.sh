#!/usr/bin/env bash
# The share of self-gravity in the time of a step: a settled ball of 100 000 spheres, with both methods. Gravity counts
# with everything that steps wait for: capture of the bodies, tree, walk, telling the cells.
#
#   bench/gravity_share.sh PROGRAMS
#
# PROGRAMS is the folder of the built benchmarks; the program cairn lies one above. CAIRN_BENCH_BODIES spheres (default
# 100000), settled for CAIRN_BENCH_SETTLE seconds (150: it has come together after 70), measured over CAIRN_BENCH_TIME
# seconds (60) by contact dynamics and half of that by soft spheres.
set -euo pipefail

cairn=$1/../cairn
bodies=${CAIRN_BENCH_BODIES:-100000} settle=${CAIRN_BENCH_SETTLE:-150} time=${CAIRN_BENCH_TIME:-60}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

scenario() { # METHOD END FRAMES BODIES
  cat << YAML
method: $1
time: {end: $2}
gravity: {self: {}}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], restitution: $5, friction: 0.5}]
bodies: [$4]
output: {frames: $3, series: 0, checkpoint: 0}
YAML
}

report() { # NAME LOG
  echo "$1: $(sed -n 's/^gravity: *\(found .*\)/\1/p' "$2"); $(sed -n 's/^speed: *//p' "$2"); $(sed -n 's/^contacts: *//p' "$2")"
}

radius=$(awk -v n="$bodies" 'BEGIN { print (n * 1.01 / 0.58) ^ (1 / 3) }')
packing="packing: {in: {sphere: {center: [0, 0, 0], radius: $radius}}, fraction: 0.58, radius: {uniform: [0.9, 1.1]}, material: rock}"
scenario contact_dynamics "$settle" "$settle" "$packing" 0 > ball.yaml
"$cairn" run ball.yaml > settle.log 2>&1 || { tail -n 3 settle.log; exit 1; }
report "settling" settle.log
"$cairn" resume ball.ckpt.nc --set time.end="$((settle + time))" > rigid.log 2>&1 || { tail -n 3 rigid.log; exit 1; }
report "contact dynamics" rigid.log
scenario soft_spheres "$((time / 2))" 0 "run: {file: ball.nc}" 0.2 > soft.yaml
"$cairn" run soft.yaml > soft.log 2>&1 || { tail -n 3 soft.log; exit 1; }
report "soft spheres" soft.log
