#include "solvers/start/stretch.h"

#include <math.h>
#include <string.h>

#include "data/initial/select.h"
#include "data/schema/yaml.h"
#include "kernels/common/vec3.h"
#include "solvers/start/near.h"
#include "tasks/ranks/ranks.h"

void cairn_stretch_take(const struct cairn_scenario *s, void *data, size_t bytes) {
  if (s->share.is_shared)
    cairn_ranks_take_turn(data, bytes);
}

void cairn_stretch_pass(const struct cairn_scenario *s, void *data, size_t bytes) {
  if (s->share.is_shared)
    cairn_ranks_pass_turn(data, bytes);
}

/* ---- checkpoints ---- */

static void join_sums(void *all, const void *more) { cairn_state_sum_join(all, more); }

int cairn_stretch_read_checkpoint(const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  int status = cairn_checkpoint_read_part(path, cairn_ranks_me(), cairn_ranks_n(), checkpoint, error);
  const int agreed = cairn_ranks_agree(status, error);
  if (agreed && !status)
    cairn_checkpoint_fini(checkpoint);
  if (agreed)
    return agreed;
  status = cairn_ranks_compare("the checkpoint", checkpoint->digest, error);
  if (!status) {
    struct cairn_state_sum sum = checkpoint->sum;
    if (checkpoint->is_shared)
      cairn_ranks_join(&sum, sizeof sum, join_sums);
    status = cairn_checkpoint_verify(path, checkpoint, &sum, error);
  }
  if (status)
    cairn_checkpoint_fini(checkpoint);
  return status;
}

void cairn_stretch_lend(struct cairn_scenario *s, const struct cairn_checkpoint *checkpoint) {
  s->initial = checkpoint->state;
  s->share = (struct cairn_scenario_share){.is_shared = checkpoint->is_shared,
                                           .is_resumed = true,
                                           .first = checkpoint->stretch.first,
                                           .n_elsewhere = checkpoint->stretch.n_all - checkpoint->state.n};
}

void cairn_stretch_return(struct cairn_scenario *s) {
  s->initial = (struct cairn_state){0};
  cairn_scenario_share_fini(&s->share);
}

/* ---- all bodies ---- */

static void look_at(const struct cairn_scenario *s, int64_t i, const double down[3], struct cairn_stretch_survey *all) {
  const struct cairn_state *bodies = &s->initial;
  const double *x = bodies->position + 3 * i, r = bodies->radius[i];
  if (all->n == 0 || r < all->radius[0]) {
    all->radius[0] = r;
    all->smallest = s->share.first + i;
  }
  if (all->n == 0 || r > all->radius[1]) {
    all->radius[1] = r;
    all->largest = s->share.first + i;
  }
  all->mass[0] = all->n == 0 ? bodies->mass[i] : fmin(all->mass[0], bodies->mass[i]);
  all->mass[1] = fmax(all->mass[1], bodies->mass[i]);
  all->top = fmin(all->top, x[0] * down[0] + x[1] * down[1] + x[2] * down[2] - r);
  all->n_of[bodies->material[i]]++;
  all->n++;
}

int cairn_stretch_survey(struct cairn_scenario *s, struct cairn_stretch_survey *survey, struct cairn_error *error) {
  const double size = cairn_vec3_length(s->gravity);
  double down[3] = {0., 0., 0.};
  *survey = (struct cairn_stretch_survey){.top = INFINITY};
  for (int k = 0; k < 3 && size > 0.; k++)
    down[k] = s->gravity[k] / size;
  cairn_stretch_take(s, survey, sizeof *survey);
  for (int64_t i = 0; i < s->initial.n; i++)
    look_at(s, i, down, survey);
  cairn_stretch_pass(s, survey, sizeof *survey);
  if (!s->share.is_shared)
    return 0;
  s->share.largest = survey->radius[1];
  int status = cairn_state_check_radii(survey->smallest, survey->radius[0], survey->largest, survey->radius[1], error);
  if (status || !s->share.entry)
    return status;
  cairn_ranks_sum(s->share.n_selected, (int32_t)cairn_yaml_child(s->tree, "select")->n);
  status = cairn_select_check(s, s->share.n_selected, error);
  if (!status)
    status = cairn_near_check(s, error);
  return status ? status : cairn_scenario_check_interactions(s, survey->n_of, error);
}
