/* The diagnostics of one step: a row of the series file, the scalars of a trajectory frame, the progress line. */
#ifndef CAIRN_DATA_STATE_OBSERVABLES_H
#define CAIRN_DATA_STATE_OBSERVABLES_H

#include "cairn/observables.h"

/* One row per entry: what it is called in files, how many components, its unit and its description. */
struct cairn_observable_field {
  const char *name;
  const char *unit; /* UDUNITS */
  const char *long_name;
  int components; /* 1, 3 or 6 */
  int offset;     /* byte offset of the double(s) in struct cairn_observables */
};

extern const struct cairn_observable_field cairn_observables_fields[];
extern const int cairn_observables_n_fields;

#endif
