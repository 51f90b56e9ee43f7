/* What the files of this room share. */
#ifndef CAIRN_SOLVERS_FORECAST_FORECAST_PARTS_H
#define CAIRN_SOLVERS_FORECAST_FORECAST_PARTS_H

#include "solvers/forecast/forecast.h"

/* Times that the driver waits for all tasks in a regrid: after snapshot, order, adopt and build. */
enum { CAIRN_FORECAST_REGRID_WAITS = 4 };

/* Part of a machine that is simulated: some ranks, alike but for how unequal their cells are. Where the machine has
 * more, they are a torus: whoever is at its end has the other end for a neighbour. */
struct cairn_forecast_scene {
  const struct cairn_forecast_costs *costs;
  struct cairn_graph_machine machine;
  int32_t ranks[3], block[3]; /* ranks that are simulated, cells of each, along three axes */
  bool torus[3];
  int32_t n_ranks, n_cells; /* products */
  double bodies;            /* of a cell */
  double *factor;           /* [n_ranks × n_cells] of the time of each cell over the mean */
};

/* Steps of soft spheres that are submitted at once where a rank has so many cells. */
double cairn_forecast_batch(const struct cairn_forecast_costs *costs, double cells);

/* s of a task over `bodies` bodies. */
double cairn_forecast_seconds(const struct cairn_forecast_costs *costs, enum cairn_forecast_task task, double bodies);

/* Add it for one cell of a rank; returns its number. */
int32_t cairn_forecast_add(const struct cairn_forecast_scene *scene, struct cairn_graph *graph, int32_t rank,
                           int32_t cell, enum cairn_forecast_task task);

/* What the scene takes for this many steps of soft spheres; the parts of a step of contact dynamics: the beginning with
 * the first `sweeps` sweeps and their residual, more sweeps and a residual, the end. Not 0 if out of memory. */
int cairn_forecast_soft_spheres(const struct cairn_forecast_scene *scene, int32_t n_steps,
                                struct cairn_graph_outcome *outcome);
enum cairn_forecast_part { CAIRN_FORECAST_BEGIN, CAIRN_FORECAST_MORE, CAIRN_FORECAST_END };
int cairn_forecast_contact_dynamics(const struct cairn_forecast_scene *scene, enum cairn_forecast_part part,
                                    int32_t sweeps, struct cairn_graph_outcome *outcome);

#endif
