/* One sphere on a plane: rolling, sliding, rolling friction, twisting friction. It starts in equilibrium with the
 * plane, so that the normal force is its weight's share from the first step on. */
#include "sim.h"

#include "kernels/soft/contact.h"

static const double G = 9.81, RADIUS = 0.1;

struct plane_case {
  double angle;     /* rad, of the slope */
  double stiffness; /* N/m */
  double step;      /* s; 0: auto */
  const char *law;  /* the rest of the interaction */
  const char *more; /* keys of the top level, or NULL */
};

struct plane_run {
  struct cairn_scenario *scenario;
  struct cairn_simulation *sim;
  double mass, inertia, load, overlap, lever, down[3];
};

/* `speed` downhill and `spin` about y turn into each other where the sphere rolls; `twist` is about the normal. */
static struct plane_run start(const struct plane_case *c, double speed, double spin, double twist) {
  const double s = sin(c->angle), k = cos(c->angle);
  struct plane_run r = {.scenario =
                            sim_scenario("time: {end: 100}\n%s"
                                         "gravity: {uniform: [0, 0, %.17g]}\n"
                                         "materials: [{name: a, density: 2500}]\n"
                                         "interactions: [{between: [a, a], stiffness: %.17g, %s}]\n"
                                         "bodies: [{single: {position: [0, 0, 1], radius: %.17g, material: a}}]\n"
                                         "walls: [{plane: {normal: [%.17g, 0, %.17g], material: a}}]\n"
                                         "overlap: {limit: 1}\n",
                                         c->more ? c->more : "", -G, c->stiffness, c->law, RADIUS, s, k)};
  struct cairn_state *b = &r.scenario->initial;
  r.scenario->time_step = c->step;
  r.mass = b->mass[0];
  r.inertia = 0.4 * r.mass * RADIUS * RADIUS;
  r.load = r.mass * G * k;
  r.overlap = r.load / c->stiffness;
  r.lever = RADIUS - r.overlap;
  memcpy(r.down, (double[]){k, 0., -s}, sizeof r.down);
  sim_vector(b->position, 0, r.lever * s, 0., r.lever * k);
  sim_vector(b->velocity, 0, speed * k, 0., -speed * s);
  sim_vector(b->spin, 0, twist * s, spin, twist * k);
  r.sim = sim_create(r.scenario);
  return r;
}

static double speed_of(struct plane_run *r) {
  const double *v = sim_state(r->sim)->velocity;
  return v[0] * r->down[0] + v[2] * r->down[2];
}

static double spin_of(struct plane_run *r) { return sim_state(r->sim)->spin[1]; }

static double twist_of(struct plane_run *r) {
  const double *w = sim_state(r->sim)->spin;
  return -w[0] * r->down[2] + w[2] * r->down[0];
}

static void advance_to(struct plane_run *r, double time) {
  const double h = cairn_simulation_step_size(r->sim);
  sim_advance(r->sim, (int64_t)(time / h) - cairn_simulation_step(r->sim));
}

static void end(struct plane_run *r) { sim_free(r->sim, r->scenario); }

/* Below the limit tan θ = 7/2 μ the sphere rolls. m v l + I ω = m g sin θ l t holds whatever the friction does, and
 * v = ω l once the tangential spring is at rest: v = g sin θ t / (1 + I/(m l²)), which is 5/7 g sin θ t for l = r. */
static void test_rolls(double tangent) {
  const struct plane_case c = {atan(tangent), 1e7, 0.,
                               "restitution: 0.5, tangential_restitution: 0.1, friction: 0.5, slip: 1", NULL};
  struct plane_run r = start(&c, 0., 0., 0.);
  advance_to(&r, 0.5);
  const double t = cairn_simulation_time(r.sim), v = speed_of(&r);
  const double a = G * sin(c.angle) / (1. + r.inertia / (r.mass * r.lever * r.lever));
  note("slope %g: acceleration off by %.1e, from 5/7 g sin θ by %.1e, slip %.1e m/s", tangent, v / (a * t) - 1.,
       v / t / (5. / 7. * G * sin(c.angle)) - 1., v - spin_of(&r) * r.lever);
  /* theory is exact and the leapfrog is exact for constant forces; the tangential spring has died down by then */
  tap_near(v / t, a, 0., 1e-9, "slope %g: accelerates as a rolling sphere", tangent);
  tap_near(spin_of(&r) * r.lever, v, 0., 1e-9, "slope %g: without slip", tangent);
  /* l = r - x: 5/7 is off by 4/7 x/r */
  tap_near(v / t, 5. / 7. * G * sin(c.angle), 0., r.overlap / RADIUS, "slope %g: 5/7 g sin θ", tangent);
  end(&r);
}

/* Above the limit it slides, and friction is μ N from the first slip on. */
static void test_slides(double tangent, double b, double from, double to, const char *name) {
  char law[160];
  snprintf(law, sizeof law, "restitution: 0.5, tangential_restitution: %g, friction: 0.1, slip: %g", b > 0. ? 0.5 : 1.,
           b);
  const struct plane_case c = {atan(tangent), 1e7, 0., law, NULL};
  struct plane_run r = start(&c, 0., 0., 0.);
  advance_to(&r, from);
  const double t0 = cairn_simulation_time(r.sim), v0 = speed_of(&r), w0 = spin_of(&r);
  advance_to(&r, to);
  const double t = cairn_simulation_time(r.sim) - t0, a = (speed_of(&r) - v0) / t, alpha = (spin_of(&r) - w0) / t;
  note("%s: acceleration %.12g, angular %.12g", name, a, alpha);
  /* constant forces: nothing but rounding, of which the normal force has most */
  tap_near(a, G * (sin(c.angle) - 0.1 * cos(c.angle)), 0., 1e-9, "%s: slides with g (sin θ - μ cos θ)", name);
  tap_near(alpha, 0.1 * r.load * r.lever / r.inertia, 0., 1e-9, "%s: spun by μ N l / I", name);
  end(&r);
}

/* With b = 0 each slip forgets the spring, which must be stretched again from nothing: friction runs as a saw-tooth
 * from 0 to μ N, half of it in the mean, as long as a step u h is short against the stretch μ N / k_t. Over n steps per
 * tooth the mean is (1/2 + 1/(2n)) μ N and the slip itself adds about another 1/(2n); here n is 100 to 30. */
static void test_saw_tooth(void) {
  const struct plane_case c = {SIM_PI / 6., 1e7, 1e-6,
                               "restitution: 0.5, tangential_restitution: 1, friction: 0.1, slip: 0", NULL};
  struct plane_run r = start(&c, 0., 0., 0.);
  advance_to(&r, 0.01);
  const double t0 = cairn_simulation_time(r.sim), v0 = speed_of(&r);
  advance_to(&r, 0.03);
  const double a = (speed_of(&r) - v0) / (cairn_simulation_time(r.sim) - t0);
  const double friction = (G * sin(c.angle) - a) / (0.1 * G * cos(c.angle));
  note("b = 0, slow: mean friction is %.4f of μ N", friction);
  tap_near(friction, 0.5, 0.03, 0., "b = 0, slow: half of Coulomb's friction in the mean");
  end(&r);
}

/* The viscous law. Rolling on the level: F on the rim and M = μ_r N l against the spin give a = -μ_r g / (1 + I/(m
 * l²)), 5/7 μ_r g for l = r, from the step on in which the contact is older than τ_overlap. */
static void test_rolling_friction(void) {
  const double mu = 0.05, v0 = 0.5;
  struct plane_case c = {
      0., 1e7, 0., "restitution: 0.5, tangential_restitution: 0.1, friction: 0.5, slip: 1, rolling_friction: 0.05",
      "rolling_law: viscous\n"};
  const double l = log(0.5), xi2 = l * l / (SIM_PI * SIM_PI + l * l), mass = 2500. * 4. / 3. * SIM_PI * pow(RADIUS, 3.);
  c.step = SIM_PI * sqrt(mass / (c.stiffness * (1. - xi2))) / 50.5; /* τ_overlap lies between two steps */
  struct plane_run r = start(&c, v0, v0 / (RADIUS - mass * G / c.stiffness), 0.);
  const double h = c.step, a = mu * G / (1. + r.inertia / (r.mass * r.lever * r.lever));
  sim_advance(r.sim, 50);
  tap_near(speed_of(&r), v0, 0., 1e-12, "contacts younger than τ_overlap roll freely"); /* rounding of 50 steps */
  sim_advance(r.sim, 10);
  ok(speed_of(&r) < v0 * (1. - 1e-6), "older ones do not");
  advance_to(&r, 0.5 * v0 / a);
  const double t = cairn_simulation_time(r.sim), v = speed_of(&r);
  note("rolling friction: deceleration off by %.1e", (v0 - v) / (a * (t - 50.5 * h)) - 1.);
  /* friction begins within the step between ages of 50 and 51: half a step of some thousands */
  tap_near(v0 - v, a * (t - 50.5 * h), a * h, 0., "decelerates by 5/7 μ_r g");
  tap_near(v0 - v, 5. / 7. * mu * G * t, 0., 0.02, "that is 5/7 μ_r g"); /* the young contact: 1 % of the time */
  advance_to(&r, v0 / a - 20. * h);
  ok(speed_of(&r) > 0., "still rolls just before v/a");
  advance_to(&r, v0 / a + 0.2);
  const double speed = speed_of(&r), place = sim_state(r.sim)->position[0];
  note("at rest: speed %.1e, spin %.1e; way %.9g, expected %.9g", speed, spin_of(&r), place,
       0.5 * v0 * v0 / a + v0 * 50.5 * h);
  /* what is left of the spring's last swing falls by a factor per step; far below this after 0.2 s */
  ok(fabs(speed) < 1e-12 && fabs(spin_of(&r)) < 1e-11, "then it is at rest");
  tap_near(place, 0.5 * v0 * v0 / a + v0 * 50.5 * h, v0 * h, 0., "where ½ v²/a ends");
  advance_to(&r, v0 / a + 1.);
  tap_near(sim_state(r.sim)->position[0], place, 1e-12, 0., "and stays there");
  end(&r);
}

/* On a slope below μ_r rolling friction could hold the sphere. Near rest the law is a viscous torque that takes a part
 * CAIRN_CONTACT_STOP of the spin per step, so that the sphere creeps down with ω = m g sin θ l h / (CAIRN_CONTACT_STOP
 * I), for l = r with 10 g h sin θ: it vanishes with the step. */
static void test_creep(void) {
  const struct plane_case c = {
      0.03, 1e7, 0., "restitution: 0.5, tangential_restitution: 0.1, friction: 0.5, slip: 1, rolling_friction: 0.05",
      "rolling_law: viscous\n"};
  struct plane_run r = start(&c, 0., 0., 0.);
  advance_to(&r, 0.5);
  const double h = cairn_simulation_step_size(r.sim), v = speed_of(&r);
  const double creep = r.mass * G * sin(c.angle) * r.lever * r.lever * h / (CAIRN_CONTACT_STOP * r.inertia);
  note("a slope of %g with rolling friction 0.05: creeps with %.3e m/s", tan(c.angle), v);
  ok(v < 1e-3 * G * sin(c.angle) * 0.5, "rolling friction all but holds a sphere on a slope below μ_r");
  /* a steady state of the law; the kicks before and after the forces differ by a part of one step in its 50 */
  tap_near(v, creep, 0., 0.02, "it creeps as the cap of the law says, in proportion to the step");
  end(&r);
}

/* Twisting: α = μ_t N r_c / I about the normal, r_c² = r² - l². */
static void test_twisting_friction(void) {
  const struct plane_case c = {0., 1e7, 0., "restitution: 0.5, friction: 0.5, twisting_friction: 0.3",
                               "rolling_law: viscous\n"};
  const double w0 = 0.5;
  struct plane_run r = start(&c, 0., 0., w0);
  const double rc = sqrt(RADIUS * RADIUS - r.lever * r.lever), alpha = 0.3 * r.load * rc / r.inertia;
  sim_advance(r.sim, 49);
  tap_near(twist_of(&r), w0, 0., 1e-12, "contacts younger than τ_overlap twist freely"); /* rounding of 49 steps */
  advance_to(&r, 0.2);
  const double t0 = cairn_simulation_time(r.sim), first = twist_of(&r);
  advance_to(&r, 0.4);
  const double got = (first - twist_of(&r)) / (cairn_simulation_time(r.sim) - t0);
  note("twisting friction: deceleration %.9g, off by %.1e", got, got / alpha - 1.);
  /* constant torque; r_c from the overlap has lost four digits of sixteen to cancellation */
  tap_near(got, alpha, 0., 1e-9, "spin about the normal falls by μ_t N r_c / I");
  advance_to(&r, w0 / alpha + 0.1);
  note("at rest: %.1e rad/s, speed %.1e", twist_of(&r), speed_of(&r));
  ok(fabs(twist_of(&r)) < 1e-12, "and comes to rest");
  ok(fabs(speed_of(&r)) < 1e-12, "in its place");
  end(&r);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_rolls(0.3);
  test_rolls(1.5);
  test_slides(0.5, 1., 0.1, 0.5, "slope 0.5, b = 1");
  test_slides(1.5, 1., 0.1, 0.5, "slope 1.5, b = 1");
  test_slides(1.5, 0., 0.1, 0.5, "slope 1.5, b = 0, fast"); /* u h > μ N / k_t: slips in every step */
  test_saw_tooth();
  test_rolling_friction();
  test_creep();
  test_twisting_friction();
  cairn_engine_stop();
  done_testing();
}
