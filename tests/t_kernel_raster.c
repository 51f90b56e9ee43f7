/* Pictures of a few spheres against what geometry says of their pixels: edges, depths, order, shadows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/view/raster.h"
#include "tap/tap.h"

enum { W = 400, H = 300 };

static float depth[W * H], shadow[256 * 256];
static int32_t id[W * H];
static unsigned char glass[W * H], rgb[W * H];
static struct cairn_raster_sphere spheres[3];
static struct cairn_raster_triangle triangles[2];

static struct cairn_raster_scene make_scene(int n_spheres, int n_triangles) {
  struct cairn_raster_scene scene = {.width = W,
                                     .height = H,
                                     .focal = 500.f,
                                     .middle = {W / 2, H / 2},
                                     .n_spheres = n_spheres,
                                     .spheres = spheres,
                                     .n_triangles = n_triangles,
                                     .triangles = triangles};
  for (int i = 0; i < 256; i++)
    scene.linear[i] = (float)i / 255.f;
  for (int i = 0; i < CAIRN_RASTER_CODES; i++)
    scene.code[i] = (unsigned char)(255 * i / (CAIRN_RASTER_CODES - 1));
  return scene;
}

static void draw(const struct cairn_raster_scene *scene) {
  const int32_t order[3] = {0, 1, 2};
  cairn_raster_depths(scene, 0, H, scene->n_spheres, order, depth, id, glass);
}

/* The ray through the middle of a sample: distance from the center of the sphere to it, in double precision. */
static double miss(const struct cairn_raster_sphere *s, int x, int y, double *near) {
  const double d[3] = {(x + 0.5 - W / 2) / 500., (y + 0.5 - H / 2) / 500., 1.};
  const double c[3] = {s->x, s->y, s->z}, a = d[0] * d[0] + d[1] * d[1] + 1.;
  const double b = c[0] * d[0] + c[1] * d[1] + c[2], cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  const double square = cc - b * b / a;
  *near = (b - sqrt(fmax(0., b * b - a * (cc - s->r * s->r)))) / a;
  return sqrt(square);
}

/* Every sample of a sphere off the axis, where its outline is an ellipse. Within a millionth of the radius of the edge
 * either answer is right: that is the rounding of single precision. */
static void test_edges(float x, float y, float z, float r, const char *name) {
  spheres[0] = (struct cairn_raster_sphere){.x = x, .y = y, .z = z, .r = r, .visible = 1};
  const struct cairn_raster_scene scene = make_scene(1, 0);
  draw(&scene);
  int wrong = 0, hits = 0;
  double worst = 0.;
  for (int j = 0; j < H; j++)
    for (int i = 0; i < W; i++) {
      double near;
      const double off = miss(&spheres[0], i, j, &near);
      const int hit = id[j * W + i] == 0;
      hits += hit;
      if (fabs(off - r) > 1e-5 * r)
        wrong += hit != (off < r);
      if (hit && off < 0.999 * r)
        worst = fmax(worst, fabs(depth[j * W + i] - near) / r);
    }
  ok(wrong == 0 && hits > 0, "%s: each of %d samples of the sphere, and no other", name, hits);
  /* single precision of the depth: 6e-8 z, a few operations; steep near the edge */
  ok(worst < 3e-5 * z / r / 10. + 1e-5, "%s: its depths, to %.1e radii", name, worst);
}

static void test_order(void) {
  spheres[0] = (struct cairn_raster_sphere){.z = 10, .r = 1, .visible = 1};
  spheres[1] = (struct cairn_raster_sphere){.x = 0.5f, .z = 8, .r = 0.5f, .visible = 1};
  struct cairn_raster_scene scene = make_scene(2, 0);
  draw(&scene);
  const int front = id[H / 2 * W + W / 2 + (int)(500 * 0.5 / 8)], back = id[H / 2 * W + W / 2 - 30];
  ok(front == 1 && back == 0, "the nearer sphere hides the farther one");
  static int32_t first[W * H];
  memcpy(first, id, sizeof first);
  const int32_t order[2] = {1, 0};
  cairn_raster_depths(&scene, 0, H, 2, order, depth, id, glass);
  ok(memcmp(first, id, sizeof first) == 0, "in whichever order they come");
}

static void test_triangles(void) {
  /* a square in the plane z = 9, which cuts the sphere, and a pane before all */
  spheres[0] = (struct cairn_raster_sphere){.z = 10, .r = 2, .visible = 1};
  triangles[0] = (struct cairn_raster_triangle){{{-3, -3, 9}, {3, -3, 9}, {-3, 3, 9}}, {0, 0, -1}, 0, 0};
  triangles[1] = (struct cairn_raster_triangle){{{-3, -3, 5}, {3, -3, 5}, {-3, 3, 5}}, {0, 0, -1}, 1, 0};
  struct cairn_raster_scene scene = make_scene(1, 1);
  draw(&scene);
  const int middle = H / 2 * W + W / 2, aside = (H / 2 - 105) * W + W / 2 - 105;
  tap_near(depth[middle - 2 * W - 2], 8., 1e-3, 0., "the sphere stands out of the wall");
  tap_near(depth[aside], 9., 0., 1e-6, "the wall has its depth");
  ok(id[aside] == 1 && glass[aside] == 0, "and its id");
  scene = make_scene(1, 2);
  draw(&scene);
  ok(glass[aside] == 1 && id[aside] == 1, "a pane hides nothing");
}

/* The lamp shines along +z. */
static void set_lamp(struct cairn_raster_scene *scene, int n_spheres) {
  const float scale = 256.f / 8.f;
  scene->light[2] = -1.f;
  scene->up[1] = -1.f;
  scene->shadow_size = 256;
  scene->shadow_scale = scale;
  scene->bias = 0.02f;
  for (int i = 0; i < n_spheres; i++) {
    spheres[i].lx = spheres[i].x + 4.f;
    spheres[i].ly = spheres[i].y + 4.f;
    spheres[i].lz = spheres[i].z;
  }
  for (int k = 0; k < 2; k++) {
    scene->to_light[k][k] = scale;
    scene->to_light[k][3] = 4.f * scale;
  }
  scene->to_light[2][2] = 1.f;
}

/* The picture in `rgb`, with shadows. */
static void shade(const struct cairn_raster_scene *scene) {
  static const float *rows[H], *shadow_rows[256];
  const int32_t order[3] = {0, 1, 2};
  draw(scene);
  cairn_raster_shadows(scene, 0, 256, scene->n_spheres, order, shadow);
  for (int j = 0; j < H; j++)
    rows[j] = depth + j * W;
  for (int j = 0; j < 256; j++)
    shadow_rows[j] = shadow + j * 256;
  const struct cairn_raster_rows all = {0, H, rows, shadow_rows};
  cairn_raster_shade(scene, 0, H / 2, &all, id, glass, rgb);
}

/* The lamp behind the camera's shoulder: a small sphere throws a shadow onto a large one. */
static void test_shadow(void) {
  struct cairn_raster_scene scene = make_scene(2, 0);
  spheres[0] = (struct cairn_raster_sphere){.z = 12, .r = 2, .rgb = {200, 200, 200}, .visible = 1};
  /* between the lamp, which shines along +z here, and the large one, but seen beside its shadow: none of it is hidden
   */
  spheres[1] = (struct cairn_raster_sphere){.x = 1.f, .z = 6, .r = 0.3f, .rgb = {200, 200, 200}, .visible = 1};
  set_lamp(&scene, 2);
  shade(&scene);
  /* of the large sphere the point (1, 0) is in the shadow, (-1, 0) is not: z = 12 - sqrt(3) at both */
  const double z = 12. - sqrt(3.);
  const int dark = (int)(W / 2 + 500. / z) / 2, bright = (int)(W / 2 - 500. / z) / 2, row = H / 4;
  const int in_shadow = rgb[3 * (row * (W / 2) + dark)], in_light = rgb[3 * (row * (W / 2) + bright)];
  ok(in_light > 2 * in_shadow, "a shadow is dark: %d, in the light %d", in_shadow, in_light);
  /* along the row: where the shadow, a disk of 0.3 m seen at its depth, begins and ends */
  int begin = 0, end = 0;
  for (int x = (int)(W / 2 + 500. * 0.55 / z) / 2; x < W / 4 + 500. * 1.5 / z / 2; x++) {
    const int is_dark = rgb[3 * (row * (W / 2) + x)] < (in_shadow + in_light) / 2 && id[2 * row * W + 2 * x] == 0;
    begin = begin || !is_dark ? begin : x;
    end = is_dark ? x : end;
  }
  const double left = 0.7 / (12. - sqrt(4. - 0.7 * 0.7)) * 250. + W / 4;
  /* one cell of the map is 1/32 m, 0.8 pixels here */
  tap_near(begin, left, 2., 0., "its edge is where the lamp's rays pass the small sphere");
  ok(end > begin, "and it has a width");
}

/* A plate of 1 m before a large sphere: its shadow on the sphere, and the light on the plate itself, which its own
 * depth in the map must not darken. */
static void test_wall_shadow(void) {
  struct cairn_raster_scene scene = make_scene(1, 1);
  spheres[0] = (struct cairn_raster_sphere){.z = 12, .r = 2, .rgb = {200, 200, 200}, .visible = 1};
  set_lamp(&scene, 1);
  /* x from 0.5 to 1.5, y from -0.5 to 0.5: one half of it */
  triangles[0] =
      (struct cairn_raster_triangle){{{0.5f, -0.5f, 6}, {1.5f, -0.5f, 6}, {0.5f, 0.5f, 6}}, {0, 0, -1}, 0, 1};
  int seen[3];
  for (int casts = 0; casts < 2; casts++) {
    triangles[0].casts = casts;
    shade(&scene);
    /* (0.6, -0.2) on the sphere lies behind the plate for the lamp; the eye, for which the plate begins at 0.5 / 6 of
     * the distance, sees it at 0.6 / 10.1 beside the plate */
    const double z = 12. - sqrt(4. - 0.36 - 0.04);
    const int x = (int)(W / 2 + 500. * 0.6 / z) / 2, y = (int)(H / 2 - 500. * 0.2 / z) / 2;
    ok(id[2 * y * W + 2 * x] == 0, "the point beside the plate is of the sphere");
    seen[casts] = rgb[3 * (y * (W / 2) + x)];
    /* (0.8, -0.3) of the plate */
    seen[2] = rgb[3 * ((int)(H / 2 - 500. * 0.3 / 6) / 2 * (W / 2) + (int)(W / 2 + 500. * 0.8 / 6) / 2)];
  }
  ok(seen[0] > 2 * seen[1], "a plate throws a shadow: %d, without it %d", seen[1], seen[0]);
  ok(seen[2] > 2 * seen[1], "and lies in the light itself: %d", seen[2]);
  /* the edge x + y = 1 of the triangle, along y = -0.2 of the sphere: the shadow ends at x = 1.2 */
  float farthest = 0.f;
  for (int i = 0; i < 256; i++)
    if (shadow[(int)(3.8f * 32.f) * 256 + i] == 6.f)
      farthest = ((float)i + 0.5f) / 32.f - 4.f;
  tap_near(farthest, 1.2, 1. / 32., 0., "its edge in the map");
}

int main(void) {
  plan(NO_PLAN);
  test_edges(0, 0, 10, 1, "in the middle");
  test_edges(2, -1, 8, 1, "off the axis");
  test_edges(-30, 20, 100, 0.5f, "small and far");
  test_edges(300, 200, 1000, 1.5f, "a thousand radii away");
  test_order();
  test_triangles();
  test_shadow();
  test_wall_shadow();
  done_testing();
}
