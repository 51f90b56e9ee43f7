#include "analysis/inside.h"

#include <math.h>

#include "kernels/common/vec3.h"

static const double SPHERE = 4. / 3. * 3.14159265358979323846; /* volume over r³ */

/* Part of a sphere that lies in the region: of one that reaches over the border, by the points of a fine grid. The
 * grid is the same for all, so that the result does not depend on anything else. */
static double part_inside(const struct cairn_region *region, const double x[3], double r) {
  enum { SIDE = 24 };
  double push[3];
  int64_t n = 0, inside = 0;
  bool fits = true;
  for (int k = 0; k < 6; k++) { /* one that is larger than the region may have its centre in the middle */
    double end[3] = {x[0], x[1], x[2]};
    end[k / 2] += k % 2 ? r : -r;
    fits = fits && cairn_region_has(region, end);
  }
  cairn_region_push(region, x, r, push);
  if (fits && cairn_vec3_dot(push, push) == 0.)
    return 1.;
  for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
    const int at[3] = {k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE};
    double d[3], point[3];
    for (int j = 0; j < 3; j++) {
      d[j] = (at[j] + 0.5) * 2. / SIDE - 1.;
      point[j] = x[j] + r * d[j];
    }
    if (cairn_vec3_dot(d, d) > 1.)
      continue;
    n++;
    inside += cairn_region_has(region, point);
  }
  return (double)inside / (double)n;
}

static void add_motion(const struct cairn_state *s, const struct cairn_region *region, struct cairn_inside *out) {
  double mass = 0.;
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t i = 0; i < s->n; i++) {
      if (s->captor[i] < 0 || !cairn_region_has(region, s->position + 3 * i))
        continue;
      out->n_bodies += pass == 0;
      mass += pass == 0 ? s->mass[i] : 0.;
      for (int k = 0; k < 3; k++) {
        const double v = s->velocity[3 * i + k], about = v - out->velocity[k];
        if (pass == 0)
          out->velocity[k] += s->mass[i] * v;
        else
          out->temperature += s->mass[i] / (3. * mass) * about * about;
      }
    }
    for (int k = 0; k < 3 && pass == 0 && mass > 0.; k++)
      out->velocity[k] /= mass;
  }
}

struct cairn_inside cairn_inside_find(const struct cairn_state *s, const struct cairn_body_stress *stress,
                                      const struct cairn_region *region) {
  struct cairn_inside out = {.volume = region->volume};
  double lower[3], upper[3];
  cairn_region_bounds(region, lower, upper);
  for (int64_t i = 0; i < s->n; i++) {
    const double *x = s->position + 3 * i, r = s->radius[i];
    bool near = s->captor[i] >= 0;
    for (int k = 0; k < 3; k++)
      near = near && x[k] + r > lower[k] && x[k] - r < upper[k];
    if (!near)
      continue;
    const double part = part_inside(region, x, r) / region->volume;
    out.packing += part * SPHERE * r * r * r;
    out.density += part * s->mass[i];
    for (int k = 0; k < 6 && stress; k++)
      out.stress[k] += part * SPHERE * r * r * r * stress->stress[6 * i + k];
  }
  for (int k = 0; k < 6 && !stress; k++)
    out.stress[k] = (double)NAN;
  add_motion(s, region, &out);
  return out;
}
