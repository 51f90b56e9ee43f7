#include "analysis/cluster.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "analysis/equivalent_body.h"
#include "data/cells/search.h"

/* A cluster is named by the lowest of its bodies; halves the way there for the next one who asks. */
static int32_t root_of(int32_t *parent, int32_t i) {
  for (; parent[i] != i; i = parent[i])
    parent[i] = parent[parent[i]];
  return i;
}

static void join(int32_t *parent, int32_t i, int32_t j) {
  const int32_t a = root_of(parent, i), b = root_of(parent, j);
  parent[a > b ? a : b] = a > b ? b : a;
}

/* The clusters of the bodies that are free: `id` are these bodies, `parent` their tree, `mass` that of the cluster at
 * its root. */
struct clusters {
  int32_t n;
  int32_t *id, *parent;
  double *mass;
};

static void clusters_fini(struct clusters *c) {
  free(c->id);
  free(c->parent);
  free(c->mass);
}

/* The free bodies, each a cluster of its own. */
static int begin(const struct cairn_state *state, struct clusters *c, struct cairn_error *error) {
  const size_t room = (size_t)state->n + 1;
  *c = (struct clusters){.id = malloc(room * sizeof *c->id),
                         .parent = malloc(room * sizeof *c->parent),
                         .mass = calloc(room, sizeof *c->mass)};
  if (!c->id || !c->parent || !c->mass) {
    clusters_fini(c);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the clusters of bodies");
  }
  for (int64_t i = 0; i < state->n; i++) {
    if (state->captor[i] != 0)
      continue;
    c->parent[c->n] = c->n;
    c->id[c->n++] = (int32_t)i;
  }
  return CAIRN_OK;
}

static void add_masses(const struct cairn_state *state, struct clusters *c) {
  for (int32_t k = 0; k < c->n; k++)
    c->mass[root_of(c->parent, k)] += state->mass[c->id[k]];
}

/* By gaps. */
static int find(const struct cairn_state *state, double gap, struct clusters *c, struct cairn_error *error) {
  struct cairn_pairs pairs = {0};
  int status = begin(state, c, error);
  if (status != CAIRN_OK)
    return status;
  struct cairn_sphere *sphere = malloc(((size_t)state->n + 1) * sizeof *sphere);
  for (int32_t k = 0; k < c->n && sphere; k++) {
    const double *x = state->position + 3 * (int64_t)c->id[k];
    sphere[k] = (struct cairn_sphere){x[0], x[1], x[2], state->radius[c->id[k]]};
  }
  status = sphere ? cairn_search_pairs(sphere, c->n, c->n, gap, &pairs, error)
                  : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the clusters of bodies");
  for (int64_t k = 0; k < pairs.n && status == CAIRN_OK; k++)
    join(c->parent, pairs.pair[k][0], pairs.pair[k][1]);
  add_masses(state, c);
  cairn_search_pairs_fini(&pairs);
  free(sphere);
  if (status != CAIRN_OK)
    clusters_fini(c);
  return status;
}

/* By links between ids; those of captured or removed bodies count for nothing. */
static int find_linked(const struct cairn_state *state, const struct cairn_cluster_links *links, struct clusters *c,
                       struct cairn_error *error) {
  const int status = begin(state, c, error);
  if (status != CAIRN_OK)
    return status;
  int32_t *place = malloc(((size_t)state->n + 1) * sizeof *place);
  if (!place) {
    clusters_fini(c);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the clusters of bodies");
  }
  for (int64_t i = 0; i < state->n; i++)
    place[i] = -1;
  for (int32_t k = 0; k < c->n; k++)
    place[c->id[k]] = k;
  for (int64_t k = 0; k < links->n; k++) {
    const int32_t a = place[links->pair[k][0]], b = place[links->pair[k][1]];
    if (a >= 0 && b >= 0)
      join(c->parent, a, b);
  }
  free(place);
  add_masses(state, c);
  return CAIRN_OK;
}

static int32_t heaviest(const struct clusters *c) {
  int32_t best = 0;
  for (int32_t k = 1; k < c->n; k++)
    best = c->mass[k] > c->mass[best] ? k : best;
  return best;
}

double cairn_cluster_gap(const struct cairn_state *state) {
  static const double LINK = 0.1;
  double sum = 0.;
  for (int64_t i = 0; i < state->n; i++)
    sum += state->radius[i];
  return LINK * (state->n > 0 ? sum / (double)state->n : 0.);
}

int cairn_cluster_largest(const struct cairn_state *state, double gap, bool *member, struct cairn_error *error) {
  struct clusters c;
  const int status = find(state, gap, &c, error);
  if (status != CAIRN_OK)
    return status;
  const int32_t best = heaviest(&c);
  for (int64_t i = 0; i < state->n; i++)
    member[i] = false;
  for (int32_t k = 0; k < c.n; k++)
    member[c.id[k]] = root_of(c.parent, k) == best;
  clusters_fini(&c);
  return CAIRN_OK;
}

struct ranked {
  double mass;
  int32_t root;
};

static int by_mass(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  return x->mass != y->mass ? (x->mass < y->mass ? 1 : -1) : (x->root > y->root) - (x->root < y->root);
}

/* The clusters in the order of their masses; frees them. */
static int64_t rank_all(const struct cairn_state *state, struct clusters *c, int32_t *rank, struct cairn_error *error) {
  struct ranked *order = malloc(((size_t)c->n + 1) * sizeof *order);
  int32_t *place = malloc(((size_t)c->n + 1) * sizeof *place), n = 0;
  if (order && place) {
    for (int32_t k = 0; k < c->n; k++)
      if (c->parent[k] == k)
        order[n++] = (struct ranked){c->mass[k], k};
    qsort(order, (size_t)n, sizeof *order, by_mass);
    for (int32_t k = 0; k < n; k++)
      place[order[k].root] = k;
    for (int64_t i = 0; i < state->n; i++)
      rank[i] = -1;
    for (int32_t k = 0; k < c->n; k++)
      rank[c->id[k]] = place[root_of(c->parent, k)];
  }
  const bool failed = !order || !place;
  free(order);
  free(place);
  clusters_fini(c);
  return failed ? cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the clusters of bodies") : n;
}

int64_t cairn_cluster_ranks(const struct cairn_state *state, double gap, int32_t *rank, struct cairn_error *error) {
  struct clusters c;
  const int status = find(state, gap, &c, error);
  return status == CAIRN_OK ? rank_all(state, &c, rank, error) : status;
}

int64_t cairn_cluster_ranks_linked(const struct cairn_state *state, const struct cairn_cluster_links *links,
                                   int32_t *rank, struct cairn_error *error) {
  struct clusters c;
  const int status = find_linked(state, links, &c, error);
  return status == CAIRN_OK ? rank_all(state, &c, rank, error) : status;
}

int cairn_cluster_bonds(const struct cairn_state *state, struct cairn_cluster_links *out, struct cairn_error *error) {
  const struct cairn_contacts *list = &state->contacts;
  *out = (struct cairn_cluster_links){.pair = malloc(((size_t)list->n + 1) * sizeof *out->pair)};
  if (!out->pair)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the bonds of bodies");
  for (int64_t k = 0; k < list->n; k++) {
    const double *length = cairn_contact_recall(list, k, CAIRN_CONTACT_bond_length);
    if (!length || !(*length > 0.))
      continue;
    out->pair[out->n][0] = cairn_contact_at(list, k)->a;
    out->pair[out->n++][1] = cairn_contact_at(list, k)->b;
  }
  return CAIRN_OK;
}

int cairn_cluster_count(const struct cairn_state *state, double gap, const struct cairn_cluster_links *links,
                        struct cairn_cluster_fragments *fragments, struct cairn_error *error) {
  struct clusters c;
  double mass = 0., cubes = 0., second = 0.;
  bool *member = malloc((size_t)state->n + 1);
  int status = !member ? cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the clusters of bodies")
               : links ? find_linked(state, links, &c, error)
                       : find(state, gap, &c, error);
  if (status != CAIRN_OK) {
    free(member);
    return status;
  }
  const int32_t best = heaviest(&c);
  *fragments = (struct cairn_cluster_fragments){0};
  for (int64_t i = 0; i < state->n; i++)
    member[i] = false;
  for (int32_t k = 0; k < c.n; k++) {
    fragments->n += c.parent[k] == k;
    second = k != best ? fmax(second, c.mass[k]) : second;
    mass += state->mass[c.id[k]];
    member[c.id[k]] = root_of(c.parent, k) == best;
    cubes += member[c.id[k]] ? pow(state->radius[c.id[k]], 3.) : 0.;
  }
  fragments->radius = cbrt(cubes / 0.6);
  fragments->largest = mass > 0. ? c.mass[best] / mass : 0.;
  fragments->second = mass > 0. ? second / mass : 0.;
  const struct cairn_equivalent_body body = cairn_equivalent_body_of(state, member);
  fragments->unrest = cairn_equivalent_body_unrest(&body, state, member);
  free(member);
  clusters_fini(&c);
  return CAIRN_OK;
}
