#include "tasks/handles.h"

#include <stdlib.h>

int cairn_task_handles_create(struct cairn_cells *cells) {
  if (cells->n_cells == 0) /* every body was removed */
    return 0;
  struct cairn_cell_handles *handles = calloc((size_t)cells->n_cells, sizeof *handles);
  for (cairn_cell_t c = 0; c < cells->n_cells && handles; c++)
    cells->cell[c].handles = handles + c;
  return handles ? 0 : -1;
}

void cairn_task_handles_free(struct cairn_cells *cells) {
  if (cells->n_cells > 0)
    free(cells->cell[0].handles);
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    cells->cell[c].handles = NULL;
}

static void vector(starpu_data_handle_t *handle, void *memory, size_t bytes) {
  /* one element of 8 bytes more than nothing: StarPU takes no empty vectors */
  starpu_vector_data_register(handle, STARPU_MAIN_RAM, (uintptr_t)memory, (uint32_t)((bytes > 0 ? bytes : 8) / 8), 8);
}

static void register_cd(struct cairn_cell *cell) {
  vector(&cell->handles->velocities, cell->velocities, cairn_cd_velocities(cell->size) * sizeof(double));
  vector(&cell->handles->groups, cell->groups, cairn_cd_offsets(cell->size).end);
  starpu_variable_data_register(&cell->handles->measure, STARPU_MAIN_RAM, (uintptr_t)&cell->measure,
                                sizeof cell->measure);
  if (cell->free_contacts)
    vector(&cell->handles->free_contacts, cell->free_contacts, cairn_cd_free_walls_bytes(cell->n_free_contacts));
}

void cairn_task_handles_register(struct cairn_cell *cell) {
  const size_t n = (size_t)cell->size.n, all = n + (size_t)cell->size.n_halo;
  vector(&cell->handles->state, cell->state, cairn_state_doubles(cell->size) * sizeof(double));
  vector(&cell->handles->predicted, cell->predicted, all * CAIRN_PREDICTED * sizeof(double));
  vector(&cell->handles->pair_list, cell->pair_list, cairn_pair_list_offsets(cell->size).end);
  vector(&cell->handles->history, cell->history, cairn_history_offsets(cell->size).end);
  cell->report = cairn_report_reset();
  starpu_variable_data_register(&cell->handles->report, STARPU_MAIN_RAM, (uintptr_t)&cell->report, sizeof cell->report);
  starpu_variable_data_register(&cell->handles->sums, STARPU_MAIN_RAM, (uintptr_t)&cell->sums, sizeof cell->sums);
  if (cell->groups)
    register_cd(cell);
}

void cairn_task_handles_unregister(struct cairn_cell *cell) {
  starpu_data_unregister(cell->handles->state);
  starpu_data_unregister(cell->handles->predicted);
  starpu_data_unregister(cell->handles->pair_list);
  starpu_data_unregister(cell->handles->history);
  starpu_data_unregister(cell->handles->report);
  starpu_data_unregister(cell->handles->sums);
  if (!cell->groups)
    return;
  starpu_data_unregister(cell->handles->velocities);
  starpu_data_unregister(cell->handles->groups);
  starpu_data_unregister(cell->handles->measure);
  if (cell->free_contacts)
    starpu_data_unregister(cell->handles->free_contacts);
}
