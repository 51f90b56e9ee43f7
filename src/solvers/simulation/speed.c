#include "solvers/simulation/speed.h"
#include "data/cells/search.h"
#include "data/scenario/walls.h"
#include "kernels/common/vec3.h"

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
static void mean_velocity(const struct cairn_state *bodies, double mean[3]) {
  double mass = 0.;
  mean[0] = mean[1] = mean[2] = 0.;
  for (int64_t i = 0; i < bodies->n; i++) {
    mass += bodies->mass[i];
    for (int k = 0; k < 3; k++)
      mean[k] += bodies->mass[i] * bodies->velocity[3 * i + k];
  }
  for (int k = 0; k < 3; k++)
    mean[k] = mass > 0. ? mean[k] / mass : 0.;
}

/* √(2 G M/R) of an aggregate of all bodies with the packing fraction 0.6. */
static double infall_speed(const struct cairn_scenario *s) {
  double mass = 0., cubes = 0.;
  for (int64_t i = 0; i < s->initial.n; i++) {
    mass += s->initial.mass[i];
    cubes += s->initial.radius[i] * s->initial.radius[i] * s->initial.radius[i];
  }
  return s->self_gravity && cubes > 0. ? sqrt(2. * s->self_constant * mass / cbrt(cubes / 0.6)) : 0.;
}

/* What the point mass and the turning of the frame may add to a speed, going by the potentials between bodies: 2 G M/r
 * of a mass that stays, its tides 2 G M R²/q³ at the closest approach q, (Ω R)² of the frame. */
static double outside_speed(const struct cairn_scenario *s) {
  const struct cairn_external *e = &s->external.start;
  const double closest = cairn_external_closest(&s->external);
  double nearest = INFINITY, far = 0., off = 0., sum = 0.;
  for (int64_t i = 0; i < s->initial.n; i++) {
    const double *x = s->initial.position + 3 * i, d[3] = {x[0] - e->at[0], x[1] - e->at[1], x[2] - e->at[2]};
    const double y[3] = {x[0] - e->pivot[0], x[1] - e->pivot[1], x[2] - e->pivot[2]};
    nearest = fmin(nearest, cairn_vec3_length(d));
    far = fmax(far, cairn_vec3_length(x));
    off = fmax(off, cairn_vec3_length(y));
  }
  if (e->has_central && s->initial.n > 0)
    sum += 2. * e->parameter * (s->external.falls ? far * far / (closest * closest * closest) : 1. / nearest);
  if (e->rotates)
    sum += cairn_vec3_length(e->spin) * cairn_vec3_length(e->spin) * off * off;
  return sqrt(sum);
}

struct cairn_speed cairn_speed_expect(const struct cairn_scenario *s) {
  struct cairn_speed speed = {.walls = wall_speed(s), .infall = infall_speed(s)};
  speed.infall = hypot(speed.infall, outside_speed(s));
  const double g = cairn_vec3_length(s->gravity);
  double up[3] = {0., 0., 0.}, mean[3] = {0., 0., 0.}, low = INFINITY, high = -INFINITY;
  for (int k = 0; k < 3 && g > 0.; k++)
    up[k] = -s->gravity[k] / g;
  if (s->n_walls == 0)
    mean_velocity(&s->initial, mean);
  for (int64_t i = 0; i < s->initial.n; i++) {
    const double *x = s->initial.position + 3 * i, *v = s->initial.velocity + 3 * i, r = s->initial.radius[i];
    const double level = x[0] * up[0] + x[1] * up[1] + x[2] * up[2];
    const double moving[3] = {v[0] - mean[0], v[1] - mean[1], v[2] - mean[2]};
    speed.height = fmax(speed.height, drop(s, x, r, up));
    low = fmin(low, level - r);
    high = fmax(high, level + r);
    speed.start = fmax(speed.start, cairn_vec3_length(v));
    speed.relative = fmax(speed.relative, cairn_vec3_length(moving));
  }
  if (g > 0. && high > low)
    speed.height = fmax(speed.height, high - low);
  return speed;
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
  for (int64_t i = 0; i < s->initial.n; i++)
    least = fmin(least, drop(s, s->initial.position + 3 * i, s->initial.radius[i], up));
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

int cairn_speed_fall(const struct cairn_scenario *s, const struct cairn_speed *speed, double *fall,
                     struct cairn_error *error) {
  const struct cairn_state *bodies = &s->initial;
  struct cairn_sphere *sphere = malloc(((size_t)bodies->n + 1) * sizeof *sphere);
  struct hold *hold = calloc((size_t)bodies->n + 1, sizeof *hold);
  struct cairn_pairs pairs = {0};
  double largest = 0.;
  bool settled = bodies->n > 0;
  int32_t n = 0;
  int status = sphere && hold ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the plan");
  for (int64_t i = 0; i < bodies->n && !status; i++) {
    const double *x = bodies->position + 3 * i, r = bodies->radius[i];
    settled = settled && bodies->captor[i] >= 0; /* one that will be inserted falls */
    sphere[n++] = (struct cairn_sphere){x[0], x[1], x[2], (1. + 0.5 * HEM) * r};
    hold[i].touches = walls_at(s, x, r);
    largest = fmax(largest, r);
  }
  if (!status && settled)
    status = cairn_search_pairs(sphere, n, n, 0., &pairs, error);
  if (!status && settled)
    count_holds(sphere, &pairs, hold);
  for (int32_t i = 0; i < n && settled && !status; i++)
    settled = hold[i].touches >= HELD || hold[i].hems >= HELD;
  *fall = settled ? fmax(largest, common_drop(s)) : speed->height;
  cairn_search_pairs_fini(&pairs);
  free(sphere);
  free(hold);
  return status;
}

double cairn_speed_impact(const struct cairn_scenario *s, const struct cairn_speed *speed, double start) {
  return sqrt(start * start + speed->infall * speed->infall + 2. * cairn_vec3_length(s->gravity) * speed->height) +
         speed->walls;
}
