# cairn bench and --trace: the same steps for every row, parts that add up, efficiencies of the right rows; a timeline that
# has every task once, on a worker that does one at a time; the batch scripts around them.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml
unset STARPU_NCPU
printf 'workers,scheduler,bodies.0.cloud.count\n1,lws,100\n2,lws,100\n2,eager,100\n2,lws,200\n' >t.csv
run "$CAIRN" bench t.csv pile.yaml --trial 0.5
exits 0 "a series over workers, schedulers and bodies"
like err '^\[1/4\] 1 rank, 1 worker, 100 bodies: ' "each row is told"
"$CAIRN_PYTHON" - >problems 2>&1 <<'PY'
import csv
rows = list(csv.DictReader(open("t.bench.csv")))
number = lambda row, key: float(row[key])
assert [row["n_workers"] for row in rows] == ["1", "2", "2", "2"], rows
assert [row["n_bodies"] for row in rows] == ["100", "100", "100", "200"], rows
assert len({row["steps"] for row in rows[:3]}) == 1, "the same physics, the same steps"
for row in rows:
    parts = sum(number(row, key) for key in ("kernels", "runtime", "idle", "communication"))
    assert abs(parts / number(row, "seconds_per_step") - 1) < 1e-4, row  # six digits are written
    assert 0 < number(row, "kernels") < number(row, "seconds_per_step"), row
one, two, eager, twice = rows
expected = number(one, "seconds_per_step") / (2 * number(two, "seconds_per_step"))
assert abs(number(two, "efficiency") / expected - 1) < 1e-3, (two, expected)
assert number(eager, "efficiency") == 1, "no row with fewer workers and this scheduler"
weak = number(one, "seconds_per_step") / number(twice, "seconds_per_step")
assert abs(number(twice, "weak_efficiency") / weak - 1) < 1e-3, (twice, weak)
PY
is "$(cat problems)" "" "parts add up, efficiencies are those of their rows"
is "$(ls *.nc 2>/dev/null)" "" "no files of runs"
like t.bench_efficiency.svg '100 bodies, lws' "the plot of the efficiency has the series over workers"
unlike t.bench_efficiency.svg 'eager' "and none of a single row"
like t.bench_parts.svg 'kernels' "that of the parts has them"
printf 'workers\nmany\n' >bad.csv
run "$CAIRN" bench bad.csv pile.yaml
exits 2 "workers must be a number"
printf 'steps,workers\n40,1\n' >counted.csv
run "$CAIRN" bench counted.csv pile.yaml
is "$(tail -n 1 counted.bench.csv | cut -d , -f 7)" 40 "a column of steps counts them"
printf 'steps\n0\n' >bad.csv
run "$CAIRN" bench bad.csv pile.yaml
exits 2 "which must be one or more"
printf 'scheduler\nnonsense\n' >bad.csv
run "$CAIRN" bench bad.csv pile.yaml
exits 2 "and the scheduler one of StarPU's"

run "$CAIRN" run pile.yaml -q --workers 2 --output plain
plain=$(digest_in out)
run "$CAIRN" run pile.yaml -q --workers 2 --trace tasks.json --output traced
exits 0 "a run with a timeline"
is "$(digest_in out)" "$plain" "which does not change the bits"
"$CAIRN_PYTHON" - >problems 2>&1 <<'PY'
import collections, json
events = json.load(open("tasks.json"))["traceEvents"]
tasks = [e for e in events if e["ph"] == "X"]
count = collections.Counter(e["name"] for e in tasks)
# 1000 steps with 11 frames of several cells, and one checkpoint at the end
assert count["write_frame"] == 11 and count["write_checkpoint"] == 1, count
assert count["advance"] >= 1000 and count["gather"] > 0 and count["build"] > 0, count
for worker in {e["tid"] for e in tasks}:
    own = sorted((e["ts"], e["dur"]) for e in tasks if e["tid"] == worker)
    assert all(a[0] + a[1] <= b[0] + 0.01 for a, b in zip(own, own[1:])), "one task at a time"
assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in tasks)
PY
is "$(cat problems)" "" "every task once, one at a time on each worker"
run "$CAIRN" run pile.yaml -q --trace /dev/null/x --output nowhere
exits 3 "a timeline that cannot be written"

# The scripts with a stand-in for srun.
mkdir bin
printf '#!/bin/bash\nwhile [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"\n' >bin/srun
chmod +x bin/srun
export PATH="$scratch/bin:$PATH" SLURM_CPUS_PER_TASK=2
jobs=$CAIRN_SOURCE_DIR/jobs
run bash "$jobs/strong.sbatch" pile.yaml --trial 0.2
exits 0 "strong.sbatch"
is "$(cut -d , -f 1,2 pile.strong.csv | tr '\n' ' ')" "ranks,workers 1,1 1,2 " "has a row for each number of workers"
run bash "$jobs/weak.sbatch" pile.yaml bodies.0.cloud.count 80 --trial 0.2
exits 0 "weak.sbatch"
like pile.weak_efficiency.svg 'weak, 80 bodies per worker' "with its plot"
is "$(cut -d , -f 2,3 pile.weak.csv | tail -n 2 | tr '\n' ' ')" "1,80 2,160 " "has bodies in proportion"
run bash "$jobs/gpu.sbatch" pile.yaml --trial 0.2
exits 0 "gpu.sbatch"
check "has a table with devices and one without" test -s pile.cpu.csv -a -s pile.any.csv
done_testing
