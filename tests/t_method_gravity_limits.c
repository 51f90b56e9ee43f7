/* Self-gravity of few bodies, of none, of bodies in one place, and too strong; the energy and the momentum of many
 * against direct sums. */
#include "sim.h"

#define BODIES                                                                                                         \
  "time: {step: 1, end: 1e6}\nmaterials: [{name: a, density: 2000}]\n"                                                 \
  "interactions: [{between: [a, a], restitution: 0.5, friction: 0, stiffness: 1e6}]\n"

static const double G = 6.6743e-11;

static struct cairn_scenario *single(const char *method, const char *rest) {
  return sim_scenario("method: %s\n" BODIES "gravity: {self: {}}\n"
                      "bodies: [{single: {position: [1, 2, 3], radius: 0.5, material: a, velocity: [0, 0, -0.2]}}]\n%s",
                      method, rest);
}

static int is_zero(const double v[3]) { return v[0] == 0. && v[1] == 0. && v[2] == 0.; }

static void test_alone(const char *method) {
  struct cairn_scenario *s = single(method, "");
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 10);
  const struct cairn_state *b = sim_state(sim);
  ok(is_zero(b->gravity) && b->velocity[0] == 0. && b->velocity[2] == -0.2, "%s: a body alone feels nothing", method);
  ok(sim_observe(sim).potential_energy == 0., "and has no energy");
  sim_free(sim, s);
}

static void test_two(const char *method) {
  struct cairn_scenario *s = single(method, "");
  sim_resize(s, 2);
  sim_set_radius(s, 1, 1.);
  sim_vector(s->initial.position, 1, 1., 5., 7.);
  s->initial.velocity[2] = 0.;
  struct cairn_simulation *sim = sim_create(s);
  const struct cairn_state *b = sim_state(sim);
  const double m0 = b->mass[0], m1 = b->mass[1];
  /* the distance is 5, what a body moves within a step 1e-10 of it */
  tap_near(b->gravity[1], G * m1 * 0.6 / 25., 0., 1e-8, "%s: two bodies attract each other", method);
  tap_near(b->gravity[5], -G * m0 * 0.8 / 25., 0., 1e-8, "both of them");
  tap_near(sim_observe(sim).potential_energy, -G * m0 * m1 / 5., 0., 1e-14, "with Newton's energy");
  sim_free(sim, s);
}

/* Two bodies about to meet, with a pull that is held until long after: it is never that of bodies inside of each other.
 */
static void test_meeting(const char *method) {
  struct cairn_scenario *s = single(method, "");
  s->self_refresh = 40;
  sim_resize(s, 2);
  sim_vector(s->initial.position, 1, 1., 2.01, 7.);
  sim_vector(s->initial.velocity, 1, 0., 0., -0.4); /* they would be in one place after 20 s */
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 2);
  const struct cairn_state *b = sim_state(sim);
  const double pull = hypot(hypot(b->gravity[0], b->gravity[1]), b->gravity[2]);
  ok(b->refresh_step >= 40 && pull < G * b->mass[1], "%s: a pull held for long is not that of bodies in one place",
     method);
  sim_free(sim, s);
}

/* Everything falls through a wall that takes it out; time goes on without bodies. */
static void test_none(const char *method) {
  struct cairn_scenario *s =
      single(method, "walls: [{plane: {point: [0, 0, 1], normal: [0, 0, 1], material: a, behavior: absorbing}}]\n"
                     "overlap: {limit: 1}\n");
  sim_resize(s, 2);
  sim_vector(s->initial.position, 1, 9., 2., 4.);
  sim_vector(s->initial.velocity, 1, 0., 0., -0.2);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 10);
  const struct cairn_state *b = sim_state(sim);
  ok(b->captor[0] < 0 && b->captor[1] >= 0, "%s: one body is taken out", method);
  sim_advance(sim, 6);
  b = sim_state(sim);
  ok(b->captor[0] < 0 && b->captor[1] < 0, "and taken out too");
  sim_advance(sim, b->refresh_step + 1 - b->step);
  const struct cairn_observables o = sim_observe(sim);
  ok(sim_state(sim)->n_refreshes > 1 && o.potential_energy == 0. && o.kinetic_energy == 0., "nothing is left to pull");
  sim_free(sim, s);
}

static struct cairn_scenario *same_place(const char *method) {
  struct cairn_scenario *s = single(method, "");
  s->initial.velocity[2] = 0.;
  sim_resize(s, 3);
  sim_vector(s->initial.position, 1, 1., 2., 3.);
  sim_vector(s->initial.position, 2, 1., 2., 8.);
  return s;
}

/* No scenario lets bodies start in one place. If they are there, they do not pull on each other; the springs of soft
 * spheres have no direction then, which is said. */
static void test_same_place(void) {
  struct cairn_scenario *s = same_place("contact_dynamics");
  struct cairn_simulation *sim = sim_create(s), *soft = NULL;
  const struct cairn_state *b = sim_state(sim);
  const double m = b->mass[0];
  int same = 1;
  for (int k = 0; k < 3; k++)
    same = same && b->gravity[k] == b->gravity[3 + k];
  ok(same, "two bodies in one place are pulled alike");
  tap_near(b->gravity[2], G * m / 25., 0., 1e-8, "by the third one");
  tap_near(sim_observe(sim).potential_energy, -2. * G * m * m / 5., 0., 1e-14, "and have no energy of their own");
  sim_free(sim, s);
  s = same_place("soft_spheres");
  struct cairn_error error = {0};
  ok(cairn_simulation_create(s, NULL, &soft, &error) < 0, "soft spheres in one place are refused");
  like(error.message, "forces on body 0 are not finite at the start", "with the reason");
  sim_free(soft, s);
}

/* Energy of all pairs, and forces that add up to nothing: the mean acceleration is subtracted, what is left are n
 * roundings of random sign. */
static void test_cloud(const char *method) {
  struct cairn_scenario *s =
      sim_scenario("method: %s\nseed: 3\n" BODIES "gravity: {self: {accuracy: 1e-3}}\n"
                   "bodies: [{cloud: {count: 3000, in: {sphere: {center: [0, 0, 0], radius: 60}}, radius: {uniform: "
                   "[0.5, 2.5]}, material: a}}]\n",
                   method);
  struct cairn_simulation *sim = sim_create(s);
  const struct cairn_state *b = sim_state(sim);
  double energy = 0., force[3] = {0., 0., 0.}, forces = 0.;
  for (int64_t i = 0; i < b->n; i++) {
    const double *x = b->position + 3 * i, *a = b->gravity + 3 * i;
    for (int64_t j = 0; j < i; j++) {
      const double *y = b->position + 3 * j, d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
      energy -= G * b->mass[i] * b->mass[j] / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    for (int k = 0; k < 3; k++)
      force[k] += b->mass[i] * a[k];
    forces += b->mass[i] * sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  }
  tap_near(sim_observe(sim).potential_energy, energy, 0., 1e-3, "%s: potential energy is that of all pairs", method);
  for (int k = 0; k < 3; k++)
    tap_near(force[k] / forces, 0., sqrt((double)b->n) * 2.3e-16, 0., "forces add up to nothing along %c", "xyz"[k]);
  sim_free(sim, s);
}

/* Where the pull is so strong that the time to resolve it cannot be counted in steps. */
static void test_too_strong(void) {
  struct cairn_scenario *s = sim_scenario("method: contact_dynamics\ntime: {end: 1e6}\n"
                                          "materials: [{name: a, density: 2000}]\ninteractions: [{between: [a, a]}]\n"
                                          "gravity: {self: {constant: 1e200}}\n"
                                          "bodies: [{single: {position: [0, 0, 0], radius: 1, material: a}}]\n");
  struct cairn_simulation *sim = NULL;
  struct cairn_error error = {0};
  ok(cairn_simulation_create(s, NULL, &sim, &error) == CAIRN_ERR_INPUT, "a pull that takes too many steps is refused");
  like(error.message, "time.step: auto is .* s, which makes .* steps up to time.end; allowed: at most 9e\\+15",
       "with its reason");
  cairn_simulation_free(sim);
  cairn_scenario_free(s);
}

int main(void) {
  static const char *const method[2] = {"soft_spheres", "contact_dynamics"};
  sim_start(2);
  for (int m = 0; m < 2; m++) {
    test_alone(method[m]);
    test_two(method[m]);
    test_meeting(method[m]);
    test_none(method[m]);
    test_cloud(method[m]);
  }
  test_same_place();
  test_too_strong();
  cairn_engine_stop();
  done_testing();
}
