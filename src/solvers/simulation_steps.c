/* Steps in batches: submitted, awaited, judged, and undone where the list of pairs did not hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/number.h"
#include "solvers/simulation_parts.h"
#include "solvers/spin_up.h"

/* Tasks in flight between two looks at the reports: enough to hide the looks, few enough to keep StarPU's queues short.
 */
enum { TASKS_PER_BATCH = 4096, STEPS_PER_TASK = 20000 };

struct cairn_report cairn_simulation_reports(struct cairn_simulation *sim, int32_t n_steps, int32_t *bad_body) {
  struct cairn_report all = cairn_report_reset();
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    struct cairn_cell *cell = sim->cells.cell + c;
    starpu_data_acquire(cell->report_handle, STARPU_RW);
    const struct cairn_report report = cell->report;
    cell->report = cairn_report_reset();
    starpu_data_release(cell->report_handle);
    all.steps = report.steps > all.steps ? report.steps : all.steps;
    all.valid_steps = report.valid_steps < all.valid_steps ? report.valid_steps : all.valid_steps;
    all.dissipated += report.dissipated;
    all.way = fmax(all.way, report.way);
    all.speed = fmax(all.speed, report.speed);
    if (report.bad_steps < all.bad_steps) {
      all.bad_steps = report.bad_steps;
      *bad_body = cell->id[report.bad_body];
    }
    all.overlap_steps = report.overlap_steps > all.overlap_steps ? report.overlap_steps : all.overlap_steps;
    if (report.overlap > all.overlap) {
      all.overlap = report.overlap;
      all.overlap_a = cairn_cells_body(cell, report.overlap_a);
      all.overlap_b = report.overlap_b < 0 ? report.overlap_b : cairn_cells_body(cell, report.overlap_b);
    }
  }
  const struct cairn_report walls = sim->walls.report;
  if (sim->cells.n_cells == 0) /* every body was taken out */
    all.steps = n_steps;
  if (!sim->method->rigid) {
    all.valid_steps = walls.valid_steps < all.valid_steps ? walls.valid_steps : all.valid_steps;
    all.way = fmax(all.way, walls.way);
    all.speed = fmax(all.speed, walls.speed);
  }
  if (walls.bad_steps < all.bad_steps) {
    all.bad_steps = walls.bad_steps;
    *bad_body = -1 - walls.bad_body;
  }
  return all;
}

/* How many steps the list of pairs will hold, going by the largest speed; a wrong guess is found out and undone. */
static int64_t steps_to_go(const struct cairn_simulation *sim) {
  const double left = sim->world.reach - sim->way, *g = sim->scenario->gravity;
  const double speed = 1.2 * sim->speed * sim->step_size, fall = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  const double pull = fall * sim->step_size * sim->step_size; /* way n speed + n² pull / 2 */
  if (left <= 0.)
    return 0;
  const double n = pull > 0. ? (sqrt(speed * speed + 2. * pull * left) - speed) / pull : left / fmax(speed, 1e-300);
  return n < 1e9 ? (int64_t)n : (int64_t)1e9;
}

/* Go back to the captured state and do `n` steps from there that are known to hold. */
static int roll_back(struct cairn_simulation *sim, int64_t target, struct cairn_error *error) {
  cairn_simulation_drop(sim);
  sim->step = sim->state.step;
  sim->outcome.in_a_row = 0; /* the steps are counted again */
  int status = cairn_simulation_deal(sim, error);
  if (!status && target > sim->step)
    status = cairn_simulation_advance(sim, target - sim->step, error);
  return status;
}

static int gone_bad(struct cairn_simulation *sim, int64_t step, int32_t body, struct cairn_error *error) {
  const int status = roll_back(sim, step - 1, error);
  if (status)
    return status;
  if (body < 0)
    return cairn_error_set(
        error, CAIRN_ERR_NUMERIC,
        "step %lld (t = %.9g s): the assembly %.80s is no longer at a finite place; the state of the "
        "step before is kept. A smaller time.step may help",
        (long long)step, (double)step * sim->step_size, sim->scenario->assemblies[-1 - body].name);
  return cairn_error_set(error, CAIRN_ERR_NUMERIC,
                         "step %lld (t = %.9g s): body %d is no longer finite or moves farther than its radius in one "
                         "step; the state of the step before is kept. A smaller time.step may help; %.4g s is "
                         "recommended",
                         (long long)step, (double)step * sim->step_size, body, sim->recommended_step);
}

int cairn_simulation_retreat(struct cairn_simulation *sim, struct cairn_error *error) {
  const int64_t last = sim->step;
  char what[256] = "a number";
  if (sim->state.step < 0) {
    cairn_simulation_has_fault(sim, what);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "at the start %s is not finite or beyond all bounds", what);
  }
  int status = roll_back(sim, sim->state.step, error);
  bool found = false;
  while (!status && !found && sim->step < last) {
    status = cairn_simulation_advance(sim, 1, error);
    found = !status && cairn_simulation_has_fault(sim, what);
  }
  const int64_t step = sim->step;
  if (found)
    status = roll_back(sim, step - 1, error);
  if (status)
    return status;
  return cairn_error_set(
      error, CAIRN_ERR_NUMERIC,
      "step %lld (t = %.9g s): %s is no longer finite or is beyond all bounds; the state of the step "
      "before is kept. A smaller time.step may help",
      (long long)step, (double)step * sim->step_size, what);
}

static void note_overlaps(struct cairn_simulation *sim, const struct cairn_report *report) {
  sim->overlaps.steps += report->overlap_steps;
  if (report->overlap > sim->overlaps.overlap) {
    sim->overlaps.overlap = report->overlap;
    sim->overlaps.a = report->overlap_a;
    sim->overlaps.b = report->overlap_b;
  }
}

/* Have too many steps in a row ended before the solver did? */
static int check_patience(const struct cairn_simulation *sim, struct cairn_error *error) {
  const struct cairn_rigid_outcome *o = &sim->outcome;
  if (sim->scenario->solver_patience == 0 || o->in_a_row < sim->scenario->solver_patience)
    return 0;
  char residual[CAIRN_NUMBER_LENGTH], tolerance[CAIRN_NUMBER_LENGTH];
  cairn_number_apart(o->residual, sim->scenario->solver_tolerance, 3, residual, tolerance);
  return cairn_error_set(
      error, CAIRN_ERR_NUMERIC,
      "step %lld (t = %.9g s): the solver has missed its tolerance in %lld steps in a row (residual "
      "%s after %lld sweeps, solver.tolerance %s); the state of this step is kept. More "
      "solver.sweeps, a smaller time.step or a larger tolerance may help; solver.patience: 0 goes on "
      "all the same",
      (long long)sim->step, cairn_simulation_time(sim), (long long)o->in_a_row, residual, (long long)o->sweeps,
      tolerance);
}

/* One step of rigid bodies: nothing can go wrong that would have to be undone, except a body gone bad. */
static int rigid_step(struct cairn_simulation *sim, struct cairn_error *error) {
  sim->is_worn = cairn_simulation_is_worn(sim);
  if (sim->is_worn || cairn_simulation_walls_are_far(sim)) {
    const int status = cairn_simulation_regrid(sim, error);
    if (status)
      return status;
  }
  int32_t bad_body = -1;
  const struct cairn_rigid_outcome before = sim->outcome;
  cairn_sim_walls_predict(&sim->walls, &sim->world, sim->step, sim->step_size);
  if (sim->method->submit(&sim->cells, &sim->world, 1)) {
    const int status = roll_back(sim, sim->state.step, error);
    return status ? status : cairn_simulation_task_error(error);
  }
  cairn_sim_walls_accept(&sim->walls, &sim->world, 1, false);
  const struct cairn_report report = cairn_simulation_reports(sim, 1, &bad_body);
  if (report.bad_steps != CAIRN_NEVER)
    return gone_bad(sim, sim->step + 1, bad_body, error);
  sim->step++;
  sim->way = report.way;
  sim->speed = report.speed;
  sim->is_worn = report.valid_steps != CAIRN_NEVER;
  sim->outcome.dissipated += report.dissipated;
  note_overlaps(sim, &report);
  sim->outcome.in_a_row = sim->outcome.unsolved > before.unsolved ? before.in_a_row + 1 : 0;
  return check_patience(sim, error);
}

/* One batch: submit, wait, judge. */
static int batch(struct cairn_simulation *sim, int64_t most, struct cairn_error *error) {
  const bool alone = cairn_task_is_alone(&sim->cells, &sim->world); /* stops by itself where the list ends */
  const int64_t guess = steps_to_go(sim), since = sim->step - sim->regrid_step;
  if (sim->is_stale || (!alone && since > 0 && guess < 1 + since / 16)) {
    const int status = cairn_simulation_regrid(sim, error);
    return status ? status : batch(sim, most, error);
  }
  const int64_t room = TASKS_PER_BATCH / (2 * (int64_t)sim->cells.n_cells + 1);
  int64_t n = alone ? STEPS_PER_TASK : guess;
  if (!alone && n > (room > 4 ? room : 4))
    n = room > 4 ? room : 4;
  n = n < 1 ? 1 : n > most ? most : n;
  int32_t bad_body = -1;
  cairn_sim_walls_predict(&sim->walls, &sim->world, sim->step, sim->step_size);
  if (sim->method->submit(&sim->cells, &sim->world, (int32_t)n)) {
    /* some cells are ahead of others: back to a step they all share */
    const int status = roll_back(sim, sim->state.step, error);
    return status ? status : cairn_simulation_task_error(error);
  }
  cairn_sim_walls_accept(&sim->walls, &sim->world, (int32_t)n, alone);
  const struct cairn_report report = cairn_simulation_reports(sim, (int32_t)n, &bad_body);
  /* a body that went bad after the list ran out may have missed a partner: the rollback below finds out */
  if (report.bad_steps != CAIRN_NEVER && report.bad_steps <= report.valid_steps)
    return gone_bad(sim, sim->step + report.bad_steps, bad_body, error);
  if (report.valid_steps < report.steps) { /* pairs may have been missed after that step */
    const int status = roll_back(sim, sim->step + report.valid_steps, error);
    sim->is_stale = !status;
    return status;
  }
  sim->step += report.steps;
  sim->way = report.way;
  sim->speed = report.speed;
  note_overlaps(sim, &report);
  sim->is_stale = report.valid_steps != CAIRN_NEVER;
  return 0;
}

int cairn_simulation_refresh(struct cairn_simulation *sim, struct cairn_error *error) {
  const double lead = (sim->method->rigid ? 1. - sim->world.rigid.theta : 1.) * sim->world.h;
  const double before = starpu_timing_now();
  if (!cairn_simulation_capture(sim, error))
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  starpu_data_acquire(sim->state_handle, STARPU_RW);
  const int status = cairn_sim_gravity_refresh(&sim->gravity, &sim->state, lead, sim->step_size, error);
  starpu_data_release(sim->state_handle);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !status; c++) {
    starpu_data_acquire(sim->cells.cell[c].layout_handle, STARPU_RW);
    cairn_cells_pull(sim->cells.cell + c, &sim->state);
    starpu_data_release(sim->cells.cell[c].layout_handle);
  }
  sim->pull_seconds += 1e-6 * (starpu_timing_now() - before);
  return status;
}

int cairn_simulation_spin_up(struct cairn_simulation *sim, struct cairn_error *error) {
  double change;
  if (!cairn_simulation_capture(sim, error))
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  starpu_data_acquire(sim->state_handle, STARPU_RW);
  const int status = cairn_sim_spin_up_apply(sim->scenario, &sim->state, sim->step_size, &change, error);
  starpu_data_release(sim->state_handle);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && change >= 0. && !status; c++) {
    starpu_data_acquire(sim->cells.cell[c].state_handle, STARPU_RW);
    cairn_cells_kick(sim->cells.cell + c, &sim->state);
    starpu_data_release(sim->cells.cell[c].state_handle);
  }
  if (change < 0. || status)
    return status;
  sim->speed = cairn_simulation_speed(sim); /* as a run that is resumed here */
  if (!sim->method->rigid) {                /* the way to the coming step was that with the velocities before */
    sim->way += sim->step_size * change;
    sim->is_stale |= !(sim->way <= sim->world.reach);
  }
  return status;
}

/* Where a step is due for spin-up this is done on arrival, so that a state of that step has it, a checkpoint too. A
 * rollback never arrives there: it goes to a step before the end of a batch. */
int cairn_simulation_advance(struct cairn_simulation *sim, int64_t n_steps, struct cairn_error *error) {
  const bool pulls = sim->scenario->self_gravity;
  const int64_t most = (int64_t)CAIRN_MOST_STEPS - sim->step, end = sim->step + (n_steps < most ? n_steps : most);
  int status = 0;
  while (sim->step < end && !status) {
    if (pulls && sim->step >= sim->state.refresh_step)
      status = cairn_simulation_refresh(sim, error);
    const int64_t kick = cairn_spin_up_next(sim->scenario, sim->step, sim->step_size);
    int64_t next = pulls && sim->state.refresh_step < end ? sim->state.refresh_step : end;
    next = kick < next ? kick : next;
    if (!status)
      status = sim->method->rigid ? rigid_step(sim, error) : batch(sim, next - sim->step, error);
    if (!status && sim->step == kick)
      status = cairn_simulation_spin_up(sim, error);
  }
  return status;
}
