/* Self-gravity as tasks, with one worker and with more, side by side: µs per body of wall-clock time, and of processor
 * time of the thread that drives them, which is the serial part: it sleeps while tasks run.
 *
 *   gravity_workers [WORKERS [MOST [LEAST]]]     2 workers, up to 10^6 bodies and from 10^3 if not given
 *
 * A uniform sphere at an accuracy of 5e-4, from bare positions to accelerations: sorting, trees, walk. Workers take
 * turns, so that a busy machine slows all of them down; the best of each counts. */
#include "../tests/gravity_bodies.h"

#include <starpu.h>

#include "cairn/engine.h"
#include "clocks.h"
#include "tasks/tasks.h"

enum { ROUNDS = 5 };

struct bodies {
  int32_t n;
  double *position, *mass, *acceleration, *potential;
  int32_t *id;
};

static struct bodies make(int32_t n) {
  struct bodies b = {.n = n};
  b.position = gravity_allocate(3 * (size_t)n, sizeof *b.position);
  b.mass = gravity_allocate((size_t)n, sizeof *b.mass);
  b.acceleration = gravity_allocate(3 * (size_t)n, sizeof *b.acceleration);
  b.potential = gravity_allocate((size_t)n, sizeof *b.potential);
  b.id = gravity_ids(n);
  gravity_bodies(GRAVITY_SPHERE, n, b.position, b.mass);
  return b;
}

static void release(struct bodies *b) {
  free(b->position);
  free(b->mass);
  free(b->acceleration);
  free(b->potential);
  free(b->id);
}

/* µs of processor time of this thread. */
static double own_time(void) { return 1e6 * clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

/* µs per body: the best of some; *serial becomes that of the driving thread if it is less. */
static double measure(struct bodies *b, int workers, double *serial) {
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
    const struct cairn_task_self_gravity pull = {.gravity = &gravity,
                                                 .position = b->position,
                                                 .mass = b->mass,
                                                 .id = b->id,
                                                 .acceleration = b->acceleration,
                                                 .potential = b->potential};
    const double start = starpu_timing_now(), own = own_time();
    if (cairn_task_gravity_run(&pull, b->n) || cairn_task_gravity_deliver(&pull)) {
      fputs("out of memory\n", stderr);
      exit(1);
    }
    best = fmin(best, (starpu_timing_now() - start) / b->n);
    *serial = fmin(*serial, (own_time() - own) / b->n);
  }
  cairn_gravity_fini(&gravity);
  cairn_engine_stop();
  return best;
}

int main(int argc, char **argv) {
  const int workers = argc > 1 ? atoi(argv[1]) : 2, most = argc > 2 ? atoi(argv[2]) : 1000000;
  const int least = argc > 3 ? atoi(argv[3]) : 1000;
  printf("   bodies  1 worker  %d workers   ratio  serial\n", workers);
  for (int32_t n = least; n <= most; n *= 10) {
    struct bodies b = make(n);
    double one = INFINITY, more = INFINITY, serial = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
      one = fmin(one, measure(&b, 1, &serial));
      more = fmin(more, measure(&b, workers, &serial));
    }
    printf("%9d  %8.2f  %9.2f  %6.2f  %6.3f\n", n, one, more, one / more, serial);
    fflush(stdout);
    release(&b);
  }
  return 0;
}
