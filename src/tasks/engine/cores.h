/* The cores that this process may use, of all that the machine has. */
#ifndef CAIRN_TASKS_ENGINE_CORES_H
#define CAIRN_TASKS_ENGINE_CORES_H

#include <stdbool.h>

#include "cairn/error.h"

struct cairn_cores {
  int n_machine;  /* cores of the machine */
  int n_allowed;  /* cores of the CPU mask (taskset, a batch system) and of the control group */
  int n_threads;  /* hardware threads among them */
  char mask[128]; /* the numbers of these, as "0-3,8" */
  int quota;      /* cores' worth of time that control groups grant, rounded up; 0: no limit */
  int granted;    /* CPUs that Slurm grants each task of the job, bound to them or not; 0: no limit */
  int n_default;  /* the smallest of n_allowed, quota and granted: how many workers make sense */
};

/* Slurm's grant is SLURM_CPUS_PER_TASK; without it, of a job of one task, SLURM_CPUS_ON_NODE. A site need not bind
 * tasks to what it grants them. Fails if one of these is no number, or if STARPU_HWLOC_INPUT, STARPU_NTHREADS_PER_CORE
 * or STARPU_MAIN_THREAD_… do not fit the machine, which StarPU does not survive. */
int cairn_cores_find(struct cairn_cores *cores, struct cairn_error *error);

/* The quota of the groups listed in `membership` (/proc/self/cgroup), version 1 or 2, mounted at `root`
 * (/sys/fs/cgroup): the smallest of a group and those above it, 0 if none has one. */
int cairn_cores_quota(const char *membership, const char *root);

/* Whether clearly more threads than the machine has cores were runnable in the last minute. */
bool cairn_cores_are_busy(void);

#endif
