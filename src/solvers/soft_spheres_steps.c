/* How soft spheres advance: batches of steps, submitted, awaited, checked, and rolled back where the neighbour list
 * expired (docs/decisions/0005). */
#include <math.h>
#include <time.h>

#include "data/scenario/cohesion.h"
#include "solvers/simulation/simulation_parts.h"
#include "solvers/soft_spheres.h"

enum { STEPS_PER_TASK = 20000 };

/* Estimated steps until the neighbour list expires, by the largest speed; a wrong estimate is rolled back. */
static int64_t steps_to_go(const struct cairn_simulation *sim) {
  const double left = sim->world.reach - sim->displacement, *g = sim->scenario->gravity;
  const double speed = 1.2 * sim->speed * sim->step_size, fall = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  const double gained = fall * sim->step_size * sim->step_size; /* displacement n speed + n² gained / 2 */
  if (left <= 0.)
    return 0;
  const double n =
      gained > 0. ? (sqrt(speed * speed + 2. * gained * left) - speed) / gained : left / fmax(speed, 1e-300);
  return n < 1e9 ? (int64_t)n : (int64_t)1e9;
}

/* The list expires with the walls too. */
static void add_walls(struct cairn_report *all, const struct cairn_report *walls) {
  all->valid_steps = walls->valid_steps < all->valid_steps ? walls->valid_steps : all->valid_steps;
  all->displacement = fmax(all->displacement, walls->displacement);
  all->speed = fmax(all->speed, walls->speed);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* One batch: submit, wait, check the reports. */
int cairn_soft_spheres_advance(struct cairn_simulation *sim, int64_t most, struct cairn_error *error) {
  const bool alone = cairn_task_advance_is_alone(&sim->cells, &sim->world); /* stops by itself where the list expires */
  const int64_t guess = steps_to_go(sim), since = sim->step - sim->regrid_step;
  if (sim->regrid_due || (!alone && since > 0 && guess < 1 + since / 16)) {
    const int status = cairn_simulation_regrid(sim, error);
    return status ? status : cairn_soft_spheres_advance(sim, most, error);
  }
  const int64_t room = CAIRN_SOFT_SPHERES_TASKS_PER_BATCH / (2 * (int64_t)sim->most_cells + 1);
  int64_t n = alone ? STEPS_PER_TASK : guess;
  if (!alone && n > (room > 4 ? room : 4))
    n = room > 4 ? room : 4;
  n = cairn_soft_spheres_cells_batch(sim, n);
  n = n < 1 ? 1 : n > most ? most : n;
  int32_t bad_body = -1;
  const double start = now();
  cairn_sim_walls_predict(&sim->walls, &sim->world, sim->step, sim->step_size);
  if (sim->method->submit(&sim->cells, &sim->world, (int32_t)n)) {
    cairn_ranks_out_of_memory("the tasks of a step");
    /* some cells are ahead of others: roll back to a step they have in common */
    const int status = cairn_simulation_roll_back(sim, sim->kept.step, error);
    return status ? status : cairn_simulation_task_error(error);
  }
  cairn_sim_walls_accept(&sim->walls, &sim->world, (int32_t)n, alone);
  struct cairn_report report = cairn_simulation_reports(sim, (int32_t)n, &bad_body);
  add_walls(&report, &sim->walls.report);
  /* a body that went bad after the list expired may have missed a contact: the rollback below repeats the steps */
  if (report.bad_steps != CAIRN_NEVER && report.bad_steps <= report.valid_steps)
    return cairn_simulation_gone_bad(sim, sim->step + report.bad_steps, bad_body, error);
  if (report.valid_steps < report.steps) { /* pairs may have been missed after that step */
    const int status = cairn_simulation_roll_back(sim, sim->step + report.valid_steps, error);
    sim->regrid_due = !status;
    return status;
  }
  sim->step += report.steps;
  sim->displacement = report.displacement;
  sim->speed = report.speed;
  cairn_simulation_note_overlaps(sim, &report);
  const int status = cairn_sim_bonds_note(sim, &report, error);
  if (status)
    return status;
  sim->regrid_due = report.valid_steps != CAIRN_NEVER;
  cairn_soft_spheres_cells_note(sim, report.steps, now() - start);
  return 0;
}

/* Accelerations at the start: a step of no length. Gravity there is not that of the first step, which takes it at
 * its end. */
int cairn_soft_spheres_start(struct cairn_simulation *sim, struct cairn_error *error) {
  int32_t bad_body = -1;
  sim->world.h = 0.;
  const int status = sim->scenario->self_gravity ? cairn_simulation_refresh(sim, error) : 0;
  if (status)
    return status;
  sim->state.refresh_step = sim->step;
  cairn_sim_walls_predict(&sim->walls, &sim->world, sim->step, 0.);
  const int failed = sim->method->submit(&sim->cells, &sim->world, 1);
  cairn_sim_walls_accept(&sim->walls, &sim->world, 1, cairn_task_advance_is_alone(&sim->cells, &sim->world));
  const struct cairn_report report = cairn_simulation_reports(sim, 1, &bad_body);
  sim->world.h = sim->step_size;
  sim->bonds.gap = report.bond_gap;
  sim->state.step = sim->kept.step = -1; /* neither state nor packets have accelerations yet */
  if (failed)
    return cairn_simulation_task_error(error);
  if (report.bad_steps != CAIRN_NEVER)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "the forces on %s %d are not finite at the start",
                           bad_body < 0 ? "assembly" : "body", bad_body < 0 ? -1 - bad_body : bad_body);
  sim->regrid_due = true;
  return 0;
}

/* The skin that balances the cost of a regrid, worth about ten steps and half a millisecond of waiting for its tasks,
 * against that of pairs that do not touch, which grow with the skin (docs/decisions/0004). The fastest body must not
 * cross half of it in a few steps. */
static double slack_of(const struct cairn_simulation *sim) {
  const double displacement = sim->speed * sim->step_size, r = sim->mean_radius;
  if (sim->scenario->cells_skin > 0.)
    return fmax(sim->scenario->cells_skin, 8. * displacement);
  const double worth = 10. + 5000. / (double)sim->n_bodies; /* steps, of 0.1 µs for each body */
  return fmax(fmin(fmax(sqrt(1.1 * worth * displacement * r), 0.01 * r), 0.7 * r), 8. * displacement);
}

/* Bodies that attract each other over a gap are in the list before they do; those with a bond always, however far it
 * is stretched. */
static double range_of(const struct cairn_simulation *sim) {
  return fmax(cairn_cohesion_range(sim->scenario, sim->world.largest_radius), sim->bonds.gap);
}

double cairn_soft_spheres_skin(struct cairn_simulation *sim) { return slack_of(sim) + range_of(sim); }

void cairn_soft_spheres_reach(struct cairn_simulation *sim, double skin, double wall_speed) {
  (void)wall_speed;
  sim->world.reach = sim->world.walls.set.reach = 0.5 * (skin - range_of(sim));
}

int cairn_soft_spheres_partitioned(struct cairn_simulation *sim, struct cairn_error *error) {
  cairn_soft_spheres_cells_partitioned(sim);
  return cairn_sim_walls_partitioned(&sim->walls, &sim->world, &sim->cells, error);
}

/* The displacement at the coming step was that with the velocities before. */
void cairn_soft_spheres_accelerated(struct cairn_simulation *sim, double change) {
  sim->displacement += sim->step_size * change;
  sim->regrid_due |= !(sim->displacement <= sim->world.reach);
}
