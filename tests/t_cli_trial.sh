# The estimate of the time comes from the steps a run does first, with what was seen in them.
. "$(dirname "$0")/tap/tap.sh"
cp "$CAIRN_SOURCE_DIR/scenarios/bed.yaml" "$CAIRN_SOURCE_DIR/scenarios/rubble.yaml" .

run "$CAIRN" check bed.yaml --trial 0
exits 0 "no trial"
like out '^time: +not tried$' "is told"
run "$CAIRN" check bed.yaml --trial 0.3
exits 0 "a short trial of rigid bodies that are still apart"
like out '^time: +about .* by steps tried up to [0-9.e-]+ of 0\.7 s \(then [0-9.e-]+ contacts per body' "says how far it came"
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
like out '^time: +about .* \(then [0-9.]+ contacts per body, [0-9]+ sweeps\)' "contacts and sweeps that were measured"
# A column of rigid bodies that falls, meets the ground and spreads: free flight at first, a hundred sweeps in a step
# later. The machine may be busy in one of the two and idle in the other: twice the factor of two that is promised.
cat >fall.yaml <<'YAML'
method: contact_dynamics
time: {step: 1e-3, end: 1}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], restitution: 0, friction: 0.5, rolling_friction: 0.1}]
bodies:
  - lattice: {origin: [0, 0, 0.3], counts: [6, 6, 12], spacing: 0.11, jitter: 0.004, radius: 0.05, material: rock}
walls:
  - plane: {normal: [0, 0, 1], material: rock}
overlap: {limit: 1}
output: {series: 0}
YAML
run "$CAIRN" check fall.yaml --trial 2 --workers 1
foreseen=$(sed -n 's/^time: *about \([0-9.]*\) s on 1 worker by steps tried.*/\1/p' out)
start=$(date +%s.%N)
run "$CAIRN" run fall.yaml --quiet --workers 1
exits 0 "the run itself"
taken=$(awk "BEGIN { print $(date +%s.%N) - $start }")
if [ -n "${CAIRN_SANITIZE:-}" ]; then
  skip 1 "sanitizers: starting the program takes as long as the run"
else
  check "rigid bodies that fall and spread: $foreseen s foreseen, $taken s taken" \
    awk "BEGIN { exit !(${foreseen:-0} < 4 * $taken && $taken < 4 * ${foreseen:-0}) }"
fi
run "$CAIRN" check layers.yaml --set time.end=0.003
like out '^time: +about .*: the trial was the whole run' "a run shorter than its trial"
run "$CAIRN" check layers.yaml --trial -1
exits 2 "a trial of negative length"
done_testing
