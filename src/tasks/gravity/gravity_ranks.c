/* Self-gravity where ranks share the bodies. The branches are those of one process, since the cut compares counts of
 * all; each rank gets a stretch of them. Bodies go to the rank of their branch, and fields back the same way. A rank
 * builds its own branches and gets of others what its walks open (data/gravity/gravity_guests.h): the field of a body
 * has the bits that it has on one process. */
#include <stdlib.h>
#include <string.h>

#include "data/gravity/gravity_guests.h"
#include "tasks/gravity/steps.h"
#include "tasks/ranks/ranks.h"

/* A body on its way to its branch. */
struct shipped {
  uint64_t key;
  double position[3], mass;
  int32_t id, branch;
};

/* What came, by list: the bodies that one rank has sent. */
struct arrived {
  int *rank;
  double *position, *mass;
  int32_t *id;
};

static void *allocate(int64_t n, size_t size) {
  void *data = malloc((size_t)n * size + 1);
  if (!data)
    cairn_ranks_out_of_memory("self-gravity");
  return data;
}

static int add_counts(void *context, int64_t *count, int32_t n) {
  (void)context;
  cairn_ranks_sum(count, n);
  return 0;
}

/* The first branch of a rank. A direct sum needs all bodies, which are few: rank 0 does it. */
static int32_t first_branch(const struct cairn_gravity *g, int q) {
  if (g->terms.is_direct)
    return q > 0 ? g->cut.n : 0;
  return (int32_t)((int64_t)g->cut.n * q / cairn_ranks_n());
}

static struct cairn_ranks_mail *exchange(struct cairn_ranks_mail *out, int64_t *received) {
  struct cairn_ranks_mail *in = cairn_ranks_exchange(out);
  for (int q = 0; q < cairn_ranks_n(); q++)
    *received += q == cairn_ranks_me() ? 0 : in[q].bytes;
  return in;
}

/* Calls `each` for the own bodies of a rank's branches, branch by branch: their index. */
static int64_t visit(const struct cairn_gravity *g, int q,
                     void (*each)(void *context, int64_t n, const struct cairn_morton *entry, int32_t branch),
                     void *context) {
  int64_t n = 0;
  for (int32_t b = first_branch(g, q); b < first_branch(g, q + 1); b++)
    for (int32_t k = g->cut.part[b].first; k < g->cut.part[b].first + g->cut.part[b].n_ranges; k++) {
      const struct cairn_cut_range *range = g->cut.range + k;
      for (int32_t i = range->from; i < range->to; i++, n++)
        if (each)
          each(context, n, g->entry + g->list[range->list].first + i, b);
    }
  return n;
}

struct shipping {
  const struct cairn_task_self_gravity *self;
  struct shipped *to;
};

static void ship_one(void *context, int64_t n, const struct cairn_morton *entry, int32_t branch) {
  const struct shipping *s = context;
  struct shipped *to = s->to + n;
  *to = (struct shipped){
      .key = entry->key, .mass = s->self->mass[entry->id], .id = s->self->id[entry->id], .branch = branch};
  memcpy(to->position, s->self->position + 3 * (int64_t)entry->id, sizeof to->position);
}

/* The bodies to the ranks of their branches. */
static struct cairn_ranks_mail *ship(const struct cairn_task_self_gravity *self, int64_t *received) {
  const struct cairn_gravity *g = self->gravity;
  struct cairn_ranks_mail *out = allocate(cairn_ranks_n(), sizeof *out);
  for (int q = 0; q < cairn_ranks_n(); q++) {
    const int64_t n = visit(g, q, NULL, NULL);
    struct shipping shipping = {self, allocate(n, sizeof(struct shipped))};
    visit(g, q, ship_one, &shipping);
    out[q] = (struct cairn_ranks_mail){shipping.to, n * (int64_t)sizeof *shipping.to};
  }
  return exchange(out, received);
}

/* The branches of this rank in the terms of all, with memory for what comes. */
static void begin(const struct cairn_gravity *g, const struct cairn_ranks_mail *in, struct cairn_gravity *home,
                  struct arrived *arrived) {
  const int n_ranks = cairn_ranks_n(), me = cairn_ranks_me();
  const int32_t n_branches = first_branch(g, me + 1) - first_branch(g, me);
  home->terms = g->terms;
  home->terms.first_branch = first_branch(g, me);
  home->terms.n_branches = n_branches;
  home->n_lists = home->n_nodes = home->n_room = home->n_guests = 0;
  for (int q = 0; q < n_ranks; q++)
    home->n_room += (int32_t)(in[q].bytes / (int64_t)sizeof(struct shipped));
  const int32_t n = home->terms.n = home->n_room;
  *arrived = (struct arrived){allocate(n_ranks, sizeof(int)), allocate(3 * (int64_t)n, sizeof(double)),
                              allocate(n, sizeof(double)), allocate(n, sizeof(int32_t))};
  cairn_cut_fini(&home->cut);
  home->cut.part = allocate(n_branches, sizeof *home->cut.part);
  home->cut.range = allocate((int64_t)n_branches * n_ranks, sizeof *home->cut.range);
  if (cairn_gravity_reserve_lists(home, n_ranks, n) || cairn_gravity_reserve_branches(home, n_branches) ||
      cairn_gravity_reserve_bodies(home, n))
    cairn_ranks_out_of_memory("self-gravity");
  home->bodies.pitch = n;
}

/* The bodies that came, one list for each rank that has sent some. */
static void unpack(const struct cairn_ranks_mail *in, struct cairn_gravity *home, struct arrived *arrived) {
  int32_t at = 0;
  for (int q = 0; q < cairn_ranks_n(); q++) {
    const struct shipped *body = in[q].data;
    const int32_t n = (int32_t)(in[q].bytes / (int64_t)sizeof *body);
    if (n == 0)
      continue;
    arrived->rank[home->n_lists] = q;
    home->list[home->n_lists++] = (struct cairn_gravity_list){.first = at, .room = n, .n = n};
    for (int32_t i = 0; i < n; i++, at++) {
      home->entry[at] = (struct cairn_morton){body[i].key, at};
      memcpy(arrived->position + 3 * (int64_t)at, body[i].position, sizeof body->position);
      arrived->mass[at] = body[i].mass;
      arrived->id[at] = body[i].id;
    }
  }
}

/* Which of them belong to which branch. */
static void assign(const struct cairn_ranks_mail *in, const struct arrived *arrived, struct cairn_gravity *home) {
  int32_t *next = calloc((size_t)home->n_lists + 1, sizeof *next), n_ranges = 0, first = 0;
  if (!next)
    cairn_ranks_out_of_memory("self-gravity");
  for (int32_t b = 0; b < home->terms.n_branches; b++) {
    struct cairn_gravity_branch *branch = home->branch + b;
    *branch = (struct cairn_gravity_branch){.first = first, .range = n_ranges};
    for (int32_t l = 0; l < home->n_lists; l++) {
      const struct shipped *body = in[arrived->rank[l]].data;
      const int32_t from = next[l];
      while (next[l] < home->list[l].n && body[next[l]].branch == home->terms.first_branch + b)
        next[l]++;
      if (next[l] > from)
        home->cut.range[n_ranges++] = (struct cairn_cut_range){l, from, next[l]};
      branch->n += next[l] - from;
    }
    branch->n_ranges = n_ranges - branch->range;
    home->cut.part[b] = (struct cairn_cut_part){branch->n, branch->range, branch->n_ranges};
    first += branch->n;
  }
  home->cut.n = home->terms.n_branches;
  free(next);
}

/* ---- what ranks need of each other's trees ---- */

/* The roots of all branches and the top above them; returns the branches. */
static struct cairn_gravity_branch *meet(const struct cairn_gravity *g, struct cairn_gravity *home, int64_t *received) {
  const int32_t n_own = home->terms.n_branches;
  struct cairn_gravity_root *own = allocate(n_own, sizeof *own), *root = allocate(g->cut.n, sizeof *root);
  struct cairn_gravity_branch *all = allocate(g->cut.n, sizeof *all);
  cairn_gravity_show_roots(home, own);
  struct cairn_ranks_mail *in = cairn_ranks_gather(own, n_own * (int64_t)sizeof *own);
  for (int q = 0; q < cairn_ranks_n(); q++) {
    memcpy(root + first_branch(g, q), in[q].data, (size_t)in[q].bytes);
    *received += q == cairn_ranks_me() ? 0 : in[q].bytes;
  }
  if (cairn_gravity_meet(home, root, g->cut.n, all))
    cairn_ranks_out_of_memory("self-gravity");
  cairn_ranks_mail_free(in);
  free(own);
  free(root);
  return all;
}

/* Parcels, one for each rank but this one, and those that came. */
static void exchange_parcels(struct cairn_gravity *home, const struct cairn_gravity_branch *all,
                             const struct cairn_gravity_parcel *parcel, int64_t *received) {
  const int n = cairn_ranks_n();
  struct cairn_ranks_mail *out = allocate(n, sizeof *out);
  struct cairn_gravity_parcel *guests = allocate(n, sizeof *guests);
  for (int q = 0; q < n; q++)
    out[q] = (struct cairn_ranks_mail){parcel[q].data, parcel[q].bytes};
  struct cairn_ranks_mail *in = exchange(out, received);
  for (int q = 0; q < n; q++)
    guests[q] = (struct cairn_gravity_parcel){in[q].data, in[q].bytes};
  if (cairn_gravity_admit(home, all, guests, n))
    cairn_ranks_out_of_memory("self-gravity");
  cairn_ranks_mail_free(in);
  free(guests);
}

static void offer(const struct cairn_gravity *g, struct cairn_gravity *home, const struct cairn_gravity_branch *all,
                  int64_t *received) {
  struct cairn_gravity_parcel *parcel = allocate(cairn_ranks_n(), sizeof *parcel);
  for (int q = 0; q < cairn_ranks_n(); q++) {
    const int32_t first = first_branch(g, q), n = first_branch(g, q + 1) - first;
    parcel[q] = (struct cairn_gravity_parcel){NULL, 0};
    if (q != cairn_ranks_me() && cairn_gravity_offer(home, all, first, n, parcel + q))
      cairn_ranks_out_of_memory("self-gravity");
  }
  exchange_parcels(home, all, parcel, received);
  free(parcel);
}

/* Requests to the ranks of the branches. */
static struct cairn_ranks_mail *ask(const struct cairn_gravity *g, const struct cairn_gravity *home) {
  int32_t n = 0;
  struct cairn_gravity_request *request = cairn_gravity_list_missing(home, &n);
  struct cairn_ranks_mail *out = allocate(cairn_ranks_n(), sizeof *out);
  if (!request)
    cairn_ranks_out_of_memory("self-gravity");
  for (int q = 0; q < cairn_ranks_n(); q++) {
    struct cairn_gravity_request *to = allocate(n, sizeof *to);
    int32_t n_asked = 0;
    for (int32_t r = 0; r < n; r++)
      if (first_branch(g, q) <= request[r].branch && request[r].branch < first_branch(g, q + 1))
        to[n_asked++] = request[r];
    out[q] = (struct cairn_ranks_mail){to, n_asked * (int64_t)sizeof *to};
  }
  free(request);
  return cairn_ranks_exchange(out);
}

/* What walks have missed; false if nothing was, on any rank. */
static bool complete(const struct cairn_gravity *g, struct cairn_gravity *home, const struct cairn_gravity_branch *all,
                     int64_t *received) {
  int64_t n_missing = 0;
  for (int32_t b = 0; b < home->terms.n_branches; b++)
    n_missing += !home->branch[b].is_done;
  cairn_ranks_sum(&n_missing, 1);
  if (n_missing == 0)
    return false;
  struct cairn_ranks_mail *in = ask(g, home);
  struct cairn_gravity_parcel *parcel = allocate(cairn_ranks_n(), sizeof *parcel);
  for (int q = 0; q < cairn_ranks_n(); q++) {
    const int32_t n = (int32_t)(in[q].bytes / (int64_t)sizeof(struct cairn_gravity_request));
    parcel[q] = (struct cairn_gravity_parcel){NULL, 0};
    if (n > 0 && cairn_gravity_answer(home, in[q].data, n, parcel + q))
      cairn_ranks_out_of_memory("self-gravity");
  }
  cairn_ranks_mail_free(in);
  exchange_parcels(home, all, parcel, received);
  free(parcel);
  return true;
}

/* ---- fields back to where the bodies are ---- */

struct delivery {
  const struct cairn_task_self_gravity *self;
  const double (*field)[4];
};

static void deliver_one(void *context, int64_t n, const struct cairn_morton *entry, int32_t branch) {
  const struct delivery *d = context;
  (void)branch;
  memcpy(d->self->acceleration + 3 * (int64_t)entry->id, d->field[n], 3 * sizeof(double));
  d->self->potential[entry->id] = d->field[n][3];
}

static void deliver(const struct cairn_task_self_gravity *self, struct cairn_gravity *home,
                    const struct arrived *arrived, int64_t *received) {
  const int n_ranks = cairn_ranks_n();
  struct cairn_task_self_gravity back = {.gravity = home,
                                         .acceleration = allocate(3 * (int64_t)home->n_room, sizeof(double)),
                                         .potential = allocate(home->n_room, sizeof(double))};
  struct cairn_ranks_mail *out = calloc((size_t)n_ranks, sizeof *out);
  if (!out || cairn_task_gravity_deliver(&back))
    cairn_ranks_out_of_memory("self-gravity");
  for (int q = 0, l = 0; q < n_ranks; q++) {
    const bool has_list = l < home->n_lists && arrived->rank[l] == q;
    const int32_t n = has_list ? home->list[l].n : 0, first = has_list ? home->list[l++].first : 0;
    double(*field)[4] = allocate(n, sizeof *field);
    for (int32_t i = 0; i < n; i++) {
      memcpy(field[i], back.acceleration + 3 * (int64_t)(first + i), 3 * sizeof(double));
      field[i][3] = back.potential[first + i];
    }
    out[q] = (struct cairn_ranks_mail){field, n * (int64_t)sizeof *field};
  }
  free(back.acceleration);
  free(back.potential);
  struct cairn_ranks_mail *in = exchange(out, received);
  for (int q = 0; q < n_ranks; q++)
    visit(self->gravity, q, deliver_one, &(struct delivery){self, (void *)in[q].data});
  cairn_ranks_mail_free(in);
}

/* ---- all of it ---- */

static void walk(const struct cairn_gravity *g, struct cairn_gravity *home, int64_t *received) {
  struct cairn_gravity_branch *all = home->terms.is_direct ? NULL : meet(g, home, received);
  if (all)
    offer(g, home, all, received);
  do
    if (cairn_task_gravity_evaluate(home, g->cut.n))
      cairn_ranks_out_of_memory("self-gravity");
  while (all && complete(g, home, all, received));
  free(all);
}

int cairn_task_gravity_walk_ranks(const struct cairn_task_self_gravity *self, struct cairn_gravity *home,
                                  int64_t *received) {
  struct cairn_gravity *g = self->gravity;
  struct cairn_gravity_extent extent = cairn_gravity_extent(g);
  struct arrived arrived;
  *received = 0;
  cairn_ranks_join(&extent, sizeof extent, cairn_gravity_join_extents);
  if (cairn_task_gravity_order(self, &extent, add_counts))
    return -1;
  struct cairn_ranks_mail *in = ship(self, received);
  begin(g, in, home, &arrived);
  unpack(in, home, &arrived);
  assign(in, &arrived, home);
  cairn_ranks_mail_free(in);
  const struct cairn_task_self_gravity own = {
      .gravity = home, .position = arrived.position, .mass = arrived.mass, .id = arrived.id};
  const int failed = cairn_task_gravity_plant(&own);
  free(arrived.position);
  free(arrived.mass);
  free(arrived.id);
  if (!failed) {
    walk(g, home, received);
    deliver(self, home, &arrived, received);
  }
  free(arrived.rank);
  return failed;
}
