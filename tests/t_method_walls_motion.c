/* Walls that move: a plate that throws, a drum that takes along, a floor that is knocked up, a plate that goes. */
#include "contacts.h"
#include "wall_sim.h"

static const double RADIUS = 0.1, G = 9.81;

static void advance_to(struct cairn_simulation *sim, double time) {
  const int64_t step = (int64_t)(time / cairn_simulation_step_size(sim)) - cairn_simulation_step(sim);
  if (step > 0)
    sim_advance(sim, step);
}

/* ---- an oscillating plate ---- */

/* The sphere as a driven oscillator on its contact: with y the height of its lowest point above the plate,
 *   y'' + 2 β y' + ω² y = -g + A Ω² sin Ωt   while y < 0,
 * which has the steady solution y = -g/ω² + P sin Ωt + Q cos Ωt. The contact opens at its first zero. */
struct plate {
  double amplitude, rate;     /* A, m; Ω, rad/s */
  double omega2, beta2, p, q; /* ω², 2 β, P, Q */
};

static double gap(const struct plate *c, double t) {
  return -G / c->omega2 + c->p * sin(c->rate * t) + c->q * cos(c->rate * t);
}

static double gap_speed(const struct plate *c, double t) {
  return c->rate * (c->p * cos(c->rate * t) - c->q * sin(c->rate * t));
}

static struct cairn_scenario *make_plate(struct plate *c, double stiffness, double ratio) {
  const double restitution = 0.5;
  c->rate = 2. * SIM_PI * 5.;
  c->amplitude = ratio * G / (c->rate * c->rate);
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100}\n"
                   "gravity: {uniform: [0, 0, %.17g]}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: %.17g, restitution: %g}]\n"
                   "bodies: [{single: {position: [0.02, 0, 9], radius: %.17g, material: a}}]\n"
                   "walls: [{disk: {normal: [0, 0, 1], radius: 1, material: a,\n"
                   "                motion: {oscillation: {amplitude: [0, 0, %.17g], frequency: 5}}}}]\n"
                   "overlap: {limit: 1}\n",
                   -G, stiffness, restitution, RADIUS, c->amplitude);
  c->omega2 = stiffness / s->initial.mass[0];
  c->beta2 = wall_damping(restitution) * sqrt(c->omega2);
  const double drive = c->amplitude * c->rate * c->rate, a = c->omega2 - c->rate * c->rate, b = c->beta2 * c->rate;
  c->p = drive * a / (a * a + b * b);
  c->q = -drive * b / (a * a + b * b);
  sim_vector(s->initial.position, 0, 0.02, 0., RADIUS + gap(c, 0.));
  sim_vector(s->initial.velocity, 0, 0., 0., c->amplitude * c->rate + gap_speed(c, 0.));
  return s;
}

static void test_thrown(double stiffness) {
  struct plate c;
  struct cairn_scenario *s = make_plate(&c, stiffness, 2.);
  struct cairn_simulation *sim = sim_create(s);
  const double h = cairn_simulation_step_size(sim), rate = c.rate;
  const double ideal = asin(0.5) / rate; /* sin Ωt = g/(A Ω²) */
  double lower = 0., upper = 0.5 * SIM_PI / rate;
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (lower + upper);
    *(gap(&c, middle) < 0. ? &lower : &upper) = middle;
  }
  while (sim_state(sim)->wall_contacts.n > 0 && cairn_simulation_time(sim) < 1.)
    sim_advance(sim, 1);
  const double t = cairn_simulation_time(sim), delay = c.beta2 / c.omega2, ratio = rate * rate / c.omega2;
  note("thrown, k = %g: leaves at %.9g s, oscillator %.9g, stiff limit %.9g", stiffness, t, lower, ideal);
  /* seen at the first step after it; the last step of the contact is weighted, and the leapfrog's own error is a part
     (ω h)²/12 of an oscillation of 1/ω, h²ω: less than a step altogether */
  tap_near(t, lower, 1.5 * h, 0., "thrown, k = %g: leaves when its contact opens", stiffness);
  /* a soft contact follows the plate late by C/k, to second order in Ω/ω; Ωt changes by that over its cosine */
  tap_near(t, ideal, 1.1 * delay + 2. * ratio / rate + 2. * h, 0., "thrown, k = %g: where sin Ωt = g/(A Ω²)",
           stiffness);
  const struct cairn_state *b = sim_state(sim);
  const double z = b->position[2], v = b->velocity[2];
  /* with the plate's speed there, to the order of what the contact's own motion has: y' at the end */
  tap_near(v, c.amplitude * rate * cos(rate * lower) + gap_speed(&c, lower), 2. * h * G, 0.,
           "thrown, k = %g: with the velocity of plate and contact", stiffness);
  advance_to(sim, lower + 0.08);
  const double flight = cairn_simulation_time(sim) - t;
  tap_near(sim_state(sim)->position[2], z + v * flight - 0.5 * G * flight * flight, 1e-12, 0.,
           "thrown, k = %g: flies freely", stiffness); /* the leapfrog is exact for a constant force */
  sim_free(sim, s);
}

static void test_stays(void) {
  struct plate c;
  struct cairn_scenario *s = make_plate(&c, 1e6, 0.95);
  struct cairn_simulation *sim = sim_create(s);
  const double h = cairn_simulation_step_size(sim);
  double off = 0.;
  struct cairn_wall_sample plate;
  for (int i = 0; i < 200; i++) {
    sim_advance(sim, 61);
    wall_observe(sim, &plate);
    off =
        fmax(off, fabs(sim_state(sim)->position[2] - plate.position[2] - RADIUS - gap(&c, cairn_simulation_time(sim))));
  }
  const struct cairn_state *b = sim_state(sim);
  note("stays: %.2f periods, gap off by %.1e m of %.1e, age %u of %lld", cairn_simulation_time(sim) * 5., off,
       G / c.omega2, b->wall_contacts.n ? touch_of(b, 0)->age : 0, (long long)b->step);
  cmp_ok(b->wall_contacts.n, "==", 1, "A Ω² < g: stays");
  cmp_ok(touch_of(b, 0)->age, ">=", b->step, "A Ω² < g: without a break");
  /* the leapfrog has the frequency ω (1 + (ω h)²/24): with 50 steps to a contact, ω h = π/50 or less; the damping is
     taken from a predicted velocity, one order less: a part ω h of the amplitude A Ω²/ω² covers both */
  ok(off < G / c.omega2 * sqrt(c.omega2) * h, "A Ω² < g: and rides as a driven oscillator");
  sim_free(sim, s);
}

/* ---- a drum ---- */

enum { DRUM_RADIUS = 1 };
static const double OMEGA = 3.; /* rad/s */

static struct cairn_simulation *make_drum(const char *law, const char *gravity, double angle, double speed, double spin,
                                          struct cairn_scenario **scenario) {
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100}\n"
                   "gravity: {uniform: %s}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e6, restitution: 0.5, tangential_restitution: 0.1,\n"
                   "                slip: 1, %s}]\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: %.17g, material: a}}]\n"
                   "walls: [{cylinder: {axis: [0, 1, 0], radius: %d, material: a, motion: {spin: %.17g}}}]\n"
                   "overlap: {limit: 1}\n",
                   gravity, law, RADIUS, DRUM_RADIUS, OMEGA);
  /* below the axis, `angle` towards -x, which is where the wall goes to; moving along with the wall */
  const double d = DRUM_RADIUS - RADIUS;
  sim_vector(s->initial.position, 0, -d * sin(angle), 0., -d * cos(angle));
  sim_vector(s->initial.velocity, 0, -speed * cos(angle), 0., speed * sin(angle));
  sim_vector(s->initial.spin, 0, 0., spin, 0.);
  *scenario = s;
  return sim_create(s);
}

/* Distance from the axis, speed round it (along with the wall), and slip of the surfaces at the contact. */
struct ride {
  double d, v, slip;
};

static struct ride ride_of(struct cairn_simulation *sim) {
  const struct cairn_state *b = sim_state(sim);
  const double *x = b->position, *v = b->velocity, d = sqrt(x[0] * x[0] + x[2] * x[2]);
  const double along = (v[0] * x[2] - v[2] * x[0]) / d; /* y × x / d is (z, 0, -x)/d */
  /* the contact is at the wall: the lever arm is what is left between it and the centre */
  return (struct ride){d, along, along + b->spin[1] * (DRUM_RADIUS - d) - OMEGA * DRUM_RADIUS};
}

/* No gravity: its own circling presses the sphere on the wall. Friction J brings m v up by J and I ω by J l until the
 * surfaces have the same velocity: v = v0 + (Ω R - v0 - ω0 l)/(1 + m l²/I). */
static void test_drum_spins_up(void) {
  struct cairn_scenario *s;
  struct cairn_simulation *sim = make_drum("friction: 0.3", "[0, 0, 0]", 0., 1., 0., &s);
  advance_to(sim, 6.);
  const struct ride r = ride_of(sim);
  const double l = DRUM_RADIUS - r.d, m = s->initial.mass[0], inertia = 0.4 * m * RADIUS * RADIUS;
  const double v = 1. + (OMEGA * DRUM_RADIUS - 1.) / (1. + m * l * l / inertia);
  note("drum: v = %.9g m/s, expected %.9g, slip %.1e m/s", r.v, v, r.slip);
  /* circling is steady: the law finds no slip. It goes by the velocity predicted with the acceleration of the step
     before, which on a circle points ahead by the part (rate h)²/2: by that the velocity at the step is behind */
  const double turn = r.v / r.d * cairn_simulation_step_size(sim);
  tap_near(r.slip, -0.5 * turn * turn * r.v, 1e-9, 0., "drum: the surfaces move together at the end");
  /* the lever arm is shorter by the overlap, which grows from that of the first speed to that of the last */
  tap_near(r.v, v, 0., m * v * v / (1e6 * r.d) / RADIUS + 1e-3, "drum: with the speed that friction gives");
  ok(r.v > 1.2, "drum: faster than at the start");
  sim_free(sim, s);
}

/* With rolling friction, in the frame of the drum it rolls ever more slowly until it is at rest there: it goes round as
 * if glued on, v = Ω d and ω = Ω. */
static void test_drum_carries(void) {
  struct cairn_scenario *s;
  struct cairn_simulation *sim = make_drum("friction: 0.5, rolling_friction: 0.3", "[0, 0, 0]", 0., 2., 5., &s);
  advance_to(sim, 6.);
  const struct ride r = ride_of(sim);
  const double spin = sim_state(sim)->spin[1], d = r.d;
  const double x = sim_state(sim)->position[0], z = sim_state(sim)->position[2];
  const double turn = OMEGA * cairn_simulation_step_size(sim), error = 0.5 * turn * turn * r.v;
  note("drum with rolling friction: v - Ω d = %.1e, ω - Ω = %.1e", r.v - OMEGA * r.d, spin - OMEGA);
  /* the capped friction takes a quarter of the rolling in every step: it ends after some tens of them. The law
     goes by a velocity that is ahead by (Ω h)² v/2 on a circle (see above): the sphere creeps with part of that */
  tap_near(r.v, OMEGA * r.d, error, 0., "drum with rolling friction: at rest on the wall");
  tap_near(spin, OMEGA, 1e-9, 0., "drum with rolling friction: turning with it");
  const double t = cairn_simulation_time(sim);
  advance_to(sim, 8.);
  const double seconds = cairn_simulation_time(sim) - t, a = OMEGA * seconds; /* turned about y: x to -z */
  const double *now = sim_state(sim)->position;
  tap_near(now[0], x * cos(a) + z * sin(a), error * seconds, 0., "drum with rolling friction: goes round with it");
  tap_near(now[2], z * cos(a) - x * sin(a), error * seconds, 0., "drum with rolling friction: in z too");
  tap_near(ride_of(sim).d, d, 1e-9, 0., "drum with rolling friction: at the same distance");
  sim_free(sim, s);
}

/* With gravity it stands still in space: friction m g sin θ at the rim turns it against rolling friction μ_r N l, where
 * N = m g cos θ. That is at tan θ = μ_r, on the side that the wall goes up. It is a steady state for the sphere that
 * rolls without slip; damped by the tangential law only, it is started there. */
static void test_drum_lifts(void) {
  struct cairn_scenario *s;
  const double mu = 0.2, l = RADIUS, angle = atan(mu);
  struct cairn_simulation *sim =
      make_drum("friction: 0.8, rolling_friction: 0.2", "[0, 0, -9.81]", angle, 0., OMEGA * DRUM_RADIUS / l, &s);
  double mean = 0.;
  const int n = 400;
  advance_to(sim, 1.);
  for (int i = 0; i < n; i++) { /* over whole swings, about 2 s long */
    advance_to(sim, 1. + 2. * SIM_PI * sqrt(1.4 * 0.9 / 9.81 / cos(angle)) * 2. * (double)(i + 1) / (double)n);
    const double *x = sim_state(sim)->position;
    mean += atan2(-x[0], -x[2]) / (double)n;
  }
  const struct ride r = ride_of(sim);
  note("drum with gravity: stands at %.6g rad, atan μ_r is %.6g, slip %.1e m/s", mean, angle, r.slip);
  /* what is left of the start, where the spring was slack, swings about it with about the overlap's 1 mm of 0.9 m */
  tap_near(mean, angle, 2e-3, 0., "drum with gravity: is lifted to tan θ = μ_r");
  tap_near(r.slip, 0., 1e-3, 0., "drum with gravity: rolling without slip");
  sim_free(sim, s);
}

/* ---- knocks ---- */

/* The k-th knock moves the floor by velocity × duration × min(1, k/ramp), and it stays there. */
static void test_knocks(void) {
  const double speed = 0.3, duration = 0.01, period = 0.04;
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100, step: 1e-4}\n"
                   "gravity: {uniform: [0, 0, -9.81]}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e5, restitution: 0.2}]\n"
                   "bodies: [{single: {position: [0, 0, 0.1], radius: 0.1, material: a}}]\n"
                   "walls: [{rectangle: {corner: [-1, -1, 0], edge1: [2, 0, 0], edge2: [0, 2, 0], material: a,\n"
                   "         motion: {knocks: {velocity: [0, 0.1, %g], duration: %g, period: %g, ramp: 3}}}}]\n"
                   "overlap: {limit: 1}\n",
                   speed, duration, period);
  struct cairn_simulation *sim = sim_create(s);
  double height = 0., off = 0., moving = 0., resting = 0.;
  for (int k = 1; k <= 8; k++) {
    const double part = k < 3 ? (double)k / 3. : 1.;
    struct cairn_wall_sample floor;
    sim_advance(sim, 50); /* half of the knock */
    wall_observe(sim, &floor);
    off = fmax(off, fabs(floor.position[2] - (height + 0.5 * speed * part * duration)));
    moving = fmax(moving, fabs(floor.velocity[2] - speed * part) + fabs(floor.velocity[1] - 0.1 * part));
    height += speed * part * duration;
    sim_advance(sim, 200);
    wall_observe(sim, &floor);
    off = fmax(off, fabs(floor.position[2] - height));
    off = fmax(off, fabs(floor.position[1] - (-1. + height / 3.)));
    resting = fmax(resting, fabs(floor.velocity[2]));
    sim_advance(sim, 150);
  }
  note("knocks: off by %.1e m", off);
  /* closed form: rounding of times and sums */
  ok(off < 1e-14, "each knock moves the floor by its velocity times its duration, the first ones by less");
  ok(moving < 1e-15, "it moves with the velocity of the knock");
  ok(resting == 0., "and rests between them");
  tap_near(sim_state(sim)->position[2], height + RADIUS, 0.05, 0., "what stands on it has come along");
  ok(sim_state(sim)->position[2] > 0.1 + height - 2e-3, "on top");
  sim_free(sim, s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_thrown(1e5);
  test_thrown(1e7);
  test_stays();
  test_drum_spins_up();
  test_drum_carries();
  test_drum_lifts();
  test_knocks();
  cairn_engine_stop();
  done_testing();
}
