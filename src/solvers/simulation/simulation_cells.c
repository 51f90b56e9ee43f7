/* Bodies partitioned into cells, and captured from them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/simulation/simulation_parts.h"

double cairn_simulation_speed(const struct cairn_simulation *sim) {
  const struct cairn_state *state = &sim->state;
  const double h = sim->step_size;
  double most = 0.;
  for (int64_t i = 0; i < state->n; i++) {
    if (state->captor[i] < 0)
      continue;
    const double *v = state->velocity + 3 * i, *a = state->acceleration + 3 * i;
    const double x = v[0] + h * a[0], y = v[1] + h * a[1], z = v[2] + h * a[2];
    most = fmax(most, x * x + y * y + z * z);
  }
  return sqrt(most);
}

void cairn_simulation_drop(struct cairn_simulation *sim) {
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++)
    cairn_task_handles_unregister(&sim->cells, c);
  if (sim->world.scratch_handle)
    starpu_data_unregister(sim->world.scratch_handle);
  sim->world.scratch_handle = NULL;
  cairn_task_handles_free(&sim->cells);
  cairn_cells_fini(&sim->cells);
}

/* Build all cells by tasks; the token of a cell is written when it is done. */
static int build_cells(struct cairn_simulation *sim, struct cairn_error *error) {
  struct cairn_cells *cells = &sim->cells;
  int failed = 0, status = 0;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    starpu_void_data_register(&cells->cell[c].handles->token);
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++)
    failed = cairn_task_build_submit(cells, c, sim->state_handle, &status);
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    starpu_data_unregister(cells->cell[c].handles->token);
  cairn_cells_built(cells);
  if (failed || status)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the cells");
  return 0;
}

/* Bodies that were merged into others; each merging is one. */
static int64_t count_merged(const struct cairn_simulation *sim) {
  int64_t n = 0;
  for (int64_t i = 0; i < sim->state.n && sim->world.hard.merge; i++)
    n += -1 - sim->state.captor[i] >= sim->scenario->n_walls;
  return n;
}

int cairn_simulation_partition(struct cairn_simulation *sim, struct cairn_error *error) {
  cairn_sim_walls_restore(&sim->walls, &sim->state);
  cairn_sim_walls_partition(&sim->walls, &sim->world, &sim->state, sim->step, sim->step_size);
  double wall_speed;
  cairn_sim_walls_displacement(&sim->walls, sim->step, sim->step_size, &wall_speed);
  sim->speed = fmax(cairn_simulation_speed(sim), wall_speed);
  sim->displacement = 0.;
  sim->regrid_due = sim->is_expired = false;
  sim->outcome.unsolved = sim->state.n_unsolved; /* steps that are undone do not count */
  sim->outcome.dissipated = sim->state.dissipated_energy;
  sim->collided.collisions = sim->state.n_collisions;
  sim->collided.wall_collisions = sim->state.n_wall_collisions;
  sim->collided.slow = sim->state.n_slow_collisions;
  sim->collided.merges = count_merged(sim);
  sim->collided.virial = sim->state.collision_virial;
  sim->collided.dissipated = sim->state.dissipated_energy;
  const double skin = sim->method->skin(sim);
  int status = cairn_cells_partition(&sim->cells, &sim->state, &sim->rules, sim->cell_bodies, skin, error);
  if (status)
    return status;
  sim->method->reach(sim, skin, wall_speed);
  status = cairn_task_handles_create(&sim->cells) ? cairn_simulation_task_error(error) : build_cells(sim, error);
  if (status) {
    cairn_task_handles_free(&sim->cells);
    cairn_cells_fini(&sim->cells);
    return status;
  }
  const size_t entry = sizeof(struct cairn_hard_entry) / sizeof(double); /* the heap of all bodies */
  size_t most = sim->method->collides ? entry * (size_t)sim->cells.n + 1 : 1;
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    const struct cairn_cell_size size = sim->cells.cell[c].size;
    const size_t doubles = cairn_task_advance_scratch(size);
    most = doubles > most ? doubles : most;
    cairn_task_handles_register(&sim->cells, c);
  }
  starpu_vector_data_register(&sim->world.scratch_handle, -1, 0, (uint32_t)most, sizeof(double));
  sim->regrid_step = sim->step;
  return sim->method->partitioned ? sim->method->partitioned(sim, error) : 0;
}

void cairn_simulation_look_outside(struct cairn_simulation *sim) {
  const struct cairn_scenario *s = sim->scenario;
  sim->n_outside = 0;
  for (int64_t i = 0; i < sim->state.n && sim->is_outside; i++) {
    const double *x = sim->state.position + 3 * i;
    bool outside = false;
    for (int k = 0; k < 3 && sim->state.captor[i] >= 0; k++)
      outside |= !(x[k] >= s->world_lower[k] && x[k] <= s->world_upper[k]);
    sim->n_outside += outside;
    if (outside && !sim->is_outside[i]) {
      sim->escaped.body = sim->escaped.n == 0 ? (int32_t)i : sim->escaped.body;
      sim->escaped.n++;
    }
    sim->is_outside[i] |= outside;
  }
}

static void acquire_cells(struct cairn_simulation *sim) {
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_acquire(sim->cells.cell[c].handles->state, STARPU_R);
    starpu_data_acquire(sim->cells.cell[c].handles->history, STARPU_R);
    starpu_data_acquire(sim->cells.cell[c].handles->pair_list, STARPU_R);
  }
}

static void release_cells(struct cairn_simulation *sim) {
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_release(sim->cells.cell[c].handles->state);
    starpu_data_release(sim->cells.cell[c].handles->history);
    starpu_data_release(sim->cells.cell[c].handles->pair_list);
  }
}

bool cairn_simulation_has_fault(struct cairn_simulation *sim, char what[256]) {
  struct cairn_cells_fault fault = {CAIRN_CELLS_SOUND, -1, -1};
  const int32_t assembly = cairn_sim_walls_fault(&sim->walls);
  acquire_cells(sim);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++)
    cairn_cells_find_fault(&sim->cells, c, &fault);
  release_cells(sim);
  if (fault.kind == CAIRN_CELLS_BODY)
    snprintf(what, 256, "the position or a velocity of body %d", fault.body);
  else if (fault.kind == CAIRN_CELLS_CONTACT)
    snprintf(what, 256, "the contact history of body %d and body %d", fault.body, fault.other);
  else if (fault.kind == CAIRN_CELLS_WALL_CONTACT)
    snprintf(what, 256, "the contact history of body %d and the wall %.80s", fault.body,
             sim->scenario->walls[fault.other].name);
  else if (assembly >= 0)
    snprintf(what, 256, "the position or a velocity of the assembly %.80s", sim->scenario->assemblies[assembly].name);
  return fault.kind != CAIRN_CELLS_SOUND || assembly >= 0;
}

const struct cairn_state *cairn_simulation_capture(struct cairn_simulation *sim, struct cairn_error *error) {
  char what[256];
  if (sim->state.step == sim->step)
    return &sim->state;
  if (cairn_simulation_has_fault(sim, what)) { /* before the state of an earlier step is overwritten */
    cairn_simulation_retreat(sim, error);
    return NULL;
  }
  acquire_cells(sim);
  starpu_data_acquire(sim->state_handle, STARPU_RW); /* writers of files may still read the last one */
  const int status = cairn_cells_capture(&sim->cells, &sim->state, error);
  cairn_sim_walls_capture(&sim->walls, &sim->state);
  cairn_simulation_look_outside(sim);
  sim->state.skin = sim->is_expired ? 0. : sim->state.skin;
  sim->state.step = status ? -1 : sim->step;
  sim->state.time = cairn_simulation_time(sim);
  sim->state.n_unsolved = sim->outcome.unsolved;
  sim->state.dissipated_energy = sim->method->collides ? sim->collided.dissipated : sim->outcome.dissipated;
  sim->state.n_collisions = sim->collided.collisions;
  sim->state.n_wall_collisions = sim->collided.wall_collisions;
  sim->state.n_slow_collisions = sim->collided.slow;
  sim->state.collision_virial = sim->collided.virial;
  starpu_data_release(sim->state_handle);
  release_cells(sim);
  return status ? NULL : &sim->state;
}

int cairn_simulation_regrid(struct cairn_simulation *sim, struct cairn_error *error) {
  if (!cairn_simulation_capture(sim, error))
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  if (sim->is_expired) { /* the state may have been captured before this was known */
    starpu_data_acquire(sim->state_handle, STARPU_RW);
    sim->state.skin = 0.;
    starpu_data_release(sim->state_handle);
  }
  cairn_simulation_drop(sim);
  sim->n_regrids += sim->step > sim->regrid_step;
  return cairn_simulation_partition(sim, error);
}
