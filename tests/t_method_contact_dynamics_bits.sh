# Contact dynamics ends in the same bits for any number of workers, any scheduler, interrupted or not, with each solver.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"

write_scenario box.yaml
end=0.2
if [ -n "${CAIRN_SANITIZE:-}" ]; then end=0.05; fi

# fall NAME [OPTIONS]: run to the end, digest in $digest.
fall() {
  local name=$1
  shift
  run "$CAIRN" run box.yaml --quiet --output "$name" --set method=contact_dynamics --set time.step=0.002 \
    --set time.end=$end --set output.frames=0 --set output.series=0 --set interactions.0.restitution=0 \
    --set 'gravity.uniform=[0, 0, -30]' --set solver.sweeps=20 --set cells.bodies=60 \
    --set interactions.0.cohesion=5 --set interactions.0.cohesion_energy=5e-4 "$@"
  digest=$(digest_in out)
}

for solver in nesterov nsgs; do
  fall "$solver" --set solver.kind=$solver
  exits 0 "$solver: two workers"
  reference=$digest
  check "$solver: the digest is one" test ${#reference} -eq 32
  contacts=$(ncdump -h "$solver.ckpt.nc" | sed -n 's/^[[:space:]]*contact = \([0-9]*\) ;.*/\1/p')
  check "$solver: they remember their cohesion" sh -c "ncdump -v contact_rest $solver.ckpt.nc | grep -q e-"
  [ -n "${CAIRN_SANITIZE:-}" ] || check "$solver: bodies touch: $contacts contacts" test "$contacts" -gt 50
  fall "$solver-one" --set solver.kind=$solver --workers 1
  is "$digest" "$reference" "$solver: one worker"
  for scheduler in eager random; do
    STARPU_SCHED=$scheduler fall "$solver-$scheduler" --set solver.kind=$solver
    is "$digest" "$reference" "$solver: scheduler $scheduler"
  done
  fall "$solver-chain" --set solver.kind=$solver --set time.end="$(awk "BEGIN{print 0.4*$end}")"
  check "$solver: an early end is another state" test "$digest" != "$reference"
  run "$CAIRN" resume "$solver-chain.ckpt.nc" --quiet --set time.end=$end
  is "$(digest_in out)" "$reference" "$solver: interrupted and resumed"
done

# Torques of rolling and twisting friction are remembered too, and the momentum that the scene bears is learned.
fall rolling --set interactions.0.rolling_friction=0.2 --set interactions.0.twisting_friction=0.1 --set solver.sweeps=200
reference=$digest
check "contacts remember their torques" sh -c "ncdump -v contact_torque rolling.ckpt.nc | grep -q e-"
fall rolling-one --set interactions.0.rolling_friction=0.2 --set interactions.0.twisting_friction=0.1 \
  --set solver.sweeps=200 --workers 1
is "$digest" "$reference" "rolling friction: one worker"
fall rolling-four --set interactions.0.rolling_friction=0.2 --set interactions.0.twisting_friction=0.1 \
  --set solver.sweeps=200 --workers 4
is "$digest" "$reference" "rolling friction: four workers"
fall rolling-chain --set interactions.0.rolling_friction=0.2 --set interactions.0.twisting_friction=0.1 \
  --set solver.sweeps=200 --set time.end="$(awk "BEGIN{print 0.41*$end}")"
run "$CAIRN" resume rolling-chain.ckpt.nc --quiet --set time.end=$end
is "$(digest_in out)" "$reference" "rolling friction: interrupted between the steps of a pair, and resumed"

# More than 64 cells are columns, laid as bricks: the sweeps of one colour change no body twice.
fall columns --set cells.bodies=4
reference=$digest
for workers in 1 4; do
  fall columns-$workers --set cells.bodies=4 --workers $workers
  is "$digest" "$reference" "columns: $workers workers"
done
fall columns-chain --set cells.bodies=4 --set time.end="$(awk "BEGIN{print 0.4*$end}")"
run "$CAIRN" resume columns-chain.ckpt.nc --quiet --set time.end=$end
is "$(digest_in out)" "$reference" "columns: interrupted and resumed"

# The same with a task for each sweep of each cell, as large systems have it.
large() { # NAME [OPTIONS]
  local name=$1
  shift
  run "$CAIRN" run large.yaml --quiet --output "$name" --set time.end=$large_end "$@"
  digest=$(digest_in out)
}
cat >large.yaml <<'YAML'
method: contact_dynamics
time: {step: 0.01, end: 0.1}
gravity: {uniform: [1, 0.5, -9]}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], restitution: 0, friction: 0.5, rolling_friction: 0.1}]
bodies:
  - lattice: {origin: [0, 0, 0.0512], counts: [40, 36, 15], spacing: 0.1025, radius: 0.05, material: rock, jitter: 0.001}
walls: [{plane: {normal: [0, 0, 1], material: rock}}]
overlap: {limit: 1}
solver: {sweeps: 20, patience: 0}
cells: {bodies: 300}
output: {frames: 0, series: 0}
YAML
large_end=0.1
if [ -n "${CAIRN_SANITIZE:-}" ]; then large_end=0.03; fi
large tasks
exits 0 "21 600 bodies in columns"
reference=$digest
check "they touch" sh -c "ncdump -h tasks.ckpt.nc | grep -Eq 'contact = [0-9]{4,} ;'"
large tasks-one --workers 1
is "$digest" "$reference" "columns of a large system: one worker"
STARPU_SCHED=random large tasks-random
is "$digest" "$reference" "columns of a large system: scheduler random"
done_testing
