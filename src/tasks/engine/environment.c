#define _GNU_SOURCE /* nftw */
#include "tasks/engine/environment.h"

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* What StarPU 1.3 and 1.4 read as whole numbers, without STARPU_. */
static const char *const whole_numbers[] = {"BACKOFF_MAX",
                                            "BACKOFF_MIN",
                                            "BUS_CALIBRATE",
                                            "BUS_STATS",
                                            "CALIBRATE",
                                            "CALIBRATE_MINIMUM",
                                            "CATCH_SIGNALS",
                                            "CODELET_STATS",
                                            "DISABLE_ASYNCHRONOUS_COPY",
                                            "DISABLE_ASYNCHRONOUS_CUDA_COPY",
                                            "DISABLE_ASYNCHRONOUS_MPI_MS_COPY",
                                            "DISABLE_ASYNCHRONOUS_OPENCL_COPY",
                                            "DISABLE_KERNELS",
                                            "DISABLE_PINNING",
                                            "DISK_SWAP_SIZE",
                                            "ENABLE_CUDA_GPU_GPU_DIRECT",
                                            "FXT_TRACE",
                                            "GENERATE_TRACE",
                                            "GLOBAL_ARBITER",
                                            "HISTORY_MAX_ERROR",
                                            "LIMIT_BANDWIDTH",
                                            "LIMIT_CPU_MEM",
                                            "LIMIT_CPU_NUMA_MEM",
                                            "LIMIT_MAX_SUBMITTED_TASKS",
                                            "LIMIT_MIN_SUBMITTED_TASKS",
                                            "LIMIT_OPENCL_MEM",
                                            "MAIN_THREAD_BIND",
                                            "MAIN_THREAD_COREID",
                                            "MAIN_THREAD_CPUID",
                                            "MAX_MEMORY_USE",
                                            "MAX_PRIO",
                                            "MAX_WORKERSIZE",
                                            "MEMORY_STATS",
                                            "MINIMUM_AVAILABLE_MEM",
                                            "MINIMUM_CLEAN_BUFFERS",
                                            "MIN_PRIO",
                                            "MIN_WORKERSIZE",
                                            "NCPU",
                                            "NCPUS",
                                            "NCUDA",
                                            "NOPENCL",
                                            "NTASKS_THRESHOLD",
                                            "NTHREADS_PER_CORE",
                                            "NWORKER_PER_CUDA",
                                            "OPENCL_ONLY_ON_CPUS",
                                            "OPENCL_ON_CPUS",
                                            "OPENCL_PIPELINE",
                                            "PCI_FLAT",
                                            "PERF_MODEL_HOMOGENEOUS_CPU",
                                            "PERF_MODEL_HOMOGENEOUS_OPENCL",
                                            "PREFETCH",
                                            "RAND_SEED",
                                            "RESERVE_NCPU",
                                            "SCHED_READY",
                                            "SCHED_SORTED_ABOVE",
                                            "SCHED_SORTED_BELOW",
                                            "SILENT",
                                            "SINGLE_COMBINED_WORKER",
                                            "STATS",
                                            "SYNTHESIZE_ARITY_COMBINED_WORKER",
                                            "TARGET_AVAILABLE_MEM",
                                            "TARGET_CLEAN_BUFFERS",
                                            "TASK_BREAK_ON_EXEC",
                                            "TASK_BREAK_ON_POP",
                                            "TASK_BREAK_ON_PUSH",
                                            "TASK_BREAK_ON_SCHED",
                                            "TASK_PROGRESS",
                                            "TRACE_BUFFER_SIZE",
                                            "USE_NUMA",
                                            "WATCHDOG_CRASH",
                                            "WATCHDOG_DELAY",
                                            "WORKERS_GETBIND",
                                            "WORKERS_NOBIND",
                                            "WORKER_TREE"};
static const char *const numbers[] = {"EXP_LEN_THRESHOLD", "IDLE_POWER",  "SCHED_ALPHA",
                                      "SCHED_BETA",        "SCHED_GAMMA", "WINDOW_TIME_SIZE"};
static const char *const lists_of_cores[] = {"WORKERS_COREID", "WORKERS_CPUID"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *value_of(const char *short_name) {
  char name[64];
  snprintf(name, sizeof name, "STARPU_%s", short_name);
  return getenv(name);
}

static bool is_whole_number(const char *text) {
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 10);
  return !errno && *end == '\0' && value >= 0 && value <= INT_MAX;
}

static bool is_number(const char *text) {
  char *end;
  strtod(text, &end);
  return end != text && *end == '\0';
}

/* "0 2 4", "0,2", "0-3", "2-": StarPU walks past the end of its table for anything else. */
static bool is_list_of_cores(const char *text) {
  int n = 0;
  for (const char *c = text; *c; n++) {
    if (!isdigit((unsigned char)*c))
      return false;
    c += strspn(c, "0123456789");
    if (*c == '-') {
      c++;
      c += strspn(c, "0123456789");
    }
    if (*c && !strchr(" ,", *c))
      return false;
    c += strspn(c, " ,");
  }
  return n > 0;
}

static int check(const char *const *names, size_t n, bool (*is_valid)(const char *), const char *expected,
                 struct cairn_error *error) {
  for (size_t i = 0; i < n; i++) {
    const char *value = value_of(names[i]);
    if (value && !is_valid(value))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "STARPU_%s is '%.64s', expected %s", names[i], value, expected);
  }
  return 0;
}

int cairn_environment_check(struct cairn_error *error) {
  int status = check(whole_numbers, COUNT(whole_numbers), is_whole_number, "a whole number of 0 or more", error);
  if (!status)
    status = check(numbers, COUNT(numbers), is_number, "a number", error);
  if (!status)
    status = check(lists_of_cores, COUNT(lists_of_cores), is_list_of_cores, "cores such as '0 1 2' or '0-3'", error);
  const char *host = getenv("STARPU_HOSTNAME");
  if (!status && host && strchr(host, '/'))
    status = cairn_error_set(error, CAIRN_ERR_INPUT,
                             "STARPU_HOSTNAME is '%.64s', expected a name that can be part of a file name", host);
  return status;
}

int cairn_environment_number(const char *name, int missing) {
  const char *value = getenv(name);
  return value && *value ? atoi(value) : missing;
}

int cairn_environment_change(struct cairn_environment *environment, const char *name, const char *value,
                             struct cairn_error *error) {
  const char *before = getenv(name);
  char *copy = before ? strdup(before) : NULL;
  if ((before && !copy) || environment->n_kept == COUNT(environment->kept) ||
      (value ? setenv(name, value, 1) : unsetenv(name))) {
    free(copy);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the environment");
  }
  environment->kept[environment->n_kept].name = name;
  environment->kept[environment->n_kept++].value = copy;
  return 0;
}

void cairn_environment_restore(struct cairn_environment *environment) {
  while (environment->n_kept > 0) {
    const char *name = environment->kept[--environment->n_kept].name;
    char *value = environment->kept[environment->n_kept].value;
    if (value)
      setenv(name, value, 1);
    else
      unsetenv(name);
    free(value);
  }
}

/* Make the folder and those above it that are missing, from `from` on. */
static bool make_folders(char *path, size_t from) {
  for (char *c = path + from; (c = strchr(c + 1, '/'));) {
    *c = '\0';
    const bool made = !mkdir(path, 0700) || errno == EEXIST;
    *c = '/';
    if (!made)
      return false;
  }
  return !mkdir(path, 0700) || errno == EEXIST;
}

/* Whether StarPU can keep its files in folder/below, which is made. StarPU cuts paths at 256 characters. */
static bool can_hold_files(const char *folder, const char *below, bool make_folder) {
  enum { LONGEST = 200 };
  static const char *const parts[] = {"", "/bus", "/codelets"};
  char path[LONGEST + 64];
  struct stat status;
  if (strlen(folder) > LONGEST || !*folder || (!make_folder && stat(folder, &status)))
    return false;
  for (size_t i = 0; i < COUNT(parts); i++) {
    snprintf(path, sizeof path, "%s%s%s", folder, below, parts[i]);
    if (!make_folders(path, make_folder ? 0 : strlen(folder)))
      return false;
    strcat(path, "/XXXXXX");
    const int file = mkstemp(path);
    if (file < 0)
      return false;
    close(file);
    unlink(path);
  }
  return true;
}

static char temporary_folder[256];

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *walk) {
  (void)status, (void)flag, (void)walk;
  remove(path);
  return 0;
}

static void remove_temporary_folder(void) { nftw(temporary_folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

/* One for the life of the process: StarPU may be started again. */
static const char *make_temporary_folder(void) {
  if (temporary_folder[0])
    return temporary_folder;
  const char *parents[] = {getenv("TMPDIR"), "/tmp", "/dev/shm"};
  for (size_t i = 0; i < COUNT(parents); i++) {
    if (!parents[i] || parents[i][0] != '/' || strlen(parents[i]) > 150)
      continue;
    snprintf(temporary_folder, sizeof temporary_folder, "%s/cairn-starpu-XXXXXX", parents[i]);
    if (mkdtemp(temporary_folder)) {
      atexit(remove_temporary_folder);
      return temporary_folder;
    }
  }
  temporary_folder[0] = '\0';
  return NULL;
}

static const char below_home[] = "/.starpu/sampling";

/* The folder of the user's own that StarPU should take, or NULL. */
static const char *home_of_user(void) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && can_hold_files(cache, below_home, true))
    return cache;
  return home && can_hold_files(home, below_home, false) ? home : NULL;
}

int cairn_environment_home(struct cairn_environment *environment, bool *temporary, struct cairn_error *error) {
  const char *models = getenv("STARPU_PERF_MODEL_DIR"), *home = getenv("STARPU_HOME");
  *temporary = false;
  if (models && !can_hold_files(models, "", true))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "STARPU_PERF_MODEL_DIR is '%.200s', expected a folder that can be written", models);
  if (home && !can_hold_files(home, below_home, true))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "STARPU_HOME is '%.200s', expected a folder that can be written",
                           home);
  if (!home)
    home = home_of_user();
  if (!home) {
    home = make_temporary_folder();
    *temporary = home && !models;
  }
  if (!home)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "StarPU keeps measurements in a folder and none can be written, neither the home directory "
                           "nor a temporary one: set STARPU_HOME");
  /* XDG_CACHE_HOME would win over STARPU_HOME. */
  const int status = cairn_environment_change(environment, "STARPU_HOME", home, error);
  return status ? status : cairn_environment_change(environment, "XDG_CACHE_HOME", NULL, error);
}

void cairn_environment_list(char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (char **variable = environ; *variable; variable++)
    if (!strncmp(*variable, "STARPU_", 7) && used + strlen(*variable) + 2 < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "\n" : "", *variable);
}
