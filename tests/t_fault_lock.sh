# Who writes where: two runs of one name notice each other, temporary names cannot be guessed, and a place that cannot be
# written is found before the first step.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml
options=(-q --set time.end=0.005)

# Names that an earlier version used, as links to a file that is not cairn's.
echo precious >victim
for name in pile.nc.tmp pile.series.nc.tmp pile.ckpt.nc.tmp pile.ckpt.nc.link out.amber.nc.tmp \
  frames_000000.vtk.tmp frames.vtk.series.tmp; do ln -s victim $name; done
run "$CAIRN" run pile.yaml "${options[@]}"
exits 0 "a run among links with the names of temporary files"
run "$CAIRN" export pile.nc --amber out.amber.nc
exits 0 "and an export"
run "$CAIRN" export pile.nc --vtk frames
exits 0 "and another"
is "$(cat victim)" precious "the file that they lead to is intact"
rm -f -- *.tmp *.link
ln -s victim pile.lock
run "$CAIRN" run pile.yaml "${options[@]}" --overwrite
exits 3 "a link in the place of the lock is refused"
is "$(cat victim)" precious "and not followed"
rm pile.lock
ln victim pile.lock
run "$CAIRN" run pile.yaml "${options[@]}" --overwrite
exits 3 "and so is a file that has another name"
is "$(cat victim)" precious "which is not written to"
rm pile.lock

"$CAIRN" run pile.yaml -q --set time.end=1000 --output busy >busy_out 2>&1 &
pid=$!
await $pid test -s busy.series.nc
run "$CAIRN" run pile.yaml "${options[@]}" --output busy --overwrite
exits 3 "a second run of the same name"
like err "^cairn: busy is being written by another run \(pid $pid on host $(uname -n)\)$" "says who writes there"
run "$CAIRN" resume pile.ckpt.nc -q --set time.end=0.01 --output busy
exits 3 "and so does a resume"
check "the first run goes on" kill -0 $pid
kill -KILL $pid
{ wait $pid; } 2>/dev/null
check "a kill leaves a lock that nobody holds" test -e busy.lock
: >busy.nc.0123456789ab.tmp
: >busy.ckpt.nc.0123456789ab.tmp
: >busy.nc.tmp
run "$CAIRN" run pile.yaml "${options[@]}" --output busy --overwrite
exits 0 "it is in nobody's way"
is "$(ls busy.*)" "$(printf '%s\n' busy.ckpt.nc busy.nc busy.nc.tmp busy.series.nc)" \
  "lock and leftovers are gone, files with other names are not"

# Found at the start, with nothing to write until the end.
nothing=(--set time.end=0.005 --set output.frames=0 --set output.series=0)
run "$CAIRN" run pile.yaml "${nothing[@]}" --output /proc/pile
exits 3 "a folder that cannot be written, not even by root"
like err "/proc/pile\.ckpt\.nc" "is named"
unlike err '^title:' "before the run starts"
run "$CAIRN" run pile.yaml "${nothing[@]}" --output no/such/pile
exits 2 "a folder that does not exist"
like err "folder 'no/such' .*does not exist" "is named"
unlike err '^title:' "before the run starts"
mkdir full && mkdir full/pile.ckpt.nc
run "$CAIRN" run pile.yaml "${nothing[@]}" --output full/pile --overwrite
exits 2 "a folder in the place of the checkpoint"
unlike err '^title:' "is found before the run starts"

for name in $'two\nlines' $'a\ttab' $'bell\a'; do
  run "$CAIRN" run pile.yaml "${options[@]}" --output "$name"
  exits 2 "--output with a control character"
  like err 'cairn run: byte [0-9]+ of the output name is [0-9]+, a control character' "is refused"
done
cp pile.ckpt.nc $'two\nlines.ckpt.nc'
run "$CAIRN" resume $'two\nlines.ckpt.nc' -q --set time.end=0.01
exits 2 "and so is such a name of a checkpoint"
is "$(find . -name 'two*' -printf x)" x "nothing was written"

# A file system without locks: one sentence, and the run goes on.
if [ -n "${CAIRN_SANITIZE:-}" ] || ! command -v "${CC:-cc}" >/dev/null; then
  skip 2 "no library can be put before flock here"
else
  printf '#include <errno.h>\nint flock(int f, int o) { (void)f; (void)o; errno = ENOLCK; return -1; }\n' >no_locks.c
  "${CC:-cc}" -shared -fPIC -o no_locks.so no_locks.c
  run env LD_PRELOAD="$scratch/no_locks.so" "$CAIRN" run pile.yaml "${options[@]}" --output unlocked
  exits 0 "a file system without locks"
  like err 'has no locks' "is told of"
fi
is "$(find . -name '*.lock' | wc -l)" 0 "no lock is left"
done_testing
