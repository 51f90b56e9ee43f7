#include "solvers/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/aggregate.h"
#include "solvers/gravity.h"
#include "solvers/method.h"
#include "solvers/walls.h"

/* Tasks in flight between two looks at the reports: enough to hide the looks, few enough to keep StarPU's queues short.
 */
enum { TASKS_PER_BATCH = 4096, STEPS_PER_TASK = 20000 };

struct cairn_simulation {
  struct cairn_scenario *scenario;
  const struct cairn_method_table *method;
  struct cairn_state state; /* of the last capture: what the cells are dealt from, written from and rolled back to */
  starpu_data_handle_t state_handle;
  struct cairn_cells cells;
  struct cairn_cells_rules rules;
  int32_t *law, *wall_law;
  double *constants;
  struct cairn_task_world world;
  struct cairn_sim_walls walls;
  struct cairn_sim_gravity gravity;
  struct cairn_rigid_control control;
  struct cairn_rigid_outcome outcome; /* of the latest step of rigid bodies */
  int64_t step;
  double step_size;
  double mean_radius;
  int64_t regrid_step; /* when the cells were dealt last */
  int64_t n_regrids;
  double way, speed; /* largest of all cells and walls, at the last look (kernels/blocks.h); of rigid bodies alone */
  bool is_worn;      /* rigid bodies need new cells before the next step, whatever the skin says */
  struct cairn_overlaps overlaps;
  bool *is_outside;  /* [n] has been seen outside the world; NULL if the world has no bounds */
  int64_t n_outside; /* at the last capture */
  struct cairn_leavers leavers;
  bool is_stale; /* the list of pairs has run out: bodies are dealt anew before the next step, not before walls tell
                    what pushed them in the last one */
};

int64_t cairn_simulation_step(const struct cairn_simulation *sim) { return sim->step; }

double cairn_simulation_time(const struct cairn_simulation *sim) { return (double)sim->step * sim->step_size; }

double cairn_simulation_step_size(const struct cairn_simulation *sim) { return sim->step_size; }

int64_t cairn_simulation_n_steps(double time_end, double step_size) {
  return (int64_t)ceil(time_end / step_size * (1. - 1e-12));
}

int64_t cairn_simulation_n_cells(const struct cairn_simulation *sim) { return sim->cells.n_cells; }

int64_t cairn_simulation_n_regrids(const struct cairn_simulation *sim) { return sim->n_regrids; }

starpu_data_handle_t cairn_simulation_state_handle(const struct cairn_simulation *sim) { return sim->state_handle; }

struct cairn_overlaps cairn_simulation_overlaps(struct cairn_simulation *sim) {
  const struct cairn_overlaps overlaps = sim->overlaps;
  sim->overlaps = (struct cairn_overlaps){.a = -1, .b = -1};
  return overlaps;
}

struct cairn_leavers cairn_simulation_leavers(struct cairn_simulation *sim) {
  const struct cairn_leavers leavers = sim->leavers;
  sim->leavers = (struct cairn_leavers){.body = -1};
  return leavers;
}

static int task_error(struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "StarPU refused a task, or out of memory");
}

/* ---- dealing bodies to cells ---- */

/* How far from its reference a rigid body that got `way` far counts in the coming step: contacts are looked for after
 * (1 - θ) h, gaps may close twice as fast as they do. A list of pairs with this as half of its skin misses none. */
static double rigid_reach(const struct cairn_simulation *sim, double way, double speed) {
  const struct cairn_rigid_step *step = &sim->world.rigid;
  return way + (3. - step->theta) * sim->step_size * speed + 0.5 * (step->alert + sim->world.range);
}

/* The skin that balances the cost of dealing anew, worth about ten steps, against that of pairs that do not touch,
 * which grow with the skin (docs/decisions/0004). The fastest body must not cross half of it in a few steps. */
static double choose_skin(const struct cairn_simulation *sim) {
  const double way = sim->speed * sim->step_size, r = sim->mean_radius;
  if (sim->method->rigid) /* as below, and what the first step needs */
    return fmin(fmax(sqrt(11. * way * r), 0.1 * r), 0.7 * r) + 2. * rigid_reach(sim, 0., sim->speed);
  if (sim->scenario->cells_skin > 0.)
    return fmax(sim->scenario->cells_skin, 8. * way);
  return fmax(fmin(fmax(sqrt(11. * way * r), 0.01 * r), 0.7 * r), 8. * way);
}

/* Largest speed at the coming step, from the captured state. */
static double predicted_speed(const struct cairn_state *state, double h) {
  double most = 0.;
  for (int64_t i = 0; i < state->n; i++) {
    if (state->fate[i] < 0)
      continue;
    const double *v = state->velocity + 3 * i, *a = state->acceleration + 3 * i;
    const double x = v[0] + h * a[0], y = v[1] + h * a[1], z = v[2] + h * a[2];
    most = fmax(most, x * x + y * y + z * z);
  }
  return sqrt(most);
}

static void drop_cells(struct cairn_simulation *sim) {
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++)
    cairn_task_cell_unregister(sim->cells.cell + c);
  if (sim->world.scratch_handle)
    starpu_data_unregister(sim->world.scratch_handle);
  sim->world.scratch_handle = NULL;
  cairn_cells_fini(&sim->cells);
}

/* Build all cells by tasks; the token of a cell tells when it is done. */
static int build_cells(struct cairn_simulation *sim, struct cairn_error *error) {
  struct cairn_cells *cells = &sim->cells;
  int failed = 0, status = 0;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    starpu_void_data_register(&cells->cell[c].token_handle);
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++)
    failed = cairn_task_build_submit(cells, c, sim->state_handle, &status);
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    starpu_data_unregister(cells->cell[c].token_handle);
  cairn_cells_built(cells);
  if (failed || status)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the cells");
  return 0;
}

static void make_reference(struct cairn_state *state) {
  memcpy(state->reference, state->position, 3 * (size_t)state->n * sizeof(double));
}

/* How far the bodies are from their reference. */
static double largest_way(const struct cairn_state *state) {
  double most = 0.;
  for (int64_t i = 0; i < state->n; i++) {
    double way = 0.;
    for (int k = 0; k < 3 && state->fate[i] >= 0; k++) {
      const double d = state->position[3 * i + k] - state->reference[3 * i + k];
      way += d * d;
    }
    most = fmax(most, way);
  }
  return sqrt(most);
}

/* The skin of new cells. The result of a step of rigid bodies depends on the cells, because contacts are solved cell by
 * cell. So the state says by which positions they were made, and the same cells are made again when a run is resumed or
 * when only walls have moved too far. */
static double skin_of(struct cairn_simulation *sim) {
  struct cairn_state *state = &sim->state;
  if (!sim->method->rigid)
    return choose_skin(sim);
  if (state->skin == 0.) {
    make_reference(state);
    state->skin = choose_skin(sim);
  }
  sim->speed = predicted_speed(state, sim->step_size);
  sim->way = largest_way(state);
  return state->skin;
}

/* Deal the bodies of the captured state to new cells. */
static int deal(struct cairn_simulation *sim, struct cairn_error *error) {
  cairn_sim_walls_restore(&sim->walls, &sim->state);
  cairn_sim_walls_deal(&sim->walls, &sim->world, &sim->state, sim->step, sim->step_size);
  double wall_speed;
  cairn_sim_walls_way(&sim->walls, sim->step, sim->step_size, &wall_speed);
  sim->speed = fmax(predicted_speed(&sim->state, sim->step_size), wall_speed);
  sim->way = 0.;
  sim->is_stale = sim->is_worn = false;
  sim->outcome.unsolved = sim->state.n_unsolved; /* steps that are undone do not count */
  sim->outcome.dissipated = sim->state.dissipated_energy;
  const double skin = skin_of(sim);
  int status = cairn_cells_cut(&sim->cells, &sim->state, &sim->rules, sim->scenario->cells_bodies, skin, error);
  if (status)
    return status;
  sim->world.reach = sim->world.set.reach = 0.5 * skin;
  if (sim->method->rigid) {
    sim->world.set.reach = fmax(0.5 * skin, rigid_reach(sim, 8. * sim->step_size * wall_speed, wall_speed));
    sim->cells.wall_skin = sim->world.reach + sim->world.set.reach;
  }
  status = build_cells(sim, error);
  if (status) {
    cairn_cells_fini(&sim->cells);
    return status;
  }
  size_t most = 1;
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    const struct cairn_cell_size size = sim->cells.cell[c].size;
    const size_t doubles = cairn_task_advance_scratch(size);
    most = doubles > most ? doubles : most;
    cairn_task_cell_register(sim->cells.cell + c);
  }
  starpu_vector_data_register(&sim->world.scratch_handle, -1, 0, (uint32_t)most, sizeof(double));
  sim->regrid_step = sim->step;
  return sim->method->rigid ? 0 : cairn_sim_walls_dealt(&sim->walls, &sim->world, &sim->cells, error);
}

/* Who has left the world, or come back, since the last capture. */
static void look_outside(struct cairn_simulation *sim) {
  const struct cairn_scenario *s = sim->scenario;
  sim->n_outside = 0;
  for (int64_t i = 0; i < sim->state.n && sim->is_outside; i++) {
    const double *x = sim->state.position + 3 * i;
    bool outside = false;
    for (int k = 0; k < 3 && sim->state.fate[i] >= 0; k++)
      outside |= !(x[k] >= s->world_lower[k] && x[k] <= s->world_upper[k]);
    sim->n_outside += outside;
    if (outside && !sim->is_outside[i]) {
      sim->leavers.body = sim->leavers.n == 0 ? (int32_t)i : sim->leavers.body;
      sim->leavers.n++;
    }
    sim->is_outside[i] |= outside;
  }
}

const struct cairn_state *cairn_simulation_capture(struct cairn_simulation *sim, struct cairn_error *error) {
  if (sim->state.step == sim->step)
    return &sim->state;
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_acquire(sim->cells.cell[c].state_handle, STARPU_R);
    starpu_data_acquire(sim->cells.cell[c].springs_handle, STARPU_R);
    starpu_data_acquire(sim->cells.cell[c].layout_handle, STARPU_R);
  }
  starpu_data_acquire(sim->state_handle, STARPU_RW); /* writers of files may still read the last one */
  const int status = cairn_cells_capture(&sim->cells, &sim->state, error);
  cairn_sim_walls_capture(&sim->walls, &sim->state);
  look_outside(sim);
  sim->state.skin = sim->is_worn ? 0. : sim->state.skin;
  sim->state.step = status ? -1 : sim->step;
  sim->state.time = cairn_simulation_time(sim);
  sim->state.n_unsolved = sim->outcome.unsolved;
  sim->state.dissipated_energy = sim->outcome.dissipated;
  starpu_data_release(sim->state_handle);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_release(sim->cells.cell[c].state_handle);
    starpu_data_release(sim->cells.cell[c].springs_handle);
    starpu_data_release(sim->cells.cell[c].layout_handle);
  }
  return status ? NULL : &sim->state;
}

/* Does the list of pairs of rigid bodies no longer hold for the coming step? Then new cells are made. */
static bool is_worn(const struct cairn_simulation *sim) {
  return sim->is_worn || rigid_reach(sim, sim->way, sim->speed) > sim->world.reach;
}

/* The same for walls that have moved since the list was made, or begin to: the same cells are made again. */
static bool walls_are_far(const struct cairn_simulation *sim) {
  double speed = 0.;
  const double way = sim->world.moving ? cairn_sim_walls_way(&sim->walls, sim->step, sim->step_size, &speed) : 0.;
  return sim->world.moving && rigid_reach(sim, way, speed) > sim->world.set.reach;
}

static int regrid(struct cairn_simulation *sim, struct cairn_error *error) {
  if (!cairn_simulation_capture(sim, error))
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  if (sim->is_worn) { /* the state may have been captured before this was known */
    starpu_data_acquire(sim->state_handle, STARPU_RW);
    sim->state.skin = 0.;
    starpu_data_release(sim->state_handle);
  }
  drop_cells(sim);
  sim->n_regrids += sim->step > sim->regrid_step;
  return deal(sim, error);
}

/* ---- steps ---- */

/* The reports of all cells and of the walls since the last look, in the order of cells. Overlaps are kept by id; a bad
 * body -1 - a is the assembly a. */
static struct cairn_report collect_reports(struct cairn_simulation *sim, int32_t n_steps, int32_t *bad_body) {
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
  drop_cells(sim);
  sim->step = sim->state.step;
  sim->outcome.in_a_row = 0; /* the steps are counted again */
  int status = deal(sim, error);
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
                         "step; the state of the step before is kept. A smaller time.step%s may help",
                         (long long)step, (double)step * sim->step_size, body,
                         sim->method->rigid ? "" : " or a larger stiffness");
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
  return cairn_error_set(
      error, CAIRN_ERR_NUMERIC,
      "step %lld (t = %.9g s): the solver has missed its tolerance in %lld steps in a row (residual "
      "%.3g after %lld sweeps, solver.tolerance %.3g); the state of this step is kept. More "
      "solver.sweeps, a smaller time.step or a larger tolerance may help; solver.patience: 0 goes on "
      "all the same",
      (long long)sim->step, cairn_simulation_time(sim), (long long)o->in_a_row, o->residual, (long long)o->sweeps,
      sim->scenario->solver_tolerance);
}

/* One step of rigid bodies: nothing can go wrong that would have to be undone, except a body gone bad. */
static int rigid_step(struct cairn_simulation *sim, struct cairn_error *error) {
  sim->is_worn = is_worn(sim);
  if (sim->is_worn || walls_are_far(sim)) {
    const int status = regrid(sim, error);
    if (status)
      return status;
  }
  int32_t bad_body = -1;
  const struct cairn_rigid_outcome before = sim->outcome;
  cairn_sim_walls_predict(&sim->walls, &sim->world, sim->step, sim->step_size);
  if (sim->method->submit(&sim->cells, &sim->world, 1)) {
    const int status = roll_back(sim, sim->state.step, error);
    return status ? status : task_error(error);
  }
  cairn_sim_walls_accept(&sim->walls, &sim->world, 1, false);
  const struct cairn_report report = collect_reports(sim, 1, &bad_body);
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
    const int status = regrid(sim, error);
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
    return status ? status : task_error(error);
  }
  cairn_sim_walls_accept(&sim->walls, &sim->world, (int32_t)n, alone);
  const struct cairn_report report = collect_reports(sim, (int32_t)n, &bad_body);
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

/* Find self-gravity anew and tell it to the cells. */
static int refresh_gravity(struct cairn_simulation *sim, struct cairn_error *error) {
  const double lead = (sim->method->rigid ? 1. - sim->world.rigid.theta : 1.) * sim->step_size;
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
  return status;
}

int cairn_simulation_advance(struct cairn_simulation *sim, int64_t n_steps, struct cairn_error *error) {
  const bool pulls = sim->scenario->self_gravity;
  const int64_t end = sim->step + n_steps;
  int status = 0;
  while (sim->step < end && !status) {
    if (pulls && sim->step >= sim->state.refresh_step)
      status = refresh_gravity(sim, error);
    const int64_t next = pulls && sim->state.refresh_step < end ? sim->state.refresh_step : end;
    if (!status)
      status = sim->method->rigid ? rigid_step(sim, error) : batch(sim, next - sim->step, error);
  }
  return status;
}

/* ---- observing ---- */

int cairn_simulation_glance(struct cairn_simulation *sim, struct cairn_observables *out, struct cairn_error *error) {
  struct cairn_sums sums = {0};
  int failed = 0;
  if (sim->is_outside && !cairn_simulation_capture(sim, error)) /* counts who is outside */
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  cairn_sim_walls_predict(&sim->walls, &sim->world, sim->step, 0.);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !failed; c++)
    failed = cairn_task_gather_submit(&sim->cells, c, 0.);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !failed; c++)
    failed = cairn_task_observe_submit(sim->cells.cell + c, &sim->world);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !failed; c++) {
    starpu_data_acquire(sim->cells.cell[c].sums_handle, STARPU_R);
    cairn_kernel_soft_spheres_add(&sums, &sim->cells.cell[c].sums);
    starpu_data_release(sim->cells.cell[c].sums_handle);
  }
  if (failed)
    return task_error(error);
  *out = (struct cairn_observables){
      .time = cairn_simulation_time(sim),
      .step = (double)sim->step,
      .step_size = sim->step_size,
      .kinetic_energy = sums.kinetic,
      .rotational_energy = sums.rotational,
      .potential_energy = sums.potential,
      .elastic_energy = sums.elastic,
      .dissipated_energy = sim->method->rigid ? sim->outcome.dissipated : (double)NAN,
      .total_mass = sums.mass,
      .n_contacts = sums.n_contacts,
      .n_wall_contacts = sums.n_wall_contacts,
      .coordination = sums.n_bodies > 0. ? 2. * sums.n_contacts / sums.n_bodies : 0.,
      .solver_contacts = sim->outcome.contacts,
      .solver_sweeps = (double)sim->outcome.sweeps,
      .solver_residual = sim->outcome.residual,
      .n_refreshes = (double)sim->state.n_refreshes,
      .n_unsolved = (double)sim->outcome.unsolved,
      .n_bodies = sums.n_bodies,
      .n_held = sums.n_held,
      .n_absorbed = (double)sim->cells.n - sums.n_bodies,
      .n_outside = (double)sim->n_outside,
      .max_overlap = sums.max_overlap,
      .max_speed = sqrt(sums.max_speed2),
  };
  for (int k = 0; k < 3; k++) {
    out->momentum[k] = sums.momentum[k];
    out->angular_momentum[k] = sums.angular_momentum[k];
    out->center_of_mass[k] = sums.mass > 0. ? sums.mass_moment[k] / sums.mass : 0.;
  }
  return 0;
}

int cairn_simulation_observe(struct cairn_simulation *sim, struct cairn_observables *out, struct cairn_error *error) {
  const struct cairn_state *state = cairn_simulation_capture(sim, error);
  if (!state)
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  int status = cairn_simulation_glance(sim, out, error);
  if (!status)
    status = cairn_aggregate_observe(state, sim->scenario, out, error);
  if (!status && sim->scenario->self_gravity) {
    double energy;
    status = cairn_sim_gravity_energy(&sim->gravity, state, &energy, error);
    out->potential_energy += energy;
  }
  return status;
}

int cairn_simulation_observe_walls(struct cairn_simulation *sim, struct cairn_wall_sample *samples,
                                   struct cairn_error *error) {
  const struct cairn_state *state = sim->world.fates ? cairn_simulation_capture(sim, error) : NULL;
  if (sim->world.fates && !state)
    return CAIRN_ERR_NUMERIC;
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_acquire(sim->cells.cell[c].springs_handle, STARPU_R);
    starpu_data_acquire(sim->cells.cell[c].layout_handle, STARPU_R);
  }
  cairn_sim_walls_observe(&sim->walls, &sim->cells, state, cairn_simulation_time(sim), samples);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_release(sim->cells.cell[c].springs_handle);
    starpu_data_release(sim->cells.cell[c].layout_handle);
  }
  return 0;
}

/* ---- beginning and end ---- */

/* Tables that the cells and the kernels need of the scenario. */
static int make_rules(struct cairn_simulation *sim, struct cairn_error *error) {
  const struct cairn_scenario *s = sim->scenario;
  const size_t n_materials = (size_t)s->n_materials;
  size_t n_doubles = 0;
  sim->law = malloc(n_materials * n_materials * sizeof *sim->law);
  sim->wall_law = malloc((size_t)s->n_walls * n_materials * sizeof *sim->wall_law + 1);
  if (!sim->law || !sim->wall_law)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  int status = sim->method->constants(s, &sim->world, sim->law, sim->wall_law, &sim->constants, &n_doubles, error);
  if (status)
    return status;
  sim->world.control = &sim->control;
  sim->world.outcome = &sim->outcome;
  starpu_variable_data_register(&sim->world.control_handle, STARPU_MAIN_RAM, (uintptr_t)&sim->control,
                                sizeof sim->control);
  starpu_vector_data_register(&sim->world.world_handle, STARPU_MAIN_RAM, (uintptr_t)sim->constants, (uint32_t)n_doubles,
                              sizeof(double));
  status = cairn_sim_walls_init(&sim->walls, s, &sim->world, error);
  if (status)
    return status;
  sim->rules = (struct cairn_cells_rules){
      .n_materials = s->n_materials,
      .law = sim->law,
      .n_walls = s->n_walls,
      .n_laws = sim->world.n_laws,
      .world = sim->constants,
      .assemblies = sim->walls.reference,
      .wall_law = sim->wall_law,
      .wall_mass = sim->walls.wall_mass,
      .fates = sim->world.fates,
      .fields = s->self_gravity,
      .entries = cairn_task_on_devices(),
      .rigid = sim->method->rigid,
      .rotation = sim->world.rotation,
      .ways = s->solver == CAIRN_SOLVER_NNCG,
      .pushes = s->solver == CAIRN_SOLVER_APGD,
  };
  return 0;
}

/* Bodies that are outside the world already when a run is resumed have been reported before. */
static int guard_world(struct cairn_simulation *sim, bool resumed, struct cairn_error *error) {
  const struct cairn_scenario *s = sim->scenario;
  bool bounded = false;
  for (int k = 0; k < 3; k++)
    bounded |= isfinite(s->world_lower[k]) || isfinite(s->world_upper[k]);
  sim->leavers.body = -1;
  if (!bounded)
    return 0;
  sim->is_outside = calloc((size_t)sim->state.n + 1, sizeof *sim->is_outside);
  if (!sim->is_outside)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  look_outside(sim);
  if (resumed)
    sim->leavers = (struct cairn_leavers){.body = -1};
  return 0;
}

/* Accelerations at the start: a step of no length. */
static int first_forces(struct cairn_simulation *sim, struct cairn_error *error) {
  int32_t bad_body = -1;
  sim->world.h = 0.;
  cairn_sim_walls_predict(&sim->walls, &sim->world, sim->step, 0.);
  const int failed = sim->method->submit(&sim->cells, &sim->world, 1);
  cairn_sim_walls_accept(&sim->walls, &sim->world, 1, cairn_task_is_alone(&sim->cells, &sim->world));
  const struct cairn_report report = collect_reports(sim, 1, &bad_body);
  sim->world.h = sim->step_size;
  sim->state.step = -1; /* the captured state knows no accelerations yet */
  if (failed)
    return task_error(error);
  if (report.bad_steps != CAIRN_NEVER)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "the forces on %s %d are not finite at the start",
                           bad_body < 0 ? "assembly" : "body", bad_body < 0 ? -1 - bad_body : bad_body);
  sim->is_stale = true;
  return 0;
}

int cairn_simulation_create(struct cairn_scenario *scenario, const struct cairn_state *resume,
                            struct cairn_simulation **simulation, struct cairn_error *error) {
  struct cairn_plan plan;
  int status = cairn_simulation_plan(scenario, &plan, error);
  if (!status)
    status = cairn_state_check(resume ? resume : &scenario->initial, scenario->n_materials, scenario->n_walls,
                               resume ? scenario->n_assemblies : 0, error);
  if (status)
    return status;
  struct cairn_simulation *sim = calloc(1, sizeof *sim);
  if (!sim)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  sim->scenario = scenario;
  sim->method = cairn_method_of(scenario);
  sim->world.h = sim->step_size = scenario->time_step;
  sim->overlaps.a = sim->overlaps.b = -1;
  cairn_sim_gravity_init(&sim->gravity, scenario);
  starpu_variable_data_register(&sim->state_handle, STARPU_MAIN_RAM, (uintptr_t)&sim->state, sizeof sim->state);
  status = cairn_state_copy(&sim->state, resume ? resume : &scenario->initial, error);
  if (!status)
    status = make_rules(sim, error);
  if (!status && !resume)
    status = cairn_sim_walls_start(&sim->walls, &sim->state, error);
  if (!status)
    status = guard_world(sim, resume != NULL, error);
  if (!status) {
    sim->step = sim->state.step;
    for (int64_t i = 0; i < sim->state.n; i++)
      sim->mean_radius += sim->state.radius[i] / (double)sim->state.n;
    sim->world.rigid.alert = 0.02 * sim->mean_radius;
    status = deal(sim, error);
  }
  if (!status && !resume && scenario->self_gravity)
    status = refresh_gravity(sim, error);
  if (!status && !resume && !sim->method->rigid)
    status = first_forces(sim, error);
  sim->n_regrids = 0;
  if (status) {
    cairn_simulation_free(sim);
    return status;
  }
  *simulation = sim;
  return 0;
}

void cairn_simulation_free(struct cairn_simulation *sim) {
  if (!sim)
    return;
  drop_cells(sim);
  starpu_data_unregister(sim->state_handle);
  if (sim->world.world_handle)
    starpu_data_unregister(sim->world.world_handle);
  if (sim->world.control_handle)
    starpu_data_unregister(sim->world.control_handle);
  cairn_sim_walls_fini(&sim->walls, &sim->world);
  cairn_sim_gravity_fini(&sim->gravity);
  cairn_state_fini(&sim->state);
  free(sim->is_outside);
  free(sim->law);
  free(sim->wall_law);
  free(sim->constants);
  free(sim);
}
