# Help, version and mistakes at the command line.
. "$(dirname "$0")/tap/tap.sh"

run "$CAIRN" --version
exits 0 "--version"
like out '^cairn [0-9]+\.[0-9]+\.[0-9]+ \(' "names program and version"
is "$(wc -l <out)" 1 "in one line"

for words in --help -h help; do
  run "$CAIRN" $words
  exits 0 "cairn $words"
  like out '^usage: cairn COMMAND' "shows the usage on standard output"
  is "$(wc -c <err)" 0 "and nothing on standard error"
done
for command in run resume check info digest export; do
  like out "^  $command " "the list names $command"
done

like out '^  soft_spheres +Overlapping spheres' "and describes soft spheres"
like out '^  contact_dynamics +Rigid spheres' "and contact dynamics"

for command in run resume check info digest export; do
  run "$CAIRN" help $command
  exits 0 "cairn help $command"
  like out "^usage: cairn $command" "shows its usage"
  cp out help
  run "$CAIRN" $command --help
  exits 0 "cairn $command --help"
  check "is the same text" cmp out help
  is "$(wc -L <out | awk '{ print ($1 <= 120) }')" 1 "that fits 120 columns"
done

run "$CAIRN"
exits 2 "no command"
like err '^usage: cairn' "shows the usage on standard error"
run "$CAIRN" simulate
exits 2 "an unknown command"
like err "unknown command 'simulate'.*run, resume, check" "names the commands there are"
run "$CAIRN" help nonsense
exits 2 "help about nothing"

for words in "run" "run a b" "resume" "check" "digest" "info extra" "export"; do
  # shellcheck disable=SC2086
  run "$CAIRN" $words
  exits 2 "cairn $words: wrong number of operands"
  like err "^cairn ${words%% *}: expected .*see: cairn help" "says what is expected"
done
run "$CAIRN" run a.yaml --nonsense
exits 2 "an unknown option"
like err "unknown option '--nonsense'" "is named"
run "$CAIRN" run a.yaml --workers many
exits 2 "a bad number of workers"
run "$CAIRN" digest a.ckpt.nc --workers 2
exits 2 "an option of another command"

run "$CAIRN" run missing.yaml
is "$((code == 2 || code == 3))" 1 "a missing scenario"
like err 'missing\.yaml' "is named"
run "$CAIRN" check missing.yaml
is "$((code == 2 || code == 3))" 1 "in check as well"
run "$CAIRN" resume missing.ckpt.nc
is "$((code == 2 || code == 3))" 1 "a missing checkpoint"
like err 'missing\.ckpt\.nc' "is named"
run "$CAIRN" digest missing.ckpt.nc
is "$((code == 2 || code == 3))" 1 "in digest as well"
run "$CAIRN" export missing.nc --amber x.nc
is "$((code == 2 || code == 3))" 1 "a missing trajectory"
run "$CAIRN" export missing.nc
exits 2 "an export to nothing"
is "$(ls)" "$(printf 'err\nhelp\nout')" "mistakes leave no files behind"

if [ -w /dev/full ]; then
  "$CAIRN" help >/dev/full 2>err
  code=$?
  exits 3 "standard output that cannot be written is an I/O failure"
else
  skip 1 "there is no /dev/full"
fi
done_testing
