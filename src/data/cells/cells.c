#include "data/cells/cells.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/cells/cut.h"
#include "data/cells/morton.h"

static int out_of_memory(struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the cells");
}

static int compare_ids(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static int is_gone(const struct cairn_state *state, int64_t i) { return state->captor[i] < 0; }

/* Two axes along which the bodies spread most, and how far (m). */
struct spread {
  int axis[2];
  double length[2];
};

static struct spread find_spread(const struct cairn_state *state) {
  double sum[3] = {0}, square[3] = {0}, n = 0.;
  for (int64_t i = 0; i < state->n; i++) {
    n += !is_gone(state, i);
    for (int k = 0; k < 3 && !is_gone(state, i); k++) {
      sum[k] += state->reference[3 * i + k];
      square[k] += state->reference[3 * i + k] * state->reference[3 * i + k];
    }
  }
  double variance[3];
  for (int k = 0; k < 3; k++)
    variance[k] = n * square[k] - sum[k] * sum[k];
  struct spread spread = {.axis = {0, 1}};
  for (int k = 1; k < 3; k++)
    if (variance[k] > variance[spread.axis[0]])
      spread.axis[0] = k;
  spread.axis[1] = spread.axis[0] == 0 ? 1 : 0;
  for (int k = 1; k < 3; k++)
    if (k != spread.axis[0] && variance[k] > variance[spread.axis[1]])
      spread.axis[1] = k;
  for (int k = 0; k < 2; k++)
    spread.length[k] = sqrt(fmax(variance[spread.axis[k]], 0.));
  return spread;
}

/* All bodies but the removed ones, and how many they are. */
static int64_t list_present(const struct cairn_state *state, struct cairn_morton *entry) {
  int64_t n = 0;
  for (int64_t i = 0; i < state->n; i++)
    if (!is_gone(state, i))
      entry[n++] = (struct cairn_morton){0, (int32_t)i};
  return n;
}

/* Some of them in their order along an axis. */
static void sort_along(const struct cairn_state *state, int axis, struct cairn_morton *entry, int64_t n,
                       struct cairn_morton *scratch) {
  double lower = INFINITY, upper = -INFINITY;
  for (int64_t i = 0; i < n; i++) {
    const double x = state->reference[3 * (int64_t)entry[i].id + axis];
    lower = fmin(lower, x);
    upper = fmax(upper, x);
  }
  const double most = 0x1p63, scale = upper > lower ? fmin(0x1p62 / (upper - lower), DBL_MAX) : 0.;
  for (int64_t i = 0; i < n; i++)
    entry[i].key = (uint64_t)fmin((state->reference[3 * (int64_t)entry[i].id + axis] - lower) * scale, most);
  cairn_morton_sort(entry, scratch, n);
}

/* Slices of the same number of bodies each. */
static cairn_cell_t cut_slices(int64_t n, int64_t n_cells, int64_t *end) {
  for (int64_t c = 0; c < n_cells; c++)
    end[c] = n * (c + 1) / n_cells;
  return (cairn_cell_t)n_cells;
}

/* Columns: slices that are cut once more, every second one half a column further, as bricks are laid. So a column
 * touches two of the next slice, and four colours of sweeps are enough. */
static cairn_cell_t cut_columns(const struct cairn_state *state, const struct spread *spread,
                                struct cairn_morton *entry, int64_t n, int64_t n_cells, struct cairn_morton *scratch,
                                int64_t *end) {
  const double shape = spread->length[1] > 0. ? spread->length[0] / spread->length[1] : (double)n_cells;
  const int64_t n_slices = (int64_t)fmin(fmax(round(sqrt((double)n_cells * shape)), 1.), (double)n_cells);
  const int64_t n_columns = (n_cells + n_slices - 1) / n_slices;
  cairn_cell_t made = 0;
  for (int64_t s = 0; s < n_slices; s++) {
    const int64_t from = n * s / n_slices, here = n * (s + 1) / n_slices - from;
    sort_along(state, spread->axis[1], entry + from, here, scratch);
    for (int64_t k = 1; k <= n_columns + s % 2; k++) {
      const int64_t part = here * (2 * k - s % 2) / (2 * n_columns), to = from + (part < here ? part : here);
      if (to > (made > 0 ? end[made - 1] : 0)) /* cells of a body or two: half of one is none */
        end[made++] = to;
    }
  }
  return made;
}

/* Give each cell the ids of its bodies. Going through them in the order of ids leaves each cell's list sorted. */
static int list_ids(struct cairn_cells *cells, const struct cairn_state *state, const struct cairn_morton *entry,
                    const int64_t *end) {
  cairn_cell_t *cell_of = malloc((size_t)state->n * sizeof *cell_of + 1);
  int failed = !cell_of;
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++) {
    const int64_t from = c > 0 ? end[c - 1] : 0;
    cells->cell[c].id = malloc((size_t)(end[c] - from) * sizeof(int32_t));
    failed = !cells->cell[c].id;
    for (int64_t i = from; i < end[c] && !failed; i++)
      cell_of[entry[i].id] = c;
  }
  for (int64_t i = 0; i < state->n && !failed; i++)
    if (!is_gone(state, i)) {
      struct cairn_cell *cell = cells->cell + cell_of[i];
      cell->id[cell->size.n++] = (int32_t)i;
    }
  free(cell_of);
  return failed;
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

int cairn_cells_add_neighbor(struct cairn_cell *cell, cairn_cell_t other) {
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
int cairn_cells_find_neighbors(struct cairn_cells *cells, double skin, struct cairn_error *error) {
  cells->skin = cells->wall_skin = skin;
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
        failed = cairn_cells_add_neighbor(a, order[j].cell) || cairn_cells_add_neighbor(b, order[i].cell);
    }
  }
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++)
    if (cells->cell[c].n_neighbors > 0)
      qsort(cells->cell[c].neighbor, (size_t)cells->cell[c].n_neighbors, sizeof(cairn_cell_t), compare_ids);
  free(order);
  return failed ? out_of_memory(error) : 0;
}

int cairn_cells_create(struct cairn_cells *cells, cairn_cell_t n_cells, const struct cairn_cells_rules *rules,
                       struct cairn_error *error) {
  *cells = (struct cairn_cells){.rules = *rules, .cell = calloc((size_t)n_cells + 1, sizeof *cells->cell)};
  cells->n_cells = cells->cell ? n_cells : 0;
  return cells->cell ? 0 : out_of_memory(error);
}

int cairn_cells_slice(struct cairn_cells *cells, const struct cairn_state *state, const struct cairn_cells_rules *rules,
                      int64_t max_bodies, struct cairn_error *error) {
  const size_t bytes = (size_t)state->n * sizeof(struct cairn_morton) + 1;
  struct cairn_morton *entry = malloc(bytes), *scratch = malloc(bytes);
  int64_t *end = malloc((size_t)state->n * sizeof *end + 1); /* a cell holds at least one body */
  int status = 0;
  if (entry && scratch && end) {
    const struct spread spread = find_spread(state);
    const int64_t n = list_present(state, entry), n_cells = (n + max_bodies - 1) / max_bodies;
    sort_along(state, spread.axis[0], entry, n, scratch);
    const cairn_cell_t made = n_cells > CAIRN_CELLS_MOST_SLICES
                                  ? cut_columns(state, &spread, entry, n, n_cells, scratch, end)
                                  : cut_slices(n, n_cells, end);
    status = cairn_cells_create(cells, made, rules, error);
    cells->n = state->n;
    if (!status && list_ids(cells, state, entry, end)) {
      cairn_cells_fini(cells);
      status = out_of_memory(error);
    }
  } else {
    status = out_of_memory(error);
  }
  free(entry);
  free(scratch);
  free(end);
  return status;
}

static void find_box(const struct cairn_cells *cells, struct cairn_cell *cell) {
  const struct cairn_body *body = cairn_packet_bodies(cell->packet);
  const struct cairn_body_extra *extra = cairn_packet_extras(cell->packet);
  for (int k = 0; k < 3; k++) {
    cell->lower[k] = INFINITY;
    cell->upper[k] = -INFINITY;
  }
  for (int32_t i = 0; i < cell->size.n; i++)
    for (int k = 0; k < 3; k++) {
      const double x = cells->rules.by_reference ? extra[i].reference[k] : body[i].state[CAIRN_STATE_X + k];
      const double from = x - body[i].radius, to = x + body[i].radius;
      cell->lower[k] = from < cell->lower[k] ? from : cell->lower[k];
      cell->upper[k] = to > cell->upper[k] ? to : cell->upper[k];
    }
}

int cairn_cells_adopt(struct cairn_cells *cells, cairn_cell_t c, struct cairn_packet *packet) {
  struct cairn_cell *cell = cells->cell + c;
  cell->packet = packet;
  if (packet && !cell->id)
    cell->id = malloc((size_t)packet->n * sizeof *cell->id + 1);
  if (!packet || !cell->id)
    return -1;
  cell->size.n = packet->n;
  for (int32_t i = 0; i < packet->n; i++)
    cell->id[i] = cairn_packet_bodies(packet)[i].id;
  find_box(cells, cell);
  return 0;
}

int cairn_cells_fill(struct cairn_cells *cells, cairn_cell_t c, const struct cairn_state *state) {
  const struct cairn_cell *cell = cells->cell + c;
  struct cairn_packet *packet;
  cairn_packet_of_state(state, cell->id, 0, cell->size.n, cells->rules.extras, cells->rules.memory, &packet);
  for (int32_t i = 0; i < cell->size.n && packet && cells->rules.is_outside; i++)
    cairn_packet_bodies(packet)[i].is_outside = cells->rules.is_outside[cell->id[i]];
  return cairn_cells_adopt(cells, c, packet);
}

/* The octree of all bodies of a state in one packet. */
static int make_octree(struct cairn_cells *cells, const struct cairn_state *state,
                       const struct cairn_cells_rules *rules, int64_t max_bodies, struct cairn_error *error) {
  struct cairn_packet *all;
  struct cairn_cut_list list = {0};
  struct cairn_cut cut = {0};
  cairn_packet_of_state(state, NULL, 0, (int32_t)state->n, rules->extras, rules->memory, &all);
  if (!all)
    return out_of_memory(error);
  const struct cairn_packet_summary summary = cairn_packet_summarise(all, 0., NULL);
  struct cairn_morton *entry =
      cairn_packet_order(all, summary.lower, cairn_morton_scale(summary.lower, summary.upper), &list.n);
  list.entry = entry;
  int failed = !entry || cairn_cut_make(&list, 1, max_bodies, NULL, NULL, &cut);
  if (!failed)
    failed = cairn_cells_create(cells, cut.n, rules, NULL) != 0;
  cells->n = state->n;
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++) {
    const struct cairn_cut_range r = cut.range[cut.part[c].first];
    const struct cairn_packet_part part = {all, entry + r.from, r.to - r.from};
    failed = cairn_cells_adopt(cells, c, cairn_packet_merge(&part, 1, rules->extras, rules->memory));
  }
  cairn_cut_fini(&cut);
  free(entry);
  free(all);
  return failed ? out_of_memory(error) : 0;
}

int cairn_cells_partition(struct cairn_cells *cells, const struct cairn_state *state,
                          const struct cairn_cells_rules *rules, int64_t max_bodies, double skin,
                          struct cairn_error *error) {
  struct cairn_cells_rules complete = *rules;
  complete.extras = true;
  *cells = (struct cairn_cells){0};
  int status = rules->partition == CAIRN_CELLS_SLICES ? cairn_cells_slice(cells, state, &complete, max_bodies, error)
                                                      : make_octree(cells, state, &complete, max_bodies, error);
  for (cairn_cell_t c = 0; c < cells->n_cells && !status && rules->partition == CAIRN_CELLS_SLICES; c++)
    status = cairn_cells_fill(cells, c, state) ? out_of_memory(error) : 0;
  if (!status)
    status = cairn_cells_find_neighbors(cells, skin, error);
  if (status)
    cairn_cells_fini(cells);
  return status;
}

void cairn_cells_fini(struct cairn_cells *cells) {
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    struct cairn_cell *cell = cells->cell + c;
    free(cell->packet);
    free(cell->id);
    free(cell->halo_id);
    free(cell->neighbor);
    free(cell->halo);
    cairn_cell_blocks_free(cell);
  }
  for (int32_t g = 0; g < cells->n_ghosts; g++)
    free(cells->ghost[g].packet);
  free(cells->ghost);
  free(cells->cell);
  memset(cells, 0, sizeof *cells);
}

size_t cairn_cells_memory(const struct cairn_cells *cells) {
  const struct cairn_cell_block *block;
  size_t bytes = 0;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    const struct cairn_cell *cell = cells->cell + c;
    const size_t all = (size_t)cell->size.n + (size_t)cell->size.n_halo;
    bytes += (cell->packet ? (size_t)cell->packet->bytes : 0) + sizeof *cell + all * sizeof *cell->id +
             (size_t)cell->size.n_halo * sizeof *cell->halo + (size_t)cell->n_neighbors * sizeof *cell->neighbor;
    for (int k = 0; (block = cairn_cell_blocks_at(cells, k)) != NULL; k++)
      bytes += block->bytes(cell);
  }
  return bytes;
}

void cairn_cells_set_gravity(struct cairn_cell *cell, const double *gravity) {
  double *field = (double *)((char *)cell->pair_list + cairn_pair_list_offsets(cell->size).field);
  for (int32_t i = 0; i < cell->size.n_fields; i++)
    memcpy(field + 3 * (int64_t)i, gravity + 3 * (int64_t)cairn_cells_body(cell, i), 3 * sizeof(double));
  for (int32_t i = 0; cell->packet && i < cell->packet->n_extra; i++)
    memcpy(cairn_packet_extras(cell->packet)[i].gravity, gravity + 3 * (int64_t)cell->id[i], 3 * sizeof(double));
}

void cairn_cells_set_velocities(struct cairn_cell *cell, const struct cairn_state *state) {
  struct cairn_body *body = cell->packet ? cairn_packet_bodies(cell->packet) : NULL;
  for (int32_t i = 0; i < cell->size.n; i++) {
    double *s = cell->state + (int64_t)CAIRN_STATE * i;
    memcpy(s + CAIRN_STATE_V, state->velocity + 3 * (int64_t)cell->id[i], 3 * sizeof(double));
    memcpy(s + CAIRN_STATE_W, state->spin + 3 * (int64_t)cell->id[i], 3 * sizeof(double));
    if (!body)
      continue;
    memcpy(body[i].state + CAIRN_STATE_V, s + CAIRN_STATE_V, 3 * sizeof(double));
    memcpy(body[i].state + CAIRN_STATE_W, s + CAIRN_STATE_W, 3 * sizeof(double));
  }
  cell->is_predicted = false;
}

int cairn_cells_capture(const struct cairn_cells *cells, struct cairn_state *state, struct cairn_error *error) {
  struct cairn_packet **packet = calloc((size_t)cells->n_cells + 1, sizeof *packet);
  bool failed = !packet;
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++) {
    packet[c] = cairn_cells_snapshot(cells, c);
    failed = !packet[c];
  }
  const int status =
      failed ? out_of_memory(error) : cairn_packet_capture(packet, cells->n_cells, state, cells->rules.memory, error);
  for (cairn_cell_t c = 0; c < cells->n_cells && packet; c++)
    free(packet[c]);
  free(packet);
  return status;
}
