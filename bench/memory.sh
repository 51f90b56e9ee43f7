#!/usr/bin/env bash
# Peak memory of `cairn run`, as the system sees it, over the number of bodies: a jittered lattice, nearly a packing, that
# falls on a floor for some steps. The difference of two sizes leaves out the program itself and StarPU.
# usage: memory.sh BENCH_FOLDER; needs Python
set -eu
cairn=$(cd "$1/.." && pwd)/cairn
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# scenario METHOD NX NY NZ
scenario() {
  cat >run.yaml <<TEXT
title: memory
method: $1
time: {step: 1.0e-4, end: 3.0e-3}
gravity: {uniform: [0, 0, -9.81]}
materials:
  - {name: stone, density: 2500}
interactions:
  - between: [stone, stone]
    restitution: 0.2
    friction: 0.5
    stiffness: 1.0e5
    tangential_restitution: 0.2
bodies:
  - lattice: {counts: [$2, $3, $4], spacing: 0.0204, jitter: 1.0e-4, origin: [0, 0, 0.0105], radius: 0.01, material: stone}
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: stone}
overlap: {limit: 1, initial: 0.1}
output: {frames: 0, series: 0, checkpoint: 0}
TEXT
}

# peak: kB of resident memory of the run at its largest
peak() {
  python3 - "$cairn" <<'CODE'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "run", "run.yaml", "--quiet", "--workers", "2", "--overwrite"], check=True,
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
CODE
}

for method in soft_spheres contact_dynamics; do
  scenario $method 40 50 50
  small=$(peak)
  scenario $method 80 80 80
  large=$(peak)
  printf '%-17s %6d kB with 100 000 bodies, %6d kB with 512 000: %4d bytes per body\n' $method "$small" "$large" \
    $(((large - small) * 1024 / 412000))
done
