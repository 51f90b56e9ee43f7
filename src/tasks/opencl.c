#include "tasks/opencl.h"

#ifdef CAIRN_HAVE_OPENCL

#include <starpu_opencl.h>

#include "kernel_sources.h"

/* The device programs belong to the process, as StarPU itself does. */
static struct {
  struct starpu_opencl_program program[CAIRN_OPENCL_PROGRAMS];
  int n_loaded;
  uint32_t where;
} device_side = {.where = STARPU_CPU};

int cairn_opencl_start(enum cairn_engine_device device, struct cairn_error *error) {
  static const char *const sources[CAIRN_OPENCL_PROGRAMS] = {
      [CAIRN_OPENCL_SOFT_SPHERES] = cairn_kernel_source_soft_spheres, [CAIRN_OPENCL_RIGID] = cairn_kernel_source_rigid};
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

int cairn_opencl_start(enum cairn_engine_device device, struct cairn_error *error) {
  if (device != CAIRN_ENGINE_OPENCL)
    return 0;
  return cairn_error_set(error, CAIRN_ERR_INPUT, "this build of cairn has no OpenCL");
}

void cairn_opencl_stop(void) {}

uint32_t cairn_opencl_where(void) { return STARPU_CPU; }

#endif
