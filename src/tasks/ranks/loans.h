/* Contact dynamics on several ranks. A sweep over a cell changes bodies of the cells above it, which may be another
 * rank's: their velocities are lent before the sweeps of a colour and returned after them, in one message each for
 * every pair of ranks and colour, so that each body meets its contacts in the order of one rank. */
#ifndef CAIRN_TASKS_RANKS_LOANS_H
#define CAIRN_TASKS_RANKS_LOANS_H

#include <starpu.h>

#include "data/cells/border.h"

/* What of a body is lent: its velocity, and its spin times its radius. */
enum { CAIRN_LOAN_DOUBLES = 6 };

/* The bodies of one rank that the sweeps of one colour on another rank change; both ranks have them in the same order.
 */
struct cairn_loan {
  int rank; /* the other one */
  int32_t color;
  bool lends;                     /* or borrows */
  int32_t n_cells;                /* own cells that lend or borrow */
  cairn_cell_t *cell;             /* [n_cells] */
  bool *completes;                /* [n_cells] of a lender: is it the last change of its bodies in a sweep? */
  int32_t n;                      /* bodies */
  struct cairn_halo_source *body; /* [n] which of these cells, and where in its velocities */
  double *buffer;                 /* [n][CAIRN_LOAN_DOUBLES] */
  starpu_data_handle_t handle;
};

struct cairn_loans {
  int32_t n;
  struct cairn_loan *loan;
  uint64_t *free_colors; /* [ranks] colours in which a rank has contacts with free assemblies, one bit each */
};

/* Agree on the loans of cells that are built and have their colours, by all ranks. `color` and `last` are those of all
 * cells: the cell whose sweep is the last over the bodies of each. What runs out of memory ends all ranks. */
void cairn_loans_create(struct cairn_cells *cells, const int32_t *color, const cairn_cell_t *last);

/* Wait for what is under way, and free them; may be NULL. */
void cairn_loans_free(struct cairn_loans *loans);

/* Before the sweeps of a colour: lend and borrow. After them: return; who gets back the bodies of a cell that no sweep
 * changes any more extrapolates them by `next` if that is not negative. Nothing without links. Not 0 on failure. */
int cairn_loans_lend_submit(struct cairn_cells *cells, int32_t color);
int cairn_loans_return_submit(struct cairn_cells *cells, int32_t color, double next);

/* Velocities of free assemblies go from rank to rank in the order of one: before the sweeps of a colour, after them,
 * and to all after the last colour. */
int cairn_loans_take_turn(const struct cairn_cells *cells, int32_t color, starpu_data_handle_t assemblies);
int cairn_loans_pass_turn(const struct cairn_cells *cells, int32_t color, starpu_data_handle_t assemblies);
int cairn_loans_tell_all(const struct cairn_cells *cells, starpu_data_handle_t assemblies);

#endif
