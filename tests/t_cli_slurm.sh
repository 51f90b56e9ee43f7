# A real Slurm of one node: a job whose time is too short is requeued and ends with the bits of an unbroken run, a sweep
# leaves its manifest, a cancelled job a valid checkpoint; strong and weak scaling leave their tables.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/slurm.sh"
reason=$(slurm_missing)
if [ -n "$reason" ]; then skip_all "no Slurm: $reason (apt-get install munge slurmctld slurmd slurm-client)"; fi
unset SLURM_JOB_END_TIME SLURM_JOB_ID SLURM_CPUS_PER_TASK STARPU_NCPU
export CAIRN STARPU_WORKERS_NOBIND=1
jobs=$CAIRN_SOURCE_DIR/jobs
write_scenario pile.yaml
slurm_start >reason || skip_all "Slurm does not run here: $(cat reason)"

# Slurm's limits are whole minutes, and it looks at them every half minute: a warning a minute before the end comes
# within the first half. How far the run is then depends on the machine: the second start gets a bit further and ends,
# where the file `end` says.
cat >cairn <<SH
#!/bin/bash
if [ "\$1" = resume ]; then
  until [ -e end ]; do sleep 0.1; done
  set -- "\$@" --set "time.end=\$(cat end)"
fi
exec "$CAIRN" "\$@"
SH
chmod +x cairn
submit() { sbatch --parsable --cpus-per-task=1 --output "%x_%a.log" "$@"; }
long=$(CAIRN=$scratch/cairn submit --job-name long --time 1 --signal USR1@60 "$jobs/run.sbatch" pile.yaml \
  --set time.end=1000)
ok $? "a job with a limit of a minute is submitted"
cancelled=$(submit --job-name cancelled --time 10 "$jobs/run.sbatch" pile.yaml --set time.end=1000 --output cancelled)

# Meanwhile: a sweep of four, one of which cannot run.
printf 'seed,interactions.0.friction\n1,0.1\n2,0.2\n3,0.3\n4,-1\n' >friction.csv
sweep=$(submit --job-name sweep --array 1-4 --time 10 "$jobs/sweep.sbatch" friction.csv pile.yaml)
slurm_await "$sweep" "COMPLETED FAILED" 60
ok $? "a sweep of four runs, one of which fails" || note "$(slurm_state "$sweep") $(cat sweep_*.log)"
is "$(sort friction.manifest.csv | cut -d , -f 1-4 | tr '\n' ' ')" \
  "friction_1,1,0.1,0 friction_2,2,0.2,0 friction_3,3,0.3,0 friction_4,4,-1,2 run,seed,interactions.0.friction,exit_code " \
  "the manifest has a row for each"
for row in 1 2 3; do
  is "$(sed -n "s/^friction_$row,//p" friction.manifest.csv | cut -d , -f 4)" \
    "$("$CAIRN" digest friction_$row.ckpt.nc | grep -Eo '[0-9a-f]{16,}' | head -n 1)" "run $row: with its digest"
done
run "$CAIRN" run pile.yaml -q --set seed=2 --set interactions.0.friction=0.2 --output alone
is "$(sed -n 's/^friction_2,//p' friction.manifest.csv | cut -d , -f 4)" "$(digest_in out)" "which is that of the row's run"

# Two ranks, by Slurm's own launcher.
pair=$(submit --job-name pair --ntasks 2 --time 10 "$jobs/run.sbatch" pile.yaml --output pair)
slurm_await "$pair" "COMPLETED|FAILED" 120
if grep -qsE 'without MPI|invalid MPI plugin|MPI finds' pair_*.log; then
  skip 2 "no ranks under srun: $(grep -hE 'without MPI|invalid MPI plugin|MPI finds' pair_*.log | head -n 1)"
else
  like "$(echo pair_*.log)" '^ +rank 1: 1 worker' "two tasks are two ranks"
  run "$CAIRN" run pile.yaml -q --output single
  is "$(digest_in "$(echo pair_*.log)")" "$(digest_in out)" "with the digest of one process"
fi

# The cancelled job: it has been running long enough to have something to keep.
scancel "$cancelled"
slurm_await "$cancelled" CANCELLED 30
ok $? "a job is cancelled" || note "$(slurm_state "$cancelled")"
for ((i = 0; i < 150; i++)); do [ -e cancelled.ckpt.nc ] && grep -q '^digest' cancelled_*.log && break; sleep 0.2; done
run "$CAIRN" digest cancelled.ckpt.nc
exits 0 "its checkpoint is valid"
is "$(ncdump -v step cancelled.ckpt.nc | awk '/^ *step = / { print ($3 > 0) }')" 1 "and has some steps in it"

for ((i = 0; i < 500; i++)); do grep -qs 'back into the queue' long_*.log && break; sleep 0.2; done
step=$(ncdump -v step pile.ckpt.nc | sed -n 's/^ *step = \([0-9]*\) ;/\1/p')
awk "BEGIN { print 5e-5 * ($step + 1000) }" >end.new && mv end.new end
run "$CAIRN" run pile.yaml -q --set time.end="$(cat end)" --output straight
slurm_await "$long" PENDING 10 # for two minutes after a requeue, unless the user has it otherwise
scontrol update JobId="$long" StartTime=now
slurm_await "$long" COMPLETED 60
ok $? "the job whose time was too short has reached its end" || note "$(slurm_state "$long") $(cat long_*.log)"
cat long_*.log >long.log
like long.log '^time limit: ' "it knew its limit"
like long.log 'stopped with a checkpoint: back into the queue' "stopped with a checkpoint"
like long.log '^resumed from: +pile\.ckpt\.nc' "and went on from it"
like long.log '^workers: +1 CPU' "with the workers it was granted"
is "$(digest_in long.log)" "$(digest_in out)" "with the bits of an unbroken run of $step steps and 1000 more"
is "$(slurm_state "$cancelled")" CANCELLED "the cancelled job stays cancelled"

# Series over workers, now that the node is free: these jobs take all of it.
strong=$(sbatch --parsable --cpus-per-task=2 --output strong.log "$jobs/strong.sbatch" pile.yaml --trial 0.2)
weak=$(sbatch --parsable --cpus-per-task=2 --output weak.log "$jobs/weak.sbatch" pile.yaml bodies.0.cloud.count 100 --trial 0.2)
slurm_await "$strong" "COMPLETED|FAILED" 60 && slurm_await "$weak" "COMPLETED|FAILED" 60
if grep -qs 'invalid MPI plugin' strong.log; then
  skip 2 "no srun --mpi=pmix: $(grep -h 'invalid MPI plugin' strong.log | head -n 1)"
else
  is "$(cut -d , -f 1-5 pile.strong.csv | tr '\n' ' ')" \
    "ranks,workers,n_ranks,n_workers,n_bodies 1,1,1,1,300 1,2,1,2,300 " "strong.sbatch: one worker and two" || note "$(cat strong.log)"
  is "$(cut -d , -f 1-3,5,6 pile.weak.csv | tr '\n' ' ')" \
    "ranks,workers,bodies.0.cloud.count,n_workers,n_bodies 1,1,100,1,100 1,2,200,2,200 " \
    "weak.sbatch: as many bodies for each" || note "$(cat weak.log)"
fi
slurm_stop
is "$(pgrep -f "$slurm" | wc -l)" 0 "nothing is left of Slurm"
done_testing
