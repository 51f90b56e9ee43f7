/* The keys of gravity and frame. */
#include "data/schema/schema_rows.h"

static const struct cairn_schema_key self_gravity_keys[] = {
    {.name = "accuracy",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OPEN_MIN,
     .min = 0,
     .max = 0.1,
     .fallback = "1.0e-3",
     .description = "bound on the relative RMS error of the acceleration"},
    {.name = "order",
     .type = CAIRN_SCHEMA_INTEGER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     .min = 1,
     .max = 5,
     .fallback = "auto",
     .description = "order of the multipole expansions; auto: the fastest for the accuracy"},
    {.name = "refresh",
     .type = CAIRN_SCHEMA_INTEGER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     .min = 1,
     .max = 1e9,
     .fallback = "auto",
     .unit = "steps",
     .description = "steps between evaluations; auto: before bodies have moved by a fraction of their size"},
    {.name = "constant",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = ABOVE_ZERO,
     POSITIVE,
     .fallback = "6.6743e-11",
     .unit = "m³/(kg s²)",
     .description = "gravitational constant, for scenarios in other units"},
    END};

static const struct cairn_schema_key central_keys[] = {
    {.name = "mass",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "kg",
     .description = "of the point mass"},
    {.name = "position",
     VECTOR,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .unit = "m",
     .description = "where it is, at the start if it moves"},
    {.name = "velocity",
     VECTOR,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .unit = "m/s",
     .description =
         "its velocity in a freely falling frame, in which it moves on a Kepler orbit; without it the mass is fixed"},
    END};

const struct cairn_schema_key cairn_schema_gravity_frame_keys[] = {
    {.name = "spin",
     VECTOR,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .unit = "rad/s",
     .description = "Ω, the angular velocity of the coordinates, in which all positions and velocities are given"},
    {.name = "pivot", VECTOR, .unit = "m", .fallback = "[0, 0, 0]", .description = "a point of the axis of rotation"},
    END};

const struct cairn_schema_key cairn_schema_gravity_keys[] = {
    {.name = "uniform", VECTOR, .unit = "m/s²", .fallback = "[0, 0, 0]", .description = "acceleration of every body"},
    {.name = "self",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = self_gravity_keys,
     .description = "gravity of the bodies on each other; `{}` for the defaults"},
    {.name = "central",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = central_keys,
     .description = "a point mass that attracts all bodies: a planet, a star"},
    END};
