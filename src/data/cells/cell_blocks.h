/* The blocks of a cell: each one contiguous buffer and one StarPU handle. One list of all of them; those of every cell
 * stand in cell_blocks.c, those of a method in its table (solvers/method.h). */
#ifndef CAIRN_DATA_CELLS_CELL_BLOCKS_H
#define CAIRN_DATA_CELLS_CELL_BLOCKS_H

#include <stddef.h>

struct cairn_cell;
struct cairn_cells;

/* A block is a member of struct cairn_cell and of struct cairn_cell_handles by this name. */
#define CAIRN_CELL_BLOCKS(BLOCK)                                                                                       \
  BLOCK(state)                                                                                                         \
  BLOCK(predicted) BLOCK(pair_list) BLOCK(history) BLOCK(velocities) BLOCK(groups) BLOCK(free_contacts) BLOCK(hard)

#define CAIRN_CELL_BLOCKS_KIND(name) CAIRN_CELL_BLOCK_##name,
enum cairn_cell_block_kind { CAIRN_CELL_BLOCKS(CAIRN_CELL_BLOCKS_KIND) CAIRN_CELL_N_BLOCKS };

struct cairn_cell_block {
  enum cairn_cell_block_kind kind;
  size_t (*bytes)(const struct cairn_cell *cell); /* its size; 0: this cell has none */
  void (*init)(struct cairn_cell *cell);          /* after it was set to zero; may be NULL */
};

/* The k-th block of these cells, from 0; NULL behind the last. */
const struct cairn_cell_block *cairn_cell_blocks_at(const struct cairn_cells *cells, int k);

/* Allocate all blocks of a cell whose size is known, set them to zero and initialise them. Not 0 if out of memory. */
int cairn_cell_blocks_allocate(const struct cairn_cells *cells, struct cairn_cell *cell);

/* Free them. */
void cairn_cell_blocks_free(struct cairn_cell *cell);

/* The memory of a block; NULL if the cell has none. */
void *cairn_cell_blocks_memory(const struct cairn_cell *cell, enum cairn_cell_block_kind kind);

#endif
