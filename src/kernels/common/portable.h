/* What lets one kernel source compile as C and as OpenCL C. Kernel headers include nothing else. */
#ifndef CAIRN_KERNELS_COMMON_PORTABLE_H
#define CAIRN_KERNELS_COMMON_PORTABLE_H

#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
/* Contracted multiply-adds would make device and host differ from the first step. */
#pragma OPENCL FP_CONTRACT OFF
#define CAIRN_INLINE static inline
#define CAIRN_GLOBAL __global
typedef int cairn_int;
typedef uint cairn_uint;
#else
#include <math.h>
#include <stdint.h>
#define CAIRN_INLINE static inline __attribute__((always_inline))
#define CAIRN_GLOBAL
typedef int32_t cairn_int;
typedef uint32_t cairn_uint;
#endif

#endif
