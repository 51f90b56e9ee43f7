# Walls through the program: mistakes are refused with the place and the reason before anything is written, what walls
# do is told, a large mesh runs.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"

# scenario LINES…: bad.yaml, one body at rest and these lines from line 9 on.
scenario() {
  {
    cat <<'YAML'
title: one body
time: {step: 1e-4, end: 0.01}
materials:
  - {name: rock, density: 2500}
interactions:
  - {between: [rock, rock], stiffness: 1e5}
bodies:
  - single: {position: [0, 0, 1], radius: 0.1, material: rock}
YAML
    printf '%s\n' "$@"
  } >bad.yaml
}

# refused PATTERN NAME: the scenario ends with code 2 and one line that matches.
refused() {
  run "$CAIRN" run bad.yaml
  exits 2 "$2"
  is "$(wc -l <err)" 1 "in one line"
  like err "$1" "that says where and why"
}

# refused_wall WALL PATTERN NAME: the same for the only wall, in line 10.
refused_wall() {
  scenario walls: "  - $1"
  refused "$2" "$3"
}

at='^bad\.yaml:10:[0-9]+: walls\.0'
refused_wall 'plane: {normal: [0, 0, 0], material: rock}' "$at\.plane\.normal: found \[0, 0, 0\]" "a normal of no length"
refused_wall 'sphere: {radius: -2, material: rock}' "$at\.sphere\.radius: found -2; allowed: .*> 0" "a negative radius"
for taper in -0.1 1.5; do
  refused_wall "cylinder: {axis: [0, 0, 1], radius: 5, length: 9, taper: $taper, material: rock}" \
    "$at\.cylinder\.taper: found $taper; allowed: .*0.*1" "a taper of $taper"
done
refused_wall 'disk: {normal: [0, 0, 1], radius: 1, hole: 1, material: rock}' "$at\.disk\.hole: found 1.*radius = 1" \
  "a hole as large as its disk"
refused_wall 'rectangle: {corner: [0, 0, 0], edge1: [1, 0, 0], edge2: [0.1, 1, 0], material: rock}' \
  "$at\.rectangle\.edge2: .*right angle" "a rectangle that is none"
refused_wall 'triangle: {corner: [0, 0, 0], edge1: [1, 0, 0], edge2: [2, 0, 0], material: rock}' \
  "$at\.triangle\.edge2: " "a triangle without area"
refused_wall 'plane: {norml: [0, 0, 1], material: rock}' "$at\.plane\.norml: unknown key; did you mean normal\?" \
  "an unknown key"
refused_wall 'plan: {normal: [0, 0, 1], material: rock}' "$at\.plan: .*did you mean plane\?" "an unknown shape"
refused_wall 'plane: {normal: [0, 0, 1], material: rok}' "$at\.plane\.material: .*did you mean rock\?" \
  "an unknown material"
refused_wall 'plane: {normal: [0, 0, 1], material: rock, behavior: slimy}' "$at\.plane\.behavior: found slimy; .*sticky" \
  "an unknown behavior"
refused_wall 'plane: {normal: [0, 0, 1], material: rock, appears: 2, vanishes: 1}' "$at\.plane\.vanishes: .*after appears" \
  "a wall that vanishes before it appears"

# The body is in line 8.
refused_wall 'plane: {name: shelf, point: [0, 0, 0.95], normal: [0, 0, 1], material: rock}' \
  '^bad\.yaml:8:[0-9]+: .*body 0 .*0\.05 m into .*shelf' "a body that starts in a wall"
refused_wall 'plane: {name: shelf, point: [0, 0, 3], normal: [0, 0, 1], material: rock}' \
  '^bad\.yaml:8:[0-9]+: .*body 0 .*behind .*shelf' "a body that starts behind a plane"

mesh() { refused_wall "mesh: {file: $1, material: rock}" "$at\.mesh\.file: .*$2" "$3"; }
mesh none.stl 'none\.stl' "a mesh that is not there"
: >empty.stl
mesh empty.stl 'empty\.stl: the file is empty' "an empty mesh"
printf 'solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n' >short.stl
mesh short.stl 'short\.stl:5: found the end' "a mesh cut off"
printf 'solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 nan 0\nendloop\nendfacet\nendsolid\n' \
  >nan.stl
mesh nan.stl 'nan\.stl:6: found nan' "a corner that is no number"
# 84 bytes of a binary file that promises 16 triangles and ends
{ printf '%080d' 0 && printf '\020\000\000\000'; } >binary.stl
mesh binary.stl 'binary\.stl: found 84 bytes' "a binary mesh cut off"
printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n' >thin.obj
mesh thin.obj 'thin\.obj: found no triangle with an area' "a mesh without area"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n' >far.obj
mesh far.obj 'far\.obj:4: found 4' "a corner that is not there"

table() { refused_wall "plane: {normal: [0, 0, 1], material: rock, motion: {table: {file: $1}}}" "$2" "$3"; }
table none.txt "$at\.plane\.motion\.table\.file: .*none\.txt" "a table that is not there"
printf '# t x y z\n0 0 0 0\n1 0 0 1\n0.5 0 0 2\n' >back.txt
table back.txt 'back\.txt:4: found the time 0\.5; allowed: .*after' "a table that goes back in time"
printf '0 0 0 0\n1 0 x 1\n' >word.txt
table word.txt 'word\.txt:2: found x' "a word in a table"

free=('assemblies:' '  - name: ram' '    center: [0, 0, 9]'
  '    walls: [sphere: {center: [0, 0, 9], radius: 1, material: rock}]')
scenario "${free[@]}" '    free: [z]'
refused '^bad\.yaml:13:[0-9]+: assemblies\.0\.free: .*mass' "a free assembly without a mass"
scenario "${free[@]}" '    free: [turn_z]' '    mass: 1'
refused '^bad\.yaml:13:[0-9]+: assemblies\.0\.free: .*inertia' "one that turns without an inertia"
scenario "${free[@]}" '    free: [z]' '    mass: 1' '    motion: {spin: 1}'
refused '^bad\.yaml:15:[0-9]+: assemblies\.0\.motion: .*either' "one that is free and driven"

check "nothing was written" test -z "$(find . -name '*.nc*')"
run "$CAIRN" check bad.yaml
exits 2 "check refuses what run refuses"
like err '^bad\.yaml:15:' "with the same line"

# What check and the summary tell: the tray takes two bodies out, the post holds the third, outside the world.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 3 1 2\nf 1 2 4\n' >chip.obj
scenario '  - single: {position: [0, 3, 1], radius: 0.1, material: rock}' \
  '  - single: {position: [0, 6, 1], radius: 0.1, material: rock, velocity: [0, 0, -5]}' \
  'walls:' '  - plane: {name: tray, point: [0, 0, -1], normal: [0, 0, 1], material: rock, behavior: absorbing}' \
  '  - point: {name: post, position: [0, 6, 0.5], material: rock, behavior: sticky}' \
  '  - disk: {normal: [0, 0, 1], center: [9, 9, 9], radius: 1, material: rock, motion: {spin: 1}}' \
  '  - mesh: {name: chip, file: chip.obj, shift: [9, 0, 0], material: rock, vanishes: 0.3}' \
  'assemblies:' '  - {name: ram, center: [0, 0, 9], free: [z], mass: 1,' \
  '     walls: [sphere: {center: [0, 0, 9], radius: 1, material: rock}]}' \
  'gravity: {uniform: [0, 0, -10]}' 'world: {upper: [5, 5, 5]}' 'output: {series: 0.1}'
mv bad.yaml told.yaml
run "$CAIRN" check told.yaml
exits 0 "check of some walls"
like out '^walls: +5: 1 plane, 1 disk, 1 sphere, 1 point, 1 mesh$' "counts them by shape"
like out '^ +1 sticky, 1 absorbing$' "by behavior"
like out '^ +1 driven, 1 appears or vanishes$' "by what they do"
like out '^ +chip: 1 triangle, 1 degenerate and 1 duplicate skipped$' "the triangles of a mesh"
like out '^assemblies: +ram: 1 wall, free, 1 of 6 degrees of freedom, 1 kg$' "assemblies"
run "$CAIRN" run told.yaml --set time.end=0.8
exits 0 "run of the same"
# Two bodies fall 1.9 m in 0.62 s, before the end; the third meets the post after 0.08 s.
is "$(values_of told.series.nc n_absorbed | grep -oE '[0-9]+' | tail -n 1)" 2 "two bodies are removed"
is "$(values_of told.series.nc n_held | grep -oE '[0-9]+' | tail -n 1)" 1 "one is held"
like out '^removed: +2 of 3 bodies: 2 by tray$' "the summary says which wall removes them"
like out '^captured: +1 of 3 bodies: 1 by post$' "and by which the other is captured"
like out '^outside: +1 of 3 bodies beyond the bounds of the world$' "and how many are outside the world"

# Two neighbours and a third body, all weightless, reach absorbing walls while their cells are not dealt anew (the skin
# is that large). Nothing ever overlaps by more than the last step before they are taken out, 5 m/s × 0.1 ms: springs of
# 1e5 N/m that hold at most 0.5 k (0.5 mm)² = 12.5 mJ in each of the three contacts, and no overlap beyond 0.5 %.
scenario '  - single: {position: [0.21, 0, 1], radius: 0.1, material: rock, velocity: [0, 0, -5]}' \
  '  - single: {position: [0, 0, 1.3], radius: 0.1, material: rock, velocity: [0, 0, -5]}' \
  'walls:' '  - plane: {point: [0, 0, 0.5], normal: [0, 0, 1], material: rock, behavior: absorbing}' \
  'cells: {skin: 0.9}' 'output: {series: 1e-4, frames: 0}'
sed -i '8s/}/, velocity: [0, 0, -5]}/' bad.yaml
run "$CAIRN" run bad.yaml --output gone --set time.end=0.2
exits 0 "bodies taken out together"
unlike err 'warning' "do not overlap where they are kept"
like out '^removed: +3 of 3 bodies' "all three are"
# at_most VARIABLE LIMIT: in every row of the series
at_most() {
  values_of gone.series.nc "$1" | tr -d ' ;}\n' | sed 's/.*=//' | tr ',' '\n' |
    awk -v limit="$2" '!($1 <= limit) { bad = 1 } END { exit bad || !NR }'
}
check "nor store energy in springs" at_most elastic_energy 0.0375
check "nor overlap in the series" at_most max_overlap 0.005

# A million triangles: a bumpy floor of 1000 × 500 squares under 200 bodies.
if [ -n "${CAIRN_SANITIZE:-}" ]; then n=60; else n=1000; fi
awk -v n=$n 'BEGIN {
  m = n / 2
  for (i = 0; i <= n; i++)
    for (j = 0; j <= m; j++)
      printf "v %.6g %.6g %.6g\n", i / n, j / n, 0.01 * sin(40 * i / n) * sin(40 * j / n)
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++) {
      a = i * (m + 1) + j + 1
      printf "f %d %d %d\nf %d %d %d\n", a, a + m + 1, a + 1, a + 1, a + m + 1, a + m + 2
    }
}' >floor.obj
cat >large.yaml <<'YAML'
title: a floor of a million triangles
seed: 2
time: {step: 1e-4, end: 0.2}
gravity: {uniform: [0, 0, -10]}
materials:
  - {name: rock, density: 2500}
interactions:
  - {between: [rock, rock], stiffness: 1e4, restitution: 0.4}
bodies:
  - lattice: {origin: [0.1, 0.1, 0.04], counts: [20, 10, 1], spacing: [0.04, 0.03, 1], radius: 0.012, material: rock}
walls:
  - mesh: {name: floor, file: floor.obj, material: rock}
output: {series: 0.01, frames: 0}
overlap: {limit: 0.2}
YAML
run "$CAIRN" run large.yaml
exits 0 "a mesh of $((n * n)) triangles runs"
unlike err 'warning' "without a warning"
like err "floor: $((n * n)) triangles" "tells their number"
# Bodies start with their lower ends 28 mm above the mean plane of the floor, whose valleys are 10 mm deep: all have
# reached it after sqrt(2 × 38 mm / g) = 87 ms. A centre on the floor is no lower than a radius above the valleys, 2 mm, or
# 0 with a sixth of the radius of overlap; without a floor the mean height at the end would be 40 - 200 mm.
touching=$(values_of large.series.nc wall_contacts | grep -oE '[0-9]+' | tail -n 1)
check "bodies lie on it: $touching contacts" test "$touching" -gt 100
height=$(values_of large.series.nc center_of_mass | tr -d ' ;}\n' | sed 's/.*,//')
check "they have not fallen through it: mean height $height m" awk "BEGIN { exit !($height > 0) }"
note "$(sed -n 's/^speed: *//p' out), $((n * n)) triangles"
done_testing
