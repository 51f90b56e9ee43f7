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
  cmp_ok(b->n_contacts, "==", N - 1, "every sphere touches its neighbours alone");
  cmp_ok(b->n_wall_contacts, "==", 1, "and one the floor");
  sim_free(sim, s);
}

/* Largest departure of the energy from its start, over `samples` looks. */
static double energy_error(double part, int64_t steps, int samples, double *temperature) {
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
  double worst = 0., last = 0., square = 0.;
  for (int k = 0; k < samples; k++) {
    sim_advance(sim, steps / samples);
    o = sim_observe(sim);
    square += last * last / samples;
    last = (o.kinetic_energy + o.elastic_energy) / first - 1.;
    worst = fmax(worst, fabs(last));
  }
  note("gas: %lld steps of %g of the recommended one: energy off by %.2e at most, %.2e at the end, %.2e rms, %g "
       "contacts",
       (long long)cairn_simulation_step(sim), part, worst, last, sqrt(square), o.n_contacts);
  *temperature = o.rotational_energy;
  sim_free(sim, s);
  return worst;
}

static void test_gas(void) {
  double spin;
  const double start = now(), full = energy_error(1., 100000, 2000, &spin),
               half = energy_error(0.5, 200000, 2000, &spin);
  note("gas: %.1f s, %.1f times better at half the step", now() - start, full / half);
  ok(full <= 0.01, "an undamped gas keeps its energy within 1 %% over 1e5 steps at the recommended step");
  ok(half * 3. <= full, "at least three times better at half the step");
  ok(spin == 0., "without friction nothing begins to spin");
}

/* A column of 2000 spheres collapses to a heap. Damping in both directions and rolling friction take the energy. */
static void test_heap(void) {
  struct cairn_scenario *s = sim_scenario(
      "time: {end: 1000}\n"
      "seed: 5\n"
      "gravity: {uniform: [0, 0, -10]}\n"
      "materials: [{name: a, density: 2500}]\n"
      "interactions:\n"
      "  - {between: [a, a], stiffness: %s, restitution: 0.3, tangential_restitution: 0.3, friction: %s,\n"
      "     slip: %s, rolling_friction: %s, twisting_friction: %s}\n"
      "bodies:\n"
      "  - lattice: {origin: [0, 0, 0.06], counts: [14, 14, 10], spacing: 0.105, jitter: 0.002,\n"
      "              radius: {uniform: [0.045, 0.05]}, material: a}\n"
      "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n"
      "overlap: {limit: 1}\n"
      "cells: {bodies: 500}\n",
      getenv("K") ? getenv("K") : "5e5", getenv("FRIC") ? getenv("FRIC") : "0.3", getenv("SLIP") ? getenv("SLIP") : "1",
      getenv("ROLL") ? getenv("ROLL") : "0.1", getenv("TWIST") ? getenv("TWIST") : "0.1");
  struct cairn_simulation *sim = sim_create(s);
  const double start = now();
  double peak = 0., energy = 0.;
  int64_t steps = 0;
  const int64_t most = getenv("MOST") ? atoll(getenv("MOST")) : 60000;
  do {
    sim_advance(sim, 500);
    const struct cairn_observables o = sim_observe(sim);
    energy = o.kinetic_energy + o.rotational_energy;
    peak = fmax(peak, energy);
    steps += 500;
    if (steps % 10000 == 0)
      note("heap: step %lld t %.3f: energy %.2e of the peak (%.2e rotation) peak %.2g, top %.3f, z %.2f, %.1f s",
           (long long)steps, o.time, energy / peak, o.rotational_energy / peak, peak, o.center_of_mass[2],
           o.coordination, now() - start);
  } while (energy > 1e-8 * peak && steps < most);
  ok(energy <= 1e-8 * peak, "a heap of 2000 comes to rest: its kinetic energy falls by 1e8 from its peak");
  sim_free(sim, s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(0);
  if (!getenv("HEAP")) {
    test_column();
    test_gas();
  }
  if (!getenv("GAS"))
    test_heap();
  cairn_engine_stop();
  done_testing();
}
