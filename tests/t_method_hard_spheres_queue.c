/* Hard spheres in tasks against one plain queue over all bodies: the same bits for dilute, moderate and dense clouds,
 * with and without walls, for several sizes of cells and any number of windows, on one, two and four workers; spheres
 * of many sizes; lists of neighbours without enough room. */
#include "hard_reference.h"
#include "solvers/simulation/simulation_parts.h"

struct cloud {
  const char *name;
  double radius;  /* m; 400 of them in a box of 1 m */
  double step;    /* s */
  double gravity; /* m/s² */
  double normal, transverse;
  int walls, steps;
  const char *law;
  int merge, crowded;
  double smallest; /* radius, over the largest; 0: 0.7 */
  double far;      /* m, one more body out there, beside which the others are rounded in single precision; 0: none */
};

static const char *const WALLS =
    "walls:\n"
    "  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: rock}\n"
    "  - plane: {point: [0, 0, 1], normal: [0, 0, -1], material: wall}\n"
    "  - cylinder: {center: [0.5, 0.5, 0], axis: [0, 0, 1], radius: 0.72, material: wall}\n"
    "  - sphere: {center: [0.5, 0.5, 0.5], radius: 0.1, material: wall}\n"
    "  - ring: {center: [0.5, 0.5, 0.7], normal: [0, 0, 1], radius: 0.3, material: wall}\n";

static struct cairn_scenario *make(const struct cloud *c, int cell) {
  char far[96] = "";
  if (c->far > 0.)
    snprintf(far, sizeof far, "  - single: {position: [%g, 0.5, 0.5], radius: %g, material: rock}\n", c->far,
             c->radius);
  return sim_scenario(
      "method: hard_spheres\n"
      "time: {step: %g, end: 10}\n"
      "gravity: {uniform: [0, 0, %g]}\n"
      "materials:\n  - {name: rock, density: 1000}\n  - {name: wall, density: 1000}\n"
      "interactions:\n"
      "  - {between: [rock, rock], restitution: %g, transverse_restitution: %g%s}\n"
      "  - {between: [rock, wall], restitution: 0.9, transverse_restitution: 0.3}\n"
      "%s%s"
      "bodies:\n"
      "  - cloud: {count: 400, in: {box: {lower: [0.03, 0.03, 0.03], upper: [0.97, 0.97, 0.97]}}, radius: "
      "{uniform: [%g, %g]}, speed: 1, spin: [1, 2, 3], material: rock}\n%s"
      "cells: {bodies: %d}\n",
      c->step, c->gravity, c->normal, c->transverse, c->law, c->walls ? WALLS : "",
      c->merge ? "collisions: {outcome: merge}\n" : "", (c->smallest > 0. ? c->smallest : 0.7) * c->radius, c->radius,
      far, cell);
}

/* Bodies whose numbers differ in any bit. */
static int64_t differing(const struct plain *p, const struct cairn_state *state) {
  int64_t n = 0;
  for (int64_t i = 0; i < p->n; i++)
    if (p->m[i] < 0.)
      n += state->captor[i] >= 0;
    else
      n += state->captor[i] != 0 || p->m[i] != state->mass[i] || p->r[i] != state->radius[i] ||
           memcmp(p->x[i], state->position + 3 * i, sizeof *p->x) != 0 ||
           memcmp(p->v[i], state->velocity + 3 * i, sizeof *p->v) != 0 ||
           memcmp(p->w[i], state->spin + 3 * i, sizeof *p->w) != 0;
  return n;
}

static void compare(const struct cloud *c, struct plain *plain, int cell, int workers, int windows) {
  struct cairn_scenario *scenario = make(c, cell);
  struct cairn_simulation *simulation = sim_create(scenario);
  simulation->world.hard.n_windows = c->merge ? 1 : windows; /* later as the run chooses */
  simulation->rules.near = 0.05;                             /* the lists overflow, and get more room */
  if (!plain->x) {                                           /* once for all */
    *plain = plain_make(scenario);
    for (int k = 0; k < c->steps; k++)
      plain_step(plain);
  }
  const struct plain p = *plain;
  sim_advance(simulation, c->steps);
  const struct cairn_state *state = cairn_simulation_capture(simulation, NULL);
  diag("%s: %lld collisions, %lld with walls, largest island %lld, %lld cells", c->name, (long long)p.n_collisions,
       (long long)p.n_wall_collisions, (long long)simulation->collided.island,
       (long long)cairn_simulation_n_cells(simulation));
  cmp_ok(p.n_collisions + p.n_merges, ">", 100, "%s, cells of %d, %d workers: they collide", c->name, cell, workers);
  cmp_ok(differing(&p, state), "==", 0, "%s, cells of %d, %d workers: the same bits", c->name, cell, workers);
  cmp_ok(simulation->collided.collisions, "==", p.n_collisions, "%s: as many collisions", c->name);
  cmp_ok(simulation->collided.merges, "==", p.n_merges, "%s: as often two became one", c->name);
  if (cell == 25 && c->radius > 0.03) /* where cells are made again */
    ok(simulation->rules.near > 0.05, "%s: the lists got more room", c->name);
  cmp_ok(simulation->collided.wall_collisions, "==", p.n_wall_collisions, "%s: as many with walls", c->name);
  if (c->crowded && windows == 1 && cell < 100)
    cmp_ok(simulation->world.hard.n_windows, ">", 1, "%s: the drift is run in windows", c->name);
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

/* Steps in which everything meets everything start with several windows. */
static void long_steps(void) {
  const struct cloud cloud = {"long steps", 0.055, 0.1, 0., 1., 1., 0, 0, "", 0, 0, 0., 0.};
  struct cairn_scenario *scenario = make(&cloud, 100);
  struct cairn_simulation *simulation = sim_create(scenario);
  /* 400 bodies, the fastest of which sweeps over 1.1 to 1.5 of the others */
  cmp_ok(simulation->world.hard.n_windows, "==", 4, "long steps: four windows from the start");
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

int main(void) {
#if defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__
  enum { PART = 1 };
#else
  enum { PART = 4 };
#endif
  static const struct cloud clouds[] = {
      {"dilute", 0.02, 0.004, 0., 1., 1., 0, 400 / PART, "", 0, 0, 0., 0.},
      {"moderate with walls", 0.04, 0.004, -1., 0.8, 0.5, 1, 100 / PART, "", 0, 0, 0., 0.},
      {"dense with walls", 0.055, 0.004, -1., 0.7, -0.5, 1, 100 / PART, "", 0, 0, 0., 0.},
      {"dense, everything meets", 0.055, 0.03, -1., 0.5, 0., 1, 12 / PART, "", 0, 1, 0., 0.},
      {"restitution by speed", 0.04, 0.004, 0., 0.6, 1., 0, 60 / PART,
       ", restitution_law: power, restitution_speed: 0.5, restitution_exponent: 0.3", 0, 0, 0., 0.},
      {"merging", 0.03, 0.004, -1., 0.8, 0.5, 1, 150 / PART, "", 1, 0, 0., 0.},
      {"many sizes", 0.09, 0.004, -1., 0.8, 0.5, 1, 60 / PART, "", 0, 0, 0.05, 0.},
      {"one far away", 0.04, 0.004, 0., 1., 1., 0, 60 / PART, "", 0, 0, 0., 3e4},
  };
  static struct plain plain[sizeof clouds / sizeof *clouds];
  const int workers[] = {1, 2, 4}, cells[] = {1000, 100, 25};
  plan(NO_PLAN);
  for (int w = 0; w < 3; w++) {
    sim_start(workers[w]);
    if (w == 0)
      long_steps();
    for (size_t k = 0; k < sizeof clouds / sizeof *clouds; k++)
      for (int c = 0; c < (w == 0 ? 3 : 1); c++)
        compare(clouds + k, plain + k, w == 0 ? cells[c] : 50, workers[w], w == 0 ? 1 << 3 * c : w == 1 ? 1 : 5);
    cairn_engine_stop();
  }
  for (size_t k = 0; k < sizeof clouds / sizeof *clouds; k++)
    plain_free(plain + k);
  done_testing();
}
