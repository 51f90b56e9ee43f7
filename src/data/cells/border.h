/* Borders between the cells of two ranks: which bodies each lends the other. Both ranks find the same cells from the
 * boxes of all cells. */
#ifndef CAIRN_DATA_CELLS_BORDER_H
#define CAIRN_DATA_CELLS_BORDER_H

#include "data/cells/cells.h"

/* The box around the bodies of a cell, and its number. */
struct cairn_cell_box {
  double lower[3], upper[3];
  int64_t number;
};

/* What this rank lends another one. */
struct cairn_border {
  int rank;
  int32_t n;          /* cells that reach into those of the other */
  cairn_cell_t *cell; /* [n] ascending */
  int32_t *first;     /* [n + 1] where the bodies of each begin in `index` */
  int32_t *index;     /* bodies, each by its index in its cell, ascending */
};

/* Find the border with the n cells of another rank, which gives these
 * cells a ghost for each of those that reach into one of them, of link `link`, and a neighbour. Where a pair is listed
 * by the lower of its cells alone, a cell lends to lower ones alone. Without any border->n is 0. Cells need their
 * packets; after cairn_cells_find_neighbors. Not 0 if out of memory. */
int cairn_border_find(struct cairn_cells *cells, const struct cairn_cell_box *box, int32_t n, int32_t link,
                      struct cairn_border *border);

/* The bodies that the k-th cell of a border lends, as a packet; NULL if out of memory. */
struct cairn_packet *cairn_border_packet(const struct cairn_cells *cells, const struct cairn_border *border, int32_t k);

void cairn_border_fini(struct cairn_border *border);

#endif
