#!/usr/bin/env bash
# The network of contacts: output.contacts, what is in the file, fragments over contacts and bonds.
. "$(dirname "$0")/tap/tap.sh"
if ! command -v ncdump >/dev/null; then skip_all "ncdump is not installed"; fi

# numbers FILE VARIABLE: its values, one per line
numbers() { ncdump -p 15,17 -v "$2" "$1" | sed -n '/^data/,$p' | tr -d '\n ;}' | sed "s/.*$2=//" | tr ',' '\n'; }
# near VALUE WANTED TOLERANCE NAME: relative
near() {
  awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= t * (b < 0 ? -b : b)) }'
  ok $? "$4: $1, expected $2"
}

# A column of three spheres on a floor at rest: the contacts bear 3, 2 and 1 weights, along the vertical.
column() { # NAME METHOD KEYS
  cat >"$1.yaml" <<YAML
method: $2
time: {step: $4, end: $5}
gravity: {uniform: [0, 0, -10]}
materials: [{name: a, density: 1000}]
interactions: [{between: [a, a], friction: 0.5, $3}]
bodies: [{lattice: {origin: [0, 0, 0.1], counts: [1, 1, 3], spacing: 0.2, radius: 0.1, material: a}}]
walls: [{plane: {normal: [0, 0, 1], material: a}}]
output: {frames: $5, series: 0, contacts: true}
YAML
}
weight=41.8879020478639
column soft soft_spheres 'stiffness: 1e5, restitution: 0.1, tangential_restitution: 0.1' 1e-4 4
column rigid contact_dynamics 'restitution: 0' 0.01 0.5
for name in soft rigid; do
  run "$CAIRN" run $name.yaml --quiet
  exits 0 "$name: a column"
  numbers $name.contacts.nc normal_force | tail -n 3 >push
  near "$(sed -n 1p push)" "$(awk "BEGIN{print 2 * $weight}")" 1e-4 "$name: the lower contact bears two"
  near "$(sed -n 2p push)" "$weight" 1e-4 "$name: the upper one bears one"
  near "$(sed -n 3p push)" "$(awk "BEGIN{print 3 * $weight}")" 1e-4 "$name: the floor bears all"
  is "$(numbers $name.contacts.nc body_b | tail -n 3 | tr '\n' ' ')" "1 2 -1" "$name: who touches whom"
  near "$(numbers $name.contacts.nc normal | tail -n 9 | sed -n 3p)" 1 1e-9 "$name: the normal goes up"
done
run "$CAIRN" run rigid.yaml --quiet --set output.contacts=false --output without
exits 0 "without them"
check "there is no file" test ! -e without.contacts.nc
run "$CAIRN" check soft.yaml --set method=hard_spheres
exits 2 "hard spheres"
like err 'output.contacts: found true; allowed with `method: hard_spheres`' "have no contacts to write"

# Two bonded pairs, one of which touches a third sphere: three fragments over bonds, two over contacts.
printf '0 1\n2 3\n' >pairs.txt
cat >pieces.yaml <<'YAML'
time: {step: 1e-4, end: 1e-2}
materials: [{name: a, density: 1000}]
interactions: [{between: [a, a], stiffness: 1e5, restitution: 0.5}]
bodies:
  - lattice: {counts: [2, 1, 1], spacing: 0.199, radius: 0.1, material: a}
  - lattice: {origin: [1, 0, 0], counts: [2, 1, 1], spacing: 0.199, radius: 0.1, material: a}
  - single: {position: [1.398, 0, 0], radius: 0.1, material: a}
overlap: {initial: 0.1, limit: 1}
bonds: [{modulus: 1e6, strain: 1, table: pairs.txt}]
output: {frames: 5e-3, series: 0, contacts: true}
YAML
run "$CAIRN" run pieces.yaml --quiet
exits 0 "pieces"
run "$CAIRN" analyse pieces.nc --links bonds --frame 0
like out '^fragments: +3, linked by 2 bonds' "three over bonds"
run "$CAIRN" analyse pieces.nc --links contacts --frame 0
like out '^fragments: +2, linked by 3 contacts' "two over contacts"
run "$CAIRN" analyse pieces.nc --links love
exits 2 "another kind of link"
like err "found 'love', expected gaps, contacts, bonds or gravity" "is refused"
run "$CAIRN" analyse pieces.nc --links gravity
exits 2 "gravity, of which the run has none"
like err 'the run has no self-gravity' "binds nothing"
run "$CAIRN" run pieces.yaml --output counted --set output.series=5e-3
like out '^bonds: +2 hold, 0 broke; 3 fragments over bonds, the largest has 40 % of the mass, the second 40 %$' \
  "the summary of a bonded run counts its fragments"
is "$(numbers counted.series.nc n_fragments | tr -d '\n ,;')" "333" "and so does its series"

# A run that is resumed goes on with the rows it has.
run "$CAIRN" run pieces.yaml --quiet --output half --set time.end=7e-3
run "$CAIRN" resume half.ckpt.nc --quiet --set time.end=1e-2
exits 0 "resumed"
is "$(numbers half.contacts.nc normal_force | md5sum)" "$(numbers pieces.contacts.nc normal_force | md5sum)" \
  "the contacts are those of the whole run"

# Anything else in its place is refused, not believed.
head -c 300 pieces.contacts.nc >cut && cp cut pieces.contacts.nc
run "$CAIRN" analyse pieces.nc --links bonds
check "a file that is cut short is refused" test "$code" -ge 2
cp pieces.nc pieces.contacts.nc
run "$CAIRN" analyse pieces.nc --links bonds
exits 2 "a trajectory in its place"
done_testing
