# Every file says which run it belongs to, and a resumed run touches no file of another one.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
command -v ncdump >/dev/null || skip_all "ncdump is not installed"
write_scenario pile.yaml
short=(-q --set time.end=0.01)
longer=(-q --set time.end=0.02)

id_of() { ncdump -h "$1" | sed -n 's/.*:run_id = "\(.*\)" ;/\1/p'; }
frames_of() { ncdump -h "$1" | sed -n 's/.*frame = UNLIMITED ; \/\/ (\([0-9]*\) currently).*/\1/p'; }
sums() { cksum -- *.nc; }

# refused PATTERN NAME COMMAND…: exit 2, the sentence, and no file of this folder has changed.
refused() {
  local pattern=$1 name=$2 before
  before=$(sums)
  shift 2
  run "$@"
  exits 2 "$name is refused"
  like err "$pattern" "with a sentence"
  unlike err '^title:' "before anything is computed"
  is "$(sums)" "$before" "and no file has changed"
}

run "$CAIRN" run pile.yaml "${longer[@]}" --output straight
digest=$(digest_in out)
run "$CAIRN" run pile.yaml "${short[@]}"
mkdir backup
cp pile.ckpt.nc backup/half.nc
cp pile.ckpt.nc half.nc
id=$(id_of pile.nc)
is "$(grep -Ec '^[0-9a-f]{32}$' <<<"$id")" 1 "a run has an id"
is "$(id_of pile.series.nc) $(id_of pile.ckpt.nc)" "$id $id" "the same in all of its files"
check "another run has another" test "$(id_of straight.nc)" != "$id"
run "$CAIRN" resume pile.ckpt.nc "${longer[@]}"
exits 0 "resume"
is "$(digest_in out)" "$digest" "with the same digest: ids are no part of the state"
is "$(id_of pile.nc) $(id_of pile.series.nc) $(id_of pile.ckpt.nc)" "$id $id $id" "a resumed run keeps its id"

# A checkpoint under another name goes on beside itself, not in the folder where the command is typed.
before=$(sums)
run "$CAIRN" resume backup/half.nc "${longer[@]}"
exits 0 "a renamed checkpoint in another folder"
is "$(digest_in out)" "$digest" "goes on with the same bits"
is "$(sums)" "$before" "and leaves the files here alone"
check "its own lie beside it" test -s backup/pile.nc -a -s backup/pile.series.nc -a -s backup/pile.ckpt.nc
check "as a run of its own" test "$(id_of backup/pile.nc)" != "$id"
run "$CAIRN" resume half.nc "${longer[@]}"
exits 0 "beside the files of its run it goes on with those"
like err 'pile\.nc: its last [0-9]+ frames .*computed again' "and says which frames it replaces"
is "$(values_of pile.nc time,coordinates | cksum)" "$(values_of straight.nc time,coordinates | cksum)" \
  "the trajectory is that of a run that never stopped"

# A copy of the checkpoint under the name of its run's trajectory.
mkdir renamed && cp pile.ckpt.nc renamed/pile.nc
refused 'checkpoint with the name of a trajectory.*--output' "a checkpoint named as a trajectory" \
  "$CAIRN" resume renamed/pile.nc -q --set time.end=0.03

# Files of another run with as many bodies, walls and frames, in the place of its own.
cp pile.nc keep.nc
cp straight.nc pile.nc
refused "'pile\.nc' belongs to another run.*--output" "the trajectory of another run" \
  "$CAIRN" resume pile.ckpt.nc -q --set time.end=0.03
mv keep.nc pile.nc
mv pile.series.nc keep.nc
cp straight.series.nc pile.series.nc
refused "'pile\.series\.nc' belongs to another run" "the series of another run" \
  "$CAIRN" resume pile.ckpt.nc -q --set time.end=0.03
mv keep.nc pile.series.nc
refused "'straight\.nc' belongs to another run" "--output NAME of another run" \
  "$CAIRN" resume pile.ckpt.nc -q --set time.end=0.03 --output straight
mkdir only && cp straight.ckpt.nc only/
refused "'only/straight\.ckpt\.nc' belongs to another run" "the checkpoint of another run" \
  "$CAIRN" resume pile.ckpt.nc -q --set time.end=0.03 --output only/straight
# The second of two files is at fault: the first is not cut either.
head -c 2000 pile.series.nc >cut && mv pile.series.nc keep.nc && mv cut pile.series.nc
refused "pile\.series\.nc" "a damaged series" "$CAIRN" resume half.nc "${longer[@]}"
mv keep.nc pile.series.nc

before=$(sums)
run "$CAIRN" resume half.nc "${longer[@]}" --output branch
exits 0 "--output NAME"
is "$(digest_in out)" "$digest" "goes on with the same bits"
is "$(wc -c <err)" 0 "without a warning"
is "$(cksum branch*.nc | wc -l)" 3 "in files of that name"
check "of a run of its own" test "$(id_of branch.nc)" != "$id"
is "$(rm branch* && sums)" "$before" "and leaves the others alone"

rm pile.nc
run "$CAIRN" resume pile.ckpt.nc -q --set time.end=0.025
exits 0 "a trajectory that is gone"
like err 'pile\.nc is gone: a new one is started' "is started anew"
is "$(id_of pile.nc)" "$id" "for the same run"

# A checkpoint of a version without ids, made from one with: the attribute gets another name.
cp half.nc old.ckpt.nc
sed -i 's/run_id/run_ix/' old.ckpt.nc
"$CAIRN_TEST_DIR/helper_reseal" old.ckpt.nc "$("$CAIRN_TEST_DIR/helper_reseal" version)"
is "$(id_of old.ckpt.nc)" "" "a checkpoint without an id"
cp straight.nc old.nc
refused "'old\.ckpt\.nc' was written by an older version.*'old\.nc' is left alone.*--output" "with a trajectory" \
  "$CAIRN" resume old.ckpt.nc "${longer[@]}"
rm old.nc
run "$CAIRN" resume old.ckpt.nc "${longer[@]}"
exits 0 "it goes on where there is nothing to lose"
is "$(digest_in out)" "$digest" "with the same bits"
run "$CAIRN" resume old.ckpt.nc -q --set time.end=0.025
exits 0 "and again, with the old one as the checkpoint before"

# A checkpoint is replaced as a whole, which a symbolic link would not survive.
ln -s pile.ckpt.nc link.ckpt.nc
refused "'link\.ckpt\.nc' is a symbolic link.*--output" "a symbolic link" \
  "$CAIRN" resume link.ckpt.nc -q --set time.end=0.03
mkdir far && mv pile.ckpt.prev.nc far/ && ln -s far/pile.ckpt.prev.nc pile.ckpt.prev.nc
refused "'pile\.ckpt\.prev\.nc' is not a regular file" "a link in the place of the checkpoint before" \
  "$CAIRN" resume pile.ckpt.nc -q --set time.end=0.03
run "$CAIRN" resume link.ckpt.nc -q --set time.end=0.03 --output linked
exits 0 "with --output NAME it is only read"
check "and the link stays" test -L link.ckpt.nc -a ! -L linked.ckpt.nc
is "$(ls | grep -Ec '\.tmp$|\.lock$')" 0 "no temporary file and no lock is left"
done_testing
