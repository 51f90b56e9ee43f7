/* Steps of soft spheres as a graph: cells are boxes in a grid with 26 neighbours each, ranks blocks of them. */
#include <math.h>

#include "solvers/forecast/forecast_parts.h"

enum { DIRECTIONS = 27, STAY = 13, LENT_BYTES = 80 };

static int32_t offset(int direction, int axis) {
  return (axis == 0 ? direction / 9 : axis == 1 ? direction / 3 : direction) % 3 - 1;
}

/* The rank in a direction; -1 if there is none. */
static int32_t rank_at(const struct cairn_forecast_scene *s, int32_t rank, int direction) {
  int32_t at[3] = {rank / (s->ranks[1] * s->ranks[2]), rank / s->ranks[2] % s->ranks[1], rank % s->ranks[2]};
  for (int k = 0; k < 3; k++) {
    at[k] += offset(direction, k);
    if (s->torus[k])
      at[k] = (at[k] + s->ranks[k]) % s->ranks[k];
    if (at[k] < 0 || at[k] >= s->ranks[k])
      return -1;
  }
  return (at[0] * s->ranks[1] + at[1]) * s->ranks[2] + at[2];
}

static void place_of(const struct cairn_forecast_scene *s, int32_t cell, int32_t at[3]) {
  at[0] = cell / (s->block[1] * s->block[2]);
  at[1] = cell / s->block[2] % s->block[1];
  at[2] = cell % s->block[2];
}

/* Is the cell at the border of its block in this direction? */
static bool is_border(const struct cairn_forecast_scene *s, int32_t cell, int direction) {
  int32_t at[3];
  bool is = true;
  place_of(s, cell, at);
  for (int k = 0; k < 3; k++)
    is &= offset(direction, k) == 0 || at[k] == (offset(direction, k) < 0 ? 0 : s->block[k] - 1);
  return is;
}

/* Data: the state and the predicted kinematics of each cell, what is lent and borrowed in each direction, in two
 * buffers. */
static int32_t state_of(const struct cairn_forecast_scene *s, int32_t rank, int32_t cell) {
  return 2 * (rank * s->n_cells + cell);
}

static int32_t lent_of(const struct cairn_forecast_scene *s, int32_t rank, int direction, int turn) {
  return 2 * s->n_ranks * s->n_cells + 4 * (rank * DIRECTIONS + direction) + turn;
}

/* Bodies at a border: one layer. */
static double bodies_lent(const struct cairn_forecast_scene *s, int direction) {
  double n = 1.;
  for (int k = 0; k < 3; k++)
    n *= offset(direction, k) == 0 ? s->block[k] * cbrt(s->bodies) : 1.;
  return n;
}

static void exchange(const struct cairn_forecast_scene *s, struct cairn_graph *graph, int32_t rank, int turn) {
  for (int direction = 0; direction < DIRECTIONS; direction++) {
    const int32_t other = direction == STAY ? -1 : rank_at(s, rank, direction);
    if (other < 0)
      continue;
    const double n = bodies_lent(s, direction);
    const double seconds = cairn_forecast_seconds(s->costs, CAIRN_FORECAST_gather, s->bodies) * n / s->bodies;
    const int32_t pack = cairn_graph_task(graph, rank, seconds, false);
    for (int32_t c = 0; c < s->n_cells; c++)
      if (is_border(s, c, direction))
        cairn_graph_read(graph, pack, state_of(s, rank, c));
    cairn_graph_write(graph, pack, lent_of(s, rank, direction, turn));
    const int32_t message = cairn_graph_message(graph, rank, other, LENT_BYTES * n);
    cairn_graph_read(graph, message, lent_of(s, rank, direction, turn));
    cairn_graph_write(graph, message, lent_of(s, other, DIRECTIONS - 1 - direction, 2 + turn));
  }
}

static void gather(const struct cairn_forecast_scene *s, struct cairn_graph *graph, int32_t rank, int32_t cell,
                   int turn) {
  const int32_t task = cairn_forecast_add(s, graph, rank, cell, CAIRN_FORECAST_gather);
  int32_t at[3];
  place_of(s, cell, at);
  for (int direction = 0; direction < DIRECTIONS; direction++) {
    int32_t to[3], over = 0;
    for (int k = 0; k < 3; k++) {
      to[k] = at[k] + offset(direction, k);
      over = 3 * over + (to[k] < 0 ? 0 : to[k] >= s->block[k] ? 2 : 1);
    }
    if (over == STAY)
      cairn_graph_read(graph, task, state_of(s, rank, (to[0] * s->block[1] + to[1]) * s->block[2] + to[2]));
    else if (rank_at(s, rank, over) >= 0)
      cairn_graph_read(graph, task, lent_of(s, rank, over, 2 + turn));
  }
  cairn_graph_write(graph, task, state_of(s, rank, cell) + 1);
}

int cairn_forecast_soft_spheres(const struct cairn_forecast_scene *s, int32_t n_steps,
                                struct cairn_graph_outcome *outcome) {
  struct cairn_graph graph;
  cairn_graph_init(&graph, s->n_ranks, 2 * s->n_ranks * s->n_cells + 4 * s->n_ranks * DIRECTIONS);
  for (int32_t step = 0; step < n_steps && !graph.failed; step++) {
    for (int32_t r = 0; r < s->n_ranks; r++)
      exchange(s, &graph, r, step % 2);
    for (int32_t r = 0; r < s->n_ranks; r++)
      for (int32_t c = 0; c < s->n_cells; c++)
        gather(s, &graph, r, c, step % 2);
    for (int32_t r = 0; r < s->n_ranks; r++)
      for (int32_t c = 0; c < s->n_cells; c++) {
        const int32_t task = cairn_forecast_add(s, &graph, r, c, CAIRN_FORECAST_advance);
        cairn_graph_write(&graph, task, state_of(s, r, c));
        cairn_graph_write(&graph, task, state_of(s, r, c) + 1);
      }
  }
  const int failed = cairn_graph_run(&graph, &s->machine, outcome);
  cairn_graph_fini(&graph);
  return failed;
}
