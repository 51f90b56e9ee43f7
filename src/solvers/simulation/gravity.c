#include "solvers/simulation/gravity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/ranks/ranks.h"

/* An evaluation stays in force while no body moves by more than this fraction of its diameter, and no longer than this
 * fraction of the free-fall time (docs/physics.md). */
static const double STRETCH = 0.05, PAUSE = 0.01;

void cairn_sim_gravity_init(struct cairn_sim_gravity *g, const struct cairn_scenario *s) {
  memset(g, 0, sizeof *g);
  g->scenario = s;
  if (s->self_gravity)
    cairn_gravity_init(&g->solver, &(struct cairn_gravity_rules){.G = s->self_constant,
                                                                 .accuracy = s->self_accuracy,
                                                                 .order = (int)s->self_order});
}

static void free_bodies(struct cairn_sim_gravity *g) {
  free(g->id);
  free(g->position);
  free(g->mass);
  free(g->acceleration);
  free(g->potential);
  free(g->total);
}

static int reserve(struct cairn_sim_gravity *g, int64_t n) {
  if (n <= g->capacity)
    return 0;
  const size_t room = (size_t)n;
  free_bodies(g);
  g->id = malloc(room * sizeof *g->id);
  g->position = malloc(3 * room * sizeof *g->position);
  g->mass = malloc(room * sizeof *g->mass);
  g->acceleration = malloc(3 * room * sizeof *g->acceleration);
  g->potential = malloc(room * sizeof *g->potential);
  g->total = malloc(3 * room * sizeof *g->total);
  g->capacity = g->id && g->position && g->mass && g->acceleration && g->potential && g->total ? n : 0;
  return g->capacity == n ? 0 : -1;
}

/* Rank 0 tells what it has of the bodies. */
static void share_bodies(struct cairn_sim_gravity *g) {
  const size_t n = (size_t)g->solver.n_room;
  if (cairn_ranks_n() == 1)
    return;
  cairn_ranks_tell(g->solver.list, (size_t)g->solver.n_lists * sizeof *g->solver.list);
  cairn_ranks_tell(g->id, n * sizeof *g->id);
  cairn_ranks_tell(g->position, 3 * n * sizeof *g->position);
  cairn_ranks_tell(g->mass, n * sizeof *g->mass);
}

/* Each rank tells the others the fields of its branches. */
static void share_fields(struct cairn_gravity *solver) {
  const int64_t size = CAIRN_FIELD * (int64_t)sizeof(double);
  const int n_ranks = cairn_ranks_n(), me = cairn_ranks_me();
  if (n_ranks == 1 || solver->terms.n_branches == 1)
    return;
  int64_t *at = malloc(((size_t)n_ranks + 1) * sizeof *at); /* the first body of each rank's share */
  if (!at)
    cairn_ranks_out_of_memory("self-gravity");
  for (int q = 0; q <= n_ranks; q++) {
    const int32_t b = cairn_task_gravity_first(solver, q, n_ranks);
    at[q] = b < solver->terms.n_branches ? solver->branch[b].first : solver->terms.n;
  }
  struct cairn_ranks_mail *all = cairn_ranks_gather(solver->field + CAIRN_FIELD * at[me], (at[me + 1] - at[me]) * size);
  for (int q = 0; q < n_ranks; q++)
    if (q != me)
      memcpy(solver->field + CAIRN_FIELD * at[q], all[q].data, (size_t)((at[q + 1] - at[q]) * size));
  cairn_ranks_mail_free(all);
  free(at);
}

void cairn_sim_gravity_fini(struct cairn_sim_gravity *g) {
  free_bodies(g);
  if (g->scenario && g->scenario->self_gravity)
    cairn_gravity_fini(&g->solver);
  memset(g, 0, sizeof *g);
}

static int out_of_memory(struct cairn_error *error) {
  cairn_ranks_out_of_memory("self-gravity"); /* other ranks wait */
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for self-gravity");
}

static struct cairn_task_self_gravity task_of(struct cairn_sim_gravity *g) {
  return (struct cairn_task_self_gravity){.gravity = &g->solver,
                                          .position = g->position,
                                          .mass = g->mass,
                                          .acceleration = g->acceleration,
                                          .potential = g->potential,
                                          .share = cairn_ranks_me(),
                                          .n_shares = cairn_ranks_n()};
}

/* Evaluate the acceleration of all bodies that were not removed. */
static int evaluate(struct cairn_sim_gravity *g, const struct cairn_sim_gravity_bodies *bodies,
                    struct cairn_gravity_prediction prediction, struct cairn_error *error) {
  int failed = reserve(g, bodies->n_bodies) || cairn_gravity_begin(&g->solver, (int32_t)bodies->n_bodies, NULL);
  if (!failed && cairn_ranks_me() == 0 && bodies->n_bodies > 0)
    failed = cairn_task_gravity_collect(&g->solver, bodies->packet, bodies->n, prediction, g->position, g->mass, g->id);
  if (failed)
    return out_of_memory(error);
  share_bodies(g);
  const struct cairn_task_self_gravity self = task_of(g);
  if (cairn_task_gravity_walk(&self))
    return out_of_memory(error);
  share_fields(&g->solver);
  return cairn_task_gravity_deliver(&self) ? out_of_memory(error) : 0;
}

/* How long an evaluation stays in force, by speeds relative to the centre of mass, whose motion does not matter, and by
 * the latest accelerations; rank 0 knows. */
static int time_to_hold(const struct cairn_scenario *scenario, const struct cairn_sim_gravity_bodies *bodies,
                        double *time) {
  struct cairn_gravity_motion motion;
  struct cairn_task_gravity_pace pace = {.fraction = STRETCH};
  if (cairn_task_gravity_note(bodies->packet, bodies->n, &motion))
    return -1;
  const double mass = cairn_exact_sum_value(&motion.mass), volume = cairn_exact_sum_value(&motion.volume);
  for (int k = 0; k < 3; k++) {
    pace.mean[k] = mass > 0. ? cairn_exact_sum_value(motion.momentum + k) / mass : 0.;
    pace.uniform[k] = scenario->gravity[k];
  }
  const int failed = cairn_task_gravity_time(bodies->packet, bodies->n, &pace, time);
  const double fall = volume > 0. ? 1. / sqrt(scenario->self_constant * mass / volume) : INFINITY;
  *time = fmin(*time, PAUSE * fall);
  return failed;
}

/* Steps until the next evaluation, and how much later than the first of them is their middle: at most that of the time
 * above, since predictions over the longer interval that a user may ask for would move bodies through each other. */
static int steps_to_hold(const struct cairn_scenario *scenario, const struct cairn_sim_gravity_bodies *bodies,
                         const struct cairn_sim_gravity_moment *moment, int64_t *hold, double *later) {
  const double h = moment->h;
  double time = 0.;
  *later = 0.;
  *hold = 1;
  if (moment->is_first || scenario->self_refresh == 1) /* no evaluation yet, or one at every step */
    return 0;
  if (cairn_ranks_me() == 0 && time_to_hold(scenario, bodies, &time))
    return -1;
  const double steps = floor(time / h);
  const int64_t most = steps < 1. ? 1 : steps > 1e9 ? 1000000000 : (int64_t)steps;
  *hold = scenario->self_refresh > 0 ? scenario->self_refresh : most;
  *later = 0.5 * fmin((double)(*hold - 1) * h, time);
  return 0;
}

int cairn_sim_gravity_refresh(struct cairn_sim_gravity *g, const struct cairn_sim_gravity_bodies *bodies,
                              const struct cairn_sim_gravity_moment *moment, int64_t *hold, struct cairn_error *error) {
  struct cairn_gravity_prediction prediction = {moment->lead, 0.};
  struct cairn_task_gravity_sum sum = {{0.}, {0.}};
  int32_t bad;
  if (steps_to_hold(g->scenario, bodies, moment, hold, &prediction.later))
    return out_of_memory(error);
  *hold = cairn_ranks_decide(*hold);
  const int status = evaluate(g, bodies, prediction, error);
  if (status)
    return status;
  if (g->solver.terms.n > 0)
    cairn_gravity_drift(&g->solver, sum.drift);
  memcpy(sum.uniform, g->scenario->gravity, sizeof sum.uniform);
  const struct cairn_task_self_gravity self = task_of(g);
  if (cairn_task_gravity_total(&self, &sum, g->id, g->total, &bad))
    return out_of_memory(error);
  if (bad >= 0) {
    const double *a = g->total + 3 * (int64_t)bad;
    return cairn_error_set(error, CAIRN_ERR_NUMERIC,
                           "step %lld: gravity on body %d, (%g, %g, %g) m/s², is not finite or beyond all bounds; "
                           "the state of this step is kept",
                           (long long)moment->step, bad, a[0], a[1], a[2]);
  }
  return 0;
}

int cairn_sim_gravity_energy(struct cairn_sim_gravity *g, const struct cairn_sim_gravity_bodies *bodies, double *energy,
                             struct cairn_error *error) {
  *energy = 0.;
  const int status = evaluate(g, bodies, (struct cairn_gravity_prediction){0., 0.}, error);
  for (int32_t l = 0; l < g->solver.n_lists && !status; l++)
    for (int32_t k = g->solver.list[l].first; k < g->solver.list[l].first + g->solver.list[l].n; k++)
      *energy += 0.5 * g->mass[k] * g->potential[k];
  return status;
}
