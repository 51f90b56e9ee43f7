# Ranks that each make a stretch of the initial bodies begin with those of one process: bodies from files, groups that
# turn and rotate, clouds between other bodies, selections, bonds. The claim is one of equality: there is no tolerance.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
mpi_needed

head_of() {
  cat <<'YAML'
seed: 5
time: {step: 1e-5, end: 1e-3}
materials: [{name: sand, density: 2500}, {name: ice, density: 900}]
interactions:
  - {between: [sand, sand], stiffness: 2e5, restitution: 0.6, friction: 0.4}
  - {between: [sand, ice], stiffness: 2e5, restitution: 0.5, friction: 0.3}
  - {between: [ice, ice], stiffness: 2e5, restitution: 0.4, friction: 0.2}
overlap: {limit: 0.5, initial: 0.2}
cells: {bodies: 60}
output: {frames: 1e-3, series: 2e-4}
YAML
}

# A run to start from; its absorbing wall takes bodies out, so that ids shift.
{
  head_of
  cat <<'YAML'
bodies:
  - cloud: {count: 300, in: {box: {lower: [0, 0, 0], upper: [0.1, 0.1, 0.1]}}, radius: {uniform: [0.002, 0.004]}, speed: 3, material: sand}
walls: [{plane: {name: hole, normal: [0, 0, 1], material: sand, behavior: absorbing}}]
YAML
} >first.yaml
run "$CAIRN" run first.yaml -q --output first
check "a run to start from" test -s first.nc

awk 'BEGIN {
  print "x y z vx radius material"
  for (i = 0; i < 400; i++)
    printf "%g %g %g %g %g %s\n", 0.01 * (i % 10), 0.01 * (int(i / 10) % 8), 0.01 * int(i / 80), 0.1 * (i % 7),
      0.004 + 0.0001 * (i % 9), i % 3 ? "sand" : "1"
}' >table.txt
{
  head_of
  cat <<'YAML'
bodies:
  - table:
      file: table.txt
      skip_lines: 1
      columns: [x, y, z, vx, radius, material]
      turn: {axis: [1, 2, 0], angle: 0.7}
      at: [0.1, 0.1, 0.3]
      shift: [0, 0.01, 0]
      velocity: [0, 0, -1]
      rotation: {spin: [0, 3, 1]}
  - lattice: {counts: [9, 9, 3], spacing: 0.009, origin: [0.3, 0, 0], radius: 0.004, material: ice, rotation: {spin: [0, 0, 20]}}
  - cloud: {count: 500, in: {box: {lower: [-0.02, -0.02, -0.02], upper: [0.4, 0.2, 0.4]}}, radius: {uniform: [0.003, 0.005]}, speed: 3, material: sand, rotation: {spin: [1, 0, 0], pivot: [0, 0, 0.1]}}
  - single: {position: [0.6, 0, 0], radius: 0.006, material: ice}
  - run:
      file: first.nc
      in: {box: {lower: [0, 0, 0.02], upper: [0.1, 0.08, 0.1]}}
      turn: {axis: [0, 0, 1], angle: 1}
      at: [0.6, 0.1, 0.1]
      rotation: {spin: [0, 10, 0]}
  - cloud: {count: 200, in: {box: {lower: [0.5, 0, 0], upper: [0.7, 0.2, 0.2]}}, radius: 0.004, material: sand}
select:
  - {in: {box: {lower: [0, 0, 0], upper: [0.3, 0.3, 0.3]}}, of: sand, material: ice, velocity: [1, 0, 0]}
  - {in: {sphere: {center: [0.6, 0.1, 0.1], radius: 0.03}}, outward: 2, spin: [0, 0, 5]}
YAML
} >groups.yaml
alike groups 'files, rotations, selections, clouds between them'
check "and the same frames" same groups.nc groups_3.nc

# More lines, and more bodies of a frame, than are read at once (32768).
awk 'BEGIN { for (i = 0; i < 40000; i++) print 0.01 * (i % 50), 0.01 * (int(i / 50) % 40), 0.01 * int(i / 2000) }' >long.txt
{
  head_of | sed 's/^time:.*/time: {step: 1e-5, end: 5e-5}/; s/^cells:.*/cells: {bodies: 4000}/; s/^output:.*/output: {frames: 5e-5}/'
  cat <<'YAML'
bodies:
  - table: {file: long.txt, columns: [x, y, z], radius: {uniform: [0.003, 0.0049]}, material: sand, turn: {axis: [1, 0, 0], angle: 1}, at: [0, 0, 1], rotation: {spin: [0, 0, 1]}}
YAML
} >long.yaml
alike long 'a long table'
sed 's/- table: .*/- run: {file: long.nc, turn: {axis: [0, 1, 0], angle: 1}, at: [0, 0, 0]}/' long.yaml >frame.yaml
alike frame 'a long frame'

# Bonds by gap, of two materials, in a region, from a list, and with a wall: between bodies of all stretches.
awk 'BEGIN { for (i = 0; i < 300; i += 7) print i, 599 - i }' >pairs.txt
{
  head_of | sed 's/^time:.*/time: {end: 2e-4}/; s/^output:.*/output: {frames: 1e-4, series: 2e-5}/; s/initial: 0.2/initial: 0.3/'
  cat <<'YAML'
bodies:
  - lattice: {counts: [10, 10, 6], spacing: 0.00999, origin: [0, 0, 0.0049], radius: 0.005, material: sand}
  - lattice: {counts: [10, 10, 1], spacing: 0.0102, origin: [0, 0, 0.065], radius: 0.005, material: ice}
  - single: {position: [0.045, 0.045, 0.0785], radius: 0.008, velocity: [0, 0, -60], material: sand}
walls: [{plane: {name: floor, normal: [0, 0, 1], material: sand}}]
bonds:
  - {between: [sand, ice], gap: 5e-4, modulus: 1e7, strength: 2e5, strength_scatter: 3e4}
  - {in: {box: {lower: [0, 0, 0], upper: [0.1, 0.05, 0.05]}}, modulus: 2e7, modulus_scatter: 4e6, strength: 2e5, strength_scatter: 3e4, damping: 0.05}
  - {table: pairs.txt, modulus: 1e5, strain: 0.5, compression: false}
  - {wall: floor, modulus: 2e7, strain: 0.1}
  - {between: [ice, ice], gap: 3e-4, law: beam, modulus: 2e7, strength: 1e6}
YAML
} >bonds.yaml
alike bonds 'bonds'
bonds=$(digest_in out)
check "some break" test "$(values_of bonds.series.nc n_broken | tr -dc '[:digit:]')" -gt 0
check "and the same breaks" same bonds.breaks.nc bonds_3.breaks.nc
run ranks 2 "$CAIRN" run bonds.yaml -q --set time.end=1e-4 --output bonds_2
run ranks 3 "$CAIRN" resume bonds_2.ckpt.nc -q --set time.end=2e-4
is "$(digest_in out)" "$bonds" "bonds: two and then three ranks, the same"

# Bodies are poured onto the bonded ones, before and behind a change of stage.
{
  cat bonds.yaml
  cat <<'YAML'
insert:
  - {count: 200, batch: 60, every: 4e-5, in: {box: {lower: [0, 0, 0.1], upper: [0.1, 0.1, 0.2]}}, radius: 0.005, material: ice, velocity: [0, 0, -5]}
stages: [{name: hit, until: {time: 1e-4}}, {name: fall, until: {time: 1.5e-4}, gravity: [0, 0, -500]}]
YAML
} >pour.yaml
alike pour 'pouring onto bonded bodies, in stages'

# Bodies that are near each other are found in slabs of space, evenly shared however far away one body is.
for distance in 2 1e4 1e7; do
  run ranks 3 "$CAIRN_TEST_DIR/helper_near" 3000 $distance
  check "of 9000 bodies and one at $distance m a rank gets $(cat out)" test "$(cat out)" -lt 3300
done

# What is refused is refused with the words of one process.
refused() {
  local name=${name:-groups}
  run "$CAIRN" run "$name.yaml" -q --output refused "${@:2}"
  exits 2 "$1: refused"
  cp err one_err
  run ranks 3 "$CAIRN" run "$name.yaml" -q --output refused "${@:2}"
  is "$(grep -c "^$name.yaml:\|^table.txt:" err)" 1 "by one message"
  is "$(grep "^$name.yaml:\|^table.txt:" err)" "$(cat one_err)" "that of one process"
}
echo '3 701' >>pairs.txt
name=bonds refused 'a bond with a body that is not there'
refused 'a selection without bodies' --set select.1.in.sphere.center='[9, 9, 9]'
sed -i 's/^  - {between: \[sand, ice\].*//' groups.yaml
refused 'materials that meet without an interaction'
sed -i '300s/sand/snow/' table.txt
refused 'a bad line'
check "which names the line" grep -q 'table.txt:300:' err
done_testing
