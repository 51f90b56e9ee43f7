# Ranks on two hosts that share nothing but a network: two network namespaces of this machine with a wire between them,
# each with a host name of its own, so that MPI sends over TCP. The bits are those of one process, and a rank that dies
# on the other host ends the run.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
PATH=$PATH:/usr/sbin
mpi_needed
command -v ip >/dev/null 2>&1 || skip_all "no hosts: ip is not installed (apt-get install iproute2)"
unshare --net --uts --ipc true 2>/dev/null || skip_all "no hosts: namespaces are not allowed here"

# A host lives as long as its first process.
unshare --net --uts --ipc sleep 1000 &
alpha=$!
unshare --net --uts --ipc sleep 1000 &
beta=$!
trap 'kill $alpha $beta; cd / && rm -rf "$scratch"' EXIT
on() { # HOST COMMAND…
  local pid=$1
  shift
  nsenter --target "$pid" --net --uts --ipc "$@"
}
own_host() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
await $alpha own_host $alpha
await $beta own_host $beta
on $alpha ip link add wire type veth peer name wire netns $beta &&
  on $alpha hostname alpha && on $alpha ip address add 10.213.0.1/30 dev wire &&
  on $beta hostname beta && on $beta ip address add 10.213.0.2/30 dev wire &&
  on $alpha ip link set lo up && on $alpha ip link set wire up &&
  on $beta ip link set lo up && on $beta ip link set wire up || skip_all "no hosts: a wire between namespaces is not allowed here"

# What mpirun calls to start something on the other host, with its address as the first argument.
cat >remote_shell <<SH
#!/bin/sh
shift
exec nsenter --target $beta --net --uts --ipc sh -c "\$*"
SH
chmod +x remote_shell
hosts() { # COMMAND…: one rank on each host
  on $alpha timeout 600 mpirun --mca plm_rsh_agent "$scratch/remote_shell" --mca btl self,tcp --bind-to none \
    -H 10.213.0.1,10.213.0.2 -n 2 "$@"
}
sent() { on $alpha awk '$1 == "wire:" { print $10 }' /proc/net/dev; }

run hosts hostname
is "$(sort out | tr '\n' ' ')" "alpha beta " "a rank on each of two hosts"

write_scenario soft.yaml
sed -e 's/^title/method: contact_dynamics\n&/' -e 's/step: 5e-5/step: 1e-3/' -e 's/stiffness: 1e5, restitution: 0.5/restitution: 0/' \
  soft.yaml >rigid.yaml
sed -e 's/^title/method: hard_spheres\n&/' -e 's/step: 5e-5/step: 1e-3/' -e 's/stiffness: 1e5, //; s/, friction.*}/}/' soft.yaml >hard.yaml
sed 's/^  uniform: .*/  self: {constant: 1e-5}/' soft.yaml >heavy.yaml
for name in soft rigid hard heavy; do
  run "$CAIRN" run $name.yaml -q --output $name
  one=$(digest_in out)
  check "$name: a digest" test -n "$one"
  before=$(sent)
  run hosts "$CAIRN" run "$scratch/$name.yaml" -q --output "$scratch/${name}_hosts"
  exits 0 "$name: runs on two hosts" || note "$(tail -n 5 err)"
  is "$(digest_in out)" "$one" "$name: with the digest of one process"
  check "$name: and the same series" same $name.series.nc ${name}_hosts.series.nc
  check "$name: by messages over the wire" test $(($(sent) - before)) -gt 100000
done

# A checkpoint of two hosts goes on with one process, and the other way round.
run hosts "$CAIRN" run "$scratch/soft.yaml" -q --output "$scratch/half" --set time.end=0.02
run "$CAIRN" resume half.ckpt.nc -q --set time.end=0.05
is "$(digest_in out)" "$("$CAIRN" digest soft.ckpt.nc | cut -d ' ' -f 2)" "resumed with one process: the same digest"

# A rank dies on the other host.
hosts "$CAIRN" run "$scratch/soft.yaml" --set time.end=50 --set output.frames=0 --set output.checkpoint=0.1 \
  --output "$scratch/killed" --log-every 0.2 >out 2>err </dev/null &
job=$!
await $job test -s killed.ckpt.nc
kill -KILL "$(pgrep --ns $beta --nslist net -f "^$CAIRN run .*killed")"
wait $job
check "a rank that dies on the other host ends the run" test $? -ne 0
like err 'on node 10.213.0.2 exited on signal 9' "and mpirun says where"
run "$CAIRN" digest killed.ckpt.nc
exits 0 "the last checkpoint holds"
done_testing
