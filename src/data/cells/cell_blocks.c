#include "data/cells/cell_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "data/cells/cells.h"

static size_t state_bytes(const struct cairn_cell *cell) { return cairn_state_doubles(cell->size) * sizeof(double); }

static size_t predicted_bytes(const struct cairn_cell *cell) {
  return ((size_t)cell->size.n + (size_t)cell->size.n_halo) * CAIRN_PREDICTED * sizeof(double);
}

/* StarPU takes no empty vectors. */
static size_t some(size_t bytes) { return bytes > 0 ? bytes : sizeof(double); }

static size_t pair_list_bytes(const struct cairn_cell *cell) { return some(cairn_pair_list_offsets(cell->size).end); }

static size_t history_bytes(const struct cairn_cell *cell) { return some(cairn_history_offsets(cell->size).end); }

/* What every cell has. */
static const struct cairn_cell_block common[] = {{CAIRN_CELL_BLOCK_state, state_bytes, NULL},
                                                 {CAIRN_CELL_BLOCK_predicted, predicted_bytes, NULL},
                                                 {CAIRN_CELL_BLOCK_pair_list, pair_list_bytes, NULL},
                                                 {CAIRN_CELL_BLOCK_history, history_bytes, NULL}};
enum { N_COMMON = sizeof common / sizeof *common };

const struct cairn_cell_block *cairn_cell_blocks_at(const struct cairn_cells *cells, int k) {
  return k < N_COMMON ? common + k : k < N_COMMON + cells->rules.n_blocks ? cells->rules.blocks + (k - N_COMMON) : NULL;
}

/* Where the cell keeps its pointer to a block. */
static size_t member_of(enum cairn_cell_block_kind kind) {
#define MEMBER(name) [CAIRN_CELL_BLOCK_##name] = offsetof(struct cairn_cell, name),
  static const size_t member[CAIRN_CELL_N_BLOCKS] = {CAIRN_CELL_BLOCKS(MEMBER)};
#undef MEMBER
  return member[kind];
}

void *cairn_cell_blocks_memory(const struct cairn_cell *cell, enum cairn_cell_block_kind kind) {
  void *memory;
  memcpy(&memory, (const char *)cell + member_of(kind), sizeof memory);
  return memory;
}

int cairn_cell_blocks_allocate(const struct cairn_cells *cells, struct cairn_cell *cell) {
  const struct cairn_cell_block *block;
  for (int k = 0; (block = cairn_cell_blocks_at(cells, k)) != NULL; k++) {
    const size_t bytes = block->bytes(cell);
    void *memory = bytes > 0 ? aligned_alloc(64, CAIRN_PAD(bytes)) : NULL;
    if (bytes > 0 && !memory)
      return -1;
    if (memory)
      memset(memory, 0, bytes);
    memcpy((char *)cell + member_of(block->kind), &memory, sizeof memory);
    if (memory && block->init)
      block->init(cell);
  }
  return 0;
}

void cairn_cell_blocks_free(struct cairn_cell *cell) {
  for (int kind = 0; kind < CAIRN_CELL_N_BLOCKS; kind++)
    free(cairn_cell_blocks_memory(cell, (enum cairn_cell_block_kind)kind));
}
