/* Links to the ranks whose cells reach into those of this one: at each step bodies at the border are packed by a task,
 * sent, received, and gathered from what came (tasks/gather.c). */
#ifndef CAIRN_TASKS_RANKS_LINKS_H
#define CAIRN_TASKS_RANKS_LINKS_H

#include <starpu.h>

#include "data/cells/border.h"

/* What is sent of a body: position, velocity and spin predicted for the coming step, and its captor. */
enum { CAIRN_LENT_X = 0, CAIRN_LENT_V = 3, CAIRN_LENT_W = 6, CAIRN_LENT_CAPTOR = 9, CAIRN_LENT = 10 };

/* Two buffers each way, in turn: a step need not wait until those of the one before are free. */
struct cairn_link {
  struct cairn_border border;
  int32_t n_borrowed; /* bodies that come */
  double *lent[2], *borrowed[2];
  starpu_data_handle_t lent_handle[2], borrowed_handle[2]; /* NULL if nothing goes that way */
};

struct cairn_links {
  int32_t n;
  struct cairn_link *link;      /* [n] in the order of ranks */
  int turn;                     /* the buffers in use */
  cairn_cell_t *first;          /* [ranks + 1] where the cells of each rank begin, rank by rank */
  cairn_cell_t *place;          /* [cells of all ranks] by number: where each is, rank by rank */
  struct cairn_loans *loans;    /* contact dynamics (tasks/ranks/loans.h), else NULL */
  starpu_data_handle_t meeting; /* keeps in order what ranks do together inside tasks */
};

/* Links over these borders, which become theirs, as do `first` and `place`; the ghosts of the cells must have their
 * packets. The links are cells->links. Not 0 if out of memory. */
int cairn_links_create(struct cairn_cells *cells, struct cairn_border *border, int32_t n, cairn_cell_t *first,
                       cairn_cell_t *place);

/* The rank of a cell, by its number. */
int cairn_links_owner(const struct cairn_links *links, cairn_cell_t number);

/* Wait for all that is under way, and free them. */
void cairn_links_free(struct cairn_cells *cells);

/* Exchange the bodies at all borders, predicted for a step of h or kicked by half a one; gathers that are submitted
 * later read what came. */
int cairn_links_submit(struct cairn_cells *cells, double h, int32_t kick);

/* Wait until all ranks have done what they do together inside tasks. Nothing without links. */
void cairn_links_meet(struct cairn_cells *cells);

#endif
