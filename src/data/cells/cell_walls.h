/* Which bodies of a cell come near which walls. */
#ifndef CAIRN_DATA_CELLS_CELL_WALLS_H
#define CAIRN_DATA_CELLS_CELL_WALLS_H

#include "data/cells/cells.h"
#include "data/cells/search.h"

/* Pairs (body, wall) with body an index in the cell; sorted; a mesh comes CAIRN_WALL_TOUCHES times in a row. Walls that
 * do not reach the cell's box cost it nothing more. `sphere` are the cell's own bodies. The result is to be freed with
 * cairn_search_pairs_fini. Returns 0, or -1 if out of memory. */
int cairn_cell_walls_find(const struct cairn_cells *cells, const struct cairn_cell *cell,
                          const struct cairn_sphere *sphere, struct cairn_pairs *pairs);

#endif
