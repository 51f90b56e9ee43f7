/* A run that is interrupted with everything in motion goes on with the same bits. */
#include "wall_sim.h"

/* All shapes, motions, behaviors and times at once, free assemblies and a servo, a mesh that spins. */
static struct cairn_scenario *make_all(const char *mesh, const char *table, int cells) {
  return sim_scenario(
      "time: {step: 4e-5, end: 100}\n"
      "seed: 3\n"
      "gravity: {uniform: [0, 0, -9.81]}\n"
      "materials: [{name: g, density: 2500}]\n"
      "interactions: [{between: [g, g], stiffness: 2e4, restitution: 0.6, tangential_restitution: 0.5, friction: 0.4,\n"
      "                slip: 0.5, rolling_friction: 0.05, twisting_friction: 0.05}]\n"
      "bodies: [{cloud: {count: 200, in: {box: {lower: [-0.09, -0.09, 0.06], upper: [0.09, 0.09, 0.2]}},\n"
      "                  radius: {uniform: [0.006, 0.009]}, material: g, speed: 1, velocity: [0, 0, -1]}}]\n"
      "walls:\n"
      "  - plane: {point: [0, 0, -0.05], normal: [0, 0, 1], material: g,\n"
      "            motion: {oscillation: {amplitude: [0, 0, 0.002], frequency: 30, phase: 0.4}}}\n"
      "  - cylinder: {center: [0, 0, 0.1], axis: [0, 0, 1], radius: 0.15, length: 0.4, material: g,\n"
      "               motion: {spin: 5}}\n"
      "  - disk: {normal: [0, 0, 1], radius: 0.06, hole: 0.02, material: g, vanishes: 0.15}\n"
      "  - rectangle: {corner: [-0.15, -0.15, 0.02], edge1: [0.1, 0, 0.02], edge2: [0, 0.3, 0], material: g,\n"
      "                behavior: frictionless, motion: {knocks: {velocity: [0, 0, 0.5], duration: 0.005,\n"
      "                period: 0.02, ramp: 2}}}\n"
      "  - triangle: {corner: [0.05, -0.1, 0.02], edge1: [0.1, 0, 0.05], edge2: [0, 0.2, 0], material: g,\n"
      "               behavior: sticky, vanishes: 0.12, motion: {spin: 3, axis: [0, 1, 5], velocity: [0, 0, -0.1]}}\n"
      "  - sphere: {center: [0, 0, 0.03], radius: 0.02, material: g, motion: {table: {file: '%s'}}}\n"
      "  - ring: {center: [0.02, 0, 0.05], normal: [0, 0, 1], radius: 0.04, material: g}\n"
      "  - line: {center: [0, 0.08, 0.04], axis: [1, 0, 0], length: 0.1, material: g, appears: 0.08}\n"
      "  - point: {position: [0, -0.08, 0.04], material: g}\n"
      "  - disk: {center: [0.08, 0.08, -0.04], normal: [0, 0, 1], radius: 0.07, material: g, behavior: absorbing}\n"
      "  - mesh: {file: '%s', shift: [-0.05, 0.02, 0.04], material: g, motion: {spin: 10, axis: [1, 1, 1], from: "
      "0.01,\n"
      "           until: 0.15}}\n"
      "assemblies:\n"
      "  - center: [0, 0, 0.25]\n"
      "    mass: 0.05\n"
      "    inertia: [2e-5, 3e-5, 4e-5]\n"
      "    velocity: [0, 0, -3]\n"
      "    spin: [10, 5, -20]\n"
      "    free: [x, y, z, turn_x, turn_y, turn_z]\n"
      "    walls:\n"
      "      - sphere: {center: [0, 0, 0.25], radius: 0.03, material: g}\n"
      "      - disk: {center: [0, 0, 0.29], normal: [0, 0, 1], radius: 0.02, material: g}\n"
      "  - center: [0, 0, 0.35]\n"
      "    mass: 1\n"
      "    axis: [0, 0, -1]\n"
      "    free: [along]\n"
      "    servo: {force: 5, speed: 1}\n"
      "    walls:\n"
      "      - rectangle: {corner: [-0.2, -0.2, 0.35], edge1: [0.4, 0, 0], edge2: [0, 0.4, 0], material: g}\n"
      "world: {lower: [-0.1, -0.1, -0.1], upper: [0.1, 0.1, 0.3]}\n"
      "overlap: {limit: 1}\n"
      "cells: {bodies: %d}\n",
      table, mesh, cells);
}

/* A pyramid about the origin. */
static struct wall_mesh write_pyramid(void) {
  static const double p[5][3] = {
      {0.03, 0, -0.01}, {0, 0.03, -0.01}, {-0.03, 0, -0.01}, {0, -0.03, -0.01}, {0, 0, 0.03}};
  struct wall_mesh mesh = wall_mesh_open("pyramid");
  for (int k = 0; k < 4; k++)
    wall_mesh_triangle(&mesh, p[k], p[(k + 1) % 4], p[4]);
  wall_mesh_quad(&mesh, p[0], p[1], p[2], p[3], 0);
  wall_mesh_close(&mesh);
  return mesh;
}

enum { STEPS = 4800 };

int main(void) {
  char table[1024], whole[CAIRN_DIGEST_LENGTH + 1], parts[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_error error = {0};
  plan(NO_PLAN);
  wall_make_folder();
  sim_start(1);
  const struct wall_mesh mesh = write_pyramid();
  snprintf(table, sizeof table, "%s/path.txt", wall_folder);
  FILE *file = fopen(table, "w");
  if (!file)
    BAIL_OUT("cannot write %s", table);
  fprintf(file, "0 0 0 0\n0.01 0 0 0.005\n0.03 0.01 0 0\n0.15 0 0 0.01\n");
  fclose(file);

  struct cairn_scenario *s = make_all(mesh.path, table, 1000);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, STEPS);
  cairn_state_digest(sim_state(sim), whole);
  const struct cairn_observables o = sim_observe(sim);
  note("at the end: %g absorbed, %g held, %g outside, %g and %g contacts", o.n_absorbed, o.n_held, o.n_outside,
       o.n_contacts, o.n_wall_contacts);
  sim_free(sim, s);

  /* interrupted three times, each time with other cells; the second time bodies are held, absorbed and in contact with
     walls that move */
  struct cairn_state kept = {0};
  const int cells[] = {1000, 40, 15, 70};
  double held = 0., absorbed = 0., touching = 0.;
  for (int k = 0; k < 4; k++) {
    s = make_all(mesh.path, table, cells[k]);
    if (cairn_simulation_create(s, k > 0 ? &kept : NULL, &sim, &error))
      BAIL_OUT("%s", error.message);
    const struct cairn_observables now = sim_observe(sim);
    held = fmax(held, now.n_held);
    absorbed = fmax(absorbed, now.n_absorbed);
    touching = fmax(touching, now.n_wall_contacts);
    sim_advance(sim, STEPS / 4 - (k == 1 ? 7 : k == 3 ? -7 : 0));
    if (cairn_state_copy(&kept, sim_state(sim), &error))
      BAIL_OUT("%s", error.message);
    sim_free(sim, s);
  }
  cairn_state_digest(&kept, parts);
  note("when interrupted: up to %g held, %g absorbed, %g contacts with walls", held, absorbed, touching);
  ok(held > 0. && absorbed > 0. && touching >= 5., "interrupted while walls hold, take out and push bodies");
  cmp_ok(kept.step, "==", STEPS, "the parts are as long as the whole");
  is(parts, whole, "resumed runs end with the same bits as the whole one");
  cairn_state_fini(&kept);
  cairn_engine_stop();
  done_testing();
}
