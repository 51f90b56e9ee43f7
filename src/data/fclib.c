#include "data/fclib.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/durable.h"

enum { LANES = CAIRN_FRICTION_LANES, NAME = 256 };

/* An open file. `most` bounds the bytes that a dataset may claim: no filter of HDF5 packs more than about a thousand
 * times, so a small file that promises more is broken. */
struct source {
  const char *path;
  hid_t file;
  double most;
  struct cairn_error *error;
};

/* HDF5 prints what goes wrong unless it is told not to. */
static void be_quiet(void) { H5Eset_auto2(H5E_DEFAULT, NULL, NULL); }

static int out_of_memory(struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the contact problem");
}

static int refuse(const struct source *s, const char *name, const char *what) {
  return cairn_error_set(s->error, CAIRN_ERR_INPUT, "%s: %s: %s", s->path, name, what);
}

/* Does every part of an absolute name exist? */
static int exists(const struct source *s, const char *name) {
  char part[NAME];
  for (const char *end = strchr(name + 1, '/');; end = strchr(end + 1, '/')) {
    const size_t length = end ? (size_t)(end - name) : strlen(name);
    if (length >= sizeof part)
      return 0;
    memcpy(part, name, length);
    part[length] = '\0';
    if (H5Lexists(s->file, part, H5P_DEFAULT) <= 0)
      return 0;
    if (!end)
      return 1;
  }
}

/* Open a dataset of the given class and say how many numbers it has. */
static int open_dataset(const struct source *s, const char *name, H5T_class_t class, hid_t *dataset, int64_t *n) {
  char text[NAME];
  if (!exists(s, name))
    return refuse(s, name, "is missing");
  *dataset = H5Dopen2(s->file, name, H5P_DEFAULT);
  if (*dataset < 0)
    return refuse(s, name, "is no readable dataset");
  const hid_t type = H5Dget_type(*dataset), space = H5Dget_space(*dataset);
  const H5T_class_t found = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
  const size_t width = type < 0 ? 1 : H5Tget_size(type);
  const hssize_t points = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  if (type >= 0)
    H5Tclose(type);
  if (space >= 0)
    H5Sclose(space);
  *n = points;
  int status = 0;
  if (found != class) {
    snprintf(text, sizeof text, "has the wrong type, expected %s", class == H5T_FLOAT ? "real numbers" : "integers");
    status = refuse(s, name, text);
  } else if (points < 0 || (double)points * (double)width > s->most) {
    status = refuse(s, name, "claims more numbers than the file can hold");
  }
  if (status)
    H5Dclose(*dataset);
  return status;
}

/* Read the first n numbers as `memory` type into a new array of elements of `width` bytes. */
static int read_array(const struct source *s, const char *name, H5T_class_t class, hid_t memory, size_t width,
                      int64_t n, void **array) {
  hid_t dataset = -1;
  int64_t found = 0;
  char text[NAME];
  *array = NULL;
  int status = open_dataset(s, name, class, &dataset, &found);
  if (status)
    return status;
  if (found < n) {
    snprintf(text, sizeof text, "has %lld numbers, expected %lld", (long long)found, (long long)n);
    status = refuse(s, name, text);
  } else if (!(*array = malloc((size_t)(found > 0 ? found : 1) * width))) {
    status = out_of_memory(s->error);
  } else if (found > 0 && H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, *array) < 0) {
    status = refuse(s, name, "cannot be read");
  }
  H5Dclose(dataset);
  if (status) {
    free(*array);
    *array = NULL;
  }
  return status;
}

static int read_integers(const struct source *s, const char *name, int64_t n, int32_t **array) {
  void *memory;
  const int status = read_array(s, name, H5T_INTEGER, H5T_NATIVE_INT32, sizeof(int32_t), n, &memory);
  *array = memory;
  return status;
}

static int read_numbers(const struct source *s, const char *name, int64_t n, double **array) {
  void *memory;
  int status = read_array(s, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, sizeof(double), n, &memory);
  *array = memory;
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

/* Pointers of compressed columns or rows into a list of the column or row of each entry; a->p is replaced. */
static int expand(const struct source *s, const char *name, struct stored *a, int64_t n) {
  int ascending = a->p[0] == 0;
  for (int64_t j = 0; j < n; j++)
    ascending = ascending && a->p[j] <= a->p[j + 1];
  if (!ascending)
    return refuse(s, name, "does not ascend from 0");
  a->n_entries = a->p[n];
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
  const double most = fmin(s->most / sizeof(double), INT_MAX - 1);
  if (!status && (a->m < 1 || a->n < 1 || (double)a->m > most || (double)a->n > most))
    status = refuse(s, group, "has no rows or columns, or more than the file can hold");
  if (!status && a->nz < -2)
    status = refuse(s, name, "is less than -2: no known way to store a matrix");
  return status;
}

static int read_stored(const struct source *s, const char *group, struct stored *a) {
  char name[NAME];
  int status = read_sizes(s, group, a);
  if (!status && a->nz >= 0) {
    a->n_entries = a->nz;
    status = read_integers(s, join(name, group, "p"), a->nz, &a->p);
  } else if (!status) {
    const int64_t n = a->nz == -1 ? a->n : a->m;
    status = read_integers(s, join(name, group, "p"), n + 1, &a->p);
    if (!status)
      status = expand(s, name, a, n);
  }
  if (!status)
    status = check_range(s, name, a->p, a->n_entries, a->nz == -2 ? a->m : a->n);
  if (!status)
    status = read_integers(s, join(name, group, "i"), a->n_entries, &a->i);
  if (!status)
    status = check_range(s, name, a->i, a->n_entries, a->nz == -2 ? a->n : a->m);
  if (!status)
    status = read_numbers(s, join(name, group, "x"), a->n_entries, &a->x);
  return status;
}

static int read_matrix(const struct source *s, const char *group, struct cairn_sparse *matrix) {
  struct stored a = {0};
  *matrix = (struct cairn_sparse){0};
  int status = exists(s, group) ? read_stored(s, group, &a) : refuse(s, group, "is missing");
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
  for (; *names; names++)
    if (exists(s, *names))
      return refuse(s, *names, what);
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
  if (!exists(s, name))
    return;
  const hid_t dataset = H5Dopen2(s->file, name, H5P_DEFAULT);
  const hid_t type = dataset < 0 ? -1 : H5Dget_type(dataset), space = dataset < 0 ? -1 : H5Dget_space(dataset);
  if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
      H5Tget_size(type) < 1 << 20 && H5Sget_simple_extent_npoints(space) == 1) {
    const size_t size = H5Tget_size(type);
    char *text = calloc(size + 1, 1);
    if (text && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0)
      snprintf(file->title, sizeof file->title, "%.*s", (int)sizeof file->title - 1, text);
    free(text);
  }
  for (char *c = file->title; *c; c++)
    *c = *c >= ' ' && *c <= '~' ? *c : ' ';
  if (space >= 0)
    H5Sclose(space);
  if (type >= 0)
    H5Tclose(type);
  if (dataset >= 0)
    H5Dclose(dataset);
}

static int read_problem(const struct source *s, struct cairn_fclib *file) {
  static const char *const rolling[] = {"/fclib_global_rolling", "/fclib_local_rolling", NULL};
  int status = has_none_of(s, rolling, "rolling friction is not supported");
  if (status)
    return status;
  if (exists(s, "/fclib_local")) {
    read_title(s, "/fclib_local/info/title", file);
    return read_local(s, file);
  }
  if (exists(s, "/fclib_global")) {
    read_title(s, "/fclib_global/info/title", file);
    return read_global(s, file);
  }
  return cairn_error_set(s->error, CAIRN_ERR_INPUT, "%s: has neither /fclib_local nor /fclib_global", s->path);
}

int cairn_fclib_read(const char *path, struct cairn_fclib *file, struct cairn_error *error) {
  struct stat info;
  *file = (struct cairn_fclib){0};
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return cairn_durable_fail(error, "read", path, errno);
  const int is_file = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  close(descriptor);
  if (!is_file)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s: is no regular file", path);
  be_quiet();
  struct source s = {.path = path, .most = 1e6 + 1100. * (double)info.st_size, .error = error};
  s.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (s.file < 0)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s: is no HDF5 file, or a damaged one", path);
  const int status = read_problem(&s, file);
  H5Fclose(s.file);
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
  const int to = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  int status = to < 0 ? cairn_durable_fail(error, "write", target, errno) : copy_bytes(from, to, target, error);
  if (to >= 0 && close(to) && !status)
    status = cairn_durable_fail(error, "write", target, errno);
  close(from);
  return status;
}

static int put(hid_t group, const char *name, const double *x, int64_t n) {
  const hsize_t size = (hsize_t)n;
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const hid_t dataset =
      space < 0 ? -1 : H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int bad = dataset < 0 || H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0;
  if (dataset >= 0)
    bad |= H5Dclose(dataset) < 0;
  if (space >= 0)
    H5Sclose(space);
  return bad;
}

static int put_solution(const char *path, const double *r, const double *u, int64_t n, const double *v, int64_t n_v) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  if (file < 0)
    return 1;
  int bad = H5Lexists(file, "/solution", H5P_DEFAULT) > 0 && H5Ldelete(file, "/solution", H5P_DEFAULT) < 0;
  const hid_t group = bad ? -1 : H5Gcreate2(file, "/solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bad = group < 0 || put(group, "r", r, n) || put(group, "u", u, n) || (v && put(group, "v", v, n_v));
  if (group >= 0)
    bad |= H5Gclose(group) < 0;
  bad |= H5Fclose(file) < 0;
  return bad;
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
  be_quiet();
  int status = copy_file(path, part, error);
  if (!status && put_solution(part, r, u, n, v, file->h.m))
    status = cairn_error_set(error, CAIRN_ERR_IO, "cannot write the solution into '%s'", part);
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
  char *part = cairn_durable_name(real ? real : target, ".part", error);
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
