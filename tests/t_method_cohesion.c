/* Cohesion of rigid bodies: with a binding energy a contact bears F_C, parts after the work E_C, and nothing of that
 * depends on the step (Brendel et al. 2004, section 1.8). With θ = 1/2 the work of a constant force over a step is
 * exact to rounding, and so is the step that parts a pair; what is allowed for, 1 % of E_C, is what the law is held to.
 */
#include "contacts.h"
#include "sim.h"

static const double FORCE = 10., ENERGY = 1e-3, RADIUS = 0.1; /* N, J, m */

static struct cairn_state *initial(struct cairn_scenario *s) { return &s->initial; }

static double range(void) { return ENERGY / FORCE; }

/* Two spheres side by side along x; `law` is the rest of their interaction. */
static struct cairn_scenario *pair_with(double h, double theta, const char *law) {
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: %.17g, end: 100}\nmaterials: [{name: a, density: 1000}]\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0, %s}]\n"
                   "solver: {tolerance: 1e-10, theta: %g}\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: %g, material: a}}]\n",
                   h, law, theta, RADIUS);
  sim_resize(s, 2);
  sim_vector(initial(s)->position, 1, 2. * RADIUS, 0., 0.);
  return s;
}

static struct cairn_scenario *pair(double h, const char *law) { return pair_with(h, 0.5, law); }

static const char *bound(void) {
  static char law[96];
  snprintf(law, sizeof law, "cohesion: %.17g, cohesion_energy: %.17g", FORCE, ENERGY);
  return law;
}

static double gap_of(const struct cairn_state *s) {
  return s->position[3] - s->position[0] - s->radius[0] - s->radius[1];
}

/* Relative normal velocity, and the speed at which the pair has this energy about its centre of mass. */
static double opening(const struct cairn_state *s) { return s->velocity[3] - s->velocity[0]; }
static double speed_of(const struct cairn_state *s, double energy) { return sqrt(4. * energy / s->mass[0]); }
static double energy_of(const struct cairn_state *s) { return 0.25 * s->mass[0] * opening(s) * opening(s); }

static void kick(struct cairn_state *s, double speed) {
  sim_vector(s->velocity, 0, -0.5 * speed, 0., 0.);
  sim_vector(s->velocity, 1, 0.5 * speed, 0., 0.);
}

static struct cairn_simulation *go_on(struct cairn_scenario *s, const struct cairn_state *from) {
  struct cairn_simulation *sim = NULL;
  struct cairn_error error = {0};
  if (cairn_simulation_create(s, from, &sim, &error))
    BAIL_OUT("%s", error.message);
  return sim;
}

/* The two fly apart with E: they stop at the gap E/F_C, or part with E - E_C. */
static void test_thrown(double part, double h) {
  struct cairn_scenario *s = pair(h, bound());
  kick(initial(s), speed_of(initial(s), part * ENERGY));
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, (int64_t)ceil(0.05 / h));
  const struct cairn_state *state = sim_state(sim);
  const double left = energy_of(state) / ENERGY;
  if (part < 1.)
    ok(fabs(left) < 1e-9 && fabs(gap_of(state) / range() - part) < 0.01, "h = %g s, E = %g E_C: held, open by %.4f d_C",
       h, part, gap_of(state) / range());
  else
    ok(gap_of(state) > range() && fabs(left - (part - 1.)) < 0.01, "h = %g s, E = %g E_C: parted, %.5f E_C are left", h,
       part, left);
  sim_free(sim, s);
}

/* A sphere that hangs from a ceiling and is pulled with a constant force from t = 0. */
static void test_pulled(double part, double h) {
  const double mass = 1000. * 4. / 3. * SIM_PI * RADIUS * RADIUS * RADIUS, g = part * FORCE / mass, t = 0.2;
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: %.17g, end: 100}\nmaterials: [{name: a, density: 1000}]\n"
                   "gravity: {uniform: [0, 0, %.17g]}\nsolver: {tolerance: 1e-10}\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0, %s}]\n"
                   "bodies: [{single: {position: [0, 0, %.17g], radius: %g, material: a}}]\n"
                   "walls: [{plane: {normal: [0, 0, -1], material: a}}]\n",
                   h, -g, bound(), -RADIUS, RADIUS);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, (int64_t)floor(t / h + 0.5));
  const struct cairn_state *state = sim_state(sim);
  const double fall = -RADIUS - state->position[2], v = state->velocity[2];
  if (part < 1.)
    ok(fall < 1e-9 && fabs(v) < 1e-9, "h = %g s, pulled with %g F_C: held", h, part);
  else {
    /* with a = (F - F_C)/m up to d_C, then with g */
    const double a = g - FORCE / mass, until = sqrt(2. * range() / a), rest = t - until;
    const double expected = range() + a * until * rest + 0.5 * g * rest * rest;
    const double work = (mass * g * fall - 0.5 * mass * v * v) / ENERGY;
    ok(fabs(work - 1.) < 0.01, "h = %g s, pulled with %g F_C: parted, the work is %.5f E_C", h, part, work);
    tap_near(fall, expected, 0., 0.01, "where it is then");
  }
  sim_free(sim, s);
}

/* The ceiling is jerked away: seen from it the sphere has m V²/2 at once. */
static void test_jerked(double part, double h) {
  const double mass = 1000. * 4. / 3. * SIM_PI * RADIUS * RADIUS * RADIUS, v = sqrt(2. * part * ENERGY / mass);
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: %.17g, end: 100}\nmaterials: [{name: a, density: 1000}]\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0, %s}]\nsolver: {tolerance: 1e-10}\n"
                   "bodies: [{single: {position: [0, 0, %.17g], radius: %g, material: a}}]\n"
                   "walls: [{plane: {normal: [0, 0, -1], material: a, motion: {velocity: [0, 0, %.17g]}}}]\n",
                   h, bound(), -RADIUS, RADIUS, v);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, (int64_t)ceil(0.05 / h));
  const double u = v - sim_state(sim)->velocity[2], left = 0.5 * mass * u * u / ENERGY;
  ok(part < 1. ? left < 1e-9 : fabs(left - (part - 1.)) < 0.01,
     "h = %g s, the ceiling leaves with %g E_C: %s (%.5f E_C left)", h, part, part < 1. ? "follows" : "stays behind",
     left);
  sim_free(sim, s);
}

/* Pulled half open, left alone, pulled or pressed and pulled again. */
static void test_weakened(bool pressed, double h) {
  struct cairn_scenario *s = pair(h, bound());
  struct cairn_state state = {0};
  kick(initial(s), speed_of(initial(s), 0.5 * ENERGY));
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, (int64_t)ceil(0.02 / h));
  const double open = gap_of(sim_state(sim));
  sim_advance(sim, 50);
  if (!pressed) {
    tap_near(gap_of(sim_state(sim)), open, 1e-12, 0., "a weakened contact is not drawn together");
    cmp_ok(sim_state(sim)->contacts.n, "==", 1, "and remembered");
  }
  if (cairn_state_copy(&state, sim_state(sim), NULL))
    BAIL_OUT("out of memory");
  cairn_simulation_free(sim);
  if (pressed) {
    kick(&state, -1e-2);
    sim = go_on(s, &state);
    sim_advance(sim, (int64_t)ceil(0.05 / h));
    ok(fabs(gap_of(sim_state(sim))) < 1e-9 && fabs(opening(sim_state(sim))) < 1e-9, "pushed together it closes");
    if (cairn_state_copy(&state, sim_state(sim), NULL))
      BAIL_OUT("out of memory");
    cairn_simulation_free(sim);
  }
  kick(&state, speed_of(&state, 0.6 * ENERGY));
  sim = go_on(s, &state);
  sim_advance(sim, (int64_t)ceil(0.05 / h));
  const double left = energy_of(sim_state(sim)) / ENERGY;
  if (pressed)
    ok(fabs(left) < 1e-9, "then it is whole: 0.6 E_C do not part it");
  else
    tap_near(left, 0.1, 0.01, 0., "half of E_C is used up: 0.6 E_C part it");
  cairn_state_fini(&state);
  sim_free(sim, s);
}

/* Kick the pair, go on, and keep the state. */
static void kick_on(struct cairn_scenario *s, struct cairn_state *state, double speed, int64_t n_steps) {
  kick(state, speed);
  struct cairn_simulation *sim = go_on(s, state);
  sim_advance(sim, n_steps);
  if (cairn_state_copy(state, sim_state(sim), NULL))
    BAIL_OUT("out of memory");
  cairn_simulation_free(sim);
}

/* A pair that was pressed together where it overlaps: the work counts from there, or from where it was pressed last. */
static void test_overlap(double h) {
  struct cairn_scenario *s = pair(h, bound());
  struct cairn_state state = {0};
  const int64_t n = (int64_t)ceil(0.05 / h);
  sim_vector(initial(s)->position, 1, 2. * RADIUS - 5. * range(), 0., 0.);
  if (cairn_state_copy(&state, initial(s), NULL))
    BAIL_OUT("out of memory");
  kick_on(s, &state, -1e-3, 3);
  tap_near(*PAIR_MEMORY(&state, 0, rest) / range(), -5., 0.1, 0., "the rest of a pair that overlaps");
  kick_on(s, &state, speed_of(&state, 0.5 * ENERGY), n);
  const double gap = gap_of(&state);
  kick_on(s, &state, -1e-3, 3);
  tap_near((*PAIR_MEMORY(&state, 0, rest) - gap) / range(), 0., 0.1, 0.,
           "pressed there after it opened, it has a new one");
  kick_on(s, &state, speed_of(&state, 0.6 * ENERGY), n);
  ok(energy_of(&state) < 1e-9 * ENERGY, "and all its strength");
  kick_on(s, &state, -1e-3, 3);
  kick_on(s, &state, speed_of(&state, 1.5 * ENERGY), n);
  tap_near(energy_of(&state) / ENERGY, 0.5, 0.01, 0., "parting takes E_C, not the overlap's share too");
  cairn_scenario_free(s);
  cairn_state_fini(&state);
}

/* Friction is limited by μ (R_n + F_C): a block under a ceiling, pushed sideways. */
static void test_friction(void) {
  const double mass = 1000. * 4. / 3. * SIM_PI * RADIUS * RADIUS * RADIUS, h = 1e-3, mu = 0.5, g = 0.4 * FORCE / mass;
  const double limit = mu * (FORCE - mass * g) / mass;
  for (int slides = 0; slides < 2; slides++) {
    const double a = limit * (slides ? 1.5 : 0.99);
    struct cairn_scenario *s = sim_scenario(
        "method: contact_dynamics\ntime: {step: %g, end: 10}\nmaterials: [{name: a, density: 1000}]\n"
        "gravity: {uniform: [%.17g, 0, %.17g]}\nsolver: {tolerance: 1e-10, sweeps: 100000}\n"
        "interactions: [{between: [a, a], restitution: 0, friction: %g, rolling_length: 1, twisting_length: 1, %s}]\n"
        "bodies: [{single: {position: [0, 0, %.17g], radius: %g, material: a}}]\n"
        "walls: [{plane: {normal: [0, 0, -1], material: a}}]\n",
        h, a, -g, mu, bound(), -RADIUS, RADIUS);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, 200);
    tap_near(sim_state(sim)->velocity[0], slides ? (a - limit) * 200. * h : 0., 1e-6, 0., "under a ceiling a block %s",
             slides ? "slides with a - μ (F_C/m - g)" : "holds up to μ (F_C - m g)");
    sim_free(sim, s);
  }
}

/* The least speed of parting, over that of E_C. */
static double parting_speed(const char *law, double theta, double h) {
  double low = 0., high = 4.;
  while (high - low > 4e-3 * high) {
    const double middle = 0.5 * (low + high);
    struct cairn_scenario *s = pair_with(h, theta, law);
    const double v = middle * speed_of(initial(s), ENERGY);
    kick(initial(s), v);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, (int64_t)ceil(3. * range() / (v * h)) + 4);
    const bool parted = opening(sim_state(sim)) > 1e-6 * v; /* what is held has stopped or turned back by now */
    *(parted ? &high : &low) = middle;
    sim_free(sim, s);
  }
  return 0.5 * (low + high);
}

/* The law with a range d0 asks for the work f0 d0 only where many steps fall into the range. Without a range the
 * impulse f0 h alone counts (θ = 1, so that contacts are found before they have opened): the speed f0 h (1/m + 1/m).
 * The table is that of docs/physics.md. */
static void test_step(void) {
  static const double steps[] = {1.6e-2, 8e-3, 4e-3, 2e-3, 5e-4};
  enum { N = sizeof steps / sizeof *steps };
  char ranged[96], touching[96];
  double spread = 0., most = 0., impulse = 0.;
  snprintf(ranged, sizeof ranged, "cohesion: %.17g, cohesion_range: %.17g", FORCE, range());
  snprintf(touching, sizeof touching, "cohesion: %.17g", FORCE);
  diag("least speed of parting over that of E_C = F_C d_C");
  for (int k = 0; k < N; k++) {
    const double h = steps[k], mass = 1000. * 4. / 3. * SIM_PI * RADIUS * RADIUS * RADIUS;
    const double alone = parting_speed(touching, 1., h), with_range = parting_speed(ranged, 0.5, h),
                 with_energy = parting_speed(bound(), 0.5, h);
    diag("  h = %6.2g s: no range %.3f, range %.3f, energy %.3f", h, alone, with_range, with_energy);
    impulse = fmax(impulse, fabs(alone * sqrt(4. * ENERGY / mass) / (FORCE * h * 2. / mass) - 1.));
    most = fmax(most, fabs(with_range - 1.));
    spread = fmax(spread, fabs(with_energy - 1.));
  }
  ok(spread < 0.01, "with an energy the step does not matter (%.2g)", spread);
  ok(most > 0.3, "with a range it does where few steps fall into it (%.2g)", most);
  ok(impulse < 0.01, "without a range the speed goes with the step (%.2g)", impulse);
}

/* A heap that sticks together: goes on with the same bits. */
static void test_restart(void) {
  struct cairn_scenario *s = sim_scenario(
      "method: contact_dynamics\nseed: 2\ntime: {step: 2e-3, end: 1}\nmaterials: [{name: a, density: 1000}]\n"
      "gravity: {uniform: [0, 0, -9.81]}\nsolver: {sweeps: 50}\ncells: {bodies: 20}\n"
      "interactions: [{between: [a, a], restitution: 0.3, friction: 0.5, cohesion: 5, cohesion_energy: 5e-4}]\n"
      "bodies: [{cloud: {count: 80, in: {box: {lower: [-0.14, -0.14, 0], upper: [0.14, 0.14, 1]}}, radius: 0.04, "
      "material: a}}]\n"
      "walls: [{plane: {normal: [0, 0, 1], material: a}}, {cylinder: {axis: [0, 0, 1], radius: 0.22, material: a}}]\n");
  char whole[CAIRN_DIGEST_LENGTH + 1], parts[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_state middle = {0};
  sim_advance(sim, 200);
  if (cairn_state_copy(&middle, sim_state(sim), NULL))
    BAIL_OUT("out of memory");
  sim_advance(sim, 60);
  cairn_state_digest(sim_state(sim), whole);
  int64_t n_rests = 0;
  for (int64_t i = 0; i < middle.contacts.n; i++)
    n_rests += *PAIR_MEMORY(&middle, i, rest) != 0.;
  struct cairn_simulation *second = go_on(s, &middle);
  sim_advance(second, 60);
  cairn_state_digest(sim_state(second), parts);
  is(parts, whole, "a run that goes on from a state has the same bits");
  cmp_ok(n_rests > 20, "==", 1, "with %lld of %lld contacts at a rest of their own", (long long)n_rests,
         (long long)middle.contacts.n);
  cairn_state_fini(&middle);
  cairn_simulation_free(second);
  sim_free(sim, s);
}

int main(void) {
  static const double steps[] = {1e-3, 5e-4, 2.5e-4};
  plan(NO_PLAN);
  sim_start(1);
  for (int k = 0; k < 3; k++) {
    test_thrown(0.99, steps[k]);
    test_thrown(1.01, steps[k]);
    test_thrown(3., steps[k]);
    test_pulled(0.99, steps[k]);
    test_pulled(1.01, steps[k]);
    test_pulled(2., steps[k]);
    test_jerked(0.98, steps[k]);
    test_jerked(1.02, steps[k]);
    test_weakened(false, steps[k]);
    test_weakened(true, steps[k]);
    test_overlap(steps[k]);
  }
  test_friction();
  test_step();
  test_restart();
  cairn_engine_stop();
  done_testing();
}
