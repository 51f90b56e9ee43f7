# What a newcomer gets wrong first, and whether the answer tells what to do: the wrong kind of file for a command, marks
# and tabs that editors leave in a scenario.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml
run "$CAIRN" run pile.yaml --output first --set time.end=0.002 --quiet
exits 0 "a run"
cp "$CAIRN_SOURCE_DIR/scenarios/chain.hdf5" chain.hdf5

refuses() { # COMMAND FILE PATTERN
  run "$CAIRN" "$1" "$2"
  exits 2 "cairn $1 $2"
  like err "$3" "names the right command"
}
for command in run check export solve; do
  refuses $command first.ckpt.nc '^first.ckpt.nc is a checkpoint: cairn resume first.ckpt.nc continues it'
done
for command in run check resume digest solve; do
  refuses $command first.nc '^first.nc is a trajectory, .*; continue the run from its checkpoint: cairn resume first.ckpt.nc$'
  refuses $command first.series.nc '^first.series.nc is a series, .*: cairn resume first.ckpt.nc$'
done
refuses export first.series.nc '^first.series.nc is a series, the diagnostics of a run: xarray and ncdump show it'
for command in resume digest export solve; do
  refuses $command pile.yaml '^pile.yaml is a scenario: cairn run pile.yaml$'
done
for command in run check resume digest export; do
  refuses $command chain.hdf5 '^chain.hdf5 is an HDF5 file, as contact problems are: cairn solve chain.hdf5$'
done
mv first.nc alone.nc
refuses resume alone.nc '^alone.nc is a trajectory, .*; a run continues from its checkpoint, NAME.ckpt.nc$'
# The content counts, not the name; what is damaged is told by the reader that knows it best.
cp first.ckpt.nc renamed.nc
run "$CAIRN" digest renamed.nc
exits 0 "a checkpoint with another name"
head -c 2000 first.ckpt.nc >cut.nc
refuses digest cut.nc 'truncated'
run bash -c '"$1" check <(cat pile.yaml)' - "$CAIRN"
exits 0 "a scenario through a pipe"

# Byte order marks, in the scenario and in its table, and a tab.
{ printf '\xef\xbb\xbf' && cat pile.yaml; } >marked.yaml
run "$CAIRN" check marked.yaml
exits 0 "a scenario with a byte order mark"
printf '\xef\xbb\xbf0.3 0.5 0.5 0.1\n0.7 0.5 0.5 0.1\n' >bodies.txt
run "$CAIRN" check pile.yaml --set 'bodies=[{table: {file: bodies.txt, material: rock}}]'
exits 0 "a table with a byte order mark"
printf 'time:\n\tend: 1\n' >tab.yaml
run "$CAIRN" check tab.yaml
exits 2 "a scenario indented with a tab"
like err '^tab.yaml:2:1: found a tab where YAML takes blanks only: indent with blanks$' "is told so"
done_testing
