/* The keys of stages. */
#include "data/schema/schema_rows.h"

static const struct cairn_schema_key until_keys[] = {
    {.name = "time",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OPTIONAL | ABOVE_ZERO,
     POSITIVE,
     .unit = "s",
     .description = "longest duration of the stage"},
    {.name = "kinetic_energy",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OPTIONAL | ABOVE_ZERO,
     POSITIVE,
     .unit = "J",
     .description = "ends when the kinetic energy of all bodies, rotation included, is below this"},
    {.name = "speed",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OPTIONAL | ABOVE_ZERO,
     POSITIVE,
     .unit = "m/s",
     .description = "ends when no body is as fast as this: they are at rest"},
    {.name = "escaped",
     .type = CAIRN_SCHEMA_INTEGER,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .min = 1,
     .max = INT32_MAX,
     .description = "ends when so many bodies are outside the box `world`"},
    {.name = "after",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "s",
     .fallback = "0",
     .description = "duration up to which energy, speed and escaped bodies do not count: bodies that start at rest "
                    "have no kinetic energy either"},
    {.name = "every",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OR_AUTO | ABOVE_ZERO,
     POSITIVE,
     .unit = "s",
     .fallback = "auto",
     .description = "time between two looks at them; `auto` is a thousandth of `time`, or of `time.end`"},
    END};

#define INTERVAL(key, text)                                                                                            \
  {                                                                                                                    \
    .name = (key), .type = CAIRN_SCHEMA_NUMBER, .flags = CAIRN_SCHEMA_OPTIONAL, POSITIVE, .unit = "s",                 \
    .description = (text)                                                                                              \
  }
static const struct cairn_schema_key output_keys[] = {
    INTERVAL("frames", "time between frames, in place of `output.frames`; 0 is none"),
    INTERVAL("series", "time between rows of diagnostics, in place of `output.series`; 0 is none"), END};

const struct cairn_schema_key cairn_schema_stages_keys[] = {
    {.name = "name",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .description = "what messages, walls and motions call it; each name once"},
    {.name = "until",
     .type = CAIRN_SCHEMA_MAP,
     .keys = until_keys,
     .description = "its end: whatever comes first; the last stage ends at `time.end` at the latest"},
    {.name = "gravity",
     VECTOR,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .unit = "m/s²",
     .description = "uniform field in this stage, in place of `gravity.uniform`"},
    {.name = "output",
     .type = CAIRN_SCHEMA_MAP,
     .keys = output_keys,
     .description = "how often this stage writes; its last step is written too"},
    {.name = "ended",
     .type = CAIRN_SCHEMA_INTEGER,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .min = 1,
     .max = CAIRN_MOST_STEPS,
     .description = "the step at which it ended; written by a run into its effective parameters"},
    END};
