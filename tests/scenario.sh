# For tests of the program, to be sourced after tap.sh: a small scenario that is quick at its default length and as long
# as a test likes with --set time.end. Several cells, walls, friction, two sizes of steps between writes.
write_scenario() {
  cat >"$1" <<'YAML'
title: spheres falling into a box
seed: 7
time:
  step: 2e-4
  end: 0.2
gravity:
  uniform: [0, 0, -9.81]
materials:
  - {name: rock, density: 2500}
interactions:
  - {between: [rock, rock], stiffness: 1e5, restitution: 0.5, friction: 0.5, rolling_friction: 0.05}
bodies:
  - cloud:
      count: 400
      in: {box: {lower: [0, 0, 0], upper: [1, 1, 2]}}
      radius: {uniform: [0.03, 0.05]}
      material: rock
walls:
  - plane: {normal: [0, 0, 1], material: rock}
  - plane: {normal: [1, 0, 0], material: rock}
  - plane: {normal: [0, 1, 0], material: rock}
  - plane: {point: [1, 0, 0], normal: [-1, 0, 0], material: rock}
  - plane: {point: [0, 1, 0], normal: [0, -1, 0], material: rock}
cells:
  bodies: 64
output:
  frames: 0.02
  series: 0.01
YAML
}

# wait_for SECONDS COMMAND…: until the command succeeds; fails when the time is over.
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.02
  done
}

# Values of one variable of a NetCDF file, without the header.
values_of() { ncdump -p 9,17 -v "$2" "$1" | sed '1,/^data:/d'; }
