/* The driver of soft spheres, for their table (solvers/method.h). */
#ifndef CAIRN_SOLVERS_SOFT_SPHERES_H
#define CAIRN_SOLVERS_SOFT_SPHERES_H

#include "solvers/method.h"

/* Tasks in flight between two reads of the reports: enough to hide them, few enough to keep StarPU's queues short. */
enum { CAIRN_SOFT_SPHERES_TASKS_PER_BATCH = 4096 };

int64_t cairn_soft_spheres_cells_bodies(int64_t n);

/* Trial of cell sizes with `cells.bodies: auto`: after a partition; how many of n steps a batch may have; after a batch
 * of n steps that took so long. */
void cairn_soft_spheres_cells_partitioned(struct cairn_simulation *simulation);
int64_t cairn_soft_spheres_cells_batch(const struct cairn_simulation *simulation, int64_t n);
void cairn_soft_spheres_cells_note(struct cairn_simulation *simulation, int64_t n_steps, double seconds);

int cairn_soft_spheres_start(struct cairn_simulation *simulation, struct cairn_error *error);
int cairn_soft_spheres_advance(struct cairn_simulation *simulation, int64_t most, struct cairn_error *error);
double cairn_soft_spheres_skin(struct cairn_simulation *simulation);
void cairn_soft_spheres_reach(struct cairn_simulation *simulation, double skin, double wall_speed);
int cairn_soft_spheres_partitioned(struct cairn_simulation *simulation, struct cairn_error *error);
void cairn_soft_spheres_accelerated(struct cairn_simulation *simulation, double change);

/* Its words and costs (solvers/method.h). */
void cairn_soft_spheres_advise_overlap(const struct cairn_scenario *scenario, double overlap, double recommended,
                                       char *text, size_t size);
void cairn_soft_spheres_advise_step(const struct cairn_plan *plan, char *text, size_t size);
void cairn_soft_spheres_describe_pair(const struct cairn_scenario *scenario, const struct cairn_interaction *pair,
                                      char *text, size_t size);
double cairn_soft_spheres_dense_step(double sweeps);

#endif
