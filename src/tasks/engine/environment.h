/* The environment that StarPU reads when it starts. StarPU ends the process where a variable makes no sense to it or a
 * folder cannot be written, so both are looked at before; what cairn itself has to tell StarPU through variables is
 * taken back once it has started. */
#ifndef CAIRN_TASKS_ENGINE_ENVIRONMENT_H
#define CAIRN_TASKS_ENGINE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "cairn/error.h"

/* Variables changed for StarPU's start, as the user had them. */
struct cairn_environment {
  struct {
    const char *name;
    char *value; /* NULL: not set */
  } kept[16];
  int n_kept;
};

/* Whether StarPU can read all of its variables; the message names the one that it cannot. */
int cairn_environment_check(struct cairn_error *error);

/* A whole number that has been checked, or `missing` where the variable is not set or empty. */
int cairn_environment_number(const char *name, int missing);

/* Set a variable (a literal name), or unset it with a value of NULL, until cairn_environment_restore. */
int cairn_environment_change(struct cairn_environment *environment, const char *name, const char *value,
                             struct cairn_error *error);
void cairn_environment_restore(struct cairn_environment *environment);

/* See to it that StarPU finds a folder for its measurements that it can write: the one asked for with STARPU_HOME or
 * STARPU_PERF_MODEL_DIR, which must do; else XDG_CACHE_HOME or the home directory; else a temporary folder of the
 * process that vanishes at its end. `temporary` tells whether it came to that. */
int cairn_environment_home(struct cairn_environment *environment, bool *temporary, struct cairn_error *error);

/* The STARPU_* variables that are set, one per line. */
void cairn_environment_list(char *text, size_t size);

#endif
