/* The rigid spheres of one cell: contacts of a step, sweeps over them, and the end of the step. No StarPU, no
 * allocation. A contact belongs to the lower of its two bodies' cells, a contact with a wall to the body's cell; the
 * list of pairs of a cell holds those alone. Their blocks: kernels/rigid_group.h. */
#ifndef CAIRN_KERNELS_RIGID_CELL_H
#define CAIRN_KERNELS_RIGID_CELL_H

#include "kernels/rigid_group.h"
#include "kernels/soft_spheres.h"

/* Constants of a pair of materials: as many doubles as a law of soft spheres. */
struct cairn_rigid_law {
  double restitution, rebound; /* normal and tangential */
  double friction;
  double rolling, twisting; /* m, or over the reduced radius */
  double cohesion;          /* N */
  double range;             /* m, gap within which it acts, or the way over which it does its work */
  double bonds;             /* 1: cohesion with a binding energy (kernels/cohesion.h), else 0 */
  double lengths;           /* CAIRN_RIGID_ROLLING_LENGTH and CAIRN_RIGID_TWISTING_LENGTH, added */
};

CAIRN_INLINE const struct cairn_rigid_law *cairn_rigid_law_of(const struct cairn_soft_spheres *b, int32_t pair) {
  return (const struct cairn_rigid_law *)(b->world + CAIRN_WORLD_LAWS) + b->law[pair];
}

/* Velocity, and spin times radius, that a body would have at the end of a step without contacts; in a frame that turns
 * with the Coriolis acceleration of the velocity before. */
CAIRN_INLINE void cairn_rigid_free(const struct cairn_soft_spheres *b, int32_t body, double h, double *v, double *s) {
  const double *view = b->view + (int64_t)CAIRN_VIEW * body, *before = view + CAIRN_VIEW_V;
  const struct cairn_external *e = &b->external;
  double g[3], dragged[3];
  cairn_soft_spheres_gravity(b, body, view + CAIRN_VIEW_X, g);
  if (e->turns) {
    cairn_external_drag(e, 2. * h, before, dragged);
    before = dragged;
  }
  for (int k = 0; k < 3; k++) {
    v[k] = before[k] + h * g[k];
    s[k] = view[CAIRN_VIEW_W + k] * view[CAIRN_VIEW_R];
  }
  if (e->turns)
    cairn_external_drag(e, h, s, s);
}

/* The same after the contacts have acted, given what they have made of it: in a frame that turns with the Coriolis
 * acceleration of the mean of before and after instead (midpoint rule). A body that contacts keep at rest stays so. */
CAIRN_INLINE void cairn_rigid_final(const struct cairn_soft_spheres *b, int32_t body, double h, const double *line,
                                    double *v, double *s) {
  const double *view = b->view + (int64_t)CAIRN_VIEW * body;
  const struct cairn_external *e = &b->external;
  double before[6], back[6];
  for (int k = 0; k < 3; k++) {
    v[k] = line[CAIRN_RIGID_V + k];
    s[k] = line[CAIRN_RIGID_S + k];
    before[k] = view[CAIRN_VIEW_V + k];
    before[3 + k] = view[CAIRN_VIEW_W + k] * view[CAIRN_VIEW_R];
  }
  if (!e->turns)
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

/* Which friction of rotation is given as a length. */
enum { CAIRN_RIGID_ROLLING_LENGTH = 1, CAIRN_RIGID_TWISTING_LENGTH = 2 };

/* A cell's blocks as the functions below see them. */
struct cairn_rigid_cell {
  struct cairn_cell_size size;
  double *lines, *line_from, *line_way;
  cairn_int *n_groups, *n_alone, *n_contacts, *n_used; /* groups, those without colour, contacts, halo bodies in them */
  cairn_int *halo;                                     /* [n_used] indices of these, among the halo */
  cairn_int *last;                      /* [lines] latest group with the body; while contacts are found */
  cairn_int *fill;                      /* [n_groups] lanes in use */
  cairn_int (*pair)[CAIRN_RIGID_LANES]; /* where a contact came from, in the list of pairs; -1: empty lane */
  /* where devices take part, else NULL */
  cairn_int *source;           /* [n_halo][2] where halo bodies live: which neighbour, index there */
  uint64_t *taken;             /* [lines] colours that have a contact of the body, one bit each */
  cairn_int *open;             /* [CAIRN_RIGID_COLORS] latest group of each colour, or -1 */
  cairn_int *color;            /* [n_groups] CAIRN_RIGID_COLORS: none was left */
  cairn_int *order;            /* [n_groups] the groups as sweeps visit them */
  cairn_int *stage, *n_stages; /* [n_stages + 1] groups between order[stage[s]] and order[stage[s + 1]] share no body */
  struct cairn_rigid_group *group;
  struct cairn_rigid_turning_group *turning; /* NULL without friction of rotation */
  struct cairn_rigid_way_group *way;         /* of conjugate gradients, else NULL */
  double *push;                              /* [lines][8] changes of the lines; of projected gradients, else NULL */
};

struct cairn_rigid_cell cairn_kernel_rigid_bind(struct cairn_cell_size size, void *lines, void *rigid);

/* The beginning of a step. The curvature that projected gradients start with is what one contact alone can have, 7/2 ·
 * 3/8. */
CAIRN_INLINE struct cairn_rigid_control cairn_rigid_control_start(void) {
  return (struct cairn_rigid_control){.beta = -1., .most_t = 1e9, .best = 1e300, .curve = 1.3125};
}

/* What a look at the residual says: momentum that makes it grow again begins anew, and has been too large. Friction is
 * no force with a potential, and with too much momentum impulses can go in circles. */
CAIRN_INLINE void cairn_rigid_control_look(struct cairn_rigid_control *control, double residual) {
  if (residual > 2. * control->best) {
    control->most_t = control->t > 8. ? 0.5 * control->t : 4.;
    control->t = 1.;
    control->beta = control->beta > 0. ? 0. : control->beta;
    control->best = residual;
  } else {
    control->most_t *= 1.1;
  }
  control->best = residual < control->best ? residual : control->best;
}

/* How a step is made. */
struct cairn_rigid_step {
  double h, theta;
  double alert; /* m: bodies may come nearer than they would alone, pushed by others; gaps below this always count */
  double range; /* m, how far any cohesion reaches */
  int32_t touching; /* do only bodies that touch act on each other, not those that will? */
  int32_t solver;
  double tolerance; /* of the residual */
  int64_t most_sweeps;
};

/* What came of a step. */
struct cairn_rigid_outcome {
  double contacts;
  int64_t sweeps;
  double residual;
  int64_t unsolved;  /* steps that did not reach the tolerance, so far */
  double dissipated; /* J, energy lost in contacts, so far */
  int64_t in_a_row;  /* the latest unsolved steps, one after the other */
};

/* What is added to the square of u without impulses, for the scale of the residual: what rounding leaves of velocities
 * and, in gaps over the step, of places with these sums of squares has the tolerance. Without it bodies that are at
 * rest among each other, drifting or not, could never be solved: their relative velocities are nothing but rounding. */
CAIRN_INLINE double cairn_rigid_rounding(const struct cairn_rigid_step *step, double velocities, double places) {
  const double tolerance = step->tolerance > 1e-12 ? step->tolerance : 1e-12; /* what is asked beyond may be missed */
  const double ulp = 2.220446049250313e-16 / tolerance, velocity = 32. * ulp, gap = 4. * ulp / step->h;
  return velocity * velocity * velocities + gap * gap * places;
}

/* Does a gap count at all, and what the law adds to the velocity u before the step: c, and the cohesion. Moreau's rule
 * with Newton's restitution: what touches leaves with e times the velocity before the step, reversed; with e = 0 a
 * contact may also close its gap within the step, unless only what touches shall act. An overlap is not pushed apart.
 * With e > 0 what would touch before the end of the step bounces at its beginning, so that it does not come to overlap;
 * to let the gap close first would take energy. */
CAIRN_INLINE int cairn_rigid_target(const struct cairn_rigid_law *law, const struct cairn_rigid_step *step,
                                    const double u[3], const double n[3], double gap, double c[3], double *cohesion) {
  const double un = u[0] * n[0] + u[1] * n[1] + u[2] * n[2], closing = un < 0. ? -un : 0.;
  const double range = law->cohesion > 0. && law->bonds == 0. ? law->range : 0.;
  const int bounces = law->restitution > 0. && !step->touching && gap < step->theta * step->h * closing;
  const int late = law->restitution > 0. || step->touching;
  if (!bounces && gap > (late ? range : 2. * step->h * closing + step->alert + range))
    return 0;
  const double left = gap > 0. && !step->touching && !bounces ? gap / step->h : 0.;
  const double across = gap <= 0. ? law->rebound : 0.;
  for (int i = 0; i < 3; i++)
    c[i] = (law->restitution * un + left) * n[i] + across * (u[i] - un * n[i]);
  *cohesion = gap <= range && law->bonds == 0. ? law->cohesion * step->h : 0.;
  return 1;
}

/* Groups that colours need at most. */
CAIRN_INLINE int64_t cairn_rigid_colored_room(int64_t n_contacts) {
  return n_contacts / CAIRN_RIGID_LANES + CAIRN_RIGID_COLORS;
}

/* Groups of contacts without colour, at most `most` of them with the same body: a contact opens a group only if the
 * others are full or have one of its bodies; twice as much, because the search for room is a quick one. */
CAIRN_INLINE int64_t cairn_rigid_room(int64_t n_contacts, int64_t most) {
  return n_contacts > 0 ? n_contacts / 2 + 4 * most + 1 : 0;
}

/* May a contact of bodies with so many contacts find no colour? */
CAIRN_INLINE int cairn_rigid_is_crowded(int64_t contacts_a, int64_t contacts_b) {
  return contacts_a + contacts_b - 2 >= CAIRN_RIGID_COLORS;
}

/* Where a contact is. */
struct cairn_rigid_place {
  int32_t group, lane;
};

/* Begin to put contacts into groups; find a place for the contact of two lines, `*first` being 0 before the first one;
 * put the groups into the order in which sweeps visit them. */
void cairn_kernel_rigid_place_none(const struct cairn_rigid_cell *cell);
struct cairn_rigid_place cairn_kernel_rigid_place(const struct cairn_rigid_cell *cell, int32_t a, int32_t b,
                                                  int32_t *first);
void cairn_kernel_rigid_place_order(const struct cairn_rigid_cell *cell);

/* Find the contacts at the configuration in the view, which must be that after (1 - θ) h (own bodies are moved there
 * here, the halo by gathering), and put all bodies to their free velocity. */
void cairn_kernel_rigid_begin(const struct cairn_rigid_cell *cell, const struct cairn_soft_spheres *blocks,
                              const struct cairn_rigid_step *step, struct cairn_rigid_measure *measure);

/* Push all bodies by the impulses the contacts start with. */
void cairn_kernel_rigid_warm(const struct cairn_rigid_cell *cell);

/* Put the own bodies to where the next sweep starts; the sweep does the same to the impulses. Not for plain sweeps. */
void cairn_kernel_rigid_ahead(const struct cairn_rigid_cell *cell, int32_t solver, double beta);

/* One Gauss–Seidel sweep over the contacts, group by group. */
void cairn_kernel_rigid_sweep(const struct cairn_rigid_cell *cell, int32_t solver, double beta,
                              struct cairn_rigid_measure *measure);

/* One step of projected gradients (Mazhar et al. 2015) with the De Saxcé term renewed: every contact is changed by the
 * bodies' velocities before the step, so no order matters; what it does to the bodies is put aside in `push`. */
void cairn_kernel_rigid_descend(const struct cairn_rigid_cell *cell, const struct cairn_rigid_control *control,
                                struct cairn_rigid_measure *measure);

/* Let the own bodies be pushed, after the pushes that other cells put aside for them were added to `push`. */
void cairn_kernel_rigid_yield(const struct cairn_rigid_cell *cell, struct cairn_rigid_measure *measure);

/* What the sweep over all cells says about the next one. */
void cairn_kernel_rigid_weigh(struct cairn_rigid_control *control, int32_t solver,
                              const struct cairn_rigid_measure *measure);

/* Σ of the squares of the natural map over ρ. */
double cairn_kernel_rigid_residual(const struct cairn_rigid_cell *cell);

/* After how many sweeps to look at the residual again: a look costs nearly as much as a sweep. */
CAIRN_INLINE int64_t cairn_rigid_next_look(const struct cairn_rigid_step *step, int64_t sweeps) {
  const int64_t more = sweeps < 6 ? 2 : sweeps < 30 ? sweeps / 3 : 10, left = step->most_sweeps - sweeps;
  return more < left ? more : left;
}

/* Find the impulses of a cell that is alone: warm start, sweeps, looks at the residual, until it is good enough. */
void cairn_kernel_rigid_solve(const struct cairn_rigid_cell *cell, const struct cairn_rigid_step *step,
                              struct cairn_rigid_measure *measure, struct cairn_rigid_outcome *outcome);

/* Move the own bodies to the end of the step and keep the impulses for the next one. The walls must be there already;
 * `during` are those of the time when contacts were found. */
void cairn_kernel_rigid_end(const struct cairn_rigid_cell *cell, const struct cairn_soft_spheres *blocks,
                            const double *during, const struct cairn_rigid_step *step, struct cairn_report *report);

#endif
