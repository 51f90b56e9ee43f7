/* Hard spheres by one plain queue over all bodies: no cells, no neighbour list, no heap. Every body knows the earliest
 * event among all others and all walls; the earliest of all is looked for one by one. Walls are at rest. What the tests
 * hold the task version against, bit for bit. */
#ifndef CAIRN_TESTS_HARD_REFERENCE_H
#define CAIRN_TESTS_HARD_REFERENCE_H

#include <string.h>

#include "kernels/hard/collide.h"
#include "kernels/hard/impact.h"
#include "kernels/hard/merge.h"
#include "sim.h"

struct plain {
  const struct cairn_scenario *scenario;
  int64_t n;
  double h, slow;
  double (*x)[3], (*v)[3], (*w)[3], *t;
  double *r, *m; /* radius; mass, negative once it was merged into another */
  double *when;
  int64_t *low, *high;
  int64_t n_collisions, n_wall_collisions, n_merges;
};

static inline struct plain plain_make(const struct cairn_scenario *s) {
  struct plain p = {.scenario = s, .n = s->initial.n, .h = s->time_step, .slow = s->collisions_elastic_below};
  const size_t n = (size_t)p.n;
  p.x = malloc(n * sizeof *p.x);
  p.v = malloc(n * sizeof *p.v);
  p.w = malloc(n * sizeof *p.w);
  p.t = malloc(n * sizeof *p.t);
  p.r = malloc(n * sizeof *p.r);
  p.m = malloc(n * sizeof *p.m);
  p.when = malloc(n * sizeof *p.when);
  p.low = malloc(n * sizeof *p.low);
  p.high = malloc(n * sizeof *p.high);
  memcpy(p.r, s->initial.radius, n * sizeof *p.r);
  memcpy(p.m, s->initial.mass, n * sizeof *p.m);
  memcpy(p.x, s->initial.position, n * sizeof *p.x);
  memcpy(p.v, s->initial.velocity, n * sizeof *p.v);
  memcpy(p.w, s->initial.spin, n * sizeof *p.w);
  return p;
}

static inline void plain_free(struct plain *p) {
  free(p->x);
  free(p->v);
  free(p->w);
  free(p->t);
  free(p->r);
  free(p->m);
  free(p->when);
  free(p->low);
  free(p->high);
}

static inline void plain_offer(struct plain *p, int64_t i, double when, int64_t low, int64_t high) {
  if (when < p->when[i] ||
      (when == p->when[i] && when < INFINITY && (low < p->low[i] || (low == p->low[i] && high < p->high[i])))) {
    p->when[i] = when;
    p->low[i] = low;
    p->high[i] = high;
  }
}

static inline double plain_pair(const struct plain *p, int64_t a, int64_t b) {
  const double from = fmax(p->t[a], p->t[b]), *r = p->r;
  double rho[3], u[3];
  if (p->m[a] < 0. || p->m[b] < 0.)
    return INFINITY;
  for (int k = 0; k < 3; k++) {
    rho[k] = (p->x[b][k] + p->v[b][k] * (from - p->t[b])) - (p->x[a][k] + p->v[a][k] * (from - p->t[a]));
    u[k] = p->v[b][k] - p->v[a][k];
  }
  return from + cairn_impact_spheres(rho, u, r[a] + r[b], p->h - from);
}

static inline struct cairn_impact_path plain_path(const struct plain *p, int64_t i, int32_t wall) {
  const double *start = p->scenario->assemblies[p->scenario->walls[wall].assembly].rules.start;
  struct cairn_impact_path path = {.radius = p->r[i], .most = p->h - p->t[i]};
  for (int k = 0; k < 3; k++) {
    path.x[k] = p->x[i][k] - start[k];
    path.u[k] = p->v[i][k];
  }
  return path;
}

static inline void plain_predict(struct plain *p, int64_t i) {
  p->when[i] = INFINITY;
  for (int64_t j = 0; j < p->n; j++)
    if (j != i)
      plain_offer(p, i, plain_pair(p, i < j ? i : j, i < j ? j : i), i < j ? i : j, i < j ? j : i);
  for (int32_t w = 0; w < p->scenario->n_walls && p->m[i] > 0.; w++) {
    const struct cairn_impact_path path = plain_path(p, i, w);
    plain_offer(p, i, p->t[i] + cairn_impact_shape(p->scenario->walls[w].shape, &path), i, p->n + w);
  }
}

static inline void plain_move(struct plain *p, int64_t i, double t) {
  for (int k = 0; k < 3; k++)
    p->x[i][k] += p->v[i][k] * (t - p->t[i]);
  p->t[i] = t;
}

static inline struct cairn_collide_body plain_body(const struct plain *p, int64_t i) {
  const double m = p->m[i], r = p->r[i];
  struct cairn_collide_body b = {.inverse_mass = 1. / m, .inverse_inertia = 1. / (0.4 * m * r * r), .arm = r};
  memcpy(b.v, p->v[i], sizeof b.v);
  memcpy(b.w, p->w[i], sizeof b.w);
  return b;
}

static inline double plain_restitution(const struct plain *p, const struct cairn_interaction *i, double speed) {
  const struct cairn_collide_law law = {
      .normal = i->restitution, .speed = i->restitution_speed, .exponent = i->restitution_exponent};
  return speed < p->slow ? 1. : cairn_collide_restitution(&law, speed);
}

/* The cells know the inverse mass. */
static inline struct cairn_merge_body plain_part(const struct plain *p, int64_t i) {
  struct cairn_merge_body b = {.mass = 1. / (1. / p->m[i]), .radius = p->r[i]};
  memcpy(b.x, p->x[i], sizeof b.x);
  memcpy(b.v, p->v[i], sizeof b.v);
  memcpy(b.w, p->w[i], sizeof b.w);
  return b;
}

static inline void plain_merge(struct plain *p, int64_t a, int64_t b) {
  const struct cairn_merge_body one = plain_part(p, a), two = plain_part(p, b);
  struct cairn_merge_body whole;
  const int64_t stays = one.mass >= two.mass ? a : b;
  cairn_merge(&one, &two, &whole);
  memcpy(p->x[stays], whole.x, sizeof whole.x);
  memcpy(p->v[stays], whole.v, sizeof whole.v);
  memcpy(p->w[stays], whole.w, sizeof whole.w);
  p->r[stays] = whole.radius;
  p->m[stays] = whole.mass;
  p->m[a + b - stays] = -1.;
  p->n_merges++;
}

static inline void plain_collide(struct plain *p, int64_t a, int64_t b) {
  const struct cairn_scenario *s = p->scenario;
  const struct cairn_interaction *i =
      s->interactions + s->initial.material[a] * s->n_materials + s->initial.material[b];
  struct cairn_collide_body one = plain_body(p, a), two = plain_body(p, b);
  double d[3], u[3], n[3], impulse[3];
  for (int k = 0; k < 3; k++) {
    d[k] = p->x[b][k] - p->x[a][k];
    u[k] = p->v[b][k] - p->v[a][k];
  }
  const double distance = cairn_vec3_length(d), closing = -cairn_vec3_dot(d, u);
  if (!(closing > 0.))
    return;
  if (s->collisions_merge) {
    plain_merge(p, a, b);
    return;
  }
  for (int k = 0; k < 3; k++)
    n[k] = d[k] / distance;
  cairn_collide(&one, &two, n, plain_restitution(p, i, closing / distance), i->transverse_restitution, impulse);
  memcpy(p->v[a], one.v, sizeof one.v);
  memcpy(p->w[a], one.w, sizeof one.w);
  memcpy(p->v[b], two.v, sizeof two.v);
  memcpy(p->w[b], two.w, sizeof two.w);
  p->n_collisions++;
}

static inline void plain_bounce(struct plain *p, int64_t a, int32_t w) {
  const struct cairn_scenario *s = p->scenario;
  const struct cairn_interaction *i = s->interactions + s->initial.material[a] * s->n_materials + s->walls[w].material;
  const struct cairn_impact_path path = plain_path(p, a, w);
  const struct cairn_nearest found = cairn_shapes_nearest(s->walls[w].shape, path.x[0], path.x[1], path.x[2]);
  const double n[3] = {found.nx, found.ny, found.nz};
  struct cairn_collide_body one = plain_body(p, a), two = {.arm = 0.};
  double u[3], impulse[3];
  if (!(cairn_vec3_dot(n, one.v) > 0.))
    return;
  cairn_collide_relative(&one, &two, n, u);
  cairn_collide(&one, &two, n, plain_restitution(p, i, -cairn_vec3_dot(u, n)), i->transverse_restitution, impulse);
  memcpy(p->v[a], one.v, sizeof one.v);
  memcpy(p->w[a], one.w, sizeof one.w);
  p->n_wall_collisions++;
}

/* One step in the uniform field of the scenario. */
static inline void plain_step(struct plain *p) {
  const double *g = p->scenario->gravity;
  for (int64_t i = 0; i < p->n; i++) {
    for (int k = 0; k < 3; k++)
      p->v[i][k] += 0.5 * p->h * g[k];
    p->t[i] = 0.;
  }
  for (int64_t i = 0; i < p->n; i++)
    plain_predict(p, i);
  for (;;) {
    int64_t first = 0;
    for (int64_t i = 1; i < p->n; i++)
      if (p->when[i] < p->when[first] ||
          (p->when[i] == p->when[first] &&
           (p->low[i] < p->low[first] || (p->low[i] == p->low[first] && p->high[i] < p->high[first]))))
        first = i;
    const int64_t a = p->low[first], b = p->high[first];
    const double t = p->when[first];
    if (t == INFINITY)
      break;
    plain_move(p, a, t);
    if (b < p->n) {
      plain_move(p, b, t);
      plain_collide(p, a, b);
    } else {
      plain_bounce(p, a, (int32_t)(b - p->n));
    }
    for (int64_t i = 0; i < p->n; i++) /* all who had to do with one of them, and who may have now */
      if (i == a || i == b ||
          (p->when[i] < INFINITY && (p->low[i] == a || p->high[i] == a || p->low[i] == b || p->high[i] == b)))
        plain_predict(p, i);
      else {
        plain_offer(p, i, plain_pair(p, i < a ? i : a, i < a ? a : i), i < a ? i : a, i < a ? a : i);
        if (b < p->n)
          plain_offer(p, i, plain_pair(p, i < b ? i : b, i < b ? b : i), i < b ? i : b, i < b ? b : i);
      }
  }
  for (int64_t i = 0; i < p->n; i++) {
    for (int k = 0; k < 3; k++) {
      p->x[i][k] = p->x[i][k] + p->v[i][k] * (p->h - p->t[i]);
      p->v[i][k] += 0.5 * p->h * g[k];
    }
  }
}

#endif
