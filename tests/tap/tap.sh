# TAP for shell tests, to be sourced: . "$(dirname "$0")/tap/tap.sh"
# Provides scratch (a folder of the test's own, removed at the end, the current one from the start), run (a command with
# its exit code in $code, outputs in files out and err), and assertions. Nothing here stops a test at the first failure.
set -u
tap_count=0
tap_failed=0

: "${CAIRN:?the path of the program; tests run through ctest}"
: "${CAIRN_SOURCE_DIR:?the source tree; tests run through ctest}"
scratch=$(mktemp -d) || exit 1
trap 'cd / && rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

note() { printf '%s\n' "$*" | sed 's/^/# /'; }

skip_all() {
  echo "1..0 # SKIP $*"
  exit 0
}

# ok STATUS NAME: holds if STATUS is 0.
ok() {
  tap_count=$((tap_count + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $tap_count - $2"
  else
    tap_failed=$((tap_failed + 1))
    echo "not ok $tap_count - $2"
  fi
  return "$1"
}

# check NAME COMMAND…: holds if the command succeeds.
check() {
  local name=$1 status
  shift
  "$@" >/dev/null 2>&1
  status=$?
  ok $((status != 0)) "$name"
}

# is GOT EXPECTED NAME
is() {
  [ "$1" = "$2" ]
  ok $? "$3" || note "got '$1', expected '$2'"
}

# like FILE PATTERN NAME: a line of the file matches the extended regular expression.
like() {
  grep -Eq -- "$2" "$1"
  ok $? "$3" || { note "no line matches: $2" && note "$(head -c 2000 "$1")"; }
}

unlike() {
  ! grep -Eq -- "$2" "$1"
  ok $? "$3" || { note "a line matches: $2" && note "$(head -c 2000 "$1")"; }
}

skip() {
  local i
  for ((i = 0; i < $1; i++)); do
    tap_count=$((tap_count + 1))
    echo "ok $tap_count # SKIP $2"
  done
}

# run COMMAND…: exit code in $code, outputs in the files out and err.
run() {
  "$@" >out 2>err </dev/null
  code=$?
}

# exits CODE NAME: the last run ended with this code.
exits() {
  [ "$code" -eq "$1" ]
  ok $? "$2" || { note "exit code $code, expected $1" && note "$(tail -c 1500 err)"; }
}

# The hexadecimal digits of the last "digest:" line of a file.
digest_in() { sed -n 's/^digest: //p' "$1" | tail -n 1 | cut -d ' ' -f 1; }

done_testing() {
  echo "1..$tap_count"
  exit $((tap_failed > 0))
}
