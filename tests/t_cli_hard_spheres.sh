#!/usr/bin/env bash
# What hard spheres say of scenarios that cannot be, and what they report of those that can.
. "$(dirname "$0")/tap/tap.sh"

gas=$CAIRN_SOURCE_DIR/scenarios/granular_gas.yaml

# refuses DESCRIPTION WORDS OPTIONS...
refuses() {
  local description=$1 words=$2
  shift 2
  run "$CAIRN" check "$@"
  exits 2 "$description is refused"
  like err "$words" "$description: with words"
}

refuses "a transverse restitution of 1.5" 'found 1.5; allowed: number, ≥ -1 and ≤ 1' "$gas" \
  --set interactions.0.transverse_restitution=1.5
refuses "a negative restitution" 'found -0.1; allowed: number, ≥ 0 and ≤ 1' "$gas" --set interactions.0.restitution=-0.1
refuses "a negative limit of elastic collisions" 'found -1; allowed: number or auto, ≥ 0' "$gas" \
  --set collisions.elastic_below=-1
refuses "a step in which everything meets everything" 'everything may meet everything' "$gas" --set time.step=5

cat >overlap.yaml <<'YAML'
method: hard_spheres
time: {end: 1}
materials: [{name: a, density: 1000}]
interactions: [{between: [a, a], restitution: 1}]
bodies:
  - single: {position: [0, 0, 0], radius: 0.1, material: a}
  - single: {position: [0.1, 0, 0], radius: 0.1, material: a}
YAML
refuses "a pair that overlaps deeply" 'overlap.yaml:7:.*body 1 .* overlaps body 0' overlap.yaml

run "$CAIRN" run "$gas" --set time.end=0.3 --set output.frames=0
exits 0 "a gas runs"
like out '^collisions: *[1-9][0-9]* of two bodies, [1-9][0-9]* with walls' "its summary counts the collisions"
check "and the series" sh -c 'ncdump -v n_collisions granular_gas.series.nc | grep -q "n_collisions = 0, [1-9]"'
done_testing
