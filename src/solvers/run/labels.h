/* What the files of a run say once: names and shapes of its walls, the box a viewer should show. */
#ifndef CAIRN_SOLVERS_RUN_LABELS_H
#define CAIRN_SOLVERS_RUN_LABELS_H

#include "data/files/trajectory.h"
#include "data/scenario/scenario.h"
#include "solvers/simulation/simulation.h"

struct cairn_labels {
  struct cairn_wall_labels walls; /* its arrays are the two below; without triangles */
  const char **names;             /* [n_walls], the scenario's */
  double (*shapes)[CAIRN_SHAPE_DOUBLES];
};

/* On failure nothing is allocated. */
int cairn_labels_make(const struct cairn_scenario *scenario, struct cairn_labels *labels, struct cairn_error *error);

/* One of zeros is allowed. */
void cairn_labels_fini(struct cairn_labels *labels);

/* For files; NULL if there are no walls. */
const struct cairn_wall_labels *cairn_labels_walls(const struct cairn_labels *labels);

/* cairn_trajectory_create at `path` for the bodies of a simulation, with the triangles of mesh walls. By all ranks;
 * rank 0 alone has a trajectory then. */
int cairn_labels_trajectory(const char *path, struct cairn_simulation *simulation,
                            const struct cairn_scenario *scenario, const struct cairn_labels *labels,
                            const struct cairn_provenance *provenance, struct cairn_trajectory **trajectory,
                            struct cairn_error *error);

#endif
