/* How hard spheres advance: batches of steps as soft spheres do, with what their collisions did. */
#include <math.h>

#include "kernels/common/vec3.h"
#include "solvers/hard_spheres.h"
#include "solvers/simulation/simulation_parts.h"
#include "tasks/ranks/links.h"

enum { TASKS_PER_BATCH = 2048, STEPS_PER_TASK = 20000 };

/* Events across cells are run one after the other: large cells keep them few. */
int64_t cairn_hard_spheres_cell_bodies(int64_t n) {
  enum { LEAST = 4096, MOST = 65536 };
  const int64_t share = n / 8;
  return share < LEAST ? LEAST : share > MOST ? MOST : share;
}

/* Costs, s: of a halo body and of a pair with a wall in a step; of a regrid for each body (docs/performance.md). */
static const double HALO = 40e-9, WALL = 50e-9, REGRID = 600e-9;

/* m, of a cell, if bodies fill the box around them; infinite if there is one cell. */
static double cell_edge(const struct cairn_simulation *sim) {
  const double *low = sim->summary.lower, *high = sim->summary.upper,
               cells = (double)(sim->n_bodies / sim->cell_bodies);
  return cells < 1. ? INFINITY : cbrt((high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]) / cells);
}

/* Bodies in a list that are too many; windows at most. */
static const double CROWD = 40.;
enum { MOST_WINDOWS = 64 };

/* Windows in which the fastest body sweeps over few others, if they were spread evenly over the box around them:
 * islands stay small. */
static int32_t least_windows(const struct cairn_simulation *sim) {
  const double *low = sim->summary.lower, *high = sim->summary.upper, diameter = 2. * sim->mean_radius,
               volume = (high[0] - low[0] + diameter) * (high[1] - low[1] + diameter) * (high[2] - low[2] + diameter),
               swept = 3.14159265358979323846 * diameter * diameter * sim->speed * sim->step_size;
  int32_t n = 1;
  while (n < MOST_WINDOWS && !sim->world.hard.merge && (double)sim->n_bodies * swept > 0.5 * n * volume)
    n *= 2;
  return n;
}

/* Of the skins that the fastest body does not cross half of within a step, the one with the least cost of halos and
 * regrids. Places are checked after every event, and a step for which it was too thin is repeated with a thicker one.
 */
double cairn_hard_spheres_skin(struct cairn_simulation *sim) {
  const double displacement = sim->speed * sim->step_size, r = sim->mean_radius, edge = cell_edge(sim);
  double least = fmax(fmax(2.5 * displacement, 2.2 * sim->drift * sim->world.hard.n_windows), 0.01 * r);
  if (sim->world.hard.merge) /* two equal bodies: half a diameter to the side, and the radius grows by a quarter */
    least = fmax(least, 2. * 1.3 * r + 2. * displacement);
  double best = least, lowest = INFINITY;
  if (sim->scenario->cells_skin > 0.)
    return fmax(sim->scenario->cells_skin, least);
  for (double skin = least; skin < 40. * r + 1.2 * least; skin *= 1.2) {
    const double range = 2. * r + skin, swollen = 1. + 2. * range / edge;
    const double steps = fmax(1., floor(0.5 * skin / fmax(displacement, 1e-300))),
                 cost = HALO * (swollen * swollen * swollen - 1.) + WALL * sim->wall_pairs * range + REGRID / steps;
    if (cost < lowest) {
      lowest = cost;
      best = skin;
    }
  }
  return best;
}

int cairn_hard_spheres_partitioned(struct cairn_simulation *sim, struct cairn_error *error) {
  const struct cairn_cells *cells = &sim->cells;
  int64_t count[2] = {0}; /* pairs with walls, bodies */
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    count[0] += cells->cell[c].size.n_wall_pairs;
    count[1] += cells->cell[c].size.n;
  }
  cairn_ranks_sum(count, 2);
  sim->world.largest_radius = 0.;
  for (cairn_cell_t c = 0; c < cells->n_cells && sim->world.hard.merge; c++)
    for (int32_t i = 0; i < cells->cell[c].size.n; i++)
      sim->world.largest_radius = fmax(sim->world.largest_radius, cairn_packet_bodies(cells->cell[c].packet)[i].radius);
  sim->world.largest_radius = cairn_ranks_max(sim->world.largest_radius);
  sim->wall_pairs = count[1] > 0 ? (double)count[0] / ((double)count[1] * (2. * sim->mean_radius + cells->skin)) : 0.;
  if (sim->world.hard.n_windows < least_windows(sim))
    sim->world.hard.n_windows = least_windows(sim);
  return cairn_sim_walls_partitioned(&sim->walls, &sim->world, &sim->cells, error);
}

/* Estimated steps until the neighbour list expires, by the largest speed; a wrong estimate is rolled back. */
static int64_t steps_to_go(const struct cairn_simulation *sim) {
  const double left = sim->world.reach - sim->displacement, *g = sim->scenario->gravity;
  const double speed = 1.1 * sim->speed * sim->step_size,
               gained = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * sim->step_size * sim->step_size;
  if (left <= 0.)
    return 0;
  const double n =
      gained > 0. ? (sqrt(speed * speed + 2. * gained * left) - speed) / gained : left / fmax(speed, 1e-300);
  return n < 1e9 ? (int64_t)n : (int64_t)1e9;
}

/* What the collisions of a batch did. */
struct batch {
  struct cairn_hard_sums sums;
  double longest;     /* m, how far a body has moved that was beyond its reach */
  int32_t is_crowded; /* did a list overflow? */
  int32_t stuck;      /* a body whose events do not end; -1: none */
};

static void join_batches(void *to, const void *from) {
  struct batch *all = to;
  const struct batch *more = from;
  struct cairn_hard_sums *a = &all->sums;
  const struct cairn_hard_sums *b = &more->sums;
  a->collisions += b->collisions;
  a->wall_collisions += b->wall_collisions;
  a->slow += b->slow;
  a->merges += b->merges;
  a->records += b->records;
  a->joined += b->joined;
  a->near += b->near;
  cairn_exact_sum_join(&a->dissipated, &b->dissipated);
  cairn_exact_sum_join(&a->virial, &b->virial);
  a->island = b->island > a->island ? b->island : a->island;
  all->longest = fmax(all->longest, more->longest);
  all->is_crowded |= more->is_crowded;
  all->stuck = more->stuck > all->stuck ? more->stuck : all->stuck;
}

/* Add what the collisions of a batch did, of all ranks; returns a body whose events do not end, or -1. */
static int32_t add_collisions(struct cairn_simulation *sim) {
  struct batch all = {.stuck = -1}, total = {.sums = sim->collided, .stuck = -1};
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    struct cairn_cell *cell = sim->cells.cell + c;
    starpu_data_acquire(cell->handles->hard, STARPU_RW);
    struct cairn_hard_head *head = cell->hard;
    const struct batch one = {head->sums, head->longest, head->overflow, head->stuck >= 0 ? cell->id[head->stuck] : -1};
    join_batches(&all, &one);
    head->longest = 0.;
    head->overflow = 0;
    head->sums = (struct cairn_hard_sums){0};
    starpu_data_release(cell->handles->hard);
  }
  cairn_ranks_join(&all, sizeof all, join_batches);
  join_batches(&total, &all);
  sim->collided = total.sums;
  sim->longest = total.longest;
  sim->is_crowded = total.is_crowded;
  return total.stuck;
}

/* Bodies that join the queue over all cells are run one after the other, and long lists are slow: more windows make
 * islands smaller and lists shorter, at the price of sorting all bodies once more. The number changes no bit, so it may
 * follow from what happened. */
static void choose_windows(struct cairn_simulation *sim, const struct cairn_hard_sums *before) {
  int32_t *n = &sim->world.hard.n_windows;
  const double records = (double)(sim->collided.records - before->records),
               joined = (double)(sim->collided.joined - before->joined),
               near = (double)(sim->collided.near - before->near);
  if (sim->world.hard.merge)
    return;
  if ((joined > 0.3 * records || near > CROWD * records) && *n < MOST_WINDOWS)
    *n *= 2;
  else if (joined <= 0.05 * records && near <= 0.25 * CROWD * records && *n > least_windows(sim))
    *n /= 2;
}

static void join_summaries(void *all, const void *more) { cairn_packet_join(all, more); }

/* Bodies that have taken up others in the step that was just done: their mass and radius, then new cells. */
static int grow(struct cairn_simulation *sim, struct cairn_error *error) {
  int64_t any = 0;
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !any; c++) {
    starpu_data_acquire(sim->cells.cell[c].handles->hard, STARPU_R);
    any = ((const struct cairn_hard_head *)sim->cells.cell[c].hard)->grown;
    starpu_data_release(sim->cells.cell[c].handles->hard);
  }
  cairn_ranks_sum(&any, 1);
  if (!any)
    return 0;
  const int status = cairn_simulation_snapshot(sim, error);
  struct cairn_packet_summary grown = cairn_packet_summary_of_none();
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !status; c++) {
    const struct cairn_cell *cell = sim->cells.cell + c;
    const struct cairn_hard_offsets o = cairn_drift_offsets(cell->size);
    struct cairn_body *bodies = cairn_packet_bodies(cell->packet);
    starpu_data_acquire(cell->handles->hard, STARPU_R);
    const struct cairn_hard_body *record = (const void *)((const char *)cell->hard + o.body);
    const struct cairn_hard_path *path = (const void *)((const char *)cell->hard + o.path);
    for (int32_t k = 0; k < ((const struct cairn_hard_head *)cell->hard)->n_records; k++) {
      struct cairn_body *body = bodies + record[k].body;
      if (!(record[k].mass > 0.) || body->captor < 0)
        continue;
      body->mass = record[k].mass;
      body->radius = path[record[k].body].r;
      cairn_packet_note(&grown, body->state + CAIRN_STATE_X, body->state + CAIRN_STATE_V, body->state + CAIRN_STATE_A,
                        body->radius, sim->step_size);
    }
    starpu_data_release(cell->handles->hard);
  }
  if (status)
    return status;
  cairn_ranks_join(&grown, sizeof grown, join_summaries);
  cairn_packet_join(&sim->summary, &grown);
  sim->state.step = -1; /* not captured since */
  if (sim->scenario->self_gravity)
    sim->state.refresh_step = sim->step;
  return cairn_simulation_partition(sim, error);
}

static int collapsed(struct cairn_simulation *sim, int64_t step, int32_t body, struct cairn_error *error) {
  const int status = cairn_simulation_roll_back(sim, step - 1, error);
  if (status)
    return status;
  return cairn_error_set(error, CAIRN_ERR_NUMERIC,
                         "step %lld (t = %.9g s): the collisions of body %d do not end, an inelastic collapse; the "
                         "state of the step before is kept. A larger collisions.elastic_below ends it",
                         (long long)step, (double)step * sim->step_size, body);
}

static int64_t batch_size(const struct cairn_simulation *sim, bool alone, int64_t most) {
  const int64_t windows = sim->world.hard.n_windows, n_cells = sim->most_cells;
  const int64_t room = TASKS_PER_BATCH / (2 * n_cells + 1 + windows * (n_cells + 1)), guess = steps_to_go(sim);
  int64_t n = alone ? STEPS_PER_TASK : guess;
  if (!alone && n > (room > 4 ? room : 4))
    n = room > 4 ? room : 4;
  return n < 1 ? 1 : n > most ? most : n;
}

/* m, how far bodies may move in a window of a batch: all cells must list the same pairs. One may become faster by a
 * collision; one that takes up another is moved and grows. */
static double reach_of(const struct cairn_simulation *sim, int64_t n_steps) {
  const double *g = sim->scenario->gravity, h = sim->step_size;
  return 1.3 * (sim->speed + cairn_vec3_length(g) * h * (double)n_steps) * h / sim->world.hard.n_windows +
         (sim->world.hard.merge ? 1.3 * sim->world.largest_radius : 0.) + 1e-6 * sim->mean_radius;
}

/* One batch: submit, wait, check the reports. */
int cairn_hard_spheres_advance(struct cairn_simulation *sim, int64_t most, struct cairn_error *error) {
  if (sim->regrid_due) {
    const int status = cairn_simulation_regrid(sim, error);
    if (status)
      return status;
  }
  const bool alone = cairn_task_advance_is_alone(&sim->cells, &sim->world);
  const int64_t n = batch_size(sim, alone, most);
  int32_t bad_body = -1;
  sim->world.hard.reach = alone ? 0. : reach_of(sim, n);
  cairn_sim_walls_predict(&sim->walls, &sim->world, sim->step, sim->step_size);
  if (sim->method->submit(&sim->cells, &sim->world, (int32_t)n)) {
    cairn_ranks_out_of_memory("the tasks of a step");
    const int status = cairn_simulation_roll_back(sim, sim->kept.step, error);
    return status ? status : cairn_simulation_task_error(error);
  }
  cairn_links_meet(&sim->cells);
  cairn_sim_walls_accept(&sim->walls, &sim->world, (int32_t)n, alone);
  struct cairn_report report = cairn_simulation_reports(sim, (int32_t)n, &bad_body);
  const struct cairn_report *walls = &sim->walls.report;
  report.valid_steps = walls->valid_steps < report.valid_steps ? walls->valid_steps : report.valid_steps;
  const struct cairn_hard_sums before = sim->collided;
  const int32_t stuck = add_collisions(sim);
  if (report.bad_steps != CAIRN_NEVER && report.bad_steps <= report.valid_steps)
    return stuck >= 0 ? collapsed(sim, sim->step + report.bad_steps, stuck, error)
                      : cairn_simulation_gone_bad(sim, sim->step + report.bad_steps, bad_body, error);
  if (report.valid_steps < report.steps) { /* pairs may have been missed after that step */
    if (sim->is_crowded)
      sim->rules.near *= 2.;
    else
      sim->drift = fmax(sim->longest, 2. * sim->drift);
    sim->world.hard.drift = 1.1 * sim->drift;
    const int status = cairn_simulation_roll_back(sim, sim->step + report.valid_steps, error);
    sim->regrid_due = !status && report.valid_steps > 0;
    return status;
  }
  sim->step += report.steps;
  sim->drift = sim->world.hard.drift = 0.;
  sim->displacement = fmax(report.displacement, walls->displacement);
  sim->speed = fmax(report.speed, walls->speed);
  cairn_simulation_note_overlaps(sim, &report);
  sim->regrid_due = report.valid_steps != CAIRN_NEVER;
  choose_windows(sim, &before);
  return sim->world.hard.merge ? grow(sim, error) : 0;
}
