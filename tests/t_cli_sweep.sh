#!/usr/bin/env bash
# `cairn sweep` and the reports as JSON, as scripts use them.
. "$(dirname "$0")/tap/tap.sh"

cat >pair.yaml <<'YAML'
title: "a \"pair\""
time: {end: 0.02, step: 1.0e-5}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], stiffness: 1.0e+8, restitution: 0.5}]
bodies:
  - single: {position: [0, 0, 0], radius: 0.1, material: rock, velocity: [1, 0, 0]}
  - single: {position: [0.205, 0, 0], radius: 0.1, material: rock}
output: {frames: 0.01, series: 0.01}
YAML
json() { "$CAIRN_PYTHON" -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

run "$CAIRN" run pair.yaml --json
exits 0 "cairn run --json"
is "$(wc -l <out)" 1 "prints one line"
is "$(json 'd["status"], d["bodies"], d["title"], d["last_step"]' <out)" "('done', 2, 'a \"pair\"', 2000)" "that is JSON"
is "$(json 'd["digest"]' <out)" "$("$CAIRN" digest pair.ckpt.nc | grep -oE '[0-9a-f]{32}' | head -n 1)" "with the digest"
is "$(json 'd["end"]["n_bodies"], len(d["end"]["momentum"]), d["end"]["mean_pressure"]' <out)" "(2, 3, 0)" "and observables"
run "$CAIRN" check pair.yaml --json
exits 0 "cairn check --json"
is "$(json 'd["bodies"], d["steps"], d["step_size"]' <out)" "(2, 2000, 1e-05)" "tells the plan"
is "$(json 'd["seconds"] > 0, d["workers"] > 0, d["trial_steps"], d["dense_seconds_low"]' <out)" \
  "(True, True, 2000, None)" "and the time it will take: the trial was the whole run"
is "$(json 'd["frames"], d["rows"], d["memory"] > 0, d["frame_bytes"] > 0, d["checkpoint_bytes"] > 0' <out)" \
  "(3, 3, True, True, True)" "and the files"
run "$CAIRN" check pair.yaml --json --trial 0
is "$(json 'd["seconds"], d["trial_steps"], d["workers"]' <out)" "(None, 0, 0)" "without a trial it is not known"
run "$CAIRN" info --json --workers 1
exits 0 "cairn info --json"
is "$(json 'd["program"], d["workers"]' <out)" "('cairn', 1)" "tells the build and the workers"

cat >table.csv <<'CSV'
# three speeds and two restitutions
bodies.0.single.velocity,interactions.0.restitution

"[1, 0, 0]",0.5
"[2, 0, 0]",0.5
"[2, 0, 0]",0.9
CSV
run "$CAIRN" sweep table.csv pair.yaml --workers 1
exits 0 "a sweep of three rows"
like err '^\[2/3\] bodies.0.single.velocity=\[2, 0, 0\] interactions.0.restitution=0.5: done' "tells what it does"
is "$(wc -l <table.results.csv)" 4 "has a table of results"
columns='import csv; r = list(csv.DictReader(open("table.results.csv")))'
is "$("$CAIRN_PYTHON" -c "$columns; print([x['exit_code'] for x in r], [x['run'] for x in r][0], len({x['digest'] for x in r}))")" \
  "['0', '0', '0'] table_0001 3" "with exit codes, names and digests"
is "$("$CAIRN_PYTHON" -c "$columns; print(round(float(r[1]['kinetic_energy']) / float(r[0]['kinetic_energy']), 3))")" 4.0 \
  "twice the speed is four times the energy"
run "$CAIRN" run pair.yaml --set 'bodies.0.single.velocity=[2, 0, 0]' --set interactions.0.restitution=0.9 --quiet --output alone
is "$(digest_in out)" "$("$CAIRN_PYTHON" -c "$columns; print(r[2]['digest'])")" "a row has the bits of the run typed alone"
run "$CAIRN" sweep table.csv pair.yaml
exits 0 "once more"
like err 'there already' "keeps what is there"
run "$CAIRN" sweep table.csv pair.yaml --row 3
is "$(tr '\n' '|' <out)" "--set|bodies.0.single.velocity=[2, 0, 0]|--set|interactions.0.restitution=0.9|" "--row prints options"
run "$CAIRN" sweep table.csv pair.yaml --row 4
exits 2 "a row that is not there"
printf 'seed,time.end\n1\n' >bad.csv
run "$CAIRN" sweep bad.csv pair.yaml
exits 2 "a row that is too short"
like err '^bad.csv:2: 1 cells, the first row has 2' "is named"
printf 'seed\n"1\n' >bad.csv
run "$CAIRN" sweep bad.csv pair.yaml
exits 2 "an open quote"
printf 'seed,taste\n1,sweet\n2,sour\n' >bad.csv
run "$CAIRN" sweep bad.csv pair.yaml
exits 1 "a key that is none"
like err '2 of 2 runs failed' "fails all runs"
run "$CAIRN" sweep nothing.csv pair.yaml
ok $((code == 0)) "no table"
done_testing
