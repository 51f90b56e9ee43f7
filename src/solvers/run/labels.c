#include "solvers/run/labels.h"

#include <stdlib.h>
#include <string.h>

#include "cairn/ranks.h"

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

static int make(const char *path, int64_t n, double box[2][3], const struct cairn_scenario *scenario,
                const struct cairn_labels *labels, const struct cairn_provenance *provenance,
                struct cairn_trajectory **trajectory, struct cairn_error *error) {
  struct cairn_wall_labels walls = labels->walls;
  struct cairn_wall_triangles triangles;
  walls.triangles = &triangles;
  int status = cairn_wall_triangles_make(scenario, &triangles, error);
  if (!status)
    status = cairn_trajectory_make(path, n, (const double(*)[3])box, walls.n > 0 || walls.has_merging ? &walls : NULL,
                                   scenario->output_stress, provenance, trajectory, error);
  cairn_wall_triangles_fini(&triangles);
  return status;
}

static int put_static(void *context, const struct cairn_simulation_slab *slab, struct cairn_error *error) {
  return cairn_trajectory_put_static(context, slab->state, slab->first, error);
}

int cairn_labels_trajectory(const char *path, struct cairn_simulation *simulation,
                            const struct cairn_scenario *scenario, const struct cairn_labels *labels,
                            const struct cairn_provenance *provenance, struct cairn_trajectory **trajectory,
                            struct cairn_error *error) {
  const bool leads = cairn_ranks_me() == 0;
  struct cairn_trajectory *t = NULL;
  double box[2][3]; /* what a viewer should show: the bodies as they start */
  int status = cairn_simulation_box(simulation, box, error);
  if (!status && leads)
    status = make(path, cairn_simulation_n_bodies(simulation), box, scenario, labels, provenance, &t, error);
  status = cairn_ranks_agree(status, error);
  if (!status)
    status = cairn_simulation_visit_slabs(simulation, false, put_static, t, error);
  if (!status && leads)
    status = cairn_trajectory_begin(t, error);
  if (status) {
    cairn_trajectory_close(t, NULL);
    t = NULL;
  }
  *trajectory = t;
  return status;
}
