#include "data/schema_table.h"

#include "kernels/laws.h"

#include <float.h>
#include <stdint.h>

#include "data/state_check.h"

/* What most rows have in common. Designated initialisers after these set the rest of the row. */
#define ANY .min = -DBL_MAX, .max = DBL_MAX
#define POSITIVE .min = 0, .max = DBL_MAX
#define ABOVE_ZERO CAIRN_SCHEMA_OPEN_MIN
#define VECTOR .type = CAIRN_SCHEMA_NUMBERS, .length = 3, ANY
#define END                                                                                                            \
  { .name = NULL }

static const struct cairn_schema_key time_keys[] = {
    {.name = "step",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OR_AUTO | ABOVE_ZERO,
     POSITIVE,
     .unit = "s",
     .fallback = "auto",
     .description = "length of a time step; `auto` is a fiftieth of the shortest contact, with contact dynamics what "
                    "moves a tenth of a radius"},
    {.name = "end",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .min = 1 / CAIRN_STATE_MOST_TIME,
     .max = CAIRN_STATE_MOST_TIME,
     .unit = "s",
     .description = "simulated time at which the run ends"},
    END};

static const struct cairn_schema_key self_gravity_keys[] = {
    {.name = "accuracy",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OPEN_MIN,
     .min = 0,
     .max = 0.1,
     .fallback = "1.0e-3",
     .description =
         "error of the acceleration, root mean square over the bodies, relative to that of the acceleration"},
    {.name = "order",
     .type = CAIRN_SCHEMA_INTEGER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     .min = 1,
     .max = 5,
     .fallback = "auto",
     .description = "of the expansions; auto: the fastest for the accuracy"},
    {.name = "refresh",
     .type = CAIRN_SCHEMA_INTEGER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     .min = 1,
     .max = 1e9,
     .fallback = "auto",
     .unit = "steps",
     .description = "how often it is found anew; auto: before bodies have moved by a part of their size"},
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
         "with it the frame falls freely past the mass, which is seen to move on an orbit of Kepler; without "
         "it the mass stays where it is"},
    END};

static const struct cairn_schema_key frame_keys[] = {
    {.name = "spin",
     VECTOR,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .unit = "rad/s",
     .description = "Ω, the angular velocity of the coordinates, in which all positions and velocities are given"},
    {.name = "pivot", VECTOR, .unit = "m", .fallback = "[0, 0, 0]", .description = "a point of the axis of rotation"},
    END};

#define FROM(text)                                                                                                     \
  { .name = "from", .type = CAIRN_SCHEMA_NUMBER, POSITIVE, .unit = "s", .fallback = "0", .description = (text) }
#define UNTIL(text)                                                                                                    \
  {                                                                                                                    \
    .name = "until", .type = CAIRN_SCHEMA_NUMBER, .flags = CAIRN_SCHEMA_OPTIONAL, POSITIVE, .unit = "s",               \
    .description = (text)                                                                                              \
  }

static const struct cairn_schema_key increments_keys[] = {
    {.name = "spin",
     VECTOR,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .unit = "rad/s",
     .description = "what the aggregate turns faster by, each time"},
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

static const struct cairn_schema_key spin_up_keys[] = {
    {.name = "increments",
     .type = CAIRN_SCHEMA_MAP,
     .keys = increments_keys,
     .description = "the aggregate is turned faster at given times"},
    {.name = "torque",
     .type = CAIRN_SCHEMA_MAP,
     .keys = torque_keys,
     .description = "a torque acts on the aggregate, in portions of up to 20 steps"},
    END};

static const struct cairn_schema_key gravity_keys[] = {
    {.name = "uniform", VECTOR, .unit = "m/s²", .fallback = "[0, 0, 0]", .description = "acceleration of every body"},
    {.name = "self",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = self_gravity_keys,
     .description = "with it the bodies pull on each other; `{}` for the defaults"},
    {.name = "central",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = central_keys,
     .description = "a point mass that pulls on all bodies: a planet, a star"},
    END};

/* The keys of every contact law, from its header. */
#define LAW_KEY(law_, key, flags_, minimum, maximum, unit_, fallback_, description_)                                   \
  {.name = #key,                                                                                                       \
   .type = CAIRN_SCHEMA_NUMBER,                                                                                        \
   .flags = ((flags_)&CAIRN_LAW_OR_AUTO ? CAIRN_SCHEMA_OR_AUTO : 0) |                                                  \
            ((flags_)&CAIRN_LAW_ABOVE ? CAIRN_SCHEMA_OPEN_MIN : 0) |                                                   \
            ((flags_)&CAIRN_LAW_REQUIRED ? CAIRN_SCHEMA_REQUIRED : 0),                                                 \
   .min = (minimum),                                                                                                   \
   .max = (maximum),                                                                                                   \
   .unit = unit_,                                                                                                      \
   .fallback = fallback_,                                                                                              \
   .law = #law_,                                                                                                       \
   .description = description_},
#define LAW_NAME(law) #law " "
#define LAW_MEANING(law) " `" #law "` " CAIRN_LAW_DESCRIPTION_##law ";"
#define MATERIAL_KEYS(law) CAIRN_LAW_MATERIAL_KEYS_##law(LAW_KEY)
#define PAIR_KEYS(law) CAIRN_LAW_PAIR_KEYS_##law(LAW_KEY)

static const struct cairn_schema_key material_keys[] = {
    {.name = "name",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .description = "what bodies, walls and interactions call it; each name once"},
    {.name = "density",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "kg/m³",
     .description = "gives the mass of a body from its radius"},
    CAIRN_LAWS(MATERIAL_KEYS) END};

static const struct cairn_schema_key interaction_keys[] = {
    {.name = "between",
     .type = CAIRN_SCHEMA_TEXTS,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .length = 2,
     .description = "the two materials, in any order; the same one twice for contacts within it"},
    CAIRN_LAWS(PAIR_KEYS){
        .name = "tangential_rebound",
        .type = CAIRN_SCHEMA_NUMBER,
        .min = 0,
        .max = 1,
        .fallback = "0",
        .description =
            "contact dynamics: part of the tangential velocity that comes back after an impact that does not slip"},
    {.name = "friction",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .fallback = "0.5",
     .description = "μ_s: largest tangential over normal force"},
    {.name = "slip",
     .type = CAIRN_SCHEMA_NUMBER,
     .min = 0,
     .max = 1,
     .fallback = "0",
     .description = "b: part of the tangential spring that survives a slip"},
    {.name = "rolling_friction",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .fallback = "0",
     .description = "μ_r: torque against rolling over normal force times lever arm"},
    {.name = "twisting_friction",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .fallback = "0",
     .description = "μ_t: torque against twisting over normal force times contact radius"},
    {.name = "rolling_length",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "contact dynamics: torque against rolling over normal force, in place of `rolling_friction`"},
    {.name = "twisting_length",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "contact dynamics: torque against twisting over normal force, in place of `twisting_friction`"},
    {.name = "cohesion",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "N",
     .fallback = "0",
     .description = "contact dynamics: tension that a contact bears; how far it acts, `cohesion_range` or "
                    "`cohesion_energy` says"},
    {.name = "cohesion_range",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "contact dynamics: gap up to which the cohesion acts and draws the bodies together"},
    {.name = "cohesion_energy",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "J",
     .fallback = "0",
     .description = "contact dynamics: work that parts a contact, in place of `cohesion_range`; 0 is the law with a "
                    "range"},
    END};

static const struct cairn_schema_key solver_keys[] = {
    {.name = "kind",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "nesterov nncg nsgs apgd",
     .fallback = "nesterov",
     .description = "Gauss–Seidel sweeps with momentum, with conjugate gradients, or plain; or projected gradients "
                    "with momentum"},
    {.name = "tolerance",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OPEN_MIN | CAIRN_SCHEMA_OPEN_MAX,
     .min = 0,
     .max = 1,
     .fallback = "1.0e-4",
     .description = "relative residual at which a step is solved"},
    {.name = "sweeps",
     .type = CAIRN_SCHEMA_INTEGER,
     .min = 1,
     .max = 1e9,
     .fallback = "1000",
     .description = "most sweeps in a step"},
    {.name = "theta",
     .type = CAIRN_SCHEMA_NUMBER,
     .min = 0.5,
     .max = 1,
     .fallback = "0.5",
     .description = "θ of the time stepping: contacts are found after (1 - θ) of a step"},
    {.name = "gaps",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "closing touching",
     .fallback = "closing",
     .description =
         "which bodies act on each other without restitution: also those that will touch within the step, or "
         "only those that touch"},
    {.name = "patience",
     .type = CAIRN_SCHEMA_INTEGER,
     .min = 0,
     .max = 1e9,
     .fallback = "0",
     .description = "the run fails when this many steps in a row have missed the tolerance; 0 is never"},
    END};

static const struct cairn_schema_key normal_keys[] = {{.name = "mean",
                                                       .type = CAIRN_SCHEMA_NUMBER,
                                                       .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
                                                       POSITIVE,
                                                       .unit = "m",
                                                       .description = "mean radius before the cut"},
                                                      {.name = "deviation",
                                                       .type = CAIRN_SCHEMA_NUMBER,
                                                       .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
                                                       POSITIVE,
                                                       .unit = "m",
                                                       .description = "standard deviation before the cut"},
                                                      {.name = "min",
                                                       .type = CAIRN_SCHEMA_NUMBER,
                                                       .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
                                                       POSITIVE,
                                                       .unit = "m",
                                                       .description = "smaller radii are drawn again"},
                                                      {.name = "max",
                                                       .type = CAIRN_SCHEMA_NUMBER,
                                                       .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
                                                       POSITIVE,
                                                       .unit = "m",
                                                       .description = "larger radii are drawn again"},
                                                      END};

static const struct cairn_schema_key power_law_keys[] = {
    {.name = "exponent",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .min = -10,
     .max = 20,
     .description = "q in dN/dr ∝ r^−q; a cumulative law N(>r) ∝ r^−a has q = a + 1"},
    {.name = "min",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .description = "smallest radius"},
    {.name = "max",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .description = "largest radius"},
    END};

static const struct cairn_schema_key size_keys[] = {
    {.name = "constant",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .description = "every body has this radius; the same as the plain number"},
    {.name = "uniform",
     .type = CAIRN_SCHEMA_NUMBERS,
     .length = 2,
     .flags = ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .description = "smallest and largest radius, radii evenly spread between them"},
    {.name = "uniform_volume",
     .type = CAIRN_SCHEMA_NUMBERS,
     .length = 2,
     .flags = ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .description = "smallest and largest radius, volumes evenly spread between theirs"},
    {.name = "normal",
     .type = CAIRN_SCHEMA_MAP,
     .keys = normal_keys,
     .description = "normal distribution of radii, cut at both ends"},
    {.name = "power_law",
     .type = CAIRN_SCHEMA_MAP,
     .keys = power_law_keys,
     .description = "power law of radii between two limits"},
    END};

#define SIZES(flag)                                                                                                    \
  .name = "radius", .type = CAIRN_SCHEMA_ONE_OF, .flags = CAIRN_SCHEMA_OR_NUMBER | ABOVE_ZERO | (flag), POSITIVE,      \
  .unit = "m", .keys = size_keys, .shared = "radius"
#define MATERIAL(flag, text)                                                                                           \
  { .name = "material", .type = CAIRN_SCHEMA_TEXT, .flags = (flag), .description = (text) }
#define VELOCITY(text)                                                                                                 \
  { .name = "velocity", VECTOR, .unit = "m/s", .fallback = "[0, 0, 0]", .description = (text) }
#define SPIN(text)                                                                                                     \
  { .name = "spin", VECTOR, .unit = "rad/s", .fallback = "[0, 0, 0]", .description = (text) }

static const struct cairn_schema_key box_keys[] = {{.name = "lower",
                                                    VECTOR,
                                                    .flags = CAIRN_SCHEMA_REQUIRED,
                                                    .unit = "m",
                                                    .description = "corner with the smallest x, y, z"},
                                                   {.name = "upper",
                                                    VECTOR,
                                                    .flags = CAIRN_SCHEMA_REQUIRED,
                                                    .unit = "m",
                                                    .description = "corner with the largest x, y, z"},
                                                   END};

static const struct cairn_schema_key sphere_keys[] = {
    {.name = "center", VECTOR, .unit = "m", .fallback = "[0, 0, 0]", .description = "its centre"},
    {.name = "radius",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .description = "its radius"},
    END};

static const struct cairn_schema_key cylinder_keys[] = {
    {.name = "base", VECTOR, .unit = "m", .fallback = "[0, 0, 0]", .description = "centre of the lower face"},
    {.name = "axis",
     VECTOR,
     .fallback = "[0, 0, 1]",
     .description = "direction from the lower to the upper face; any length but zero"},
    {.name = "radius",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .description = "its radius"},
    {.name = "height",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .description = "distance of its faces"},
    END};

static const struct cairn_schema_key region_keys[] = {
    {.name = "box", .type = CAIRN_SCHEMA_MAP, .keys = box_keys, .description = "a box along the axes"},
    {.name = "sphere", .type = CAIRN_SCHEMA_MAP, .keys = sphere_keys, .description = "a sphere"},
    {.name = "cylinder", .type = CAIRN_SCHEMA_MAP, .keys = cylinder_keys, .description = "a cylinder of any direction"},
    END};

#define REGION(flag, text)                                                                                             \
  {                                                                                                                    \
    .name = "in", .type = CAIRN_SCHEMA_ONE_OF, .flags = (flag), .keys = region_keys, .shared = "in",                   \
    .description = (text)                                                                                              \
  }

static const struct cairn_schema_key rotation_keys[] = {
    {.name = "spin", VECTOR, .flags = CAIRN_SCHEMA_REQUIRED, .unit = "rad/s", .description = "ω, the angular velocity"},
    {.name = "pivot",
     VECTOR,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .unit = "m",
     .description = "point about which they rotate; without it their centre of mass"},
    END};

/* The bodies of an entry as one rigid body. */
#define ROTATION                                                                                                       \
  {                                                                                                                    \
    .name = "rotation", .type = CAIRN_SCHEMA_MAP, .flags = CAIRN_SCHEMA_OPTIONAL, .keys = rotation_keys,               \
    .shared = "rotation", .description = "the bodies rotate together as if they were one, in addition"                 \
  }

static const struct cairn_schema_key turn_keys[] = {
    {.name = "axis",
     VECTOR,
     .fallback = "[0, 0, 1]",
     .description = "axis through the centre of mass, any length but zero"},
    {.name = "angle",
     .type = CAIRN_SCHEMA_NUMBER,
     ANY,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .unit = "rad",
     .description = "angle about the axis, counted as the fingers of the right hand curl"},
    END};

/* Where the bodies of a file are put. */
#define PLACING(text)                                                                                                  \
  {.name = "turn",                                                                                                     \
   .type = CAIRN_SCHEMA_MAP,                                                                                           \
   .flags = CAIRN_SCHEMA_OPTIONAL,                                                                                     \
   .keys = turn_keys,                                                                                                  \
   .shared = "turn",                                                                                                   \
   .description = "turns all bodies with their velocities about their centre of mass"},                                \
      {.name = "at",                                                                                                   \
       VECTOR,                                                                                                         \
       .flags = CAIRN_SCHEMA_OPTIONAL,                                                                                 \
       .unit = "m",                                                                                                    \
       .description = "puts their centre of mass here"},                                                               \
  {                                                                                                                    \
    .name = "shift", VECTOR, .unit = "m", .fallback = "[0, 0, 0]", .description = (text)                               \
  }

static const struct cairn_schema_key single_keys[] = {
    {.name = "position", VECTOR, .flags = CAIRN_SCHEMA_REQUIRED, .unit = "m", .description = "centre of the body"},
    {.name = "radius",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .description = "its radius"},
    MATERIAL(CAIRN_SCHEMA_REQUIRED, "name of its material"),
    VELOCITY("velocity of the centre"),
    SPIN("angular velocity"),
    END};

static const struct cairn_schema_key lattice_keys[] = {
    {.name = "origin",
     VECTOR,
     .unit = "m",
     .fallback = "[0, 0, 0]",
     .description = "centre of the first body; with `in` any point of the grid"},
    {.name = "counts",
     .type = CAIRN_SCHEMA_INTEGERS,
     .length = 3,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .min = 1,
     .max = INT32_MAX,
     .description = "bodies along x, y and z"},
    REGION(CAIRN_SCHEMA_OPTIONAL, "in place of `counts`: a body at every point of the grid in this region"),
    {.name = "spacing",
     .type = CAIRN_SCHEMA_NUMBERS,
     .length = 3,
     POSITIVE,
     .unit = "m",
     .flags = CAIRN_SCHEMA_REQUIRED | CAIRN_SCHEMA_OR_NUMBER | ABOVE_ZERO,
     .description = "distance of neighbouring centres along x, y and z; one number for all three"},
    {.name = "jitter",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "each coordinate is moved by a random amount up to this, either way"},
    {SIZES(CAIRN_SCHEMA_REQUIRED), .description = "radius of every body, or a distribution"},
    MATERIAL(CAIRN_SCHEMA_REQUIRED, "name of their material"),
    VELOCITY("velocity of every body"),
    SPIN("angular velocity"),
    ROTATION,
    END};

static const struct cairn_schema_key cloud_keys[] = {
    {.name = "count",
     .type = CAIRN_SCHEMA_INTEGER,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .min = 1,
     .max = INT32_MAX,
     .description = "number of bodies"},
    REGION(CAIRN_SCHEMA_REQUIRED, "where: every body lies inside as a whole, off all walls and off all earlier bodies"),
    {SIZES(CAIRN_SCHEMA_REQUIRED), .description = "radius of every body, or a distribution"},
    MATERIAL(CAIRN_SCHEMA_REQUIRED, "name of their material"),
    VELOCITY("velocity that all bodies share"),
    {.name = "speed",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m/s",
     .fallback = "0",
     .description = "added to it in a random direction, different for every body"},
    SPIN("angular velocity"),
    ROTATION,
    END};

static const struct cairn_schema_key packing_keys[] = {
    REGION(CAIRN_SCHEMA_REQUIRED, "where: every body lies inside as a whole; walls and other bodies do not count"),
    {.name = "fraction",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     .min = 0,
     .max = 1,
     .description = "part of the region that the bodies fill"},
    {SIZES(CAIRN_SCHEMA_REQUIRED), .description = "radius of every body, or a distribution"},
    MATERIAL(CAIRN_SCHEMA_REQUIRED, "name of their material"),
    VELOCITY("velocity of every body"),
    SPIN("angular velocity"),
    ROTATION,
    END};

static const struct cairn_schema_key table_keys[] = {
    {.name = "file",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .description = "text file, one body per line; relative to the folder of the scenario"},
    {.name = "columns",
     .type = CAIRN_SCHEMA_CHOICES,
     .length = 3,
     .fallback = "[x, y, z, radius]",
     .choices = "x y z vx vy vz wx wy wz radius mass material skip",
     .description = "what each column holds; `skip` ignores one; SI units; a material by name or number from 0"},
    {.name = "skip_lines",
     .type = CAIRN_SCHEMA_INTEGER,
     .min = 0,
     .max = INT32_MAX,
     .fallback = "0",
     .description = "lines to leave out at the top"},
    {.name = "scale",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = ABOVE_ZERO,
     POSITIVE,
     .fallback = "1",
     .description = "factor on positions and radii of the file"},
    PLACING("added to all positions, after scaling"),
    VELOCITY("added to all velocities"),
    SPIN("added to all angular velocities"),
    ROTATION,
    {SIZES(CAIRN_SCHEMA_OPTIONAL), .description = "radius of every body, or a distribution, without a column `radius`"},
    MATERIAL(CAIRN_SCHEMA_OPTIONAL, "name of their material, without a column `material`"),
    END};

static const struct cairn_schema_key run_keys[] = {
    {.name = "file",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .description = "trajectory NAME.nc of an earlier run; relative to the folder of the scenario"},
    {.name = "frame",
     .type = CAIRN_SCHEMA_INTEGER,
     .min = -INT32_MAX,
     .max = INT32_MAX,
     .fallback = "-1",
     .description = "which frame, from 0; negative numbers count from the end"},
    PLACING("added to all positions"),
    VELOCITY("added to all velocities"),
    ROTATION,
    MATERIAL(CAIRN_SCHEMA_OPTIONAL, "name of the material of all bodies; without it they keep the number they had"),
    END};

static const struct cairn_schema_key body_keys[] = {
    {.name = "single", .type = CAIRN_SCHEMA_MAP, .keys = single_keys, .description = "one body"},
    {.name = "lattice",
     .type = CAIRN_SCHEMA_MAP,
     .keys = lattice_keys,
     .description = "bodies in rows, columns and layers"},
    {.name = "cloud",
     .type = CAIRN_SCHEMA_MAP,
     .keys = cloud_keys,
     .description = "bodies at random places that do not touch"},
    {.name = "packing",
     .type = CAIRN_SCHEMA_MAP,
     .keys = packing_keys,
     .description = "bodies at random places as dense as asked"},
    {.name = "table",
     .type = CAIRN_SCHEMA_MAP,
     .keys = table_keys,
     .description = "bodies from a plain table of numbers"},
    {.name = "run", .type = CAIRN_SCHEMA_MAP, .keys = run_keys, .description = "bodies from a frame of an earlier run"},
    END};

static const struct cairn_schema_key oscillation_keys[] = {{.name = "amplitude",
                                                            VECTOR,
                                                            .flags = CAIRN_SCHEMA_REQUIRED,
                                                            .unit = "m",
                                                            .description = "direction and largest displacement"},
                                                           {.name = "frequency",
                                                            .type = CAIRN_SCHEMA_NUMBER,
                                                            .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
                                                            POSITIVE,
                                                            .unit = "Hz",
                                                            .description = "oscillations in a second"},
                                                           {.name = "phase",
                                                            .type = CAIRN_SCHEMA_NUMBER,
                                                            ANY,
                                                            .unit = "rad",
                                                            .fallback = "0",
                                                            .description = "φ in A sin(2π f t + φ) − A sin φ"},
                                                           END};

static const struct cairn_schema_key knock_keys[] = {
    {.name = "velocity",
     VECTOR,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .unit = "m/s",
     .description = "velocity while a knock lasts"},
    {.name = "duration",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "s",
     .description = "how long a knock lasts; the wall stays where it brought it"},
    {.name = "period",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "s",
     .description = "time from knock to knock, at least the duration"},
    {.name = "ramp",
     .type = CAIRN_SCHEMA_INTEGER,
     .min = 0,
     .max = INT32_MAX,
     .fallback = "0",
     .description = "the first knocks are weaker: the k-th has the part k/ramp of the velocity"},
    END};

static const struct cairn_schema_key path_keys[] = {
    {.name = "file",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .description = "text file with lines `t x y z`; relative to the folder of the scenario"},
    END};

static const struct cairn_schema_key motion_keys[] = {
    FROM("when it begins"),
    UNTIL("when it ends: the wall stays where it is; without it never"),
    {.name = "velocity", VECTOR, .unit = "m/s", .fallback = "[0, 0, 0]", .description = "constant velocity"},
    {.name = "oscillation",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = oscillation_keys,
     .description = "a sine"},
    {.name = "spin",
     .type = CAIRN_SCHEMA_NUMBER,
     ANY,
     .unit = "rad/s",
     .fallback = "0",
     .description = "speed of rotation about `axis` through `pivot`"},
    {.name = "axis",
     VECTOR,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .description = "axis of rotation, any length but zero; without it the normal or axis of the shape, [0, 0, 1] for "
                    "sphere, point and mesh, `axis` for an assembly"},
    {.name = "pivot",
     VECTOR,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .unit = "m",
     .description = "point of the axis of rotation at the start; without it point, center, corner, position or shift "
                    "of the wall, `center` of an assembly"},
    {.name = "knocks",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = knock_keys,
     .description = "sudden shifts at regular times"},
    {.name = "table",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = path_keys,
     .description = "displacements from a file"},
    END};

/* When walls are there and how they move; for walls and assemblies. */
#define TIMES(group)                                                                                                   \
  {.name = "appears",                                                                                                  \
   .type = CAIRN_SCHEMA_NUMBER,                                                                                        \
   .flags = CAIRN_SCHEMA_COMPUTED,                                                                                     \
   POSITIVE,                                                                                                           \
   .unit = "s",                                                                                                        \
   .fallback = "0",                                                                                                    \
   .common = (group),                                                                                                  \
   .description = "from when on it is there"},                                                                         \
      {.name = "vanishes",                                                                                             \
       .type = CAIRN_SCHEMA_NUMBER,                                                                                    \
       .flags = CAIRN_SCHEMA_OPTIONAL,                                                                                 \
       POSITIVE,                                                                                                       \
       .unit = "s",                                                                                                    \
       .common = (group),                                                                                              \
       .description = "when it is gone, after `appears`; without it never"},                                           \
  {                                                                                                                    \
    .name = "motion", .type = CAIRN_SCHEMA_MAP, .flags = CAIRN_SCHEMA_OPTIONAL, .keys = motion_keys,                   \
    .shared = "motion", .common = (group), .description = "how it moves, whatever the bodies do"                       \
  }

/* What every shape of wall has. */
#define NAME                                                                                                           \
  {                                                                                                                    \
    .name = "name", .type = CAIRN_SCHEMA_TEXT, .flags = CAIRN_SCHEMA_COMPUTED, .fallback = "wall and its number",      \
    .common = "wall", .description = "for messages and files; each name once"                                          \
  }
#define WALL_KEYS                                                                                                      \
  {.name = "material",                                                                                                 \
   .type = CAIRN_SCHEMA_TEXT,                                                                                          \
   .flags = CAIRN_SCHEMA_REQUIRED,                                                                                     \
   .common = "wall",                                                                                                   \
   .description = "name of its material"},                                                                             \
      {.name = "behavior",                                                                                             \
       .type = CAIRN_SCHEMA_CHOICE,                                                                                    \
       .choices = "solid frictionless sticky absorbing",                                                               \
       .fallback = "solid",                                                                                            \
       .common = "wall",                                                                                               \
       .description = "what it does to bodies that touch it"},                                                         \
      TIMES("wall"), END
#define RADIUS(text)                                                                                                   \
  {                                                                                                                    \
    .name = "radius", .type = CAIRN_SCHEMA_NUMBER, .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO, POSITIVE, .unit = "m", \
    .description = (text)                                                                                              \
  }
#define CENTER(text)                                                                                                   \
  { .name = "center", VECTOR, .unit = "m", .fallback = "[0, 0, 0]", .description = (text) }
#define DIRECTION(key, text)                                                                                           \
  { .name = (key), VECTOR, .flags = CAIRN_SCHEMA_REQUIRED, .description = (text) }
#define PLACE(key, text)                                                                                               \
  { .name = (key), VECTOR, .flags = CAIRN_SCHEMA_REQUIRED, .unit = "m", .description = (text) }
#define LENGTH(text)                                                                                                   \
  {                                                                                                                    \
    .name = "length", .type = CAIRN_SCHEMA_NUMBER, .flags = CAIRN_SCHEMA_OPTIONAL | ABOVE_ZERO, POSITIVE, .unit = "m", \
    .description = (text)                                                                                              \
  }

static const struct cairn_schema_key plane_keys[] = {
    NAME,
    {.name = "point", VECTOR, .unit = "m", .fallback = "[0, 0, 0]", .description = "any point of the plane"},
    DIRECTION("normal", "direction of the side on which the bodies are; any length but zero"),
    WALL_KEYS};

static const struct cairn_schema_key disk_keys[] = {
    NAME,
    CENTER("its centre"),
    DIRECTION("normal", "direction at right angles to it; any length but zero"),
    RADIUS("its radius"),
    {.name = "hole",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "radius of the hole in its middle, below `radius`; 0 is none"},
    WALL_KEYS};

static const struct cairn_schema_key rectangle_keys[] = {
    NAME, PLACE("corner", "one of its corners"), PLACE("edge1", "from there to a neighbouring corner"),
    PLACE("edge2", "from there to the other one, at right angles to edge1"), WALL_KEYS};

static const struct cairn_schema_key triangle_keys[] = {NAME, PLACE("corner", "one of its corners"),
                                                        PLACE("edge1", "from there to another corner"),
                                                        PLACE("edge2", "from there to the third corner"), WALL_KEYS};

static const struct cairn_schema_key tube_keys[] = {
    NAME,
    CENTER("middle of its axis; any point of it if the cylinder is infinite"),
    DIRECTION("axis", "its direction; any length but zero"),
    RADIUS("its radius, of a tapered one at its wide end"),
    LENGTH("its length; without it the cylinder is infinite"),
    {.name = "taper",
     .type = CAIRN_SCHEMA_NUMBER,
     .min = 0,
     .max = 1,
     .fallback = "0",
     .description =
         "the radius shrinks by this part towards the end that `axis` points to; 1 is a cone; needs `length`"},
    WALL_KEYS};

static const struct cairn_schema_key shell_keys[] = {NAME, CENTER("its centre"), RADIUS("its radius"), WALL_KEYS};

static const struct cairn_schema_key ring_keys[] = {
    NAME, CENTER("its centre"), DIRECTION("normal", "direction at right angles to its plane; any length but zero"),
    RADIUS("its radius"), WALL_KEYS};

static const struct cairn_schema_key line_keys[] = {NAME, CENTER("its middle; any point of it if the line is infinite"),
                                                    DIRECTION("axis", "its direction; any length but zero"),
                                                    LENGTH("its length; without it the line is infinite"), WALL_KEYS};

static const struct cairn_schema_key point_keys[] = {NAME, PLACE("position", "where it is"), WALL_KEYS};

static const struct cairn_schema_key mesh_keys[] = {
    NAME,
    {.name = "file",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .description = "STL or OBJ file; relative to the folder of the scenario"},
    {.name = "scale",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = ABOVE_ZERO,
     POSITIVE,
     .fallback = "1",
     .description = "factor on the coordinates of the file"},
    {.name = "shift", VECTOR, .unit = "m", .fallback = "[0, 0, 0]", .description = "added to them, after scaling"},
    WALL_KEYS};

static const struct cairn_schema_key wall_keys[] = {
    {.name = "plane",
     .type = CAIRN_SCHEMA_MAP,
     .keys = plane_keys,
     .description = "an infinite plane; behind it all is solid"},
    {.name = "disk", .type = CAIRN_SCHEMA_MAP, .keys = disk_keys, .description = "a flat disk, with or without a hole"},
    {.name = "rectangle", .type = CAIRN_SCHEMA_MAP, .keys = rectangle_keys, .description = "a rectangle"},
    {.name = "triangle", .type = CAIRN_SCHEMA_MAP, .keys = triangle_keys, .description = "a triangle"},
    {.name = "cylinder",
     .type = CAIRN_SCHEMA_MAP,
     .keys = tube_keys,
     .description = "a hollow cylinder, infinite, finite with open ends, or tapered"},
    {.name = "sphere", .type = CAIRN_SCHEMA_MAP, .keys = shell_keys, .description = "a hollow sphere"},
    {.name = "ring", .type = CAIRN_SCHEMA_MAP, .keys = ring_keys, .description = "a circle of thin wire"},
    {.name = "line", .type = CAIRN_SCHEMA_MAP, .keys = line_keys, .description = "a straight thin wire"},
    {.name = "point", .type = CAIRN_SCHEMA_MAP, .keys = point_keys, .description = "a single point"},
    {.name = "mesh", .type = CAIRN_SCHEMA_MAP, .keys = mesh_keys, .description = "triangles from a file"},
    END};

static const struct cairn_schema_key servo_keys[] = {{.name = "force",
                                                      .type = CAIRN_SCHEMA_NUMBER,
                                                      .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
                                                      POSITIVE,
                                                      .unit = "N",
                                                      .description = "push of the bodies against `axis` that it holds"},
                                                     {.name = "speed",
                                                      .type = CAIRN_SCHEMA_NUMBER,
                                                      .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
                                                      POSITIVE,
                                                      .unit = "m/s",
                                                      .description = "how fast it moves at most"},
                                                     END};

static const struct cairn_schema_key assembly_keys[] = {
    {.name = "name",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_COMPUTED,
     .fallback = "assembly and its number",
     .description = "for messages and files; no other assembly or wall has it"},
    {.name = "center",
     VECTOR,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .unit = "m",
     .description = "centre of mass at the start; where its position is told"},
    {.name = "mass",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OPTIONAL | ABOVE_ZERO,
     POSITIVE,
     .unit = "kg",
     .description = "its mass; needed where it is free"},
    {.name = "inertia",
     .type = CAIRN_SCHEMA_NUMBERS,
     .flags = CAIRN_SCHEMA_OPTIONAL | CAIRN_SCHEMA_OR_NUMBER | ABOVE_ZERO,
     POSITIVE,
     .unit = "kg m²",
     .length = 3,
     .description = "moments of inertia about x, y and z through `center`; one number for all three; needed where it "
                    "is free to turn"},
    {.name = "velocity",
     VECTOR,
     .unit = "m/s",
     .fallback = "[0, 0, 0]",
     .description = "velocity at the start, in directions that are free"},
    {.name = "spin",
     VECTOR,
     .unit = "rad/s",
     .fallback = "[0, 0, 0]",
     .description = "angular velocity at the start, about axes that are free"},
    {.name = "free",
     .type = CAIRN_SCHEMA_CHOICES,
     .fallback = "[]",
     .choices = "x y z along turn_x turn_y turn_z turn",
     .description = "how the bodies can move it; `along` and `turn` refer to `axis`"},
    {.name = "axis",
     VECTOR,
     .fallback = "[0, 0, 1]",
     .description = "direction for `along`, `turn`, `servo` and `motion`; any length but zero"},
    {.name = "force",
     VECTOR,
     .unit = "N",
     .fallback = "[0, 0, 0]",
     .description = "force on it from outside, besides gravity"},
    {.name = "servo",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = servo_keys,
     .description = "holds a force along `axis`; needs `along` in `free`"},
    TIMES(NULL),
    {.name = "walls",
     .type = CAIRN_SCHEMA_LIST_OF_ONE_OF,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .length = 1,
     .keys = wall_keys,
     .shared = "walls",
     .description = "its walls, where they are at the start"},
    END};

static const struct cairn_schema_key world_keys[] = {
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

static const struct cairn_schema_key overlap_keys[] = {
    {.name = "limit",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = ABOVE_ZERO,
     .min = 0,
     .max = 1,
     .fallback = "0.01",
     .description = "part of the smaller radius: larger overlaps raise a warning, `stiffness: auto` aims at it"},
    {.name = "initial",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     .min = 0,
     .max = 0.5,
     .fallback = "auto",
     .description =
         "part of the smaller radius allowed at the start; `auto` is 0.05 for bodies of tables and runs, 1e-6 "
         "for others"},
    END};

static const struct cairn_schema_key cells_keys[] = {
    {.name = "bodies",
     .type = CAIRN_SCHEMA_INTEGER,
     .flags = CAIRN_SCHEMA_OR_AUTO,
     .min = 1,
     .max = INT32_MAX,
     .fallback = "auto",
     .description = "most bodies in a cell; `auto` chooses by the machine's cores and second-level cache"},
    {.name = "skin",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_OR_AUTO | ABOVE_ZERO,
     POSITIVE,
     .unit = "m",
     .fallback = "auto",
     .description = "distance beyond contact up to which neighbours are listed"},
    END};

static const struct cairn_schema_key output_keys[] = {
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
    END};

const struct cairn_schema_key cairn_schema_table_keys[] = {
    {.name = "title",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_COMPUTED,
     .fallback = "stem of the file",
     .description = "one line that goes into every file and summary"},
    {.name = "method",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "soft_spheres contact_dynamics",
     .fallback = "soft_spheres",
     .description = "how contact is treated"},
    {.name = "law",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = CAIRN_LAWS(LAW_NAME),
     .fallback = "hooke",
     .description = "contact law of soft spheres:" CAIRN_LAWS(LAW_MEANING)},
    {.name = "seed",
     .type = CAIRN_SCHEMA_INTEGER,
     .min = 0,
     .max = (double)INT64_MAX,
     .fallback = "1",
     .description = "start of all random numbers: the same seed gives the same bodies"},
    {.name = "time",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .keys = time_keys,
     .description = "step and end of the run"},
    {.name = "gravity", .type = CAIRN_SCHEMA_MAP, .keys = gravity_keys, .description = "what pulls on the bodies"},
    {.name = "frame",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = frame_keys,
     .description = "with it the coordinates rotate: bodies feel centrifugal and Coriolis accelerations"},
    {.name = "spin_up",
     .type = CAIRN_SCHEMA_LIST_OF_ONE_OF,
     .keys = spin_up_keys,
     .fallback = "[]",
     .description = "what makes the aggregate turn faster while the run goes on"},
    {.name = "materials",
     .type = CAIRN_SCHEMA_LIST_OF_MAPS,
     .length = 1,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .keys = material_keys,
     .description = "what bodies and walls are made of"},
    {.name = "interactions",
     .type = CAIRN_SCHEMA_LIST_OF_MAPS,
     .keys = interaction_keys,
     .fallback = "[]",
     .description = "how two materials act on each other: one entry for every pair that can meet"},
    {.name = "bodies",
     .type = CAIRN_SCHEMA_LIST_OF_ONE_OF,
     .length = 1,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .keys = body_keys,
     .description = "the bodies at the start, entry after entry"},
    {.name = "walls",
     .type = CAIRN_SCHEMA_LIST_OF_ONE_OF,
     .keys = wall_keys,
     .shared = "walls",
     .fallback = "[]",
     .description = "what holds the bodies"},
    {.name = "assemblies",
     .type = CAIRN_SCHEMA_LIST_OF_MAPS,
     .keys = assembly_keys,
     .fallback = "[]",
     .description = "walls that move as one"},
    {.name = "world",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = world_keys,
     .description = "where bodies are expected to stay; those that leave are reported"},
    {.name = "solver",
     .type = CAIRN_SCHEMA_MAP,
     .keys = solver_keys,
     .description = "how contact dynamics finds the impulses of a step"},
    {.name = "overlap", .type = CAIRN_SCHEMA_MAP, .keys = overlap_keys, .description = "how deep bodies may overlap"},
    {.name = "cells",
     .type = CAIRN_SCHEMA_MAP,
     .keys = cells_keys,
     .description = "how space is cut for the workers; a matter of speed, not of physics"},
    {.name = "output", .type = CAIRN_SCHEMA_MAP, .keys = output_keys, .description = "what is written, and how often"},
    END};
