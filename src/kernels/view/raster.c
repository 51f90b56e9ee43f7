#include "kernels/view/raster.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "kernels/common/vector.h"

/* The tangents from the eye to the sphere in the plane of the axis k and z: (c z ± r sqrt(c² + z² - r²)) / (z² - r²).
 */
void cairn_raster_extent(const struct cairn_raster_scene *scene, const struct cairn_raster_sphere *s, int k,
                         float extent[2]) {
  const double c = k ? s->y : s->x, z = s->z, r = s->r, under = c * c + z * z - r * r, below = z * z - r * r;
  const double root = r * sqrt(under > 0. ? under : 0.);
  extent[0] = (float)(scene->middle[k] + scene->focal * (c * z - root) / below);
  extent[1] = (float)(scene->middle[k] + scene->focal * (c * z + root) / below);
}

static int clip_low(float value, int low) { return value > (float)low ? (int)value : low; }
static int clip_high(float value, int high) { return value < (float)high ? (int)value + 1 : high; }

/* A sphere at c = z (u, v, 1) and a sample along d = c / z + (ex, ey, 0): |c × d|² / z² is ex² + ey² + (u ey - v ex)²,
 * free of the difference of two large squares that the textbook form has. The ray meets the sphere if that is less than
 * r² |d|² / z², first at t = (c·d - sqrt(r² |d|² - |c × d|²)) / |d|², and t is the depth because d has z = 1. */
CAIRN_CLONES static void sphere_row(const struct cairn_raster_sphere *s, float focal, const float middle[2], int row,
                                    int from, int to, int32_t id, float *depth, int32_t *ids) {
  const float u = s->x / s->z, v = s->y / s->z, z2 = s->z * s->z, r2 = s->r * s->r, step = 1.f / focal;
  const float dy = ((float)row + 0.5f - middle[1]) * step, ey = dy - v, center = u * focal + middle[0];
  for (int x = from; x < to; x++) {
    const float ex = ((float)x + 0.5f - center) * step, dx = u + ex, tilt = u * ey - v * ex;
    const float a = dx * dx + dy * dy + 1.f, under = r2 * a - z2 * (ex * ex + ey * ey + tilt * tilt);
    const float b = s->x * dx + s->y * dy + s->z, t = (b - sqrtf(under > 0.f ? under : 0.f)) / a;
    const int hit = (under > 0.f) & (t < depth[x]);
    depth[x] = hit ? t : depth[x];
    ids[x] = hit ? id : ids[x];
  }
}

/* The farthest sample of each tile, so that spheres behind all of them are left out. */
enum { TILE = 32, MOST_TILES = 1 << 14 };

struct tiles {
  int across, down;
  float far[MOST_TILES]; /* [down][across] */
};

static void measure_tiles(const struct cairn_raster_scene *scene, int first, int end, const float *depth,
                          struct tiles *tiles) {
  for (int i = 0; i < tiles->across * tiles->down; i++)
    tiles->far[i] = 0.f;
  for (int row = first; row < end; row++)
    for (int t = 0; t < tiles->across; t++) {
      const float *at = depth + (size_t)(row - first) * (size_t)scene->width;
      const int stop = (t + 1) * TILE < scene->width ? (t + 1) * TILE : scene->width;
      float far = tiles->far[(row - first) / TILE * tiles->across + t];
      for (int x = t * TILE; x < stop; x++)
        far = at[x] > far ? at[x] : far;
      tiles->far[(row - first) / TILE * tiles->across + t] = far;
    }
}

static int is_hidden(const struct cairn_raster_scene *scene, int first, int end, int32_t id,
                     const struct tiles *tiles) {
  const struct cairn_raster_sphere *s = &scene->spheres[id];
  float x[2], y[2];
  cairn_raster_extent(scene, s, 0, x);
  cairn_raster_extent(scene, s, 1, y);
  const int from = clip_low(x[0], 0), to = clip_high(x[1], scene->width);
  const int top = clip_low(y[0], first), last = clip_high(y[1], end);
  if (from >= to || top >= last)
    return 1;
  for (int j = (top - first) / TILE; j <= (last - 1 - first) / TILE; j++)
    for (int i = from / TILE; i <= (to - 1) / TILE; i++)
      if (tiles->far[j * tiles->across + i] > s->z - s->r)
        return 0;
  return 1;
}

static void put_sphere(const struct cairn_raster_scene *scene, int first, int end, int32_t id, float *depth,
                       int32_t *ids) {
  const struct cairn_raster_sphere *s = &scene->spheres[id];
  float x[2], y[2];
  cairn_raster_extent(scene, s, 0, x);
  cairn_raster_extent(scene, s, 1, y);
  const int from = clip_low(x[0], 0), to = clip_high(x[1], scene->width), last = clip_high(y[1], end);
  for (int row = clip_low(y[0], first); row < last; row++) {
    const size_t at = (size_t)(row - first) * (size_t)scene->width;
    sphere_row(s, scene->focal, scene->middle, row, from, to, id, depth + at, ids + at);
  }
}

/* ---------------------------------------------------------------- triangles */

/* A triangle on a map: the three edge functions are linear there, and so is the number at its corners, 1/z on the
 * picture and the depth on the map of shadows. */
struct flat {
  float x[3], y[3], over[3], area;
};

/* False if it has no inside. */
static int measure(struct flat *f) {
  f->area = (f->x[1] - f->x[0]) * (f->y[2] - f->y[0]) - (f->x[2] - f->x[0]) * (f->y[1] - f->y[0]);
  return f->area != 0.f && isfinite(f->area);
}

static int flatten(const struct cairn_raster_scene *scene, const struct cairn_raster_triangle *t, struct flat *f) {
  for (int k = 0; k < 3; k++) {
    f->over[k] = 1.f / t->corner[k][2];
    f->x[k] = scene->middle[0] + scene->focal * t->corner[k][0] * f->over[k];
    f->y[k] = scene->middle[1] + scene->focal * t->corner[k][1] * f->over[k];
  }
  return measure(f);
}

static float least(const float v[3]) { return fminf(v[0], fminf(v[1], v[2])); }
static float most(const float v[3]) { return fmaxf(v[0], fmaxf(v[1], v[2])); }

/* Its number at a point; false outside of it. */
static int mean_at(const struct flat *f, float px, float py, float *mean) {
  *mean = 0.f;
  for (int k = 0; k < 3; k++) {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    const float part = ((f->x[b] - f->x[a]) * (py - f->y[a]) - (f->y[b] - f->y[a]) * (px - f->x[a])) / f->area;
    if (part < 0.f)
      return 0;
    *mean += part * f->over[k];
  }
  return 1;
}

static void put_triangle(const struct cairn_raster_scene *scene, int first, int end, int32_t t, float *depth,
                         int32_t *ids, unsigned char *glass) {
  struct flat f;
  if (!flatten(scene, &scene->triangles[t], &f))
    return;
  const int from = clip_low(least(f.x), 0), to = clip_high(most(f.x), scene->width), last = clip_high(most(f.y), end);
  for (int row = clip_low(least(f.y), first); row < last; row++)
    for (int x = from; x < to; x++) {
      const size_t at = (size_t)(row - first) * (size_t)scene->width + (size_t)x;
      float over;
      if (!mean_at(&f, (float)x + 0.5f, (float)row + 0.5f, &over) || !(over > 0.f && 1.f / over < depth[at]))
        continue;
      if (scene->triangles[t].glass)
        glass[at] = (unsigned char)(glass[at] < 4 ? glass[at] + 1 : 4);
      else {
        depth[at] = 1.f / over;
        ids[at] = scene->n_spheres + t;
      }
    }
}

void cairn_raster_depths(const struct cairn_raster_scene *scene, int first, int end, int32_t n, const int32_t *order,
                         float *depth, int32_t *id, unsigned char *glass) {
  const size_t samples = (size_t)(end - first) * (size_t)scene->width;
  memset(glass, 0, samples);
  for (size_t i = 0; i < samples; i++) {
    depth[i] = CAIRN_RASTER_FAR;
    id[i] = CAIRN_RASTER_NOTHING;
  }
  struct tiles tiles = {.across = (scene->width + TILE - 1) / TILE, .down = (end - first + TILE - 1) / TILE};
  const int has_tiles = tiles.across * tiles.down <= MOST_TILES;
  int32_t next = n / 64 + 256; /* near spheres hide most others: look at the tiles early, then ever more rarely */
  int measured = 0;
  for (int32_t i = 0; i < n; i++) {
    if (i == next && has_tiles) {
      measure_tiles(scene, first, end, depth, &tiles);
      measured = 1;
      next = next + next / 2;
    }
    if (!measured || !is_hidden(scene, first, end, order[i], &tiles))
      put_sphere(scene, first, end, order[i], depth, id);
  }
  for (int glassy = 0; glassy < 2; glassy++) /* panes last: they are before what is there */
    for (int32_t t = 0; t < scene->n_triangles; t++)
      if (!scene->triangles[t].glass == !glassy)
        put_triangle(scene, first, end, t, depth, id, glass);
}

/* ---------------------------------------------------------------- shadows */

CAIRN_CLONES static void shadow_row(const struct cairn_raster_sphere *s, float cell, int row, int from, int to,
                                    float *depth) {
  const float r2 = s->r * s->r, y = ((float)row + 0.5f) * cell - s->ly, rest = r2 - y * y;
  for (int x = from; x < to; x++) {
    const float across = ((float)x + 0.5f) * cell - s->lx, under = rest - across * across;
    const float z = s->lz - sqrtf(under > 0.f ? under : 0.f);
    depth[x] = ((under > 0.f) & (z < depth[x])) ? z : depth[x];
  }
}

/* Rows of a triangle seen from the light. */
static void shadow_triangle(const struct cairn_raster_scene *scene, const struct cairn_raster_triangle *t, int first,
                            int end, float *depth) {
  const int size = scene->shadow_size;
  struct flat f;
  for (int k = 0; k < 3; k++) {
    float at[3];
    for (int row = 0; row < 3; row++) {
      const float *m = scene->to_light[row], *c = t->corner[k];
      at[row] = m[0] * c[0] + m[1] * c[1] + m[2] * c[2] + m[3];
    }
    f.x[k] = at[0];
    f.y[k] = at[1];
    f.over[k] = at[2];
  }
  if (!measure(&f))
    return;
  const int from = clip_low(least(f.x), 0), to = clip_high(most(f.x), size), last = clip_high(most(f.y), end);
  for (int row = clip_low(least(f.y), first); row < last; row++)
    for (int x = from; x < to; x++) {
      float *at = depth + (size_t)(row - first) * (size_t)size + x, z;
      if (mean_at(&f, (float)x + 0.5f, (float)row + 0.5f, &z) && z < *at)
        *at = z;
    }
}

void cairn_raster_shadows(const struct cairn_raster_scene *scene, int first, int end, int32_t n, const int32_t *order,
                          float *depth) {
  const float scale = scene->shadow_scale, cell = 1.f / scale;
  const int size = scene->shadow_size;
  for (size_t i = 0; i < (size_t)(end - first) * (size_t)size; i++)
    depth[i] = CAIRN_RASTER_FAR;
  for (int32_t i = 0; i < n; i++) {
    const struct cairn_raster_sphere *s = &scene->spheres[order[i]];
    const int from = clip_low((s->lx - s->r) * scale, 0), to = clip_high((s->lx + s->r) * scale, size);
    const int last = clip_high((s->ly + s->r) * scale, end);
    for (int row = clip_low((s->ly - s->r) * scale, first); row < last; row++)
      shadow_row(s, cell, row, from, to, depth + (size_t)(row - first) * (size_t)size);
  }
  for (int32_t t = 0; t < scene->n_triangles; t++)
    if (scene->triangles[t].casts)
      shadow_triangle(scene, &scene->triangles[t], first, end, depth);
}
