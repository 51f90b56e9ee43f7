/* Self-gravity on one core: time per body, and errors against direct sums at a sample of the bodies.
 *
 *   gravity                        times and errors
 *   gravity accuracy               errors for each accuracy that may be asked for, as tables for docs/validation.md
 *   gravity orders                 errors by order and theta, without the control of errors
 *   gravity write KIND N FILE      bodies and direct sums for others, little-endian: int64 n, n_sample; double
 *                                  position[n][3], mass[n]; int64 sample[n_sample]; double acceleration[n_sample][3]
 *   gravity one KIND N ACCURACY ORDER BRANCH   one line; ORDER 0: chosen
 *
 * KIND: 0 uniform sphere, 1 Plummer, 2 two lobes with ejecta, 3 two distant spheres (tests/gravity_bodies.h). */
#include "../tests/gravity_bodies.h"

#include "clocks.h"

enum { SAMPLE = 1000, BRANCH = 2000 };

/* Seconds of this processor: others may be busy. */
static double now(void) { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }

/* Order, trees and fields; the best of as many times as half a second allows. */
static void run(struct gravity_system *s, double accuracy, int order, int32_t branch) {
  const struct cairn_gravity_rules rules = {.G = 1., .accuracy = accuracy, .order = order, .max_bodies = branch};
  struct cairn_gravity gravity;
  double best = INFINITY, spent = 0.;
  double start = now();
  gravity_direct(s->n, s->position, s->mass, s->n_sample, s->sample, s->field);
  const double direct = (now() - start) / s->n_sample;
  cairn_gravity_init(&gravity, &rules);
  do {
    start = now();
    gravity_run(&gravity, s->n, s->position, s->mass, 1, s->acceleration, s->potential, s->drift);
    const double time = now() - start;
    best = fmin(best, time);
    spent += time;
  } while (spent < 0.5);
  const struct gravity_errors e = gravity_errors(s);
  printf("%-8s %8d %9.0e %5d %10.2f %12.2f %10.1e %10.1e %10.1e %8.0f\n", gravity_kind_name[s->kind], s->n, accuracy,
         gravity.terms.order, 1e6 * best / s->n, 1e6 * direct, e.rms, e.max, e.potential,
         (double)cairn_gravity_memory(&gravity) / s->n);
  fflush(stdout);
  cairn_gravity_fini(&gravity);
}

static void header(void) {
  printf("%-8s %8s %9s %5s %10s %12s %10s %10s %10s %8s\n", "bodies", "N", "accuracy", "order", "us/body", "direct",
         "RMS", "max", "potential", "bytes");
}

static void tables(void) {
  static const double accuracies_of_trees[] = {1e-2, 5e-4, 1e-5};
  header();
  for (int32_t n = 500; n <= 4000; n *= 2) { /* where trees begin to be faster than direct sums */
    struct gravity_system s = gravity_system_make(GRAVITY_SPHERE, n, SAMPLE);
    for (int k = 0; k < 3; k++)
      run(&s, accuracies_of_trees[k], 5, BRANCH);
    gravity_system_free(&s);
  }
  for (int32_t n = 10000; n <= 1000000; n *= 10)
    for (int kind = 0; kind < GRAVITY_KINDS; kind++) {
      struct gravity_system s = gravity_system_make((enum gravity_kind)kind, n, SAMPLE);
      run(&s, 5e-4, 0, BRANCH);
      for (double accuracy = 1e-2; n == 100000 && accuracy > 5e-7; accuracy /= 10.)
        run(&s, accuracy, 0, BRANCH);
      gravity_system_free(&s);
    }
}

/* RMS and largest error over the accuracy asked for: every body of 10^4, and a sample of 10^5. */
static void accuracies(void) {
  for (int32_t n = 10000; n <= 100000; n *= 10) {
    printf("%d bodies: RMS and largest error of the acceleration over the RMS acceleration, error of the energy\n", n);
    printf("| accuracy |");
    for (int kind = 0; kind < GRAVITY_KINDS; kind++)
      printf(" %s |", gravity_kind_name[kind]);
    printf("\n|---|---|---|---|---|\n");
    struct gravity_system s[GRAVITY_KINDS];
    for (int kind = 0; kind < GRAVITY_KINDS; kind++)
      s[kind] = gravity_system_make((enum gravity_kind)kind, n, n <= 10000 ? n : SAMPLE);
    for (double accuracy = 0.1; accuracy > 5e-7; accuracy /= 10.) {
      printf("| %.0e |", accuracy);
      for (int kind = 0; kind < GRAVITY_KINDS; kind++) {
        const struct gravity_errors e = gravity_at_accuracy(&s[kind], accuracy, 0);
        printf(" %.1e, %.1e, %.0e |", e.rms, e.max, e.energy);
      }
      printf("\n");
      fflush(stdout);
    }
    for (int kind = 0; kind < GRAVITY_KINDS; kind++)
      gravity_system_free(&s[kind]);
  }
}

/* RMS errors of a sphere of 10^4 bodies, and by which power of theta they fell. */
static void orders(void) {
  struct gravity_system s = gravity_system_make(GRAVITY_SPHERE, 10000, 10000);
  printf("| order | theta = 0.8 | 0.57 | 0.4 | 0.28 | power |\n|---|---|---|---|---|---|\n");
  for (int order = 1; order <= CAIRN_GRAVITY_ORDERS; order++) {
    double error[4];
    printf("| %d |", order);
    for (int k = 0; k < 4; k++) {
      error[k] = gravity_at_theta(&s, order, 0.8 * pow(0.5, 0.5 * k)).rms;
      printf(" %.1e |", error[k]);
    }
    printf(" %.1f |\n", log2(error[1] / error[3]));
  }
  gravity_system_free(&s);
}

static int write_file(const struct gravity_system *s, const char *path) {
  FILE *file = fopen(path, "wb");
  const int64_t size[2] = {s->n, s->n_sample};
  int failed = !file || fwrite(size, sizeof size, 1, file) != 1 ||
               fwrite(s->position, 3 * sizeof(double), (size_t)s->n, file) != (size_t)s->n ||
               fwrite(s->mass, sizeof(double), (size_t)s->n, file) != (size_t)s->n;
  for (int32_t i = 0; i < s->n_sample && !failed; i++)
    failed = fwrite(&(int64_t){s->sample[i]}, sizeof(int64_t), 1, file) != 1;
  for (int32_t i = 0; i < s->n_sample && !failed; i++)
    failed = fwrite(s->field + CAIRN_FIELD * i, sizeof(double), 3, file) != 3;
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
  } else if (argc == 2 && strcmp(argv[1], "accuracy") == 0) {
    accuracies();
  } else if (argc == 2 && strcmp(argv[1], "orders") == 0) {
    orders();
  } else if (argc == 7 && strcmp(argv[1], "one") == 0) {
    struct gravity_system s = gravity_system_make((enum gravity_kind)kind, n, SAMPLE);
    run(&s, atof(argv[4]), atoi(argv[5]), atoi(argv[6]));
    gravity_system_free(&s);
  } else if (argc == 5 && strcmp(argv[1], "write") == 0) {
    struct gravity_system s = gravity_system_make((enum gravity_kind)kind, n, SAMPLE);
    const int failed = write_file(&s, argv[4]);
    gravity_system_free(&s);
    return failed;
  } else {
    return 2;
  }
  return 0;
}
