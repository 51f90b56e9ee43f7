/* What walls do to bodies beyond pushing them: holding, taking out, letting through; walls that come and go; the edge
 * of the world. */
#include "wall_sim.h"

static const double RADIUS = 0.1, G = 9.81;

static int is_same_body(const struct cairn_state *a, int64_t i, const struct cairn_state *b, int64_t j) {
  return !memcmp(a->position + 3 * i, b->position + 3 * j, 3 * sizeof(double)) &&
         !memcmp(a->velocity + 3 * i, b->velocity + 3 * j, 3 * sizeof(double)) &&
         !memcmp(a->spin + 3 * i, b->spin + 3 * j, 3 * sizeof(double));
}

/* ---- sticky ---- */

/* A plate that spins about an axis of its own beside the body, oscillates and drifts: a body that has touched it is
 * where the pose of the plate puts its place. */
static void test_held(void) {
  const double vanish = 0.65;
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100, step: 2e-4}\n"
                   "gravity: {uniform: [0, 0, %.17g]}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e5, restitution: 0.5}]\n"
                   "bodies: [{single: {position: [0.3, 0.1, 0.3], radius: %.17g, material: a, spin: [1, 2, 3]}},\n"
                   "         {single: {position: [-0.3, 0.2, 0.5], radius: 0.05, material: a}}]\n"
                   "walls: [{disk: {center: [0.1, 0, 0], normal: [0, 0, 1], radius: 2, material: a, behavior: sticky,\n"
                   "         vanishes: %.17g, motion: {velocity: [0.1, 0, 0], spin: 2, axis: [0.1, 0.2, 1],\n"
                   "         pivot: [-0.2, 0.3, 0.1], oscillation: {amplitude: [0.01, 0, 0.03], frequency: 4}}}}]\n"
                   "overlap: {limit: 1}\n",
                   -G, RADIUS, vanish);
  struct cairn_simulation *sim = sim_create(s);
  const double h = 2e-4;
  double off = 0., off_v = 0., off_w = 0., first[3] = {0., 0., 0.}, touched = 0.;
  struct cairn_wall_sample plate;
  int64_t held = 0;
  for (int64_t step = 0; step < (int64_t)(vanish / h) - 2; step += 7) {
    sim_advance(sim, 7);
    wall_observe(sim, &plate);
    const struct cairn_state *b = sim_state(sim);
    for (int64_t i = 0; i < 2; i++) {
      if (b->captor[i] != 1)
        continue;
      double arm[3], turn[3], place[3];
      wall_turn(plate.orientation, b->capture_place + 3 * i, arm);
      wall_cross(plate.spin, arm, turn);
      held++;
      for (int k = 0; k < 3; k++) {
        place[k] = plate.position[k] + arm[k]; /* the reference point of a single wall is its assembly's position */
        off = fmax(off, fabs(b->position[3 * i + k] - place[k]));
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
  note("sticky: %lld looks at held bodies, off by %.1e m, %.1e m/s, %.1e rad/s; touched at %.4f s", (long long)held,
       off, off_v, off_w, touched);
  ok(b->captor[0] == 1 && b->captor[1] == 1, "sticky: what touches is held");
  /* rounding of positions of 1 m, of velocities of 3 m/s */
  ok(off < 4e-15, "sticky: held bodies are where the pose of the wall puts them");
  ok(off_v < 1e-14, "sticky: with the velocity of the wall there");
  ok(off_w < 1e-15, "sticky: and its spin");
  ok(!memcmp(first, b->capture_place, sizeof first), "sticky: their place on the wall never changes");
  ok(touched > 0. && b->capture_time[0] == touched, "sticky: nor does the time of the touch");
  ok(plate.n_held == 2. && plate.n_contacts == 0. && sim_observe(sim).n_held == 2., "sticky: counted as held");
  /* until the wall is gone, then free with the velocity it had: the first step begins from the held state */
  while (sim_state(sim)->time < vanish - 1.5 * h)
    sim_advance(sim, 1);
  double x[6], v[6];
  const double t = sim_state(sim)->time;
  memcpy(x, sim_state(sim)->position, sizeof x);
  memcpy(v, sim_state(sim)->velocity, sizeof v);
  cmp_ok(sim_state(sim)->captor[0], "==", 1, "sticky: held to the last step before the wall is gone");
  sim_advance(sim, 1);
  cmp_ok(sim_state(sim)->captor[0], "==", 0, "sticky: let go when it vanishes");
  ok(sim_state(sim)->capture_time[0] == 0. && sim_state(sim)->capture_place[0] == 0., "sticky: and forgotten");
  const double release = sim_state(sim)->time;
  sim_advance(sim, 500);
  double off_flight = 0.;
  for (int k = 0; k < 6; k++) {
    const double a = k % 3 == 2 ? -G : 0., seconds = sim_state(sim)->time - t;
    off_flight =
        fmax(off_flight, fabs(sim_state(sim)->position[k] - (x[k] + v[k] * seconds + 0.5 * a * seconds * seconds)));
  }
  note("sticky: released at %.4f s, flight of 0.1 s off by %.1e m", release, off_flight);
  tap_near(release, vanish, 0.6 * h, 0., "sticky: at that time");
  /* over the step of the release the wall's acceleration, up to A Ω² + ω² r = 20 + 4 m/s², acts for half a step */
  ok(off_flight < 0.1 * 0.5 * h * (G + 24.), "sticky: flies on with the velocity of the wall");
  sim_free(sim, s);
}

/* ---- absorbing ---- */

/* Bodies fall through a plate that takes out what touches: in free flight up to there. Beside them others roll on. */
static struct cairn_scenario *make_sink(int n, double plate) {
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100, step: 1e-4}\n"
                   "gravity: {uniform: [0, 0, %.17g]}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e5, restitution: 0.5, slip: 1}]\n"
                   "bodies: [{single: {position: [0, 0, 0.5], radius: %.17g, material: a}}]\n"
                   "walls: [{rectangle: {corner: [-1, -1, %.17g], edge1: [2, 0, 0], edge2: [0, 2, 0], material: a,\n"
                   "                     behavior: absorbing}},\n"
                   "        {plane: {point: [0, 0, -1], normal: [0, 0, 1], material: a}}]\n"
                   "overlap: {limit: 1}\n",
                   -G, RADIUS, plate);
  sim_resize(s, n);
  return s;
}

static void test_absorbed(void) {
  const double plate = -0.3, z0 = 0.5, h = 1e-4, v0[3] = {0.3, -0.2, 0.1}, w0[3] = {1., 2., 3.};
  struct cairn_scenario *s = make_sink(4, plate), *other;
  struct cairn_state *b = &s->initial;
  sim_vector(b->position, 0, 2.0, 0., -0.5); /* beside the plate: falls to the floor and rolls */
  sim_vector(b->velocity, 0, 0.5, 0., 0.);
  sim_vector(b->position, 1, 0., 0., z0); /* these fall on it */
  memcpy(b->velocity + 3, v0, sizeof v0);
  memcpy(b->spin + 3, w0, sizeof w0);
  sim_vector(b->position, 2, 0., 0.5, 0.7);
  sim_vector(b->position, 3, 2.5, 0.1, -0.6); /* will meet the first one */
  sim_vector(b->velocity, 3, -0.5, 0., 0.);
  other = make_sink(3, plate); /* the same without the second body */
  for (int64_t i = 0; i < 3; i++) {
    const int64_t from = i == 0 ? 0 : i + 1;
    memcpy(other->initial.position + 3 * i, b->position + 3 * from, 3 * sizeof(double));
    memcpy(other->initial.velocity + 3 * i, b->velocity + 3 * from, 3 * sizeof(double));
  }
  struct cairn_simulation *sim = sim_create(s), *without = sim_create(other);
  /* free flight to the touch: the lowest point at the plate */
  const double fall = z0 - RADIUS - plate, touch = (v0[2] + sqrt(v0[2] * v0[2] + 2. * G * fall)) / G;
  struct cairn_wall_sample walls[2];
  sim_advance(sim, (int64_t)(touch / h) - 1);
  cmp_ok(sim_state(sim)->captor[1], "==", 0, "absorbing: free before the touch");
  sim_advance(sim, 3);
  const struct cairn_state *a = sim_state(sim);
  cmp_ok(a->captor[1], "==", -1, "absorbing: taken out at the touch");
  note("absorbing: touch at %.9g s, taken out at %.9g s", touch, a->capture_time[1]);
  const double t = a->capture_time[1];
  /* the law acts from half a step before the touch on, so that it is the step nearest to it */
  tap_near(t, touch, 0.5 * h * (1. + 1e-9), 0., "absorbing: at the step nearest to the touch");
  double off = 0., off_x = 0.;
  for (int k = 0; k < 3; k++) {
    const double g = k == 2 ? -G : 0., x0 = k == 2 ? z0 : 0.;
    off = fmax(off, fabs(a->velocity[3 + k] - (v0[k] + g * t)) + fabs(a->spin[3 + k] - w0[k]));
    off_x = fmax(off_x, fabs(a->position[3 + k] - (x0 + v0[k] * t + 0.5 * g * t * t)));
  }
  note("absorbing: velocity off by %.1e m/s, position by %.1e m", off, off_x);
  ok(off < 1e-12, "absorbing: recorded with the velocity and spin of the free flight");
  ok(off_x < 1e-12, "absorbing: and where it was");
  sim_advance(sim, 5000);
  sim_advance(without, cairn_simulation_step(sim));
  wall_observe(sim, walls);
  const struct cairn_observables o = sim_observe(sim);
  cmp_ok((int)o.n_absorbed, "==", 2, "absorbing: both that fell on it are counted");
  cmp_ok((int)o.n_bodies, "==", 2, "absorbing: the others are left");
  cmp_ok((int)walls[0].n_absorbed, "==", 2, "absorbing: the plate has taken them");
  cmp_ok((int)walls[1].n_absorbed, "==", 0, "absorbing: the floor has not");
  const struct cairn_state *left = sim_state(without);
  a = sim_state(sim);
  ok(is_same_body(a, 0, left, 0) && is_same_body(a, 2, left, 1) && is_same_body(a, 3, left, 2),
     "absorbing: the others do, to the bit, what they do without it");
  const double momentum = a->mass[0] * a->velocity[0] + a->mass[3] * a->velocity[9];
  tap_near(o.momentum[0], momentum, 1e-14, 0., "absorbing: momentum is that of who is left");
  ok(a->capture_time[1] == t, "absorbing: its record stays");
  ok(a->capture_place[3] == 0. && a->capture_place[5] == 0., "absorbing: a place on the wall is not kept");
  sim_free(sim, s);
  sim_free(without, other);
}

/* Two bodies in contact when one of them is taken out: the other one goes on alone. */
static void test_absorbed_neighbour(void) {
  struct cairn_scenario *s = make_sink(2, -0.3);
  sim_vector(s->initial.position, 0, 0., 0., -0.199);
  sim_vector(s->initial.position, 1, 0., 0., -0.0005); /* presses the first one from above: 1.5 mm deep */
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 5000);
  cmp_ok((int)sim_observe(sim).n_absorbed, "==", 2, "absorbing: one after the other");
  const struct cairn_state *b = sim_state(sim);
  ok(b->capture_time[0] < b->capture_time[1], "absorbing: in order");
  sim_free(sim, s);
}

/* Nobody left: the run goes on. */
static void test_all_absorbed(void) {
  struct cairn_scenario *s = make_sink(3, -0.3);
  for (int64_t i = 0; i < 3; i++)
    sim_vector(s->initial.position, i, 0.3 * (double)i, 0., 0.1 * (double)i);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_wall_sample walls[2];
  sim_advance(sim, 20000);
  const struct cairn_observables o = sim_observe(sim);
  wall_observe(sim, walls);
  cmp_ok((int)o.n_bodies, "==", 0, "all absorbed: nobody is left");
  cmp_ok((int)o.n_absorbed, "==", 3, "all absorbed: all are counted");
  ok(o.kinetic_energy == 0. && o.max_speed == 0. && o.coordination == 0. && o.center_of_mass[2] == 0.,
     "all absorbed: no energy, no speed, no neighbours");
  cmp_ok(cairn_simulation_step(sim), "==", 20000, "all absorbed: the run goes on");
  cmp_ok((int)walls[0].n_absorbed, "==", 3, "all absorbed: by the plate");
  ok(walls[0].force[2] == 0. && walls[1].force[2] == 0., "all absorbed: nothing pushes the walls");
  struct cairn_simulation *again = NULL;
  struct cairn_error error = {0};
  char end[CAIRN_DIGEST_LENGTH + 1], resumed[CAIRN_DIGEST_LENGTH + 1];
  if (cairn_simulation_create(s, sim_state(sim), &again, &error))
    BAIL_OUT("%s", error.message);
  sim_advance(sim, 500);
  sim_advance(again, 500);
  cairn_state_digest(sim_state(sim), end);
  cairn_state_digest(sim_state(again), resumed);
  is(resumed, end, "all absorbed: also after a restart");
  cairn_simulation_free(again);
  sim_free(sim, s);
}

/* ---- frictionless ---- */

/* Slides for ever, spins for ever, and is not held by rolling friction: what it has along the wall stays. */
static void test_frictionless(void) {
  struct cairn_scenario *s = sim_scenario(
      "time: {end: 100}\n"
      "gravity: {uniform: [0, 0, %.17g]}\n"
      "materials: [{name: a, density: 2500}]\n"
      "interactions: [{between: [a, a], stiffness: 1e6, restitution: 0.5, friction: 0.5, rolling_friction: 0.1,\n"
      "                twisting_friction: 0.1}]\n"
      "bodies: [{single: {position: [0, 0, 0.15], radius: %.17g, material: a, velocity: [0.5, 0.2, 0],\n"
      "                   spin: [3, 4, 5]}}]\n"
      "walls: [{plane: {normal: [0, 0, 1], material: a, behavior: frictionless}}]\n"
      "overlap: {limit: 1}\n",
      -G, RADIUS);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 5000);
  const struct cairn_state *b = sim_state(sim);
  struct cairn_wall_sample wall;
  wall_observe(sim, &wall);
  cmp_ok(b->wall_contacts.n, "==", 1, "frictionless: stands on the wall");
  ok(b->velocity[0] == 0.5 && b->velocity[1] == 0.2, "frictionless: slides as it did, to the bit");
  ok(b->spin[0] == 3. && b->spin[1] == 4. && b->spin[2] == 5., "frictionless: spins as it did, to the bit");
  ok(wall.force[0] == 0. && wall.force[1] == 0. && wall.force[2] < 0., "frictionless: pushed along the normal alone");
  sim_free(sim, s);
}

/* ---- appears, vanishes ---- */

static void test_times(void) {
  const double h = 1e-4, vanish = 0.25, appear = 0.4;
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100, step: %.17g}\n"
                   "gravity: {uniform: [0, 0, %.17g]}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e6, restitution: 0.5}]\n"
                   "bodies: [{single: {position: [0, 0, 9], radius: %.17g, material: a}}]\n"
                   "walls: [{disk: {normal: [0, 0, 1], radius: 1, material: a, vanishes: %.17g}},\n"
                   "        {disk: {center: [0, 0, -1], normal: [0, 0, 1], radius: 1, material: a, appears: %.17g}}]\n"
                   "overlap: {limit: 1}\n",
                   h, -G, RADIUS, vanish, appear);
  const double z0 = RADIUS - s->initial.mass[0] * G / 1e6;
  sim_vector(s->initial.position, 0, 0., 0., z0);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_wall_sample walls[2];
  /* at rest on the plate: the step at 0.25 is the first without it, so that the speed is kicked to
     -g h/2 there and the fall is z0 - ½ g t² with t from half a step before */
  sim_advance(sim, 2499);
  wall_observe(sim, walls);
  ok(walls[0].active == 1. && walls[1].active == 0., "times: the plate is there, the lower one is not yet");
  tap_near(walls[0].force[2], -s->initial.mass[0] * G, 0., 1e-9, "times: the plate carries the sphere");
  ok(walls[1].force[2] == 0., "times: the other one carries nothing");
  tap_near(sim_state(sim)->position[2], z0, 1e-13, 0., "times: it stands");
  sim_advance(sim, 1);
  wall_observe(sim, walls);
  ok(walls[0].active == 0. && walls[0].force[2] == 0., "times: the plate is gone from that time on");
  double off = 0.;
  for (int i = 0; i < 5; i++) {
    sim_advance(sim, 200);
    const double t = cairn_simulation_time(sim) - vanish;
    const double v = -G * (t + 0.5 * h), z = z0 - 0.5 * G * t * (t + h);
    off = fmax(off, fmax(fabs(sim_state(sim)->velocity[2] - v), fabs(sim_state(sim)->position[2] - z)));
  }
  note("times: fall off by %.1e", off);
  ok(off < 1e-12, "times: falls freely from then on");
  sim_advance(sim, 500);
  wall_observe(sim, walls);
  ok(walls[1].active == 1., "times: the other plate has appeared");
  sim_advance(sim, 15000);
  wall_observe(sim, walls);
  tap_near(walls[1].force[2], -s->initial.mass[0] * G, 0., 1e-3, "times: and caught the sphere");
  tap_near(sim_state(sim)->position[2], z0 - 1., 1e-6, 0., "times: which rests there");
  sim_free(sim, s);
}

/* ---- the world box ---- */

static void test_world(void) {
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100, step: 1e-3}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e6}]\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: 0.1, material: a, velocity: [1, 0, 0]}},\n"
                   "         {single: {position: [0, 1, 0], radius: 0.1, material: a}},\n"
                   "         {single: {position: [0, -1, 0], radius: 0.1, material: a, velocity: [0, 0, -0.5]}}]\n"
                   "world: {lower: [-2, -2, -0.6], upper: [0.5, 2, 2]}\n");
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 400);
  sim_state(sim);
  struct cairn_escaped l = cairn_simulation_escaped(sim);
  ok(l.n == 0 && l.body == -1 && sim_observe(sim).n_outside == 0., "world: all inside at first");
  sim_advance(sim, 99); /* 0.499 m */
  ok(sim_state(sim)->position[0] < 0.5 && sim_observe(sim).n_outside == 0., "world: still inside");
  sim_advance(sim, 3); /* 0.502 m: in the middle of a list of pairs */
  cmp_ok((int)sim_observe(sim).n_outside, "==", 1, "world: one is outside");
  sim_state(sim);
  l = cairn_simulation_escaped(sim);
  ok(l.n == 1 && l.body == 0, "world: it is reported");
  l = cairn_simulation_escaped(sim);
  cmp_ok(l.n, "==", 0, "world: once");
  sim_advance(sim, 898); /* 1.4 m; the third at z = -0.7 */
  cmp_ok((int)sim_observe(sim).n_outside, "==", 2, "world: two are outside");
  tap_near(sim_state(sim)->position[0], 1.4, 1e-12, 0., "world: who has left goes on");
  l = cairn_simulation_escaped(sim);
  ok(l.n == 1 && l.body == 2, "world: the other one is reported, the first not again");
  sim_free(sim, s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_held();
  test_absorbed();
  test_absorbed_neighbour();
  test_all_absorbed();
  test_frictionless();
  test_times();
  test_world();
  cairn_engine_stop();
  done_testing();
}
