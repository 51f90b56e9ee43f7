# cairn bench over ranks: rows that it starts itself, and rows that were started together; the time spent on messages is
# measured; two ranks on one core are refused or told.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
. "$CAIRN_SOURCE_DIR/tests/mpi.sh"
mpi_needed
unset STARPU_NCPU
write_scenario pile.yaml
shared="mpirun --oversubscribe --bind-to none --mca btl self,vader --mca btl_vader_single_copy_mechanism none -n {ranks}"

printf 'ranks,workers,cells.bodies\n1,1,20\n2,1,20\n' >t.csv
run "$CAIRN" bench t.csv pile.yaml --trial 0.3 --launcher "$shared"
exits 0 "one rank and two"
like err '^\[2/2\] 2 ranks, 2 workers' "each row is told"
"$CAIRN_PYTHON" - >problems 2>&1 <<'PY'
import csv
one, two = csv.DictReader(open("t.bench.csv"))
number = lambda row, key: float(row[key])
assert (one["n_ranks"], two["n_ranks"]) == ("1", "2"), (one, two)
assert (one["n_workers"], two["n_workers"]) == ("1", "2"), (one, two)
assert one["n_bodies"] == two["n_bodies"] and number(one, "n_bodies") > 1, (one, two)  # of all ranks
assert one["steps"] == two["steps"] and one["n_cells"] == two["n_cells"] and number(one, "n_cells") > 1, (one, two)
for row in (one, two):
    parts = sum(number(row, key) for key in ("kernels", "runtime", "idle", "communication"))
    assert abs(parts / number(row, "seconds_per_step") - 1) < 1e-4, row  # six digits are written
assert number(one, "communication") == 0 and number(one, "imbalance") == 0, one
assert 0 <= number(two, "imbalance") <= 1, two  # one of two ranks has all to do at most
# a step of 20 bodies for each cell is a few µs of work behind a message
assert 0 < number(two, "communication") < number(two, "seconds_per_step"), two
expected = number(one, "seconds_per_step") / (2 * number(two, "seconds_per_step"))
assert abs(number(two, "efficiency") - expected) < 1e-4, (two, expected)  # four decimals are written
PY
is "$(cat problems)" "" "the same steps, parts that add up, messages in the row of two ranks alone"
like t.bench_parts.svg 'communication' "the plot of the parts has them"
is "$(ls | grep -c '\.row')" 0 "nothing of the single rows is left"

printf 'workers,cells.bodies\n1,20\n' >plain.csv
run ranks 2 "$CAIRN" bench plain.csv pile.yaml --trial 0.3
exits 0 "a bench that was started as two ranks"
is "$(cut -d , -f 3 plain.bench.csv | tail -n 1)" 2 "measures two"
run ranks 2 "$CAIRN" bench t.csv pile.yaml --trial 0.3
exits 2 "which cannot start others"
like err 'starts its ranks itself' "and says so"

printf 'ranks,workers\n%d,1\n' $(($(nproc) + 1)) >many.csv
run "$CAIRN" bench many.csv pile.yaml --trial 0.3
exits 1 "more ranks than cores are not started"
like err "'mpirun' ended with exit code" "by mpirun"
run "$CAIRN" bench many.csv pile.yaml --trial 0.3 --launcher "$shared"
exits 0 "unless the launcher is told to"
like err 'ranks with 1 worker each share' "and then it is said"

printf 'ranks\n2\n' >bad.csv
run "$CAIRN" bench bad.csv pile.yaml
exits 2 "the workers of a rank must be given"
printf 'ranks,workers\nfew,1\n' >bad.csv
run "$CAIRN" bench bad.csv pile.yaml
exits 2 "ranks must be a number"
printf 'ranks,workers\n2,1\n' >bad.csv
run "$CAIRN" bench bad.csv pile.yaml --launcher nothing_of_this_name
exits 2 "a launcher that is not there"
like err "cannot start 'nothing_of_this_name'" "is named"
run "$CAIRN" bench bad.csv pile.yaml --launcher "env"
exits 2 "one that starts a single process"
like err '2 ranks were to be started and 1 were' "is found out"
done_testing
