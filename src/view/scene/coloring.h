/* What bodies are colored by. */
#ifndef CAIRN_VIEW_SCENE_COLORING_H
#define CAIRN_VIEW_SCENE_COLORING_H

#include "data/files/trajectory.h"
#include "view/paint/color.h"

#define CAIRN_COLORINGS(COLORING)                                                                                      \
  COLORING(stone, "")                                                                                                  \
  COLORING(speed, "m s-1")                                                                                             \
  COLORING(pressure, "Pa") COLORING(fragment, "") COLORING(material, "") COLORING(radius, "m") COLORING(height, "m")

#define CAIRN_COLORING_NAME(name, unit) CAIRN_COLORING_##name,
enum cairn_coloring { CAIRN_COLORINGS(CAIRN_COLORING_NAME) CAIRN_N_COLORINGS };
#undef CAIRN_COLORING_NAME

/* The one called `name`; CAIRN_N_COLORINGS if there is none. */
enum cairn_coloring cairn_coloring_of(const char *name);
const char *cairn_coloring_name(enum cairn_coloring coloring);
const char *cairn_coloring_unit(enum cairn_coloring coloring);

/* Is it a number on a color map, rather than a kind? */
bool cairn_coloring_is_number(enum cairn_coloring coloring);

/* Numbers of the bodies in a frame; `values` has one for each. Of fragments it is the rank by mass. */
int cairn_coloring_values(enum cairn_coloring coloring, const struct cairn_trajectory_frame *frame, double *values,
                          struct cairn_error *error);

/* The color of body i with that number. */
void cairn_coloring_rgb(enum cairn_coloring coloring, enum cairn_color_map map, const double range[2], int64_t i,
                        double value, unsigned char rgb[3]);

#endif
