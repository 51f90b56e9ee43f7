#include "data/initial/bodies_move.h"
#include "kernels/common/vec3.h"

#include <math.h>
#include <string.h>

/* Distances from the first body are summed: a group far from the origin keeps its digits. */
void cairn_bodies_center_add(struct cairn_bodies_center *center, const double x[3], double mass) {
  if (center->n++ == 0)
    memcpy(center->origin, x, sizeof center->origin);
  center->mass += mass;
  for (int k = 0; k < 3; k++)
    center->sum[k] += mass * (x[k] - center->origin[k]);
}

void cairn_bodies_center_get(const struct cairn_bodies_center *center, double x[3]) {
  for (int k = 0; k < 3; k++)
    x[k] = center->mass > 0 ? center->origin[k] + center->sum[k] / center->mass : 0;
}

/* Rodrigues' formula. */
void cairn_bodies_turn_vector(const double axis[3], double angle, double v[3]) {
  double across[3], along = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
  cairn_vec3_cross(axis, v, across);
  for (int k = 0; k < 3; k++)
    v[k] = cos(angle) * v[k] + sin(angle) * across[k] + (1 - cos(angle)) * along * axis[k];
}

void cairn_bodies_turn(struct cairn_state *state, const double center[3], const double axis[3], double angle) {
  double d[3];
  for (int64_t i = 0; i < state->n; i++) {
    double *x = state->position + 3 * i;
    for (int k = 0; k < 3; k++)
      d[k] = x[k] - center[k];
    cairn_bodies_turn_vector(axis, angle, d);
    for (int k = 0; k < 3; k++)
      x[k] = center[k] + d[k];
    cairn_bodies_turn_vector(axis, angle, state->velocity + 3 * i);
    cairn_bodies_turn_vector(axis, angle, state->spin + 3 * i);
  }
}

void cairn_bodies_rotate(struct cairn_state *state, int64_t first, int64_t end, const double spin[3],
                         const double pivot[3]) {
  for (int64_t i = first; i < end; i++) {
    double d[3], v[3];
    for (int k = 0; k < 3; k++)
      d[k] = state->position[3 * i + k] - pivot[k];
    cairn_vec3_cross(spin, d, v);
    for (int k = 0; k < 3; k++) {
      state->velocity[3 * i + k] += v[k];
      state->spin[3 * i + k] += spin[k];
    }
  }
}
