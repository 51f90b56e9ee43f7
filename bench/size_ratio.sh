#!/usr/bin/env bash
# Speed with equal spheres and with sizes 1:20, side by side: a cloud falls together in a box.
#
#   bench/size_ratio.sh PROGRAMS
#
# PROGRAMS is the folder of the built benchmarks; the program cairn lies one above. CAIRN_BENCH_STEPS steps (default 20000).
set -euo pipefail

cairn=$1/../cairn
steps=${CAIRN_BENCH_STEPS:-20000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

scenario() { # NAME RADIUS EDGE
  cat > "$folder/$1.yaml" << YAML
time: {step: 1e-4, end: $(awk -v n="$steps" 'BEGIN { print n * 1e-4 }')}
gravity: {uniform: [0, 0, -10]}
materials: [{name: rock, density: 1}]
interactions: [{between: [rock, rock], stiffness: 2e3, restitution: 0.3, tangential_restitution: 0.3, friction: 0.5}]
bodies: [{cloud: {count: 20000, in: {box: {lower: [0, 0, 0], upper: [$3, $3, $3]}}, radius: $2, material: rock}}]
walls:
  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: rock}
  - plane: {point: [0, 0, 0], normal: [1, 0, 0], material: rock}
  - plane: {point: [0, 0, 0], normal: [0, 1, 0], material: rock}
  - plane: {point: [$3, 0, 0], normal: [-1, 0, 0], material: rock}
  - plane: {point: [0, $3, 0], normal: [0, -1, 0], material: rock}
overlap: {limit: 1}
output: {frames: 0, series: 0, checkpoint: 0}
YAML
}

# The same packing fraction, about 0.3, in both boxes: the mean of r³ is 1 and 3.86 times the smallest r³.
scenario equal 0.1 6.5
scenario ratio_1_to_20 "{power_law: {exponent: 3.5, min: 0.1, max: 2}}" 14
for name in equal ratio_1_to_20; do
  (cd "$folder" && "$cairn" run "$name.yaml") > "$folder/$name.log" 2>&1 || { tail -n 3 "$folder/$name.log"; exit 1; }
  echo "$name: $(grep -E '^speed' "$folder/$name.log" | sed 's/^speed: *//'); $(grep -E '^contacts' "$folder/$name.log" | sed 's/^contacts: *//')"
done
