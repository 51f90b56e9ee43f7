/* A frictional contact problem in W form: find r and u with u = W r + q and Coulomb's law at each of n contacts
 * (kernels/contact_dynamics/friction.h). W is a square sparse matrix of 3 × 3 blocks, positive semi-definite up to
 * rounding; it need not be exactly symmetric. */
#ifndef CAIRN_DATA_FCLIB_FRICTION_PROBLEM_H
#define CAIRN_DATA_FCLIB_FRICTION_PROBLEM_H

#include "cairn/error.h"
#include "data/fclib/sparse.h"
#include "kernels/contact_dynamics/friction_sweep.h"

/* Everything the kernels read, owned. Vectors have CAIRN_FRICTION_LANES doubles per contact. */
struct cairn_friction_problem {
  int64_t n;        /* contacts */
  int64_t n_blocks; /* off the diagonal */
  int dimension;    /* of the matrix it was made from: 2 (n, t) or 3 (n, t1, t2) */
  int64_t *start;
  int32_t *row;
  double *block, *w, *law, *q;
  struct cairn_friction_contact *contact;
};

/* From a scalar matrix of `dimension` rows per contact and q, mu in the same order. Refused: numbers that are not
 * finite, negative friction, a contact whose W_ii has no positive diagonal. In two dimensions a second tangent is added
 * in which nothing happens, with the mean of the other two numbers on the diagonal, so that rho stays the same. */
int cairn_friction_problem_create(const struct cairn_sparse *w, int dimension, const double *q, const double *mu,
                                  struct cairn_friction_problem **problem, struct cairn_error *error);

void cairn_friction_problem_free(struct cairn_friction_problem *problem);

struct cairn_friction_system cairn_friction_problem_system(const struct cairn_friction_problem *problem);

#endif
