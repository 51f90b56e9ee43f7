# The sessions of README.md and docs/guide.md, line by line as a newcomer types them: every line of a code block without
# a language is a command, unless it is a synopsis (with […] or …). Times are scaled down: the scenarios of the clone and
# the values of `time.end` alike. Cloning, building and installing are stand-ins on the build that is being tested.
. "$(dirname "$0")/tap/tap.sh"

scale=0.005
if [ -n "${CAIRN_SANITIZE:-}" ]; then scale=0.01; fi
export scale HOME="$scratch/home"
real_cmake=$(command -v cmake)
mkdir home bin

# What a clone and a build give, as far as the sessions use it.
git() {
  local file
  [ "$1" = clone ] || return 1
  mkdir -p "$3/build/release" && cp -r "$2/dev" "$2/scenarios" "$2/CMakePresets.json" "$3" &&
    cp "$scratch/bin/scaled" "$3/build/release/cairn" || return 1
  for file in "$3"/scenarios/*.yaml; do
    awk -v scale=$scale '/^  end: / { $0 = "  end: " scale * $2 } { print }' "$file" >"$scratch/scaled.yaml"
    cp "$scratch/scaled.yaml" "$file"
  done
}
cat >bin/scaled <<'C'
#!/usr/bin/env bash
words=()
for word in "$@"; do
  case $word in time.end=*) word=time.end=$(awk -v scale=$scale -v end="${word#*=}" 'BEGIN { print scale * end }') ;; esac
  words+=("$word")
done
exec "$CAIRN" "${words[@]}"
C
cat >bin/cmake <<C
#!/usr/bin/env bash
[ "\$1 \$2" = "--install build/release" ] || exit 0
shift 2
exec "$real_cmake" --install "$CAIRN_BINARY_DIR" "\$@"
C
chmod +x bin/*
export PATH="$scratch/bin:$PATH"

# blocks FILE LANGUAGE: the lines in code blocks of that language, which may be none.
blocks() { awk -v fence="\`\`\`$2" '/^```/ { inside = !open && $0 == fence; open = !open; next } inside' "$1"; }

# commands FILE: one per line, continued lines joined, comments and synopses left out.
commands() {
  blocks "$1" "" | sed -e ':more' -e '/\\$/{N;s/\\\n *//;b more' -e '}' |
    sed -E -e 's/(^| +)# .*//' -e '/^ *$/d' -e '/\[[^]]*\]|…/d'
}

sed -n "/^needs_build=/,/^'/p" "$CAIRN_SOURCE_DIR/dev" >needs
follow() { # FILE: the commands of a file, in the current shell: they change folder and search path
  local file=$1 command
  while IFS= read -r command <&3; do
    case $command in
    "apt-get install"* | "./dev test") continue ;; # of the machine; this very test
    *" --movie"*) command -v ffmpeg >/dev/null || continue ;;
    "./dev "* | cairn\ * | "git clone "* | export\ *) ;;
    *) # a program that ./dev has brought to the machine
      check "$file: ./dev installs ${command%% *}" grep -q "^program ${command%% *} " "$scratch/needs" || continue ;;
    esac
    eval "${command/<this repository>/'"$CAIRN_SOURCE_DIR"'}" >"$scratch/out" 2>"$scratch/err" </dev/null
    ok $? "$file: $command" || note "$(tail -c 1500 "$scratch/err")"
  done 3< <(commands "$CAIRN_SOURCE_DIR/$file")
}

pictures() {
  "$CAIRN_PYTHON" -c 'import matplotlib' 2>/dev/null && cat && return
  sed 's/\.plot()/.to_series()/'
}

read_results() { # FILE: its Python code blocks, one after the other
  blocks "$CAIRN_SOURCE_DIR/$1" python | sed 's/NAME\.series/accretion.series/' | pictures >"$scratch/blocks.py"
  check "$1 has blocks of Python" test -s "$scratch/blocks.py"
  MPLBACKEND=Agg "$CAIRN_PYTHON" "$scratch/blocks.py" >"$scratch/out" 2>"$scratch/err" </dev/null
  ok $? "$1: its blocks of Python" || note "$(tail -c 1500 "$scratch/err")"
}

follow README.md
check "README.md has a session" test "$tap_count" -gt 15
check "which is in the clone at its end" test "$(basename "$PWD")" = cairn
check "and left its results there" test -s second.nc -a -s hopper.vtk.series -a -s accretion.series.nc

# The guide is read after the README, with its files out of the way.
mkdir results && mv ./*.nc ./*.vtk* ./*.html ./*.png ./*.svg results
follow docs/guide.md
follow docs/tutorial.md
check "the guide has the program installed" test -x "$HOME/.local/bin/cairn"
if "$CAIRN_PYTHON" -c 'import xarray' 2>/dev/null; then
  read_results docs/guide.md
  read_results README.md
  read_results docs/tutorial.md
else
  skip 6 "xarray is not installed"
fi
cd "$scratch" || exit 1

# The summary that the guide shows of the first run is that of the first run, whose bits are the same everywhere.
if [ -n "${CAIRN_SANITIZE:-}" ]; then
  skip 2 "sanitizers: the first run would take minutes"
else
  sed -n '/^## A first run/,/^## Check/p' "$CAIRN_SOURCE_DIR/docs/guide.md" >section.md
  blocks section.md text >shown
  check "the guide shows a summary" test "$(wc -l <shown)" -ge 8
  "$CAIRN" run "$CAIRN_SOURCE_DIR/scenarios/accretion.yaml" --output first --set output.report=false >summary 2>err
  is "$(grep -vxFf summary shown)" "" "line by line that of the first run"
fi
done_testing
