#include "data/fclib/mass_matrix.h"

#include <math.h>
#include <stdlib.h>

/* Bounds on memory: numbers in all factors, entries of W before they are added up. */
static const int64_t MOST_FACTORS = (int64_t)1 << 27, MOST_ENTRIES = (int64_t)1 << 30;

static int out_of_memory(struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the mass matrix");
}

static int32_t root_of(int32_t *parent, int32_t i) {
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

/* Rows that share an entry belong to one part; the smallest row leads it. */
static void find_parts(const struct cairn_sparse *m, struct cairn_mass_matrix *mass, int32_t *parent) {
  for (int64_t i = 0; i < m->n; i++)
    parent[i] = (int32_t)i;
  for (int64_t j = 0; j < m->n; j++)
    for (int64_t k = m->start[j]; k < m->start[j + 1]; k++) {
      const int32_t a = root_of(parent, (int32_t)j), b = root_of(parent, m->row[k]);
      if (a < b)
        parent[b] = a;
      else
        parent[a] = b;
    }
  for (int64_t i = 0; i < m->n; i++) {
    const int32_t root = root_of(parent, (int32_t)i);
    mass->part[i] = root == i ? (int32_t)mass->n_parts++ : mass->part[root];
  }
}

static int place_rows(struct cairn_mass_matrix *mass, struct cairn_error *error) {
  for (int64_t i = 0; i < mass->n; i++)
    mass->place[i] = (int32_t)mass->start[mass->part[i] + 1]++;
  for (int64_t k = 0; k < mass->n_parts; k++) {
    const int64_t size = mass->start[k + 1];
    if (size > CAIRN_MASS_MATRIX_PART)
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "M couples %lld rows; supported are rigid bodies and other parts of up to %d rows",
                             (long long)size, CAIRN_MASS_MATRIX_PART);
    mass->offset[k + 1] = mass->offset[k] + size * size;
    mass->start[k + 1] += mass->start[k];
  }
  if (mass->offset[mass->n_parts] > MOST_FACTORS)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "the parts of M are too large: %lld numbers in their factors",
                           (long long)mass->offset[mass->n_parts]);
  for (int64_t i = 0; i < mass->n; i++)
    mass->row[mass->start[mass->part[i]] + mass->place[i]] = (int32_t)i;
  return 0;
}

static int is_symmetric(const double *a, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < i; j++)
      if (fabs(a[n * i + j] - a[n * j + i]) > 1e-8 * sqrt(fabs(a[n * i + i]) * fabs(a[n * j + j])))
        return 0;
  return 1;
}

/* The lower triangle of `a` becomes its Cholesky factor. Returns -1, or the row whose pivot is not positive. */
static int64_t factor(double *a, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    const double own = a[n * i + i];
    for (int64_t j = 0; j <= i; j++) {
      double sum = a[n * i + j];
      for (int64_t k = 0; k < j; k++)
        sum -= a[n * i + k] * a[n * j + k];
      if (j < i)
        a[n * i + j] = sum / a[n * j + j];
      else if (sum > 1e-14 * own)
        a[n * i + i] = sqrt(sum);
      else
        return i;
    }
  }
  return -1;
}

static int factor_parts(const struct cairn_sparse *m, struct cairn_mass_matrix *mass, struct cairn_error *error) {
  for (int64_t j = 0; j < m->n; j++)
    for (int64_t k = m->start[j]; k < m->start[j + 1]; k++) {
      const int64_t part = mass->part[j], size = mass->start[part + 1] - mass->start[part];
      mass->factor[mass->offset[part] + size * mass->place[m->row[k]] + mass->place[j]] = m->x[k];
    }
  for (int64_t k = 0; k < mass->n_parts; k++) {
    const int64_t size = mass->start[k + 1] - mass->start[k];
    double *a = mass->factor + mass->offset[k];
    if (!is_symmetric(a, size))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "M is not symmetric around row %d", mass->row[mass->start[k]]);
    const int64_t bad = factor(a, size);
    if (bad >= 0)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "M is not positive definite at row %d",
                             mass->row[mass->start[k] + bad]);
  }
  return 0;
}

int cairn_mass_matrix_create(const struct cairn_sparse *m, struct cairn_mass_matrix *mass, struct cairn_error *error) {
  const size_t n = (size_t)m->n;
  *mass = (struct cairn_mass_matrix){.n = m->n};
  if (m->m != m->n || m->n < 1)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "M has %lld rows and %lld columns, expected a square matrix",
                           (long long)m->m, (long long)m->n);
  mass->start = calloc(n + 1, sizeof *mass->start);
  mass->offset = calloc(n + 1, sizeof *mass->offset);
  mass->row = malloc(n * sizeof *mass->row);
  mass->part = malloc(n * sizeof *mass->part);
  mass->place = malloc(n * sizeof *mass->place);
  int status = 0;
  if (!mass->start || !mass->offset || !mass->row || !mass->part || !mass->place) {
    status = out_of_memory(error);
  } else {
    find_parts(m, mass, mass->row);
    status = place_rows(mass, error);
  }
  if (!status) {
    mass->factor = calloc((size_t)mass->offset[mass->n_parts], sizeof *mass->factor);
    status = mass->factor ? factor_parts(m, mass, error) : out_of_memory(error);
  }
  if (status)
    cairn_mass_matrix_fini(mass);
  return status;
}

void cairn_mass_matrix_fini(struct cairn_mass_matrix *mass) {
  free(mass->start);
  free(mass->offset);
  free(mass->row);
  free(mass->part);
  free(mass->place);
  free(mass->factor);
  *mass = (struct cairn_mass_matrix){0};
}

/* x becomes L^-1 x, and L^-T x. */
static void forward(const double *l, int64_t n, double *x) {
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < i; j++)
      x[i] -= l[n * i + j] * x[j];
    x[i] /= l[n * i + i];
  }
}

static void backward(const double *l, int64_t n, double *x) {
  for (int64_t i = n - 1; i >= 0; i--) {
    for (int64_t j = i + 1; j < n; j++)
      x[i] -= l[n * j + i] * x[j];
    x[i] /= l[n * i + i];
  }
}

void cairn_mass_matrix_solve(const struct cairn_mass_matrix *mass, double *x) {
  double part[CAIRN_MASS_MATRIX_PART];
  for (int64_t k = 0; k < mass->n_parts; k++) {
    const int32_t *row = mass->row + mass->start[k];
    const int64_t size = mass->start[k + 1] - mass->start[k];
    for (int64_t i = 0; i < size; i++)
      part[i] = x[row[i]];
    forward(mass->factor + mass->offset[k], size, part);
    backward(mass->factor + mass->offset[k], size, part);
    for (int64_t i = 0; i < size; i++)
      x[row[i]] = part[i];
  }
}

/* Which columns of H touch which part: columns first[k] … first[k + 1] - 1 of `columns`. */
struct touches {
  int64_t *first;
  int32_t *columns;
  int64_t entries; /* of W: the sum of squares */
  int64_t widest;  /* the largest number of numbers in one part's columns */
};

static void free_contacts_fini(struct touches *t) {
  free(t->first);
  free(t->columns);
}

/* Calls of one pass: count (columns NULL) or list. `last` holds the last column seen by each part. */
static void touch(const struct cairn_mass_matrix *mass, const struct cairn_sparse *h, int64_t *count, int32_t *columns,
                  int32_t *last) {
  for (int64_t k = 0; k < mass->n_parts; k++)
    last[k] = -1;
  for (int64_t j = 0; j < h->n; j++)
    for (int64_t k = h->start[j]; k < h->start[j + 1]; k++) {
      const int32_t part = mass->part[h->row[k]];
      if (last[part] == j)
        continue;
      last[part] = (int32_t)j;
      if (columns)
        columns[count[part]] = (int32_t)j;
      count[part]++;
    }
}

static int free_contacts_init(const struct cairn_mass_matrix *mass, const struct cairn_sparse *h, struct touches *t,
                              struct cairn_error *error) {
  const size_t n = (size_t)mass->n_parts;
  int32_t *last = malloc(n * sizeof *last);
  *t = (struct touches){.first = calloc(n + 2, sizeof *t->first)};
  if (!last || !t->first) {
    free(last);
    return out_of_memory(error);
  }
  touch(mass, h, t->first + 2, NULL, last);
  for (int64_t k = 0; k < mass->n_parts; k++) {
    const int64_t count = t->first[k + 2], numbers = count * (mass->start[k + 1] - mass->start[k]);
    t->entries += count * count;
    t->widest = numbers > t->widest ? numbers : t->widest;
    t->first[k + 2] += t->first[k + 1];
  }
  t->columns = malloc(((size_t)t->first[n + 1] + 1) * sizeof *t->columns);
  /* first[k + 1] is where the list of part k begins; listing moves it to where it ends */
  if (t->columns)
    touch(mass, h, t->first + 1, t->columns, last);
  free(last);
  return t->columns ? 0 : out_of_memory(error);
}

/* The entries of W that part k brings: X^T X with X = L^-1 H of that part. Returns their number. */
static int64_t add_part(const struct cairn_mass_matrix *mass, const struct cairn_sparse *h, const struct touches *t,
                        int64_t k, double *x, int32_t *row, int32_t *column, double *value) {
  const int64_t size = mass->start[k + 1] - mass->start[k], n = t->first[k + 1] - t->first[k];
  const int32_t *columns = t->columns + t->first[k];
  for (int64_t c = 0; c < n; c++) {
    double *xc = x + size * c;
    for (int64_t i = 0; i < size; i++)
      xc[i] = 0;
    for (int64_t e = h->start[columns[c]]; e < h->start[columns[c] + 1]; e++)
      if (mass->part[h->row[e]] == k)
        xc[mass->place[h->row[e]]] = h->x[e];
    forward(mass->factor + mass->offset[k], size, xc);
  }
  for (int64_t a = 0; a < n; a++)
    for (int64_t b = 0; b < n; b++) {
      double sum = 0;
      for (int64_t i = 0; i < size; i++)
        sum += x[size * a + i] * x[size * b + i];
      row[n * a + b] = columns[a];
      column[n * a + b] = columns[b];
      value[n * a + b] = sum;
    }
  return n * n;
}

int cairn_mass_matrix_form_w(const struct cairn_mass_matrix *mass, const struct cairn_sparse *h, struct cairn_sparse *w,
                             struct cairn_error *error) {
  struct touches t;
  *w = (struct cairn_sparse){0};
  int status = free_contacts_init(mass, h, &t, error);
  if (!status && t.entries > MOST_ENTRIES)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "W would have up to %lld entries, which is too many",
                             (long long)t.entries);
  if (!status) {
    const size_t entries = (size_t)t.entries + 1;
    int32_t *row = malloc(entries * sizeof *row), *column = malloc(entries * sizeof *column);
    double *value = malloc(entries * sizeof *value), *x = malloc(((size_t)t.widest + 1) * sizeof *x);
    int64_t at = 0;
    if (!row || !column || !value || !x)
      status = out_of_memory(error);
    for (int64_t k = 0; k < mass->n_parts && !status; k++)
      at += add_part(mass, h, &t, k, x, row + at, column + at, value + at);
    if (!status)
      status = cairn_sparse_from_entries(h->n, h->n, at, row, column, value, w, error);
    free(row);
    free(column);
    free(value);
    free(x);
  }
  free_contacts_fini(&t);
  return status;
}
