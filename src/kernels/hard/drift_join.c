/* Events across cells. Open islands, and all that they reach, are run again in groups: sets of bodies that meet no
 * other group. A group starts as an island, or as islands that are known to meet. Groups are run side by side, because
 * none writes what belongs to another: what a group finds in its way, it notes. Then those that are in each other's way
 * become one and are run again, until nothing is noted. The result is that of one queue over all bodies, whatever the
 * number of groups, and who ran them. */
#include <string.h>

#include "kernels/hard/drift.h"

enum { PARTS = 64 }; /* that workers share */

static struct cairn_hard_body *record_of(const struct cairn_hard_join *j, struct cairn_hard_ref ref) {
  const struct cairn_hard_cell *c = j->scope.cell + ref.cell;
  return c->slot[ref.body] < 0 ? NULL : c->body + c->slot[ref.body];
}

/* ---- who is in which group ---- */

static int32_t find(struct cairn_hard_group *group, int32_t g) {
  while (group[g].parent != g) {
    group[g].parent = group[group[g].parent].parent;
    g = group[g].parent;
  }
  return g;
}

static void unite(struct cairn_hard_join *j, int32_t a, int32_t b) {
  const int32_t p = find(j->group, a), q = find(j->group, b);
  j->group[p < q ? p : q].is_abroad |= j->group[p > q ? p : q].is_abroad;
  j->group[p > q ? p : q].parent = p < q ? p : q;
  j->group[p < q ? p : q].is_due = 1;
}

static void enlist(struct cairn_hard_join *j, struct cairn_hard_ref ref, int32_t group) {
  record_of(j, ref)->group = group;
  j->member[j->n_members++] = ref;
}

/* An island of a cell joins a group. */
static void enlist_island(struct cairn_hard_join *j, int32_t cell, int32_t record, int32_t group) {
  const struct cairn_hard_cell *c = j->scope.cell + cell;
  for (int32_t k = cairn_drift_queue_root(c, record); k >= 0; k = c->body[k].chain)
    enlist(j, (struct cairn_hard_ref){cell, c->body[k].body}, group);
}

static int32_t make_group(struct cairn_hard_join *j) {
  j->group[j->n_groups] = (struct cairn_hard_group){.parent = j->n_groups, .is_due = 1};
  return j->n_groups++;
}

/* A body joins the group, with its island or group if it has one. */
static void draw_in(struct cairn_hard_join *j, int32_t group, struct cairn_hard_ref ref) {
  struct cairn_hard_scope *s = &j->scope;
  if (ref.cell >= s->n_cells) {
    j->group[find(j->group, group)].is_abroad = 1;
  } else if (s->cell[ref.cell].slot[ref.body] < 0) {
    cairn_drift_queue_record(s, ref);
    enlist(j, ref, group);
  } else if (record_of(j, ref)->group >= 0) {
    unite(j, group, record_of(j, ref)->group);
  } else {
    enlist_island(j, ref.cell, s->cell[ref.cell].slot[ref.body], group);
  }
  j->group[find(j->group, group)].is_due = 1;
}

/* ---- the beginning ---- */

static int is_apart(const struct cairn_hard_body *a, const struct cairn_hard_body *b, double reach) {
  return cairn_drift_is_apart(a->lower, a->upper, b->lower, b->upper, reach);
}

/* Could a closed island meet one of another cell on its changed paths? The other cell asks the same. */
static int is_crossed(const struct cairn_hard_join *j, int32_t cell, const struct cairn_hard_body *r) {
  const struct cairn_hard_cell *c = j->scope.cell + cell;
  const int32_t n = c->blocks.size.n;
  for (int32_t e = c->near_begin[r->body]; e < c->near_end[r->body]; e++) {
    const int32_t other = c->near[e] >> 1;
    if (other < n)
      continue;
    const struct cairn_hard_ref ref = c->owner[other - n];
    const struct cairn_hard_cell *d = j->scope.cell + ref.cell;
    const int32_t slot = d->slot[ref.body];
    if (slot >= 0 && !(d->flags[ref.body] & CAIRN_HARD_OPEN) &&
        !is_apart(r, d->body + slot, c->path[r->body].r + d->path[ref.body].r))
      return 1;
  }
  return 0;
}

/* The islands of a cell that have to be run again: a list of their roots. */
static void begin_cell(void *arg, int32_t cell) {
  const struct cairn_hard_join *j = arg;
  struct cairn_hard_cell *c = j->scope.cell + cell;
  c->head->n_open = 0;
  for (int32_t k = 0; k < c->head->n_boundary; k++) {
    struct cairn_hard_body *root = c->body + cairn_drift_queue_root(c, c->boundary[k]);
    if (root->group != CAIRN_HARD_CALLED && is_crossed(j, cell, c->body + c->boundary[k]))
      root->group = CAIRN_HARD_CALLED;
  }
  for (int32_t k = 0; k < c->head->n_records; k++)
    if (c->body[k].parent == k &&
        (c->body[k].group == CAIRN_HARD_CALLED || c->flags[c->body[k].body] & CAIRN_HARD_OPEN))
      c->boundary[c->head->n_open++] = k; /* the list is read no more */
}

/* A group for each of those islands; those that met each other across cells become one. */
static void make_groups(struct cairn_hard_join *j) {
  const struct cairn_hard_scope *s = &j->scope;
  for (int32_t i = 0; i < s->n_cells; i++)
    for (int32_t k = 0; k < s->cell[i].head->n_open; k++)
      enlist_island(j, i, s->cell[i].boundary[k], make_group(j));
  const int32_t n = j->n_members;
  for (int32_t k = 0; k < n; k++) {
    const struct cairn_hard_body *r = record_of(j, j->member[k]);
    const struct cairn_hard_cell *c = s->cell + j->member[k].cell;
    if (r->across >= 0)
      draw_in(j, r->group, c->owner[r->across - c->blocks.size.n]);
  }
}

/* Most bodies that meet others are in groups, and more would follow piece by piece: let all join at once, those aside
 * that are run elsewhere. */
static void join_all(struct cairn_hard_join *j) {
  const struct cairn_hard_scope *s = &j->scope;
  int32_t first = 0;
  while (first < j->n_groups && j->group[find(j->group, first)].is_abroad)
    first++;
  if (first == j->n_groups)
    return;
  for (int32_t i = 0; i < s->n_cells; i++)
    for (int32_t k = 0; k < s->cell[i].head->n_records; k++)
      if (s->cell[i].body[k].group < 0)
        enlist(j, (struct cairn_hard_ref){i, s->cell[i].body[k].body}, first);
  for (int32_t g = first + 1; g < j->n_groups; g++)
    if (!j->group[find(j->group, g)].is_abroad)
      unite(j, first, g);
}

/* Members in the order of their groups, a stretch each; the groups that are due, in parts of about equal work. */
static void arrange(struct cairn_hard_join *j) {
  int32_t n = 0, due = 0;
  for (int32_t g = 0; g < j->n_groups; g++)
    j->group[g].n = 0;
  for (int32_t k = 0; k < j->n_members; k++) {
    struct cairn_hard_body *r = record_of(j, j->member[k]);
    r->group = find(j->group, r->group);
    j->group[r->group].n++;
  }
  j->n_due = 0;
  for (int32_t g = 0; g < j->n_groups; g++) {
    j->group[g].first = n;
    n += j->group[g].n;
    if (j->group[g].n > 0 && j->group[g].is_due && !j->group[g].is_abroad) {
      j->due[j->n_due++] = g;
      due += j->group[g].n;
    }
    j->group[g].n = 0;
  }
  for (int32_t k = 0; k < j->n_members; k++) {
    struct cairn_hard_group *group = j->group + record_of(j, j->member[k])->group;
    j->sorted[group->first + group->n++] = j->member[k];
  }
  memcpy(j->member, j->sorted, (size_t)j->n_members * sizeof *j->member);
  j->n_due_members = due;
  int32_t part = 0, sum = 0;
  for (int32_t k = 0; k < j->n_due; k++) {
    for (; part <= (int32_t)((int64_t)PARTS * sum / due); part++)
      j->part[part] = k;
    sum += j->group[j->due[k]].n;
  }
  for (; part <= PARTS; part++)
    j->part[part] = j->n_due;
}

/* Workers share what is worth calling them. */
static void share(struct cairn_hard_join *j, void (*work)(void *arg, int32_t part)) {
  enum { WORTHWHILE = 1000 };
  if (j->n_due_members >= WORTHWHILE && j->n_rounds <= 3)
    j->share(j->team, PARTS, work, j);
  else
    for (int32_t part = 0; part < PARTS; part++)
      work(j, part);
}

/* ---- the run ---- */

/* Back to the start of the window, with what its walls felt. */
static void reset(const struct cairn_hard_cell *c, struct cairn_hard_body *r) {
  cairn_drift_queue_reset(c, r, CAIRN_HARD_OPEN);
  for (int32_t e = c->first ? c->first[r->body] : 0; c->first && e < c->first[r->body + 1]; e++) {
    const int64_t load = 6 * (int64_t)(c->entry[e] >> 1);
    memcpy(c->blocks.wall_load + load, c->load + load, 6 * sizeof(double));
  }
}

/* After some rounds groups are run one by one, and take whom they meet: they grow by one in a round otherwise. */
static int takes_turns(const struct cairn_hard_join *j) { return j->n_rounds > 3; }

static void run_group(struct cairn_hard_join *j, int32_t g) {
  struct cairn_hard_group *group = j->group + g;
  struct cairn_hard_scope s = j->scope;
  s.group = g;
  if (takes_turns(j))
    s.taken = j->member + j->n_members;
  else
    s.heap += group->first;
  s.n_taken = 0;
  s.n_heap = 0;
  s.n_events = 0;
  s.longest = 0.;
  s.wanted = s.stuck = (struct cairn_hard_ref){-1, -1};
  for (int32_t k = group->first; k < group->first + group->n; k++)
    reset(s.cell + j->member[k].cell, record_of(j, j->member[k]));
  for (int32_t k = group->first; k < group->first + group->n; k++)
    cairn_drift_queue_predict(&s, j->member[k]);
  cairn_drift_queue_run(&s);
  group->n_notes = 0;
  group->stuck = s.stuck;
  group->longest = s.longest;
  group->is_cut = s.wanted.body >= 0 || s.n_taken > 0;
  j->n_members += s.n_taken;
  if (s.wanted.body >= 0)
    group->note[group->n_notes++] = s.wanted;
  for (int32_t k = group->first; k < group->first + group->n && !group->is_cut; k++)
    cairn_drift_close_box(s.cell + j->member[k].cell, record_of(j, j->member[k]), s.end);
}

static void run_part(void *arg, int32_t part) {
  struct cairn_hard_join *j = arg;
  for (int32_t k = j->part[part]; k < j->part[part + 1]; k++)
    run_group(j, j->due[k]);
}

/* Note who is in the way of a member: bodies of other groups and of closed islands whose boxes come near its own. */
static void look_around(const struct cairn_hard_join *j, struct cairn_hard_group *group, struct cairn_hard_ref ref) {
  const struct cairn_hard_cell *c = j->scope.cell + ref.cell;
  const struct cairn_hard_body *r = record_of(j, ref);
  const int32_t n = c->blocks.size.n;
  for (int32_t e = c->near_begin[ref.body]; e < c->near_end[ref.body] && group->n_notes < CAIRN_HARD_NOTES; e++) {
    const int32_t local = c->near[e] >> 1;
    const struct cairn_hard_ref other = local < n ? (struct cairn_hard_ref){ref.cell, local} : c->owner[local - n];
    const struct cairn_hard_body *q = record_of(j, other);
    if (q && q->group != r->group &&
        !is_apart(r, q, c->path[ref.body].r + j->scope.cell[other.cell].path[other.body].r))
      group->note[group->n_notes++] = other;
  }
}

static void look_part(void *arg, int32_t part) {
  const struct cairn_hard_join *j = arg;
  for (int32_t k = j->part[part]; k < j->part[part + 1]; k++) {
    struct cairn_hard_group *group = j->group + j->due[k];
    for (int32_t m = group->first; m < group->first + group->n && !group->is_cut; m++)
      look_around(j, group, j->member[m]);
  }
}

/* More are in the way than were noted. */
static void draw_in_all(struct cairn_hard_join *j, const struct cairn_hard_group *group) {
  for (int32_t m = group->first; m < group->first + group->n; m++) {
    const struct cairn_hard_ref ref = j->member[m];
    struct cairn_hard_group more = {.n_notes = 0};
    look_around(j, &more, ref);
    for (int32_t k = 0; k < more.n_notes; k++)
      draw_in(j, record_of(j, ref)->group, more.note[k]);
  }
}

/* Who is in the way joins. Returns whether anybody was, and nobody is stuck. */
static int heed_notes(struct cairn_hard_join *j) {
  int any = 0;
  for (int32_t k = 0; k < j->n_due; k++) {
    struct cairn_hard_group *group = j->group + j->due[k];
    group->is_due = 0;
    struct cairn_hard_head *head = j->scope.cell->head;
    head->longest = cairn_drift_higher(head->longest, group->longest);
    if (group->stuck.body >= 0) {
      j->scope.cell[group->stuck.cell].head->stuck = group->stuck.body;
      return 0;
    }
  }
  for (int32_t k = 0; k < j->n_due; k++) {
    const struct cairn_hard_group *group = j->group + j->due[k];
    for (int32_t m = 0; m < group->n_notes; m++) {
      draw_in(j, j->due[k], group->note[m]);
      any = 1;
    }
    if (group->is_cut)
      any = j->group[find(j->group, j->due[k])].is_due = 1;
    if (group->n_notes == CAIRN_HARD_NOTES)
      draw_in_all(j, group);
  }
  return any;
}

/* The paths of the halo bodies of a cell for the coming window. */
static void renew_halo(void *arg, int32_t cell) {
  const struct cairn_hard_join *j = arg;
  const struct cairn_hard_cell *c = j->scope.cell + cell;
  const int32_t n = c->blocks.size.n;
  for (int32_t k = 0; k < c->blocks.size.n_halo; k++) {
    const struct cairn_hard_cell *d = j->scope.cell + c->owner[k].cell;
    c->path[n + k] = d->path[c->owner[k].body];
    c->flags[n + k] = d->flags[c->owner[k].body] & (CAIRN_HARD_FIXED | CAIRN_HARD_GONE);
  }
}

void cairn_drift_join_renew(struct cairn_hard_join *j) { j->share(j->team, j->scope.n_cells, renew_halo, j); }

/* ---- what other ranks run ---- */

void cairn_drift_join_send(struct cairn_hard_join *j, struct cairn_hard_ref ref) {
  const struct cairn_hard_body *r = cairn_drift_queue_record(&j->scope, ref);
  if (r->group == CAIRN_HARD_POOLED)
    return;
  if (r->group < 0)
    enlist_island(j, ref.cell, j->scope.cell[ref.cell].slot[ref.body], make_group(j));
  j->group[find(j->group, r->group)].is_abroad = 1;
}

int32_t cairn_drift_join_leave(struct cairn_hard_join *j, struct cairn_hard_ref *who) {
  int32_t n = 0;
  for (int32_t k = 0; k < j->n_members; k++) {
    struct cairn_hard_body *r = record_of(j, j->member[k]);
    if (r->group == CAIRN_HARD_POOLED || !j->group[find(j->group, r->group)].is_abroad)
      continue;
    r->group = CAIRN_HARD_POOLED;
    who[n++] = j->member[k];
  }
  return n;
}

void cairn_drift_join(struct cairn_hard_join *j) {
  struct cairn_hard_scope *s = &j->scope;
  struct cairn_hard_sums *sums = &s->cell->head->sums;
  int64_t n_records = 0;
  j->n_members = j->n_groups = 0;
  j->share(j->team, s->n_cells, begin_cell, j);
  make_groups(j);
  for (int32_t i = 0; i < s->n_cells; i++)
    n_records += s->cell[i].head->n_records;
  j->n_rounds = 0;
  do {
    j->n_rounds++;
    if (j->n_members < n_records && 2 * (int64_t)j->n_members > n_records)
      join_all(j);
    arrange(j);
    share(j, run_part);
    share(j, look_part);
  } while (heed_notes(j));
  for (int32_t g = 0; g < j->n_groups; g++)
    sums->island = j->group[g].n > sums->island ? j->group[g].n : sums->island;
  sums->joined += j->n_members;
}
