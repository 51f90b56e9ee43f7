/* NAME.breaks.nc: the bonds that broke, one row each (data/storage/step_table.h). */
#ifndef CAIRN_DATA_FILES_BREAK_LOG_H
#define CAIRN_DATA_FILES_BREAK_LOG_H

#include "data/storage/step_table.h"

struct cairn_break {
  double step, time; /* steps done, s */
  int32_t a, b;      /* ids of the bodies, a < b; b = -1 - w for the wall w */
  int32_t cause;     /* enum cairn_bond_cause */
  double place[3];   /* m, the point of contact */
  double strain;
};

extern const struct cairn_step_kind cairn_break_log_kind;

/* What a cause is called; "?" where it is none. */
const char *cairn_break_log_cause(int cause);

#endif
