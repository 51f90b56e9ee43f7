/* Self-gravity by tasks: the bits of one piece of work after the other, for any number of workers and shares; the
 * bodies in the order of one sort over all of them, though lists are sorted by themselves; and what lies between
 * packets and fields, beside plain loops. */
#include "gravity_bodies.h"

#include "cairn/engine.h"
#include "data/state/state.h"
#include "kernels/common/vec3.h"
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

enum { BODIES = 7000, PACKETS = 3 };

/* Bodies with ids in all packets, every eleventh removed. */
static struct cairn_state *make_state(struct cairn_packet *packet[PACKETS]) {
  static struct cairn_state state;
  struct cairn_error error;
  struct cairn_random random;
  cairn_random_init(&random, 1, 1, 1);
  gravity_must(cairn_state_resize(&state, BODIES, &error), &error);
  for (int64_t i = 0; i < BODIES; i++) {
    for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
      state.position[k] = cairn_random_between(&random, -1., 1.);
      state.velocity[k] = cairn_random_between(&random, -1., 1.);
      state.acceleration[k] = cairn_random_between(&random, -1., 1.);
      state.gravity[k] = cairn_random_between(&random, -1., 1.);
    }
    state.mass[i] = cairn_random_between(&random, 1., 2.);
    state.radius[i] = cairn_random_between(&random, 0.01, 0.02);
    state.captor[i] = i % 11 == 5 ? -1 : 0;
  }
  for (int p = 0; p < PACKETS; p++) {
    int32_t id[BODIES], n = 0;
    for (int32_t i = p; i < BODIES; i += PACKETS)
      id[n++] = i;
    cairn_packet_of_state(&state, 0, id, 0, n, true, 0, packet + p);
    if (!packet[p])
      BAIL_OUT("out of memory");
  }
  return &state;
}

static void test_collect(struct cairn_gravity *g, const struct cairn_state *state,
                         struct cairn_packet *const packet[PACKETS]) {
  static double position[3 * BODIES], mass[BODIES];
  static int32_t id[BODIES];
  const struct cairn_gravity_prediction when = {0.1, 0.3};
  if (cairn_gravity_begin(g, BODIES, NULL) ||
      cairn_task_gravity_collect(g, packet, PACKETS + 1, when, position, mass, id))
    BAIL_OUT("out of memory");
  int32_t next = 0, n = 0;
  bool same = true;
  for (int32_t l = 0; l < g->n_lists; l++)
    for (int32_t i = g->list[l].first; i < g->list[l].first + g->list[l].n; i++, n++, next++) {
      next += state->captor[next] < 0;
      same &= id[i] == next && mass[i] == state->mass[next];
      for (int k = 0; k < 3; k++) {
        const double x = state->position[3 * next + k], v = state->velocity[3 * next + k],
                     a = state->acceleration[3 * next + k];
        same &= position[3 * i + k] == x + when.lead * (v + 0.5 * when.lead * a) + when.later * v;
        same &= g->list[l].lower[k] <= position[3 * i + k] && position[3 * i + k] <= g->list[l].upper[k];
      }
    }
  cmp_ok(n, "==", BODIES - (BODIES + 5) / 11, "%d lists have all bodies but the removed ones", g->n_lists);
  ok(same, "in the order of ids, predicted, in their boxes");
  static double acceleration[3 * BODIES], total[3 * BODIES];
  const struct cairn_task_self_gravity self = {.gravity = g, .acceleration = acceleration};
  const struct cairn_task_gravity_sum sum = {{0., 0., -1.}, {0.5, 0.25, 0.}};
  int32_t bad;
  for (int32_t i = 0; i < 3 * BODIES; i++)
    acceleration[i] = i;
  same = cairn_task_gravity_total(&self, &sum, id, total, &bad) == 0 && bad == -1;
  for (int32_t l = 0; l < g->n_lists; l++)
    for (int32_t i = g->list[l].first; i < g->list[l].first + g->list[l].n; i++)
      for (int k = 0; k < 3; k++)
        same &= total[3 * id[i] + k] == sum.uniform[k] + (3. * i + k - sum.drift[k]);
  ok(same && total[3 * 5 + 2] == -1. && total[3 * 16] == 0., "totals by id, the uniform field alone for removed ones");
  acceleration[3 * 100] = acceleration[3 * 200] = (double)NAN;
  same = cairn_task_gravity_total(&self, &sum, id, total, &bad) == 0;
  cmp_ok(bad, "==", id[100], "the first one that is not finite is named");
}

static void test_pace(const struct cairn_state *state, struct cairn_packet *const packet[PACKETS]) {
  struct cairn_gravity_motion motion;
  struct cairn_task_gravity_pace pace = {.uniform = {0., 0., 0.1}, .fraction = 0.05};
  double mass = 0., momentum = 0., shortest = INFINITY, time = 0.;
  if (cairn_task_gravity_note(packet, PACKETS + 1, &motion))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < BODIES; i++) {
    mass += state->captor[i] < 0 ? 0. : state->mass[i];
    momentum += state->captor[i] < 0 ? 0. : state->mass[i] * state->velocity[3 * i];
  }
  /* sums of 7000 numbers below 2 in another order: 7000² 2⁻⁵³ at most */
  tap_near(cairn_exact_sum_value(&motion.mass), mass, 1e-8, 0., "mass of all");
  tap_near(cairn_exact_sum_value(motion.momentum), momentum, 1e-8, 0., "momentum of all");
  if (cairn_task_gravity_time(packet, PACKETS + 1, &pace, &time))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < BODIES; i++) {
    const double d = 0.1 * state->radius[i];
    const double a = cairn_vec3_length(
        (const double[3]){state->gravity[3 * i], state->gravity[3 * i + 1], state->gravity[3 * i + 2] - 0.1});
    const double v = cairn_vec3_length(state->velocity + 3 * i);
    if (state->captor[i] >= 0)
      shortest = fmin(shortest, (sqrt(v * v + 2. * a * d) - v) / a);
  }
  tap_near(time, shortest, 0., 1e-9, "the shortest time to move by a twentieth of a diameter"); /* cancellation */
}

static void test_bodies(void) {
  struct cairn_packet *packet[PACKETS + 1] = {NULL}; /* the last stays NULL */
  struct cairn_gravity gravity;
  struct cairn_error error;
  struct cairn_state *state = make_state(packet);
  gravity_must(cairn_engine_start(&(struct cairn_engine_options){.workers = 2, .silent = 1}, &error), &error);
  cairn_gravity_init(&gravity, &rules);
  test_collect(&gravity, state, packet);
  test_pace(state, packet);
  cairn_gravity_fini(&gravity);
  cairn_engine_stop();
  for (int p = 0; p < PACKETS; p++)
    free(packet[p]);
  cairn_state_fini(state);
}

int main(void) {
  plan(NO_PLAN);
  test_bodies();
  test_order();
  test_bits(1);
  test_bits(200);   /* one list, directly */
  test_bits(2000);  /* one list, trees */
  test_bits(30000); /* several */
  done_testing();
}
