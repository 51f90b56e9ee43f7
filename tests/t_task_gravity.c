/* Self-gravity by tasks: the bits of one piece of work after the other, for any number of workers and shares; and the
 * bodies in the order of one sort over all of them, though lists are sorted by themselves. */
#include "gravity_bodies.h"

#include "cairn/engine.h"
#include "tap/tap.h"
#include "tasks/tasks.h"

static const struct cairn_gravity_rules rules = {.G = 1., .accuracy = 5e-3};

/* The fields by tasks, shared out among so many ranks that are run one after the other. */
static void run_tasks(struct gravity_system *s, int32_t n_shares, double *acceleration, double *potential) {
  struct cairn_gravity gravity;
  double *field = gravity_allocate(CAIRN_FIELD * (size_t)s->n, sizeof *field);
  int failed = 0;
  cairn_gravity_init(&gravity, &rules);
  struct cairn_task_self_gravity task = {.gravity = &gravity,
                                         .position = s->position,
                                         .mass = s->mass,
                                         .acceleration = acceleration,
                                         .potential = potential,
                                         .n_shares = n_shares};
  for (; task.share < n_shares; task.share++) {
    failed |= cairn_task_gravity_run(&task, s->n);
    const int32_t n = gravity.terms.n_branches, from = cairn_task_gravity_first(&gravity, task.share, n_shares),
                  to = n == 1 ? 1 : cairn_task_gravity_first(&gravity, task.share + 1, n_shares);
    for (int32_t b = from; b < to; b++) {
      const int64_t first = CAIRN_FIELD * (int64_t)gravity.branch[b].first;
      memcpy(field + first, gravity.field + first, CAIRN_FIELD * (size_t)gravity.branch[b].n * sizeof *field);
    }
  }
  memcpy(gravity.field, field, CAIRN_FIELD * (size_t)s->n * sizeof *field);
  failed |= cairn_task_gravity_deliver(&task);
  if (failed)
    BAIL_OUT("out of memory");
  free(field);
  cairn_gravity_fini(&gravity);
}

static bool is_same(const struct gravity_system *s, const double *acceleration, const double *potential) {
  return memcmp(acceleration, s->acceleration, 3 * (size_t)s->n * sizeof *acceleration) == 0 &&
         memcmp(potential, s->potential, (size_t)s->n * sizeof *potential) == 0;
}

static void test_bits(int32_t n) {
  struct gravity_system s = gravity_system_make(GRAVITY_BILOBED, n, 1);
  double *acceleration = gravity_allocate(3 * (size_t)n, sizeof(double)),
         *potential = gravity_allocate((size_t)n, sizeof(double));
  struct cairn_gravity gravity;
  struct cairn_error error;
  cairn_gravity_init(&gravity, &rules);
  gravity_run(&gravity, n, s.position, s.mass, 1, s.acceleration, s.potential, s.drift);
  for (int workers = 1; workers <= 3; workers++) {
    gravity_must(cairn_engine_start(&(struct cairn_engine_options){.workers = workers, .silent = 1}, &error), &error);
    for (int32_t n_shares = 1; n_shares <= 3; n_shares += 2) {
      run_tasks(&s, n_shares, acceleration, potential);
      ok(is_same(&s, acceleration, potential),
         "%d bodies in %d lists and %d branches, %d workers, %d shares: same bits", n, gravity.n_lists,
         gravity.terms.n_branches, workers, n_shares);
    }
    cairn_engine_stop();
  }
  cairn_gravity_fini(&gravity);
  gravity_system_free(&s);
  free(acceleration);
  free(potential);
}

/* The caller's index of each body in Morton order. */
static int32_t *indices_of(const struct cairn_gravity *g) {
  int32_t *index = gravity_allocate((size_t)g->terms.n, sizeof *index);
  for (int32_t b = 0; b < g->terms.n_branches; b++) {
    const struct cairn_gravity_branch *branch = g->branch + b;
    const int32_t *place =
        (const void *)cairn_gravity_row(cairn_gravity_from(g->bodies, branch->first), CAIRN_GRAVITY_PLACE);
    for (int32_t k = branch->range; k < branch->range + branch->n_ranges; k++)
      for (int32_t i = g->cut.range[k].from; i < g->cut.range[k].to; i++)
        index[branch->first + *place++] = g->entry[g->list[g->cut.range[k].list].first + i].id;
  }
  return index;
}

/* Bodies in three places, so that all lists have equal keys, among others. */
static void test_order(void) {
  enum { N = 9000 };
  struct gravity_system s = gravity_system_make(GRAVITY_SPHERE, N, 1);
  struct cairn_gravity gravity;
  for (int32_t i = 0; i < N; i += 4)
    memcpy(s.position + 3 * i, s.position + 3 * (i % 3), 3 * sizeof *s.position);
  cairn_gravity_init(&gravity, &rules);
  gravity_run(&gravity, N, s.position, s.mass, 1, s.acceleration, s.potential, s.drift);
  int32_t *index = indices_of(&gravity);
  const uint64_t *key = (const void *)cairn_gravity_row(gravity.bodies, CAIRN_GRAVITY_KEY);
  const double *x = cairn_gravity_row(gravity.bodies, CAIRN_GRAVITY_X);
  bool sorted = true, own = true;
  for (int32_t i = 0; i < N; i++) {
    own &= key[i] == cairn_morton_key(s.position + 3 * index[i], gravity.terms.lower, gravity.terms.scale);
    own &= x[i] == s.position[3 * index[i]];
    sorted &= i == 0 || key[i - 1] < key[i] || (key[i - 1] == key[i] && index[i - 1] < index[i]);
  }
  cmp_ok(gravity.n_lists, ">", 3, "several lists");
  ok(own, "keys and positions of the bodies");
  ok(sorted, "by key, equal ones in the caller's order");
  free(index);
  cairn_gravity_fini(&gravity);
  gravity_system_free(&s);
}

int main(void) {
  plan(NO_PLAN);
  test_order();
  test_bits(1);
  test_bits(200);   /* one list, directly */
  test_bits(2000);  /* one list, trees */
  test_bits(30000); /* several */
  done_testing();
}
