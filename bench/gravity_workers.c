/* Self-gravity as tasks, with one worker and with more, side by side: µs per body of wall-clock time.
 *
 *   gravity_workers [WORKERS [MOST]]     2 workers and up to 10^6 bodies if not given
 *
 * A uniform sphere at an accuracy of 5e-4, from bare positions to accelerations: sorting, trees, walk. Workers take
 * turns, so that a busy machine slows all of them down; the best of each counts. */
#include "../tests/gravity_bodies.h"

#include <starpu.h>

#include "cairn/engine.h"
#include "tasks/tasks.h"

enum { ROUNDS = 5 };

struct bodies {
  int32_t n;
  double *position, *mass, *acceleration, *potential;
};

static struct bodies make(int32_t n) {
  struct bodies b = {.n = n};
  b.position = gravity_allocate(3 * (size_t)n, sizeof *b.position);
  b.mass = gravity_allocate((size_t)n, sizeof *b.mass);
  b.acceleration = gravity_allocate(3 * (size_t)n, sizeof *b.acceleration);
  b.potential = gravity_allocate((size_t)n, sizeof *b.potential);
  gravity_bodies(GRAVITY_SPHERE, n, b.position, b.mass);
  return b;
}

static void release(struct bodies *b) {
  free(b->position);
  free(b->mass);
  free(b->acceleration);
  free(b->potential);
}

/* µs per body: the best of some. */
static double measure(struct bodies *b, int workers) {
  const struct cairn_gravity_rules rules = {.G = 1., .accuracy = 5e-4};
  struct cairn_gravity gravity;
  struct cairn_error error = {0};
  double best = INFINITY;
  const int repeats = b->n < 20000 ? 200000 / b->n : 2;
  if (cairn_engine_start(&(struct cairn_engine_options){.workers = workers}, &error)) {
    fprintf(stderr, "%s\n", error.message);
    exit(1);
  }
  cairn_gravity_init(&gravity, &rules);
  for (int k = 0; k < repeats; k++) {
    struct cairn_task_self_gravity pull = {.gravity = &gravity,
                                           .position = b->position,
                                           .mass = b->mass,
                                           .acceleration = b->acceleration,
                                           .potential = b->potential};
    const double start = starpu_timing_now();
    if (cairn_gravity_cut(&gravity, b->n, b->position, NULL) || cairn_task_gravity_run(&pull)) {
      fputs("out of memory\n", stderr);
      exit(1);
    }
    best = fmin(best, (starpu_timing_now() - start) / b->n);
  }
  cairn_gravity_fini(&gravity);
  cairn_engine_stop();
  return best;
}

int main(int argc, char **argv) {
  const int workers = argc > 1 ? atoi(argv[1]) : 2, most = argc > 2 ? atoi(argv[2]) : 1000000;
  printf("   bodies  1 worker  %d workers   ratio\n", workers);
  for (int32_t n = 1000; n <= most; n *= 10) {
    struct bodies b = make(n);
    double one = INFINITY, more = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
      one = fmin(one, measure(&b, 1));
      more = fmin(more, measure(&b, workers));
    }
    printf("%9d  %8.2f  %9.2f  %6.2f\n", n, one, more, one / more);
    fflush(stdout);
    release(&b);
  }
  return 0;
}
