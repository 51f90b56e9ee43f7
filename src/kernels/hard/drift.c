#include "kernels/hard/drift.h"

#include <string.h>

#include "kernels/hard/impact.h"
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
                                  .slot = (int32_t *)(at + o.slot),
                                  .boundary = (int32_t *)(at + o.boundary),
                                  .owner = (const struct cairn_hard_ref *)(at + o.owner),
                                  .other = (int32_t *)(at + o.other),
                                  .body = (struct cairn_hard_body *)(at + o.body)};
}

/* ---- the beginning ---- */

static void kick_all(const struct cairn_hard_scope *s) {
  const struct cairn_soft_spheres *b = &s->cell->blocks;
  for (int32_t i = 0; i < b->size.n; i++) {
    double *predicted = b->predicted + (int64_t)CAIRN_PREDICTED * i;
    cairn_drift_kick(b->state + (int64_t)CAIRN_STATE * i, s->h, predicted);
    predicted[CAIRN_PREDICTED_CAPTOR] = b->captor ? b->captor[(int64_t)CAIRN_CAPTURE * i + CAIRN_CAPTURE_CAPTOR] : 0.;
  }
}

/* Pairs that meet on their first paths. */
static void detect_pairs(struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  const struct cairn_soft_spheres *b = &c->blocks;
  const int32_t n = b->size.n;
  for (int32_t k = 0; k < b->size.n_pairs; k++) {
    const double *p = b->predicted + (int64_t)CAIRN_PREDICTED * b->a[k],
                 *q = b->predicted + (int64_t)CAIRN_PREDICTED * b->b[k];
    double rho[3], u[3];
    for (int j = 0; j < 3; j++) {
      rho[j] = q[CAIRN_PREDICTED_X + j] - p[CAIRN_PREDICTED_X + j];
      u[j] = q[CAIRN_PREDICTED_V + j] - p[CAIRN_PREDICTED_V + j];
    }
    const double when = cairn_impact_spheres(rho, u, p[CAIRN_PREDICTED_R] + q[CAIRN_PREDICTED_R], s->h);
    if (when == INFINITY || (p[CAIRN_PREDICTED_CAPTOR] > 0. && q[CAIRN_PREDICTED_CAPTOR] > 0.))
      continue;
    const struct cairn_hard_ref one = {0, b->a[k]}, two = {0, b->b[k]};
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
    const double *p = b->predicted + (int64_t)CAIRN_PREDICTED * i;
    if ((k > b->size.n_pairs && b->a[k - 1] == i && b->b[k - 1] == w) || p[CAIRN_PREDICTED_CAPTOR] != 0.)
      continue;
    const double when =
        cairn_drift_walls_impact(s, c, w, p + CAIRN_PREDICTED_X, p + CAIRN_PREDICTED_V, 0., p[CAIRN_PREDICTED_R]);
    if (when < INFINITY)
      cairn_drift_queue_offer(s, (struct cairn_hard_ref){0, i}, when, c->id[i], s->n_bodies + w,
                              (struct cairn_hard_ref){0, -1 - w}, k);
  }
}

static int has_halo(const struct cairn_hard_cell *c, int32_t body) {
  for (int32_t e = c->first[body]; e < c->first[body + 1]; e++) {
    if (c->entry[e] >> 1 < c->blocks.size.n_pairs && c->other[e] >= c->blocks.size.n)
      return 1;
  }
  return 0;
}

static void close_box(struct cairn_hard_body *r, double h) {
  for (int k = 0; k < 3; k++) {
    const double end = r->x[k] + r->v[k] * (h - r->t);
    r->lower[k] = fmin(r->lower[k], end);
    r->upper[k] = fmax(r->upper[k], end);
  }
}

/* Count the islands; the place in the queue, which is empty, serves as the counter. */
static void count_islands(const struct cairn_hard_cell *c) {
  struct cairn_hard_sums *sums = &c->head->sums;
  for (int32_t k = 0; k < c->head->n_records; k++)
    c->body[k].heap = 0;
  for (int32_t k = 0; k < c->head->n_records; k++) {
    const int32_t size = ++c->body[cairn_drift_queue_root(c, k)].heap;
    sums->island = size > sums->island ? size : sums->island;
  }
  for (int32_t k = 0; k < c->head->n_records; k++)
    c->body[k].heap = -1;
}

/* Which records are open, and which closed ones lie beside other cells. */
static void sort_islands(struct cairn_hard_scope *s) {
  struct cairn_hard_cell *c = s->cell;
  c->head->n_boundary = 0;
  count_islands(c);
  for (int32_t k = 0; k < c->head->n_records; k++) {
    struct cairn_hard_body *r = c->body + k;
    r->flags |= c->body[cairn_drift_queue_root(c, k)].flags & CAIRN_HARD_OPEN;
    close_box(r, s->h);
    if (c->blocks.size.n_halo > 0 && !(r->flags & CAIRN_HARD_OPEN) && has_halo(c, r->body))
      c->boundary[c->head->n_boundary++] = k;
  }
}

/* The other body, or the wall, of each entry of the lists by body. */
static void link(struct cairn_hard_cell *c) {
  for (int32_t e = 0; e < c->blocks.size.n_pairs_by_body && !c->head->linked; e++)
    c->other[e] = c->entry[e] & 1 ? c->blocks.a[c->entry[e] >> 1] : c->blocks.b[c->entry[e] >> 1];
  c->head->linked = 1;
}

void cairn_drift_begin(struct cairn_hard_scope *s) {
  struct cairn_hard_cell *c = s->cell;
  const struct cairn_cell_size size = c->blocks.size;
  memset(c->slot, -1, (size_t)size.n * sizeof *c->slot);
  memset(c->blocks.wall_load, 0, 6 * (size_t)size.n_wall_pairs * sizeof(double));
  c->head->n_records = 0;
  c->head->stuck = -1;
  c->head->overlap = 0.;
  s->n_heap = 0;
  s->n_events = 0;
  link(c);
  kick_all(s);
  if (s->h == 0.) /* accelerations at the start of a run */
    return;
  detect_pairs(s);
  detect_walls(s);
  if (c->head->joined && c->blocks.size.n_halo > 0) { /* what this cell could run would be run again */
    for (int32_t k = 0; k < c->head->n_records; k++)
      c->body[k].flags |= CAIRN_HARD_OPEN;
    c->head->n_boundary = 0;
    return;
  }
  cairn_drift_queue_run(s);
  sort_islands(s);
}

/* ---- all cells ---- */

static void pull(const struct cairn_hard_cell *c, int32_t record) {
  c->body[cairn_drift_queue_root(c, record)].flags |= CAIRN_HARD_PULLED;
}

static int is_apart(const struct cairn_hard_body *a, const struct cairn_hard_body *b, double reach) {
  double d2 = 0.;
  for (int k = 0; k < 3; k++) {
    const double gap = fmax(0., fmax(b->lower[k] - a->upper[k], a->lower[k] - b->upper[k]));
    d2 += gap * gap;
  }
  return d2 > reach * reach * (1. + 1e-12);
}

/* Closed islands of two cells whose bodies could meet on their changed paths. */
static void compare_boundary(struct cairn_hard_scope *s, int32_t cell, int32_t record) {
  const struct cairn_hard_cell *c = s->cell + cell;
  const struct cairn_hard_body *r = c->body + record;
  const int32_t n = c->blocks.size.n;
  const double radius = c->blocks.predicted[(int64_t)CAIRN_PREDICTED * r->body + CAIRN_PREDICTED_R];
  for (int32_t e = c->first[r->body]; e < c->first[r->body + 1]; e++) {
    const int32_t other = c->other[e];
    if (c->entry[e] >> 1 >= c->blocks.size.n_pairs || other < n)
      continue;
    const struct cairn_hard_ref ref = c->owner[other - n];
    const struct cairn_hard_cell *d = s->cell + ref.cell;
    const int32_t slot = ref.cell < cell ? -1 : d->slot[ref.body]; /* each pair once */
    const double reach = radius + c->blocks.predicted[(int64_t)CAIRN_PREDICTED * other + CAIRN_PREDICTED_R];
    if (slot < 0 || d->body[slot].flags & CAIRN_HARD_OPEN || is_apart(r, d->body + slot, reach))
      continue;
    pull(c, record);
    pull(d, slot);
  }
}

/* Most of the records have joined, and more would follow piece by piece: let all join at once. */
static void pull_all(struct cairn_hard_scope *s) {
  for (int32_t i = 0; i < s->n_cells; i++)
    for (int32_t k = 0; k < s->cell[i].head->n_records; k++)
      s->cell[i].body[k].flags |= CAIRN_HARD_OPEN;
}

/* Put all members back to the start of the drift, with those whose island has been pulled in. */
static int64_t gather_members(struct cairn_hard_scope *s) {
  int64_t n = 0;
  for (int32_t i = 0; i < s->n_cells; i++) {
    struct cairn_hard_cell *c = s->cell + i;
    for (int32_t k = 0; k < c->head->n_records; k++) {
      const int32_t flags = c->body[k].flags | c->body[cairn_drift_queue_root(c, k)].flags;
      if (flags & (CAIRN_HARD_OPEN | CAIRN_HARD_PULLED))
        c->body[k].flags |= CAIRN_HARD_MEMBER;
    }
    for (int32_t k = 0; k < c->head->n_records; k++) {
      struct cairn_hard_body *r = c->body + k;
      if (!(r->flags & CAIRN_HARD_MEMBER))
        continue;
      cairn_drift_queue_reset(c, r, CAIRN_HARD_MEMBER | CAIRN_HARD_OPEN);
      for (int32_t e = c->first[r->body]; e < c->first[r->body + 1]; e++)
        if (c->entry[e] >> 1 >= c->blocks.size.n_pairs)
          memset(c->blocks.wall_load + 6 * (int64_t)((c->entry[e] >> 1) - c->blocks.size.n_pairs), 0,
                 6 * sizeof(double));
      n++;
    }
  }
  return n;
}

static void predict_members(struct cairn_hard_scope *s) {
  for (int32_t i = 0; i < s->n_cells; i++)
    for (int32_t k = 0; k < s->cell[i].head->n_records; k++)
      if (s->cell[i].body[k].flags & CAIRN_HARD_MEMBER)
        cairn_drift_queue_predict(s, (struct cairn_hard_ref){i, s->cell[i].body[k].body});
}

void cairn_drift_join(struct cairn_hard_scope *s) {
  for (int32_t i = 0; i < s->n_cells; i++)
    for (int32_t k = 0; k < s->cell[i].head->n_boundary; k++)
      compare_boundary(s, i, s->cell[i].boundary[k]);
  do {
    s->n_pulled = 0;
    s->n_heap = 0;
    s->n_events = 0;
    int64_t n = gather_members(s), n_records = 0;
    for (int32_t i = 0; i < s->n_cells; i++)
      n_records += s->cell[i].head->n_records;
    if (n < n_records && 2 * n > n_records) {
      pull_all(s);
      n = gather_members(s);
    }
    for (int32_t i = 0; i < s->n_cells; i++)
      s->cell[i].head->joined = 2 * n > n_records;
    if (n == 0)
      return;
    struct cairn_hard_sums *sums = &s->cell->head->sums;
    sums->island = n > sums->island ? n : sums->island;
    predict_members(s);
    if (s->n_pulled == 0)
      cairn_drift_queue_run(s);
  } while (s->n_pulled > 0);
}

/* ---- the end ---- */

/* What became of a body at walls in this drift. */
static void settle_capture(const struct cairn_hard_scope *s, const struct cairn_hard_cell *c,
                           const struct cairn_hard_body *r, double time) {
  double *captor = c->blocks.captor + (int64_t)CAIRN_CAPTURE * r->body;
  if (!(r->flags & (CAIRN_HARD_CAPTURED | CAIRN_HARD_GONE)))
    return;
  captor[CAIRN_CAPTURE_CAPTOR] = r->flags & CAIRN_HARD_GONE ? -1. - (double)r->wall : 1. + (double)r->wall;
  captor[CAIRN_CAPTURE_TIME] = time - (s->h - r->since);
  memcpy(captor + CAIRN_CAPTURE_PLACE, r->place, sizeof r->place);
}

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

static void end_body(const struct cairn_hard_scope *s, int32_t i, double time, struct extremes *e) {
  const struct cairn_hard_cell *c = s->cell;
  double *state = c->blocks.state + (int64_t)CAIRN_STATE * i, x[3], v[6];
  const double *start = c->blocks.predicted + (int64_t)CAIRN_PREDICTED * i, *reference = c->blocks.reference + 3 * i;
  const struct cairn_hard_body *r = c->slot[i] < 0 ? NULL : c->body + c->slot[i];
  const double left = s->h - (r ? r->t : 0.), *from = r ? r->x : start + CAIRN_PREDICTED_X;
  memcpy(v, r ? r->v : start + CAIRN_PREDICTED_V, 3 * sizeof *v);
  memcpy(v + 3, r ? r->w : start + CAIRN_PREDICTED_W, 3 * sizeof *v);
  for (int k = 0; k < 3; k++)
    x[k] = from[k] + v[k] * left;
  if (r && c->blocks.captor)
    settle_capture(s, c, r, time);
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
  e->far |= !(here <= c->blocks.reach * c->blocks.reach) || (r && r->flags & CAIRN_HARD_FAR);
  e->bad = e->bad < 0 && !(here + speed2 + 0. * sum < INFINITY) ? i : e->bad;
}

/* Add up the records, in the order in which they were made. */
static void add_sums(const struct cairn_hard_cell *c) {
  struct cairn_hard_sums *sums = &c->head->sums;
  for (int32_t k = 0; k < c->head->n_records; k++) {
    const struct cairn_hard_body *r = c->body + k;
    sums->collisions += r->n_collisions;
    sums->wall_collisions += r->n_wall_collisions;
    sums->slow += r->n_slow;
    sums->dissipated += r->lost;
    sums->virial += r->virial;
  }
}

void cairn_drift_end(struct cairn_hard_scope *s, double time, struct cairn_report *report) {
  struct cairn_hard_cell *c = s->cell;
  struct extremes e = {.bad = -1};
  cairn_soft_spheres_outside(&c->blocks, c->blocks.outside, time);
  for (int32_t i = 0; i < c->blocks.size.n; i++)
    end_body(s, i, time, &e);
  add_sums(c);
  if ((e.bad >= 0 || c->head->stuck >= 0) && report->bad_steps == CAIRN_NEVER) {
    report->bad_steps = report->steps + 1;
    report->bad_body = e.bad >= 0 ? e.bad : c->head->stuck;
  }
  if (e.far && report->valid_steps == CAIRN_NEVER) /* pairs may have been missed in this step */
    report->valid_steps = report->steps;
  report->steps++;
  report->displacement = sqrt(e.displacement2);
  report->speed = fmax(report->speed, sqrt(e.speed2));
  if (report->displacement > c->blocks.reach && report->valid_steps == CAIRN_NEVER)
    report->valid_steps = report->steps;
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
    cairn_drift_begin(s);
    cairn_drift_end(s, (double)number * s->h, report);
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
