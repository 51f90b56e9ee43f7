/* What is to be simulated, read from YAML and validated. docs/scenario.md describes every key. */
#ifndef CAIRN_SCENARIO_H
#define CAIRN_SCENARIO_H

#include <stddef.h>

#include "cairn/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_scenario;

/* Read and validate the scenario in `path`; `set` holds n_set overrides "a.b.c=value" (NULL if there are none), `flags`
 * is 0. On success *scenario is the caller's, to be given back with cairn_scenario_free; on failure nothing is
 * allocated and `error` holds "file:line:column: message". */
int cairn_scenario_load(const char *path, int n_set, const char *const *set, int flags,
                        struct cairn_scenario **scenario, struct cairn_error *error);

/* The same from text in memory; `file` is the name used in messages and the folder of relative paths. */
int cairn_scenario_parse(const char *text, size_t length, const char *file, int n_set, const char *const *set,
                         int flags, struct cairn_scenario **scenario, struct cairn_error *error);

/* NULL is allowed. No simulation may still use it. */
void cairn_scenario_free(struct cairn_scenario *scenario);

/* All parameters in force as YAML text that cairn reads back to the same scenario; the caller frees it. NULL if out of
 * memory. */
char *cairn_scenario_effective(const struct cairn_scenario *scenario);

#ifdef __cplusplus
}
#endif
#endif
