/* Light on what the samples see: a distant lamp with shadows, light from the sky, ambient occlusion. */
#include <math.h>
#include <stddef.h>

#include "kernels/view/raster.h"

enum { TAPS = 10 };

struct surface {
  float point[3], normal[3];
  const unsigned char *rgb;
  int is_wall;
};

static float dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void point_at(const struct cairn_raster_scene *scene, float x, float y, float z, float p[3]) {
  p[0] = (x - scene->middle[0]) / scene->focal * z;
  p[1] = (y - scene->middle[1]) / scene->focal * z;
  p[2] = z;
}

static void surface_at(const struct cairn_raster_scene *scene, int x, int y, float z, int32_t id, struct surface *s) {
  static const unsigned char wall[3] = {126, 130, 137};
  point_at(scene, (float)x + 0.5f, (float)y + 0.5f, z, s->point);
  s->is_wall = id >= scene->n_spheres;
  s->rgb = s->is_wall ? wall : scene->spheres[id].rgb;
  if (s->is_wall) {
    for (int k = 0; k < 3; k++)
      s->normal[k] = scene->triangles[id - scene->n_spheres].normal[k];
    return;
  }
  const struct cairn_raster_sphere *b = &scene->spheres[id];
  const float r = 1.f / b->r;
  s->normal[0] = (s->point[0] - b->x) * r;
  s->normal[1] = (s->point[1] - b->y) * r;
  s->normal[2] = (s->point[2] - b->z) * r;
}

/* The part of the lamp that is seen: four cells of the map of shadows. */
static float lit(const struct cairn_raster_scene *scene, const struct cairn_raster_rows *rows,
                 const struct surface *s) {
  float p[3], at[3];
  if (scene->shadow_size == 0)
    return 1.f;
  for (int k = 0; k < 3; k++)
    p[k] = s->point[k] + s->normal[k] * scene->bias;
  for (int k = 0; k < 3; k++)
    at[k] = dot(scene->to_light[k], p) + scene->to_light[k][3];
  const int x = (int)floorf(at[0] - 0.5f), y = (int)floorf(at[1] - 0.5f);
  if (x < 0 || y < 0 || x + 1 >= scene->shadow_size || y + 1 >= scene->shadow_size)
    return 1.f;
  const float fx = at[0] - 0.5f - (float)x, fy = at[1] - 0.5f - (float)y, z = at[2] - scene->bias;
  const float *upper = rows->shadow[y] + x, *lower = rows->shadow[y + 1] + x;
  return (1.f - fy) * ((1.f - fx) * (upper[0] > z) + fx * (upper[1] > z)) +
         fy * ((1.f - fx) * (lower[0] > z) + fx * (lower[1] > z));
}

/* Ambient occlusion from the depths around (after McGuire et al. 2011): how much of the sky is open. The taps lie on a
 * spiral that is turned from pixel to pixel. */
static float open_sky(const struct cairn_raster_scene *scene, const struct cairn_raster_rows *rows, int x, int y,
                      const struct surface *s) {
  const float reach = scene->reach, most = (float)scene->height * 0.06f;
  float wide = reach * scene->focal / s->point[2], sum = 0.f, spin[2], turn[2];
  if (reach <= 0.f)
    return 1.f;
  wide = wide < most ? wide : most;
  /* the two samples of a pixel that look around do so between each other's taps */
  const int px = x / CAIRN_RASTER_SUB, py = y / CAIRN_RASTER_SUB;
  const float noise = 52.9829189f * fmodf(0.06711056f * (float)px + 0.00583715f * (float)py, 1.f);
  const float angle = 6.2831853f * (noise - floorf(noise) + 0.5f * (float)(x % CAIRN_RASTER_SUB));
  spin[0] = cosf(angle);
  spin[1] = sinf(angle);
  turn[0] = -0.73736888f; /* the golden angle */
  turn[1] = 0.67549029f;
  for (int i = 0; i < TAPS; i++) {
    const float r = wide * sqrtf(((float)i + 0.5f) / (float)TAPS), c = spin[0];
    const int tx = x + (int)lrintf(r * spin[0]), ty = y + (int)lrintf(r * spin[1]);
    spin[0] = c * turn[0] - spin[1] * turn[1];
    spin[1] = c * turn[1] + spin[1] * turn[0];
    if (tx < 0 || tx >= scene->width || ty < rows->first || ty >= rows->end)
      continue;
    const float z = rows->depth[ty - rows->first][tx];
    if (z >= CAIRN_RASTER_FAR)
      continue;
    float q[3];
    point_at(scene, (float)tx + 0.5f, (float)ty + 0.5f, z, q);
    const float v[3] = {q[0] - s->point[0], q[1] - s->point[1], q[2] - s->point[2]}, d2 = dot(v, v);
    const float near = 1.f - d2 / (reach * reach), up = dot(v, s->normal) / sqrtf(d2 + 1e-30f) - 0.06f;
    sum += near > 0.f && up > 0.f ? near * up : 0.f;
  }
  const float open = 1.f - 2.9f * sum / (float)TAPS;
  return open > 0.f ? open : 0.f;
}

static void light_of(const struct cairn_raster_scene *scene, const struct cairn_raster_rows *rows,
                     const struct surface *s, float open, float out[3]) {
  static const float sun[3] = {1.02f, 0.97f, 0.89f}, ground[3] = {0.21f, 0.19f, 0.17f}, sky[3] = {0.40f, 0.46f, 0.55f};
  const float facing = dot(s->normal, scene->light), lamp = facing > 0.f ? facing * lit(scene, rows, s) : 0.f;
  const float above = 0.5f + 0.5f * dot(s->normal, scene->up);
  const float length = sqrtf(dot(s->point, s->point));
  float half[3], norm = 0.f;
  for (int k = 0; k < 3; k++) {
    half[k] = scene->light[k] - s->point[k] / length;
    norm += half[k] * half[k];
  }
  float shine = dot(half, s->normal) / sqrtf(norm);
  shine = shine > 0.f && !s->is_wall ? shine * shine : 0.f;
  shine *= shine;
  shine *= shine;
  shine *= shine * shine * shine; /* the 24th power */
  for (int k = 0; k < 3; k++) {
    const float albedo = scene->linear[s->rgb[k]], around = ground[k] + above * (sky[k] - ground[k]);
    out[k] = albedo * (lamp * sun[k] * (0.45f + 0.55f * open) + around * open * open) + 0.07f * shine * lamp;
  }
}

static void background(const struct cairn_raster_scene *scene, int x, int y, float out[3]) {
  const float dx = (float)x / (float)scene->width - 0.5f, dy = (float)y / (float)scene->height - 0.45f;
  float t = sqrtf(dx * dx + dy * dy) / 0.75f;
  t = t < 1.f ? t * t * (3.f - 2.f * t) : 1.f;
  for (int k = 0; k < 3; k++)
    out[k] = scene->back[0][k] + t * (scene->back[1][k] - scene->back[0][k]);
}

static unsigned char code_of(const struct cairn_raster_scene *scene, float light) {
  const float x = light * (float)(CAIRN_RASTER_CODES - 1) + 0.5f;
  return scene->code[x > 0.f ? (x < (float)(CAIRN_RASTER_CODES - 1) ? (int)x : CAIRN_RASTER_CODES - 1) : 0];
}

static void pixel(const struct cairn_raster_scene *scene, const struct cairn_raster_rows *rows, int px, int py,
                  const int32_t *id, const unsigned char *glass, unsigned char *rgb) {
  float sum[3] = {0.f, 0.f, 0.f}, open = -1.f, pane[3] = {0.55f, 0.60f, 0.66f};
  const size_t corner = (size_t)px * CAIRN_RASTER_SUB, below = corner + (size_t)scene->width;
  /* a pixel that sees one thing needs the samples of a diagonal only */
  const int is_one = id[corner] == id[corner + 1] && id[corner] == id[below] && id[corner] == id[below + 1];
  const int each = is_one ? CAIRN_RASTER_SUB + 1 : 1, n = is_one ? 2 : CAIRN_RASTER_SUB * CAIRN_RASTER_SUB;
  for (int i = 0; i < CAIRN_RASTER_SUB * CAIRN_RASTER_SUB; i += each) {
    const int sx = i % CAIRN_RASTER_SUB, sy = i / CAIRN_RASTER_SUB, x = px * CAIRN_RASTER_SUB + sx;
    const int y = py * CAIRN_RASTER_SUB + sy;
    const size_t at = (size_t)sy * (size_t)scene->width + (size_t)x;
    float light[3];
    if (id[at] == CAIRN_RASTER_NOTHING)
      background(scene, x, y, light);
    else {
      struct surface s;
      surface_at(scene, x, y, rows->depth[y - rows->first][x], id[at], &s);
      if (open < 0.f || sx == sy) /* twice for a pixel that sees one thing */
        open = open_sky(scene, rows, x, y, &s);
      light_of(scene, rows, &s, open, light);
    }
    for (int k = 0; k < 3; k++) {
      for (int g = 0; g < glass[at]; g++)
        light[k] += 0.06f * (pane[k] - light[k]);
      sum[k] += light[k];
    }
  }
  for (int k = 0; k < 3; k++) {
    const float light = sum[k] / (float)n;
    rgb[k] = code_of(scene, light * (1.f + 0.12f * light) / (1.f + 0.32f * light) * 1.18f);
  }
}

void cairn_raster_shade(const struct cairn_raster_scene *scene, int first, int end,
                        const struct cairn_raster_rows *rows, const int32_t *id, const unsigned char *glass,
                        unsigned char *rgb) {
  const int width = scene->width / CAIRN_RASTER_SUB;
  for (int y = first; y < end; y++)
    for (int x = 0; x < width; x++) {
      const size_t from = (size_t)(y - first) * CAIRN_RASTER_SUB * (size_t)scene->width;
      pixel(scene, rows, x, y, id + from, glass + from, rgb + 3 * ((size_t)(y - first) * (size_t)width + (size_t)x));
    }
}
