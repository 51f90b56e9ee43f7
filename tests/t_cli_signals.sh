# SIGINT, SIGTERM and SIGUSR1 end the step, write a checkpoint and exit with 75; going on gives the same bits.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml
end=$seconds_long

run "$CAIRN" run pile.yaml -q --set time.end=$end --output straight
exits 0 "the run that is never interrupted"
digest=$(digest_in out)

for signal in INT TERM USR1 HUP; do
  name=stopped_$signal
  "$CAIRN" run pile.yaml --set time.end=$end --output $name >out 2>err &
  pid=$!
  await $pid test -s $name.series.nc
  sleep 0.2
  kill -s $signal $pid
  wait $pid
  code=$?
  exits 75 "SIG$signal ends the run with 75"
  like out "^stopped: .*cairn resume $name\.ckpt\.nc" "says how to go on"
  check "the checkpoint is valid" "$CAIRN" digest $name.ckpt.nc
  run "$CAIRN" run pile.yaml --set time.end=$end --output $name
  exits 2 "starting again by mistake is refused"
  like err "has not reached its end: .*cairn resume $name\.ckpt\.nc" "and says how to go on"
  run "$CAIRN" resume $name.ckpt.nc -q
  exits 0 "resume"
  is "$(digest_in out)" "$digest" "ends in the same digest"
done
is "$(values_of stopped_INT.nc coordinates | cksum)" "$(values_of straight.nc coordinates | cksum)" \
  "the trajectory is the same, frame by frame"
done_testing
