# A real Slurm of two nodes, each a host of its own: jobs/run.sbatch has a rank on each, with the bits of one process, goes
# on where it was stopped, and jobs/strong.sbatch measures one node and two.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/hosts.sh"
. "$CAIRN_SOURCE_DIR/tests/slurm.sh"
reason=$(slurm_missing && hosts_missing)
if [ -n "$reason" ]; then skip_all "no Slurm of two hosts: $reason"; fi
unset SLURM_JOB_END_TIME SLURM_JOB_ID SLURM_CPUS_PER_TASK STARPU_NCPU
# LeakSanitizer sees what MPI keeps to its end.
export CAIRN STARPU_WORKERS_NOBIND=1 ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0
jobs=$CAIRN_SOURCE_DIR/jobs
write_scenario pile.yaml
trap 'slurm_stop; hosts_stop; cd / && rm -rf "$scratch"' EXIT
hosts_start || skip_all "no hosts: a wire between namespaces is not allowed here"
for client in sbatch squeue sinfo scancel scontrol; do eval "$client() { on alpha $client \"\$@\"; }"; done
sinfo() { on alpha timeout 5 sinfo "$@"; }
timeout() { shift && "$@"; } # of the functions above
slurm_start >reason || skip_all "Slurm does not run here: $(cat reason)"

submit() { sbatch --parsable --nodes=2 --ntasks=2 --cpus-per-task=1 --time 10 "$@"; }
pair=$(submit --output pair.log "$jobs/run.sbatch" pile.yaml --output pair)
slurm_await "$pair" "COMPLETED|FAILED" 120
if grep -qsE 'without MPI|invalid MPI plugin|MPI finds' pair.log; then
  skip 6 "no ranks under srun: $(grep -hE 'without MPI|invalid MPI plugin|MPI finds' pair.log | head -n 1)"
else
  is "$(on alpha scontrol show job "$pair" | sed -n 's/^ *NodeList=//p')" "alpha,beta" "a job of two nodes"
  like pair.log '^ +rank 1: 1 worker' "has two ranks"
  check "that send each other messages" test "$(hosts_sent)" -gt 100000
  run "$CAIRN" run pile.yaml -q --output single
  is "$(digest_in pair.log)" "$(digest_in out)" "and the digest of one process" || note "$(tail -n 5 pair.log)"

  # Half of the run, then the same command again with a longer one.
  half=$(submit --output half.log "$jobs/run.sbatch" pile.yaml --set time.end=0.02 --output half)
  slurm_await "$half" "COMPLETED|FAILED" 120
  again=$(submit --output again.log "$jobs/run.sbatch" pile.yaml --set time.end=0.05 --output half)
  slurm_await "$again" "COMPLETED|FAILED" 120
  like again.log '^resumed from: +half\.ckpt\.nc' "a job goes on from the checkpoint of another, on two nodes"
  is "$(digest_in again.log)" "$(digest_in pair.log)" "with the same digest" || note "$(tail -n 5 again.log)"

  strong=$(sbatch --parsable --nodes=2 --cpus-per-task=1 --output strong.log "$jobs/strong.sbatch" pile.yaml --trial 0.2)
  slurm_await "$strong" "COMPLETED|FAILED" 60
  is "$(cut -d , -f 1-5 pile.strong.csv | tr '\n' ' ')" \
    "ranks,workers,n_ranks,n_workers,n_bodies 1,1,1,1,300 2,1,2,2,300 " "strong.sbatch: one node and two" || note "$(cat strong.log)"
fi
slurm_stop
is "$(pgrep -f "$slurm" | wc -l)" 0 "nothing is left of Slurm"
done_testing
