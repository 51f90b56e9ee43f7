/* Hard spheres and walls. Within a drift an assembly moves at constant velocity and spin from where it is at the
 * beginning to where it is at the end: a moving wall has no jumps, and its path is exact at every step. */
#include <string.h>

#include "kernels/hard/drift.h"

/* An assembly during the drift. */
struct motion {
  double x[3], v[3], w[3]; /* position at its start, velocity, spin */
  double r[9];             /* orientation at its start, row by row */
  double spin[3];          /* in its own coordinates */
  double turn[3];          /* the same; zero if turning leaves the shape as it is */
};

static void orient(const double *q, double *r) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double m[9] = {1. - 2. * (y * y + z * z), 2. * (x * y - w * z),      2. * (x * z + w * y),
                       2. * (x * y + w * z),      1. - 2. * (x * x + z * z), 2. * (y * z - w * x),
                       2. * (x * z - w * y),      2. * (y * z + w * x),      1. - 2. * (x * x + y * y)};
  memcpy(r, m, sizeof m);
}

static void inward(const double *r, const double *v, double *out) {
  for (int k = 0; k < 3; k++)
    out[k] = r[k] * v[0] + r[3 + k] * v[1] + r[6 + k] * v[2];
}

static void outward(const double *r, const double *v, double *out) {
  for (int k = 0; k < 3; k++)
    out[k] = r[3 * k] * v[0] + r[3 * k + 1] * v[1] + r[3 * k + 2] * v[2];
}

static struct motion motion_of(const struct cairn_hard_scope *s, const double *assembly, int32_t index) {
  const double *state = assembly + CAIRN_ASSEMBLY_STATE;
  struct motion m;
  for (int k = 0; k < 3; k++) {
    m.x[k] = state[CAIRN_ASSEMBLY_STATE_X + k];
    m.v[k] = s->h > 0. ? (assembly[CAIRN_ASSEMBLY_X + k] - m.x[k]) / s->h : 0.;
    m.w[k] = 0.5 * (state[CAIRN_ASSEMBLY_STATE_W + k] + assembly[CAIRN_ASSEMBLY_W + k]);
  }
  orient(state + CAIRN_ASSEMBLY_STATE_Q, m.r);
  inward(m.r, m.w, m.spin);
  memcpy(m.turn, m.spin, sizeof m.turn);
  if (s->symmetric[index])
    memset(m.turn, 0, sizeof m.turn);
  return m;
}

/* Turn a vector of the coordinates at the start into those at time t. */
static void turn_to(const struct motion *m, double t, double *x) {
  struct cairn_impact_path path = {.radius = 0.};
  memcpy(path.x, x, sizeof path.x);
  memcpy(path.w, m->turn, sizeof path.w);
  cairn_impact_place(&path, t, x);
}

/* A body at time t as the assembly sees it. */
static struct cairn_impact_path path_of(const struct motion *m, const double *x, const double *v, double t,
                                        double radius, double most) {
  struct cairn_impact_path path = {.radius = radius, .most = most};
  double dx[3], dv[3];
  for (int k = 0; k < 3; k++) {
    dx[k] = x[k] - (m->x[k] + m->v[k] * t);
    dv[k] = v[k] - m->v[k];
  }
  inward(m->r, dx, path.x);
  inward(m->r, dv, path.u);
  turn_to(m, t, path.x);
  turn_to(m, t, path.u);
  memcpy(path.w, m->turn, sizeof path.w);
  return path;
}

static const double *wall_of(const struct cairn_hard_cell *c, int32_t wall) {
  return cairn_walls_of(c->blocks.world, c->blocks.n_laws) + (int64_t)CAIRN_WALL * wall;
}

/* Is a body too far from a wall at rest to reach it in the window? */
static int is_away(const struct cairn_hard_scope *s, const double *wall, const double *assembly,
                   const struct cairn_hard_path *p) {
  const double *state = assembly + CAIRN_ASSEMBLY_STATE;
  double r[9], dx[3], x[3];
  if (cairn_walls_is_mesh(wall))
    return 0;
  for (int k = 0; k < 3; k++) {
    if (state[CAIRN_ASSEMBLY_STATE_X + k] != assembly[CAIRN_ASSEMBLY_X + k] ||
        state[CAIRN_ASSEMBLY_STATE_W + k] != 0. || assembly[CAIRN_ASSEMBLY_W + k] != 0.)
      return 0;
    dx[k] = p->x[k] - state[CAIRN_ASSEMBLY_STATE_X + k];
  }
  orient(state + CAIRN_ASSEMBLY_STATE_Q, r);
  inward(r, dx, x);
  const double gap = fabs(cairn_shapes_nearest(wall + CAIRN_WALL_SHAPE, x[0], x[1], x[2]).distance) - p->r,
               most = (s->end - p->t) * (1. + 1e-9) + 1e-14 * s->h;
  return gap > 0. && gap * gap > cairn_vec3_dot(p->v, p->v) * most * most * (1. + 1e-9);
}

double cairn_drift_walls_impact(const struct cairn_hard_scope *s, const struct cairn_hard_cell *c, int32_t w,
                                const struct cairn_hard_path *p) {
  const double *wall = wall_of(c, w), *assembly = cairn_walls_assembly(wall, c->blocks.assemblies);
  if (assembly[CAIRN_ASSEMBLY_ACTIVE] == 0. || is_away(s, wall, assembly, p))
    return INFINITY;
  const struct motion m = motion_of(s, assembly, (int32_t)wall[CAIRN_WALL_ASSEMBLY]);
  const struct cairn_impact_path path = path_of(&m, p->x, p->v, p->t, p->r, s->h - p->t);
  const double when = p->t + (cairn_walls_is_mesh(wall)
                                  ? cairn_impact_mesh(c->blocks.world + (int64_t)wall[CAIRN_WALL_SHAPE + 1], &path)
                                  : cairn_impact_shape(wall + CAIRN_WALL_SHAPE, &path));
  return when <= s->end || s->end == s->h ? when : INFINITY;
}

/* The nearest point of the wall; of a mesh, in a corner, that which the body approaches. */
static struct cairn_nearest touch_of(const struct cairn_hard_cell *c, const double *wall,
                                     const struct cairn_impact_path *path) {
  const double *x = path->x;
  struct cairn_nearest found[CAIRN_WALL_TOUCHES], best = {.distance = INFINITY};
  int32_t n = 1;
  if (cairn_walls_is_mesh(wall))
    n = cairn_mesh_touches(c->blocks.world + (int64_t)wall[CAIRN_WALL_SHAPE + 1], x[0], x[1], x[2],
                           path->radius * (1. + 1e-6), found);
  else
    found[0] = cairn_shapes_nearest(wall + CAIRN_WALL_SHAPE, x[0], x[1], x[2]);
  for (int32_t k = 0; k < n; k++) {
    double swept[3];
    cairn_vec3_cross(path->w, x, swept);
    const double side = found[k].distance < 0. ? -1. : 1.; /* a plane has two faces here */
    const double nx = side * found[k].nx, ny = side * found[k].ny, nz = side * found[k].nz;
    const double closing = nx * (path->u[0] - swept[0]) + ny * (path->u[1] - swept[1]) + nz * (path->u[2] - swept[2]);
    if (closing > 0. && side * found[k].distance < best.distance)
      best = (struct cairn_nearest){side * found[k].distance, nx, ny, nz};
  }
  return best;
}

static void capture(const struct motion *m, const struct cairn_hard_cell *c, int32_t wall, struct cairn_hard_body *r) {
  struct cairn_hard_path *p = c->path + r->body;
  double arm[3], swept[3];
  r->since = p->t;
  r->captor = wall;
  if (wall_of(c, wall)[CAIRN_WALL_CAPTURE] == (double)CAIRN_WALL_REMOVES) {
    memcpy(r->place, p->x, sizeof p->x);
    c->flags[r->body] |= CAIRN_HARD_GONE;
    return;
  }
  struct motion turning = *m; /* it goes along, whatever the shape */
  memcpy(turning.turn, m->spin, sizeof m->spin);
  const struct cairn_impact_path path = path_of(&turning, p->x, p->v, p->t, p->r, 0.);
  memcpy(r->place, path.x, sizeof r->place);
  for (int k = 0; k < 3; k++)
    arm[k] = p->x[k] - (m->x[k] + m->v[k] * p->t);
  cairn_vec3_cross(m->w, arm, swept);
  for (int k = 0; k < 3; k++) {
    p->v[k] = m->v[k] + swept[k];
    r->w[k] = m->w[k];
  }
  r->inverse_mass = r->inverse_inertia = 0.;
  c->flags[r->body] |= CAIRN_HARD_CAPTURED | CAIRN_HARD_FIXED;
}

/* Impulse on the body, as force and torque on the wall over the drift. */
static void load(const struct cairn_hard_scope *s, const struct cairn_hard_cell *c, int32_t pair, const double *impulse,
                 const double *arm) {
  double *sum = c->blocks.wall_load + 6 * (int64_t)(pair - c->blocks.size.n_pairs), torque[3];
  cairn_vec3_cross(arm, impulse, torque);
  for (int k = 0; k < 3 && s->h > 0.; k++) {
    sum[k] += impulse[k] / s->h;
    sum[3 + k] += torque[k] / s->h;
  }
}

double cairn_drift_walls_hit(const struct cairn_hard_scope *s, const struct cairn_hard_cell *c, int32_t pair,
                             struct cairn_hard_body *r) {
  struct cairn_hard_path *p = c->path + r->body;
  const int32_t w = c->blocks.b[pair];
  const double *wall = wall_of(c, w), *assembly = cairn_walls_assembly(wall, c->blocks.assemblies);
  const struct motion m = motion_of(s, assembly, (int32_t)wall[CAIRN_WALL_ASSEMBLY]);
  const struct cairn_impact_path path = path_of(&m, p->x, p->v, p->t, p->r, 0.);
  const struct cairn_nearest touch = touch_of(c, wall, &path);
  const struct cairn_collide_law *law =
      (const void *)(c->blocks.world + CAIRN_WORLD_LAWS + CAIRN_LAW_DOUBLES * c->blocks.law[pair]);
  double local[3] = {touch.nx, touch.ny, touch.nz}, n[3], arm[3], swept[3], impulse[3];
  if (wall[CAIRN_WALL_CAPTURE] != 0.) {
    capture(&m, c, w, r);
    return 0.;
  }
  if (!(touch.distance < INFINITY))
    return 0.;
  turn_to(&m, -p->t, local);
  outward(m.r, local, n);
  struct cairn_collide_body one = {.inverse_mass = r->inverse_mass, .inverse_inertia = r->inverse_inertia, .arm = p->r},
                            two = {.arm = 0.};
  for (int k = 0; k < 3; k++)
    arm[k] = p->x[k] + touch.distance * n[k] - (m.x[k] + m.v[k] * p->t);
  cairn_vec3_cross(m.w, arm, swept);
  for (int k = 0; k < 3; k++)
    two.v[k] = m.v[k] + swept[k];
  memcpy(one.v, p->v, sizeof one.v);
  memcpy(one.w, r->w, sizeof one.w);
  cairn_collide_relative(&one, &two, n, swept);
  const double speed = -cairn_vec3_dot(swept, n);
  const int is_slow = speed < s->slow;
  const double lost =
      cairn_collide(&one, &two, n, is_slow ? 1. : cairn_collide_restitution(law, speed), law->tangential, impulse);
  memcpy(p->v, one.v, sizeof one.v);
  memcpy(r->w, one.w, sizeof one.w);
  r->n_slow += is_slow;
  load(s, c, pair, impulse, arm);
  return lost;
}
