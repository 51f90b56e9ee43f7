# `cairn analyse` as a user types it.
. "$(dirname "$0")/tap/tap.sh"

cat >dust.yaml <<'YAML'
time: {step: 1e-4, end: 0.01}
materials: [{name: rock, density: 1000}, {name: ice, density: 500}]
interactions:
  - {between: [rock, rock], stiffness: 1e5, cohesion: 1}
  - {between: [rock, ice], stiffness: 1e5}
  - {between: [ice, ice], stiffness: 1e5}
gravity: {self: {}}
bodies:
  - single: {position: [0, 0, 0], radius: 0.1, material: rock}
  - single: {position: [0.19999995, 0, 0], radius: 0.1, material: rock}
  - single: {position: [3, 0, 0], radius: 0.1, material: ice, velocity: [0, 0, 2]}
output: {frames: 0.005, series: 0, bodies: stress}
YAML
run "$CAIRN" run dust.yaml -q
exits 0 "a pair and a piece that leaves"

run "$CAIRN" analyse dust.nc
exits 0 "cairn analyse"
like out '^time: +0.01 s$' "the last frame"
like out '^fragments: +2, gaps up to 0.01 m linked; total mass 10.4' "two fragments"
like out '^ +2 +8.377. +0.8000 ' "the largest"
like out '^masses: .*1 ≥ 0.5, 2 ≥ 0.1$' "the distribution of masses"
like out '^ejecta: .*bound to it 0, escaping 0.2 of the mass$' "what escapes"
like out 'fastest 2 m/s$' "how fast"
like out '^material 1: +1 bodies; z median 0.02 m' "heights by material"

json() { "$CAIRN_PYTHON" -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }
run "$CAIRN" analyse dust.nc --json --frame 0 --profile x:4
exits 0 "as JSON"
is "$(json 'd["time"], len(d["fragments"]), len(d["profile"]), d["axis"]' <out)" "(0, 2, 4, 'x')" "the first frame"
is "$(json 'sum(b["bodies"] for b in d["profile"]), d["profile"][3]["composition"]' <out)" "(3, [0, 1])" "its bins"
check "with the stress of the pair, which attracts" \
  test "$(json 'd["profile"][0]["stress"][0] < 0' <out)" = True
run "$CAIRN" analyse dust.nc --profile radius
is "$(grep -cE '^ +[0-9.]+ +[0-9]+ +[0-9.]+ ' out)" 20 "twenty bins by default"

run "$CAIRN" analyse dust.nc --frame 0 --region 'box: {lower: [0, -0.1, -0.1], upper: [0.1, 0.1, 0.1]}'
exits 0 "a region"
like out '^region: +1 bodies; packing fraction 0\.52' "half a sphere in a box of its size"
is "$("$CAIRN" analyse dust.nc --json --region '{sphere: {center: [3, 0, 0], radius: 0.2}}' | json \
  'd["region"]["bodies"], round(d["region"]["packing_fraction"], 3), d["slope"]')" "(1, 0.125, None)" \
  "as JSON; without a uniform field there is no slope of a heap"
run "$CAIRN" analyse dust.nc --region 'sphere: {radius: -1}'
exits 2 "a region that is none"
like err '^--region:1:[0-9]+: sphere.radius: found -1; allowed: ' "is explained"
run "$CAIRN" analyse dust.nc --links gravity
like out '^fragments: +2, bound by their gravity' "fragments that gravity binds"

for words in "--profile q" "--profile z:0" "--profile z:x" "--profile z:99999" "--frame 3" "--frame all"; do
  run "$CAIRN" analyse dust.nc $words
  exits 2 "refused: $words"
  like err '^--(profile|frame): found ' "and explained"
done
run "$CAIRN" analyse dust.ckpt.nc
exits 2 "a checkpoint"
like err 'is a checkpoint' "is not a trajectory"
run "$CAIRN" analyse none.nc
exits 2 "a file that is not there"
head -c 300 dust.nc >cut.nc
run "$CAIRN" analyse cut.nc
check "a damaged file is refused" test "$code" -ne 0
done_testing
