# For tests, to be sourced after tap.sh and scenario.sh: two hosts, alpha and beta, namespaces of this machine with names,
# a network and mounts of their own. They share files and cores, and see each other over a wire alone.
PATH=$PATH:/usr/sbin
hosts_address=10.213.0 # .1 and .2

# Prints why there are no hosts here; nothing if there are.
hosts_missing() {
  command -v ip >/dev/null 2>&1 || { echo "ip is not installed (apt-get install iproute2)" && return; }
  unshare --net --uts --ipc --mount true 2>/dev/null || echo "namespaces are not allowed here"
}

# on HOST COMMAND…, where HOST is alpha or beta
on() { (become "$@"); }

# The same in place of this shell.
become() { exec nsenter --target "${!1}" --net --uts --ipc --mount --wd="$PWD" "${@:2}"; }

hosts_apart() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }

# Sets alpha and beta; 1 if the machine does not allow it. A host lives as long as its first process.
hosts_start() {
  unshare --net --uts --ipc --mount sleep 1000 &
  alpha=$!
  unshare --net --uts --ipc --mount sleep 1000 &
  beta=$!
  await $alpha hosts_apart $alpha && await $beta hosts_apart $beta &&
    on alpha ip link add wire type veth peer name wire netns $beta &&
    on alpha hostname alpha && on alpha ip address add $hosts_address.1/30 dev wire &&
    on beta hostname beta && on beta ip address add $hosts_address.2/30 dev wire &&
    on alpha ip link set lo up && on alpha ip link set wire up && on beta ip link set lo up && on beta ip link set wire up
}

hosts_stop() { kill ${alpha:-} ${beta:-} 2>/dev/null; }

# Bytes that alpha has sent.
hosts_sent() { on alpha awk '$1 == "wire:" { print $10 }' /proc/net/dev; }
