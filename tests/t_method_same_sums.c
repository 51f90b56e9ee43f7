/* Sums over bodies and contacts have the same bits whatever the cells are and however a run is cut into stretches: the
 * energies of a series and the forces on walls do not depend on the time of day. */
#include "sim.h"

#include "data/state/observables.h"

static struct cairn_scenario *falling(const char *method, int cells_bodies) {
  return sim_scenario("time: {step: %s, end: 1}\n"
                      "seed: 3\n"
                      "method: %s\n"
                      "gravity: {uniform: [0.1, 0.2, -9.81]}\n"
                      "materials: [{name: rock, density: 2500}]\n"
                      "interactions: [{between: [rock, rock], stiffness: 1e5, restitution: 0.5, friction: 0.5}]\n"
                      "bodies:\n"
                      "  - cloud: {count: 250, in: {box: {lower: [0, 0, 0], upper: [1, 1, 0.5]}},\n"
                      "            radius: {uniform: [0.03, 0.05]}, speed: 3, material: rock}\n"
                      "walls:\n"
                      "  - plane: {normal: [0, 0, 1], material: rock}\n"
                      "  - plane: {point: [1, 0, 0], normal: [-1, 0, 0], material: rock}\n"
                      "cells: {bodies: %d}\n"
                      "overlap: {limit: 0.9}\n",
                      strcmp(method, "soft_spheres") == 0 ? "1e-4" : "1e-3", method, cells_bodies);
}

struct seen {
  struct cairn_observables sums;
  struct cairn_wall_sample walls[2];
};

/* After so many steps, in so many stretches. */
static struct seen look(const char *method, int cells_bodies, int64_t n_steps, int stretches) {
  struct seen seen;
  struct cairn_error error = {0};
  struct cairn_scenario *scenario = falling(method, cells_bodies);
  struct cairn_simulation *sim = sim_create(scenario);
  for (int k = 0; k < stretches; k++)
    sim_advance(sim, n_steps * (k + 1) / stretches - n_steps * k / stretches);
  seen.sums = sim_observe(sim);
  if (cairn_simulation_observe_walls(sim, seen.walls, &error))
    BAIL_OUT("%s", error.message);
  sim_free(sim, scenario);
  return seen;
}

static void same(const struct seen *a, const struct seen *b, const char *what) {
  int n_other = 0;
  for (int i = 0; i < cairn_observables_n_fields; i++) {
    const struct cairn_observable_field *field = cairn_observables_fields + i;
    const char *p = (const char *)&a->sums + field->offset, *q = (const char *)&b->sums + field->offset;
    if (memcmp(p, q, (size_t)field->components * sizeof(double)) != 0) {
      n_other++;
      diag("%s: %.17g and %.17g", field->name, *(const double *)p, *(const double *)q);
    }
  }
  cmp_ok(n_other, "==", 0, "%s: every observable has the same bits", what);
  ok(memcmp(a->walls, b->walls, sizeof a->walls) == 0, "%s: forces and torques on walls, too", what);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  const struct seen one = look("soft_spheres", 1000, 300, 1);
  ok(one.sums.n_contacts > 20 && one.sums.n_wall_contacts > 1, "bodies touch each other, and walls");
  const struct seen small = look("soft_spheres", 20, 300, 1), cut = look("soft_spheres", 20, 300, 23);
  same(&one, &small, "soft spheres in one cell and in many");
  same(&small, &cut, "soft spheres in many stretches");
  /* the impulses of rigid bodies are those of their cells, which a state remembers */
  const struct seen cd = look("contact_dynamics", 60, 30, 1), cd_cut = look("contact_dynamics", 60, 30, 7);
  same(&cd, &cd_cut, "rigid bodies in many stretches");
  cairn_engine_stop();
  done_testing();
}
