# cairn forecast: from the tasks that cairn bench has measured to a table and a plot; machines that make no sense are
# refused with the row and the column. What the numbers are worth is tested in t_task_forecast.c.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml
unset STARPU_NCPU
printf 'workers,cells.bodies\n1,20\n1,50\n' >t.csv
run "$CAIRN" bench t.csv pile.yaml --trial 0.3 --set bodies.0.cloud.count=200
exits 0 "tasks are measured"
"$CAIRN_PYTHON" - >problems 2>&1 <<'PY'
import csv
rows = list(csv.DictReader(open("t.bench.csv")))
tasks = list(csv.DictReader(open("t.bench_tasks.csv")))
for number, row in enumerate(rows, 1):
    own = {t["task"]: t for t in tasks if t["run"] == str(number)}
    assert {"advance", "gather", "runtime", "idle", "driver"} <= set(own), own
    steps, cells = int(row["steps"]), int(row["n_cells"])
    assert int(own["advance"]["count"]) >= steps, own  # one for each cell and step; cells vary
    kernels = sum(float(t["seconds"]) for n, t in own.items() if n not in ("runtime", "idle", "communication", "driver"))
    assert abs(kernels / steps / float(row["kernels"]) - 1) < 1e-3, (kernels, row)
    # whatever runs in a task was submitted, and is counted once
    count = sum(int(t["count"]) for n, t in own.items() if n not in ("runtime", "idle", "communication", "driver"))
    assert count == int(own["runtime"]["count"]), (count, own)
PY
is "$(cat problems)" "" "the times of tasks add up to the kernels of each row"
printf 'nodes,workers,bodies\n1,1,1000000\n1,64,1000000\n16,64,1000000\n16,64,1000000000\n' >m.csv
run "$CAIRN" forecast m.csv t.bench_tasks.csv
exits 0 "a forecast"
like m.forecast_efficiency.svg 'predicted' "with its plot"
"$CAIRN_PYTHON" - >problems 2>&1 <<'PY'
import csv
rows = list(csv.DictReader(open("m.forecast.csv")))
number = lambda row, key: float(row[key])
assert [int(r["n_workers"]) for r in rows] == [1, 64, 1024, 1024], rows
for row in rows:
    parts = sum(number(row, key) for key in ("kernels", "runtime", "idle", "communication"))
    assert abs(parts / number(row, "seconds_per_step") - 1) < 1e-4, row
    assert 0 < number(row, "efficiency") < 1.1, row
assert number(rows[0], "communication") == 0 < number(rows[2], "communication"), rows
assert number(rows[1], "seconds_per_step") < number(rows[0], "seconds_per_step"), rows
assert number(rows[2], "efficiency") < number(rows[3], "efficiency"), "more bodies for each worker are better"
PY
is "$(cat problems)" "" "more workers, more messages, more bodies"
refuse() { # TABLE PATTERN NAME
  printf "$1" >bad.csv
  run "$CAIRN" forecast bad.csv t.bench_tasks.csv
  if [ "$code" = 2 ]; then like err "$2" "$3"; else is "$code" 2 "$3"; fi
}
refuse 'bodies\n1000\n' 'bad.csv: there is no column workers' "a machine has workers"
refuse 'workers,bodies,colour\n1,1000,red\n' "'colour' is no column of a machine" "a column that nobody knows"
refuse 'workers,bodies\n1,1000\nnone,1000\n' "row 2: workers is 'none', expected a whole number from 1 to 4096" "no number"
refuse 'workers,bodies\n1.5,1000\n' "workers is '1.5'" "no whole number"
refuse 'workers,bodies,latency\n1,1000,-1\n' "latency is '-1'" "a negative latency"
refuse 'workers,bodies,bandwidth\n1,1000,nan\n' "bandwidth is 'nan'" "a bandwidth that is none"
refuse 'workers,bodies,nodes\n1,10,20\n' "10 bodies are fewer than the ranks" "fewer bodies than ranks"
printf 'run,task\n1,advance\n' >bad_tasks.csv
run "$CAIRN" forecast m.csv bad_tasks.csv
exits 2 "tasks without their numbers"
sed 's/^\([^,]*,[^,]*\),1,/\1,2,/' t.bench_tasks.csv >bad_tasks.csv
run "$CAIRN" forecast m.csv bad_tasks.csv
exits 2 "tasks of no single worker"
like err 'bad_tasks.csv: the tasks are those of no run with one worker' "are told"
done_testing
