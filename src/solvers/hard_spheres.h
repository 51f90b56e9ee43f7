/* The driver of hard spheres, for their table (solvers/method.h). */
#ifndef CAIRN_SOLVERS_HARD_SPHERES_H
#define CAIRN_SOLVERS_HARD_SPHERES_H

#include "solvers/method.h"

int64_t cairn_hard_spheres_cell_bodies(int64_t n);
int cairn_hard_spheres_advance(struct cairn_simulation *simulation, int64_t most, struct cairn_error *error);
double cairn_hard_spheres_skin(struct cairn_simulation *simulation);
int cairn_hard_spheres_partitioned(struct cairn_simulation *simulation, struct cairn_error *error);

#endif
