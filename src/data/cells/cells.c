#include "data/cells/cells.h"

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
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    cells->cell[c].number = c;
  return cells->cell ? 0 : out_of_memory(error);
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
  cell->cost = packet->cost;
  for (int32_t i = 0; i < packet->n; i++)
    cell->id[i] = cairn_packet_bodies(packet)[i].id;
  find_box(cells, cell);
  return 0;
}

void cairn_cells_note_cost(struct cairn_cell *cell, int64_t n_steps, int64_t n_before) {
  enum {
    MOST = 20
  }; /* a mean over some steps, so that one slow task does not decide; but not over all since the start */
  const double time = (double)__atomic_load_n(&cell->time, __ATOMIC_RELAXED), steps = (double)n_steps;
  const double before = cell->cost > 0. ? (double)(n_before < MOST ? n_before : MOST) : 0.;
  if (cell->packet && cell->size.n > 0 && n_steps > 0)
    cell->packet->cost = (before * cell->cost + time / cell->size.n) / (before + steps);
  else if (cell->packet)
    cell->packet->cost = cell->cost;
}

/* The cut of all bodies of a state in one packet. */
static int cut_all(const struct cairn_packet *all, const struct cairn_cells_rules *rules, int64_t max_bodies,
                   struct cairn_morton **entry, struct cairn_cut *cut) {
  struct cairn_cut_list list = {.body = cairn_packet_bodies(all)};
  if (rules->partition == CAIRN_CELLS_OCTREE) {
    const struct cairn_packet_summary summary = cairn_packet_summarise((struct cairn_packet *)all, 0., NULL);
    list.entry = *entry =
        cairn_packet_order(all, summary.lower, cairn_morton_scale(summary.lower, summary.upper), &list.n);
    return !*entry || cairn_cut_make(&list, 1, max_bodies, NULL, NULL, cut);
  }
  struct cairn_cut_spread spread = {0};
  cairn_cut_note(&spread, all);
  const struct cairn_cut_slices slices = cairn_cut_plan(&spread, max_bodies);
  list.entry = *entry = cairn_cut_order(all, slices.axis[0], &list.n);
  int failed = !*entry || cairn_cut_make_slices(&list, 1, spread.n, &slices, NULL, NULL, cut);
  for (int32_t s = 0; s < cut->n && slices.n_columns > 0 && !failed; s++)
    failed = cairn_cut_reorder(all, slices.axis[1], *entry + cut->range[s].from, (int32_t)cut->part[s].n);
  return failed || (slices.n_columns > 0 && cairn_cut_make_columns(&list, &slices, NULL, NULL, cut));
}

int cairn_cells_partition(struct cairn_cells *cells, const struct cairn_state *state,
                          const struct cairn_cells_rules *rules, int64_t max_bodies, double skin,
                          struct cairn_error *error) {
  struct cairn_cells_rules complete = *rules;
  struct cairn_packet *all;
  struct cairn_morton *entry = NULL;
  struct cairn_cut cut = {0};
  complete.extras = true;
  *cells = (struct cairn_cells){0};
  cairn_packet_of_state(state, 0, NULL, 0, (int32_t)state->n, complete.extras, rules->memory, &all);
  int failed = !all || cut_all(all, &complete, max_bodies, &entry, &cut) ||
               cairn_cells_create(cells, cut.n, &complete, NULL) != 0;
  cells->n = state->n;
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++) {
    const struct cairn_cut_range r = cut.range[cut.part[c].first];
    const struct cairn_packet_part part = {all, entry + r.from, r.to - r.from};
    failed = cairn_cells_adopt(cells, c, cairn_packet_merge(&part, 1, complete.extras, rules->memory));
  }
  cairn_cut_fini(&cut);
  free(entry);
  free(all);
  failed = failed || cairn_cells_find_neighbors(cells, skin, error) != 0;
  if (failed)
    cairn_cells_fini(cells);
  return failed ? out_of_memory(error) : 0;
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

void cairn_cells_set_gravity(const struct cairn_cells *cells, struct cairn_cell *cell, const int64_t *first,
                             const double *gravity) {
  double *field = (double *)((char *)cell->pair_list + cairn_pair_list_offsets(cell->size).field);
  const double *own = gravity + 3 * first[cell - cells->cell];
  if (cell->size.n_fields > 0)
    memcpy(field, own, 3 * (size_t)cell->size.n * sizeof *field);
  for (int32_t i = cell->size.n; i < cell->size.n_fields; i++) {
    const struct cairn_halo_source source = cell->halo[i - cell->size.n];
    memcpy(field + 3 * (int64_t)i, gravity + 3 * (first[cell->neighbor[source.neighbor]] + source.index),
           3 * sizeof *field);
  }
  for (int32_t i = 0; cell->packet && i < cell->packet->n_extra; i++)
    memcpy(cairn_packet_extras(cell->packet)[i].gravity, own + 3 * (int64_t)i, 3 * sizeof *field);
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
