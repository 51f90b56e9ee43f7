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
  g->capacity = g->id && g->position && g->mass && g->acceleration && g->potential ? n : 0;
  return g->capacity == n ? 0 : -1;
}

/* Rank 0 tells what it has of the bodies. */
static void share_bodies(struct cairn_sim_gravity *g) {
  g->n = cairn_ranks_decide(g->n);
  if (cairn_ranks_n() == 1)
    return;
  if (reserve(g, g->n))
    cairn_ranks_out_of_memory("self-gravity");
  cairn_ranks_tell(g->id, (size_t)g->n * sizeof *g->id);
  cairn_ranks_tell(g->position, 3 * (size_t)g->n * sizeof *g->position);
  cairn_ranks_tell(g->mass, (size_t)g->n * sizeof *g->mass);
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
  free(g->total);
  if (g->scenario && g->scenario->self_gravity)
    cairn_gravity_fini(&g->solver);
  memset(g, 0, sizeof *g);
}

/* Evaluate the acceleration of all bodies that were not removed, at positions predicted for the time `lead` of a step
 * and `later` after that, the latter by velocities alone: accelerations by contacts do not last. */
static int evaluate(struct cairn_sim_gravity *g, const struct cairn_state *state, double lead, double later,
                    struct cairn_error *error) {
  if (reserve(g, state->n))
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for self-gravity");
  g->n = 0;
  for (int64_t i = 0; i < state->n; i++) {
    if (state->captor[i] < 0)
      continue;
    g->id[g->n] = (int32_t)i;
    for (int64_t k = 3 * i; k < 3 * i + 3; k++)
      g->position[3 * g->n + k - 3 * i] = state->position[k] +
                                          lead * (state->velocity[k] + 0.5 * lead * state->acceleration[k]) +
                                          later * state->velocity[k];
    g->mass[g->n++] = state->mass[i];
  }
  share_bodies(g);
  const struct cairn_task_self_gravity task = {.gravity = &g->solver,
                                               .position = g->position,
                                               .mass = g->mass,
                                               .acceleration = g->acceleration,
                                               .potential = g->potential,
                                               .share = cairn_ranks_me(),
                                               .n_shares = cairn_ranks_n()};
  int failed = cairn_task_gravity_run(&task, (int32_t)g->n);
  if (!failed) {
    share_fields(&g->solver);
    failed = cairn_task_gravity_deliver(&task);
  }
  if (failed) {
    cairn_ranks_out_of_memory("self-gravity");
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for self-gravity");
  }
  return 0;
}

/* The time in which a body with speed v and acceleration a is displaced by d. */
static double time_for(double d, double v, double a) {
  return a > 0. ? 2. * d / (v + sqrt(v * v + 2. * a * d)) : v > 0. ? d / v : INFINITY;
}

/* How long an evaluation stays in force, by speeds relative to the centre of mass, whose motion does not matter, and by
 * the latest accelerations. */
static double time_to_hold(const struct cairn_scenario *scenario, const struct cairn_state *state) {
  double mass = 0., volume = 0., mean[3] = {0., 0., 0.}, shortest = INFINITY;
  for (int64_t i = 0; i < state->n; i++) {
    const double m = state->mass[i], r = state->radius[i];
    if (state->captor[i] < 0)
      continue;
    mass += m;
    volume += 4. / 3. * 3.14159265358979323846 * r * r * r;
    for (int j = 0; j < 3; j++)
      mean[j] += m * state->velocity[3 * i + j];
  }
  for (int64_t i = 0; i < state->n; i++) {
    const double *v = state->velocity + 3 * i, *a = state->gravity + 3 * i, *uniform = scenario->gravity;
    double v2 = 0., a2 = 0.;
    for (int j = 0; j < 3; j++) {
      v2 += (v[j] - mean[j] / mass) * (v[j] - mean[j] / mass);
      a2 += (a[j] - uniform[j]) * (a[j] - uniform[j]);
    }
    if (state->captor[i] >= 0)
      shortest = fmin(shortest, time_for(STRETCH * 2. * state->radius[i], sqrt(v2), sqrt(a2)));
  }
  const double fall = volume > 0. ? 1. / sqrt(scenario->self_constant * mass / volume) : INFINITY;
  return fmin(shortest, PAUSE * fall);
}

/* Steps until the next evaluation, and how much later than the first of them is their middle: at most that of the time
 * above, since predictions over the longer interval that a user may ask for would move bodies through each other. */
static int64_t steps_to_hold(const struct cairn_scenario *scenario, const struct cairn_state *state, double h,
                             double *later) {
  *later = 0.;
  if (state->n_refreshes == 0 || scenario->self_refresh == 1) /* no evaluation yet, or one at every step */
    return 1;
  const double time = time_to_hold(scenario, state), steps = floor(time / h);
  const int64_t most = steps < 1. ? 1 : steps > 1e9 ? 1000000000 : (int64_t)steps;
  const int64_t hold = scenario->self_refresh > 0 ? scenario->self_refresh : most;
  *later = 0.5 * fmin((double)(hold - 1) * h, time);
  return hold;
}

/* The acceleration of the k-th body, with the uniform field. */
static void acceleration_of(const struct cairn_sim_gravity *g, int64_t k, const double drift[3], double total[3]) {
  for (int j = 0; j < 3; j++)
    total[j] = g->scenario->gravity[j] + (g->acceleration[3 * k + j] - drift[j]);
}

static int check_range(const struct cairn_sim_gravity *g, const double drift[3], int64_t step,
                       struct cairn_error *error) {
  double total[3];
  for (int64_t k = 0; k < g->n; k++) {
    acceleration_of(g, k, drift, total);
    if (!cairn_state_check_range(total, 3, CAIRN_STATE_MOST_RATE))
      return cairn_error_set(error, CAIRN_ERR_NUMERIC,
                             "step %lld: gravity on body %d, (%g, %g, %g) m/s², is not finite or beyond all bounds; "
                             "the state of this step is kept",
                             (long long)step, g->id[k], total[0], total[1], total[2]);
  }
  return 0;
}

const double *cairn_sim_gravity_total(const struct cairn_sim_gravity *g, const struct cairn_state *state) {
  return cairn_ranks_me() == 0 ? state->gravity : g->total;
}

int cairn_sim_gravity_refresh(struct cairn_sim_gravity *g, struct cairn_state *state, int64_t n_bodies, double lead,
                              double h, struct cairn_error *error) {
  double drift[3] = {0., 0., 0.}, later;
  const int64_t hold = cairn_ranks_decide(steps_to_hold(g->scenario, state, h, &later));
  if (cairn_ranks_me() > 0 && !g->total && !(g->total = malloc(3 * (size_t)n_bodies * sizeof *g->total)))
    cairn_ranks_out_of_memory("self-gravity");
  double *total = cairn_ranks_me() == 0 ? state->gravity : g->total;
  int status = evaluate(g, state, lead, later, error);
  if (!status && g->n > 0)
    cairn_gravity_drift(&g->solver, drift);
  if (!status)
    status = check_range(g, drift, state->step, error);
  if (status)
    return status;
  for (int64_t i = 0; i < n_bodies; i++)
    memcpy(total + 3 * i, g->scenario->gravity, 3 * sizeof(double));
  for (int64_t k = 0; k < g->n; k++)
    acceleration_of(g, k, drift, total + 3 * (int64_t)g->id[k]);
  state->refresh_step = state->step + hold;
  state->n_refreshes++;
  return 0;
}

int cairn_sim_gravity_energy(struct cairn_sim_gravity *g, const struct cairn_state *state, double *energy,
                             struct cairn_error *error) {
  *energy = 0.;
  const int status = evaluate(g, state, 0., 0., error);
  for (int64_t k = 0; k < g->n && !status; k++)
    *energy += 0.5 * g->mass[k] * g->potential[k];
  return status;
}
