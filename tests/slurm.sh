# For tests, to be sourced after tap.sh: a Slurm of one node that belongs to the test alone. Daemons of this user in the
# foreground, on ports and with a key of their own, everything else in $slurm, a folder that goes with the test.

PATH=$PATH:/usr/sbin # daemons

# Prints why there is no Slurm here; nothing if there is.
slurm_missing() {
  local program
  for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null 2>&1 || { echo "$program is not installed" && return; }
  done
}

# The path of a socket has at most 107 bytes.
slurm=$scratch/slurm
if [ ${#slurm} -gt 80 ]; then slurm=$(mktemp -d /tmp/slurm_XXXXXX); fi
slurm_pids=()

slurm_configure() {
  local host port=$((20000 + RANDOM % 10000))
  host=$(hostname -s)
  cat >"$slurm/slurm.conf" <<CONF
ClusterName=cairn
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 10000))
AuthType=auth/munge
AuthInfo=socket=$slurm/socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=1
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
ReturnToService=2
KillWait=20
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

# Returns when the node takes jobs; 1 with a reason on standard output if it never does.
slurm_start() {
  local i
  mkdir -p "$slurm/state" "$slurm/spool" && chmod 755 "$slurm" || return 1
  (umask 077 && head -c 128 /dev/urandom >"$slurm/key")
  munged --foreground --force --key-file "$slurm/key" --socket "$slurm/socket" --pid-file "$slurm/munged.pid" \
    --log-file "$slurm/munged.log" --seed-file "$slurm/seed" --num-threads 2 >"$slurm/munged.out" 2>&1 &
  slurm_pids=($!)
  slurm_configure
  export SLURM_CONF=$slurm/slurm.conf
  for ((i = 0; i < 50; i++)); do [ -S "$slurm/socket" ] && break; sleep 0.1; done
  slurmctld -D -f "$SLURM_CONF" >"$slurm/slurmctld.out" 2>&1 &
  slurm_pids=($! "${slurm_pids[@]}")
  slurmd -D -f "$SLURM_CONF" >"$slurm/slurmd.out" 2>&1 &
  slurm_pids=($! "${slurm_pids[@]}")
  for ((i = 0; i < 100; i++)); do
    case $(timeout 5 sinfo --noheader --format %T 2>/dev/null) in idle*) return 0 ;; esac
    sleep 0.2
  done
  echo "the daemons do not come up: $(tail -n 1 "$slurm/slurmctld.log" 2>/dev/null)"
  return 1
}

# State of a job, "" once Slurm has forgotten it.
slurm_state() { squeue --noheader --states all --job "$1" --format %T 2>/dev/null; }

# slurm_await JOB PATTERN SECONDS: until the state matches; 1 if it takes longer.
slurm_await() {
  local i
  for ((i = 0; i < 5 * $3; i++)); do
    [[ $(slurm_state "$1" | sort -u | tr '\n' ' ') =~ ^($2)\ $ ]] && return 0
    sleep 0.2
  done
  return 1
}

# Cancel what still runs and end the daemons, the newest first.
slurm_stop() {
  local i pid
  if [ ${#slurm_pids[@]} -gt 2 ]; then
    timeout 5 scancel --user "$(id -un)" >/dev/null 2>&1
    for ((i = 0; i < 100; i++)); do
      [ -z "$(timeout 5 squeue --noheader 2>/dev/null)" ] && break
      sleep 0.2
    done
  fi
  for pid in ${slurm_pids[@]+"${slurm_pids[@]}"}; do
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
  slurm_pids=()
  rm -rf "$slurm"
}
trap 'slurm_stop; cd / && rm -rf "$scratch"' EXIT
