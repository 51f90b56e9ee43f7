#include "solvers/forecast/forecast.h"

#include <math.h>
#include <stdlib.h>

#include "data/cells/cut.h"
#include "solvers/forecast/forecast_parts.h"
#include "solvers/soft_spheres.h"

/* As many cells are simulated at most; a rank with more of them takes longer in proportion. */
enum { MOST_CELLS = 16384 };

/* What a regrid costs where there are several ranks, beside its tasks: the driver looks at all cells of the machine
 * when it cuts the curve; ranks tell each other counts (8 bytes, up and down) and boxes (48 bytes) of all cells. */
static const double cut_seconds = 2.5e-7, regrid_bytes = 64.;
/* Joins of results over all ranks at a regrid, beside one for each halving of the curve. */
enum { REGRID_JOINS = 10 };

double cairn_forecast_batch(const struct cairn_forecast_costs *costs, double cells) {
  const double most = fmax(4., floor(CAIRN_SOFT_SPHERES_TASKS_PER_BATCH / (2. * cells + 1.)));
  return costs->regrids > 0. ? fmax(1., fmin(most, 1. / costs->regrids)) : most;
}

double cairn_forecast_seconds(const struct cairn_forecast_costs *costs, enum cairn_forecast_task task, double bodies) {
  return costs->task[task].base + costs->task[task].per_body * bodies;
}

int32_t cairn_forecast_add(const struct cairn_forecast_scene *s, struct cairn_graph *graph, int32_t rank, int32_t cell,
                           enum cairn_forecast_task task) {
  return cairn_graph_task(graph, rank,
                          s->factor[rank * s->n_cells + cell] * cairn_forecast_seconds(s->costs, task, s->bodies),
                          task == CAIRN_FORECAST_advance || task == CAIRN_FORECAST_cd_sweep);
}

/* ---- the scene ---- */

/* Three whole numbers, as equal as may be, whose product is n, or near it. */
static void split(double n, bool exactly, int32_t part[3]) {
  const int32_t all = (int32_t)n;
  int32_t a = (int32_t)fmax(1., round(cbrt(n)));
  while (exactly && all % a)
    a--;
  int32_t b = (int32_t)fmax(1., round(sqrt(n / a)));
  while (exactly && all / a % b)
    b--;
  part[2] = a;
  part[1] = b;
  part[0] = exactly ? all / a / b : (int32_t)fmax(1., round(n / a / b));
}

/* Boxes of cells, as cubic as may be. */
static void arrange_boxes(struct cairn_forecast_scene *s, double n_ranks, double cells) {
  split(cells, false, s->block);
  split(n_ranks <= 8. ? n_ranks : 8., true, s->ranks);
  for (int k = 0; k < 3; k++)
    s->torus[k] = n_ranks > 8.;
}

/* The next even number, so that colours alternate across ranks too; 1 stays. */
static int32_t make_even(double n) { return n < 1.5 ? 1 : 2 * (int32_t)fmax(1., round(0.5 * n)); }

/* Slices, up to 64 of all ranks, or columns. A rank has some slices of as many columns each, or a part of one. */
static void arrange_stretches(struct cairn_forecast_scene *s, double n_ranks, double cells) {
  const double all = cells * n_ranks, side = all <= CAIRN_CUT_MOST_SLICES ? 1. : round(sqrt(all));
  const double slices = fmax(1., round(cells / side)), parts = fmax(1., round(side / cells));
  s->block[0] = (int32_t)slices;
  s->block[1] = (int32_t)fmax(1., round(cells / slices));
  s->ranks[0] = (int32_t)fmin(4., fmax(1., round(n_ranks / parts)));
  s->ranks[1] = parts > 1. ? 2 : 1;
  s->torus[0] = n_ranks / parts > 4.5;
  s->torus[1] = parts > 2.;
}

/* Columns, of which a rank has a block, as square as may be. */
static void arrange_blocks(struct cairn_forecast_scene *s, double n_ranks, double cells) {
  s->block[0] = make_even(sqrt(cells));
  s->block[1] = make_even(cells / s->block[0]);
  s->ranks[0] = n_ranks > 3. ? 2 : (int32_t)n_ranks;
  s->ranks[1] = n_ranks > 3. ? 2 : 1;
  s->torus[0] = s->torus[1] = n_ranks > 4.;
}

static void arrange_columns(struct cairn_forecast_scene *s, double n_ranks, double cells, bool in_blocks) {
  s->block[2] = s->ranks[2] = 1;
  if (in_blocks && cells * n_ranks > CAIRN_CUT_MOST_SLICES)
    arrange_blocks(s, n_ranks, cells);
  else
    arrange_stretches(s, n_ranks, cells);
}

/* Numbers between 1 - a and 1 + a with the deviation of the measured tasks and a mean of 1, the same in every forecast.
 */
static int draw_factors(struct cairn_forecast_scene *s) {
  const int32_t n = s->n_ranks * s->n_cells;
  const double width = fmin(0.9, sqrt(3.) * s->costs->deviation);
  uint64_t seed = 1;
  double sum = 0.;
  s->factor = malloc((size_t)n * sizeof *s->factor);
  for (int32_t i = 0; i < n && s->factor; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    s->factor[i] = 1. + width * (2. * (double)(seed >> 11) / 9007199254740992. - 1.);
    sum += s->factor[i];
  }
  for (int32_t i = 0; i < n && s->factor; i++)
    s->factor[i] *= n / sum;
  return !s->factor;
}

/* ---- the time of a step ---- */

/* Parts of a step on the simulated ranks: s of the clock, and sums over their workers. */
static void add(struct cairn_graph_outcome *sum, const struct cairn_graph_outcome *more, double times) {
  sum->seconds += times * more->seconds;
  sum->kernels += times * more->kernels;
  sum->runtime += times * more->runtime;
  sum->communication += times * more->communication;
}

/* The driver waits for all tasks, and all ranks join their results `joins` times: nobody works meanwhile. */
static void wait_for_all(const struct cairn_forecast_scene *s, double n_ranks, double joins, double times,
                         struct cairn_graph_outcome *sum) {
  const double seconds = n_ranks > 1. ? joins * 2. * ceil(log2(n_ranks)) * s->machine.latency : 0.;
  sum->seconds += times * (s->costs->pause + seconds);
  sum->communication += times * seconds * s->n_ranks * s->machine.workers;
}

/* Steps in batches. A long batch is as much longer than a short one as its steps are more. */
static int add_batches(const struct cairn_forecast_scene *s, double n_ranks, struct cairn_graph_outcome *sum) {
  const double batch = floor(cairn_forecast_batch(s->costs, s->n_cells));
  const int32_t most = s->n_cells * s->n_ranks > 2048 ? 8 : 32;
  struct cairn_graph_outcome one, two;
  if (batch <= most) {
    if (cairn_forecast_soft_spheres(s, (int32_t)batch, &one))
      return -1;
    add(sum, &one, 1. / batch);
  } else {
    if (cairn_forecast_soft_spheres(s, most / 2, &one) || cairn_forecast_soft_spheres(s, most, &two))
      return -1;
    add(sum, &two, (batch - most / 2) / (0.5 * most) / batch);
    add(sum, &one, (1. - (batch - most / 2) / (0.5 * most)) / batch);
  }
  wait_for_all(s, n_ranks, 1., 1. / batch, sum);
  return 0;
}

/* Sweeps between two residuals need not be a whole number: between those of the next ones. */
static int add_sweeps(const struct cairn_forecast_scene *s, enum cairn_forecast_part part, double times,
                      struct cairn_graph_outcome *sum) {
  const double sweeps = s->costs->sweeps / s->costs->residuals, low = floor(sweeps);
  struct cairn_graph_outcome one, two;
  if (cairn_forecast_contact_dynamics(s, part, (int32_t)low, &one) ||
      cairn_forecast_contact_dynamics(s, part, (int32_t)low + 1, &two))
    return -1;
  add(sum, &one, times * (1. - (sweeps - low)));
  add(sum, &two, times * (sweeps - low));
  return 0;
}

static int add_solver(const struct cairn_forecast_scene *s, double n_ranks, struct cairn_graph_outcome *sum) {
  struct cairn_graph_outcome end;
  if (add_sweeps(s, CAIRN_FORECAST_BEGIN, 1., sum) ||
      (s->costs->residuals > 1. && add_sweeps(s, CAIRN_FORECAST_MORE, s->costs->residuals - 1., sum)) ||
      cairn_forecast_contact_dynamics(s, CAIRN_FORECAST_END, 0, &end))
    return -1;
  add(sum, &end, 1.);
  wait_for_all(s, n_ranks, 1., s->costs->residuals + 1., sum);
  return 0;
}

/* Its tasks need nothing of each other; the driver waits after each kind. */
static int add_regrids(const struct cairn_forecast_scene *s, double n_ranks, struct cairn_graph_outcome *sum) {
  const double all = n_ranks * s->n_cells, times = s->costs->regrids;
  for (int kind = CAIRN_FORECAST_snapshot; kind <= CAIRN_FORECAST_build && times > 0.; kind++) {
    struct cairn_graph graph;
    struct cairn_graph_outcome one;
    cairn_graph_init(&graph, s->n_ranks, 0);
    for (int32_t r = 0; r < s->n_ranks; r++)
      for (int32_t c = 0; c < s->n_cells; c++)
        cairn_forecast_add(s, &graph, r, c, (enum cairn_forecast_task)kind);
    const int failed = cairn_graph_run(&graph, &s->machine, &one);
    cairn_graph_fini(&graph);
    if (failed)
      return -1;
    add(sum, &one, times);
    wait_for_all(s, n_ranks, 1., times, sum);
  }
  sum->seconds += times * s->costs->regrid * s->n_cells;
  if (n_ranks > 1.) {
    const double told = regrid_bytes * all / s->machine.bandwidth;
    sum->seconds += times * (cut_seconds * all + told);
    sum->communication += times * told * s->n_ranks * s->machine.workers;
    wait_for_all(s, n_ranks, REGRID_JOINS + ceil(log2(all)), times, sum);
  }
  return 0;
}

/* One worker of one process never waits but for the driver. */
static double alone(const struct cairn_forecast_scene *s, double cells) {
  const struct cairn_forecast_costs *c = s->costs;
  const double regrids = c->regrids;
  double each = 0.;
  for (int k = 0; k < CAIRN_FORECAST_N_TASKS; k++) {
    const bool sweeps = k == CAIRN_FORECAST_cd_sweep,
               often = k == CAIRN_FORECAST_cd_residual || k == CAIRN_FORECAST_cd_extrapolate;
    const double rate = k >= CAIRN_FORECAST_snapshot ? regrids : sweeps ? c->sweeps : often ? c->residuals : 1.;
    const double seconds = cairn_forecast_seconds(c, (enum cairn_forecast_task)k, s->bodies);
    each += seconds > 0. ? rate * (seconds + c->overhead) : 0.;
  }
  const double waits = (c->sweeps > 0. ? c->residuals + 1. : 1. / cairn_forecast_batch(c, cells)) +
                       CAIRN_FORECAST_REGRID_WAITS * regrids;
  return cells * (each + regrids * c->regrid) + waits * c->pause;
}

static void begin(struct cairn_forecast_scene *s, struct cairn_forecast_costs *costs,
                  const struct cairn_forecast_machine *m) {
  s->costs = costs;
  for (int k = 0; k < CAIRN_FORECAST_N_TASKS; k++) {
    costs->task[k].base /= m->speed;
    costs->task[k].per_body /= m->speed;
  }
  costs->overhead = m->overhead >= 0. ? m->overhead : costs->overhead;
  s->machine = (struct cairn_graph_machine){.workers = (int)m->workers,
                                            .devices = (int)m->devices,
                                            .device_speed = m->device_speed,
                                            .overhead = costs->overhead,
                                            .submission = costs->submission,
                                            .latency = m->latency,
                                            .bandwidth = m->bandwidth / m->ranks};
  if (m->workers >= m->cores) /* the driving thread takes its time from the workers */
    s->machine.overhead += costs->submission;
}

int cairn_forecast_make(const struct cairn_forecast_costs *costs, const struct cairn_forecast_machine *m,
                        struct cairn_forecast *forecast, struct cairn_error *error) {
  struct cairn_forecast_costs scaled = *costs;
  struct cairn_forecast_scene s = {0};
  struct cairn_graph_outcome sum = {0};
  const double n_ranks = m->nodes * m->ranks, mine = m->bodies / n_ranks;
  const double workers = n_ranks * (m->workers + m->devices);
  begin(&s, &scaled, m);
  const double cells = fmax(1., round(mine / fmin(m->cell_bodies, fmax(1., mine))));
  /* the simulated ranks are eight at most */
  const double simulated = fmin(cells, MOST_CELLS / fmin(n_ranks, 8.));
  if (scaled.sweeps > 0.)
    arrange_columns(&s, n_ranks, simulated, m->blocks > 0.);
  else
    arrange_boxes(&s, n_ranks, simulated);
  s.n_ranks = s.ranks[0] * s.ranks[1] * s.ranks[2];
  s.n_cells = s.block[0] * s.block[1] * s.block[2];
  const double scale = cells / s.n_cells; /* of cells, or what rounding has changed */
  s.bodies = simulated < cells ? mine / cells : mine / s.n_cells;
  const double longer = simulated < cells ? scale : 1.;
  int failed = draw_factors(&s) ||
               (scaled.sweeps > 0. ? add_solver(&s, n_ranks, &sum) : add_batches(&s, n_ranks, &sum)) ||
               add_regrids(&s, n_ranks, &sum);
  free(s.factor);
  if (failed)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for %d ranks with %d cells each", s.n_ranks,
                           s.n_cells);
  const double per = longer / (s.n_ranks * (m->workers + m->devices));
  *forecast = (struct cairn_forecast){.workers = workers,
                                      .cells = n_ranks * s.n_cells * longer,
                                      .seconds = longer * sum.seconds,
                                      .kernels = per * sum.kernels,
                                      .runtime = per * sum.runtime,
                                      .communication = per * sum.communication};
  forecast->idle = fmax(0., forecast->seconds - forecast->kernels - forecast->runtime - forecast->communication);
  forecast->efficiency = alone(&s, forecast->cells) / (workers * forecast->seconds);
  return 0;
}
