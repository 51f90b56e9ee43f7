/* In which order the cells of contact dynamics are swept: the same for any number of ranks. */
#include <stdlib.h>
#include <string.h>

#include "solvers/contact_dynamics.h"
#include "solvers/simulation/simulation_parts.h"
#include "tasks/ranks/loans.h"

/* The cells of all ranks, each with the neighbours above it: a sweep changes its bodies and theirs. */
struct graph {
  cairn_cell_t n;
  int64_t *first;      /* [n + 1] where those of each cell begin */
  cairn_cell_t *above; /* numbers */
  int32_t *color;      /* [n] */
  uint64_t *colors;    /* [n] of the sweeps that change its bodies */
  cairn_cell_t *last;  /* [n] the cell whose sweep is the last over the bodies of each */
};

static void free_graph(struct graph *g) {
  free(g->first);
  free(g->above);
  free(g->color);
  free(g->colors);
  free(g->last);
}

/* The cells of this rank: for each its number, how many neighbours it has, and these. */
static cairn_cell_t *list_neighbors(const struct cairn_cells *cells, int64_t *n) {
  *n = 2 * (int64_t)cells->n_cells;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    *n += cells->cell[c].n_neighbors;
  cairn_cell_t *list = malloc((size_t)*n * sizeof *list + 1), *next = list;
  for (cairn_cell_t c = 0; c < cells->n_cells && list; c++) {
    const struct cairn_cell *cell = cells->cell + c;
    *next++ = cell->number;
    *next++ = cell->n_neighbors;
    for (int32_t k = 0; k < cell->n_neighbors; k++)
      *next++ = cairn_cells_number(cells, cell->neighbor[k]);
  }
  return list;
}

/* Where each of the cells of a rank, listed as above, stands there. */
static void find_cells(const cairn_cell_t **at, const cairn_cell_t *list, int64_t n) {
  for (int64_t i = 0; i < n; i += 2 + list[i + 1])
    at[list[i]] = list + i + 1;
}

/* All cells in the order of their numbers. */
static void add_cells(struct graph *g, const cairn_cell_t *const *at, cairn_cell_t n) {
  for (g->n = 0; g->n < n; g->n++) {
    memcpy(g->above + g->first[g->n], at[g->n] + 1, (size_t)*at[g->n] * sizeof **at);
    g->first[g->n + 1] = g->first[g->n] + *at[g->n];
  }
}

/* Room for the cells of all ranks. Not 0 if out of memory. */
static int make_graph(const struct cairn_simulation *sim, struct graph *g) {
  const size_t n_cells = (size_t)sim->n_cells;
  int64_t n = 0, total;
  cairn_cell_t *list = list_neighbors(&sim->cells, &n);
  total = n;
  cairn_ranks_sum(&total, 1);
  *g = (struct graph){.first = calloc(n_cells + 1, sizeof *g->first),
                      .above = malloc((size_t)total * sizeof *g->above + 1),
                      .color = calloc(n_cells + 1, sizeof *g->color),
                      .colors = calloc(n_cells + 1, sizeof *g->colors),
                      .last = malloc(n_cells * sizeof *g->last + 1)};
  const cairn_cell_t **at = calloc(n_cells + 1, sizeof *at);
  const int failed = !list || !at || !g->first || !g->above || !g->color || !g->colors || !g->last;
  if (failed)
    cairn_ranks_out_of_memory("the cells");
  if (!failed && cairn_ranks_n() > 1) {
    struct cairn_ranks_mail *mail = cairn_ranks_gather(list, n * (int64_t)sizeof *list);
    for (int q = 0; q < cairn_ranks_n(); q++)
      find_cells(at, mail[q].data, mail[q].bytes / (int64_t)sizeof *list);
    add_cells(g, at, sim->n_cells);
    cairn_ranks_mail_free(mail);
  } else if (!failed) {
    find_cells(at, list, n);
    add_cells(g, at, sim->n_cells);
  }
  free(list);
  free(at);
  return failed;
}

/* Greedy colouring: no two sweeps of one colour change the bodies of one cell. Returns the number of colours. */
static int32_t color_cells(struct graph *g) {
  enum { MOST = 64 };
  int32_t n_colors = 0;
  for (cairn_cell_t c = 0; c < g->n; c++) {
    uint64_t taken = g->colors[c];
    for (int64_t k = g->first[c]; k < g->first[c + 1]; k++)
      taken |= g->colors[g->above[k]];
    while (g->color[c] < MOST - 1 && taken >> g->color[c] & 1)
      g->color[c]++;
    g->colors[c] |= UINT64_C(1) << g->color[c];
    for (int64_t k = g->first[c]; k < g->first[c + 1]; k++)
      g->colors[g->above[k]] |= UINT64_C(1) << g->color[c];
    n_colors = g->color[c] >= n_colors ? g->color[c] + 1 : n_colors;
  }
  return n_colors;
}

/* Which sweep is the last one over the bodies of each cell: its own, or that of a neighbour below. */
static void find_last_sweeps(struct graph *g) {
  for (cairn_cell_t c = 0; c < g->n; c++)
    g->last[c] = c;
  for (cairn_cell_t c = 0; c < g->n; c++)
    for (int64_t k = g->first[c]; k < g->first[c + 1]; k++) {
      cairn_cell_t *last = g->last + g->above[k];
      if (g->color[c] > g->color[*last] || (g->color[c] == g->color[*last] && c > *last))
        *last = c;
    }
}

int cairn_contact_dynamics_partitioned(struct cairn_simulation *sim, struct cairn_error *error) {
  struct cairn_cells *cells = &sim->cells;
  struct graph g;
  const int failed = make_graph(sim, &g);
  if (!failed) {
    cells->n_colors = color_cells(&g);
    find_last_sweeps(&g);
    for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
      cells->cell[c].color = g.color[cells->cell[c].number];
      cells->cell[c].last_sweep = g.last[cells->cell[c].number];
    }
    cairn_loans_create(cells, g.color, g.last);
  }
  free_graph(&g);
  return failed ? cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the cells") : 0;
}
