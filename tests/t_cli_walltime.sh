# A run stops by itself before its time is over, with a checkpoint and exit code 75: --walltime, SLURM_JOB_END_TIME.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
unset SLURM_JOB_END_TIME
write_scenario pile.yaml
# Far longer than the time granted; the few steps of every start are then gone on with.
long=100

limited() { # SECONDS OPTIONS…: how long the run took is in $took, in seconds
  local begin=$(date +%s)
  run "$@"
  took=$(($(date +%s) - begin))
}

limited "$CAIRN" run pile.yaml --set time.end=$long --walltime 8
exits 75 "--walltime ends the run"
like out '^stopped: +by the end of its time; continue with: cairn resume pile.ckpt.nc' "with a reason"
# 5 s are left for files and requeue; a busy machine may be late, but not by more than what is left.
is "$((took <= 8))" 1 "in time ($took s)"
check "the checkpoint is valid" "$CAIRN" digest pile.ckpt.nc
step() { ncdump -v step "$1" | sed -n 's/^ *step = \([0-9]*\) ;/\1/p'; }
first=$(step pile.ckpt.nc)
is "$((first > 0))" 1 "after $first steps"

SLURM_JOB_END_TIME=$(($(date +%s) + 8)) limited "$CAIRN" resume pile.ckpt.nc
exits 75 "the end of a Slurm job ends the run"
is "$((took <= 8))" 1 "in time ($took s)"
second=$(step pile.ckpt.nc)
is "$((second > first))" 1 "at step $second"
SLURM_JOB_END_TIME=$(($(date +%s) + 2)) limited timeout 60 "$CAIRN" resume pile.ckpt.nc
exits 75 "a limit too short for anything"
third=$(step pile.ckpt.nc)
is "$((third > second))" 1 "still gets some steps further"

# Cut into three, the bits are those of one run.
end=$(awk "BEGIN { print 5e-5 * ($third + 50) }")
run "$CAIRN" run pile.yaml -q --set time.end="$end" --output whole
whole=$(digest_in out)
run "$CAIRN" resume pile.ckpt.nc -q --set time.end="$end"
exits 0 "the run is gone on with"
is "$(digest_in out)" "$whole" "with the bits of a run without a break"

SLURM_JOB_END_TIME=1000 run "$CAIRN" run pile.yaml -q -f --output past
exits 0 "the end of a job of the past is no limit"
SLURM_JOB_END_TIME=tomorrow run "$CAIRN" run pile.yaml -q -f --output word
exits 2 "a word is no time"
like err "SLURM_JOB_END_TIME is 'tomorrow', expected seconds since 1970" "and is named"
run "$CAIRN" run pile.yaml --walltime -3
exits 2 "nor is a negative number"
done_testing
