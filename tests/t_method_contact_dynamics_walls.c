/* Rigid bodies and walls that hold them, take them out, turn them, and feel them. */
#include "wall_sim.h"

static const double RADIUS = 0.1, G = 9.81;

static const char head[] = "method: contact_dynamics\nmaterials: [{name: a, density: 2500}]\n"
                           "solver: {tolerance: 1e-12, sweeps: 1000}\n";

/* ---- sticky ---- */

/* A plate that spins about an axis of its own beside the body, oscillates and drifts: a body that has touched it is
 * where the pose of the plate puts its place, until the plate is gone. */
static void test_held(void) {
  const double vanish = 0.65, h = 2e-4;
  struct cairn_scenario *s =
      sim_scenario("%stime: {end: 100, step: %.17g}\n"
                   "gravity: {uniform: [0, 0, %.17g]}\n"
                   "interactions: [{between: [a, a], restitution: 0.5}]\n"
                   "bodies: [{single: {position: [0.3, 0.1, 0.3], radius: %.17g, material: a, spin: [1, 2, 3]}},\n"
                   "         {single: {position: [-0.3, 0.2, 0.5], radius: 0.05, material: a}}]\n"
                   "walls: [{disk: {center: [0.1, 0, 0], normal: [0, 0, 1], radius: 2, material: a, behavior: sticky,\n"
                   "         vanishes: %.17g, motion: {velocity: [0.1, 0, 0], spin: 2, axis: [0.1, 0.2, 1],\n"
                   "         pivot: [-0.2, 0.3, 0.1], oscillation: {amplitude: [0.01, 0, 0.03], frequency: 4}}}}]\n",
                   head, h, -G, RADIUS, vanish);
  struct cairn_simulation *sim = sim_create(s);
  double off = 0., off_v = 0., off_w = 0., first[3] = {0., 0., 0.}, touched = 0.;
  struct cairn_wall_sample plate;
  while (sim_state(sim)->time < vanish - 1.5 * h) {
    sim_advance(sim, 1);
    wall_observe(sim, &plate);
    const struct cairn_state *b = sim_state(sim);
    for (int64_t i = 0; i < 2; i++) {
      double arm[3], turn[3];
      if (b->captor[i] != 1)
        continue;
      wall_turn(plate.orientation, b->capture_place + 3 * i, arm);
      wall_cross(plate.spin, arm, turn);
      for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs(b->position[3 * i + k] - plate.position[k] - arm[k]));
        off_v = fmax(off_v, fabs(b->velocity[3 * i + k] - plate.velocity[k] - turn[k]));
        off_w = fmax(off_w, fabs(b->spin[3 * i + k] - plate.spin[k]));
      }
      if (i == 0 && touched == 0.) {
        touched = b->capture_time[0];
        memcpy(first, b->capture_place, sizeof first);
      }
    }
  }
  const struct cairn_state *b = sim_state(sim);
  ok(b->captor[0] == 1 && b->captor[1] == 1 && plate.n_held == 2., "sticky: what touches is held");
  /* rounding of positions of 1 m, of velocities of 3 m/s */
  ok(off < 4e-15, "sticky: where the pose of the wall puts it (%.1e)", off);
  ok(off_v < 1e-14, "sticky: with the velocity of the wall there (%.1e)", off_v);
  ok(off_w < 1e-15, "sticky: and its spin (%.1e)", off_w);
  ok(!memcmp(first, b->capture_place, sizeof first) && b->capture_time[0] == touched, "sticky: place and time stay");
  double x[6], v[6];
  const double t = b->time;
  memcpy(x, b->position, sizeof x);
  memcpy(v, b->velocity, sizeof v);
  sim_advance(sim, 500);
  b = sim_state(sim);
  cmp_ok(b->captor[0], "==", 0, "sticky: let go when the wall vanishes");
  double off_flight = 0.;
  for (int k = 0; k < 6; k++) {
    const double a = k % 3 == 2 ? -G : 0., seconds = b->time - t;
    off_flight = fmax(off_flight, fabs(b->position[k] - (x[k] + v[k] * seconds + 0.5 * a * seconds * seconds)));
  }
  /* one more step with the wall, whose acceleration is up to A Ω² + ω² r = 20 + 4 m/s² */
  ok(off_flight < 0.1 * h * (G + 24.), "sticky: flies on with the velocity of the wall (%.1e)", off_flight);
  sim_free(sim, s);
}

/* Momentum of what a wall catches, and of what hits a held body later: all of it reaches the wall, with its torque. The
 * second ball is lighter, hits the first off its centre with friction and flies on. */
static void test_impulse(int cells) {
  struct cairn_scenario *s =
      sim_scenario("%stime: {end: 100, step: 1e-3}\ncells: {bodies: %d}\n"
                   "interactions: [{between: [a, a], restitution: 0.5, friction: 0.3, rolling_friction: 0.1}]\n"
                   "bodies: [{single: {position: [0.03, 0, 0.5], radius: 0.05, velocity: [0, 0.1, -2], material: a}},\n"
                   "         {single: {position: [0, 0, 0.3], radius: 0.1, velocity: [0.5, 0, -2], material: a}}]\n"
                   "walls: [{disk: {normal: [0, 0, 1], radius: 1, material: a, behavior: sticky}}]\n",
                   head, cells);
  struct cairn_simulation *sim = sim_create(s);
  const struct cairn_state *b = sim_state(sim);
  const double h = cairn_simulation_step_size(sim);
  double impulse[6] = {0.}, start[6] = {0.}, end[6] = {0.};
  for (int late = 0; late < 2; late++) {
    double *sum = late ? end : start;
    for (int64_t i = 0; i < 2; i++) {
      double orbit[3];
      wall_cross(b->position + 3 * i, b->velocity + 3 * i, orbit);
      for (int k = 0; k < 3; k++) {
        sum[k] += b->mass[i] * b->velocity[3 * i + k];
        sum[3 + k] += b->mass[i] * (orbit[k] + 0.4 * b->radius[i] * b->radius[i] * b->spin[3 * i + k]);
      }
    }
    for (int step = 0; step < 300 && !late; step++) {
      struct cairn_wall_sample wall;
      sim_advance(sim, 1);
      wall_observe(sim, &wall);
      for (int k = 0; k < 3; k++) {
        impulse[k] += h * wall.force[k];
        impulse[3 + k] += h * wall.torque[k];
      }
    }
    b = sim_state(sim);
  }
  cmp_ok(b->captor[1] == 1 && b->captor[0] == 0 && b->velocity[2] > 0., "==", 1,
         "one is held, the other bounced off it");
  ok(fabs(b->spin[1]) > 1., "and spins (%g rad/s)", b->spin[1]);
  for (int k = 0; k < 3; k++)
    tap_near(impulse[k], start[k] - end[k], 1e-12 * fabs(start[2]), 0., "the wall takes all momentum, %c", "xyz"[k]);
  /* contacts act at the surface of the body of lower id and where the other one touches it: they are a gap or an
     overlap of up to half a step apart, here 1 mm of 0.1 m, and a body is held half a step off too */
  for (int k = 3; k < 6; k++)
    tap_near(impulse[k], start[k] - end[k], 1e-3 * fabs(start[2]), 0., "and angular momentum, %c", "xyz"[k - 3]);
  sim_free(sim, s);
}

/* A held ball carries another: the wall feels both. */
static void test_weight(void) {
  struct cairn_scenario *s =
      sim_scenario("%stime: {end: 100, step: 1e-3}\ncells: {bodies: 1}\ngravity: {uniform: [0, 0, %.17g]}\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0.3}]\n"
                   "bodies: [{single: {position: [0.4, 0.2, 0.3], radius: 0.1, material: a}},\n"
                   "         {single: {position: [0.4, 0.2, 0.09], radius: 0.1, material: a}}]\n"
                   "walls: [{rectangle: {corner: [0, 0, 0], edge1: [1, 0, 0], edge2: [0, 1, 0], material: a, behavior: "
                   "sticky}}]\n",
                   head, -G);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_wall_sample wall;
  sim_advance(sim, 400);
  wall_observe(sim, &wall);
  const double weight = G * (s->initial.mass[0] + s->initial.mass[1]);
  cmp_ok(sim_state(sim)->captor[1], "==", 1, "the lower ball is held");
  cmp_ok(sim_state(sim)->captor[0], "==", 0, "the upper one stands on it");
  tap_near(wall.force[2], -weight, 1e-10 * weight, 0., "the wall carries both");
  tap_near(wall.torque[0], -0.2 * weight, 1e-10 * weight, 0., "at the right place, x");
  tap_near(wall.torque[1], 0.4 * weight, 1e-10 * weight, 0., "at the right place, y");
  sim_free(sim, s);
}

/* ---- absorbing ---- */

static void test_absorbed(void) {
  const double plate = -0.3, z0 = 0.5, h = 1e-3, v0[3] = {0.3, -0.2, 0.1}, w0[3] = {1., 2., 3.};
  struct cairn_scenario *s =
      sim_scenario("%stime: {end: 100, step: %.17g}\ngravity: {uniform: [0, 0, %.17g]}\ncells: {bodies: 1}\n"
                   "interactions: [{between: [a, a], restitution: 0}]\n"
                   "bodies: [{single: {position: [0, 0, 0.5], radius: %.17g, material: a}}]\n"
                   "walls: [{rectangle: {corner: [-1, -1, %.17g], edge1: [2, 0, 0], edge2: [0, 2, 0], material: a,\n"
                   "                     behavior: absorbing}},\n"
                   "        {plane: {point: [0, 0, -1], normal: [0, 0, 1], material: a}}]\n",
                   head, h, -G, RADIUS, plate);
  sim_resize(s, 4);
  struct cairn_state *b = &s->initial;
  sim_vector(b->position, 0, 2.0, 0., -0.9); /* stays on the floor beside the plate */
  sim_vector(b->position, 1, 0., 0., z0);    /* these fall on it, one on top of another */
  memcpy(b->velocity + 3, v0, sizeof v0);
  memcpy(b->spin + 3, w0, sizeof w0);
  sim_vector(b->position, 2, 0., 0.5, 0.7);
  sim_vector(b->position, 3, 0., 0.5, 0.9);
  struct cairn_simulation *sim = sim_create(s);
  const double fall = z0 - RADIUS - plate, touch = (v0[2] + sqrt(v0[2] * v0[2] + 2. * G * fall)) / G;
  sim_advance(sim, 1000);
  const struct cairn_state *a = sim_state(sim);
  const double t = a->capture_time[1];
  cmp_ok(a->captor[1], "==", -1, "absorbing: taken out");
  /* the step in whose course it touches, where contacts are found, half a step after its beginning */
  tap_near(t, touch, 0.5 * h * (1. + 1e-2), 0., "absorbing: in the step of the touch");
  double off = 0., off_x = 0.;
  for (int k = 0; k < 3; k++) {
    const double g = k == 2 ? -G : 0., x0 = k == 2 ? z0 : 0., before = t - 0.5 * h;
    off = fmax(off, fabs(a->velocity[3 + k] - (v0[k] + g * before)) + fabs(a->spin[3 + k] - w0[k]));
    off_x = fmax(off_x, fabs(a->position[3 + k] -
                             (x0 + v0[k] * before + 0.5 * g * before * before + 0.5 * h * (v0[k] + g * before))));
  }
  ok(off < 1e-12, "absorbing: recorded with the velocity and spin of the free flight (%.1e)", off);
  ok(off_x < 1e-12, "absorbing: and where it was (%.1e)", off_x);
  const struct cairn_observables o = sim_observe(sim);
  struct cairn_wall_sample walls[2];
  wall_observe(sim, walls);
  ok(o.n_absorbed == 3. && o.n_bodies == 1. && walls[0].n_absorbed == 3. && walls[1].n_absorbed == 0.,
     "absorbing: all that fell on it are counted");
  ok(a->capture_time[2] < a->capture_time[3], "absorbing: one after the other");
  tap_near(walls[1].force[2], -G * a->mass[0], 1e-11 * G * a->mass[0], 0., "absorbing: who is left stands");
  ok(walls[0].force[2] == 0., "absorbing: and nothing pushes the plate");
  sim_free(sim, s);
}

/* ---- turning ---- */

/* A plate that turns takes a ball along whose rolling, twisting and friction are strong: it stands on the plate, away
 * from the axis, without rolling relative to it. */
static void test_carousel(void) {
  const double omega = 1., h = 1e-3;
  struct cairn_scenario *s = sim_scenario(
      "%stime: {end: 100, step: %.17g}\ngravity: {uniform: [0, 0, %.17g]}\n"
      "interactions: [{between: [a, a], restitution: 0, friction: 5, rolling_friction: 5,\n"
      "                twisting_friction: 5}]\n"
      "bodies: [{single: {position: [0.5, 0, %.17g], radius: %.17g, material: a, velocity: [0, 0.5, 0]}}]\n"
      "walls: [{disk: {normal: [0, 0, 1], radius: 2, material: a, motion: {spin: %.17g}}}]\n",
      head, h, -G, RADIUS, RADIUS, omega);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 1000);
  const struct cairn_state *b = sim_state(sim);
  struct cairn_wall_sample wall;
  wall_observe(sim, &wall);
  tap_near(b->spin[2], omega, 1e-10, 0., "a plate that turns: the ball twists with it");
  ok(fabs(b->spin[0]) + fabs(b->spin[1]) < 1e-10, "and does not roll (%.1e)", fabs(b->spin[0]) + fabs(b->spin[1]));
  const double r = sqrt(b->position[0] * b->position[0] + b->position[1] * b->position[1]);
  const double angle = atan2(b->position[1], b->position[0]);
  /* each step goes along a chord: the radius grows by (ω h)²/8 of itself */
  tap_near(r, 0.5, 0., 1000. * omega * omega * h * h, "it stays where it is on the plate");
  tap_near(angle, 1000. * h * omega, 1e-4, 0., "and goes round with it");
  /* what keeps it on its way: m ω² r towards the axis, whose opposite the plate feels, and its torque m g r about it */
  const double m = s->initial.mass[0], force = wall.force[0] * cos(angle) + wall.force[1] * sin(angle);
  tap_near(force, m * omega * omega * r, 0., 1e-2, "the plate feels the centrifugal force");
  tap_near(wall.torque[0] * sin(angle) - wall.torque[1] * cos(angle), -m * G * r - RADIUS * force, 0., 2e-2,
           "and the torque of weight and friction");
  sim_free(sim, s);
}

/* A wall that begins to move at once, by half a radius in a step, towards a body at rest takes it along and does not
 * get into it, whether somebody looks at every step or not. */
static void test_sudden(void) {
  double end[2][3] = {{0.}};
  for (int looks = 0; looks < 2; looks++) {
    struct cairn_scenario *s =
        sim_scenario("%stime: {end: 100, step: 1e-2}\ninteractions: [{between: [a, a], restitution: 0}]\n"
                     "bodies: [{single: {position: [0, 0, 0.13], radius: %.17g, material: a}}]\n"
                     "walls: [{plane: {normal: [0, 0, 1], material: a, motion: {from: 0.05, velocity: [0, 0, 5]}}}]\n",
                     head, RADIUS);
    struct cairn_simulation *sim = sim_create(s);
    for (int k = 0; k < 40; k++) {
      sim_advance(sim, 1);
      if (looks)
        sim_observe(sim);
    }
    const struct cairn_state *b = sim_state(sim);
    memcpy(end[looks], b->position, sizeof end[looks]);
    tap_near(b->velocity[2], 5., 1e-12, 0., "a wall begins to move: it takes the body along%s",
             looks ? ", looked at" : "");
    tap_near(b->position[2], 5. * (b->time - 0.05) + RADIUS, 1e-12, 0., "and touches it%s", looks ? ", looked at" : "");
    sim_free(sim, s);
  }
  ok(!memcmp(end[0], end[1], sizeof end[0]), "looking changes no bit");
}

int main(void) {
  plan(NO_PLAN);
  sim_start(2);
  test_held();
  test_impulse(10);
  test_impulse(1);
  test_weight();
  test_absorbed();
  test_carousel();
  test_sudden();
  cairn_engine_stop();
  done_testing();
}
