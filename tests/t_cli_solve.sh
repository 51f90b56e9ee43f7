# `cairn solve` as a user types it: chains of spheres by every solver, how sweeps grow with the length, refusals.
. "$(dirname "$0")/tap/tap.sh"
helper=$CAIRN_TEST_DIR/helper_fclib
field() { sed -n "s/^$1: *//p" out; }

# The ends of a chain of N spheres of mass 2 are pushed together at speed 1: every contact passes on 2. With the
# residual eps sum |u|² <= eps² sum |q|² = 2 eps²; the least eigenvalue of W is (2/m)(1 - cos(pi/N)) > 9/(m N²), so that
# no impulse is farther than eps sqrt(2) m N²/9 from 2.
for solver in nesterov nsgs apgd; do
  for n in 10 20 40 80; do
    "$helper" chain $((n - 1)) "$([ $n -lt 40 ] && echo local || echo global)" chain.hdf5
    run "$CAIRN" solve chain.hdf5 --solver $solver --tolerance 1e-6 --max-sweeps 100000
    exits 0 "$solver, $n spheres: $(field sweeps) sweeps"
    eval "sweeps_${solver}_$n=$(field sweeps)"
    "$helper" show chain.hdf5 /solution/r >r
    worst=$(awk 'NR % 3 == 1 { d = $1 - 2 } NR % 3 != 1 { d = $1 } { d = d < 0 ? -d : d; if (d > worst) worst = d }
      END { print NR ? worst : "nothing" }' r)
    awk -v w="$worst" -v n=$n 'BEGIN { exit !(w <= 1e-6 * sqrt(2) * 2 * n * n / 9) }'
    ok $? "  every impulse is 2, none is off by more than $worst"
  done
done
# From 20 to 80 spheres. The slowest mode of plain Gauss-Seidel dies by cos²(pi/N) per sweep: sweeps grow as N².
# Momentum should bring that down towards N.
grows() { # SOLVER LEAST MOST
  local small big e
  eval "small=\$sweeps_$1_20 big=\$sweeps_$1_80"
  e=$(awk -v a="$small" -v b="$big" 'BEGIN { printf "%.2f", log(b / a) / log(4) }')
  awk -v e="$e" -v low="$2" -v high="$3" 'BEGIN { exit !(e >= low && e <= high) }'
  ok $? "$1: sweeps grow with the length to the power $e, expected $2 to $3"
}
grows nsgs 1.7 2.1
grows nesterov 0.5 1.3
grows apgd 0.5 1.3
check "at 80 spheres momentum saves more than nine out of ten sweeps" test $((10 * sweeps_nesterov_80)) -lt "$sweeps_nsgs_80"

# The problem that comes with cairn is such a chain (docs/solve.md).
"$helper" chain 10 local chain.hdf5
for set in spacedim W/p W/i W/x vectors/q vectors/mu; do
  "$helper" show chain.hdf5 /fclib_local/$set >made
  "$helper" show "$CAIRN_SOURCE_DIR/scenarios/chain.hdf5" /fclib_local/$set >shipped
  check "scenarios/chain.hdf5 has the $set of the chain" diff made shipped
done
rm made shipped

"$helper" chain 9 global chain.hdf5
run "$CAIRN" solve chain.hdf5
exits 0 "default options"
like out '^contacts: +9 in 3 dimensions, .*formed from M and H' "tells the size"
like out '^solver: +nesterov' "the solver"
like out '^states: +sticking 100.0 %, sliding 0.0 %, open 0.0 %' "what became of the contacts"
like out '^siconos: +[0-9.e-]+ ' "the residual in Siconos' form"
like out '^residual: [0-9.e-]+$' "and its own"
is "$(wc -c <err)" 0 "nothing on standard error"
# |u| <= 1e-4 sqrt(2) at each of nine contacts, and the velocities of all spheres add up to 0: none exceeds 1.3e-3.
"$helper" show chain.hdf5 /solution/v >v
is "$(awk '$1 > 1.3e-3 || $1 < -1.3e-3 { bad++ } END { print NR, bad + 0 }' v)" "60 0" \
  "velocities of the bodies are written, and nothing moves"

"$helper" chain 9 local chain.hdf5
cp chain.hdf5 first.hdf5
run "$CAIRN" solve chain.hdf5 --output solved.hdf5 --quiet
exits 0 "--output and --quiet"
like out '^residual: ' "the residual is told"
is "$(wc -l <out)" 1 "and nothing else"
check "the file itself keeps its bytes" cmp chain.hdf5 first.hdf5
check "the other one has the solution" "$helper" show solved.hdf5 /solution/r

run "$CAIRN" solve chain.hdf5 --solver nsgs --max-sweeps 5
exits 1 "too few sweeps are a numerical failure"
like err 'not converged after 5 sweeps: residual [0-9.e-]+, wanted 0.0001; no solution written' "and told"
like out '^sweeps: +5$' "with the number of sweeps"
check "the file keeps its bytes" cmp chain.hdf5 first.hdf5

run "$CAIRN" help solve
exits 0 "cairn help solve"
like out '^usage: cairn solve \[OPTIONS\] FILE\.hdf5' "shows the usage"
is "$(wc -L <out | awk '{ print ($1 <= 120) }')" 1 "that fits 120 columns"
run "$CAIRN" solve
exits 2 "no file"
run "$CAIRN" solve missing.hdf5
exits 2 "a missing file"
like err 'missing\.hdf5' "is named"
echo nonsense >text.hdf5
run "$CAIRN" solve text.hdf5
exits 2 "a file of another kind"
like err '^text\.hdf5: is no HDF5 file' "is refused"
is "$(wc -l <err)" 1 "in one line: HDF5 itself says nothing"
# Files that crash the HDF5 library itself, and one of 8.7 kB that claims 2^31 entries. The limit is far above what a
# small problem takes; the address sanitizer works in terabytes.
for seed in damaged_1 damaged_2 damaged_3; do
  cp "$CAIRN_SOURCE_DIR/tests/seeds/fclib/$seed.hdf5" seed.hdf5
  run "$CAIRN" solve seed.hdf5
  exits 2 "$seed"
  like err '^seed\.hdf5: .*is damaged: the HDF5 library failed on it \(' "is refused"
  is "$(wc -l <err)" 1 "in one line"
done
cp "$CAIRN_SOURCE_DIR/tests/seeds/fclib/long_pointers.hdf5" seed.hdf5
run bash -c '[ -n "$CAIRN_SANITIZE" ] || ulimit -v 4000000; exec "$CAIRN" solve seed.hdf5'
exits 2 "lengths that the file does not have"
like err 'W/i: has 6 numbers, expected 2147483646' "are compared before memory is taken"

for words in "--solver newton" "--tolerance 0" "--tolerance nan" "--tolerance 2" "--max-sweeps 0" \
  "--max-sweeps many"; do
  # shellcheck disable=SC2086
  run "$CAIRN" solve chain.hdf5 $words
  exits 2 "$words"
  like err "${words%% *}: found '${words##* }'" "is named"
done
echo notes >notes
run "$CAIRN" solve chain.hdf5 --output notes
exits 2 "--output does not replace a file that is there"
like err 'notes exists: choose another name, or replace it with --overwrite' "and says so"
is "$(cat notes)" notes "it is left alone"
run "$CAIRN" solve chain.hdf5 --output ./chain.hdf5
exits 0 "the problem itself is no other file"
run "$CAIRN" solve chain.hdf5 --output notes --overwrite
exits 0 "--overwrite replaces it"
rm notes
run "$CAIRN" solve chain.hdf5 --output nowhere/x.hdf5
exits 3 "an output that cannot be written"
rm -f -- *.hdf5 r v
is "$(ls)" "$(printf 'err\nout')" "nothing else is left behind"
done_testing
