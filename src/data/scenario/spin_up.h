/* Spin-up of an aggregate: from time to time all its bodies are turned faster about their centre of mass, as one rigid
 * body would be. A torque is the same in small portions. */
#ifndef CAIRN_DATA_SCENARIO_SPIN_UP_H
#define CAIRN_DATA_SCENARIO_SPIN_UP_H

#include <stdbool.h>
#include <stdint.h>

#include "cairn/error.h"

struct cairn_scenario;

struct cairn_spin_up {
  bool is_torque;
  double amount[3];   /* rad/s, what an increment adds; or N m */
  double from, until; /* s */
  double every;       /* s; infinite: once. Of a torque the most steps of a portion */
};

/* Fill scenario->spin_ups from the validated list `spin_up`. */
int cairn_spin_up_read(struct cairn_scenario *scenario, struct cairn_error *error);

/* Time between two increments, or that a portion of torque stands for, with steps of length h. A torque that ends has
 * equal portions up to its end. */
double cairn_spin_up_every(const struct cairn_spin_up *spin_up, double h);

/* How many increments or portions are due up to and including a step of length h. */
int64_t cairn_spin_up_count(const struct cairn_spin_up *spin_up, int64_t step, double h);

/* The first step after `step` at which any of the scenario's is due; INT64_MAX: none. */
int64_t cairn_spin_up_next(const struct cairn_scenario *scenario, int64_t step, double h);

#endif
