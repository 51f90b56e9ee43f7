#include "data/files/provenance.h"

#include <ctype.h>
#include <hwloc.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "build_info.h"

static int is_attribute_name(const char *name) {
  if (!isalpha((unsigned char)name[0]))
    return 0;
  size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
  return name[length] == '\0' && length < sizeof((struct cairn_provenance *)0)->entry[0].name;
}

int cairn_provenance_set(struct cairn_provenance *provenance, const char *name, const char *value,
                         struct cairn_error *error) {
  if (!is_attribute_name(name))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%.100s' cannot be the name of a NetCDF attribute", name);
  int i = 0;
  while (i < provenance->n && strcmp(provenance->entry[i].name, name))
    i++;
  if (i == CAIRN_PROVENANCE_MAX)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "no room for '%s': the provenance holds %d entries", name, i);
  char *copy = strdup(value ? value : "");
  if (!copy)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the provenance");
  if (i == provenance->n) {
    provenance->n++;
    snprintf(provenance->entry[i].name, sizeof provenance->entry[i].name, "%s", name);
  } else
    free(provenance->entry[i].value);
  provenance->entry[i].value = copy;
  return 0;
}

void cairn_provenance_fini(struct cairn_provenance *provenance) {
  for (int i = 0; i < provenance->n; i++)
    free(provenance->entry[i].value);
  memset(provenance, 0, sizeof *provenance);
}

/* "2 cores", "1 core", nothing for 0; returns the new length of the text. */
static size_t add_count(char *text, size_t size, size_t at, int n, const char *what) {
  if (n <= 0 || at >= size)
    return at;
  int added = snprintf(text + at, size - at, "%s%d %s%s", at ? ", " : "", n, what, n == 1 ? "" : "s");
  return added > 0 ? at + (size_t)added : at;
}

static size_t add_cache(char *text, size_t size, size_t at, hwloc_topology_t topology, hwloc_obj_type_t type,
                        const char *what) {
  hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
  if (!cache || !cache->attr || at >= size)
    return at;
  int added = snprintf(text + at, size - at, "%s%s %llu KiB", at ? ", " : "", what,
                       (unsigned long long)(cache->attr->cache.size >> 10));
  return added > 0 ? at + (size_t)added : at;
}

/* One line: model, what there is of each kind, caches of the first core, memory. */
static void describe_topology(hwloc_topology_t topology, char *text, size_t size) {
  static const struct {
    hwloc_obj_type_t type;
    const char *name;
  } kinds[] = {{HWLOC_OBJ_PACKAGE, "package"},
               {HWLOC_OBJ_NUMANODE, "NUMA node"},
               {HWLOC_OBJ_CORE, "core"},
               {HWLOC_OBJ_PU, "hardware thread"}},
    caches[] = {{HWLOC_OBJ_L1CACHE, "L1d"}, {HWLOC_OBJ_L2CACHE, "L2"}, {HWLOC_OBJ_L3CACHE, "L3"}};
  size_t at = 0;
  text[0] = '\0';
  hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
  if (model) {
    int added = snprintf(text, size, "%.120s", model);
    at = added > 0 ? (size_t)added : 0;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    at = add_count(text, size, at, hwloc_get_nbobjs_by_type(topology, kinds[i].type), kinds[i].name);
  for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
    at = add_cache(text, size, at, topology, caches[i].type, caches[i].name);
  unsigned long long memory = hwloc_get_root_obj(topology)->total_memory;
  if (memory && at < size)
    snprintf(text + at, size - at, ", memory %.1f GiB", (double)memory / 1073741824.0);
}

static int set_machine(struct cairn_provenance *provenance, struct cairn_error *error) {
  char text[512];
  struct utsname machine;
  hwloc_topology_t topology;
  int status = 0;
  if (!uname(&machine)) {
    status = cairn_provenance_set(provenance, "host", machine.nodename, error);
    snprintf(text, sizeof text, "%s %s %s", machine.sysname, machine.release, machine.machine);
    if (!status)
      status = cairn_provenance_set(provenance, "operating_system", text, error);
  }
  if (status || hwloc_topology_init(&topology))
    return status;
  /* the cores and caches are all that is asked for: OpenCL's drivers are not to be started */
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "opencl");
  if (!hwloc_topology_load(topology)) {
    describe_topology(topology, text, sizeof text);
    status = cairn_provenance_set(provenance, "topology", text, error);
  }
  hwloc_topology_destroy(topology);
  return status;
}

static int set_libraries(struct cairn_provenance *provenance, struct cairn_error *error) {
  char text[128];
  /* "4.9.0 of May 10 2022 …": the date of the distribution's build says nothing. */
  snprintf(text, sizeof text, "%.*s", (int)strcspn(nc_inq_libvers(), " "), nc_inq_libvers());
  int status = cairn_provenance_set(provenance, "starpu_version", CAIRN_STARPU_VERSION, error);
  if (!status)
    status = cairn_provenance_set(provenance, "netcdf_version", text, error);
  return status ? status : cairn_provenance_set(provenance, "hwloc_version", HWLOC_VERSION, error);
}

static int set_date(struct cairn_provenance *provenance, struct cairn_error *error) {
  char text[32] = "";
  time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc))
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return cairn_provenance_set(provenance, "date_created", text, error);
}

static int set_job(struct cairn_provenance *provenance, struct cairn_error *error) {
  static const char *const variables[][2] = {{"SLURM_JOB_ID", "slurm_job_id"},
                                             {"SLURM_JOB_NAME", "slurm_job_name"},
                                             {"SLURM_JOB_NODELIST", "slurm_job_nodelist"},
                                             {"SLURM_ARRAY_TASK_ID", "slurm_array_task_id"},
                                             {"SLURM_RESTART_COUNT", "slurm_restart_count"}};
  int status = 0;
  for (size_t i = 0; i < sizeof variables / sizeof *variables && !status; i++) {
    const char *value = getenv(variables[i][0]);
    if (value)
      status = cairn_provenance_set(provenance, variables[i][1], value, error);
  }
  return status;
}

int cairn_provenance_init(struct cairn_provenance *provenance, struct cairn_error *error) {
  static const char *const build[][2] = {
      {"program", "cairn"},         {"programVersion", CAIRN_VERSION},      {"git_hash", CAIRN_GIT_HASH},
      {"compiler", CAIRN_COMPILER}, {"compile_flags", CAIRN_COMPILE_FLAGS}, {"build_type", CAIRN_BUILD_TYPE}};
  memset(provenance, 0, sizeof *provenance);
  int status = 0;
  for (size_t i = 0; i < sizeof build / sizeof *build && !status; i++)
    status = cairn_provenance_set(provenance, build[i][0], build[i][1], error);
  if (!status)
    status = set_libraries(provenance, error);
  if (!status)
    status = set_machine(provenance, error);
  if (!status)
    status = set_date(provenance, error);
  if (!status)
    status = set_job(provenance, error);
  if (status)
    cairn_provenance_fini(provenance);
  return status;
}
