/* A running simulation: create it from a scenario, advance it, observe it. All functions are called from the thread
 * that started the engine. */
#ifndef CAIRN_SIMULATION_H
#define CAIRN_SIMULATION_H

#include <stdint.h>

#include "cairn/error.h"
#include "cairn/observables.h"
#include "cairn/state.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_scenario;
struct cairn_simulation;

/* Needs a running engine (cairn/engine.h). `resume` is NULL, or a state to go on from. The scenario must outlive the
 * simulation, which the caller gives back with cairn_simulation_free. */
int cairn_simulation_create(struct cairn_scenario *scenario, const struct cairn_state *resume,
                            struct cairn_simulation **simulation, struct cairn_error *error);

/* NULL is allowed. */
void cairn_simulation_free(struct cairn_simulation *simulation);

/* Do up to n_steps steps; returns when they are done. On CAIRN_ERR_NUMERIC the state is the last good one. */
int cairn_simulation_advance(struct cairn_simulation *simulation, int64_t n_steps, struct cairn_error *error);

/* Steps done, simulated time in s, length of a step in s. */
int64_t cairn_simulation_step(const struct cairn_simulation *simulation);
double cairn_simulation_time(const struct cairn_simulation *simulation);
double cairn_simulation_step_size(const struct cairn_simulation *simulation);

/* Simulated time in s and step at which the scenario ends. A simulation may be advanced beyond it. */
double cairn_simulation_end_time(const struct cairn_simulation *simulation);
int64_t cairn_simulation_end_step(const struct cairn_simulation *simulation);

/* Advance to step `end`, and call `callback` after every `every` steps and at the end. What it returns is not 0: stop
 * there and return CAIRN_STOPPED. It may observe, capture and set, but not advance or free. */
int cairn_simulation_run(struct cairn_simulation *simulation, int64_t end, int64_t every,
                         int (*callback)(void *context, struct cairn_simulation *simulation), void *context,
                         struct cairn_error *error);

/* Give all bodies that no wall has captured or removed new velocities and angular velocities, both [n][3] by id; NULL
 * leaves them as they are. Refused as a whole if a number is not finite or beyond the bounds of a state. */
int cairn_simulation_set_velocities(struct cairn_simulation *simulation, const double *velocity, const double *spin,
                                    struct cairn_error *error);

/* Walls of the scenario, their names, and what each does at the current step: [n_walls]. */
int32_t cairn_simulation_n_walls(const struct cairn_simulation *simulation);
const char *cairn_simulation_wall_name(const struct cairn_simulation *simulation, int32_t wall);
int cairn_simulation_observe_walls(struct cairn_simulation *simulation, struct cairn_wall_sample *samples,
                                   struct cairn_error *error);

/* Diagnostics of the current step. */
int cairn_simulation_observe(struct cairn_simulation *simulation, struct cairn_observables *observables,
                             struct cairn_error *error);

/* The current state, complete and sorted by id. It belongs to the simulation and stays as it is until the simulation is
 * advanced, captured again or freed; NULL on failure. */
const struct cairn_state *cairn_simulation_capture(struct cairn_simulation *simulation, struct cairn_error *error);

#ifdef __cplusplus
}
#endif
#endif
