#include "solvers/simulation/gravity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/ranks/links.h"
#include "tasks/ranks/ranks.h"

/* An evaluation stays in force while no body moves by more than this fraction of its diameter, and no longer than this
 * fraction of the free-fall time (docs/physics.md). */
static const double STRETCH = 0.05, PAUSE = 0.01;

void cairn_sim_gravity_init(struct cairn_sim_gravity *g, const struct cairn_scenario *s) {
  memset(g, 0, sizeof *g);
  g->scenario = s;
  const struct cairn_gravity_rules rules = {
      .G = s->self_constant, .accuracy = s->self_accuracy, .order = (int)s->self_order};
  if (s->self_gravity) {
    cairn_gravity_init(&g->solver, &rules);
    cairn_gravity_init(&g->home, &rules);
  }
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
  g->total_capacity = n;
  g->capacity = g->id && g->position && g->mass && g->acceleration && g->potential && g->total ? n : 0;
  return g->capacity == n ? 0 : -1;
}

void cairn_sim_gravity_fini(struct cairn_sim_gravity *g) {
  free_bodies(g);
  if (g->scenario && g->scenario->self_gravity) {
    cairn_gravity_fini(&g->solver);
    cairn_gravity_fini(&g->home);
  }
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
                                          .id = g->id,
                                          .acceleration = g->acceleration,
                                          .potential = g->potential};
}

/* Where ranks share the bodies; notes how much of them a rank has had, and got. */
static int walk_ranks(struct cairn_sim_gravity *g, const struct cairn_task_self_gravity *self) {
  int64_t received = 0;
  if (cairn_task_gravity_walk_ranks(self, &g->home, &received))
    return -1;
  const double n = g->home.terms.n + g->home.n_guests;
  g->share = cairn_ranks_max(fmax(g->share, g->solver.terms.n > 0 ? n / g->solver.terms.n : 0.));
  g->received = cairn_ranks_max(fmax(g->received, (double)received));
  return 0;
}

/* Evaluate the acceleration of all bodies that were not removed. */
static int evaluate(struct cairn_sim_gravity *g, const struct cairn_sim_gravity_bodies *bodies,
                    struct cairn_gravity_prediction prediction, struct cairn_error *error) {
  int64_t n = 0;
  for (int32_t p = 0; p < bodies->n; p++)
    n += bodies->packet[p] ? bodies->packet[p]->n : 0;
  int failed = reserve(g, n) || cairn_gravity_begin(&g->solver, (int32_t)n, NULL);
  const struct cairn_task_self_gravity self = task_of(g);
  failed = failed || cairn_task_gravity_collect(&g->solver, bodies->packet, bodies->n, prediction,
                                                &(struct cairn_task_listed){g->position, g->mass, g->id});
  if (!failed)
    failed = cairn_ranks_n() > 1 ? walk_ranks(g, &self)
                                 : cairn_task_gravity_walk(&self) || cairn_task_gravity_deliver(&self);
  return failed ? out_of_memory(error) : 0;
}

static void join_motions(void *all, const void *more) { cairn_gravity_note_all(all, more); }

/* How long an evaluation stays in force, by speeds relative to the centre of mass, whose motion does not matter, and by
 * the latest accelerations. */
static int time_to_hold(const struct cairn_scenario *scenario, const struct cairn_sim_gravity_bodies *bodies,
                        double *time) {
  struct cairn_gravity_motion motion;
  struct cairn_task_gravity_pace pace = {.fraction = STRETCH};
  if (cairn_task_gravity_note(bodies->packet, bodies->n, &motion))
    return -1;
  cairn_ranks_join(&motion, sizeof motion, join_motions);
  const double mass = cairn_exact_sum_value(&motion.mass), volume = cairn_exact_sum_value(&motion.volume);
  for (int k = 0; k < 3; k++) {
    pace.mean[k] = mass > 0. ? cairn_exact_sum_value(motion.momentum + k) / mass : 0.;
    pace.uniform[k] = scenario->gravity[k];
  }
  const int failed = cairn_task_gravity_time(bodies->packet, bodies->n, &pace, time);
  *time = -cairn_ranks_max(-*time);
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
  if (time_to_hold(scenario, bodies, &time))
    return -1;
  const double steps = floor(time / h);
  const int64_t most = steps < 1. ? 1 : steps > 1e9 ? 1000000000 : (int64_t)steps;
  *hold = scenario->self_refresh > 0 ? scenario->self_refresh : most;
  *later = 0.5 * fmin((double)(*hold - 1) * h, time);
  return 0;
}

/* The mean acceleration: one sum in the order of the curve, which goes from rank to rank. */
static void find_drift(struct cairn_sim_gravity *g, double drift[3]) {
  const bool shared = cairn_ranks_n() > 1;
  struct cairn_gravity_pull sum = {0};
  if (shared)
    cairn_ranks_take_turn(&sum, sizeof sum);
  cairn_gravity_add_pull(shared ? &g->home : &g->solver, &sum);
  if (shared)
    cairn_ranks_pass_turn(&sum, sizeof sum);
  cairn_gravity_mean(g->solver.rules.G, &sum, drift);
}

/* Is gravity on a body of any rank beyond all bounds? The lowest id is told. */
static int check(const struct cairn_sim_gravity *g, int32_t bad, int64_t step, struct cairn_error *error) {
  const double lowest = -cairn_ranks_max(bad < 0 ? -INFINITY : -(double)bad);
  int status = 0;
  for (int64_t i = 0; i < g->solver.n_room && bad >= 0 && bad == lowest && !status; i++) {
    const double *a = g->total + 3 * i;
    if (g->id[i] == bad)
      status = cairn_error_set(error, CAIRN_ERR_NUMERIC,
                               "step %lld: gravity on body %d, (%g, %g, %g) m/s², is not finite or beyond all bounds; "
                               "the state of this step is kept",
                               (long long)step, bad, a[0], a[1], a[2]);
  }
  return isfinite(lowest) ? cairn_ranks_agree(status, error) : 0;
}

int cairn_sim_gravity_refresh(struct cairn_sim_gravity *g, const struct cairn_sim_gravity_bodies *bodies,
                              const struct cairn_sim_gravity_moment *moment, int64_t *hold, struct cairn_error *error) {
  struct cairn_gravity_prediction prediction = {moment->lead, 0.};
  struct cairn_task_gravity_sum sum = {{0.}, {0.}};
  int32_t bad;
  if (steps_to_hold(g->scenario, bodies, moment, hold, &prediction.later))
    return out_of_memory(error);
  const int status = evaluate(g, bodies, prediction, error);
  if (status)
    return status;
  if (g->solver.terms.n > 0)
    find_drift(g, sum.drift);
  memcpy(sum.uniform, g->scenario->gravity, sizeof sum.uniform);
  const struct cairn_task_self_gravity self = task_of(g);
  if (cairn_task_gravity_total(&self, &sum, g->total, &bad))
    return out_of_memory(error);
  return check(g, bad, moment->step, error);
}

/* What acts on the bodies that ranks lend each other, behind those of this one; first[] of ghosts is set. */
static int borrow(struct cairn_sim_gravity *g, const struct cairn_cells *cells, int64_t *first, int64_t *n) {
  const struct cairn_links *links = cells->links;
  const int64_t size = 3 * (int64_t)sizeof(double);
  struct cairn_ranks_mail *out = calloc((size_t)cairn_ranks_n(), sizeof *out);
  int64_t n_borrowed = 0;
  if (!out)
    return -1;
  for (int32_t l = 0; links && l < links->n; l++) {
    const struct cairn_border *border = &links->link[l].border;
    double *lent = malloc((size_t)(border->first[border->n] * size) + 1), *to = lent;
    if (!lent)
      return cairn_ranks_out_of_memory("self-gravity"), -1; /* which does not return: others wait */
    for (int32_t k = 0; k < border->n; k++)
      for (int32_t i = border->first[k]; i < border->first[k + 1]; i++, to += 3)
        memcpy(to, g->total + 3 * (first[border->cell[k]] + border->index[i]), (size_t)size);
    out[border->rank] = (struct cairn_ranks_mail){lent, border->first[border->n] * size};
    n_borrowed += links->link[l].n_borrowed;
  }
  struct cairn_ranks_mail *in = cairn_ranks_exchange(out);
  const bool fits = *n + n_borrowed <= g->total_capacity;
  double *total = fits ? g->total : realloc(g->total, (size_t)((*n + n_borrowed) * size));
  g->total = total ? total : g->total;
  g->total_capacity = total && !fits ? *n + n_borrowed : g->total_capacity;
  for (int32_t l = 0; total && links && l < links->n; l++) {
    const struct cairn_link *link = links->link + l;
    memcpy(total + 3 * *n, in[link->border.rank].data, (size_t)(link->n_borrowed * size));
    for (int32_t k = 0; k < cells->n_ghosts; k++)
      if (cells->ghost[k].link == l)
        first[cells->n_cells + k] = *n + cells->ghost[k].first;
    *n += link->n_borrowed;
  }
  cairn_ranks_mail_free(in);
  return fits || total ? 0 : -1; /* a rank may have no bodies, and no room for any */
}

int cairn_sim_gravity_store(struct cairn_sim_gravity *g, struct cairn_cells *cells, struct cairn_error *error) {
  int64_t *first = malloc(((size_t)cells->n_cells + (size_t)cells->n_ghosts + 1) * sizeof *first), n = 0;
  int failed = !first;
  for (cairn_cell_t c = 0; c < cells->n_cells && first; c++) {
    first[c] = n;
    n += cells->cell[c].packet->n;
  }
  if (!failed && cairn_ranks_n() > 1)
    failed = borrow(g, cells, first, &n);
  failed = failed || cairn_task_gravity_store(cells, first, g->total, n);
  free(first);
  return failed ? out_of_memory(error) : 0;
}

static void join_sums(void *all, const void *more) { cairn_exact_sum_join(all, more); }

int cairn_sim_gravity_energy(struct cairn_sim_gravity *g, const struct cairn_sim_gravity_bodies *bodies, double *energy,
                             struct cairn_error *error) {
  struct cairn_exact_sum sum = {0};
  *energy = 0.;
  const int status = evaluate(g, bodies, (struct cairn_gravity_prediction){0., 0.}, error);
  for (int64_t i = 0; i < g->solver.n_room && !status; i++)
    if (g->id[i] >= 0)
      cairn_exact_sum_add(&sum, 0.5 * g->mass[i] * g->potential[i]);
  cairn_ranks_join(&sum, sizeof sum, join_sums);
  *energy = cairn_exact_sum_value(&sum);
  return status;
}
