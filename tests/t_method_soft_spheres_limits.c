/* Where soft spheres end: bodies that go bad, overlaps beyond the limit, guesses that were wrong, very different sizes.
 */
#include "sim.h"

#include "data/base/random.h"

/* A lattice of bodies far apart, in many cells, or in one. */
static struct cairn_scenario *sparse(int64_t cells_bodies, const char *more) {
  return sim_scenario("time: {step: 1e-3, end: 100}\n"
                      "materials: [{name: a, density: 2500}]\n"
                      "interactions: [{between: [a, a], stiffness: 1e5, restitution: 0.5}]\n"
                      "bodies: [{lattice: {counts: [6, 6, 6], spacing: 1, radius: 0.1, material: a}}]\n"
                      "cells: {bodies: %lld}\n%s",
                      (long long)cells_bodies, more);
}

static void digest_of(struct cairn_simulation *sim, char digest[CAIRN_DIGEST_LENGTH + 1]) {
  cairn_state_digest(sim_state(sim), digest);
}

/* A body falls freely, faster and faster: with v = g t it goes bad in the first step n with (n + 1) g h² > r, since the
 * kernel judges the speed predicted for the coming step; here n = 99, in whatever batch. */
static void test_too_fast(int64_t cells_bodies) {
  char good[CAIRN_DIGEST_LENGTH + 1], kept[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_error error = {0};
  struct cairn_scenario *s[2];
  struct cairn_simulation *sim[2];
  for (int k = 0; k < 2; k++) {
    s[k] = sparse(cells_bodies, "gravity: {uniform: [0, 0, -1001]}\n");
    for (int64_t i = 0; i < s[k]->initial.n; i++) /* larger ones may be faster */
      sim_set_radius(s[k], i, i == 137 ? 0.1 : 0.11);
    sim[k] = sim_create(s[k]);
  }
  const int status = cairn_simulation_advance(sim[0], 1000, &error);
  note("%s", error.message);
  cmp_ok(status, "==", CAIRN_ERR_NUMERIC, "cells of %lld: a body faster than a radius per step ends the run",
         (long long)cells_bodies);
  cmp_ok(error.status, "==", CAIRN_ERR_NUMERIC, "the error says so too");
  like(error.message, "body 137 ", "it names the body");
  const int64_t bad = 99;
  char pattern[64];
  snprintf(pattern, sizeof pattern, "step %lld ", (long long)bad);
  like(error.message, pattern, "and the step");
  cmp_ok(cairn_simulation_step(sim[0]), "==", bad - 1, "the state is that of the step before");
  sim_advance(sim[1], bad - 1);
  digest_of(sim[0], kept);
  digest_of(sim[1], good);
  is(kept, good, "bit by bit");
  ok(cairn_simulation_advance(sim[0], 1, &error) == CAIRN_ERR_NUMERIC, "asking again fails again");
  for (int k = 0; k < 2; k++)
    sim_free(sim[k], s[k]);
}

/* Two bodies with one centre have no normal: there is nothing to start from. */
static void test_not_a_number(int64_t cells_bodies) {
  struct cairn_error error = {0};
  struct cairn_scenario *s = sparse(cells_bodies, "");
  struct cairn_simulation *sim = NULL;
  memcpy(s->initial.position + 3 * 100, s->initial.position + 3 * 99, 3 * sizeof(double));
  const int status = cairn_simulation_create(s, NULL, &sim, &error);
  note("%s", error.message);
  cmp_ok(status, "==", CAIRN_ERR_NUMERIC, "cells of %lld: bodies with one centre are refused", (long long)cells_bodies);
  like(error.message, "body (99|100) ", "naming one of them");
  ok(sim == NULL, "and no simulation is left");
  cairn_scenario_free(s);
}

/* An impact far beyond what the stiffness can take. */
static void test_overlap(int64_t cells_bodies) {
  struct cairn_scenario *s =
      sparse(cells_bodies, "walls: [{plane: {point: [0, 0, -0.5], normal: [0, 0, 1], material: a}}]\n"
                           "overlap: {limit: 0.02}\n");
  sim_vector(s->initial.position, 61, -3., 0., 0.);
  sim_vector(s->initial.position, 140, -3.3, 0., 0.);
  sim_vector(s->initial.velocity, 140, 3., 0., 0.);
  sim_vector(s->initial.velocity, 5, 0., -0.2, 0.); /* a light touch of another pair, below the limit */
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_overlaps none = cairn_simulation_overlaps(sim);
  ok(none.steps == 0 && none.a == -1, "cells of %lld: no overlap at the start", (long long)cells_bodies);
  double worst = 0.;
  int64_t steps = 0;
  for (int k = 0; k < 100; k++) {
    sim_advance(sim, 1);
    const double *x = sim_state(sim)->position;
    const double overlap = (0.2 - fabs(x[3 * 61] - x[3 * 140])) / 0.1;
    worst = fmax(worst, overlap);
    steps += overlap > 0.02;
  }
  struct cairn_overlaps got = cairn_simulation_overlaps(sim);
  note("overlap %.6f of the radius, %lld steps", got.overlap, (long long)got.steps);
  ok(worst > 0.05, "the sample overlaps");
  ok(got.a == 61 && got.b == 140, "the warning names the pair: %d and %d", got.a, got.b);
  tap_near(got.overlap, worst, 0., 1e-12, "and its largest overlap"); /* the same formula, rounded otherwise */
  cmp_ok(got.steps, "==", steps, "and the number of steps");
  got = cairn_simulation_overlaps(sim);
  ok(got.steps == 0 && got.a == -1 && got.b == -1 && got.overlap == 0., "told once");
  sim_free(sim, s);

  s = sparse(cells_bodies, "walls:\n"
                           "  - plane: {point: [0, 0, -9], normal: [0, 0, 1], material: a}\n"
                           "  - plane: {point: [-0.5, 0, 0], normal: [1, 0, 0], material: a}\n"
                           "overlap: {limit: 0.02}\n");
  sim_vector(s->initial.velocity, 7, -3., 0., 0.);
  s->initial.position[3 * 7] = -0.3;
  sim = sim_create(s);
  sim_advance(sim, 100);
  got = cairn_simulation_overlaps(sim);
  ok(got.a == 7 && got.b == -1 - 1, "the warning names body and wall: %d and %d", got.a, got.b);
  sim_free(sim, s);
}

/* A compressed pair flies apart much faster than anything moved when the list of pairs was made, into others that were
 * not in it: the batch must be undone. The reference looks after every step. */
static struct cairn_scenario *spring_gun(int64_t cells_bodies) {
  struct cairn_scenario *s = sparse(cells_bodies, "overlap: {limit: 1}\n");
  s->interactions[0].restitution = 0.9;
  for (int64_t i = 0; i < s->initial.n; i++) {
    const double *x = s->initial.position + 3 * i;
    sim_vector(s->initial.position, i, 0.205 * x[0], 0.205 * x[1], 0.205 * x[2]);
  }
  /* body 0 deep in body 1, which leaves with about 10 m/s; the next one is farther off than the skin of bodies at rest
   */
  s->initial.position[0] = s->initial.position[3] - 0.06;
  return s;
}

static void test_roll_back(int64_t cells_bodies) {
  char digest[2][CAIRN_DIGEST_LENGTH + 1];
  int64_t regrids[2];
  double fastest = 0.;
  for (int k = 0; k < 2; k++) {
    struct cairn_scenario *s = spring_gun(cells_bodies);
    s->time_step = 1e-4;
    struct cairn_simulation *sim = sim_create(s);
    if (k == 0)
      sim_advance(sim, 400);
    else
      for (int step = 0; step < 400; step++)
        sim_advance(sim, 1);
    regrids[k] = cairn_simulation_n_regrids(sim);
    const struct cairn_state *b = sim_state(sim);
    for (int64_t i = 0; i < 3 * b->n; i++)
      fastest = fmax(fastest, fabs(b->velocity[i]));
    digest_of(sim, digest[k]);
    sim_free(sim, s);
  }
  note("cells of %lld: dealt anew %lld and %lld times, fastest %.1f m/s", (long long)cells_bodies,
       (long long)regrids[0], (long long)regrids[1], fastest);
  is(digest[0], digest[1], "cells of %lld: a wrong guess is undone, bit by bit", (long long)cells_bodies);
}

/* Sizes 1:20 under gravity: one large sphere falls among small ones. */
static void test_sizes(void) {
  char digest[2][CAIRN_DIGEST_LENGTH + 1];
  for (int k = 0; k < 2; k++) {
    struct cairn_scenario *s = sim_scenario(
        "time: {end: 1}\n"
        "gravity: {uniform: [0, 0, -9.81]}\n"
        "materials: [{name: a, density: 2500}]\n"
        "interactions: [{between: [a, a], stiffness: 1e4, restitution: 0.5, rolling_friction: 0.1}]\n"
        "bodies:\n"
        "  - single: {position: [0, 0, 0.35], radius: 0.2, velocity: [0, 0, -1], material: a}\n"
        "  - lattice: {origin: [-0.24, -0.24, 0.011], counts: [21, 21, 6], spacing: 0.024, jitter: 0.001,\n"
        "              radius: 0.01, material: a}\n"
        "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n"
        "overlap: {limit: 1}\n"
        "cells: {bodies: %d}\n",
        k == 0 ? 100 : 100000);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, 1000);
    const struct cairn_observables o = sim_observe(sim);
    if (k == 0)
      note("sizes 1:20: %g contacts, %g at the floor, largest overlap %.2g", o.n_contacts, o.n_wall_contacts,
           o.max_overlap);
    ok(isfinite(o.kinetic_energy) && o.n_contacts > 100., "sizes 1:20 run in %s", k == 0 ? "many cells" : "one cell");
    digest_of(sim, digest[k]);
    sim_free(sim, s);
  }
  is(digest[0], digest[1], "with the same bits");
}

int main(void) {
  static const int64_t cells[] = {8, 100000};
  plan(NO_PLAN);
  sim_start(2);
  for (int k = 0; k < 2; k++) {
    test_too_fast(cells[k]);
    test_not_a_number(cells[k]);
    test_overlap(cells[k]);
    test_roll_back(cells[k]);
  }
  test_sizes();
  cairn_engine_stop();
  done_testing();
}
