/* How the contacts of a cell lie in its blocks, and a visit to one of them: common to sweeps on the CPU and on devices.
 *
 * - velocities, [n + n_halo + 1][8]: body velocities of own bodies, of copies of the neighbours' bodies, and of the
 *   ground, which never moves. After them [n][8]: those of the own bodies after the sweep before the latest.
 * - cd: the contacts, in groups of four that share no body, so that they can be solved side by side. Where devices take
 *   part, groups have colours as well: no two contacts of a colour share a body, and sweeps go colour by colour, on
 *   CPUs too, so that the result does not depend on where a sweep runs. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_CD_GROUP_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_CD_GROUP_H

#include "kernels/common/blocks.h"
#include "kernels/contact_dynamics/cd.h"
#include "kernels/contact_dynamics/cd_solvers.h"

enum { CAIRN_CD_LANES = 4 };

/* Colours: as many as a mask has bits. A contact for which none is left gets a group of its own. */
enum { CAIRN_CD_COLORS = 64 };

/* Four contacts side by side (struct cairn_cd_contact). Empty lanes are contacts of the ground with itself. */
struct cairn_cd_group {
  double n[3][CAIRN_CD_LANES];
  double p[3][CAIRN_CD_LANES];
  double c[3][CAIRN_CD_LANES];
  double inverse[CAIRN_CD_LANES], friction[CAIRN_CD_LANES], cohesion[CAIRN_CD_LANES];
  double before[3][CAIRN_CD_LANES]; /* impulse after the sweep before the latest */
  cairn_int a[CAIRN_CD_LANES], b[CAIRN_CD_LANES];
};

/* Their rolling and twisting friction (struct cairn_cd_rotation). */
struct cairn_cd_rotation_group {
  double m[3][CAIRN_CD_LANES];
  double w[3][CAIRN_CD_LANES];
  double before[3][CAIRN_CD_LANES];
  double inverse[CAIRN_CD_LANES], roll[CAIRN_CD_LANES], twist[CAIRN_CD_LANES];
};

/* Doubles in the block `velocities`. */
CAIRN_INLINE unsigned long cairn_cd_velocities(struct cairn_cell_size size) {
  return (unsigned long)CAIRN_CD * (2ul * (unsigned long)size.n + (unsigned long)size.n_halo + 1ul);
}

/* Counts at the beginning of the block `cd`. */
enum { CAIRN_CD_N_GROUPS, CAIRN_CD_N_ALONE, CAIRN_CD_N_CONTACTS, CAIRN_CD_N_USED, CAIRN_CD_N_STAGES };

struct cairn_cd_offsets {
  unsigned long halo, last, fill, pair, source, taken, open, color, order, stage, group, rotation_friction, end;
};

CAIRN_INLINE struct cairn_cd_offsets cairn_cd_offsets(struct cairn_cell_size size) {
  const unsigned long h = (unsigned long)size.n_halo, g = (unsigned long)size.cd.n_groups;
  struct cairn_cd_offsets o;
  o.halo = 64; /* before it: the counts CAIRN_CD_N_… */
  o.last = o.halo + CAIRN_PAD(4 * h);
  o.fill = o.last + CAIRN_PAD(4 * ((unsigned long)size.n + h + 1ul));
  o.pair = o.fill + CAIRN_PAD(4 * g);
  o.source = o.pair + CAIRN_PAD(4 * CAIRN_CD_LANES * g);
  o.taken = o.source + (size.cd.colored ? CAIRN_PAD(8 * h) : 0);
  o.open = o.taken + (size.cd.colored ? CAIRN_PAD(8 * ((unsigned long)size.n + h + 1ul)) : 0);
  o.color = o.open + (size.cd.colored ? CAIRN_PAD(4 * CAIRN_CD_COLORS) : 0);
  o.order = o.color + (size.cd.colored ? CAIRN_PAD(4 * g) : 0);
  o.stage = o.order + (size.cd.colored ? CAIRN_PAD(4 * g) : 0);
  o.group = o.stage + (size.cd.colored ? CAIRN_PAD(4 * (g + 1)) : 0);
  o.rotation_friction = o.group + sizeof(struct cairn_cd_group) * g;
  o.end = o.rotation_friction + (size.cd.rotation ? sizeof(struct cairn_cd_rotation_group) * g : 0);
  return o;
}

/* Sums over the contacts of a cell. */
struct cairn_cd_measure {
  double scale;    /* Σ ρ |q|², of the problem */
  double residual; /* Σ |natural map|² / ρ */
  double contacts; /* how many there are */
};

/* ---- one contact of a group ---- */

CAIRN_INLINE struct cairn_cd_contact cairn_cd_contact_of(CAIRN_GLOBAL const struct cairn_cd_group *g, cairn_int l) {
  struct cairn_cd_contact k = {.inverse = g->inverse[l], .friction = g->friction[l], .cohesion = g->cohesion[l]};
  for (cairn_int j = 0; j < 3; j++) {
    k.n[j] = g->n[j][l];
    k.p[j] = g->p[j][l];
    k.c[j] = g->c[j][l];
  }
  return k;
}

CAIRN_INLINE struct cairn_cd_rotation cairn_cd_rotation_of(CAIRN_GLOBAL const struct cairn_cd_rotation_group *g,
                                                           cairn_int l) {
  struct cairn_cd_rotation t = {.inverse = g->inverse[l], .roll = g->roll[l], .twist = g->twist[l]};
  for (cairn_int j = 0; j < 3; j++) {
    t.m[j] = g->m[j][l];
    t.w[j] = g->w[j][l];
  }
  return t;
}

/* Change the bodies by the impulse and the torque impulse that the contact in lane l starts with. */
CAIRN_INLINE void cairn_cd_start(CAIRN_GLOBAL const struct cairn_cd_group *g,
                                 CAIRN_GLOBAL const struct cairn_cd_rotation_group *t, cairn_int l, double *a,
                                 double *b) {
  const struct cairn_cd_contact k = cairn_cd_contact_of(g, l);
  cairn_cd_apply_impulse(a, b, k.n, k.p);
  if (t) {
    const struct cairn_cd_rotation turn = cairn_cd_rotation_of(t, l);
    cairn_cd_apply_torque(a, b, turn.m);
  }
}

/* Starting point of a sweep: from the result before the latest to the latest one and on. */
CAIRN_INLINE double cairn_cd_extrapolate(double beta, double x, double before) { return x + beta * (x - before); }

/* Solve the contact in lane l given its body velocities a and b, and change them by the impulse. */
CAIRN_INLINE void cairn_cd_visit(CAIRN_GLOBAL struct cairn_cd_group *g, cairn_int l, double beta, double *a,
                                 double *b) {
  struct cairn_cd_contact k = cairn_cd_contact_of(g, l);
  double u[3], p[3], d[3];
  cairn_cd_velocity(a, b, k.n, u);
  for (cairn_int j = 0; j < 3; j++) {
    u[j] += k.c[j];
    k.p[j] = cairn_cd_extrapolate(beta, g->p[j][l], g->before[j][l]);
  }
  cairn_cd_solve(&k, u, p);
  for (cairn_int j = 0; j < 3; j++) {
    d[j] = p[j] - k.p[j];
    g->before[j][l] = g->p[j][l];
    g->p[j][l] = p[j];
  }
  cairn_cd_apply_impulse(a, b, k.n, d);
}

/* The same for its rolling and twisting friction, afterwards. */
CAIRN_INLINE void cairn_cd_visit_rotation(CAIRN_GLOBAL const struct cairn_cd_group *g,
                                          CAIRN_GLOBAL struct cairn_cd_rotation_group *t, cairn_int l, double beta,
                                          double *a, double *b) {
  const struct cairn_cd_contact k = cairn_cd_contact_of(g, l);
  struct cairn_cd_rotation turn = cairn_cd_rotation_of(t, l);
  double m[3], d[3];
  for (cairn_int j = 0; j < 3; j++)
    turn.m[j] = cairn_cd_extrapolate(beta, t->m[j][l], t->before[j][l]);
  cairn_cd_solve_rotation(a, b, k.n, cairn_cd_normal_impulse(&k), &turn, m);
  for (cairn_int j = 0; j < 3; j++) {
    d[j] = m[j] - turn.m[j];
    t->before[j][l] = t->m[j][l];
    t->m[j][l] = m[j];
  }
  cairn_cd_apply_torque(a, b, d);
}

/* Square of the natural map of the contact over ρ. Empty lanes have none; no branches, so that four are computed side
 * by side. */
CAIRN_INLINE double cairn_cd_residual_of(CAIRN_GLOBAL const struct cairn_cd_group *g, cairn_int l, const double *a,
                                         const double *b) {
  const struct cairn_cd_contact k = cairn_cd_contact_of(g, l);
  double u[3];
  cairn_cd_velocity(a, b, k.n, u);
  for (cairn_int j = 0; j < 3; j++)
    u[j] += k.c[j];
  const double square = cairn_cd_residual(&k, u);
  return k.inverse > 0. ? square : 0.;
}

/* The same of its rolling and twisting friction. */
CAIRN_INLINE double cairn_cd_residual_rotation(CAIRN_GLOBAL const struct cairn_cd_group *g,
                                               CAIRN_GLOBAL const struct cairn_cd_rotation_group *t, cairn_int l,
                                               const double *a, const double *b) {
  const struct cairn_cd_contact k = cairn_cd_contact_of(g, l);
  const struct cairn_cd_rotation turn = cairn_cd_rotation_of(t, l);
  double m[3], square = 0.;
  cairn_cd_solve_rotation(a, b, k.n, cairn_cd_normal_impulse(&k), &turn, m);
  for (cairn_int j = 0; j < 3; j++)
    square += (m[j] - turn.m[j]) * (m[j] - turn.m[j]);
  square /= turn.inverse > 0. ? turn.inverse : 1.;
  return turn.inverse > 0. ? square : 0.;
}

#endif
