# A whole session as a user types it: check, run, digest, resume, overwrite, info.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml

run "$CAIRN" check pile.yaml
exits 0 "check accepts the scenario"
like out '^title: +spheres falling into a box' "shows the title"
like out '^bodies: +300, radius 0\.03.* m, mass' "bodies and their sizes"
like out '^materials: +rock, 2500 kg/m³, 300 bodies' "materials"
like out '^step: +5e-05 s, 1000 steps to t = 0\.05 s' "step"
like out '^cells: +(about )?[0-9]+ cells? \(at most 64 bodies each\)' "cells"
like out '^recommended: +step [0-9]' "the recommended step"
like out '^memory: +about' "memory"
like out '^time: +about' "time"
is "$(ls)" "$(printf 'err\nout\npile.yaml')" "check writes no file"

run "$CAIRN" check pile.yaml --set time.nonsense=1
exits 2 "check refuses an unknown key"
like err 'nonsense' "and names it"
sed 's/^seed: 7/seed: 7\nseed: 8/' pile.yaml >twice.yaml
run "$CAIRN" run twice.yaml
exits 2 "run refuses a duplicate key"
like err '^twice\.yaml:[0-9]+:[0-9]+: .*seed' "with file, line and column"

run "$CAIRN" run pile.yaml --workers 2
exits 0 "run"
cp out first_out
like err '^title: +spheres' "tells at the start what is simulated"
like err '^workers: +2 CPU' "with how many workers"
like err '^binding: ' "bound where"
like err '^environment: +STARPU_' "STARPU_* variables in force"
like err '^output: +pile\.nc, pile\.series\.nc, pile\.ckpt\.nc' "into which files"
like out '^simulated: +300 bodies from step 0 to step 1000' "tells at the end what was simulated"
like out '^energy: ' "energies"
like out '^contacts: +[0-9]+ between bodies, [0-9]+ with walls; coordination number' "contacts"
like out '^overlap: ' "overlap"
like out 'body-steps/s' "speed"
like out 'pile\.nc: 11 frames; open in OVITO' "the trajectory and what opens it"
like out 'pile\.series\.nc: 21 rows' "the series"
like out 'pile\.ckpt\.nc: complete state' "the checkpoint"
is "$(tail -n 1 out | grep -Ec '^digest: [0-9a-f]{32}$')" 1 "the last line is the digest"
digest=$(digest_in out)
check "the trajectory opens" ncdump -h pile.nc
check "the series opens" ncdump -h pile.series.nc

run "$CAIRN" digest pile.ckpt.nc
exits 0 "digest"
is "$(cat out)" "digest: $digest" "prints the digest of the run"
run "$CAIRN" digest pile.ckpt.nc pile.ckpt.nc
is "$(cat out)" "$(printf 'digest: %s  pile.ckpt.nc\n' "$digest" "$digest")" "of several files with their names"

run "$CAIRN" run pile.yaml
exits 2 "a finished run is not overwritten by accident"
like err 'pile\.ckpt\.nc exists: .*--overwrite' "and says what to do"
run "$CAIRN" run pile.yaml --overwrite --quiet --workers 1
exits 0 "it is with --overwrite"
check "no checkpoint of the earlier run is left" test ! -e pile.ckpt.prev.nc
is "$(cat out)" "digest: $digest" "--quiet prints the digest alone, the same with one worker"
is "$(wc -c <err)" 0 "and no message"
run "$CAIRN" run pile.yaml -q --output "other name: 1"
exits 0 "--output with blanks and a colon"
check "names the files" test -s "other name: 1.nc" -a -s "other name: 1.series.nc" -a -s "other name: 1.ckpt.nc"
is "$(digest_in out)" "$digest" "and does not change the result"

run "$CAIRN" resume pile.ckpt.nc --set time.step=1e-3 --set time.end=1
exits 2 "a resumed run cannot change its step"
like err 'time\.step=1e-3: a resumed run takes time\.end' "and says what it takes"
run "$CAIRN" resume pile.ckpt.nc
exits 0 "a finished run resumed"
like out '^finished: step 1000' "says that it is finished"
is "$(digest_in out)" "$digest" "and prints its digest"

run "$CAIRN" run pile.yaml -q --output long --set time.end=0.075
long=$(digest_in out)
mkdir elsewhere && cd elsewhere || exit 1
run "$CAIRN" resume ../pile.ckpt.nc --set time.end=0.075
exits 0 "resumed with a later end, from another folder"
cp out ../out && cp err ../err && cd .. || exit 1
like err '^resumed from: +\.\./pile\.ckpt\.nc, step 1000' "tells where it starts"
like out '^simulated: +300 bodies from step 1000 to step 1500' "and what it did"
is "$(digest_in out)" "$long" "ends in the same bits as the run that never stopped"
is "$(ls elsewhere | grep -c nc)" 0 "its files stay beside the checkpoint"
is "$(values_of pile.nc time)" "$(values_of long.nc time)" "the trajectory has the same frames"
is "$(values_of pile.series.nc time)" "$(values_of long.series.nc time)" "the series has the same rows"
like <(ncdump -h pile.ckpt.nc) 'ckpt' "the checkpoint opens"

run "$CAIRN" info
exits 0 "info"
like out '^[a-zA-Z_]*version: .*[0-9]\.[0-9]|^programVersion: ' "version"
like out '[Ss]tar[Pp][Uu].*1\.' "library versions"
like out '^workers: +[0-9]+ CPU' "workers"
done_testing
