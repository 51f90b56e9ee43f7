/* What workers spend their time on, and when each task ran: from the hooks of the scheduler around every task. */
#ifndef CAIRN_TASKS_ENGINE_TIMES_H
#define CAIRN_TASKS_ENGINE_TIMES_H

#include <starpu.h>
#include <stdbool.h>
#include <stdint.h>

#include "cairn/engine.h"

/* Time the tasks that run under a policy; its own hooks are still called. Where the first handle of a task has user
 * data, these are an int64_t to which the processor time of the task is added, ns: it must live until all tasks have
 * ended (starpu_task_wait_for_all), because a task has given back its handles before. */
void cairn_times_watch(struct starpu_sched_policy *policy);

/* Worker `worker` has had no task since `since`; and had none from then on until `until`, ns of the monotonic clock. */
void cairn_times_begin_idle(int worker, int64_t since);
void cairn_times_end_idle(int worker, int64_t since, int64_t until);

/* From now on n more messages of other ranks are awaited; n is negative when they have come. By any thread. */
void cairn_times_await(int n);

/* Sums over all workers, since StarPU has started. */
void cairn_times_read(struct cairn_engine_times *times);

/* The same by the names of tasks; returns how many there are. While no task runs. */
int cairn_times_kinds(struct cairn_engine_kind kinds[CAIRN_ENGINE_KINDS]);

/* Forget what has been noted; keep a record of each task from now on, or do not. */
void cairn_times_reset(bool keep_tasks);

/* Write the records as trace events (JSON), while no task runs. */
int cairn_times_write(const char *path, struct cairn_error *error);

#endif
