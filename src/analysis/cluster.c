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
  double all; /* kg, of all bodies */
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

/* ---- masses ---- */

enum { PIECE_BITS = 31 };

int cairn_cluster_mass_scale(double largest) { return largest > 0. ? ilogb(largest) + 1 : 0; }

void cairn_cluster_mass_add(struct cairn_cluster_mass *sum, double mass, int scale) {
  double rest = ldexp(mass, -scale);
  for (int k = 0; k < 3; k++) {
    rest = ldexp(rest, PIECE_BITS);
    const double whole = k < 2 ? floor(rest) : rint(rest);
    sum->piece[k] += (int64_t)whole;
    rest -= whole;
  }
}

void cairn_cluster_mass_join(struct cairn_cluster_mass *sum, const struct cairn_cluster_mass *more) {
  for (int k = 0; k < 3; k++)
    sum->piece[k] += more->piece[k];
}

double cairn_cluster_mass_value(const struct cairn_cluster_mass *sum, int scale) {
  struct cairn_cluster_mass carried = *sum;
  double value = 0.;
  for (int k = 2; k > 0; k--) {
    carried.piece[k - 1] += carried.piece[k] >> PIECE_BITS;
    carried.piece[k] &= (INT64_C(1) << PIECE_BITS) - 1;
  }
  for (int k = 2; k >= 0; k--)
    value = ldexp(value, -PIECE_BITS) + (double)carried.piece[k];
  return ldexp(value, scale - PIECE_BITS);
}

/* The masses of all clusters, and of all bodies; if that fails, frees them. */
static int add_masses(const struct cairn_state *state, struct clusters *c, struct cairn_error *error) {
  struct cairn_cluster_mass *sum = calloc((size_t)c->n + 1, sizeof *sum);
  double largest = 0.;
  if (!sum) {
    clusters_fini(c);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the clusters of bodies");
  }
  for (int32_t k = 0; k < c->n; k++)
    largest = fmax(largest, state->mass[c->id[k]]);
  const int scale = cairn_cluster_mass_scale(largest);
  struct cairn_cluster_mass all = {{0}};
  for (int32_t k = 0; k < c->n; k++)
    cairn_cluster_mass_add(sum + root_of(c->parent, k), state->mass[c->id[k]], scale);
  for (int32_t k = 0; k < c->n; k++) {
    c->mass[k] = cairn_cluster_mass_value(sum + k, scale);
    cairn_cluster_mass_join(&all, sum + k);
  }
  c->all = cairn_cluster_mass_value(&all, scale);
  free(sum);
  return CAIRN_OK;
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
  cairn_search_pairs_fini(&pairs);
  free(sphere);
  if (status != CAIRN_OK)
    clusters_fini(c);
  return status == CAIRN_OK ? add_masses(state, c, error) : status;
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
  return add_masses(state, c, error);
}

static int32_t heaviest(const struct clusters *c) {
  int32_t best = 0;
  for (int32_t k = 1; k < c->n; k++)
    best = c->mass[k] > c->mass[best] ? k : best;
  return best;
}

double cairn_cluster_gap_of(const struct cairn_exact_sum *radii, int64_t n) {
  static const double LINK = 0.1;
  return LINK * (n > 0 ? cairn_exact_sum_value(radii) / (double)n : 0.);
}

double cairn_cluster_gap(const struct cairn_state *state) {
  struct cairn_exact_sum radii = {0};
  cairn_exact_sum_add_all(&radii, state->radius, state->n);
  return cairn_cluster_gap_of(&radii, state->n);
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

void cairn_cluster_add_cubes(const struct cairn_state *state, const bool *member, double *cubes) {
  for (int64_t i = 0; i < state->n; i++)
    *cubes += member[i] ? pow(state->radius[i], 3.) : 0.;
}

double cairn_cluster_radius(double cubes) { return cbrt(cubes / 0.6); }

int cairn_cluster_count(const struct cairn_state *state, double gap, const struct cairn_cluster_links *links,
                        struct cairn_cluster_fragments *fragments, struct cairn_error *error) {
  struct clusters c;
  double cubes = 0., second = 0.;
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
    member[c.id[k]] = root_of(c.parent, k) == best;
  }
  cairn_cluster_add_cubes(state, member, &cubes);
  fragments->radius = cairn_cluster_radius(cubes);
  fragments->largest = c.all > 0. ? c.mass[best] / c.all : 0.;
  fragments->second = c.all > 0. ? second / c.all : 0.;
  const struct cairn_equivalent_body body = cairn_equivalent_body_of(state, member);
  cairn_equivalent_body_add_unrest(&body, state, member, &fragments->unrest);
  free(member);
  clusters_fini(&c);
  return CAIRN_OK;
}
