#include "solvers/run/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cairn_labels_make(const struct cairn_scenario *s, struct cairn_labels *labels, struct cairn_error *error) {
  const size_t n = (size_t)s->n_walls + 1;
  *labels =
      (struct cairn_labels){.names = calloc(n, sizeof *labels->names), .shapes = calloc(n, sizeof *labels->shapes)};
  if (!labels->names || !labels->shapes) {
    cairn_labels_fini(labels);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  }
  labels->walls = (struct cairn_wall_labels){
      .n = s->n_walls, .name = labels->names, .shape = (const double(*)[CAIRN_SHAPE_DOUBLES])labels->shapes};
  for (int32_t w = 0; w < s->n_walls; w++) {
    const struct cairn_wall *wall = s->walls + w;
    labels->names[w] = wall->name;
    memcpy(labels->shapes[w], wall->shape, sizeof wall->shape);
    /* relative to the wall's own point instead of the assembly's */
    for (int k = 0; k < 3 && !wall->mesh; k++)
      labels->shapes[w][1 + k] += s->assemblies[wall->assembly].position[k] - wall->reference[k];
  }
  labels->walls.has_captures = cairn_scenario_has_captures(s) || s->n_insertions > 0;
  labels->walls.has_merging = s->collisions_merge;
  return 0;
}

void cairn_labels_fini(struct cairn_labels *labels) {
  free(labels->names);
  free(labels->shapes);
  *labels = (struct cairn_labels){0};
}

const struct cairn_wall_labels *cairn_labels_walls(const struct cairn_labels *labels) {
  return labels->walls.n > 0 ? &labels->walls : NULL;
}

/* The box a viewer should show: around the bodies as they start. */
static void viewing_box(const struct cairn_state *state, double box[2][3]) {
  for (int k = 0; k < 3; k++) {
    box[0][k] = INFINITY;
    box[1][k] = -INFINITY;
    for (int64_t i = 0; i < state->n; i++) {
      box[0][k] = fmin(box[0][k], state->position[3 * i + k] - state->radius[i]);
      box[1][k] = fmax(box[1][k], state->position[3 * i + k] + state->radius[i]);
    }
  }
}

int cairn_labels_trajectory(const char *path, const struct cairn_scenario *scenario, const struct cairn_state *state,
                            const struct cairn_labels *labels, const struct cairn_provenance *provenance,
                            struct cairn_trajectory **trajectory, struct cairn_error *error) {
  struct cairn_wall_labels walls = labels->walls;
  struct cairn_wall_triangles triangles;
  double box[2][3];
  viewing_box(state, box);
  walls.triangles = &triangles;
  int status = cairn_wall_triangles_make(scenario, &triangles, error);
  if (!status)
    status = cairn_trajectory_create(path, state, box, walls.n > 0 || walls.has_merging ? &walls : NULL,
                                     scenario->output_stress, provenance, trajectory, error);
  cairn_wall_triangles_fini(&triangles);
  return status;
}
