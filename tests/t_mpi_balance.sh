# Ranks share the work by what cells cost: a bed in contact beside bodies that touch nothing. With the first cells each
# rank has as many bodies as any other, so that those with the cloud wait; later ones have about the same to do. The bits
# are those of one process whoever owns a cell.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
mpi_needed

cat >bed.yaml <<'YAML'
title: a bed, and bodies that are alone
method: contact_dynamics
time: {step: 1e-3, end: 0.4}
materials: [{name: bead, density: 2500}]
interactions: [{between: [bead, bead], restitution: 0, friction: 0.4}]
bodies:
  - lattice: {counts: [20, 12, 12], spacing: 0.00999, origin: [-0.2, 0, 0], radius: 0.005, material: bead}
  - lattice: {counts: [20, 12, 12], spacing: 0.02, origin: [0.02, 0, 0], radius: 0.005, material: bead}
solver: {sweeps: 20, tolerance: 1e-14, patience: 0}
overlap: {limit: 1, initial: 0.1}
cells: {bodies: 180}
output: {frames: 0, series: 0, checkpoint: 0}
YAML
value() { sed -n "s/.*\"$1\": *\"\{0,1\}\([^,\"}]*\).*/\1/p" out; }
# at_most A B: is A ≤ B?
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a + 0 <= b + 0) }'; }

# Nothing moves far: only the uneven load can be a reason for new cells. Of the time of a sweep nearly all is spent on
# contacts, so that the first cells of two ranks have an imbalance of 1 less what bodies without contacts take; half of
# it and less is left when the costs are known. 32 cells: a whole one more or less is 0.13 for four ranks.
run "$CAIRN" run bed.yaml --json --output one
exits 0 "one process runs"
one=$(value digest)
check "with a digest" test -n "$one"
is "$(value regrids)" 0 "without a regrid"
is "$(grep -c imbalance out)" 0 "of an imbalance nothing is said"
for n in 2 4; do
  run ranks $n "$CAIRN" run bed.yaml --json --output "ranks_$n"
  is "$(value digest)" "$one" "$n ranks: the digest of one"
  check "the load was uneven: $(value first_imbalance)" at_most 0.4 "$(value first_imbalance)"
  check "which is a reason for new cells" at_most 1 "$(value regrids)"
  check "that share it: $(value imbalance)" at_most "$(value imbalance)" 0.25
  check "and are kept: $(value regrids) regrids" at_most "$(value regrids)" 5
done

# Soft spheres, whose first cells live for one step alone: there first touches of memory count as much as contacts. So
# the second cells are not even either, and the time that ranks wait must be seen to make others. Halves differ less, by
# a factor of 3 or so: 0.5 with the first cells, and a tenth or less behind; 0.25 is half of it.
sed -e '/^method:/d; /^solver:/d; s/^time:.*/time: {step: 2e-5, end: 0.03}/; s/restitution: 0,/stiffness: 1e5, restitution: 0.1,/' \
  bed.yaml >soft.yaml
run "$CAIRN" run soft.yaml --json --output soft
exits 0 "soft spheres: one process runs"
soft=$(value digest)
run ranks 3 "$CAIRN" run soft.yaml --json --output soft_3
is "$(value digest)" "$soft" "three ranks: the digest of one"
check "the load was uneven: $(value first_imbalance)" at_most 0.25 "$(value first_imbalance)"
check "and is no more: $(value imbalance)" at_most "$(value imbalance)" 0.25
run ranks 2 "$CAIRN" run soft.yaml --output told --set time.end=1e-3
like out 'load: *the busiest of 2 ranks has [0-9.]* % more to do than the mean \([0-9.]* % with the first cells\)' \
  "the report has it"
done_testing
