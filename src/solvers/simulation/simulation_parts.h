/* What the files of a simulation share: simulation.c (beginning, observing, end), simulation_cells.c (partition of the
 * bodies into cells, and capture back into a state), simulation_steps.c (steps). */
#ifndef CAIRN_SOLVERS_SIMULATION_SIMULATION_PARTS_H
#define CAIRN_SOLVERS_SIMULATION_SIMULATION_PARTS_H

#include "solvers/method.h"
#include "solvers/simulation/gravity.h"
#include "solvers/simulation/simulation.h"
#include "solvers/simulation/walls.h"

/* Sizes of cells that are tried one after the other, where a method does so. */
enum { CAIRN_CELL_SIZES = 4 };
#define CAIRN_CELL_GAIN 0.95 /* of the time: one that is hardly faster is no reason to change */
struct cairn_cell_trial {
  bool active, fresh;             /* a trial goes on; the cells are new */
  int n, at, batches;             /* sizes, the one in force, batches of steps with it */
  int64_t size[CAIRN_CELL_SIZES]; /* bodies */
  double each[CAIRN_CELL_SIZES];  /* s of a step, the least seen */
  double seconds;                 /* with the size in force */
  double pairs;                   /* of all cells, when the trial began */
};

struct cairn_simulation {
  struct cairn_scenario *scenario;
  const struct cairn_method_table *method;
  struct cairn_state state; /* of the last capture: the cells are partitioned from it, files written from it, steps
                               rolled back to it */
  starpu_data_handle_t state_handle;
  struct cairn_cells cells;
  struct cairn_cells_rules rules;
  int64_t cell_bodies; /* most bodies in a cell of the next partition */
  struct cairn_cell_trial cell_trial;
  int32_t *law, *wall_law;
  double *constants;
  struct cairn_task_world world;
  struct cairn_sim_walls walls;
  struct cairn_sim_gravity gravity;
  struct cairn_cd_outcome outcome; /* of the latest step of contact dynamics */
  struct cairn_hard_sums collided; /* by hard spheres since the start */
  double drift;          /* m, hard spheres: longest path within a step that a skin was too thin for; else 0 */
  double collision_rate; /* hard spheres: collisions per body and step, in the latest batch */
  double crowding; /* 1/m³, hard spheres: pairs of a body per volume of the neighbour list, at the latest partition */
  int64_t step;
  double step_size, recommended_step;
  double mean_radius;
  int64_t regrid_step; /* of the latest partition */
  int64_t n_regrids;
  double gravity_seconds;     /* of the wall clock, to evaluate self-gravity */
  double displacement, speed; /* largest of all cells and walls, by the latest reports (kernels/common/blocks.h);
                                 contact dynamics alone */
  bool is_expired;            /* contact dynamics regrids before the next step, whatever the skin */
  struct cairn_overlaps overlaps;
  bool *is_outside;  /* [n] has been seen outside the world; NULL if the world has no bounds */
  int64_t n_outside; /* at the last capture */
  struct cairn_escaped escaped;
  bool regrid_due; /* the neighbour list has expired: regrid before the next step, once the loads of the last one on
                      walls have been read */
};

int cairn_simulation_task_error(struct cairn_error *error);

/* Partition the bodies of the captured state into new cells; free the cells. */
int cairn_simulation_partition(struct cairn_simulation *sim, struct cairn_error *error);
void cairn_simulation_drop(struct cairn_simulation *sim);

/* Regrid: capture, free the cells, partition. */
int cairn_simulation_regrid(struct cairn_simulation *sim, struct cairn_error *error);

/* Roll back to the captured state and repeat the steps to `target`, up to which the neighbour list holds. */
int cairn_simulation_roll_back(struct cairn_simulation *sim, int64_t target, struct cairn_error *error);

/* A body (or, -1 - a, an assembly) is no longer finite, or too fast, after `step`: back to the step before, with the
 * error that says so. */
int cairn_simulation_gone_bad(struct cairn_simulation *sim, int64_t step, int32_t body, struct cairn_error *error);

void cairn_simulation_note_overlaps(struct cairn_simulation *sim, const struct cairn_report *report);

/* Who has left the world, or come back, since the last capture. */
void cairn_simulation_look_outside(struct cairn_simulation *sim);

/* The reports of all cells since they were last read, in the order of cells, with walls that went bad. Overlaps are
 * kept by id; a bad body -1 - a is the assembly a. */
struct cairn_report cairn_simulation_reports(struct cairn_simulation *sim, int32_t n_steps, int32_t *bad_body);

/* Are there numbers in the cells or walls that no state may have? Then what is wrong, as part of a sentence. */
bool cairn_simulation_has_fault(struct cairn_simulation *sim, char what[256]);

/* The state of this step has such numbers: roll back to the last one that has none, and report the first step that has.
 * Returns CAIRN_ERR_NUMERIC. */
int cairn_simulation_retreat(struct cairn_simulation *sim, struct cairn_error *error);

/* Largest speed at the coming step, from the captured state. */
double cairn_simulation_speed(const struct cairn_simulation *sim);

/* Apply the spin-up that is due at this step. */
int cairn_simulation_spin_up(struct cairn_simulation *sim, struct cairn_error *error);

/* Evaluate self-gravity and update the cells. */
int cairn_simulation_refresh(struct cairn_simulation *sim, struct cairn_error *error);

#endif
