/* Bodies that are inserted while a run goes on: pouring. They exist from the start, with the last ids, so that files
 * hold the same bodies throughout, but wait: their captor is themselves, as if each had merged into itself, and so they
 * are in no cell. */
#ifndef CAIRN_DATA_INITIAL_INSERT_H
#define CAIRN_DATA_INITIAL_INSERT_H

#include "data/initial/region.h"
#include "data/scenario/scenario.h"
#include "data/state/state_check.h"

struct cairn_insertion {
  int64_t count, batch; /* bodies in all, and at a time */
  double from, every;   /* s: the first batch, and between two */
  int32_t stage;        /* from whose beginning `from` counts; -1: that of the run */
  double velocity[3], spin[3], speed;
  struct cairn_region region;
};

/* Read the validated list `insert` and append its bodies to scenario->initial, where that is a stretch of all those of
 * the stretch; with `dry` they are not made. */
int cairn_insert_read(struct cairn_scenario *scenario, bool dry, struct cairn_error *error);
void cairn_insert_fini(struct cairn_scenario *scenario);

/* How many bodies the list asks for. */
int64_t cairn_insert_count(const struct cairn_scenario *scenario);

/* Does the body of this id, which has this captor, wait to be inserted? */
bool cairn_insert_waits(const struct cairn_scenario *scenario, int32_t captor, int64_t id);

/* The first step not before `step` at which a batch is due, with steps of length h; INT64_MAX: none. */
int64_t cairn_insert_next(const struct cairn_scenario *scenario, int64_t step, double h);

/* What a batch depends on: bodies near the regions, and those whose turn it is. */
struct cairn_insert_body {
  double position[3], radius; /* m */
  double velocity[3];         /* m/s, once it is placed */
  int32_t id;
  int32_t entry; /* of a body that waits; -1: it is there already */
  bool is_placed;
};
struct cairn_insert_list {
  struct cairn_insert_body *body; /* of each entry in the order of ids; freed by the caller */
  int64_t n, capacity;
};

/* What is due at the step of this state depends on these of its bodies, a stretch of all. Lists of stretches one after
 * the other are the list of all bodies. */
int cairn_insert_look(const struct cairn_scenario *scenario, const struct cairn_state *state,
                      const struct cairn_state_stretch *stretch, double h, struct cairn_insert_list *list,
                      struct cairn_error *error);

/* Find places for what is due at this step: for waiting bodies, in the order of their ids, random ones where they touch
 * nothing. Those that find none wait for the next batch. Of `head` time and walls count. Returns how many have a place,
 * or a negative status. */
int64_t cairn_insert_place(const struct cairn_scenario *scenario, const struct cairn_state *head, double h,
                           struct cairn_insert_list *list, struct cairn_error *error);

/* Bodies that have a place are there: in a state whose first id is `offset`. */
void cairn_insert_release(const struct cairn_scenario *scenario, const struct cairn_insert_list *list,
                          struct cairn_state *state, int64_t offset);

#endif
