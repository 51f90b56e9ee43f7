# Steps that are too long for soft spheres: told, refused, and found out where energy comes from them.
. "$(dirname "$0")/tap/tap.sh"

# 1000 kg/m³, radius 1 m, restitution 0.5: τ/50 is 0.455 ms, a contact is stable up to 9.3 ms (docs/physics.md).
cat >pair.yaml <<'YAML'
time: {end: 2}
materials: [{name: a, density: 1000}]
interactions:
  - {between: [a, a], restitution: 0.5, friction: 0, stiffness: 4.18879e7}
bodies:
  - single: {position: [-1, 0, 0], radius: 1, material: a}
  - single: {position: [1.01, 0, 0], radius: 1, material: a, velocity: [-1, 0, 0]}
output: {frames: 0, series: 0.01}
YAML

run "$CAIRN" check pair.yaml --set time.step=0.0182
exits 2 "check refuses 40 times the recommended step"
like out '^recommended: +step 0\.000455 s \(the step in force is 40 times longer: beyond 0\.0093[0-9]* s' "and says why"
unlike out 'is valid' "and does not call it valid"
run "$CAIRN" run pair.yaml --set time.step=0.0182
exits 2 "run refuses it"
like err '^time\.step: found 0\.0182 s, 40 times the recommended step.*Take 0\.000455 s, or auto; --force' "with the step to take"
is "$(ls)" "$(printf 'err\nout\npair.yaml')" "before it writes anything"
run "$CAIRN" run pair.yaml --set time.step=0.005 -q
exits 0 "a step below the limit runs"
run "$CAIRN" run pair.yaml --set time.step=0.0182 --overwrite
exits 2 "refused with --overwrite"
check "the files of the earlier run are still there" test -s pair.ckpt.nc -a -s pair.series.nc

run "$CAIRN" run pair.yaml --set time.step=0.0182 --overwrite --force --set time.end=1
exits 0 "--force runs it"
like err '^recommended: +step 0\.000455 s \(the step in force is 40 times' "the start says what check knows"
like err '^warning: t = .* s: numerical energy gain of .*take 0\.000455 s, or auto$' "a warning where it does"
is "$(grep -c '^warning: ' err)" 1 "one alone: no advice to make the contact stiffer"
like out '^energy gain: +numerical, up to [0-9.e+]+ % of kinetic and elastic energy, at t = ' "the summary says so too"
run "$CAIRN" resume pair.ckpt.nc --set time.end=1.2
exits 2 "resume refuses to go on"
run "$CAIRN" resume pair.ckpt.nc --set time.end=1.2 --force
exits 0 "unless forced"

# Stable, but for elastic spheres too long: at 25 of 31.8 times τ/50 collisions gain energy on average.
cat >elastic.yaml <<'YAML'
time: {step: 0.0112, end: 5}
materials: [{name: a, density: 1000}]
interactions:
  - {between: [a, a], restitution: 1, friction: 0, stiffness: 4.18879e7}
bodies:
  - single: {position: [0, 0, 0], radius: 1, material: a, velocity: [1, 0, 0]}
walls:
  - plane: {point: [-1.3, 0, 0], normal: [1, 0, 0], material: a}
  - plane: {point: [1.3, 0, 0], normal: [-1, 0, 0], material: a}
output: {frames: 0, series: 0.5}
overlap: {limit: 1}
YAML
run "$CAIRN" run elastic.yaml -q
exits 1 "a run with a numerical energy gain ends"
like err '^cairn: t = .* numerical energy gain of .* is 25[.0-9]* times .*: take 0\.0004[0-9]* s, or auto' "says which step to take"
check "and keeps its state" "$CAIRN" digest elastic.ckpt.nc
run "$CAIRN" run elastic.yaml -q -o unseen --set output.series=0
exits 1 "the same where nothing is written"
run "$CAIRN" run elastic.yaml -q -o good --set time.step=auto
exits 0 "with the recommended step it runs"
is "$(wc -c <err)" 0 "without a warning"
run "$CAIRN" run elastic.yaml -q -o driven --set 'walls.0.plane.motion={velocity: [1.0e-9, 0, 0]}'
exits 0 "where a wall moves, energy may come from it"

# Contacts that damp strongly, or are stiffer across than along the normal, are stable with shorter steps than a part of a
# collision: auto is such a step, and not one that is refused.
for values in 'stiffness: 1.0e6, tangential_stiffness: 1.0e10' 'viscous_time: 1' 'viscous_time: 0, shear_ratio: 1000'; do
  law=hooke young=
  case $values in viscous*) law=hertz young=', young_modulus: 1.0e6' ;; esac
  cat >stiff.yaml <<YAML
law: $law
time: {end: 0.01}
gravity: {uniform: [0, 0, -1]}
materials: [{name: a, density: 1000$young}]
interactions: [{between: [a, a], $values}]
bodies:
  - lattice: {spacing: 2.000001, counts: [3, 3, 3], origin: [0, 0, 1.000001], radius: 1, velocity: [0, 0, -1], material: a}
walls:
  - plane: {normal: [0, 0, 1], material: a}
output: {frames: 0, series: 0.001}
overlap: {limit: 1}
YAML
  run "$CAIRN" check stiff.yaml
  exits 0 "$values: auto is a step that check allows"
  run "$CAIRN" run stiff.yaml -q -f --set time.end="$(awk '/^step:/ {print 2000 * $2}' out)"
  exits 0 "$values: and that runs"
  is "$(wc -c <err)" 0 "without a warning"
done
done_testing
