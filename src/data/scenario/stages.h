/* Stages of a run: settle until the kinetic energy is small, then push. One after the other, each with its own end,
 * uniform field and output; walls appear, vanish and begin to move with them. When a stage ends is known only then: the
 * step is recorded in the tree, so that a resumed run knows it. */
#ifndef CAIRN_DATA_SCENARIO_STAGES_H
#define CAIRN_DATA_SCENARIO_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn/error.h"

struct cairn_scenario;
struct cairn_node;

struct cairn_stage {
  char *name;
  double time;           /* s, at most; infinite: as long as the run */
  double kinetic_energy; /* J, below which it ends; 0: whatever it is */
  double speed;          /* m/s, below which it ends; 0: whatever it is */
  int64_t escaped;       /* bodies, with which it ends; 0: however many */
  double after, every;   /* s: when these count first, and between two looks at them */
  double gravity[3];     /* m/s² */
  double frames, series; /* s, as output_frames and output_series of the scenario */
  int64_t ended;         /* step; -1: not yet */
};

/* Which stages the times of an assembly count from, and these times; -1: from the start of the run. */
struct cairn_stage_times {
  int32_t appears_with, vanishes_with, motion_with;
  double appears, vanishes, from, until; /* s */
};

/* Read the validated list `stages`, after gravity, time, world and output, before walls. */
int cairn_stages_read(struct cairn_scenario *scenario, struct cairn_error *error);

/* Are there as many bodies as must escape to end a stage? After the bodies are made. */
int cairn_stages_check(const struct cairn_scenario *scenario, struct cairn_error *error);

/* The stage that the text under `key` of a validated map names; -1 if the map has no such key. */
int cairn_stages_find(const struct cairn_scenario *scenario, const struct cairn_node *map, const char *key,
                      int32_t *stage, struct cairn_error *error);

void cairn_stages_fini(struct cairn_scenario *scenario);

/* The stage the run is in; after the last, their number. 0 too if there are none. */
int32_t cairn_stages_current(const struct cairn_scenario *scenario);

/* The step at which a stage begins; -1 if the one before it has not ended. */
int64_t cairn_stages_begin(const struct cairn_scenario *scenario, int32_t stage);

/* s, when a stage begins at the earliest, by what the ones before it say of their times. */
double cairn_stages_earliest(const struct cairn_scenario *scenario, int32_t stage);

/* Have all stages ended? False if there are none. */
bool cairn_stages_are_over(const struct cairn_scenario *scenario);

/* Put in force what the current stage says: gravity, output, times of walls. */
void cairn_stages_enter(struct cairn_scenario *scenario);

/* The current stage ends with this step: record it, and enter the next one if there is one. */
int cairn_stages_end(struct cairn_scenario *scenario, int64_t step, struct cairn_error *error);

/* Its end in words: "a kinetic energy below 0.01 J, or 20 s". */
void cairn_stages_describe(const struct cairn_stage *stage, char *text, size_t size);

#endif
