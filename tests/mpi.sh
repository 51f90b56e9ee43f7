# For tests, to be sourced after tap.sh: several ranks on this machine, one worker each.
export STARPU_NCPU=1 STARPU_WORKERS_NOBIND=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# LeakSanitizer sees what MPI keeps to its end.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0

# Prints why there are no ranks here; nothing if there are.
mpi_missing() {
  command -v mpirun >/dev/null 2>&1 || { echo "mpirun is not installed" && return; }
  ranks 2 "$CAIRN" run missing.yaml >mpi_reason 2>&1
  if grep -q 'without MPI' mpi_reason; then echo "cairn was built without it"; fi
  if ! grep -q 'missing.yaml' mpi_reason; then echo "mpirun does not start here: $(tail -n 3 mpi_reason)"; fi
}

# ranks N COMMAND…: N processes, however few cores there are, in each other's sight by shared memory alone.
ranks() {
  local n=$1
  shift
  timeout 600 mpirun --oversubscribe --bind-to none --mca btl self,vader --mca btl_vader_single_copy_mechanism none \
    -n "$n" "$@"
}

# Leaves the test with a reason where there are no ranks.
mpi_needed() {
  local reason
  reason=$(mpi_missing)
  if [ -n "$reason" ]; then skip_all "no ranks: $reason (apt-get install openmpi-bin libopenmpi-dev)"; fi
}

# same FILE FILE: do two files hold the same data, whatever the name of their run and the division of its work?
data_of() {
  ncdump -p 9,17 "$1" | sed '1,/^data:/d; /^ *" *name: /d' | awk 'BEGIN { RS = ";" } !/largest_island|n_windows/'
}
same() { test -s "$1" && test -s "$2" && cmp -s <(data_of "$1") <(data_of "$2"); }

# alike NAME WHAT [OPTION…]: NAME.yaml on three ranks, with these options, ends in the digest and series of one process.
alike() {
  local one name=$1 what=$2
  shift 2
  run "$CAIRN" run "$name.yaml" -q --output "$name"
  one=$(digest_in out)
  check "$what: a digest" test -n "$one"
  run ranks 3 "$CAIRN" run "$name.yaml" -q --output "${name}_3" "$@"
  is "$(digest_in out)" "$one" "$what: three ranks, the same"
  check "$what: and the same series" same "$name.series.nc" "${name}_3.series.nc"
}

# zoo_walls FREQUENCY: walls of every behavior, a floor that shakes, and a ball that the bodies move; the list of
# assemblies goes on.
zoo_walls() {
  cat <<YAML
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: bead,
            motion: {oscillation: {amplitude: [0.001, 0, 0.002], frequency: $1, phase: 1}}}
  - plane: {name: west, point: [-0.1, 0, 0], normal: [1, 0, 0], material: bead, behavior: absorbing}
  - plane: {name: east, point: [0.1, 0, 0], normal: [-1, 0, 0], material: bead, behavior: sticky}
  - plane: {name: south, point: [0, -0.1, 0], normal: [0, 1, 0], material: bead}
  - plane: {name: north, point: [0, 0.1, 0], normal: [0, -1, 0], material: bead, behavior: frictionless}
assemblies:
  - name: ball
    center: [0, 0, 0.06]
    mass: 0.05
    inertia: [1e-5, 1e-5, 1e-5]
    free: [x, y, z, turn_x, turn_y, turn_z]
    walls:
      - sphere: {name: shell, center: [0, 0, 0.06], radius: 0.02, material: bead}
YAML
}
