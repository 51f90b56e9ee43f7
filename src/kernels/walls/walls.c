#include "kernels/walls/walls.h"

#include <string.h>

#include "kernels/soft/soft_spheres.h"

void cairn_kernel_walls_load(const struct cairn_soft_spheres *c, int32_t n_assemblies, double *load) {
  const double *walls = cairn_walls_of(c->world, c->n_laws);
  memset(load, 0, 6 * (size_t)n_assemblies * sizeof *load);
  for (int32_t k = 0; k < c->size.n_wall_pairs; k++) {
    const double *wall = walls + (int64_t)CAIRN_WALL * c->b[c->size.n_pairs + k];
    double *sum = load + 6 * (int64_t)wall[CAIRN_WALL_ASSEMBLY];
    for (int i = 0; i < 6; i++)
      sum[i] += c->wall_load[6 * (int64_t)k + i];
  }
}

/* Largest speed of any point of an assembly that a body could meet, m/s. */
static double speed_of(const double *predicted, double extent, int symmetric) {
  const double *v = predicted + CAIRN_ASSEMBLY_V, *w = predicted + CAIRN_ASSEMBLY_W;
  const double spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + (symmetric || spin == 0. ? 0. : spin * extent);
}

/* Their largest displacement, extrapolated by `lead` seconds. */
static void report_displacement(const struct cairn_walls_set *set, const double *out, double lead,
                                struct cairn_report *report) {
  report->steps++;
  report->displacement = report->speed = 0.;
  for (int32_t a = 0; a < set->n; a++) {
    const double *predicted = out + (int64_t)CAIRN_ASSEMBLY * a, *from = set->reference + (int64_t)CAIRN_ASSEMBLY * a;
    const double displacement =
        cairn_kernel_assemblies_displacement(from, predicted, set->extent[a], set->symmetric[a]);
    const double speed = speed_of(predicted, set->extent[a], set->symmetric[a]);
    if (!(displacement < INFINITY) && report->bad_steps == CAIRN_NEVER) {
      report->bad_steps = report->steps;
      report->bad_body = a;
    }
    report->displacement = fmax(report->displacement, displacement + lead * speed);
    report->speed = fmax(report->speed, speed);
  }
}

void cairn_kernel_walls_move(const struct cairn_walls_set *set, const double *load, int64_t step, double h,
                             const double *in, double *out, struct cairn_report *report) {
  cairn_kernel_assemblies_step(set->rules, set->n, load, set->gravity, (double)step * h, h, in, out);
  /* as for bodies: a pair feels the law up to half a step before it touches */
  report_displacement(set, out, 0.5 * h, report);
  if (report->displacement > set->reach && report->valid_steps == CAIRN_NEVER)
    report->valid_steps = report->steps;
}

void cairn_kernel_walls_arrive(const struct cairn_walls_set *set, const double *free_assemblies, double time, double h,
                               double theta, const double *in, double *out, struct cairn_report *report) {
  cairn_kernel_assemblies_arrive(set->rules, set->n, free_assemblies, time, h, theta, in, out);
  report_displacement(set, out, 0., report);
}
