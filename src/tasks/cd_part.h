/* The contacts of one cell and the bodies of its neighbours that they change, during the sweeps. */
#ifndef CAIRN_TASKS_CD_PART_H
#define CAIRN_TASKS_CD_PART_H

#include <string.h>

#include "kernels/contact_dynamics/cd_cell.h"
#include "tasks/tasks.h"

/* Neighbours that a sweep knows: as many as a mask has bits, less one for the cell itself. */
enum { CAIRN_CD_PART_NEIGHBORS = 63 };

struct cairn_cd_part {
  const struct cairn_cell *cell;
  double *velocities;
  void *groups;
  int32_t n_near; /* neighbours on this rank, which come first; the bodies of others are lent (tasks/ranks/loans.h) */
  double *neighbor[CAIRN_CD_PART_NEIGHBORS]; /* velocities of its neighbours */
  const struct cairn_cell *above[CAIRN_CD_PART_NEIGHBORS];
  uint64_t completes; /* bit 0: its sweep is the last over its own bodies; bit 1 + k: over those of neighbour k */
};

/* The cells and what completes; the caller sets the pointers to the blocks. */
static inline struct cairn_cd_part cairn_cd_part_of(const struct cairn_cells *cells, cairn_cell_t c) {
  const struct cairn_cell *cell = cells->cell + c;
  const cairn_cell_t number = cell->number;
  struct cairn_cd_part part = {
      .cell = cell, .n_near = cairn_cells_near_ones(cells, cell), .completes = cell->last_sweep == number};
  for (int32_t k = 0; k < part.n_near; k++) {
    part.above[k] = cells->cell + cell->neighbor[k];
    if (part.above[k]->last_sweep == number)
      part.completes |= UINT64_C(2) << k;
  }
  return part;
}

/* Where a halo body lives; NULL on another rank. */
static inline double *cairn_cd_part_home(const struct cairn_cd_part *part, int32_t i) {
  const struct cairn_halo_source source = part->cell->halo[i];
  return source.neighbor < part->n_near ? part->neighbor[source.neighbor] + (int64_t)CAIRN_CD * source.index : NULL;
}

/* Copy the neighbours' bodies; only those with a contact in this step. */
static inline struct cairn_cd_cell cairn_cd_part_fetch(const struct cairn_cd_part *part) {
  const struct cairn_cd_cell cd = cairn_kernel_cd_bind(part->cell->size, part->velocities, part->groups);
  for (int32_t k = 0; k < *cd.n_used; k++) {
    const double *home = cairn_cd_part_home(part, cd.halo[k]);
    if (home)
      memcpy(cd.velocities + (int64_t)CAIRN_CD * (part->cell->size.n + cd.halo[k]), home, CAIRN_CD * sizeof(double));
  }
  return cd;
}

static inline void cairn_cd_part_bring_back(const struct cairn_cd_part *part, const struct cairn_cd_cell *cd) {
  for (int32_t k = 0; k < *cd->n_used; k++) {
    double *home = cairn_cd_part_home(part, cd->halo[k]);
    if (home)
      memcpy(home, cd->velocities + (int64_t)CAIRN_CD * (part->cell->size.n + cd->halo[k]), CAIRN_CD * sizeof(double));
  }
}

static inline void cairn_cd_part_warm_start(const struct cairn_cd_part *part) {
  const struct cairn_cd_cell cd = cairn_cd_part_fetch(part);
  cairn_kernel_cd_warm_start(&cd);
  cairn_cd_part_bring_back(part, &cd);
}

/* A sweep; the last one over the bodies of a cell extrapolates them for the next. */
static inline void cairn_cd_part_sweep(const struct cairn_cd_part *part, struct cairn_task_momentum momentum) {
  const struct cairn_cd_cell cd = cairn_cd_part_fetch(part);
  cairn_kernel_cd_sweep(&cd, momentum.beta);
  cairn_cd_part_bring_back(part, &cd);
  if (momentum.next < 0.)
    return;
  if (part->completes & 1)
    cairn_kernel_cd_extrapolate(part->cell->size, part->velocities, momentum.next);
  for (int32_t k = 0; k < part->n_near; k++)
    if (part->completes >> (k + 1) & 1)
      cairn_kernel_cd_extrapolate(part->above[k]->size, part->neighbor[k], momentum.next);
}

static inline double cairn_cd_part_residual(const struct cairn_cd_part *part) {
  const struct cairn_cd_cell cd = cairn_cd_part_fetch(part);
  return cairn_kernel_cd_residual(&cd);
}

#endif
