/* The task engine under every simulation: StarPU, started once per process. */
#ifndef CAIRN_ENGINE_H
#define CAIRN_ENGINE_H

#include <stdint.h>

#include "cairn/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the heavy tasks may run. Gathering and files always stay on CPUs. */
enum cairn_engine_device { CAIRN_ENGINE_ANY, CAIRN_ENGINE_CPU, CAIRN_ENGINE_OPENCL };

struct cairn_engine_options {
  int workers; /* CPU workers; 0: STARPU_NCPU, else one per core that the process may use */
  enum cairn_engine_device device;
  int silent; /* no messages from StarPU itself */
  int trace;  /* remember when each task ran */
};

/* Start StarPU. Its environment variables stay in force; one that it cannot read is an error. Workers keep to the cores
 * that the CPU mask and the control group allow. StarPU's signal handlers are not installed. A process that first
 * starts with CAIRN_ENGINE_CPU does not load OpenCL's drivers and finds no device later. */
int cairn_engine_start(const struct cairn_engine_options *options, struct cairn_error *error);

void cairn_engine_stop(void);

/* What StarPU settled on. */
struct cairn_engine_info {
  int n_cpu_workers, n_opencl_workers, n_cuda_workers;
  char scheduler[64];
  char binding[2048];     /* one line per worker: name and the cores it is bound to */
  char environment[2048]; /* STARPU_* variables that the user has set, one per line */
  char notes[2048];       /* what is not as asked for or as the machine would allow, and why: one sentence per line */
};

void cairn_engine_info(struct cairn_engine_info *info);

/* What all workers together have done since cairn_engine_start: seconds inside tasks, and without a task to run. The
 * rest of clock × workers is the runtime's: scheduling, dependencies, waking up. */
struct cairn_engine_times {
  double clock; /* s, monotonic */
  double kernels, idle;
  double communication; /* of `idle`, while messages of other ranks were still to come */
  int64_t n_tasks;
};

/* Idle time counts when it ends. */
void cairn_engine_times(struct cairn_engine_times *times);

/* What they have done in tasks of one name. */
enum { CAIRN_ENGINE_KINDS = 32 };

struct cairn_engine_kind {
  char name[32];
  int64_t n;
  double seconds, squares; /* sums over the tasks: s, s² */
};

/* Fills a part of `kinds`, the one behind 31 names with all others; returns how many there are. While no task runs. */
int cairn_engine_kinds(struct cairn_engine_kind kinds[CAIRN_ENGINE_KINDS]);

/* Write when each task ran and on which worker, of up to four million tasks of each worker: trace events in JSON, as
 * ui.perfetto.dev and chrome://tracing read them. Needs `trace` in the options of the start; while no task runs. */
int cairn_engine_write_trace(const char *path, struct cairn_error *error);

#ifdef __cplusplus
}
#endif
#endif
