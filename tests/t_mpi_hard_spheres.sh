# Hard spheres on several ranks end in the bits of one process: a gas in a box, a drum that captures bodies and turns, a
# cloud whose bodies merge, walls that shake and absorb under fields from outside; restarts from n to m ranks.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
mpi_needed

scenarios=$CAIRN_SOURCE_DIR/scenarios
gas_end=0.25 drum_end=0.02 planet_end=40000 storm_end=0.04

gas=("$scenarios/granular_gas.yaml" --set time.end=$gas_end --set time.step=0.005 --set cells.bodies=100)
drum=("$scenarios/tumbler.yaml" --set time.end=$drum_end --set walls.0.cylinder.motion.from=0
  --set bodies.0.cloud.count=1500 --set cells.bodies=100)
planet=("$scenarios/planetesimals.yaml" --set time.end=$planet_end --set bodies.0.cloud.count=400 --set cells.bodies=40)

cat >storm.yaml <<'YAML'
title: bodies that a shaken floor throws about, in fields and at walls that take them
method: hard_spheres
seed: 5
time: {step: 1e-4, end: 1}
gravity: {uniform: [0, 0, -9.81], central: {mass: 1.0e9, position: [0, 0, 0.5]}}
frame: {spin: [0, 0, 2]}
materials:
  - {name: bead, density: 2500}
  - {name: wall, density: 2500}
interactions:
  - {between: [bead, bead], restitution: 0.8, transverse_restitution: 0.7}
  - {between: [bead, wall], restitution: 0.9, transverse_restitution: 0.5}
bodies:
  - cloud: {count: 1200, in: {box: {lower: [-0.05, -0.05, 0.005], upper: [0.05, 0.05, 0.1]}},
            radius: {uniform: [0.001, 0.003]}, material: bead, speed: 1.5}
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: wall,
            motion: {oscillation: {amplitude: [0.001, 0, 0.002], frequency: 40}}}
  - plane: {name: west, point: [-0.06, 0, 0], normal: [1, 0, 0], material: wall, behavior: absorbing}
  - plane: {name: east, point: [0.06, 0, 0], normal: [-1, 0, 0], material: wall, behavior: sticky}
  - plane: {name: south, point: [0, -0.06, 0], normal: [0, 1, 0], material: wall}
  - plane: {name: north, point: [0, 0.06, 0], normal: [0, -1, 0], material: wall, behavior: frictionless}
cells: {bodies: 60}
YAML
storm=(storm.yaml --set time.end=$storm_end)

# every WHAT: s, between rows and frames.
every() {
  case $1 in
    gas) awk "BEGIN { print $gas_end / 5 }" ;;
    drum) awk "BEGIN { print $drum_end / 3 }" ;;
    planet) echo 5000 ;;
    storm) awk "BEGIN { print $storm_end / 3 }" ;;
  esac
}

for what in gas drum planet storm; do
  declare -n scene=$what
  outputs=(--set output.frames="$(every $what)" --set output.series="$(every $what)")
  run "$CAIRN" run "${scene[@]}" "${outputs[@]}" -q --output "$what"
  exits 0 "$what: one process runs"
  one=$(digest_in out)
  check "$what: with a digest" test ${#one} -eq 32
  for n in 2 3 4; do
    run ranks $n "$CAIRN" run "${scene[@]}" "${outputs[@]}" -q --output "${what}_$n"
    exits 0 "$what: $n ranks run"
    is "$(digest_in out)" "$one" "$what: $n ranks, the digest of one"
  done
  for file in nc series.nc ckpt.nc; do
    check "$what: $file is that of one process" same "$what.$file" "${what}_3.$file"
  done
  run env STARPU_NCPU=2 STARPU_SCHED=eager "$(command -v mpirun)" --oversubscribe --bind-to none -n 2 "$CAIRN" run \
    "${scene[@]}" -q --output "${what}_workers" --set cells.bodies=230 --set output.frames=0 --set output.series=0
  is "$(digest_in out)" "$one" "$what: two workers each, another scheduler, other cells: the same"
done

is "$(values_of drum.series.nc n_held | grep -c '[1-9]')" 1 "the drum has captured bodies"
is "$(values_of planet.series.nc n_merges | grep -c '[1-9]')" 1 "bodies have merged"
is "$(values_of storm.series.nc n_absorbed | grep -c '[1-9]')" 1 "walls have removed bodies"

# A checkpoint of two ranks goes on with three, and with one.
for what in drum planet; do
  declare -n scene=$what end=${what}_end
  quiet=(-q --set output.frames=0 --set output.series=0)
  run "$CAIRN" digest "$what.ckpt.nc"
  one=$(digest_in out)
  run ranks 2 "$CAIRN" run "${scene[@]}" "${quiet[@]}" --output "${what}_half" --set time.end="$(awk "BEGIN { print $end / 2 }")"
  exits 0 "$what: two ranks to half of the time"
  cp "${what}_half.ckpt.nc" "${what}_again.ckpt.nc"
  run ranks 3 "$CAIRN" resume "${what}_half.ckpt.nc" -q --set time.end="$end"
  is "$(digest_in out)" "$one" "$what: three ranks go on to the digest of one process"
  run "$CAIRN" resume "${what}_again.ckpt.nc" -q --set time.end="$end"
  is "$(digest_in out)" "$one" "$what: one process does"
done

# Many bodies that meet in a step, in several windows: halos are renewed in between.
crowd=("${gas[@]}" -q --set bodies.0.cloud.count=12000 --set bodies.0.cloud.radius=0.016 --set time.step=0.004
  --set time.end=0.016 --set cells.bodies=150)
run "$CAIRN" run "${crowd[@]}" --output crowd --set output.series=0.004
one=$(digest_in out)
check "a crowd: several windows" test "$(values_of crowd.series.nc n_windows | grep -o '[0-9]*' | sort -n | tail -n 1)" -gt 1
run ranks 4 "$CAIRN" run "${crowd[@]}" --output crowd_4 --set output.series=0
is "$(digest_in out)" "$one" "a crowd: four ranks, the same digest"

# Two bodies at rest face each other across a border; a third and a fourth knock them together within one step. At the
# start of the step neither is in the way of the other: only the boxes that ranks tell each other show that they meet.
cat >relay.yaml <<'YAML'
title: pairs that others knock into each other
method: hard_spheres
time: {step: 0.16, end: 0.32}
materials: [{name: bead, density: 1000}]
interactions: [{between: [bead, bead], restitution: 0.9}]
bodies:
  - table: {file: relay.txt, columns: [x, y, z, vx], radius: 0.1, material: bead}
cells: {bodies: 20}
YAML
# Two far bodies make x the longest side, so that the first cut is at x = 0, between all pairs.
for j in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  for body in "-0.44 1" "-0.14 0" "0.14 0" "0.44 -1"; do
    echo "${body% *} $((j % 4)) $((j / 4)) ${body#* }"
  done
done >relay.txt
printf '%s\n' "-10 1.5 1.5 0" "10 1.5 1.5 0" >>relay.txt
run "$CAIRN" run relay.yaml -q --output relay
one=$(digest_in out)
run ranks 2 "$CAIRN" run relay.yaml -q --output relay_2
is "$(digest_in out)" "$one" "pairs that meet across a border: two ranks, the same digest"
is "$(values_of relay.series.nc n_collisions | grep -o '[0-9]*' | paste -sd ' ')" "0 48 80" "each pair meets in the first step"

# Ranks that have no cell.
run "$CAIRN" run "${gas[@]}" -q --output few --set bodies.0.cloud.count=60
few=$(digest_in out)
run ranks 4 "$CAIRN" run "${gas[@]}" -q --output few_4 --set bodies.0.cloud.count=60
is "$(digest_in out)" "$few" "one cell for four ranks: the same digest"
done_testing
