/* The driver of contact dynamics, for its table (solvers/method.h). */
#ifndef CAIRN_SOLVERS_CONTACT_DYNAMICS_H
#define CAIRN_SOLVERS_CONTACT_DYNAMICS_H

#include "solvers/method.h"

/* Systems of so many bodies solve a step in one task. */
enum { CAIRN_CONTACT_DYNAMICS_SMALL = 20000 };

int64_t cairn_contact_dynamics_cell_bodies(int64_t n);
int cairn_contact_dynamics_start(struct cairn_simulation *simulation, struct cairn_error *error);
int cairn_contact_dynamics_advance(struct cairn_simulation *simulation, int64_t most, struct cairn_error *error);
double cairn_contact_dynamics_skin(struct cairn_simulation *simulation);
int cairn_contact_dynamics_partitioned(struct cairn_simulation *simulation, struct cairn_error *error);
void cairn_contact_dynamics_reach(struct cairn_simulation *simulation, double skin, double wall_speed);

/* Its words and costs (solvers/method.h). */
void cairn_contact_dynamics_advise_overlap(const struct cairn_scenario *scenario, double overlap, double recommended,
                                           char *text, size_t size);
void cairn_contact_dynamics_advise_step(const struct cairn_plan *plan, char *text, size_t size);
void cairn_contact_dynamics_describe_pair(const struct cairn_scenario *scenario, const struct cairn_interaction *pair,
                                          char *text, size_t size);
double cairn_contact_dynamics_dense_step(double sweeps);

#endif
