/* Contact dynamics of one cell: contacts of a step, sweeps over them, and the end of the step. No StarPU, no
 * allocation. A contact belongs to the lower of its two bodies' cells, a contact with a wall to the body's cell; the
 * pair list of a cell contains no others. Blocks: kernels/contact_dynamics/cd_group.h. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_CD_CELL_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_CD_CELL_H

#include "kernels/contact_dynamics/cd_group.h"
#include "kernels/contact_dynamics/law_coulomb.h"
#include "kernels/soft/soft_spheres.h"

CAIRN_INLINE const struct cairn_law_coulomb *cairn_cd_law_of(const struct cairn_soft_spheres *b, int32_t pair) {
  return (const void *)(b->world + CAIRN_WORLD_LAWS + CAIRN_LAW_DOUBLES * b->law[pair]);
}

/* Velocity, and spin times radius, that a body would have at the end of a step without contacts; in a rotating frame
 * with the Coriolis acceleration of the velocity before. */
CAIRN_INLINE void cairn_cd_free(const struct cairn_soft_spheres *b, int32_t body, double h, double *v, double *s) {
  const double *predicted = b->predicted + (int64_t)CAIRN_PREDICTED * body, *before = predicted + CAIRN_PREDICTED_V;
  const struct cairn_external *e = &b->external;
  double g[3], dragged[3];
  cairn_soft_spheres_gravity(b, body, predicted + CAIRN_PREDICTED_X, g);
  if (e->rotates) {
    cairn_external_drag(e, 2. * h, before, dragged);
    before = dragged;
  }
  for (int k = 0; k < 3; k++) {
    v[k] = before[k] + h * g[k];
    s[k] = predicted[CAIRN_PREDICTED_W + k] * predicted[CAIRN_PREDICTED_R];
  }
  if (e->rotates)
    cairn_external_drag(e, h, s, s);
}

/* The same with contacts, given the solved body velocity: in a rotating frame with the Coriolis acceleration of the
 * mean of before and after instead (midpoint rule). A body that contacts keep at rest stays at rest. */
CAIRN_INLINE void cairn_cd_final(const struct cairn_soft_spheres *b, int32_t body, double h, const double *solved,
                                 double *v, double *s) {
  const double *predicted = b->predicted + (int64_t)CAIRN_PREDICTED * body;
  const struct cairn_external *e = &b->external;
  double before[6], back[6];
  for (int k = 0; k < 3; k++) {
    v[k] = solved[CAIRN_CD_V + k];
    s[k] = solved[CAIRN_CD_S + k];
    before[k] = predicted[CAIRN_PREDICTED_V + k];
    before[3 + k] = predicted[CAIRN_PREDICTED_W + k] * predicted[CAIRN_PREDICTED_R];
  }
  if (!e->rotates)
    return;
  cairn_external_drag(e, -h, before, back);
  cairn_external_drag(e, -0.5 * h, before + 3, back + 3);
  for (int k = 0; k < 3; k++) {
    v[k] += back[k] - before[k];
    s[k] += back[3 + k] - before[3 + k];
  }
  cairn_external_turn(e, h, v);
  cairn_external_turn(e, 0.5 * h, s);
}

/* A cell's blocks as the functions below see them. */
struct cairn_cd_cell {
  struct cairn_cell_size size;
  double *velocities;
  cairn_int *n_groups, *n_alone;     /* groups, and those without colour */
  cairn_int *n_contacts, *n_used;    /* contacts, and halo bodies in them */
  cairn_int *halo;                   /* [n_used] indices of these, among the halo */
  cairn_int *last;                   /* [n + n_halo + 1] latest group with the body; during contact detection */
  cairn_int *fill;                   /* [n_groups] lanes in use */
  cairn_int (*pair)[CAIRN_CD_LANES]; /* index of a contact in the pair list; -1: empty lane */
  /* where devices take part, else NULL */
  cairn_int *source;           /* [n_halo][2] owner of a halo body: which neighbour, index there */
  uint64_t *taken;             /* [n + n_halo + 1] colours that have a contact of the body, one bit each */
  cairn_int *open;             /* [CAIRN_CD_COLORS] latest group of each colour, or -1 */
  cairn_int *color;            /* [n_groups]; CAIRN_CD_COLORS: none was left */
  cairn_int *order;            /* [n_groups] the groups as sweeps visit them */
  cairn_int *stage, *n_stages; /* [n_stages + 1] groups between order[stage[s]] and order[stage[s + 1]] share no body */
  struct cairn_cd_group *group;
  struct cairn_cd_rotation_group *rotation_friction; /* NULL without rolling and twisting friction */
};

struct cairn_cd_cell cairn_kernel_cd_bind(struct cairn_cell_size size, void *velocities, void *cd);

/* How much momentum steps start with: scenes differ by a factor of ten in what they bear, consecutive steps hardly. */
struct cairn_cd_tuning {
  double limit;  /* of Nesterov's sequence; tried in pairs of steps, once more and once less of it; 0: none yet */
  double sweeps; /* that the first step of a pair took; -1: the next one is the first */
};

/* Result of a step. */
struct cairn_cd_outcome {
  struct cairn_cd_tuning tuning; /* for the next one */
  double contacts;
  int64_t sweeps;
  double residual;
  int64_t unsolved;  /* steps that did not reach the tolerance, so far */
  int64_t restarts;  /* of the momentum, in this step */
  double dissipated; /* J, energy lost in contacts, so far */
  int64_t in_a_row;  /* consecutive unsolved steps up to the latest */
};

/* Term added to the square of u without impulses in the scale of the residual: the rounding error of velocities and,
 * in gaps over the step, of positions with these sums of squares meets the tolerance. Without it bodies at relative
 * rest, drifting or not, could never be solved: their relative velocities are rounding errors alone. */
CAIRN_INLINE double cairn_cd_rounding(const struct cairn_cd_step *step, double velocities, double positions) {
  const double tolerance = step->tolerance > 1e-12 ? step->tolerance : 1e-12; /* below this it may be missed */
  const double ulp = 2.220446049250313e-16 / tolerance, velocity = 32. * ulp, gap = 4. * ulp / step->h;
  return velocity * velocity * velocities + gap * gap * positions;
}

/* Groups that colours need at most. */
CAIRN_INLINE int64_t cairn_cd_colored_room(int64_t n_contacts) { return n_contacts / CAIRN_CD_LANES + CAIRN_CD_COLORS; }

/* Groups of contacts without colour, at most `most` of them with the same body: a contact opens a group only if the
 * others are full or have one of its bodies; twice as much, because the search for room is a quick one. */
CAIRN_INLINE int64_t cairn_cd_room(int64_t n_contacts, int64_t most) {
  return n_contacts > 0 ? n_contacts / 2 + 4 * most + 1 : 0;
}

/* May no colour be left for a contact of bodies with so many contacts? */
CAIRN_INLINE int cairn_cd_is_crowded(int64_t contacts_a, int64_t contacts_b) {
  return contacts_a + contacts_b - 2 >= CAIRN_CD_COLORS;
}

/* Place of a contact. */
struct cairn_cd_colouring {
  int32_t group, lane;
};

/* Start the grouping of contacts; place the contact of bodies a and b, `*first` being 0 before the first one; put the
 * groups into the order in which sweeps visit them. */
void cairn_kernel_cd_colouring_none(const struct cairn_cd_cell *cell);
struct cairn_cd_colouring cairn_kernel_cd_colouring(const struct cairn_cd_cell *cell, int32_t a, int32_t b,
                                                    int32_t *first);
void cairn_kernel_cd_colouring_order(const struct cairn_cd_cell *cell);

/* Detect the contacts at the predicted positions, which must be those after (1 - θ) h (own bodies are moved there here,
 * the halo by gathering), and give all bodies their free velocity. */
void cairn_kernel_cd_begin(const struct cairn_cd_cell *cell, const struct cairn_soft_spheres *blocks,
                           const struct cairn_cd_step *step, struct cairn_cd_measure *measure);

/* Apply to all bodies the impulses the contacts start with. */
void cairn_kernel_cd_warm_start(const struct cairn_cd_cell *cell);

/* Extrapolate the velocities of the own bodies of a cell to the start of the next sweep, which does the same to the
 * impulses. With beta = 0 they are noted only. */
void cairn_kernel_cd_extrapolate(struct cairn_cell_size size, double *velocities, double beta);

/* One Gauss–Seidel sweep over the contacts, group by group. */
void cairn_kernel_cd_sweep(const struct cairn_cd_cell *cell, double beta);

/* Σ of the squares of the natural map over ρ. */
double cairn_kernel_cd_residual(const struct cairn_cd_cell *cell);

/* Move the own bodies to the end of the step and keep the impulses for the next one. The walls must be there already;
 * `during` are those of the time of contact detection. */
void cairn_kernel_cd_end(const struct cairn_cd_cell *cell, const struct cairn_soft_spheres *blocks,
                         const double *during, const struct cairn_cd_step *step, struct cairn_report *report);

#endif
