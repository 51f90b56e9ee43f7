#include "kernels/hard/drift.h"

#include <string.h>

#include "kernels/walls/capture.h"

struct cairn_hard_cell cairn_drift_bind(const struct cairn_soft_spheres *blocks, const void *pair_list, void *hard,
                                        const int32_t *id, const int32_t *halo_id) {
  const struct cairn_hard_offsets o = cairn_drift_offsets(blocks->size);
  const struct cairn_pair_list_offsets p = cairn_pair_list_offsets(blocks->size);
  char *at = hard;
  return (struct cairn_hard_cell){.blocks = *blocks,
                                  .first = (const int32_t *)((const char *)pair_list + p.first),
                                  .entry = (const int32_t *)((const char *)pair_list + p.entry),
                                  .id = id,
                                  .halo_id = halo_id,
                                  .head = hard,
                                  .path = (struct cairn_hard_path *)(at + o.path),
                                  .next = (struct cairn_hard_next *)(at + o.next),
                                  .partner = (struct cairn_hard_ref *)(at + o.partner),
                                  .flags = (uint8_t *)(at + o.flags),
                                  .beside = (uint8_t *)(at + o.beside),
                                  .slot = (int32_t *)(at + o.slot),
                                  .boundary = (int32_t *)(at + o.boundary),
                                  .owner = (const struct cairn_hard_ref *)(at + o.owner),
                                  .other = (int32_t *)(at + o.other),
                                  .load = (double *)(at + o.load),
                                  .body = (struct cairn_hard_body *)(at + o.body)};
}

/* ---- the beginning ---- */

static void kick_all(const struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  const struct cairn_soft_spheres *b = &c->blocks;
  for (int32_t i = 0; i < b->size.n; i++) {
    double *predicted = b->predicted + (int64_t)CAIRN_PREDICTED * i;
    cairn_drift_kick(b->state + (int64_t)CAIRN_STATE * i, s->h, predicted);
    predicted[CAIRN_PREDICTED_CAPTOR] = b->captor ? b->captor[(int64_t)CAIRN_CAPTURE * i + CAIRN_CAPTURE_CAPTOR] : 0.;
  }
  for (int32_t i = 0; i < b->size.n + b->size.n_halo; i++) {
    const double *p = b->predicted + (int64_t)CAIRN_PREDICTED * i;
    c->path[i] = (struct cairn_hard_path){{p[CAIRN_PREDICTED_X], p[CAIRN_PREDICTED_X + 1], p[CAIRN_PREDICTED_X + 2]},
                                          {p[CAIRN_PREDICTED_V], p[CAIRN_PREDICTED_V + 1], p[CAIRN_PREDICTED_V + 2]},
                                          0.,
                                          p[CAIRN_PREDICTED_R]};
    c->flags[i] = (uint8_t)(p[CAIRN_PREDICTED_CAPTOR] > 0.   ? CAIRN_HARD_FIXED
                            : p[CAIRN_PREDICTED_CAPTOR] < 0. ? CAIRN_HARD_GONE
                                                             : 0);
  }
}

/* Pairs that meet on their paths as they are. */
static void detect_pairs(struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  const struct cairn_soft_spheres *b = &c->blocks;
  const int32_t n = b->size.n;
  for (int32_t k = 0; k < b->size.n_pairs; k++) {
    const double when = cairn_drift_queue_impact(s, c->path + b->a[k], c->path + b->b[k]);
    if (when == INFINITY)
      continue;
    const struct cairn_hard_ref one = {0, b->a[k]}, two = {0, b->b[k]};
    const int32_t flags = c->flags[one.body], others = c->flags[two.body];
    if (flags & others & CAIRN_HARD_FIXED || (flags | others) & CAIRN_HARD_GONE)
      continue;
    const int32_t low = one.body < n ? c->id[one.body] : c->halo_id[one.body - n],
                  high = two.body < n ? c->id[two.body] : c->halo_id[two.body - n];
    if (one.body < n)
      cairn_drift_queue_offer(s, one, when, low, high, two, k);
    if (two.body < n)
      cairn_drift_queue_offer(s, two, when, low, high, one, k);
  }
}

static void detect_walls(struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  const struct cairn_soft_spheres *b = &c->blocks;
  for (int32_t k = b->size.n_pairs; k < b->size.n_pairs + b->size.n_wall_pairs; k++) {
    const int32_t i = b->a[k], w = b->b[k];
    if ((k > b->size.n_pairs && b->a[k - 1] == i && b->b[k - 1] == w) ||
        c->flags[i] & (CAIRN_HARD_FIXED | CAIRN_HARD_GONE))
      continue;
    const double when = cairn_drift_walls_impact(s, c, w, c->path + i);
    if (when < INFINITY)
      cairn_drift_queue_offer(s, (struct cairn_hard_ref){0, i}, when, c->id[i], s->n_bodies + w,
                              (struct cairn_hard_ref){0, -1 - w}, k);
  }
}

static void close_box(const struct cairn_hard_cell *c, struct cairn_hard_body *r, double end) {
  const struct cairn_hard_path *p = c->path + r->body;
  for (int k = 0; k < 3; k++) {
    const double last = p->x[k] + p->v[k] * (end - p->t);
    r->lower[k] = fmin(r->lower[k], last);
    r->upper[k] = fmax(r->upper[k], last);
  }
}

/* Count the islands; the place in the queue, which is empty, serves as the counter. */
static void count_islands(const struct cairn_hard_cell *c) {
  struct cairn_hard_sums *sums = &c->head->sums;
  for (int32_t k = 0; k < c->head->n_records; k++)
    c->next[c->body[k].body].heap = 0;
  for (int32_t k = 0; k < c->head->n_records; k++) {
    const int32_t size = ++c->next[c->body[cairn_drift_queue_root(c, k)].body].heap;
    sums->island = size > sums->island ? size : sums->island;
  }
  for (int32_t k = 0; k < c->head->n_records; k++)
    c->next[c->body[k].body].heap = -1;
}

/* Which records are open, and which closed ones lie beside other cells. */
static void sort_islands(struct cairn_hard_scope *s) {
  struct cairn_hard_cell *c = s->cell;
  count_islands(c);
  for (int32_t k = 0; k < c->head->n_records && c->blocks.size.n_halo > 0; k++) {
    struct cairn_hard_body *r = c->body + k;
    const uint8_t root = c->flags[c->body[cairn_drift_queue_root(c, k)].body];
    c->flags[r->body] |= root & CAIRN_HARD_OPEN;
    close_box(c, r, s->end);
    if (!(root & CAIRN_HARD_OPEN) && c->beside[r->body])
      c->boundary[c->head->n_boundary++] = k;
  }
}

/* The other body, or the wall, of each entry of the lists by body; who has a halo body among them. */
static void link(struct cairn_hard_cell *c) {
  const struct cairn_cell_size size = c->blocks.size;
  for (int32_t i = 0; i < size.n && !c->head->linked && size.n_pairs_by_body > 0; i++) {
    c->beside[i] = 0;
    for (int32_t e = c->first[i]; e < c->first[i + 1]; e++) {
      const int32_t pair = c->entry[e] >> 1;
      c->other[e] = c->entry[e] & 1 ? c->blocks.a[pair] : c->blocks.b[pair];
      c->beside[i] |= (uint8_t)(pair < size.n_pairs && c->other[e] >= size.n);
    }
  }
  c->head->linked = 1;
}

/* What became of a body at walls, or by merging, in this window. */
static void settle_capture(const struct cairn_hard_scope *s, const struct cairn_hard_cell *c,
                           const struct cairn_hard_body *r) {
  double *captor = c->blocks.captor + (int64_t)CAIRN_CAPTURE * r->body;
  if (!(c->flags[r->body] & (CAIRN_HARD_CAPTURED | CAIRN_HARD_GONE)))
    return;
  captor[CAIRN_CAPTURE_CAPTOR] = c->flags[r->body] & CAIRN_HARD_GONE ? -1. - (double)r->captor : 1. + (double)r->captor;
  captor[CAIRN_CAPTURE_TIME] = s->time - (s->h - r->since);
  memcpy(captor + CAIRN_CAPTURE_PLACE, r->place, sizeof r->place);
}

/* A window is over and stands: what its records say goes to the bodies and to the sums, in the order in which they were
 * made. */
static void settle_window(const struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  struct cairn_hard_sums *sums = &c->head->sums;
  enum { LASTING = CAIRN_HARD_FIXED | CAIRN_HARD_GONE | CAIRN_HARD_FAR };
  for (int32_t k = 0; k < c->head->n_records; k++) {
    const struct cairn_hard_body *r = c->body + k;
    memcpy(c->blocks.predicted + (int64_t)CAIRN_PREDICTED * r->body + CAIRN_PREDICTED_W, r->w, sizeof r->w);
    if (c->blocks.captor)
      settle_capture(s, c, r);
    c->head->grown |= (c->flags[r->body] & CAIRN_HARD_GROWN) != 0;
    c->flags[r->body] &= LASTING;
    sums->collisions += r->n_collisions;
    sums->wall_collisions += r->n_wall_collisions;
    sums->slow += r->n_slow;
    sums->merges += r->n_merges;
    sums->dissipated += r->lost;
    sums->virial += r->virial;
    if (r->overlap > c->blocks.world[CAIRN_WORLD_LIMIT] && r->overlap > c->head->overlap) {
      c->head->overlap = r->overlap;
      c->head->overlap_a = c->blocks.a[r->overlap_pair];
      c->head->overlap_b = c->blocks.b[r->overlap_pair];
    }
  }
  sums->records += c->head->n_records;
}

static void begin_drift(struct cairn_hard_scope *s) {
  struct cairn_hard_cell *c = s->cell;
  memset(c->blocks.wall_load, 0, 6 * (size_t)c->blocks.size.n_wall_pairs * sizeof(double));
  c->head->stuck = -1;
  c->head->overlap = 0.;
  c->head->grown = 0;
  link(c);
  kick_all(s);
}

void cairn_drift_begin(struct cairn_hard_scope *s) {
  struct cairn_hard_cell *c = s->cell;
  const size_t n = (size_t)c->blocks.size.n;
  if (s->window == 0)
    begin_drift(s);
  else
    settle_window(s);
  memset(c->slot, -1, n * sizeof *c->slot);
  memset(c->partner, -1, n * sizeof *c->partner);
  c->head->n_records = c->head->n_boundary = 0;
  s->n_heap = 0;
  s->n_events = 0;
  if (s->h == 0.) /* accelerations at the start of a run */
    return;
  if (c->blocks.size.n_halo > 0)
    memcpy(c->load, c->blocks.wall_load, 6 * (size_t)c->blocks.size.n_wall_pairs * sizeof(double));
  detect_pairs(s);
  detect_walls(s);
  if (c->head->joined && c->blocks.size.n_halo > 0) { /* what this cell could run would be run again */
    for (int32_t k = 0; k < c->head->n_records; k++)
      c->flags[c->body[k].body] |= CAIRN_HARD_OPEN;
    return;
  }
  cairn_drift_queue_run(s);
  sort_islands(s);
}

/* ---- the end ---- */

/* Second half kick of a free body at x with the velocities v and spin after the drift, [6]. */
static void kick_free(const struct cairn_hard_cell *c, int32_t i, double h, const double *x, const double *path,
                      double *state) {
  double a[6] = {0.}, v[6];
  cairn_soft_spheres_gravity(&c->blocks, i, x, a);
  for (int k = 0; k < 6; k++)
    v[k] = path[k] + 0.5 * h * a[k];
  if (c->blocks.external.rotates)
    cairn_blocks_turn(&c->blocks.external, h, v, a);
  memcpy(state + CAIRN_STATE_X, x, 3 * sizeof *x);
  memcpy(state + CAIRN_STATE_V, v, sizeof v);
  memcpy(state + CAIRN_STATE_A, a, sizeof a);
}

/* A body that a wall holds or has removed; returns 0 if it is free again. */
static int carry(const struct cairn_hard_cell *c, int32_t i, double *state) {
  double *captor = c->blocks.captor ? c->blocks.captor + (int64_t)CAIRN_CAPTURE * i : NULL;
  if (!captor || captor[CAIRN_CAPTURE_CAPTOR] == 0.)
    return 0;
  if (captor[CAIRN_CAPTURE_CAPTOR] < 0.) {
    cairn_kernel_capture_park(&c->blocks, i);
    return 1;
  }
  const double *assembly = cairn_kernel_capture_assembly(&c->blocks, i);
  if (assembly[CAIRN_ASSEMBLY_ACTIVE] == 0.) { /* the wall is gone: it lets go */
    memset(captor, 0, CAIRN_CAPTURE * sizeof *captor);
    return 0;
  }
  cairn_kernel_capture_carry(assembly, captor + CAIRN_CAPTURE_PLACE, state);
  return 1;
}

struct extremes {
  double displacement2, speed2;
  int32_t bad, far;
};

static void end_body(const struct cairn_hard_scope *s, int32_t i, struct extremes *e) {
  const struct cairn_hard_cell *c = s->cell;
  const struct cairn_hard_path *path = c->path + i;
  double *state = c->blocks.state + (int64_t)CAIRN_STATE * i, x[3], v[6];
  const double *reference = c->blocks.reference + 3 * (int64_t)i, left = s->h - path->t;
  memcpy(v, path->v, 3 * sizeof *v);
  memcpy(v + 3, c->blocks.predicted + (int64_t)CAIRN_PREDICTED * i + CAIRN_PREDICTED_W, 3 * sizeof *v);
  for (int k = 0; k < 3; k++)
    x[k] = path->x[k] + v[k] * left;
  if (!carry(c, i, state))
    kick_free(c, i, s->h, x, v, state);
  else if (c->blocks.captor[(int64_t)CAIRN_CAPTURE * i] < 0.)
    return;
  double here = 0., next = 0., speed2 = 0., sum = 0.;
  for (int k = 0; k < 3; k++) {
    const double kicked = state[CAIRN_STATE_V + k] + 0.5 * s->h * state[CAIRN_STATE_A + k];
    const double d = state[CAIRN_STATE_X + k] - reference[k], d2 = d + s->h * kicked;
    here += d * d;
    next += d2 * d2;
    speed2 += kicked * kicked;
    sum += state[CAIRN_STATE_W + k];
  }
  e->displacement2 = fmax(e->displacement2, fmax(here, next));
  e->speed2 = fmax(e->speed2, speed2);
  e->far |= !(here <= c->blocks.reach * c->blocks.reach) || c->flags[i] & CAIRN_HARD_FAR;
  e->bad = e->bad < 0 && !(here + speed2 + 0. * sum < INFINITY) ? i : e->bad;
}

void cairn_drift_end(struct cairn_hard_scope *s, struct cairn_report *report) {
  struct cairn_hard_cell *c = s->cell;
  struct extremes e = {.bad = -1};
  settle_window(s);
  cairn_soft_spheres_outside(&c->blocks, c->blocks.outside, s->time);
  for (int32_t i = 0; i < c->blocks.size.n; i++)
    end_body(s, i, &e);
  if ((e.bad >= 0 || c->head->stuck >= 0) && report->bad_steps == CAIRN_NEVER) {
    report->bad_steps = report->steps + 1;
    report->bad_body = e.bad >= 0 ? e.bad : c->head->stuck;
  }
  if (e.far && report->valid_steps == CAIRN_NEVER) /* pairs may have been missed in this step */
    report->valid_steps = report->steps;
  report->steps++;
  report->displacement = sqrt(e.displacement2);
  report->speed = fmax(report->speed, sqrt(e.speed2));
  if ((report->displacement > c->blocks.reach || c->head->grown) && report->valid_steps == CAIRN_NEVER)
    report->valid_steps = report->steps; /* new masses and radii need new cells */
  if (c->head->overlap > 0.) {
    report->overlap_steps++;
    if (c->head->overlap > report->overlap) {
      report->overlap = c->head->overlap;
      report->overlap_a = c->head->overlap_a;
      report->overlap_b = c->head->overlap_b;
    }
  }
}

void cairn_drift_advance(struct cairn_hard_scope *s, const struct cairn_walls_set *set,
                         struct cairn_report *walls_report, int64_t step, int32_t n_steps,
                         struct cairn_report *report) {
  for (int32_t k = 0; k < n_steps; k++) {
    const int64_t number = step + k + 1;
    s->time = (double)number * s->h;
    cairn_drift_begin(s);
    cairn_drift_end(s, report);
    if (set) {
      double *assemblies = s->cell->blocks.assemblies;
      memset(set->load, 0, 6 * (size_t)set->n * sizeof *set->load); /* nothing moves by the bodies */
      cairn_kernel_walls_move(set, set->load, number, s->h, assemblies, assemblies, walls_report);
      if (walls_report->valid_steps < report->valid_steps)
        report->valid_steps = report->steps;
    }
    if (report->valid_steps != CAIRN_NEVER || report->bad_steps != CAIRN_NEVER)
      return;
  }
}
