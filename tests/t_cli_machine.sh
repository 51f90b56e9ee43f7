# The machine as it is: variables that StarPU cannot read, homes that cannot be written, CPU masks, more workers than
# StarPU was built for, OpenCL drivers that abort. A sentence instead of a backtrace, and the run goes on where it can.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml
unset STARPU_NCPU STARPU_NOPENCL STARPU_NCUDA STARPU_WORKERS_NOBIND

# refused VARIABLE VALUE: `cairn info` says in one line which variable it is.
refused() {
  run env "$1=$2" "$CAIRN" info --device cpu
  exits 2 "$1='$2' is refused"
  is "$(wc -l <err)" 1 "in one line"
  like err "$1 is '?$2" "that names it"
}
refused STARPU_NCPU abc
refused STARPU_NCPU -5
refused STARPU_NCPU 2x
refused STARPU_NCPU 99999999999999999999
refused STARPU_NCPUS x
refused STARPU_NOPENCL x
refused STARPU_NCUDA x
refused STARPU_CALIBRATE x
refused STARPU_WORKERS_NOBIND yes
refused STARPU_WORKERS_CPUID abc
refused STARPU_WORKERS_CPUID 0,-1
refused STARPU_WORKERS_COREID ''
refused STARPU_NTHREADS_PER_CORE 1000
refused STARPU_NTHREADS_PER_CORE 0
refused STARPU_MAIN_THREAD_CPUID 100000
refused STARPU_SCHED nonsense
refused STARPU_SCHED_ALPHA x
refused STARPU_HWLOC_INPUT /dev/null
refused STARPU_HOSTNAME a/b
refused STARPU_HOME /dev/null/x
refused STARPU_PERF_MODEL_DIR /dev/null/x
run env STARPU_NCPU=0 "$CAIRN" info
exits 2 "no worker at all is refused"
like err STARPU_NCPU "and the variable named"
for command in check run; do
  run env STARPU_NCPU=abc "$CAIRN" $command pile.yaml
  exits 2 "$command: the same"
  like err '^STARPU_NCPU is' "in the words of info"
done

# A home that cannot be written, by root neither.
mkdir tmp
lost() { env -u STARPU_HOME -u STARPU_PERF_MODEL_DIR -u XDG_CACHE_HOME HOME=/dev/null TMPDIR="$scratch/tmp" "$@"; }
run lost "$CAIRN" info
exits 0 "a home that cannot be written"
like out '^note: .*STARPU_HOME' "is told, with what to do"
is "$(ls tmp)" "" "and the folder in its place is gone"
run lost env XDG_CACHE_HOME="$scratch/cache" "$CAIRN" info
exits 0 "XDG_CACHE_HOME helps"
unlike out '^note: .*STARPU_HOME' "without a word"
check "it is used" test -d cache/.starpu/sampling
run lost env STARPU_HOME="$scratch/own" XDG_CACHE_HOME=/dev/null "$CAIRN" info
exits 0 "STARPU_HOME helps, whatever XDG_CACHE_HOME is"
check "it is used" test -d own/.starpu/sampling

# What the user has set, not what cairn tells StarPU.
run "$CAIRN" info --workers 2
like out '^environment: +STARPU_HOME=|^environment: +STARPU_' "the variables of the user are listed"
unlike out 'STARPU_(NCPU|WORKERS_GETBIND|WORKERS_NOBIND)=' "--workers is not one of them"
run env -u STARPU_SILENT "$CAIRN" run pile.yaml -q --workers 2 --set time.end=0.001 --output told
exits 0 "a run"
ncdump -h told.nc >header
like header 'starpu_environment = ' "its files list them too"
unlike header 'STARPU_(SILENT|NCPU)=' "without what --quiet and --workers mean"

# More workers than there are cores, or than StarPU was built for.
run "$CAIRN" info --workers 64
exits 0 "64 workers"
started=$(sed -n 's/^workers: *\([0-9]*\) CPU.*/\1/p' out)
cores=$(nproc)
if [ "$cores" -lt 64 ]; then like out "64 workers for [0-9]+ cores?: " "more than cores: told"; else skip 1 "enough cores"; fi
told="$started CPU workers instead of 64: this StarPU was built for $started at most; .*--enable-maxcpus=64"
if [ "$started" -lt 64 ]; then
  like out "$told" "StarPU's limit is told by info"
  run "$CAIRN" check pile.yaml --workers 64
  like out "$told" "by check"
  run "$CAIRN" run pile.yaml --workers 64 --set time.end=0.0001 --output many
  like err "$told" "and by run"
else
  skip 3 "this StarPU was built for 64 workers"
fi

# The CPU mask: the last core that this test may use.
mask=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
last=${mask##*[-,]}
if taskset -c "$last" true 2>/dev/null; then
  taskset -c "$last" "$CAIRN" run pile.yaml --set time.end=1000 --output masked >out 2>err &
  pid=$!
  await $pid test -s masked.series.nc
  is "$(cat /proc/$pid/task/*/status | sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' | sort -u)" "$last" \
    "all threads keep to the mask"
  kill -KILL $pid
  { wait $pid; } 2>/dev/null
  like err '^workers: +1 CPU' "one core, one worker"
  like err "^binding: .*hardware threads? $last\$" "there"
  run taskset -c "$last" env STARPU_WORKERS_NOBIND=0 "$CAIRN" info
  like out "^binding: +CPU 0 on hardware thread $last\$" "a bound worker too"
  if [ "$cores" -gt 1 ]; then
    run taskset -c "$last" "$CAIRN" info --workers 2
    like out '2 workers for 1 core: the CPU mask' "more workers than the mask has: told"
  else
    skip 1 "one core"
  fi
else
  skip 5 "no taskset"
fi

# A driver of OpenCL that aborts when it is loaded.
printf '#include <stdlib.h>\n__attribute__((constructor)) static void start(void) { abort(); }\n' >bad.c
mkdir vendors
if ldd "$CAIRN" | grep -q OpenCL && "${CC:-cc}" -shared -fPIC -o bad.so bad.c 2>/dev/null; then
  echo "$scratch/bad.so" >vendors/bad.icd
  export OCL_ICD_VENDORS="$scratch/vendors/"
  run "$CAIRN" info
  exits 0 "an OpenCL driver that aborts does not take the run with it"
  like out '^note: +no OpenCL: a driver ends in' "and is told"
  run "$CAIRN" info --device cpu
  exits 0 "--device cpu"
  unlike out 'no OpenCL' "does not even try"
  run "$CAIRN" info --device opencl
  exits 2 "--device opencl fails"
  like err 'OpenCL cannot be used: a driver ends' "for this reason"
else
  skip 6 "no OpenCL or no compiler"
fi
done_testing
