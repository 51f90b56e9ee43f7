/* Where a run goes on with a new simulation of its state: when a stage ends, and when bodies are inserted. */
#ifndef CAIRN_SOLVERS_RUN_STAGE_H
#define CAIRN_SOLVERS_RUN_STAGE_H

#include "solvers/simulation/simulation.h"

/* The first step after `step` at which the current stage may end: by its time, or at the next look at its conditions.
 * INT64_MAX without stages. */
int64_t cairn_stage_next(const struct cairn_scenario *scenario, int64_t step, double h);

/* Is the current stage over at this step of the simulation? A stage whose time is over although it has conditions is,
 * with a message that says so, else an empty one. False without stages. */
int cairn_stage_is_over(struct cairn_simulation *simulation, const struct cairn_scenario *scenario, bool *is_over,
                        char message[256], struct cairn_error *error);

/* Insert the batch of bodies that is due at this step, if any: then the simulation is replaced as below. Every step for
 * which cairn_stage_next_batch answers that step asks for it once, before it is advanced. */
int cairn_stage_insert(struct cairn_simulation **simulation, struct cairn_scenario *scenario,
                       struct cairn_error *error);

/* The first step not before `step` at which a batch is due; INT64_MAX if there is none, or nobody waits. */
int64_t cairn_stage_next_batch(const struct cairn_simulation *simulation, const struct cairn_scenario *scenario,
                               int64_t step);

/* Begin again from the present state, as a resumed run does, with the scenario as it is now: the simulation is replaced
 * by a new one. After an error it is the old one. */
int cairn_stage_renew(struct cairn_simulation **simulation, struct cairn_scenario *scenario, struct cairn_error *error);

#endif
