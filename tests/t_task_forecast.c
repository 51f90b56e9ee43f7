/* The simulation of events behind cairn forecast, on graphs whose time is known; the model of measured tasks; and the
 * forecast for one worker, which must be the sum of its tasks. Times are sums of a few doubles: 1e-12 relative. */
#include <string.h>

#include "solvers/forecast/forecast_parts.h"
#include "tap/tap.h"

static double run(struct cairn_graph *graph, struct cairn_graph_machine machine, struct cairn_graph_outcome *outcome) {
  struct cairn_graph_outcome ignored;
  outcome = outcome ? outcome : &ignored;
  const int failed = cairn_graph_run(graph, &machine, outcome);
  cairn_graph_fini(graph);
  return failed ? -1. : outcome->seconds;
}

static void test_one_rank(void) {
  struct cairn_graph g;
  struct cairn_graph_machine two = {.workers = 2, .bandwidth = 1.};
  cairn_graph_init(&g, 1, 1);
  for (int k = 0; k < 10; k++)
    cairn_graph_write(&g, cairn_graph_task(&g, 0, 3., false), 0);
  tap_near(run(&g, two, NULL), 30., 0, 1e-12, "a chain takes the sum, however many workers there are");

  cairn_graph_init(&g, 1, 8);
  for (int k = 0; k < 7; k++)
    cairn_graph_write(&g, cairn_graph_task(&g, 0, 2., false), k);
  const int32_t join = cairn_graph_task(&g, 0, 1., false);
  for (int k = 0; k < 7; k++)
    cairn_graph_read(&g, join, k);
  tap_near(run(&g, two, NULL), 9., 0, 1e-12, "fork and join: seven tasks of 2 s on two workers, then one of 1 s");

  cairn_graph_init(&g, 1, 1);
  cairn_graph_write(&g, cairn_graph_task(&g, 0, 1., false), 0);
  for (int k = 0; k < 3; k++)
    cairn_graph_read(&g, cairn_graph_task(&g, 0, 1., false), 0);
  cairn_graph_write(&g, cairn_graph_task(&g, 0, 1., false), 0);
  tap_near(run(&g, two, NULL), 4., 0, 1e-12, "who reads may do so with others; who writes waits for them");

  static const double seconds[] = {3., 2., 2., 1.};
  cairn_graph_init(&g, 1, 0);
  for (int k = 0; k < 4; k++)
    cairn_graph_task(&g, 0, seconds[k], false);
  tap_near(run(&g, two, NULL), 4., 0, 1e-12, "two workers take 3, 2, 2, 1 in this order in 4 s");

  struct cairn_graph_outcome outcome;
  two.overhead = 0.5;
  cairn_graph_init(&g, 1, 0);
  for (int k = 0; k < 6; k++)
    cairn_graph_task(&g, 0, 1., false);
  tap_near(run(&g, two, &outcome), 4.5, 0, 1e-12, "the overhead counts with each task");
  tap_near(outcome.kernels, 6., 0, 1e-12, "apart from the kernels");
  tap_near(outcome.runtime, 3., 0, 1e-12, "as runtime");
  two.overhead = 0.;
  two.submission = 5.;
  cairn_graph_init(&g, 1, 0);
  for (int k = 0; k < 6; k++)
    cairn_graph_task(&g, 0, 1., false);
  tap_near(run(&g, two, NULL), 31., 0, 1e-12, "short tasks wait for their submission");

  const struct cairn_graph_machine device = {.workers = 1, .devices = 1, .device_speed = 4., .bandwidth = 1.};
  cairn_graph_init(&g, 1, 0);
  for (int k = 0; k < 5; k++)
    cairn_graph_task(&g, 0, 4., true);
  tap_near(run(&g, device, NULL), 4., 0, 1e-12, "a device of four times the speed does four of five tasks");
  cairn_graph_init(&g, 1, 0);
  for (int k = 0; k < 5; k++)
    cairn_graph_task(&g, 0, 4., false);
  tap_near(run(&g, device, NULL), 20., 0, 1e-12, "and none that it cannot");
}

/* Two ranks: each needs what the other had in the step before. */
static void test_exchange(void) {
  const struct cairn_graph_machine machine = {.workers = 1, .latency = 10., .bandwidth = 100.};
  struct cairn_graph g;
  struct cairn_graph_outcome outcome;
  cairn_graph_init(&g, 2, 4); /* own 0, 1; borrowed 2, 3 */
  for (int step = 0; step < 5; step++) {
    for (int r = 0; r < 2; r++) {
      const int32_t message = cairn_graph_message(&g, r, 1 - r, 200.);
      cairn_graph_read(&g, message, r);
      cairn_graph_write(&g, message, 2 + 1 - r);
    }
    for (int r = 0; r < 2; r++) {
      const int32_t task = cairn_graph_task(&g, r, 1., false);
      cairn_graph_read(&g, task, 2 + r);
      cairn_graph_write(&g, task, r);
    }
  }
  tap_near(run(&g, machine, &outcome), 5. * (2. + 10. + 1.), 0, 1e-12,
           "an exchange at each step: sending, latency, task");
  tap_near(outcome.communication, 2. * 5. * 12., 0, 1e-12, "both workers wait for messages meanwhile");

  cairn_graph_init(&g, 2, 0);
  for (int k = 0; k < 3; k++)
    cairn_graph_message(&g, 0, 1, 200.);
  tap_near(run(&g, machine, NULL), 16., 0, 1e-12,
           "a rank sends one message after the other, and they overlap on the way");
  cairn_graph_init(&g, 1, 0);
  tap_near(run(&g, machine, NULL), 0., 0, 0, "nothing takes no time");
}

/* ---- the model ---- */

static struct cairn_forecast_row row_of(double cells, const char *task, double count, double seconds) {
  struct cairn_forecast_row row = {
      .workers = 1., .bodies = 100000., .cells = cells, .steps = 100., .count = count, .seconds = seconds};
  strcpy(row.task, task);
  return row;
}

static void test_fit(void) {
  struct cairn_forecast_row rows[16];
  struct cairn_forecast_costs costs;
  struct cairn_error error = {0};
  int n = 0;
  for (int k = 0; k < 2; k++) {
    const double cells = k ? 50. : 10., steps = 100., bodies = 100000. / cells;
    rows[n++] = row_of(cells, "advance", steps * cells, steps * cells * (2e-5 + 8e-8 * bodies));
    rows[n++] = row_of(cells, "gather", steps * cells, steps * cells * 1e-9 * bodies);
    rows[n++] = row_of(cells, "build", 2. * cells, 2. * cells * 1e-7 * bodies);
    rows[n++] = row_of(cells, "runtime", 2. * steps * cells, 2. * steps * cells * 5e-6);
    /* 4096 / (2 cells + 1) steps in a batch, here limited to the 50 of a regrid, which has four waits more */
    const double batch = k ? 40. : 50., waits = steps * (1. / batch + 4. * 0.02);
    rows[n++] = row_of(cells, "idle", 1., waits * 3e-4 + 2. * cells * 6e-5);
    rows[n++] = row_of(cells, "driver", 1., waits * 3e-4 + 2. * cells * 6e-5 + 2. * steps * cells * 2e-6);
  }
  ok(cairn_forecast_fit(rows, n, &costs, &error) == 0, "tasks of two sizes of cells are a model");
  tap_near(costs.task[CAIRN_FORECAST_advance].base, 2e-5, 0, 1e-9, "base");
  tap_near(costs.task[CAIRN_FORECAST_advance].per_body, 8e-8, 0, 1e-9, "and time per body");
  tap_near(costs.regrids, 0.02, 0, 1e-9, "regrids");
  tap_near(costs.overhead, 5e-6, 0, 1e-9, "overhead");
  tap_near(costs.submission, 2e-6, 0, 1e-9, "submission");
  tap_near(costs.pause, 3e-4, 0, 1e-6, "pauses");
  tap_near(costs.regrid, 6e-5, 0, 1e-6, "the driver's part of a regrid");
  rows[n] = row_of(10., "cd_sweep", 1e9, 1.);
  ok(cairn_forecast_fit(rows, n + 1, &costs, &error) == CAIRN_ERR_INPUT, "sweeps without residuals are refused");
  for (int i = 0; i < n; i++)
    rows[i].workers = 2.;
  ok(cairn_forecast_fit(rows, n, &costs, &error) == CAIRN_ERR_INPUT, "there must be runs with one worker");
}

/* ---- forecasts ---- */

static struct cairn_forecast make(const struct cairn_forecast_costs *costs, double ranks, double workers, double bodies,
                                  double latency) {
  const struct cairn_forecast_machine machine = {.nodes = ranks,
                                                 .ranks = 1.,
                                                 .workers = workers,
                                                 .cores = workers + 1.,
                                                 .latency = latency,
                                                 .bandwidth = 1e10,
                                                 .overhead = -1.,
                                                 .speed = 1.,
                                                 .bodies = bodies,
                                                 .cell_bodies = 3000.};
  struct cairn_forecast forecast = {0};
  struct cairn_error error;
  if (cairn_forecast_make(costs, &machine, &forecast, &error))
    diag("%s", error.message);
  return forecast;
}

static void test_forecasts(void) {
  struct cairn_forecast_costs soft = {.overhead = 5e-6, .pause = 1e-4, .regrid = 6e-5, .regrids = 0.01};
  struct cairn_forecast_costs solver = {
      .overhead = 5e-6, .pause = 1e-4, .regrid = 6e-5, .regrids = 0.01, .sweeps = 10.5, .residuals = 3.};
  for (int k = 0; k < CAIRN_FORECAST_N_TASKS; k++) {
    const bool is_solver = k >= CAIRN_FORECAST_cd_begin && k <= CAIRN_FORECAST_cd_end;
    soft.task[k].per_body = is_solver ? 0. : 8e-8;
    solver.task[k].per_body = k == CAIRN_FORECAST_advance ? 0. : 8e-8;
  }
  tap_near(make(&soft, 1., 1., 1e5, 0.).efficiency, 1., 0, 1e-9,
           "soft spheres: one worker does what the tasks sum up to");
  tap_near(make(&solver, 1., 1., 1e5, 0.).efficiency, 1., 0, 1e-9, "contact dynamics: the same in slices");
  tap_near(make(&solver, 1., 1., 1e6, 0.).efficiency, 1., 0, 1e-9, "and in columns");
  const struct cairn_forecast many = make(&soft, 1., 16., 1e6, 0.), few = make(&soft, 1., 16., 1e5, 0.);
  ok(many.efficiency > 0.85 && many.efficiency < 1., "sixteen workers share a million bodies well: %g",
     many.efficiency);
  ok(few.efficiency < many.efficiency, "and fewer bodies less well: %g", few.efficiency);
  tap_near(many.kernels + many.runtime + many.idle + many.communication, many.seconds, 0, 1e-9, "parts add up");
  const struct cairn_forecast near = make(&soft, 64., 16., 1e8, 1e-6), far = make(&soft, 64., 16., 1e8, 1e-2);
  ok(far.efficiency < 0.5 * near.efficiency && near.efficiency > 0.7, "latency tells: %g, %g", near.efficiency,
     far.efficiency);
  /* two slices of a colour, ten workers: at most two at work in the sweeps */
  solver.regrids = solver.overhead = solver.pause = 0.;
  const struct cairn_forecast slices = make(&solver, 1., 10., 12000., 0.);
  ok(slices.efficiency < 0.4, "as many workers as slices of one colour are at work: %g", slices.efficiency);
}

/* Two ranks with a cell each and a latency of a second: they wait once for each step, and twice for each colour of a
 * sweep that changes bodies of the other, before and after it. */
static void test_scenes(void) {
  struct cairn_forecast_costs costs = {.sweeps = 1., .residuals = 1.};
  for (int k = 0; k < CAIRN_FORECAST_N_TASKS; k++)
    costs.task[k].base = 1e-4;
  double factor[] = {1., 1.};
  const struct cairn_forecast_scene scene = {.costs = &costs,
                                             .machine = {.workers = 1, .latency = 1., .bandwidth = 1e9},
                                             .ranks = {2, 1, 1},
                                             .block = {1, 1, 1},
                                             .n_ranks = 2,
                                             .n_cells = 1,
                                             .bodies = 1000.,
                                             .factor = factor};
  struct cairn_graph_outcome outcome;
  ok(cairn_forecast_soft_spheres(&scene, 3, &outcome) == 0, "three steps of soft spheres on two ranks");
  tap_near(outcome.seconds, 3., 0.01, 0, "wait for three messages, one after the other");
  ok(cairn_forecast_contact_dynamics(&scene, CAIRN_FORECAST_MORE, 4, &outcome) == 0, "four sweeps on two ranks");
  tap_near(outcome.seconds, 9., 0.01, 0, "bodies are lent and returned four times, and lent once for the residual");
}

int main(void) {
  plan(NO_PLAN);
  test_one_rank();
  test_exchange();
  test_fit();
  test_forecasts();
  test_scenes();
  done_testing();
}
