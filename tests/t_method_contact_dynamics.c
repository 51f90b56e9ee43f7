/* Contact dynamics on small systems with known answers. */
#include "contacts.h"
#include "sim.h"

static struct cairn_state *initial(struct cairn_scenario *s) { return &s->initial; }

/* Touching spheres in a line between two ends that are pushed together by the walls' motion: without gravity the two
 * end spheres are given equal and opposite velocities and everything comes to rest: one impulse runs through the chain.
 */
static struct cairn_scenario *chain(int n, const char *solver, double tolerance) {
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: 1e-3, end: 1}\nmaterials: [{name: a, density: 1000}]\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0}]\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: 0.1, material: a}}]\n"
                   "solver: {kind: %s, tolerance: %g, sweeps: 1000000}\ncells: {bodies: 16}\n",
                   solver, tolerance);
  sim_resize(s, n);
  for (int64_t i = 0; i < n; i++)
    sim_vector(initial(s)->position, i, 0.2 * (double)i, 0., 0.);
  sim_vector(initial(s)->velocity, 0, 1., 0., 0.);
  sim_vector(initial(s)->velocity, n - 1, -1., 0., 0.);
  return s;
}

/* C4. The end spheres stop, so every contact carries m v; sweeps of plain Gauss–Seidel grow about as N² (Brendel et al.
 * 2004, eq. 1.34), those of an accelerated method as N (Nesterov 1983: by the root of the condition number, here N²).
 */
static void test_chain(const char *solver, double most) {
  const double tolerance = 1e-6;
  const int sizes[] = {10, 20, 40, 80};
  double sweeps[4], worst = 0.;
  for (int k = 0; k < 4; k++) {
    struct cairn_scenario *s = chain(sizes[k], solver, tolerance);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, 1);
    const struct cairn_state *state = sim_state(sim);
    cmp_ok(state->contacts.n, "==", sizes[k] - 1, "%s, %d spheres: every contact carries", solver, sizes[k]);
    for (int64_t i = 0; i < state->contacts.n; i++)
      worst = fmax(worst, fabs(*PAIR_MEMORY(state, i, impulse) / initial(s)->mass[0] - 1.));
    sweeps[k] = sim_observe(sim).solver_sweeps;
    sim_free(sim, s);
  }
  /* the residual bounds the error by the condition of the chain, about (2 N/π)² = 2600 for N = 80 */
  ok(worst < 2600. * tolerance, "%s: all forces are equal (%.1e)", solver, worst);
  const double exponent = log(sweeps[3] / sweeps[1]) / log(4.);
  diag("%s: sweeps to 1e-6 for 10, 20, 40, 80 spheres: %.0f %.0f %.0f %.0f, exponent %.2f", solver, sweeps[0],
       sweeps[1], sweeps[2], sweeps[3], exponent);
  ok(exponent < most, "%s: sweeps grow as N^%.2f, less than N^%.1f", solver, exponent, most);
}

/* A block: a sphere that friction of rotation keeps from rolling, on a slope. */
static void test_slope(double tangent, double friction, bool stays) {
  const double theta = atan(tangent), g = 9.81, h = 1e-3;
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: %g, end: 10}\nmaterials: [{name: a, density: 1000}]\n"
                   "gravity: {uniform: [%.17g, 0, %.17g]}\nsolver: {tolerance: 1e-10, sweeps: 100000}\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: %.17g, rolling_friction: 10, "
                   "twisting_friction: 10}]\n"
                   "bodies: [{single: {position: [0, 0, 0.1], radius: 0.1, material: a}}]\n"
                   "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n",
                   h, g * sin(theta), -g * cos(theta), friction);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 1000);
  const struct cairn_state *state = sim_state(sim);
  const double expected = stays ? 0. : g * (sin(theta) - friction * cos(theta)) * 1000. * h;
  tap_near(state->velocity[0], expected, 1e-6, 0., "tan %.4f, friction %.4f: the block %s", tangent, friction,
           stays ? "stays" : "slides as Coulomb says");
  tap_near(state->velocity[2], 0., 1e-9, 0., "and stays on the slope");
  tap_near(state->spin[1], 0., 1e-6, 0., "without rolling");
  tap_near(sim_observe(sim).sliding_fraction, stays ? 0. : 1., 0., 0., "friction is %sused up", stays ? "not " : "");
  sim_free(sim, s);
}

/* A column of N spheres stands on the floor: the k-th contact from above carries k m g over two radii, that with the
 * floor N m g over one. No force goes in a loop: all are rattlers. */
static void test_column(void) {
  enum { N = 6 };
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: 1e-3, end: 1}\nmaterials: [{name: a, density: 1000}]\n"
                   "gravity: {uniform: [0, 0, -10]}\nsolver: {tolerance: 1e-11, sweeps: 100000}\ncells: {bodies: 2}\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0.5}]\n"
                   "bodies: [{single: {position: [0, 0, 0.1], radius: 0.1, material: a}}]\n"
                   "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n");
  sim_resize(s, N);
  for (int64_t i = 0; i < N; i++)
    sim_vector(initial(s)->position, i, 0., 0., 0.1 + 0.2 * (double)i);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 5);
  const struct cairn_observables o = sim_observe(sim);
  const double weight = 10. * initial(s)->mass[0], volume = 4. / 3. * SIM_PI * pow(N * 0.1, 3.);
  /* relative: the residual times the condition of the column, about (2 N/π)² */
  tap_near(o.mean_stress[2], weight * 0.1 * N * N / volume, 0., 1e-9, "column: vertical stress");
  tap_near(o.mean_pressure, o.mean_stress[2] / 3., 0., 1e-12, "no other");
  tap_near(o.diameter, 2. * N * 0.1, 0., 1e-9, "diameter");
  cmp_ok((int)o.n_rattlers, "==", N, "nothing is clamped");
  sim_free(sim, s);
}

/* What is lost to friction and impacts is what is missing: a cloud falls into a box and rests. */
static void test_dissipation(void) {
  struct cairn_scenario *s = sim_scenario(
      "method: contact_dynamics\nseed: 3\ntime: {step: 1e-3, end: 1}\nmaterials: [{name: a, density: 1000}]\n"
      "gravity: {uniform: [0, 0, -9.81]}\nsolver: {sweeps: 200}\ncells: {bodies: 30}\n"
      "interactions: [{between: [a, a], restitution: 0.3, friction: 0.5, rolling_friction: 0.1}]\n"
      "bodies: [{cloud: {count: 100, in: {box: {lower: [-0.3, -0.3, 0], upper: [0.3, 0.3, 1]}}, radius: 0.04, "
      "material: a}}]\n"
      "walls: [{plane: {normal: [0, 0, 1], material: a}}, {plane: {point: [-0.3, 0, 0], normal: [1, 0, 0], material: "
      "a, "
      "motion: {velocity: [0.1, 0, 0]}}}, {plane: {point: [0.3, 0, 0], normal: [-1, 0, 0], material: a, "
      "motion: {velocity: [0.1, 0, 0]}}}, "
      "{plane: {point: [0, 0.3, 0], normal: [0, -1, 0], material: a}}, {plane: {point: [0, -0.3, 0], normal: [0, 1, "
      "0], "
      "material: a}}]\n");
  struct cairn_simulation *sim = sim_create(s);
  const struct cairn_observables before = sim_observe(sim);
  double work = 0.;
  for (int k = 0; k < 600; k++) {
    struct cairn_wall_sample samples[5];
    sim_advance(sim, 1);
    cairn_simulation_observe_walls(sim, samples, NULL);
    /* force on the two walls that move, times how far they moved */
    work -= 1e-4 * (samples[1].force[0] + samples[2].force[0]);
  }
  const struct cairn_observables after = sim_observe(sim);
  const double lost = before.kinetic_energy + before.potential_energy + work - after.kinetic_energy -
                      after.rotational_energy - after.potential_energy;
  ok(after.dissipated_energy > 0.2 * before.potential_energy, "energy is lost in contacts: %g J",
     after.dissipated_energy);
  /* an identity of the mid-point scheme, whatever the residual: rounding of 600 sums */
  tap_near(after.dissipated_energy, lost, 0., 1e-10, "as much as is missing");
  sim_free(sim, s);
}

/* Bodies that drift along together and are at rest among each other have relative velocities of rounding alone, and
 * gaps as well: nothing is left to be solved. */
static void test_drift(const char *solver, double speed) {
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: 1e-3, end: 1}\nmaterials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], restitution: 0, cohesion: 1, cohesion_range: 1e-4}]\n"
                   "bodies: [{lattice: {counts: [5, 5, 5], spacing: 0.2, radius: 0.1, material: a,\n"
                   "          velocity: [%g, %g, %g]}}]\nsolver: {kind: %s}\ncells: {bodies: 30}\n",
                   speed, 0.7 * speed, 0.31 * speed, solver);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 30);
  cmp_ok((int)sim_observe(sim).n_unsolved, "==", 0, "%s: bodies at rest among each other, at %g m/s, are solved",
         solver, speed);
  sim_free(sim, s);
}

/* A racked triangle of balls is hit: e = 1, no friction. */
static void test_break(void) {
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: 1e-3, end: 1}\nmaterials: [{name: a, density: 1000}]\n"
                   "interactions: [{between: [a, a], restitution: 1, friction: 0}]\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: 0.1, material: a}}]\n"
                   "solver: {tolerance: 1e-12, sweeps: 100000}\ncells: {bodies: 4}\n");
  sim_resize(s, 16);
  int64_t n = 1;
  for (int row = 0; row < 5; row++)
    for (int k = 0; k <= row; k++)
      sim_vector(initial(s)->position, n++, 1. + 0.2 * row * sqrt(0.75) * (1. + 1e-9), 0.2001 * (k - 0.5 * row), 0.);
  sim_vector(initial(s)->velocity, 0, 2., 0.03, 0.);
  struct cairn_simulation *sim = sim_create(s);
  const struct cairn_observables before = sim_observe(sim);
  sim_advance(sim, 800);
  const struct cairn_observables after = sim_observe(sim);
  const double scale = before.momentum[0];
  ok(after.n_contacts == 0. && after.max_speed < 0.999 * before.max_speed, "the balls have met and parted");
  for (int k = 0; k < 3; k++)
    tap_near(after.momentum[k] / scale, before.momentum[k] / scale, 1e-12, 0., "momentum %d is conserved", k);
  tap_near(after.kinetic_energy / before.kinetic_energy, 1., 1e-10, 0., "and energy, with e = 1 and no friction");
  sim_free(sim, s);
}

/* The same bits for cells of any colouring order: workers do not matter. */
static void test_restart(const char *solver) {
  struct cairn_scenario *s = sim_scenario(
      "method: contact_dynamics\nseed: 2\ntime: {step: 2e-3, end: 1}\nmaterials: [{name: a, density: 1000}]\n"
      "gravity: {uniform: [0, 0, -9.81]}\nsolver: {kind: %s, sweeps: 20}\ncells: {bodies: 20}\n"
      "interactions: [{between: [a, a], restitution: 0.3, friction: 0.5, rolling_friction: 0.1}]\n"
      "bodies: [{cloud: {count: 150, in: {box: {lower: [-0.3, -0.3, 0], upper: [0.3, 0.3, 1]}}, radius: 0.04, "
      "material: "
      "a}}]\n"
      "walls: [{plane: {normal: [0, 0, 1], material: a}}, {cylinder: {axis: [0, 0, 1], radius: 0.45, material: a}}]\n",
      solver);
  char whole[CAIRN_DIGEST_LENGTH + 1], parts[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_simulation *sim = sim_create(s), *second = NULL;
  struct cairn_state middle = {0};
  struct cairn_error error = {0};
  sim_advance(sim, 150);
  if (cairn_state_copy(&middle, sim_state(sim), NULL))
    BAIL_OUT("out of memory");
  sim_advance(sim, 150);
  cairn_state_digest(sim_state(sim), whole);
  if (cairn_simulation_create(s, &middle, &second, &error))
    BAIL_OUT("%s", error.message);
  sim_advance(second, 150);
  cairn_state_digest(sim_state(second), parts);
  is(parts, whole, "%s: a run that goes on from a state has the same bits", solver);
  const struct cairn_observables o = sim_observe(sim);
  cmp_ok(o.n_contacts > 50., "==", 1, "with %.0f contacts", o.n_contacts);
  ok(middle.n_unsolved > 0 && sim_observe(second).n_unsolved == o.n_unsolved,
     "and has counted the same %.0f steps that were not solved", o.n_unsolved);
  cairn_state_fini(&middle);
  cairn_simulation_free(second);
  sim_free(sim, s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(2);
  test_chain("nsgs", 2.3);
  test_chain("nesterov", 1.3);
  test_slope(0.3, 0.4, true);
  test_slope(0.4 * (1. - 1e-6), 0.4, true);
  test_slope(0.5, 0.4, false);
  test_slope(1., 0.1, false);
  test_column();
  test_dissipation();
  test_break();
  const char *const solvers[] = {"nesterov", "nsgs"};
  for (int k = 0; k < 2; k++) {
    test_drift(solvers[k], 0.);
    test_drift(solvers[k], 20.);
  }
  test_restart("nsgs");
  test_restart("nesterov");
  cairn_engine_stop();
  done_testing();
}
