/* Self-gravity on one core: time per body, and errors against direct sums at a sample of the bodies.
 *
 *   gravity                        the tables
 *   gravity write KIND N FILE      bodies and direct sums for others, little-endian: int64 n, n_sample; double
 *                                  position[n][3], mass[n]; int64 sample[n_sample]; double acceleration[n_sample][3]
 *   gravity one KIND N ACCURACY ORDER BRANCH   one line; ORDER 0: chosen
 *
 * KIND: 0 uniform sphere, 1 Plummer, 2 two lobes with ejecta, 3 two distant spheres (tests/gravity_bodies.h). */
#include "../tests/gravity_bodies.h"

#include <time.h>

enum { SAMPLE = 1000, BRANCH = 2000 };

/* Seconds of this processor: others may be busy. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct bodies {
  enum gravity_kind kind;
  int32_t n, n_sample, *sample;
  double *position, *mass, *field;
  double direct; /* s per pair */
};

static struct bodies make(enum gravity_kind kind, int32_t n) {
  struct bodies b = {.kind = kind, .n = n, .n_sample = n < SAMPLE ? n : SAMPLE};
  b.position = gravity_allocate(3 * (size_t)n, sizeof *b.position);
  b.mass = gravity_allocate((size_t)n, sizeof *b.mass);
  b.sample = gravity_allocate((size_t)b.n_sample, sizeof *b.sample);
  b.field = gravity_allocate((size_t)b.n_sample, CAIRN_FIELD * sizeof *b.field);
  gravity_bodies(kind, n, b.position, b.mass);
  const double start = now();
  gravity_direct(n, b.position, b.mass, b.n_sample, b.sample, b.field);
  b.direct = (now() - start) / ((double)n * b.n_sample);
  return b;
}

static void release(struct bodies *b) {
  free(b->position);
  free(b->mass);
  free(b->sample);
  free(b->field);
}

/* Order, trees and fields; the best of as many times as half a second allows. */
static void run(const struct bodies *b, double accuracy, int order, int32_t branch) {
  const struct cairn_gravity_rules rules = {.G = 1., .accuracy = accuracy, .order = order, .max_bodies = branch};
  double *acceleration = gravity_allocate(3 * (size_t)b->n, sizeof *acceleration), drift[3];
  double *potential = gravity_allocate((size_t)b->n, sizeof *potential), best = INFINITY, spent = 0.;
  struct cairn_gravity gravity;
  cairn_gravity_init(&gravity, &rules);
  do {
    const double start = now();
    gravity_run(&gravity, b->n, b->position, b->mass, 1, acceleration, potential, drift);
    const double time = now() - start;
    best = fmin(best, time);
    spent += time;
  } while (spent < 0.5);
  const struct gravity_errors e = gravity_errors(b->n_sample, b->sample, b->field, acceleration, potential, drift);
  printf("%-8s %8d %9.0e %5d %10.2f %12.2f %10.1e %10.1e %10.1e %8.0f\n", gravity_kind_name[b->kind], b->n, accuracy,
         gravity.rules.order, 1e6 * best / b->n, 1e6 * b->direct * b->n, e.rms, e.max, e.potential,
         (double)cairn_gravity_memory(&gravity) / b->n);
  fflush(stdout);
  cairn_gravity_fini(&gravity);
  free(acceleration);
  free(potential);
}

static void header(void) {
  printf("%-8s %8s %9s %5s %10s %12s %10s %10s %10s %8s\n", "bodies", "N", "accuracy", "order", "us/body", "direct",
         "RMS", "max", "potential", "bytes");
}

static void tables(void) {
  header();
  for (int32_t n = 500; n <= 4000; n *= 2) {
    struct bodies b = make(GRAVITY_SPHERE, n);
    run(&b, 5e-4, 0, BRANCH);
    release(&b);
  }
  for (int32_t n = 10000; n <= 1000000; n *= 10)
    for (int kind = 0; kind < GRAVITY_KINDS; kind++) {
      struct bodies b = make((enum gravity_kind)kind, n);
      run(&b, 5e-4, 0, BRANCH);
      for (double accuracy = 1e-2; n == 100000 && accuracy > 5e-7; accuracy /= 10.)
        run(&b, accuracy, 0, BRANCH);
      release(&b);
    }
}

static int write_file(const struct bodies *b, const char *path) {
  FILE *file = fopen(path, "wb");
  const int64_t size[2] = {b->n, b->n_sample};
  int failed = !file || fwrite(size, sizeof size, 1, file) != 1 ||
               fwrite(b->position, 3 * sizeof(double), (size_t)b->n, file) != (size_t)b->n ||
               fwrite(b->mass, sizeof(double), (size_t)b->n, file) != (size_t)b->n;
  for (int32_t s = 0; s < b->n_sample && !failed; s++)
    failed = fwrite(&(int64_t){b->sample[s]}, sizeof(int64_t), 1, file) != 1;
  for (int32_t s = 0; s < b->n_sample && !failed; s++)
    failed = fwrite(b->field + CAIRN_FIELD * s, sizeof(double), 3, file) != 3;
  if (file && fclose(file))
    failed = 1;
  if (failed)
    perror(path);
  return failed;
}

int main(int argc, char **argv) {
  const int kind = argc > 3 ? atoi(argv[2]) : 0, n = argc > 3 ? atoi(argv[3]) : 1;
  if (kind < 0 || kind >= GRAVITY_KINDS || n < 1)
    return 2;
  if (argc == 1) {
    tables();
  } else if (argc == 7 && strcmp(argv[1], "one") == 0) {
    struct bodies b = make((enum gravity_kind)kind, n);
    run(&b, atof(argv[4]), atoi(argv[5]), atoi(argv[6]));
    release(&b);
  } else if (argc == 5 && strcmp(argv[1], "write") == 0) {
    struct bodies b = make((enum gravity_kind)kind, n);
    const int failed = write_file(&b, argv[4]);
    release(&b);
    return failed;
  } else {
    return 2;
  }
  return 0;
}
