/* How contact dynamics advances: step by step, with new cells where the neighbour list expires. */
#include <math.h>
#include <string.h>

#include "data/base/number.h"
#include "data/state/state_check.h"
#include "solvers/contact_dynamics.h"
#include "solvers/simulation/simulation_parts.h"

/* Slices (docs/decisions/0007): thick enough that one reaches into the next alone, two and a half layers of a cube, and
 * large enough to be worth a task. A small system, whose sweeps are one task, has as many as share the work well. A
 * large one has columns (docs/decisions/0019), whose number grows as that of the bodies. */
int64_t cairn_contact_dynamics_cell_bodies(int64_t n) {
  enum { LEAST = 1250, PARTS = 8, ALONE = 1200, COLUMN = 3500 };
  if (n <= ALONE)
    return ALONE;
  if (n <= CAIRN_CONTACT_DYNAMICS_SMALL)
    return (n + PARTS - 1) / PARTS;
  if (n > (int64_t)CAIRN_CUT_MOST_SLICES * COLUMN)
    return COLUMN;
  const int64_t layers = (int64_t)(2.5 * pow((double)n, 2. / 3.));
  return layers < LEAST ? LEAST : layers;
}

/* The displacement from the reference position that counts in the coming step for a body at `displacement`: contacts
 * are detected after (1 - θ) h, and gaps may close at twice the speed. A neighbour list with this as half of its skin
 * misses no contact. */
static double reach_of(const struct cairn_simulation *sim, double displacement, double speed) {
  const struct cairn_cd_step *step = &sim->world.cd.step;
  return displacement + (3. - step->theta) * sim->step_size * speed +
         0.5 * (step->detection_margin + sim->world.cd.range);
}

/* The skin of new cells. The result of a step depends on the cells, because contacts are solved cell by cell. So the
 * state stores the positions they were partitioned by, and the same cells are made again when a run is resumed or when
 * only walls have moved too far. It balances the cost of a regrid against that of pairs that do not touch, as that of
 * soft spheres does, and has what the first step needs. */
double cairn_contact_dynamics_skin(struct cairn_simulation *sim) {
  const double displacement = sim->speed * sim->step_size, r = sim->mean_radius;
  if (sim->kept.skin == 0.) {
    const double skin = fmin(fmax(sqrt(11. * displacement * r), 0.1 * r), 0.7 * r) + 2. * reach_of(sim, 0., sim->speed);
    /* Bodies that would cross more leave the bounds of a state in the coming step: the state before it must not. */
    sim->kept.skin = fmin(skin, CAIRN_STATE_MOST_LENGTH);
    sim->reference_due = true;
    sim->summary.displacement2 = 0.;
  }
  sim->speed = sqrt(sim->summary.speed2);
  sim->displacement = sqrt(sim->summary.displacement2);
  return sim->kept.skin;
}

void cairn_contact_dynamics_reach(struct cairn_simulation *sim, double skin, double wall_speed) {
  sim->world.reach = 0.5 * skin;
  sim->world.walls.set.reach = fmax(0.5 * skin, reach_of(sim, 8. * sim->step_size * wall_speed, wall_speed));
  sim->cells.wall_skin = sim->world.reach + sim->world.walls.set.reach;
}

int cairn_contact_dynamics_start(struct cairn_simulation *sim, struct cairn_error *error) {
  return sim->scenario->self_gravity ? cairn_simulation_refresh(sim, error) : 0;
}

/* Does the neighbour list expire in the coming step? Then the bodies are partitioned again. */
static bool is_expired(const struct cairn_simulation *sim) {
  return sim->is_expired || reach_of(sim, sim->displacement, sim->speed) > sim->world.reach;
}

/* Does it expire by the motion of walls? Then the same cells are built again. */
static bool walls_are_far(const struct cairn_simulation *sim) {
  double speed = 0.;
  const double displacement =
      sim->world.walls.moving ? cairn_sim_walls_displacement(&sim->walls, sim->step, sim->step_size, &speed) : 0.;
  return sim->world.walls.moving && reach_of(sim, displacement, speed) > sim->world.walls.set.reach;
}

/* Have too many steps in a row ended without convergence? */
static int check_patience(const struct cairn_simulation *sim, struct cairn_error *error) {
  const struct cairn_cd_outcome *o = &sim->outcome;
  if (sim->scenario->solver_patience == 0 || o->in_a_row < sim->scenario->solver_patience)
    return 0;
  char residual[CAIRN_NUMBER_LENGTH], tolerance[CAIRN_NUMBER_LENGTH];
  cairn_number_apart(o->residual, sim->scenario->solver_tolerance, 3, residual, tolerance);
  return cairn_error_set(error, CAIRN_ERR_NUMERIC,
                         "step %lld (t = %.9g s): the solver has missed its tolerance in %lld steps in a row (residual "
                         "%s after %lld sweeps, solver.tolerance %s); the state of this step is kept. More "
                         "solver.sweeps, a smaller time.step or a larger tolerance may help; solver.patience: 0 "
                         "continues all the same",
                         (long long)sim->step, cairn_simulation_time(sim), (long long)o->in_a_row, residual,
                         (long long)o->sweeps, tolerance);
}

/* One step. Only a body that is not finite or too fast makes it fail and be rolled back. */
int cairn_contact_dynamics_advance(struct cairn_simulation *sim, int64_t most, struct cairn_error *error) {
  (void)most;
  sim->is_expired = is_expired(sim);
  if (sim->is_expired || walls_are_far(sim)) {
    const int status = cairn_simulation_regrid(sim, error);
    if (status)
      return status;
  }
  int32_t bad_body = -1;
  const struct cairn_cd_outcome before = sim->outcome;
  cairn_sim_walls_predict(&sim->walls, &sim->world, sim->step, sim->step_size);
  if (sim->method->submit(&sim->cells, &sim->world, 1)) {
    const int status = cairn_simulation_roll_back(sim, sim->kept.step, error);
    return status ? status : cairn_simulation_task_error(error);
  }
  cairn_sim_walls_accept(&sim->walls, &sim->world, 1, false);
  const struct cairn_report report = cairn_simulation_reports(sim, 1, &bad_body);
  if (report.bad_steps != CAIRN_NEVER)
    return cairn_simulation_gone_bad(sim, sim->step + 1, bad_body, error);
  sim->step++;
  sim->displacement = report.displacement;
  sim->speed = report.speed;
  sim->is_expired = report.valid_steps != CAIRN_NEVER;
  sim->outcome.dissipated += report.dissipated;
  cairn_simulation_note_overlaps(sim, &report);
  sim->outcome.in_a_row = sim->outcome.unsolved > before.unsolved ? before.in_a_row + 1 : 0;
  return check_patience(sim, error);
}
