# For tests of the program, to be sourced after tap.sh: a small scenario that is quick at its default length and as long
# as a test likes with --set time.end. Several cells, walls, friction; 1000 steps, 11 frames, 21 rows.
write_scenario() {
  cat >"$1" <<'YAML'
title: spheres falling into a box
seed: 7
time:
  step: 5e-5
  end: 0.05
gravity:
  uniform: [0, 0, -1.62]
materials:
  - {name: rock, density: 2500}
interactions:
  - {between: [rock, rock], stiffness: 1e5, restitution: 0.5, friction: 0.5, rolling_friction: 0.05}
bodies:
  - cloud:
      count: 300
      in: {box: {lower: [0, 0, 0], upper: [1, 1, 0.6]}}
      radius: {uniform: [0.03, 0.05]}
      speed: 0.5
      material: rock
overlap:
  limit: 0.5
walls:
  - plane: {normal: [0, 0, 1], material: rock}
  - plane: {normal: [1, 0, 0], material: rock}
  - plane: {normal: [0, 1, 0], material: rock}
  - plane: {point: [1, 0, 0], normal: [-1, 0, 0], material: rock}
  - plane: {point: [0, 1, 0], normal: [0, -1, 0], material: rock}
cells:
  bodies: 64
output:
  frames: 0.005
  series: 0.0025
YAML
}

# A length of a run that takes a few seconds, also where sanitizers slow it down.
seconds_long=0.5
if [ -n "${CAIRN_SANITIZE:-}" ]; then seconds_long=0.2; fi

# await PROCESS COMMAND…: until the command succeeds, however slow the machine; fails if the process ends before.
await() {
  local process=$1
  shift
  until "$@" >/dev/null 2>&1; do
    kill -0 "$process" 2>/dev/null || return 1
    sleep 0.02
  done
}

# third_done LOG: the progress of a run in its log is at 33 % or beyond.
third_done() { grep -Eq '^ *([4-9][0-9]|3[3-9]) %' "$1"; }

# Values of one variable of a NetCDF file, without the header.
values_of() { ncdump -p 9,17 -v "$2" "$1" | sed '1,/^data:/d'; }
