#include "data/fclib/fclib.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/fclib/hdf5_file.h"
#include "data/storage/durable.h"

enum { LANES = CAIRN_FRICTION_LANES, NAME = 256 };

struct source {
  const char *path;
  struct cairn_hdf5_file *file;
  struct cairn_error *error;
};

static int out_of_memory(struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the contact problem");
}

static int refuse(const struct source *s, const char *name, const char *what) {
  return cairn_error_set(s->error, CAIRN_ERR_INPUT, "%s: %s: %s", s->path, name, what);
}

static int exists(const struct source *s, const char *name) { return cairn_hdf5_file_has(s->file, name, s->error); }

static int read_integers(const struct source *s, const char *name, int64_t n, int32_t **array) {
  return cairn_hdf5_file_integers(s->file, name, n, array, s->error);
}

static int read_numbers(const struct source *s, const char *name, int64_t n, double **array) {
  int status = cairn_hdf5_file_reals(s->file, name, n, array, s->error);
  for (int64_t i = 0; i < n && !status; i++)
    if (!isfinite((*array)[i]))
      status = refuse(s, name, "holds a number that is not finite");
  if (status) {
    free(*array);
    *array = NULL;
  }
  return status;
}

static int read_integer(const struct source *s, const char *name, int64_t *value) {
  int32_t *array;
  const int status = read_integers(s, name, 1, &array);
  *value = status ? 0 : array[0];
  free(array);
  return status;
}

static const char *join(char *text, const char *group, const char *name) {
  snprintf(text, NAME, "%s/%s", group, name);
  return text;
}

/* A matrix as it stands in the file. */
struct stored {
  int64_t m, n, nz;
  int64_t n_entries;
  int32_t *p, *i;
  double *x;
};

static void stored_fini(struct stored *a) {
  free(a->p);
  free(a->i);
  free(a->x);
}

/* Pointers of n compressed columns or rows: how many entries do they point into? */
static int check_pointers(const struct source *s, const char *name, struct stored *a, int64_t n) {
  int ascending = a->p[0] == 0;
  for (int64_t j = 0; j < n; j++)
    ascending = ascending && a->p[j] <= a->p[j + 1];
  a->n_entries = a->p[n];
  return ascending ? 0 : refuse(s, name, "does not ascend from 0");
}

/* Turn them into a list of the column or row of each entry; a->p is replaced. */
static int expand(const struct source *s, struct stored *a, int64_t n) {
  int32_t *list = malloc(((size_t)a->n_entries + 1) * sizeof *list);
  if (!list)
    return out_of_memory(s->error);
  for (int64_t j = 0; j < n; j++)
    for (int64_t k = a->p[j]; k < a->p[j + 1]; k++)
      list[k] = (int32_t)j;
  free(a->p);
  a->p = list;
  return 0;
}

static int check_range(const struct source *s, const char *name, const int32_t *index, int64_t n, int64_t limit) {
  char text[NAME];
  for (int64_t k = 0; k < n; k++)
    if (index[k] < 0 || index[k] >= limit) {
      snprintf(text, sizeof text, "holds the index %d, expected 0 to %lld", index[k], (long long)limit - 1);
      return refuse(s, name, text);
    }
  return 0;
}

static int read_sizes(const struct source *s, const char *group, struct stored *a) {
  char name[NAME];
  int status = read_integer(s, join(name, group, "m"), &a->m);
  if (!status)
    status = read_integer(s, join(name, group, "n"), &a->n);
  if (!status)
    status = read_integer(s, join(name, group, "nz"), &a->nz);
  /* vectors of this length are in the file, too */
  const double most = fmin(cairn_hdf5_file_most(s->file) / sizeof(double), INT_MAX - 1);
  if (!status && (a->m < 1 || a->n < 1 || (double)a->m > most || (double)a->n > most))
    status = refuse(s, group, "has no rows or columns, or more than the file can hold");
  if (!status && a->nz < -2)
    status = refuse(s, name, "is less than -2: no known way to store a matrix");
  return status;
}

/* Lengths come from the file: what has them is read, and so known to be there, before memory is taken for more. */
static int read_stored(const struct source *s, const char *group, struct stored *a) {
  char name[NAME];
  int status = read_sizes(s, group, a);
  const int64_t n_pointers = a->nz == -1 ? a->n : a->m;
  if (!status && a->nz >= 0) {
    a->n_entries = a->nz;
    status = read_integers(s, join(name, group, "p"), a->nz, &a->p);
  } else if (!status) {
    status = read_integers(s, join(name, group, "p"), n_pointers + 1, &a->p);
    if (!status)
      status = check_pointers(s, name, a, n_pointers);
  }
  if (!status)
    status = read_integers(s, join(name, group, "i"), a->n_entries, &a->i);
  if (!status)
    status = check_range(s, name, a->i, a->n_entries, a->nz == -2 ? a->n : a->m);
  if (!status)
    status = read_numbers(s, join(name, group, "x"), a->n_entries, &a->x);
  if (!status && a->nz < 0)
    status = expand(s, a, n_pointers);
  if (!status)
    status = check_range(s, join(name, group, "p"), a->p, a->n_entries, a->nz == -2 ? a->m : a->n);
  return status;
}

static int read_matrix(const struct source *s, const char *group, struct cairn_sparse *matrix) {
  struct stored a = {0};
  *matrix = (struct cairn_sparse){0};
  const int found = exists(s, group);
  int status = found > 0 ? read_stored(s, group, &a) : found < 0 ? found : refuse(s, group, "is missing");
  if (!status) {
    const int by_rows = a.nz == -2;
    status = cairn_sparse_from_entries(a.m, a.n, a.n_entries, by_rows ? a.p : a.i, by_rows ? a.i : a.p, a.x, matrix,
                                       s->error);
  }
  stored_fini(&a);
  return status;
}

static int read_dimension(const struct source *s, const char *name, int64_t *dimension) {
  const int status = read_integer(s, name, dimension);
  return !status && *dimension != 2 && *dimension != 3 ? refuse(s, name, "is neither 2 nor 3") : status;
}

/* Messages about the problem itself do not know the file. */
static int make_problem(const struct source *s, const struct cairn_sparse *w, int64_t dimension, const double *q,
                        const double *mu, struct cairn_fclib *file) {
  struct cairn_error inner = {0};
  const int status = cairn_friction_problem_create(w, (int)dimension, q, mu, &file->problem, &inner);
  return status ? cairn_error_set(s->error, inner.status, "%s: %.900s", s->path, inner.message) : 0;
}

static int has_none_of(const struct source *s, const char *const *names, const char *what) {
  for (; *names; names++) {
    const int found = exists(s, *names);
    if (found)
      return found < 0 ? found : refuse(s, *names, what);
  }
  return 0;
}

static int check_rows(const struct source *s, const char *name, int64_t rows, int64_t dimension) {
  return rows % dimension ? refuse(s, name, "is no multiple of spacedim") : 0;
}

static int read_local(const struct source *s, struct cairn_fclib *file) {
  static const char *const equalities[] = {"/fclib_local/V", "/fclib_local/R", "/fclib_local/vectors/s", NULL};
  struct cairn_sparse w = {0};
  double *q = NULL, *mu = NULL;
  int64_t d = 3;
  int status = has_none_of(s, equalities, "equality constraints are not supported");
  if (!status)
    status = read_dimension(s, "/fclib_local/spacedim", &d);
  if (!status)
    status = read_matrix(s, "/fclib_local/W", &w);
  if (!status)
    status = check_rows(s, "/fclib_local/W/m", w.m, d);
  if (!status)
    status = read_numbers(s, "/fclib_local/vectors/q", w.m, &q);
  if (!status)
    status = read_numbers(s, "/fclib_local/vectors/mu", w.m / d, &mu);
  if (!status)
    status = make_problem(s, &w, d, q, mu, file);
  cairn_sparse_fini(&w);
  free(q);
  free(mu);
  return status;
}

/* M, H and f, w, mu. */
static int read_global_parts(const struct source *s, int64_t d, struct cairn_fclib *file, double **w, double **mu) {
  struct cairn_sparse m = {0};
  int status = read_matrix(s, "/fclib_global/M", &m);
  if (!status)
    status = read_matrix(s, "/fclib_global/H", &file->h);
  if (!status && file->h.m != m.n)
    status = refuse(s, "/fclib_global/H/m", "differs from the size of M");
  if (!status)
    status = check_rows(s, "/fclib_global/H/n", file->h.n, d);
  if (!status)
    status = read_numbers(s, "/fclib_global/vectors/f", m.n, &file->f);
  if (!status)
    status = read_numbers(s, "/fclib_global/vectors/w", file->h.n, w);
  if (!status)
    status = read_numbers(s, "/fclib_global/vectors/mu", file->h.n / d, mu);
  if (!status) {
    struct cairn_error inner = {0};
    status = cairn_mass_matrix_create(&m, &file->mass, &inner);
    if (status)
      cairn_error_set(s->error, inner.status, "%s: %.900s", s->path, inner.message);
  }
  cairn_sparse_fini(&m);
  return status;
}

/* v = M^-1 (H r + f), r may be NULL. */
static void move_bodies(const struct cairn_fclib *file, const double *r, double *v) {
  memcpy(v, file->f, (size_t)file->h.m * sizeof *v);
  if (r)
    cairn_sparse_multiply(&file->h, r, v);
  cairn_mass_matrix_solve(&file->mass, v);
}

static int read_global(const struct source *s, struct cairn_fclib *file) {
  static const char *const equalities[] = {"/fclib_global/G", "/fclib_global/vectors/b", NULL};
  struct cairn_sparse w = {0};
  double *q = NULL, *mu = NULL, *v = NULL;
  int64_t d = 3;
  file->is_global = 1;
  int status = has_none_of(s, equalities, "equality constraints are not supported");
  if (!status)
    status = read_dimension(s, "/fclib_global/spacedim", &d);
  if (!status)
    status = read_global_parts(s, d, file, &q, &mu);
  if (!status)
    status = cairn_mass_matrix_form_w(&file->mass, &file->h, &w, s->error);
  if (!status) {
    v = malloc((size_t)file->h.m * sizeof *v);
    status = v ? 0 : out_of_memory(s->error);
  }
  if (!status) {
    move_bodies(file, NULL, v);
    cairn_sparse_multiply_transposed(&file->h, v, q);
    status = make_problem(s, &w, d, q, mu, file);
  }
  cairn_sparse_fini(&w);
  free(q);
  free(mu);
  free(v);
  return status;
}

/* The title is a courtesy: whatever is odd about it, it is left empty. */
static void read_title(const struct source *s, const char *name, struct cairn_fclib *file) {
  cairn_hdf5_file_text(s->file, name, file->title, sizeof file->title);
  for (char *c = file->title; *c; c++)
    *c = *c >= ' ' && *c <= '~' ? *c : ' ';
}

static int read_problem(const struct source *s, struct cairn_fclib *file) {
  static const char *const rolling[] = {"/fclib_global_rolling", "/fclib_local_rolling", NULL};
  int status = has_none_of(s, rolling, "rolling friction is not supported");
  if (status)
    return status;
  const int is_local = exists(s, "/fclib_local");
  if (is_local > 0) {
    read_title(s, "/fclib_local/info/title", file);
    return read_local(s, file);
  }
  const int is_global = is_local < 0 ? is_local : exists(s, "/fclib_global");
  if (is_global > 0) {
    read_title(s, "/fclib_global/info/title", file);
    return read_global(s, file);
  }
  if (is_global < 0)
    return is_global;
  return cairn_error_set(s->error, CAIRN_ERR_INPUT, "%s: has neither /fclib_local nor /fclib_global", s->path);
}

int cairn_fclib_read(const char *path, struct cairn_fclib *file, struct cairn_error *error) {
  struct source s = {.path = path, .error = error};
  *file = (struct cairn_fclib){0};
  int status = cairn_hdf5_file_open(path, &s.file, error);
  if (!status)
    status = read_problem(&s, file);
  cairn_hdf5_file_close(s.file);
  if (status)
    cairn_fclib_fini(file);
  return status;
}

void cairn_fclib_fini(struct cairn_fclib *file) {
  cairn_friction_problem_free(file->problem);
  cairn_mass_matrix_fini(&file->mass);
  cairn_sparse_fini(&file->h);
  free(file->f);
  *file = (struct cairn_fclib){0};
}

static int copy_bytes(int from, int to, const char *target, struct cairn_error *error) {
  enum { SIZE = 1 << 16 };
  char *buffer = malloc(SIZE);
  int status = buffer ? 0 : out_of_memory(error);
  while (!status) {
    const ssize_t n = read(from, buffer, SIZE);
    if (n == 0)
      break;
    if (n < 0)
      status = cairn_durable_fail(error, "copy to", target, errno);
    for (ssize_t done = 0; done < n && !status;) {
      const ssize_t written = write(to, buffer + done, (size_t)(n - done));
      if (written < 0)
        status = cairn_durable_fail(error, "write", target, errno);
      else
        done += written;
    }
  }
  free(buffer);
  return status;
}

/* The same bytes and the same permissions, always owned and writable by the owner. */
static int copy_file(const char *path, const char *target, struct cairn_error *error) {
  struct stat info;
  const int from = open(path, O_RDONLY | O_CLOEXEC);
  if (from < 0)
    return cairn_durable_fail(error, "read", path, errno);
  const mode_t mode = fstat(from, &info) ? 0600 : (info.st_mode & 0777) | 0600;
  const int to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  int status = to < 0 ? cairn_durable_fail(error, "write", target, errno) : copy_bytes(from, to, target, error);
  if (to >= 0 && close(to) && !status)
    status = cairn_durable_fail(error, "write", target, errno);
  close(from);
  return status;
}

/* Without the unused lanes. */
static double *pack(const double *x, int64_t n, int dimension) {
  double *packed = malloc((size_t)(n * dimension) * sizeof *packed);
  for (int64_t i = 0; packed && i < n; i++)
    for (int k = 0; k < dimension; k++)
      packed[dimension * i + k] = x[LANES * i + k];
  return packed;
}

static int write_copy(const struct cairn_fclib *file, const char *path, const char *target, const char *part,
                      const double *r, const double *u, const double *v, struct cairn_error *error) {
  const int64_t n = file->problem->n * file->problem->dimension;
  const struct cairn_hdf5_reals solution[] = {{"r", r, n}, {"u", u, n}, {"v", v, file->h.m}};
  int status = copy_file(path, part, error);
  if (!status)
    status = cairn_hdf5_file_put(part, "/solution", v ? 3 : 2, solution, error);
  if (!status)
    status = cairn_durable_sync(part, error);
  if (!status)
    status = cairn_durable_rename(part, target, error);
  if (status)
    unlink(part);
  return status;
}

int cairn_fclib_write(const struct cairn_fclib *file, const char *path, const char *target, const double *r,
                      const double *u, struct cairn_error *error) {
  const struct cairn_friction_problem *p = file->problem;
  /* a symbolic link stays one: what it names is replaced */
  char *real = realpath(target, NULL);
  char *part = cairn_durable_temporary_name(real ? real : target, error);
  double *packed_r = pack(r, p->n, p->dimension), *packed_u = pack(u, p->n, p->dimension);
  double *v = file->is_global ? malloc((size_t)file->h.m * sizeof *v) : NULL;
  int status = 0;
  if (!part || !packed_r || !packed_u || (file->is_global && !v)) {
    status = out_of_memory(error);
  } else {
    if (v)
      move_bodies(file, packed_r, v);
    status = write_copy(file, path, real ? real : target, part, packed_r, packed_u, v, error);
  }
  free(real);
  free(part);
  free(packed_r);
  free(packed_u);
  free(v);
  return status;
}
