# jobs/run.sbatch with stand-ins for Slurm's commands: a warning leads to exit 75 and a requeue, the next start goes on,
# with the options that still count.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
script="$CAIRN_SOURCE_DIR/jobs/run.sbatch"
write_scenario pile.yaml
mkdir bin node
# The stand-in for srun leaves its process id and its arguments behind and becomes the program, as Slurm's step would get
# the signal.
cat >bin/srun <<'SH'
#!/bin/bash
echo $$ >step.pid
echo "$STARPU_HOME" >home
echo "$*" >>srun.log
echo "${SLURM_JOB_END_TIME:-}" >end_time
while [ "${1#--}" != "$1" ]; do shift; done
exec "$@"
SH
printf '#!/bin/bash\necho "$@" >>scontrol.log\n' >bin/scontrol
cat >bin/squeue <<'SH'
#!/bin/bash
case $* in
"--noheader --job $SLURM_JOB_ID --format %e") date -d "+1 hour" +%Y-%m-%dT%H:%M:%S ;;
*"--format %T") cat state ;;
esac
SH
echo RUNNING >state
chmod +x bin/srun bin/scontrol bin/squeue
unset STARPU_HOME SLURM_TMPDIR SLURM_JOB_END_TIME
export PATH="$scratch/bin:$PATH" SLURM_SUBMIT_DIR="$scratch" SLURM_JOB_ID=4711 SLURM_CPUS_PER_TASK=2 TMPDIR="$scratch/node"
end=$seconds_long

check "the script is valid shell" bash -n "$script"
run "$CAIRN" run pile.yaml -q --set time.end=$end --output straight
digest=$(digest_in out)

NAME=job bash "$script" pile.yaml --set time.end=$end --set seed=7 --log-every 1000 >out 2>err &
pid=$!
await $pid test -s job.series.nc
sleep 0.2
kill -USR1 "$(cat step.pid)"
wait $pid
code=$?
exits 75 "a warning ends the job with 75"
is "$(cat scontrol.log)" "requeue 4711" "and puts it back into the queue"
like srun.log "^--ntasks=1 --cpus-per-task=2 .*/cairn run " "the step gets the cores of the job"
like home "^$scratch/node/starpu_" "StarPU's measurements are on the node"
is "$(ls node)" "" "and gone with the job"
is "$(($(cat end_time) > $(date +%s) + 3000))" 1 "Slurm is asked when the job ends, and cairn is told"
: >srun.log
NAME=job run bash "$script" pile.yaml --set time.end=$end --set seed=7 --log-every 1000 --workers=1
exits 0 "the next start reaches the end"
like err '^resumed from: +job\.ckpt\.nc' "from the checkpoint"
is "$(digest_in out)" "$digest" "with the same digest as a run without a break"
is "$(wc -l <scontrol.log)" 1 "and is not requeued again"
like srun.log "resume job.ckpt.nc --set time.end=$end --log-every 1000 --workers 1\$" "options still count"
like err '^workers: +1 CPU' "--workers too, which wins over the cores of the job"
like err '^run.sbatch: job.ckpt.nc goes on as it began, --set seed=7 changes nothing' "one that cannot is told"

NAME=job run bash "$script" pile.yaml
exits 0 "a finished job started again is done at once"
NAME=job run bash "$script" pile.yaml --set time.end="$(awk "BEGIN { print $end + 0.001 }")"
exits 0 "with a later end"
unlike out '^finished' "it goes further"
: >job.ckpt.nc
NAME=job run bash "$script" pile.yaml
is "$((code == 0 || code == 2))" 1 "a damaged checkpoint falls back on the one before"
like err 'job\.ckpt\.nc' "and is named"
run bash "$script" missing.yaml
is "$((code == 2 || code == 3))" 1 "a missing scenario fails"
run bash "$script" pile.yaml --nonsense
exits 2 "an unknown option is refused before anything starts"
like err "'--nonsense' is not an option" "and named"

# A task of an array has files of its own and is requeued by its own number.
rm scontrol.log
export SLURM_ARRAY_JOB_ID=4700 SLURM_ARRAY_TASK_ID=3
bash "$script" pile.yaml --set time.end=$end --set seed=%a --output sweep >out 2>err &
pid=$!
await $pid test -s sweep_3.series.nc
sleep 0.2
kill -USR1 "$(cat step.pid)"
wait $pid
code=$?
exits 75 "a task of an array is stopped"
is "$(cat scontrol.log)" "requeue 4700_3" "and requeued alone"
ncdump -h sweep_3.nc >header
like header 'seed = "3"' "%a is its number"
printf 'seed,time.end\n11,%s\n12,%s\n13,0.0001\n' "$end" "$end" >table.csv
run bash "$script" pile.yaml --table table.csv --output rows
exits 0 "a task takes its row of a table"
ncdump -h rows_3.nc >header
like header 'seed = "13"' "with its values"
done_testing
