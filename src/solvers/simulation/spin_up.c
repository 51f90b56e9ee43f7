#include "solvers/simulation/spin_up.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/cluster.h"
#include "analysis/equivalent_body.h"
#include "kernels/common/vec3.h"

/* Returns the largest change of a velocity. */
static double turn(struct cairn_state *s, const bool *member, const double center[3], const double spin[3]) {
  double most = 0.;
  for (int64_t i = 0; i < s->n; i++) {
    if (!member[i])
      continue;
    const double *x = s->position + 3 * i, d[3] = {x[0] - center[0], x[1] - center[1], x[2] - center[2]};
    double v[3];
    cairn_vec3_cross(spin, d, v);
    for (int k = 0; k < 3; k++) {
      s->velocity[3 * i + k] += v[k];
      s->spin[3 * i + k] += spin[k];
    }
    most = fmax(most, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  return sqrt(most);
}

/* How much of each entry is due at this step. */
static double due(const struct cairn_spin_up *spin_up, int64_t step, double h) {
  const int64_t before = step > 0 ? cairn_spin_up_count(spin_up, step - 1, h) : 0;
  const double times = (double)(cairn_spin_up_count(spin_up, step, h) - before);
  return spin_up->is_torque ? times * cairn_spin_up_every(spin_up, h) : times;
}

/* All that is due, as one spin of the aggregate. */
static int spin_due(const struct cairn_scenario *scenario, const struct cairn_state *state,
                    const struct cairn_equivalent_body *body, double h, double spin[3], struct cairn_error *error) {
  for (int32_t i = 0; i < scenario->n_spin_ups; i++) {
    const struct cairn_spin_up *s = scenario->spin_ups + i;
    const double part = due(s, state->step, h),
                 add[3] = {part * s->amount[0], part * s->amount[1], part * s->amount[2]};
    if (s->is_torque)
      cairn_equivalent_body_respond(body, add, spin);
    else
      for (int k = 0; k < 3; k++)
        spin[k] += add[k];
  }
  /* velocities it adds, and the sum with those there are, then stay below the bounds of a state */
  if (cairn_state_check_range(spin, 3, 1e-3 * CAIRN_STATE_MOST_RATE / CAIRN_STATE_MOST_LENGTH))
    return CAIRN_OK;
  return cairn_error_set(
      error, CAIRN_ERR_NUMERIC,
      "step %lld (t = %.9g s): spin_up gives a spin that is not finite; the state of this step is kept "
      "without it",
      (long long)state->step, (double)state->step * h);
}

int cairn_sim_spin_up_apply(const struct cairn_scenario *scenario, struct cairn_state *state, double h, double *change,
                            struct cairn_error *error) {
  bool any = false;
  *change = -1.;
  for (int32_t i = 0; i < scenario->n_spin_ups; i++)
    any |= due(scenario->spin_ups + i, state->step, h) > 0.;
  if (!any)
    return CAIRN_OK;
  bool *member = malloc((size_t)state->n + 1);
  if (!member)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for spin_up");
  double spin[3] = {0., 0., 0.};
  int status = cairn_cluster_largest(state, cairn_cluster_gap(state), member, error);
  const struct cairn_equivalent_body body =
      status == CAIRN_OK ? cairn_equivalent_body_of(state, member) : (struct cairn_equivalent_body){0};
  if (status == CAIRN_OK)
    status = spin_due(scenario, state, &body, h, spin, error);
  if (status == CAIRN_OK)
    *change = turn(state, member, body.center, spin);
  free(member);
  return status;
}
