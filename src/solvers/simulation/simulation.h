/* A running simulation: bodies partitioned into cells, advanced by task graphs. */
#ifndef CAIRN_SOLVERS_SIMULATION_SIMULATION_H
#define CAIRN_SOLVERS_SIMULATION_SIMULATION_H

#include <starpu.h>

#include "cairn/simulation.h"
#include "data/scenario/scenario.h"
#include "data/state/observables.h"
#include "data/state/state_check.h"

struct cairn_contact_force;

/* What the numbers of a scenario mean for the run: printed by `cairn check`, in force in `cairn run`. */
struct cairn_plan {
  double step_size;             /* s, in force */
  double recommended_step;      /* s, τ_overlap/50 of the fastest contact */
  double stable_step;           /* s, beyond it the fastest contact gains energy; infinite with contact dynamics */
  double packed_step;           /* s, the same in a dense packing */
  double recommended_stiffness; /* N/m, from speed and pressure; 0 without both */
  double max_speed;             /* m/s, estimate behind it */
  int64_t n_steps;              /* to the end of the run */
  int64_t n_cells;              /* at the start */
  int64_t cells_bodies;         /* most bodies in a cell, in force */
  double memory;                /* bytes, estimate */
};

/* Steps of a run to its end; an end that is a whole number of steps but for rounding takes no extra one. */
int64_t cairn_simulation_n_steps(double time_end, double step_size);

/* Resolve every `auto` of the scenario and say what the run will be. Needs no engine. */
int cairn_simulation_plan(struct cairn_scenario *scenario, struct cairn_plan *plan, struct cairn_error *error);

/* As cairn_simulation_create, but the bodies are moved into the simulation instead of copied: scenario->initial, or
 * `resume` unless it is NULL, keeps only step and time. For the one simulation of a run. On several ranks `resume` may
 * have a stretch of the bodies; NULL: all of them, on every rank or on rank 0 alone. */
int cairn_simulation_adopt(struct cairn_scenario *scenario, struct cairn_state *resume,
                           const struct cairn_state_stretch *stretch, struct cairn_simulation **simulation,
                           struct cairn_error *error);

/* Bodies that wait to be inserted. */
int64_t cairn_simulation_n_waiting(const struct cairn_simulation *simulation);

/* Bodies and cells of all ranks. */
int64_t cairn_simulation_n_bodies(const struct cairn_simulation *simulation);
int64_t cairn_simulation_n_cells(const struct cairn_simulation *simulation);
int64_t cairn_simulation_n_regrids(const struct cairn_simulation *simulation);

/* Several ranks: the work of the busiest one over the mean of all, less 1, with the first cells and with the present
 * ones, by the processor time of the tasks of the cells. */
void cairn_simulation_imbalance(const struct cairn_simulation *simulation, double *first, double *last);

/* Seconds of the wall clock in which steps waited for self-gravity: capture of the bodies, tree, evaluation, update of
 * the cells. */
double cairn_simulation_gravity_seconds(const struct cairn_simulation *simulation);

/* Of all bodies, the most that a rank has had at an evaluation of self-gravity, and the most bytes that it got. */
double cairn_simulation_gravity_share(const struct cairn_simulation *simulation);
double cairn_simulation_gravity_received(const struct cairn_simulation *simulation);

/* Overlaps beyond the scenario's limit since the last call: the number of steps they occurred in and the worst of them.
 * `b` is a body, or -1 - wall. */
struct cairn_overlaps {
  int64_t steps;
  double overlap; /* over the smaller radius */
  int32_t a, b;
};
struct cairn_overlaps cairn_simulation_overlaps(struct cairn_simulation *simulation);

/* Bodies seen outside the world's bounds for the first time since the last call: how many, and one of them. */
struct cairn_escaped {
  int64_t n;
  int32_t body; /* -1 if there are none */
};
struct cairn_escaped cairn_simulation_escaped(struct cairn_simulation *simulation);

/* cairn_simulation_observe for a frame whose contacts are written (analysis/contact_forces.h): where it has their
 * forces at hand it puts them into their table. */
struct cairn_contact_rows;
int cairn_simulation_observe_frame(struct cairn_simulation *simulation, struct cairn_contact_rows *contacts,
                                   struct cairn_observables *observables, struct cairn_error *error);

/* As cairn_simulation_observe, without what needs a captured state: what describes the aggregate (analysis/aggregate.h)
 * is 0. A cheap observation between two samples. */
int cairn_simulation_observe_cheaply(struct cairn_simulation *simulation, struct cairn_observables *observables,
                                     struct cairn_error *error);

/* The clusters of this step by gaps, and the largest of them (analysis/cluster.h). By all ranks. */
struct cairn_cluster_fragments;
int cairn_simulation_fragments(struct cairn_simulation *simulation, struct cairn_cluster_fragments *fragments,
                               struct cairn_error *error);

/* The bodies of a stretch of ids and the contacts that have one of them as the lower body. */
struct cairn_simulation_slab {
  const struct cairn_state *state; /* of the bodies first, first + 1, … */
  int64_t first;
  /* if they were asked for: of the contacts that have one of the bodies at all, those between bodies first */
  const struct cairn_contact_force *force;
  int64_t n_forces;
  int64_t n_pairs; /* contacts between bodies, of all slabs */
};

/* Show all bodies and contacts of this step to `visit`, on rank 0, in slabs by id. One rank has one slab, without
 * forces. By all ranks; a visit that fails is the last. */
typedef int cairn_simulation_visit(void *context, const struct cairn_simulation_slab *slab, struct cairn_error *error);
int cairn_simulation_visit_slabs(struct cairn_simulation *simulation, bool with_forces, cairn_simulation_visit *visit,
                                 void *context, struct cairn_error *error);

/* The state of this step with a stretch of the bodies on each rank, of all ranks about as many. By all ranks. */
int cairn_simulation_deal(struct cairn_simulation *simulation, struct cairn_state *state,
                          struct cairn_state_stretch *stretch, struct cairn_error *error);

/* The digest of this step, and its state without bodies and contacts, of which *head has the numbers; it is valid until
 * the next step. By all ranks. */
int cairn_simulation_total(struct cairn_simulation *simulation, struct cairn_state *head,
                           char digest[CAIRN_DIGEST_LENGTH + 1], struct cairn_error *error);

/* m, the box around all bodies, lower and upper corner; by all ranks, known on rank 0. */
int cairn_simulation_box(struct cairn_simulation *simulation, double box[2][3], struct cairn_error *error);

/* What tasks that read the captured state depend on. */
starpu_data_handle_t cairn_simulation_state_handle(const struct cairn_simulation *simulation);

#endif
