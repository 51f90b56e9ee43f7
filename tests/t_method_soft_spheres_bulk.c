/* Many soft spheres: a column that carries its weight, a gas that keeps its energy, a heap that comes to rest. */
#include "sim.h"

#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 20 spheres of different size on each other: at rest each overlap is the weight above it over k_n. */
static void test_column(void) {
  enum { N = 20 };
  const double g = 9.81, k = 1e6;
  struct cairn_scenario *s = sim_scenario("time: {end: 1000}\n"
                                          "gravity: {uniform: [0, 0, %.17g]}\n"
                                          "materials: [{name: a, density: 2500}]\n"
                                          "interactions: [{between: [a, a], stiffness: %.17g, restitution: 0.01}]\n"
                                          "bodies: [{single: {position: [0, 0, 1], radius: 0.1, material: a}}]\n"
                                          "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n"
                                          "overlap: {limit: 1}\n",
                                          -g, k);
  double z = 0., weight = 0.;
  sim_resize(s, N);
  for (int64_t i = 0; i < N; i++) {
    sim_set_radius(s, i, 0.09 + 0.002 * (double)(i * 7 % 11));
    z += s->initial.radius[i];
    sim_vector(s->initial.position, i, 0., 0., z);
    z += s->initial.radius[i];
  }
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 200000);
  const struct cairn_state *b = sim_state(sim);
  double worst = 0., fastest = 0.;
  for (int64_t i = N - 1; i >= 0; i--) {
    const double below = i > 0 ? b->position[3 * i - 1] + b->radius[i - 1] : 0.;
    const double overlap = below - (b->position[3 * i + 2] - b->radius[i]);
    weight += b->mass[i] * g;
    worst = fmax(worst, fabs(overlap - weight / k) / (weight / k));
    fastest = fmax(fastest, fabs(b->velocity[3 * i + 2]));
  }
  note("column: overlaps off by %.1e, fastest %.1e m/s", worst, fastest);
  /* the slowest swing of the column has decayed by exp(-0.005 √(k/m) t); what is left is rounding of heights over
     overlaps, 2 m × 2^-53 / 25 µm */
  ok(worst <= 1e-10, "each overlap of a column of %d carries the weight above it", N);
  ok(fastest <= 1e-12, "the column is at rest");
  cmp_ok(b->contacts.n, "==", N - 1, "every sphere touches its neighbours alone");
  cmp_ok(b->wall_contacts.n, "==", 1, "and one the floor");
  sim_free(sim, s);
}

struct energy_error {
  double worst, spread; /* largest and standard deviation, over the energy at the start */
  double spin;          /* J, rotation at the end */
};

/* Departures of the energy from its start, over `samples` looks. */
static struct energy_error energy_error(double part, int64_t steps, int samples) {
  struct cairn_scenario *s =
      sim_scenario("time: {end: 1000}\n"
                   "seed: 3\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e5, restitution: 1, friction: 0}]\n"
                   "bodies:\n"
                   "  - cloud: {count: 1000, in: {box: {lower: [0, 0, 0], upper: [1.5, 1.5, 1.5]}},\n"
                   "            radius: {uniform: [0.03, 0.05]}, speed: 0.5, material: a}\n"
                   "walls:\n"
                   "  - plane: {normal: [1, 0, 0], material: a}\n"
                   "  - plane: {normal: [0, 1, 0], material: a}\n"
                   "  - plane: {normal: [0, 0, 1], material: a}\n"
                   "  - plane: {point: [1.5, 0, 0], normal: [-1, 0, 0], material: a}\n"
                   "  - plane: {point: [0, 1.5, 0], normal: [0, -1, 0], material: a}\n"
                   "  - plane: {point: [0, 0, 1.5], normal: [0, 0, -1], material: a}\n"
                   "overlap: {limit: 1}\n");
  struct cairn_plan p;
  if (cairn_simulation_plan(s, &p, NULL))
    BAIL_OUT("no plan");
  s->time_step = part * p.recommended_step;
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_observables o = sim_observe(sim);
  const double first = o.kinetic_energy + o.elastic_energy;
  struct energy_error e = {0};
  double mean = 0., square = 0.;
  for (int k = 0; k < samples; k++) {
    sim_advance(sim, steps / samples);
    o = sim_observe(sim);
    const double off = (o.kinetic_energy + o.elastic_energy) / first - 1.;
    e.worst = fmax(e.worst, fabs(off));
    mean += off / samples;
    square += off * off / samples;
  }
  e.spread = sqrt(square - mean * mean);
  e.spin = o.rotational_energy;
  note("gas: %lld steps of %g of the recommended one: energy off by %.2e at most, standard deviation %.2e; %g contacts "
       "at the end",
       (long long)cairn_simulation_step(sim), part, e.worst, e.spread, o.n_contacts);
  sim_free(sim, s);
  return e;
}

/* The same simulated time at both steps. The energy does not drift: its changes over 2 and over 500 looks are equally
 * large. What is left are the collisions going on at a look, with errors of second order: 4 times smaller at half the
 * step (4.0 seen). The largest single ones and the distance from the start scatter, from 2.9 to 3.4. */
static void test_gas(void) {
  const double start = now();
  const struct energy_error full = energy_error(1., 100000, 2000), half = energy_error(0.5, 200000, 2000);
  note("gas: %.1f s on the clock, %.2f times better at half the step, the worst %.2f times", now() - start,
       full.spread / half.spread, full.worst / half.worst);
  ok(full.worst <= 0.01, "an undamped gas keeps its energy within 1 %% over 1e5 steps at the recommended step");
  ok(half.spread * 3. <= full.spread, "at least three times better at half the step");
  ok(full.spin == 0. && half.spin == 0., "without friction nothing begins to spin");
}

/* 2000 spheres fall into a shallow pit, heap up and come to rest. Tangential damping and a little rolling and twisting
 * friction take the energy of spheres that roll to and fro in their pockets: without them the energy stays at 1e-7 of
 * its peak. More rolling friction than this does not help: near rest it acts as a viscous torque, so
 * that a heap that leans on it creeps, with energies of 1e-6 of the peak (rolling friction 0.1, also on a level floor).
 */
static void test_heap(void) {
  struct cairn_scenario *s = sim_scenario(
      "time: {end: 1000}\n"
      "seed: 5\n"
      "gravity: {uniform: [0, 0, -10]}\n"
      "materials: [{name: a, density: 2500}]\n"
      "interactions:\n"
      "  - {between: [a, a], stiffness: 5e4, restitution: 0.3, tangential_restitution: 0.3, friction: 0.5, slip: 1,\n"
      "     rolling_friction: 0.01, twisting_friction: 0.01}\n"
      "bodies:\n"
      "  - lattice: {origin: [-0.68, -0.68, 0.27], counts: [14, 14, 10], spacing: 0.105, jitter: 0.002,\n"
      "              radius: {uniform: [0.045, 0.05]}, material: a}\n"
      "  - lattice: {origin: [-0.2, -0.2, 1.4], counts: [5, 4, 2], spacing: 0.105, radius: 0.05, material: a}\n"
      "walls:\n"
      "  - plane: {normal: [0.3, 0, 1], material: a}\n"
      "  - plane: {normal: [-0.3, 0, 1], material: a}\n"
      "  - plane: {normal: [0, 0.3, 1], material: a}\n"
      "  - plane: {normal: [0, -0.3, 1], material: a}\n"
      "overlap: {limit: 1}\n"
      "cells: {bodies: 500}\n");
  struct cairn_simulation *sim = sim_create(s);
  const double start = now();
  struct cairn_observables o;
  double peak = 0., energy = 0.;
  cmp_ok(s->initial.n, "==", 2000, "2000 spheres");
  do {
    sim_advance(sim, 500);
    o = sim_observe(sim);
    energy = o.kinetic_energy + o.rotational_energy;
    peak = fmax(peak, energy);
  } while (energy > 1e-8 * peak && o.step < 50000.);
  note("heap: %.3g s, %g steps, %.1f s on the clock: energy %.1e J of %.1e J, %.2f contacts per body, centre %.2f m "
       "high",
       o.time, o.step, now() - start, energy, peak, o.coordination, o.center_of_mass[2]);
  ok(energy <= 1e-8 * peak, "a heap of 2000 comes to rest: its kinetic energy falls by 1e8 from its peak");
  ok(o.coordination > 4., "as a heap, not as single spheres");
  sim_free(sim, s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(0);
  test_column();
  test_gas();
  test_heap();
  cairn_engine_stop();
  done_testing();
}
