# Self-gravity across ranks: the bits of one process, though no rank has all bodies. Two piles far apart: the rank of one
# has no use for the bodies of the other. The claim is one of equality: there is no tolerance.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
mpi_needed

# Bodies that fall onto a wall are removed; the field of the others is that of those that are left.
cat >piles.yaml <<'YAML'
title: two piles that collapse, far apart
seed: 4
time: {step: 0.02, end: 0.6}
gravity: {self: {constant: 1.0e-6, accuracy: 1.0e-3}}
materials:
  - {name: rock, density: 2000}
interactions:
  - {between: [rock, rock], stiffness: 1e6, restitution: 0.5, tangential_restitution: 1, friction: 0.4}
bodies:
  - cloud: {count: 1500, in: {sphere: {radius: 12}}, radius: {uniform: [0.5, 0.7]}, speed: 0.5, material: rock}
  - cloud: {count: 1500, in: {sphere: {center: [900, 0, 0], radius: 12}}, radius: 0.6, speed: 0.5, material: rock}
walls:
  - plane: {name: west, point: [-11.5, 0, 0], normal: [1, 0, 0], material: rock, behavior: absorbing}
overlap: {limit: 0.5}
cells: {bodies: 150}
output: {frames: 0, series: 0.2}
YAML
run "$CAIRN" run piles.yaml -q --output one
exits 0 "one process runs"
one=$(digest_in out)
check "with a digest" test -n "$one"
is "$(values_of one.series.nc n_absorbed | grep -c '[1-9]')" 1 "some bodies were removed"
for n in 2 3 4; do
  run ranks $n "$CAIRN" run piles.yaml --output "ranks_$n"
  is "$(digest_in out)" "$one" "$n ranks: the digest of one"
  check "and the series, with the potential energy" same one.series.nc "ranks_$n.series.nc"
  share=$(sed -n 's/^gravity: *a rank has at most \([0-9]*\)[.0-9]* % of the bodies.*/\1/p' out err)
  most=$(test $n -eq 3 && echo 101 || echo 60) # of three ranks one has half of each pile, and needs the other halves
  check "a rank has $share % of the bodies at most" test "${share:-101}" -lt "$most"
done

# Contact dynamics, of bodies that touch from the start.
sed 's/stiffness: 1e6, //; s/, tangential_restitution: 1//; /cloud:/d; s/end: 0.6/end: 0.1/; s/series: 0.2/series: 0.04/' \
  piles.yaml >rigid.yaml
sed -i 's|^bodies:|method: contact_dynamics\n&\
  - lattice: {counts: [9, 9, 9], spacing: 1.2, origin: [-5, -5, -5], radius: 0.6, material: rock}\
  - lattice: {counts: [9, 9, 9], spacing: 1.2, origin: [900, -5, -5], radius: 0.6, material: rock}|' rigid.yaml
alike rigid 'contact dynamics'

# Fewer cells than ranks: some ranks have no bodies.
sed 's/bodies: 150/bodies: 4000/; s/end: 0.6/end: 0.1/; s/series: 0.2/series: 0.04/' piles.yaml >lone.yaml
alike lone 'fewer cells than ranks'

# Few bodies: direct sums, on one rank.
sed 's/count: 1500/count: 60/g; s/bodies: 150/bodies: 20/' piles.yaml >few.yaml
alike few 'direct sums'
done_testing
