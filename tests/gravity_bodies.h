/* What the tests and the benchmark of gravity share: bodies that do not overlap in four arrangements, the whole method
 * on one core, and its errors. */
#ifndef CAIRN_TESTS_GRAVITY_BODIES_H
#define CAIRN_TESTS_GRAVITY_BODIES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/random.h"
#include "data/gravity/gravity.h"

enum gravity_kind { GRAVITY_SPHERE, GRAVITY_PLUMMER, GRAVITY_BILOBED, GRAVITY_TWO, GRAVITY_KINDS };

static const char *const gravity_kind_name[GRAVITY_KINDS] = {"sphere", "Plummer", "bilobed", "two"};

static inline void *gravity_allocate(size_t n, size_t size) {
  void *memory = calloc(n + 1, size);
  if (!memory) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static inline void gravity_shell(struct cairn_random *random, double radius, double p[3]) {
  cairn_random_direction(random, p);
  for (int k = 0; k < 3; k++)
    p[k] *= radius;
}

/* Uniform in a ball around x = `centre`. */
static inline void gravity_ball(struct cairn_random *random, double radius, double centre, double p[3]) {
  gravity_shell(random, radius * cbrt(cairn_random_unit(random)), p);
  p[0] += centre;
}

/* A uniform sphere; Plummer's model out to 50 core radii; two lobes in contact with a twentieth of the bodies as ejecta
 * around them; two spheres 100 radii apart. */
static inline void gravity_draw(enum gravity_kind kind, struct cairn_random *random, double p[3]) {
  const double part = cairn_random_unit(random);
  if (kind == GRAVITY_SPHERE) {
    gravity_ball(random, 1., 0., p);
  } else if (kind == GRAVITY_PLUMMER) {
    double radius;
    do
      radius = 1. / sqrt(pow(cairn_random_unit(random), -2. / 3.) - 1.);
    while (!(radius < 50.));
    gravity_shell(random, radius, p);
  } else if (kind == GRAVITY_TWO) {
    gravity_ball(random, 1., part < 0.5 ? 100. : 0., p);
  } else if (part < 0.05) {
    const double u = cairn_random_unit(random);
    gravity_shell(random, 2.5 + 20. * u * u, p);
  } else if (part < 0.35) {
    gravity_ball(random, 0.7, 1.6, p);
  } else {
    gravity_ball(random, 1., 0., p);
  }
}

/* Radius of the bodies: the densest part is filled to about a quarter. */
static inline double gravity_radius(enum gravity_kind kind, int32_t n) {
  return kind == GRAVITY_PLUMMER ? 0.3 * cbrt(4.2 / n) : kind == GRAVITY_TWO ? cbrt(0.5 / n) : cbrt(0.25 / n);
}

static inline uint32_t gravity_hash(const int32_t c[3], uint32_t mask) {
  return ((uint32_t)c[0] * 73856093u ^ (uint32_t)c[1] * 19349663u ^ (uint32_t)c[2] * 83492791u) & mask;
}

/* Does a body at p overlap one in the buckets of a grid of the bodies' diameter? */
static inline int gravity_overlaps(const double *position, const int32_t *head, const int32_t *next, uint32_t mask,
                                   double diameter, const double p[3]) {
  for (int32_t k = 0; k < 27; k++) {
    int32_t c[3];
    for (int axis = 0, rest = k; axis < 3; axis++, rest /= 3)
      c[axis] = (int32_t)floor(p[axis] / diameter) + rest % 3 - 1;
    for (int32_t j = head[gravity_hash(c, mask)]; j >= 0; j = next[j]) {
      const double *q = position + 3 * (int64_t)j, x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
      if (x * x + y * y + z * z < diameter * diameter)
        return 1;
    }
  }
  return 0;
}

/* Positions [n][3] and masses [n], 1 to 1.2, of bodies put one after the other where there is room. */
static inline void gravity_bodies(enum gravity_kind kind, int32_t n, double *position, double *mass) {
  const double diameter = 2. * gravity_radius(kind, n);
  struct cairn_random random;
  uint32_t size = 64;
  while (size < 4 * (uint32_t)n)
    size *= 2;
  int32_t *head = gravity_allocate(size, sizeof *head), *next = gravity_allocate((size_t)n, sizeof *next);
  memset(head, -1, size * sizeof *head);
  cairn_random_init(&random, 1, (uint64_t)kind, (uint64_t)n);
  for (int32_t i = 0; i < n; i++) {
    double *p = position + 3 * (int64_t)i;
    do
      gravity_draw(kind, &random, p);
    while (gravity_overlaps(position, head, next, size - 1, diameter, p));
    mass[i] = cairn_random_between(&random, 1., 1.2);
    const int32_t c[3] = {(int32_t)floor(p[0] / diameter), (int32_t)floor(p[1] / diameter),
                          (int32_t)floor(p[2] / diameter)};
    next[i] = head[gravity_hash(c, size - 1)];
    head[gravity_hash(c, size - 1)] = i;
  }
  free(head);
  free(next);
}

static inline void gravity_must(int status, const struct cairn_error *error) {
  if (status) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
}

/* Bodies whose ids are their indices. */
static inline int32_t *gravity_ids(int32_t n) {
  int32_t *id = gravity_allocate((size_t)n, sizeof *id);
  for (int32_t i = 0; i < n; i++)
    id[i] = i;
  return id;
}

/* All accelerations [n][3], potentials [n] and the drift, which is not subtracted, from scratch; the branches are
 * worked off with a stride, which must not divide their number. */
static inline void gravity_run(struct cairn_gravity *gravity, int32_t n, const double *position, const double *mass,
                               int32_t stride, double *acceleration, double *potential, double drift[3]) {
  struct cairn_error error;
  gravity_must(cairn_gravity_run(gravity, n, position, mass, stride, acceleration, potential, &error), &error);
  cairn_gravity_drift(gravity, drift);
}

/* The trees that were walked last, to be walked in another way. */
static inline struct cairn_gravity_forest gravity_forest(const struct cairn_gravity *g, int order, double epsilon,
                                                         double theta) {
  return (struct cairn_gravity_forest){
      .order = order,
      .epsilon = epsilon,
      .theta = theta,
      .top = g->top,
      .node = g->node,
      .bodies = {cairn_gravity_row(g->bodies, CAIRN_GRAVITY_X), cairn_gravity_row(g->bodies, CAIRN_GRAVITY_Y),
                 cairn_gravity_row(g->bodies, CAIRN_GRAVITY_Z), cairn_gravity_row(g->bodies, CAIRN_GRAVITY_MASS)}};
}

/* Fields of a sample of the bodies (every n/n_sample-th) by direct summation. */
static inline void gravity_direct(int32_t n, const double *position, const double *mass, int32_t n_sample,
                                  int32_t *sample, double *field) {
  double *x = gravity_allocate(6 * (size_t)n, sizeof *x);
  double *y = x + n, *z = y + n, *sx = z + n, *sy = sx + n, *sz = sy + n;
  for (int32_t i = 0; i < n; i++) {
    x[i] = position[3 * (int64_t)i];
    y[i] = position[3 * (int64_t)i + 1];
    z[i] = position[3 * (int64_t)i + 2];
  }
  for (int32_t s = 0; s < n_sample; s++) {
    sample[s] = (int32_t)((int64_t)s * n / n_sample);
    sx[s] = x[sample[s]];
    sy[s] = y[sample[s]];
    sz[s] = z[sample[s]];
  }
  memset(field, 0, (size_t)n_sample * CAIRN_FIELD * sizeof *field);
  cairn_kernel_gravity_direct(n_sample, &(struct cairn_points){sx, sy, sz, NULL}, n,
                              &(struct cairn_points){x, y, z, mass}, field);
  free(x);
}

/* Bodies, their fields by direct summation at a sample of them, and what the method makes of them. */
struct gravity_system {
  enum gravity_kind kind;
  int32_t n, n_sample, *sample;
  double *position, *mass, *field;
  double *acceleration, *potential, drift[3];
};

static inline struct gravity_system gravity_system_make(enum gravity_kind kind, int32_t n, int32_t n_sample) {
  struct gravity_system s = {.kind = kind, .n = n, .n_sample = n_sample < n ? n_sample : n};
  s.position = gravity_allocate(3 * (size_t)n, sizeof(double));
  s.mass = gravity_allocate((size_t)n, sizeof(double));
  s.acceleration = gravity_allocate(3 * (size_t)n, sizeof(double));
  s.potential = gravity_allocate((size_t)n, sizeof(double));
  s.sample = gravity_allocate((size_t)s.n_sample, sizeof *s.sample);
  s.field = gravity_allocate((size_t)s.n_sample, CAIRN_FIELD * sizeof(double));
  gravity_bodies(kind, n, s.position, s.mass);
  gravity_direct(n, s.position, s.mass, s.n_sample, s.sample, s.field);
  return s;
}

static inline void gravity_system_free(struct gravity_system *s) {
  free(s->position);
  free(s->mass);
  free(s->acceleration);
  free(s->potential);
  free(s->sample);
  free(s->field);
}

struct gravity_errors {
  double rms, max;  /* of the acceleration, over the RMS acceleration of the sample */
  double potential; /* RMS, over the RMS potential */
  double energy;    /* of the sum of m times the potential over the sample, relative */
  double momentum;  /* total of m a over that of m |a|, all bodies */
};

static inline double gravity_norm2(const double v[3]) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

static inline struct gravity_errors gravity_errors(const struct gravity_system *s) {
  double sum = 0., norm = 0., most = 0., sum_potential = 0., norm_potential = 0., energy[2] = {0., 0.};
  double momentum[3] = {0., 0., 0.}, forces = 0.;
  for (int32_t k = 0; k < s->n_sample; k++) {
    const int32_t i = s->sample[k];
    const double *a = s->acceleration + 3 * (int64_t)i, *f = s->field + CAIRN_FIELD * (int64_t)k;
    const double e[3] = {a[0] - s->drift[0] - f[0], a[1] - s->drift[1] - f[1], a[2] - s->drift[2] - f[2]};
    const double u = s->potential[i] + f[3];
    sum += gravity_norm2(e);
    norm += gravity_norm2(f);
    most = fmax(most, gravity_norm2(e));
    sum_potential += u * u;
    norm_potential += f[3] * f[3];
    energy[0] += s->mass[i] * u;
    energy[1] += s->mass[i] * f[3];
  }
  for (int32_t i = 0; i < s->n; i++) {
    const double *a = s->acceleration + 3 * (int64_t)i;
    for (int k = 0; k < 3; k++)
      momentum[k] += s->mass[i] * (a[k] - s->drift[k]);
    forces += s->mass[i] * sqrt(gravity_norm2(a));
  }
  return (struct gravity_errors){.rms = sqrt(sum / norm),
                                 .max = sqrt(most * s->n_sample / norm),
                                 .potential = sqrt(sum_potential / norm_potential),
                                 .energy = fabs(energy[0]) / energy[1],
                                 .momentum = sqrt(gravity_norm2(momentum)) / forces};
}

/* Errors at an accuracy; order 0: chosen. */
static inline struct gravity_errors gravity_at_accuracy(struct gravity_system *s, double accuracy, int order) {
  const struct cairn_gravity_rules rules = {.G = 1., .accuracy = accuracy, .order = order, .max_bodies = 2000};
  struct cairn_gravity gravity;
  cairn_gravity_init(&gravity, &rules);
  gravity_run(&gravity, s->n, s->position, s->mass, 1, s->acceleration, s->potential, s->drift);
  cairn_gravity_fini(&gravity);
  return gravity_errors(s);
}

/* Errors with the geometric criterion alone: every source is taken as far whose size and the sink's are less than theta
 * of their distance. */
static inline struct gravity_errors gravity_at_theta(struct gravity_system *s, int order, double theta) {
  enum { STACK = 1 << 20 };
  const struct cairn_gravity_rules rules = {.G = 1., .accuracy = 0.1, .order = order, .max_bodies = s->n};
  const struct cairn_gravity_node **stack = gravity_allocate(STACK, sizeof *stack);
  struct cairn_gravity g;
  cairn_gravity_init(&g, &rules);
  gravity_run(&g, s->n, s->position, s->mass, 1, s->acceleration, s->potential, s->drift); /* for the tree */
  const struct cairn_gravity_forest forest = gravity_forest(&g, order, 1e30, theta);
  struct cairn_gravity_missing missing;
  if (cairn_kernel_gravity_walk(&forest, g.node, stack, STACK, g.field, &missing)) {
    fputs("the stack is too small\n", stderr);
    exit(1);
  }
  for (int32_t l = 0; l < g.n_lists; l++)
    cairn_gravity_deliver(&g.terms, g.list + l, l, g.entry, g.cut.range, g.branch, g.bodies, g.field,
                          s->acceleration + 3 * g.list[l].first, s->potential + g.list[l].first);
  cairn_gravity_drift(&g, s->drift);
  free(stack);
  cairn_gravity_fini(&g);
  return gravity_errors(s);
}

#endif
