# The collapse of 5000 bodies ends in the same bits for any number of workers, any scheduler, any cells, and however
# often it was interrupted.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"

# In ten times the gravity of the scenario the column has fallen into itself by then.
end=0.1
if [ -n "${CAIRN_SANITIZE:-}" ]; then end=0.02; fi
# More workers than cores must not wait for each other's time slice.
export STARPU_WORKERS_NOBIND=1

# collapse NAME [OPTIONS]: run to the end, digest in $digest.
collapse() {
  local name=$1
  shift
  run "$CAIRN" run "$CAIRN_SOURCE_DIR/scenarios/collapse.yaml" --quiet --output "$name" --set time.end=$end \
    --set 'gravity.uniform=[0, 0, -98.1]' --set output.frames=0 --set output.series=0 "$@"
  digest=$(digest_in out)
}

# same NAME DESCRIPTION [OPTIONS]
same() {
  local name=$1 description=$2
  shift 2
  collapse "$name" "$@"
  exits 0 "$description: runs"
  is "$digest" "$reference" "$description: same digest"
}

collapse reference
exits 0 "the reference: two workers, the default scheduler, automatic cells"
reference=$digest
check "the digest is one" test ${#reference} -eq 32
contacts=$(ncdump -h reference.ckpt.nc | sed -n 's/^[[:space:]]*contact = \([0-9]*\) ;.*/\1/p')
[ -n "${CAIRN_SANITIZE:-}" ] || check "thousands of bodies touch: $contacts contacts" test "$contacts" -gt 2000

same one "one worker" --workers 1
same four "four workers" --workers 4
for scheduler in eager lws dmda random; do
  STARPU_SCHED=$scheduler same "$scheduler" "scheduler $scheduler"
done
same small "cells of 200 bodies" --set cells.bodies=200
same large "one cell" --set cells.bodies=10000
same skin "another skin" --set cells.skin=0.01 --workers 1
same watched "observed and written on the way" --set output.frames=0.01 --set output.series=0.001

# Interrupted three times, each time resumed by other workers.
collapse chain --set time.end="$(awk "BEGIN{print 0.23*$end}")"
exits 0 "a run to an early end"
isnt_end=$digest
check "which is not the end" test "$isnt_end" != "$reference"
for part in 0.5 0.777 1; do
  run "$CAIRN" resume chain.ckpt.nc --quiet --workers 2 --set time.end="$(awk "BEGIN{print $part*$end}")"
  exits 0 "resumed as far as $part of the end"
done
is "$(digest_in out)" "$reference" "interrupted at three steps: same digest"

# Stopped by a signal at whatever step it is in after a third of the way: before the first contacts there would be
# nothing to lose.
"$CAIRN" run "$CAIRN_SOURCE_DIR/scenarios/collapse.yaml" --output stopped --workers 1 --log-every 0.05 \
  --set time.end=$end --set 'gravity.uniform=[0, 0, -98.1]' --set output.frames=0 --set output.series=0.0001 >out 2>err &
pid=$!
await $pid third_done err
kill -s TERM $pid
wait $pid
code=$?
exits 75 "stopped by SIGTERM"
run "$CAIRN" resume stopped.ckpt.nc --quiet --workers 4
exits 0 "resumed by other workers"
is "$(digest_in out)" "$reference" "stopped and resumed: same digest"
done_testing
