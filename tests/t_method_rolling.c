/* One material, two methods: what `friction`, `rolling_friction` and `twisting_friction` mean does not depend on how
 * contact is treated. The torque of rolling is at most μ_r R N and that of twisting μ_t R N with the reduced radius R,
 * r at a plane and r/2 between equal spheres (docs/physics.md). */
#include "sim.h"

static const double G = 10., RADIUS = 0.1;

struct way {
  const char *name, *keys, *pair;
};

/* Soft enough for a short run, and stiff enough for overlaps of 1e-4 of the radius: the least accurate of it all. */
static const struct way ways[] = {
    {"soft spheres, Hooke", "time: {end: 100}\n", "stiffness: 1e7, restitution: 0.5, tangential_restitution: 0.1"},
    {"contact dynamics",
     "method: contact_dynamics\ntime: {step: 1e-3, end: 100}\nsolver: {tolerance: 1e-10, sweeps: 10000}\n",
     "restitution: 0"}};
enum { WAYS = sizeof ways / sizeof *ways };

struct place {
  struct cairn_scenario *scenario;
  struct cairn_simulation *sim;
  double down[3];
};

/* `n` spheres one above the other on a plane that is inclined by `angle`, with the overlap of their weight where they
 * are soft; the topmost spins about the normal. */
static struct place lay(const struct way *way, const char *friction, double angle, int n, double spin) {
  const double s = sin(angle), c = cos(angle);
  struct place p = {.scenario = sim_scenario("%sgravity: {uniform: [0, 0, %.17g]}\n"
                                             "materials: [{name: a, density: 2500}]\n"
                                             "interactions: [{between: [a, a], %s, %s}]\n"
                                             "bodies: [{single: {position: [0, 0, 1], radius: 0.1, material: a}}]\n"
                                             "walls: [{plane: {normal: [%.17g, 0, %.17g], material: a}}]\n"
                                             "overlap: {limit: 1}\n",
                                             way->keys, -G, way->pair, friction, s, c),
                    .down = {c, 0., -s}};
  struct cairn_state *b = &p.scenario->initial;
  sim_resize(p.scenario, n);
  const double sunk = way == ways ? b->mass[0] * G * c / 1e7 : 0.;
  double height = -RADIUS;
  for (int i = 0; i < n; i++) {
    height += 2. * RADIUS - sunk * (double)(n - i);
    sim_vector(b->position, i, height * s, 0., height * c);
  }
  sim_vector(b->spin, n - 1, spin * s, 0., spin * c);
  p.sim = sim_create(p.scenario);
  return p;
}

static void advance_to(struct place *p, double time) {
  sim_advance(p->sim, llround(time / cairn_simulation_step_size(p->sim)) - cairn_simulation_step(p->sim));
}

static double speed_of(struct place *p) {
  const double *v = sim_state(p->sim)->velocity;
  return v[0] * p->down[0] + v[2] * p->down[2];
}

static void test_holds(const struct way *way) {
  const double mu = 0.1, angle = atan(0.9 * mu);
  struct place p = lay(way, "friction: 0.6, rolling_friction: 0.1", angle, 1, 0.);
  advance_to(&p, 0.5);
  const double early[3] = {sim_state(p.sim)->position[0], sim_state(p.sim)->position[1], sim_state(p.sim)->position[2]};
  advance_to(&p, 1.);
  const double *x = sim_state(p.sim)->position;
  const double way_gone = hypot(x[0] - early[0], x[2] - early[2]);
  note("%s: on a slope of 0.9 μ_r, %.1e m/s, %.1e m in half a second", way->name, speed_of(&p), way_gone);
  /* free it would be at 2.4 m/s; the viscous law would creep with 10 g h sin θ, 6e-4 m/s at this step */
  ok(fabs(speed_of(&p)) < 1e-8, "%s: below tan θ = μ_r rolling friction holds a sphere", way->name);
  ok(way_gone < 1e-8, "%s: it does not creep", way->name);
  sim_free(p.sim, p.scenario);
}

/* m a = m g sin θ - F, I a/r = F r - μ_r r N: a = 5/7 g (sin θ - μ_r cos θ). */
static void test_rolls(const struct way *way, double mu, double tangent) {
  char friction[80];
  snprintf(friction, sizeof friction, "friction: 0.9, rolling_friction: %g", mu);
  const double angle = atan(tangent), a = 5. / 7. * G * (sin(angle) - mu * cos(angle));
  struct place p = lay(way, friction, angle, 1, 0.);
  advance_to(&p, 0.1);
  const double t0 = cairn_simulation_time(p.sim), v0 = speed_of(&p);
  advance_to(&p, 0.5);
  const double got = (speed_of(&p) - v0) / (cairn_simulation_time(p.sim) - t0);
  note("%s: μ_r = %g, slope %g: acceleration off by %.1e", way->name, mu, tangent, got / a - 1.);
  /* steady; the lever arm is shorter than the radius by the overlap, 1e-4 of it */
  tap_near(got, a, 0., 1e-3, "%s: μ_r = %g, slope %g: rolls with 5/7 g (sin θ - μ_r cos θ)", way->name, mu, tangent);
  sim_free(p.sim, p.scenario);
}

/* A block: a sphere that cannot roll. From rest on, at a speed at which the spring of soft spheres takes several steps
 * to load. */
static void test_slides(const struct way *way) {
  const double mu = 0.3, angle = atan(1.2 * mu), a = G * (sin(angle) - mu * cos(angle));
  struct place p = lay(way, "friction: 0.3, rolling_friction: 10, twisting_friction: 10", angle, 1, 0.);
  advance_to(&p, 0.04);
  const double t0 = cairn_simulation_time(p.sim), v0 = speed_of(&p);
  advance_to(&p, 0.12);
  const double got = (speed_of(&p) - v0) / (cairn_simulation_time(p.sim) - t0);
  const double friction = tan(angle) - got / (G * cos(angle));
  note("%s: slow sliding has μ = %.5f", way->name, friction);
  tap_near(friction, mu, 0., 0.01, "%s: a sliding block has the μ that was set", way->name);
  tap_near(got, a, 0., 0.05, "%s: and g (sin θ - μ cos θ)", way->name);
  sim_free(p.sim, p.scenario);
}

/* I dω/dt = -μ_t R N about the normal: R = r on the plane, r/2 on another sphere. */
static void test_twists(const struct way *way, int n) {
  const double mu = 0.02, w0 = 2., radius = n > 1 ? RADIUS / 2. : RADIUS;
  const double stop = w0 * 0.4 * RADIUS * RADIUS / (mu * radius * G);
  struct place p = lay(way, "friction: 0.5, rolling_friction: 0.1, twisting_friction: 0.02", 0., n, w0);
  const char *on = n > 1 ? "on another one" : "on the plane";
  advance_to(&p, 0.5 * stop);
  const double *w = sim_state(p.sim)->spin + 3 * (n - 1);
  note("%s: half the time to stop %s, %.6g of the spin left", way->name, on, w[2] / w0);
  tap_near(w[2] / w0, 0.5, 0.005, 0., "%s: a sphere that spins %s has lost half", way->name, on);
  advance_to(&p, 0.99 * stop);
  ok(sim_state(p.sim)->spin[3 * n - 1] > 0.005 * w0, "%s: just before I ω/(μ_t R N) it still spins %s", way->name, on);
  advance_to(&p, 1.01 * stop + 0.05); /* soft spheres: the spring swings some times more, ms each */
  ok(fabs(sim_state(p.sim)->spin[3 * n - 1]) < 1e-4 * w0, "%s: then it has stopped %s (%.1e rad/s)", way->name, on,
     sim_state(p.sim)->spin[3 * n - 1]);
  sim_free(p.sim, p.scenario);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  for (int i = 0; i < WAYS; i++) {
    test_holds(ways + i);
    test_rolls(ways + i, 0.1, 0.2);
    test_rolls(ways + i, 0.3, 0.5);
    test_slides(ways + i);
    test_twists(ways + i, 1);
    test_twists(ways + i, 2);
  }
  cairn_engine_stop();
  done_testing();
}
