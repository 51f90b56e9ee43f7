/* Soft spheres on one cell: forces and leapfrog. No StarPU, no allocation. */
#ifndef CAIRN_KERNELS_SOFT_SOFT_SPHERES_H
#define CAIRN_KERNELS_SOFT_SOFT_SPHERES_H

#include <stdint.h>

#include "kernels/common/blocks.h"
#include "kernels/common/exact_sum.h"
#include "kernels/soft/bond.h"
#include "kernels/soft/pairs.h"
#include "kernels/walls/walls.h"

CAIRN_INLINE struct cairn_report cairn_report_reset(void) {
  return (struct cairn_report){
      .valid_steps = CAIRN_NEVER, .bad_steps = CAIRN_NEVER, .bad_body = -1, .overlap_a = -1, .overlap_b = -1};
}

/* Everything the kernel touches, as pointers into the blocks. */
struct cairn_soft_spheres {
  struct cairn_cell_size size;
  double *state, *predicted, *force; /* force: scratch, [n+n_halo][CAIRN_FORCE] */
  const double *inverse_mass, *inverse_inertia, *reference, *root_mass;
  const double *field; /* NULL if gravity is uniform */
  const int32_t *a, *b, *law;
  double *sx, *sy, *sz;
  double *qx, *qy, *qz; /* rolling springs, or torque impulses of contact dynamics, else NULL */
  uint32_t *age;
  double *normal, *wall_load;       /* of the pairs with walls: normal, load on the wall */
  double *rest;                     /* contact dynamics only, else NULL */
  double *captor;                   /* NULL without sticky and absorbing walls */
  double *bond[CAIRN_BOND];         /* columns of what contacts remember of bonds; NULL without bonds */
  struct cairn_bond_breaks *breaks; /* bonds that broke, behind it struct cairn_bond_break; NULL if it has no bonds */
  const double *world;
  double *assemblies;                /* their block; only written if `set` is there */
  const struct cairn_walls_set *set; /* NULL, or walls that move with this cell, the only one */
  struct cairn_report *walls_report; /* with `set`: their displacement */
  int64_t step;                      /* steps done before */
  int64_t number;                    /* of the step that is being done */
  int32_t n_laws;
  int32_t law_kind;                           /* enum cairn_law_kind; of soft spheres */
  int32_t cd;                                 /* contact dynamics: the history has impulses instead of springs */
  int32_t rotation;                           /* enum cairn_rolling, of all laws */
  int32_t is_predicted;                       /* are the own bodies predicted for the coming step already? */
  struct cairn_external external;             /* at the time for which gravity is evaluated */
  const struct cairn_external_rules *outside; /* NULL: no external field but uniform gravity */
  double h;                                   /* s */
  double reach; /* m; the pair list expires once a body is farther than this from its reference */
};

/* Gravity on a body, m/s², without external fields that depend on its position. */
CAIRN_INLINE const double *cairn_soft_spheres_field(const struct cairn_soft_spheres *cell, int32_t body) {
  return cell->field ? cell->field + 3 * (int64_t)body : cell->world + CAIRN_WORLD_GX;
}

/* The same with these, at x. */
CAIRN_INLINE void cairn_soft_spheres_gravity(const struct cairn_soft_spheres *cell, int32_t body, const double *x,
                                             double g[3]) {
  const double *field = cairn_soft_spheres_field(cell, body);
  for (int k = 0; k < 3; k++)
    g[k] = field[k];
  cairn_external_accelerate(&cell->external, x, g);
}

/* And with the Coriolis acceleration: of a captured body that its wall moves with the velocity v. */
CAIRN_INLINE void cairn_soft_spheres_weight(const struct cairn_soft_spheres *cell, int32_t body, const double *x,
                                            const double *v, double g[3]) {
  double dragged[3];
  cairn_soft_spheres_gravity(cell, body, x, g);
  cairn_external_drag(&cell->external, 2., v, dragged);
  for (int k = 0; k < 3 && cell->external.rotates; k++)
    g[k] += dragged[k] - v[k];
}

/* Set the external fields (NULL: none), at a time. */
CAIRN_INLINE void cairn_soft_spheres_outside(struct cairn_soft_spheres *cell,
                                             const struct cairn_external_rules *outside, double time) {
  cell->outside = outside;
  if (outside)
    cell->external = cairn_external_at(outside, time);
}

/* The constants of the law of a pair. */
CAIRN_INLINE const double *cairn_soft_spheres_constants(const struct cairn_soft_spheres *cell, int32_t pair) {
  return cairn_laws_constants(cell->world + CAIRN_WORLD_LAWS, cell->law[pair]);
}

/* Overlap of two bodies over the smaller radius, from their predicted kinematics. */
CAIRN_INLINE double cairn_soft_spheres_overlap(const double *p, const double *q) {
  const double dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
  const double smaller = p[CAIRN_PREDICTED_R] < q[CAIRN_PREDICTED_R] ? p[CAIRN_PREDICTED_R] : q[CAIRN_PREDICTED_R];
  return (p[CAIRN_PREDICTED_R] + q[CAIRN_PREDICTED_R] - sqrt(dx * dx + dy * dy + dz * dz)) / smaller;
}

/* Has the body been removed since the last regrid? Its last contacts are over. */
CAIRN_INLINE int cairn_soft_spheres_is_parked(const double *p) { return p[CAIRN_PREDICTED_X] > 0.5 * CAIRN_GONE; }

/* Set the pointers of a cell from its blocks. */
struct cairn_soft_spheres cairn_kernel_soft_spheres_bind(struct cairn_cell_size size, void *state, void *predicted,
                                                         const void *pair_list, void *history, const void *world,
                                                         void *assemblies, void *force);

/* Advance by n_steps, or until the pair list would expire or a body fails; the halo, if any, must be
 * that of the coming step, so that cells with a halo do one step at a time. Adds to `report`. */
void cairn_kernel_soft_spheres_advance(struct cairn_soft_spheres *cell, int32_t n_steps, struct cairn_report *report);

/* The walls' part of a step, after that of the pairs: forces on the bodies, loads on the walls, capture and
 * removal of bodies. Returns how many pairs overlap beyond the limit. `time` is that of the end of the step. */
int32_t cairn_kernel_soft_walls_forces(const struct cairn_soft_spheres *cell, double time, struct cairn_report *report);

/* Overlap of a pair with a wall at the predicted positions; m. */
double cairn_kernel_soft_walls_overlap(const struct cairn_soft_spheres *cell, int32_t pair);

/* The pair with a wall as the law sees it at the predicted positions, at the touch of that overlap. */
struct cairn_contact_pair cairn_kernel_soft_walls_geometry(const struct cairn_soft_spheres *cell, int32_t pair);

/* Add what the attraction of walls stores, J. */
void cairn_kernel_soft_walls_attraction(const struct cairn_soft_spheres *cell, struct cairn_exact_sum *energy);

struct cairn_sums;

/* Has this pair a bond, or the distance of one that broke? */
CAIRN_INLINE int cairn_soft_spheres_is_bonded(const struct cairn_soft_spheres *cell, int32_t pair) {
  return cell->bond[CAIRN_BOND_LENGTH] && cell->bond[CAIRN_BOND_LENGTH][pair] != 0.;
}

/* Two bodies with a bond over one step: the new state of contact and bond goes into their history, a bond that breaks
 * into the list of those. */
struct cairn_contact_result cairn_kernel_soft_bonds_pair(const struct cairn_soft_spheres *cell, int32_t pair,
                                                         struct cairn_report *report);

/* The same of a body and a wall, with their geometry and the springs as they are; but for the normal. */
struct cairn_contact_result cairn_kernel_soft_bonds_wall(const struct cairn_soft_spheres *cell, int32_t pair,
                                                         struct cairn_contact_pair *geometry,
                                                         struct cairn_contact_history *before,
                                                         struct cairn_report *report);

/* Add what contact and bond of such a pair store, and count the bond; `overlap` is that of a wall. */
void cairn_kernel_soft_bonds_observe(const struct cairn_soft_spheres *cell, int32_t pair, double overlap,
                                     struct cairn_sums *sums);

/* A step of a captured or removed body. */
struct cairn_body_step cairn_kernel_soft_walls_carry(const struct cairn_soft_spheres *cell, int32_t body);

/* Sums over a cell, for the diagnostics. A pair is counted by the owner of its lower id. */
struct cairn_sums {
  struct cairn_exact_sum kinetic, rotational, potential, elastic;
  struct cairn_exact_sum momentum[3], angular_momentum[3], mass_moment[3], mass;
  double n_contacts, n_wall_contacts, n_bodies, n_held, n_bonds;
  double max_overlap, max_speed2;
};

/* The halo must be that of the current step (gathered with h = 0). */
void cairn_kernel_soft_spheres_observe(const struct cairn_soft_spheres *cell, struct cairn_sums *sums);

/* Add the sums of one cell to another's; totals have the same bits whatever the cells are. */
void cairn_kernel_soft_spheres_add(struct cairn_sums *total, const struct cairn_sums *cell);

#endif
