#include "tasks/engine/cores.h"

#include <hwloc.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/base/number.h"
#include "tasks/engine/environment.h"

/* The first words of a file, "" if there is none. */
static void read_line(const char *path, char *text, int size) {
  FILE *file = fopen(path, "r");
  text[0] = '\0';
  if (file && !fgets(text, size, file))
    text[0] = '\0';
  if (file)
    fclose(file);
}

/* Cores of one group: cpu.max of version 2, or the pair of files of version 1. Infinite without a limit. */
static double quota_of(const char *folder) {
  char path[PATH_MAX + 32], text[64];
  double quota = 0., period = 100000.;
  snprintf(path, sizeof path, "%s/cpu.max", folder);
  read_line(path, text, sizeof text);
  if (sscanf(text, "%lf %lf", &quota, &period) < 1) {
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    read_line(path, text, sizeof text);
    quota = atof(text);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    read_line(path, text, sizeof text);
    period = atof(text);
  }
  return quota > 0. && period > 0. ? quota / period : INFINITY;
}

/* The group and all above it, up to the root. */
static double least_quota(const char *mount, const char *group) {
  char path[PATH_MAX];
  const size_t root = strlen(mount);
  double least = INFINITY;
  if (snprintf(path, sizeof path, "%s%s", mount, group) >= (int)sizeof path)
    return least;
  for (;;) {
    least = fmin(least, quota_of(path));
    char *slash = strrchr(path, '/');
    if (!slash || slash < path + root)
      return least;
    *slash = '\0';
  }
}

/* Whether "cpu" is one of the controllers in "cpu,cpuacct". */
static bool has_cpu(const char *controllers) {
  for (const char *c = controllers; *c; c += strcspn(c, ","), c += *c == ',')
    if (!strncmp(c, "cpu", 3) && (c[3] == ',' || c[3] == '\0'))
      return true;
  return false;
}

int cairn_cores_quota(const char *membership, const char *root) {
  char line[PATH_MAX], mount[PATH_MAX];
  double least = INFINITY;
  FILE *file = fopen(membership, "r");
  while (file && fgets(line, sizeof line, file)) {
    /* hierarchy:controllers:group, version 2 is "0::group" */
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
      continue;
    *group++ = '\0';
    controllers++;
    if (!*controllers) {
      least = fmin(least, least_quota(root, group));
      snprintf(mount, sizeof mount, "%.4000s/unified", root);
      least = fmin(least, least_quota(mount, group));
    } else if (has_cpu(controllers)) {
      snprintf(mount, sizeof mount, "%.3000s/%.1000s", root, controllers);
      least = fmin(least, least_quota(mount, group));
    }
  }
  if (file)
    fclose(file);
  return isfinite(least) ? (int)fmin(ceil(least), INT_MAX) : 0;
}

bool cairn_cores_are_busy(void) {
  /* A run that has just ended leaves a load of one per core behind. */
  double load;
  return getloadavg(&load, 1) == 1 && load > 1.5 * (double)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Cores with at least one hardware thread in the set. */
static int count_cores(hwloc_topology_t topology, hwloc_const_bitmap_t set) {
  int n = 0;
  for (hwloc_obj_t core = NULL; (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core));)
    n += hwloc_bitmap_intersects(core->cpuset, set);
  return n > 0 ? n : hwloc_bitmap_weight(set);
}

static int check_variables(const struct cairn_cores *cores, struct cairn_error *error) {
  const int per_core = cairn_environment_number("STARPU_NTHREADS_PER_CORE", 1);
  if (per_core < 1 || per_core > cores->n_threads / cores->n_allowed)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "STARPU_NTHREADS_PER_CORE is %d, expected 1 to %d on this machine",
                           per_core, cores->n_threads / cores->n_allowed);
  static const char *const names[] = {"STARPU_MAIN_THREAD_CPUID", "STARPU_MAIN_THREAD_COREID"};
  const int limits[] = {cores->n_threads, cores->n_allowed};
  for (int i = 0; i < 2; i++)
    if (cairn_environment_number(names[i], 0) >= limits[i])
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s is %s, expected 0 to %d: what this process may use", names[i],
                             getenv(names[i]), limits[i] - 1);
  return 0;
}

static int find_allowed(hwloc_topology_t topology, struct cairn_cores *cores) {
  hwloc_bitmap_t mask = hwloc_bitmap_alloc();
  if (!mask)
    return -1;
  /* a topology read from a file is not that of this machine: there is no mask to respect */
  if (!hwloc_topology_is_thissystem(topology) || hwloc_get_cpubind(topology, mask, HWLOC_CPUBIND_THREAD))
    hwloc_bitmap_copy(mask, hwloc_topology_get_allowed_cpuset(topology));
  hwloc_bitmap_and(mask, mask, hwloc_topology_get_allowed_cpuset(topology));
  cores->n_machine = count_cores(topology, hwloc_topology_get_complete_cpuset(topology));
  cores->n_allowed = count_cores(topology, mask);
  cores->n_threads = hwloc_bitmap_weight(mask);
  hwloc_bitmap_list_snprintf(cores->mask, sizeof cores->mask, mask);
  hwloc_bitmap_free(mask);
  return cores->n_allowed > 0 && cores->n_threads > 0 ? 0 : -1;
}

/* 0 where the variable is not set. */
static int read_count(const char *name, int *count, struct cairn_error *error) {
  const char *text = getenv(name);
  int64_t number = 0;
  if (text && *text && (!cairn_number_parse_integer(text, &number) || number < 1 || number > INT_MAX))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s is '%.64s', expected a whole number from 1 on", name, text);
  *count = (int)number;
  return 0;
}

static int find_granted(int *granted, struct cairn_error *error) {
  int n_tasks = 0, on_node = 0;
  int status = read_count("SLURM_CPUS_PER_TASK", granted, error);
  if (!status)
    status = read_count("SLURM_NTASKS", &n_tasks, error);
  if (!status)
    status = read_count("SLURM_CPUS_ON_NODE", &on_node, error);
  if (!status && *granted == 0 && n_tasks <= 1)
    *granted = on_node;
  return status;
}

int cairn_cores_find(struct cairn_cores *cores, struct cairn_error *error) {
  const char *file = getenv("STARPU_HWLOC_INPUT");
  hwloc_topology_t topology;
  memset(cores, 0, sizeof *cores);
  if (hwloc_topology_init(&topology))
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the topology of the machine");
  /* the cores are all that is asked for; OpenCL's drivers are not to be started here */
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "opencl");
  const bool loaded = !(file && *file && hwloc_topology_set_xml(topology, file)) && !hwloc_topology_load(topology);
  const bool found = loaded && !find_allowed(topology, cores);
  hwloc_topology_destroy(topology);
  if (!found && file && *file)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "STARPU_HWLOC_INPUT is '%.200s', expected a topology that hwloc wrote", file);
  if (!found)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "hwloc finds no cores in this machine");
  cores->quota = cairn_cores_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  cores->n_default = cores->quota > 0 && cores->quota < cores->n_allowed ? cores->quota : cores->n_allowed;
  const int status = find_granted(&cores->granted, error);
  if (cores->granted > 0 && cores->granted < cores->n_default)
    cores->n_default = cores->granted;
  return status ? status : check_variables(cores, error);
}
