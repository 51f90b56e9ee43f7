#include "solvers/simulation/speed.h"
#include "kernels/common/vec3.h"

#include <math.h>

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

double cairn_speed_impact(const struct cairn_scenario *s, const struct cairn_speed *speed, double start) {
  return sqrt(start * start + speed->infall * speed->infall + 2. * cairn_vec3_length(s->gravity) * speed->height) +
         speed->walls;
}
