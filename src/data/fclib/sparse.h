/* Sparse matrices by columns, rows ascending in each column, no entry twice. */
#ifndef CAIRN_DATA_FCLIB_SPARSE_H
#define CAIRN_DATA_FCLIB_SPARSE_H

#include <stdint.h>

#include "cairn/error.h"

struct cairn_sparse {
  int64_t m, n;   /* rows, columns */
  int64_t *start; /* n + 1 */
  int32_t *row;
  double *x;
};

/* From entries (row, column, x) in any order; those with the same place are added in their order, zeros are left out.
 * The caller has checked the ranges. */
int cairn_sparse_from_entries(int64_t m, int64_t n, int64_t n_entries, const int32_t *row, const int32_t *column,
                              const double *x, struct cairn_sparse *matrix, struct cairn_error *error);

void cairn_sparse_fini(struct cairn_sparse *matrix);

/* y += A x and y += A^T x. */
void cairn_sparse_multiply(const struct cairn_sparse *matrix, const double *x, double *y);
void cairn_sparse_multiply_transposed(const struct cairn_sparse *matrix, const double *x, double *y);

#endif
