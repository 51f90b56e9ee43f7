/* The queue over all cells: open islands and whom they reach. */
#include <string.h>

#include "kernels/hard/drift.h"

static void pull(const struct cairn_hard_cell *c, int32_t record) {
  c->flags[c->body[cairn_drift_queue_root(c, record)].body] |= CAIRN_HARD_PULLED;
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
  for (int32_t e = c->first[r->body]; e < c->first[r->body + 1]; e++) {
    const int32_t other = c->other[e];
    if (c->entry[e] >> 1 >= c->blocks.size.n_pairs || other < n)
      continue;
    const struct cairn_hard_ref ref = c->owner[other - n];
    const struct cairn_hard_cell *d = s->cell + ref.cell;
    const int32_t slot = ref.cell < cell ? -1 : d->slot[ref.body]; /* each pair once */
    const double reach = c->path[r->body].r + d->path[ref.body].r;
    if (slot < 0 || d->flags[ref.body] & CAIRN_HARD_OPEN || is_apart(r, d->body + slot, reach))
      continue;
    pull(c, record);
    pull(d, slot);
  }
}

/* Most of the records have joined, and more would follow piece by piece: let all join at once. */
static void pull_all(struct cairn_hard_scope *s) {
  for (int32_t i = 0; i < s->n_cells; i++)
    for (int32_t k = 0; k < s->cell[i].head->n_records; k++)
      s->cell[i].flags[s->cell[i].body[k].body] |= CAIRN_HARD_OPEN;
}

/* Put all members back to the start of the drift, with those whose island has been pulled in. */
static int64_t gather_members(struct cairn_hard_scope *s) {
  int64_t n = 0;
  for (int32_t i = 0; i < s->n_cells; i++) {
    struct cairn_hard_cell *c = s->cell + i;
    for (int32_t k = 0; k < c->head->n_records; k++) {
      const int32_t body = c->body[k].body, root = c->body[cairn_drift_queue_root(c, k)].body;
      if ((c->flags[body] | c->flags[root]) & (CAIRN_HARD_OPEN | CAIRN_HARD_PULLED))
        c->flags[body] |= CAIRN_HARD_MEMBER;
    }
    for (int32_t k = 0; k < c->head->n_records; k++) {
      struct cairn_hard_body *r = c->body + k;
      if (!(c->flags[r->body] & CAIRN_HARD_MEMBER))
        continue;
      cairn_drift_queue_reset(c, r, CAIRN_HARD_MEMBER | CAIRN_HARD_OPEN);
      for (int32_t e = c->first[r->body]; e < c->first[r->body + 1]; e++) {
        const int64_t load = 6 * (int64_t)((c->entry[e] >> 1) - c->blocks.size.n_pairs);
        if (load >= 0)
          memcpy(c->blocks.wall_load + load, c->load + load, 6 * sizeof(double));
      }
      n++;
    }
  }
  return n;
}

static void predict_members(struct cairn_hard_scope *s) {
  for (int32_t i = 0; i < s->n_cells; i++)
    for (int32_t k = 0; k < s->cell[i].head->n_records; k++)
      if (s->cell[i].flags[s->cell[i].body[k].body] & CAIRN_HARD_MEMBER)
        cairn_drift_queue_predict(s, (struct cairn_hard_ref){i, s->cell[i].body[k].body});
}

/* The paths of the halo bodies for the coming window. */
static void renew_halos(const struct cairn_hard_scope *s) {
  for (int32_t i = 0; i < s->n_cells; i++) {
    const struct cairn_hard_cell *c = s->cell + i;
    const int32_t n = c->blocks.size.n;
    for (int32_t k = 0; k < c->blocks.size.n_halo; k++) {
      const struct cairn_hard_cell *d = s->cell + c->owner[k].cell;
      c->path[n + k] = d->path[c->owner[k].body];
      c->flags[n + k] = d->flags[c->owner[k].body] & (CAIRN_HARD_FIXED | CAIRN_HARD_GONE);
    }
  }
}

/* Run the members, again while they reach others; returns how many they are. */
static int64_t run_members(struct cairn_hard_scope *s) {
  int64_t n, n_records;
  do {
    s->n_pulled = s->n_heap = 0;
    s->n_events = n_records = 0;
    n = gather_members(s);
    for (int32_t i = 0; i < s->n_cells; i++)
      n_records += s->cell[i].head->n_records;
    if (n < n_records && 2 * n > n_records) {
      pull_all(s);
      n = gather_members(s);
    }
    predict_members(s);
    if (s->n_pulled == 0)
      cairn_drift_queue_run(s);
  } while (s->n_pulled > 0);
  for (int32_t i = 0; i < s->n_cells; i++)
    s->cell[i].head->joined = 2 * n > n_records;
  return n;
}

void cairn_drift_join(struct cairn_hard_scope *s) {
  struct cairn_hard_sums *sums = &s->cell->head->sums;
  for (int32_t i = 0; i < s->n_cells; i++)
    for (int32_t k = 0; k < s->cell[i].head->n_boundary; k++)
      compare_boundary(s, i, s->cell[i].boundary[k]);
  const int64_t n = run_members(s);
  sums->island = n > sums->island ? n : sums->island;
  sums->joined += n;
  if (s->window + 1 < s->n_windows)
    renew_halos(s);
}
