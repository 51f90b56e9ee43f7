#!/usr/bin/env bash
# Hard spheres end in the same bits for any number of workers, any scheduler, any cells and any skin, and however often
# they were interrupted: a cooling gas in a box, and a drum that captures
# bodies and turns, a cloud whose bodies merge, a crowd in small cells.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"

gas_end=0.5 drum_end=0.02 planet_end=40000 crowd=12000
if [ -n "${CAIRN_SANITIZE:-}" ]; then gas_end=0.05 drum_end=0.003 planet_end=15000 crowd=4000; fi
export STARPU_WORKERS_NOBIND=1

# gas NAME [OPTIONS]: run to the end, digest in $digest.
gas() {
  local name=$1
  shift
  run "$CAIRN" run "$CAIRN_SOURCE_DIR/scenarios/granular_gas.yaml" --quiet --output "$name" --set time.end=$gas_end \
    --set time.step=0.005 --set output.frames=0 --set output.series=0 "$@"
  digest=$(digest_in out)
}

# The ramp begins at once.
drum() {
  local name=$1
  shift
  run "$CAIRN" run "$CAIRN_SOURCE_DIR/scenarios/tumbler.yaml" --quiet --output "$name" --set time.end=$drum_end \
    --set walls.0.cylinder.motion.from=0 --set bodies.0.cloud.count=1500 --set output.frames=0 --set output.series=0 "$@"
  digest=$(digest_in out)
}

# A cloud that falls together and merges.
planet() {
  local name=$1
  shift
  run "$CAIRN" run "$CAIRN_SOURCE_DIR/scenarios/planetesimals.yaml" --quiet --output "$name" --set time.end=$planet_end \
    --set bodies.0.cloud.count=400 --set output.frames=0 --set output.series=0 "$@"
  digest=$(digest_in out)
}

# Many bodies in small cells, and long steps: workers share what happens across cells.
crowd() {
  local name=$1
  shift
  run "$CAIRN" run "$CAIRN_SOURCE_DIR/scenarios/granular_gas.yaml" --quiet --output "$name" --set bodies.0.cloud.count=$crowd \
    --set bodies.0.cloud.radius=0.016 --set time.step=0.004 --set time.end=0.02 --set output.frames=0 --set output.series=0 "$@"
  digest=$(digest_in out)
}

# same WHAT NAME DESCRIPTION [OPTIONS]
same() {
  local what=$1 name=$2 description=$3
  shift 3
  "$what" "$what-$name" "$@"
  exits 0 "$what, $description: runs"
  is "$digest" "$reference" "$what, $description: same digest"
}

# Interrupted twice, each time resumed by other workers.
chain() {
  local what=$1 end=$2
  "$what" "chain-$what" --set time.end="$(awk "BEGIN{print 0.3*$end}")" --set cells.bodies=200
  exits 0 "$what: a run to an early end"
  for part in 0.6 1; do
    run "$CAIRN" resume "chain-$what.ckpt.nc" --quiet --workers 1 --set time.end="$(awk "BEGIN{print $part*$end}")"
    exits 0 "$what: resumed as far as $part of the end"
  done
  is "$(digest_in out)" "$reference" "$what: interrupted at two steps: same digest"
}
every() { if [ "$1" = planet ]; then echo 5000; else echo 0.01; fi; }

for what in gas drum planet; do
  "$what" "$what-reference"
  exits 0 "$what: two workers, the default scheduler, automatic cells"
  reference=$digest
  check "$what: the digest is one" test ${#reference} -eq 32
  same "$what" one "one worker, cells of 200 bodies" --workers 1 --set cells.bodies=200
  same "$what" four "four workers, cells of 100 bodies" --workers 4 --set cells.bodies=100
  for scheduler in eager lws; do
    STARPU_SCHED=$scheduler same "$what" "$scheduler" "scheduler $scheduler" --set cells.bodies=300
  done
  if [ "$what" = drum ]; then
    same drum skin "another skin" --set cells.skin=0.001
    chain drum "$drum_end"
  fi
  same "$what" watched "observed and written on the way" --set output.frames="$(every "$what")" --set output.series="$(every "$what")"
done
chain planet "$planet_end"
crowd crowd-reference --workers 1
exits 0 "crowd: one worker, automatic cells"
reference=$digest
for workers in 1 2 4; do
  same crowd "$workers" "$workers workers, cells of 150 bodies" --workers "$workers" --set cells.bodies=150
done
done_testing
