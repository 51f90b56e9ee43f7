#include "data/cells/cell_contacts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/cells/morton.h"

static int out_of_memory(struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the cells");
}

static int compare_ids(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static int is_gone(const struct cairn_state *state, int64_t i) { return state->captor[i] < 0; }

static const double *place_of(const struct cairn_cells *cells, const struct cairn_state *state, int64_t i) {
  return (cells->rules.by_reference ? state->reference : state->position) + 3 * i;
}

/* All bodies but the removed ones, in Morton order, and how many they are. */
static int64_t sort_bodies(const struct cairn_state *state, struct cairn_morton *entry, struct cairn_morton *scratch) {
  int64_t n = 0;
  for (int64_t i = 0; i < state->n; i++)
    if (!is_gone(state, i))
      entry[n++].id = (int32_t)i;
  cairn_morton_order(state->position, entry, scratch, n);
  return n;
}

/* The axis along which the bodies spread most. */
static int longest_axis(const struct cairn_state *state) {
  double sum[3] = {0}, square[3] = {0}, n = 0.;
  for (int64_t i = 0; i < state->n; i++) {
    n += !is_gone(state, i);
    for (int k = 0; k < 3 && !is_gone(state, i); k++) {
      sum[k] += state->reference[3 * i + k];
      square[k] += state->reference[3 * i + k] * state->reference[3 * i + k];
    }
  }
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (n * square[k] - sum[k] * sum[k] > n * square[axis] - sum[axis] * sum[axis])
      axis = k;
  return axis;
}

/* All bodies but the removed ones, in their order along the axis, and how many they are. */
static int64_t sort_along(const struct cairn_state *state, int axis, struct cairn_morton *entry,
                          struct cairn_morton *scratch) {
  double lower = INFINITY, upper = -INFINITY;
  int64_t n = 0;
  for (int64_t i = 0; i < state->n; i++)
    if (!is_gone(state, i)) {
      lower = fmin(lower, state->reference[3 * i + axis]);
      upper = fmax(upper, state->reference[3 * i + axis]);
    }
  const double most = 0x1p63, scale = upper > lower ? fmin(0x1p62 / (upper - lower), DBL_MAX) : 0.;
  for (int64_t i = 0; i < state->n; i++)
    if (!is_gone(state, i))
      entry[n++] =
          (struct cairn_morton){(uint64_t)fmin((state->reference[3 * i + axis] - lower) * scale, most), (int32_t)i};
  cairn_morton_sort(entry, scratch, n);
  return n;
}

/* Slices of the same number of bodies each. */
static cairn_cell_t slice(int64_t n, int64_t max_bodies, int64_t *end) {
  const int64_t n_cells = (n + max_bodies - 1) / max_bodies;
  for (int64_t c = 0; c < n_cells; c++)
    end[c] = n * (c + 1) / n_cells;
  return (cairn_cell_t)n_cells;
}

/* Give each cell its bodies. Going through them in the order of ids leaves each cell's list sorted. */
static int fill_cells(struct cairn_cells *cells, const struct cairn_state *state, const struct cairn_morton *entry,
                      const int64_t *end) {
  cairn_cell_t *cell_of = malloc((size_t)state->n * sizeof *cell_of + 1);
  if (!cell_of)
    return -1;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    struct cairn_cell *cell = cells->cell + c;
    const int64_t from = c > 0 ? end[c - 1] : 0;
    cell->id = malloc((size_t)(end[c] - from) * sizeof *cell->id);
    if (!cell->id) {
      free(cell_of);
      return -1;
    }
    for (int64_t i = from; i < end[c]; i++)
      cell_of[entry[i].id] = c;
    for (int k = 0; k < 3; k++) {
      cell->lower[k] = INFINITY;
      cell->upper[k] = -INFINITY;
    }
  }
  for (int64_t i = 0; i < state->n; i++) {
    if (is_gone(state, i))
      continue;
    struct cairn_cell *cell = cells->cell + cell_of[i];
    cell->id[cell->size.n++] = (int32_t)i;
    for (int k = 0; k < 3; k++) {
      const double x = place_of(cells, state, i)[k], r = state->radius[i];
      cell->lower[k] = x - r < cell->lower[k] ? x - r : cell->lower[k];
      cell->upper[k] = x + r > cell->upper[k] ? x + r : cell->upper[k];
    }
  }
  free(cell_of);
  return 0;
}

static int reach(const struct cairn_cell *a, const struct cairn_cell *b, double skin) {
  for (int k = 0; k < 3; k++)
    if (a->lower[k] > b->upper[k] + skin || b->lower[k] > a->upper[k] + skin)
      return 0;
  return 1;
}

struct along_x {
  double lower;
  cairn_cell_t cell;
};

static int compare_along_x(const void *a, const void *b) {
  const struct along_x *p = a, *q = b;
  if (p->lower != q->lower)
    return p->lower < q->lower ? -1 : 1;
  return (p->cell > q->cell) - (p->cell < q->cell);
}

static int add_neighbor(struct cairn_cell *cell, cairn_cell_t other) {
  if ((cell->n_neighbors & (cell->n_neighbors - 1)) == 0) { /* full at each power of two */
    const size_t capacity = cell->n_neighbors > 0 ? 2 * (size_t)cell->n_neighbors : 1;
    void *bigger = realloc(cell->neighbor, capacity * sizeof *cell->neighbor);
    if (!bigger)
      return -1;
    cell->neighbor = bigger;
  }
  cell->neighbor[cell->n_neighbors++] = other;
  return 0;
}

/* Sweep along x over the boxes of the cells. */
static int find_neighbors(struct cairn_cells *cells) {
  struct along_x *order = malloc((size_t)cells->n_cells * sizeof *order + 1);
  int failed = !order;
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++)
    order[c] = (struct along_x){cells->cell[c].lower[0], c};
  if (!failed)
    qsort(order, (size_t)cells->n_cells, sizeof *order, compare_along_x);
  for (cairn_cell_t i = 0; i < cells->n_cells && !failed; i++) {
    struct cairn_cell *a = cells->cell + order[i].cell;
    for (cairn_cell_t j = i + 1; j < cells->n_cells && order[j].lower <= a->upper[0] + cells->skin && !failed; j++) {
      struct cairn_cell *b = cells->cell + order[j].cell;
      if (reach(a, b, cells->skin))
        failed = add_neighbor(a, order[j].cell) || add_neighbor(b, order[i].cell);
    }
  }
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++)
    if (cells->cell[c].n_neighbors > 0)
      qsort(cells->cell[c].neighbor, (size_t)cells->cell[c].n_neighbors, sizeof(cairn_cell_t), compare_ids);
  free(order);
  return failed ? -1 : 0;
}

static int make_cells(struct cairn_cells *cells, const struct cairn_state *state, int64_t max_bodies) {
  const size_t bytes = (size_t)state->n * sizeof(struct cairn_morton) + 1;
  struct cairn_morton *entry = malloc(bytes), *scratch = malloc(bytes);
  /* a cell holds at least one body */
  int64_t *end = malloc((size_t)state->n * sizeof *end + 1);
  int failed = !entry || !scratch || !end;
  if (!failed) {
    if (cells->rules.partition == CAIRN_CELLS_SLICES)
      cells->n_cells = slice(sort_along(state, longest_axis(state), entry, scratch), max_bodies, end);
    else
      cells->n_cells = cairn_morton_cut(entry, sort_bodies(state, entry, scratch), max_bodies, end);
    cells->cell = calloc((size_t)cells->n_cells + 1, sizeof *cells->cell);
    failed = !cells->cell;
    if (failed)
      cells->n_cells = 0;
  }
  if (!failed)
    failed = fill_cells(cells, state, entry, end);
  free(entry);
  free(scratch);
  free(end);
  return failed;
}

int cairn_cells_partition(struct cairn_cells *cells, const struct cairn_state *state,
                          const struct cairn_cells_rules *rules, int64_t max_bodies, double skin,
                          struct cairn_error *error) {
  memset(cells, 0, sizeof *cells);
  cells->n = state->n;
  cells->skin = cells->wall_skin = skin;
  cells->source = state;
  cells->rules = *rules;
  cells->first_contact = cairn_cell_contacts_index(&state->contacts, state->n);
  cells->first_wall_contact = cairn_cell_contacts_index(&state->wall_contacts, state->n);
  if (!cells->first_contact || !cells->first_wall_contact || make_cells(cells, state, max_bodies) ||
      find_neighbors(cells)) {
    cairn_cells_fini(cells);
    return out_of_memory(error);
  }
  return 0;
}

void cairn_cells_built(struct cairn_cells *cells) {
  free(cells->first_contact);
  free(cells->first_wall_contact);
  cells->first_contact = cells->first_wall_contact = NULL;
  cells->source = NULL;
}

void cairn_cells_fini(struct cairn_cells *cells) {
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    struct cairn_cell *cell = cells->cell + c;
    free(cell->id);
    free(cell->halo_id);
    free(cell->neighbor);
    free(cell->halo);
    cairn_cell_blocks_free(cell);
  }
  free(cells->cell);
  cairn_cells_built(cells);
  memset(cells, 0, sizeof *cells);
}

size_t cairn_cells_memory(const struct cairn_cells *cells) {
  const struct cairn_cell_block *block;
  size_t bytes = 0;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    const struct cairn_cell *cell = cells->cell + c;
    const size_t all = (size_t)cell->size.n + (size_t)cell->size.n_halo;
    bytes += sizeof *cell + all * sizeof *cell->id + (size_t)cell->size.n_halo * sizeof *cell->halo +
             (size_t)cell->n_neighbors * sizeof *cell->neighbor;
    for (int k = 0; (block = cairn_cell_blocks_at(cells, k)) != NULL; k++)
      bytes += block->bytes(cell);
  }
  return bytes;
}

/* The position of a removed body is where that happened, not where it is parked. */
static void capture_captor(const double *captor, int32_t id, struct cairn_state *state) {
  const double *place = captor + CAIRN_CAPTURE_PLACE;
  const int64_t at = 3 * (int64_t)id;
  state->captor[id] = (int32_t)captor[CAIRN_CAPTURE_CAPTOR];
  state->capture_time[id] = captor[CAIRN_CAPTURE_TIME];
  const bool gone = state->captor[id] < 0;
  for (int k = 0; k < 3; k++) {
    state->capture_place[at + k] = state->captor[id] > 0 ? place[k] : 0.;
    if (gone)
      state->position[at + k] = place[k];
  }
}

static void capture_bodies(const struct cairn_cell *cell, struct cairn_state *state) {
  for (int32_t i = 0; i < cell->size.n; i++) {
    const double *s = cell->state + (int64_t)CAIRN_STATE * i;
    const int64_t at = 3 * (int64_t)cell->id[i];
    const size_t bytes = 3 * sizeof(double);
    memcpy(state->position + at, s + CAIRN_STATE_X, bytes);
    memcpy(state->velocity + at, s + CAIRN_STATE_V, bytes);
    memcpy(state->spin + at, s + CAIRN_STATE_W, bytes);
    memcpy(state->acceleration + at, s + CAIRN_STATE_A, bytes);
    memcpy(state->angular_acceleration + at, s + CAIRN_STATE_AW, bytes);
    if (cell->size.n_captures > 0)
      capture_captor(cell->state + cairn_capture_offset(cell->size, i), cell->id[i], state);
  }
}

void cairn_cells_set_gravity(struct cairn_cell *cell, const struct cairn_state *state) {
  double *field = (double *)((char *)cell->pair_list + cairn_pair_list_offsets(cell->size).field);
  for (int32_t i = 0; i < cell->size.n_fields; i++)
    memcpy(field + 3 * (int64_t)i, state->gravity + 3 * (int64_t)cairn_cells_body(cell, i), 3 * sizeof(double));
}

void cairn_cells_set_velocities(struct cairn_cell *cell, const struct cairn_state *state) {
  for (int32_t i = 0; i < cell->size.n; i++) {
    double *s = cell->state + (int64_t)CAIRN_STATE * i;
    memcpy(s + CAIRN_STATE_V, state->velocity + 3 * (int64_t)cell->id[i], 3 * sizeof(double));
    memcpy(s + CAIRN_STATE_W, state->spin + 3 * (int64_t)cell->id[i], 3 * sizeof(double));
  }
  cell->is_predicted = false;
}

int cairn_cells_capture(const struct cairn_cells *cells, struct cairn_state *state, struct cairn_error *error) {
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    capture_bodies(cells->cell + c, state);
  return cairn_cell_contacts_capture(cells, state, error);
}
