/* Contact dynamics: friction of rotation as lengths, gaps, overlaps beyond the limit, steps that are not solved, and
 * the step that is chosen. */
#include "sim.h"

static struct cairn_state *initial(struct cairn_scenario *s) { return &s->initial; }

/* A ball on a plane, pushed along: rolling friction takes ℓ m g, twisting friction ℓ m g about the vertical. */
static void test_turning(const char *rolling, const char *twisting, double roll, double twist) {
  const double g = 10., h = 1e-3, r = 0.1, t = 200. * h;
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: %g, end: 10}\nmaterials: [{name: a, density: 1000}]\n"
                   "gravity: {uniform: [0, 0, %g]}\nsolver: {tolerance: 1e-10, sweeps: 100000}\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 1, %s, %s}]\n"
                   "bodies: [{single: {position: [0, 0, 0.1], radius: 0.1, material: a, velocity: [1, 0, 0], "
                   "spin: [0, 10, 50]}}]\n"
                   "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n",
                   h, -g, rolling, twisting);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 200);
  const struct cairn_state *state = sim_state(sim);
  /* rolling without slip: (m + I/r²) a = -ℓ m g/r, I = 2/5 m r²; twisting: I α = -ℓ m g */
  tap_near(state->velocity[0], 1. - roll * g / (1.4 * r) * t, 1e-6, 0., "%s slows rolling as its length says", rolling);
  tap_near(state->spin[1] * r, state->velocity[0], 1e-6, 0., "without slip");
  tap_near(state->spin[2], 50. - twist * g / (0.4 * r * r) * t, 1e-5, 0., "%s slows twisting", twisting);
  sim_free(sim, s);
}

/* A pair that is created with an overlap, and one that comes together: neither rule adds energy, and where only what
 * touches acts, bodies overlap by their approach in a step at most. */
static void test_gaps(const char *gaps, double most) {
  const double h = 1e-3, v = 0.5;
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: %g, end: 10}\nmaterials: [{name: a, density: 1000}]\n"
                   "solver: {gaps: %s, tolerance: 1e-10}\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0.5}]\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: 0.1, material: a}}]\n",
                   h, gaps);
  sim_resize(s, 4);
  sim_vector(initial(s)->position, 1, 0.19, 0., 0.); /* overlaps by a twentieth */
  sim_vector(initial(s)->position, 2, 0., 1., 0.);
  sim_vector(initial(s)->position, 3, 0.2103, 1., 0.);
  sim_vector(initial(s)->velocity, 3, -v, 0., 0.);
  struct cairn_simulation *sim = sim_create(s);
  double energy = sim_observe(sim).kinetic_energy, grown = 0.;
  for (int i = 0; i < 60; i++) {
    sim_advance(sim, 1);
    const double now = sim_observe(sim).kinetic_energy;
    grown = fmax(grown, now - energy);
    energy = now;
  }
  const struct cairn_state *state = sim_state(sim);
  const double overlap = 0.2 - (state->position[9] - state->position[6]);
  ok(grown < 1e-15, "%s: no energy from an overlap or an impact (%.1e J)", gaps, grown);
  tap_near(state->position[3] - state->position[0], 0.19, 1e-15, 0., "%s: an overlap is not pushed apart", gaps);
  ok(overlap > -1e-12 && overlap < most * v * h + 1e-12, "%s: what meets overlaps by %.3f of a step's way", gaps,
     overlap / (v * h));
  if (most > 0.)
    ok(overlap > 1e-6, "%s: the gap was not used", gaps);
  sim_free(sim, s);
}

/* A column that settles: what is left of the energy falls, and stays where it is. */
static void test_stack(const char *gaps) {
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: 1e-3, end: 10}\nmaterials: [{name: a, density: 1000}]\n"
                   "gravity: {uniform: [0, 0, -10]}\nsolver: {gaps: %s, tolerance: 1e-8, sweeps: 10000}\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0.5}]\n"
                   "bodies: [{lattice: {origin: [0, 0, 0.1], counts: [1, 1, 6], spacing: 0.201, radius: 0.1, material: "
                   "a}}]\n"
                   "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n",
                   gaps);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_observables o = sim_observe(sim);
  double energy = o.kinetic_energy + o.potential_energy, scale = energy, grown = 0.;
  for (int i = 0; i < 200; i++) {
    sim_advance(sim, 1);
    o = sim_observe(sim);
    const double now = o.kinetic_energy + o.potential_energy;
    grown = fmax(grown, now - energy);
    energy = now;
  }
  /* a free fall with θ = 1/2 keeps its energy; the residual allows for the rest */
  ok(grown < 1e-8 * scale, "%s: the energy of a stack never grows (%.1e)", gaps, grown / scale);
  ok(o.kinetic_energy < 1e-8 * scale, "%s: it comes to rest", gaps);
  sim_free(sim, s);
}

/* Overlaps beyond the limit are told with the bodies, and with the wall. */
static void test_overlap(void) {
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: 1e-3, end: 10}\nmaterials: [{name: a, density: 1000}]\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0.5}]\noverlap: {limit: 0.02}\n"
                   "bodies: [{single: {position: [0, 0, 1], radius: 0.1, material: a}}]\ncells: {bodies: 1}\n"
                   "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n");
  sim_resize(s, 4);
  for (int i = 0; i < 4; i++)
    sim_vector(initial(s)->position, i, (i == 2 ? 1. : 0.5) * i, 0., 1.);
  sim_vector(initial(s)->position, 3, 2.195, 0., 1.); /* 2 and 3 by a twentieth */
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 2);
  struct cairn_overlaps o = cairn_simulation_overlaps(sim);
  ok(o.steps == 2 && o.a == 2 && o.b == 3, "bodies %d and %d overlap, in %lld steps", o.a, o.b, (long long)o.steps);
  tap_near(o.overlap, 0.05, 1e-9, 0., "by a twentieth of the radius");
  sim_free(sim, s);
  s = sim_scenario("method: contact_dynamics\ntime: {step: 1e-3, end: 10}\nmaterials: [{name: a, density: 1000}]\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0.5}]\noverlap: {limit: 0.02}\n"
                   "bodies: [{single: {position: [0, 0, 1], radius: 0.1, material: a}}]\n"
                   "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n");
  sim_vector(initial(s)->position, 0, 0., 0., 0.09);
  sim = sim_create(s);
  sim_advance(sim, 1);
  o = cairn_simulation_overlaps(sim);
  ok(o.steps == 1 && o.a == 0 && o.b == -1, "a body and the first wall");
  tap_near(o.overlap, 0.1, 1e-9, 0., "by a tenth");
  sim_free(sim, s);
}

/* Too few sweeps for a chain: the run says so, at the step it was told to. */
static struct cairn_scenario *chain(int n) {
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: 1e-3, end: 1}\nmaterials: [{name: a, density: 1000}]\n"
                   "interactions: [{between: [a, a], restitution: 0, friction: 0}]\n"
                   "bodies: [{lattice: {counts: [%d, 1, 1], spacing: 0.2, radius: 0.1, material: a}}]\n"
                   "solver: {kind: nsgs, tolerance: 1e-6, sweeps: 5}\n",
                   n);
  sim_vector(initial(s)->velocity, 0, 1., 0., 0.);
  sim_vector(initial(s)->velocity, n - 1, -1., 0., 0.);
  return s;
}

static void test_patience(void) {
  struct cairn_scenario *s = chain(80);
  struct cairn_error error = {0};
  s->solver_patience = 3;
  struct cairn_simulation *sim = sim_create(s);
  cmp_ok(cairn_simulation_advance(sim, 10, &error), "==", CAIRN_ERR_NUMERIC, "steps that are not solved are an error");
  cmp_ok(cairn_simulation_step(sim), "==", 3, "after the third of them");
  like(error.message, "^step 3 .*missed its tolerance in 3 steps in a row .*5 sweeps, solver.tolerance 1e-06", "%s",
       error.message);
  ok(sim_state(sim)->step == 3, "the state is at hand");
  sim_free(sim, s);
  s = chain(80);
  sim = sim_create(s);
  sim_advance(sim, 10);
  ok(sim_observe(sim).n_unsolved == 10., "without patience they are counted");
  sim_free(sim, s);
}

/* The step that is chosen: a tenth of the smallest radius at the relative speed. */
static double planned_step(const char *rest) {
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {end: 100}\nmaterials: [{name: a, density: 1000}]\n"
                   "interactions: [{between: [a, a]}]\n%s",
                   rest);
  struct cairn_plan plan;
  struct cairn_error error = {0};
  if (cairn_simulation_plan(s, &plan, &error))
    BAIL_OUT("%s", error.message);
  cairn_scenario_free(s);
  return plan.step_size;
}

static void test_step(void) {
#define TWO(v1, v2)                                                                                                    \
  "bodies: [{single: {position: [0, 0, 1], radius: 0.1, material: a, velocity: [" v1                                   \
  ", 0, 0]}}, {single: {position: [1, 0, 1], radius: 0.1, material: a, velocity: [" v2 ", 0, 0]}}]\n"
#define FLOOR(more) "walls: [{plane: {normal: [0, 0, 1], material: a" more "}}]\n"
  tap_near(planned_step(TWO("1", "-1")), 0.01, 0., 1e-12, "two bodies that meet");
  tap_near(planned_step(TWO("3", "1")), 0.01, 0., 1e-12, "the same, drifting");
  tap_near(planned_step(TWO("101", "99")), 0.05 / 101., 0., 1e-12, "so fast that they must not cross half a radius");
  tap_near(planned_step(TWO("3", "1") FLOOR("")), 0.01 / 3., 0., 1e-12, "with walls, relative to the walls");
  tap_near(planned_step(TWO("3", "1") FLOOR(", motion: {velocity: [0, 0, 2]}")), 0.01 / 5., 0., 1e-12,
           "and theirs is added");
  tap_near(planned_step(TWO("0", "0") FLOOR("") "gravity: {uniform: [0, 0, -10]}\n"), 0.01 / sqrt(2. * 10. * 0.9), 0.,
           1e-12, "at the end of the fall");
  tap_near(planned_step(TWO("0", "0")), 1., 0., 1e-12, "where nothing moves");
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_turning("rolling_length: 0.004", "twisting_length: 0.001", 0.004, 0.001);
  test_turning("rolling_friction: 0.04", "twisting_friction: 0.01", 0.004, 0.001);
  test_turning("rolling_length: 0.004", "twisting_friction: 0.01", 0.004, 0.001);
  test_gaps("closing", 0.);
  test_gaps("touching", 1.);
  test_stack("closing");
  test_stack("touching");
  test_overlap();
  test_patience();
  test_step();
  cairn_engine_stop();
  done_testing();
}
