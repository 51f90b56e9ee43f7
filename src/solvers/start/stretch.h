/* The bodies that a run begins with where each rank has a stretch of their ids (scenario->share, or a part of a
 * checkpoint): what is asked of all of them. By all ranks. */
#ifndef CAIRN_SOLVERS_START_STRETCH_H
#define CAIRN_SOLVERS_START_STRETCH_H

#include "data/checkpoint/checkpoint.h"
#include "data/scenario/scenario.h"

/* A loop over scenario->initial goes on with what the ranks before have found, and all ranks get what the last one has:
 * the bits are those of one loop over all bodies. Nothing where the bodies are not shared. */
void cairn_stretch_take(const struct cairn_scenario *scenario, void *data, size_t bytes);
void cairn_stretch_pass(const struct cairn_scenario *scenario, void *data, size_t bytes);

/* Each rank reads its part of a checkpoint; the whole is verified. On failure nothing is allocated. */
int cairn_stretch_read_checkpoint(const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error);

/* Let the scenario have the bodies of a checkpoint for the moment, and no more. */
void cairn_stretch_lend(struct cairn_scenario *scenario, const struct cairn_checkpoint *checkpoint);
void cairn_stretch_return(struct cairn_scenario *scenario);

/* What reports tell of all bodies. */
struct cairn_stretch_survey {
  int64_t n;
  double radius[2], mass[2];                   /* m, kg: smallest and largest */
  int64_t smallest, largest;                   /* ids of bodies with these radii */
  double top;                                  /* m, least level of a body along gravity; infinite without one */
  int64_t n_of[CAIRN_SCENARIO_MOST_MATERIALS]; /* bodies of each material */
};

/* Look at all bodies. Where they are shared: checks what no rank could by itself, sizes and, of bodies that are new,
 * selections, interactions, overlaps. Once, before anything is planned. */
int cairn_stretch_survey(struct cairn_scenario *scenario, struct cairn_stretch_survey *survey,
                         struct cairn_error *error);

#endif
