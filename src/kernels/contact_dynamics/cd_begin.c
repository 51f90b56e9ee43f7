#include <string.h>

#include "kernels/common/vec3.h"
#include "kernels/contact_dynamics/cd_walls.h"
#include "kernels/contact_dynamics/cohesion.h"

struct cairn_cd_cell cairn_kernel_cd_bind(struct cairn_cell_size size, void *velocities, void *cd) {
  const struct cairn_cd_offsets o = cairn_cd_offsets(size);
  char *memory = cd;
  return (struct cairn_cd_cell){
      .size = size,
      .velocities = velocities,
      .n_groups = (cairn_int *)memory + CAIRN_CD_N_GROUPS,
      .n_alone = (cairn_int *)memory + CAIRN_CD_N_ALONE,
      .n_contacts = (cairn_int *)memory + CAIRN_CD_N_CONTACTS,
      .n_used = (cairn_int *)memory + CAIRN_CD_N_USED,
      .n_stages = (cairn_int *)memory + CAIRN_CD_N_STAGES,
      .halo = (cairn_int *)(memory + o.halo),
      .last = (cairn_int *)(memory + o.last),
      .fill = (cairn_int *)(memory + o.fill),
      .pair = (cairn_int(*)[CAIRN_CD_LANES])(memory + o.pair),
      .source = size.cd.colored ? (cairn_int *)(memory + o.source) : NULL,
      .taken = size.cd.colored ? (uint64_t *)(memory + o.taken) : NULL,
      .open = size.cd.colored ? (cairn_int *)(memory + o.open) : NULL,
      .color = size.cd.colored ? (cairn_int *)(memory + o.color) : NULL,
      .order = size.cd.colored ? (cairn_int *)(memory + o.order) : NULL,
      .stage = size.cd.colored ? (cairn_int *)(memory + o.stage) : NULL,
      .group = (struct cairn_cd_group *)(memory + o.group),
      .rotation_friction = size.cd.rotation ? (struct cairn_cd_rotation_group *)(memory + o.rotation_friction) : NULL,
  };
}

static double *load_velocity(const struct cairn_cd_cell *c, int32_t i) { return c->velocities + (int64_t)CAIRN_CD * i; }

static int is_held(const double *predicted) { return predicted[CAIRN_PREDICTED_CAPTOR] != 0.; }

/* The velocity a body would have at the end of the step without contacts; none if it is captured. */
static void free_body(const struct cairn_soft_spheres *b, int32_t i, double h, double *velocity) {
  const double *predicted = b->predicted + (int64_t)CAIRN_PREDICTED * i;
  if (is_held(predicted)) {
    memset(velocity, 0, CAIRN_CD * sizeof *velocity);
    velocity[CAIRN_CD_IR] = 1. / predicted[CAIRN_PREDICTED_R];
    return;
  }
  const double r = predicted[CAIRN_PREDICTED_R], inertia = 1. / predicted[CAIRN_PREDICTED_I];
  cairn_cd_free(b, i, h, velocity + CAIRN_CD_V, velocity + CAIRN_CD_S);
  velocity[CAIRN_CD_IM] = r * r / (CAIRN_CD_GYRATION * inertia);
  velocity[CAIRN_CD_IR] = 1. / r;
}

/* A body of infinite mass and radius. */
static void ground(double *velocity) { memset(velocity, 0, CAIRN_CD * sizeof *velocity); }

/* Relative velocity before the step at a contact of two bodies, as far as they have a part in it (NULL: none). */
static void velocity_before(const double *p, const double *q, const double *n, double u[3]) {
  double s[3];
  for (int k = 0; k < 3; k++)
    s[k] = (p ? p[CAIRN_PREDICTED_R] * p[CAIRN_PREDICTED_W + k] : 0.) +
           (q ? q[CAIRN_PREDICTED_R] * q[CAIRN_PREDICTED_W + k] : 0.);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    u[k] = (q ? q[CAIRN_PREDICTED_V + k] : 0.) - (p ? p[CAIRN_PREDICTED_V + k] : 0.) + (n[i] * s[j] - n[j] * s[i]);
  }
}

/* What a candidate knows before it becomes a contact. */
struct candidate {
  int32_t pair, b;
  double n[3], gap, radius; /* radius: the smaller one */
  double distance;          /* m, of the centres of two bodies */
  const double *p, *q;      /* predicted kinematics of the bodies that impulses can move, else NULL */
  double wall[3];           /* m/s, part of a wall or a captured body in the relative velocity */
  double spin[3];           /* rad/s, and in the relative spin */
};

/* Relative velocity before the step, with that of the wall; returns its normal part. */
static double approach(const struct candidate *x, double u[3]) {
  velocity_before(x->p, x->q, x->n, u);
  for (int i = 0; i < 3; i++)
    u[i] += x->wall[i];
  return u[0] * x->n[0] + u[1] * x->n[1] + u[2] * x->n[2];
}

static int set_target(const struct candidate *x, const struct cairn_law_coulomb *law, const struct cairn_cd_step *step,
                      struct cairn_cd_contact *k) {
  double u[3];
  approach(x, u);
  if (!cairn_law_coulomb_target(law, step, u, x->n, x->gap, k->c, &k->cohesion))
    return 0;
  for (int i = 0; i < 3; i++)
    k->c[i] += x->wall[i];
  return 1;
}

/* The same for bodies that may be bound: while they are, a gap is neither closed nor drawn together, and the
 * cohesion ends with the binding energy. */
static int set_bound_target(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b,
                            const struct candidate *x, const struct cairn_law_coulomb *law,
                            const struct cairn_cd_step *step, struct cairn_cd_contact *k) {
  const int32_t pair = x->pair;
  const double *first = load_velocity(c, b->a[pair]), *second = load_velocity(c, x->b), *n = x->n;
  double u[3], v[3];
  const double un = approach(x, u), gap = x->gap - (1. - step->theta) * step->h * un;
  const struct cairn_cohesion_pair bond = {.range = law->range,
                                           .radius = x->radius,
                                           .gap = gap,
                                           .rest = b->age[pair] > 0 ? b->rest[pair] : cairn_cohesion_rest(gap),
                                           .known = b->age[pair] > 0,
                                           .pressed = b->age[pair] > 0 &&
                                                      b->sx[pair] * n[0] + b->sy[pair] * n[1] + b->sz[pair] * n[2] > 0.,
                                           .opening = un};
  if (cairn_cohesion_judge(&bond) != CAIRN_COHESION_BOUND)
    return set_target(x, law, step, k);
  cairn_cd_velocity(first, second, n, v);
  const double u_free = (v[0] + x->wall[0]) * n[0] + (v[1] + x->wall[1]) * n[1] + (v[2] + x->wall[2]) * n[2];
  const double w = first[CAIRN_CD_IM] + second[CAIRN_CD_IM];
  const double left = law->cohesion * (law->range - (gap - bond.rest)), across = x->gap <= 0. ? law->rebound : 0.;
  for (int i = 0; i < 3; i++)
    k->c[i] = law->restitution * fmin(un, 0.) * n[i] + across * (u[i] - un * n[i]) + x->wall[i];
  k->cohesion = cairn_cohesion_impulse(law->cohesion * step->h, left, un, u_free, w);
  return 1;
}

/* Rotation of a contact since the step before, rad: its normal turns with the centres, or from the one that a wall
 * remembers, and about it with the mean spin. Impulses of the step before turn with it: in a bed that rotates with its
 * drum they are a hundredth of the scale off otherwise. */
static void rotation_of(const struct cairn_soft_spheres *b, const struct candidate *x, double h, double turn[3]) {
  const double *n = x->n;
  double spin[3] = {0., 0., 0.};
  if (x->pair < b->size.n_pairs) {
    double across[3];
    for (int k = 0; k < 3; k++) {
      across[k] = (x->q ? x->q[CAIRN_PREDICTED_V + k] : 0.) - (x->p ? x->p[CAIRN_PREDICTED_V + k] : 0.);
      spin[k] = 0.5 * ((x->q ? x->q[CAIRN_PREDICTED_W + k] : 0.) + (x->p ? x->p[CAIRN_PREDICTED_W + k] : 0.));
    }
    cairn_vec3_cross(n, across, turn);
    for (int k = 0; k < 3; k++)
      turn[k] *= x->p && x->q ? h / x->distance : 0.;
  } else {
    cairn_vec3_cross(b->normal + 3 * (int64_t)(x->pair - b->size.n_pairs), n, turn);
    for (int k = 0; k < 3; k++)
      spin[k] = 0.5 * (x->p[CAIRN_PREDICTED_W + k] + x->spin[k]);
  }
  const double twist = h * cairn_vec3_dot(spin, n);
  for (int k = 0; k < 3; k++)
    turn[k] += twist * n[k];
}

/* An impulse of the step before, turned by so much. */
static void turn_by(const double turn[3], double p[3]) {
  double change[3];
  cairn_vec3_cross(turn, p, change);
  for (int k = 0; k < 3; k++)
    p[k] += change[k];
}

/* What is not given as a length is given over the reduced radius, 1/r = 1/r_a + 1/r_b. */
static void add_turning(const double *a, const double *b, const double spin[3], const double m[3],
                        const struct cairn_law_coulomb *law, struct cairn_cd_rotation_group *t, int32_t lane) {
  const double ia = a[CAIRN_CD_IR], ib = b[CAIRN_CD_IR];
  const double radius = 1. / (ia + ib);
  t->inverse[lane] = 1. / (CAIRN_CD_GYRATION * (a[CAIRN_CD_IM] * ia * ia + b[CAIRN_CD_IM] * ib * ib));
  t->roll[lane] = cairn_law_coulomb_rolling(law, radius);
  t->twist[lane] = cairn_law_coulomb_twisting(law, radius);
  for (int k = 0; k < 3; k++) {
    t->w[k][lane] = spin[k];
    t->m[k][lane] = t->before[k][lane] = m[k];
  }
}

static void put_contact(struct cairn_cd_group *g, int32_t lane, const struct cairn_cd_contact *k) {
  for (int j = 0; j < 3; j++) {
    g->n[j][lane] = k->n[j];
    g->p[j][lane] = k->p[j];
    g->c[j][lane] = k->c[j];
  }
  g->inverse[lane] = k->inverse;
  g->friction[lane] = k->friction;
  g->cohesion[lane] = k->cohesion;
}

/* Impulse and torque impulse of the step before. */
static void recall(const struct cairn_soft_spheres *b, const struct candidate *x, double h, double p[3], double m[3]) {
  const int32_t pair = x->pair;
  const double impulse[3] = {b->sx[pair], b->sy[pair], b->sz[pair]};
  double turn[3];
  rotation_of(b, x, h, turn);
  memcpy(p, impulse, sizeof impulse);
  turn_by(turn, p);
  if (b->qx) {
    const double torque[3] = {b->qx[pair], b->qy[pair], b->qz[pair]};
    memcpy(m, torque, sizeof torque);
    turn_by(turn, m);
  }
}

static double add_contact(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b, const struct candidate *x,
                          const struct cairn_cd_step *step, int32_t *first_group) {
  const struct cairn_law_coulomb *law = cairn_cd_law_of(b, x->pair);
  struct cairn_cd_contact k = {.a = b->a[x->pair], .b = x->b, .friction = law->friction};
  if (!(law->bonds > 0. ? set_bound_target(c, b, x, law, step, &k) : set_target(x, law, step, &k)))
    return 0.;
  const double *first = load_velocity(c, k.a), *second = load_velocity(c, k.b);
  double m[3] = {0., 0., 0.};
  memcpy(k.n, x->n, sizeof k.n);
  k.inverse = 1. / (first[CAIRN_CD_IM] + second[CAIRN_CD_IM]);
  if (b->age[x->pair] > 0)
    recall(b, x, step->h, k.p, m);
  const struct cairn_cd_colouring place = cairn_kernel_cd_colouring(c, k.a, k.b, first_group);
  put_contact(c->group + place.group, place.lane, &k);
  for (int j = 0; j < 3; j++)
    c->group[place.group].before[j][place.lane] = k.p[j];
  c->pair[place.group][place.lane] = x->pair;
  if (c->rotation_friction)
    add_turning(first, second, x->spin, m, law, c->rotation_friction + place.group, place.lane);
  const double *x_a = b->predicted + (int64_t)CAIRN_PREDICTED * k.a;
  double q[3], square = 0., velocities = 0., places = 0.;
  cairn_cd_velocity(first, second, k.n, q);
  for (int i = 0; i < 3; i++) {
    const double warm = k.p[i] / k.inverse;
    square += (q[i] + k.c[i]) * (q[i] + k.c[i]);
    velocities += k.c[i] * k.c[i] + warm * warm;
    for (int j = i; j < CAIRN_CD_IR; j += CAIRN_CD_S)
      velocities += first[j] * first[j] + second[j] * second[j];
    places += x_a[i] * x_a[i];
  }
  square += cairn_cd_rounding(step, velocities, places);
  return 3. / (1. + 2. * CAIRN_CD_ACROSS) * k.inverse * square;
}

static double pair_of_bodies(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b, int32_t pair,
                             const struct cairn_cd_step *step, int32_t *first_group) {
  const double *p = b->predicted + (int64_t)CAIRN_PREDICTED * b->a[pair],
               *q = b->predicted + (int64_t)CAIRN_PREDICTED * b->b[pair];
  struct candidate x = {.pair = pair, .b = b->b[pair], .p = is_held(p) ? NULL : p, .q = is_held(q) ? NULL : q};
  if (!x.p && !x.q)
    return 0.;
  const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int k = 0; k < 3; k++)
    x.n[k] = d[k] / distance;
  x.distance = distance;
  x.gap = distance - p[CAIRN_PREDICTED_R] - q[CAIRN_PREDICTED_R];
  x.radius = fmin(p[CAIRN_PREDICTED_R], q[CAIRN_PREDICTED_R]);
  if (!x.p || !x.q)
    cairn_cd_captured_motion(p, q, x.n, x.wall, x.spin);
  return add_contact(c, b, &x, step, first_group);
}

/* Pairs with one wall, from `pair` on; *n_slots says how many they are. */
static double pairs_with_wall(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b, int32_t pair,
                              const struct cairn_cd_step *step, int32_t *first_group, int32_t *n_slots) {
  const double *wall = cairn_walls_of(b->world, b->n_laws) + (int64_t)CAIRN_WALL * b->b[pair];
  const double *assembly = cairn_walls_assembly(wall, b->assemblies);
  const double *p = b->predicted + (int64_t)CAIRN_PREDICTED * b->a[pair];
  struct cairn_nearest touch[CAIRN_WALL_TOUCHES];
  double sum = 0.;
  *n_slots = cairn_walls_is_mesh(wall) ? CAIRN_WALL_TOUCHES : 1;
  if (wall[CAIRN_WALL_CAPTURE] != 0. || is_held(p) || assembly[CAIRN_ASSEMBLY_IS_FREE] != 0.)
    return 0.;
  const int32_t n = cairn_walls_touches(b->world, wall, assembly, p, cairn_cd_wall_reach(p, assembly, step), touch);
  if (*n_slots > 1)
    cairn_cd_inherit(b, pair, touch, n);
  for (int32_t k = 0; k < n; k++) {
    struct candidate x = {
        .pair = pair + k, .b = c->size.n + c->size.n_halo, .n = {touch[k].nx, touch[k].ny, touch[k].nz}};
    x.p = p;
    x.gap = touch[k].distance - p[CAIRN_PREDICTED_R];
    x.radius = p[CAIRN_PREDICTED_R];
    cairn_cd_wall_motion(p, x.n, assembly, x.wall, x.spin);
    sum += add_contact(c, b, &x, step, first_group);
  }
  return sum;
}

void cairn_kernel_cd_begin(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b,
                           const struct cairn_cd_step *step, struct cairn_cd_measure *measure) {
  const int32_t n = c->size.n, all = n + c->size.n_halo, n_pairs = c->size.n_pairs;
  double sum = 0.;
  int32_t n_slots = 1, first_group = 0;
  for (int32_t i = 0; i < n; i++)
    cairn_blocks_predict(b->state + (int64_t)CAIRN_STATE * i, (1. - step->theta) * step->h,
                         b->predicted + (int64_t)CAIRN_PREDICTED * i);
  for (int32_t i = 0; i < n && b->captor; i++)
    b->predicted[(int64_t)CAIRN_PREDICTED * i + CAIRN_PREDICTED_CAPTOR] =
        b->captor[(int64_t)CAIRN_CAPTURE * i + CAIRN_CAPTURE_CAPTOR];
  for (int32_t i = 0; i < all; i++)
    free_body(b, i, step->h, load_velocity(c, i));
  ground(load_velocity(c, all));
  cairn_kernel_cd_colouring_none(c);
  for (int32_t k = 0; k < n_pairs; k++)
    sum += pair_of_bodies(c, b, k, step, &first_group);
  for (int32_t k = n_pairs; k < n_pairs + c->size.n_wall_pairs; k += n_slots)
    sum += pairs_with_wall(c, b, k, step, &first_group, &n_slots);
  cairn_kernel_cd_colouring_order(c);
  *measure = (struct cairn_cd_measure){.scale = sum, .contacts = *c->n_contacts};
}
