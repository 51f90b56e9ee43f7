#include "data/cluster.h"

#include <stdlib.h>

#include "data/search.h"

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

static void mark_largest(const struct cairn_state *state, int32_t n, const int32_t *id, int32_t *parent, double *mass,
                         bool *member) {
  int32_t best = 0;
  for (int32_t k = 0; k < n; k++)
    mass[root_of(parent, k)] += state->mass[id[k]];
  for (int32_t k = 1; k < n; k++)
    best = mass[k] > mass[best] ? k : best;
  for (int32_t k = 0; k < n; k++)
    member[id[k]] = root_of(parent, k) == best;
}

int cairn_cluster_largest(const struct cairn_state *state, double gap, bool *member, struct cairn_error *error) {
  const size_t room = (size_t)state->n + 1;
  struct cairn_sphere *sphere = malloc(room * sizeof *sphere);
  int32_t *id = malloc(room * sizeof *id), *parent = malloc(room * sizeof *parent), n = 0;
  double *mass = calloc(room, sizeof *mass);
  struct cairn_pairs pairs = {0};
  int status = sphere && id && parent && mass
                   ? CAIRN_OK
                   : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the clusters of bodies");
  for (int64_t i = 0; i < state->n && status == CAIRN_OK; i++) {
    const double *x = state->position + 3 * i;
    member[i] = false;
    if (state->fate[i] != 0)
      continue;
    sphere[n] = (struct cairn_sphere){x[0], x[1], x[2], state->radius[i]};
    parent[n] = n;
    id[n++] = (int32_t)i;
  }
  if (status == CAIRN_OK)
    status = cairn_search_pairs(sphere, n, n, gap, &pairs, error);
  for (int64_t k = 0; k < pairs.n && status == CAIRN_OK; k++)
    join(parent, pairs.pair[k][0], pairs.pair[k][1]);
  if (status == CAIRN_OK)
    mark_largest(state, n, id, parent, mass, member);
  cairn_search_pairs_fini(&pairs);
  free(sphere);
  free(id);
  free(parent);
  free(mass);
  return status;
}
