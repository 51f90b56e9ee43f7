# What goes wrong among several ranks: it is said once, with an exit code, and the last checkpoint holds.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
mpi_needed
write_scenario pile.yaml

run ranks 2 "$CAIRN" run missing.yaml -q
exits 2 "a scenario that is not there"
is "$(grep -c 'missing.yaml' err)" 1 "is said once"

sed 's/seed: 7/seed: 8/' pile.yaml >other.yaml
run timeout 100 mpirun --oversubscribe --bind-to none -n 1 "$CAIRN" run pile.yaml -q : -n 1 "$CAIRN" run other.yaml -q
exits 2 "ranks with different scenarios do not start"
like err 'rank 1: the scenario differs from that of rank 0' "and say so"
is "$(ls ./*.nc 2>/dev/null | wc -l)" 0 "without a file"

run ranks 2 "$CAIRN" run pile.yaml -q --live
exits 2 "what several ranks cannot do is refused"
like err 'live needs a process of its own' "in a sentence"

# Bodies of different ranks that cannot be: the first and the last overlap, or differ too much in size.
cat >apart.yaml <<'YAML'
time: {step: 1e-5, end: 1e-4}
materials: [{name: a, density: 2500}]
interactions: [{between: [a, a], stiffness: 1e5, restitution: 0.5}]
bodies:
  - lattice: {counts: [10, 4, 4], spacing: 0.03, radius: 0.01, material: a}
  - single: {position: [0.001, 0.001, 0.001], radius: 0.005, material: a}
output: {frames: 0, series: 0}
YAML
run ranks 3 "$CAIRN" run apart.yaml -q
exits 2 "bodies of two ranks that overlap are refused"
like err 'body 160 at .* overlaps body 0 at .* of bodies.0.lattice by' "with both of them"
run ranks 3 "$CAIRN" run apart.yaml -q --set bodies.0.lattice.counts.0=2 --set bodies.0.lattice.counts.1=1 \
  --set bodies.0.lattice.counts.2=1 --set bodies.1.single.radius=1e-9
exits 2 "so are sizes that are too different"
like err 'the radii of body 2 .1e-09. and body 0 .0.01. differ' "with both of them"

# Damaged and forged checkpoints, of which each rank reads a part.
run "$CAIRN" run pile.yaml -q --set time.end=0.02 --output whole
size=$(stat -c %s whole.ckpt.nc)
n=$(ncdump -h whole.ckpt.nc | sed -n 's/.*[^_]contact = \([0-9]*\).*/\1/p')
refused() {
  run ranks 3 "$CAIRN" resume bad.ckpt.nc -q --set time.end=0.0205
  exits 2 "$2"
  is "$(grep -c 'bad.ckpt.nc' err)" 1 "is refused in one line"
  like err "bad.ckpt.nc.*$1" "with the reason"
}
forged() {
  local pattern=$1
  shift
  cp whole.ckpt.nc bad.ckpt.nc
  check "a forged checkpoint: $*" "$CAIRN_TEST_DIR/helper_forge" bad.ckpt.nc "$@"
  refused "$pattern" "it"
}
head -c $((size / 2)) whole.ckpt.nc >bad.ckpt.nc
refused . "half a checkpoint"
cp whole.ckpt.nc bad.ckpt.nc
printf 'x' | dd of=bad.ckpt.nc bs=1 seek=$((size / 2)) conv=notrunc status=none
refused . "a checkpoint with another byte"
forged 'velocity .* too large' 'velocity[3]=1e200'
forged 'out of' 'contact_a[0]=290'
forged 'out of' "contact_a[$((n - 1))]=0"
forged 'is out of range' "contact_b[$((n / 2))]=1000000"

# A signal to one rank stops them all, with a checkpoint.
ranks 2 "$CAIRN" run pile.yaml --set time.end=50 --set output.frames=0 --output stopped --log-every 0.2 >out 2>err </dev/null &
job=$!
await $job grep -q ' %' err
signal_rank() { kill "-$1" "$(pgrep -f "^$CAIRN run pile.yaml .*--output $2" | sed -n "$3p")"; }
signal_rank USR1 stopped 2
wait $job
is $? 75 "a signal to one rank stops the run"
run "$CAIRN" digest stopped.ckpt.nc
exits 0 "with a checkpoint"

# A rank that dies.
ranks 2 "$CAIRN" run pile.yaml --set time.end=50 --set output.frames=0 --set output.checkpoint=0.1 --output killed \
  --log-every 0.2 >out 2>err </dev/null &
job=$!
await $job test -e killed.ckpt.nc
signal_rank KILL killed 2
wait $job
check "a rank that is killed ends the run" test $? -ne 0
like err 'rank 1.*(signal 9|[Kk]illed)|signal 9' "with a message"
run "$CAIRN" digest killed.ckpt.nc
exits 0 "the last checkpoint is valid"
reached=$(ncdump -v time killed.ckpt.nc | sed -n 's/^ time = \([^ ;]*\).*/\1/p')
end=$(awk -v t="$reached" 'BEGIN { print t + 0.01 }')
run ranks 3 "$CAIRN" resume killed.ckpt.nc -q --set time.end="$end"
exits 0 "three ranks go on from it"
resumed=$(digest_in out)
run "$CAIRN" run pile.yaml -q --set output.frames=0 --set output.series=0 --set time.end="$end" --output straight
is "$resumed" "$(digest_in out)" "to the state of a run that never stopped"

# A rank that runs out of memory: it may not have more than it has when the first checkpoint is there, and large blocks
# are asked for one by one, so that the next of them is refused.
if [ -z "${CAIRN_SANITIZE:-}" ] && command -v prlimit >/dev/null; then
  MALLOC_MMAP_THRESHOLD_=32768 ranks 2 "$CAIRN" run pile.yaml --set bodies.0.cloud.count=8000 --set cells.bodies=2000 \
    --set bodies.0.cloud.radius.uniform.0=0.01 --set bodies.0.cloud.radius.uniform.1=0.012 --set time.end=50 \
    --set output.frames=0 --set output.checkpoint=0.1 --output starved --log-every 0.2 >out 2>err </dev/null &
  job=$!
  await $job test -e starved.ckpt.nc
  starving=$(pgrep -f "^$CAIRN run pile.yaml .*--output starved" | sed -n 2p)
  prlimit --pid "$starving" --as="$(awk '/^VmSize/ { print 1024 * $2 }' "/proc/$starving/status")"
  wait $job
  is $? 1 "a rank that runs out of memory ends the run"
  like err 'cairn: rank 1: out of memory for .*the last checkpoint holds' "with its message"
  run "$CAIRN" digest starved.ckpt.nc
  exits 0 "and a checkpoint that is valid"
else
  skip 3 "the address sanitizer works in terabytes, or there is no prlimit"
fi

# A full disk. A limit of file size would meet the shared memory of MPI first.
mkdir small
if mount -t tmpfs -o size=2m tmpfs small 2>/dev/null; then
  trap 'cd / && umount "$scratch/small"; rm -rf "$scratch"' EXIT
  run ranks 2 "$CAIRN" run pile.yaml -q --set time.end=5 --set output.frames=0.0005 --set output.checkpoint=0.05 \
    --output small/pile
  exits 3 "a full disk ends all ranks"
  is "$(grep -c 'small/pile' err)" 1 "with one message"
  run "$CAIRN" digest small/pile.ckpt.nc
  exits 0 "and a checkpoint that is intact"
else
  skip 3 "no tmpfs may be mounted here"
fi
done_testing
