# A run with every shape, every motion and every behavior of walls ends in the same bits for any number of workers, any
# scheduler, any cells, and however it was interrupted; rigid bodies too, but for the cells. The claim is one of
# equality: there is no tolerance.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"

end=0.12
if [ -n "${CAIRN_SANITIZE:-}" ]; then end=0.03; fi
# More workers than cores must not wait for each other's time slice.
export STARPU_WORKERS_NOBIND=1

# A gutter of narrow triangles, each thinner than a bead: beads in it touch the mesh at two places.
awk 'BEGIN {
  for (i = 0; i <= 20; i++) {
    y = -0.1 + 0.01 * i
    printf "v -0.03 %g 0.03\nv 0 %g 0\nv 0.03 %g 0.03\n", y, y, y
  }
  for (i = 0; i < 20; i++) {
    a = 3 * i + 1
    printf "f %d %d %d %d\nf %d %d %d %d\n", a, a + 1, a + 4, a + 3, a + 1, a + 2, a + 5, a + 4
  }
}' >gutter.obj
awk 'BEGIN { for (i = 0; i <= 60; i++) print i * 0.004, 0, 0, 0.002 * (1 - cos(i * 0.7)) }' >shake.txt
cat >zoo.yaml <<'YAML'
title: every kind of wall
seed: 3
time: {step: 2e-5, end: 0.12}
gravity: {uniform: [0, 0, -30]}
materials:
  - {name: bead, density: 2500}
  - {name: wall, density: 2500}
interactions:
  - {between: [bead, bead], stiffness: 2e4, restitution: 0.6, friction: 0.4, rolling_friction: 0.05, slip: 0.3}
  - {between: [bead, wall], stiffness: 3e4, restitution: 0.5, tangential_restitution: 0.7, friction: 0.5,
     rolling_friction: 0.05, twisting_friction: 0.05}
bodies:
  - cloud:
      count: 500
      in: {box: {lower: [-0.09, -0.09, 0.06], upper: [0.09, 0.09, 0.25]}}
      radius: {uniform: [0.005, 0.008]}
      material: bead
      velocity: [0, 0, -1]
      speed: 0.5
walls:
  - plane: {name: floor, point: [0, 0, -0.05], normal: [0, 0, 1], material: wall,
            motion: {oscillation: {amplitude: [0.001, 0, 0.002], frequency: 30, phase: 1}}}
  - cylinder: {name: tube, center: [0, 0, 0.1], axis: [0, 0, 1], radius: 0.15, length: 0.4, material: wall,
               motion: {spin: 5}}
  - cylinder: {name: endless, axis: [0, 0, 1], radius: 0.16, material: wall}
  - cylinder: {name: funnel, center: [-0.06, 0.05, 0.02], axis: [0, 0, -1], radius: 0.05, length: 0.05, taper: 0.5,
               material: wall, motion: {from: 0.01, until: 0.1, velocity: [0.1, 0, 0], spin: 2, axis: [1, 0, 1]}}
  - disk: {name: plate, center: [0, 0, 0], normal: [0, 0.1, 1], radius: 0.06, hole: 0.02, material: wall,
           vanishes: 0.08}
  - disk: {name: late, center: [0, 0, -0.02], normal: [0, 0, 1], radius: 0.04, material: wall, appears: 0.01}
  - rectangle: {name: shelf, corner: [-0.15, -0.15, 0.02], edge1: [0.1, 0, 0.02], edge2: [0, 0.3, 0], material: wall,
                behavior: frictionless,
                motion: {knocks: {velocity: [0, 0, 0.5], duration: 0.005, period: 0.02, ramp: 2}}}
  - triangle: {name: glue, corner: [0.05, -0.1, 0.02], edge1: [0.1, 0, 0.05], edge2: [0, 0.2, 0], material: wall,
               behavior: sticky, motion: {spin: 3, velocity: [0, 0, 0.02]}}
  - sphere: {name: ball, center: [0, 0, 0.03], radius: 0.02, material: wall}
  - ring: {name: hoop, center: [0.02, 0, 0.05], normal: [0, 0, 1], radius: 0.04, material: wall}
  - line: {name: wire, center: [0, 0.08, 0.04], axis: [1, 0, 0], length: 0.1, material: wall}
  - line: {name: rope, center: [0, -0.13, 0.01], axis: [1, 0, 0], material: wall}
  - point: {name: needle, position: [-0.02, -0.05, 0.1], material: wall}
  - mesh: {name: gutter, file: gutter.obj, shift: [0.03, 0, 0.01], material: wall, motion: {table: {file: shake.txt}}}
  - disk: {name: sink, center: [0.08, 0.08, -0.04], normal: [0, 0, 1], radius: 0.06, material: wall,
           behavior: absorbing}
assemblies:
  - name: projectile
    center: [0, 0, 0.3]
    mass: 0.05
    inertia: [2e-5, 2.5e-5, 3e-5]
    velocity: [0.2, 0, -3]
    spin: [20, 5, 0]
    free: [x, y, z, turn_x, turn_y, turn_z]
    walls:
      - sphere: {name: shell, center: [0, 0, 0.3], radius: 0.025, material: wall}
      - disk: {name: fin, center: [0, 0, 0.33], normal: [0, 0, 1], radius: 0.02, material: wall}
      - mesh: {name: keel, file: gutter.obj, scale: 0.3, shift: [0, 0, 0.26], material: wall}
  - name: piston
    center: [0, 0, 0.27]
    mass: 1
    free: [along]
    axis: [0, 0, -1]
    servo: {force: 20, speed: 4}
    walls:
      - disk: {name: face, center: [0, 0, 0.27], normal: [0, 0, -1], radius: 0.145, material: wall}
overlap: {limit: 0.9}
cells: {bodies: 128}
output: {frames: 0, series: 0}
YAML

# zoo NAME [OPTIONS]: run to the end, digest in $digest.
zoo() {
  local name=$1
  shift
  run "$CAIRN" run zoo.yaml --quiet --output "$name" --set time.end=$end "$@"
  digest=$(digest_in out)
}

# same NAME DESCRIPTION [OPTIONS]
same() {
  local name=$1 description=$2
  shift 2
  zoo "$name" "$@"
  exits 0 "$description: runs"
  is "$digest" "$reference" "$description: same digest"
}

# last_of FILE VARIABLE WALL: the last row's number for one wall of the series
last_of() {
  values_of "$1" "$2" | tr -d ' ;}\n' | sed 's/.*=//' | tr ',' '\n' | tail -n "$n_walls" | sed -n "$(($3 + 1))p"
}

zoo reference --workers 2 --set output.series=0.0005
exits 0 "the reference: two workers, the default scheduler"
reference=$digest
check "the digest is one" test ${#reference} -eq 32
# What is the same must have happened: otherwise the comparison says nothing about it.
n_walls=$(ncdump -h reference.series.nc | sed -n 's/^[[:space:]]*wall = \([0-9]*\) ;.*/\1/p')
is "$n_walls" 19 "all walls are there"
if [ -z "${CAIRN_SANITIZE:-}" ]; then
  names=(floor tube endless funnel plate late shelf glue ball hoop wire rope needle gutter sink shell fin keel face)
  values_of reference.series.nc wall_contacts | tr -d ' ;}\n' | sed 's/.*=//' | tr ',' '\n' >touched
  for wall in 0 1 3 4 5 6 8 9 10 12 13 15 17 18; do
    check "bodies touched ${names[wall]}" awk -v w=$wall -v n="$n_walls" '(NR - 1) % n == w { s += $1 } END { exit !s }' \
      touched
  done
  check "the sticky wall holds bodies" test "$(last_of reference.series.nc wall_held 7)" -gt 0
  check "the absorbing wall has taken bodies out" test "$(last_of reference.series.nc wall_absorbed 14)" -gt 0
  # A body and a wall that stand in the checkpoint twice: a mesh touched at two places.
  paste <(values_of reference.ckpt.nc wall_contact_body | tr -d ' ;}' | sed 's/.*=//' | tr ',' '\n' | grep .) \
    <(values_of reference.ckpt.nc wall_contact_wall | tr -d ' ;}' | sed 's/.*=//' | tr ',' '\n' | grep .) | sort >pairs
  check "a body touches the mesh at several places" test -n "$(uniq -d pairs)"
fi

same one "one worker" --workers 1
for scheduler in eager lws dmdas; do
  STARPU_SCHED=$scheduler same "$scheduler" "scheduler $scheduler" --workers 2
done
same small "cells of 40 bodies" --set cells.bodies=40
same large "one cell" --set cells.bodies=10000
same skin "another skin" --set cells.skin=0.004
same watched "observed and written on the way" --set output.frames=0.01 --set output.series=0.001

# Stopped by a signal at whatever step it is in, after a third of the way or a little more: the progress in the log tells
# how far the run is, however slow the machine.
"$CAIRN" run zoo.yaml --output stopped --workers 1 --log-every 0.05 --set time.end=$end --set output.series=0.0001 \
  >out 2>err &
pid=$!
await $pid third_done err
kill -s TERM $pid
wait $pid
code=$?
exits 75 "stopped by SIGTERM"
cp stopped.ckpt.nc changed.ckpt.nc

# A mesh or a table that is not the one of the run's start: there is no going on with the same walls.
cp gutter.obj gutter.kept
sed -i 's/^v 0 -0.1 0$/v 0 -0.1 0.001/' gutter.obj
check "one corner of the mesh is changed" test -n "$(cmp gutter.obj gutter.kept)"
run "$CAIRN" resume changed.ckpt.nc --quiet
exits 2 "a run whose mesh was changed is not resumed"
is "$(wc -l <err)" 1 "with one line"
like err 'walls are not those.*mesh' "that says why"
mv gutter.kept gutter.obj
cp shake.txt shake.kept
sed -i '$d' shake.txt
run "$CAIRN" resume changed.ckpt.nc --quiet
exits 2 "nor one whose table was changed"
mv shake.kept shake.txt
check "the refusals left the checkpoint alone" cmp stopped.ckpt.nc changed.ckpt.nc

run "$CAIRN" resume stopped.ckpt.nc --quiet --workers 2
exits 0 "resumed by other workers"
is "$(digest_in out)" "$reference" "stopped and resumed: same digest"

# rigid NAME [OPTIONS]: the same walls and rigid bodies
rigid() {
  local name=$1
  shift
  zoo "$name" --set method=contact_dynamics --set time.step=5e-4 --set solver.sweeps=20 --set cells.bodies=100 "$@"
}

# rigid_same NAME DESCRIPTION [OPTIONS]
rigid_same() {
  local name=$1 description=$2
  shift 2
  rigid "$name" "$@"
  exits 0 "rigid bodies, $description: runs"
  is "$digest" "$reference" "rigid bodies, $description: same digest"
}

rigid rigid --workers 2 --set output.series=0.0005
exits 0 "rigid bodies: two workers, the default scheduler"
reference=$digest
check "rigid bodies: the digest is one" test ${#reference} -eq 32
if [ -z "${CAIRN_SANITIZE:-}" ]; then
  values_of rigid.series.nc wall_contacts | tr -d ' ;}\n' | sed 's/.*=//' | tr ',' '\n' >touched
  for wall in 0 1 3 4 5 6 8 13 15 17 18; do
    check "rigid bodies touched ${names[wall]}" \
      awk -v w=$wall -v n="$n_walls" '(NR - 1) % n == w { s += $1 } END { exit !s }' touched
  done
  check "rigid bodies: the sticky wall holds some" test "$(last_of rigid.series.nc wall_held 7)" -gt 0
  check "rigid bodies: the absorbing wall has taken some" test "$(last_of rigid.series.nc wall_absorbed 14)" -gt 0
fi
rigid_same rigid-one "one worker" --workers 1
STARPU_SCHED=eager rigid_same rigid-eager "scheduler eager" --workers 2
rigid_same rigid-watched "observed on the way" --set output.frames=0.01
rigid rigid-part --set time.end="$(awk "BEGIN{print 0.25*$end}")"
check "rigid bodies: an early end is another state" test "$digest" != "$reference"
for part in 0.38 0.5 0.75 0.84 1; do
  run "$CAIRN" resume rigid-part.ckpt.nc --quiet --set time.end="$(awk "BEGIN{print $part*$end}")"
done
is "$(digest_in out)" "$reference" "rigid bodies, interrupted five times and resumed: same digest"
done_testing
