#include "solvers/simulation/ranks/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void no_memory(void) { cairn_ranks_out_of_memory("the clusters of bodies"); }

/* ---- here ---- */

static int by_id(const void *p, const void *q) {
  const struct cairn_sim_clusters_body *a = p, *b = q;
  return (a->id > b->id) - (a->id < b->id);
}

void cairn_sim_clusters_begin(struct cairn_sim_clusters *c, int64_t n, int64_t n_bodies) {
  *c = (struct cairn_sim_clusters){.n_bodies = n_bodies, .body = malloc((size_t)n * sizeof *c->body + 1)};
  if (!c->body)
    no_memory();
}

void cairn_sim_clusters_add(struct cairn_sim_clusters *c, int32_t id, double mass) {
  c->body[c->n++] = (struct cairn_sim_clusters_body){.id = id, .mass = mass};
}

void cairn_sim_clusters_sort(struct cairn_sim_clusters *c) {
  qsort(c->body, (size_t)c->n, sizeof *c->body, by_id);
  for (int64_t i = 0; i < c->n; i++)
    c->body[i].parent = (int32_t)i;
}

/* Its index, -1 if it is not here. */
static int32_t find(const struct cairn_sim_clusters *c, int32_t id) {
  const struct cairn_sim_clusters_body key = {.id = id},
                                       *found = bsearch(&key, c->body, (size_t)c->n, sizeof key, by_id);
  return found ? (int32_t)(found - c->body) : -1;
}

static int32_t root_of(const struct cairn_sim_clusters *c, int32_t i) {
  for (; c->body[i].parent != i; i = c->body[i].parent)
    c->body[i].parent = c->body[c->body[i].parent].parent;
  return i;
}

void cairn_sim_clusters_link(struct cairn_sim_clusters *c, int32_t a, int32_t b) {
  const int32_t i = find(c, a), j = find(c, b);
  if (i >= 0 && j >= 0) {
    const int32_t p = root_of(c, i), q = root_of(c, j);
    c->body[p > q ? p : q].parent = p > q ? q : p;
  }
  if ((i < 0) == (j < 0))
    return;
  if (c->n_links == c->room) {
    c->room = 2 * c->room + 256;
    void *longer = realloc(c->link, (size_t)c->room * sizeof *c->link);
    if (!longer) {
      no_memory();
      return;
    }
    c->link = longer;
  }
  c->link[c->n_links++] = (struct cairn_sim_note){i < 0 ? a : b, i < 0 ? j : i};
}

/* ---- on all ranks ---- */

/* What this rank knows of the bodies of its stretch of ids, and the pairs of clusters that links to them join. */
struct stretch {
  int64_t first;
  int32_t *name; /* lowest id of its cluster, on the rank that has it; -1: it has none */
  struct cairn_sim_note *pair;
  int64_t n, room;
};

static void learn_name(void *context, struct cairn_sim_note note) {
  struct stretch *s = context;
  s->name[note.body - s->first] = note.other;
}

static int by_both(const void *p, const void *q) {
  const struct cairn_sim_note *a = p, *b = q;
  return a->body != b->body ? (a->body > b->body) - (a->body < b->body) : (a->other > b->other) - (a->other < b->other);
}

/* Without those that are there more than once. */
static int64_t sort_pairs(struct cairn_sim_note *pair, int64_t n) {
  int64_t kept = 0;
  if (n > 0)
    qsort(pair, (size_t)n, sizeof *pair, by_both);
  for (int64_t k = 0; k < n; k++)
    if (kept == 0 || by_both(pair + kept - 1, pair + k) != 0)
      pair[kept++] = pair[k];
  return kept;
}

/* Most links of two clusters are between the same two. */
static void make_room(struct stretch *s) {
  s->n = sort_pairs(s->pair, s->n);
  if (2 * s->n < s->room)
    return;
  s->room = 2 * s->room + 256;
  void *longer = realloc(s->pair, (size_t)s->room * sizeof *s->pair);
  if (!longer) {
    no_memory();
    return;
  }
  s->pair = longer;
}

static void learn_link(void *context, struct cairn_sim_note note) {
  struct stretch *s = context;
  const int32_t name = s->name[note.body - s->first];
  if (name < 0)
    return;
  if (s->n == s->room)
    make_room(s);
  s->pair[s->n++] = (struct cairn_sim_note){name, note.other};
}

static const struct cairn_sim_note *find_joined(const struct cairn_sim_clusters *c, int32_t name) {
  int64_t low = 0, high = c->n_joined;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (c->joined[middle].body < name)
      low = middle + 1;
    else
      high = middle;
  }
  return low < c->n_joined && c->joined[low].body == name ? c->joined + low : NULL;
}

/* The index of the cluster with the lowest name that is joined to the one at index i; `other` are indices. */
static int32_t lowest(struct cairn_sim_note *joined, int32_t i) {
  for (; joined[i].other != i; i = joined[i].other)
    joined[i].other = joined[joined[i].other].other;
  return i;
}

/* Which names belong together, by the pairs of all ranks. */
static void join_names(struct cairn_sim_clusters *c, const struct cairn_ranks_mail *all) {
  int64_t n = 0;
  for (int q = 0; q < cairn_ranks_n(); q++)
    n += 2 * all[q].bytes / (int64_t)sizeof *c->joined;
  c->joined = malloc((size_t)n * sizeof *c->joined + 1);
  if (!c->joined)
    no_memory();
  n = 0;
  for (int q = 0; q < cairn_ranks_n(); q++)
    for (const struct cairn_sim_note *p = all[q].data, *end = p + all[q].bytes / (int64_t)sizeof *p; p < end; p++) {
      c->joined[n++] = (struct cairn_sim_note){p->body, 0};
      c->joined[n++] = (struct cairn_sim_note){p->other, 0};
    }
  c->n_joined = sort_pairs(c->joined, n);
  for (int64_t k = 0; k < c->n_joined; k++)
    c->joined[k].other = (int32_t)k;
  for (int q = 0; q < cairn_ranks_n(); q++)
    for (const struct cairn_sim_note *p = all[q].data, *end = p + all[q].bytes / (int64_t)sizeof *p; p < end; p++) {
      const int32_t a = lowest(c->joined, (int32_t)(find_joined(c, p->body) - c->joined)),
                    b = lowest(c->joined, (int32_t)(find_joined(c, p->other) - c->joined));
      c->joined[a > b ? a : b].other = a > b ? b : a;
    }
  for (int64_t k = 0; k < c->n_joined; k++)
    c->joined[k].other = lowest(c->joined, (int32_t)k);
  for (int64_t k = 0; k < c->n_joined; k++)
    c->joined[k].other = c->joined[c->joined[k].other].body;
}

void cairn_sim_clusters_join(struct cairn_sim_clusters *c) {
  const int me = cairn_ranks_me();
  const int64_t first = cairn_sim_notes_first(c->n_bodies, me), n = cairn_sim_notes_first(c->n_bodies, me + 1) - first;
  struct stretch s = {.first = first, .name = malloc((size_t)n * sizeof *s.name + 1)};
  struct cairn_sim_notes notes;
  if (!s.name)
    no_memory();
  for (int64_t k = 0; k < n; k++)
    s.name[k] = -1;
  cairn_sim_notes_open(&notes, c->n_bodies);
  for (int64_t i = 0; i < c->n; i++)
    cairn_sim_notes_post(&notes, c->body[i].id, c->body[root_of(c, (int32_t)i)].id);
  cairn_sim_notes_deliver(&notes, learn_name, &s);
  cairn_sim_notes_open(&notes, c->n_bodies);
  for (int64_t k = 0; k < c->n_links; k++)
    cairn_sim_notes_post(&notes, c->link[k].body, c->body[root_of(c, c->link[k].other)].id);
  cairn_sim_notes_deliver(&notes, learn_link, &s);
  s.n = sort_pairs(s.pair, s.n);
  struct cairn_ranks_mail *all = cairn_ranks_gather(s.n > 0 ? (void *)s.pair : "", s.n * (int64_t)sizeof *s.pair);
  join_names(c, all);
  cairn_ranks_mail_free(all);
  free(s.name);
  free(s.pair);
}

int32_t cairn_sim_clusters_name(const struct cairn_sim_clusters *c, int64_t i) {
  const int32_t here = c->body[root_of(c, (int32_t)i)].id;
  const struct cairn_sim_note *joined = find_joined(c, here);
  return joined ? joined->other : here;
}

/* ---- masses ---- */

struct masses {
  int64_t n;
  double largest, second;
  int32_t name; /* of the largest */
  struct cairn_cluster_mass all;
};

static void note_mass(struct masses *m, double mass, int32_t name) {
  m->second = fmax(m->second, fmin(mass, m->largest));
  if (mass > m->largest || (mass == m->largest && mass > 0. && name < m->name))
    m->name = name;
  m->largest = fmax(m->largest, mass);
}

static void join_masses(void *to, const void *from) {
  struct masses *all = to;
  const struct masses *more = from;
  all->n += more->n;
  note_mass(all, more->largest, more->name);
  note_mass(all, more->second, INT32_MAX);
  cairn_cluster_mass_join(&all->all, &more->all);
}

int32_t cairn_sim_clusters_count(const struct cairn_sim_clusters *c, struct cairn_cluster_fragments *out) {
  struct masses m = {.name = -1};
  struct cairn_cluster_mass *here = calloc((size_t)c->n + 1, sizeof *here),
                            *shared = calloc((size_t)c->n_joined + 1, sizeof *shared);
  double most = 0.;
  if (!here || !shared)
    no_memory();
  for (int64_t i = 0; i < c->n; i++)
    most = fmax(most, c->body[i].mass);
  const int scale = cairn_cluster_mass_scale(cairn_ranks_max(most));
  for (int64_t i = 0; i < c->n; i++) {
    cairn_cluster_mass_add(here + root_of(c, (int32_t)i), c->body[i].mass, scale);
    cairn_cluster_mass_add(&m.all, c->body[i].mass, scale);
  }
  for (int64_t i = 0; i < c->n; i++) {
    const struct cairn_sim_note *joined = c->body[i].parent == i ? find_joined(c, c->body[i].id) : NULL;
    if (c->body[i].parent == i && !joined) {
      m.n++;
      note_mass(&m, cairn_cluster_mass_value(here + i, scale), c->body[i].id);
    }
    if (joined)
      cairn_cluster_mass_join(shared + (find_joined(c, joined->other) - c->joined), here + i);
  }
  cairn_ranks_sum((int64_t *)shared, (int32_t)(c->n_joined * (int64_t)(sizeof *shared / sizeof(int64_t))));
  for (int64_t k = 0; k < c->n_joined && cairn_ranks_me() == 0; k++)
    if (c->joined[k].other == c->joined[k].body) {
      m.n++;
      note_mass(&m, cairn_cluster_mass_value(shared + k, scale), c->joined[k].body);
    }
  cairn_ranks_join(&m, sizeof m, join_masses);
  const double mass = cairn_cluster_mass_value(&m.all, scale);
  *out = (struct cairn_cluster_fragments){
      .n = m.n, .largest = mass > 0. ? m.largest / mass : 0., .second = mass > 0. ? m.second / mass : 0.};
  free(here);
  free(shared);
  return m.name;
}

void cairn_sim_clusters_fini(struct cairn_sim_clusters *c) {
  free(c->body);
  free(c->link);
  free(c->joined);
  *c = (struct cairn_sim_clusters){0};
}
