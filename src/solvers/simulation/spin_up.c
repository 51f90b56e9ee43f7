#include "solvers/simulation/spin_up.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster.h"
#include "analysis/equivalent_body.h"
#include "kernels/common/vec3.h"
#include "solvers/simulation/ranks/fragments.h"
#include "solvers/simulation/simulation_parts.h"

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
static int spin_due(const struct cairn_scenario *scenario, int64_t step, const struct cairn_equivalent_body *body,
                    double h, double spin[3], struct cairn_error *error) {
  for (int32_t i = 0; i < scenario->n_spin_ups; i++) {
    const struct cairn_spin_up *s = scenario->spin_ups + i;
    const double part = due(s, step, h), add[3] = {part * s->amount[0], part * s->amount[1], part * s->amount[2]};
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
      (long long)step, (double)step * h);
}

/* ---- one process ---- */

static int apply(const struct cairn_scenario *scenario, struct cairn_state *state, double h, double *change,
                 struct cairn_error *error) {
  bool *member = malloc((size_t)state->n + 1);
  if (!member)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for spin_up");
  double spin[3] = {0., 0., 0.};
  int status = cairn_cluster_largest(state, cairn_cluster_gap(state), member, error);
  const struct cairn_equivalent_body body =
      status == CAIRN_OK ? cairn_equivalent_body_of(state, member) : (struct cairn_equivalent_body){0};
  if (status == CAIRN_OK)
    status = spin_due(scenario, state->step, &body, h, spin, error);
  if (status == CAIRN_OK)
    *change = turn(state, member, body.center, spin);
  free(member);
  return status;
}

static int apply_here(struct cairn_simulation *sim, double *change, struct cairn_error *error) {
  if (!cairn_simulation_capture(sim, error))
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  starpu_data_acquire(sim->state_handle, STARPU_RW);
  const int status = apply(sim->scenario, &sim->state, sim->step_size, change, error);
  starpu_data_release(sim->state_handle);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !status; c++) {
    starpu_data_acquire(sim->cells.cell[c].handles->state, STARPU_RW);
    cairn_cells_set_velocities(sim->cells.cell + c, &sim->state);
    starpu_data_release(sim->cells.cell[c].handles->state);
  }
  return status;
}

/* ---- several ranks ---- */

static int by_id(const void *p, const void *q) {
  const int32_t a = *(const int32_t *)p, b = *(const int32_t *)q;
  return (a > b) - (a < b);
}

/* The bodies of the cells of this rank, ascending. */
static int32_t *list_bodies(const struct cairn_simulation *sim, int64_t *n) {
  *n = 0;
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++)
    *n += sim->cells.cell[c].size.n;
  int32_t *id = malloc((size_t)*n * sizeof *id + 1), *to = id;
  if (!id)
    cairn_ranks_out_of_memory("spin_up");
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && id; c++)
    for (int32_t i = 0; i < sim->cells.cell[c].size.n; i++)
      *to++ = sim->cells.cell[c].id[i];
  if (*n > 0)
    qsort(id, (size_t)*n, sizeof *id, by_id);
  return id;
}

/* Returns the square of the largest change of a velocity. */
static double turn_cell(struct cairn_cell *cell, const int32_t *id, const bool *member, int64_t n,
                        const double center[3], const double spin[3]) {
  struct cairn_body *packed = cell->packet ? cairn_packet_bodies(cell->packet) : NULL;
  double most = 0.;
  for (int32_t i = 0; i < cell->size.n; i++) {
    const int32_t *found = bsearch(cell->id + i, id, (size_t)n, sizeof *id, by_id);
    double *s = cell->state + (int64_t)CAIRN_STATE * i, *x = s + CAIRN_STATE_X;
    if (!member[found - id])
      continue;
    const double d[3] = {x[0] - center[0], x[1] - center[1], x[2] - center[2]};
    double v[3];
    cairn_vec3_cross(spin, d, v);
    for (int k = 0; k < 3; k++) {
      s[CAIRN_STATE_V + k] += v[k];
      s[CAIRN_STATE_W + k] += spin[k];
    }
    most = fmax(most, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (packed)
      memcpy(packed[i].state + CAIRN_STATE_V, s + CAIRN_STATE_V, 6 * sizeof *s);
  }
  cell->is_predicted = false;
  return most;
}

static int apply_shared(struct cairn_simulation *sim, double *change, struct cairn_error *error) {
  struct cairn_sim_fragment largest;
  double spin[3] = {0., 0., 0.}, most = 0.;
  int64_t n;
  int status = cairn_sim_fragments_largest(sim, &largest, error);
  if (status)
    return status;
  status = spin_due(sim->scenario, sim->step, &largest.body, sim->step_size, spin, error); /* the same on all */
  int32_t *id = list_bodies(sim, &n);
  bool *member = cairn_sim_fragments_ask(sim, largest.member, id, n);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !status; c++) {
    starpu_data_acquire(sim->cells.cell[c].handles->state, STARPU_RW);
    most = fmax(most, turn_cell(sim->cells.cell + c, id, member, n, largest.body.center, spin));
    starpu_data_release(sim->cells.cell[c].handles->state);
  }
  *change = sqrt(cairn_ranks_max(most));
  free(largest.member);
  free(member);
  free(id);
  starpu_data_acquire(sim->state_handle, STARPU_RW);
  sim->state.step = -1; /* if it was of this step, it has other velocities */
  starpu_data_release(sim->state_handle);
  return status;
}

int cairn_sim_spin_up_apply(struct cairn_simulation *sim, double *change, struct cairn_error *error) {
  bool any = false;
  *change = -1.;
  for (int32_t i = 0; i < sim->scenario->n_spin_ups; i++)
    any |= due(sim->scenario->spin_ups + i, sim->step, sim->step_size) > 0.;
  return !any ? 0 : cairn_ranks_n() > 1 ? apply_shared(sim, change, error) : apply_here(sim, change, error);
}
