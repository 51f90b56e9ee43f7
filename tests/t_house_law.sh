#!/usr/bin/env bash
# A new contact law is one header and one line: the example of CONTRIBUTING.md, as it stands there, built and run.
. "$(dirname "$0")/tap/tap.sh"

page="$CAIRN_SOURCE_DIR/CONTRIBUTING.md"
mkdir tree && tar -C "$CAIRN_SOURCE_DIR" --exclude=./build --exclude=./.git -cf - . | tar -C tree -xf -
# The code blocks of the section, without their indentation: the header first, then the line.
awk '/^## /{on = /How to add a contact law/} on && /^ *```c/{block++; inside = 1; next} /^ *```/{inside = 0}
  on && inside{sub(/^   /, ""); print > ("block" block)}' "$page"
check "CONTRIBUTING has the header" grep -q 'struct cairn_law_spring' block1
check "and the line" grep -q '^#define CAIRN_LAWS(LAW)' block2
if command -v clang-format-14 >/dev/null; then
  check "as clang-format leaves it" sh -c "clang-format-14 --style=file --assume-filename='$CAIRN_SOURCE_DIR/src/law.h' <block1 | cmp - block1"
fi
header=$(find tree/src -name law_hooke.h)
list=$(find tree/src -name laws.h)
cp block1 "$(dirname "$header")/law_spring.h"
before=$(sed -n 's/^#include "\(.*\)law_hooke.h"/\1/p' "$list")
sed -i "s|^#define CAIRN_LAWS(LAW).*|#include \"${before}law_spring.h\"\n$(cat block2)|" "$list"

run cmake -S tree -B built -G Ninja -DCAIRN_TESTS=OFF -DCAIRN_WERROR=ON -DCMAKE_C_FLAGS_RELEASE=-O0
exits 0 "a tree with the law is configured"
run cmake --build built --target cairn
exits 0 "and built, without a warning"

cat >spring.yaml <<'YAML'
law: spring
time: {end: 1}
materials: [{name: a, density: 1000}]
interactions: [{between: [a, a], spring_constant: 1e4}]
bodies:
  - single: {position: [0, 0, 0], radius: 0.1, material: a}
  - single: {position: [0.21, 0, 0], radius: 0.1, material: a, velocity: [-1, 0, 0]}
output: {series: 0.01}
YAML
run ./built/cairn run spring.yaml
exits 0 "law: spring runs"
# Equal masses, no losses: the one that came stops and the other goes on with its speed, to second order in the step.
run ncdump -v velocities spring.nc
speeds=$(tr -d ' ;\n' <out | sed 's/.*velocities=//' | tr ',' '\n' | tail -n 6 | tr '\n' ' ')
check "two spheres exchange their velocities: $speeds" awk -v v="$speeds" \
  'BEGIN { split(v, x, " "); exit !(x[1] < -0.999 && x[1] > -1.001 && x[4] < 0.001 && x[4] > -0.001) }'
run ./built/cairn check spring.yaml
like out 'spring constant 1e\+04 N/m' "cairn check names its key"
run ./built/cairn check spring.yaml --set interactions.0.stiffness=1
exits 2 "the key of another law"
like err 'belongs to .law: hooke.; the scenario has .law: spring.' "is refused with its law"
done_testing
