/* A simulation between its steps, for programs that drive it: its end, callbacks, new velocities. */
#include <math.h>

#include "data/cells/cells.h"
#include "solvers/simulation/simulation_parts.h"

double cairn_simulation_end_time(const struct cairn_simulation *sim) { return sim->scenario->time_end; }

int64_t cairn_simulation_end_step(const struct cairn_simulation *sim) {
  return cairn_simulation_n_steps(sim->scenario->time_end, sim->step_size);
}

int32_t cairn_simulation_n_walls(const struct cairn_simulation *sim) { return sim->scenario->n_walls; }

const char *cairn_simulation_wall_name(const struct cairn_simulation *sim, int32_t wall) {
  return wall >= 0 && wall < sim->scenario->n_walls ? sim->scenario->walls[wall].name : NULL;
}

int cairn_simulation_run(struct cairn_simulation *sim, int64_t end, int64_t every,
                         int (*callback)(void *context, struct cairn_simulation *simulation), void *context,
                         struct cairn_error *error) {
  if (every < 1)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "a callback every %lld steps: expected 1 or more", (long long)every);
  int status = 0;
  while (sim->step < end && !status) {
    status = cairn_simulation_advance(sim, end - sim->step < every ? end - sim->step : every, error);
    if (!status && callback && callback(context, sim))
      status = cairn_error_set(error, CAIRN_STOPPED, "stopped at step %lld", (long long)sim->step);
  }
  return status;
}

/* The largest change of a velocity. */
static double replace(struct cairn_state *state, const double *velocity, const double *spin) {
  double most = 0.;
  for (int64_t i = 0; i < state->n; i++) {
    double change = 0.;
    if (state->captor[i] != 0)
      continue;
    for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
      const double before = state->velocity[k];
      state->velocity[k] = velocity ? velocity[k] : before;
      state->spin[k] = spin ? spin[k] : state->spin[k];
      change += (state->velocity[k] - before) * (state->velocity[k] - before);
    }
    most = fmax(most, change);
  }
  return sqrt(most);
}

int cairn_simulation_set_velocities(struct cairn_simulation *sim, const double *velocity, const double *spin,
                                    struct cairn_error *error) {
  if (!cairn_simulation_capture(sim, error))
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  for (int64_t i = 0; i < sim->state.n; i++)
    if ((velocity && !cairn_state_check_range(velocity + 3 * i, 3, CAIRN_STATE_MOST_RATE)) ||
        (spin && !cairn_state_check_range(spin + 3 * i, 3, CAIRN_STATE_MOST_RATE)))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "the new velocity of body %lld is no number that a run can have",
                             (long long)i);
  starpu_data_acquire(sim->state_handle, STARPU_RW);
  const double change = replace(&sim->state, velocity, spin);
  starpu_data_release(sim->state_handle);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_acquire(sim->cells.cell[c].handles->state, STARPU_RW);
    cairn_cells_set_velocities(sim->cells.cell + c, &sim->state);
    starpu_data_release(sim->cells.cell[c].handles->state);
  }
  sim->speed = cairn_simulation_speed(sim); /* as a run that is resumed here */
  sim->summary.speed2 = sim->speed * sim->speed;
  if (sim->method->accelerated)
    sim->method->accelerated(sim, change);
  return 0;
}
