# Ranks on two hosts, which MPI connects over TCP. The bits are those of one process, and a rank that dies on the other
# host ends the run.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
. "$CAIRN_SOURCE_DIR/tests/hosts.sh"
mpi_needed
reason=$(hosts_missing)
if [ -n "$reason" ]; then skip_all "no hosts: $reason"; fi
trap 'hosts_stop; cd / && rm -rf "$scratch"' EXIT
hosts_start || skip_all "no hosts: a wire between namespaces is not allowed here"

# What mpirun calls to start something on the other host, with its address as the first argument.
cat >remote_shell <<SH
#!/bin/sh
shift
exec nsenter --target $beta --net --uts --ipc --mount --wd="$scratch" sh -c "\$*"
SH
chmod +x remote_shell
hosts() { # COMMAND…: one rank on each host
  on alpha timeout 600 mpirun --mca plm_rsh_agent "$scratch/remote_shell" --mca btl self,tcp --bind-to none \
    -H $hosts_address.1,$hosts_address.2 -n 2 "$@"
}

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
  before=$(hosts_sent)
  run hosts "$CAIRN" run "$scratch/$name.yaml" -q --output "$scratch/${name}_hosts"
  exits 0 "$name: runs on two hosts" || note "$(tail -n 5 err)"
  is "$(digest_in out)" "$one" "$name: with the digest of one process"
  check "$name: and the same series" same $name.series.nc ${name}_hosts.series.nc
  check "$name: by messages over the wire" test $(($(hosts_sent) - before)) -gt 100000
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
like err "on node $hosts_address.2 exited on signal 9" "and mpirun says where"
run "$CAIRN" digest killed.ckpt.nc
exits 0 "the last checkpoint holds"
done_testing
