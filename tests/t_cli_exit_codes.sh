# The exit codes that docs/guide.md lists: each is returned in the cases that it names, and no other code is.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml
cp "$CAIRN_SOURCE_DIR/scenarios/chain.hdf5" chain.hdf5
seen=""
returns() { # CODE NAME COMMAND…
  local wanted=$1 name=$2
  shift 2
  run "$@"
  exits "$wanted" "$wanted: $name"
  seen="$seen $wanted "
}

returns 0 "a run" "$CAIRN" run pile.yaml --output done --set time.end=0.001
returns 0 "resuming what has reached its end" "$CAIRN" resume done.ckpt.nc
returns 0 "help" "$CAIRN" help export

fast='bodies=[{single: {position: [0.5, 0.5, 0.5], radius: 0.05, velocity: [1e6, 0, 0], material: rock}}]'
returns 1 "a body that would move farther than its radius in a step" "$CAIRN" run pile.yaml --output fast --set "$fast"
like err 'body 0' "with its id"
returns 1 "a contact problem that does not converge" "$CAIRN" solve chain.hdf5 --max-sweeps 1 --tolerance 1e-9

returns 2 "no command" "$CAIRN"
returns 2 "an unknown command" "$CAIRN" nonsense
returns 2 "an unknown option" "$CAIRN" run pile.yaml --nonsense
returns 2 "a value out of range" "$CAIRN" info --workers 0
returns 2 "a scenario that is not valid" "$CAIRN" check pile.yaml --set seed=x
returns 2 "files of an earlier run" "$CAIRN" run pile.yaml --output done
head -c 1000 done.ckpt.nc >cut.ckpt.nc
returns 2 "a damaged checkpoint" "$CAIRN" resume cut.ckpt.nc
head -c 1000 done.nc >cut.nc
returns 2 "a damaged trajectory" "$CAIRN" export cut.nc --vtk cut
head -c 1000 chain.hdf5 >cut.hdf5
returns 2 "a damaged contact problem" "$CAIRN" solve cut.hdf5
for command in run check resume digest "export --vtk x" solve; do
  returns 2 "${command%% *} with a file that is not there" "$CAIRN" $command none
  like err '^none: No such file or directory$' "which is told"
  returns 2 "${command%% *} with a folder" "$CAIRN" $command .
done

if [ -w /dev/full ]; then
  "$CAIRN" help >/dev/full 2>err
  code=$?
  exits 3 "3: a result that cannot be printed"
fi
: >file
returns 3 "a solution that cannot be written" "$CAIRN" solve chain.hdf5 --output file/solved.hdf5
returns 3 "an export that cannot be written" "$CAIRN" export done.nc --vtk file/frames
returns 3 "a run that cannot be written" "$CAIRN" run pile.yaml --output file/pile

"$CAIRN" run pile.yaml --set time.end=1000 --output stopped >out 2>err &
pid=$!
await $pid test -s stopped.series.nc
kill -s TERM $pid
wait $pid
code=$?
exits 75 "75: a run stopped on request"
seen="$seen 75 "
check "with a checkpoint" "$CAIRN" digest stopped.ckpt.nc

# The first Ctrl-C ends the step and writes a checkpoint. A machine with other work may let it do all that before the next
# one arrives: then once more.
code=75
for ((try = 0; try < 10 && code == 75; try++)); do
  rm -f cut_off.*
  "$CAIRN" run pile.yaml --set time.end=1000 --output cut_off >out 2>err &
  pid=$!
  await $pid test -s cut_off.series.nc
  for ((i = 0; i < 50; i++)); do
    kill -s INT $pid 2>kill.err || break
    sleep 0.001
  done
  wait $pid
  code=$?
done
exits 130 "130: a second Ctrl-C"
seen="$seen 130 "

for code in $(sed -n '/^## Exit codes/,/^## /s/^| \([0-9][0-9]*\) |.*/\1/p' "$CAIRN_SOURCE_DIR/docs/guide.md"); do
  check "the code $code of docs/guide.md was seen" grep -qw "$code" <<<"$seen"
  seen=${seen// $code /}
done
is "${seen// /}" "" "and no other"
done_testing
