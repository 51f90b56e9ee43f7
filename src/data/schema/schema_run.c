/* The keys of time, solver, world, overlap, cells and output. */
#include "data/schema/schema_rows.h"
#include "kernels/contact_dynamics/cd_solvers.h"

const struct cairn_schema_key cairn_schema_run_time_keys[] = {
    {.name = "step",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OR_AUTO | ABOVE_ZERO,
     POSITIVE,
     .unit = "s",
     .fallback = "auto",
     .description = "time step; `auto` is a fiftieth of the shortest collision, with contact dynamics the time to move "
                    "a tenth of a radius, with hard spheres a radius or 0.45 collisions of a body"},
    {.name = "end",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .min = 1 / CAIRN_STATE_MOST_TIME,
     .max = CAIRN_STATE_MOST_TIME,
     .unit = "s",
     .description = "simulated time at which the run ends"},
    END};

#define SOLVER_NAME(upper, name) #name " "
const struct cairn_schema_key cairn_schema_run_solver_keys[] = {
    {.name = "kind",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = CAIRN_CD_SOLVERS(SOLVER_NAME),
     .fallback = "nesterov",
     .description = "Gauss–Seidel sweeps with momentum, or plain ones for comparison"},
    {.name = "tolerance",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OPEN_MIN | CAIRN_SCHEMA_OPEN_MAX,
     .min = 0,
     .max = 1,
     .fallback = "1.0e-4",
     .description = "relative natural map residual at which a step is solved"},
    {.name = "sweeps",
     .type = CAIRN_SCHEMA_INTEGER,
     .min = 1,
     .max = 1e9,
     .fallback = "1000",
     .description = "largest number of sweeps in a step"},
    {.name = "theta",
     .type = CAIRN_SCHEMA_NUMBER,
     .min = 0.5,
     .max = 1,
     .fallback = "0.5",
     .description = "θ of the time stepping: contacts are detected after (1 - θ) of a step"},
    {.name = "gaps",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "closing touching",
     .fallback = "closing",
     .description = "which pairs are contacts where restitution is 0: also those whose gap closes within the step, or "
                    "only those that touch"},
    {.name = "patience",
     .type = CAIRN_SCHEMA_INTEGER,
     .min = 0,
     .max = 1e9,
     .fallback = "0",
     .description = "the run fails when this many steps in a row have missed the tolerance; 0 is never"},
    END};

const struct cairn_schema_key cairn_schema_run_collisions_keys[] = {
    {.name = "elastic_below",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     POSITIVE,
     .unit = "m/s",
     .fallback = "auto",
     .description =
         "collisions with a smaller normal speed are elastic, which ends inelastic collapse; `auto` is twice "
         "what gravity adds in a step, and at least 1e-6 of the largest expected speed"},
    {.name = "outcome",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "bounce merge",
     .fallback = "bounce",
     .description = "what becomes of two bodies that collide: they bounce, or become one with their mass, volume, "
                    "momentum and angular momentum"},
    END};

const struct cairn_schema_key cairn_schema_run_world_keys[] = {
    {.name = "lower",
     VECTOR,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .unit = "m",
     .description = "corner with the smallest x, y, z; without it there is no end on that side"},
    {.name = "upper",
     VECTOR,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .unit = "m",
     .description = "corner with the largest x, y, z; without it there is no end on that side"},
    END};

const struct cairn_schema_key cairn_schema_run_overlap_keys[] = {
    {.name = "limit",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = ABOVE_ZERO,
     .min = 0,
     .max = 1,
     .fallback = "0.01",
     .description = "fraction of the smaller radius: larger overlaps raise a warning, `stiffness: auto` aims at it"},
    {.name = "initial",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     .min = 0,
     .max = 0.5,
     .fallback = "auto",
     .description =
         "fraction of the smaller radius allowed at the start; `auto` is 0.05 for bodies of tables and runs, 1e-6 "
         "for others"},
    END};

const struct cairn_schema_key cairn_schema_run_cells_keys[] = {
    {.name = "bodies",
     .type = CAIRN_SCHEMA_INTEGER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     .min = 1,
     .max = INT32_MAX,
     .fallback = "auto",
     .description = "largest number of bodies in a cell; `auto` follows from the number of bodies; soft spheres also "
                    "look at cores and caches, try some sizes and keep the fastest"},
    {.name = "skin",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OR_AUTO | ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .fallback = "auto",
     .description = "skin of the neighbour list: gap up to which pairs are listed"},
    END};

const struct cairn_schema_key cairn_schema_run_output_keys[] = {
    {.name = "name",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_COMPUTED,
     .fallback = "stem of the file",
     .description = "files are NAME.nc, NAME.series.nc and NAME.ckpt.nc, in the current folder or that of the name"},
    {.name = "frames",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     POSITIVE,
     .unit = "s",
     .fallback = "auto",
     .description = "simulated time between frames; `auto` is a hundredth of `time.end`, 0 is none"},
    {.name = "series",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     POSITIVE,
     .unit = "s",
     .fallback = "auto",
     .description = "simulated time between rows of diagnostics; `auto` is a five-hundredth of `time.end`, 0 is none"},
    {.name = "checkpoint",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "s",
     .fallback = "600",
     .description = "wall-clock time between checkpoints; 0 is only at the end"},
    {.name = "bodies",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "auto stress none",
     .fallback = "auto",
     .description = "what frames tell of each body beside its motion: `stress` is the stress in it; `auto` is `stress` "
                    "with contact dynamics, else `none`"},
    {.name = "contacts",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "false true",
     .fallback = "false",
     .description = "write the contacts of each frame with their forces to NAME.contacts.nc"},
    {.name = "report",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "false true",
     .fallback = "false",
     .description = "write the report NAME.html at the end of the run, as `cairn report` does"},
    END};
