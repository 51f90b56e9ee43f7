#include "tasks/handles.h"

#include <stdlib.h>

#include "cairn/ranks.h"
#include "tasks/tasks.h"

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

/* The handle of a block. */
static starpu_data_handle_t *handle_of(const struct cairn_cell *cell, enum cairn_cell_block_kind kind) {
#define HANDLE(name) [CAIRN_CELL_BLOCK_##name] = offsetof(struct cairn_cell_handles, name),
  static const size_t member[CAIRN_CELL_N_BLOCKS] = {CAIRN_CELL_BLOCKS(HANDLE)};
#undef HANDLE
  return (starpu_data_handle_t *)(void *)((char *)cell->handles + member[kind]);
}

static void register_result(starpu_data_handle_t *handle, void *result, size_t bytes) {
  starpu_variable_data_register(handle, STARPU_MAIN_RAM, (uintptr_t)result, bytes);
}

void cairn_task_handles_open(struct cairn_cells *cells, cairn_cell_t c) {
  struct cairn_cell *cell = cells->cell + c;
  register_result(&cell->handles->packet, &cell->packet, sizeof(struct cairn_packet *));
  register_result(&cell->handles->size, &cell->size, sizeof cell->size);
}

static starpu_data_handle_t packet_of(const void *cell, int32_t c) {
  return ((const struct cairn_cell *)cell)[c].handles->packet;
}

static starpu_data_handle_t size_of(const void *cell, int32_t c) {
  return ((const struct cairn_cell *)cell)[c].handles->size;
}

void cairn_task_handles_wait(const struct cairn_cells *cells, cairn_cell_t from, cairn_cell_t to) {
  cairn_task_wait(to - from, packet_of, cells->cell + from);
}

void cairn_task_handles_built(const struct cairn_cells *cells, cairn_cell_t from, cairn_cell_t to) {
  cairn_task_wait(to - from, size_of, cells->cell + from);
}

void cairn_task_handles_close(struct cairn_cells *cells, cairn_cell_t c) {
  struct cairn_cell_handles *handles = cells->cell[c].handles;
  if (handles->size)
    starpu_data_unregister(handles->size);
  if (handles->packet)
    starpu_data_unregister(handles->packet);
  handles->size = handles->packet = NULL;
}

void cairn_task_handles_register(struct cairn_cells *cells, cairn_cell_t c) {
  struct cairn_cell *cell = cells->cell + c;
  const struct cairn_cell_block *block;
  for (int k = 0; (block = cairn_cell_blocks_at(cells, k)) != NULL; k++) {
    void *memory = cairn_cell_blocks_memory(cell, block->kind);
    if (!memory)
      continue;
    starpu_vector_data_register(handle_of(cell, block->kind), STARPU_MAIN_RAM, (uintptr_t)memory,
                                (uint32_t)(block->bytes(cell) / 8), 8);
    if (cairn_ranks_n() > 1) /* for the share of each (tasks/engine/times.h) */
      starpu_data_set_user_data(*handle_of(cell, block->kind), &cell->time);
  }
  cell->report = cairn_report_reset();
  register_result(&cell->handles->report, &cell->report, sizeof cell->report);
  register_result(&cell->handles->sums, &cell->sums, sizeof cell->sums);
  if (cells->rules.solves)
    register_result(&cell->handles->measure, &cell->measure, sizeof cell->measure);
}

void cairn_task_handles_unregister(struct cairn_cells *cells, cairn_cell_t c) {
  struct cairn_cell *cell = cells->cell + c;
  const struct cairn_cell_block *block;
  if (!cell->handles || !cell->handles->report) /* it was never registered */
    return;
  for (int k = 0; (block = cairn_cell_blocks_at(cells, k)) != NULL; k++)
    if (*handle_of(cell, block->kind))
      starpu_data_unregister(*handle_of(cell, block->kind));
  starpu_data_unregister(cell->handles->report);
  starpu_data_unregister(cell->handles->sums);
  if (cell->handles->measure)
    starpu_data_unregister(cell->handles->measure);
}
