# Fifty SIGKILLs at random moments (fixed seed) of a run that writes often. After every one all files open, and going on
# from the checkpoint ends in the same digest and the same frames as the run that was never killed.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
command -v ncdump >/dev/null || skip_all "ncdump is not installed"
write_scenario pile.yaml
kills=50
options=(--set time.end=1 --set output.frames=0.002 --set output.series=0.0005 --set output.checkpoint=0.02)
RANDOM=20260101

run "$CAIRN" run pile.yaml -q "${options[@]}" --output straight
exits 0 "the run that is never killed"
digest=$(digest_in out)

# Each start goes on from where the last one was killed; a run that reached its end, or was killed before its first
# checkpoint, starts again from the beginning.
start() {
  if [ -e killed.ckpt.nc ] && [ "$finished" -eq 0 ]; then
    resumed=$((resumed + 1))
    "$CAIRN" resume killed.ckpt.nc -q >killed_out 2>&1 &
  else
    "$CAIRN" run pile.yaml -q "${options[@]}" --output killed --overwrite >killed_out 2>&1 &
  fi
  pid=$!
}

# Every file that is there opens, holds whole records, and the checkpoint passes its checksum.
files_open() {
  local file
  for file in killed.nc killed.series.nc; do
    [ ! -e $file ] || ncdump -v time $file >dump 2>&1 || { note "$file: $(head -n 2 dump)" && return 1; }
  done
  for file in killed.ckpt.nc killed.ckpt.prev.nc; do
    [ ! -e $file ] || "$CAIRN" digest $file >dump 2>&1 || { note "$(cat dump)" && return 1; }
  done
}

killed=0
resumed=0
wrong_digests=0
finished=0
while [ $killed -lt $kills ]; do
  start
  sleep "$(printf '0.%03d' $((RANDOM % 600)))"
  finished=0
  if kill -KILL $pid 2>/dev/null; then
    killed=$((killed + 1))
    { wait $pid; } 2>/dev/null
    code=$?
    if [ $code -eq 137 ]; then
      files_open
      ok $? "kill $killed: every file opens"
      continue
    fi
    # The process had just ended by itself: not a kill.
    killed=$((killed - 1))
  else
    wait $pid
    code=$?
  fi
  finished=1
  if [ "$code" -ne 0 ] || [ "$(digest_in killed_out)" != "$digest" ]; then
    wrong_digests=$((wrong_digests + 1))
    note "exit code $code: $(tail -n 3 killed_out)"
    [ $wrong_digests -lt 5 ] || break
  fi
done
is "$wrong_digests" 0 "runs that reached their end between kills ended in the right digest"
ok $((resumed < 10)) "the run went on from a checkpoint $resumed times"

if [ -e killed.ckpt.nc ]; then
  run "$CAIRN" resume killed.ckpt.nc -q
else
  run "$CAIRN" run pile.yaml -q "${options[@]}" --output killed --overwrite
fi
exits 0 "the last resume reaches the end"
is "$(digest_in out)" "$digest" "in the same digest as the run that was never killed"
is "$(values_of killed.nc time,coordinates | cksum)" "$(values_of straight.nc time,coordinates | cksum)" \
  "the trajectory is the same, frame by frame"
is "$(values_of killed.series.nc time | cksum)" "$(values_of straight.series.nc time | cksum)" "the series has the same rows"
is "$(values_of killed.series.nc kinetic_energy,elastic_energy,momentum,wall_force | cksum)" \
  "$(values_of straight.series.nc kinetic_energy,elastic_energy,momentum,wall_force | cksum)" \
  "with the same energies and forces on walls, bit for bit"
is "$(find . -name '*.tmp' | wc -l)" 0 "no temporary file is left behind"
done_testing
