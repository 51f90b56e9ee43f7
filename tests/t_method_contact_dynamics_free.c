/* Assemblies that rigid bodies push: hits with closed form, conservation, guides, pistons. */
#include "wall_sim.h"

static const double G = 9.81;

/* ---- one hit ---- */

static const double M = 3., I[3] = {0.2, 0.3, 0.4}, R = 0.1, H = 1e-3;

/* A ball comes down on a plate that floats freely and touches it at (x, y), half way through the first step. */
static struct cairn_scenario *make_hit(double x, double y, const double v[3], double e, double friction,
                                       const char *freedom) {
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: %.17g, end: 1}\nmaterials: [{name: a, density: 1000}]\n"
                   "solver: {tolerance: 1e-15, sweeps: 100}\n"
                   "interactions: [{between: [a, a], restitution: %.17g, friction: %.17g}]\n"
                   "bodies: [{single: {position: [0, 0, 1], radius: %.17g, material: a}}]\n"
                   "assemblies: [{center: [0, 0, 0], mass: %.17g, inertia: [%.17g, %.17g, %.17g], free: [%s],\n"
                   "              walls: [{disk: {normal: [0, 0, 1], radius: 2, material: a}}]}]\n",
                   H, e, friction, R, M, I[0], I[1], I[2], freedom);
  /* deeper than touching by a few roundings: with restitution a gap is left alone */
  sim_vector(s->initial.position, 0, x - 0.5 * H * v[0], y - 0.5 * H * v[1], R * (1. - 1e-15) - 0.5 * H * v[2]);
  memcpy(s->initial.velocity, v, 3 * sizeof *v);
  return s;
}

static const char all[] = "x, y, z, turn_x, turn_y, turn_z";

/* Angular momentum of the first assembly about its own centre; its spin goes on changing while it turns. */
static void turning_of(const struct cairn_scenario *s, const struct cairn_state *b, double l[3]) {
  const double *q = b->assembly_orientation, inverse[4] = {-q[0], -q[1], -q[2], q[3]};
  double own[3];
  wall_turn(inverse, b->assembly_spin, own);
  for (int k = 0; k < 3; k++)
    own[k] *= s->assemblies[0].rules.inertia[k];
  wall_turn(q, own, l);
}

/* The normal impulse: (1 + e) times the speed over w = 1/m + 1/M + d_x²/I_y + d_y²/I_x. */
static void test_hit(double x, double y, double e, double friction, const char *name) {
  const double v[3] = {0., 0., -2.};
  struct cairn_scenario *s = make_hit(x, y, v, e, friction, all);
  struct cairn_simulation *sim = sim_create(s);
  const double m = s->initial.mass[0], d[2] = {x, y};
  const double p = (1. + e) * 2. / (1. / m + 1. / M + d[0] * d[0] / I[1] + d[1] * d[1] / I[0]);
  sim_advance(sim, 1);
  const struct cairn_state *b = sim_state(sim);
  tap_near(b->velocity[2], -2. + p / m, 1e-12, 0., "%s: the ball", name);
  tap_near(b->assembly_velocity[2], -p / M, 1e-12, 0., "%s: the plate", name);
  double l[3];
  turning_of(s, b, l);
  tap_near(l[0], -d[1] * p, 1e-12, 0., "%s: turns about x", name);
  tap_near(l[1], d[0] * p, 1e-12, 0., "%s: turns about y", name);
  tap_near(sim_observe(sim).dissipated_energy, 0.5 * (1. - e) * 2. * p, 1e-12, 0., "%s: what is lost", name);
  sim_free(sim, s);
}

/* A ball that lies 5 % of its radius deep in the plate: overlaps with walls that bodies push are reported too. */
static void test_overlap(void) {
  const double v[3] = {0., 0., 0.};
  struct cairn_scenario *s = make_hit(0., 0., v, 0., 0., all);
  s->initial.position[2] = 0.95 * R;
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 1);
  const struct cairn_overlaps o = cairn_simulation_overlaps(sim);
  ok(o.steps == 1 && o.a == 0 && o.b == -1, "an overlap with the plate: %lld steps, %d and %d", (long long)o.steps, o.a,
     o.b);
  tap_near(o.overlap, 0.05, 1e-12, 0., "by 5 %%");
  sim_free(sim, s);
}

/* Off the centre and aslant. Along the plate the operator is W = [3.5/m + 1/M + y²/I_z, -xy/I_z; ., 3.5/m + 1/M +
 * x²/I_z]; where the contact sticks W p = -u, else the impulse has the size μ P. */
static void test_slant(double friction, bool sticks) {
  const double x = 0.3, y = -0.2, e = 0.4, v[3] = {1., 0.5, -2.};
  struct cairn_scenario *s = make_hit(x, y, v, e, friction, all);
  struct cairn_simulation *sim = sim_create(s);
  const double m = s->initial.mass[0], normal = (1. + e) * 2. / (1. / m + 1. / M + x * x / I[1] + y * y / I[0]);
  const double wxx = 3.5 / m + 1. / M + y * y / I[2], wyy = 3.5 / m + 1. / M + x * x / I[2], wxy = -x * y / I[2];
  sim_advance(sim, 1);
  const struct cairn_state *b = sim_state(sim);
  const double px = M * b->assembly_velocity[0], py = M * b->assembly_velocity[1];
  const double ux = wxx * px + wxy * py - v[0], uy = wxy * px + wyy * py - v[1];
  const char *name = sticks ? "a slanting hit that sticks" : "a slanting hit that slides";
  tap_near(b->assembly_velocity[2], -normal / M, 1e-12, 0., "%s: normal impulse", name);
  if (sticks) {
    const double det = wxx * wyy - wxy * wxy;
    tap_near(px, (wyy * v[0] - wxy * v[1]) / det, 1e-12, 0., "%s: along x", name);
    tap_near(py, (wxx * v[1] - wxy * v[0]) / det, 1e-12, 0., "%s: along y", name);
    ok(hypot(px, py) < friction * normal, "%s: within the cone", name);
  } else {
    tap_near(hypot(px, py), friction * normal, 1e-12, 0., "%s: with the limit of friction", name);
    tap_near(px * uy - py * ux, 0., 1e-12, 0., "%s: against the slip", name);
    ok(px * ux + py * uy < 0., "%s: not along it", name);
  }
  tap_near(b->velocity[0], v[0] - px / m, 1e-12, 0., "%s: the ball loses what the plate gains", name);
  double l[3];
  turning_of(s, b, l);
  tap_near(l[2], x * py - y * px, 1e-12, 0., "%s: and it turns", name);
  sim_free(sim, s);
}

/* Guides: what is not free does not move, and the ball bounces as off a heavier plate. */
static void test_guides(void) {
  const double v[3] = {0., 0., -2.};
  struct cairn_scenario *s = make_hit(0.3, 0.1, v, 0.4, 0., "z");
  struct cairn_simulation *sim = sim_create(s);
  double m = s->initial.mass[0];
  sim_advance(sim, 1);
  tap_near(sim_state(sim)->velocity[2], -2. + 2.8 / (1. / m + 1. / M) / m, 1e-12, 0., "guided along z: no turning");
  sim_free(sim, s);
  s = make_hit(0.3, 0.1, v, 0.4, 0., "turn_y");
  sim = sim_create(s);
  sim_advance(sim, 1);
  const struct cairn_state *b = sim_state(sim);
  const double p = 2.8 / (1. / m + 0.09 / I[1]);
  tap_near(b->velocity[2], -2. + p / m, 1e-12, 0., "a flap: turns only");
  tap_near(b->assembly_spin[1], 0.3 * p / I[1], 1e-12, 0., "a flap: with the impulse");
  ok(b->assembly_velocity[2] == 0. && b->assembly_spin[0] == 0., "a flap: nothing else moves");
  sim_free(sim, s);
}

/* ---- many hits ---- */

struct balance {
  double all[6], wall[6], size[2];
};

/* Momentum and angular momentum of all grains and of the assembly. */
static struct balance balance_of(const struct cairn_scenario *s, struct cairn_simulation *sim) {
  struct balance sum = {{0.}, {0.}, {0.}};
  const struct cairn_state *b = sim_state(sim);
  for (int64_t i = -1; i < b->n; i++) {
    const struct mover mover = mover_at(s, b, i);
    const double *v = mover.v, *w = mover.w, m = mover.mass;
    double orbit[3], own[3];
    wall_cross(mover.x, v, orbit);
    for (int k = 0; k < 3; k++)
      own[k] = i < 0 ? 0. : 0.4 * m * b->radius[i] * b->radius[i] * w[k];
    if (i < 0)
      turning_of(s, b, own);
    for (int k = 0; k < 3; k++) {
      sum.all[k] += m * v[k];
      sum.all[3 + k] += m * orbit[k] + own[k];
      sum.wall[k] += i < 0 ? m * v[k] : 0.;
      sum.wall[3 + k] += i < 0 ? own[k] : 0.;
      sum.size[0] += fabs(m * v[k]);
      sum.size[1] += fabs(m * orbit[k]) + fabs(own[k]);
    }
  }
  return sum;
}

/* A thing of three shapes flies into a cloud. Grains have no friction among themselves: theirs acts at two points, an
 * overlap apart, which is a torque. */
static void test_cloud(const char *solver, int cells) {
  struct cairn_scenario *s = sim_scenario(
      "method: contact_dynamics\ntime: {end: 100, step: 1e-3}\nseed: 7\n"
      "materials: [{name: a, density: 2500}, {name: w, density: 2500}]\n"
      "solver: {kind: %s, sweeps: 60, tolerance: 1e-10}\n"
      "interactions: [{between: [a, a], restitution: 0.5, friction: 0},\n"
      "  {between: [a, w], restitution: 0.5, friction: 0.5, rolling_friction: 0.05, twisting_friction: 0.05}]\n"
      "bodies: [{cloud: {count: 150, in: {box: {lower: [0.2, -0.3, -0.3], upper: [0.6, 0.3, 0.3]}},\n"
      "                  radius: {uniform: [0.02, 0.03]}, material: a, velocity: [-2, 0.3, 0.1], speed: 0.3,\n"
      "                  spin: [3, 5, 7]}}]\n"
      "assemblies:\n"
      "  - name: ball\n    center: [0, 0, 0]\n    mass: 3\n    inertia: [0.02, 0.03, 0.04]\n"
      "    velocity: [1, 0, 0.2]\n    spin: [0.5, 1, -2]\n    free: [x, y, z, turn_x, turn_y, turn_z]\n"
      "    walls:\n"
      "      - sphere: {name: shell, center: [0, 0, 0], radius: 0.1, material: w}\n"
      "      - disk: {name: fin, center: [0.02, 0.05, 0], normal: [1, 0, 0.3], radius: 0.25, material: w}\n"
      "      - triangle: {name: wing, corner: [0.1, 0, 0], edge1: [0, 0.2, 0.1], edge2: [-0.1, 0, 0.3], material: w}\n"
      "cells: {bodies: %d}\n",
      solver, cells);
  struct cairn_simulation *sim = sim_create(s);
  const struct balance start = balance_of(s, sim);
  double off[2] = {0., 0.}, gain[2] = {0., 0.}, hits = 0.;
  for (int i = 0; i < 30; i++) {
    struct cairn_wall_sample walls[3];
    sim_advance(sim, 10);
    const struct balance now = balance_of(s, sim);
    wall_observe(sim, walls);
    hits = fmax(hits, walls[0].n_contacts + walls[1].n_contacts + walls[2].n_contacts);
    for (int k = 0; k < 6; k++) {
      off[k / 3] = fmax(off[k / 3], fabs(now.all[k] - start.all[k]) / start.size[k / 3]);
      gain[k / 3] = fmax(gain[k / 3], fabs(now.wall[k] - start.wall[k]));
    }
  }
  note("%s, %d cells: momentum off by %.1e, angular momentum by %.1e; gained %.2f kg m/s, %.3f kg m²/s, %g hits",
       solver, (int)cairn_simulation_n_cells(sim), off[0], off[1], gain[0], gain[1], hits);
  ok(gain[0] > 0.5 && gain[1] > 0.01 && hits >= 1., "%s, cloud: it is pushed and turned", solver);
  /* 300 steps of up to 60 sweeps with roundings of random sign: √(2·10⁴) × 10⁻¹⁶ of the sum of all sizes, and some */
  ok(off[0] < 1e-13, "%s, cloud: momentum is conserved (%.1e)", solver, off[0]);
  ok(off[1] < 1e-13, "%s, cloud: and angular momentum (%.1e)", solver, off[1]);
  sim_free(sim, s);
}

/* ---- at rest ---- */

/* Three balls carry a plate that slides up and down, two more stand on it. */
static struct cairn_scenario *make_stack(const char *drive, const char *solver) {
  struct cairn_scenario *s = sim_scenario(
      "method: contact_dynamics\ntime: {end: 100, step: 2e-3}\nmaterials: [{name: a, density: 2500}]\n"
      "gravity: {uniform: [0, 0, %.17g]}\nsolver: {kind: %s, tolerance: 1e-11, sweeps: 2000}\n"
      "interactions: [{between: [a, a], restitution: 0, friction: 0.3, rolling_friction: 0.1}]\n"
      "bodies: [{single: {position: [0, 0, 9], radius: 0.1, material: a}}]\n"
      "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n"
      "assemblies: [{center: [0, 0, 0.21], mass: 8, axis: [0, 0, -1], free: [along], %s,\n"
      "              walls: [{disk: {center: [0, 0, 0.21], normal: [0, 0, 1], radius: 2, material: a}}]}]\n"
      "cells: {bodies: 2}\n",
      -G, solver, drive);
  sim_resize(s, 5);
  for (int64_t i = 0; i < 3; i++)
    sim_vector(s->initial.position, i, 0.4 * cos(2. * (double)i), 0.4 * sin(2. * (double)i), 0.1);
  sim_vector(s->initial.position, 3, 0.1, 0., 0.33);
  sim_vector(s->initial.position, 4, 0.1, 0., 0.55);
  return s;
}

static void test_stack(const char *drive, const char *solver, double force, const char *name) {
  struct cairn_scenario *s = make_stack(drive, solver);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_wall_sample walls[2];
  sim_advance(sim, 300);
  wall_observe(sim, walls);
  const struct cairn_observables o = sim_observe(sim);
  const double m = s->initial.mass[0];
  note("%s: floor %.9g N, plate %.9g N, %g sweeps, residual %.1e", name, walls[0].force[2], walls[1].force[2],
       o.solver_sweeps, o.solver_residual);
  /* a residual of 1e-11 of the velocities without impulses, times the condition of the stack */
  tap_near(walls[0].force[2], -3. * m * G - force - 2. * m * G, 1e-7 * m * G, 0., "%s: the floor carries all", name);
  tap_near(walls[1].force[2], force, 1e-7 * m * G, 0., "%s: the plate is in balance", name);
  ok(fabs(walls[1].velocity[2]) < 1e-8 && o.max_speed < 1e-8, "%s: at rest (%.1e m/s)", name, o.max_speed);
  ok(walls[1].position[2] > 0.199 && walls[1].position[2] < 0.21, "%s: the plate lies on the balls", name);
  sim_free(sim, s);
}

/* A body that a wall holds is in the way of a plate: it stops the plate, and its wall feels that. */
static void test_held(void) {
  struct cairn_scenario *s = sim_scenario(
      "method: contact_dynamics\ntime: {end: 100, step: 2e-3}\nmaterials: [{name: a, density: 2500}]\n"
      "gravity: {uniform: [0, 0, %.17g]}\nsolver: {tolerance: 1e-11}\n"
      "interactions: [{between: [a, a], restitution: 0, friction: 0.3}]\n"
      "bodies: [{single: {position: [0, 0, 0.099], radius: 0.1, material: a}}]\n"
      "walls: [{disk: {normal: [0, 0, 1], radius: 1, material: a, behavior: sticky}}]\n"
      "assemblies: [{center: [0, 0, 0.3], mass: 8, free: [z],\n"
      "              walls: [{disk: {center: [0, 0, 0.3], normal: [0, 0, 1], radius: 2, material: a}}]}]\n",
      -G);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_wall_sample walls[2];
  sim_advance(sim, 300);
  wall_observe(sim, walls);
  const double weight = G * (8. + s->initial.mass[0]);
  cmp_ok(sim_state(sim)->captor[0], "==", 1, "the ball is held");
  tap_near(walls[0].force[2], -weight, 1e-9 * weight, 0., "its wall carries it and the plate");
  tap_near(walls[1].force[2], 8. * G, 1e-9 * weight, 0., "which is held up by it");
  ok(fabs(walls[1].velocity[2]) < 1e-9, "and rests");
  sim_free(sim, s);
}

/* Balls fall on a round hull from all sides; friction of rotation has no limit that matters: afterwards both turn as
 * one. The response to torques is the same in all directions, but for rounding. */
static void test_round(void) {
  double worst = 0., unsolved = 0.;
  for (int k = 0; k < 20; k++) {
    const double z = (k + 0.5) / 10. - 1., rho = sqrt(1. - z * z), n[3] = {rho * cos(2.4 * k), rho * sin(2.4 * k), z};
    struct cairn_scenario *s =
        sim_scenario("method: contact_dynamics\ntime: {step: 1e-3, end: 1}\nmaterials: [{name: a, density: 1000}]\n"
                     "solver: {tolerance: 1e-12, sweeps: 1000}\n"
                     "interactions: [{between: [a, a], restitution: 0, friction: 0, rolling_friction: 1000,\n"
                     "                twisting_friction: 1000}]\n"
                     "bodies: [{single: {position: [1, 0, 0], radius: 0.1, material: a, spin: [3, 4, 5]}}]\n"
                     "assemblies: [{center: [0, 0, 0], mass: 3, inertia: 0.2, spin: [2, -1, 3],\n"
                     "              free: [%s],\n"
                     "              walls: [{sphere: {radius: 0.2, material: a}}]}]\n",
                     all);
    sim_vector(s->initial.position, 0, 0.3505 * n[0], 0.3505 * n[1], 0.3505 * n[2]);
    sim_vector(s->initial.velocity, 0, -n[0], -n[1], -n[2]);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, 60);
    const struct cairn_state *b = sim_state(sim);
    for (int i = 0; i < 3; i++)
      worst = fmax(worst, fabs(b->spin[i] - b->assembly_spin[i]));
    unsolved += sim_observe(sim).n_unsolved;
    sim_free(sim, s);
  }
  ok(unsolved == 0. && worst < 1e-9, "a round hull and a ball that cannot roll on it turn as one (%.1e)", worst);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(2);
  test_overlap();
  test_hit(0., 0., 1., 0., "a central hit, e = 1");
  test_hit(0., 0., 0.3, 0.5, "a central hit with friction");
  test_hit(0.4, 0., 0.5, 0., "an eccentric hit");
  test_hit(0.3, -0.5, 0.5, 0., "an eccentric hit, askew");
  test_slant(3., true);
  test_slant(0.1, false);
  test_guides();
  test_cloud("nsgs", 1000);
  test_cloud("nesterov", 30);
  test_stack("force: [0, 0, 0]", "nesterov", 8. * G, "a plate with its weight");
  test_stack("force: [0, 0, -40]", "nsgs", 8. * G + 40., "a plate that is pushed down");
  test_stack("servo: {force: 120, speed: 0.1}", "nesterov", 120., "a servo");
  test_held();
  test_round();
  cairn_engine_stop();
  done_testing();
}
