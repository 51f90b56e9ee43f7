/* Workers without a task. StarPU's own loop polls without end and never gives its core away, which is what a machine
 * with more runnable threads than cores suffers from most: a thread that has work waits for one that has none. */
#ifndef CAIRN_TASKS_ENGINE_IDLE_H
#define CAIRN_TASKS_ENGINE_IDLE_H

#include <starpu.h>
#include <stdbool.h>

/* A scheduler of StarPU's under which idle workers give way: the same queues and the same name. Until
 * cairn_idle_allow_sleep they poll as ever. It points at storage of the process, valid until the next call. */
struct starpu_sched_policy *cairn_idle_policy(const struct starpu_sched_policy *policy);

/* Let idle workers of CPUs sleep until a task is ready, briefly where there are devices too, or wake them and keep them
 * awake. Only while StarPU runs. */
void cairn_idle_allow_sleep(bool allow);

/* Does a thread that must not wait long, that of StarPU-MPI, share the cores with the workers? */
void cairn_idle_share_cores(bool share);

#endif
