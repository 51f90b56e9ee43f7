#include "solvers/run/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/initial/insert.h"
#include "data/state/state.h"
#include "solvers/run/moments.h"
#include "tasks/ranks/ranks.h"

static const struct cairn_stage *current(const struct cairn_scenario *s, int64_t *begin) {
  const int32_t k = cairn_stages_current(s);
  if (k >= s->n_stages)
    return NULL;
  *begin = cairn_stages_begin(s, k);
  return s->stages + k;
}

static bool has_condition(const struct cairn_stage *stage) {
  return stage->kinetic_energy > 0. || stage->speed > 0. || stage->escaped > 0;
}

/* Steps from the beginning of the stage to its end by time; INT64_MAX: none. */
static int64_t steps_of(const struct cairn_stage *stage, double h) {
  return isinf(stage->time) ? INT64_MAX : cairn_simulation_n_steps(stage->time, h);
}

int64_t cairn_stage_next(const struct cairn_scenario *s, int64_t step, double h) {
  int64_t begin;
  const struct cairn_stage *stage = current(s, &begin);
  if (!stage)
    return INT64_MAX;
  const int64_t steps = steps_of(stage, h);
  const int64_t end = steps < INT64_MAX - begin ? begin + steps : INT64_MAX;
  const double every = cairn_moments_steps(stage->every, h);
  const int64_t look = has_condition(stage) ? begin + cairn_moments_next(every, step - begin) : INT64_MAX;
  return look < end ? look : end > step ? end : step + 1;
}

int cairn_stage_is_over(struct cairn_simulation *sim, const struct cairn_scenario *s, bool *is_over, char message[256],
                        struct cairn_error *error) {
  const double h = cairn_simulation_step_size(sim);
  const int64_t step = cairn_simulation_step(sim);
  struct cairn_observables o = {0};
  int64_t begin = 0;
  const struct cairn_stage *stage = current(s, &begin);
  *is_over = false;
  message[0] = '\0';
  if (!stage || step == begin)
    return 0;
  const bool timed_out = step - begin >= steps_of(stage, h);
  const bool looks = has_condition(stage) && (double)(step - begin) * h >= stage->after &&
                     (timed_out || cairn_moments_has(cairn_moments_steps(stage->every, h), step - begin));
  const int status = looks ? cairn_simulation_observe_cheaply(sim, &o, error) : 0;
  if (status)
    return status;
  const double energy = o.kinetic_energy + o.rotational_energy;
  const bool met = looks && ((stage->kinetic_energy > 0. && energy < stage->kinetic_energy) ||
                             (stage->speed > 0. && o.max_speed < stage->speed) ||
                             (stage->escaped > 0 && o.n_outside >= (double)stage->escaped));
  *is_over = met || timed_out;
  if (timed_out && has_condition(stage) && !met)
    snprintf(
        message, 256,
        "stage %.60s ends after its longest time, %.6g s, without what it waits for: the kinetic energy is %.4g J, "
        "the largest speed %.4g m/s, %.0f bodies have escaped",
        stage->name, stage->time, energy, o.max_speed, o.n_outside);
  return 0;
}

int64_t cairn_stage_next_batch(const struct cairn_simulation *sim, const struct cairn_scenario *s, int64_t step) {
  return cairn_simulation_n_waiting(sim) > 0 ? cairn_insert_next(s, step, cairn_simulation_step_size(sim)) : INT64_MAX;
}

/* A new simulation of this state, which is used up, in place of the old one. */
static int replace(struct cairn_simulation **simulation, struct cairn_scenario *s, struct cairn_state *state,
                   const struct cairn_state_stretch *stretch, struct cairn_error *error) {
  struct cairn_simulation *next = NULL;
  state->refresh_step = state->step; /* self-gravity of other bodies, or with another uniform field */
  const int status = cairn_simulation_adopt(s, state, cairn_ranks_n() > 1 ? stretch : NULL, &next, error);
  if (status)
    return status;
  cairn_simulation_free(*simulation);
  *simulation = next;
  return 0;
}

/* The bodies of this step: a stretch of them for each rank. */
static int take_bodies(struct cairn_simulation *sim, struct cairn_state *copy, struct cairn_state_stretch *stretch,
                       struct cairn_error *error) {
  if (cairn_ranks_n() > 1)
    return cairn_simulation_deal(sim, copy, stretch, error);
  const struct cairn_state *state = cairn_simulation_capture(sim, error);
  *stretch = (struct cairn_state_stretch){0, cairn_simulation_n_bodies(sim)};
  return state ? cairn_state_copy(copy, state, error) : CAIRN_ERR_NUMERIC;
}

/* Lists of all ranks in place of that of each, in the order of ids. */
static int join_lists(struct cairn_insert_list *list, struct cairn_error *error) {
  const int n_ranks = cairn_ranks_n();
  if (n_ranks == 1)
    return 0;
  struct cairn_ranks_mail *all =
      cairn_ranks_gather(list->body ? (void *)list->body : "", list->n * (int64_t)sizeof *list->body);
  list->n = 0;
  for (int q = 0; q < n_ranks; q++)
    list->n += all[q].bytes / (int64_t)sizeof *list->body;
  free(list->body);
  list->capacity = list->n;
  list->body = malloc((size_t)list->n * sizeof *list->body + 1);
  char *to = (char *)list->body;
  for (int q = 0; q < n_ranks && to; to += all[q++].bytes)
    if (all[q].bytes > 0)
      memcpy(to, all[q].data, (size_t)all[q].bytes);
  cairn_ranks_mail_free(all);
  return to ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for bodies to be inserted");
}

/* All ranks find the same places, each for itself. */
static int64_t place(const struct cairn_scenario *s, struct cairn_state *state,
                     const struct cairn_state_stretch *stretch, double h, struct cairn_error *error) {
  struct cairn_insert_list list;
  int status = cairn_ranks_agree(cairn_insert_look(s, state, stretch, h, &list, error), error);
  if (!status)
    status = join_lists(&list, error);
  int64_t n = status ? status : cairn_insert_place(s, state, h, &list, error);
  status = cairn_ranks_agree(n < 0 ? (int)n : 0, error);
  if (!status && n > 0)
    cairn_insert_release(s, &list, state, stretch->first);
  free(list.body);
  return status ? status : n;
}

int cairn_stage_insert(struct cairn_simulation **simulation, struct cairn_scenario *s, struct cairn_error *error) {
  struct cairn_state copy = {0};
  struct cairn_state_stretch stretch;
  const int64_t step = cairn_simulation_step(*simulation);
  if (cairn_stage_next_batch(*simulation, s, step) != step)
    return 0;
  int status = take_bodies(*simulation, &copy, &stretch, error);
  const int64_t n = status ? status : place(s, &copy, &stretch, cairn_simulation_step_size(*simulation), error);
  if (n < 0)
    status = (int)n;
  if (n > 0)
    status = replace(simulation, s, &copy, &stretch, error);
  cairn_state_fini(&copy);
  return status;
}

int cairn_stage_renew(struct cairn_simulation **simulation, struct cairn_scenario *s, struct cairn_error *error) {
  struct cairn_state copy = {0};
  struct cairn_state_stretch stretch;
  int status = take_bodies(*simulation, &copy, &stretch, error);
  if (!status)
    status = replace(simulation, s, &copy, &stretch, error);
  cairn_state_fini(&copy);
  return status;
}
