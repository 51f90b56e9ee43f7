/* The keys of spin_up. */
#include "data/schema/schema_rows.h"

static const struct cairn_schema_key increments_keys[] = {
    {.name = "spin",
     VECTOR,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .unit = "rad/s",
     .description = "angular velocity added each time"},
    FROM("time of the first"),
    {.name = "every",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OPTIONAL | ABOVE_ZERO,
     POSITIVE,
     .unit = "s",
     .description = "time between two; without it there is only one"},
    UNTIL("time after which there is none; without it they go on to the end"),
    END};

static const struct cairn_schema_key torque_keys[] = {
    {.name = "moment", VECTOR, .flags = CAIRN_SCHEMA_REQUIRED, .unit = "N m", .description = "on the whole aggregate"},
    FROM("when it begins"),
    UNTIL("when it ends; without it never"),
    END};

const struct cairn_schema_key cairn_schema_spin_up_keys[] = {
    {.name = "increments",
     .type = CAIRN_SCHEMA_MAP,
     .keys = increments_keys,
     .description = "increments of the spin of the aggregate at given times"},
    {.name = "torque",
     .type = CAIRN_SCHEMA_MAP,
     .keys = torque_keys,
     .description = "a torque acts on the aggregate, in portions of up to 20 steps"},
    END};
