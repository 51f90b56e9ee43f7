/* What rows of the schema have in common. */
#ifndef CAIRN_DATA_SCHEMA_SCHEMA_ROWS_H
#define CAIRN_DATA_SCHEMA_SCHEMA_ROWS_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "data/schema/schema_table.h"
#include "data/state/state_check.h"

/* What most rows have in common. Designated initialisers after these set the rest of the row. */
#define ANY .min = -DBL_MAX, .max = DBL_MAX
#define POSITIVE .min = 0, .max = DBL_MAX
#define ABOVE_ZERO CAIRN_SCHEMA_OPEN_MIN
#define VECTOR .type = CAIRN_SCHEMA_NUMBERS, .length = 3, ANY
#define END                                                                                                            \
  { .name = NULL }
#define FROM(text)                                                                                                     \
  { .name = "from", .type = CAIRN_SCHEMA_NUMBER, POSITIVE, .unit = "s", .fallback = "0", .description = (text) }
#define UNTIL(text)                                                                                                    \
  {                                                                                                                    \
    .name = "until", .type = CAIRN_SCHEMA_NUMBER, .flags = CAIRN_SCHEMA_OPTIONAL, POSITIVE, .unit = "s",               \
    .description = (text)                                                                                              \
  }

#endif
