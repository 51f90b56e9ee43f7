#!/usr/bin/env bash
# Seconds per picture of 100 000 bodies at 1920 by 1080 with two workers, and with OVITO's Tachyon renderer on the same
# file where a Python with OVITO is named: OVITO_PYTHON=… ./dev bench render
set -eu
build=$(cd "$1/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >pile.yaml <<'YAML'
time: {end: 0.004, step: 0.001}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], stiffness: 1.0e+6, restitution: 0.5}]
bodies:
  - packing: {in: {sphere: {center: [0, 0, 0], radius: 30}}, fraction: 0.58, radius: {uniform: [0.42, 0.64]}, material: rock}
output: {frames: 0.001}
YAML
"$build/cairn" run pile.yaml --quiet >/dev/null
echo "$(ncdump -h pile.nc | sed -n 's/.*atom = \([0-9]*\).*/\1/p') bodies, 1920x1080"
seconds() { # COMMAND…: wall clock of it
  local begin end
  begin=$(date +%s.%N)
  "$@" >/dev/null
  end=$(date +%s.%N)
  awk -v a="$begin" -v b="$end" 'BEGIN { print b - a }'
}
one=$(seconds "$build/cairn" render pile --frame last --color stone --workers 2 --output one --overwrite)
all=$(seconds "$build/cairn" render pile --frame all --color stone --workers 2 --output all --overwrite)
# five frames in one process and one: the start of the program and the look through the frames drop out
awk -v one="$one" -v all="$all" 'BEGIN { printf "cairn render, 2 workers: %.2f s with the start of the program, %.2f s a frame\n", one, (all - one) / 4 }'
if [ -n "${OVITO_PYTHON:-}" ]; then
  cat >tachyon.py <<'PY'
import sys, time
from ovito.io import import_file
from ovito.vis import TachyonRenderer, Viewport
pipeline = import_file("pile.nc")
pipeline.add_to_scene()
view = Viewport(type=Viewport.Type.Perspective, camera_dir=(-1, 1.2, -0.6))
view.zoom_all(size=(1920, 1080))
renderer = TachyonRenderer(ambient_occlusion=True, shadows=True)
for frame in range(3):
    begin = time.time()
    view.render_image(filename=f"tachyon_{frame}.png", size=(1920, 1080), renderer=renderer, frame=frame)
    print(f"OVITO's Tachyon renderer, shadows and ambient occlusion: {time.time() - begin:.2f} s", flush=True)
PY
  OMP_NUM_THREADS=2 "$OVITO_PYTHON" tachyon.py
fi
