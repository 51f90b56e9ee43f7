/* Branches shared out among processes that have of others' trees what their walks open: the fields have the bits of one
 * process, whether that was offered or asked for, and no process needs all bodies. Processes are one after the other
 * here; tests/t_mpi_gravity.sh has real ones. */
#include "gravity_bodies.h"

#include "data/gravity/gravity_guests.h"
#include "tap/tap.h"

enum { MOST_RANKS = 4 };

struct crowd {
  const struct cairn_gravity *whole; /* as one process has it */
  int32_t n_ranks;
  struct cairn_gravity home[MOST_RANKS];
  struct cairn_gravity_branch *all[MOST_RANKS];
};

static int32_t first_of(const struct crowd *c, int32_t rank) {
  return (int32_t)((int64_t)c->whole->terms.n_branches * rank / c->n_ranks);
}

static void must(int failed) {
  if (failed)
    BAIL_OUT("out of memory");
}

/* The branches of a rank, with their bodies and trees. */
static void settle(struct crowd *c, int32_t rank) {
  const struct cairn_gravity *w = c->whole;
  const int32_t from = first_of(c, rank), n = first_of(c, rank + 1) - from;
  const struct cairn_gravity_branch *first = w->branch + from, *last = first + n - 1;
  struct cairn_gravity *h = c->home + rank;
  cairn_gravity_init(h, &w->rules);
  h->terms = w->terms;
  h->terms.first_branch = from;
  h->terms.n_branches = n;
  h->terms.n = last->first + last->n - first->first;
  h->n_nodes = last->node + last->n_nodes - first->node;
  must(cairn_gravity_reserve_branches(h, n) || cairn_gravity_reserve_bodies(h, h->terms.n) ||
       cairn_gravity_reserve_nodes(h, h->n_nodes));
  h->bodies.pitch = h->terms.n;
  for (int r = 0; r < CAIRN_GRAVITY_ROWS; r++)
    memcpy(cairn_gravity_row(h->bodies, r), cairn_gravity_row(w->bodies, r) + first->first,
           (size_t)h->terms.n * sizeof(double));
  for (int32_t b = 0; b < n; b++) {
    h->branch[b] = first[b];
    h->branch[b].first -= first->first;
    h->branch[b].node -= first->node;
    h->branch[b].is_done = 0;
  }
  for (int32_t i = 0; i < h->n_nodes; i++) {
    h->node[i] = w->node[first->node + i];
    h->node[i].first -= first->first;
  }
}

static void meet(struct crowd *c) {
  const int32_t n = c->whole->terms.n_branches;
  struct cairn_gravity_root *root = gravity_allocate((size_t)n, sizeof *root);
  for (int32_t r = 0; r < c->n_ranks; r++)
    cairn_gravity_show_roots(c->home + r, root + first_of(c, r));
  for (int32_t r = 0; r < c->n_ranks; r++) {
    c->all[r] = gravity_allocate((size_t)n, sizeof *c->all[r]);
    must(cairn_gravity_meet(c->home + r, root, n, c->all[r]));
  }
  free(root);
}

/* From one rank to another: what the estimate says, or what is asked for. */
static void send(struct crowd *c, int32_t from, int32_t to, const struct cairn_gravity_request *request, int32_t n) {
  struct cairn_gravity_parcel parcel;
  must(request
           ? cairn_gravity_answer(c->home + from, request, n, &parcel)
           : cairn_gravity_offer(c->home + from, c->all[from], first_of(c, to), c->home[to].terms.n_branches, &parcel));
  must(cairn_gravity_admit(c->home + to, c->all[to], &parcel, 1));
  free(parcel.data);
}

/* Walk until nothing is missing; how often requests went out. */
static int32_t evaluate(struct crowd *c, int32_t rank) {
  struct cairn_gravity *h = c->home + rank;
  for (int32_t rounds = 0;; rounds++) {
    for (int32_t b = 0; b < h->terms.n_branches; b++)
      if (!h->branch[b].is_done)
        cairn_gravity_evaluate(&h->terms, h->bodies, h->node, h->top, h->branch + b,
                               h->field + CAIRN_FIELD * (int64_t)h->branch[b].first);
    int32_t n = 0;
    struct cairn_gravity_request *request = cairn_gravity_list_missing(h, &n);
    must(!request);
    for (int32_t i = 0; i < n; i++)
      for (int32_t q = 0; q < c->n_ranks; q++)
        if (first_of(c, q) <= request[i].branch && request[i].branch < first_of(c, q + 1))
          send(c, q, rank, request + i, 1);
    free(request);
    if (n == 0)
      return rounds;
  }
}

/* Fields and guests of all ranks. */
static void test_crowd(const struct cairn_gravity *whole, int32_t n_ranks, bool offers, double most, const char *what) {
  struct crowd c = {.whole = whole, .n_ranks = n_ranks};
  int32_t rounds = 0;
  double held = 0.;
  bool same = true;
  for (int32_t r = 0; r < n_ranks; r++)
    settle(&c, r);
  meet(&c);
  for (int32_t r = 0; r < n_ranks; r++)
    for (int32_t q = 0; q < n_ranks && offers; q++)
      if (q != r)
        send(&c, q, r, NULL, 0);
  for (int32_t r = 0; r < n_ranks; r++) {
    const struct cairn_gravity *h = c.home + r;
    const int32_t own = evaluate(&c, r);
    rounds = own > rounds ? own : rounds;
    held = fmax(held, (double)(h->terms.n + h->n_guests) / whole->terms.n);
    same &= memcmp(h->field, whole->field + CAIRN_FIELD * (int64_t)whole->branch[first_of(&c, r)].first,
                   CAIRN_FIELD * (size_t)h->terms.n * sizeof *h->field) == 0;
  }
  ok(same, "%s, %d ranks, %s: the bits of one process", what, n_ranks, offers ? "offered" : "asked for");
  cmp_ok(rounds, offers ? "<=" : ">=", 1, "requests in %d rounds", rounds);
  cmp_ok((int)(100. * held), "<", (int)(100. * most), "a rank has at most %.0f %% of the bodies", 100. * held);
  for (int32_t r = 0; r < n_ranks; r++) {
    cairn_gravity_fini(c.home + r);
    free(c.all[r]);
  }
}

/* A scene; `far`: so many bodies far away, which make leaves and nodes large. */
static void test_scene(enum gravity_kind kind, int32_t far, double most, const char *what) {
  const struct cairn_gravity_rules rules = {.G = 1., .accuracy = 5e-3, .max_bodies = 200};
  struct gravity_system s = gravity_system_make(kind, 12000, 1);
  struct cairn_gravity whole;
  for (int32_t i = 0; i < far; i++)
    for (int k = 0; k < 3; k++)
      s.position[3 * (int64_t)(97 * i) + k] *= 1. + 0.3 * i;
  cairn_gravity_init(&whole, &rules);
  gravity_run(&whole, s.n, s.position, s.mass, 1, s.acceleration, s.potential, s.drift);
  for (int32_t n_ranks = 2; n_ranks <= MOST_RANKS; n_ranks++)
    test_crowd(&whole, n_ranks, true, most, what);
  test_crowd(&whole, 3, false, 1.01, what);
  cairn_gravity_fini(&whole);
  gravity_system_free(&s);
}

int main(void) {
  plan(NO_PLAN);
  test_scene(GRAVITY_SPHERE, 0, 0.95, "a sphere");              /* 91 % on three ranks, 62 % on four */
  test_scene(GRAVITY_TWO, 0, 0.95, "two spheres");              /* 60, 87, 58 % */
  test_scene(GRAVITY_BILOBED, 0, 1.01, "two lobes and ejecta"); /* a wide leaf is near all of them */
  test_scene(GRAVITY_SPHERE, 100, 1.01, "a sphere with a jet");
  done_testing();
}
