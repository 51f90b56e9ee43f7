/* Parts of reading walls, for data/scenario/walls.c alone. */
#ifndef CAIRN_DATA_SCENARIO_WALLS_PARTS_H
#define CAIRN_DATA_SCENARIO_WALLS_PARTS_H

#include "data/scenario/walls.h"
#include "data/schema/yaml.h"

/* Make a vector one of length one; false if it is zero. */
bool cairn_walls_make_unit(double v[3]);

/* The point of a wall that stands for it: its centre, a corner, wherever its shape begins. */
void cairn_walls_read_reference(const struct cairn_node *node, double reference[3]);

/* The shape of a wall, relative to `origin`, and the axis it turns about unless told otherwise; node->key is the kind.
 * The mesh of a mesh wall is read. */
int cairn_walls_read_shape(const char *file, const struct cairn_node *node, const double origin[3],
                           struct cairn_wall *wall, double axis[3], struct cairn_error *error);

/* Does the shape stay the same when it turns about the unit vector `axis` through `pivot`? */
bool cairn_walls_is_round(const double shape[CAIRN_SHAPE_DOUBLES], const double axis[3], const double pivot[3]);

/* A motion; `axis` and `position` are what its own axis and pivot are if it does not say. */
int cairn_walls_read_motion(const char *file, const struct cairn_node *node, const double axis[3],
                            const double position[3], struct cairn_motion *motion, struct cairn_error *error);

/* Displacements from the text file at `path`, called `name` in messages: "name:line: message". */
int cairn_walls_read_table(const char *path, const char *name, struct cairn_motion *motion, struct cairn_error *error);

#endif
