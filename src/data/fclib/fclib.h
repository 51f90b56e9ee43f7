/* Frictional contact problems in the HDF5 layout of FCLIB (frictionalcontactlibrary.github.io).
 *
 * /fclib_local:   u = W r + q                       matrix W; vectors q, mu
 * /fclib_global:  M v = H r + f,  u = H^T v + w     matrices M, H; vectors f, w, mu; here W = H^T M^-1 H
 *
 * Normal component first, spacedim 2 or 3. Matrices are triplets (nz >= 0; p holds columns, i rows), compressed columns
 * (nz = -1) or compressed rows (nz = -2). Equality constraints (G, b; V, R, s) and rolling friction are refused. A file
 * is trusted in nothing: types, sizes, ranges and numbers are checked before they are used. */
#ifndef CAIRN_DATA_FCLIB_FCLIB_H
#define CAIRN_DATA_FCLIB_FCLIB_H

#include "data/fclib/friction_problem.h"
#include "data/fclib/mass_matrix.h"

struct cairn_fclib {
  struct cairn_friction_problem *problem;
  int is_global;
  char title[128];               /* of the file, cut; printable ASCII */
  struct cairn_mass_matrix mass; /* of a global problem, as are the next two */
  struct cairn_sparse h;
  double *f;
};

/* CAIRN_ERR_IO if the file cannot be opened by the system, CAIRN_ERR_INPUT if it is no such problem. On failure nothing
 * is allocated. Messages start with the path. */
int cairn_fclib_read(const char *path, struct cairn_fclib *file, struct cairn_error *error);

void cairn_fclib_fini(struct cairn_fclib *file);

/* Put r, u and, for a global problem, v = M^-1 (H r + f) into /solution of a copy of the file `path` (in place of an
 * older one), which then takes the name `target`. `target` may be `path` itself; until the last moment, and on failure,
 * the file that was there stays as it is. r and u have CAIRN_FRICTION_LANES numbers per contact. */
int cairn_fclib_write(const struct cairn_fclib *file, const char *path, const char *target, const double *r,
                      const double *u, struct cairn_error *error);

#endif
