#!/usr/bin/env bash
# The house: who may include whom, how large rooms, files and functions may be (docs/architecture.md).
. "$(dirname "$0")/tap/tap.sh"
cd "$CAIRN_SOURCE_DIR/src" || exit 1

# may ROOM OTHERS…: the sources of ROOM include headers of ROOM and OTHERS alone.
may() {
  local room=$1 strangers
  strangers=$(grep -rnoE '#include "(kernels|data|analysis|tasks|solvers|view|cli)/[^"]*"' "$room" |
    grep -vE "#include \"($(IFS='|' && echo "$*"))/")
  is "$strangers" "" "$room includes ${*} only"
}

may kernels
may data kernels
may analysis data kernels
may tasks analysis data kernels
may solvers tasks analysis data kernels
may view tasks analysis data kernels
may cli view solvers analysis data kernels

is "$(grep -rlE '#include <starpu' kernels data analysis view cli)" "" "only tasks and solvers know StarPU"
is "$(grep -rlE '#include <(netcdf|hdf5|yaml)' kernels tasks analysis view cli)" "" "files are read and written in data"
is "$(grep -rnE '\b(malloc|calloc|realloc|printf|fopen)\(' kernels --include='*.c' --include='*.h')" "" \
  "kernels neither allocate nor print"

rooms=$(find . -type d | while read -r room; do
  n=$(find "$room" -maxdepth 1 -type f | wc -l)
  if [ "$n" -gt 25 ]; then echo "$room has $n files"; fi
done)
is "$rooms" "" "no room has more than 25 files"

files=$(find . -type f \( -name '*.c' -o -name '*.h' -o -name '*.cl' \))
is "$(wc -l $files | awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines" }')" "" "no file has more than 600 lines"
# Functions begin at a line that ends with ") {" in the first column's scope; tables of rows are not functions.
is "$(awk 'FNR == 1 { inside = 0 }
  /^[A-Za-z].*\) \{$/ || (/\) \{$/ && open) { begin = FNR; inside = 1 }
  { open = /^[A-Za-z][^;{]*\($|^[A-Za-z][^;{]*,$/ || (open && !/[;{]$/) }
  /^\}/ && inside { if (FNR - begin + 1 > 60) print FILENAME ":" begin ": " FNR - begin + 1 " lines"; inside = 0 }
  ' $files)" "" "no function has more than 60 lines"

# What is committed at the top: leftovers of runs and notes do not slip in. Archives without git have nothing to compare.
tops="CHANGELOG.md CMakeLists.txt CMakePresets.json CONTRIBUTING.md LICENSE README.md bench cmake dev docs examples
  include jobs mkdocs.yml packaging python scenarios src tests"
strangers=$(git -C "$CAIRN_SOURCE_DIR" ls-files 2>/dev/null | cut -d/ -f1 | sort -u | while read -r top; do
  case " ${tops//[$'\n']/ } " in *" $top "*) ;; *) if [ "${top#.}" = "$top" ]; then echo "$top"; fi ;; esac
done)
is "$strangers" "" "nothing else lies at the top of the repository"
done_testing
