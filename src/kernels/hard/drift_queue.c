/* The queue of events: each body knows its own next event, a binary heap the earliest of all. */
#include <stddef.h>
#include <string.h>

#include "kernels/hard/drift.h"
#include "kernels/hard/merge.h"

/* ---- bodies ---- */

static int32_t id_of(const struct cairn_hard_cell *c, int32_t body) {
  return body < c->blocks.size.n ? c->id[body] : c->halo_id[body - c->blocks.size.n];
}

static int is_same(struct cairn_hard_ref a, struct cairn_hard_ref b) { return a.body == b.body && a.cell == b.cell; }

void cairn_drift_queue_reset(const struct cairn_hard_cell *c, struct cairn_hard_body *r, int32_t flags) {
  const int32_t body = r->body, start_flags = r->start_flags;
  const struct cairn_hard_path start = r->start;
  memset(r->w, 0, sizeof *r - offsetof(struct cairn_hard_body, w));
  memcpy(r->lower, start.x, sizeof r->lower);
  memcpy(r->upper, start.x, sizeof r->upper);
  memcpy(r->w, c->blocks.predicted + (int64_t)CAIRN_PREDICTED * body + CAIRN_PREDICTED_W, sizeof r->w);
  r->lost = c->lost[2 * (int64_t)body];
  r->virial = c->lost[2 * (int64_t)body + 1];
  r->inverse_mass = start_flags & CAIRN_HARD_FIXED ? 0. : c->blocks.inverse_mass[body];
  r->inverse_inertia = start_flags & CAIRN_HARD_FIXED ? 0. : c->blocks.inverse_inertia[body];
  c->path[body] = start;
  c->flags[body] = (uint8_t)(start_flags | flags);
  c->next[body] = (struct cairn_hard_next){.when = INFINITY, .heap = -1};
  c->partner[body] = (struct cairn_hard_ref){-1, -1};
}

struct cairn_hard_body *cairn_drift_queue_record(struct cairn_hard_scope *s, struct cairn_hard_ref ref) {
  struct cairn_hard_cell *c = s->cell + ref.cell;
  if (c->slot[ref.body] < 0) {
    struct cairn_hard_body *made = c->body + c->head->n_records;
    made->body = ref.body;
    made->parent = c->head->n_records;
    made->start = c->path[ref.body];
    made->start_flags = c->flags[ref.body];
    made->group = CAIRN_HARD_CLOSED;
    made->chain = made->across = -1;
    cairn_drift_queue_reset(c, made, 0);
    c->slot[ref.body] = c->head->n_records++;
    cairn_drift_grid_list(c, ref.body);
  }
  return c->body + c->slot[ref.body];
}

/* ---- islands ---- */

int32_t cairn_drift_queue_root(const struct cairn_hard_cell *c, int32_t record) {
  while (c->body[record].parent != record) {
    c->body[record].parent = c->body[c->body[record].parent].parent;
    record = c->body[record].parent;
  }
  return record;
}

static void mark_island(const struct cairn_hard_cell *c, int32_t record, int32_t flag) {
  c->flags[c->body[cairn_drift_queue_root(c, record)].body] |= (uint8_t)flag;
}

static void unite(const struct cairn_hard_cell *c, int32_t a, int32_t b) {
  const int32_t p = cairn_drift_queue_root(c, a), q = cairn_drift_queue_root(c, b);
  c->body[q].parent = p;
  c->flags[c->body[p].body] |= c->flags[c->body[q].body] & CAIRN_HARD_OPEN;
}

/* ---- heap ---- */

static struct cairn_hard_next *next_of(const struct cairn_hard_scope *s, struct cairn_hard_ref ref) {
  return s->cell[ref.cell].next + ref.body;
}

static int is_before(const struct cairn_hard_scope *s, const struct cairn_hard_entry *a,
                     const struct cairn_hard_entry *b) {
  if (a->when != b->when)
    return a->when < b->when;
  const struct cairn_hard_next *p = next_of(s, a->ref), *q = next_of(s, b->ref);
  return p->low != q->low ? p->low < q->low : p->high < q->high;
}

static void put(struct cairn_hard_scope *s, int32_t place, struct cairn_hard_entry entry) {
  s->heap[place] = entry;
  next_of(s, entry.ref)->heap = place;
}

/* The entry belongs at this place or above or below it. */
static void sift(struct cairn_hard_scope *s, int32_t place, struct cairn_hard_entry entry) {
  while (place > 0 && is_before(s, &entry, s->heap + (place - 1) / 2)) {
    put(s, place, s->heap[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  for (int32_t child = 2 * place + 1; child < s->n_heap; child = 2 * place + 1) {
    if (child + 1 < s->n_heap && is_before(s, s->heap + child + 1, s->heap + child))
      child++;
    if (!is_before(s, s->heap + child, &entry))
      break;
    put(s, place, s->heap[child]);
    place = child;
  }
  put(s, place, entry);
}

/* Bring the heap in order after the event of one body has changed. */
static void settle(struct cairn_hard_scope *s, struct cairn_hard_ref ref, const struct cairn_hard_next *next) {
  if (next->when < INFINITY) {
    sift(s, next->heap < 0 ? s->n_heap++ : next->heap, (struct cairn_hard_entry){next->when, ref});
  } else if (next->heap >= 0) {
    const int32_t hole = next->heap;
    next_of(s, ref)->heap = -1;
    s->n_heap--;
    if (hole < s->n_heap)
      sift(s, hole, s->heap[s->n_heap]);
  }
}

/* ---- prediction ---- */

/* The best event found so far for a body. */
struct found {
  double when;
  int64_t high;
  int32_t low, pair;
  struct cairn_hard_ref partner;
};

static int is_earlier(double when, int32_t low, int64_t high, double best, int32_t best_low, int64_t best_high) {
  if (when != best)
    return when < best;
  return when < INFINITY && (low != best_low ? low < best_low : high < best_high);
}

static void keep(struct found *best, double when, int32_t low, int64_t high, struct cairn_hard_ref partner,
                 int32_t pair) {
  if (is_earlier(when, low, high, best->when, best->low, best->high))
    *best = (struct found){when, high, low, pair, partner};
}

static void store(struct cairn_hard_scope *s, struct cairn_hard_ref ref, const struct found *found) {
  struct cairn_hard_next *next = next_of(s, ref);
  next->when = found->when;
  next->low = found->low;
  next->high = found->high;
  next->pair = found->pair;
  s->cell[ref.cell].partner[ref.body] = found->partner;
  settle(s, ref, next);
}

void cairn_drift_queue_offer(struct cairn_hard_scope *s, struct cairn_hard_ref ref, double when, int32_t low,
                             int64_t high, struct cairn_hard_ref partner, int32_t pair) {
  cairn_drift_queue_record(s, ref);
  const struct cairn_hard_next *next = next_of(s, ref);
  if (is_earlier(when, low, high, next->when, next->low, next->high))
    store(s, ref, &(struct found){when, high, low, pair, partner});
}

void cairn_drift_queue_meet(struct cairn_hard_scope *s, int32_t a, int32_t b) {
  const struct cairn_hard_cell *c = s->cell;
  const int32_t n = c->blocks.size.n, i = a < n ? a : b, j = a < n ? b : a;
  if (i >= n || c->flags[i] & c->flags[j] & CAIRN_HARD_FIXED)
    return;
  const int32_t mine = c->id[i], its = id_of(c, j);
  const struct cairn_hard_path *p = c->path + i, *q = c->path + j;
  const double when = its < mine ? cairn_drift_queue_impact(s, q, p) : cairn_drift_queue_impact(s, p, q);
  if (when == INFINITY)
    return;
  const struct cairn_hard_ref one = {0, i}, two = {0, j};
  const int32_t low = its < mine ? its : mine, high = its < mine ? mine : its;
  cairn_drift_queue_offer(s, one, when, low, high, two, j);
  if (j < n)
    cairn_drift_queue_offer(s, two, when, low, high, one, -1 - j);
}

/* Is a body run by others? What they do with it is not known here. */
static int is_foreign(const struct cairn_hard_scope *s, const struct cairn_hard_cell *d, int32_t body) {
  return d->slot[body] >= 0 && d->body[d->slot[body]].group != s->group;
}

static void predict_walls(struct cairn_hard_scope *s, struct cairn_hard_ref ref, struct found *best) {
  const struct cairn_hard_cell *c = s->cell + ref.cell;
  const int32_t *b = c->blocks.b;
  if (!c->first || c->flags[ref.body] & (CAIRN_HARD_FIXED | CAIRN_HARD_GONE))
    return;
  for (int32_t e = c->first[ref.body]; e < c->first[ref.body + 1]; e++) {
    const int32_t pair = c->entry[e] >> 1, wall = b[pair];
    if (e == c->first[ref.body] || wall != b[pair - 1]) /* a mesh has several */
      keep(best, cairn_drift_walls_impact(s, c, wall, c->path + ref.body), c->id[ref.body], s->n_bodies + wall,
           (struct cairn_hard_ref){0, -1 - wall}, pair);
  }
}

/* Another body, `local` in my cell, learns of a new path: it is predicted again if it was to meet it, or takes the
 * earlier event. */
static void tell(struct cairn_hard_scope *s, struct cairn_hard_ref other, struct cairn_hard_ref me, double when,
                 int32_t local) {
  const struct cairn_hard_cell *c = s->cell + me.cell, *d = s->cell + other.cell;
  if (is_same(d->partner[other.body], me)) {
    cairn_drift_queue_predict(s, other);
  } else if (when < INFINITY && d->slot[other.body] >= 0) {
    const int32_t mine = c->id[me.body], its = d->id[other.body];
    cairn_drift_queue_offer(s, other, when, mine < its ? mine : its, mine < its ? its : mine, me, -1 - local);
  }
}

/* The next event of one body. If `except` is a body and no wall, the path is new: others learn of it, that one aside,
 * with which it has just collided. */
static void predict(struct cairn_hard_scope *s, struct cairn_hard_ref ref, int is_new, struct cairn_hard_ref except) {
  const struct cairn_hard_cell *c = s->cell + ref.cell;
  const struct cairn_hard_path me = c->path[ref.body];
  const int32_t n = c->blocks.size.n, flags = c->flags[ref.body], end = c->near_end[ref.body];
  struct found best = {.when = INFINITY, .partner = {-1, -1}};
  predict_walls(s, ref, &best);
  for (int32_t e = c->near_begin[ref.body]; e < end; e++) {
    const int32_t local = c->near[e] >> 1;
    const struct cairn_hard_ref other =
        local < n || !s->all ? (struct cairn_hard_ref){ref.cell, local} : c->owner[local - n];
    const struct cairn_hard_cell *d = s->cell + other.cell;
    const int32_t its = d->flags[other.body];
    double when = INFINITY;
    if (!((flags | its) & CAIRN_HARD_GONE) && !(flags & its & CAIRN_HARD_FIXED)) {
      if (s->all && is_foreign(s, d, other.body))
        continue;
      const struct cairn_hard_path *it = d->path + other.body;
      when = c->near[e] & 1 ? cairn_drift_queue_impact(s, it, &me) : cairn_drift_queue_impact(s, &me, it);
    }
    if (when <= best.when && when < INFINITY) {
      const int32_t a = id_of(c, ref.body), b = id_of(d, other.body);
      keep(&best, when, a < b ? a : b, a < b ? b : a, other, local);
    }
    if (is_new && other.body < d->blocks.size.n && !is_same(other, except))
      tell(s, other, ref, when, local);
  }
  store(s, ref, &best);
}

void cairn_drift_queue_predict(struct cairn_hard_scope *s, struct cairn_hard_ref ref) {
  predict(s, ref, 0, (struct cairn_hard_ref){-1, -1});
}

/* ---- events ---- */

/* Not too far from where it was at the start of the window, nor from where it was when the cells were made. One that
 * has grown is nearer to its neighbours by that. */
void cairn_drift_queue_check(struct cairn_hard_scope *s, const struct cairn_hard_cell *c, int32_t body,
                             const double *x) {
  const double *reference = c->blocks.reference + 3 * (int64_t)body,
               *first = c->blocks.predicted + (int64_t)CAIRN_PREDICTED * body;
  const struct cairn_hard_path *start = c->slot[body] < 0 ? c->path + body : &c->body[c->slot[body]].start;
  const double grown = c->path[body].r - start->r, reach = c->head->reach - grown, most = c->blocks.reach - grown;
  double d2 = 0., drift2 = 0., all2 = 0.;
  for (int k = 0; k < 3; k++) {
    const double d = x[k] - (start->x[k] + start->v[k] * (s->from - start->t));
    d2 += d * d;
    drift2 += (x[k] - first[k]) * (x[k] - first[k]);
    all2 += (x[k] - reference[k]) * (x[k] - reference[k]);
  }
  if (reach >= 0. && d2 <= reach * reach && most >= 0. && all2 <= most * most)
    return;
  c->flags[body] |= CAIRN_HARD_FAR;
  s->longest = cairn_drift_higher(s->longest,
                                  sqrt(cairn_drift_higher(d2, drift2 / ((double)s->n_windows * s->n_windows))) + grown);
}

static void grow_box(struct cairn_hard_body *r, const struct cairn_hard_path *p) {
  for (int k = 0; k < 3; k++) {
    r->lower[k] = cairn_drift_lower(r->lower[k], p->x[k]);
    r->upper[k] = cairn_drift_higher(r->upper[k], p->x[k]);
  }
}

static void move_to(struct cairn_hard_scope *s, const struct cairn_hard_cell *c, struct cairn_hard_body *r, double t) {
  struct cairn_hard_path *p = c->path + r->body;
  for (int k = 0; k < 3; k++)
    p->x[k] += p->v[k] * (t - p->t);
  p->t = t;
  grow_box(r, p);
  cairn_drift_queue_check(s, c, r->body, p->x);
}

static struct cairn_collide_body collider(const struct cairn_hard_cell *c, const struct cairn_hard_body *r) {
  const struct cairn_hard_path *p = c->path + r->body;
  struct cairn_collide_body b = {.inverse_mass = r->inverse_mass, .inverse_inertia = r->inverse_inertia, .arm = p->r};
  memcpy(b.v, p->v, sizeof b.v);
  memcpy(b.w, r->w, sizeof b.w);
  return b;
}

/* Two bodies become one, which has their mass, momentum and angular momentum: the heavier one, of equal ones that of
 * lower id. The other is removed as by an absorbing wall. */
static void merge(struct cairn_hard_scope *s, struct cairn_hard_ref one, struct cairn_hard_ref two) {
  struct cairn_hard_cell *c = s->cell + one.cell, *d = s->cell + two.cell;
  struct cairn_hard_body *r[2] = {c->body + c->slot[one.body], d->body + d->slot[two.body]};
  struct cairn_hard_path *p[2] = {c->path + one.body, d->path + two.body};
  struct cairn_merge_body b[2];
  for (int k = 0; k < 2; k++) {
    b[k] = (struct cairn_merge_body){.mass = 1. / r[k]->inverse_mass, .radius = p[k]->r};
    memcpy(b[k].x, p[k]->x, sizeof b[k].x);
    memcpy(b[k].v, p[k]->v, sizeof b[k].v);
    memcpy(b[k].w, r[k]->w, sizeof b[k].w);
  }
  struct cairn_merge_body whole;
  r[0]->lost += cairn_merge(b, b + 1, &whole);
  r[0]->n_merges++;
  const int left = b[0].mass >= b[1].mass ? 0 : 1; /* who is left */
  const struct cairn_hard_ref stays = left == 0 ? one : two, goes = left == 0 ? two : one;
  memcpy(r[1 - left]->place, p[1 - left]->x, sizeof whole.x);
  r[1 - left]->since = p[1 - left]->t;
  r[1 - left]->captor = s->n_walls + s->cell[stays.cell].id[stays.body];
  s->cell[goes.cell].flags[goes.body] |= CAIRN_HARD_GONE;
  memcpy(p[left]->x, whole.x, sizeof whole.x);
  memcpy(p[left]->v, whole.v, sizeof whole.v);
  memcpy(r[left]->w, whole.w, sizeof whole.w);
  p[left]->r = whole.radius;
  r[left]->mass = whole.mass;
  r[left]->inverse_mass = 1. / whole.mass;
  r[left]->inverse_inertia = 1. / (0.4 * whole.mass * whole.radius * whole.radius);
  s->cell[stays.cell].flags[stays.body] |= CAIRN_HARD_GROWN;
  grow_box(r[left], p[left]);
  cairn_drift_queue_check(s, s->cell + stays.cell, stays.body, p[left]->x);
}

/* Two bodies collide, the one of lower id first, so that the bits do not depend on whose event it was. The overlap is
 * noted by the body `noted`, whose cell has the pair in its list. */
static void collide(struct cairn_hard_scope *s, struct cairn_hard_ref one, struct cairn_hard_ref two,
                    const struct cairn_collide_law *law, struct cairn_hard_body *noted, int32_t pair) {
  const struct cairn_hard_cell *c = s->cell + one.cell, *d = s->cell + two.cell;
  struct cairn_hard_body *p = c->body + c->slot[one.body], *q = d->body + d->slot[two.body];
  struct cairn_collide_body a = collider(c, p), b = collider(d, q);
  double n[3], u[3], impulse[3], gap[3];
  for (int k = 0; k < 3; k++) {
    gap[k] = d->path[two.body].x[k] - c->path[one.body].x[k];
    u[k] = b.v[k] - a.v[k];
  }
  const double distance = cairn_vec3_length(gap), closing = -cairn_vec3_dot(gap, u), speed = closing / distance;
  const double overlap = (a.arm + b.arm - distance) / (a.arm < b.arm ? a.arm : b.arm);
  const int is_slow = speed < s->slow;
  if (s->merge && a.inverse_mass > 0. && b.inverse_mass > 0.) {
    if (closing > 0.)
      merge(s, one, two);
    return;
  }
  if (overlap > noted->overlap) {
    noted->overlap = overlap;
    noted->overlap_with = pair;
  }
  if (!(closing > 0.)) /* as the prediction would say now */
    return;
  for (int k = 0; k < 3; k++)
    n[k] = gap[k] / distance;
  const double normal = is_slow ? 1. : cairn_collide_restitution(law, speed);
  p->lost += cairn_collide(&a, &b, n, normal, law->tangential, impulse);
  p->virial += cairn_vec3_dot(impulse, gap);
  p->n_collisions++;
  p->n_slow += is_slow;
  memcpy(c->path[one.body].v, a.v, sizeof a.v);
  memcpy(p->w, a.w, sizeof a.w);
  memcpy(d->path[two.body].v, b.v, sizeof b.v);
  memcpy(q->w, b.w, sizeof b.w);
}

static void meet_body(struct cairn_hard_scope *s, struct cairn_hard_ref ref, struct cairn_hard_ref other) {
  struct cairn_hard_cell *c = s->cell + ref.cell, *d = s->cell + other.cell;
  const struct cairn_hard_next next = c->next[ref.body];
  if (!s->all && other.body >= c->blocks.size.n) { /* what follows is for the queue over all cells */
    mark_island(c, c->slot[ref.body], CAIRN_HARD_OPEN);
    c->body[c->slot[ref.body]].across = other.body;
    store(s, ref, &(struct found){.when = INFINITY, .partner = {-1, -1}});
    return;
  }
  const int is_ghost = s->all && other.cell >= s->n_cells;
  if (s->all && d->slot[other.body] < 0 && (!s->taken || is_ghost)) { /* it has to join first */
    s->wanted = other;
    return;
  }
  if (s->all && d->slot[other.body] < 0) {
    cairn_drift_queue_record(s, other)->group = s->group;
    s->taken[s->n_taken++] = other;
  }
  struct cairn_hard_body *q = cairn_drift_queue_record(s, other), *p = c->body + c->slot[ref.body];
  /* a pair that was offered by the other one is noted by that one */
  const int32_t pair = next.pair < 0 ? -1 - next.pair : next.pair;
  const int32_t kind = s->law[c->material[ref.body] * s->n_materials + d->material[other.body]];
  const struct cairn_collide_law *law =
      (const void *)(c->blocks.world + CAIRN_WORLD_LAWS + (int64_t)CAIRN_LAW_DOUBLES * kind);
  const int mine_first = c->id[ref.body] < d->id[other.body];
  move_to(s, c, p, next.when);
  move_to(s, d, q, next.when);
  collide(s, mine_first ? ref : other, mine_first ? other : ref, law, next.pair < 0 ? q : p, pair);
  if (!s->all)
    unite(c, c->slot[ref.body], c->slot[other.body]);
  predict(s, ref, 1, other);
  predict(s, other, 1, ref);
}

static void meet_wall(struct cairn_hard_scope *s, struct cairn_hard_ref ref) {
  const struct cairn_hard_cell *c = s->cell + ref.cell;
  struct cairn_hard_body *r = c->body + c->slot[ref.body];
  move_to(s, c, r, c->next[ref.body].when);
  r->lost += cairn_drift_walls_hit(s, c, c->next[ref.body].pair, r);
  r->n_wall_collisions++;
  predict(s, ref, 1, (struct cairn_hard_ref){-1, -1});
}

void cairn_drift_queue_run(struct cairn_hard_scope *s) {
  while (s->n_heap > 0 && s->wanted.body < 0) {
    const struct cairn_hard_ref ref = s->heap[0].ref, partner = s->cell[ref.cell].partner[ref.body];
    if (++s->n_events > s->most_events) {
      s->stuck = ref;
      return;
    }
    if (partner.body < 0)
      meet_wall(s, ref);
    else
      meet_body(s, ref, partner);
  }
}
