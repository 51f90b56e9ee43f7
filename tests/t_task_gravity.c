/* Self-gravity by tasks: the bits of one piece of work after the other, for any number of workers and any order of the
 * bodies, which are in the order of one sort over all of them, though lists are sorted by themselves; and what lies
 * between packets and fields, beside plain loops. */
#include "gravity_bodies.h"

#include "cairn/engine.h"
#include "data/state/state.h"
#include "kernels/common/vec3.h"
#include "tap/tap.h"
#include "tasks/tasks.h"

static const struct cairn_gravity_rules rules = {.G = 1., .accuracy = 5e-3};

/* The fields by tasks. */
static void run_tasks(struct gravity_system *s, double *acceleration, double *potential) {
  struct cairn_gravity gravity;
  int32_t *id = gravity_ids(s->n);
  cairn_gravity_init(&gravity, &rules);
  const struct cairn_task_self_gravity task = {.gravity = &gravity,
                                               .position = s->position,
                                               .mass = s->mass,
                                               .id = id,
                                               .acceleration = acceleration,
                                               .potential = potential};
  if (cairn_task_gravity_run(&task, s->n) || cairn_task_gravity_deliver(&task))
    BAIL_OUT("out of memory");
  cairn_gravity_fini(&gravity);
  free(id);
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
    run_tasks(&s, acceleration, potential);
    ok(is_same(&s, acceleration, potential), "%d bodies in %d lists and %d branches, %d workers: same bits", n,
       gravity.n_lists, gravity.terms.n_branches, workers);
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

/* The caller's order does not matter, only ids do: bodies in another order, with some that are not there among them. */
static void test_ids(void) {
  enum { N = 9000, ROOM = N + N / 9, STRIDE = 3571 }; /* a prime */
  struct gravity_system s = gravity_system_make(GRAVITY_SPHERE, N, 1);
  static double position[3 * ROOM], mass[ROOM], acceleration[3 * ROOM], potential[ROOM];
  static int32_t id[ROOM];
  struct cairn_gravity gravity;
  struct cairn_error error;
  bool same = true;
  for (int32_t i = 0; i < N; i += 4)
    memcpy(s.position + 3 * i, s.position + 3 * (i % 3), 3 * sizeof *s.position); /* equal keys */
  cairn_gravity_init(&gravity, &rules);
  gravity_run(&gravity, N, s.position, s.mass, 1, s.acceleration, s.potential, s.drift);
  for (int32_t i = 0, k = 0; i < ROOM; i++) {
    const int32_t of = (int32_t)((int64_t)k * STRIDE % N);
    id[i] = i % 10 == 3 ? -1 : of;
    memcpy(position + 3 * i, s.position + 3 * of, 3 * sizeof *position);
    mass[i] = s.mass[of];
    k += id[i] >= 0;
  }
  gravity_must(cairn_engine_start(&(struct cairn_engine_options){.workers = 2, .silent = 1}, &error), &error);
  const struct cairn_task_self_gravity task = {.gravity = &gravity,
                                               .position = position,
                                               .mass = mass,
                                               .id = id,
                                               .acceleration = acceleration,
                                               .potential = potential};
  if (cairn_task_gravity_run(&task, ROOM) || cairn_task_gravity_deliver(&task))
    BAIL_OUT("out of memory");
  cairn_engine_stop();
  for (int32_t i = 0; i < ROOM; i++)
    same &= id[i] < 0 || (potential[i] == s.potential[id[i]] &&
                          memcmp(acceleration + 3 * i, s.acceleration + 3 * id[i], 3 * sizeof *acceleration) == 0);
  cmp_ok(gravity.terms.n, "==", N, "bodies that are not there are left out");
  ok(same, "bodies in another order: same bits");
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
      cairn_task_gravity_collect(g, packet, PACKETS + 1, when, &(struct cairn_task_listed){position, mass, id}))
    BAIL_OUT("out of memory");
  int32_t n = 0;
  bool same = true;
  for (int32_t l = 0, i = 0; l < g->n_lists; n += g->list[l++].n)
    for (; i < g->list[l].first + g->list[l].room; i++) {
      const int32_t size = packet[0]->n, of = PACKETS * (i < size           ? i
                                                         : i < 2 * size - 1 ? i - size
                                                                            : i - 2 * size + 1) +
                                              (i < size           ? 0
                                               : i < 2 * size - 1 ? 1
                                                                  : 2);
      same &= id[i] == (state->captor[of] < 0 ? -1 : of) && mass[i] == state->mass[of];
      for (int k = 0; k < 3; k++) {
        const double x = state->position[3 * of + k], v = state->velocity[3 * of + k],
                     a = state->acceleration[3 * of + k];
        same &= position[3 * i + k] == x + when.lead * (v + 0.5 * when.lead * a) + when.later * v;
        same &= id[i] < 0 || (g->list[l].lower[k] <= position[3 * i + k] && position[3 * i + k] <= g->list[l].upper[k]);
      }
    }
  cmp_ok(n, "==", BODIES - (BODIES + 5) / 11, "%d lists have all bodies but the removed ones", g->n_lists);
  ok(same, "packet by packet, predicted, in their boxes");
  static double acceleration[3 * BODIES], total[3 * BODIES];
  const struct cairn_task_self_gravity self = {.gravity = g, .id = id, .acceleration = acceleration};
  const struct cairn_task_gravity_sum sum = {{0., 0., -1.}, {0.5, 0.25, 0.}};
  int32_t bad;
  for (int32_t i = 0; i < 3 * BODIES; i++)
    acceleration[i] = i;
  same = cairn_task_gravity_total(&self, &sum, total, &bad) == 0 && bad == -1;
  for (int32_t i = 0; i < BODIES; i++)
    for (int k = 0; k < 3; k++)
      same &= total[3 * i + k] == (id[i] < 0 ? sum.uniform[k] : sum.uniform[k] + (3. * i + k - sum.drift[k]));
  ok(same, "totals, the uniform field alone for removed ones");
  acceleration[3 * 100] = acceleration[3 * 200] = acceleration[3 * 5000] = (double)NAN;
  same = cairn_task_gravity_total(&self, &sum, total, &bad) == 0;
  const int32_t first = id[100] < id[5000] ? id[100] : id[5000];
  cmp_ok(bad, "==", first, "the one of lowest id that is not finite is named");
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
  test_ids();
  test_bits(1);
  test_bits(200);   /* one list, directly */
  test_bits(2000);  /* one list, trees */
  test_bits(30000); /* several */
  done_testing();
}
