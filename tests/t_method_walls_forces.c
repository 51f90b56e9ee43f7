/* What the bodies do to the walls, as the files tell it: forces, and torques about the wall's reference point. */
#include "wall_sim.h"

static const double G = 9.81;

/* A sphere that stands, and one that rolls, on a plate: every step tells its weight, from the first one on, also where
 * bodies are dealt to cells anew. */
static void test_weight(double speed, const char *name) {
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100, step: 2e-4}\n"
                   "gravity: {uniform: [0, 0, %.17g]}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e6, restitution: 0.5}]\n"
                   "bodies: [{single: {position: [0, 0, 9], radius: 0.1, material: a}}]\n"
                   "walls: [{rectangle: {corner: [-0.5, -0.7, 0], edge1: [3, 0, 0], edge2: [0, 2, 0], material: a}},\n"
                   "        {plane: {point: [0, 0, -1], normal: [0, 0, 1], material: a}}]\n"
                   "overlap: {limit: 1}\n",
                   -G);
  const double weight = s->initial.mass[0] * G, height = 0.1 - weight / 1e6;
  sim_vector(s->initial.position, 0, 0.2, 0.1, height);
  sim_vector(s->initial.velocity, 0, speed, 0., 0.);
  sim_vector(s->initial.spin, 0, 0., speed / height, 0.);
  struct cairn_simulation *sim = sim_create(s);
  double off = 0., off_torque = 0., other = 0.;
  int64_t missing = 0, contacts = 0;
  enum { STEPS = 2000 };
  for (int i = 0; i <= STEPS; i++) {
    struct cairn_wall_sample walls[2];
    wall_observe(sim, walls);
    const struct cairn_state *b = sim_state(sim);
    const double arm[3] = {b->position[0] + 0.5, b->position[1] + 0.7, 0.};
    double torque[3];
    wall_cross(arm, walls[0].force, torque);
    missing += walls[0].force[2] == 0.;
    contacts += walls[0].n_contacts == 1.;
    off = fmax(off, fabs(walls[0].force[2] + weight) + fabs(walls[0].force[0]) + fabs(walls[0].force[1]));
    off_torque = fmax(off_torque, wall_distance(walls[0].torque, torque));
    other = fmax(other, fabs(walls[1].force[2]));
    sim_advance(sim, 1);
  }
  note("%s: force off by %.1e N of %.1f, torque by %.1e N m, no force in %lld looks of %d", name, off, weight,
       off_torque, (long long)missing, STEPS + 1);
  /* 1e6 N/m on a distance of 0.1 m known to 2^-53 is 1e-11 N; rolling makes no force in a steady state */
  ok(off < 1e-8, "%s: weighs m g on the plate at every step", name);
  ok(off_torque < 1e-8, "%s: with the torque r × F about its corner", name);
  cmp_ok(contacts, "==", STEPS + 1, "%s: touches it at every step", name);
  ok(other == 0., "%s: a wall that is not touched feels nothing", name);
  sim_free(sim, s);
}

/* Grains fall into a box of different shapes and come to rest. At every step the forces of all bodies add up to those
 * of the walls: Σ F(walls) = Σ m (g - a). At rest that is the weight. */
static void test_heap(void) {
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100}\n"
                   "seed: 5\n"
                   "gravity: {uniform: [1, 0, %.17g]}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e5, restitution: 0.1, tangential_restitution: 0.1,\n"
                   "                friction: 0.5, slip: 1, rolling_friction: 0.05, twisting_friction: 0.05}]\n"
                   "bodies: [{cloud: {count: 40, in: {box: {lower: [-0.2, -0.2, 0.1], upper: [0.2, 0.2, 0.6]}},\n"
                   "                  radius: {uniform: [0.03, 0.05]}, material: a}}]\n"
                   "walls:\n"
                   "  - disk: {center: [0, 0, 0.05], normal: [0.05, 0, 1], radius: 0.25, material: a}\n"
                   "  - plane: {normal: [0, 0, 1], material: a}\n"
                   "  - cylinder: {axis: [0, 0, 1], radius: 0.3, material: a}\n"
                   "  - ring: {center: [0, 0, 0.08], normal: [0, 0, 1], radius: 0.28, material: a}\n"
                   "  - point: {position: [0, 0, 0.09], material: a}\n"
                   "overlap: {limit: 1}\n"
                   "cells: {bodies: 20}\n",
                   -G);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_wall_sample walls[5];
  double off = 0., sum[3], weight = 0., last = 0.;
  for (int i = 0; i < 60; i++) {
    sim_advance(sim, i < 30 ? 37 : 1000);
    wall_observe(sim, walls);
    const struct cairn_state *b = sim_state(sim);
    double bodies[3] = {0., 0., 0.};
    weight = 0.;
    for (int64_t k = 0; k < b->n; k++) {
      weight += b->mass[k] * G;
      for (int j = 0; j < 3; j++)
        bodies[j] += b->mass[k] * (s->gravity[j] - b->acceleration[3 * k + j]);
    }
    memset(sum, 0, sizeof sum);
    for (int w = 0; w < 5; w++)
      for (int j = 0; j < 3; j++)
        sum[j] += walls[w].force[j];
    off = fmax(off, wall_distance(sum, bodies) / weight);
    last = sim_observe(sim).kinetic_energy;
  }
  note("heap: walls and bodies differ by %.1e of the weight; at the end %.9g of it, energy %.1e J", off,
       -sum[2] / weight, last);
  /* rounding of 40 bodies with some 200 contacts, whose forces are a few times the weight at impacts */
  ok(off < 1e-12, "heap: the forces on the walls are those on the bodies, at every step");
  /* at rest but for creeping: accelerations are what is left of m g */
  tap_near(sum[2], -weight, 0., 1e-3, "heap: at rest the walls carry the weight");
  tap_near(sum[0], weight / G, 0., 1e-2, "heap: and what pulls it aside");
  sim_free(sim, s);
}

/* Held bodies weigh too, and so does what lies on them. */
static void test_sticky(void) {
  struct cairn_scenario *s = sim_scenario(
      "time: {end: 100}\n"
      "gravity: {uniform: [0, 0, %.17g]}\n"
      "materials: [{name: a, density: 2500}]\n"
      "interactions: [{between: [a, a], stiffness: 1e6, restitution: 0.2, friction: 0.5}]\n"
      "bodies: [{single: {position: [0.1, 0.2, 0.1], radius: 0.1, material: a}},\n"
      "         {single: {position: [0.1, 0.2, 0.26], radius: 0.05, material: a}}]\n"
      "walls: [{disk: {center: [0.3, 0, 0], normal: [0, 0, 1], radius: 1, material: a, behavior: sticky}}]\n"
      "overlap: {limit: 1}\n",
      -G);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_wall_sample wall;
  sim_advance(sim, 20000);
  wall_observe(sim, &wall);
  const struct cairn_state *b = sim_state(sim);
  const double weight = (b->mass[0] + b->mass[1]) * G;
  cmp_ok((int)wall.n_held, "==", 1, "sticky: one is held, one lies on it");
  tap_near(wall.force[2], -weight, 0., 1e-9, "sticky: the wall carries both");
  const double arm[3] = {b->position[0] - 0.3, b->position[1], 0.}, force[3] = {0., 0., -weight};
  double torque[3];
  wall_cross(arm, force, torque);
  ok(wall_distance(wall.torque, torque) < 1e-7, "sticky: with the torque of their weight");
  sim_free(sim, s);
}

/* On a plate that oscillates, a held body pushes with m (g - a), as Newton has it. */
static void test_sticky_inertia(void) {
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100, step: 1e-4}\n"
                   "gravity: {uniform: [0, 0, %.17g]}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e6}]\n"
                   "bodies: [{single: {position: [0.1, 0.2, 0.1], radius: 0.1, material: a}}]\n"
                   "walls: [{disk: {normal: [0, 0, 1], radius: 1, material: a, behavior: sticky,\n"
                   "                motion: {oscillation: {amplitude: [0.02, 0, 0.01], frequency: 7}}}}]\n"
                   "overlap: {limit: 1}\n",
                   -G);
  struct cairn_simulation *sim = sim_create(s);
  const double rate = 2. * SIM_PI * 7., mass = s->initial.mass[0];
  double off = 0.;
  for (int i = 0; i < 50; i++) {
    struct cairn_wall_sample wall;
    sim_advance(sim, 61);
    wall_observe(sim, &wall);
    const double a = -rate * rate * sin(rate * cairn_simulation_time(sim));
    off = fmax(off, fabs(wall.force[2] + mass * (G + 0.01 * a)) + fabs(wall.force[0] + mass * 0.02 * a));
  }
  note("sticky: force of a body that is shaken off by %.1e N of %.1f", off, mass * G);
  ok(off < 1e-9 * mass * G, "sticky: what is shaken pushes with its inertia too");
  sim_free(sim, s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_weight(0., "a sphere at rest");
  test_weight(1., "a rolling sphere");
  test_heap();
  test_sticky();
  test_sticky_inertia();
  cairn_engine_stop();
  done_testing();
}
