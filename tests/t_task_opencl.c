/* The OpenCL kernels agree with the host's over 100 steps of a dense bed, between planes and among walls of other
 * shapes that move. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/engine.h"
#include "contacts.h"
#include "data/scenario/scenario.h"
#include "solvers/simulation/simulation.h"
#include "tap/tap.h"

/* What both beds have in common. */
#define BED_BODIES_AND_WALLS                                                                                           \
  "bodies:\n"                                                                                                          \
  "  - lattice: {origin: [0.11, 0.11, 0.1], counts: [6, 6, 8], spacing: 0.2, jitter: 0, radius: {uniform: [0.09, "     \
  "0.0995]}, material: rock}\n"                                                                                        \
  "  - lattice: {origin: [0.11, 0.11, 1.7], counts: [6, 6, 8], spacing: 0.2, jitter: 0, radius: {uniform: [0.09, "     \
  "0.0995]}, material: ice, velocity: [0.3, 0.2, -1]}\n"                                                               \
  "walls:\n"                                                                                                           \
  "  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: rock}\n"                                                 \
  "  - plane: {point: [0, 0, 0], normal: [1, 0, 0], material: ice}\n"                                                  \
  "  - plane: {point: [1.24, 0, 0], normal: [-1, 0, 0], material: ice}\n"                                              \
  "  - plane: {point: [0, 0, 0], normal: [0, 1, 0], material: rock}\n"                                                 \
  "  - plane: {point: [0, 1.24, 0], normal: [0, -1, 0], material: rock}\n"

/* A bed settled for a while, two materials, all frictions on. */
static const char bed[] =
    "time: {step: auto, end: 1}\n"
    "gravity: {uniform: [0, 0, -10]}\n"
    "materials: [{name: rock, density: 2500}, {name: ice, density: 900}]\n"
    "interactions:\n"
    "  - {between: [rock, rock], stiffness: 4e5, restitution: 0.5, tangential_restitution: 0.6, friction: 0.5, "
    "rolling_friction: 0.1, twisting_friction: 0.1}\n"
    "  - {between: [rock, ice], stiffness: 3e5, restitution: 0.6, tangential_restitution: 0.7, friction: 0.3, slip: "
    "0.5}\n"
    "  - {between: [ice, ice], stiffness: 2e5, restitution: 0.7, tangential_restitution: 0.8, friction: "
    "0.1, cohesion: 5, cohesion_range: 0.005}\n" BED_BODIES_AND_WALLS;

/* The same with the Hertz law. */
static const char hertz_bed[] = "law: hertz\n"
                                "time: {step: auto, end: 1}\n"
                                "gravity: {uniform: [0, 0, -10]}\n"
                                "materials: [{name: rock, density: 2500, young_modulus: 5e6}, {name: ice, density: "
                                "900, young_modulus: 3e6, poisson_ratio: 0.4}]\n"
                                "interactions:\n"
                                "  - {between: [rock, rock], viscous_time: 3e-4, friction: 0.5, "
                                "rolling_friction: 0.1, twisting_friction: 0.1}\n"
                                "  - {between: [rock, ice], viscous_time: 1e-4, shear_ratio: 0.7, friction: 0.3, slip: "
                                "0.5, hamaker_constant: 0.02, hamaker_separation: 1e-3, cohesion_range: 0.01}\n"
                                "  - {between: [ice, ice], viscous_time: 2e-4, friction: 0.1}\n" BED_BODIES_AND_WALLS;

/* The same bodies in a tube on a floor that turns, with all other shapes in their way: a mesh with edges all over, a
 * plate that oscillates, and a free assembly that the bodies push and turn. */
static const char zoo[] =
    "time: {step: auto, end: 1}\n"
    "gravity: {uniform: [0, 0, -10]}\n"
    "materials: [{name: rock, density: 2500}, {name: ice, density: 900}]\n"
    "interactions:\n"
    "  - {between: [rock, rock], stiffness: 4e5, restitution: 0.5, tangential_restitution: 0.6, friction: 0.5, "
    "rolling_friction: 0.1, twisting_friction: 0.1}\n"
    "  - {between: [rock, ice], stiffness: 3e5, restitution: 0.6, tangential_restitution: 0.7, friction: 0.3, slip: "
    "0.5, work_of_adhesion: 5, cohesion_range: 0.005}\n"
    "bodies:\n"
    "  - lattice: {origin: [-0.5, -0.5, 1.1], counts: [6, 6, 8], spacing: 0.2, jitter: 0, radius: {uniform: [0.09, "
    "0.0995]}, material: rock, velocity: [0, 0, -2]}\n"
    "walls:\n"
    "  - disk: {name: table, center: [0, 0, 0], normal: [0, 0, 1], radius: 1.1, material: rock, motion: {spin: 3}}\n"
    "  - cylinder: {name: tube, center: [0, 0, 2], axis: [0, 0, 1], radius: 1, length: 4, material: ice, motion: "
    "{spin: -1}}\n"
    "  - cylinder: {name: endless, center: [0.03, 0, 0], axis: [0, 0, 1], radius: 1, material: ice}\n"
    "  - cylinder: {name: funnel, center: [0.5, 0, 0.3], axis: [0, 0, -1], radius: 0.3, length: 0.3, taper: 0.5, "
    "material: rock}\n"
    "  - rectangle: {name: plate, corner: [-0.9, -0.3, 0.4], edge1: [0.4, 0, 0.1], edge2: [0, 0.6, 0], material: ice, "
    "behavior: frictionless, motion: {oscillation: {amplitude: [0, 0, 0.02], frequency: 20}}}\n"
    "  - triangle: {name: wedge, corner: [-0.3, -0.9, 0.2], edge1: [0.6, 0, 0], edge2: [0.3, 0.4, 0.3], material: "
    "rock, motion: {spin: 2, velocity: [0, 0.05, 0]}}\n"
    "  - sphere: {name: knob, center: [0, 0, 0.5], radius: 0.15, material: ice}\n"
    "  - ring: {name: hoop, center: [0, 0, 0.5], normal: [0, 0.2, 1], radius: 0.5, material: rock}\n"
    "  - line: {name: wire, center: [0, -0.2, 0.4], axis: [1, 0, 0.1], length: 1, material: rock}\n"
    "  - point: {name: needle, position: [0.4, -0.4, 0.4], material: rock}\n"
    "  - mesh: {name: gutter, file: gutter.obj, shift: [0, 0.5, 0.05], material: rock}\n"
    "  - plane: {name: behind, point: [0, 0, -0.3], normal: [0, 0, 1], material: rock}\n"
    "assemblies:\n"
    "  - name: ram\n"
    "    center: [0, 0, 3]\n"
    "    mass: 20\n"
    "    inertia: [0.4, 0.5, 0.6]\n"
    "    velocity: [0.1, 0, -3]\n"
    "    spin: [1, 2, 0]\n"
    "    free: [x, y, z, turn_x, turn_y, turn_z]\n"
    "    walls:\n"
    "      - sphere: {center: [0, 0, 3], radius: 0.2, material: rock}\n"
    "      - disk: {center: [0, 0, 3.2], normal: [0, 0, 1], radius: 0.4, hole: 0.1, material: ice}\n"
    "      - mesh: {file: gutter.obj, scale: 0.5, shift: [0, 0, 2.7], material: rock}\n";

/* A gutter along x, cut into strips narrower than a body. */
static void write_gutter(const char *path) {
  enum { STRIPS = 20 };
  FILE *file = fopen(path, "w");
  if (!file)
    return;
  for (int i = 0; i <= STRIPS; i++) {
    const double x = -0.6 + 1.2 * i / STRIPS;
    fprintf(file, "v %g -0.2 0.25\nv %g 0 0\nv %g 0.2 0.25\n", x, x, x);
  }
  for (int i = 0; i < STRIPS; i++) {
    const int a = 3 * i + 1;
    fprintf(file, "f %d %d %d %d\nf %d %d %d %d\n", a, a + 1, a + 4, a + 3, a + 1, a + 2, a + 5, a + 4);
  }
  fclose(file);
}

enum { SETTLE = 3000, LONGER = 9000, STEPS = 100 };

struct place {
  const char *text; /* of the scenario */
  const char *file; /* its name: meshes are beside it */
  int64_t settle;   /* steps before the comparison begins */
  const char *more; /* an override, or NULL */
};

static int load(const struct place *place, struct cairn_scenario **scenario, const char *cell,
                struct cairn_error *error) {
  const char *set[] = {cell, place->more};
  return cairn_scenario_parse(place->text, strlen(place->text), place->file, place->more ? 2 : 1, set, 0, scenario,
                              error);
}

/* Do `n` steps from `from` (NULL: the start) on the device and copy the result to `to`. */
static int steps(const struct place *place, enum cairn_engine_device device, const char *cell,
                 const struct cairn_state *from, int64_t n, struct cairn_state *to, struct cairn_error *error) {
  struct cairn_scenario *scenario = NULL;
  struct cairn_simulation *sim = NULL;
  int status = load(place, &scenario, cell, error);
  if (status)
    return status;
  status = cairn_engine_start(&(struct cairn_engine_options){.workers = 1, .device = device}, error);
  if (status) {
    cairn_scenario_free(scenario);
    return status;
  }
  status = cairn_simulation_create(scenario, from, &sim, error);
  if (!status)
    status = cairn_simulation_advance(sim, n, error);
  const struct cairn_state *state = status ? NULL : cairn_simulation_capture(sim, error);
  if (state)
    status = cairn_state_copy(to, state, error);
  cairn_simulation_free(sim);
  cairn_engine_stop();
  cairn_scenario_free(scenario);
  return status;
}

/* Largest difference of n numbers, relative to the largest of them. */
static double difference(const double *a, const double *b, int64_t n) {
  double most = 0., scale = 0.;
  for (int64_t i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    scale = fmax(scale, fabs(a[i]));
  }
  return scale > 0. ? most / scale : most;
}

static void compare(const struct place *place, const char *cell, const struct cairn_state *start) {
  struct cairn_state host = {0}, device = {0};
  struct cairn_error error = {0};
  ok(steps(place, CAIRN_ENGINE_CPU, cell, start, STEPS, &host, &error) == 0, "%s: host", cell);
  ok(steps(place, CAIRN_ENGINE_OPENCL, cell, start, STEPS, &device, &error) == 0, "%s: device (%s)", cell,
     error.message);
  const int64_t n = 3 * host.n;
  cmp_ok((int)host.contacts.n, ">", (int)host.n, "the bed is dense");
  if (device.n != host.n || device.n_assemblies != host.n_assemblies) {
    fail("no result from the device");
    return;
  }
  /* rounding of another compiler, grown over 100 steps: the bound the design asks for */
  ok(difference(host.position, device.position, n) < 1e-10, "%s: positions", cell);
  ok(difference(host.velocity, device.velocity, n) < 1e-10, "%s: velocities", cell);
  ok(difference(host.spin, device.spin, n) < 1e-10, "%s: spins", cell);
  ok(difference(host.acceleration, device.acceleration, n) < 1e-10, "%s: accelerations", cell);
  diag("%s: positions %.1e velocities %.1e spins %.1e accelerations %.1e", cell,
       difference(host.position, device.position, n), difference(host.velocity, device.velocity, n),
       difference(host.spin, device.spin, n), difference(host.acceleration, device.acceleration, n));
  ok(same_contacts(&host.contacts, &device.contacts), "%s: the same contacts of the same age", cell);
  ok(same_contacts(&host.wall_contacts, &device.wall_contacts), "%s: the same contacts with walls of the same age",
     cell);
  /* what the bodies do to the free assembly goes through the same sums */
  const int64_t m = host.n_assemblies;
  ok(difference(host.assembly_position, device.assembly_position, 3 * m) < 1e-10 &&
         difference(host.assembly_orientation, device.assembly_orientation, 4 * m) < 1e-10 &&
         difference(host.assembly_velocity, device.assembly_velocity, 3 * m) < 1e-10 &&
         difference(host.assembly_spin, device.assembly_spin, 3 * m) < 1e-10,
     "%s: the walls are in the same places", cell);
  diag("%s: walls: positions %.1e velocities %.1e spins %.1e accelerations %.1e", cell,
       difference(host.assembly_position, device.assembly_position, 3 * m),
       difference(host.assembly_velocity, device.assembly_velocity, 3 * m),
       difference(host.assembly_spin, device.assembly_spin, 3 * m),
       difference(host.assembly_acceleration, device.assembly_acceleration, 3 * m));
  cairn_state_fini(&host);
  cairn_state_fini(&device);
}

static void settle_and_compare(const struct place *place, struct cairn_state *start) {
  struct cairn_error error = {0};
  ok(steps(place, CAIRN_ENGINE_CPU, "cells.bodies=1000", NULL, place->settle, start, &error) == 0, "%s settled (%s)",
     place->file, error.message);
  compare(place, "cells.bodies=1000", start); /* one cell: many steps in a task */
  compare(place, "cells.bodies=100", start);
}

/* Many walls of every shape are touched at the start of the comparison, the free assembly's too. */
static void check_touched(const struct place *place, const struct cairn_state *start) {
  struct cairn_scenario *scenario = NULL;
  struct cairn_error error = {0};
  if (load(place, &scenario, "cells.bodies=1000", &error)) {
    fail("%s", error.message);
    return;
  }
  int touched = 0, meshes = 0, free = 0, twice = 0;
  for (int32_t w = 0; w < scenario->n_walls; w++) {
    int n = 0;
    for (int64_t i = 0; i < start->wall_contacts.n; i++)
      n += touch_of(start, i)->b == w;
    touched += n > 0;
    meshes += n > 0 && scenario->walls[w].mesh;
    free += n > 0 && scenario->assemblies[scenario->walls[w].assembly].rules.kind == CAIRN_ASSEMBLY_FREE;
    diag("%s: %d contacts", scenario->walls[w].name, n);
  }
  for (int64_t i = 1; i < start->wall_contacts.n; i++)
    twice += touch_of(start, i)->a == touch_of(start, i - 1)->a && touch_of(start, i)->b == touch_of(start, i - 1)->b;
  cmp_ok(touched, ">=", 9, "most walls are touched");
  cmp_ok(meshes, ">", 0, "a mesh is touched");
  cmp_ok(twice, ">", 0, "at several places by one body");
  cmp_ok(free, ">", 0, "the free assembly is touched");
  cairn_scenario_free(scenario);
}

int main(void) {
  char folder[] = "cairn_opencl_XXXXXX", mesh[64], file[64];
  struct cairn_state start = {0};
  struct cairn_error error = {0};
  const struct place planes = {bed, "bed", SETTLE, NULL};
  const struct place hertz = {hertz_bed, "bed with the Hertz law", SETTLE, NULL};
  const struct place turning = {bed, "turning bed", SETTLE, "frame={spin: [0.3, -0.5, 1], pivot: [1, 0, 0]}"};
  const struct place passed = {
      bed, "bed and a planet", SETTLE,
      "gravity={uniform: [0, 0, -5], central: {mass: 1e13, position: [20, -30, 10], velocity: [-5, 1, 0]}}"};
  setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
  setenv("STARPU_NOPENCL", "1", 1);
  /* only a missing device is a reason to skip: one that refuses the kernels is a failure */
  if (steps(&planes, CAIRN_ENGINE_OPENCL, "cells.bodies=1000", NULL, 1, &start, &error) == CAIRN_ERR_INPUT) {
    plan(SKIP_ALL, "no OpenCL device: %s", error.message);
    return 0;
  }
  cairn_state_fini(&start);
  plan(NO_PLAN);
  settle_and_compare(&planes, &start);
  cairn_state_fini(&start);
  settle_and_compare(&turning, &start);
  cairn_state_fini(&start);
  settle_and_compare(&passed, &start);
  cairn_state_fini(&start);
  settle_and_compare(&hertz, &start);
  cairn_state_fini(&start);

  if (!mkdtemp(folder))
    BAIL_OUT("no temporary folder");
  snprintf(mesh, sizeof mesh, "%s/gutter.obj", folder);
  snprintf(file, sizeof file, "%s/zoo.yaml", folder);
  write_gutter(mesh);
  const struct place shapes = {zoo, file, LONGER, NULL};
  settle_and_compare(&shapes, &start);
  check_touched(&shapes, &start);
  cairn_state_fini(&start);
  unlink(mesh);
  rmdir(folder);
  done_testing();
}
