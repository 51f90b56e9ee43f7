/* The step in which a wall first touches a body: found whatever the skin, with the momentum where it belongs. */
#include "sim.h"

static const char head[] = "materials: [{name: a, density: 2500}]\n"
                           "interactions: [{between: [a, a], stiffness: 1e6, restitution: 0.4, friction: 0.6}]\n";

static struct cairn_wall_sample wall_of(struct cairn_simulation *sim, int wall) {
  struct cairn_wall_sample samples[4];
  struct cairn_error error = {0};
  if (cairn_simulation_observe_walls(sim, samples, &error))
    BAIL_OUT("%s", error.message);
  return samples[wall];
}

/* The law acts from half a step before the touch on: the list must hold that long for walls as for bodies. With these
 * speeds body and wall meet just when the list for a skin of 0.1 m runs out. */
static void test_skin(void) {
  static const double skins[] = {0.03, 0.1, 0.5};
  char digests[3][CAIRN_DIGEST_LENGTH + 1];
  for (int k = 0; k < 3; k++) {
    struct cairn_scenario *s = sim_scenario(
        "time: {step: 1e-3, end: 0.2}\nmaterials: [{name: a, density: 2500}]\ncells: {skin: %g}\n"
        "interactions: [{between: [a, a], stiffness: 1e5, restitution: 0.3}]\n"
        "bodies: [{single: {position: [0, 0, 0.2002], radius: 0.1, velocity: [0, 0, -0.99], material: a}}]\n"
        "walls: [{plane: {normal: [0, 0, 1], material: a, motion: {velocity: [0, 0, 0.9999]}}}]\n",
        skins[k]);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, 200);
    cairn_state_digest(sim_state(sim), digests[k]);
    sim_free(sim, s);
  }
  is(digests[1], digests[0], "a moving wall is met in the same step with a skin of 0.1 m");
  is(digests[2], digests[0], "and with one of 0.5 m");
}

/* A held ball is pressed by a second wall: the force on the first one does not depend on the order of the two. */
static void test_order(void) {
  static const char glue[] = "{plane: {normal: [0, 0, 1], material: a, behavior: sticky}}";
  static const char press[] = "{plane: {point: [0, 0, 0.21], normal: [0, 0, -1], material: a, "
                              "motion: {velocity: [0, 0, -0.1], until: 0.105}}}";
  double force[2];
  for (int first = 0; first < 2; first++) {
    struct cairn_scenario *s =
        sim_scenario("time: {end: 0.3}\ngravity: {uniform: [0, 0, -9.81]}\n%s"
                     "bodies: [{single: {position: [0, 0, 0.1], radius: 0.1, material: a}}]\nwalls: [%s, %s]\n",
                     head, first ? glue : press, first ? press : glue);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, cairn_simulation_n_steps(0.3, cairn_simulation_step_size(sim)));
    const double pressed = wall_of(sim, first).force[2], mass = s->initial.mass[0];
    force[first] = wall_of(sim, 1 - first).force[2];
    /* at rest the glue carries the weight and what the press gives */
    tap_near(force[first], -(mass * 9.81 + pressed), 1e-9 * pressed, 0., "the glue carries weight and pressure");
    sim_free(sim, s);
  }
  ok(force[0] == force[1], "in either order of the walls");
}

/* The impulse on a sticky wall is the momentum the body loses, all of it in the step of the catch. */
static void test_sticky(void) {
  struct cairn_scenario *s = sim_scenario(
      "time: {step: 1e-4, end: 1}\n%sbodies: [{single: {position: [0, 0, 0.3], radius: 0.1, velocity: [0.5, 0, -2], "
      "material: a}}]\nwalls: [{plane: {normal: [0, 0, 1], material: a, behavior: sticky}}]\n",
      head);
  struct cairn_simulation *sim = sim_create(s);
  double impulse[3] = {0., 0., 0.};
  const double mass = s->initial.mass[0], h = cairn_simulation_step_size(sim);
  for (int step = 0; step < 1500; step++) {
    sim_advance(sim, 1);
    const struct cairn_wall_sample wall = wall_of(sim, 0);
    for (int k = 0; k < 3; k++)
      impulse[k] += h * wall.force[k];
  }
  tap_near(impulse[2], -2. * mass, 1e-12 * mass, 0., "a sticky wall takes the momentum of what it catches");
  tap_near(impulse[0], 0.5 * mass, 1e-12 * mass, 0., "along it too");
  sim_free(sim, s);
}

/* What is taken out takes its momentum with it. */
static void test_absorbing(void) {
  struct cairn_scenario *s = sim_scenario(
      "time: {step: 1e-4, end: 1}\n%sbodies: [{single: {position: [0, 0, 0.3], radius: 0.1, velocity: [0, 0, -2], "
      "material: a}}]\nassemblies: [{center: [0, 0, 0], mass: 10, free: [x, y, z], walls: [{disk: {normal: [0, 0, 1], "
      "radius: 1, material: a, behavior: absorbing}}]}]\n",
      head);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 2000);
  const struct cairn_state *state = sim_state(sim);
  ok(state->captor[0] == -1 && state->velocity[2] == -2., "the body was taken out with its velocity");
  ok(state->assembly_velocity[2] == 0., "and the free plate did not feel it");
  sim_free(sim, s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_skin();
  test_order();
  test_sticky();
  test_absorbing();
  cairn_engine_stop();
  done_testing();
}
