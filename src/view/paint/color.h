/* Color maps for numbers and colors for kinds, the same in pictures, plots and on the page. */
#ifndef CAIRN_VIEW_PAINT_COLOR_H
#define CAIRN_VIEW_PAINT_COLOR_H

/* Maps of a number from 0 to 1, made in the space OKLab (Ottosson 2020): lightness grows linearly, so that equal steps
 * of the number look equally large, also in print without color. */
#define CAIRN_COLOR_MAPS(MAP)                                                                                          \
  MAP(dusk, "dark blue over green to pale yellow")                                                                     \
  MAP(ember, "black violet over red to pale yellow")                                                                   \
  MAP(glacier, "dark blue to white")                                                                                   \
  MAP(gray, "black to white")

#define CAIRN_COLOR_MAP_NAME(name, description) CAIRN_COLOR_MAP_##name,
enum cairn_color_map { CAIRN_COLOR_MAPS(CAIRN_COLOR_MAP_NAME) CAIRN_N_COLOR_MAPS };
#undef CAIRN_COLOR_MAP_NAME

/* The map called `name`; CAIRN_N_COLOR_MAPS if there is none. */
enum cairn_color_map cairn_color_map_of(const char *name);

/* sRGB, 0 … 255; `t` is clipped to 0 … 1, NaN is gray. */
void cairn_color_at(enum cairn_color_map map, double t, unsigned char rgb[3]);

enum { CAIRN_COLOR_KINDS = 12 };

/* Color of the k-th kind (material, fragment, wall), again from the first after CAIRN_COLOR_KINDS. */
void cairn_color_kind(int k, unsigned char rgb[3]);

/* sRGB 0 … 255 to linear light 0 … 1, and back. */
double cairn_color_linear(unsigned char value);
unsigned char cairn_color_encode(double linear);

#endif
