/* Steps in batches: submitted, awaited, checked, and rolled back where the neighbour list expired. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/number.h"
#include "solvers/simulation/simulation_parts.h"
#include "solvers/simulation/spin_up.h"
#include "tasks/ranks/links.h"

/* A report whose bodies are ids. */
struct numbered_report {
  struct cairn_report report;
  int32_t bad_body;
  struct cairn_sim_balance_load load;
};

static void join_reports(void *to, const void *from) {
  struct numbered_report *all = to;
  const struct numbered_report *more = from;
  struct cairn_report *r = &all->report;
  cairn_sim_balance_join(&all->load, &more->load);
  r->steps = more->report.steps > r->steps ? more->report.steps : r->steps;
  r->valid_steps = more->report.valid_steps < r->valid_steps ? more->report.valid_steps : r->valid_steps;
  r->dissipated += more->report.dissipated;
  r->displacement = fmax(r->displacement, more->report.displacement);
  r->speed = fmax(r->speed, more->report.speed);
  r->breaks += more->report.breaks;
  r->bond_gap = fmax(r->bond_gap, more->report.bond_gap);
  if (more->report.bad_steps < r->bad_steps) {
    r->bad_steps = more->report.bad_steps;
    all->bad_body = more->bad_body;
  }
  r->overlap_steps = more->report.overlap_steps > r->overlap_steps ? more->report.overlap_steps : r->overlap_steps;
  if (more->report.overlap > r->overlap) {
    r->overlap = more->report.overlap;
    r->overlap_a = more->report.overlap_a;
    r->overlap_b = more->report.overlap_b;
  }
}

/* Energy that the contacts of contact dynamics took, over all ranks: a sum in the order of cells, from those of the
 * cells of this rank. */
static double sum_dissipated(const struct cairn_simulation *sim, double *each) {
  double sum = 0.;
  cairn_ranks_share(each, sim->cells.links->first, 1);
  for (cairn_cell_t c = 0; c < sim->n_cells; c++)
    sum += each[sim->cells.links->place[c]];
  return sum;
}

struct cairn_report cairn_simulation_reports(struct cairn_simulation *sim, int32_t n_steps, int32_t *bad_body) {
  struct numbered_report all = {cairn_report_reset(), *bad_body, {0}};
  const bool solves = sim->method->solves && sim->cells.links;
  double *dissipated = solves ? calloc((size_t)sim->n_cells + 1, sizeof *dissipated) : NULL;
  if (solves && !dissipated)
    cairn_ranks_out_of_memory("the reports of the cells");
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    struct cairn_cell *cell = sim->cells.cell + c;
    starpu_data_acquire(cell->handles->report, STARPU_RW);
    struct numbered_report one = {cell->report, -1, {0}};
    struct cairn_report *r = &one.report;
    cell->report = cairn_report_reset();
    starpu_data_release(cell->handles->report);
    one.bad_body = r->bad_steps != CAIRN_NEVER ? cell->id[r->bad_body] : -1;
    r->overlap_a = r->overlap > 0. ? cairn_cells_body(cell, r->overlap_a) : 0;
    r->overlap_b = r->overlap > 0. && r->overlap_b >= 0 ? cairn_cells_body(cell, r->overlap_b) : r->overlap_b;
    join_reports(&all, &one);
    if (dissipated)
      dissipated[sim->cells.first + c] = r->dissipated;
  }
  const struct cairn_report walls = sim->walls.report;
  if (sim->cells.n_cells == 0) /* every body was removed, or is on another rank */
    all.report.steps = n_steps;
  all.load = cairn_sim_balance_load(&sim->balance, &sim->cells);
  cairn_ranks_join(&all, sizeof all, join_reports);
  cairn_sim_balance_note(&sim->balance, &sim->cells, all.report.steps, &all.load);
  if (dissipated)
    all.report.dissipated = sum_dissipated(sim, dissipated);
  free(dissipated);
  if (walls.bad_steps < all.report.bad_steps) {
    all.report.bad_steps = walls.bad_steps;
    all.bad_body = -1 - walls.bad_body;
  }
  *bad_body = all.bad_body;
  return all.report;
}

int cairn_simulation_roll_back(struct cairn_simulation *sim, int64_t target, struct cairn_error *error) {
  sim->step = sim->kept.step;
  sim->outcome.in_a_row = 0; /* the steps are counted again */
  int status = cairn_simulation_partition(sim, error);
  if (!status && target > sim->step)
    status = cairn_simulation_advance(sim, target - sim->step, error);
  return status;
}

int cairn_simulation_gone_bad(struct cairn_simulation *sim, int64_t step, int32_t body, struct cairn_error *error) {
  const int status = cairn_simulation_roll_back(sim, step - 1, error);
  if (status)
    return status;
  if (body < 0)
    return cairn_error_set(
        error, CAIRN_ERR_NUMERIC,
        "step %lld (t = %.9g s): the assembly %.80s no longer has a finite position; the state of the "
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
  if (sim->kept.step < 0) {
    cairn_simulation_has_fault(sim, what);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "at the start %s is not finite or beyond all bounds", what);
  }
  int status = cairn_simulation_roll_back(sim, sim->kept.step, error);
  bool found = false;
  while (!status && !found && sim->step < last) {
    status = cairn_simulation_advance(sim, 1, error);
    found = !status && cairn_simulation_has_fault(sim, what);
  }
  const int64_t step = sim->step;
  if (found)
    status = cairn_simulation_roll_back(sim, step - 1, error);
  if (status)
    return status;
  return cairn_error_set(
      error, CAIRN_ERR_NUMERIC,
      "step %lld (t = %.9g s): %s is no longer finite or is beyond all bounds; the state of the step "
      "before is kept. A smaller time.step may help",
      (long long)step, (double)step * sim->step_size, what);
}

void cairn_simulation_note_overlaps(struct cairn_simulation *sim, const struct cairn_report *report) {
  sim->overlaps.steps += report->overlap_steps;
  if (report->overlap > sim->overlaps.overlap) {
    sim->overlaps.overlap = report->overlap;
    sim->overlaps.a = report->overlap_a;
    sim->overlaps.b = report->overlap_b;
  }
}

/* Gravity of the bodies in their cells and packets, and in a state of this step if there is one. */
static int store_gravity(struct cairn_simulation *sim, int64_t hold, struct cairn_error *error) {
  const double *total = sim->gravity.total;
  const int status = cairn_sim_gravity_store(&sim->gravity, &sim->cells, error);
  if (status)
    return status;
  starpu_data_acquire(sim->state_handle, STARPU_RW); /* files may still be written from it */
  if (sim->state.step == sim->step && cairn_ranks_n() > 1)
    sim->state.step = -1; /* it is captured again if it is asked for */
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && sim->state.step == sim->step; c++) {
    const struct cairn_cell *cell = sim->cells.cell + c;
    for (int32_t i = 0; i < cell->size.n; i++, total += 3)
      memcpy(sim->state.gravity + 3 * (int64_t)cell->id[i], total, 3 * sizeof *total);
  }
  sim->state.refresh_step = sim->step + hold;
  sim->state.n_refreshes++;
  starpu_data_release(sim->state_handle);
  return 0;
}

int cairn_simulation_refresh(struct cairn_simulation *sim, struct cairn_error *error) {
  const double before = starpu_timing_now();
  const struct cairn_sim_gravity_moment moment = {.step = sim->step,
                                                  .is_first = sim->state.n_refreshes == 0,
                                                  .lead = sim->world.detection_point * sim->world.h,
                                                  .h = sim->step_size};
  struct cairn_sim_gravity_bodies bodies = {0};
  int64_t hold = 1;
  int status = cairn_simulation_snapshot(sim, error);
  if (status)
    return status;
  struct cairn_packet **packet = cairn_simulation_packets(sim, &bodies.n);
  bodies.packet = packet;
  status = packet ? cairn_sim_gravity_refresh(&sim->gravity, &bodies, &moment, &hold, error)
                  : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  free(packet);
  status = status ? status : store_gravity(sim, hold, error);
  sim->gravity_seconds += 1e-6 * (starpu_timing_now() - before);
  return status;
}

int cairn_simulation_spin_up(struct cairn_simulation *sim, struct cairn_error *error) {
  double change = -1.;
  const int status = cairn_sim_spin_up_apply(sim, &change, error);
  if (change < 0. || status)
    return status;
  sim->speed = cairn_simulation_speed(sim); /* as a run that is resumed here */
  sim->summary.speed2 = sim->speed * sim->speed;
  if (sim->method->accelerated)
    sim->method->accelerated(sim, change);
  return status;
}

/* Where a step is due for spin-up this is done on arrival, so that a state of that step has it, a checkpoint too. A
 * rollback never arrives there: it goes to a step before the end of a batch. */
int cairn_simulation_advance(struct cairn_simulation *sim, int64_t n_steps, struct cairn_error *error) {
  const bool attracts = sim->scenario->self_gravity;
  const int64_t most = (int64_t)CAIRN_MOST_STEPS - sim->step, end = sim->step + (n_steps < most ? n_steps : most);
  int status = 0;
  while (sim->step < end && !status) {
    if (sim->balance.is_due)
      status = cairn_simulation_regrid(sim, error);
    if (!status && attracts && sim->step >= sim->state.refresh_step)
      status = cairn_simulation_refresh(sim, error);
    const int64_t kick = cairn_spin_up_next(sim->scenario, sim->step, sim->step_size);
    int64_t next = attracts && sim->state.refresh_step < end ? sim->state.refresh_step : end;
    next = kick < next ? kick : next;
    if (!status)
      status = sim->method->advance(sim, next - sim->step, error);
    if (!status && sim->step == kick)
      status = cairn_simulation_spin_up(sim, error);
  }
  return status;
}
