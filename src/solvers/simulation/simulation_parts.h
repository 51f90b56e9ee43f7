/* What the files of a simulation share: simulation.c (beginning, observing, end), simulation_cells.c (partition of the
 * bodies into cells, and capture back into a state), simulation_steps.c (steps). */
#ifndef CAIRN_SOLVERS_SIMULATION_SIMULATION_PARTS_H
#define CAIRN_SOLVERS_SIMULATION_SIMULATION_PARTS_H

#include "solvers/method.h"
#include "solvers/simulation/bonds.h"
#include "solvers/simulation/gravity.h"
#include "solvers/simulation/ranks/balance.h"
#include "solvers/simulation/ranks/forces.h"
#include "solvers/simulation/simulation.h"
#include "solvers/simulation/walls.h"
#include "tasks/ranks/ranks.h"
#include "tasks/regrid/regrid.h"

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
  int64_t n_bodies, n_waiting; /* in all; of them to be inserted later */
  struct cairn_state state;    /* all bodies at the last capture: files are written from it. Empty after a regrid */
  starpu_data_handle_t state_handle;
  struct cairn_state kept; /* the rollback point: step, counters, skin and assemblies; its bodies are the packets of the
                              cells, of the sources below while there are no cells, and the removed ones */
  struct cairn_packet_summary summary; /* of those bodies */
  struct cairn_packet *removed;        /* bodies that are in no cell any more; NULL: none */
  struct cairn_regrid_source *source;  /* [n_sources] what the next cells are made from */
  int32_t n_sources;
  struct cairn_regrid_source *arrived; /* [n_arrived] bodies of other ranks for the next cells; while these are made */
  int32_t n_arrived;
  struct cairn_cells cells;         /* of this rank */
  cairn_cell_t n_cells, most_cells; /* of all ranks; of the rank that has most */
  struct cairn_sim_balance balance;
  struct cairn_cells_rules rules;
  int64_t cell_bodies; /* most bodies in a cell of the next partition */
  struct cairn_cell_trial cell_trial;
  int32_t *law, *wall_law;
  double *constants;
  struct cairn_task_world world;
  struct cairn_sim_walls walls;
  struct cairn_sim_gravity gravity;
  struct cairn_sim_bonds bonds;
  struct cairn_cd_outcome outcome;                     /* of the latest step of contact dynamics */
  struct cairn_hard_sums collided;                     /* by hard spheres since the start */
  struct cairn_exact_sum kept_dissipated, kept_virial; /* of them, at the rollback point */
  double drift;      /* m, hard spheres: longest path within a step that a skin was too thin for; else 0 */
  double longest;    /* m, hard spheres: path within a step of the latest batch that was too long; else 0 */
  bool is_crowded;   /* hard spheres: did a list of the latest batch overflow? */
  double wall_pairs; /* 1/m, hard spheres: pairs with walls, of a body and for each metre of their range */
  int64_t step;
  double step_size, recommended_step;
  double mean_radius;
  int64_t regrid_step; /* of the latest partition */
  int64_t n_regrids;
  double gravity_seconds;     /* of the wall clock, to evaluate self-gravity */
  double displacement, speed; /* largest of all cells and walls, by the latest reports (kernels/common/blocks.h);
                                 contact dynamics alone */
  bool is_expired;            /* contact dynamics regrids before the next step, whatever the skin */
  bool reference_due;         /* its bodies get new reference positions at the partition that is being made */
  struct cairn_overlaps overlaps;
  bool is_bounded; /* does the world have bounds? */
  struct cairn_escaped escaped;
  bool regrid_due; /* the neighbour list has expired: regrid before the next step, once the loads of the last one on
                      walls have been read */
};

int cairn_simulation_task_error(struct cairn_error *error);

/* Make cells of the bodies at the rollback point: of the packets of the cells there are, which go. */
int cairn_simulation_partition(struct cairn_simulation *sim, struct cairn_error *error);

/* Make the sources of the first cells from the state, which is the rollback point: each rank from its bodies, of which
 * `offset` is the first id, or from a part of them where each has all. */
int cairn_simulation_begin(struct cairn_simulation *sim, int64_t offset, struct cairn_error *error);

/* Several ranks: send the bodies of a cut to the ranks of their new cells, and leave in it the parts of this rank, with
 * the sources that arrived behind those of this rank; then, once cells have bodies and neighbours, borrow those at the
 * borders. */
void cairn_simulation_migrate(struct cairn_simulation *sim, struct cairn_cut *cut);
void cairn_simulation_link(struct cairn_simulation *sim);

/* Lend the bodies at the borders again, as they are at the rollback point: ghosts have their packets until these are
 * returned. By all ranks. */
void cairn_simulation_lend(struct cairn_simulation *sim);
void cairn_simulation_return(struct cairn_simulation *sim);

/* cairn_aggregate_observe where bodies are shared by ranks; by all of them. */
int cairn_simulation_observe_aggregate(struct cairn_simulation *sim, struct cairn_observables *out,
                                       struct cairn_error *error);

/* Several ranks: the forces of the contacts that the cells of this one list, sorted; on failure some of them. By all.
 */
int cairn_simulation_forces(struct cairn_simulation *sim, struct cairn_sim_forces *forces, struct cairn_error *error);

/* Packets of all bodies of this rank at the step of the rollback point: those of the cells or, if new cells could not
 * be made, those they should have been made from; and the removed bodies. NULL may be among them. The caller frees the
 * list; NULL if out of memory. */
struct cairn_packet **cairn_simulation_packets(const struct cairn_simulation *sim, int32_t *n);

/* The ids of the removed bodies of all ranks. */
void cairn_simulation_find_gone(struct cairn_packet *const *packet, int32_t n, struct cairn_packet_gone *gone);

/* Rank 0 gets the packets of all others behind its own; the caller frees these. */
void cairn_simulation_collect(struct cairn_packet ***packet, int32_t *n);

/* Both: on rank 0 the packets of all ranks. And their end. */
struct cairn_packet **cairn_simulation_all_packets(const struct cairn_simulation *sim, int32_t *n);
void cairn_simulation_free_packets(const struct cairn_simulation *sim, struct cairn_packet **packet, int32_t n);

/* Free the cells. */
void cairn_simulation_drop(struct cairn_simulation *sim);

/* Regrid: new cells for the bodies as they are now. */
int cairn_simulation_regrid(struct cairn_simulation *sim, struct cairn_error *error);

/* Make this step the rollback point. If a number is one that no state may have, goes back to the last step that has
 * none and reports the first that has. */
int cairn_simulation_snapshot(struct cairn_simulation *sim, struct cairn_error *error);

/* The same, and each contact is in the packet of a cell that lists its pair: where a pair is listed by one cell alone,
 * packets that cells were built from may have it elsewhere. */
int cairn_simulation_snapshot_listed(struct cairn_simulation *sim, struct cairn_error *error);

/* Copy what a state has beside bodies and contacts: step, time, counters, assemblies. */
void cairn_simulation_copy_head(struct cairn_state *to, const struct cairn_state *from);

/* Roll back to the rollback point and repeat the steps to `target`, up to which the neighbour list holds. */
int cairn_simulation_roll_back(struct cairn_simulation *sim, int64_t target, struct cairn_error *error);

/* A body (or, -1 - a, an assembly) is no longer finite, or too fast, after `step`: back to the step before, with the
 * error that says so. */
int cairn_simulation_gone_bad(struct cairn_simulation *sim, int64_t step, int32_t body, struct cairn_error *error);

void cairn_simulation_note_overlaps(struct cairn_simulation *sim, const struct cairn_report *report);

/* The reports of all cells since they were last read, in the order of cells, with walls that went bad. Overlaps are
 * kept by id; a bad body -1 - a is the assembly a. */
struct cairn_report cairn_simulation_reports(struct cairn_simulation *sim, int32_t n_steps, int32_t *bad_body);

/* Are there numbers in the cells or walls that no state may have? Then what is wrong, as part of a sentence. */
bool cairn_simulation_has_fault(struct cairn_simulation *sim, char what[256]);

/* The state of this step has such numbers: roll back to the last one that has none, and report the first step that has.
 * Returns CAIRN_ERR_NUMERIC. */
int cairn_simulation_retreat(struct cairn_simulation *sim, struct cairn_error *error);

/* m/s, the largest speed at the coming step, from the packets of all ranks, which must be those of this step. */
double cairn_simulation_speed(const struct cairn_simulation *sim);

/* Apply the spin-up that is due at this step. */
int cairn_simulation_spin_up(struct cairn_simulation *sim, struct cairn_error *error);

/* Evaluate self-gravity and update the cells. */
int cairn_simulation_refresh(struct cairn_simulation *sim, struct cairn_error *error);

#endif
