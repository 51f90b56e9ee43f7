# Formatting costs no review time: every C source is as clang-format 14 leaves it.
. "$(dirname "$0")/tap/tap.sh"

command -v clang-format-14 >/dev/null || skip_all "clang-format-14 is not installed"

cd "$CAIRN_SOURCE_DIR" || exit 1
while IFS= read -r -d '' file; do
  difference=$(clang-format-14 --style=file "$file" | diff "$file" - | head -n 10)
  ok $((${#difference} > 0)) "$file" || note "./dev format would change:" "$difference"
done < <(find include src tests bench -name '*.[ch]' -print0 | sort -z)

# What clang-format could not break. grep counts characters, not bytes.
long=$(grep -rnE --include='*.[ch]' --include='*.cl' '^.{121,}' include src tests bench)
is "$long" "" "no line of a source has more than 120 columns"

cd "$scratch" || exit 1
done_testing
