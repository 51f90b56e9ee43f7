#include "analysis/bearing.h"

#include <stdlib.h>

/* Removed bodies were never there. */
enum { REMOVED = -1 };

int cairn_bearing_init(struct cairn_bearing *b, int64_t first, int64_t n) {
  *b = (struct cairn_bearing){first, n, calloc((size_t)n + 1, sizeof *b->body)};
  return b->body ? 0 : -1;
}

void cairn_bearing_fini(struct cairn_bearing *b) {
  free(b->body);
  *b = (struct cairn_bearing){0};
}

static bool is_here(const struct cairn_bearing *b, int32_t id) { return id >= b->first && id < b->first + b->n; }

static struct cairn_bearing_body *find(const struct cairn_bearing *b, int32_t id) { return b->body + (id - b->first); }

void cairn_bearing_touch(struct cairn_bearing *b, int32_t id, int32_t other) {
  struct cairn_bearing_body *body = find(b, id);
  body->n_bodies++;
  body->others ^= other;
}

void cairn_bearing_lean(struct cairn_bearing *b, int32_t id) { find(b, id)->n_walls++; }

void cairn_bearing_hold(struct cairn_bearing *b, int32_t id) { find(b, id)->is_held = true; }

void cairn_bearing_remove(struct cairn_bearing *b, int32_t id) {
  *find(b, id) = (struct cairn_bearing_body){.n_walls = REMOVED, .is_out = true};
}

void cairn_bearing_leave(struct cairn_bearing *b, int32_t id, int32_t other) {
  struct cairn_bearing_body *body = find(b, id);
  body->n_bodies--;
  body->others ^= other;
}

/* One contact bears nothing but the body's own weight: a body with fewer than two is a rattler. */
static bool rattles(const struct cairn_bearing_body *body) {
  return !body->is_out && !body->is_held && body->n_bodies + body->n_walls < 2;
}

int32_t cairn_bearing_take_out(struct cairn_bearing *b, int32_t id, int32_t *last) {
  for (struct cairn_bearing_body *body = find(b, id); rattles(body); body = find(b, id)) {
    const int32_t other = body->others;
    body->is_out = true;
    if (body->n_bodies == 0)
      return -1;
    *last = id;
    if (!is_here(b, other))
      return other;
    cairn_bearing_leave(b, other, id);
    id = other;
  }
  return -1;
}

void cairn_bearing_count(const struct cairn_bearing *b, int64_t count[CAIRN_BEARING_COUNTS]) {
  for (int k = 0; k < CAIRN_BEARING_COUNTS; k++)
    count[k] = 0;
  for (int64_t i = 0; i < b->n; i++) {
    const struct cairn_bearing_body *body = b->body + i;
    count[CAIRN_BEARING_RATTLERS] += body->is_out && body->n_walls != REMOVED;
    count[CAIRN_BEARING_BEARING] += !body->is_out;
    count[CAIRN_BEARING_ENDS] += body->is_out ? 0 : body->n_bodies + body->n_walls;
  }
}
