# A disk that fills up ends the run with exit 3 and leaves the last checkpoint intact. On a small tmpfs where one may be
# mounted, otherwise under a limit of file size.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml
options=(--set time.end=5 --set output.frames=0.0005 --set output.checkpoint=0.05)

# StarPU writes its own files elsewhere, so only cairn's meet the limit.
mkdir small
if mount -t tmpfs -o size=2m tmpfs small 2>/dev/null; then
  trap 'cd / && umount "$scratch/small"; rm -rf "$scratch"' EXIT
  note "on a tmpfs of 2 MB"
  limited() { "$@"; }
else
  note "no tmpfs may be mounted here: under ulimit -f 1 MB"
  # bash counts in blocks of 1024 bytes. SIGXFSZ is ignored so that writes fail instead of killing the process.
  limited() { (trap '' XFSZ && ulimit -f 1024 && exec "$@"); }
fi

run limited "$CAIRN" run pile.yaml -q "${options[@]}" --output small/pile
exits 3 "a full disk is an I/O failure"
like err 'small/pile' "the message names the file"
like err '[Nn]o space|[Ff]ile too large|full|write' "and the reason"
run "$CAIRN" digest small/pile.ckpt.nc
exits 0 "the last checkpoint is intact"
is "$(find small -name '*.tmp' | wc -l)" 0 "no temporary file is left behind"
check "the trajectory opens" ncdump -h small/pile.nc

# With room again the run goes on and ends as if nothing had happened.
mkdir large
cp small/pile.* large/
reached=$(ncdump -v time large/pile.ckpt.nc | sed -n 's/^ time = \([^ ;]*\).*/\1/p')
end=$(awk -v t="$reached" 'BEGIN { print t + 0.02 }')
note "from t = $reached to t = $end"
run "$CAIRN" resume large/pile.ckpt.nc -q --set time.end="$end"
exits 0 "resumed where there is room, it reaches a later end"
resumed=$(digest_in out)
run "$CAIRN" run pile.yaml -q --set output.frames=0 --set output.series=0 --set time.end="$end" --output straight
is "$resumed" "$(digest_in out)" "in the state of a run that never stopped"
check "which is not that of the checkpoint" test "$resumed" != "$("$CAIRN" digest small/pile.ckpt.nc | sed 's/^digest: //')"
done_testing
