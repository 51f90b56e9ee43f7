#include "cairn/engine.h"

#include <errno.h>
#include <hwloc.h>
#include <starpu.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/engine/cores.h"
#include "tasks/engine/environment.h"
#include "tasks/engine/idle.h"
#include "tasks/engine/opencl.h"
#include "tasks/engine/times.h"
#include "tasks/ranks/ranks.h"

/* Notes of the start, kept as long as StarPU runs. */
static struct {
  char notes[2048];
  char mask[128]; /* hardware threads on which workers may run that are not bound; "" if they are */
} started;

static void append(char *text, size_t size, const char *line) {
  const size_t used = strlen(text);
  if (used + strlen(line) + 2 < size)
    snprintf(text + used, size - used, "%s%s", used > 0 ? "\n" : "", line);
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  append(started.notes, sizeof started.notes, line);
}

/* StarPU would take its default for a name that it does not know. */
static int choose_scheduler(struct starpu_conf *conf, struct cairn_environment *environment,
                            struct cairn_error *error) {
  const char *name = getenv("STARPU_SCHED");
  if (!name || !*name)
    name = "lws";
  struct starpu_sched_policy **policy = starpu_sched_get_predefined_policies();
  while (*policy && (!(*policy)->policy_name || strcmp((*policy)->policy_name, name)))
    policy++;
  if (!*policy)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "STARPU_SCHED is '%.64s', expected a scheduler of StarPU's: lws, eager, prio, ws, dmda, …",
                           name);
  conf->sched_policy = cairn_idle_policy(*policy);
  conf->sched_policy_name = NULL;
  /* the variable would win over the policy found by its name */
  return cairn_environment_change(environment, "STARPU_SCHED", NULL, error);
}

/* Whether StarPU starts OpenCL: not if nothing is to run there, nor if the drivers do not survive it. */
static int choose_devices(struct starpu_conf *conf, enum cairn_engine_device device, int *n_devices,
                          struct cairn_environment *environment, struct cairn_error *error) {
  *n_devices = 0;
  if (device != CAIRN_ENGINE_CPU && conf->nopencl != 0) {
    char reason[128] = "";
    *n_devices = cairn_opencl_probe(reason, sizeof reason);
    if (reason[0] && device == CAIRN_ENGINE_OPENCL)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "OpenCL cannot be used: %s", reason);
    if (reason[0])
      note("no OpenCL: %s; --device cpu leaves it alone", reason);
  }
  if (conf->nopencl > 0 && conf->nopencl < *n_devices)
    *n_devices = conf->nopencl;
  if (*n_devices > 0)
    return 0;
  conf->nopencl = 0;
  return cairn_opencl_hide(environment, error);
}

/* Workers that fill the cores of the process are bound, one to each. Fewer are left to the system, which keeps them off
 * the cores of other jobs; so are more than there are cores, and any on a machine with far more other work than cores.
 */
static int choose_binding(const struct cairn_cores *cores, int n_places, int n_workers,
                          struct cairn_environment *environment, struct cairn_error *error) {
  bool bound = cairn_environment_number("STARPU_WORKERS_NOBIND", 0) == 0;
  int status = 0;
  if (!getenv("STARPU_WORKERS_GETBIND"))
    status = cairn_environment_change(environment, "STARPU_WORKERS_GETBIND", "1", error);
  if (!status && !getenv("STARPU_WORKERS_NOBIND") && !getenv("STARPU_WORKERS_CPUID") &&
      !getenv("STARPU_WORKERS_COREID")) {
    bound = n_workers == n_places && !cairn_cores_are_busy();
    if (!bound)
      status = cairn_environment_change(environment, "STARPU_WORKERS_NOBIND", "1", error);
  }
  snprintf(started.mask, sizeof started.mask, "%s", bound ? "" : cores->mask);
  return status;
}

/* The number asked for on the command line, in the environment, or what the process may use less a core for each
 * device. */
static int choose_workers(struct starpu_conf *conf, int asked, int n_devices, struct cairn_environment *environment,
                          struct cairn_error *error) {
  struct cairn_cores cores;
  int status = cairn_cores_find(&cores, error);
  if (status)
    return status;
  if (asked <= 0)
    asked = cairn_environment_number("STARPU_NCPU", cairn_environment_number("STARPU_NCPUS", -1));
  if (asked == 0)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "StarPU has no CPU worker: set STARPU_NCPU to 1 or more");
  const int per_core = cairn_environment_number("STARPU_NTHREADS_PER_CORE", 1);
  conf->ncpus = asked;
  const int n_sharing = cores.granted > 0 ? 1 : cairn_ranks_sharing();
  if (asked < 0 && n_sharing > 1) {
    conf->ncpus = per_core * cores.n_default / n_sharing > 1 ? per_core * cores.n_default / n_sharing : 1;
    note("%d ranks share %d core%s: %d worker%s each; bind them (mpirun --map-by slot:pe=N, srun --cpus-per-task=N) to "
         "give each its own",
         n_sharing, cores.n_allowed, cores.n_allowed == 1 ? "" : "s", conf->ncpus, conf->ncpus == 1 ? "" : "s");
  } else if (asked < 0) {
    conf->ncpus = per_core * (cores.n_default > n_devices ? cores.n_default - n_devices : 1);
    if (cores.n_default < cores.n_allowed && cores.n_default == cores.granted)
      note("%d of %d cores are used: Slurm grants the job no more", cores.n_default, cores.n_allowed);
    else if (cores.n_default < cores.n_allowed)
      note("%d of %d cores are used: the control group grants the time of no more", cores.n_default, cores.n_allowed);
  } else if (asked * n_sharing > per_core * cores.n_allowed && n_sharing > 1)
    note("%d ranks with %d worker%s each share %d core%s: give each rank its own (mpirun --map-by slot:pe=%d, srun "
         "--cpus-per-task=%d)",
         n_sharing, asked, asked == 1 ? "" : "s", cores.n_allowed, cores.n_allowed == 1 ? "" : "s", asked, asked);
  else if (asked > per_core * cores.n_allowed && cores.n_allowed < cores.n_machine)
    note("%d workers for %d core%s: the CPU mask or the control group allows no more of the machine's %d", asked,
         cores.n_allowed, cores.n_allowed == 1 ? "" : "s", cores.n_machine);
  else if (asked > per_core * cores.n_allowed)
    note("%d workers for %d core%s: the machine has no more", asked, cores.n_allowed, cores.n_allowed == 1 ? "" : "s");
  return choose_binding(&cores, per_core * cores.n_allowed, conf->ncpus + n_devices, environment, error);
}

static int prepare(const struct cairn_engine_options *options, struct starpu_conf *conf,
                   struct cairn_environment *environment, struct cairn_error *error) {
  bool temporary = false;
  int n_devices = 0;
  started.notes[0] = '\0';
  int status = cairn_environment_check(error);
  if (status)
    return status;
  starpu_conf_init(conf);
  conf->catch_signals = 0; /* ours end the step and write a checkpoint */
  conf->precedence_over_environment_variables = 1;
  if (!getenv("STARPU_NCUDA"))
    conf->ncuda = 0; /* no task has a CUDA implementation, and each worker would take a core */
  if (options->silent && !getenv("STARPU_SILENT"))
    status = cairn_environment_change(environment, "STARPU_SILENT", "1", error);
  if (!status)
    status = cairn_environment_home(environment, &temporary, error);
  if (!status)
    status = choose_scheduler(conf, environment, error);
  if (!status)
    status = choose_devices(conf, options->device, &n_devices, environment, error);
  if (!status)
    status = choose_workers(conf, options->workers, n_devices, environment, error);
  if (!status && cairn_ranks_n() > 1 && !getenv("STARPU_MPI_NOBIND")) /* workers have all cores */
    status = cairn_environment_change(environment, "STARPU_MPI_NOBIND", "1", error);
  if (!status && temporary)
    note("what StarPU measures is lost at the end: neither XDG_CACHE_HOME nor the home directory can be written; "
         "STARPU_HOME names another folder");
  return status;
}

/* What became of the workers asked for. */
static int check_workers(int asked, struct cairn_error *error) {
  const int n = (int)starpu_cpu_worker_get_count();
  if (n == 0)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "StarPU has no CPU worker: STARPU_RESERVE_NCPU leaves none of %d",
                           asked);
  if (n < asked && n == STARPU_MAXCPUS)
    note("%d CPU workers instead of %d: this StarPU was built for %d at most; a StarPU configured with "
         "--enable-maxcpus=%d starts them all (docs/guide.md, Larger nodes)",
         n, asked, STARPU_MAXCPUS, asked);
  return 0;
}

int cairn_engine_start(const struct cairn_engine_options *options, struct cairn_error *error) {
  static const struct cairn_engine_options defaults;
  struct cairn_environment environment = {.n_kept = 0};
  struct starpu_conf conf;
  options = options ? options : &defaults;
  cairn_times_reset(options->trace);
  int status = prepare(options, &conf, &environment, error);
  cairn_ranks_first_of_node(true);
  if (!status) {
    const int code = starpu_init(&conf);
    if (code == -ENODEV)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "StarPU has no worker: set STARPU_NCPU to 1 or more");
    else if (code)
      status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "StarPU could not start: %s", strerror(-code));
  }
  cairn_ranks_first_of_node(false);
  const bool started_here = !status;
  if (!status)
    status = check_workers(conf.ncpus, error);
  if (!status)
    status = cairn_opencl_start(options->device, error);
  if (!status && cairn_ranks_start_tasks())
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "StarPU-MPI could not start");
  cairn_environment_restore(&environment);
  if (status && started_here)
    starpu_shutdown();
  if (status)
    return status;
  cairn_idle_share_cores(cairn_ranks_n() > 1);
  cairn_idle_allow_sleep(true);
  return 0;
}

void cairn_engine_stop(void) {
  cairn_idle_allow_sleep(false);
  cairn_ranks_stop_tasks();
  cairn_opencl_stop();
  starpu_shutdown();
  cairn_times_reset(false);
}

void cairn_engine_times(struct cairn_engine_times *times) { cairn_times_read(times); }

int cairn_engine_kinds(struct cairn_engine_kind kinds[CAIRN_ENGINE_KINDS]) { return cairn_times_kinds(kinds); }

int cairn_engine_write_trace(const char *path, struct cairn_error *error) { return cairn_times_write(path, error); }

void cairn_engine_info(struct cairn_engine_info *info) {
  memset(info, 0, sizeof *info);
  info->n_cpu_workers = (int)starpu_worker_get_count_by_type(STARPU_CPU_WORKER);
  info->n_opencl_workers = (int)starpu_worker_get_count_by_type(STARPU_OPENCL_WORKER);
  info->n_cuda_workers = (int)starpu_worker_get_count_by_type(STARPU_CUDA_WORKER);
  const struct starpu_sched_policy *policy = starpu_sched_ctx_get_sched_policy(0);
  snprintf(info->scheduler, sizeof info->scheduler, "%s", policy && policy->policy_name ? policy->policy_name : "?");
  for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
    char name[64], cores[128], line[256];
    hwloc_cpuset_t set = starpu_worker_get_hwloc_cpuset((int)w);
    starpu_worker_get_name((int)w, name, sizeof name);
    hwloc_bitmap_list_snprintf(cores, sizeof cores, set);
    hwloc_bitmap_free(set);
    if (started.mask[0])
      snprintf(line, sizeof line, "%s, not bound, on hardware threads %s", name, started.mask);
    else
      snprintf(line, sizeof line, "%s on hardware thread %s", name, cores);
    append(info->binding, sizeof info->binding, line);
  }
  snprintf(info->notes, sizeof info->notes, "%s", started.notes);
  cairn_environment_list(info->environment, sizeof info->environment);
}
