#include "analysis/bound.h"

#include <stdlib.h>

#include "analysis/cluster.h"
#include "kernels/common/vec3.h"

/* Pieces are asked one by one whom they bind. Of debris without end only so many of the heaviest are, the others stay
 * what they are; and a gathering that has not come to its end is taken as it is. */
enum { SEEDS = 1000, ROUNDS = 100 };

/* All that has gathered; x and v are sums by mass. */
struct gathering {
  double mass, x[3], v[3];
};

static void count(struct gathering *g, const struct cairn_equivalent_body *piece, double sign) {
  g->mass += sign * piece->mass;
  for (int k = 0; k < 3; k++) {
    g->x[k] += sign * piece->mass * piece->center[k];
    g->v[k] += sign * piece->mass * piece->velocity[k];
  }
}

/* Is the energy of a piece and the rest of the gathering, seen as two points, negative? */
static bool is_bound(struct gathering rest, const struct cairn_equivalent_body *piece, bool member, double constant) {
  double d[3], v[3];
  if (member)
    count(&rest, piece, -1.);
  if (!(rest.mass > 0.))
    return true;
  for (int k = 0; k < 3; k++) {
    d[k] = piece->center[k] - rest.x[k] / rest.mass;
    v[k] = piece->velocity[k] - rest.v[k] / rest.mass;
  }
  return 0.5 * cairn_vec3_dot(v, v) * cairn_vec3_length(d) < constant * (rest.mass + piece->mass);
}

/* Who gathers around the piece `seed`: they get its number in `group`. */
static void gather(const struct cairn_fragments *pieces, int64_t seed, double constant, int64_t *group) {
  bool changed = true;
  group[seed] = seed;
  for (int round = 0; round < ROUNDS && changed; round++) {
    struct gathering g = {0};
    for (int64_t p = seed; p < pieces->n; p++)
      if (group[p] == seed)
        count(&g, &pieces->fragment[p].body, 1.);
    changed = false;
    for (int64_t p = seed + 1; p < pieces->n; p++) {
      const bool member = group[p] == seed;
      if (!member && group[p] >= 0)
        continue;
      const bool bound = is_bound(g, &pieces->fragment[p].body, member, constant);
      changed |= bound != member;
      group[p] = bound ? seed : -1;
    }
  }
}

/* A link from every body to one of the piece around which its own has gathered. */
static void link_all(const struct cairn_state *state, const struct cairn_fragments *pieces, const int64_t *group,
                     int64_t *first, struct cairn_cluster_links *links) {
  for (int64_t p = 0; p < pieces->n; p++)
    first[p] = -1;
  for (int64_t i = state->n - 1; i >= 0; i--)
    if (pieces->rank[i] >= 0)
      first[pieces->rank[i]] = i;
  for (int64_t i = 0; i < state->n; i++) {
    const int32_t p = pieces->rank[i];
    if (p < 0)
      continue;
    links->pair[links->n][0] = (int32_t)first[group[p] < 0 ? p : group[p]];
    links->pair[links->n++][1] = (int32_t)i;
  }
}

int cairn_bound_fragments(const struct cairn_state *state, double gap, double constant, struct cairn_fragments *out,
                          struct cairn_error *error) {
  struct cairn_fragments pieces;
  int status = cairn_fragments_find(state, gap, &pieces, error);
  if (status)
    return status;
  int64_t *group = malloc(((size_t)pieces.n + 1) * sizeof *group),
          *first = malloc(((size_t)pieces.n + 1) * sizeof *first);
  struct cairn_cluster_links links = {.pair = malloc(((size_t)state->n + 1) * sizeof *links.pair)};
  if (group && first && links.pair) {
    int64_t seeds = 0;
    for (int64_t p = 0; p < pieces.n; p++)
      group[p] = -1;
    for (int64_t p = 0; p < pieces.n && seeds < SEEDS; p++)
      if (group[p] < 0) {
        gather(&pieces, p, constant, group);
        seeds++;
      }
    link_all(state, &pieces, group, first, &links);
    status = cairn_fragments_find_linked(state, &links, out, error);
  } else {
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for fragments that gravity binds");
  }
  free(group);
  free(first);
  free(links.pair);
  cairn_fragments_fini(&pieces);
  return status;
}
