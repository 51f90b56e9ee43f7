#define _GNU_SOURCE /* CPU masks */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/ranks/ranks.h"
#include "tasks/tasks.h"

struct starpu_task *cairn_task_create(struct starpu_codelet *codelet, const void *args, size_t size) {
  void *copy = malloc(size);
  if (!copy)
    return NULL;
  memcpy(copy, args, size);
  struct starpu_task *task = starpu_task_create();
  if (!task) {
    free(copy);
    return NULL;
  }
  task->cl = codelet;
  task->cl_arg = copy;
  task->cl_arg_size = size;
  task->cl_arg_free = 1;
  return task;
}

struct starpu_task *cairn_task_create_variable(struct starpu_codelet *codelet, const void *args, size_t size,
                                               int n_buffers) {
  struct starpu_task *task = cairn_task_create(codelet, args, size);
  if (!task || n_buffers <= STARPU_NMAXBUFS) {
    if (task)
      task->nbuffers = n_buffers;
    return task;
  }
  task->dyn_handles = malloc((size_t)n_buffers * sizeof *task->dyn_handles); /* StarPU frees these with the task */
  task->dyn_modes = malloc((size_t)n_buffers * sizeof *task->dyn_modes);
  task->nbuffers = n_buffers;
  if (!task->dyn_handles || !task->dyn_modes) {
    starpu_task_destroy(task);
    return NULL;
  }
  return task;
}

void cairn_task_name_buffer(struct starpu_task *task, int buffer, starpu_data_handle_t handle,
                            enum starpu_data_access_mode mode) {
  (task->dyn_handles ? task->dyn_handles : task->handles)[buffer] = handle;
  (task->dyn_modes ? task->dyn_modes : task->modes)[buffer] = mode;
}

static struct starpu_codelet cairn_cl_wait = {
    .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "wait"};

void cairn_task_wait(int32_t n, starpu_data_handle_t (*at)(const void *of, int32_t k), const void *of) {
  struct starpu_task *task = n > 1 ? cairn_task_create_variable(&cairn_cl_wait, &n, sizeof n, n) : NULL;
  for (int32_t k = 0; k < n && task; k++)
    cairn_task_name_buffer(task, k, at(of, k), STARPU_R);
  if (task)
    task->synchronous = 1;
  if (task && starpu_task_submit(task) == 0)
    return;
  for (int32_t k = 0; k < n; k++) { /* one, or out of memory */
    starpu_data_acquire(at(of, k), STARPU_R);
    starpu_data_release(at(of, k));
  }
}

bool cairn_task_driver_has_core(void) {
  cpu_set_t set;
  return cairn_ranks_n() == 1 && !sched_getaffinity(0, sizeof set, &set) &&
         CPU_COUNT(&set) > (int)starpu_cpu_worker_get_count();
}

uint32_t cairn_task_size_class(double work) { return work > 1. ? (uint32_t)(4. * log2(work)) : 0; }
