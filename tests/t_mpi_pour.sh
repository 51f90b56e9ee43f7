# Bodies that are poured onto several ranks: the places that one process finds, whoever has the bodies near them. The
# claim is one of equality: there is no tolerance.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
mpi_needed

# Two regions that overlap, the lower one within the cloud: places are taken.
cat >pour.yaml <<'YAML'
seed: 6
time: {step: 5e-5, end: 0.03}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: bead, density: 2500}]
interactions:
  - {between: [bead, bead], stiffness: 2e4, restitution: 0.5, friction: 0.4}
bodies:
  - cloud: {count: 200, in: {box: {lower: [0, 0, 0], upper: [0.1, 0.1, 0.08]}}, radius: 0.004, material: bead, speed: 0.5}
insert:
  - {count: 120, batch: 40, every: 0.01, from: 0.005, in: {box: {lower: [0.01, 0.01, 0.06], upper: [0.09, 0.09, 0.1]}},
     radius: {uniform: [0.003, 0.005]}, material: bead, velocity: [0, 0, -1]}
  - {count: 90, batch: 60, every: 0.01, from: 0.005, in: {sphere: {center: [0.05, 0.05, 0.1], radius: 0.03}},
     radius: 0.004, material: bead, speed: 1, spin: [0, 9, 0]}
walls:
  - plane: {normal: [0, 0, 1], material: bead}
  - plane: {normal: [1, 0, 0], material: bead}
  - plane: {normal: [0, 1, 0], material: bead}
  - plane: {point: [0.1, 0.1, 0], normal: [-1, 0, 0], material: bead}
  - plane: {point: [0.1, 0.1, 0], normal: [0, -1, 0], material: bead}
overlap: {limit: 1}
cells: {bodies: 40}
output: {frames: 0.01, series: 0.005}
YAML
sed 's/^seed/method: hard_spheres\nseed/; s/stiffness: 2e4, //; s/, friction: 0.4//; s/step: 5e-5/step: 5e-4/' pour.yaml >pour_hard.yaml
sed 's/^seed/method: contact_dynamics\nseed/; s/stiffness: 2e4, //; s/step: 5e-5/step: 5e-4/' pour.yaml >pour_rigid.yaml
for pour in pour pour_hard pour_rigid; do
  alike $pour $pour
  for file in nc ckpt.nc; do
    check "$pour: and the same $file" same $pour.$file ${pour}_3.$file
  done
  if [ $pour = pour_hard ]; then continue; fi
  run ranks 2 "$CAIRN" run $pour.yaml -q --output ${pour}_2 --set time.end=0.0125
  like err 'bodies were never inserted' "$pour: two ranks stop in the middle"
  run ranks 3 "$CAIRN" resume ${pour}_2.ckpt.nc -q --set time.end=0.03
  is "$(digest_in out)" "$(
    run "$CAIRN" digest $pour.ckpt.nc
    digest_in out
  )" "$pour: three go on to the same digest"
done
done_testing
