/* From a body and a wall to the pairs the law acts on, whatever the wall's shape and motion. */
#ifndef CAIRN_KERNELS_WALLS_WALLS_H
#define CAIRN_KERNELS_WALLS_WALLS_H

#include "kernels/common/blocks.h"
#include "kernels/shapes/mesh.h"
#include "kernels/shapes/shapes.h"
#include "kernels/soft/laws.h"
#include "kernels/walls/assemblies.h"

/* A body has at most this many pairs with one wall; only meshes need more than one. */
enum { CAIRN_WALL_TOUCHES = CAIRN_MESH_TOUCHES };

CAIRN_INLINE CAIRN_GLOBAL const double *cairn_walls_of(CAIRN_GLOBAL const double *world, cairn_int n_laws) {
  return world + CAIRN_WORLD_LAWS + CAIRN_LAW_DOUBLES * n_laws;
}

CAIRN_INLINE int cairn_walls_is_mesh(CAIRN_GLOBAL const double *wall) {
  return wall[CAIRN_WALL_SHAPE] == (double)CAIRN_SHAPE_MESH;
}

CAIRN_INLINE CAIRN_GLOBAL const double *cairn_walls_assembly(CAIRN_GLOBAL const double *wall,
                                                             CAIRN_GLOBAL const double *assemblies) {
  return assemblies + CAIRN_ASSEMBLY * (cairn_int)wall[CAIRN_WALL_ASSEMBLY];
}

/* A point in the coordinates of an assembly. */
CAIRN_INLINE void cairn_walls_inward(CAIRN_GLOBAL const double *assembly, CAIRN_GLOBAL const double *x,
                                     double inside[3]) {
  CAIRN_GLOBAL const double *r = assembly + CAIRN_ASSEMBLY_R;
  const double dx = x[0] - assembly[CAIRN_ASSEMBLY_X], dy = x[1] - assembly[CAIRN_ASSEMBLY_X + 1],
               dz = x[2] - assembly[CAIRN_ASSEMBLY_X + 2];
  const int turned = assembly[CAIRN_ASSEMBLY_TURNED] != 0.;
  inside[0] = turned ? r[0] * dx + r[3] * dy + r[6] * dz : dx;
  inside[1] = turned ? r[1] * dx + r[4] * dy + r[7] * dz : dy;
  inside[2] = turned ? r[2] * dx + r[5] * dy + r[8] * dz : dz;
}

/* A direction of an assembly in the coordinates of the world. */
CAIRN_INLINE void cairn_walls_outward(CAIRN_GLOBAL const double *assembly, double *x, double *y, double *z) {
  CAIRN_GLOBAL const double *r = assembly + CAIRN_ASSEMBLY_R;
  if (assembly[CAIRN_ASSEMBLY_TURNED] != 0.) {
    const double lx = *x, ly = *y, lz = *z;
    *x = r[0] * lx + r[1] * ly + r[2] * lz;
    *y = r[3] * lx + r[4] * ly + r[5] * lz;
    *z = r[6] * lx + r[7] * ly + r[8] * lz;
  }
}

/* The points of the wall that the sphere at x may touch, in world coordinates, and how many: one of a primitive,
 * however far, those within `reach` of a mesh. None while the wall is inactive, or where its normals cancel. */
CAIRN_INLINE cairn_int cairn_walls_touches(CAIRN_GLOBAL const double *world, CAIRN_GLOBAL const double *wall,
                                           CAIRN_GLOBAL const double *assembly, CAIRN_GLOBAL const double *x,
                                           double reach, struct cairn_nearest touch[CAIRN_WALL_TOUCHES]) {
  double inside[3];
  cairn_int n = 1;
  if (assembly[CAIRN_ASSEMBLY_ACTIVE] == 0.)
    return 0;
  cairn_walls_inward(assembly, x, inside);
  if (cairn_walls_is_mesh(wall))
    n = cairn_mesh_touches(world + (unsigned long)wall[CAIRN_WALL_SHAPE + 1], inside[0], inside[1], inside[2], reach,
                           touch);
  else
    touch[0] = cairn_shapes_nearest(wall + CAIRN_WALL_SHAPE, inside[0], inside[1], inside[2]);
  if (n == 1 && touch[0].nx == 0. && touch[0].ny == 0. && touch[0].nz == 0.)
    return 0;
  for (cairn_int k = 0; k < n; k++)
    cairn_walls_outward(assembly, &touch[k].nx, &touch[k].ny, &touch[k].nz);
  return n;
}

/* Distance from a body's centre within which a mesh can act in this step: the law acts up to half a step before
 * contact. */
CAIRN_INLINE double cairn_walls_reach(CAIRN_GLOBAL const double *p, CAIRN_GLOBAL const double *assembly, double h) {
  double speed = 0., spin = 0., arm = 0.;
  for (cairn_int k = 0; k < 3; k++) {
    const double v = p[CAIRN_PREDICTED_V + k] - assembly[CAIRN_ASSEMBLY_V + k], w = assembly[CAIRN_ASSEMBLY_W + k];
    const double d = p[k] - assembly[CAIRN_ASSEMBLY_X + k];
    speed += v * v;
    spin += w * w;
    arm += d * d;
  }
  return p[CAIRN_PREDICTED_R] + h * (sqrt(speed) + sqrt(spin * arm));
}

/* The same with the range of the attraction of soft spheres. */
CAIRN_INLINE double cairn_walls_attracted(CAIRN_GLOBAL const double *world, CAIRN_GLOBAL const double *p,
                                          CAIRN_GLOBAL const double *assembly, double h) {
  return cairn_walls_reach(p, assembly, h) + (cairn_laws_attract(world) ? world[CAIRN_WORLD_RANGE] : 0.);
}

/* Geometry and relative motion of a body at a point of a wall. The law is written in a frame that turns with the wall:
 * the wall's velocity is taken at the centre of the body and its spin is subtracted from the body's, so that a body
 * carried round by a drum does not roll. */
CAIRN_INLINE struct cairn_contact_pair cairn_walls_pair(CAIRN_GLOBAL const double *p, struct cairn_nearest touch,
                                                        CAIRN_GLOBAL const double *assembly, double root_mass) {
  CAIRN_GLOBAL const double *v = assembly + CAIRN_ASSEMBLY_V, *w = assembly + CAIRN_ASSEMBLY_W;
  const double dx = p[0] - assembly[0], dy = p[1] - assembly[1], dz = p[2] - assembly[2];
  const double rc2 = p[CAIRN_PREDICTED_R] * p[CAIRN_PREDICTED_R] - touch.distance * touch.distance;
  struct cairn_contact_pair pair;
  pair.x = p[CAIRN_PREDICTED_R] - touch.distance;
  pair.nx = touch.nx;
  pair.ny = touch.ny;
  pair.nz = touch.nz;
  pair.vx = v[0] + (w[1] * dz - w[2] * dy) - p[CAIRN_PREDICTED_V];
  pair.vy = v[1] + (w[2] * dx - w[0] * dz) - p[CAIRN_PREDICTED_V + 1];
  pair.vz = v[2] + (w[0] * dy - w[1] * dx) - p[CAIRN_PREDICTED_V + 2];
  pair.w1x = p[CAIRN_PREDICTED_W] - w[0];
  pair.w1y = p[CAIRN_PREDICTED_W + 1] - w[1];
  pair.w1z = p[CAIRN_PREDICTED_W + 2] - w[2];
  pair.w2x = pair.w2y = pair.w2z = 0.;
  pair.l1 = touch.distance;
  pair.l2 = 0.;
  pair.inverse_distance = 0.; /* cairn_walls_turn has turned the spring with the normal */
  pair.rc = sqrt(rc2 > 0. ? rc2 : 0.);
  pair.root_mass = root_mass;
  pair.reduced_radius = p[CAIRN_PREDICTED_R];
  pair.inverse_inertia1 = p[CAIRN_PREDICTED_I];
  pair.inverse_inertia2 = 0.;
  return pair;
}

/* Contact history of a pair of a body and a wall. */
struct cairn_wall_memory {
  double spring[3], normal[3];
  double turn[3]; /* rolling spring */
  cairn_uint age;
};

/* The spring of the step before, carried from the old normal to the new one by the smallest turn, and about it with the
 * wall's own spin. A normal that has turned by more than a right angle is that of another side: nothing is carried. */
CAIRN_INLINE void cairn_walls_turn(const struct cairn_wall_memory *old, struct cairn_nearest touch,
                                   CAIRN_GLOBAL const double *assembly, double h, double spring[3]) {
  CAIRN_GLOBAL const double *w = assembly + CAIRN_ASSEMBLY_W;
  const double *n = old->normal, *s = old->spring;
  const double cosine = n[0] * touch.nx + n[1] * touch.ny + n[2] * touch.nz;
  const double along = s[0] * touch.nx + s[1] * touch.ny + s[2] * touch.nz;
  /* one comparison of a kind at a time: gcc does not vectorise their conjunction */
  const double had = old->age > 0 ? 1. : 0., keep = cosine > 0. ? had : 0.;
  const double part = keep * along / (1. + (cosine > 0. ? cosine : 0.));
  const double x = keep * s[0] - part * (n[0] + touch.nx), y = keep * s[1] - part * (n[1] + touch.ny),
               z = keep * s[2] - part * (n[2] + touch.nz);
  const double twist = h * (w[0] * touch.nx + w[1] * touch.ny + w[2] * touch.nz);
  const double dx = twist * touch.nx, dy = twist * touch.ny, dz = twist * touch.nz;
  const double ax = x + 0.5 * (dy * z - dz * y), ay = y + 0.5 * (dz * x - dx * z), az = z + 0.5 * (dx * y - dy * x);
  spring[0] = x + (dy * az - dz * ay);
  spring[1] = y + (dz * ax - dx * az);
  spring[2] = z + (dx * ay - dy * ax);
}

/* The same for the rolling spring, which has a part along the normal. */
CAIRN_INLINE void cairn_walls_turn_rolling(const struct cairn_wall_memory *old, struct cairn_nearest touch,
                                           CAIRN_GLOBAL const double *assembly, double h, double turn[3]) {
  CAIRN_GLOBAL const double *w = assembly + CAIRN_ASSEMBLY_W;
  const double n[3] = {touch.nx, touch.ny, touch.nz}, *m = old->normal, *q = old->turn;
  const double cosine = m[0] * n[0] + m[1] * n[1] + m[2] * n[2];
  const double along = m[0] * q[0] + m[1] * q[1] + m[2] * q[2], ahead = n[0] * q[0] + n[1] * q[1] + n[2] * q[2];
  const double had = old->age > 0 ? 1. : 0., keep = cosine > 0. ? had : 0.;
  const double part = (along + ahead) / (1. + (cosine > 0. ? cosine : 0.));
  const double twist = h * (w[0] * n[0] + w[1] * n[1] + w[2] * n[2]);
  double x[3], a[3];
  for (cairn_int k = 0; k < 3; k++)
    x[k] = keep * (q[k] - part * (m[k] + n[k]) + 2. * along * n[k]);
  for (cairn_int k = 0; k < 3; k++)
    a[k] = x[k] + 0.5 * twist * (n[(k + 1) % 3] * x[(k + 2) % 3] - n[(k + 2) % 3] * x[(k + 1) % 3]);
  for (cairn_int k = 0; k < 3; k++)
    turn[k] = x[k] + twist * (n[(k + 1) % 3] * a[(k + 2) % 3] - n[(k + 2) % 3] * a[(k + 1) % 3]);
}

/* What the law of soft spheres goes on with. */
CAIRN_INLINE struct cairn_contact_history cairn_walls_history(const struct cairn_wall_memory *old,
                                                              struct cairn_nearest touch,
                                                              CAIRN_GLOBAL const double *assembly, double h) {
  struct cairn_contact_history before;
  double s[3], q[3];
  cairn_walls_turn(old, touch, assembly, h, s);
  cairn_walls_turn_rolling(old, touch, assembly, h, q);
  before.sx = s[0];
  before.sy = s[1];
  before.sz = s[2];
  before.qx = q[0];
  before.qy = q[1];
  before.qz = q[2];
  before.seconds = (double)(cairn_int)old->age * h;
  return before;
}

/* Load of the body on the wall: force, and torque about the position of its assembly. */
CAIRN_INLINE void cairn_walls_load(CAIRN_GLOBAL const double *p, struct cairn_nearest touch,
                                   CAIRN_GLOBAL const double *assembly, const struct cairn_contact_result *r,
                                   CAIRN_GLOBAL double *load) {
  const double ax = p[0] + touch.distance * touch.nx - assembly[0], ay = p[1] + touch.distance * touch.ny - assembly[1],
               az = p[2] + touch.distance * touch.nz - assembly[2];
  load[0] = -r->fx;
  load[1] = -r->fy;
  load[2] = -r->fz;
  load[3] = ay * load[2] - az * load[1] + r->t2x;
  load[4] = az * load[0] - ax * load[2] + r->t2y;
  load[5] = ax * load[1] - ay * load[0] + r->t2z;
}

/* Which contact of this step continues which of the step before, where a body has several with one wall: the two with
 * the nearest normals first, within 60 degrees, whatever their order. heir[j] is the index of the earlier one, or -1: a
 * new contact. */
CAIRN_INLINE void cairn_walls_heirs(const struct cairn_wall_memory *old, const struct cairn_nearest *touch, cairn_int n,
                                    cairn_int heir[CAIRN_WALL_TOUCHES]) {
  cairn_uint taken = 0;
  for (cairn_int j = 0; j < n; j++)
    heir[j] = -1;
  for (cairn_int round = 0; round < n; round++) {
    cairn_int best_j = -1, best_k = -1;
    double best = 0.5;
    for (cairn_int j = 0; j < n; j++)
      for (cairn_int k = 0; k < CAIRN_WALL_TOUCHES; k++) {
        const double *m = old[k].normal;
        const double cosine = m[0] * touch[j].nx + m[1] * touch[j].ny + m[2] * touch[j].nz;
        if (heir[j] < 0 && old[k].age > 0 && !(taken >> k & 1u) && cosine > best) {
          best = cosine;
          best_j = j;
          best_k = k;
        }
      }
    if (best_j < 0)
      return;
    heir[best_j] = best_k;
    taken |= 1u << best_k;
  }
}

#ifndef __OPENCL_VERSION__

/* All assemblies of a simulation and what they need to move. */
struct cairn_walls_set {
  int32_t n;
  const struct cairn_assembly_rules *rules; /* [n] */
  const int32_t *symmetric;                 /* [n] does turning leave the shape as it is? */
  const double *extent;                     /* m [n] no body is farther from its position than this */
  const double *reference;                  /* their block when the pair list was built */
  double gravity[3];                        /* m/s² */
  double reach;                             /* m; the list expires once a wall is farther than this from there */
  double *load;                             /* N, N m [n][6] scratch */
};

/* The force and torque on each assembly, [n][6], from the loads of a cell's bodies, in the order (body, wall). */
struct cairn_soft_spheres;
void cairn_kernel_walls_load(const struct cairn_soft_spheres *cell, int32_t n_assemblies, double *load);

/* Move all assemblies by the step number `step` (from 1), which ends now; adds to `report` their displacement at the
 * coming one. */
void cairn_kernel_walls_move(const struct cairn_walls_set *set, const double *load, int64_t step, double h,
                             const double *in, double *out, struct cairn_report *report);

/* The same at the end of a step of contact dynamics: the predicted kinematics are those of `time`, when it ends. */
void cairn_kernel_walls_arrive(const struct cairn_walls_set *set, const double *free_assemblies, double time, double h,
                               double theta, const double *in, double *out, struct cairn_report *report);

#endif
#endif
