#!/usr/bin/env bash
# Several ranks on this machine against one process: memory of 10⁶ bodies on four ranks, and the speed of two ranks with a
# worker each over that of one process with two workers, 10⁵ bodies, runs in turn, the best of three; soft spheres, then
# contact dynamics, 40 sweeps in each step, then hard spheres, a gas in a box.
# With OLD, another build of cairn: what one process computes with both, in turns, the best of four.
# uneven: half of the bodies are in contact, the others are alone, 4·10⁴ in all: what two ranks with a worker each have
# to do, and their speed over that of one process with two; with OLD both builds, in turns, the best of three.
# files: memory where the 10⁶ bodies come from a table that is turned, and then from the frame of that run.
# cloud: memory where they are a cloud, whose places every rank has for the moment.
# frames: memory where frames of 10⁶ bodies in contact tell the stress in bodies and all contacts; then of bonded ones that
# are counted as fragments, spun up, and go through two stages.
# gravity: memory of 10⁶ bodies under their own gravity, on four ranks, and what a rank has of the bodies of all; of
# EDGE³ bodies if that is given.
# usage: ranks.sh BENCH_FOLDER [memory | files | cloud | frames | gravity [EDGE] | speed [METHOD] | old OLD | uneven [OLD]];
# needs mpirun and GNU time
set -eu
cairn=$(cd "$1/.." && pwd)/cairn
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 STARPU_SILENT=1

# scenario METHOD END NX NY NZ: a jittered lattice, nearly a packing, that falls on a floor; $spacing and $floor, m, set
# its bodies apart and above the floor
spacing=0.0204 floor=0.0105
scenario() {
  local law='' step=1.0e-4 solver=''
  if [ "$1" = soft_spheres ]; then
    law=', stiffness: 1.0e5, tangential_restitution: 0.2'
  else
    step=1.0e-3 solver='solver: {tolerance: 1.0e-14, sweeps: 40, patience: 0}'
  fi
  cat >run.yaml <<TEXT
title: ranks
method: $1
time: {step: $step, end: $2}
gravity: {uniform: [0, 0, -9.81]}
materials:
  - {name: stone, density: 2500}
interactions:
  - {between: [stone, stone], restitution: 0.2, friction: 0.5$law}
bodies:
  - lattice: {counts: [$3, $4, $5], spacing: $spacing, jitter: 1.0e-4, origin: [0, 0, $floor], radius: 0.01, material: stone}
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: stone}
overlap: {limit: 1, initial: 0.1}
$solver
output: {frames: 0, series: 0, checkpoint: 0}
TEXT
  if [ "$1" = soft_spheres ]; then echo 'cells: {bodies: 3000}' >>run.yaml; fi
}

# gas: 10⁵ hard spheres in a box of hard walls, packing fraction 0.1
gas() {
  sed -i 's/^time:.*/time: {end: 0.2}/; /^gravity:/d; /^solver:/d; s/, friction: 0.5//; s/restitution: 0.2/restitution: 0.9/; /plane:/d' run.yaml
  sed -i 's|^  - lattice:.*|  - cloud: {count: 100000, in: {box: {lower: [0, 0, 0], upper: [1.61, 1.61, 1.61]}}, radius: 0.01, speed: 1,\
      material: stone}|' run.yaml
  sed -i 's|^walls:|&\
  - plane: {normal: [1, 0, 0], material: stone}\
  - plane: {normal: [0, 1, 0], material: stone}\
  - plane: {normal: [0, 0, 1], material: stone}\
  - plane: {point: [1.61, 0, 0], normal: [-1, 0, 0], material: stone}\
  - plane: {point: [0, 1.61, 0], normal: [0, -1, 0], material: stone}\
  - plane: {point: [0, 0, 1.61], normal: [0, 0, -1], material: stone}|' run.yaml
}

speed() { "$@" run run.yaml --overwrite --workers "$workers" 2>/dev/null | sed -n 's/^speed: *\([0-9.]*[kM]\) .*/\1/p'; }
best() { sed 's/k$/e3/; s/M$/e6/' "$1" | sort -g | tail -n 1; }

mode=${2:-all}
# peaks LABEL ARGUMENTS…: of one process and of four ranks, kB
peaks() {
  local label=$1 one
  shift
  one=$(command time -f %M "$cairn" "$@" -q --workers 1 2>&1 >/dev/null | tail -n 1)
  rm -f again.*
  mpirun --oversubscribe --bind-to none -n 4 bash -c \
    'command time -o memory.$OMPI_COMM_WORLD_RANK -f %M "$0" "$@" -q --workers 1' "$cairn" "$@" >/dev/null
  for rank in 0 1 2 3; do
    awk -v one="$one" -v rank=$rank -v label="$label" \
      '{ printf "%s, rank %d of 4: %.0f MB, %.2f of one process\n", label, rank, $1 / 1e3, $1 / one }' memory.$rank
  done
}

if [ "$mode" = all ] || [ "$mode" = memory ]; then
  for method in soft_spheres contact_dynamics; do
    end=$(test $method = soft_spheres && echo 1.0e-3 || echo 2.0e-3)
    scenario $method "$end" 100 100 100
    peaks $method run run.yaml --overwrite
    cp run.ckpt.nc from.ckpt.nc
    peaks "$method, resumed" resume from.ckpt.nc --output again \
      --set time.end="$(awk -v end="$end" 'BEGIN { print 1.5 * end }')"
  done
fi

if [ "$mode" = all ] || [ "$mode" = files ]; then
  scenario soft_spheres 1.0e-3 1 1 1
  awk 'BEGIN { for (i = 0; i < 1000000; i++)
    printf "%.4f %.4f %.4f\n", 0.0204 * (i % 100), 0.0204 * (int(i / 100) % 100), 0.0105 + 0.0204 * int(i / 10000) }' >bodies.txt
  sed -i 's|^  - lattice:.*|  - table: {file: bodies.txt, columns: [x, y, z], radius: 0.01, material: stone,\
      turn: {axis: [0, 0, 1], angle: 0.5}}|; s/frames: 0/frames: 1.0e-3/' run.yaml
  peaks table run run.yaml --overwrite
  cp run.nc from.nc
  sed -i 's|^  - table:.*|  - run: {file: from.nc,|' run.yaml
  peaks "frame of a run" run run.yaml --overwrite
fi

if [ "$mode" = all ] || [ "$mode" = frames ]; then
  apart=$spacing above=$floor spacing=0.0199 floor=0.0099
  scenario soft_spheres 1.0e-4 100 100 100
  spacing=$apart floor=$above
  sed -i 's/step: 1.0e-4/step: 1.0e-5/' run.yaml
  sed 's/^output:.*/output: {frames: 1.0e-4, series: 1.0e-4, bodies: stress, contacts: true, checkpoint: 0}/' run.yaml >frames.yaml
  peaks "stress and contacts" run frames.yaml --overwrite
  sed 's/series: 0/series: 5.0e-5/' run.yaml >bonds.yaml
  cat >>bonds.yaml <<'TEXT'
bonds: [{modulus: 1.0e7, strength: 1.0e5}]
spin_up: [{increments: {spin: [0, 0, 0.01], every: 5.0e-5, from: 0}}]
stages:
  - {name: rest, until: {time: 5.0e-5}}
  - {name: tilt, until: {time: 5.0e-5}, gravity: [9.81, 0, 0]}
TEXT
  peaks bonds run bonds.yaml --overwrite
fi

if [ "$mode" = all ] || [ "$mode" = gravity ]; then
  edge=${3:-100}
  scenario soft_spheres 3.0e-4 "$edge" "$edge" "$edge"
  sed -i 's/^gravity:.*/gravity: {self: {accuracy: 5.0e-4}}/; /^walls:/,/plane:/d; /^cells:/d' run.yaml
  peaks self-gravity run run.yaml --overwrite
  mpirun --oversubscribe --bind-to none -n 4 "$cairn" run run.yaml --overwrite --workers 1 2>&1 | grep 'a rank has'
fi

if [ "$mode" = all ] || [ "$mode" = cloud ]; then
  scenario soft_spheres 1.0e-3 1 1 1
  sed -i 's|^  - lattice:.*|  - cloud: {count: 1000000, in: {box: {lower: [0, 0, 0], upper: [3, 3, 3]}}, radius: 0.01,\
      material: stone}|' run.yaml
  peaks cloud run run.yaml --overwrite
fi

if [ "$mode" = all ] || [ "$mode" = speed ]; then
  for method in ${3:-soft_spheres contact_dynamics hard_spheres}; do
    if [ "$method" = contact_dynamics ]; then spacing=0.0199 floor=0.0099; fi # in contact from the first step
    scenario "$method" 2.0e-2 40 50 50
    if [ "$method" = hard_spheres ]; then gas; fi
    rm -f one two alone
    for ((i = 0; i < 3; i++)); do
      workers=1 speed mpirun -n 2 --bind-to core "$cairn" >>two
      workers=2 speed "$cairn" >>one
      workers=1 speed "$cairn" >>alone
    done
    awk -v two="$(best two)" -v one="$(best one)" -v alone="$(best alone)" -v method="$method" 'BEGIN {
      printf "%s\n", method
      printf "two ranks with a worker each: %.3f million body-steps/s, %.2f of one process with two (%.3f)\n", two / 1e6,
        two / one, one / 1e6
      printf "one process with two workers: %.2f times one worker (%.3f)\n", one / alone, alone / 1e6
    }'
  done
fi

if [ "$mode" = uneven ]; then
  for method in soft_spheres contact_dynamics; do
    scenario $method "$(test $method = soft_spheres && echo 3.0e-2 || echo 4.0e-2)" 1 1 1
    sed -i '/^gravity:/d; /^walls:/,/plane:/d; /^  - lattice:/d; /^cells:/d' run.yaml
    sed -i 's|^bodies:|&\n  - lattice: {counts: [40, 22, 22], spacing: 0.0199, radius: 0.01, material: stone}\
  - lattice: {counts: [40, 22, 22], spacing: 0.05, origin: [0.9, 0, 0], radius: 0.01, material: stone}|' run.yaml
    echo 'cells: {bodies: 1500}' >>run.yaml
    rm -f one two before load
    for ((i = 0; i < 3; i++)); do
      workers=1 speed mpirun -n 2 --bind-to core "$cairn" >>two
      workers=2 speed "$cairn" >>one
      if [ -n "${3:-}" ]; then workers=1 speed mpirun -n 2 --bind-to core "$3" >>before; fi
    done
    echo "$method: $(mpirun -n 2 --bind-to core "$cairn" run run.yaml --overwrite --workers 1 2>/dev/null | grep ^load:)"
    awk -v two="$(best two)" -v one="$(best one)" 'BEGIN {
      printf "two ranks: %.3f million body-steps/s, %.2f of one process with two workers\n", two / 1e6, two / one }'
    if [ -n "${3:-}" ]; then
      awk -v two="$(best before)" 'BEGIN { printf "the other build: %.3f million body-steps/s\n", two / 1e6 }'
    fi
  done
fi

if [ "$mode" = old ]; then
  scenario soft_spheres 2.0e-2 40 50 50
  for ((i = 0; i < 4; i++)); do
    for workers in 1 2; do
      speed "$3" >>"old.$workers"
      speed "$cairn" >>"new.$workers"
    done
  done
  for workers in 1 2; do
    awk -v old="$(best "old.$workers")" -v new="$(best "new.$workers")" -v workers=$workers 'BEGIN {
      printf "workers: %d; old %.2f, new %.2f million body-steps/s\n", workers, old / 1e6, new / 1e6 }'
  done
fi
