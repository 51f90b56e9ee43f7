# An installed cairn serves others: headers, library, pkg-config file and CMake package, wherever the tree is moved.
. "$(dirname "$0")/tap/tap.sh"

: "${CAIRN_BINARY_DIR:?the build tree; tests run through ctest}"
run cmake --install "$CAIRN_BINARY_DIR" --prefix "$scratch/first place"
exits 0 "cmake --install"
mv "$scratch/first place" "$scratch/prefix" # a tree that only works where it was first put is a trap
check "the program runs" "$scratch/prefix/bin/cairn" --version
for file in share/cairn/scenarios/accretion.yaml share/cairn/jobs/run.sbatch share/cairn/jobs/sweep.sbatch share/cairn/jobs/README.md share/doc/cairn/LICENSE \
  share/doc/cairn/README.md share/doc/cairn/docs/guide.md share/doc/cairn/docs/decisions; do
  check "$file is there" test -e "$scratch/prefix/$file"
done

mkdir consumer
cat >consumer/consumer.c <<'C'
#include <cairn/cairn.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  struct cairn_error error;
  struct cairn_scenario *scenario = NULL;
  const char *text = "nonsense: 1\n";
  int status = cairn_scenario_parse(text, strlen(text), "text", 0, NULL, 0, &scenario, &error);
#if !CAIRN_VERSION_AT_LEAST(0, 1, 0) || CAIRN_VERSION_AT_LEAST(CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR + 1, 0)
#error the macros do not compare
#endif
  printf("%s %d\n", cairn_version_string(), status);
  return status == CAIRN_ERR_INPUT ? 0 : 1;
}
C
sanitize=${CAIRN_SANITIZE:+-fsanitize=$CAIRN_SANITIZE}
pc=$(dirname "$(find "$scratch/prefix" -name cairn.pc)")
export PKG_CONFIG_PATH="$pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
# pkg-config quotes for a shell: a path may hold blanks.
eval "flags=($(pkg-config --cflags --libs cairn))"
run ${CC:-cc} -std=c11 -Wall -Werror $sanitize consumer/consumer.c -o consumer/with_pc "${flags[@]}"
exits 0 "a program builds with pkg-config"
export LD_LIBRARY_PATH="${pc%/pkgconfig}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
run consumer/with_pc
exits 0 "and runs"

run pkg-config --print-requires-private cairn
like out '^starpu-1\.3' "what it needs itself is private"
run pkg-config --print-requires cairn
is "$(cat out)" "" "and nothing is asked of those who use it"

# The examples: each builds as a user would and ends well.
for example in "$CAIRN_SOURCE_DIR"/examples/*.c; do
  name=$(basename "$example" .c)
  run ${CC:-cc} -std=c11 -Wall -Wextra -Werror $sanitize "$example" -o "consumer/$name" "${flags[@]}"
  exits 0 "examples/$name.c builds"
  run "consumer/$name" "$CAIRN_SOURCE_DIR/scenarios/bounce.yaml"
  exits 0 "and runs"
  like out 'digest' "and tells a digest"
  run "$CAIRN" report "$name"
  exits 0 "cairn report shows its files"
done

cat >consumer/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.21)
project(consumer C)
find_package(cairn 0.1 REQUIRED)
add_executable(with_cmake consumer.c)
target_link_libraries(with_cmake PRIVATE cairn::cairn)
C
run cmake -G Ninja -S consumer -B consumer/build -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_C_FLAGS="$sanitize"
exits 0 "the CMake package is found"
run cmake --build consumer/build
exits 0 "a program builds with it"
run consumer/build/with_cmake
exits 0 "and runs"
like out "^[0-9]+\.[0-9]+\.[0-9]+ -2$" "the version and the status are as declared"

for header in "$CAIRN_SOURCE_DIR"/include/cairn/*.h; do
  name=$(basename "$header")
  printf '#include <cairn/%s>\nint main(void) { return 0; }\n' "$name" >alone.c
  run ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$scratch/prefix/include" -fsyntax-only alone.c
  exits 0 "$name stands alone in C11"
done

done_testing
