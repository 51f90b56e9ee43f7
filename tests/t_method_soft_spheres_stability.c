/* Up to the step that the plan calls stable a lasting contact comes to rest, beyond it it vibrates more and more
 * (docs/physics.md, "Stability"); and the energy budget sees what comes from nothing, and nothing else. */
#include "sim.h"

#include "solvers/run/energy_budget.h"

static const char floor_of[] = "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n";

static struct cairn_scenario *scene(const char *interaction, const char *more) {
  return sim_scenario("time: {end: 1e6}\n"
                      "gravity: {uniform: [0, 0, -1]}\n"
                      "materials: [{name: a, density: 1000}]\n"
                      "interactions: [{between: [a, a], stiffness: 1e6, %s}]\n"
                      "bodies: [{single: {position: [0, 0, 1], radius: 1, material: a}}]\n"
                      "%s",
                      interaction, more);
}

/* Largest speed of the surface of a sphere that lies pressed into the floor, along the normal or across it, within 800
 * steps, over that it is pushed with: so slow that it neither leaves the floor nor slips unless the vibration grows.
 * Infinite where it flies off. */
static double growth(const char *interaction, int axis, double part) {
  enum { STEPS = 800 };
  struct cairn_scenario *s = scene(interaction, floor_of);
  struct cairn_plan plan;
  struct cairn_error error;
  if (cairn_simulation_plan(s, &plan, &error))
    BAIL_OUT("%s", error.message);
  const double sunk = s->initial.mass[0] / 1e6, push = 1e-9 * sunk / plan.stable_step;
  s->time_step = part * plan.stable_step;
  s->initial.position[2] = 1. - sunk;
  s->initial.velocity[axis] = push;
  struct cairn_simulation *sim = sim_create(s);
  double most = 0.;
  for (int step = 0; step < STEPS && isfinite(most); step++) {
    const struct cairn_state *state = sim_state(sim);
    /* rolling on is no vibration */
    const double lever = 1. - sunk, slip = state->velocity[axis] - (axis == 0 ? lever * state->spin[1] : 0.);
    most = cairn_simulation_advance(sim, 1, &error) ? (double)INFINITY : fmax(most, fabs(slip));
  }
  sim_free(sim, s);
  return most / push;
}

static void test_limit(const char *interaction, int axis) {
  const double below = growth(interaction, axis, 0.98), above = growth(interaction, axis, 1.02);
  note("%s: %.2g below, %.2g above", interaction, below, above);
  ok(below < 2., "%s, %s: below the limit nothing grows", interaction, axis ? "along the normal" : "across it");
  ok(above > 100., "beyond it it does");
}

/* With a rolling spring the limit is that of the worst case, a sphere on a plane, and its damping is added on top: the
 * step named is stable, but not the longest. */
static void test_safe(const char *interaction) {
  const double at = growth(interaction, 0, 1.);
  note("%s: %.2g at the limit named", interaction, at);
  ok(at < 3., "%s: nothing grows at the limit named", interaction); /* held by the spring, it rolls to and fro */
}

static struct cairn_observables seen(double kinetic, double potential) {
  return (struct cairn_observables){.kinetic_energy = kinetic,
                                    .potential_energy = potential,
                                    .n_bodies = 10,
                                    .total_mass = 1,
                                    .center_of_mass = {0, 0, 1},
                                    .diameter = 1};
}

static double gain_of(struct cairn_energy_budget *budget, double kinetic, double potential) {
  const struct cairn_observables now = seen(kinetic, potential);
  return cairn_energy_budget_gain(budget, &now);
}

static void test_budget(void) {
  struct cairn_scenario *s = scene("restitution: 0.5", floor_of);
  struct cairn_energy_budget budget = cairn_energy_budget_of(s);
  ok(gain_of(&budget, 1., 5.) == 0. && gain_of(&budget, 4., 1.) == 0., "a fall with losses gains nothing");
  ok(gain_of(&budget, 4., 1. + 1e-12) == 0., "rounding is no gain");
  tap_near(gain_of(&budget, 5., 2.), 2. / 5., 1e-12, 0., "2 J more, with 5 J of motion, are 40 %%");
  struct cairn_observables fewer = seen(9., 2.);
  fewer.n_bodies = 9;
  ok(cairn_energy_budget_gain(&budget, &fewer) == 0., "where a wall has taken a body it is counted anew");
  cairn_scenario_free(s);
}

static void test_closed(const char *more, bool closed, const char *what) {
  struct cairn_scenario *s = scene("restitution: 0.5", more);
  ok(cairn_energy_budget_of(s).closed == closed, "%s", what);
  cairn_scenario_free(s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_limit("restitution: 1, friction: 0", 2);
  test_limit("restitution: 0.5, friction: 0", 2);
  test_limit("restitution: 0.1, friction: 0", 2);
  test_limit("restitution: 0.9, friction: 1", 0);
  test_limit("restitution: 0.9, tangential_restitution: 0.3, friction: 1", 0);
  test_safe("restitution: 0.9, friction: 1, rolling_friction: 1");
  test_safe("restitution: 0.9, friction: 1, tangential_restitution: 0.3, rolling_friction: 1, twisting_friction: 1");
  test_budget();
  test_closed(floor_of, true, "a floor does no work");
  test_closed("walls: [{plane: {normal: [0, 0, 1], material: a, motion: {velocity: [0, 0, 1]}}}]\n", false,
              "one that moves may");
  test_closed("walls: [{plane: {normal: [0, 0, 1], material: a, appears: 1}}]\n", false, "one that appears may");
  test_closed("frame: {spin: [0, 0, 1]}\n", false, "a frame that turns is not watched");
  test_closed("method: contact_dynamics\n", false, "nor is contact dynamics");
  cairn_engine_stop();
  done_testing();
}
