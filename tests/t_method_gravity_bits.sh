# Bodies that pull on each other, while a planet passes and something spins them up, end in the same bits for any number
# of workers and any scheduler, interrupted or not, with both methods. More of them than a branch of gravity's tree
# holds, in several cells.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"

cat >ball.yaml <<'YAML'
seed: 2
time: {step: 0.5, end: 30}
gravity:
  self: {accuracy: 1e-2, constant: 1e-8}
  central: {mass: 1e9, position: [100, 20, 0], velocity: [-3, 1, 0]}
spin_up:
  - increments: {spin: [0, 0, 1e-3], from: 3.5, every: 2.5}
  - torque: {moment: [0, 1000, 0]}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], stiffness: 5e3, restitution: 0.2, tangential_restitution: 1, friction: 0.5}]
bodies:
  - lattice: {in: {sphere: {center: [0, 0, 0], radius: 17}}, spacing: 2.02, radius: {uniform: [0.95, 1]}, material: rock}
solver: {sweeps: 20}
cells: {bodies: 500}
output: {frames: 0, series: 0}
YAML
steps=60
if [ -n "${CAIRN_SANITIZE:-}" ]; then steps=20; fi
# More workers than cores must not wait for each other's time slice.
export STARPU_WORKERS_NOBIND=1

# fall NAME STEPS [OPTIONS]: so many steps, an even number, digest in $digest.
fall() {
  local name=$1 end=$(($2 / 2))
  shift 2
  run "$CAIRN" run ball.yaml --output "$name" --set method=$method --set time.end=$end "$@"
  digest=$(digest_in out)
}

for method in soft_spheres contact_dynamics; do
  fall $method $steps
  exits 0 "$method: two workers"
  reference=$digest
  check "$method: the digest is one" test ${#reference} -eq 32
  found=$(sed -n 's/^self-gravity: *evaluated \([0-9]*\) times.*/\1/p' out)
  check "$method: gravity is found $found times in $steps steps" test "$found" -gt 2 -a "$found" -lt $steps
  contacts=$(ncdump -h $method.ckpt.nc | sed -n 's/^[[:space:]]*contact = \([0-9]*\) ;.*/\1/p')
  [ -n "${CAIRN_SANITIZE:-}" ] || check "$method: bodies touch: $contacts contacts" test "$contacts" -gt 500
  for workers in 1 3; do
    fall $method-$workers $steps --workers $workers
    is "$digest" "$reference" "$method: $workers workers"
  done
  for scheduler in eager dmda random; do
    STARPU_SCHED=$scheduler fall $method-$scheduler $steps
    is "$digest" "$reference" "$method: scheduler $scheduler"
  done
  for part in 14 16; do
    fall $method-chain $part --overwrite
    check "$method: an early end is another state" test "$digest" != "$reference"
    run "$CAIRN" resume $method-chain.ckpt.nc --workers 1 --set time.end=$((steps / 2))
    is "$(digest_in out)" "$reference" "$method: interrupted after $part steps and resumed"
  done
done
done_testing
