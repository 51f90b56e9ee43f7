/* The tasks: each is one file with its arguments, implementations, codelet and submit function. */
#ifndef CAIRN_TASKS_TASKS_H
#define CAIRN_TASKS_TASKS_H

#include "data/checkpoint/checkpoint.h"
#include "data/files/trajectory.h"
#include "data/gravity/gravity.h"
#include "tasks/handles.h"
#include "tasks/ranks/wall_loads.h"

/* Walls that move are a step ahead of the bodies: this many of their steps can be in flight at once. */
enum { CAIRN_TASK_RING = 8 };

/* The contacts with free assemblies, in the order (body, wall) whatever the cells, so that sums always have the same
 * bits. */
struct cairn_task_wall_load {
  int32_t cell;     /* index into the list below */
  int32_t pair;     /* among the cell's pairs with walls */
  int32_t assembly; /* it acts on */
};
struct cairn_task_loads {
  int32_t n_cells;
  const struct cairn_cell **cell; /* [n_cells] cells with bodies near free assemblies */
  int64_t n;
  struct cairn_task_wall_load *contact; /* [n] */
  struct cairn_wall_loads *all;         /* of all ranks; NULL if there is one */
};

/* The walls. */
struct cairn_task_walls {
  starpu_data_handle_t
      assemblies_handle[CAIRN_TASK_RING];      /* of the steps of a batch in turn; of walls at rest the first */
  starpu_data_handle_t free_assemblies_handle; /* contact dynamics: free assemblies (kernels/walls/assemblies.h) */
  bool captures;                               /* may they capture or remove bodies? */
  bool moving;                                 /* do any move? */
  bool has_free_assemblies;                    /* are any assemblies free? */
  struct cairn_walls_set set;
  struct cairn_task_loads loads;
  struct cairn_report *report; /* their displacement; safe to read when the cells' reports are */
};

/* Contact dynamics. */
struct cairn_task_cd {
  struct cairn_cd_step step;
  double range; /* m, largest of any cohesion */
  struct cairn_cd_outcome *outcome;
};

/* Hard spheres. */
struct cairn_task_hard {
  double slow;       /* m/s, collisions slower than this are elastic */
  int64_t n_bodies;  /* of the simulation */
  int32_t n_walls;   /* of the simulation */
  int32_t n_windows; /* that a drift is run in */
  bool merge;        /* do bodies merge when they meet? */
  int32_t n_materials;
  const int32_t *law; /* [n_materials][n_materials] index of the law of two materials */
  double drift;       /* m, as far as bodies may move in a window, if not farther */
  double reach;       /* m, the same, for all cells; 0: there is one, which finds out */
};

/* What events of a window know wherever they are run; the caller adds cells, heap and bounds. */
static inline struct cairn_hard_scope
cairn_task_hard_scope(const struct cairn_task_hard *hard, const struct cairn_walls_set *set, int32_t window, double h) {
  struct cairn_hard_scope s = {.symmetric = set->symmetric,
                               .n_bodies = hard->n_bodies,
                               .n_walls = hard->n_walls,
                               .merge = hard->merge,
                               .n_materials = hard->n_materials,
                               .law = hard->law,
                               .n_windows = hard->n_windows,
                               .h = h,
                               .slow = hard->slow};
  cairn_drift_set_window(&s, window);
  return s;
}

/* What the tasks of one simulation share. */
struct cairn_task_world {
  starpu_data_handle_t world_handle;   /* constants of the law, gravity, walls (kernels/common/blocks.h) */
  starpu_data_handle_t scratch_handle; /* scratch, enough for the largest cell */
  int32_t n_laws, rotation;
  int32_t law_kind;                           /* enum cairn_law_kind, of soft spheres */
  double h;                                   /* s */
  double reach;                               /* m */
  double largest_radius;                      /* m, of all bodies; where they merge, at the latest partition */
  int64_t step;                               /* steps done before the batch */
  double detection_point;                     /* the fraction of a step after which contacts are detected */
  bool solves;                                /* are contacts solved for impulses? */
  const struct cairn_external_rules *outside; /* what acts from outside beside the uniform field; NULL: nothing */
  struct cairn_task_walls walls;
  struct cairn_task_cd cd;
  struct cairn_task_hard hard;
};

/* A task of the codelet that owns a copy of its arguments; NULL if out of memory. For the submit functions. */
struct starpu_task *cairn_task_create(struct starpu_codelet *codelet, const void *args, size_t size);

/* The same for a codelet with a variable number of buffers, and a buffer of it. */
struct starpu_task *cairn_task_create_variable(struct starpu_codelet *codelet, const void *args, size_t size,
                                               int n_buffers);
void cairn_task_name_buffer(struct starpu_task *task, int buffer, starpu_data_handle_t handle,
                            enum starpu_data_access_mode mode);

/* Wait until the tasks on n data are done, of which at(of, k) is the k-th. One task names them all, so that the driver
 * sleeps once and not once for each. */
void cairn_task_wait(int32_t n, starpu_data_handle_t (*at)(const void *of, int32_t k), const void *of);

/* May the driver run beside all workers, with no other rank near? Then it can do a part of what it would wait for. */
bool cairn_task_driver_has_core(void);

/* Class of a task's size for its performance model: cells are all of different sizes, and a model per exact size would
 * never have seen enough of one. Quarter octaves of `work`, any measure proportional to the time. */
uint32_t cairn_task_size_class(double work);

/* Bring the halo of a cell to the coming step (h > 0) or to the current one (h = 0). */
int cairn_task_gather_submit(struct cairn_cells *cells, cairn_cell_t c, double h);

/* The same of all cells, with what other ranks lend. */
int cairn_task_gather_all_submit(struct cairn_cells *cells, double h);

/* Doubles of scratch that advancing a cell of this size needs, on the host and on the devices that take part. */
size_t cairn_task_advance_scratch(struct cairn_cell_size size);

/* Do devices other than CPUs take part? */
bool cairn_task_advance_on_devices(void);

/* Is there one cell only, which can do many steps in one task? Not where devices would have to move walls. */
bool cairn_task_advance_is_alone(const struct cairn_cells *cells, const struct cairn_task_world *world);

/* Forces and leapfrog: the step number `step` of the batch, from 0, of one cell among several. */
int cairn_task_advance_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t step);

/* The first n_steps steps of the batch of the only cell there is, moving the walls along. */
int cairn_task_advance_alone_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t n_steps);

/* Contact dynamics, in the order of a step (solvers/contact_dynamics.c): capture and remove bodies at walls; detect
 * contacts, velocities without impulses; warm start; sweep; extrapolation for the first sweep after a residual;
 * residual; all sweeps of all cells in one; loads on captured bodies; walls at the end of the step; end of the step. */
struct cairn_task_momentum {
  double beta; /* by which this sweep extrapolates the impulses; the velocities have been already */
  double next; /* by which it extrapolates the velocities for the next one; -1: not at all */
};
int cairn_task_cd_capture_submit(struct cairn_cell *cell, const struct cairn_task_world *world);
int cairn_task_cd_begin_submit(struct cairn_cell *cell, const struct cairn_task_world *world);
int cairn_task_cd_warm_start_submit(struct cairn_cells *cells, cairn_cell_t c, struct cairn_task_momentum momentum);
int cairn_task_cd_sweep_submit(struct cairn_cells *cells, cairn_cell_t c, struct cairn_task_momentum momentum);
int cairn_task_cd_extrapolate_submit(struct cairn_cell *cell, double beta);
int cairn_task_cd_residual_submit(struct cairn_cells *cells, cairn_cell_t c, struct cairn_task_momentum momentum);
int cairn_task_cd_solve_submit(struct cairn_cells *cells, const struct cairn_task_world *world);
int cairn_task_cd_captured_loads_submit(struct cairn_cells *cells, cairn_cell_t c, struct cairn_task_momentum momentum);
int cairn_task_cd_walls_submit(const struct cairn_task_world *world);
int cairn_task_cd_end_submit(struct cairn_cell *cell, const struct cairn_task_world *world);

/* The same for contacts with free assemblies, cell by cell after that of its other contacts; nothing for a cell that
 * has none. And for these assemblies themselves: their velocities without contacts, and their extrapolation. */
enum cairn_task_free_walls {
  CAIRN_TASK_FREE_WALLS_BEGIN,
  CAIRN_TASK_FREE_WALLS_WARM_START,
  CAIRN_TASK_FREE_WALLS_SWEEP,
  CAIRN_TASK_FREE_WALLS_RESIDUAL,
  CAIRN_TASK_FREE_WALLS_CAPTURED_LOADS,
  CAIRN_TASK_FREE_WALLS_END
};
int cairn_task_cd_free_walls_submit(struct cairn_cell *cell, const struct cairn_task_world *world,
                                    enum cairn_task_free_walls what, double beta);
int cairn_task_cd_release_submit(const struct cairn_task_world *world);
int cairn_task_cd_free_assemblies_submit(const struct cairn_task_world *world, double beta);

/* Hard spheres, in the order of a step (solvers/hard_spheres.c): halos at the start of the drift; queue of a cell in
 * one window, in the first after half a kick; queue over all cells; end of the drift and half kick; n_steps steps of
 * the only cell. */
int cairn_task_gather_kicked_submit(struct cairn_cells *cells, double h);
int cairn_task_hard_begin_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t step,
                                 int32_t window);
int cairn_task_hard_join_submit(struct cairn_cells *cells, const struct cairn_task_world *world, int32_t step,
                                int32_t window);
int cairn_task_hard_end_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t step);
int cairn_task_hard_alone_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t n_steps);

/* Self-gravity (data/gravity/gravity.h). */
struct cairn_task_self_gravity {
  struct cairn_gravity *gravity;
  const double *position, *mass;    /* [n][3], [n] */
  const int32_t *id;                /* [n], -1 for a body that is not there */
  double *acceleration, *potential; /* [n][3], [n] */
};

/* Evaluate the fields of n bodies by tasks, and wait for them; the same where the lists, with their boxes, are there.
 * Not 0 if out of memory. */
int cairn_task_gravity_run(const struct cairn_task_self_gravity *self, int32_t n);
int cairn_task_gravity_walk(const struct cairn_task_self_gravity *self);

/* Accelerations and potentials in the caller's order, when the fields are there. The same. */
int cairn_task_gravity_deliver(const struct cairn_task_self_gravity *self);

/* Both where ranks share the bodies, each with lists of its own. In `home` are the branches that this rank evaluates.
 * *received becomes the bytes that came from other ranks. */
int cairn_task_gravity_walk_ranks(const struct cairn_task_self_gravity *self, struct cairn_gravity *home,
                                  int64_t *received);

/* Between the packets of a simulation and its gravity, by tasks (tasks/gravity/gravity_bodies.c); all wait for them and
 * return not 0 if out of memory. Packets may be NULL.
 *
 * Mass, momentum and volume of all bodies; the shortest time that cairn_gravity_time finds. */
int cairn_task_gravity_note(struct cairn_packet *const *packet, int32_t n, struct cairn_gravity_motion *motion);
struct cairn_task_gravity_pace {
  double mean[3], uniform[3], fraction;
};
int cairn_task_gravity_time(struct cairn_packet *const *packet, int32_t n, const struct cairn_task_gravity_pace *pace,
                            double *time);

/* The lists, with their boxes, of a gravity that was begun with the number of bodies in n packets: these, one packet
 * after the other. Positions [n_room][3], masses and ids [n_room]. */
struct cairn_task_listed {
  double *position, *mass;
  int32_t *id;
};
int cairn_task_gravity_collect(struct cairn_gravity *gravity, struct cairn_packet *const *packet, int32_t n,
                               struct cairn_gravity_prediction prediction, const struct cairn_task_listed *to);

/* What acts on each body, [n_room][3]; *bad becomes the lowest id of a body for which it is beyond all bounds, or -1.
 */
struct cairn_task_gravity_sum {
  double uniform[3], drift[3];
};
int cairn_task_gravity_total(const struct cairn_task_self_gravity *self, const struct cairn_task_gravity_sum *sum,
                             double *total, int32_t *bad);

/* Tell it to the cells and their packets: of the n totals, those of the bodies of each cell, and behind them of each
 * ghost, begin at first[]. */
int cairn_task_gravity_store(struct cairn_cells *cells, const int64_t *first, const double *total, int64_t n);

/* Move the walls at the end of the step number `step` of the batch, after all cells have advanced. */
int cairn_task_move_walls_submit(const struct cairn_task_world *world, int32_t step);

/* Sum the diagnostics of a cell into cell->sums. */
int cairn_task_observe_submit(struct cairn_cell *cell, const struct cairn_task_world *world);

struct cairn_contact_rows;

/* cairn_aggregate_observe of a captured state (analysis/aggregate.h), shared by the workers. Returns when it is done.
 * The forces of the contacts are at hand then: unless `contacts` is NULL or there are few bodies, they are put into
 * their table. */
int cairn_task_aggregate_observe(starpu_data_handle_t state_handle, const struct cairn_state *state,
                                 const struct cairn_scenario *scenario, struct cairn_contact_rows *contacts,
                                 struct cairn_observables *out, struct cairn_error *error);

/* Files are written by tasks from a captured state, one after the other in the order of submission. */
struct cairn_task_output {
  starpu_data_handle_t state_handle;  /* the captured state */
  starpu_data_handle_t status_handle; /* `error` below; RW by each writer: it also keeps them in order */
  struct cairn_error error;           /* first failure; later writers do nothing */
  double checkpoint_seconds;          /* that the latest checkpoint took to write; to be read like `error` */
};

/* Append a frame, and its contacts to their table unless that is NULL; end their rows if they are there. The
 * observables and the samples of the walls are copied; the scenario must live until it is done. */
int cairn_task_write_frame_submit(struct cairn_task_output *output, struct cairn_trajectory *trajectory,
                                  const struct cairn_state *state, const struct cairn_scenario *scenario,
                                  const struct cairn_observables *observables, const struct cairn_wall_sample *walls,
                                  const struct cairn_contact_rows *contacts);

/* Write a checkpoint; `checkpoint` (whose state is the captured one) and `path` must live until it is done. */
int cairn_task_write_checkpoint_submit(struct cairn_task_output *output, const char *path,
                                       const struct cairn_checkpoint *checkpoint,
                                       const struct cairn_provenance *provenance);

#endif
