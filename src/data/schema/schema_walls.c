/* The keys of walls and assemblies. */
#include "data/schema/schema_rows.h"

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
     .description = "the first knocks are weaker: the k-th has the fraction k/ramp of the velocity"},
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
    {.name = "with",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_OPTIONAL,
     .description = "`from` and `until` count from the beginning of this stage"},
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
    {.name = "ramp",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "s",
     .fallback = "0",
     .description = "time in which the spin grows from 0 to `spin`, evenly"},
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
   .description = "time at which it appears"},                                                                         \
      {.name = "appears_with",                                                                                         \
       .type = CAIRN_SCHEMA_TEXT,                                                                                      \
       .flags = CAIRN_SCHEMA_OPTIONAL,                                                                                 \
       .common = (group),                                                                                              \
       .description = "`appears` counts from the beginning of this stage"},                                            \
      {.name = "vanishes",                                                                                             \
       .type = CAIRN_SCHEMA_NUMBER,                                                                                    \
       .flags = CAIRN_SCHEMA_OPTIONAL,                                                                                 \
       POSITIVE,                                                                                                       \
       .unit = "s",                                                                                                    \
       .common = (group),                                                                                              \
       .description = "time at which it vanishes, after `appears`; without it never"},                                 \
      {.name = "vanishes_with",                                                                                        \
       .type = CAIRN_SCHEMA_TEXT,                                                                                      \
       .flags = CAIRN_SCHEMA_OPTIONAL,                                                                                 \
       .common = (group),                                                                                              \
       .description = "`vanishes`, which may be left out, counts from the beginning of this stage"},                   \
  {                                                                                                                    \
    .name = "motion", .type = CAIRN_SCHEMA_MAP, .flags = CAIRN_SCHEMA_OPTIONAL, .keys = motion_keys,                   \
    .shared = "motion", .common = (group), .description = "prescribed motion"                                          \
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
         "fraction by which the radius shrinks towards the end that `axis` points to; 1 is a cone; needs `length`"},
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

const struct cairn_schema_key cairn_schema_walls_keys[] = {
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
                                                      .description = "contact force against `axis` that it maintains"},
                                                     {.name = "speed",
                                                      .type = CAIRN_SCHEMA_NUMBER,
                                                      .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
                                                      POSITIVE,
                                                      .unit = "m/s",
                                                      .description = "largest speed"},
                                                     END};

const struct cairn_schema_key cairn_schema_walls_assembly_keys[] = {
    {.name = "name",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_COMPUTED,
     .fallback = "assembly and its number",
     .description = "for messages and files; no other assembly or wall has it"},
    {.name = "center",
     VECTOR,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .unit = "m",
     .description = "centre of mass at the start, its reference point"},
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
                    "is free to rotate"},
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
     .description = "degrees of freedom; `along` and `turn` refer to `axis`"},
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
     .description = "drive that maintains a force along `axis`; needs `along` in `free`"},
    TIMES(NULL),
    {.name = "walls",
     .type = CAIRN_SCHEMA_LIST_OF_ONE_OF,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .length = 1,
     .keys = cairn_schema_walls_keys,
     .shared = "walls",
     .description = "its walls, where they are at the start"},
    END};
