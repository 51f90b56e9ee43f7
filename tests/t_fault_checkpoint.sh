# Damaged checkpoints are refused with one sentence and exit 2: truncated, bit-flipped, of another version, not one.
. "$(dirname "$0")/tap/tap.sh"
. "$CAIRN_SOURCE_DIR/tests/scenario.sh"
write_scenario pile.yaml
run "$CAIRN" run pile.yaml -q
exits 0 "a run that leaves a checkpoint"
size=$(stat -c %s pile.ckpt.nc)

# refused FILE NAME [PATTERN]: by both commands that read it, in one line that names the file.
refused() {
  local command
  for command in digest resume; do
    run "$CAIRN" $command "$1"
    exits 2 "$2 is refused by $command"
    is "$(wc -l <err)" 1 "in one line"
    like err "$1.*${3:-.}" "that names the file and the reason"
    is "$(wc -c <out)" 0 "and nothing is printed as a result"
  done
}

# Flip one bit of the byte at this offset.
flip() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
  # shellcheck disable=SC2059
  printf "\\x$(printf '%02x' $((byte ^ 4)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

for part in 0 1 31 32 100 $((size / 2)) $((size - 32)) $((size - 1)); do
  head -c "$part" pile.ckpt.nc >cut.ckpt.nc
  refused cut.ckpt.nc "a checkpoint cut to $part of $size bytes"
done
cp pile.ckpt.nc cut.ckpt.nc && printf 'x' >>cut.ckpt.nc
refused cut.ckpt.nc "a checkpoint with a byte behind its end"

for at in 0 8 $((size / 3)) $((size / 2)) $((size - 40)) $((size - 20)) $((size - 1)); do
  cp pile.ckpt.nc flipped.ckpt.nc
  flip flipped.ckpt.nc "$at"
  refused flipped.ckpt.nc "a checkpoint with a flipped bit in byte $at of $size"
done

current=$("$CAIRN_TEST_DIR/helper_reseal" version)
for version in 0 $((current - 1)) $((current + 1)) 4294967295; do
  cp pile.ckpt.nc other.ckpt.nc
  "$CAIRN_TEST_DIR/helper_reseal" other.ckpt.nc $version
  refused other.ckpt.nc "an intact checkpoint of version $version" "version $version"
done

head -c "$size" /dev/urandom >noise.ckpt.nc
refused noise.ckpt.nc "noise"
refused pile.nc "a trajectory instead of a checkpoint"
refused pile.yaml "a scenario instead of a checkpoint"
mkdir folder.ckpt.nc
run "$CAIRN" resume folder.ckpt.nc
is "$((code == 2 || code == 3))" 1 "a folder instead of a checkpoint"

# The good one still works after all that, and the one before it can take its place.
run "$CAIRN" resume pile.ckpt.nc -q
exits 0 "the checkpoint itself is untouched"
done_testing
