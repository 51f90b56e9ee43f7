# What is told of a scenario beyond what makes it valid: keys without use, odd numbers, sizes of files; and of results
# that are not what they seem: overlaps in numbers, piles that fell apart.
. "$(dirname "$0")/tap/tap.sh"

base() {
  cat <<'YAML'
time: {end: 0.1}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], stiffness: 1e6, restitution: 0.5}]
bodies:
  - lattice: {origin: [0, 0, 0.2], counts: [3, 3, 2], spacing: 0.25, radius: 0.1, material: rock}
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: rock}
output: {frames: 0.01, series: 0.005}
YAML
}
base >pile.yaml

run "$CAIRN" check pile.yaml
exits 0 "check"
unlike out '^(unused|warning):' "nothing to say of a usual scenario"
like out '^output: +pile\.nc: 11 frames of [0-9.]+ k?B, ' "frames and their size"
like out '^ +pile\.series\.nc: 21 rows of ' "rows and theirs"
like out '^ +pile\.ckpt\.nc: about ' "the checkpoint"
frame=$(sed -n 's/.*frames of \([0-9.]*\) kB.*/\1/p' out)
run "$CAIRN" run pile.yaml -q -o few
run "$CAIRN" run pile.yaml -q -o many --set output.frames=0.001
is "$(wc -c <err)" 0 "no warning in the run"
# three digits of the size in check; files grow by whole frames
is "$(awk -v a="$(stat -c %s few.nc)" -v b="$(stat -c %s many.nc)" -v f="$frame" \
  'BEGIN { r = (b - a) / 90 / (1000 * f); print (r > 0.99 && r < 1.01) }')" 1 "frames are as large as told"

# A bed of hard spheres collides without end; elastic ones do not settle, and without walls nothing does.
like_settling='^warning: +hard spheres that settle under gravity collide without end'
run "$CAIRN" check "$CAIRN_SOURCE_DIR/scenarios/tumbler.yaml" --trial 0
like out "$like_settling" "hard spheres that lose energy under gravity"
for calm in atmosphere granular_gas planetesimals; do
  run "$CAIRN" check "$CAIRN_SOURCE_DIR/scenarios/$calm.yaml" --trial 0
  unlike out "$like_settling" "not those of $calm"
done

run "$CAIRN" check pile.yaml --set solver.sweeps=10 --set interactions.0.cohesion_energy=0
like out '^unused: +interactions\.cohesion_energy, solver: no effect with soft spheres' "keys of contact dynamics"
run "$CAIRN" check pile.yaml --set method=contact_dynamics
like out '^unused: +interactions\.stiffness: no effect with contact dynamics' "keys of soft spheres, written in the file"
run "$CAIRN" run pile.yaml -o rigid --set method=contact_dynamics --set time.step=0.001
like err '^unused: +interactions\.stiffness: ' "at the start of a run too"

run "$CAIRN" check pile.yaml --set materials.0.density=2.5
like out '^warning: +the density of rock, 2\.5 kg/m³' "a density in g/cm³"
run "$CAIRN" check pile.yaml --set materials.0.density=2.5e6
like out '^warning: +the density of rock, 2\.5e\+06 kg/m³' "a density in g/m³"
run "$CAIRN" check pile.yaml --set 'gravity.uniform=[0, 0, 9.81]'
like out '^warning: +gravity, 0 0 9\.81 m/s², accelerates the bodies away from every wall' "gravity with the wrong sign"
run "$CAIRN" check pile.yaml --set 'gravity.uniform=[0, 0, 9.81]' \
  --set 'walls.1={disk: {normal: [0, 0, 1], center: [0, 0, 9], radius: 1, material: rock}}'
unlike out '^warning: +gravity' "unless a wall is there"
run "$CAIRN" run pile.yaml -q -o up --set 'gravity.uniform=[0, 0, 9.81]' --set time.end=0.001
like err '^warning: +gravity' "a run says it, also with --quiet"
run "$CAIRN" check pile.yaml --set time.step=1e-9 --set time.end=1 --set output.frames=1e-9
like out '^warning: +output\.frames, 1e-09 s, makes 1e\+09 frames, [0-9.]+ TB' "a thousand million frames"

# Overlap of an impact goes with k^-1/2, of a weight with k^-1: a ball of 10.47 kg with 1 m/s sinks √(m/k) = 1.02 % of its
# radius into a floor of 1e7 N/m, so that (1.02/1)² = 1.05 times the stiffness is enough.
cat >impact.yaml <<'YAML'
time: {end: 0.02}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], stiffness: 1e7, restitution: 1}]
bodies:
  - single: {position: [0, 0, 0.101], radius: 0.1, velocity: [0, 0, -1], material: rock}
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: rock}
overlap: {limit: 0.01}
output: {frames: 0, series: 0}
YAML
run "$CAIRN" run impact.yaml
like err 'body 0 and wall floor overlap by 1\.0[0-9]* % of the smaller radius \(limit 1 %\): a stiffness 1\.1 times larger' \
  "digits that tell overlap and limit apart, and how much stiffer"
like out 'above the limit of 1 % in [0-9]+ steps, up to 1\.02 %: a stiffness 1\.1 times larger' "in the summary too"
run "$CAIRN" run impact.yaml -q -o stiffer --set interactions.0.stiffness=1.1e7
is "$(wc -c <err)" 0 "with that stiffness there is no warning"
run "$CAIRN" run impact.yaml -o soft --set interactions.0.stiffness=1e6
like out 'up to 3\.2[34] %: a stiffness 11 times larger keeps impacts .* \(3\.3 times if it is weight\)' "ten times too soft"
like err '^warning: body 0 and wall floor overlap by [1-3]\.?[0-9]* %' "warned of while it grows"

# A servo of 1e7 N on bodies of 0.7 m x 0.7 m presses with p = 20 MPa, which takes k = p r / limit.
base | sed 's/^walls:/overlap: {limit: 0.01}\nassemblies:\n  - {name: piston, center: [0.25, 0.25, 0.8], mass: 1, axis: [0, 0, -1], free: [along], servo: {force: 1e7, speed: 1.0e-3}, walls: [{plane: {point: [0.25, 0.25, 0.8], normal: [0, 0, -1], material: rock}}]}\nwalls:/' \
  >piston.yaml
run "$CAIRN" check piston.yaml
exits 0 "a piston"
pressed=$(sed -n 's/.*stiffness \([^ ]*\) N\/m for speeds.*/\1/p' out)
run "$CAIRN" check piston.yaml --set assemblies.0.servo.force=1
free=$(sed -n 's/.*stiffness \([^ ]*\) N\/m for speeds.*/\1/p' out)
is "$(awk -v a="$pressed" -v b="$free" 'BEGIN { print (a >= 1e7 / 0.49 * 0.1 / 0.01 && a > b) }')" 1 \
  "the recommended stiffness counts the walls that push ($free, $pressed N/m)"

# Two pairs of boulders that fly apart, and the same that rest on each other.
cat >apart.yaml <<'YAML'
method: contact_dynamics
time: {step: 1, end: 20}
gravity: {self: {}}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], restitution: 0}]
bodies:
  - single: {position: [0, 0, 0], radius: 5, velocity: [-1, 0, 0], material: rock}
  - single: {position: [0, 10, 0], radius: 5, velocity: [-1, 0, 0], material: rock}
  - single: {position: [10, 0, 0], radius: 5, velocity: [1, 0, 0], material: rock}
  - single: {position: [10, 10, 0], radius: 5, velocity: [1, 0, 0], material: rock}
output: {frames: 0, series: 0}
YAML
run "$CAIRN" run apart.yaml
exits 0 "a pile that falls apart"
like out '^aggregate: +not at rest: 2 fragments, the largest has 50 % of the mass' "the summary says so"
unlike out '^(pressure|packing|diameter):|rattler|theory' "and nothing of a heap at rest"
run "$CAIRN" run apart.yaml -o together --set 'bodies.0.single.velocity=[0, 0, 0]' --set 'bodies.1.single.velocity=[0, 0, 0]' \
  --set 'bodies.2.single.velocity=[0, 0, 0]' --set 'bodies.3.single.velocity=[0, 0, 0]'
unlike out '^aggregate:' "one at rest"
like out '^packing: ' "has its packing"
like out '^pressure: ' "and its pressure"
# Bodies that come later count: with their speed in what auto chooses, and where they never come.
{ base && echo 'insert: [{count: 4, batch: 1, every: 0.01, in: {box: {lower: [0, 0, 2], upper: [1, 1, 3]}}, radius: 0.1, material: rock, velocity: [0, 0, -50]}]'; } >pour.yaml
run "$CAIRN" check pour.yaml --trial 0
like out '^insert: +4 of these bodies' "what is inserted is listed"
like out 'for speeds up to (5[0-9]|[6-9][0-9])' "and its speed counts" || note "$(grep recommended out)"
unlike out '^warning' "without a warning"
run "$CAIRN" check pour.yaml --trial 0 --set insert.0.every=1
like out '^warning: +insert.0: its last bodies are due at t = 3 s, the run ends at 0.1 s' "bodies that are due after the end are reported"

# Each stage has its own frames.
{ base && echo 'stages: [{name: a, until: {time: 0.05}}, {name: b, until: {time: 0.04}, output: {frames: 0.001}}]'; } >stages.yaml
run "$CAIRN" check stages.yaml --trial 0
n=$(sed -n 's/^output: .*: \([0-9]*\) frames.*/\1/p' out)
run "$CAIRN" run stages.yaml -q
is "$n" "$(ncdump -h stages.nc | sed -n 's/.*frame = UNLIMITED .*(\([0-9]*\) currently.*/\1/p')" "frames of stages are foreseen"
run "$CAIRN" resume stages.ckpt.nc --set time.end=1
like out '^finished: .* to go on after the last stage' "a run whose stages are over says how to go on"
run "$CAIRN" run pile.yaml -q --output ..
exits 2 "a name that is a folder is refused"
done_testing
