# Several ranks compute the bits that one computes: bodies that go from rank to rank with their contacts, walls of every
# behavior, external fields; checkpoints of n ranks go on with m. The claim is one of equality: there is no tolerance.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
mpi_needed

# A cloud that falls to rest between walls that shake, capture, remove, and are moved by the bodies.
cat >zoo.yaml <<'YAML'
title: bodies that cross from rank to rank
seed: 3
time: {step: 2e-5, end: 0.03}
gravity: {uniform: [0, 0, -30]}
materials:
  - {name: bead, density: 2500}
interactions:
  - {between: [bead, bead], stiffness: 2e4, restitution: 0.6, friction: 0.4, rolling_friction: 0.05}
bodies:
  - cloud:
      count: 600
      in: {box: {lower: [-0.09, -0.09, 0.02], upper: [0.09, 0.09, 0.25]}}
      radius: {uniform: [0.005, 0.008]}
      material: bead
      velocity: [0, 0, -1]
      speed: 2
YAML
zoo_walls 30 >>zoo.yaml
cat >>zoo.yaml <<'YAML'
  - name: piston
    center: [0, 0, 0.26]
    mass: 1
    free: [along]
    axis: [0, 0, -1]
    servo: {force: 20, speed: 4}
    walls:
      - disk: {name: face, center: [0, 0, 0.26], normal: [0, 0, -1], radius: 0.15, material: bead}
world: {upper: [10, 10, 0.28]}
overlap: {limit: 0.5}
cells: {bodies: 40}
output: {frames: 0.01, series: 0.002, bodies: stress, contacts: true}
YAML
run "$CAIRN" run zoo.yaml -q --output one
exits 0 "one process runs"
one=$(digest_in out)
check "with a digest" test -n "$one"
for n in 2 3 4; do
  run ranks $n "$CAIRN" run zoo.yaml -q --output "ranks_$n"
  exits 0 "$n ranks run"
  is "$(digest_in out)" "$one" "$n ranks: the digest of one"
  is "$(grep -c . out)" 1 "and one line of output"
done
run env STARPU_NCPU=2 STARPU_SCHED=eager "$(command -v mpirun)" --oversubscribe --bind-to none -n 2 "$CAIRN" run zoo.yaml \
  -q --output workers --set cells.bodies=90
is "$(digest_in out)" "$one" "two workers each, another scheduler, other cells: the same"

# The files are those of one process: series, frames, checkpoint.
check "the frames are those of one process" same one.nc ranks_3.nc
check "and the series" same one.series.nc ranks_3.series.nc
check "and the checkpoint" same one.ckpt.nc ranks_3.ckpt.nc
check "and the contacts" same one.contacts.nc ranks_3.contacts.nc
is "$(values_of one.series.nc n_absorbed | grep -c '[1-9]')" 1 "walls have removed bodies"
is "$(values_of one.series.nc n_held | grep -c '[1-9]')" 1 "and captured some"

# Self-gravity, spin-up, and what acts from outside.
cat >pile.yaml <<'YAML'
title: a cloud that collapses and is spun up
seed: 4
time: {step: 0.02, end: 1.6}
gravity: {self: {constant: 1.0e-6}, central: {mass: 1.0e8, position: [60, 0, 0]}}
frame: {spin: [0, 0, 0.02]}
spin_up:
  - increments: {spin: [0, 0, 0.01], every: 0.5, from: 0.5}
materials:
  - {name: rock, density: 2000}
interactions:
  - {between: [rock, rock], stiffness: 1e6, restitution: 0.5, tangential_restitution: 1, friction: 0.4}
bodies:
  - cloud: {count: 1500, in: {sphere: {radius: 12}}, radius: {uniform: [0.5, 0.7]}, speed: 0.5, material: rock}
overlap: {limit: 0.5}
cells: {bodies: 90}
output: {frames: 1, series: 0.5}
YAML
alike pile 'self-gravity' --trace tasks.json
run "$CAIRN" digest pile.ckpt.nc
pile=$(digest_in out)
like tasks.json gravity_evaluate "whose field is evaluated in several branches"
short=(pile.yaml --set time.end=0.52 --set output.frames=0 --set output.series=0)
run "$CAIRN" run "${short[@]}" --output pile_said
grep '^aggregate:.*internal kinetic energy' out >said_alone
run ranks 3 "$CAIRN" run "${short[@]}" --output pile_said_3
check "and whose summary tells the same fragments" cmp said_alone <(grep '^aggregate:' out)
run ranks 2 "$CAIRN" run pile.yaml -q --set time.end=0.8 --output pile_2
run ranks 3 "$CAIRN" resume pile_2.ckpt.nc -q --set time.end=1.6
is "$(digest_in out)" "$pile" "two and then three: the same"

# Stages, each of which begins anew from the bodies of the last.
cat >>zoo.yaml <<'YAML'
stages:
  - {name: fall, until: {time: 0.004}}
  - {name: tilt, until: {time: 0.006}, gravity: [9, 0, -30]}
YAML
run "$CAIRN" run zoo.yaml -q --output stages
stages=$(digest_in out)
check "stages: a digest" test -n "$stages"
run ranks 3 "$CAIRN" run zoo.yaml -q --output stages_3
is "$(digest_in out)" "$stages" "three ranks: the same"
check "and the same series" same stages.series.nc stages_3.series.nc
sed -i '/^stages:/,$d' zoo.yaml

# Bonds that break, and the log of them.
cat >bonds.yaml <<'YAML'
time: {step: 2e-6, end: 3e-4}
materials: [{name: a, density: 2500}]
interactions:
  - {between: [a, a], stiffness: 2e5, restitution: 0.5, friction: 0.3}
bodies:
  - lattice: {arrangement: cubic, spacing: 0.00999, in: {sphere: {center: [0, 0, 0], radius: 0.02}}, radius: 0.005, material: a}
  - single: {position: [0, 0.003, 0.03], radius: 0.006, velocity: [0, 0, -60], material: a}
bonds: [{modulus: 2e7, modulus_scatter: 4e6, strength: 2e5, strength_scatter: 3e4, damping: 0.05}]
overlap: {limit: 1, initial: 0.1}
cells: {bodies: 8}
output: {frames: 0, series: 2e-5}
YAML
alike bonds 'bonds, with their fragments'
check "bonds: and the same breaks" same bonds.breaks.nc bonds_3.breaks.nc
sed 's/^output.*/output: {frames: 0, series: 4e-5}/' bonds.yaml >glue.yaml
cat >>glue.yaml <<'YAML'
insert:
  - {count: 1, every: 1, from: 2e-5, in: {box: {lower: [-0.02, -0.02, -0.04], upper: [0.02, 0.02, -0.027]}},
     radius: 0.005, material: a, velocity: [0, 0, 90]}
stages:
  - {name: hit, until: {time: 6e-5}}
  - {name: fly, until: {time: 2e-4}, gravity: [0, 0, -9.81]}
YAML
alike glue 'bonds that outlast insertion and a stage'
check "bonds: some broke meanwhile" test "$(values_of glue.series.nc n_fragments | grep -o '[0-9]*' | tail -n 1)" -gt 2
check "bonds: there are fragments" test "$(values_of bonds.series.nc n_fragments | grep -o '[0-9]*' | tail -n 1)" -gt 2

# Spin-up of an aggregate that all ranks have a part of, by its spin and by a torque, and not of what is beside it.
cat >whirl.yaml <<'YAML'
time: {step: 1e-5, end: 3e-3}
materials: [{name: a, density: 2500}]
interactions:
  - {between: [a, a], stiffness: 2e4, restitution: 0.5, friction: 0.3}
bodies:
  - lattice: {spacing: 0.01, in: {sphere: {center: [0, 0, 0], radius: 0.04}}, radius: 0.005, material: a}
  - lattice: {counts: [3, 3, 3], spacing: 0.01, origin: [0.06, 0, 0], radius: 0.005, material: a}
spin_up:
  - increments: {spin: [0, 0, 5], every: 1e-3, from: 0}
  - torque: {moment: [1e-4, 0, 2e-4], from: 1e-3}
overlap: {limit: 1, initial: 0.1}
cells: {bodies: 30}
output: {frames: 0, series: 1e-3}
YAML
alike whirl 'spin-up'

# Necks of JKR adhesion, which remember that they touched, across borders.
cat >necks.yaml <<'YAML'
seed: 3
law: hertz
time: {end: 0.006}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: grain, density: 2500, young_modulus: 1e7, poisson_ratio: 0.3}]
interactions:
  - {between: [grain, grain], viscous_time: 1e-4, friction: 0.6, adhesion_law: jkr, work_of_adhesion: 0.5}
bodies:
  - cloud:
      count: 600
      in: {box: {lower: [-0.01, -0.01, 0.001], upper: [0.01, 0.01, 0.02]}}
      radius: {uniform: [5e-4, 8e-4]}
      speed: 0.3
      material: grain
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: grain}
cells: {bodies: 60}
overlap: {limit: 0.5}
output: {frames: 0, series: 0.003}
YAML
alike necks 'necks'

# More bodies than are sent to the writer at once (a slab of 32768 ids): files in several parts.
cat >slabs.yaml <<'YAML'
time: {step: 1e-4, end: 1e-3}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: a, density: 2500}]
interactions:
  - {between: [a, a], stiffness: 1e5, restitution: 0.2, friction: 0.5, tangential_restitution: 0.2}
bodies:
  - lattice: {counts: [33, 32, 33], spacing: 0.0199, origin: [0, 0, 0.0099], radius: 0.01, material: a}
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: a}
overlap: {limit: 1, initial: 0.1}
output: {frames: 5e-4, series: 5e-4, bodies: stress, contacts: true}
YAML
run "$CAIRN" run slabs.yaml -q --output slabs
slabs=$(digest_in out)
run ranks 3 "$CAIRN" run slabs.yaml -q --output slabs_3
is "$(digest_in out)" "$slabs" "bodies of several slabs: three ranks, the same digest"
check "the same frames, with the stress in bodies" same slabs.nc slabs_3.nc
check "the same contacts, those with walls last" same slabs.contacts.nc slabs_3.contacts.nc
check "the same series" same slabs.series.nc slabs_3.series.nc
check "the same checkpoint" same slabs.ckpt.nc slabs_3.ckpt.nc
run "$CAIRN" digest slabs_3.ckpt.nc
is "$(digest_in out)" "$slabs" "and its digest is that of what it holds"

# Each rank makes a stretch of the initial bodies. What is chosen from all of them, `auto`, is what one process chooses:
# a bed that has settled under a lid and one that has not, a cloud without walls, a packing behind other bodies.
cat >bed.yaml <<'YAML'
time: {step: auto, end: 2e-4}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: a, density: 2500}, {name: b, density: 900}]
interactions:
  - {between: [a, a], stiffness: auto, restitution: 0.5, friction: 0.3}
  - {between: [a, b], stiffness: auto, restitution: 0.5, friction: 0.3}
bodies:
  - lattice: {counts: [5, 6, 7], spacing: 0.02, origin: [0, 0, 0.01], radius: 0.01, material: a}
  - single: {position: [0.2, 0.01, 0.005], radius: 0.005, velocity: [0.1, 0, 0], material: b}
  - packing: {fraction: 0.3, in: {box: {lower: [0.4, 0, 0], upper: [0.5, 0.1, 0.1]}}, radius: 0.008, material: a}
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: a}
assemblies:
  - name: lid
    center: [0, 0, 0.3]
    mass: 3
    free: [z]
    walls:
      - disk: {name: face, center: [0, 0, 0.3], normal: [0, 0, -1], radius: 1, material: a}
cells: {bodies: 60}
output: {frames: 1e-4, series: 1e-4}
YAML
sed '/single:/d; /packing:/d; /^  - {between: .a, b/d' bed.yaml >settled.yaml
sed -E '/^walls:/,/face/d; s/^gravity.*/gravity: {central: {mass: 1e8, position: [60, 0, 0]}}/' bed.yaml >free.yaml
for name in bed settled free; do
  run "$CAIRN" run $name.yaml -q
  alone=$(digest_in out)
  check "$name: a digest" test -n "$alone"
  run ranks 3 "$CAIRN" run $name.yaml -q --output ${name}_3
  is "$(digest_in out)" "$alone" "$name: three ranks make the bodies of one"
  check "and choose what one does" same $name.ckpt.nc ${name}_3.ckpt.nc
  check "and start with them" same $name.nc ${name}_3.nc
done
run "$CAIRN" check bed.yaml --trial 0
grep -E '^(bodies|materials| +b,)' out >said_alone
run ranks 3 "$CAIRN" run bed.yaml --output bed_said
grep -E '^(bodies|materials| +b,)' err >said_ranks
check "the log tells of all bodies" cmp said_alone said_ranks
stiffness() { ncdump -v scenario "$1" | grep -m 1 -o 'stiffness: [0-9][0-9.e+]*'; }
check "bodies that have settled fall less" test "$(stiffness bed.ckpt.nc)" != "$(stiffness settled.ckpt.nc)"

# From n ranks to m.
run ranks 2 "$CAIRN" run zoo.yaml -q --set time.end=0.016 --output part
exits 0 "two ranks run the first half"
cp part.ckpt.nc half.ckpt.nc
run ranks 3 "$CAIRN" resume part.ckpt.nc -q --set time.end=0.03
exits 0 "three go on from there"
is "$(digest_in out)" "$one" "and end where one does"
run "$CAIRN" resume half.ckpt.nc -q --set time.end=0.03 --output alone
is "$(digest_in out)" "$one" "so does one alone"

# More ranks than cells, and one cell.
run "$CAIRN" run zoo.yaml -q --set cells.bodies=5000 --set time.end=0.002 --output large
few=$(digest_in out)
run ranks 3 "$CAIRN" run zoo.yaml -q --set cells.bodies=5000 --set time.end=0.002 --output larger
is "$(digest_in out)" "$few" "one cell on three ranks: the same"

# Workers, and what is said of them.
run ranks 2 "$CAIRN" run zoo.yaml --set time.end=0.0002 --output said
like err '^ranks: +rank 0: 1 worker: CPU 0' "the log has the workers of each rank"
like err '^ +rank 1: 1 worker' "of the second too"
run ncdump -h said.nc
like out ':ranks = "2"' "files tell the number of ranks"
unset STARPU_NCPU
run ranks 2 "$CAIRN" run zoo.yaml --set time.end=0.0002 --output shared
if [ "$(nproc)" -gt 1 ]; then
  like err '^note: +2 ranks share' "ranks that may use the same cores divide them"
else
  skip 1 "there is one core"
fi
done_testing
