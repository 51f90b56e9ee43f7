/* Pictures of spheres and triangles. A picture is made of samples, SUB by SUB for each pixel. Coordinates are those of
 * the eye: x to the right, y down, z forward; a sample looks along d = (dx, dy, 1). Its depth is the z of what it sees.
 * Rows of samples are made independently of each other, so that bands of them can be different tasks. */
#ifndef CAIRN_KERNELS_VIEW_RASTER_H
#define CAIRN_KERNELS_VIEW_RASTER_H

#include <stdint.h>

enum { CAIRN_RASTER_SUB = 2, CAIRN_RASTER_NOTHING = -1, CAIRN_RASTER_CODES = 4096 };

#define CAIRN_RASTER_FAR 3e38f

struct cairn_raster_sphere {
  float x, y, z, r;      /* seen from the eye */
  float lx, ly, lz;      /* seen from the light: across and away from it */
  unsigned char rgb[3];  /* sRGB */
  unsigned char visible; /* 0: removed, or not before the eye */
};

struct cairn_raster_triangle {
  float corner[3][3]; /* seen from the eye, z above 0 */
  float normal[3];    /* unit vector towards the eye */
  int glass;          /* it stands before the bodies: one sees through it */
  int casts;          /* a shadow */
};

/* All that the picture is made of. */
struct cairn_raster_scene {
  int width, height;      /* samples */
  float focal, middle[2]; /* samples per unit of d, and the sample of d = 0 */
  int32_t n_spheres;      /* ids are below 2^30 */
  const struct cairn_raster_sphere *spheres;
  int32_t n_triangles;
  const struct cairn_raster_triangle *triangles;
  /* light: a unit vector to it and up, seen from the eye; the map of its shadows */
  float light[3], up[3];
  float to_light[3][4]; /* from the coordinates of the eye to those of the map, in its cells, and the depth in it */
  int shadow_size;      /* cells along each side; 0: no shadows */
  float shadow_scale;   /* cells per m */
  float reach;          /* m, how far ambient occlusion looks; 0: none */
  float bias;           /* m, how far a point is lifted before shadows are looked up */
  float back[2][3];     /* background in the middle and in the corners, linear light */
  float linear[256];    /* sRGB to linear light */
  unsigned char code[CAIRN_RASTER_CODES]; /* and back, from 0 to 1 */
};

/* Depths of the sphere list `order` (n ids, near ones first) and all triangles in the rows first … end - 1. `depth` and
 * `id` are those of these rows alone and are filled anew; the id of a triangle t is n_spheres + t. `glass` counts the
 * panes before each sample. */
void cairn_raster_depths(const struct cairn_raster_scene *scene, int first, int end, int32_t n, const int32_t *order,
                         float *depth, int32_t *id, unsigned char *glass);

/* Depths of the spheres `order` and all triangles that cast shadows in the rows first … end - 1 of the map of shadows.
 */
void cairn_raster_shadows(const struct cairn_raster_scene *scene, int first, int end, int32_t n, const int32_t *order,
                          float *depth);

/* What a task of pixels reads: rows of samples and of the map of shadows wherever they lie. */
struct cairn_raster_rows {
  int first, end;             /* rows of samples there are; all rows of the picture are at most that */
  const float *const *depth;  /* [end - first] each row */
  const float *const *shadow; /* [shadow_size] each row */
};

/* Colors of the rows of pixels first … end - 1, from the ids and panes of their samples; `rgb` is of these rows alone.
 */
void cairn_raster_shade(const struct cairn_raster_scene *scene, int first, int end,
                        const struct cairn_raster_rows *rows, const int32_t *id, const unsigned char *glass,
                        unsigned char *rgb);

/* The lowest and highest column (k = 0) or row (k = 1) of samples that a sphere may touch, as real numbers. */
void cairn_raster_extent(const struct cairn_raster_scene *scene, const struct cairn_raster_sphere *s, int k,
                         float extent[2]);

#endif
