#include "cairn/engine.h"

#include <errno.h>
#include <hwloc.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/idle.h"
#include "tasks/opencl.h"

extern char **environ;

/* StarPU would take its default for a name that it does not know. */
static int choose_scheduler(struct starpu_conf *conf, struct cairn_error *error) {
  const char *name = getenv("STARPU_SCHED");
  if (!name || !*name)
    name = "lws";
  struct starpu_sched_policy **policy = starpu_sched_get_predefined_policies();
  while (*policy && (!(*policy)->policy_name || strcmp((*policy)->policy_name, name)))
    policy++;
  if (!*policy)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "STARPU_SCHED=%.64s: StarPU has no such scheduler; lws, eager, prio, ws and dmda are some",
                           name);
  conf->sched_policy = cairn_idle_policy(*policy);
  return 0;
}

int cairn_engine_start(const struct cairn_engine_options *options, struct cairn_error *error) {
  struct starpu_conf conf;
  starpu_conf_init(&conf);
  conf.catch_signals = 0; /* ours end the step and write a checkpoint */
  if (options && options->workers > 0) {
    /* a number asked for on the command line wins over the environment, and the environment shows what is in force */
    char text[16];
    snprintf(text, sizeof text, "%d", options->workers);
    if (setenv("STARPU_NCPU", text, 1))
      return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  }
  if (choose_scheduler(&conf, error))
    return CAIRN_ERR_INPUT;
  /* The variable would win over the scheduler found by its name. */
  const char *scheduler = getenv("STARPU_SCHED");
  char *kept = scheduler ? strdup(scheduler) : NULL;
  unsetenv("STARPU_SCHED");
  conf.sched_policy_name = NULL;
  const int status = starpu_init(&conf);
  if (kept)
    setenv("STARPU_SCHED", kept, 1);
  free(kept);
  if (status == -ENODEV)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "StarPU has no worker: set STARPU_NCPU to 1 or more");
  if (status)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "StarPU could not start: %s", strerror(-status));
  if (starpu_cpu_worker_get_count() == 0) {
    starpu_shutdown();
    return cairn_error_set(error, CAIRN_ERR_INPUT, "StarPU has no CPU worker: set STARPU_NCPU to 1 or more");
  }
  const int device = cairn_opencl_start(options ? options->device : CAIRN_ENGINE_ANY, error);
  if (device)
    starpu_shutdown();
  else
    cairn_idle_allow_sleep(true);
  return device;
}

void cairn_engine_stop(void) {
  cairn_idle_allow_sleep(false);
  cairn_opencl_stop();
  starpu_shutdown();
}

static void append(char *text, size_t size, const char *line) {
  const size_t used = strlen(text);
  if (used + strlen(line) + 2 < size)
    snprintf(text + used, size - used, "%s%s", used > 0 ? "\n" : "", line);
}

void cairn_engine_info(struct cairn_engine_info *info) {
  memset(info, 0, sizeof *info);
  info->n_cpu_workers = (int)starpu_worker_get_count_by_type(STARPU_CPU_WORKER);
  info->n_opencl_workers = (int)starpu_worker_get_count_by_type(STARPU_OPENCL_WORKER);
  info->n_cuda_workers = (int)starpu_worker_get_count_by_type(STARPU_CUDA_WORKER);
  const struct starpu_sched_policy *policy = starpu_sched_ctx_get_sched_policy(0);
  snprintf(info->scheduler, sizeof info->scheduler, "%s", policy && policy->policy_name ? policy->policy_name : "?");
  const char *no_binding = getenv("STARPU_WORKERS_NOBIND");
  const int free_to_move = no_binding && atoi(no_binding) != 0;
  for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
    char name[64], cores[128], line[256];
    hwloc_cpuset_t set = starpu_worker_get_hwloc_cpuset((int)w);
    starpu_worker_get_name((int)w, name, sizeof name);
    hwloc_bitmap_list_snprintf(cores, sizeof cores, set);
    hwloc_bitmap_free(set);
    snprintf(line, sizeof line, free_to_move ? "%s, not bound" : "%s on hardware thread %s", name, cores);
    append(info->binding, sizeof info->binding, line);
  }
  for (char **variable = environ; *variable; variable++)
    if (!strncmp(*variable, "STARPU_", 7))
      append(info->environment, sizeof info->environment, *variable);
}
