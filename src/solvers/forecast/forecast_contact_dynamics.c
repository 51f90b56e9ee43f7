/* A step of contact dynamics as a graph: cells are slices in a row, or columns laid as bricks (decision 0019); ranks
 * have stretches of slices, parts of a slice, or blocks of columns. A sweep changes bodies of its cell and of those
 * above it; of other ranks they are lent before the sweeps of a colour and returned after them (decision 0021). */
#include "solvers/forecast/forecast_parts.h"

/* Above: the next slice, or the next column of the same slice. */
enum { NEXT_SLICE, NEXT_COLUMN, BORDER_BYTES = 48 };

/* Bodies of a cell at one of its faces (decision 0019). */
static const double border_part = 1. / 6.;

static int32_t rank_above(const struct cairn_forecast_scene *s, int32_t rank, int axis) {
  int32_t at[2] = {rank / s->ranks[1], rank % s->ranks[1]};
  at[axis]++;
  if (s->torus[axis])
    at[axis] %= s->ranks[axis];
  return at[axis] < s->ranks[axis] ? at[0] * s->ranks[1] + at[1] : -1;
}

static bool is_row(const struct cairn_forecast_scene *s) { return s->block[1] == 1 && s->ranks[1] == 1; }

static int32_t color_of(const struct cairn_forecast_scene *s, int32_t rank, int32_t cell) {
  const int32_t slice = rank / s->ranks[1] * s->block[0] + cell / s->block[1];
  const int32_t column = rank % s->ranks[1] * s->block[1] + cell % s->block[1];
  return is_row(s) ? slice % 2 : 2 * (slice % 2) + column % 2;
}

/* Data: the velocities of each cell, and those that it borrows from above in two directions. */
static int32_t velocities_of(const struct cairn_forecast_scene *s, int32_t rank, int32_t cell) {
  return rank * s->n_cells + cell;
}

static int32_t borrowed_of(const struct cairn_forecast_scene *s, int32_t rank, int32_t cell, int axis) {
  return s->n_ranks * s->n_cells + 2 * (rank * s->n_cells + cell) + axis;
}

static void touch(struct cairn_graph *graph, int32_t step, int32_t datum, bool writes) {
  if (writes)
    cairn_graph_write(graph, step, datum);
  else
    cairn_graph_read(graph, step, datum);
}

/* What a task over the contacts of a cell touches: itself, the next of its slice, two of the next slice. */
static void touch_all(const struct cairn_forecast_scene *s, struct cairn_graph *graph, int32_t rank, int32_t cell,
                      int32_t task, bool writes) {
  const int32_t slice = cell / s->block[1], column = cell % s->block[1];
  const int32_t shift = is_row(s) ? 0 : slice % 2 ? 1 : -1;
  touch(graph, task, velocities_of(s, rank, cell), writes);
  if (column + 1 < s->block[1])
    touch(graph, task, velocities_of(s, rank, cell + 1), writes);
  else if (rank_above(s, rank, NEXT_COLUMN) >= 0 && !is_row(s))
    touch(graph, task, borrowed_of(s, rank, cell, NEXT_COLUMN), writes);
  if (slice + 1 == s->block[0]) {
    if (rank_above(s, rank, NEXT_SLICE) >= 0)
      touch(graph, task, borrowed_of(s, rank, cell, NEXT_SLICE), writes);
    return;
  }
  touch(graph, task, velocities_of(s, rank, cell + s->block[1]), writes);
  if (shift && column + shift >= 0 && column + shift < s->block[1])
    touch(graph, task, velocities_of(s, rank, cell + s->block[1] + shift), writes);
}

/* Lend to a rank what its sweeps of a colour need from above, or return it. */
static void exchange(const struct cairn_forecast_scene *s, struct cairn_graph *graph, int32_t rank, int axis,
                     int32_t color, bool returns) {
  const int32_t above = rank_above(s, rank, axis), step = axis == NEXT_SLICE ? 1 : s->block[1];
  const int32_t n = axis == NEXT_SLICE ? s->block[1] : s->block[0];
  const int32_t last = axis == NEXT_SLICE ? (s->block[0] - 1) * s->block[1] : s->block[1] - 1;
  int32_t n_colored = 0;
  for (int32_t k = 0; k < n; k++)
    n_colored += color_of(s, rank, last + k * step) == color;
  if (above < 0 || n_colored == 0 || (axis == NEXT_COLUMN && is_row(s)))
    return;
  const double bytes = BORDER_BYTES * border_part * s->bodies * n_colored;
  const int32_t message = cairn_graph_message(graph, returns ? rank : above, returns ? above : rank, bytes);
  for (int32_t k = 0; k < n; k++) {
    if (color_of(s, rank, last + k * step) == color)
      touch(graph, message, borrowed_of(s, rank, last + k * step, axis), !returns);
    touch(graph, message, velocities_of(s, above, k * step), returns);
  }
}

/* A task over the contacts of all cells, colour by colour. */
static void pass(const struct cairn_forecast_scene *s, struct cairn_graph *graph, enum cairn_forecast_task kind,
                 bool writes) {
  for (int32_t color = 0; color < (is_row(s) ? 2 : 4); color++) {
    for (int32_t r = 0; r < s->n_ranks; r++)
      for (int axis = 0; axis < 2; axis++)
        exchange(s, graph, r, axis, color, false);
    for (int32_t r = 0; r < s->n_ranks; r++)
      for (int32_t c = 0; c < s->n_cells; c++)
        if (color_of(s, r, c) == color)
          touch_all(s, graph, r, c, cairn_forecast_add(s, graph, r, c, kind), writes);
    for (int32_t r = 0; r < s->n_ranks && writes; r++)
      for (int axis = 0; axis < 2; axis++)
        exchange(s, graph, r, axis, color, true);
  }
}

static void each(const struct cairn_forecast_scene *s, struct cairn_graph *graph, enum cairn_forecast_task kind) {
  for (int32_t r = 0; r < s->n_ranks; r++)
    for (int32_t c = 0; c < s->n_cells; c++)
      cairn_graph_write(graph, cairn_forecast_add(s, graph, r, c, kind), velocities_of(s, r, c));
}

int cairn_forecast_contact_dynamics(const struct cairn_forecast_scene *s, enum cairn_forecast_part part, int32_t sweeps,
                                    struct cairn_graph_outcome *outcome) {
  struct cairn_graph graph;
  cairn_graph_init(&graph, s->n_ranks, 3 * s->n_ranks * s->n_cells);
  if (part == CAIRN_FORECAST_BEGIN) {
    each(s, &graph, CAIRN_FORECAST_gather);
    each(s, &graph, CAIRN_FORECAST_cd_begin);
    pass(s, &graph, CAIRN_FORECAST_cd_warm_start, true);
  }
  if (part == CAIRN_FORECAST_END)
    each(s, &graph, CAIRN_FORECAST_cd_end);
  else {
    each(s, &graph, CAIRN_FORECAST_cd_extrapolate);
    for (int32_t k = 0; k < sweeps && !graph.failed; k++)
      pass(s, &graph, CAIRN_FORECAST_cd_sweep, true);
    pass(s, &graph, CAIRN_FORECAST_cd_residual, false);
  }
  const int failed = cairn_graph_run(&graph, &s->machine, outcome);
  cairn_graph_fini(&graph);
  return failed;
}
