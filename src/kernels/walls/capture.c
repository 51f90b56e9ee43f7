#include "kernels/walls/capture.h"

void cairn_kernel_capture_bodies(const struct cairn_soft_spheres *c, int32_t k, double time) {
  const double *wall = cairn_walls_of(c->world, c->n_laws) + (int64_t)CAIRN_WALL * c->b[k];
  const double *assembly = cairn_walls_assembly(wall, c->assemblies);
  double *captor = c->captor + (int64_t)CAIRN_CAPTURE * c->a[k];
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k];
  struct cairn_nearest touch[CAIRN_WALL_TOUCHES];
  double weight = 0.;
  if (captor[CAIRN_CAPTURE_CAPTOR] != 0.)
    return;
  const int32_t n = cairn_walls_touches(c->world, wall, assembly, p, cairn_walls_reach(p, assembly, c->h), touch);
  for (int32_t j = 0; j < n; j++) {
    const struct cairn_contact_pair pair = cairn_walls_pair(p, touch[j], assembly, 1.);
    const double un = pair.vx * pair.nx + pair.vy * pair.ny + pair.vz * pair.nz;
    weight = fmax(weight, cairn_contact_weight(pair.x, un, c->h));
  }
  if (!(weight > 0.))
    return;
  captor[CAIRN_CAPTURE_CAPTOR] = wall[CAIRN_WALL_CAPTURE] * (1. + (double)c->b[k]);
  captor[CAIRN_CAPTURE_TIME] = time;
  if (wall[CAIRN_WALL_CAPTURE] == (double)CAIRN_WALL_CAPTURES)
    cairn_walls_inward(assembly, p, captor + CAIRN_CAPTURE_PLACE);
  else
    for (int j = 0; j < 3; j++)
      captor[CAIRN_CAPTURE_PLACE + j] = p[j];
}

const double *cairn_kernel_capture_assembly(const struct cairn_soft_spheres *c, int32_t i) {
  const int64_t w = (int64_t)c->captor[(int64_t)CAIRN_CAPTURE * i + CAIRN_CAPTURE_CAPTOR] - 1;
  return cairn_walls_assembly(cairn_walls_of(c->world, c->n_laws) + CAIRN_WALL * w, c->assemblies);
}

void cairn_kernel_capture_carry(const double *assembly, const double *place, double *state) {
  const double *v = assembly + CAIRN_ASSEMBLY_V, *w = assembly + CAIRN_ASSEMBLY_W;
  const double *a = assembly + CAIRN_ASSEMBLY_A, *aw = assembly + CAIRN_ASSEMBLY_AW;
  double arm[3] = {place[0], place[1], place[2]}, turn[3];
  cairn_walls_outward(assembly, arm, arm + 1, arm + 2);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    turn[k] = w[i] * arm[j] - w[j] * arm[i];
  }
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    state[CAIRN_STATE_X + k] = assembly[CAIRN_ASSEMBLY_X + k] + arm[k];
    state[CAIRN_STATE_V + k] = v[k] + turn[k];
    state[CAIRN_STATE_W + k] = w[k];
    state[CAIRN_STATE_A + k] = a[k] + (aw[i] * arm[j] - aw[j] * arm[i]) + (w[i] * turn[j] - w[j] * turn[i]);
    state[CAIRN_STATE_AW + k] = aw[k];
  }
}

/* Others may be parked too, each at a place of its own. */
void cairn_kernel_capture_park(const struct cairn_soft_spheres *c, int32_t i) {
  const double *predicted = c->predicted + (int64_t)CAIRN_PREDICTED * i;
  const double *place = c->captor + (int64_t)CAIRN_CAPTURE * i + CAIRN_CAPTURE_PLACE;
  double *state = c->state + (int64_t)CAIRN_STATE * i;
  const double own[3] = {CAIRN_GONE, CAIRN_GONE_SPREAD * (place[1] + (double)i), CAIRN_GONE_SPREAD * place[2]};
  for (int k = 0; k < 3; k++) {
    state[CAIRN_STATE_X + k] = own[k];
    state[CAIRN_STATE_V + k] = predicted[CAIRN_PREDICTED_V + k];
    state[CAIRN_STATE_W + k] = predicted[CAIRN_PREDICTED_W + k];
    state[CAIRN_STATE_A + k] = state[CAIRN_STATE_AW + k] = 0.;
  }
}
