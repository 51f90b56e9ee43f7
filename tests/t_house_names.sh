# The rule of names, checked on the built library: everything it exports starts with cairn_, and every function that a
# source exports carries the stem of its file.
. "$(dirname "$0")/tap/tap.sh"

: "${CAIRN_LIBRARY:?the path of libcairn; tests run through ctest}"
command -v nm >/dev/null || skip_all "nm is not installed"

# nm prints nothing for archive members without symbols and warns on standard error. Sanitizers and function clones add
# names of their own, with a dot or a double underscore that C code here never uses.
symbols=$(nm --extern-only --defined-only --format=posix "$CAIRN_LIBRARY" 2>/dev/null |
  awk '!/:$/ && NF >= 2 { print $1 }' | grep -v -e '^__' -e '^_GLOBAL_' -e '\.' | sort -u)
check "the library exports something" test -n "$symbols"
strangers=$(printf '%s\n' "$symbols" | grep -v '^cairn_')
is "$strangers" "" "every exported name starts with cairn_"
exits=$(nm --print-file-name "$CAIRN_LIBRARY" 2>/dev/null | grep -E ' U (exit|_exit|abort)(@.*)?$')
is "$(printf '%s' "$exits" | grep -v -e '[:[]child\.c\.o' -e '\.so')" "" "no function exits the process but a child it started"

# Within one archive member every exported name is cairn_STEM…, with kernel_, task_, sim_ or method_ before the stem
# where the room asks for it. The files of a family (simulation.c, simulation_cells.c) share the first words of their
# stems: cairn_simulation_… is good in both; an s may follow (cells.c, cell_build.c).
members=$(nm --extern-only --defined-only --print-file-name --format=posix "$CAIRN_LIBRARY" 2>/dev/null |
  sed -nE 's/.*\[(.*)\.c\.o\]: ([^ ]+) .*/\1 \2/p' | grep -v -e ' __' -e ' _GLOBAL_' -e '\.')
wrong=$(printf '%s\n' "$members" | awk 'NF == 2 {
  name = $2; sub(/^cairn_/, "", name); good = index(name, $1 "_") == 1
  sub(/^(kernel|task|sim|method)_/, "", name)
  n = split($1, words, "_"); stem = ""
  for (i = 1; i <= n; i++) {
    stem = i == 1 ? words[1] : stem "_" words[i]
    rest = substr(name, length(stem) + 1)
    good = good || (index(name, stem) == 1 && rest ~ /^s?(_|$)/)
  }
  if (!good) print $1 ".c: " $2 }')
is "$wrong" "" "every exported name carries the stem of its file"

# Whatever a file says, no more values are read than there is room for: one function reads variables, with a count.
is "$(grep -lE 'nc_get_var' "$CAIRN_SOURCE_DIR"/src/*/*/*.c | xargs -n 1 basename)" "nc.c" \
  "only nc.c reads variables of NetCDF files"
is "$(grep -cE 'nc_get_var[^a]' "$CAIRN_SOURCE_DIR/src/data/storage/nc.c")" 0 "and never a whole variable, whatever its length"

# A method is its table (solvers/method.h): nothing outside the list of names and the keys of the scenario tests which.
is "$(grep -rlE 'CAIRN_METHOD_[A-Za-z]' "$CAIRN_SOURCE_DIR/src" | xargs -r -n 1 basename)" "" \
  "no branch on the method outside its table"
# The solvers of contact dynamics stand in one list.
is "$(grep -rlE 'NESTEROV, nesterov|NSGS, nsgs' "$CAIRN_SOURCE_DIR/src" | xargs -n 1 basename)" "cd_solvers.h" \
  "the names of the solvers stand in one list"

done_testing
