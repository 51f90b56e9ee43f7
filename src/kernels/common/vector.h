/* Vector code of the kernels for the CPU. */
#ifndef CAIRN_KERNELS_COMMON_VECTOR_H
#define CAIRN_KERNELS_COMMON_VECTOR_H

/* Compile a function for several vector widths and pick at load time. IEEE operations without contraction give the same
 * bits in all of them. Builds with sanitizers do not vectorise, and take twice as long to compile with clones. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define CAIRN_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CAIRN_CLONES
#endif

#endif
