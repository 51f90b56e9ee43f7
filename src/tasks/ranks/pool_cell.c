/* The pool as a cell: guests are its own bodies, who is near them without a record of its own is its halo. */
#include <stdlib.h>
#include <string.h>

#include "tasks/ranks/pool.h"

void *cairn_pool_get(size_t bytes) {
  void *room = calloc(1, bytes + 1);
  if (!room)
    cairn_ranks_out_of_memory("events across ranks");
  return room;
}

int32_t cairn_pool_find_guest(const struct cairn_pool *p, int32_t id) {
  int32_t low = 0, high = p->n;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (p->guest[middle]->id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < p->n && p->guest[low]->id == id ? low : -1;
}

int32_t cairn_pool_find_other(const struct cairn_pool *p, int32_t id) {
  int32_t low = 0, high = p->n_others;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (p->other[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < p->n_others && p->other[low].id == id ? low : -1;
}

/* How many of what. */
struct counts {
  size_t n, all, walls, near;
};

/* A piece of the room; without a room only counted. */
static void *cut(char *room, size_t *at, size_t bytes) {
  void *piece = room ? room + *at : NULL;
  *at += CAIRN_PAD(bytes);
  return piece;
}

/* The arrays of the cell in its room; returns how long that is. */
static size_t lay_out(struct cairn_hard_cell *c, char *room, struct counts k) {
  size_t at = 0;
  c->head = cut(room, &at, sizeof *c->head);
  c->path = cut(room, &at, k.all * sizeof *c->path);
  c->next = cut(room, &at, k.n * sizeof *c->next);
  c->partner = cut(room, &at, k.n * sizeof *c->partner);
  c->flags = cut(room, &at, k.all);
  c->slot = cut(room, &at, k.n * sizeof *c->slot);
  c->near_begin = cut(room, &at, k.n * sizeof *c->near_begin);
  c->near_end = cut(room, &at, k.n * sizeof *c->near_end);
  c->near = cut(room, &at, k.near * sizeof *c->near);
  c->body = cut(room, &at, k.n * sizeof *c->body);
  c->lost = cut(room, &at, 2 * k.n * sizeof *c->lost);
  c->material = cut(room, &at, k.n * sizeof *c->material);
  c->id = cut(room, &at, k.n * sizeof *c->id);
  c->halo_id = cut(room, &at, (k.all - k.n) * sizeof *c->halo_id);
  c->first = cut(room, &at, (k.n + 1) * sizeof *c->first);
  c->entry = cut(room, &at, k.walls * sizeof *c->entry);
  c->blocks.b = cut(room, &at, k.walls * sizeof *c->blocks.b);
  c->blocks.law = cut(room, &at, k.walls * sizeof *c->blocks.law);
  c->blocks.wall_load = cut(room, &at, 6 * k.walls * sizeof(double));
  c->blocks.predicted = cut(room, &at, CAIRN_PREDICTED * k.n * sizeof(double));
  c->blocks.inverse_mass = cut(room, &at, k.n * sizeof(double));
  c->blocks.inverse_inertia = cut(room, &at, k.n * sizeof(double));
  c->blocks.reference = cut(room, &at, 3 * k.n * sizeof(double));
  return at;
}

static void put_walls(struct cairn_hard_cell *c, const struct cairn_pool_guest *g, int32_t i) {
  const int32_t at = c->first[i], *wall = cairn_pool_walls(g);
  for (int32_t k = 0; k < g->n_walls; k++) {
    ((int32_t *)c->entry)[at + k] = 2 * (at + k);
    ((int32_t *)c->blocks.b)[at + k] = wall[k];
    ((int32_t *)c->blocks.law)[at + k] = wall[g->n_walls + k];
  }
  memcpy(c->blocks.wall_load + 6 * (int64_t)at, cairn_pool_loads(g), 6 * (size_t)g->n_walls * sizeof(double));
  ((int32_t *)c->first)[i + 1] = at + g->n_walls;
}

/* Those near a guest that it may meet: who has a record of its own is run elsewhere. */
static void put_near(const struct cairn_pool *p, const struct cairn_pool_guest *g, int32_t i) {
  const struct cairn_hard_cell *c = &p->cell;
  const int32_t *near = cairn_pool_near(g);
  int32_t m = c->near_begin[i];
  for (int32_t k = 0; k < g->n_near; k++) {
    const int32_t guest = cairn_pool_find_guest(p, near[k]), other = guest < 0 ? cairn_pool_find_other(p, near[k]) : -1;
    if (guest >= 0)
      c->near[m++] = 2 * guest + (near[k] < g->id);
    else if (other >= 0 && !p->other[other].has_record)
      c->near[m++] = 2 * (p->n + p->other[other].halo) + (near[k] < g->id);
  }
  c->near_end[i] = m;
  if (i + 1 < p->n)
    c->near_begin[i + 1] = m;
}

static void put_guest(const struct cairn_pool *p, const struct cairn_pool_guest *g, int32_t i) {
  const struct cairn_hard_cell *c = &p->cell;
  double *predicted = c->blocks.predicted + (int64_t)CAIRN_PREDICTED * i;
  memcpy(predicted + CAIRN_PREDICTED_X, g->first, sizeof g->first);
  memcpy(predicted + CAIRN_PREDICTED_W, g->w, sizeof g->w);
  memcpy((double *)c->blocks.reference + 3 * (int64_t)i, g->reference, sizeof g->reference);
  memcpy(c->lost + 2 * (int64_t)i, g->lost, sizeof g->lost);
  ((double *)c->blocks.inverse_mass)[i] = g->inverse_mass;
  ((double *)c->blocks.inverse_inertia)[i] = g->inverse_inertia;
  ((int32_t *)c->material)[i] = g->material;
  ((int32_t *)c->id)[i] = g->id;
  c->slot[i] = i;
  c->path[i] = g->start;
  c->flags[i] = (uint8_t)g->start_flags;
  c->body[i] = (struct cairn_hard_body){
      .start = g->start, .body = i, .parent = i, .chain = -1, .across = -1, .start_flags = g->start_flags};
}

void cairn_pool_make_cell(struct cairn_pool *p) {
  struct cairn_hard_cell *c = &p->cell;
  int32_t n_halo = 0;
  struct counts k = {.n = (size_t)p->n};
  for (int32_t i = 0; i < p->n_others; i++)
    p->other[i].halo = p->other[i].has_record ? -1 : n_halo++;
  k.all = k.n + (size_t)n_halo;
  for (int32_t i = 0; i < p->n; i++) {
    k.walls += (size_t)p->guest[i]->n_walls;
    k.near += (size_t)p->guest[i]->n_near;
  }
  free(p->room);
  *c = (struct cairn_hard_cell){.blocks = p->blocks};
  p->room = cairn_pool_get(lay_out(c, NULL, k));
  lay_out(c, p->room, k);
  c->blocks.size = (struct cairn_cell_size){.n = p->n, .n_halo = n_halo, .n_wall_pairs = (cairn_int)k.walls};
  const struct cairn_hard_scope *s = &p->join->scope;
  c->head->reach = s->reach > s->drift ? s->reach : s->drift;
  for (int32_t i = 0; i < p->n_others; i++) {
    const int32_t halo = p->other[i].halo;
    if (halo < 0)
      continue;
    c->path[p->n + halo] = p->other[i].path;
    c->flags[p->n + halo] = (uint8_t)p->other[i].flags;
    ((int32_t *)c->halo_id)[halo] = p->other[i].id;
  }
  for (int32_t i = 0; i < p->n; i++) {
    put_guest(p, p->guest[i], i);
    put_walls(c, p->guest[i], i);
    put_near(p, p->guest[i], i);
  }
}
