#!/usr/bin/env bash
# Every scenario that comes with cairn runs; the large ones for their first steps only.
. "$(dirname "$0")/tap/tap.sh"

first_steps() { # NAME: an end after which some hundred steps are done, fewer with contact dynamics, whose steps are long
  local steps=300
  if grep -q '^method: contact_dynamics' "$CAIRN_SOURCE_DIR/scenarios/$1.yaml"; then steps=50; fi
  if [ -n "${CAIRN_SANITIZE:-}" ]; then steps=$((steps / 5)); fi
  "$CAIRN" check "$CAIRN_SOURCE_DIR/scenarios/$1.yaml" --trial 0 | sed -n 's/^step: *\([^ ]*\) s.*/\1/p' |
    awk -v steps=$steps '{ print steps * $1 }'
}

for scenario in "$CAIRN_SOURCE_DIR"/scenarios/*.yaml; do
  name=$(basename "$scenario" .yaml)
  options=(--set time.end="$(first_steps "$name")")
  if [ "$name" = bounce ]; then options=(); fi
  run "$CAIRN" run "$scenario" "${options[@]}"
  exits 0 "$name"
  like out '^digest: [0-9a-f]{32}$' "$name ends with its digest"
  check "$name writes frames" ncdump -h "$name.nc"
done
done_testing
