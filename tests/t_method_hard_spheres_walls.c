/* Single hard spheres and walls, in closed form: bounces in fields, moving, turning, sticky and absorbing walls,
 * several hits in one step, inelastic collapse, gravity in kicks; and what the method refuses. */
#include "sim.h"
#include "solvers/simulation/simulation_parts.h"

static const char *const HEAD = "method: hard_spheres\n"
                                "materials:\n  - {name: rock, density: 1000}\n  - {name: wall, density: 1000}\n";

/* A scenario with one or more bodies of radius 0.1 m, its interactions, walls and the rest. */
static struct cairn_scenario *make(const char *time, const char *pair, const char *rest) {
  return sim_scenario("%stime: %s\n"
                      "interactions:\n  - {between: [rock, rock], restitution: 1}\n  - {between: [rock, wall], %s}\n%s",
                      HEAD, time, pair, rest);
}

static const struct cairn_state *after(struct cairn_simulation *simulation, int64_t steps) {
  sim_advance(simulation, steps);
  return cairn_simulation_capture(simulation, NULL);
}

/* Between two planes, each with its restitution, several times in one step. */
static void test_planes(void) {
  struct cairn_scenario *scenario =
      make("{step: 1, end: 100}", "restitution: 1",
           "bodies:\n  - single: {position: [0, 0, 0.5], radius: 0.1, material: rock, velocity: [0.5, 0, 7]}\n"
           "walls:\n  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: wall}\n"
           "  - plane: {point: [0, 0, 1], normal: [0, 0, -1], material: wall}\n");
  struct cairn_simulation *simulation = sim_create(scenario);
  const struct cairn_state *state = after(simulation, 3);
  /* the centre moves over 0.8 m back and forth: 21 m from 0.5 on a path of period 1.6 */
  const double way = fmod(0.4 + 21., 1.6), z = way < 0.8 ? 0.1 + way : 0.9 - (way - 0.8);
  tap_near(state->position[2], z, 1e-12, 0., "between two planes, nine bounces in a step");
  tap_near(state->position[0], 1.5, 1e-13, 0., "along them nothing happens");
  cmp_ok(simulation->collided.wall_collisions, "==", 26, "26 bounces");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

/* Inside a cylinder the chords of an elastic bounce all have the same length and turn by the same angle. */
static void test_cylinder(void) {
  struct cairn_scenario *scenario =
      make("{step: 0.5, end: 100}", "restitution: 1",
           "bodies:\n  - single: {position: [0.3, 0, 0], radius: 0.1, material: rock, velocity: [0, 4, 0]}\n"
           "walls:\n  - cylinder: {center: [0, 0, 0], axis: [0, 0, 1], radius: 1.1, material: wall}\n");
  struct cairn_simulation *simulation = sim_create(scenario);
  const struct cairn_state *state = after(simulation, 40);
  const double *x = state->position, *v = state->velocity;
  tap_near(x[0] * v[1] - x[1] * v[0], 1.2, 0., 1e-12, "in a cylinder the angular momentum is kept");
  tap_near(v[0] * v[0] + v[1] * v[1], 16., 0., 1e-12, "and the energy");
  cmp_ok(hypot(x[0], x[1]) < 1. + 1e-12, "==", 1, "and it stays inside");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

/* A piston comes with 2 m/s: an elastic bounce adds twice its speed. */
static void test_piston(void) {
  struct cairn_scenario *scenario =
      make("{step: 0.01, end: 100}", "restitution: 1",
           "bodies:\n  - single: {position: [0, 0, 1], radius: 0.1, material: rock, velocity: [0, 0, -1]}\n"
           "walls:\n  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: wall, motion: {velocity: [0, 0, 2]}}\n");
  struct cairn_simulation *simulation = sim_create(scenario);
  const struct cairn_state *state = after(simulation, 100);
  tap_near(state->velocity[2], 5., 0., 1e-12, "a piston adds twice its speed");
  /* they meet at 0.3 s, at 0.7 m */
  tap_near(state->position[2], 0.7 + 5. * 0.7, 0., 1e-12, "at the exact time");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

/* Between an oscillating plane and a plane at rest, for long: it never gets out. */
static void test_shaker(void) {
  struct cairn_scenario *scenario =
      make("{step: 0.003, end: 100}", "restitution: 0.9, transverse_restitution: 0.5",
           "gravity: {uniform: [0, 0, -9.81]}\n"
           "bodies:\n  - single: {position: [0, 0, 0.5], radius: 0.1, material: rock, velocity: [0.1, 0, 0]}\n"
           "walls:\n  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: wall, motion: {oscillation: {amplitude: "
           "[0, 0, 0.05], frequency: 10}}}\n"
           "  - plane: {point: [0, 0, 0.6], normal: [0, 0, -1], material: wall}\n");
  struct cairn_simulation *simulation = sim_create(scenario);
  double lowest = 1., highest = 0.;
  for (int k = 0; k < 400; k++) {
    const struct cairn_state *state = after(simulation, 5);
    const double floor = 0.05 * sin(2. * SIM_PI * 10. * state->time);
    lowest = fmin(lowest, state->position[2] - 0.1 - floor);
    highest = fmax(highest, state->position[2]);
  }
  tap_near(fmin(lowest, 0.), 0., 1e-9, 0., "over an oscillating plane: never below it");
  tap_near(fmax(highest, 0.5), 0.5, 1e-9, 0., "nor above the lid");
  cmp_ok(simulation->collided.wall_collisions, ">", 50, "and it keeps bouncing");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

/* A spinning cylinder drags a body along: with εt = 0 the contact point takes the speed of the wall at once. */
static void test_drum(void) {
  struct cairn_scenario *scenario = make(
      "{step: 0.01, end: 100}", "restitution: 0.5, transverse_restitution: 0",
      "bodies:\n  - single: {position: [0, 0, 0], radius: 0.1, material: rock, velocity: [1, 0, 0]}\n"
      "walls:\n  - cylinder: {center: [0, 0, 0], axis: [0, 0, 1], radius: 1, material: wall, motion: {spin: 3}}\n");
  struct cairn_simulation *simulation = sim_create(scenario);
  const struct cairn_state *state = after(simulation, 95);
  tap_near(state->velocity[0], -0.5, 0., 1e-12, "a drum: the normal velocity is reversed with εn");
  tap_near(state->velocity[1], 2. / 7. * 3., 0., 1e-12, "two sevenths of the wall's speed become velocity");
  tap_near(state->velocity[1] + 0.1 * state->spin[2], 3., 0., 1e-12,
           "with the spin the contact point keeps up with the wall");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

/* A paddle that turns about an axis beside the body: the edge-on rectangle sweeps it away. */
static void test_paddle(void) {
  struct cairn_scenario *scenario =
      make("{step: 0.01, end: 100}", "restitution: 1",
           "bodies:\n  - single: {position: [1, 0.5, 0], radius: 0.1, material: rock}\n"
           "walls:\n  - rectangle: {corner: [0, 0, -1], edge1: [2, 0, 0], edge2: [0, 0, 2], material: wall, motion: "
           "{spin: 1, axis: [0, 0, 1]}}\n");
  struct cairn_simulation *simulation = sim_create(scenario);
  const struct cairn_state *state = after(simulation, 100);
  const double *v = state->velocity;
  /* the face reaches the body when its distance from it is a radius: 1.118 sin(θ₀ - t) = 0.1, and hits with 2 t n̂ × r
   */
  const double far = sqrt(1.25), arm = sqrt(1.25 - 0.01), t = atan2(0.5, 1.) - asin(0.1 / far);
  tap_near(sqrt(v[0] * v[0] + v[1] * v[1]), 2. * arm, 0., 1e-9,
           "a paddle throws a body with twice the speed of its face");
  tap_near(atan2(v[1], v[0]), t + SIM_PI / 2., 1e-9, 0., "along its normal at the exact time");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

static void test_capture(void) {
  struct cairn_scenario *scenario =
      make("{step: 0.01, end: 100}", "restitution: 1",
           "bodies:\n  - single: {position: [0, 0, 0.5], radius: 0.1, material: rock, velocity: [0, 0, -1]}\n"
           "  - single: {position: [3, 0, 0.5], radius: 0.1, material: rock, velocity: [-3, 0, -0.355]}\n"
           "  - single: {position: [-1, 0, 0.3], radius: 0.1, material: rock, velocity: [-2, 0, 0]}\n"
           "walls:\n  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: wall, behavior: sticky}\n"
           "  - plane: {point: [-2, 0, 0], normal: [1, 0, 0], material: wall, behavior: absorbing}\n");
  struct cairn_simulation *simulation = sim_create(scenario);
  const struct cairn_state *state = after(simulation, 150);
  cmp_ok(state->captor[0], "==", 1, "a sticky wall captures");
  tap_near(state->capture_time[0], 0.4, 0., 1e-12, "at the exact time");
  tap_near(state->position[2], 0.1, 0., 1e-12, "at the wall");
  cmp_ok(state->captor[2], "==", -2, "an absorbing wall removes");
  tap_near(state->capture_time[2], 0.45, 0., 1e-12, "at the exact time");
  cmp_ok(simulation->collided.collisions, "==", 1, "a free body hits the captured one");
  tap_near(state->velocity[0], 0., 0., 0., "which does not move");
  tap_near(state->velocity[3] * state->velocity[3] + state->velocity[5] * state->velocity[5], 9. + 0.355 * 0.355, 0.,
           1e-12, "and bounces off with all of its energy");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

/* A drum that turns about its axis captures a body in the middle of a step: it goes along from that moment on. */
static void test_capture_in_drum(void) {
  struct cairn_scenario *scenario =
      make("{step: 0.1, end: 100}", "restitution: 1",
           "bodies:\n  - single: {position: [0, 0, 0], radius: 0.1, material: rock, velocity: [1.5, 0, 0]}\n"
           "walls:\n  - cylinder: {center: [0, 0, 0], axis: [0, 0, 1], radius: 1.1, material: wall, behavior: sticky, "
           "motion: {spin: 0.8}}\n");
  struct cairn_simulation *simulation = sim_create(scenario);
  const struct cairn_state *state = after(simulation, 20);
  const double angle = 0.8 * (2. - 1. / 1.5); /* since it was captured */
  tap_near(state->capture_time[0], 1. / 1.5, 0., 1e-12, "a drum captures a body at the exact time");
  tap_near(state->position[0], cos(angle), 1e-12, 0., "and takes it along from there");
  tap_near(state->position[1], sin(angle), 1e-12, 0., "by the angle it has turned since");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

/* A body that bounces on a plane would come to rest after infinitely many bounces; it ends up hopping with the speed
 * below which collisions are elastic. */
static void test_collapse(void) {
  struct cairn_scenario *scenario = make("{step: 0.001, end: 100}", "restitution: 0.5",
                                         "gravity: {uniform: [0, 0, -9.81]}\n"
                                         "bodies:\n  - single: {position: [0, 0, 0.2], radius: 0.1, material: rock}\n"
                                         "walls:\n  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: wall}\n");
  struct cairn_simulation *simulation = sim_create(scenario);
  const struct cairn_state *state = after(simulation, 5000);
  cmp_ok(simulation->collided.slow, ">", 100, "at rest on a plane slow collisions are elastic");
  cmp_ok(fabs(state->velocity[2]) < 4. * 9.81e-3, "==", 1, "it hops with a few times g h: %g m/s", state->velocity[2]);
  cmp_ok(state->position[2] > 0.1 - 1e-12 && state->position[2] < 0.1001, "==", 1,
         "by less than a thousandth of its radius");
  tap_near(cairn_exact_sum_value(&simulation->collided.dissipated), scenario->initial.mass[0] * 9.81 * 0.1, 0., 1e-2,
           "its energy was dissipated");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

/* Two bodies in free orbit about each other: gravity acts in the kicks, and a collision reverses the approach. */
static void test_self_gravity(void) {
  struct cairn_scenario *scenario =
      sim_scenario("%stime: {step: 1, end: 1e6}\ngravity: {self: {constant: 1}}\n"
                   "interactions:\n  - {between: [rock, rock], restitution: 1}\n"
                   "bodies:\n  - single: {position: [-2, 0, 0], radius: 0.1, material: rock}\n"
                   "  - single: {position: [2, 0, 0], radius: 0.1, material: rock}\n",
                   HEAD);
  scenario->time_step = 1e-3;
  struct cairn_simulation *simulation = sim_create(scenario);
  double nearest = 4.;
  for (int k = 0; k < 400; k++) {
    const struct cairn_state *state = after(simulation, 50);
    nearest = fmin(nearest, state->position[3] - state->position[0]);
  }
  cmp_ok(simulation->collided.collisions, ">", 1, "two bodies fall onto each other and bounce, again and again");
  cmp_ok(nearest >= 0.2 - 1e-12, "==", 1, "never nearer than the sum of their radii");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

static void test_refused(void) {
  struct cairn_error error = {0};
  struct cairn_plan plan;
  struct cairn_scenario *scenario =
      make("{step: 100, end: 100}", "restitution: 1",
           "bodies:\n  - lattice: {counts: [3, 3, 3], spacing: 1, origin: [0, 0, 0], radius: 0.1, material: rock, "
           "velocity: [1, 0, 0]}\n");
  ok(cairn_simulation_plan(scenario, &plan, &error) == CAIRN_ERR_INPUT, "a step in which everything meets everything");
  ok(strstr(error.message, "everything may meet everything") != NULL, "is refused with words: %s", error.message);
  cairn_scenario_free(scenario);
  scenario =
      make("{step: 0.01, end: 1}", "restitution: 1",
           "bodies:\n  - single: {position: [0, 0, 2], radius: 0.1, material: rock}\n"
           "assemblies:\n  - {center: [0, 0, 0], mass: 1, free: [z], walls: [{sphere: {center: [0, 0, 0], radius: "
           "0.5, material: wall}}]}\n");
  ok(cairn_simulation_plan(scenario, &plan, &error) == CAIRN_ERR_INPUT, "a free assembly");
  ok(strstr(error.message, "is free; allowed") != NULL, "is refused with words: %s", error.message);
  cairn_scenario_free(scenario);
}

/* A cloud that merges as it falls onto an absorbing floor: who goes where, and what is kept. */
static void test_merging(void) {
  struct cairn_scenario *scenario = sim_scenario(
      "%stime: {step: 0.01, end: 100}\ncollisions: {outcome: merge}\n"
      "interactions: [{between: [rock, rock], restitution: 1}, {between: [rock, wall], restitution: 1}]\n"
      "bodies:\n  - cloud: {count: 60, in: {sphere: {center: [0, 0, 0], radius: 1}}, radius: {uniform: [0.05, 0.1]}, "
      "speed: 1, spin: [1, 2, 3], material: rock}\n"
      "walls:\n  - plane: {point: [0, 0, -9], normal: [0, 0, 1], material: wall, behavior: absorbing}\n",
      HEAD);
  struct cairn_simulation *simulation = sim_create(scenario);
  const struct cairn_observables first = sim_observe(simulation);
  sim_advance(simulation, 300);
  const struct cairn_observables last = sim_observe(simulation);
  const struct cairn_state *state = sim_state(simulation);
  double mass = 0.;
  int merged = 0, wrong = 0;
  for (int64_t i = 0; i < state->n; i++) {
    const int64_t into = -2 - state->captor[i]; /* one wall */
    mass += state->captor[i] == 0 ? state->mass[i] : 0.;
    merged += state->captor[i] < 0;
    wrong += state->captor[i] < 0 && (into < 0 || into >= state->n || into == i);
    wrong += state->captor[i] < 0 && !(state->capture_time[i] > 0. && state->capture_time[i] <= 3.);
    wrong += state->captor[i] == 0 &&
             fabs(state->mass[i] / (1000. * 4. / 3. * SIM_PI * pow(state->radius[i], 3.)) - 1.) > 1e-13;
  }
  diag("%d merged, %.0f counted", merged, last.n_merges);
  cmp_ok(merged, ">", 5, "bodies merge");
  cmp_ok(wrong, "==", 0, "each names who took it up and when, and the density is kept");
  tap_near(last.n_merges, merged, 0., 0., "each is counted");
  tap_near(mass, first.total_mass, 0., 1e-14, "the mass is kept");
  tap_near(last.total_mass, first.total_mass, 0., 1e-14, "in the series too");
  for (int k = 0; k < 3; k++) {
    tap_near(last.momentum[k], first.momentum[k], 1e-13 * first.total_mass, 0., "and so is momentum %d", k);
    tap_near(last.angular_momentum[k], first.angular_momentum[k], 1e-13 * first.total_mass, 0., "angular momentum %d",
             k);
  }
  const double before = first.kinetic_energy + first.rotational_energy,
               after = last.kinetic_energy + last.rotational_energy;
  tap_near(after + last.dissipated_energy, before, 0., 1e-12, "what is missing was dissipated");
  sim_free(simulation, scenario);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(2);
  test_planes();
  test_cylinder();
  test_piston();
  test_shaker();
  test_drum();
  test_paddle();
  test_capture();
  test_capture_in_drum();
  test_collapse();
  test_self_gravity();
  test_merging();
  test_refused();
  cairn_engine_stop();
  done_testing();
}
