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
run "$CAIRN" resume large/pile.ckpt.nc -q --set time.end=0.5
resumed_code=$code
if [ "$resumed_code" -eq 0 ] && ! grep -q finished out; then
  resumed=$(digest_in out)
  run "$CAIRN" run pile.yaml -q "${options[@]}" --set time.end=0.5 --output straight
  if [ "$(digest_in out)" = "$resumed" ]; then
    ok 0 "resumed where there is room, it ends in the same digest"
  else
    # The checkpoint may already lie beyond the shorter end: then its own digest is printed.
    is "$resumed" "$("$CAIRN" digest large/pile.ckpt.nc | sed 's/^digest: //')" "resumed where there is room"
  fi
else
  is "$resumed_code" 0 "resumed where there is room"
fi
done_testing
