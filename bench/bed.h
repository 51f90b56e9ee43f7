/* The dense bed that several benchmarks share: a box of settled spheres in a text file, tiled. */
#ifndef CAIRN_BENCH_BED_H
#define CAIRN_BENCH_BED_H

#include <stdio.h>

#include "clocks.h"
#include "data/scenario/scenario.h"

/* For the scenario's text: floor and four sides. */
#define BED_WALLS                                                                                                      \
  "walls:\n"                                                                                                           \
  "  - plane: {name: floor, point: [0, 0, 0], normal: [0, 0, 1], material: grain}\n"                                   \
  "  - plane: {name: left, point: [0, 0, 0], normal: [1, 0, 0], material: grain}\n"                                    \
  "  - plane: {name: front, point: [0, 0, 0], normal: [0, 1, 0], material: grain}\n"                                   \
  "  - plane: {name: right, point: [1, 0, 0], normal: [-1, 0, 0], material: grain}\n"                                  \
  "  - plane: {name: back, point: [0, 1, 0], normal: [0, -1, 0], material: grain}\n"

static inline double bed_now(void) { return clock_seconds(CLOCK_MONOTONIC); }

/* Read the bed into `state`, nx × ny times; returns the edge of the box or 0. */
static double bed_read(const char *path, int nx, int ny, struct cairn_state *state, struct cairn_error *error) {
  FILE *file = fopen(path, "r");
  long n = 0;
  double edge = 0., height = 0.;
  if (!file || fscanf(file, "%ld %lf %lf", &n, &edge, &height) != 3 || n < 1 || edge <= 0. ||
      cairn_state_resize(state, (int64_t)n * nx * ny, error)) {
    if (file)
      fclose(file);
    return 0.;
  }
  for (int64_t i = 0; i < n; i++) {
    double x, y, z, r;
    if (fscanf(file, "%lf %lf %lf %lf", &x, &y, &z, &r) != 4)
      edge = 0.;
    for (int a = 0; a < nx && edge > 0.; a++)
      for (int b = 0; b < ny; b++) {
        const int64_t id = ((int64_t)a * ny + b) * n + i;
        state->position[3 * id] = edge * a + (a % 2 ? edge - x : x);
        state->position[3 * id + 1] = edge * b + (b % 2 ? edge - y : y);
        state->position[3 * id + 2] = z;
        state->radius[id] = r;
        state->mass[id] = 8. * r * r * r; /* a body of unit diameter has unit mass */
      }
  }
  fclose(file);
  return edge;
}

static void move_wall(struct cairn_scenario *scenario, int32_t wall, int axis, double x) {
  struct cairn_assembly *assembly = scenario->assemblies + scenario->walls[wall].assembly;
  scenario->walls[wall].reference[axis] = assembly->position[axis] = assembly->rules.start[axis] = x;
}

/* Put the right and back walls where a bed of these edges ends. */
static void bed_move_walls(struct cairn_scenario *scenario, double x, double y) {
  move_wall(scenario, 3, 0, x);
  move_wall(scenario, 4, 1, y);
}

#endif
