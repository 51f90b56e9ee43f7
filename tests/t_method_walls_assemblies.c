/* Walls that the bodies move: momentum is conserved, pistons find their balance. */
#include "wall_sim.h"

static const double G = 9.81;

/* ---- a projectile among grains ---- */

/* Momentum and angular momentum (about the origin, spins included) of all grains and of the assembly, whose inertia is
 * the same about all axes; and the size of what is summed. */
struct balance {
  double grains[6], wall[6], size[2];
};

static struct balance balance_of(const struct cairn_scenario *s, struct cairn_simulation *sim) {
  struct balance sum = {{0.}, {0.}, {0.}};
  const struct cairn_state *b = sim_state(sim);
  const struct cairn_assembly_rules *rules = &s->assemblies[0].rules;
  for (int64_t i = -1; i < b->n; i++) {
    const struct mover mover = mover_at(s, b, i);
    const double *v = mover.v, *w = mover.w, m = mover.mass;
    const double inertia = i < 0 ? rules->inertia[0] : 0.4 * m * b->radius[i] * b->radius[i];
    double *total = i < 0 ? sum.wall : sum.grains, orbit[3];
    wall_cross(mover.x, v, orbit);
    for (int k = 0; k < 3; k++) {
      total[k] += m * v[k];
      total[3 + k] += m * orbit[k] + inertia * w[k];
      sum.size[0] += fabs(m * v[k]);
      sum.size[1] += fabs(m * orbit[k]) + fabs(inertia * w[k]);
    }
  }
  return sum;
}

static struct cairn_scenario *make_target(const char *freedom, int cells) {
  return sim_scenario(
      "time: {end: 100}\n"
      "seed: 7\n"
      "materials: [{name: a, density: 2500}]\n"
      "interactions: [{between: [a, a], stiffness: 1e4, restitution: 0.5, tangential_restitution: 0.5, friction: 0.5,\n"
      "                slip: 0.5, rolling_friction: 0.05, twisting_friction: 0.05}]\n"
      "bodies: [{cloud: {count: 150, in: {box: {lower: [0.2, -0.3, -0.3], upper: [0.6, 0.3, 0.3]}},\n"
      "                  radius: {uniform: [0.02, 0.03]}, material: a, velocity: [-2, 0.3, 0.1], speed: 0.3,\n"
      "                  spin: [3, 5, 7]}}]\n"
      "assemblies:\n"
      "  - name: ball\n"
      "    center: [0, 0, 0]\n"
      "    mass: 3\n"
      "    inertia: 0.02\n"
      "    %s\n"
      "    walls:\n"
      "      - sphere: {name: shell, center: [0, 0, 0], radius: 0.1, material: a}\n"
      "      - disk: {name: fin, center: [0.02, 0.05, 0], normal: [1, 0, 0.3], radius: 0.25, material: a}\n"
      "      - triangle: {name: wing, corner: [0.1, 0, 0], edge1: [0, 0.2, 0.1], edge2: [-0.1, 0, 0.3], material: a}\n"
      "overlap: {limit: 1}\n"
      "cells: {bodies: %d}\n",
      freedom, cells);
}

/* All six degrees of freedom. The kicks of a step are internal forces at one set of places: they change the sums by
 * nothing but rounding, and the drift along a momentum changes no angular momentum. */
static void test_free(int cells, char digest[CAIRN_DIGEST_LENGTH + 1]) {
  struct cairn_scenario *s =
      make_target("velocity: [1, 0, 0.2]\n    spin: [0.5, 1, -2]\n    free: [x, y, z, turn_x, turn_y, turn_z]", cells);
  struct cairn_simulation *sim = sim_create(s);
  const struct balance start = balance_of(s, sim);
  double off[2] = {0., 0.}, gain[2] = {0., 0.}, hits = 0.;
  for (int i = 0; i < 25; i++) {
    struct cairn_wall_sample walls[3];
    sim_advance(sim, 100);
    const struct balance now = balance_of(s, sim);
    wall_observe(sim, walls);
    hits = fmax(hits, walls[0].n_contacts + walls[1].n_contacts + walls[2].n_contacts);
    for (int k = 0; k < 6; k++) {
      const double wall = now.wall[k] - start.wall[k], grains = now.grains[k] - start.grains[k];
      off[k / 3] = fmax(off[k / 3], fabs(wall + grains) / start.size[k / 3]);
      gain[k / 3] = fmax(gain[k / 3], fabs(wall));
    }
  }
  note(
      "free, %d cells: momentum off by %.1e, angular momentum by %.1e; gained %.2f kg m/s, %.3f kg m²/s, up to %g hits",
      (int)cairn_simulation_n_cells(sim), off[0], off[1], gain[0], gain[1], hits);
  ok(hits >= 5., "free: hit by many grains at a time");
  ok(gain[0] > 0.5 && gain[1] > 0.01, "free: pushed and turned by them");
  /* 2500 steps with some tens of roundings each, of random sign, of the sum of all sizes: √(10⁵) × 10⁻¹⁶ */
  ok(off[0] < 1e-12, "free: what it gains of momentum the grains lose");
  ok(off[1] < 1e-12, "free: and of angular momentum");
  cairn_state_digest(sim_state(sim), digest);
  sim_free(sim, s);
}

/* Free along one axis only: that component is conserved, and nothing else of the assembly changes. */
static void test_one_axis(const char *freedom, const double axis[3], const char *name) {
  struct cairn_scenario *s = make_target(freedom, 40);
  struct cairn_simulation *sim = sim_create(s);
  const struct balance start = balance_of(s, sim);
  sim_advance(sim, 2000);
  const struct balance now = balance_of(s, sim);
  double total = 0., gain = 0., aside = 0., lost = 0.;
  const struct cairn_state *b = sim_state(sim);
  for (int k = 0; k < 3; k++) {
    total += axis[k] * (now.wall[k] + now.grains[k] - start.wall[k] - start.grains[k]);
    gain += axis[k] * (now.wall[k] - start.wall[k]);
    aside = fmax(aside, fabs(b->assembly_spin[k]));
  }
  for (int k = 0; k < 3; k++) {
    aside = fmax(aside, fabs(now.wall[k] - gain * axis[k]) / fabs(gain));
    lost = fmax(lost, fabs(now.grains[k] - start.grains[k] + gain * axis[k]) / start.size[0]);
  }
  note("%s: off by %.1e, gained %.2f kg m/s", name, total / start.size[0], gain);
  ok(fabs(gain) > 0.1, "%s: pushed along its axis", name);
  ok(fabs(total) < 1e-12 * start.size[0], "%s: momentum along it is conserved", name);
  ok(aside < 1e-14, "%s: it moves along it alone and does not turn", name);
  ok(lost > 1e-3, "%s: across it the guide takes momentum up", name);
  sim_free(sim, s);
}

/* ---- pistons ---- */

/* 48 grains in a box under a plate that moves up and down. */
static struct cairn_scenario *make_press(const char *drive) {
  return sim_scenario(
      "time: {end: 100}\n"
      "gravity: {uniform: [0, 0, %.17g]}\n"
      "materials: [{name: a, density: 2500}]\n"
      "interactions: [{between: [a, a], stiffness: 1e5, restitution: 0.2, tangential_restitution: 0.2, friction: 0.3,\n"
      "                slip: 1, rolling_friction: 0.02}]\n"
      "bodies: [{lattice: {origin: [-0.159, -0.159, 0.051], counts: [4, 4, 3], spacing: 0.106, jitter: 0.002,\n"
      "                    radius: {uniform: [0.045, 0.05]}, material: a}}]\n"
      "walls:\n"
      "  - plane: {normal: [0, 0, 1], material: a}\n"
      "  - plane: {point: [-0.215, 0, 0], normal: [1, 0, 0], material: a}\n"
      "  - plane: {point: [0.215, 0, 0], normal: [-1, 0, 0], material: a}\n"
      "  - plane: {point: [0, -0.215, 0], normal: [0, 1, 0], material: a}\n"
      "  - plane: {point: [0, 0.215, 0], normal: [0, -1, 0], material: a}\n"
      "assemblies:\n"
      "  - center: [0, 0, 0.33]\n"
      "    mass: 8\n"
      "    axis: [0, 0, -1]\n"
      "    free: [along]\n"
      "    %s\n"
      "    walls:\n"
      "      - rectangle: {corner: [-0.3, -0.3, 0.33], edge1: [0.6, 0, 0], edge2: [0, 0.6, 0], material: a}\n"
      "overlap: {limit: 1}\n",
      -G, drive);
}

enum { PISTON = 5 };

static void test_servo(void) {
  struct cairn_scenario *s = make_press("servo: {force: 150, speed: 0.1}");
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_wall_sample walls[6];
  double mean = 0., worst = 0., fastest = 0., reached = 0., first_speed = 0.;
  const int n = 200;
  sim_advance(sim, 20);
  wall_observe(sim, walls);
  first_speed = walls[PISTON].velocity[2];
  for (int i = 0; i < n; i++) {
    sim_advance(sim, 75);
    wall_observe(sim, walls);
    if (reached == 0. && walls[PISTON].force[2] >= 150.)
      reached = cairn_simulation_time(sim);
    fastest = fmax(fastest, fabs(walls[PISTON].velocity[2]));
    if (i < n / 2)
      continue;
    mean += walls[PISTON].force[2] / (0.5 * (double)n);
    worst = fmax(worst, fabs(walls[PISTON].force[2] / 150. - 1.));
  }
  note("servo: reached at %.2f s, then %.4g N in the mean, within %.1e of 150 N", reached, mean, worst);
  tap_near(first_speed, -0.1, 1e-15, 0., "servo: comes with its full speed while nothing pushes");
  ok(fastest <= 0.1 * (1. + 1e-12), "servo: is never faster");
  ok(reached > 0., "servo: reaches its force");
  /* the bed creeps: grains still slip past each other now and then, and each time the plate follows with a delay of
     force/(speed × stiffness of the bed), some ms */
  tap_near(mean, 150., 0., 0.01, "servo: holds its force in the mean");
  ok(worst < 0.05, "servo: within a few percent at all times");
  sim_free(sim, s);
}

static void test_piston(const char *drive, double extra, const char *name) {
  struct cairn_scenario *s = make_press(drive);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_wall_sample walls[6];
  double off = 0.;
  const double load = 8. * G + extra;
  for (int i = 0; i < 40; i++) {
    sim_advance(sim, 500);
    wall_observe(sim, walls);
    const double newton = 8. * (sim_state(sim)->assembly_acceleration[3 * PISTON + 2]) + load;
    off = fmax(off, fabs(walls[PISTON].force[2] - newton));
  }
  note("%s: force %.9g N, load %.9g N, Newton off by %.1e N, speed %.1e m/s", name, walls[PISTON].force[2], load, off,
       walls[PISTON].velocity[2]);
  ok(off < 1e-10, "%s: the force on it is m (g + a) at every step", name); /* rounding of some 100 N */
  /* what is left of its acceleration; the bed is at rest but for creep */
  tap_near(walls[PISTON].force[2], load, 0., 1e-3, "%s: settles to the balance of forces", name);
  ok(fabs(walls[PISTON].velocity[2]) < 1e-3, "%s: and to rest", name);
  ok(walls[PISTON].position[2] > 0.2 && walls[PISTON].position[2] < 0.33, "%s: on top of the bed", name);
  ok(walls[PISTON].velocity[0] == 0. && walls[PISTON].velocity[1] == 0., "%s: without moving aside", name);
  sim_free(sim, s);
}

int main(void) {
  char one[CAIRN_DIGEST_LENGTH + 1], many[CAIRN_DIGEST_LENGTH + 1];
  const double skew[3] = {2. / 7., 3. / 7., 6. / 7.};
  plan(NO_PLAN);
  sim_start(1);
  test_free(1000, one);
  test_free(30, many);
  is(many, one, "free: the same bits however the grains are dealt to cells");
  test_one_axis("free: [x]", (double[]){1., 0., 0.}, "free along x");
  test_one_axis("free: [along]\n    axis: [2, 3, 6]", skew, "free along an axis");
  test_servo();
  test_piston("force: [0, 0, 0]", 0., "a piston with its weight");
  test_piston("force: [0, 0, -40]", 40., "a piston that is pushed down");
  cairn_engine_stop();
  done_testing();
}
