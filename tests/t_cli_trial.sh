# The estimate of the time comes from the steps a run does first, with what was seen in them.
. "$(dirname "$0")/tap/tap.sh"
cp "$CAIRN_SOURCE_DIR/scenarios/bed.yaml" "$CAIRN_SOURCE_DIR/scenarios/rubble.yaml" .

run "$CAIRN" check bed.yaml --trial 0
exits 0 "no trial"
like out '^time: +not tried$' "is told"
run "$CAIRN" check bed.yaml --trial 0.3
exits 0 "a short trial of rigid bodies that are still apart"
like out '^time: +about .* at the speed of the trial, [0-9]+ steps \(then [0-9.e-]+ contacts per body' "says how far it came"
# 80 times slower than the steps without contacts; sanitizers may make these as slow
if [ -n "${CAIRN_SANITIZE:-}" ]; then
  skip 1 "sanitizers"
else
  like out '^ +.* to .* as a dense pile with 10 to 50 sweeps in a step' "and gives a range: what is to come takes sweeps"
fi
run "$CAIRN" check rubble.yaml --trial 0.1
like out '^time: +about .* at the speed of the trial, [0-9]+ steps \(then [0-9.e-]+ contacts per body\)' "soft spheres"
# Four layers that lie on each other: 2.4 contacts per body from the start.
cat >layers.yaml <<'YAML'
method: contact_dynamics
time: {step: 1e-3, end: 100}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], restitution: 0}]
bodies:
  - lattice: {origin: [0, 0, 0.1], counts: [6, 6, 4], spacing: 0.2, radius: 0.1, material: rock}
walls:
  - plane: {normal: [0, 0, 1], material: rock}
  - plane: {point: [-0.1, 0, 0], normal: [1, 0, 0], material: rock}
  - plane: {point: [1.1, 0, 0], normal: [-1, 0, 0], material: rock}
  - plane: {point: [0, -0.1, 0], normal: [0, 1, 0], material: rock}
  - plane: {point: [0, 1.1, 0], normal: [0, -1, 0], material: rock}
YAML
run "$CAIRN" check layers.yaml --trial 0.5
like out '^time: +about .* [0-9]+ steps \(then [0-9.]+ contacts per body, [0-9]+ sweeps\)' "contacts and sweeps that were measured"
run "$CAIRN" check layers.yaml --set time.end=0.003
like out '^time: +about .*: the trial was the whole run' "a run shorter than its trial"
run "$CAIRN" check layers.yaml --trial -1
exits 2 "a trial of negative length"
done_testing
