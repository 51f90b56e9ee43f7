/* The keys of bodies. */
#include "data/schema/schema_rows.h"

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

#define SPEED                                                                                                          \
  {                                                                                                                    \
    .name = "speed", .type = CAIRN_SCHEMA_NUMBER, POSITIVE, .unit = "m/s", .fallback = "0",                            \
    .description = "added to it in a random direction, different for every body"                                       \
  }

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

static const struct cairn_schema_key ellipsoid_keys[] = {
    {.name = "center", VECTOR, .unit = "m", .fallback = "[0, 0, 0]", .description = "its centre"},
    {.name = "semi_axes",
     .type = CAIRN_SCHEMA_NUMBERS,
     .length = 3,
     POSITIVE,
     .unit = "m",
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     .description = "along x, y and z"},
    END};

static const struct cairn_schema_key shape_model_keys[] = {
    {.name = "file",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .description = "STL or OBJ file of a closed surface; relative to the folder of the scenario"},
    {.name = "scale",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = ABOVE_ZERO,
     POSITIVE,
     .fallback = "1",
     .description = "factor on the coordinates of the file"},
    {.name = "shift", VECTOR, .unit = "m", .fallback = "[0, 0, 0]", .description = "added to them, after scaling"},
    END};

const struct cairn_schema_key cairn_schema_bodies_region_keys[] = {
    {.name = "box", .type = CAIRN_SCHEMA_MAP, .keys = box_keys, .description = "a box along the axes"},
    {.name = "sphere", .type = CAIRN_SCHEMA_MAP, .keys = sphere_keys, .description = "a sphere"},
    {.name = "cylinder", .type = CAIRN_SCHEMA_MAP, .keys = cylinder_keys, .description = "a cylinder of any direction"},
    {.name = "ellipsoid",
     .type = CAIRN_SCHEMA_MAP,
     .keys = ellipsoid_keys,
     .description = "an ellipsoid along the axes"},
    {.name = "mesh",
     .type = CAIRN_SCHEMA_MAP,
     .keys = shape_model_keys,
     .description = "the inside of a mesh: a shape model"},
    END};

#define REGION(flag, text)                                                                                             \
  {                                                                                                                    \
    .name = "in", .type = CAIRN_SCHEMA_ONE_OF, .flags = (flag), .keys = cairn_schema_bodies_region_keys,               \
    .shared = "in", .description = (text)                                                                              \
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
    .shared = "rotation", .description = "rigid rotation of all bodies together, in addition"                          \
  }

static const struct cairn_schema_key turn_keys[] = {
    {.name = "axis", VECTOR, .fallback = "[0, 0, 1]", .description = "axis, any length but zero"},
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
   .description = "rotates all bodies with their velocities about their centre of mass"},                              \
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
    {.name = "arrangement",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "rectangular hexagonal cubic",
     .fallback = "rectangular",
     .description =
         "`hexagonal` and `cubic` are the two close packings, in layers along z whose neighbours are all one "
         "`spacing` apart"},
    {.name = "turn",
     .type = CAIRN_SCHEMA_MAP,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .keys = turn_keys,
     .shared = "turn",
     .description = "turns the grid about `origin`"},
    {.name = "jitter",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "largest random displacement along each axis, in either direction"},
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
    SPEED,
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
     .description = "packing fraction in the region"},
    {.name = "arrangement",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "pushed tangent",
     .fallback = "pushed",
     .description = "`pushed`: bodies start anywhere and push each other apart; `tangent`: each goes into a gap and "
                    "touches three others"},
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
    REGION(CAIRN_SCHEMA_OPTIONAL, "only the bodies whose centre is in this region of the frame"),
    {.name = "at_rest",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "false true",
     .fallback = "false",
     .description = "velocities and spins of the frame are left out"},
    PLACING("added to all positions"),
    VELOCITY("added to all velocities"),
    SPIN("added to all angular velocities"),
    ROTATION,
    MATERIAL(CAIRN_SCHEMA_OPTIONAL, "name of the material of all bodies; without it they keep the number they had"),
    END};

const struct cairn_schema_key cairn_schema_bodies_keys[] = {
    {.name = "single", .type = CAIRN_SCHEMA_MAP, .keys = single_keys, .description = "one body"},
    {.name = "lattice",
     .type = CAIRN_SCHEMA_MAP,
     .keys = lattice_keys,
     .description = "bodies on a lattice, rectangular or a close packing"},
    {.name = "cloud",
     .type = CAIRN_SCHEMA_MAP,
     .keys = cloud_keys,
     .description = "bodies at random positions without contacts"},
    {.name = "packing",
     .type = CAIRN_SCHEMA_MAP,
     .keys = packing_keys,
     .description = "random packing with a given packing fraction"},
    {.name = "table",
     .type = CAIRN_SCHEMA_MAP,
     .keys = table_keys,
     .description = "bodies from a plain table of numbers"},
    {.name = "run", .type = CAIRN_SCHEMA_MAP, .keys = run_keys, .description = "bodies from a frame of an earlier run"},
    END};

const struct cairn_schema_key cairn_schema_bodies_select_keys[] = {
    REGION(CAIRN_SCHEMA_REQUIRED, "the bodies whose centre is in this region"),
    MATERIAL(CAIRN_SCHEMA_OPTIONAL, "they become of this material, with its density"),
    {.name = "of",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .description = "only those of this material"},
    VELOCITY("added to their velocities"),
    {.name = "outward",
     .type = CAIRN_SCHEMA_NUMBER,
     ANY,
     .unit = "m/s",
     .fallback = "0",
     .description = "speed away from `center`, in addition; negative: towards it"},
    {.name = "center",
     VECTOR,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .unit = "m",
     .description = "for `outward`; without it the middle of the region"},
    SPIN("added to their angular velocities"),
    END};

const struct cairn_schema_key cairn_schema_bodies_insert_keys[] = {
    {.name = "count",
     .type = CAIRN_SCHEMA_INTEGER,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .min = 1,
     .max = INT32_MAX,
     .description = "number of bodies in all"},
    {.name = "batch",
     .type = CAIRN_SCHEMA_INTEGER,
     .min = 1,
     .max = INT32_MAX,
     .fallback = "10",
     .description = "bodies that are inserted together"},
    {.name = "every",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "s",
     .description = "time between two batches"},
    FROM("time of the first batch"),
    {.name = "with",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .description = "`from` counts from the beginning of this stage"},
    REGION(CAIRN_SCHEMA_REQUIRED, "where: every body lies inside as a whole, off all walls and bodies"),
    {SIZES(CAIRN_SCHEMA_REQUIRED), .description = "radius of every body, or a distribution"},
    MATERIAL(CAIRN_SCHEMA_REQUIRED, "name of their material"),
    VELOCITY("velocity that all bodies share"),
    SPEED,
    SPIN("angular velocity"),
    END};
