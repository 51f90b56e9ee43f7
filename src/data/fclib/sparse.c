#include "data/fclib/sparse.h"

#include <stdlib.h>

/* Counting sort of the entries by `key`, which keeps the order of equal ones; start has n + 1 places. */
static void sort_by(const int32_t *key, int64_t n, int64_t n_entries, const int64_t *order, int64_t *start,
                    int64_t *sorted) {
  for (int64_t k = 0; k <= n; k++)
    start[k] = 0;
  for (int64_t e = 0; e < n_entries; e++)
    start[key[e] + 1]++;
  for (int64_t k = 0; k < n; k++)
    start[k + 1] += start[k];
  for (int64_t e = 0; e < n_entries; e++) {
    const int64_t entry = order ? order[e] : e;
    sorted[start[key[entry]]++] = entry;
  }
  for (int64_t k = n; k > 0; k--)
    start[k] = start[k - 1];
  start[0] = 0;
}

/* Add up what shares a place, drop zeros. */
static void compress(struct cairn_sparse *a, const int64_t *sorted, const int32_t *row, const double *x) {
  int64_t at = 0, from = 0;
  for (int64_t j = 0; j < a->n; j++) {
    const int64_t end = a->start[j + 1];
    a->start[j] = at;
    while (from < end) {
      const int32_t i = row[sorted[from]];
      double sum = 0;
      for (; from < end && row[sorted[from]] == i; from++)
        sum += x[sorted[from]];
      if (sum != 0) {
        a->row[at] = i;
        a->x[at++] = sum;
      }
    }
  }
  a->start[a->n] = at;
}

int cairn_sparse_from_entries(int64_t m, int64_t n, int64_t n_entries, const int32_t *row, const int32_t *column,
                              const double *x, struct cairn_sparse *matrix, struct cairn_error *error) {
  const int64_t places = (m > n ? m : n) + 1;
  const size_t entries = (size_t)(n_entries > 0 ? n_entries : 1);
  int64_t *by_row = malloc(entries * sizeof *by_row), *sorted = malloc(entries * sizeof *sorted);
  *matrix = (struct cairn_sparse){.m = m,
                                  .n = n,
                                  .start = malloc((size_t)places * sizeof *matrix->start),
                                  .row = malloc(entries * sizeof *matrix->row),
                                  .x = malloc(entries * sizeof *matrix->x)};
  int status = 0;
  if (!by_row || !sorted || !matrix->start || !matrix->row || !matrix->x) {
    cairn_sparse_fini(matrix);
    status =
        cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a matrix of %lld entries", (long long)n_entries);
  } else {
    sort_by(row, m, n_entries, NULL, matrix->start, by_row);
    sort_by(column, n, n_entries, by_row, matrix->start, sorted);
    compress(matrix, sorted, row, x);
  }
  free(by_row);
  free(sorted);
  return status;
}

void cairn_sparse_fini(struct cairn_sparse *matrix) {
  free(matrix->start);
  free(matrix->row);
  free(matrix->x);
  *matrix = (struct cairn_sparse){0};
}

void cairn_sparse_multiply(const struct cairn_sparse *matrix, const double *x, double *y) {
  for (int64_t j = 0; j < matrix->n; j++)
    for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++)
      y[matrix->row[k]] += matrix->x[k] * x[j];
}

void cairn_sparse_multiply_transposed(const struct cairn_sparse *matrix, const double *x, double *y) {
  for (int64_t j = 0; j < matrix->n; j++)
    for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++)
      y[j] += matrix->x[k] * x[matrix->row[k]];
}
