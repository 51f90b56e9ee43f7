# Contact dynamics as a user sees it: the summary, the series and the trajectory agree with each other.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"

write_scenario box.yaml
fall() {
  run "$CAIRN" "$@" --set output.frames=0.05 --set output.series=0.05 --set solver.sweeps=20
}
rigid="--set method=contact_dynamics --set time.step=0.005 --set interactions.0.restitution=0"
fall run box.yaml --output rigid $rigid --set time.end=0.2 --set 'gravity.uniform=[0, 0, -30]'
exits 0 "a heap falls into a box"
like out '^contacts: +[0-9]+ between bodies, [0-9]+ with walls; coordination number [0-9.]+ \(' "contacts"
like out '^ +[0-9.]+ per non-rattler, walls counted; [0-9]+ rattlers?; [0-9.]+ % sliding contacts$' \
  "rattlers and sliding"
like out '^diameter: +[0-9.]+ m, of the enclosing sphere$' "size"
like out '^packing: +fraction 0\.[0-9]+ in the enclosing sphere, [0-9.]+ in the inertia-equivalent ellipsoid' "packing"
like out '^pressure: +[0-9.]+ Pa, mean over the enclosing sphere$' "pressure"
unlike out 'theory|^peak' "and nothing about self-gravity"
like out '^solver: +20 sweeps to a residual of' "the solver"
like out '^ +[0-9]+ of 40 steps did not reach solver.tolerance' "and what it did not reach"

# last FILE VARIABLE: the values of its last record, one per line.
last() {
  values_of "$1" "$2" | tr -d ' ;}\n' | sed 's/.*=//' | tr ',' '\n' | tail -n "${3:-1}"
}
like_number() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a != 0 && d * d <= 1e-20 * a * a) }'; }

# Σ V_p p_p over the bodies of a frame is the mean pressure times the volume of the sphere around all.
sum=$(paste <(last rigid.nc pressure 300) <(last rigid.nc radius 300) |
  awk '{ s += $1 * 8 * $2 ^ 3 } END { printf "%.17g", s }')
whole=$(awk -v p="$(last rigid.series.nc mean_pressure)" -v d="$(last rigid.series.nc diameter)" \
  'BEGIN { printf "%.17g", p * d ^ 3 }')
check "pressure in bodies and mean pressure agree: $sum, $whole" like_number "$sum" "$whole"
trace=$(last rigid.series.nc mean_stress 6 | head -n 3 | awk '{ s += $1 } END { printf "%.17g", s / 3 }')
check "so does the stress" like_number "$trace" "$(last rigid.series.nc mean_pressure)"
unsolved=$(last rigid.ckpt.nc n_unsolved)
is "$(last rigid.series.nc n_unsolved)" "$unsolved" "the checkpoint has counted the same $unsolved steps"

fall run box.yaml --output part $rigid --set time.end=0.1 --set 'gravity.uniform=[0, 0, -30]'
run "$CAIRN" resume part.ckpt.nc --set time.end=0.2
exits 0 "interrupted and resumed"
for name in n_rattlers coordination_bearing sliding_fraction semi_axes mean_stress packing_fraction; do
  is "$(last part.series.nc $name 6)" "$(last rigid.series.nc $name 6)" "the same bits of $name"
done
is "$(last part.series.nc n_unsolved)" "$unsolved" "and the same steps not solved"

fall run box.yaml --output soft --set time.end=0.005
exits 0 "soft spheres"
check "have a pressure" test "$(last soft.series.nc mean_pressure)" != NaN
check "but no stress in bodies" sh -c '! ncdump -h soft.nc | grep -q "stress("'
unlike out '^(diameter|packing|pressure|solver):' "and none of this in the summary"
fall run box.yaml --output told --set time.end=0.005 --set output.bodies=stress
exits 0 "soft spheres with output.bodies: stress"
check "have it" sh -c 'ncdump -h told.nc | grep -q "stress("'
run "$CAIRN" check box.yaml --set method=hard_spheres --set output.bodies=stress
exits 2 "hard spheres with it"
like err 'found stress; allowed with `method: hard_spheres`, which has no contact forces: none' "are refused"

# A few bodies fall together: what the summary tells is what the series has, and the theory beside it.
run "$CAIRN" run "$CAIRN_SOURCE_DIR/scenarios/accretion.yaml" --output pull --set time.end=1500 \
  --set 'bodies.0.lattice.counts=[4, 4, 4]'
exits 0 "self-gravity"
told() { sed -nE "s/^$1.*/\\1/p" out; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a > 0 && d * d <= 1e-6 * a * a) }'; } # four digits are told
series() { last pull.series.nc "$1"; }
peak=$(paste <(last pull.series.nc time 99) <(last pull.series.nc kinetic_energy 99) |
  awk '$2 > e { e = $2; t = $1 } END { print t }')
check "the time of the largest kinetic energy, $peak s" near "$(told 'peak: .* t = ([0-9.]+) s \(')" "$peak"
check "coordination" near "$(told 'contacts: .*coordination number ([0-9.]+) \(')" "$(series coordination)"
check "diameter" near "$(told 'diameter: +([0-9.]+) m')" "$(series diameter)"
check "packing fraction" near "$(told 'packing: +fraction ([0-9.]+) in')" "$(series packing_fraction)"
check "pressure" near "$(told 'pressure: +([0-9.e-]+) Pa')" "$(series mean_pressure)"
# |U| / 3V, and 3/5 of G M²/(3 r V) = 16 G M²/(π D⁴) · 3/5
check "pressure by the virial theorem" near "$(told ' +theory: ([0-9.e-]+) Pa for these bodies at rest')" \
  "$(awk -v u="$(series potential_energy)" -v d="$(series diameter)" 'BEGIN { print -2 * u / (3.14159265 * d ^ 3) }')"
mass=$(last pull.nc mass 64 | awk '{ m += $1 } END { printf "%.9g", m }')
check "and of a liquid sphere" near "$(told ' +theory: ([0-9.e-]+) Pa for a liquid sphere')" \
  "$(awk -v m="$mass" -v d="$(series diameter)" 'BEGIN { print 2.4 * 6.6743e-11 * m ^ 2 / (3.14159265 * d ^ 4) }')"
run "$CAIRN" resume pull.ckpt.nc --set time.end=1600
like out '^peak: +kinetic energy since step [1-9][0-9]* largest at' "a resumed run tells of its own part"
done_testing
