#!/usr/bin/env bash
# The pages name files, functions and each other: everything that they name exists.
. "$(dirname "$0")/tap/tap.sh"
cd "$CAIRN_SOURCE_DIR" || exit 1

pages=$(echo README.md CONTRIBUTING.md bench/README.md docs/*.md docs/decisions/*.md)

# Words in backticks, without the files of the examples in CONTRIBUTING.md, which the reader is to write.
words() {
  awk '/^ *```/ { code = !code; next } !code' "$1" | grep -oE '`[^`]+`' | tr -d '`' | tr ' ' '\n' |
    sed 's/[,;:.)]*$//' | grep -vE 'relax|spring|^cairn_x$' | sort -u
}

# Paths from the root of the tree, or from src as in #include; capitals are placeholders, stars are patterns.
missing=$(for page in $pages; do
  words "$page" | grep -E '^(src|include|tests|bench|scenarios|jobs|docs|kernels|data|analysis|tasks|solvers|cli)/' |
    grep -vE '[A-Z…]' | while read -r path; do
    compgen -G "$path" >/dev/null || compgen -G "src/$path" >/dev/null || echo "$page: $path"
  done
done)
is "$missing" "" "every path that a page names exists"

# Every room of the house has a row on the page that describes it.
rooms=$(find src -type f | sed 's|/[^/]*$|/|' | sort -u)
is "$(for room in $rooms; do grep -qF "| \`$room\` |" docs/architecture.md || echo "$room"; done)" "" \
  "docs/architecture.md has a row for every room"

# Each scenario has a picture that bench/gallery.sh makes, and a command.
is "$(for file in scenarios/*.yaml; do
  name=$(basename "$file" .yaml)
  grep -F "| ![$name](pictures/$name.png) | **$name**: " docs/gallery.md | grep -qF "\`cairn run $file" || echo "$name"
  grep -qE "^(end=[0-9.]+ )?picture $name " bench/gallery.sh || echo "$name in bench/gallery.sh"
done)" "" "docs/gallery.md has every scenario, and bench/gallery.sh its pictures"

# Sources by their bare name, and functions, structures and macros.
files=$(find src include tests bench -type f | sed 's|.*/||')
sources=$(cat CMakeLists.txt $(find src include tests bench cmake -type f -not -path 'tests/seeds/*'))
strangers=$(for page in $pages; do
  words "$page" | grep -E '^[a-z0-9_]+\.(c|h|cl|sh|py)$' | while read -r name; do
    grep -qxF "$name" <<<"$files" || grep -qwF "$name" CMakeLists.txt cmake/* || echo "$page: $name"
  done
  words "$page" | grep -oE '^(cairn|CAIRN)_[a-zA-Z0-9_]+$' | while read -r name; do
    grep -qwF "$name" <<<"$sources" || echo "$page: $name"
  done
done)
is "$strangers" "" "every source and every name of the code that a page names exists"

# Headings as the anchors that browsers know them by.
anchors() {
  awk '/^ *```/ { code = !code; next } !code && sub(/^#+ +/, "")' "$1" | tr '[:upper:]' '[:lower:]' |
    sed -E 's/[^[:alnum:] _-]//g; s/ /-/g'
}
broken=$(for page in $pages; do
  grep -oE '\]\([^)]+\)' "$page" | sed -E 's/^\]\((.*)\)$/\1/' | grep -vE '^[a-z]+:' | sort -u | while read -r link; do
    target=${link%%#*}
    file=$page
    [ -z "$target" ] || file=$(dirname "$page")/$target
    if [ ! -e "$file" ]; then
      echo "$page: $link"
    elif [ "$link" != "$target" ] && ! anchors "$file" | grep -qxF -- "${link#*#}"; then
      echo "$page: $link: no such heading"
    fi
  done
done)
is "$broken" "" "every link leads to a file and a heading that exist"

# Tables cannot be wrapped, nor can what a terminal prints.
long=$(for page in $pages; do
  awk '/^ *```/ { code = !code; next } !code && !/^ *\|/ { print FNR ":" $0 }' "$page" |
    grep -E '^[0-9]+:.{121}' | sed -E "s|^([0-9]+):.*|$page:\1|"
done)
is "$long" "" "no line of text has more than 120 columns"

# The field has words for these (docs/glossary.md).
coined='friction of rolling|(dealt|found|sorted) anew|deal(t|ing)? (bodies|to)|the pulls?|movers|leavers'
coined="$coined|(taken?|takes) out|ellipsoid with their|seen from a frame|stand in the way"
is "$(cat $pages CHANGELOG.md | tr '\n' ' ' | grep -oiE "\b($coined)\b")" "" "pages use the terms of the glossary"

# A term of the glossary is a row of a table and stands once.
check "the README leads to the glossary" grep -qF '(docs/glossary.md)' README.md
terms=$(sed -nE 's/^\| \*\*([^*]+)\*\* \|.*/\1/p' docs/glossary.md)
check "the glossary has terms" test "$(wc -l <<<"$terms")" -gt 50
is "$(sort -f <<<"$terms" | uniq -di)" "" "every term stands once"
if command -v mkdocs >/dev/null; then
  check "the site that ./dev site makes has no dead links" ./dev site
else
  skip 1 "mkdocs is not installed"
fi
done_testing
