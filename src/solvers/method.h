/* A method: one way to treat contact. One constant table per method; all of them stand in one list. */
#ifndef CAIRN_SOLVERS_METHOD_H
#define CAIRN_SOLVERS_METHOD_H

#include "data/scenario.h"
#include "solvers/simulation.h"
#include "tasks/tasks.h"

struct cairn_method_table {
  const char *name;        /* as in the scenario */
  const char *description; /* one sentence */

  /* Resolve what is `auto` in the scenario for this method and fill the physical part of the plan. */
  int (*plan)(struct cairn_scenario *scenario, struct cairn_plan *plan, struct cairn_error *error);

  /* Make the block of constants all cells share (freed with free) and fill n_laws and rotation of `world`. `law` is the
   * table of laws by pair of materials, [n_materials][n_materials], and `wall_law` that by wall and material of the
   * body, [n_walls][n_materials], to be filled. */
  int (*constants)(const struct cairn_scenario *scenario, struct cairn_task_world *world, int32_t *law,
                   int32_t *wall_law, double **block, size_t *n_doubles, struct cairn_error *error);

  /* Insert the tasks of n_steps steps. */
  int (*submit)(struct cairn_cells *cells, const struct cairn_task_world *world, int32_t n_steps);

  /* Are the bodies rigid? Then they have no accelerations, and the result of a step depends on the cells, because
   * contacts are solved cell by cell. */
  bool rigid;
};

extern const struct cairn_method_table cairn_method_soft_spheres, cairn_method_contact_dynamics;

/* The table of a scenario's method. */
const struct cairn_method_table *cairn_method_of(const struct cairn_scenario *scenario);

#endif
