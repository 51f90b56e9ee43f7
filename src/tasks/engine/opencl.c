#include "tasks/engine/opencl.h"

#ifdef CAIRN_HAVE_OPENCL

#include <fcntl.h>
#include <starpu_opencl.h>
#include <unistd.h>

#include "data/base/child.h"
#include "kernel_sources.h"

/* The device programs belong to the process, as StarPU itself does. */
static struct {
  struct starpu_opencl_program program[CAIRN_OPENCL_PROGRAMS];
  int n_loaded;
  uint32_t where;
} device_side = {.where = STARPU_CPU};

enum { MOST_DEVICES = 16 };

/* As many as StarPU takes, each with a context, since that is where drivers ask for memory. */
static int count_devices(void) {
  cl_platform_id platforms[MOST_DEVICES];
  cl_uint n_platforms = 0, n = 0;
  cl_device_type type = CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
  if (cairn_environment_number("STARPU_OPENCL_ON_CPUS", 0))
    type |= CL_DEVICE_TYPE_CPU;
  if (cairn_environment_number("STARPU_OPENCL_ONLY_ON_CPUS", 0))
    type = CL_DEVICE_TYPE_CPU;
  if (clGetPlatformIDs(MOST_DEVICES, platforms, &n_platforms) != CL_SUCCESS)
    return 0;
  for (cl_uint p = 0; p < n_platforms && p < MOST_DEVICES; p++) {
    cl_device_id devices[MOST_DEVICES];
    cl_uint n_here = 0;
    if (clGetDeviceIDs(platforms[p], type, MOST_DEVICES, devices, &n_here) != CL_SUCCESS)
      continue;
    n_here = n_here < MOST_DEVICES ? n_here : MOST_DEVICES;
    for (cl_uint d = 0; d < n_here; d++) {
      cl_int status;
      cl_context context = clCreateContext(NULL, 1, devices + d, NULL, NULL, &status);
      if (status == CL_SUCCESS)
        clReleaseContext(context);
    }
    n += n_here;
  }
  return n < MOST_DEVICES ? (int)n : MOST_DEVICES;
}

/* The loader of the drivers reads its variables once in a process, StarPU counts devices once. */
static struct {
  bool is_known;
  int n_devices;
  char reason[128];
} found;

static void serve_count(int link, const void *context) {
  (void)context;
  /* the last words of a driver that aborts are not the user's business */
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  const int n = count_devices();
  cairn_child_send(link, &n, sizeof n);
}

static void probe(void) {
  /* drivers map as much address space as they like; a minute of time is for those that hang */
  static const int64_t memory = INT64_MAX / 4, seconds = 60;
  struct cairn_child child;
  struct cairn_error error;
  char cause[64];
  found.is_known = true;
  if (cairn_child_start(&child, serve_count, NULL, memory, seconds, &error)) {
    snprintf(found.reason, sizeof found.reason, "%.100s to try its drivers", error.message);
    return;
  }
  const int gone = cairn_child_receive(child.link, &found.n_devices, sizeof found.n_devices);
  cairn_child_end(&child, cause);
  /* one that crashes after it has answered, as it is unloaded, would do so here too */
  if (gone || cause[0]) {
    found.n_devices = 0;
    snprintf(found.reason, sizeof found.reason, "a driver ends in '%s' when it starts", cause[0] ? cause : "silence");
  }
}

int cairn_opencl_probe(char *reason, size_t size) {
  if (!found.is_known)
    probe();
  snprintf(reason, size, "%s", found.reason);
  return found.n_devices;
}

int cairn_opencl_hide(struct cairn_environment *environment, struct cairn_error *error) {
  found.is_known = true;
  int status = cairn_environment_change(environment, "OCL_ICD_VENDORS", "/dev/null/", error);
  if (!status)
    status = cairn_environment_change(environment, "OCL_ICD_FILENAMES", NULL, error);
  if (!status && !getenv("HWLOC_COMPONENTS"))
    status = cairn_environment_change(environment, "HWLOC_COMPONENTS", "-opencl", error);
  return status;
}

int cairn_opencl_start(enum cairn_engine_device device, struct cairn_error *error) {
  static const char *const sources[CAIRN_OPENCL_PROGRAMS] = {
      [CAIRN_OPENCL_SOFT_SPHERES] = cairn_kernel_source_soft_spheres, [CAIRN_OPENCL_CD] = cairn_kernel_source_cd};
  const int workers = (int)starpu_opencl_worker_get_count();
  device_side.where = STARPU_CPU;
  if (device == CAIRN_ENGINE_CPU || (device == CAIRN_ENGINE_ANY && workers == 0))
    return 0;
  if (workers == 0)
    return cairn_error_set(
        error, CAIRN_ERR_INPUT,
        "StarPU has no OpenCL worker: is a device there (cairn info)? For OpenCL on the CPU, as with "
        "PoCL, set STARPU_OPENCL_ON_CPUS=1 and STARPU_NOPENCL=1");
  for (; device_side.n_loaded < CAIRN_OPENCL_PROGRAMS; device_side.n_loaded++)
    if (starpu_opencl_load_opencl_from_string(sources[device_side.n_loaded], device_side.program + device_side.n_loaded,
                                              "-cl-std=CL1.2"))
      return cairn_error_set(error, CAIRN_ERR_NUMERIC, "the OpenCL device refuses cairn's kernels");
  device_side.where = device == CAIRN_ENGINE_OPENCL ? STARPU_OPENCL : STARPU_CPU | STARPU_OPENCL;
  return 0;
}

void cairn_opencl_stop(void) {
  while (device_side.n_loaded > 0)
    starpu_opencl_unload_opencl(device_side.program + --device_side.n_loaded);
  device_side.where = STARPU_CPU;
}

uint32_t cairn_opencl_where(void) { return device_side.where; }

void cairn_opencl_run(enum cairn_opencl_program program, const char *name, size_t n, size_t group, int n_args,
                      const struct cairn_opencl_arg *args) {
  const int device = starpu_worker_get_devid(starpu_worker_get_id());
  const size_t total = (n + group - 1) / group * group;
  cl_kernel kernel;
  cl_command_queue queue;
  cl_int status = starpu_opencl_load_kernel(&kernel, &queue, device_side.program + program, name, device);
  if (status != CL_SUCCESS)
    STARPU_OPENCL_REPORT_ERROR(status);
  for (int k = 0; k < n_args; k++) {
    status = clSetKernelArg(kernel, (cl_uint)k, args[k].size, args[k].value);
    if (status != CL_SUCCESS)
      STARPU_OPENCL_REPORT_ERROR(status);
  }
  status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &total, &group, 0, NULL, NULL);
  if (status != CL_SUCCESS)
    STARPU_OPENCL_REPORT_ERROR(status);
  starpu_opencl_release_kernel(kernel);
}

void cairn_opencl_finish(void) {
  cl_command_queue queue;
  starpu_opencl_get_queue(starpu_worker_get_devid(starpu_worker_get_id()), &queue);
  clFinish(queue);
}

#else

int cairn_opencl_probe(char *reason, size_t size) {
  (void)reason, (void)size;
  return 0;
}

int cairn_opencl_hide(struct cairn_environment *environment, struct cairn_error *error) {
  (void)environment, (void)error;
  return 0;
}

int cairn_opencl_start(enum cairn_engine_device device, struct cairn_error *error) {
  if (device != CAIRN_ENGINE_OPENCL)
    return 0;
  return cairn_error_set(error, CAIRN_ERR_INPUT, "this build of cairn has no OpenCL");
}

void cairn_opencl_stop(void) {}

uint32_t cairn_opencl_where(void) { return STARPU_CPU; }

#endif
