/* Bodies that are inserted while a run goes on: pouring. They exist from the start, with the last ids, so that files
 * hold the same bodies throughout, but wait: their captor is themselves, as if each had merged into itself, and so they
 * are in no cell. */
#ifndef CAIRN_DATA_INITIAL_INSERT_H
#define CAIRN_DATA_INITIAL_INSERT_H

#include "data/initial/region.h"
#include "data/scenario/scenario.h"

struct cairn_insertion {
  int64_t count, batch; /* bodies in all, and at a time */
  double from, every;   /* s: the first batch, and between two */
  int32_t stage;        /* from whose beginning `from` counts; -1: that of the run */
  double velocity[3], spin[3], speed;
  struct cairn_region region;
};

/* Read the validated list `insert` and append its bodies to scenario->initial; with `dry` they are not made. */
int cairn_insert_read(struct cairn_scenario *scenario, bool dry, struct cairn_error *error);
void cairn_insert_fini(struct cairn_scenario *scenario);

/* Does body i of the state wait to be inserted? */
bool cairn_insert_waits(const struct cairn_scenario *scenario, const struct cairn_state *state, int64_t i);

/* The first step not before `step` at which a batch is due, with steps of length h; INT64_MAX: none. */
int64_t cairn_insert_next(const struct cairn_scenario *scenario, int64_t step, double h);

/* Insert what is due at the step of this state: waiting bodies, in the order of their ids, at random places where they
 * touch nothing. Those that find none wait for the next batch. Returns how many were inserted, or a negative status. */
int64_t cairn_insert_place(const struct cairn_scenario *scenario, struct cairn_state *state, double h,
                           struct cairn_error *error);

#endif
