/* Small contact problems as FCLIB files, made through HDF5 by hand. */
#ifndef CAIRN_TESTS_FCLIB_SAMPLE_H
#define CAIRN_TESTS_FCLIB_SAMPLE_H

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a matrix is stored. */
enum sample_form { SAMPLE_TRIPLET, SAMPLE_COLUMNS, SAMPLE_ROWS };

static inline void sample_put(hid_t file, const char *group, const char *name, hid_t type, const void *data,
                              int64_t n) {
  const hsize_t size = (hsize_t)n;
  char path[256];
  snprintf(path, sizeof path, "%s/%s", group, name);
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const hid_t set = H5Dcreate2(file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  if (set < 0 || (n > 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)) {
    fprintf(stderr, "cannot make %s\n", path);
    exit(1);
  }
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(links);
}

static inline void sample_integer(hid_t file, const char *group, const char *name, int value) {
  sample_put(file, group, name, H5T_NATIVE_INT, &value, 1);
}

/* The dense matrix a (m rows of n numbers) without its zeros; the list is longer than needed, as in real files. */
static inline void sample_matrix(hid_t file, const char *group, const double *a, int m, int n, enum sample_form form) {
  const int outer = form == SAMPLE_ROWS ? m : n, inner = form == SAMPLE_ROWS ? n : m, room = m * n + 3;
  int *p = calloc((size_t)(room > outer ? room : outer) + 1, sizeof *p), *i = calloc((size_t)room, sizeof *i), nz = 0;
  double *x = calloc((size_t)room, sizeof *x);
  for (int o = 0; o < outer; o++) {
    if (form != SAMPLE_TRIPLET)
      p[o] = nz;
    for (int k = 0; k < inner; k++) {
      const double value = form == SAMPLE_ROWS ? a[n * o + k] : a[n * k + o];
      if (value == 0)
        continue;
      if (form == SAMPLE_TRIPLET)
        p[nz] = o;
      i[nz] = k;
      x[nz++] = value;
    }
  }
  if (form != SAMPLE_TRIPLET)
    p[outer] = nz;
  sample_integer(file, group, "m", m);
  sample_integer(file, group, "n", n);
  sample_integer(file, group, "nzmax", room);
  sample_integer(file, group, "nz", form == SAMPLE_TRIPLET ? nz : form == SAMPLE_COLUMNS ? -1 : -2);
  sample_put(file, group, "p", H5T_NATIVE_INT, p, form == SAMPLE_TRIPLET ? room : outer + 1);
  sample_put(file, group, "i", H5T_NATIVE_INT, i, room);
  sample_put(file, group, "x", H5T_NATIVE_DOUBLE, x, room);
  free(p);
  free(i);
  free(x);
}

static inline hid_t sample_create(const char *path) {
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) {
    fprintf(stderr, "cannot make %s\n", path);
    exit(1);
  }
  return file;
}

static inline void sample_local(const char *path, int dimension, int n, const double *w, const double *q,
                                const double *mu, enum sample_form form) {
  const hid_t file = sample_create(path);
  sample_integer(file, "/fclib_local", "spacedim", dimension);
  sample_matrix(file, "/fclib_local/W", w, dimension * n, dimension * n, form);
  sample_put(file, "/fclib_local/vectors", "q", H5T_NATIVE_DOUBLE, q, dimension * n);
  sample_put(file, "/fclib_local/vectors", "mu", H5T_NATIVE_DOUBLE, mu, n);
  H5Fclose(file);
}

/* M is n_v × n_v, H is n_v × (dimension n). */
static inline void sample_global(const char *path, int dimension, int n, int n_v, const double *m, const double *h,
                                 const double *f, const double *w, const double *mu, enum sample_form form) {
  const hid_t file = sample_create(path);
  sample_integer(file, "/fclib_global", "spacedim", dimension);
  sample_matrix(file, "/fclib_global/M", m, n_v, n_v, form);
  sample_matrix(file, "/fclib_global/H", h, n_v, dimension * n, form);
  sample_put(file, "/fclib_global/vectors", "f", H5T_NATIVE_DOUBLE, f, n_v);
  sample_put(file, "/fclib_global/vectors", "w", H5T_NATIVE_DOUBLE, w, dimension * n);
  sample_put(file, "/fclib_global/vectors", "mu", H5T_NATIVE_DOUBLE, mu, n);
  H5Fclose(file);
}

static inline double *sample_read(const char *path, const char *name, int *n) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = file < 0 ? -1 : H5Dopen2(file, name, H5P_DEFAULT);
  double *x = NULL;
  *n = -1;
  if (set >= 0) {
    const hid_t space = H5Dget_space(set);
    *n = (int)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    x = calloc((size_t)*n + 1, sizeof *x);
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    H5Dclose(set);
  }
  if (file >= 0)
    H5Fclose(file);
  return x;
}

/* A chain of n + 1 spheres of mass `mass` and radius 1/2 along x, touching, the ends pushed together at speed 1 each:
 * afterwards nothing moves, and every contact has passed on the impulse `mass`. Six velocities per sphere; H, f dense.
 */
static inline void sample_chain(const char *path, int n, double mass, int local) {
  const int n_v = 6 * (n + 1), n_u = 3 * n;
  double *m = calloc((size_t)(n_v * n_v), sizeof *m), *h = calloc((size_t)(n_v * n_u), sizeof *h);
  double *f = calloc((size_t)n_v, sizeof *f), *q = calloc((size_t)n_u, sizeof *q), *mu = calloc((size_t)n, sizeof *mu);
  double *w = calloc((size_t)(n_u * n_u), sizeof *w);
  for (int k = 0; k < n_v; k++)
    m[n_v * k + k] = k % 6 < 3 ? mass : 0.1 * mass; /* 2/5 m r² */
  f[0] = mass;
  f[n_v - 6] = -mass;
  for (int c = 0; c < n; c++) {
    mu[c] = 0.5;
    /* n = x, t1 = y, t2 = z; the arm is ± x/2, x × y = z, x × z = -y */
    for (int side = 0; side < 2; side++) {
      double *body = h + n_u * 6 * (c + side) + 3 * c;
      const double sign = side ? 1 : -1;
      for (int k = 0; k < 3; k++)
        body[n_u * k + k] = sign;
      body[n_u * 5 + 1] = -0.5;
      body[n_u * 4 + 2] = 0.5;
    }
  }
  if (local) {
    for (int a = 0; a < n_u; a++)
      for (int k = 0; k < n_v; k++) {
        q[a] += h[n_u * k + a] * f[k] / m[n_v * k + k];
        for (int b = 0; b < n_u; b++)
          w[n_u * a + b] += h[n_u * k + a] * h[n_u * k + b] / m[n_v * k + k];
      }
    sample_local(path, 3, n, w, q, mu, SAMPLE_TRIPLET);
  } else {
    sample_global(path, 3, n, n_v, m, h, f, q, mu, SAMPLE_COLUMNS);
  }
  free(m);
  free(h);
  free(f);
  free(q);
  free(mu);
  free(w);
}

#endif
