/* Fragments of a pile: how many, how large, and what moves within the largest. */
#include "sim.h"

#include "analysis/cluster.h"

/* A chain of three touching spheres, and one more at some distance. */
static struct cairn_scenario *chain(double distance) {
  struct cairn_scenario *s = sim_scenario("time: {end: 1}\nmaterials: [{name: a, density: 1000}]\n"
                                          "interactions: [{between: [a, a], stiffness: 1}]\n"
                                          "bodies: [{single: {position: [0, 0, 0], radius: 1, material: a}}]\n");
  sim_resize(s, 4);
  for (int i = 0; i < 4; i++) {
    sim_vector(s->initial.position, i, 2. * i + (i == 3 ? distance : 0.), 0., 0.);
    sim_vector(s->initial.velocity, i, 0., 0., 0.);
    sim_vector(s->initial.spin, i, 0., 0., 0.);
    s->initial.captor[i] = 0;
  }
  return s;
}

static struct cairn_cluster_fragments count(const struct cairn_scenario *s) {
  struct cairn_cluster_fragments f;
  struct cairn_error error;
  if (cairn_cluster_count(&s->initial, cairn_cluster_gap(&s->initial), NULL, &f, &error))
    BAIL_OUT("%s", error.message);
  return f;
}

/* Sums of masses do not depend on the order, and lose nothing of bodies that are not far smaller than the largest. */
static void test_masses(void) {
  const double mass[] = {3., 0.1, 7e-9, 1. / 3., 5e11, 0.2};
  enum { N = sizeof mass / sizeof *mass };
  struct cairn_cluster_mass up = {{0}}, down = {{0}}, small = {{0}}, none = {{0}};
  const int scale = cairn_cluster_mass_scale(5e11);
  for (int i = 0; i < N; i++) {
    cairn_cluster_mass_add(&up, mass[i], scale);
    cairn_cluster_mass_add(&down, mass[N - 1 - i], scale);
  }
  cmp_ok(cairn_cluster_mass_value(&up, scale) == cairn_cluster_mass_value(&down, scale), "==", 1,
         "the order of masses does not show");
  cairn_cluster_mass_add(&small, 1. / 3., scale); /* its last bit is 2^-54 kg, and so is the unit */
  tap_near(cairn_cluster_mass_value(&small, scale), 1. / 3., 0., 0., "a small mass among large ones is itself");
  for (int i = 0; i < 1000; i++)
    cairn_cluster_mass_add(&none, 0.1, cairn_cluster_mass_scale(0.1));
  tap_near(cairn_cluster_mass_value(&none, cairn_cluster_mass_scale(0.1)), 1000. * 0.1, 0x1p-52, 0.,
           "a thousand tenths, rounded once");
}

int main(void) {
  plan(NO_PLAN);
  struct cairn_scenario *s = chain(0.05);
  struct cairn_cluster_fragments f = count(s);
  ok(f.n == 1 && f.largest == 1. && f.second == 0., "a gap of a twentieth of a radius still links");
  cairn_scenario_free(s);

  s = chain(0.5);
  f = count(s);
  ok(f.n == 2 && f.largest == 0.75 && f.second == 0.25, "one of four apart: two fragments, 75 %% in the larger");
  tap_near(f.radius, cbrt(3. / 0.6), 1e-12, 0., "three spheres at 0.6");
  ok(f.unrest == 0., "at rest");
  /* moving and turning as one about the middle sphere: no unrest; the one apart does not count */
  for (int i = 0; i < 4; i++) {
    sim_vector(s->initial.velocity, i, 1., 3. * 2. * (i - 1), i == 3 ? 9. : 0.);
    sim_vector(s->initial.spin, i, 0., 0., 3.);
  }
  f = count(s);
  const double mass = s->initial.mass[0];
  tap_near(f.unrest, 0., 0., 1e-12 * mass, "a rigid motion is no unrest");
  s->initial.velocity[3 * 0 + 0] -= 1.;
  s->initial.velocity[3 * 2 + 0] += 1.;
  f = count(s);
  tap_near(f.unrest, mass, 1e-12, 0., "two that part with ±1 m/s have m v² of it");
  s->initial.captor[0] = -1;
  f = count(s);
  ok(f.n == 2, "one that a wall took out is no fragment");
  cairn_scenario_free(s);
  test_masses();
  done_testing();
}
