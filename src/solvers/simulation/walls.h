/* The walls of a running simulation: positions, what the tasks need of them, loads on them. */
#ifndef CAIRN_SOLVERS_SIMULATION_WALLS_H
#define CAIRN_SOLVERS_SIMULATION_WALLS_H

#include "data/scenario/scenario.h"
#include "tasks/tasks.h"

struct cairn_sim_walls {
  const struct cairn_scenario *scenario;
  struct cairn_assembly_rules *rules; /* [n_assemblies] */
  int32_t *symmetric;
  double *size;      /* m [n_assemblies] no point of its walls is farther from its position; may be infinite */
  double *extent;    /* m [n_assemblies] the same, but no farther than the bodies are */
  double *wall_mass; /* kg [n_walls] */
  double *current;   /* block of the current step */
  double *reference; /* block at the latest partition */
  double *slot[CAIRN_TASK_RING];
  double *load;
  double *free_assemblies;
  struct cairn_report report; /* how far the walls got in the latest batch */
  bool is_free;               /* is any assembly free? */
};

/* Make everything from the scenario and register what tasks name; fills the walls' part of `world`. */
int cairn_sim_walls_init(struct cairn_sim_walls *walls, const struct cairn_scenario *scenario,
                         struct cairn_task_world *world, struct cairn_error *error);
void cairn_sim_walls_fini(struct cairn_sim_walls *walls, struct cairn_task_world *world);

/* Put the assemblies of a state to the start of the run. */
int cairn_sim_walls_start(const struct cairn_sim_walls *walls, struct cairn_state *state, struct cairn_error *error);

/* From a state, and into one. */
void cairn_sim_walls_restore(struct cairn_sim_walls *walls, const struct cairn_state *state);
void cairn_sim_walls_capture(const struct cairn_sim_walls *walls, struct cairn_state *state);

/* The first assembly with a number that no state may have (data/state/state_check.h); -1 if there is none. */
int32_t cairn_sim_walls_fault(const struct cairn_sim_walls *walls);

/* Before a partition of these bodies: the walls at `step` become the reference; after it: list the contacts with free
 * assemblies. */
void cairn_sim_walls_partition(struct cairn_sim_walls *walls, struct cairn_task_world *world,
                               const struct cairn_packet_summary *bodies, int64_t step, double h);
int cairn_sim_walls_partitioned(struct cairn_sim_walls *walls, struct cairn_task_world *world,
                                const struct cairn_cells *cells, struct cairn_error *error);

/* How far they are at `step` from their reference, m, and how fast they move in the coming
 * step, m/s: the largest of all where bodies could meet them. */
double cairn_sim_walls_displacement(const struct cairn_sim_walls *walls, int64_t step, double h, double *speed);

/* Before a batch: show the tasks the walls at the step after `step`; with h = 0 as they stand now. */
void cairn_sim_walls_predict(struct cairn_sim_walls *walls, struct cairn_task_world *world, int64_t step, double h);

/* After a batch: take over where its last step, number `steps`, left them. */
void cairn_sim_walls_accept(struct cairn_sim_walls *walls, const struct cairn_task_world *world, int32_t steps,
                            bool alone);

/* Count a body with this captor (cairn/state.h) among those that its wall has captured or removed. */
void cairn_sim_walls_count(int32_t captor, int32_t n_walls, struct cairn_wall_sample *samples);

/* What the files record of each wall, [n_walls], where the bodies of this rank have been counted; the cells' contact
 * histories and pair lists must be acquired. */
int cairn_sim_walls_observe(const struct cairn_sim_walls *walls, const struct cairn_cells *cells, double time,
                            struct cairn_wall_sample *samples, struct cairn_error *error);

#endif
