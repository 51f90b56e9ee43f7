# The recipes of packaging/ name what the build needs, and are what their tools read as far as that can be seen here.
. "$(dirname "$0")/tap/tap.sh"
cd "$CAIRN_SOURCE_DIR" || exit 1
modules=$(sed -n "s/^module \([^ ]*\) .*/\1/p" dev)
is "$((${#modules} > 0))" 1 "./dev lists the libraries"
for package in $(sed -n "/^needs_build=/,/^'/s/^module [^ ]* //p" dev); do
  # a container builds its own StarPU
  if [ "$package" = libstarpu-dev ]; then package=starpu; fi
  check "cairn.def installs $package" grep -qw -- "$package" packaging/cairn.def
done
for package in starpu hwloc netcdf-c hdf5 libyaml xxhash libpng opencl mpi; do
  check "the Spack recipe depends on $package" grep -q "depends_on(\"$package[\"@]" packaging/spack/cairn/package.py
done
check "it is Python" "${CAIRN_PYTHON:-python3}" -c "compile(open('packaging/spack/cairn/package.py').read(), 'p', 'exec')"
for option in $(grep -oE 'CAIRN_[A-Z]+' packaging/spack/cairn/package.py packaging/cairn.def -h | sort -u); do
  check "CMake has the option $option" grep -qE "^option\($option " CMakeLists.txt
done
sed -n '/^%post/,/^%runscript/p' packaging/cairn.def | sed '1d;$d' >"$scratch/post"
check "the container's script is valid shell" bash -n "$scratch/post"
for script in jobs/*.sbatch; do
  check "$script is valid shell" bash -n "$script"
  check "and has places for account and partition" grep -q '^##SBATCH --account=ACCOUNT' "$script"
done
# The module file with stand-ins for the commands of Environment Modules.
if command -v tclsh >/dev/null 2>&1; then
  for word in module-whatis conflict prepend-path setenv; do echo "proc $word args {puts \"$word \$args\"}"; done >"$scratch/m.tcl"
  cat packaging/cairn.module >>"$scratch/m.tcl"
  tclsh "$scratch/m.tcl" >"$scratch/out" 2>&1
  like "$scratch/out" '^prepend-path PATH /opt/cairn/bin$' "the module file is read"
else
  skip 1 "no tclsh"
fi
done_testing
