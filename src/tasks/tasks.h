/* The tasks: each is one file with its arguments, implementations, codelet and submit function. */
#ifndef CAIRN_TASKS_TASKS_H
#define CAIRN_TASKS_TASKS_H

#include "data/cells.h"
#include "data/checkpoint.h"
#include "data/trajectory.h"

/* What the tasks of one simulation share. */
struct cairn_task_world {
  starpu_data_handle_t world_handle;   /* constants of the law, gravity, walls (kernels/blocks.h) */
  starpu_data_handle_t scratch_handle; /* scratch, enough for the largest cell */
  int32_t n_laws, rotation;
  double h;     /* s */
  double reach; /* m */
};

/* A task of the codelet that owns a copy of its arguments; NULL if out of memory. For the submit functions. */
struct starpu_task *cairn_task_create(struct starpu_codelet *codelet, const void *args, size_t size);

/* Class of a task's size for its performance model: cells are all of different sizes, and a model per exact size would
 * never have seen enough of one. Quarter octaves of `work`, any measure proportional to the time. */
uint32_t cairn_task_size_class(double work);

/* Register the blocks of a built cell, and forget them again; the data are at home afterwards. */
void cairn_task_cell_register(struct cairn_cell *cell);
void cairn_task_cell_unregister(struct cairn_cell *cell);

/* Build a cell's blocks from the state behind `state` (data/cells.h); writes the cell's token, which must be
 * registered. A failure is recorded in *status. */
int cairn_task_build_submit(struct cairn_cells *cells, cairn_cell_t c, starpu_data_handle_t state, int *status);

/* Bring the halo of a cell to the coming step (h > 0) or to the current one (h = 0). */
int cairn_task_gather_submit(struct cairn_cells *cells, cairn_cell_t c, double h);

/* Doubles of scratch that advancing a cell of this size needs, on the host and on the devices that take part. */
size_t cairn_task_advance_scratch(struct cairn_cell_size size);

/* Do devices other than CPUs take part? */
bool cairn_task_on_devices(void);

/* Forces and leapfrog: n_steps steps of a cell. More than one step only for a cell without a halo. */
int cairn_task_advance_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t n_steps);

/* Sum the diagnostics of a cell into cell->sums. */
int cairn_task_observe_submit(struct cairn_cell *cell, const struct cairn_task_world *world);

/* Files are written by tasks from a captured state, one after the other in the order of submission. */
struct cairn_task_output {
  starpu_data_handle_t state_handle;  /* the captured state */
  starpu_data_handle_t status_handle; /* `error` below; RW by each writer: it also keeps them in order */
  struct cairn_error error;           /* first failure; later writers do nothing */
};

/* Append a frame. The observables are copied. */
int cairn_task_write_frame_submit(struct cairn_task_output *output, struct cairn_trajectory *trajectory,
                                  const struct cairn_state *state, const struct cairn_observables *observables);

/* Write a checkpoint; `checkpoint` (whose state is the captured one) and `path` must live until it is done. */
int cairn_task_write_checkpoint_submit(struct cairn_task_output *output, const char *path,
                                       const struct cairn_checkpoint *checkpoint,
                                       const struct cairn_provenance *provenance);

#endif
