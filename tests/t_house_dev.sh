# ./dev where packages are missing, with stand-ins for id and apt-get: what it prints, what it would install.
. "$(dirname "$0")/tap/tap.sh"
dev="$CAIRN_SOURCE_DIR/dev"
mkdir bin
export PATH="$scratch/bin:$PATH"
# With an empty search path no library is found, whatever is installed.
export PKG_CONFIG_LIBDIR="$scratch/nothing" PKG_CONFIG_PATH="$scratch/nothing"

run "$dev" help
exits 0 "help"
like out '^usage: ./dev COMMAND' "shows the usage"
run "$dev" nonsense
exits 2 "an unknown command"
run "$dev" test --nonsense
exits 2 "an unknown argument"
run "$dev" build nonsense
exits 2 "an unknown preset"
run "$dev" fuzz soon
exits 2 "minutes that are no number"
run "$dev" fuzz 1 nonsense
exits 2 "an unknown fuzzer"
like err "there is no fuzzer 'nonsense'" "is named"

printf '#!/bin/sh\necho 1000\n' >bin/id
printf '#!/bin/sh\necho "$@" >>"%s/apt.log"\nexit ${APT_CODE:-0}\n' "$scratch" >bin/apt-get
chmod +x bin/id bin/apt-get
for command in run test build fuzz; do
  run "$dev" $command
  exits 2 "./dev $command without root and without libraries"
  like err '^  sudo apt-get update && sudo apt-get install -y --no-install-recommends .*libstarpu-dev.*libnetcdf-dev' \
    "prints the line to type"
done
check "and does not try by itself" test ! -e apt.log

printf '#!/bin/sh\necho 0\n' >bin/id
APT_CODE=100 run "$dev" build
exits 2 "root, but the installation fails"
like err 'could not be installed' "says so"
is "$(head -n 1 apt.log)" "update -q" "the lists are brought up to date first"
unlike apt.log 'install' "and nothing is installed from old lists"

# A stand-in that fails keeps the build tree, in which this very test runs, as it is.
printf '#!/bin/sh\nexit 1\n' >bin/cmake
chmod +x bin/cmake
: >apt.log
run "$dev" run
exits 1 "a build that fails"
like err 'the build failed' "is told"
like apt.log '^install -q -y --no-install-recommends .*libstarpu-dev' "root installs what is missing"
unlike apt.log ' gcc| cmake' "and only that"
like err '^installing [0-9]+ packages: ' "with one line that tells"

# A copy of ./dev beside a program that only tells how it was called.
mkdir -p tree/build/release
cp "$dev" tree/dev
ln -s "$CAIRN_SOURCE_DIR/scenarios" tree/scenarios
printf '#!/bin/sh\necho "$@" >>"%s/cmake.log"\n[ "$1" != --build ] || cat "$BUILD_OUTPUT"\n' "$scratch" >bin/cmake
export BUILD_OUTPUT=/dev/null
printf '#!/bin/sh\necho "$@"\n' >tree/build/release/cairn
chmod +x tree/build/release/cairn
run tree/dev run
exits 0 "./dev run without a scenario"
is "$(cat out)" "run $PWD/tree/scenarios/accretion.yaml --overwrite" "runs the accretion of a rubble pile"
check "which is there" test -f tree/scenarios/accretion.yaml
run tree/dev run --set seed=2
is "$(cat out)" "run $PWD/tree/scenarios/accretion.yaml --overwrite --set seed=2" "with the options given"
run tree/dev run tree/scenarios/heap.yaml --quiet
is "$(cat out)" "run tree/scenarios/heap.yaml --quiet" "a scenario that is given is run instead, and overwrites nothing"

# What `cmake --install` copies out of a build tree must be among what ./dev run builds.
targets=$(sed -n 's/.*--target //p' cmake.log | tail -n 1)
check "./dev run builds the program" grep -qw cairn <<<"$targets"
ninja -C "$CAIRN_BINARY_DIR" -t commands $targets >commands.log 2>&1
for product in $(sed -n "s|^ *file(INSTALL .* FILES \"$CAIRN_BINARY_DIR/\([^\"]*\)\").*|\1|p" "$CAIRN_BINARY_DIR/cmake_install.cmake"); do
  ninja -C "$CAIRN_BINARY_DIR" -t query "$product" >query.log 2>&1 || continue # made when the tree was configured
  check "./dev run builds $product, which is installed" grep -qF -- " $product" commands.log
done

# ./dev fuzz with fuzzers that only pretend: one is clean, one crashes at its second input, one hangs.
mkdir -p tree/build/fuzz/tests tree/tests/seeds/clean tree/tests/seeds/crash tree/tests/seeds/hang
for name in clean crash hang driver; do : >tree/tests/fuzz_$name.c; done
finding() { printf '#!/bin/sh\n[ -e %s-12ab ] || { echo bad >%s-12ab; echo "stat::number_of_executed_units: 2"; exit 70; }\n' "$1" "$1"; }
{ finding crash; echo 'echo "stat::number_of_executed_units: 40"'; } >tree/build/fuzz/tests/libfuzz_crash
{ finding timeout; echo 'echo "stat::number_of_executed_units: 5"'; } >tree/build/fuzz/tests/libfuzz_hang
printf '#!/bin/sh\necho "stat::number_of_executed_units: 1000"\n' >tree/build/fuzz/tests/libfuzz_clean
chmod +x tree/build/fuzz/tests/libfuzz_*
printf '#!/bin/sh\necho "%s"\n' "$scratch" >bin/clang
chmod +x bin/clang
mkdir -p lib/linux && : >lib/linux/libclang_rt.fuzzer-x86_64.a
run tree/dev fuzz 1
exits 1 "./dev fuzz with findings"
is "$(cat out)" "clean:              1000 inputs, 0 crashes, 0 hangs
crash:                42 inputs, 1 crashes, 0 hangs
hang:                  7 inputs, 0 crashes, 1 hangs" "a line for each fuzzer; after a finding it goes on"
check "what was found is kept" test -e tree/build/fuzz/found/crash/crash-12ab
run tree/dev fuzz 1 clean
exits 0 "a fuzzer that finds nothing"
is "$(cat out)" "clean:              1000 inputs, 0 crashes, 0 hangs" "alone"

unset PKG_CONFIG_LIBDIR PKG_CONFIG_PATH
# Progress: of a long build a few lines in a log, one line on a terminal.
for step in $(seq 200); do echo "[$step/200] Building C object $step.o"; done >"$scratch/steps"
BUILD_OUTPUT="$scratch/steps" run tree/dev build
exits 0 "a build with many steps"
is "$(grep -c . err)" 6 "leaves six lines in a log" || note "$(cat err)"
like err '^building release: 60 %$' "that tell how far it is"
unlike err 'Building C object' "and none of the compiler's"
check "which are all in the log of the build" grep -qF '[200/200] Building C object 200.o' tree/build/release/dev.log
printf '[1/2] one\n[2/2] two\n' >steps
BUILD_OUTPUT="$scratch/steps" run tree/dev build
is "$(cat err)" "building release" "a short one is one line"
printf 'import pty, sys\nsys.exit(pty.spawn(sys.argv[1:]) >> 8)\n' >terminal.py
printf '[7/9] seven\n[9/9] nine\n' >steps
BUILD_OUTPUT="$scratch/steps" run "$CAIRN_PYTHON" terminal.py tree/dev build
exits 0 "a build on a terminal"
is "$(tr -d '\n' <out | tr '\r' '|')" "building release|building release: 77 % (7 of 9)|building release: 100 % (9 of 9)|" \
  "rewrites its line"
done_testing
