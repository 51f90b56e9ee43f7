/* The mass matrix of a set of bodies: symmetric, positive definite, made of parts that have nothing to do with each
 * other (a rigid body is a part of six). Each part is factored as a dense matrix, M = L L^T. */
#ifndef CAIRN_DATA_FCLIB_MASS_MATRIX_H
#define CAIRN_DATA_FCLIB_MASS_MATRIX_H

#include "data/fclib/sparse.h"

/* The largest part that is taken: its contacts all act on each other, so W is dense there anyway. */
enum { CAIRN_MASS_MATRIX_PART = 4096 };

struct cairn_mass_matrix {
  int64_t n;       /* rows */
  int64_t n_parts; /* ordered by their first rows */
  int64_t *start;  /* n_parts + 1: the rows of part k are row[start[k]] …, ascending */
  int32_t *row;
  int32_t *part;   /* of each row */
  int32_t *place;  /* of each row within its part */
  int64_t *offset; /* n_parts + 1: the factor of part k, row by row */
  double *factor;
};

/* Refused: a matrix that is not square, symmetric (to 1e-8) and positive definite, or has a part larger than above. */
int cairn_mass_matrix_create(const struct cairn_sparse *m, struct cairn_mass_matrix *mass, struct cairn_error *error);

void cairn_mass_matrix_fini(struct cairn_mass_matrix *mass);

/* x becomes M^-1 x. */
void cairn_mass_matrix_solve(const struct cairn_mass_matrix *mass, double *x);

/* W = H^T M^-1 H. */
int cairn_mass_matrix_form_w(const struct cairn_mass_matrix *mass, const struct cairn_sparse *h, struct cairn_sparse *w,
                             struct cairn_error *error);

#endif
