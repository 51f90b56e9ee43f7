/* Contact dynamics on OpenCL devices: sweeps do the same wherever they run, up to rounding; CPUs alone, which visit
 * contacts in another order, find the same velocities where these are unique, within what the tolerance of the residual
 * allows; and impulses account for all momentum. */
#include "contacts.h"
#include "sim.h"

#include <starpu.h>

enum { SETTLE = 120, SWEEPS = 30 };

static const char bed[] =
    "method: contact_dynamics\n"
    "time: {step: 2e-3, end: 1}\n"
    "gravity: {uniform: [0, 0, -10]}\n"
    "materials: [{name: rock, density: 2500}, {name: ice, density: 900}]\n"
    "interactions:\n"
    "  - {between: [rock, rock], restitution: 0, friction: %g, rolling_friction: %g, twisting_friction: %g}\n"
    "  - {between: [rock, ice], restitution: 0, friction: %g}\n"
    "bodies:\n"
    "  - lattice: {origin: [0.13, 0.13, 0.1], counts: [8, 4, 8], spacing: 0.2, jitter: 0.002, radius: {uniform: "
    "[0.088, "
    "0.0975]}, material: rock, velocity: [0.2, 0.1, -1]}\n"
    "walls:\n"
    "  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: rock}\n"
    "  - plane: {point: [0, 0, 0], normal: [1, 0, 0], material: ice}\n"
    "  - plane: {point: [1.66, 0, 0], normal: [-1, 0, 0], material: ice}\n"
    "  - plane: {point: [0, 0, 0], normal: [0, 1, 0], material: rock}\n"
    "  - plane: {point: [0, 0.86, 0], normal: [0, -1, 0], material: rock}\n"
    "cells: {bodies: 60}\n"
    "%s";

/* A lid that falls on the bed: what bodies do to it stays on CPUs. */
static const char lid[] =
    "assemblies:\n"
    "  - name: lid\n"
    "    center: [0.83, 0.43, 1.62]\n"
    "    mass: 50\n"
    "    inertia: [2, 8, 10]\n"
    "    velocity: [0, 0, -2]\n"
    "    free: [z, turn_y]\n"
    "    walls:\n"
    "      - rectangle: {corner: [0, 0, 1.62], edge1: [1.66, 0, 0], edge2: [0, 0.86, 0], material: rock}\n";

/* A scenario, and where bodies are when the comparison begins. */
struct place {
  const char *name;
  double friction, rolling, twisting;
  const char *more;
  struct cairn_state start;
};

struct how {
  enum cairn_cd_solver solver;
  double tolerance;
  int64_t sweeps;
};

/* Some steps from `from` (NULL: the beginning). */
static int steps(const struct place *place, enum cairn_engine_device device, const struct how *how,
                 const struct cairn_state *from, int64_t n, struct cairn_state *to, int *on_device,
                 struct cairn_error *error) {
  struct cairn_scenario *scenario =
      sim_scenario(bed, place->friction, place->rolling, place->twisting, place->friction, place->more);
  struct cairn_simulation *sim = NULL;
  scenario->solver = how->solver;
  scenario->solver_tolerance = how->tolerance;
  scenario->solver_sweeps = how->sweeps;
  int status = cairn_engine_start(&(struct cairn_engine_options){.workers = 1, .device = device}, error);
  if (status) {
    cairn_scenario_free(scenario);
    return status;
  }
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  status = cairn_simulation_create(scenario, from, &sim, error);
  if (!status)
    status = cairn_simulation_advance(sim, n, error);
  const struct cairn_state *state = status ? NULL : cairn_simulation_capture(sim, error);
  if (state)
    status = cairn_state_copy(to, state, error);
  *on_device = 0;
  for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
    struct starpu_profiling_worker_info info;
    if (starpu_worker_get_type((int)w) == STARPU_OPENCL_WORKER && !starpu_profiling_worker_get_info((int)w, &info))
      *on_device += info.executed_tasks;
  }
  sim_free(sim, scenario);
  cairn_engine_stop();
  return status;
}

/* Largest difference of n numbers, relative to the largest of them and to `scale`. */
static double difference(const double *a, const double *b, int64_t n, double scale) {
  double most = 0.;
  for (int64_t i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    scale = fmax(scale, fabs(a[i]));
  }
  return scale > 0. ? most / scale : most;
}

/* The same for the impulses between bodies. */
static double impulse_difference(const struct cairn_state *a, const struct cairn_state *b) {
  double most = 0., scale = 0.;
  for (int64_t c = 0; c < a->contacts.n; c++)
    for (int k = 0; k < 3; k++) {
      most = fmax(most, fabs(PAIR_MEMORY(a, c, impulse)[k] - PAIR_MEMORY(b, c, impulse)[k]));
      scale = fmax(scale, fabs(PAIR_MEMORY(a, c, impulse)[k]));
    }
  return scale > 0. ? most / scale : most;
}

/* What bodies gain in a step is what gravity gives and walls take. */
static void check_momentum(const struct place *place, const struct cairn_state *end, const char *name) {
  const struct cairn_state *start = &place->start;
  double gain[3] = {0., 0., 0.}, pushed[3] = {0., 0., 0.}, most = 0.;
  for (int64_t i = 0; i < end->n; i++)
    for (int k = 0; k < 3; k++)
      gain[k] += end->mass[i] * (end->velocity[3 * i + k] - start->velocity[3 * i + k] - (k == 2 ? -10. * 2e-3 : 0.));
  for (int64_t c = 0; c < end->wall_contacts.n; c++)
    for (int k = 0; k < 3; k++) {
      pushed[k] += TOUCH_MEMORY(end, c, impulse)[k];
      most += fabs(TOUCH_MEMORY(end, c, impulse)[k]);
    }
  /* rounding: some hundred contacts, pushed by some ten sweeps */
  for (int k = 0; k < 3; k++)
    tap_near(gain[k], -pushed[k], 1e-12 * most, 0., "%s: momentum along %c", name, "xyz"[k]);
}

/* A fixed number of sweeps in each of some steps on devices, and on devices and CPUs as the scheduler likes. */
static void compare_workers(struct place *place, enum cairn_cd_solver solver, int64_t n, const char *name) {
  const struct how how = {solver, 1e-300, SWEEPS};
  struct cairn_state device = {0}, mixed = {0};
  struct cairn_error error = {0};
  int on_device = 0, of_mixed = 0;
  ok(!steps(place, CAIRN_ENGINE_OPENCL, &how, &place->start, n, &device, &on_device, &error), "%s, %s: device (%s)",
     place->name, name, error.message);
  ok(!steps(place, CAIRN_ENGINE_ANY, &how, &place->start, n, &mixed, &of_mixed, &error), "%s, %s: mixed (%s)",
     place->name, name, error.message);
  cmp_ok(on_device, ">", SWEEPS, "%s, %s: sweeps ran on the device", place->name, name);
  cmp_ok(of_mixed, "<", on_device, "%s, %s: CPUs took part where they could", place->name, name);
  if (device.n != mixed.n || device.n == 0) {
    fail("no result from the device");
    return;
  }
  cmp_ok((int)(device.contacts.n + device.wall_contacts.n), ">", (int)device.n, "the bed is dense");
  /* rounding of another compiler and of sums in another order, grown over 30 sweeps a step; the first wrong sweep is
   * off by some percent */
  ok(difference(device.velocity, mixed.velocity, 3 * device.n, 0.) < 1e-10, "%s, %s: velocities", place->name, name);
  ok(difference(device.spin, mixed.spin, 3 * device.n, 1.) < 1e-10, "%s, %s: spins", place->name, name);
  ok(device.contacts.n == mixed.contacts.n && impulse_difference(&device, &mixed) < 1e-10, "%s, %s: impulses",
     place->name, name);
  diag("%s, %s: velocities %.1e spins %.1e impulses %.1e; %d tasks on the device, %d when mixed", place->name, name,
       difference(device.velocity, mixed.velocity, 3 * device.n, 0.),
       difference(device.spin, mixed.spin, 3 * device.n, 1.), impulse_difference(&device, &mixed), on_device, of_mixed);
  if (n == 1)
    check_momentum(place, &device, name);
  cairn_state_fini(&device);
  cairn_state_fini(&mixed);
}

/* √Σ |p|²/ρ over the contacts, ρ = 3/8 over the sum of inverse masses (docs/physics.md). */
static double length_of_impulses(const struct cairn_state *s) {
  double sum = 0.;
  for (int64_t c = 0; c < s->contacts.n; c++)
    for (int k = 0; k < 3; k++)
      sum += 8. / 3. * (1. / s->mass[pair_of(s, c)->a] + 1. / s->mass[pair_of(s, c)->b]) *
             PAIR_MEMORY(s, c, impulse)[k] * PAIR_MEMORY(s, c, impulse)[k];
  for (int64_t c = 0; c < s->wall_contacts.n; c++)
    for (int k = 0; k < 3; k++)
      sum += 8. / 3. / s->mass[touch_of(s, c)->a] * TOUCH_MEMORY(s, c, impulse)[k] * TOUCH_MEMORY(s, c, impulse)[k];
  return sqrt(sum);
}

/* An upper bound of the scale √Σ ρ |q|² that residuals are relative to: no more than 16 contacts for each body, none
 * with a gap beyond what closes in two steps or a fiftieth of the mean radius. */
static double scale_of_problem(const struct cairn_state *s) {
  double speed2 = 0., mass = 0., radius = 0.;
  for (int64_t i = 0; i < s->n; i++) {
    const double *v = s->velocity + 3 * i;
    speed2 = fmax(speed2, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    mass = fmax(mass, s->mass[i]);
    radius = fmax(radius, s->radius[i]);
  }
  const double speed = sqrt(speed2) + 10. * 2e-3, q = 2. * speed + 4. * speed + 0.02 * radius / 2e-3;
  return sqrt(16. * (double)s->n * 3. / 8. * mass * q * q);
}

/* Without friction impulses minimise a convex function, and velocities are unique. Let p and p' be two solutions with
 * natural maps e and e' of norm ε S at most, d = p - p'. Both solve a variational inequality disturbed by e, and adding
 * these gives |d|_W² ≤ |d|_W |e - e'|_W + |e - e'| |d| in the norms of the residual, hence |d|_W ≤ A + √B with
 * A = 2 ε S √λ, λ the largest eigenvalue of ρW, at most 16 contacts of a body times 7/2 · 3/8, and B = 2 ε S (|p| +
 * |p'|). |d|_W is √Σ m |Δv|². */
static void compare_orders(struct place *place, enum cairn_cd_solver solver, const char *name) {
  const struct how how = {solver, 1e-9, 100000};
  struct cairn_state host = {0}, device = {0};
  struct cairn_error error = {0};
  int on_device = 0, nowhere = 0;
  ok(!steps(place, CAIRN_ENGINE_CPU, &how, &place->start, 1, &host, &nowhere, &error), "%s: CPU (%s)", name,
     error.message);
  ok(!steps(place, CAIRN_ENGINE_OPENCL, &how, &place->start, 1, &device, &on_device, &error), "%s: device (%s)", name,
     error.message);
  cmp_ok(nowhere, "==", 0, "%s: nothing on devices", name);
  if (host.n != device.n || host.n == 0) {
    fail("no result");
    return;
  }
  const double s = 2. * how.tolerance * scale_of_problem(&place->start);
  const double bound = s * sqrt(21.) + sqrt(s * (length_of_impulses(&host) + length_of_impulses(&device)));
  double square = 0., all = 0.;
  for (int64_t i = 0; i < 3 * host.n; i++) {
    const double d = host.velocity[i] - device.velocity[i], v = host.velocity[i] - place->start.velocity[i];
    square += host.mass[i / 3] * d * d;
    all += host.mass[i / 3] * v * v;
  }
  cmp_ok(sqrt(square) <= bound, "==", 1, "%s: %.2g differs from the CPUs' order by less than %.2g, of %.2g", name,
         sqrt(square), bound, sqrt(all));
  cmp_ok(bound < 0.1 * sqrt(all), "==", 1, "%s: which is little", name);
  ok(memcmp(host.velocity, device.velocity, (size_t)(3 * host.n) * sizeof(double)) != 0, "%s: but not nothing", name);
  cairn_state_fini(&host);
  cairn_state_fini(&device);
}

static void settle(struct place *place) {
  const struct how how = {CAIRN_CD_NESTEROV, 1e-4, 100};
  struct cairn_error error = {0};
  int nowhere;
  if (steps(place, CAIRN_ENGINE_CPU, &how, NULL, SETTLE, &place->start, &nowhere, &error))
    BAIL_OUT("%s: %s", place->name, error.message);
}

int main(void) {
  struct place rotation_friction = {
      .name = "with rolling", .friction = 0.5, .rolling = 0.1, .twisting = 0.1, .more = ""};
  struct place smooth = {.name = "without friction", .more = ""};
  struct place lidded = {.name = "with a lid", .friction = 0.5, .more = lid};
  struct cairn_error error = {0};
  int on_device;
  setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
  setenv("STARPU_NOPENCL", "1", 1);
  setenv("STARPU_SCHED", "eager", 1); /* one queue: every worker gets some of the sweeps */
  /* only a missing device is a reason to skip: one that refuses the kernels is a failure */
  if (steps(&rotation_friction, CAIRN_ENGINE_OPENCL, &(struct how){CAIRN_CD_NSGS, 0.5, 1}, NULL, 1,
            &rotation_friction.start, &on_device, &error) == CAIRN_ERR_INPUT) {
    plan(SKIP_ALL, "no OpenCL device: %s", error.message);
    return 0;
  }
  plan(NO_PLAN);
  settle(&rotation_friction);
  compare_workers(&rotation_friction, CAIRN_CD_NSGS, 1, "nsgs");
  compare_workers(&rotation_friction, CAIRN_CD_NESTEROV, 3, "nesterov");
  settle(&lidded);
  compare_workers(&lidded, CAIRN_CD_NESTEROV, 3, "nesterov");
  settle(&smooth);
  compare_workers(&smooth, CAIRN_CD_NESTEROV, 1, "nesterov");
  compare_orders(&smooth, CAIRN_CD_NESTEROV, "nesterov");
  cairn_state_fini(&rotation_friction.start);
  cairn_state_fini(&lidded.start);
  cairn_state_fini(&smooth.start);
  done_testing();
}
