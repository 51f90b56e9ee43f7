/* The rigid spheres of one cell: contacts of a step, sweeps over them, and the end of the step. No StarPU, no
 * allocation. A contact belongs to the lower of its two bodies' cells, a contact with a wall to the body's cell; the
 * list of pairs of a cell holds those alone.
 *
 * Block `lines`  [n + n_halo + 1][8]  own bodies, copies of the neighbours' bodies, the ground, which never moves; then
 *                what acceleration needs of the own bodies: [n][8] twice
 * Block `rigid`  the contacts in groups of four that share no body, so that they can be solved side by side */
#ifndef CAIRN_KERNELS_RIGID_CELL_H
#define CAIRN_KERNELS_RIGID_CELL_H

#include "kernels/rigid.h"
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

/* Which friction of rotation is given as a length. */
enum { CAIRN_RIGID_ROLLING_LENGTH = 1, CAIRN_RIGID_TWISTING_LENGTH = 2 };

enum { CAIRN_RIGID_LANES = 4 };

/* Four contacts side by side (struct cairn_rigid_contact). Empty lanes join the ground with itself. */
struct cairn_rigid_group {
  double n[3][CAIRN_RIGID_LANES];
  double p[3][CAIRN_RIGID_LANES];
  double c[3][CAIRN_RIGID_LANES];
  double inverse[CAIRN_RIGID_LANES], friction[CAIRN_RIGID_LANES], cohesion[CAIRN_RIGID_LANES];
  double before[3][CAIRN_RIGID_LANES]; /* impulse after the sweep before the latest */
  cairn_int a[CAIRN_RIGID_LANES], b[CAIRN_RIGID_LANES];
};

/* Their friction of rotation (struct cairn_rigid_turning). */
struct cairn_rigid_turning_group {
  double m[3][CAIRN_RIGID_LANES];
  double w[3][CAIRN_RIGID_LANES];
  double before[3][CAIRN_RIGID_LANES];
  double inverse[CAIRN_RIGID_LANES], roll[CAIRN_RIGID_LANES], twist[CAIRN_RIGID_LANES];
};

/* What conjugate gradients keep beside the impulses: two vectors of six for each lane. */
struct cairn_rigid_way_group {
  double from[6][CAIRN_RIGID_LANES], way[6][CAIRN_RIGID_LANES];
};

/* Doubles in the block `lines`. */
CAIRN_INLINE unsigned long cairn_rigid_lines(struct cairn_cell_size size) {
  return (unsigned long)CAIRN_RIGID * (3ul * (unsigned long)size.n + (unsigned long)size.n_halo + 1ul);
}

struct cairn_rigid_offsets {
  unsigned long halo, last, fill, pair, group, turning, way, push, end;
};

CAIRN_INLINE struct cairn_rigid_offsets cairn_rigid_offsets(struct cairn_cell_size size) {
  const unsigned long h = (unsigned long)size.n_halo, g = (unsigned long)size.n_groups;
  struct cairn_rigid_offsets o;
  o.halo = 64; /* before it: how many of everything there are */
  o.last = o.halo + CAIRN_PAD(4 * h);
  o.fill = o.last + CAIRN_PAD(4 * ((unsigned long)size.n + h + 1ul));
  o.pair = o.fill + CAIRN_PAD(4 * g);
  o.group = o.pair + CAIRN_PAD(4 * CAIRN_RIGID_LANES * g);
  o.turning = o.group + sizeof(struct cairn_rigid_group) * g;
  o.way = o.turning + (size.rotation ? sizeof(struct cairn_rigid_turning_group) * g : 0);
  o.push = o.way + (size.ways ? sizeof(struct cairn_rigid_way_group) * g : 0);
  o.end = o.push + (size.pushes ? 8 * CAIRN_RIGID * ((unsigned long)size.n + h + 1ul) : 0);
  return o;
}

/* Sums over the contacts of a cell. */
struct cairn_rigid_measure {
  double scale;    /* Σ ρ |q|², of the problem */
  double change;   /* Σ w |Δp|², of the latest sweep */
  double along;    /* Σ w Δp · (p - p before): does the sweep go on, or does it turn back? */
  double bent;     /* Δp · W Δp, of the latest step of projected gradients */
  double residual; /* Σ |natural map|² / ρ */
  double contacts; /* how many there are */
};

/* A cell's blocks as the functions below see them. */
struct cairn_rigid_cell {
  struct cairn_cell_size size;
  double *lines, *line_from, *line_way;
  cairn_int *n_groups, *n_contacts, *n_used; /* groups, contacts, halo bodies in contacts */
  cairn_int *halo;                           /* [n_used] indices of these, among the halo */
  cairn_int *last;                           /* [lines] latest group with the body; while contacts are found */
  cairn_int *fill;                           /* [n_groups] lanes in use */
  cairn_int (*pair)[CAIRN_RIGID_LANES];      /* where a contact came from, in the list of pairs; -1: empty lane */
  struct cairn_rigid_group *group;
  struct cairn_rigid_turning_group *turning; /* NULL without friction of rotation */
  struct cairn_rigid_way_group *way;         /* of conjugate gradients, else NULL */
  double *push;                              /* [lines][8] changes of the lines; of projected gradients, else NULL */
};

struct cairn_rigid_cell cairn_kernel_rigid_bind(struct cairn_cell_size size, void *lines, void *rigid);

/* How impulses are found: see docs/physics.md. */
enum { CAIRN_RIGID_NSGS, CAIRN_RIGID_NESTEROV, CAIRN_RIGID_NNCG, CAIRN_RIGID_APGD };

/* Where a sweep starts: ahead of where the latest one ended. Nesterov goes on from one result to the next; conjugate
 * gradients follow the way between the starts of the two latest sweeps (Silcowitz et al. 2010). */
static inline __attribute__((always_inline)) double cairn_rigid_go_ahead(int32_t solver, double beta, double x,
                                                                         double before, double *from, double *way) {
  if (solver == CAIRN_RIGID_NESTEROV)
    return x + beta * (x - before);
  if (solver != CAIRN_RIGID_NNCG)
    return x;
  const double start = x + beta * *way;
  *way = start - *from;
  *from = start;
  return start;
}

/* What joins the sweeps. */
struct cairn_rigid_control {
  double beta;   /* how far the next sweep starts ahead of the result of the latest; -1: this is the first */
  double t;      /* Nesterov's sequence, */
  double most_t; /* which may become as large as this */
  double best;   /* least residual seen since momentum began */
  double before; /* Σ w |Δp|² of the sweep before */
  double curve;  /* of projected gradients: largest curvature Δp · W Δp over Σ |Δp|²/ρ met so far */
};

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
