/* The block of constants that all cells share (kernels/common/blocks.h): gravity, laws, walls. The same for all methods
 * but for the laws. */
#ifndef CAIRN_SOLVERS_SIMULATION_WORLD_H
#define CAIRN_SOLVERS_SIMULATION_WORLD_H

#include "data/scenario/scenario.h"
#include "tasks/tasks.h"

/* Write the law between the materials a and b, without friction if so asked; returns whether it has rolling or twisting
 * friction. */
typedef bool cairn_world_law(const struct cairn_scenario *scenario, int32_t a, int32_t b, bool frictionless,
                             double law[CAIRN_LAW_DOUBLES]);

/* Make the block (freed with free) and the tables of laws by pair of materials, [n_materials][n_materials], and by wall
 * and material of the body, [n_walls][n_materials]. Fills n_laws and rotation of `world`. */
int cairn_world_make(const struct cairn_scenario *scenario, cairn_world_law *put_law, struct cairn_task_world *world,
                     int32_t *law, int32_t *wall_law, double **block, size_t *n_doubles, struct cairn_error *error);

#endif
