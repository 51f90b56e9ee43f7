#include "data/scenario/spin_up.h"

#include <math.h>
#include <stdlib.h>

#include "data/scenario/scenario.h"
#include "data/schema/schema.h"

/* Steps between two portions of a torque: a rigid turn strains nothing, so they need not be every step. */
static const double PORTION = 20.;

/* Times and steps are rounded numbers: one this part of itself too early counts. */
static const double ROUNDING = 1e-12;

static int read_entry(const char *file, const struct cairn_node *entry, struct cairn_spin_up *out,
                      struct cairn_error *error) {
  const struct cairn_node *torque = cairn_yaml_child(entry, "torque");
  const struct cairn_node *node = torque ? torque : cairn_yaml_child(entry, "increments");
  const struct cairn_node *until = cairn_yaml_child(node, "until");
  const bool repeats = !torque && cairn_yaml_child(node, "every");
  *out = (struct cairn_spin_up){.is_torque = torque != NULL,
                                .from = cairn_schema_number(node, "from"),
                                .until = until ? cairn_schema_number(node, "until") : INFINITY,
                                .every = torque    ? PORTION
                                         : repeats ? cairn_schema_number(node, "every")
                                                   : INFINITY};
  cairn_schema_numbers(node, torque ? "moment" : "spin", 3, out->amount);
  if (out->until <= out->from)
    return cairn_yaml_error(error, file, until, "found %g s; allowed: after from = %g s", out->until, out->from);
  return CAIRN_OK;
}

int cairn_spin_up_read(struct cairn_scenario *s, struct cairn_error *error) {
  const struct cairn_node *list = cairn_yaml_child(s->tree, "spin_up");
  int status = CAIRN_OK;
  s->spin_ups = calloc(list->n + 1, sizeof *s->spin_ups);
  if (!s->spin_ups)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", s->file);
  for (size_t i = 0; i < list->n && status == CAIRN_OK; i++)
    status = read_entry(s->file, list->child[i], s->spin_ups + s->n_spin_ups++, error);
  return status;
}

double cairn_spin_up_every(const struct cairn_spin_up *s, double h) {
  const double span = s->until - s->from, most = s->every * h;
  if (!s->is_torque)
    return s->every;
  return isfinite(span) ? span / ceil(span / most * (1. - ROUNDING)) : most;
}

/* Time between two, and of the first: a portion of torque comes after the time it stands for. */
static double times_of(const struct cairn_spin_up *s, double h, double *first) {
  const double every = cairn_spin_up_every(s, h);
  *first = s->is_torque ? s->from + every : s->from;
  return every;
}

/* How many are due up to a time. */
static int64_t count_to(const struct cairn_spin_up *s, double time, double h) {
  double first;
  const double every = times_of(s, h, &first), late = time * (1. + ROUNDING);
  return late < first ? 0 : 1 + (int64_t)fmin((late - first) / every, 1e15);
}

int64_t cairn_spin_up_count(const struct cairn_spin_up *s, int64_t step, double h) {
  return count_to(s, fmin((double)step * h, s->until), h);
}

int64_t cairn_spin_up_next(const struct cairn_scenario *scenario, int64_t step, double h) {
  int64_t next = INT64_MAX;
  for (int32_t i = 0; i < scenario->n_spin_ups; i++) {
    const struct cairn_spin_up *s = scenario->spin_ups + i;
    double first;
    const double every = times_of(s, h, &first);
    const int64_t done = cairn_spin_up_count(s, step, h);
    const double time = done > 0 ? first + (double)done * every : first;
    if (done == count_to(s, s->until, h) || !(time / h < 1e15))
      continue;
    int64_t at = (int64_t)fmax((double)step, floor(time / h) - 1.);
    while (at <= step || cairn_spin_up_count(s, at, h) == done)
      at++;
    next = at < next ? at : next;
  }
  return next;
}
