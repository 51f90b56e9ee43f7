/* The OpenCL side of the tasks: the device programs and how a kernel of them is started. */
#ifndef CAIRN_TASKS_ENGINE_OPENCL_H
#define CAIRN_TASKS_ENGINE_OPENCL_H

#include <starpu.h>

#include "cairn/engine.h"
#include "tasks/engine/environment.h"

/* How many devices StarPU would find. The drivers are tried in a process of their own, because some abort where they
 * cannot start, under a memory limit for example; then the answer is 0 and `reason` says what happened. */
int cairn_opencl_probe(char *reason, size_t size);

/* Let StarPU and hwloc find no driver when they start: both start all there are, if only to count devices. */
int cairn_opencl_hide(struct cairn_environment *environment, struct cairn_error *error);

/* Build the kernels for the OpenCL workers StarPU has, if any, and let heavy tasks run where `device` says. Fails if
 * OpenCL is asked for and there is no worker, or the device's compiler refuses the kernels. */
int cairn_opencl_start(enum cairn_engine_device device, struct cairn_error *error);
void cairn_opencl_stop(void);

/* STARPU_CPU, STARPU_OPENCL or both: where a task with both implementations may run. */
uint32_t cairn_opencl_where(void);

/* The device programs, one for each src/kernels/….cl. */
enum cairn_opencl_program { CAIRN_OPENCL_SOFT_SPHERES, CAIRN_OPENCL_CD, CAIRN_OPENCL_PROGRAMS };

/* One argument of a kernel. */
struct cairn_opencl_arg {
  size_t size;
  const void *value;
};

#define CAIRN_OPENCL_ARG(variable)                                                                                     \
  { sizeof(variable), &(variable) }

/* Run one kernel over `n` work items, rounded up to whole groups, on the queue of the calling worker. */
void cairn_opencl_run(enum cairn_opencl_program program, const char *kernel, size_t n, size_t group, int n_args,
                      const struct cairn_opencl_arg *args);

/* Wait until all kernels of the calling worker are done. */
void cairn_opencl_finish(void);

#endif
