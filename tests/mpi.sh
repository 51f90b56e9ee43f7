# For tests, to be sourced after tap.sh: several ranks on this machine, one worker each.
export STARPU_NCPU=1 STARPU_WORKERS_NOBIND=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

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
