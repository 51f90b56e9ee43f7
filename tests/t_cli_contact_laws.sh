# Contact dynamics at the command line: runs that do not solve their steps, overlaps, mistakes with their place.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"

write_scenario box.yaml
rigid() {
  run "$CAIRN" run box.yaml --output "$1" --set method=contact_dynamics --set time.step=0.002 --set time.end=0.05 \
    --set output.frames=0 --set output.series=0 --set 'gravity.uniform=[0, 0, -30]' "${@:2}"
}

rigid unsolved --set solver.sweeps=1 --set solver.tolerance=1e-9
exits 0 "a run whose steps are not solved goes on"
like out '^ +[0-9]+ of 25 steps did not reach solver.tolerance' "and says so at the end"

rigid impatient --set solver.sweeps=1 --set solver.tolerance=1e-9 --set solver.patience=2
exits 1 "with patience it is a numerical failure"
like err 'step [0-9]+ .*missed its tolerance in 2 steps in a row .residual .* after 1 sweeps, solver.tolerance 1e-09' \
  "told with step, residual and tolerance"
like err 'More solver.sweeps, a smaller time.step' "and with what to do"
run "$CAIRN" digest impatient.ckpt.nc
exits 0 "after the state was saved"

rigid deep --set overlap.limit=1e-6 --set solver.gaps=touching --set interactions.0.restitution=0
exits 0 "a run with overlaps"
like err 'body [0-9]+ and (body|wall) [0-9w].* overlap by .* a smaller time.step or solver.tolerance is advised' "warns"
like out 'above the limit of .* in [0-9]+ steps, up to [0-9.e-]+ %: a smaller time.step or solver.tolerance' \
  "and tells the largest at the end"

run "$CAIRN" check box.yaml --set method=contact_dynamics --set interactions.0.cohesion=3 \
  --set interactions.0.cohesion_energy=0.01 --set interactions.0.twisting_length=0.002
exits 0 "check"
like out 'rolling 0.05, twisting 0.002 m, cohesion 3 N up to a work of 0.01 J' "tells the law"

sed 's/friction: 0.5,/friction: 0.5, cohesion: 2, cohesion_range: 0.001,/' box.yaml >soft.yaml
run "$CAIRN" check soft.yaml
exits 0 "cohesion of soft spheres"
like out 'cohesion 2 N within 0.001 m' "is told"
run "$CAIRN" check soft.yaml --set interactions.0.cohesion_range=0 --set interactions.0.cohesion_energy=0.01
exits 2 "cohesion with an energy, with soft spheres"
like err 'interactions.0.cohesion_energy=0.01: found 0.01; allowed with `method: soft_spheres`: 0' "is refused"

# what walls that bodies push do not know
projectile() {
  run "$CAIRN" check "$CAIRN_SOURCE_DIR/scenarios/projectile.yaml" --set method=contact_dynamics "$@"
  exits 2 "a free assembly with $2"
}
projectile --set interactions.1.cohesion=1 --set interactions.1.cohesion_energy=1e-6 --set interactions.0.cohesion=1 \
  --set interactions.0.cohesion_energy=1e-6
like err 'wall [a-z0-9 ]+ has a cohesion_energy with bodies, but its assembly is free; allowed there: cohesion_range' \
  "is refused"
done_testing
