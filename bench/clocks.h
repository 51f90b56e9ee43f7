/* Clocks of benchmarks, in seconds. */
#ifndef CAIRN_BENCH_CLOCKS_H
#define CAIRN_BENCH_CLOCKS_H

#include <time.h>

static inline double clock_seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of this thread, of all threads, and the time on the clock. */
static inline void clock_read_all(double now[3]) {
  now[0] = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  now[1] = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  now[2] = clock_seconds(CLOCK_MONOTONIC);
}

#endif
