#include <math.h>
#include <stdlib.h>
#include <string.h>

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

uint32_t cairn_task_size_class(double work) { return work > 1. ? (uint32_t)(4. * log2(work)) : 0; }
