# Checkpoints with a valid seal and digest, but with numbers that no run can compute with, are refused with exit 2 by
# every command that reads them; a run that comes to such numbers ends with exit 1 and a checkpoint that can be read.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml
run "$CAIRN" run pile.yaml -q
exits 0 "a run that leaves a checkpoint"

# refused PATTERN EDIT…: a checkpoint with these edits. What hangs is killed: it would not hear a milder signal.
refused() {
  local pattern=$1 command
  shift
  cp pile.ckpt.nc forged.ckpt.nc
  check "a forged checkpoint: $*" "$CAIRN_TEST_DIR/helper_forge" forged.ckpt.nc "$@"
  for command in digest "resume --set time.end=0.0505"; do
    # shellcheck disable=SC2086
    run timeout -s KILL 100 "$CAIRN" $command forged.ckpt.nc
    exits 2 "$1: refused by ${command%% *}"
    like err "forged.ckpt.nc.*$pattern" "with a reason"
  done
}

refused 'body 0: position .* too large' 'position[0]=1.7e308' 'position[3]=-1.7e308'
refused 'body 0 at .* too far from the origin' 'position[0]=1e20'
refused 'body 1: velocity .* too large' 'velocity[3]=1e200'
refused 'body 0: spin .* too large' 'spin[0]=1e155'
refused 'body 0: radius 1e-300 is out of range' 'radius[0]=1e-300'
refused 'body 0: mass 1e\+300 is out of range' 'mass[0]=1e300'
refused 'contact 0: its spring,.* too large' 'contact_spring[0]=1e300'
refused 'wall contact 0: its spring,.* too large' 'wall_contact_spring[1]=1e300'
refused 'contact 0: its age' 'contact_age[0]=4294967295'
refused 'assembly 1: spin .* too large' 'assembly_spin[4]=1e155'
refused 'impossible size of a step: 1e-300' 'step_size=1e-300'
refused 'the time is 0.05 s, but 1000 steps of 1e-20 s' 'step_size=1e-20'
refused 'impossible step 9223372036854775807' 'step=9223372036854775807'
refused 'self-gravity .* 9223372036854775807 times' 'n_refreshes=9223372036854775807'
refused 'self-gravity .* step 9223372036854775807' 'refresh_step=9223372036854775807'
refused 'unsolved steps, 9223372036854775807' 'n_unsolved=9223372036854775807'
refused 'frames, 9223372036854775807' 'n_frames=9223372036854775807'

# Within the bounds, but wild: a run ends by itself, well or with 1, and leaves a checkpoint that can be read.
survived() {
  cp pile.ckpt.nc wild.ckpt.nc
  check "a wild checkpoint: $*" "$CAIRN_TEST_DIR/helper_forge" wild.ckpt.nc "$@"
  rm -f wild.nc wild.series.nc
  run timeout -s KILL 200 "$CAIRN" resume wild.ckpt.nc -q --set time.end=0.0505
  is "$((code == 0 || code == 1))" 1 "$1: ends with 0 or 1, here $code"
  run "$CAIRN" digest wild.ckpt.nc
  exits 0 "and its checkpoint can be read"
}
survived 'contact_spring[0]=9e99' 'contact_spring[1]=-9e99'
survived 'wall_contact_spring[0]=9e99'
survived 'spin[0]=9e79' 'spin[1]=9e79'
survived 'velocity[0]=9e79'
survived 'acceleration[0]=-9e79'
survived 'mass[1]=1e60'
survived 'contact_age[0]=2147483647'
survived 'skin=1e25'

# The floor falls faster and faster out of the world: the second step still has it within bounds, the third does not.
write_scenario floor.yaml
sed -i 's/plane: {normal: \[0, 0, 1\], material: rock}/plane: {normal: [0, 0, 1], material: rock, motion: {velocity: [0, 0, -9e28]}}/' \
  floor.yaml
run timeout -s KILL 200 "$CAIRN" run floor.yaml -q
exits 1 "a wall beyond all bounds ends the run"
like err 'step 3 \(t = 0.00015 s\): .* assembly .* beyond all bounds; the state of the step before is kept' "at its step"
run "$CAIRN" digest floor.ckpt.nc
exits 0 "the last good state is there"
is "$(ncdump -v step floor.ckpt.nc | sed -n 's/^ step = \([0-9]*\) ;/\1/p')" 2 "that of the step before"

# A run shorter than the automatic step can be resumed; one of no length is refused.
sed 's/^  step: 5e-5$/  step: auto/' pile.yaml >short.yaml
run "$CAIRN" run short.yaml -q --set time.end=1e-9
exits 0 "a run that is shorter than the automatic step"
run "$CAIRN" resume short.ckpt.nc -q
exits 0 "is found finished"
run "$CAIRN" resume short.ckpt.nc -q --set time.end=3e-9
exits 0 "and goes on"
for end in 5e-324 1e-300 1e300; do
  run timeout -s KILL 100 "$CAIRN" run short.yaml -q --set time.end=$end
  exits 2 "a run of $end s is refused"
  like err "time.end=$end: found $end; allowed" "with a reason"
done
done_testing
