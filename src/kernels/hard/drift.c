#include "kernels/hard/drift.h"

#include <string.h>

#include "kernels/walls/capture.h"

struct cairn_hard_cell cairn_drift_bind(const struct cairn_soft_spheres *blocks, const void *pair_list, void *hard,
                                        const int32_t *id, const int32_t *halo_id) {
  const struct cairn_hard_offsets o = cairn_drift_offsets(blocks->size);
  const struct cairn_pair_list_offsets p = cairn_pair_list_offsets(blocks->size);
  const char *fixed = pair_list;
  char *at = hard;
  float *place = (float *)(at + o.place);
  const int64_t stride = blocks->size.n + blocks->size.n_halo + CAIRN_HARD_LANES;
  return (struct cairn_hard_cell){.blocks = *blocks,
                                  .first = blocks->size.n_pairs_by_body > 0 ? (const int32_t *)(fixed + p.first) : NULL,
                                  .entry = (const int32_t *)(fixed + p.entry),
                                  .material = (const int32_t *)(fixed + p.material),
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
                                  .near_begin = (int32_t *)(at + o.near_begin),
                                  .near_end = (int32_t *)(at + o.near_end),
                                  .near = (int32_t *)(at + o.near),
                                  .load = (double *)(at + o.load),
                                  .lost = (double *)(at + o.lost),
                                  .body = (struct cairn_hard_body *)(at + o.body),
                                  .grid = (struct cairn_hard_grid *)(at + o.grid),
                                  .start = (int32_t *)(at + o.start),
                                  .key = (int32_t *)(at + o.key),
                                  .sorted = (int32_t *)(at + o.sorted),
                                  .place = {place, place + stride, place + 2 * stride, place + 3 * stride,
                                            place + 4 * stride, place + 5 * stride, place + 6 * stride},
                                  .spot = (float(*)[4])(at + o.spot)};
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

/* Which records are open, and which closed ones lie beside other cells; the islands as chains. */
static void sort_islands(struct cairn_hard_scope *s) {
  struct cairn_hard_cell *c = s->cell;
  count_islands(c);
  for (int32_t k = 0; k < c->head->n_records && c->blocks.size.n_halo > 0; k++) {
    struct cairn_hard_body *r = c->body + k, *root = c->body + cairn_drift_queue_root(c, k);
    const uint8_t is_open = c->flags[root->body] & CAIRN_HARD_OPEN;
    c->flags[r->body] |= is_open;
    cairn_drift_close_box(c, r, s->end);
    if (!is_open && c->beside[r->body])
      c->boundary[c->head->n_boundary++] = k;
    if (r != root) {
      r->chain = root->chain;
      root->chain = k;
    }
  }
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

/* Is a body still where lists may be used when the window ends? */
static void check_end(struct cairn_hard_scope *s, int32_t i) {
  const struct cairn_hard_path *p = s->cell->path + i;
  double x[3];
  for (int k = 0; k < 3; k++)
    x[k] = p->x[k] + p->v[k] * (s->end - p->t);
  cairn_drift_queue_check(s, s->cell, i, x);
}

/* A window is over and stands: what its records say goes to the bodies and to the sums, in the order in which they were
 * made. */
static void settle_window(struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  struct cairn_hard_sums *sums = &c->head->sums;
  enum { LASTING = CAIRN_HARD_FIXED | CAIRN_HARD_GONE | CAIRN_HARD_FAR };
  for (int32_t k = 0; k < c->head->n_records; k++) {
    const struct cairn_hard_body *r = c->body + k;
    memcpy(c->blocks.predicted + (int64_t)CAIRN_PREDICTED * r->body + CAIRN_PREDICTED_W, r->w, sizeof r->w);
    if (c->blocks.captor)
      settle_capture(s, c, r);
    c->head->grown |= (c->flags[r->body] & CAIRN_HARD_GROWN) != 0;
    check_end(s, r->body);
    c->flags[r->body] &= LASTING;
    sums->collisions += r->n_collisions;
    sums->wall_collisions += r->n_wall_collisions;
    sums->slow += r->n_slow;
    sums->merges += r->n_merges;
    c->lost[2 * (int64_t)r->body] = r->lost;
    c->lost[2 * (int64_t)r->body + 1] = r->virial;
    if (r->overlap > c->blocks.world[CAIRN_WORLD_LIMIT] && r->overlap > c->head->overlap) {
      c->head->overlap = r->overlap;
      c->head->overlap_a = r->body;
      c->head->overlap_b = r->overlap_with;
    }
  }
  sums->records += c->head->n_records;
  sums->near += c->head->n_near;
}

static void begin_drift(struct cairn_hard_scope *s) {
  struct cairn_hard_cell *c = s->cell;
  memset(c->blocks.wall_load, 0, 6 * (size_t)c->blocks.size.n_wall_pairs * sizeof(double));
  c->head->stuck = -1;
  c->head->overlap = 0.;
  c->head->grown = 0;
  kick_all(s);
}

static void begin_next(struct cairn_hard_scope *s) {
  struct cairn_hard_scope last = *s;
  cairn_drift_set_window(&last, s->window - 1);
  last.longest = 0.;
  settle_window(&last);
  s->cell->head->longest = cairn_drift_higher(s->cell->head->longest, last.longest);
}

void cairn_drift_begin(struct cairn_hard_scope *s) {
  struct cairn_hard_cell *c = s->cell;
  const size_t n = (size_t)c->blocks.size.n;
  if (s->window == 0)
    begin_drift(s);
  else
    begin_next(s);
  memset(c->slot, -1, n * sizeof *c->slot);
  memset(c->partner, -1, n * sizeof *c->partner);
  c->head->n_records = c->head->n_boundary = 0;
  s->n_heap = 0;
  s->n_events = 0;
  s->longest = 0.;
  s->wanted = s->stuck = (struct cairn_hard_ref){-1, -1};
  if (s->h == 0.) /* accelerations at the start of a run */
    return;
  if (c->blocks.size.n_halo > 0)
    memcpy(c->load, c->blocks.wall_load, 6 * (size_t)c->blocks.size.n_wall_pairs * sizeof(double));
  cairn_drift_grid_meet(s);
  detect_walls(s);
  cairn_drift_queue_run(s);
  if (s->stuck.body >= 0)
    c->head->stuck = s->stuck.body;
  c->head->longest = cairn_drift_higher(c->head->longest, s->longest);
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

static void end_body(struct cairn_hard_scope *s, int32_t i, struct extremes *e) {
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
  cairn_drift_queue_check(s, c, i, state + CAIRN_STATE_X);
  e->displacement2 = cairn_drift_higher(e->displacement2, cairn_drift_higher(here, next));
  e->speed2 = cairn_drift_higher(e->speed2, speed2);
  e->far |= !(here <= c->blocks.reach * c->blocks.reach) || c->flags[i] & CAIRN_HARD_FAR;
  e->bad = e->bad < 0 && !(here + speed2 + 0. * sum < INFINITY) ? i : e->bad;
}

/* What the collisions of a body did in the drift. They were added up in their order, whatever the windows. */
static void add_lost(const struct cairn_hard_cell *c, int32_t i) {
  double *lost = c->lost + 2 * (int64_t)i;
  if (lost[0] == 0. && lost[1] == 0.)
    return;
  cairn_exact_sum_add(&c->head->sums.dissipated, lost[0]);
  cairn_exact_sum_add(&c->head->sums.virial, lost[1]);
  lost[0] = lost[1] = 0.;
}

void cairn_drift_end(struct cairn_hard_scope *s, struct cairn_report *report) {
  struct cairn_hard_cell *c = s->cell;
  struct extremes e = {.bad = -1};
  settle_window(s);
  cairn_soft_spheres_outside(&c->blocks, c->blocks.outside, s->time);
  for (int32_t i = 0; i < c->blocks.size.n; i++) {
    end_body(s, i, &e);
    add_lost(c, i);
  }
  c->head->longest = cairn_drift_higher(c->head->longest, s->longest);
  if ((e.bad >= 0 || c->head->stuck >= 0) && report->bad_steps == CAIRN_NEVER) {
    report->bad_steps = report->steps + 1;
    report->bad_body = e.bad >= 0 ? e.bad : c->head->stuck;
  }
  if ((e.far || c->head->overflow) && report->valid_steps == CAIRN_NEVER) /* pairs may have been missed in this step */
    report->valid_steps = report->steps;
  report->steps++;
  report->displacement = sqrt(e.displacement2);
  report->speed = cairn_drift_higher(report->speed, sqrt(e.speed2));
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
    for (int32_t window = 0; window < s->n_windows; window++) {
      cairn_drift_set_window(s, window);
      cairn_drift_begin(s);
    }
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
