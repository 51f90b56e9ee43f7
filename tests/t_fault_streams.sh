# Closed standard streams: their descriptors must not be given to the files of a run, which messages would then overwrite.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
command -v ncdump >/dev/null || skip_all "ncdump is not installed"
write_scenario pile.yaml
options=(--set time.end=0.01 --log-every 0)

run "$CAIRN" run pile.yaml "${options[@]}" --output straight
exits 0 "with all streams open"
digest=$(digest_in out)
frames=$(values_of straight.nc time,coordinates | cksum)
rows=$(values_of straight.series.nc time | cksum)

# intact NAME WHAT: the files of this run are those of the straight one.
intact() {
  is "$(values_of "$1.nc" time,coordinates 2>&1 | cksum)" "$frames" "$2: the trajectory is intact"
  is "$(values_of "$1.series.nc" time 2>&1 | cksum)" "$rows" "$2: the series is intact"
  is "$("$CAIRN" digest "$1.ckpt.nc")" "digest: $digest" "$2: the checkpoint is intact"
}

"$CAIRN" run pile.yaml "${options[@]}" --output no_err >out 2>&-
code=$?
exits 0 "standard error closed"
is "$(digest_in out)" "$digest" "the result is printed"
intact no_err "standard error closed"

"$CAIRN" run pile.yaml "${options[@]}" --output no_in_err >out <&- 2>&-
code=$?
exits 0 "standard input and error closed"
intact no_in_err "standard input and error closed"

# A result that cannot be delivered is a failure, as on a full disk; what was computed is safe in its files.
"$CAIRN" run pile.yaml "${options[@]}" --output no_out >&- 2>err
code=$?
exits 3 "standard output closed"
like err 'cannot write to standard output' "it says so"
intact no_out "standard output closed"

"$CAIRN" run pile.yaml "${options[@]}" --output none <&- >&- 2>&-
code=$?
exits 3 "all streams closed"
intact none "all streams closed"

"$CAIRN" digest straight.ckpt.nc >&- 2>err
code=$?
exits 3 "digest with standard output closed"
done_testing
