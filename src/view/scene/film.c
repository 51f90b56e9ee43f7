#include "view/scene/film.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/geometry/wall_outline.h"
#include "kernels/common/vec3.h"
#include "tasks/render.h"

enum { LOOKED_AT = 24, SAMPLE = 400, SHADOW = 2048 };

static const double FOV = 0.5; /* rad, of the height */

/* ---------------------------------------------------------------- camera */

static int find_angles(const char *view, double *yaw, double *pitch, struct cairn_error *error) {
  static const double degree = 3.14159265358979323846 / 180.;
  static const struct {
    const char *name;
    double yaw, pitch;
  } views[] = {{"iso", -51.6, 24.}, {"top", -90., 89.99}, {"bottom", -90., -89.99}, {"front", -90., 0.},
               {"back", 90., 0.},   {"side", 0., 0.},     {"right", 0., 0.},        {"left", 180., 0.}};
  char rest;
  for (size_t i = 0; i < sizeof views / sizeof *views; i++)
    if (strcmp(views[i].name, view) == 0) {
      *yaw = views[i].yaw * degree;
      *pitch = views[i].pitch * degree;
      return 0;
    }
  if (sscanf(view, "%lf,%lf%c", yaw, pitch, &rest) != 2 || !isfinite(*yaw) || !(fabs(*pitch) <= 90.))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "--view: found '%.80s', expected iso, top, bottom, front, back, left, right, or two angles "
                           "in degrees, around and above: 30,20",
                           view);
  *yaw *= degree;
  *pitch *= degree;
  return 0;
}

static void normalise(double v[3]) {
  const double length = cairn_vec3_length(v);
  for (int k = 0; k < 3; k++)
    v[k] /= length;
}

static int place_camera(struct cairn_film *film, struct cairn_error *error) {
  static const double sun[3] = {0.284, -0.446, 0.811};
  double yaw, pitch;
  int status = find_angles(film->options.view, &yaw, &pitch, error);
  if (status)
    return status;
  const double away[3] = {cos(pitch) * cos(yaw), cos(pitch) * sin(yaw), sin(pitch)};
  const double right[3] = {-sin(yaw), cos(yaw), 0.};
  memcpy(film->away, away, sizeof away);
  memcpy(film->right, right, sizeof right);
  cairn_vec3_cross(away, right, film->up);
  /* the lamp stands over the left shoulder of the viewer */
  for (int k = 0; k < 3; k++)
    film->light[k] = 0.55 * sun[k] + 0.45 * film->up[k] - 0.35 * right[k] + 0.35 * away[k];
  normalise(film->light);
  return 0;
}

/* ---------------------------------------------------------------- a look through the frames */

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* What the frames have shown so far. */
struct look {
  double *values;      /* [n_values] samples of the number that is shown */
  double (*places)[4]; /* [n_values] of the same bodies, with their radii */
  int64_t n_values;
  double followed; /* m, size of the largest fragment */
};

/* Center of the largest fragment, or of all bodies while there is none to speak of; returns its size. */
static double find_largest(const struct cairn_state *state, const double *rank, double center[3]) {
  double sum[2][4] = {{0}}, far = 0.;
  for (int64_t i = 0; i < state->n; i++)
    for (int all = 0; all < 2; all++)
      if (state->captor[i] >= 0 && (all || rank[i] == 0.)) {
        sum[all][3] += state->mass[i];
        for (int k = 0; k < 3; k++)
          sum[all][k] += state->mass[i] * state->position[3 * i + k];
      }
  const int all = sum[0][3] < 0.1 * sum[1][3];
  for (int k = 0; k < 3; k++)
    center[k] = sum[all][3] > 0. ? sum[all][k] / sum[all][3] : 0.;
  for (int64_t i = 0; i < state->n; i++)
    if (state->captor[i] >= 0 && (all || rank[i] == 0.))
      far = fmax(far, cairn_vec3_distance(state->position + 3 * i, center) + state->radius[i]);
  return far;
}

static int look_at(struct cairn_film *film, const struct cairn_trajectory_frame *frame, struct look *look,
                   struct cairn_error *error) {
  const struct cairn_state *state = &frame->state;
  double *values = malloc(((size_t)state->n + 1) * sizeof *values), box[2][3], center[3];
  int status = values ? cairn_coloring_values(film->options.coloring, frame, values, error)
                      : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  for (int64_t i = 0; i < state->n && !status; i += 1 + state->n / SAMPLE)
    if (state->captor[i] >= 0) {
      memcpy(look->places[look->n_values], state->position + 3 * i, 3 * sizeof(double));
      look->places[look->n_values][3] = state->radius[i];
      look->values[look->n_values++] = values[i];
    }
  if (!status && film->options.follow) {
    status = cairn_coloring_values(CAIRN_COLORING_fragment, frame, values, error);
    look->followed = status ? 0. : find_largest(state, values, center);
  }
  free(values);
  if (status)
    return status;
  cairn_wall_mesh_box(state, box);
  for (int k = 0; k < 3; k++) {
    film->box[0][k] = fmin(film->box[0][k], box[0][k]);
    film->box[1][k] = fmax(film->box[1][k], box[1][k]);
  }
  film->mean_radius = 0.;
  for (int64_t i = 0; i < state->n; i++)
    film->mean_radius += state->radius[i] / (double)state->n;
  return 0;
}

/* Nearly all numbers lie in the range; those that cannot be negative begin at 0. */
static void find_range(struct cairn_film *film, struct look *look) {
  const enum cairn_coloring by = film->options.coloring;
  const int64_t n = look->n_values;
  qsort(look->values, (size_t)n, sizeof *look->values, by_value);
  film->range[0] = n > 0 && (by == CAIRN_COLORING_height || by == CAIRN_COLORING_radius) ? look->values[0] : 0.;
  film->range[1] = n > 0 ? look->values[(int64_t)(0.98 * (double)(n - 1))] : 1.;
  if (!(film->range[1] > film->range[0]))
    film->range[1] = film->range[0] + (film->range[0] != 0. ? fabs(film->range[0]) : 1.);
}

/* Nearly all bodies lie in a sphere of this radius about the center of the film. */
static double find_radius(const struct cairn_film *film, struct look *look) {
  for (int64_t i = 0; i < look->n_values; i++)
    look->values[i] = cairn_vec3_distance(look->places[i], film->center) + look->places[i][3];
  qsort(look->values, (size_t)look->n_values, sizeof *look->values, by_value);
  return look->n_values > 0 ? 1.04 * look->values[(int64_t)(0.995 * (double)(look->n_values - 1))] : 0.;
}

static int look_through(struct cairn_film *film, struct look *look, struct cairn_error *error) {
  const int64_t n = film->run->n_frames, looks = n < LOOKED_AT ? n : LOOKED_AT;
  int status = 0;
  for (int k = 0; k < 3; k++) {
    film->box[0][k] = INFINITY;
    film->box[1][k] = -INFINITY;
  }
  for (int64_t i = 0; i < looks && !status; i++) {
    struct cairn_trajectory_frame frame;
    const int64_t at = looks < 2 ? n - 1 : i * (n - 1) / (looks - 1);
    status = cairn_trajectory_read_frame(film->run->trajectory, at, &frame, error);
    if (status)
      break;
    status = look_at(film, &frame, look, error);
    if (!status && i == looks - 1)
      status =
          cairn_wall_mesh_make(&frame, (const double(*)[3])film->box, 0.15 * film->mean_radius, &film->walls, error);
    cairn_trajectory_frame_fini(&frame);
  }
  return status ? status : cairn_wall_mesh_look_at(&film->walls, film->run, error);
}

int cairn_film_open(const struct cairn_run_record *run, const struct cairn_film_options *options,
                    struct cairn_film *film, struct cairn_error *error) {
  memset(film, 0, sizeof *film);
  film->options = *options;
  film->run = run;
  int status = place_camera(film, error);
  if (!status && (!run->trajectory || run->n_frames == 0))
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "the run %s has no frames to draw", run->name);
  if (status)
    return status;
  struct look look = {.values = malloc((size_t)LOOKED_AT * (SAMPLE + 1) * sizeof *look.values),
                      .places = malloc((size_t)LOOKED_AT * (SAMPLE + 1) * sizeof *look.places)};
  status = look.values && look.places ? look_through(film, &look, error)
                                      : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  if (!status) {
    find_range(film, &look);
    for (int k = 0; k < 3; k++)
      film->center[k] = 0.5 * (film->box[0][k] + film->box[1][k]);
    film->radius = options->follow && look.followed > 0. ? 1.15 * look.followed : find_radius(film, &look);
    film->radius = film->radius > 0. ? film->radius : 1.;
  }
  free(look.values);
  free(look.places);
  if (status)
    cairn_film_close(film);
  return status;
}

void cairn_film_close(struct cairn_film *film) {
  cairn_wall_mesh_fini(&film->walls);
  memset(film, 0, sizeof *film);
}

/* ---------------------------------------------------------------- a frame */

/* A frame on its way to the picture. */
struct shot {
  const struct cairn_film *film;
  struct cairn_raster_scene scene;
  struct cairn_raster_sphere *spheres;
  struct cairn_raster_triangle *triangles;
  double center[3], eye[3], distance; /* of the camera */
  double across[2][3], corner[2];     /* axes of the map of shadows, and its lower corner along them */
};

static void to_eye(const struct shot *shot, const double p[3], float out[3]) {
  const double d[3] = {p[0] - shot->eye[0], p[1] - shot->eye[1], p[2] - shot->eye[2]};
  out[0] = (float)cairn_vec3_dot(d, shot->film->right);
  out[1] = (float)-cairn_vec3_dot(d, shot->film->up);
  out[2] = (float)-cairn_vec3_dot(d, shot->film->away);
}

static void turn_to_eye(const struct cairn_film *film, const double v[3], float out[3]) {
  out[0] = (float)cairn_vec3_dot(v, film->right);
  out[1] = (float)-cairn_vec3_dot(v, film->up);
  out[2] = (float)-cairn_vec3_dot(v, film->away);
}

static void set_camera(struct shot *shot) {
  const struct cairn_film *film = shot->film;
  struct cairn_raster_scene *s = &shot->scene;
  const double aspect = (double)film->options.width / film->options.height;
  shot->distance = film->radius / sin(0.5 * FOV) * fmax(1., 1. / aspect) / film->options.zoom;
  for (int k = 0; k < 3; k++)
    shot->eye[k] = shot->center[k] + shot->distance * film->away[k];
  s->width = film->options.width * CAIRN_RASTER_SUB;
  s->height = film->options.height * CAIRN_RASTER_SUB;
  s->focal = (float)(0.5 * s->height / tan(0.5 * FOV));
  s->middle[0] = 0.5f * (float)s->width;
  s->middle[1] = 0.5f * (float)s->height;
}

static void set_light(struct shot *shot) {
  static const double vertical[3] = {0, 0, 1}, aside[3] = {1, 0, 0};
  static const float night[2][3] = {{0.055f, 0.064f, 0.080f}, {0.012f, 0.014f, 0.019f}};
  const struct cairn_film *film = shot->film;
  struct cairn_raster_scene *s = &shot->scene;
  const double half = 1.15 * fmax(film->radius, 0.), scale = SHADOW / (2. * half);
  turn_to_eye(film, film->light, s->light);
  turn_to_eye(film, vertical, s->up);
  cairn_vec3_cross(film->light, fabs(film->light[2]) > 0.99 ? aside : vertical, shot->across[0]);
  normalise(shot->across[0]);
  cairn_vec3_cross(film->light, shot->across[0], shot->across[1]);
  const double *axes[3] = {shot->across[0], shot->across[1], film->light};
  for (int row = 0; row < 3; row++) {
    const double factor = row < 2 ? scale : -1.;
    double off = cairn_vec3_dot(axes[row], shot->eye);
    if (row < 2) {
      shot->corner[row] = cairn_vec3_dot(axes[row], shot->center) - half;
      off -= shot->corner[row];
    }
    turn_to_eye(film, axes[row], s->to_light[row]);
    for (int k = 0; k < 3; k++)
      s->to_light[row][k] *= (float)factor;
    s->to_light[row][3] = (float)(factor * off);
  }
  s->shadow_size = SHADOW;
  s->shadow_scale = (float)scale;
  s->reach = (float)(3.2 * film->mean_radius);
  s->bias = (float)fmax(0.06 * film->mean_radius, 2. / scale);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      s->back[i][k] = film->options.white ? 1.f : night[i][k];
  for (int i = 0; i < 256; i++)
    s->linear[i] = (float)cairn_color_linear((unsigned char)i);
  for (int i = 0; i < CAIRN_RASTER_CODES; i++)
    s->code[i] = cairn_color_encode((double)i / (CAIRN_RASTER_CODES - 1));
}

static int set_bodies(struct shot *shot, const struct cairn_trajectory_frame *frame, struct cairn_error *error) {
  const struct cairn_film *film = shot->film;
  const struct cairn_state *state = &frame->state;
  double *values = malloc(((size_t)state->n + 1) * sizeof *values);
  shot->spheres = malloc(((size_t)state->n + 1) * sizeof *shot->spheres);
  if (!values || !shot->spheres) {
    free(values);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a picture of %lld bodies", (long long)state->n);
  }
  const int status = cairn_coloring_values(film->options.coloring, frame, values, error);
  const float near = (float)(1e-3 * shot->distance);
  for (int64_t i = 0; i < state->n && !status; i++) {
    struct cairn_raster_sphere *s = &shot->spheres[i];
    const double *x = state->position + 3 * i;
    float at[3];
    to_eye(shot, x, at);
    *s = (struct cairn_raster_sphere){.x = at[0], .y = at[1], .z = at[2], .r = (float)state->radius[i]};
    s->lx = (float)(cairn_vec3_dot(shot->across[0], x) - shot->corner[0]);
    s->ly = (float)(cairn_vec3_dot(shot->across[1], x) - shot->corner[1]);
    s->lz = (float)-cairn_vec3_dot(film->light, x);
    s->visible = state->captor[i] >= 0 && s->z - s->r > near && s->r > 0.f;
    cairn_coloring_rgb(film->options.coloring, film->options.map, film->range, i, values[i], s->rgb);
  }
  shot->scene.n_spheres = (int32_t)state->n;
  shot->scene.spheres = shot->spheres;
  free(values);
  return status;
}

/* Cut what is behind the eye off a triangle; returns 0, 1 or 2 triangles. */
static int clip(float near, const float in[3][3], float out[2][3][3]) {
  float kept[4][3];
  int n = 0;
  for (int k = 0; k < 3; k++) {
    const float *a = in[k], *b = in[(k + 1) % 3];
    if (a[2] >= near)
      memcpy(kept[n++], a, sizeof *kept);
    if ((a[2] >= near) != (b[2] >= near)) {
      const float t = (near - a[2]) / (b[2] - a[2]);
      for (int c = 0; c < 3; c++)
        kept[n][c] = c == 2 ? near : a[c] + t * (b[c] - a[c]);
      n++;
    }
  }
  for (int t = 0; t + 2 < n; t++) {
    memcpy(out[t][0], kept[0], sizeof *kept);
    memcpy(out[t][1], kept[t + 1], sizeof *kept);
    memcpy(out[t][2], kept[t + 2], sizeof *kept);
  }
  return n > 2 ? n - 2 : 0;
}

/* Returns whether one sees through it. */
static int add_triangle(struct shot *shot, const double p[3][3], bool solid) {
  double e[3], f[3], normal[3], to_camera = 0., to_bodies = 0.;
  float seen[3][3], parts[2][3][3];
  for (int k = 0; k < 3; k++) {
    e[k] = p[1][k] - p[0][k];
    f[k] = p[2][k] - p[0][k];
    to_eye(shot, p[k], seen[k]);
  }
  cairn_vec3_cross(e, f, normal);
  if (!(cairn_vec3_length(normal) > 0.))
    return 0;
  normalise(normal);
  for (int k = 0; k < 3; k++) {
    const double middle = (p[0][k] + p[1][k] + p[2][k]) / 3.;
    to_camera += normal[k] * (shot->eye[k] - middle);
    to_bodies += normal[k] * (shot->film->center[k] - middle);
  }
  for (int k = 0; k < 3 && to_camera < 0.; k++)
    normal[k] = -normal[k];
  const int n = clip((float)(1e-3 * shot->distance), (const float(*)[3])seen, parts);
  const int glass = !solid && to_camera * to_bodies < 0.;
  for (int t = 0; t < n; t++) {
    struct cairn_raster_triangle *triangle = &shot->triangles[shot->scene.n_triangles++];
    memcpy(triangle->corner, parts[t], sizeof triangle->corner);
    turn_to_eye(shot->film, normal, triangle->normal);
    triangle->glass = glass;
    triangle->casts = 1;
  }
  return glass;
}

/* A wall that one sees through in part would throw the shadow of the other part: it throws none. */
static void let_light_in(struct shot *shot, int32_t first, int glass) {
  for (int32_t t = first; t < shot->scene.n_triangles && glass; t++)
    shot->triangles[t].casts = 0;
}

static int set_walls(struct shot *shot, const struct cairn_trajectory_frame *frame, struct cairn_error *error) {
  const struct cairn_wall_mesh *mesh = &shot->film->walls;
  shot->triangles = malloc((2 * (size_t)mesh->n + 1) * sizeof *shot->triangles);
  if (!shot->triangles)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a picture of %lld triangles",
                           (long long)mesh->n);
  int32_t wall = -1, first = 0;
  int glass = 0;
  for (int64_t i = 0; i < mesh->n; i++) {
    double p[3][3];
    if (mesh->wall[i] >= frame->n_walls || frame->walls[mesh->wall[i]].active == 0.)
      continue;
    if (mesh->wall[i] != wall) {
      let_light_in(shot, first, glass);
      wall = mesh->wall[i];
      first = shot->scene.n_triangles;
      glass = 0;
    }
    for (int k = 0; k < 3; k++)
      cairn_wall_outline_place(&frame->walls[wall], mesh->corner[i][k], p[k]);
    glass |= add_triangle(shot, (const double(*)[3])p, mesh->solid[wall]);
  }
  let_light_in(shot, first, glass);
  shot->scene.triangles = shot->triangles;
  return 0;
}

/* Where the camera looks in this frame. */
static int find_center(struct shot *shot, const struct cairn_trajectory_frame *frame, struct cairn_error *error) {
  memcpy(shot->center, shot->film->center, sizeof shot->center);
  if (!shot->film->options.follow)
    return 0;
  double *rank = malloc(((size_t)frame->state.n + 1) * sizeof *rank);
  const int status = rank ? cairn_coloring_values(CAIRN_COLORING_fragment, frame, rank, error)
                          : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  if (!status)
    find_largest(&frame->state, rank, shot->center);
  free(rank);
  return status;
}

int cairn_film_draw(const struct cairn_film *film, int64_t at, struct cairn_image *image, struct cairn_error *error) {
  struct cairn_trajectory_frame frame;
  int status = cairn_trajectory_read_frame(film->run->trajectory, at, &frame, error);
  if (status)
    return status;
  struct shot *shot = calloc(1, sizeof *shot);
  status = shot ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a picture");
  if (!status) {
    shot->film = film;
    status = find_center(shot, &frame, error);
  }
  if (!status) {
    set_camera(shot);
    set_light(shot);
    status = set_bodies(shot, &frame, error);
  }
  if (!status)
    status = set_walls(shot, &frame, error);
  if (!status)
    status = cairn_render(&shot->scene, image->rgb, error);
  if (!status && film->options.legend)
    cairn_film_legend(film, film->run->times[at], 2. * shot->distance * tan(0.5 * FOV), image);
  if (shot) {
    free(shot->spheres);
    free(shot->triangles);
  }
  free(shot);
  cairn_trajectory_frame_fini(&frame);
  return status;
}
