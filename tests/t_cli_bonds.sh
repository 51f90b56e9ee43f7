#!/usr/bin/env bash
# Bonds as a user meets them: a target that breaks, its log, restart, words for what cannot be.
. "$(dirname "$0")/tap/tap.sh"

write() { # NAME BONDS
  cat >"$1.yaml" <<YAML
time: {step: 2e-6, end: 4e-4}
materials: [{name: a, density: 2500}, {name: steel, density: 7800}]
interactions:
  - {between: [a, a], stiffness: 2e5, restitution: 0.5, friction: 0.3}
  - {between: [a, steel], stiffness: 2e5, restitution: 0.5, friction: 0.3}
  - {between: [steel, steel], stiffness: 2e5, restitution: 0.5, friction: 0.3}
bodies:
  - lattice: {arrangement: cubic, spacing: 0.00999, in: {sphere: {center: [0, 0, 0], radius: 0.02}}, radius: 0.005, material: a}
  - single: {position: [0, 0.003, 0.03], radius: 0.006, velocity: [0, 0, -60], material: steel}
walls: [{plane: {name: floor, point: [0, 0, -0.1], normal: [0, 0, 1], material: steel}}]
overlap: {limit: 1, initial: 0.1}
output: {frames: 1e-4, series: 2e-5, report: false}
bonds: $2
YAML
}

refuses() { # WHAT BONDS PATTERN
  write bad "$2"
  run "$CAIRN" check bad.yaml
  exits 2 "$1: refused"
  like err "$3" "$1: and said why"
}

whole='[{modulus: 2e7, modulus_scatter: 4e6, strength: 2e5, strength_scatter: 3e4, damping: 0.05}]'
write target "$whole"
run "$CAIRN" run target.yaml --output whole --workers 1
exits 0 "a target breaks"
digest=$(grep '^digest' out)

last_of() { ncdump -v "$1" whole.series.nc | tr -d ' ;\n' | sed 's/.*,\([0-9.e+-]*\)}$/\1/'; }
if command -v ncdump >/dev/null; then
  rows=$(ncdump -h whole.breaks.nc | sed -n 's/.*break = UNLIMITED ; .. (\([0-9]*\) currently)/\1/p')
  is "$rows" "$(last_of n_broken)" "the log has a row for every bond that broke"
  [ "$rows" -gt 5 ]
  ok $? "and some did: $rows"
fi

run "$CAIRN" run target.yaml --output parts --workers 2 --set time.end=2e-4
exits 0 "half of it"
run "$CAIRN" resume parts.ckpt.nc --set time.end=4e-4 --workers 2
exits 0 "the other half"
is "$(grep '^digest' out)" "$digest" "with the same bits, by other workers"
if command -v ncdump >/dev/null; then
  is "$(ncdump -v step,body_a,body_b,cause,place,strain parts.breaks.nc | sed -n '/^data/,$p')" \
    "$(ncdump -v step,body_a,body_b,cause,place,strain whole.breaks.nc | sed -n '/^data/,$p')" "and the same log"
fi

# A checkpoint that has only a part of what bonds remember, with a valid seal.
cp parts.ckpt.nc forged.ckpt.nc
check "a bond without its law" "$CAIRN_TEST_DIR/helper_forge" forged.ckpt.nc -contact_bond_law
run "$CAIRN" resume forged.ckpt.nc --set time.end=4.1e-4
exits 2 "is refused"
like err 'has a part of what bonds remember' "and said why"

run "$CAIRN" check target.yaml --trial 0
like out '^bonds: +[1-9][0-9]* between bodies, 0 with walls' "bonds are counted"
like out '^ +target.breaks.nc: ' "and their log is among the files"
run "$CAIRN" check target.yaml --trial 0 --set 'bonds=[{modulus: 2e7}, {wall: floor, modulus: 2e7}]'
like out '^warning: +bonds.1 bonds nothing: no body and wall touch' "an entry without bonds is reported"

# ---- what cannot be ----
refuses "a negative modulus" '[{modulus: -1}]' 'bonds.0.modulus: found -1; allowed: number, > 0'
refuses "a region beside a table" '[{modulus: 1e6, table: x.txt, in: {sphere: {radius: 1}}}]' 'allowed: one of the two'
refuses "a region that is none" '[{modulus: 1e6, in: {ball: {radius: 1}}}]' 'bonds.0.in.ball: unknown key'
write here '[{modulus: 1e6, strain: 1, in: {box: {lower: [-1, -1, -1], upper: [1, 1, -0.001]}}}]'
run "$CAIRN" run here.yaml --quiet --set time.end=2e-6 --set output.series=2e-6
write all '[{modulus: 1e6, strain: 1}]'
run "$CAIRN" run all.yaml --quiet --set time.end=2e-6 --set output.series=2e-6
bonds_of() { ncdump -v n_bonds "$1.series.nc" | tr -d ' ;\n' | sed 's/.*n_bonds=\([0-9]*\),.*/\1/'; }
if command -v ncdump >/dev/null; then
  # layers along z: the one at 0 and those above are left out
  [ "$(bonds_of here)" -gt 0 ] && [ "$((2 * $(bonds_of here)))" -lt "$(bonds_of all)" ]
  ok $? "bodies of a region alone are bonded: $(bonds_of here) of $(bonds_of all) bonds"
fi
refuses "no modulus" '[{strain: 1}]' 'bonds.0: the key modulus is missing'
refuses "an unknown wall" '[{modulus: 1e6, wall: roof}]' "found 'roof'; allowed: the name of a wall"
refuses "an unknown material" '[{modulus: 1e6, between: [a, ice]}]' 'ice'
refuses "two limits" '[{modulus: 1e6, strain: 1, strength: 3}]' 'allowed: one of the two'
refuses "a beam without limit" '[{modulus: 1e6, law: beam}]' 'a beam needs a strength or a strain'
refuses "a table that is not there" '[{modulus: 1e6, table: none.txt}]' 'none.txt'
printf '# pairs\n0 1\n3, 2\n' >pairs.txt
write listed '[{modulus: 1e6, strain: 1, table: pairs.txt}]'
run "$CAIRN" check listed.yaml
exits 0 "bonds from a table"
printf '0 1\n5 100000\n' >far.txt
refuses "a body that does not exist" '[{modulus: 1e6, strain: 1, table: far.txt}]' 'bonds bodies 5 and 100000, but there are'
printf '0 1\n7 7\n' >self.txt
refuses "a body with itself" '[{modulus: 1e6, strain: 1, table: self.txt}]' 'self.txt:2: .*two different bodies'
printf '0 1\n7 x\n' >word.txt
refuses "a word for an id" '[{modulus: 1e6, strain: 1, table: word.txt}]' 'word.txt:2: '
write rigid '[{modulus: 1e6}]'
run "$CAIRN" check rigid.yaml --set method=contact_dynamics
exits 2 "rigid spheres"
like err 'found bonds; allowed with `method: contact_dynamics`: none' "have no bonds"
run "$CAIRN" check rigid.yaml --set interactions.0.friction=0
exits 2 "without friction"
like err 'no friction and always slip' "a bond that breaks by slip makes no sense"
done_testing
