#include "solvers/start/speed.h"
#include "cairn/ranks.h"
#include "data/cells/search.h"
#include "data/initial/insert.h"
#include "data/scenario/walls.h"
#include "kernels/common/vec3.h"
#include "solvers/start/near.h"
#include "solvers/start/stretch.h"

#include <math.h>
#include <stdlib.h>

/* How far a body can fall before it meets a plane that faces up, along the vertical `up`; 0 if none is below it. */
static double drop(const struct cairn_scenario *s, const double *x, double r, const double up[3]) {
  double least = INFINITY;
  for (int32_t w = 0; w < s->n_walls; w++) {
    const double *shape = s->walls[w].shape, *n = shape + 4, *p = s->walls[w].reference;
    if (shape[0] != (double)CAIRN_SHAPE_PLANE)
      continue;
    const double cosine = n[0] * up[0] + n[1] * up[1] + n[2] * up[2];
    const double gap = (x[0] - p[0]) * n[0] + (x[1] - p[1]) * n[1] + (x[2] - p[2]) * n[2] - r;
    if (cosine > 0.05)
      least = fmin(least, gap / cosine);
  }
  return isinf(least) || least < 0. ? 0. : least;
}

/* The fastest that walls come at the bodies, m/s. */
static double wall_speed(const struct cairn_scenario *s) {
  double most = 0.;
  for (int32_t a = 0; a < s->n_assemblies; a++) {
    const struct cairn_assembly *assembly = s->assemblies + a;
    const bool driven = assembly->rules.kind == CAIRN_ASSEMBLY_DRIVEN;
    most =
        fmax(most, driven ? cairn_motion_fastest(&assembly->rules.motion, 0.) : cairn_vec3_length(assembly->velocity));
    most = fmax(most, assembly->rules.servo_speed);
  }
  return most;
}

/* Velocity of the centre of mass. */
static void mean_velocity(const struct cairn_scenario *s, double mean[3]) {
  const struct cairn_state *bodies = &s->initial;
  double sum[4] = {0., 0., 0., 0.}; /* momentum and mass */
  cairn_stretch_take(s, sum, sizeof sum);
  for (int64_t i = 0; i < bodies->n; i++) {
    sum[3] += bodies->mass[i];
    for (int k = 0; k < 3; k++)
      sum[k] += bodies->mass[i] * bodies->velocity[3 * i + k];
  }
  cairn_stretch_pass(s, sum, sizeof sum);
  for (int k = 0; k < 3; k++)
    mean[k] = sum[3] > 0. ? sum[k] / sum[3] : 0.;
}

/* √(2 G M/R) of an aggregate of all bodies with the packing fraction 0.6. */
static double infall_speed(const struct cairn_scenario *s) {
  double sum[2] = {0., 0.}; /* mass and cubes of the radii */
  cairn_stretch_take(s, sum, sizeof sum);
  for (int64_t i = 0; i < s->initial.n; i++) {
    sum[0] += s->initial.mass[i];
    sum[1] += s->initial.radius[i] * s->initial.radius[i] * s->initial.radius[i];
  }
  cairn_stretch_pass(s, sum, sizeof sum);
  return s->self_gravity && sum[1] > 0. ? sqrt(2. * s->self_constant * sum[0] / cbrt(sum[1] / 0.6)) : 0.;
}

/* What the point mass and the turning of the frame may add to a speed, going by the potentials between bodies: 2 G M/r
 * of a mass that stays, its tides 2 G M R²/q³ at the closest approach q, (Ω R)² of the frame. */
static double outside_speed(const struct cairn_scenario *s) {
  const struct cairn_external *e = &s->external.start;
  const double closest = cairn_external_closest(&s->external);
  struct {
    double nearest, far, off;
  } all = {INFINITY, 0., 0.};
  double sum = 0.;
  cairn_stretch_take(s, &all, sizeof all);
  for (int64_t i = 0; i < s->initial.n; i++) {
    const double *x = s->initial.position + 3 * i, d[3] = {x[0] - e->at[0], x[1] - e->at[1], x[2] - e->at[2]};
    const double y[3] = {x[0] - e->pivot[0], x[1] - e->pivot[1], x[2] - e->pivot[2]};
    all.nearest = fmin(all.nearest, cairn_vec3_length(d));
    all.far = fmax(all.far, cairn_vec3_length(x));
    all.off = fmax(all.off, cairn_vec3_length(y));
  }
  cairn_stretch_pass(s, &all, sizeof all);
  if (e->has_central && cairn_scenario_n_bodies(s) > 0)
    sum +=
        2. * e->parameter * (s->external.falls ? all.far * all.far / (closest * closest * closest) : 1. / all.nearest);
  if (e->rotates)
    sum += cairn_vec3_length(e->spin) * cairn_vec3_length(e->spin) * all.off * all.off;
  return sqrt(sum);
}

/* Bodies that will be inserted come with a speed of their own. */
static void expect_insertions(const struct cairn_scenario *s, const double mean[3], struct cairn_speed *speed) {
  for (int32_t e = 0; e < s->n_insertions; e++) {
    const struct cairn_insertion *i = s->insertions + e;
    const double moving[3] = {i->velocity[0] - mean[0], i->velocity[1] - mean[1], i->velocity[2] - mean[2]};
    if (i->count == 0)
      continue;
    speed->start = fmax(speed->start, cairn_vec3_length(i->velocity) + i->speed);
    speed->relative = fmax(speed->relative, cairn_vec3_length(moving) + i->speed);
  }
}

struct cairn_speed cairn_speed_expect(const struct cairn_scenario *s) {
  const double infall = infall_speed(s);
  struct {
    struct cairn_speed speed;
    double low, high; /* m, along the vertical */
  } all = {{.walls = wall_speed(s), .infall = hypot(infall, outside_speed(s))}, INFINITY, -INFINITY};
  const double g = cairn_vec3_length(s->gravity);
  double up[3] = {0., 0., 0.}, mean[3] = {0., 0., 0.};
  for (int k = 0; k < 3 && g > 0.; k++)
    up[k] = -s->gravity[k] / g;
  if (s->n_walls == 0)
    mean_velocity(s, mean);
  cairn_stretch_take(s, &all, sizeof all);
  for (int64_t i = 0; i < s->initial.n; i++) {
    const double *x = s->initial.position + 3 * i, *v = s->initial.velocity + 3 * i, r = s->initial.radius[i];
    const double level = x[0] * up[0] + x[1] * up[1] + x[2] * up[2];
    const double moving[3] = {v[0] - mean[0], v[1] - mean[1], v[2] - mean[2]};
    all.speed.height = fmax(all.speed.height, drop(s, x, r, up));
    all.low = fmin(all.low, level - r);
    all.high = fmax(all.high, level + r);
    all.speed.start = fmax(all.speed.start, cairn_vec3_length(v));
    all.speed.relative = fmax(all.speed.relative, cairn_vec3_length(moving));
  }
  cairn_stretch_pass(s, &all, sizeof all);
  expect_insertions(s, mean, &all.speed);
  if (g > 0. && all.high > all.low)
    all.speed.height = fmax(all.speed.height, all.high - all.low);
  return all.speed;
}

/* ---- beds that have settled ---- */

/* A gap up to this part of the smaller radius is a touch; a body with three of them is held, and so is one that three
 * such bodies hem in. */
static const double TOUCH = 0.02, HEM = 0.5;
enum { HELD = 3 };

struct hold {
  int32_t touches, hems;
};

/* Walls that a body touches. */
static int32_t walls_at(const struct cairn_scenario *s, const double *x, double r) {
  const double reach = (1. + TOUCH) * r;
  int32_t n = 0;
  for (int32_t w = 0; w < s->n_walls; w++)
    n += cairn_walls_distance(s->walls + w, s->assemblies[s->walls[w].assembly].position, x, reach) < reach;
  return n;
}

/* How far bodies that hold each other fall as one: down to the first plane below. */
static double common_drop(const struct cairn_scenario *s) {
  const double g = cairn_vec3_length(s->gravity), up[3] = {-s->gravity[0] / g, -s->gravity[1] / g, -s->gravity[2] / g};
  double least = INFINITY;
  cairn_stretch_take(s, &least, sizeof least);
  for (int64_t i = 0; i < s->initial.n; i++)
    least = fmin(least, drop(s, s->initial.position + 3 * i, s->initial.radius[i], up));
  cairn_stretch_pass(s, &least, sizeof least);
  return least;
}

/* Count for each body whom it touches, then who of these hem others in. Spheres come with the radius that finds all of
 * them. */
static void count_holds(const struct cairn_sphere *sphere, const struct cairn_pairs *pairs, struct hold *hold) {
  for (int pass = 0; pass < 2; pass++)
    for (int64_t k = 0; k < pairs->n; k++) {
      const int32_t i = pairs->pair[k][0], j = pairs->pair[k][1];
      const struct cairn_sphere *a = sphere + i, *b = sphere + j;
      const double d[3] = {b->x - a->x, b->y - a->y, b->z - a->z}, part = 1. / (1. + 0.5 * HEM);
      const double gap = cairn_vec3_length(d) - part * (a->r + b->r), smaller = part * fmin(a->r, b->r);
      if (pass == 0 && gap < TOUCH * smaller) {
        hold[i].touches++;
        hold[j].touches++;
      } else if (pass == 1 && gap < HEM * smaller) {
        hold[i].hems += hold[j].touches >= HELD;
        hold[j].hems += hold[i].touches >= HELD;
      }
    }
}

/* The spheres among which touches are counted, with the radius that finds all of them, and the walls that each touches:
 * of `own` bodies whether they are held is asked. */
struct neighbors {
  int32_t n, own;
  struct cairn_sphere *sphere;
  struct hold *hold;
};

static void add_neighbor(const struct cairn_scenario *s, const double *x, double r, struct neighbors *to) {
  to->hold[to->n].touches = walls_at(s, x, r);
  to->sphere[to->n++] = (struct cairn_sphere){x[0], x[1], x[2], (1. + 0.5 * HEM) * r};
}

/* Where ranks share the bodies, those in a slab of space and twice as far around it as two of them can reach: who hems
 * them in, and who touches those. */
static int find_neighbors(const struct cairn_scenario *s, struct neighbors *to, struct cairn_error *error) {
  const bool shared = s->share.is_shared;
  const struct cairn_state *bodies = &s->initial;
  const struct cairn_near near = shared ? cairn_near_gather(s, 2. * (2. + HEM) * s->share.largest)
                                        : (struct cairn_near){bodies->n, bodies->n, NULL};
  to->own = (int32_t)near.n_own;
  to->sphere = malloc(((size_t)near.n + 1) * sizeof *to->sphere);
  to->hold = calloc((size_t)near.n + 1, sizeof *to->hold);
  const bool good = to->sphere && to->hold;
  for (int64_t i = 0; i < near.n && good; i++)
    add_neighbor(s, shared ? near.sphere[i].position : bodies->position + 3 * i,
                 shared ? near.sphere[i].radius : bodies->radius[i], to);
  free(near.sphere);
  return good ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the plan");
}

int cairn_speed_fall(const struct cairn_scenario *s, const struct cairn_speed *speed, double *fall,
                     struct cairn_error *error) {
  const struct cairn_state *bodies = &s->initial;
  struct neighbors near = {0};
  struct cairn_pairs pairs = {0};
  struct {
    double largest;
    bool settled;
  } all = {0., cairn_scenario_n_bodies(s) > 0};
  cairn_stretch_take(s, &all, sizeof all);
  for (int64_t i = 0; i < bodies->n; i++) {
    all.settled = all.settled && bodies->captor[i] >= 0; /* one that will be inserted falls */
    all.largest = fmax(all.largest, bodies->radius[i]);
  }
  cairn_stretch_pass(s, &all, sizeof all);
  int status = all.settled ? find_neighbors(s, &near, error) : 0;
  if (!status && all.settled)
    status = cairn_search_pairs(near.sphere, near.n, near.n, 0., &pairs, error);
  if (!status && all.settled)
    count_holds(near.sphere, &pairs, near.hold);
  bool settled = all.settled;
  for (int32_t i = 0; i < near.own && settled && !status; i++)
    settled = near.hold[i].touches >= HELD || near.hold[i].hems >= HELD;
  all.settled = settled;
  cairn_stretch_take(s, &settled, sizeof settled);
  settled = settled && all.settled;
  cairn_stretch_pass(s, &settled, sizeof settled);
  if (s->share.is_shared)
    status = cairn_ranks_agree(status, error);
  *fall = settled ? fmax(all.largest, common_drop(s)) : speed->height;
  cairn_search_pairs_fini(&pairs);
  free(near.sphere);
  free(near.hold);
  return status;
}

double cairn_speed_impact(const struct cairn_scenario *s, const struct cairn_speed *speed, double start) {
  return sqrt(start * start + speed->infall * speed->infall + 2. * cairn_vec3_length(s->gravity) * speed->height) +
         speed->walls;
}
