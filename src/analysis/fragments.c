#include "analysis/fragments.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/aggregate.h"
#include "analysis/cluster.h"
#include "kernels/common/vec3.h"

static void add_centers(const struct cairn_state *s, struct cairn_fragments *f) {
  for (int64_t i = 0; i < s->n; i++) {
    if (f->rank[i] < 0)
      continue;
    struct cairn_fragment *piece = f->fragment + f->rank[i];
    piece->n_bodies++;
    piece->body.mass += s->mass[i];
    for (int k = 0; k < 3; k++) {
      piece->body.center[k] += s->mass[i] * s->position[3 * i + k];
      piece->body.velocity[k] += s->mass[i] * s->velocity[3 * i + k];
    }
  }
  for (int64_t p = 0; p < f->n; p++) {
    f->mass += f->fragment[p].body.mass;
    for (int k = 0; k < 3; k++) {
      f->fragment[p].body.center[k] /= f->fragment[p].body.mass;
      f->fragment[p].body.velocity[k] /= f->fragment[p].body.mass;
    }
  }
}

static void add_inertia(const struct cairn_state *s, const struct cairn_fragments *f) {
  for (int64_t i = 0; i < s->n; i++)
    if (f->rank[i] >= 0)
      cairn_equivalent_body_add(&f->fragment[f->rank[i]].body, s, i);
}

/* With the inertia I of a body its second moments are (tr I)/2 - I. */
static void find_shape(struct cairn_fragment *piece) {
  const double(*inertia)[3] = piece->body.inertia;
  const double half = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2]);
  double second[3][3];
  for (int k = 0; k < 9; k++)
    second[k / 3][k % 3] = (k % 4 == 0 ? half : 0.) - inertia[k / 3][k % 3];
  cairn_aggregate_semi_axes(second, piece->body.mass, piece->semi_axes);
  cairn_equivalent_body_respond(&piece->body, piece->body.momentum, piece->spin);
}

static int find(const struct cairn_state *state, double gap, const struct cairn_cluster_links *links,
                struct cairn_fragments *out, struct cairn_error *error) {
  *out = (struct cairn_fragments){.rank = malloc(((size_t)state->n + 1) * sizeof *out->rank)};
  int64_t n = !out->rank ? CAIRN_ERR_NUMERIC
              : links    ? cairn_cluster_ranks_linked(state, links, out->rank, error)
                         : cairn_cluster_ranks(state, gap, out->rank, error);
  if (n >= 0)
    out->fragment = calloc((size_t)n + 1, sizeof *out->fragment);
  if (n < 0 || !out->fragment) {
    const bool lacks = !out->rank || n >= 0;
    cairn_fragments_fini(out);
    return lacks ? cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the fragments") : (int)n;
  }
  out->n = n;
  add_centers(state, out);
  add_inertia(state, out);
  for (int64_t p = 0; p < n; p++)
    find_shape(out->fragment + p);
  return 0;
}

int cairn_fragments_find(const struct cairn_state *state, double gap, struct cairn_fragments *out,
                         struct cairn_error *error) {
  return find(state, gap, NULL, out, error);
}

int cairn_fragments_find_linked(const struct cairn_state *state, const struct cairn_cluster_links *links,
                                struct cairn_fragments *out, struct cairn_error *error) {
  return find(state, 0., links, out, error);
}

void cairn_fragments_fini(struct cairn_fragments *fragments) {
  free(fragments->fragment);
  free(fragments->rank);
  *fragments = (struct cairn_fragments){0};
}

/* ---- ejecta ---- */

struct moving {
  double speed, mass;
};

static int by_speed(const void *a, const void *b) {
  const struct moving *x = a, *y = b;
  return (x->speed > y->speed) - (x->speed < y->speed);
}

static void find_deciles(struct moving *list, int64_t n, double mass, struct cairn_ejecta *out) {
  double below = 0.;
  int decile = 0;
  qsort(list, (size_t)n, sizeof *list, by_speed);
  for (int64_t k = 0; k < n; k++) {
    below += list[k].mass;
    while (decile < 9 && below >= 0.1 * (decile + 1) * mass * (1. - 1e-12))
      out->deciles[decile++] = list[k].speed;
  }
  out->fastest = n > 0 ? list[n - 1].speed : 0.;
}

int cairn_fragments_ejecta(const struct cairn_fragments *f, const struct cairn_state *s, double constant,
                           struct cairn_ejecta *out, struct cairn_error *error) {
  struct moving *list = malloc(((size_t)s->n + 1) * sizeof *list);
  int64_t n = 0;
  *out = (struct cairn_ejecta){0};
  if (!list)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the ejecta");
  for (int64_t i = 0; i < s->n; i++) {
    if (f->rank[i] <= 0)
      continue;
    const struct cairn_equivalent_body *largest = &f->fragment[0].body;
    double d[3], v[3];
    for (int k = 0; k < 3; k++) {
      d[k] = s->position[3 * i + k] - largest->center[k];
      v[k] = s->velocity[3 * i + k] - largest->velocity[k];
    }
    const double speed = cairn_vec3_length(v), distance = cairn_vec3_length(d);
    const bool bound = 0.5 * speed * speed * distance < constant * largest->mass;
    *(bound ? &out->bound : &out->escaping) += s->mass[i];
    list[n++] = (struct moving){speed, s->mass[i]};
  }
  find_deciles(list, n, out->bound + out->escaping, out);
  free(list);
  return 0;
}
