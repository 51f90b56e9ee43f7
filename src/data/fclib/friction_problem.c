#include "data/fclib/friction_problem.h"

#include <math.h>
#include <stdlib.h>

enum { LANES = CAIRN_FRICTION_LANES };

/* Bounds beyond which products of the local solver would leave the range of numbers. */
static const double LEAST = 1e-60, MOST = 1e60;

static int out_of_memory(struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the contact problem");
}

static int check_vectors(int64_t n, int dimension, const double *q, const double *mu, struct cairn_error *error) {
  for (int64_t i = 0; i < n; i++) {
    if (!(mu[i] >= 0 && mu[i] <= MOST))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "mu of contact %lld is %g, expected a number from 0 on",
                             (long long)i, mu[i]);
    for (int k = 0; k < dimension; k++)
      if (!(fabs(q[dimension * i + k]) <= MOST))
        return cairn_error_set(error, CAIRN_ERR_INPUT, "q of contact %lld is %g, expected a finite number",
                               (long long)i, q[dimension * i + k]);
  }
  return 0;
}

/* Number the blocks of block column j in ascending order of rows: `rows` lists them, `place` (-1 everywhere else) holds
 * the position of each. Returns how many. */
static int compare(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static int64_t list_blocks(const struct cairn_sparse *w, int dimension, int64_t j, int32_t *rows, int32_t *place) {
  int64_t n = 0;
  for (int64_t k = w->start[dimension * j]; k < w->start[dimension * (j + 1)]; k++) {
    const int32_t i = w->row[k] / dimension;
    if (place[i] < 0) {
      place[i] = 0;
      rows[n++] = i;
    }
  }
  qsort(rows, (size_t)n, sizeof *rows, compare);
  for (int64_t k = 0; k < n; k++)
    place[rows[k]] = (int32_t)k;
  return n;
}

/* Copy the entries of block column j, whose blocks off the diagonal start at `at`. Returns where the next one's do. */
static int64_t copy_blocks(struct cairn_friction_problem *p, const struct cairn_sparse *w, int64_t j, int64_t at,
                           int32_t *rows, int32_t *place) {
  const int d = p->dimension;
  const int64_t n = list_blocks(w, d, j, rows, place);
  int64_t next = at;
  for (int64_t k = 0; k < n; k++) {
    place[rows[k]] = -1;
    if (rows[k] == j)
      continue;
    p->row[next] = rows[k];
    for (int e = 0; e < 9; e++)
      p->block[9 * next + e] = 0;
    place[rows[k]] = (int32_t)(next++ - at);
  }
  for (int column = 0; column < d; column++)
    for (int64_t k = w->start[d * j + column]; k < w->start[d * j + column + 1]; k++) {
      const int64_t i = w->row[k] / d;
      const int line = w->row[k] % d;
      if (i == j)
        p->w[9 * j + 3 * line + column] = w->x[k];
      else
        p->block[9 * (at + place[i]) + 3 * column + line] = w->x[k];
    }
  for (int64_t k = 0; k < n; k++)
    place[rows[k]] = -1;
  return next;
}

static int64_t count_blocks(const struct cairn_sparse *w, int dimension, int64_t n, int32_t *rows, int32_t *place) {
  int64_t total = 0;
  for (int64_t j = 0; j < n; j++) {
    const int64_t count = list_blocks(w, dimension, j, rows, place);
    for (int64_t k = 0; k < count; k++)
      place[rows[k]] = -1;
    total += count;
  }
  return total;
}

static int finish_contact(struct cairn_friction_problem *p, int64_t i, double mu, struct cairn_error *error) {
  double *w = p->w + 9 * i, *law = p->law + LANES * i;
  if (p->dimension == 2)
    w[8] = 0.5 * (w[0] + w[4]);
  if (!(w[0] >= LEAST && w[4] >= LEAST && w[8] >= LEAST))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "W of contact %lld has %g, %g, %g on its diagonal, expected positive numbers", (long long)i,
                           w[0], w[4], w[8]);
  p->contact[i] = cairn_friction_contact(w, mu);
  law[0] = p->contact[i].inverse_n;
  law[1] = p->contact[i].diagonal ? p->contact[i].inverse_t : 0;
  law[2] = mu;
  law[3] = p->contact[i].rho;
  return 0;
}

static int fill(struct cairn_friction_problem *p, const struct cairn_sparse *w, const double *q, const double *mu,
                int32_t *rows, int32_t *place, struct cairn_error *error) {
  const size_t n = (size_t)p->n;
  for (int64_t i = 0; i < p->n; i++)
    place[i] = -1;
  const size_t blocks = (size_t)count_blocks(w, p->dimension, p->n, rows, place);
  p->start = malloc((n + 1) * sizeof *p->start);
  p->row = malloc((blocks + 1) * sizeof *p->row);
  p->block = malloc((9 * blocks + 1) * sizeof *p->block);
  p->w = calloc(9 * n, sizeof *p->w);
  p->law = malloc(LANES * n * sizeof *p->law);
  p->q = calloc(LANES * n, sizeof *p->q);
  p->contact = malloc(n * sizeof *p->contact);
  if (!p->start || !p->row || !p->block || !p->w || !p->law || !p->q || !p->contact)
    return out_of_memory(error);
  int64_t at = 0;
  int status = 0;
  for (int64_t j = 0; j < p->n && !status; j++) {
    p->start[j] = at;
    at = copy_blocks(p, w, j, at, rows, place);
    for (int k = 0; k < p->dimension; k++)
      p->q[LANES * j + k] = q[p->dimension * j + k];
    status = finish_contact(p, j, mu[j], error);
  }
  p->start[p->n] = p->n_blocks = at;
  p->block[9 * at] = 0;
  return status;
}

int cairn_friction_problem_create(const struct cairn_sparse *w, int dimension, const double *q, const double *mu,
                                  struct cairn_friction_problem **problem, struct cairn_error *error) {
  *problem = NULL;
  if ((dimension != 2 && dimension != 3) || w->m != w->n || w->n < dimension || w->n % dimension)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "W has %lld rows and %lld columns, expected a square matrix of %d for each contact",
                           (long long)w->m, (long long)w->n, dimension);
  for (int64_t k = 0; k < w->start[w->n]; k++)
    if (!(fabs(w->x[k]) <= MOST))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "W has an entry %g in row %d, expected a finite number", w->x[k],
                             w->row[k]);
  const int64_t n = w->n / dimension;
  int status = check_vectors(n, dimension, q, mu, error);
  if (status)
    return status;
  struct cairn_friction_problem *p = calloc(1, sizeof *p);
  int32_t *rows = malloc((size_t)n * sizeof *rows), *place = malloc((size_t)n * sizeof *place);
  if (!p || !rows || !place) {
    status = out_of_memory(error);
  } else {
    p->n = n;
    p->dimension = dimension;
    status = fill(p, w, q, mu, rows, place, error);
  }
  free(rows);
  free(place);
  if (status)
    cairn_friction_problem_free(p);
  else
    *problem = p;
  return status;
}

void cairn_friction_problem_free(struct cairn_friction_problem *problem) {
  if (!problem)
    return;
  free(problem->start);
  free(problem->row);
  free(problem->block);
  free(problem->w);
  free(problem->law);
  free(problem->q);
  free(problem->contact);
  free(problem);
}

struct cairn_friction_system cairn_friction_problem_system(const struct cairn_friction_problem *p) {
  return (struct cairn_friction_system){.n = p->n,
                                        .start = p->start,
                                        .row = p->row,
                                        .block = p->block,
                                        .w = p->w,
                                        .law = p->law,
                                        .contact = p->contact,
                                        .q = p->q};
}
