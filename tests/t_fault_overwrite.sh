# --overwrite replaces the files of an earlier run when the new one has begun, and not before.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
command -v ncdump >/dev/null || skip_all "ncdump is not installed"
write_scenario pile.yaml
options=(-q --set time.end=0.01)
run "$CAIRN" run pile.yaml "${options[@]}"
exits 0 "an earlier run"
run "$CAIRN" resume pile.ckpt.nc -q --set time.end=0.015
exits 0 "with two checkpoints"
before=$(cksum pile.*)
names=$(ls pile.*)

# kept NAME: everything is as it was, and nothing else lies about.
kept() {
  is "$(cksum pile.*)" "$before" "$1: the earlier run is complete"
  is "$(ls pile.*)" "$names" "$1: nothing is left behind"
}

STARPU_NOPENCL=0 run "$CAIRN" run pile.yaml "${options[@]}" --overwrite --device opencl
check "no device: the run fails" test "$code" -ne 0
kept "no device"
run "$CAIRN" run pile.yaml "${options[@]}" --overwrite --set time.step=0.1
exits 2 "a step that the plan refuses"
kept "a step that the plan refuses"
# SIGXFSZ is ignored so that writes fail instead of killing the process; the header fits, the first frame does not.
(trap '' XFSZ && ulimit -f 24 && exec "$CAIRN" run pile.yaml "${options[@]}" --overwrite) >out 2>err
code=$?
exits 3 "no room for the first frame"
kept "no room for the first frame"

run "$CAIRN" run pile.yaml "${options[@]}" --overwrite
exits 0 "a run that begins"
is "$(ls pile.*)" "$(printf 'pile.ckpt.nc\npile.nc\npile.series.nc\npile.yaml')" "replaces all of them"
is "$(ncdump -h pile.nc | grep -c 'frame = UNLIMITED ; // (3 currently)')" 1 "with its own"
run "$CAIRN" run pile.yaml "${options[@]}" --overwrite --set output.frames=0 --set output.series=0
exits 0 "a run without frames and rows"
is "$(ls pile.*)" "$(printf 'pile.ckpt.nc\npile.yaml')" "leaves none of an earlier one"

# A link in the place of a file is replaced, what it leads to is not.
echo precious >victim
ln -s victim pile.nc
run "$CAIRN" run pile.yaml "${options[@]}"
exits 2 "a link is in the way without --overwrite"
run "$CAIRN" run pile.yaml "${options[@]}" --overwrite
exits 0 "and is replaced with it"
is "$(cat victim)" precious "not what it leads to"
check "by a file" test ! -L pile.nc -a -s pile.nc
rm pile.series.nc && mkdir pile.series.nc
run "$CAIRN" run pile.yaml "${options[@]}" --overwrite
exits 2 "a folder in the place of a file is refused"
like err "pile\.series\.nc" "and named"
done_testing
