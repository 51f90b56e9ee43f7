/* When spin-up is due, and on which bodies it acts. */
#include "sim.h"

#include "analysis/cluster.h"

static struct cairn_scenario *scenario(const char *spin_up) {
  return sim_scenario("time: {end: 1}\nmaterials: [{name: a, density: 1}]\n"
                      "interactions: [{between: [a, a], stiffness: 1}]\n"
                      "bodies: [{single: {position: [0, 0, 0], radius: 1, material: a}}]\nspin_up: %s\n",
                      spin_up);
}

/* Walk from one step that is due to the next. */
static void test_times(void) {
  struct cairn_scenario *s = scenario("[{increments: {spin: [0, 0, 1], from: 0.3, every: 0.1, until: 100}}]");
  const double h = 0.01;
  int64_t step = 0, wrong = 0, n = 0;
  for (; (step = cairn_spin_up_next(s, step, h)) < INT64_MAX; n++)
    wrong += step != 30 + 10 * n || cairn_spin_up_count(s->spin_ups, step, h) != n + 1 ||
             cairn_spin_up_count(s->spin_ups, step - 1, h) != n;
  cmp_ok(wrong, "==", 0, "every tenth step, whatever the rounding");
  cmp_ok(n, "==", 998, "up to the last time, that included");
  cairn_scenario_free(s);
  s = scenario("[{increments: {spin: [0, 0, 1], from: 2.5}}, {increments: {spin: [0, 0, 1], from: 1, every: 0.004}}]");
  cmp_ok(cairn_spin_up_next(s, 0, h), "==", 100, "the earlier of two entries");
  cmp_ok(cairn_spin_up_count(s->spin_ups + 1, 102, h), "==", 6, "several increments in one step");
  cmp_ok(cairn_spin_up_count(s->spin_ups, 249, h), "==", 0, "a single one has not come");
  cmp_ok(cairn_spin_up_count(s->spin_ups, 250, h), "==", 1, "comes");
  cmp_ok(cairn_spin_up_count(s->spin_ups, 1000000, h), "==", 1, "and does not come again");
  cairn_scenario_free(s);
  s = scenario("[{torque: {moment: [0, 0, 1], from: 1, until: 2}}]");
  cmp_ok(cairn_spin_up_next(s, 0, h), "==", 120, "a torque comes after the 20 steps it stands for");
  cmp_ok(cairn_spin_up_count(s->spin_ups, 1000, h), "==", 5, "and ends in time");
  cairn_scenario_free(s);
  s = scenario("[{torque: {moment: [0, 0, 1], from: 1, until: 1.5}}]");
  cmp_ok(cairn_spin_up_count(s->spin_ups, 149, h), "==", 2, "one that ends between two portions");
  cmp_ok(cairn_spin_up_count(s->spin_ups, 150, h), "==", 3, "has equal ones up to its end");
  tap_near(3. * cairn_spin_up_every(s->spin_ups, h), 0.5, 0., 1e-15, "which is all of it");
  cairn_scenario_free(s);
  s = scenario("[{torque: {moment: [0, 0, 1], from: 1, until: 1.05}}]");
  cmp_ok(cairn_spin_up_next(s, 0, h), "==", 105, "a short one has one");
  cairn_scenario_free(s);
  s = scenario("[]");
  ok(cairn_spin_up_next(s, 0, h) == INT64_MAX, "without any, never");
  cairn_scenario_free(s);
}

/* An end that is the time of the last increment but for rounding, up or down: 1.3 × 7 is not 9.1. */
static void test_end(void) {
  int64_t wrong = 0;
  for (int tenths = 1; tenths < 30; tenths++)
    for (int64_t last = 1; last < 20; last++) {
      char text[128];
      snprintf(text, sizeof text, "[{increments: {spin: [0, 0, 1], from: 0.1, every: %g, until: %.10g}}]", 0.1 * tenths,
               0.1 + 0.1 * tenths * (double)last);
      struct cairn_scenario *s = scenario(text);
      int64_t step = 0, n = 0;
      for (; (step = cairn_spin_up_next(s, step, 0.01)) < INT64_MAX; n++)
        wrong += step != 10 + 10 * tenths * n;
      wrong += n != last + 1;
      cairn_scenario_free(s);
    }
  cmp_ok(wrong, "==", 0, "the last one is due at the end, whatever the rounding");
}

/* A chain of three, a pair that is heavier, one alone that is lighter. */
static void test_largest(void) {
  struct cairn_scenario *s = scenario("[]");
  static const double x[] = {0., 20., 2.05, 40., 4.1, 23.}, r[] = {1., 1.5, 1., 1.2, 1., 1.5};
  static const bool pair[] = {false, true, false, false, false, true},
                    chain[] = {true, false, true, false, true, false};
  sim_resize(s, 6);
  bool member[6];
  for (int i = 0; i < 6; i++) {
    sim_vector(s->initial.position, i, x[i], 0., 0.);
    sim_set_radius(s, i, r[i]);
  }
  ok(!cairn_cluster_largest(&s->initial, 0.1, member, NULL) && !memcmp(member, pair, sizeof pair),
     "the heaviest cluster, not the one of most bodies");
  s->initial.mass[1] = s->initial.mass[5] = 1.5 * s->initial.mass[0];
  ok(!cairn_cluster_largest(&s->initial, 0.1, member, NULL) && !memcmp(member, chain, sizeof chain),
     "of two equal ones that with the lowest id");
  s->initial.captor[2] = 1;
  ok(!cairn_cluster_largest(&s->initial, 0.1, member, NULL) && !memcmp(member, pair, sizeof pair),
     "a body that a wall holds links nothing");
  s->initial.captor[2] = 0;
  static const bool alone[] = {false, true, false, false, false, false};
  s->initial.mass[1] = 1000.;
  sim_vector(s->initial.position, 5, 23.2, 0., 0.);
  ok(!cairn_cluster_largest(&s->initial, 0.1, member, NULL) && !memcmp(member, alone, sizeof alone), "a gap does not");
  for (int i = 0; i < 6; i++)
    s->initial.captor[i] = -1;
  ok(!cairn_cluster_largest(&s->initial, 0.1, member, NULL) && !member[0] && !member[1], "no bodies, no cluster");
  cairn_scenario_free(s);
}

int main(void) {
  plan(NO_PLAN);
  test_times();
  test_end();
  test_largest();
  done_testing();
}
