#include "tasks/tasks.h"

static void vector(starpu_data_handle_t *handle, void *memory, size_t bytes) {
  /* one element of 8 bytes more than nothing: StarPU takes no empty vectors */
  starpu_vector_data_register(handle, STARPU_MAIN_RAM, (uintptr_t)memory, (uint32_t)((bytes > 0 ? bytes : 8) / 8), 8);
}

static void register_rigid(struct cairn_cell *cell) {
  vector(&cell->lines_handle, cell->lines, cairn_rigid_lines(cell->size) * sizeof(double));
  vector(&cell->rigid_handle, cell->rigid, cairn_rigid_offsets(cell->size).end);
  starpu_variable_data_register(&cell->measure_handle, STARPU_MAIN_RAM, (uintptr_t)&cell->measure,
                                sizeof cell->measure);
  if (cell->touches)
    vector(&cell->touches_handle, cell->touches, cairn_rigid_touches_bytes(cell->n_touches));
}

void cairn_task_cell_register(struct cairn_cell *cell) {
  const size_t n = (size_t)cell->size.n, all = n + (size_t)cell->size.n_halo;
  vector(&cell->state_handle, cell->state, cairn_state_doubles(cell->size) * sizeof(double));
  vector(&cell->view_handle, cell->view, all * CAIRN_VIEW * sizeof(double));
  vector(&cell->layout_handle, cell->layout, cairn_layout_offsets(cell->size).end);
  vector(&cell->springs_handle, cell->springs, cairn_springs_offsets(cell->size).end);
  cell->report = cairn_report_reset();
  starpu_variable_data_register(&cell->report_handle, STARPU_MAIN_RAM, (uintptr_t)&cell->report, sizeof cell->report);
  starpu_variable_data_register(&cell->sums_handle, STARPU_MAIN_RAM, (uintptr_t)&cell->sums, sizeof cell->sums);
  if (cell->rigid)
    register_rigid(cell);
}

void cairn_task_cell_unregister(struct cairn_cell *cell) {
  starpu_data_unregister(cell->state_handle);
  starpu_data_unregister(cell->view_handle);
  starpu_data_unregister(cell->layout_handle);
  starpu_data_unregister(cell->springs_handle);
  starpu_data_unregister(cell->report_handle);
  starpu_data_unregister(cell->sums_handle);
  if (!cell->rigid)
    return;
  starpu_data_unregister(cell->lines_handle);
  starpu_data_unregister(cell->rigid_handle);
  starpu_data_unregister(cell->measure_handle);
  if (cell->touches)
    starpu_data_unregister(cell->touches_handle);
}
