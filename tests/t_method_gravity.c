/* Bodies that pull on each other: orbits, collapse, conservation, how often the pull is found, restart. */
#include "sim.h"

static struct cairn_state *initial(struct cairn_scenario *s) { return &s->initial; }

/* Two spheres of 1 kg with G = 1 on an orbit of eccentricity e; the relative orbit has a = 1, so the period is
 * 2π/√2. */
static struct cairn_scenario *binary(const char *method, double e, double step) {
  struct cairn_scenario *s =
      sim_scenario("method: %s\ntime: {step: %.17g, end: 1e6}\nmaterials: [{name: a, density: 1e9}]\n"
                   "gravity: {self: {constant: 1, refresh: 1}}\n"
                   "interactions: [{between: [a, a], restitution: 1, friction: 0, stiffness: 1000}]\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: 0.05, material: a}}]\n",
                   method, step);
  sim_resize(s, 2);
  const double far = 1. + e, v = sqrt(2. * (1. - e) / (1. + e));
  for (int i = 0; i < 2; i++) {
    initial(s)->mass[i] = 1.;
    sim_vector(initial(s)->position, i, i ? 0.5 * far : -0.5 * far, 0., 0.);
    sim_vector(initial(s)->velocity, i, 0., i ? 0.5 * v : -0.5 * v, 0.);
  }
  return s;
}

/* Time of the n-th passage through the line of apsides at the far end, by the sign of the radial velocity. */
static double time_of_passage(struct cairn_simulation *sim, double step, int64_t n_steps, int wanted, double *energy) {
  double before = -1., time = 0.;
  int seen = 0;
  for (int64_t k = 0; k < n_steps && seen < wanted; k++) {
    sim_advance(sim, 1);
    const struct cairn_state *s = sim_state(sim);
    double radial = 0., kinetic = 0., r2 = 0.;
    for (int j = 0; j < 3; j++) {
      const double d = s->position[3 + j] - s->position[j], u = s->velocity[3 + j] - s->velocity[j];
      radial += d * u;
      r2 += d * d;
      kinetic += 0.25 * u * u;
    }
    *energy = fmax(*energy, fabs((kinetic - 1. / sqrt(r2)) / -0.5 - 1.));
    if (before > 0. && radial <= 0.) { /* linear between the two steps */
      time = ((double)k + before / (before - radial)) * step;
      seen++;
    }
    before = radial;
  }
  return time;
}

/* Leapfrog keeps the energy of an orbit within bounds of second order in the step, and its period is that of a
 * neighbouring orbit: T (1 + O((h/T)²)). */
static void test_orbit(const char *method, int periods, double step) {
  const double period = 2. * SIM_PI / sqrt(2.);
  struct cairn_scenario *s = binary(method, 0.5, step);
  struct cairn_simulation *sim = sim_create(s);
  double early = 0., all = 0.;
  const double first = time_of_passage(sim, step, (int64_t)(3. * period / step), 1, &early);
  const double last = time_of_passage(sim, step, (int64_t)((periods + 2.) * period / step), periods, &all);
  const double measured = (last + step * ceil(first / step) - first) / periods;
  diag("%s: energy within %.2e in the first period, %.2e in %d; period off by %.2e", method, early, all, periods,
       measured / period - 1.);
  ok(all < 1.5 * early, "%s: the error of the energy does not grow", method);
  ok(early < 2000. * step * step, "and is of second order");
  tap_near(measured, period, 0., 100. * step * step, "the period is Kepler's");
  sim_free(sim, s);
}

/* A cold cloud collapses. */
static struct cairn_scenario *cloud(const char *method, const char *refresh, int cell) {
  return sim_scenario("method: %s\nseed: 4\ntime: {step: %s, end: 1e5}\nmaterials: [{name: a, density: 2000}]\n"
                      "gravity: {self: {accuracy: 1e-3, refresh: %s}}\ncells: {bodies: %d}\n"
                      "interactions: [{between: [a, a], restitution: 0.3, friction: 0.3, stiffness: 1e6}]\n"
                      "bodies: [{cloud: {count: 300, in: {sphere: {center: [0, 0, 0], radius: 60}}, radius: {uniform: "
                      "[3, 5]}, material: a}}]\n",
                      method, strcmp(method, "soft_spheres") == 0 ? "1" : "5", refresh, cell);
}

static void test_collapse(const char *method) {
  struct cairn_scenario *s = cloud(method, "auto", 100);
  struct cairn_simulation *sim = sim_create(s);
  const struct cairn_observables before = sim_observe(sim);
  const int64_t steps = strcmp(method, "soft_spheres") == 0 ? 500 : 300;
  sim_advance(sim, steps);
  const struct cairn_observables after = sim_observe(sim);
  double scale = 0.;
  const struct cairn_state *state = sim_state(sim);
  for (int64_t i = 0; i < state->n; i++)
    scale += state->mass[i] * sqrt(state->velocity[3 * i] * state->velocity[3 * i]);
  ok(after.potential_energy < before.potential_energy && after.kinetic_energy > 0., "%s: the cloud falls together",
     method);
  for (int k = 0; k < 3; k++)
    tap_near(after.momentum[k] / scale, before.momentum[k] / scale, 1e-12, 0., "momentum %d", k);
  ok(after.n_refreshes > 1. && after.n_refreshes < 0.5 * (double)steps, "its pull was found %.0f times in %d steps",
     after.n_refreshes, (int)steps);
  sim_free(sim, s);
}

/* Before bodies meet nothing is lost; the pull that is held for some steps costs little. */
static void test_energy(const char *method, const char *refresh, double tolerance) {
  struct cairn_scenario *s = cloud(method, refresh, 100);
  struct cairn_simulation *sim = sim_create(s);
  const struct cairn_observables before = sim_observe(sim);
  sim_advance(sim, 20);
  const struct cairn_observables after = sim_observe(sim);
  const double gained = after.kinetic_energy + after.rotational_energy + after.elastic_energy +
                        (strcmp(method, "soft_spheres") == 0 ? 0. : after.dissipated_energy);
  const double fallen = before.potential_energy - after.potential_energy;
  ok(fallen > 0., "%s, refresh %s: bodies fall", method, refresh);
  tap_near(gained / fallen, 1., tolerance, 0., "and have the energy they fell by");
  sim_free(sim, s);
}

static void test_restart(const char *method) {
  char one[CAIRN_DIGEST_LENGTH + 1], two[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_scenario *s = cloud(method, "auto", 100);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 37);
  struct cairn_state kept = {0};
  cairn_state_copy(&kept, sim_state(sim), NULL);
  sim_advance(sim, 63);
  cairn_state_digest(sim_state(sim), one);
  cairn_simulation_free(sim);
  sim = NULL;
  if (cairn_simulation_create(s, &kept, &sim, NULL))
    BAIL_OUT("cannot resume");
  sim_advance(sim, 63);
  cairn_state_digest(sim_state(sim), two);
  is(two, one, "%s: the same bits after a restart", method);
  cairn_state_fini(&kept);
  sim_free(sim, s);
}

int main(void) {
  sim_start(2);
  test_orbit("soft_spheres", 20, 0.005);
  test_orbit("contact_dynamics", 20, 0.005);
  test_collapse("soft_spheres");
  test_collapse("contact_dynamics");
  test_energy("soft_spheres", "1", 5e-3);
  test_energy("contact_dynamics", "1", 5e-3);
  test_energy("contact_dynamics", "auto", 5e-2);
  test_restart("soft_spheres");
  test_restart("contact_dynamics");
  cairn_engine_stop();
  done_testing();
}
