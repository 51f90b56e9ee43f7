# Contact dynamics on several ranks: the bits of one process, for slices and columns, contacts across ranks, bodies that
# go from rank to rank with their impulses, walls of every behavior, self-gravity, stages, checkpoints of n ranks that go
# on with m. The claim is one of equality: there is no tolerance.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
mpi_needed

# A cloud that falls to rest in a box that is slightly tilted.
cat >box.yaml <<'YAML'
title: rigid bodies that cross from rank to rank
seed: 3
method: contact_dynamics
time: {step: 2e-3, end: 0.04}
gravity: {uniform: [2, 0, -9.81]}
materials:
  - {name: bead, density: 2500}
interactions:
  - {between: [bead, bead], restitution: 0.3, friction: 0.4, rolling_friction: 0.05}
bodies:
  - cloud:
      count: 300
      in: {box: {lower: [-0.09, -0.09, 0.02], upper: [0.09, 0.09, 0.14]}}
      radius: {uniform: [0.005, 0.008]}
      material: bead
      velocity: [0, 0, -1]
      speed: 1
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: bead}
  - plane: {name: west, point: [-0.1, 0, 0], normal: [1, 0, 0], material: bead}
  - plane: {name: east, point: [0.1, 0, 0], normal: [-1, 0, 0], material: bead}
  - plane: {name: south, point: [0, -0.1, 0], normal: [0, 1, 0], material: bead}
  - plane: {name: north, point: [0, 0.1, 0], normal: [0, -1, 0], material: bead}
solver: {sweeps: 14, patience: 0}
overlap: {limit: 0.5}
cells: {bodies: 25}
output: {frames: 0.02, series: 0.01}
YAML
run "$CAIRN" run box.yaml -q --output one
exits 0 "one process runs"
one=$(digest_in out)
check "with a digest" test -n "$one"
for n in 2 3 4; do
  run ranks $n "$CAIRN" run box.yaml -q --output "ranks_$n"
  exits 0 "$n ranks run"
  is "$(digest_in out)" "$one" "$n ranks: the digest of one"
done
check "the frames are those of one process" same one.nc ranks_3.nc
check "and the series" same one.series.nc ranks_3.series.nc
check "and the checkpoint" same one.ckpt.nc ranks_3.ckpt.nc
run env STARPU_NCPU=2 STARPU_SCHED=eager "$(command -v mpirun)" --oversubscribe --bind-to none -n 2 "$CAIRN" run box.yaml \
  -q --output workers
is "$(digest_in out)" "$one" "two workers each, another scheduler: the same"

# Columns: four colours, borders with several cells of a rank.
run "$CAIRN" run box.yaml -q --set cells.bodies=4 --set time.end=0.01 --output columns
columns=$(digest_in out)
for n in 3 4; do # blocks: one row of ranks, and two of two, which lend each other bodies both ways
  run ranks $n "$CAIRN" run box.yaml -q --set cells.bodies=4 --set time.end=0.01 --output "columns_$n"
  is "$(digest_in out)" "$columns" "columns on $n ranks: the digest of one"
done
check "which are other cells than slices" test "$columns" != "$one"

# One cell, and ranks without any.
run "$CAIRN" run box.yaml -q --set cells.bodies=5000 --set time.end=0.02 --output large
few=$(digest_in out)
run ranks 3 "$CAIRN" run box.yaml -q --set cells.bodies=5000 --set time.end=0.02 --output larger
is "$(digest_in out)" "$few" "one cell on three ranks: the same"

# From n ranks to m.
run ranks 2 "$CAIRN" run box.yaml -q --set time.end=0.02 --output part
cp part.ckpt.nc half.ckpt.nc
run ranks 3 "$CAIRN" resume part.ckpt.nc -q --set time.end=0.04
is "$(digest_in out)" "$one" "two ranks, and then three: the digest of one"
run "$CAIRN" resume half.ckpt.nc -q --set time.end=0.04 --output alone
is "$(digest_in out)" "$one" "two ranks, and then one: the same"

# More bodies than are sent to the writer at once (a slab of 32768 ids), in slices along z, against the order of ids: a
# contact of two slices is filed under its higher body, which may be in a later slab than the lower one.
cat >slabs.yaml <<'YAML'
method: contact_dynamics
time: {step: 1e-3, end: 2e-3}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: a, density: 2500}]
interactions:
  - {between: [a, a], restitution: 0.2, friction: 0.5}
bodies:
  - lattice:
      counts: [24, 24, 60]
      spacing: 0.0199
      jitter: 1.0e-5
      radius: 0.01
      material: a
      turn: {axis: [1, 0, 0], angle: 3.141592653589793}
walls:
  - plane: {name: floor, point: [0, 0, -1.184], normal: [0, 0, 1], material: a}
overlap: {limit: 1, initial: 0.1}
solver: {sweeps: 12, patience: 0}
cells: {bodies: 1000}
output: {frames: 1e-3, series: 1e-3, contacts: true}
YAML
run "$CAIRN" run slabs.yaml -q --output slabs
slabs=$(digest_in out)
check "bodies of several slabs: a digest" test -n "$slabs"
run ranks 3 "$CAIRN" run slabs.yaml -q --output slabs_3
is "$(digest_in out)" "$slabs" "three ranks: the same"
check "the same frames" same slabs.nc slabs_3.nc
check "the same contacts" same slabs.contacts.nc slabs_3.contacts.nc
check "the same series" same slabs.series.nc slabs_3.series.nc
check "the same checkpoint" same slabs.ckpt.nc slabs_3.ckpt.nc

# Walls that shake, capture, remove, and are moved by the bodies; stages.
sed '/^walls:/,/north/d; s/^time:.*/time: {step: 1e-3, end: 0.03}/' box.yaml >zoo.yaml
zoo_walls 10 >>zoo.yaml
cat >>zoo.yaml <<'YAML'
  - name: lid
    center: [0, 0, 0.16]
    mass: 1
    free: [along]
    axis: [0, 0, -1]
    walls:
      - disk: {name: face, center: [0, 0, 0.16], normal: [0, 0, -1], radius: 0.15, material: bead}
stages:
  - {name: fall, until: {time: 0.01}}
  - {name: tilt, until: {time: 0.03}, gravity: [9, 0, -9]}
YAML
run "$CAIRN" run zoo.yaml -q --output zoo
exits 0 "walls of every behavior: one process runs"
zoo=$(digest_in out)
run ranks 3 "$CAIRN" run zoo.yaml -q --output zoo_3
is "$(digest_in out)" "$zoo" "three ranks: the digest of one"
check "and the same series" same zoo.series.nc zoo_3.series.nc
is "$(values_of zoo.series.nc n_absorbed | grep -c '[1-9]')" 1 "walls have removed bodies"
is "$(values_of zoo.series.nc n_held | grep -c '[1-9]')" 1 "and captured some"
sed '/^stages:/,$d; s/^time:.*/time: {step: 1e-3, end: 0.012}/; s/^cells:.*/cells: {bodies: 4}/; s/sweeps: 14/sweeps: 5/' zoo.yaml >pushed.yaml
run "$CAIRN" run pushed.yaml -q --output pushed
pushed=$(digest_in out)
run ranks 3 "$CAIRN" run pushed.yaml -q --output pushed_3
is "$(digest_in out)" "$pushed" "columns, and walls that bodies push: the same"

# Self-gravity and spin-up.
cat >pile.yaml <<'YAML'
title: a cloud that collapses and is spun up
seed: 4
method: contact_dynamics
time: {step: 0.05, end: 0.8}
gravity: {self: {constant: 1.0e-6}, central: {mass: 1.0e8, position: [60, 0, 0]}}
frame: {spin: [0, 0, 0.02]}
spin_up:
  - increments: {spin: [0, 0, 0.01], every: 0.3, from: 0.3}
materials:
  - {name: rock, density: 2000}
interactions:
  - {between: [rock, rock], restitution: 0.5, friction: 0.4}
bodies:
  - cloud: {count: 250, in: {sphere: {radius: 6}}, radius: {uniform: [0.5, 0.7]}, speed: 0.5, material: rock}
solver: {sweeps: 14, patience: 0}
overlap: {limit: 0.5}
cells: {bodies: 30}
output: {frames: 0, series: 0.2}
YAML
alike pile 'self-gravity'
done_testing
