# For tests, to be sourced after tap.sh: a Slurm that belongs to the test alone, of this machine or, after hosts.sh, of
# the hosts alpha and beta. Daemons of this user in the foreground, on ports and with a key of their own, everything else
# in $slurm, a folder that goes with the test.

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

# Its nodes, with their addresses, and what takes the place of this shell on one of them.
slurm_nodes() {
  if [ -n "${alpha:-}" ]; then
    printf 'alpha %s\nbeta %s\n' "$hosts_address.1" "$hosts_address.2"
  else
    echo "$(hostname -s) 127.0.0.1"
  fi
}
slurm_at() { # NODE COMMAND…
  if [ -n "${alpha:-}" ]; then become "$@"; else exec "${@:2}"; fi
}

slurm_configure() {
  local host address port=$((20000 + RANDOM % 10000))
  read -r host address < <(slurm_nodes)
  cat >"$slurm/slurm.conf" <<CONF
ClusterName=cairn
SlurmctldHost=$host($address)
SlurmctldPort=$port
SlurmdPort=$((port + 10000))
AuthType=auth/munge
AuthInfo=socket=$slurm/socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool_%n
TmpFS=$slurm/tmp
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd_%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd_%n.log
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
$(slurm_nodes | while read -r host address; do echo "NodeName=$host NodeAddr=$address CPUs=8 State=UNKNOWN"; done)
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

# Returns when all nodes take jobs; 1 with a reason on standard output if they never do.
slurm_start() {
  local i node first address
  read -r first address < <(slurm_nodes)
  mkdir -p "$slurm/state" "$slurm/tmp" && chmod 755 "$slurm" || return 1
  (umask 077 && head -c 128 /dev/urandom >"$slurm/key")
  munged --foreground --force --key-file "$slurm/key" --socket "$slurm/socket" --pid-file "$slurm/munged.pid" \
    --log-file "$slurm/munged.log" --seed-file "$slurm/seed" --num-threads 2 >"$slurm/munged.out" 2>&1 &
  slurm_pids=($!)
  slurm_configure
  export SLURM_CONF=$slurm/slurm.conf
  for ((i = 0; i < 50; i++)); do [ -S "$slurm/socket" ] && break; sleep 0.1; done
  slurm_at "$first" slurmctld -D -f "$SLURM_CONF" >"$slurm/slurmctld.out" 2>&1 &
  slurm_pids=($! "${slurm_pids[@]}")
  while read -r node address; do
    mkdir -p "$slurm/spool_$node" "$slurm/tmp_$node" || return 1
    # temporary files of a node are its own, though nodes share all others
    if [ -n "${alpha:-}" ]; then on "$node" mount --bind "$slurm/tmp_$node" "$slurm/tmp" || return 1; fi
    slurm_at "$node" slurmd -D -f "$SLURM_CONF" >"$slurm/slurmd_$node.out" 2>&1 &
    slurm_pids=($! "${slurm_pids[@]}")
  done < <(slurm_nodes)
  for ((i = 0; i < 100; i++)); do
    [ "$(timeout 5 sinfo --noheader --format %T 2>/dev/null | sort -u)" = idle ] && return 0
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
