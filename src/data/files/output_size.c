#include "data/files/output_size.h"

#include <math.h>

#include "data/files/wall_record.h"
#include "data/state/fields.h"
#include "data/state/observables.h"

/* Elements of a list of the state, as far as the scenario tells. */
static double count(const struct cairn_scenario *s, enum cairn_field_list list) {
  const double n = (double)cairn_scenario_n_bodies(s);
  return list == CAIRN_FIELD_BODIES       ? n
         : list == CAIRN_FIELD_CONTACTS   ? 3. * n
         : list == CAIRN_FIELD_ASSEMBLIES ? (double)s->n_assemblies
                                          : 0.;
}

static double fields(const struct cairn_scenario *s, unsigned kind) {
  const bool captures = cairn_scenario_has_captures(s) || s->n_insertions > 0, merging = s->collisions_merge,
             stress = s->output_stress;
  double bytes = 0.;
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    const bool absent = kind == CAIRN_FIELD_FRAME && ((field->flags & CAIRN_FIELD_CAPTURE && !captures) ||
                                                      (field->flags & CAIRN_FIELD_STRESS && !stress));
    /* of what contacts may remember, each method has one vector at least */
    const bool unlikely = field->flags & CAIRN_FIELD_MEMORY && field->offset != CAIRN_CONTACT_spring;
    const bool grows = kind == CAIRN_FIELD_FRAME && merging && field->flags & CAIRN_FIELD_GROWING;
    if ((field->flags & kind || grows) && !absent && !unlikely)
      bytes += count(s, field->list) * (double)field->components * (double)cairn_fields_size(field->type);
  }
  return bytes;
}

static double walls(const struct cairn_scenario *s, unsigned kind) {
  double numbers = 0.;
  for (int i = 0; i < cairn_wall_record_n_fields; i++)
    numbers += cairn_wall_fields[i].files & kind ? cairn_wall_fields[i].components : 0;
  return sizeof(double) * numbers * (double)s->n_walls;
}

static double observables(int most_components) {
  double numbers = 0.;
  for (int i = 0; i < cairn_observables_n_fields; i++)
    numbers += cairn_observables_fields[i].components <= most_components ? cairn_observables_fields[i].components : 0;
  return sizeof(double) * numbers;
}

/* Both ends included. */
static double times(const struct cairn_scenario *s, double interval, double duration) {
  const double each = fmax(interval, s->time_step);
  return interval > 0. && each > 0. ? ceil(duration / each * (1. - 1e-12)) + 1. : 0.;
}

/* Frames or rows of all stages, if each is as long as it may be. */
static double all_times(const struct cairn_scenario *s, bool rows) {
  double left = s->time_end, n = 0.;
  if (s->n_stages == 0)
    return times(s, rows ? s->output_series : s->output_frames, left);
  for (int32_t k = 0; k < s->n_stages && left > 0.; k++) {
    const double duration = fmin(left, s->stages[k].time);
    n += fmax(times(s, rows ? s->stages[k].series : s->stages[k].frames, duration) - (k > 0), 0.);
    left -= duration;
  }
  return n;
}

struct cairn_output_size cairn_output_size_of(const struct cairn_scenario *s) {
  enum { CELL = 9 }; /* numbers of the box in a frame */
  return (struct cairn_output_size){
      .n_frames = all_times(s, false),
      .frame = fields(s, CAIRN_FIELD_FRAME) + observables(1) + sizeof(double) * CELL + walls(s, CAIRN_WALL_TRAJECTORY),
      .n_rows = all_times(s, true),
      .row = observables(6) + walls(s, CAIRN_WALL_SERIES),
      .checkpoint = fields(s, CAIRN_FIELD_CHECKPOINT),
  };
}

double cairn_output_size_total(const struct cairn_output_size *o) {
  return o->n_frames * o->frame + o->n_rows * o->row + 2. * o->checkpoint;
}
