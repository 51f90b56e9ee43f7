/* Keys that a scenario may hold but that its method has no use for: they are reported, not ignored. */
#ifndef CAIRN_DATA_SCENARIO_UNUSED_KEYS_H
#define CAIRN_DATA_SCENARIO_UNUSED_KEYS_H

#include <stddef.h>

#include "data/scenario/scenario.h"

/* One row for each such key. */
struct cairn_unused_key {
  const char *path; /* interactions.N.stiffness, N for the number of an entry; solver stands for all below it */
  unsigned methods; /* that use it: a set of enum cairn_method, one bit each */
  bool refused;     /* a key of an interaction: with another method a value above 0 is an error */
};

extern const struct cairn_unused_key cairn_unused_keys[];
extern const int cairn_unused_keys_n;

/* Write "solver, interactions.stiffness", those that the user wrote in the file or gave as overrides `set`; empty if
 * there are none. */
void cairn_unused_keys_list(const struct cairn_scenario *scenario, int n_set, const char *const *set, char *text,
                            size_t size);

/* Has its method a use for the key of this path, one of the rows? */
bool cairn_unused_keys_is_used(const struct cairn_scenario *scenario, const char *path);

/* The first key of this interaction that has a value above 0 and is refused with the scenario's method; NULL: none. */
const char *cairn_unused_keys_refused(const struct cairn_scenario *scenario, const struct cairn_node *interaction);

#endif
