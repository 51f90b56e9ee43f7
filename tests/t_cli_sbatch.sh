# jobs/run.sbatch with stand-ins for Slurm's commands: a warning leads to exit 75 and a requeue, the next start goes on.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
script="$CAIRN_SOURCE_DIR/jobs/run.sbatch"
write_scenario pile.yaml
mkdir bin
# The stand-in for srun leaves its process id behind and becomes the program, as Slurm's step would get the signal.
printf '#!/bin/bash\necho $$ >step.pid\nshift\nexec "$@"\n' >bin/srun
printf '#!/bin/bash\necho "$@" >>scontrol.log\n' >bin/scontrol
chmod +x bin/srun bin/scontrol
export PATH="$scratch/bin:$PATH" SLURM_SUBMIT_DIR="$scratch" SLURM_JOB_ID=4711 SLURM_CPUS_PER_TASK=2
end=$seconds_long

check "the script is valid shell" bash -n "$script"
run "$CAIRN" run pile.yaml -q --set time.end=$end --output straight
digest=$(digest_in out)

NAME=job bash "$script" pile.yaml --set time.end=$end >out 2>err &
pid=$!
await $pid test -s job.series.nc
sleep 0.2
kill -USR1 "$(cat step.pid)"
wait $pid
code=$?
exits 75 "a warning ends the job with 75"
is "$(cat scontrol.log)" "requeue 4711" "and puts it back into the queue"
NAME=job run bash "$script" pile.yaml --set time.end=$end
exits 0 "the next start reaches the end"
like err '^resumed from: +job\.ckpt\.nc' "from the checkpoint"
is "$(digest_in out)" "$digest" "with the same digest as a run without a break"
is "$(wc -l <scontrol.log)" 1 "and is not requeued again"

NAME=job run bash "$script" pile.yaml
exits 0 "a finished job started again is done at once"
: >job.ckpt.nc
NAME=job run bash "$script" pile.yaml
is "$((code == 0 || code == 2))" 1 "a damaged checkpoint falls back on the one before"
like err 'job\.ckpt\.nc' "and is named"
run bash "$script" missing.yaml
is "$((code == 2 || code == 3))" 1 "a missing scenario fails"
done_testing
