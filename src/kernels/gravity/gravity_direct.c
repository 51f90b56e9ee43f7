#include "kernels/gravity/gravity_direct.h"

#include "kernels/common/vector.h"
#include "kernels/gravity/gravity_lanes.h"

/* Eight sources act on a sink. */
CAIRN_INLINE void attract(const cairn_lanes source[4], double x, double y, double z, cairn_lanes sum[CAIRN_FIELD]) {
  const cairn_lanes dx = source[0] - x, dy = source[1] - y, dz = source[2] - z;
  const cairn_lanes r2 = dx * dx + dy * dy + dz * dz;
  cairn_lanes inverse;
  cairn_lanes_inverse_root(&r2, &inverse);
  inverse = (cairn_lanes)((cairn_lanes_int)inverse & (r2 > 0.));
  const cairn_lanes potential = source[3] * inverse, pull = potential * (inverse * inverse);
  sum[0] += pull * dx;
  sum[1] += pull * dy;
  sum[2] += pull * dz;
  sum[3] += potential;
}

CAIRN_CLONES void cairn_kernel_gravity_direct(int32_t n_sinks, const struct cairn_points *sinks, int32_t n_sources,
                                              const struct cairn_points *sources, double *field) {
  const int32_t whole = n_sources / CAIRN_LANES * CAIRN_LANES, rest = n_sources - whole;
  const double *restrict part[4] = {sources->x, sources->y, sources->z, sources->m};
  cairn_lanes last[4] = {{0.}}; /* filled up with sources without mass */
  for (int k = 0; k < 4 && rest > 0; k++)
    cairn_lanes_load(part[k] + whole, rest, 0., &last[k]);
  for (int32_t i = 0; i < n_sinks; i++) {
    const double x = sinks->x[i], y = sinks->y[i], z = sinks->z[i];
    cairn_lanes sum[CAIRN_FIELD] = {{0.}};
    for (int32_t j = 0; j < whole; j += CAIRN_LANES) {
      const cairn_lanes source[4] = {
          *(const cairn_lanes_unaligned *)(part[0] + j), *(const cairn_lanes_unaligned *)(part[1] + j),
          *(const cairn_lanes_unaligned *)(part[2] + j), *(const cairn_lanes_unaligned *)(part[3] + j)};
      attract(source, x, y, z, sum);
    }
    if (rest > 0)
      attract(last, x, y, z, sum);
    for (int k = 0; k < CAIRN_FIELD; k++)
      field[CAIRN_FIELD * i + k] += cairn_lanes_sum(&sum[k]);
  }
}
