#include "tasks/ranks/pool.h"

#include <stdlib.h>
#include <string.h>

#include "tasks/ranks/links.h"

/* What a rank tells another one of its bodies at their border: the box of one that has events, by its place among those
 * that it lends; where one is. */
struct border_box {
  int64_t place;
  double lower[3], upper[3], r;
};
struct border_path {
  struct cairn_hard_path path;
  int64_t flags;
};

/* ---- ghosts ---- */

static int32_t n_links(const struct cairn_pool *p) { return p->cells->links->n; }

static int32_t place_of(const struct cairn_pool *p, struct cairn_hard_ref ghost) {
  const struct cairn_ghost *g = p->cells->ghost + (ghost.cell - p->cells->n_cells);
  return p->start[g->link] + g->first + ghost.body;
}

void cairn_pool_begin(struct cairn_pool *p) {
  const struct cairn_cells *cells = p->cells;
  p->start = cairn_pool_get(((size_t)n_links(p) + 1) * sizeof *p->start);
  for (int32_t l = 0; l < n_links(p); l++)
    p->start[l + 1] = p->start[l] + cells->links->link[l].n_borrowed;
  const size_t n = (size_t)p->start[n_links(p)];
  p->path = cairn_pool_get(n * sizeof *p->path);
  p->flags = cairn_pool_get(n);
  p->slot = cairn_pool_get(n * sizeof *p->slot);
  p->id = cairn_pool_get(n * sizeof *p->id);
  p->partner = cairn_pool_get(n * sizeof *p->partner);
  memset(p->slot, -1, n * sizeof *p->slot);
  memset(p->partner, -1, n * sizeof *p->partner);
  for (int32_t g = 0; g < cells->n_ghosts; g++) {
    const int32_t l = cells->ghost[g].link, at = p->start[l] + cells->ghost[g].first;
    p->join->scope.cell[cells->n_cells + g] = (struct cairn_hard_cell){.blocks.size.n = p->start[l + 1] - at,
                                                                       .path = p->path + at,
                                                                       .flags = p->flags + at,
                                                                       .slot = p->slot + at,
                                                                       .id = p->id + at,
                                                                       .partner = p->partner + at};
  }
  for (cairn_cell_t i = 0; i < cells->n_cells; i++) {
    const struct cairn_hard_cell *c = p->join->scope.cell + i;
    for (int32_t k = 0; k < c->blocks.size.n_halo; k++)
      if (c->owner[k].cell >= cells->n_cells) {
        const int32_t at = place_of(p, c->owner[k]);
        p->path[at] = c->path[c->blocks.size.n + k];
        p->flags[at] = c->flags[c->blocks.size.n + k];
        p->id[at] = c->halo_id[k];
      }
  }
}

void cairn_pool_end(struct cairn_pool *p) {
  for (int k = 0; k < p->n_rounds; k++)
    cairn_ranks_mail_free(p->mail[k]);
  free(p->mail);
  free(p->guest);
  free(p->other);
  free(p->wanted);
  free(p->room);
  free(p->start);
  free(p->path);
  free(p->flags);
  free(p->slot);
  free(p->id);
  free(p->partner);
}

void cairn_pool_renew(struct cairn_pool *p) {
  struct cairn_ranks_mail *out = cairn_pool_get((size_t)cairn_ranks_n() * sizeof *out);
  for (int32_t l = 0; l < n_links(p); l++) {
    const struct cairn_border *b = &p->cells->links->link[l].border;
    struct border_path *path = cairn_pool_get((size_t)b->first[b->n] * sizeof *path);
    for (int32_t k = 0; k < b->n; k++)
      for (int32_t i = b->first[k]; i < b->first[k + 1]; i++) {
        const struct cairn_hard_cell *c = p->join->scope.cell + b->cell[k];
        path[i] = (struct border_path){c->path[b->index[i]], c->flags[b->index[i]]};
      }
    out[b->rank] = (struct cairn_ranks_mail){path, b->first[b->n] * (int64_t)sizeof *path};
  }
  struct cairn_ranks_mail *in = cairn_ranks_exchange(out);
  for (int32_t l = 0; l < n_links(p); l++) {
    const struct border_path *path = in[p->cells->links->link[l].border.rank].data;
    for (int32_t i = p->start[l]; i < p->start[l + 1]; i++, path++) {
      p->path[i] = path->path;
      p->flags[i] = (uint8_t)path->flags;
    }
  }
  cairn_ranks_mail_free(in);
}

/* ---- who meets bodies of other ranks ---- */

static const struct cairn_hard_body *record_of(const struct cairn_hard_cell *c, int32_t body) {
  return c->slot[body] < 0 ? NULL : c->body + c->slot[body];
}

/* The boxes of the bodies at the borders that have events. */
static struct cairn_ranks_mail *exchange_boxes(const struct cairn_pool *p) {
  struct cairn_ranks_mail *out = cairn_pool_get((size_t)cairn_ranks_n() * sizeof *out);
  for (int32_t l = 0; l < n_links(p); l++) {
    const struct cairn_border *b = &p->cells->links->link[l].border;
    struct border_box *box = cairn_pool_get((size_t)b->first[b->n] * sizeof *box);
    int64_t n = 0;
    for (int32_t k = 0; k < b->n; k++)
      for (int32_t i = b->first[k]; i < b->first[k + 1]; i++) {
        const struct cairn_hard_cell *c = p->join->scope.cell + b->cell[k];
        const struct cairn_hard_body *r = record_of(c, b->index[i]);
        if (!r)
          continue;
        box[n] = (struct border_box){.place = i, .r = c->path[r->body].r};
        memcpy(box[n].lower, r->lower, sizeof r->lower);
        memcpy(box[n++].upper, r->upper, sizeof r->upper);
      }
    out[b->rank] = (struct cairn_ranks_mail){box, n * (int64_t)sizeof *box};
  }
  return cairn_ranks_exchange(out);
}

/* Is a body with events, beside others, in the way of one of another rank? */
static bool is_crossed(const struct cairn_pool *p, const struct cairn_hard_cell *c, const struct cairn_hard_body *r,
                       const struct border_box *const *box) {
  const int32_t n = c->blocks.size.n;
  for (int32_t e = c->near_begin[r->body]; e < c->near_end[r->body]; e++) {
    const int32_t other = c->near[e] >> 1;
    if (other < n || c->owner[other - n].cell < p->cells->n_cells)
      continue;
    const struct border_box *its = box[place_of(p, c->owner[other - n])];
    if (its && !cairn_drift_is_apart(r->lower, r->upper, its->lower, its->upper, c->path[r->body].r + its->r))
      return true;
  }
  return false;
}

static void meet_borders(struct cairn_pool *p) {
  struct cairn_ranks_mail *in = exchange_boxes(p);
  const struct border_box **box = cairn_pool_get((size_t)p->start[n_links(p)] * sizeof *box);
  for (int32_t l = 0; l < n_links(p); l++) {
    const struct cairn_ranks_mail *mail = in + p->cells->links->link[l].border.rank;
    for (int64_t k = 0; k < mail->bytes / (int64_t)sizeof **box; k++) {
      const struct border_box *its = (const struct border_box *)mail->data + k;
      box[p->start[l] + its->place] = its;
    }
  }
  for (cairn_cell_t i = 0; i < p->cells->n_cells; i++) {
    const struct cairn_hard_cell *c = p->join->scope.cell + i;
    const int32_t n_records = c->head->n_records;
    for (int32_t k = 0; k < n_records; k++)
      if (c->beside[c->body[k].body] && is_crossed(p, c, c->body + k, box))
        cairn_drift_join_send(p->join, (struct cairn_hard_ref){i, c->body[k].body});
  }
  free(box);
  cairn_ranks_mail_free(in);
}

/* ---- the pool ---- */

/* Where a body of this rank is; its cell is -1 if it is another's. */
static struct cairn_hard_ref find_own(const struct cairn_pool *p, int32_t id) {
  for (cairn_cell_t i = 0; i < p->cells->n_cells; i++) {
    const struct cairn_cell *cell = p->cells->cell + i;
    int32_t low = 0, high = cell->size.n;
    while (low < high) {
      const int32_t middle = low + (high - low) / 2;
      if (cell->id[middle] < id)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < cell->size.n && cell->id[low] == id)
      return (struct cairn_hard_ref){i, low};
  }
  return (struct cairn_hard_ref){-1, -1};
}

/* Bytes of a guest with what is behind it. */
static int64_t bytes_of(int32_t n_walls, int32_t n_near) {
  const int64_t ints = 2 * (int64_t)n_walls + n_near;
  return (int64_t)sizeof(struct cairn_pool_guest) + 48 * (int64_t)n_walls + 8 * ((ints + 1) / 2);
}

/* A body of this rank as a guest; without room only its length. */
static int64_t put_guest(const struct cairn_pool *p, struct cairn_hard_ref ref, char *room) {
  const struct cairn_hard_cell *c = p->join->scope.cell + ref.cell;
  const struct cairn_hard_body *r = record_of(c, ref.body);
  const int32_t i = ref.body, n = c->blocks.size.n, from = c->first ? c->first[i] : 0,
                n_walls = c->first ? c->first[i + 1] - from : 0, n_near = c->near_end[i] - c->near_begin[i];
  if (!room)
    return bytes_of(n_walls, n_near);
  struct cairn_pool_guest *g = (struct cairn_pool_guest *)room;
  const double *predicted = c->blocks.predicted + (int64_t)CAIRN_PREDICTED * i;
  *g = (struct cairn_pool_guest){.start = r->start,
                                 .inverse_mass = c->blocks.inverse_mass[i],
                                 .inverse_inertia = c->blocks.inverse_inertia[i],
                                 .id = c->id[i],
                                 .rank = cairn_ranks_me(),
                                 .material = c->material[i],
                                 .start_flags = r->start_flags,
                                 .n_near = n_near,
                                 .n_walls = n_walls};
  memcpy(g->w, predicted + CAIRN_PREDICTED_W, sizeof g->w);
  memcpy(g->lost, c->lost + 2 * (int64_t)i, sizeof g->lost);
  memcpy(g->first, predicted + CAIRN_PREDICTED_X, sizeof g->first);
  memcpy(g->reference, c->blocks.reference + 3 * (int64_t)i, sizeof g->reference);
  double *load = (double *)cairn_pool_loads(g);
  int32_t *wall = (int32_t *)cairn_pool_walls(g), *near = (int32_t *)cairn_pool_near(g);
  for (int32_t k = 0; k < n_walls; k++) {
    const int32_t pair = c->entry[from + k] >> 1;
    memcpy(load + 6 * (int64_t)k, c->load + 6 * (int64_t)pair, 6 * sizeof *load);
    wall[k] = c->blocks.b[pair];
    wall[n_walls + k] = c->blocks.law[pair];
  }
  for (int32_t k = 0; k < n_near; k++) {
    const int32_t other = c->near[c->near_begin[i] + k] >> 1;
    near[k] = other < n ? c->id[other] : c->halo_id[other - n];
  }
  return bytes_of(n_walls, n_near);
}

static int compare_guests(const void *a, const void *b) {
  const struct cairn_pool_guest *const *p = a, *const *q = b;
  return ((*p)->id > (*q)->id) - ((*p)->id < (*q)->id);
}

/* New guests of all ranks. */
static void gather_guests(struct cairn_pool *p) {
  struct cairn_hard_ref *who = p->join->sorted;
  const int32_t n = p->cells->n_cells > 0 ? cairn_drift_join_leave(p->join, who) : 0;
  int64_t bytes = 0, at = 0;
  for (int32_t k = 0; k < n; k++)
    bytes += put_guest(p, who[k], NULL);
  char *mine = cairn_pool_get((size_t)bytes);
  for (int32_t k = 0; k < n; k++)
    at += put_guest(p, who[k], mine + at);
  struct cairn_ranks_mail *in = cairn_ranks_gather(mine, bytes), **longer = NULL;
  free(mine);
  longer = cairn_pool_get(((size_t)p->n_rounds + 1) * sizeof *longer);
  if (p->n_rounds > 0)
    memcpy(longer, p->mail, (size_t)p->n_rounds * sizeof *longer);
  free(p->mail);
  p->mail = longer;
  p->mail[p->n_rounds++] = in;
  int64_t most = p->n;
  for (int q = 0; q < cairn_ranks_n(); q++)
    most += in[q].bytes / (int64_t)sizeof **p->guest;
  const struct cairn_pool_guest **guest = cairn_pool_get((size_t)most * sizeof *guest);
  if (p->n > 0)
    memcpy(guest, p->guest, (size_t)p->n * sizeof *guest);
  free(p->guest);
  p->guest = guest;
  for (int q = 0; q < cairn_ranks_n(); q++)
    for (int64_t from = 0; from < in[q].bytes;) {
      const struct cairn_pool_guest *g = (const struct cairn_pool_guest *)((const char *)in[q].data + from);
      guest[p->n++] = g;
      from += bytes_of(g->n_walls, g->n_near);
    }
  qsort(guest, (size_t)p->n, sizeof *guest, compare_guests);
}

static int compare_ids(const void *a, const void *b) {
  const int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
  return (p > q) - (p < q);
}

/* Ascending, each once; returns how many there are. */
static int32_t sort_ids(int32_t *id, int32_t n) {
  int32_t m = 0;
  qsort(id, (size_t)n, sizeof *id, compare_ids);
  for (int32_t k = 0; k < n; k++)
    if (m == 0 || id[k] != id[m - 1])
      id[m++] = id[k];
  return m;
}

static int compare_others(const void *a, const void *b) {
  const struct cairn_pool_other *p = a, *q = b;
  return (p->id > q->id) - (p->id < q->id);
}

/* What this rank knows of a body of its own. */
static struct cairn_pool_other describe(const struct cairn_pool *p, struct cairn_hard_ref ref) {
  const struct cairn_hard_cell *c = p->join->scope.cell + ref.cell;
  const struct cairn_hard_body *r = record_of(c, ref.body);
  struct cairn_pool_other other = {
      .id = c->id[ref.body], .has_record = r != NULL, .flags = c->flags[ref.body], .path = c->path[ref.body]};
  if (r) {
    memcpy(other.lower, r->lower, sizeof r->lower);
    memcpy(other.upper, r->upper, sizeof r->upper);
  }
  return other;
}

/* Those near guests, by the ranks that own them. */
static void gather_others(struct cairn_pool *p) {
  int64_t most = 0;
  int32_t n = 0, m = 0;
  for (int32_t i = 0; i < p->n; i++)
    most += p->guest[i]->n_near;
  int32_t *id = cairn_pool_get((size_t)most * sizeof *id);
  for (int32_t i = 0; i < p->n; i++)
    for (int32_t k = 0; k < p->guest[i]->n_near; k++)
      if (cairn_pool_find_guest(p, cairn_pool_near(p->guest[i])[k]) < 0)
        id[n++] = cairn_pool_near(p->guest[i])[k];
  n = sort_ids(id, n);
  struct cairn_pool_other *mine = cairn_pool_get((size_t)n * sizeof *mine);
  for (int32_t k = 0; k < n; k++) {
    const struct cairn_hard_ref ref = find_own(p, id[k]);
    if (ref.cell >= 0)
      mine[m++] = describe(p, ref);
  }
  struct cairn_ranks_mail *in = cairn_ranks_gather(mine, m * (int64_t)sizeof *mine);
  free(mine);
  free(id);
  free(p->other);
  p->other = cairn_pool_get((size_t)n * sizeof *p->other);
  p->n_others = 0;
  for (int q = 0; q < cairn_ranks_n(); q++) {
    memcpy(p->other + p->n_others, in[q].data, (size_t)in[q].bytes);
    p->n_others += (int32_t)(in[q].bytes / (int64_t)sizeof *p->other);
  }
  cairn_ranks_mail_free(in);
  qsort(p->other, (size_t)p->n_others, sizeof *p->other, compare_others);
}

/* The others in the way of a guest: whom it was to meet, and those whose boxes come near that of its path once this is
 * known. Adds their ids to the list. */
static void look_around(struct cairn_pool *p, int32_t i) {
  const struct cairn_hard_cell *c = &p->cell;
  const struct cairn_hard_body *r = c->body + i;
  const struct cairn_pool_guest *g = p->guest[i];
  if (r->across >= 0)
    p->wanted[p->n_wanted++] = c->halo_id[r->across - p->n];
  for (int32_t k = 0; k < g->n_near && !(c->flags[i] & CAIRN_HARD_OPEN); k++) {
    const int32_t other = cairn_pool_find_other(p, cairn_pool_near(g)[k]);
    const struct cairn_pool_other *o = other < 0 ? NULL : p->other + other;
    if (o && o->has_record && !cairn_drift_is_apart(r->lower, r->upper, o->lower, o->upper, c->path[i].r + o->path.r))
      p->wanted[p->n_wanted++] = o->id;
  }
}

/* Who is in the way becomes a guest; false if nobody is. */
static bool invite(struct cairn_pool *p) {
  int64_t most = p->n;
  for (int32_t i = 0; i < p->n; i++)
    most += p->guest[i]->n_near;
  free(p->wanted);
  p->wanted = cairn_pool_get((size_t)most * sizeof *p->wanted);
  p->n_wanted = 0;
  for (int32_t i = 0; i < p->n; i++)
    look_around(p, i);
  p->n_wanted = sort_ids(p->wanted, p->n_wanted);
  for (int32_t k = 0; k < p->n_wanted; k++) {
    const struct cairn_hard_ref ref = find_own(p, p->wanted[k]);
    if (ref.cell >= 0)
      cairn_drift_join_send(p->join, ref);
  }
  return p->n_wanted > 0;
}

/* ---- what became of the own bodies ---- */

/* The index of a body in a cell; 0 if it has none. */
static int32_t index_in(const struct cairn_hard_cell *c, int32_t id) {
  const int32_t n = c->blocks.size.n;
  for (int32_t k = 0; k < n + c->blocks.size.n_halo; k++)
    if ((k < n ? c->id[k] : c->halo_id[k - n]) == id)
      return k;
  return 0;
}

static void take_back(const struct cairn_pool *p, int32_t i) {
  const struct cairn_hard_cell *from = &p->cell;
  const struct cairn_hard_ref ref = find_own(p, from->id[i]);
  const struct cairn_hard_cell *to = p->join->scope.cell + ref.cell;
  struct cairn_hard_body *r = to->body + to->slot[ref.body];
  memcpy(r->w, from->body[i].w, sizeof *r - offsetof(struct cairn_hard_body, w));
  if (r->overlap > 0.) {
    const int32_t with = r->overlap_with, id = with < p->n ? from->id[with] : from->halo_id[with - p->n];
    r->overlap_with = index_in(to, id);
  }
  to->path[ref.body] = from->path[i];
  to->flags[ref.body] = from->flags[i];
  for (int32_t k = 0; k < p->guest[i]->n_walls; k++)
    memcpy(to->blocks.wall_load + 6 * (int64_t)(to->entry[to->first[ref.body] + k] >> 1),
           from->blocks.wall_load + 6 * (int64_t)(from->first[i] + k), 6 * sizeof(double));
}

/* Bodies of the largest island; the counter is the place in the queue, which is empty. */
static int64_t largest_island(const struct cairn_pool *p) {
  const struct cairn_hard_cell *c = &p->cell;
  int64_t most = 0;
  for (int32_t i = 0; i < p->n; i++)
    c->next[i].heap = 0;
  for (int32_t i = 0; i < p->n; i++) {
    const int64_t size = ++c->next[cairn_drift_queue_root(c, i)].heap;
    most = size > most ? size : most;
  }
  return most;
}

void cairn_pool_run(struct cairn_pool *p) {
  struct cairn_hard_scope s = p->join->scope;
  s.cell = &p->cell;
  s.n_cells = 1;
  s.all = 0;
  meet_borders(p);
  do {
    gather_guests(p);
    if (p->n == 0)
      return;
    gather_others(p);
    cairn_pool_make_cell(p);
    cairn_drift_pool_run(&s);
  } while (s.stuck.body < 0 && invite(p));
  if (p->cells->n_cells == 0)
    return;
  struct cairn_hard_head *head = p->join->scope.cell->head;
  head->longest = cairn_drift_higher(head->longest, s.longest);
  const int64_t island = largest_island(p);
  head->sums.island = island > head->sums.island ? island : head->sums.island;
  for (int32_t i = 0; i < p->n; i++)
    if (p->guest[i]->rank == cairn_ranks_me()) {
      take_back(p, i);
      if (i == s.stuck.body)
        p->join->scope.cell[find_own(p, p->guest[i]->id).cell].head->stuck = find_own(p, p->guest[i]->id).body;
    }
}
