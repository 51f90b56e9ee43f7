#include "data/cells/border.h"

#include <stdlib.h>
#include <string.h>

static bool reach(const struct cairn_cell *cell, const struct cairn_cell_box *box, double skin) {
  for (int k = 0; k < 3; k++)
    if (cell->lower[k] > box->upper[k] + skin || box->lower[k] > cell->upper[k] + skin)
      return false;
  return true;
}

/* The box around all cells. */
static struct cairn_cell all_of(const struct cairn_cells *cells) {
  struct cairn_cell all = cells->cell[0];
  for (cairn_cell_t c = 1; c < cells->n_cells; c++)
    for (int k = 0; k < 3; k++) {
      const struct cairn_cell *cell = cells->cell + c;
      all.lower[k] = cell->lower[k] < all.lower[k] ? cell->lower[k] : all.lower[k];
      all.upper[k] = cell->upper[k] > all.upper[k] ? cell->upper[k] : all.upper[k];
    }
  return all;
}

/* Bodies of a cell that come near one of the boxes; returns their number. */
static int32_t list_lent(const struct cairn_cells *cells, const struct cairn_cell *cell,
                         const struct cairn_cell_box *const *box, int32_t n_boxes, int32_t *index) {
  const struct cairn_body *body = cairn_packet_bodies(cell->packet);
  const struct cairn_body_extra *extra = cairn_packet_extras(cell->packet);
  int32_t n = 0;
  for (int32_t i = 0; i < cell->size.n; i++) {
    const double *x = cells->rules.by_reference ? extra[i].reference : body[i].state + CAIRN_STATE_X;
    bool near = false;
    for (int32_t k = 0; k < n_boxes && !near; k++)
      near = cairn_cells_near(x, body[i].radius + cells->skin, box[k]->lower, box[k]->upper);
    if (near)
      index[n++] = i;
  }
  return n;
}

/* Give the border one more cell, with the bodies near these boxes, if any. */
static int add_cell(const struct cairn_cells *cells, cairn_cell_t c, const struct cairn_cell_box *const *box,
                    int32_t n_boxes, struct cairn_border *border) {
  const int32_t before = border->first[border->n];
  void *longer = realloc(border->index, ((size_t)before + (size_t)cells->cell[c].size.n + 1) * sizeof *border->index);
  if (!longer)
    return -1;
  border->index = longer;
  border->cell[border->n++] = c;
  border->first[border->n] = before + list_lent(cells, cells->cell + c, box, n_boxes, border->index + before);
  return 0;
}

/* The cells of both sides; `number` are the ghosts of the other's cells, -1 where there is none yet. */
static int find_cells(struct cairn_cells *cells, const struct cairn_cell_box *box, const int32_t *near, int32_t n_near,
                      int32_t *number, const struct cairn_cell_box **list, struct cairn_border *border) {
  int32_t n_ghosts = cells->n_ghosts;
  int failed = 0;
  for (int32_t k = 0; k < n_near; k++) { /* numbers in the order of the other's cells */
    bool any = false;
    for (cairn_cell_t c = 0; c < cells->n_cells && !any; c++)
      any = reach(cells->cell + c, box + near[k], cells->skin);
    number[k] = any ? n_ghosts++ : -1;
  }
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++) {
    int32_t n_list = 0, n_reached = 0;
    for (int32_t k = 0; k < n_near && !failed; k++)
      if (number[k] >= 0 && reach(cells->cell + c, box + near[k], cells->skin)) {
        n_reached++;
        if (!cells->rules.own_pairs || box[near[k]].number < cells->cell[c].number)
          list[n_list++] = box + near[k];
        failed = cairn_cells_add_neighbor(cells->cell + c, cells->n_cells + number[k]);
      }
    if (n_reached > 0 && !failed)
      failed = add_cell(cells, c, list, n_list, border);
  }
  return failed ? -1 : n_ghosts - cells->n_ghosts;
}

/* `number` are the ghosts of the other's cells near by, `near` which these are. */
static int add_ghosts(struct cairn_cells *cells, const struct cairn_cell_box *box, const int32_t *number,
                      const int32_t *near, int32_t n_near, int32_t link) {
  void *longer = realloc(cells->ghost, ((size_t)cells->n_ghosts + (size_t)n_near + 1) * sizeof *cells->ghost);
  if (!longer)
    return -1;
  cells->ghost = longer;
  for (int32_t k = 0; k < n_near; k++)
    if (number[k] >= 0)
      cells->ghost[cells->n_ghosts++] = (struct cairn_ghost){.number = (cairn_cell_t)box[near[k]].number, .link = link};
  return 0;
}

int cairn_border_find(struct cairn_cells *cells, const struct cairn_cell_box *box, int32_t n, int32_t link,
                      struct cairn_border *border) {
  const int rank = border->rank;
  *border = (struct cairn_border){.rank = rank};
  if (cells->n_cells == 0 || n == 0)
    return 0;
  const struct cairn_cell all = all_of(cells);
  int32_t *near = malloc((size_t)n * sizeof *near), *number = malloc((size_t)n * sizeof *number), n_near = 0;
  const struct cairn_cell_box **list = malloc((size_t)n * sizeof *list);
  border->cell = malloc((size_t)cells->n_cells * sizeof *border->cell);
  border->first = calloc((size_t)cells->n_cells + 1, sizeof *border->first);
  int failed = !near || !number || !list || !border->cell || !border->first;
  for (int32_t k = 0; k < n && !failed; k++)
    if (reach(&all, box + k, cells->skin))
      near[n_near++] = k;
  if (!failed) {
    const int32_t found = find_cells(cells, box, near, n_near, number, list, border);
    failed = found < 0 || add_ghosts(cells, box, number, near, n_near, link);
  }
  free(near);
  free(number);
  free(list);
  return failed;
}

struct cairn_packet *cairn_border_packet(const struct cairn_cells *cells, const struct cairn_border *border,
                                         int32_t k) {
  const int32_t from = border->first[k], n = border->first[k + 1] - from;
  const struct cairn_packet *packet = cells->cell[border->cell[k]].packet;
  struct cairn_morton *entry = malloc((size_t)n * sizeof *entry + 1);
  if (!entry)
    return NULL;
  for (int32_t i = 0; i < n; i++)
    entry[i] = (struct cairn_morton){0, border->index[from + i]};
  const struct cairn_packet_part part = {packet, entry, n};
  struct cairn_packet *lent = cairn_packet_merge(&part, 1, cells->rules.extras, cells->rules.memory);
  free(entry);
  return lent;
}

void cairn_border_fini(struct cairn_border *border) {
  free(border->cell);
  free(border->first);
  free(border->index);
  *border = (struct cairn_border){0};
}
