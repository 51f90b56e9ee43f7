/* Sorting by Morton keys: ascending, equal keys in the order they had, few entries and many. */
#include "tap/tap.h"

#include <stdlib.h>

#include "data/base/random.h"
#include "data/cells/morton.h"

/* Keys of `n_bits` random bits from `shift` on, so that some digits are the same in all. */
static void test_sort(int64_t n, int n_bits, int shift) {
  struct cairn_morton *entry = calloc((size_t)n + 1, sizeof *entry), *scratch = calloc((size_t)n + 1, sizeof *entry);
  char *seen = calloc((size_t)n + 1, 1);
  struct cairn_random random;
  cairn_random_init(&random, 7, (uint64_t)n, 0);
  int64_t wrong = 0, missing = 0;
  for (int64_t i = 0; i < n; i++) {
    entry[i].key = cairn_random_bits(&random) >> (64 - n_bits) << shift;
    entry[i].id = (int32_t)i;
  }
  cairn_morton_sort(entry, scratch, n);
  for (int64_t i = 0; i + 1 < n; i++)
    wrong += entry[i].key > entry[i + 1].key || (entry[i].key == entry[i + 1].key && entry[i].id > entry[i + 1].id);
  for (int64_t i = 0; i < n; i++)
    seen[entry[i].id] = 1;
  for (int64_t i = 0; i < n; i++)
    missing += !seen[i];
  ok(wrong == 0 && missing == 0, "%lld entries, %d bits from %d on", (long long)n, n_bits, shift);
  free(entry);
  free(scratch);
  free(seen);
}

int main(void) {
  plan(NO_PLAN);
  static const int64_t sizes[] = {0, 1, 2, 50, 99, 100, 101, 5000};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    test_sort(sizes[k], 63, 0);
    test_sort(sizes[k], 5, 30); /* many equal ones */
    test_sort(sizes[k], 40, 20);
  }
  done_testing();
}
