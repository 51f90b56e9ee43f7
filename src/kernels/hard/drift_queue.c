/* The queue of events: each record knows its own next event, a binary heap the earliest of all. */
#include <string.h>

#include "kernels/hard/drift.h"
#include "kernels/hard/impact.h"

/* ---- bodies ---- */

static struct cairn_hard_body *record_of(const struct cairn_hard_scope *s, struct cairn_hard_ref ref) {
  const struct cairn_hard_cell *c = s->cell + ref.cell;
  const int32_t slot = ref.body < c->blocks.size.n ? c->slot[ref.body] : -1;
  return slot < 0 ? NULL : c->body + slot;
}

static const double *start_of(const struct cairn_hard_cell *c, int32_t body) {
  return c->blocks.predicted + (int64_t)CAIRN_PREDICTED * body;
}

static int32_t id_of(const struct cairn_hard_cell *c, int32_t body) {
  return body < c->blocks.size.n ? c->id[body] : c->halo_id[body - c->blocks.size.n];
}

void cairn_drift_queue_reset(const struct cairn_hard_cell *c, struct cairn_hard_body *r, int32_t flags) {
  const double *start = start_of(c, r->body);
  const int32_t body = r->body, parent = r->parent;
  memset(r, 0, sizeof *r);
  r->body = body;
  r->parent = parent;
  for (int k = 0; k < 3; k++) {
    r->x[k] = r->lower[k] = r->upper[k] = start[CAIRN_PREDICTED_X + k];
    r->v[k] = start[CAIRN_PREDICTED_V + k];
    r->w[k] = start[CAIRN_PREDICTED_W + k];
  }
  r->when = INFINITY;
  r->heap = -1;
  r->flags = flags | (start[CAIRN_PREDICTED_CAPTOR] > 0. ? CAIRN_HARD_FIXED : 0);
}

struct cairn_hard_body *cairn_drift_queue_record(struct cairn_hard_scope *s, struct cairn_hard_ref ref) {
  struct cairn_hard_cell *c = s->cell + ref.cell;
  if (c->slot[ref.body] < 0) {
    struct cairn_hard_body *made = c->body + c->head->n_records;
    made->body = ref.body;
    made->parent = c->head->n_records;
    cairn_drift_queue_reset(c, made, s->all ? CAIRN_HARD_MEMBER : 0);
    c->slot[ref.body] = c->head->n_records++;
  }
  return c->body + c->slot[ref.body];
}

/* A body as another one sees it. */
struct line {
  const double *x, *v;
  double t, r;
  int32_t id, flags;
  struct cairn_hard_body *record; /* NULL: it has met nothing */
};

static struct line line_of(const struct cairn_hard_scope *s, struct cairn_hard_ref ref) {
  const struct cairn_hard_cell *c = s->cell + ref.cell;
  const double *start = start_of(c, ref.body);
  struct cairn_hard_body *record = record_of(s, ref);
  struct line l = {.r = start[CAIRN_PREDICTED_R], .id = id_of(c, ref.body), .record = record};
  l.x = record ? record->x : start + CAIRN_PREDICTED_X;
  l.v = record ? record->v : start + CAIRN_PREDICTED_V;
  l.t = record ? record->t : 0.;
  l.flags = record ? record->flags : start[CAIRN_PREDICTED_CAPTOR] > 0. ? CAIRN_HARD_FIXED : 0;
  return l;
}

/* ---- islands ---- */

int32_t cairn_drift_queue_root(const struct cairn_hard_cell *c, int32_t record) {
  while (c->body[record].parent != record) {
    c->body[record].parent = c->body[c->body[record].parent].parent;
    record = c->body[record].parent;
  }
  return record;
}

static void unite(const struct cairn_hard_cell *c, int32_t a, int32_t b) {
  const int32_t p = cairn_drift_queue_root(c, a), q = cairn_drift_queue_root(c, b);
  c->body[q].parent = p;
  c->body[p].flags |= c->body[q].flags & CAIRN_HARD_OPEN;
}

/* ---- heap ---- */

static int is_before(const struct cairn_hard_body *a, const struct cairn_hard_body *b) {
  if (a->when != b->when)
    return a->when < b->when;
  return a->low != b->low ? a->low < b->low : a->high < b->high;
}

static void put(struct cairn_hard_scope *s, int32_t place, struct cairn_hard_ref ref) {
  s->heap[place] = ref;
  record_of(s, ref)->heap = place;
}

static void sift(struct cairn_hard_scope *s, int32_t place) {
  const struct cairn_hard_ref ref = s->heap[place];
  const struct cairn_hard_body *r = record_of(s, ref);
  while (place > 0 && is_before(r, record_of(s, s->heap[(place - 1) / 2]))) {
    put(s, place, s->heap[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  for (int32_t child = 2 * place + 1; child < s->n_heap; child = 2 * place + 1) {
    if (child + 1 < s->n_heap && is_before(record_of(s, s->heap[child + 1]), record_of(s, s->heap[child])))
      child++;
    if (!is_before(record_of(s, s->heap[child]), r))
      break;
    put(s, place, s->heap[child]);
    place = child;
  }
  put(s, place, ref);
}

/* Bring the heap in order after the event of one body has changed. */
static void settle(struct cairn_hard_scope *s, struct cairn_hard_ref ref, struct cairn_hard_body *r) {
  if (r->when < INFINITY) {
    if (r->heap < 0)
      put(s, s->n_heap++, ref);
    sift(s, r->heap);
  } else if (r->heap >= 0) {
    const int32_t hole = r->heap;
    r->heap = -1;
    s->n_heap--;
    if (hole < s->n_heap) {
      put(s, hole, s->heap[s->n_heap]);
      sift(s, hole);
    }
  }
}

/* ---- prediction ---- */

static int is_earlier(double when, int32_t low, int64_t high, const struct cairn_hard_body *r) {
  if (when != r->when)
    return when < r->when;
  return when < INFINITY && (low != r->low ? low < r->low : high < r->high);
}

static int keep(struct cairn_hard_body *r, double when, int32_t low, int64_t high, struct cairn_hard_ref partner,
                int32_t pair) {
  if (!is_earlier(when, low, high, r))
    return 0;
  r->when = when;
  r->low = low;
  r->high = high;
  r->partner = partner;
  r->pair = pair;
  return 1;
}

void cairn_drift_queue_offer(struct cairn_hard_scope *s, struct cairn_hard_ref ref, double when, int32_t low,
                             int64_t high, struct cairn_hard_ref partner, int32_t pair) {
  struct cairn_hard_body *r = cairn_drift_queue_record(s, ref);
  if (keep(r, when, low, high, partner, pair))
    settle(s, ref, r);
}

/* Could a body on its path from now to the end of the drift meet one whose path is known by its box alone? */
static int reaches(const struct line *l, double h, const struct cairn_hard_body *other, double reach) {
  double d2 = 0.;
  for (int k = 0; k < 3; k++) {
    const double end = l->x[k] + l->v[k] * (h - l->t), low = fmin(l->x[k], end), high = fmax(l->x[k], end);
    const double gap = fmax(0., fmax(other->lower[k] - high, low - other->upper[k]));
    d2 += gap * gap;
  }
  return d2 <= reach * reach * (1. + 1e-12);
}

/* The time of impact of two bodies, in s since the start of the drift: the same bits whoever asks. */
static double impact_of(struct cairn_hard_scope *s, const struct line *a, const struct line *b, int32_t cell) {
  if ((a->flags | b->flags) & CAIRN_HARD_GONE || a->flags & b->flags & CAIRN_HARD_FIXED)
    return INFINITY;
  if (s->all && b->record && !(b->flags & CAIRN_HARD_MEMBER)) {
    if (reaches(a, s->h, b->record, a->r + b->r)) {
      const struct cairn_hard_cell *c = s->cell + cell;
      c->body[cairn_drift_queue_root(c, (int32_t)(b->record - c->body))].flags |= CAIRN_HARD_PULLED;
      s->n_pulled++;
    }
    return INFINITY;
  }
  const struct line *one = a->id < b->id ? a : b, *two = a->id < b->id ? b : a;
  const double from = one->t > two->t ? one->t : two->t;
  double rho[3], u[3];
  for (int k = 0; k < 3; k++) {
    rho[k] = (two->x[k] + two->v[k] * (from - two->t)) - (one->x[k] + one->v[k] * (from - one->t));
    u[k] = two->v[k] - one->v[k];
  }
  return from + cairn_impact_spheres(rho, u, one->r + two->r, s->h - from);
}

/* The body at the other end of a pair. */
static struct cairn_hard_ref other_of(const struct cairn_hard_scope *s, int32_t cell, int32_t entry) {
  const struct cairn_hard_cell *c = s->cell + cell;
  const int32_t other = c->other[entry];
  if (other < c->blocks.size.n || !s->all)
    return (struct cairn_hard_ref){cell, other};
  return c->owner[other - c->blocks.size.n];
}

/* Is this pair with a wall the first of its body with it? A mesh has several. */
static int is_first(const struct cairn_hard_cell *c, int32_t pair) {
  return pair == c->blocks.size.n_pairs || c->blocks.a[pair] != c->blocks.a[pair - 1] ||
         c->blocks.b[pair] != c->blocks.b[pair - 1];
}

static void predict_wall(struct cairn_hard_scope *s, struct cairn_hard_ref ref, const struct line *l, int32_t pair) {
  const struct cairn_hard_cell *c = s->cell + ref.cell;
  const int32_t wall = c->blocks.b[pair];
  if (!is_first(c, pair) || l->flags & (CAIRN_HARD_FIXED | CAIRN_HARD_GONE))
    return;
  const double when = cairn_drift_walls_impact(s, c, wall, l->x, l->v, l->t, l->r);
  keep(l->record, when, l->id, s->n_bodies + wall, (struct cairn_hard_ref){0, -1 - wall}, pair);
}

/* The next event of one body. With `tell` its path is new: others learn of it, and those who were to meet it are
 * predicted again. */
static void predict(struct cairn_hard_scope *s, struct cairn_hard_ref ref, int tell) {
  const struct cairn_hard_cell *c = s->cell + ref.cell;
  const struct line me = line_of(s, ref);
  const int32_t n_pairs = c->blocks.size.n_pairs;
  me.record->when = INFINITY;
  settle(s, ref, me.record); /* out of the heap, which others move in meanwhile */
  for (int32_t e = c->first[ref.body]; e < c->first[ref.body + 1]; e++) {
    const int32_t pair = c->entry[e] >> 1;
    if (pair >= n_pairs) {
      predict_wall(s, ref, &me, pair);
      continue;
    }
    const struct cairn_hard_ref other = other_of(s, ref.cell, e);
    const struct line it = line_of(s, other);
    const double when = impact_of(s, &me, &it, other.cell);
    const int32_t low = me.id < it.id ? me.id : it.id, high = me.id < it.id ? it.id : me.id;
    keep(me.record, when, low, high, other, pair);
    if (!tell || !it.record || (s->all && !(it.flags & CAIRN_HARD_MEMBER)))
      continue;
    const int was_mine =
        it.record->when < INFINITY && it.record->partner.body == ref.body && it.record->partner.cell == ref.cell;
    if (was_mine)
      cairn_drift_queue_predict(s, other);
    else if (keep(it.record, when, low, high, ref, -1 - pair))
      settle(s, other, it.record);
  }
  settle(s, ref, me.record);
}

void cairn_drift_queue_predict(struct cairn_hard_scope *s, struct cairn_hard_ref ref) { predict(s, ref, 0); }

/* ---- events ---- */

static void move_to(const struct cairn_hard_cell *c, struct cairn_hard_body *r, double t) {
  const double *reference = c->blocks.reference + 3 * (int64_t)r->body;
  double d2 = 0.;
  for (int k = 0; k < 3; k++) {
    r->x[k] += r->v[k] * (t - r->t);
    r->lower[k] = fmin(r->lower[k], r->x[k]);
    r->upper[k] = fmax(r->upper[k], r->x[k]);
    d2 += (r->x[k] - reference[k]) * (r->x[k] - reference[k]);
  }
  r->t = t;
  if (!(d2 <= c->blocks.reach * c->blocks.reach))
    r->flags |= CAIRN_HARD_FAR;
}

static struct cairn_collide_body collider(const struct cairn_hard_cell *c, const struct cairn_hard_body *r) {
  struct cairn_collide_body b;
  const int fixed = (r->flags & CAIRN_HARD_FIXED) != 0;
  memcpy(b.v, r->v, sizeof b.v);
  memcpy(b.w, r->w, sizeof b.w);
  b.inverse_mass = fixed ? 0. : c->blocks.inverse_mass[r->body];
  b.inverse_inertia = fixed ? 0. : c->blocks.inverse_inertia[r->body];
  b.arm = start_of(c, r->body)[CAIRN_PREDICTED_R];
  return b;
}

static void note_overlap(const struct cairn_hard_cell *c, int32_t pair, double overlap) {
  if (overlap > c->blocks.world[CAIRN_WORLD_LIMIT] && overlap > c->head->overlap) {
    c->head->overlap = overlap;
    c->head->overlap_a = c->blocks.a[pair];
    c->head->overlap_b = c->blocks.b[pair];
  }
}

/* Two bodies collide, the one of lower id first, so that the bits do not depend on whose event it was. */
static void collide(struct cairn_hard_scope *s, struct cairn_hard_ref one, struct cairn_hard_ref two,
                    const struct cairn_collide_law *law, const struct cairn_hard_cell *c, int32_t pair) {
  struct cairn_hard_body *p = record_of(s, one), *q = record_of(s, two);
  struct cairn_collide_body a = collider(s->cell + one.cell, p), b = collider(s->cell + two.cell, q);
  double n[3], u[3], impulse[3], d[3];
  for (int k = 0; k < 3; k++) {
    d[k] = q->x[k] - p->x[k];
    u[k] = q->v[k] - p->v[k];
  }
  const double distance = cairn_vec3_length(d), closing = -cairn_vec3_dot(d, u), speed = closing / distance;
  const int is_slow = speed < s->slow;
  note_overlap(c, pair, (a.arm + b.arm - distance) / (a.arm < b.arm ? a.arm : b.arm));
  if (!(closing > 0.)) /* as the prediction would say now */
    return;
  for (int k = 0; k < 3; k++)
    n[k] = d[k] / distance;
  const double normal = is_slow ? 1. : cairn_collide_restitution(law, speed);
  p->lost += cairn_collide(&a, &b, n, normal, law->tangential, impulse);
  p->virial += cairn_vec3_dot(impulse, d);
  p->n_collisions++;
  p->n_slow += is_slow;
  memcpy(p->v, a.v, sizeof a.v);
  memcpy(p->w, a.w, sizeof a.w);
  memcpy(q->v, b.v, sizeof b.v);
  memcpy(q->w, b.w, sizeof b.w);
}

static void meet_body(struct cairn_hard_scope *s, struct cairn_hard_ref ref, struct cairn_hard_body *r) {
  struct cairn_hard_cell *c = s->cell + ref.cell;
  const struct cairn_hard_ref other = r->partner;
  if (!s->all && other.body >= c->blocks.size.n) { /* what follows is for the queue over all cells */
    c->body[cairn_drift_queue_root(c, c->slot[ref.body])].flags |= CAIRN_HARD_OPEN;
    r->when = INFINITY;
    settle(s, ref, r);
    return;
  }
  const double t = r->when;
  /* a pair that was offered by the other one is in the list of the cell of that one */
  const struct cairn_hard_cell *owner = s->cell + (r->pair < 0 ? other.cell : ref.cell);
  const int32_t pair = r->pair < 0 ? -1 - r->pair : r->pair;
  const struct cairn_collide_law *law =
      (const void *)(owner->blocks.world + CAIRN_WORLD_LAWS + CAIRN_LAW_DOUBLES * owner->blocks.law[pair]);
  struct cairn_hard_body *q = cairn_drift_queue_record(s, other);
  const int mine_first = id_of(c, ref.body) < id_of(s->cell + other.cell, other.body);
  move_to(c, r, t);
  move_to(s->cell + other.cell, q, t);
  collide(s, mine_first ? ref : other, mine_first ? other : ref, law, owner, pair);
  if (!s->all)
    unite(c, c->slot[ref.body], c->slot[other.body]);
  predict(s, ref, 1);
  predict(s, other, 1);
}

static void meet_wall(struct cairn_hard_scope *s, struct cairn_hard_ref ref, struct cairn_hard_body *r) {
  const struct cairn_hard_cell *c = s->cell + ref.cell;
  const int32_t pair = r->pair;
  move_to(c, r, r->when);
  r->lost += cairn_drift_walls_hit(s, c, pair, r);
  r->n_wall_collisions++;
  predict(s, ref, 1);
}

void cairn_drift_queue_run(struct cairn_hard_scope *s) {
  while (s->n_heap > 0) {
    const struct cairn_hard_ref ref = s->heap[0];
    struct cairn_hard_body *r = record_of(s, ref);
    if (++s->n_events > s->most_events) {
      s->cell[ref.cell].head->stuck = ref.body;
      return;
    }
    if (r->partner.body < 0)
      meet_wall(s, ref, r);
    else
      meet_body(s, ref, r);
  }
}
