/* The frames of a run for the 3-D view: numbers of single precision in base64, one data block per frame. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster.h"
#include "view/page/page_parts.h"
#include "view/paint/text.h"
#include "view/scene/wall_mesh.h"

enum { GONE = 65535, LAST_RANK = 65534, SAMPLE = 200 };

/* What the frames of a run have shown so far. */
struct view {
  const struct cairn_run_record *run;
  int64_t n, shown;         /* bodies, and how many of them are drawn, evenly chosen by id */
  int64_t n_frames;         /* in the page */
  double box[2][3];         /* of nearly all bodies in all frames */
  double (*places)[4];      /* [n_speed] of the bodies whose speed follows, with their radii */
  double *speed, *pressure; /* [n_samples] some of each frame */
  int64_t n_speed, n_pressure;
  int64_t last_bodies;      /* of them in the last frame */
  double last_speed;        /* of the samples of the last frame, the largest */
  bool has_pressure, grows; /* grows: bodies take up others, and radii change */
  int32_t n_walls;
  int64_t *fragments; /* [n_frames] how many there are */
  double share, size; /* of the largest one in the last frame: mass over all, and m from its middle */
};

static int64_t frame_at(const struct view *v, int64_t k) {
  return v->n_frames < 2 ? v->run->n_frames - 1 : k * (v->run->n_frames - 1) / (v->n_frames - 1);
}

/* The k-th body that is drawn. */
static int64_t body_at(const struct view *v, int64_t k) { return k * v->n / v->shown; }

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Where nearly all values lie below. */
static double nearly_all(double *values, int64_t n) {
  static const double PART = 0.98;
  if (n == 0)
    return 0.;
  qsort(values, (size_t)n, sizeof *values, by_value);
  return values[(int64_t)(PART * (double)(n - 1))];
}

/* ---------------------------------------------------------------- one frame */

/* The bytes of a frame, put one after the other. */
struct block {
  unsigned char *bytes;
  size_t used;
};

static void put_float(struct block *block, double value) {
  const float narrow = isfinite(value) ? (float)value : 0.f;
  memcpy(block->bytes + block->used, &narrow, sizeof narrow);
  block->used += sizeof narrow;
}

static void put_short(struct block *block, int32_t value) {
  const uint16_t narrow = (uint16_t)value;
  memcpy(block->bytes + block->used, &narrow, sizeof narrow);
  block->used += sizeof narrow;
}

static double speed_of(const struct cairn_state *state, int64_t i) {
  const double *u = state->velocity + 3 * i;
  return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

static size_t block_size(const struct view *v) {
  return (size_t)v->shown * (18u + (v->has_pressure ? 4u : 0u) + (v->grows ? 4u : 0u)) + (size_t)v->n_walls * 32u;
}

static void fill_block(const struct view *v, const struct cairn_trajectory_frame *frame, const int32_t *rank,
                       struct block *block) {
  const struct cairn_state *state = &frame->state;
  for (int64_t k = 0; k < v->shown; k++)
    for (int c = 0; c < 3; c++)
      put_float(block, state->position[3 * body_at(v, k) + c]);
  for (int64_t k = 0; k < v->shown; k++)
    put_float(block, speed_of(state, body_at(v, k)));
  for (int64_t k = 0; k < v->shown && v->has_pressure; k++)
    put_float(block, frame->stress.pressure[body_at(v, k)]);
  for (int32_t w = 0; w < v->n_walls; w++) {
    for (int k = 0; k < 3; k++)
      put_float(block, frame->walls[w].position[k]);
    for (int k = 0; k < 4; k++)
      put_float(block, frame->walls[w].orientation[k]);
    put_float(block, frame->walls[w].active);
  }
  for (int64_t k = 0; k < v->shown && v->grows; k++)
    put_float(block, state->radius[body_at(v, k)]);
  for (int64_t k = 0; k < v->shown; k++) {
    const int64_t i = body_at(v, k);
    put_short(block, state->captor[i] < 0 ? GONE : rank[i] < 0 || rank[i] > LAST_RANK ? LAST_RANK : rank[i]);
  }
}

/* Some numbers of a frame for the ranges of colors. */
static void sample(struct view *v, const struct cairn_trajectory_frame *frame) {
  v->last_speed = 0.;
  v->last_bodies = 0;
  for (int64_t i = 0; i < v->n; i += 1 + v->n / SAMPLE) {
    if (frame->state.captor[i] < 0)
      continue;
    memcpy(v->places[v->n_speed], frame->state.position + 3 * i, 3 * sizeof(double));
    v->places[v->n_speed][3] = frame->state.radius[i];
    v->speed[v->n_speed++] = speed_of(&frame->state, i);
    v->last_bodies++;
    v->last_speed = fmax(v->last_speed, v->speed[v->n_speed - 1]);
    if (v->has_pressure && frame->stress.pressure[i] > 0.)
      v->pressure[v->n_pressure++] = frame->stress.pressure[i];
  }
  double box[2][3];
  cairn_wall_mesh_box(&frame->state, box);
  for (int k = 0; k < 3; k++) {
    v->box[0][k] = fmin(v->box[0][k], box[0][k]);
    v->box[1][k] = fmax(v->box[1][k], box[1][k]);
  }
}

/* Mass and size of the largest fragment. */
static void measure_largest(struct view *v, const struct cairn_state *state, const int32_t *rank) {
  double sum[4] = {0}, all = 0., far = 0.;
  for (int64_t i = 0; i < state->n; i++) {
    all += state->captor[i] >= 0 ? state->mass[i] : 0.;
    sum[3] += rank[i] == 0 ? state->mass[i] : 0.;
    for (int k = 0; k < 3 && rank[i] == 0; k++)
      sum[k] += state->mass[i] * state->position[3 * i + k];
  }
  for (int64_t i = 0; i < state->n && sum[3] > 0.; i++) {
    const double *x = state->position + 3 * i;
    if (rank[i] == 0)
      far = fmax(
          far, sqrt(pow(x[0] - sum[0] / sum[3], 2) + pow(x[1] - sum[1] / sum[3], 2) + pow(x[2] - sum[2] / sum[3], 2)));
  }
  v->share = all > 0. ? sum[3] / all : 0.;
  v->size = far;
}

static int write_frame(struct view *v, int index, int64_t k, FILE *file, struct cairn_error *error) {
  struct cairn_trajectory_frame frame;
  int status = cairn_trajectory_read_frame(v->run->trajectory, frame_at(v, k), &frame, error);
  if (status)
    return status;
  int32_t *rank = calloc((size_t)frame.state.n + 1, sizeof *rank);
  struct block block = {malloc(block_size(v) + 1), 0};
  if (frame.state.n != v->n || frame.n_walls != v->n_walls || (v->has_pressure && !frame.stress.pressure))
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' has changed while it was read", v->run->trajectory);
  else if (!rank || !block.bytes)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a frame of '%s'", v->run->trajectory);
  if (!status) {
    const int64_t n = cairn_cluster_ranks(&frame.state, cairn_cluster_gap(&frame.state), rank, error);
    status = n < 0 ? (int)n : 0;
    v->fragments[k] = n;
  }
  if (!status) {
    fill_block(v, &frame, rank, &block);
    sample(v, &frame);
    if (k == v->n_frames - 1)
      measure_largest(v, &frame.state, rank);
    fprintf(file, "<script type=\"application/octet-stream\" id=\"frame-%d-%lld\">", index, (long long)k);
    cairn_text_base64(file, block.bytes, block.used);
    fputs("</script>\n", file);
  }
  free(rank);
  free(block.bytes);
  cairn_trajectory_frame_fini(&frame);
  return status;
}

/* ---------------------------------------------------------------- what the script must know */

static void put_array(FILE *file, const char *name, const void *bytes, size_t n) {
  fprintf(file, ",\"%s\":\"", name);
  cairn_text_base64(file, bytes, n);
  fputc('"', file);
}

static int describe_bodies(const struct view *v, const struct cairn_state *state, FILE *about,
                           struct cairn_error *error) {
  float *radius = calloc((size_t)v->shown + 1, sizeof *radius);
  unsigned char *material = calloc((size_t)v->shown + 1, 1);
  if (!radius || !material) {
    free(radius);
    free(material);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the bodies of '%s'", v->run->trajectory);
  }
  float low = INFINITY, high = 0.f;
  for (int64_t k = 0; k < v->shown; k++) {
    const int64_t i = body_at(v, k);
    radius[k] = (float)state->radius[i];
    material[k] = (unsigned char)(state->material[i] < 255 ? state->material[i] : 255);
    low = fminf(low, radius[k]);
    high = fmaxf(high, radius[k]);
  }
  put_array(about, "radius", radius, (size_t)v->shown * sizeof *radius);
  put_array(about, "material", material, (size_t)v->shown);
  fprintf(about, ",\"radii\":[%.6g,%.6g]", (double)low, (double)(high > low ? high : low + low));
  free(radius);
  free(material);
  return 0;
}

static int describe_walls(const struct view *v, const struct cairn_trajectory_frame *frame, FILE *about,
                          struct cairn_error *error) {
  struct cairn_wall_mesh mesh;
  double mean = 0.;
  for (int64_t i = 0; i < frame->state.n; i++)
    mean += frame->state.radius[i] / (double)frame->state.n;
  int status = cairn_wall_mesh_make(frame, (const double(*)[3])v->box, 0.15 * mean, &mesh, error);
  if (!status)
    status = cairn_wall_mesh_look_at(&mesh, v->run, error);
  if (status) {
    cairn_wall_mesh_fini(&mesh);
    return status;
  }
  fputs(",\"solid\":[", about);
  for (int32_t w = 0; w < mesh.n_walls; w++)
    fprintf(about, "%s%d", w > 0 ? "," : "", mesh.solid[w]);
  fputc(']', about);
  if (mesh.lacks_meshes || mesh.n > CAIRN_PAGE_TRIANGLES)
    fprintf(about, ",\"meshless\":true");
  float *corners = calloc((size_t)mesh.n * 9 + 1, sizeof *corners);
  uint16_t *owner = calloc((size_t)mesh.n + 1, sizeof *owner);
  int64_t n = 0;
  for (int64_t i = 0; i < mesh.n && corners && owner; i++) {
    if (mesh.wall[i] > UINT16_MAX || n == CAIRN_PAGE_TRIANGLES)
      continue;
    for (int k = 0; k < 9; k++)
      corners[9 * n + k] = (float)(&mesh.corner[i][0][0])[k];
    owner[n++] = (uint16_t)mesh.wall[i];
  }
  if (!corners || !owner)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the walls of '%s'", v->run->trajectory);
  else if (n > 0) {
    put_array(about, "triangles", corners, (size_t)n * 9 * sizeof *corners);
    put_array(about, "owners", owner, (size_t)n * sizeof *owner);
  }
  free(corners);
  free(owner);
  cairn_wall_mesh_fini(&mesh);
  return status;
}

/* A run that ends at rest is better colored by something else than speed, an aggregate is better followed. */
static void describe_choices(const struct view *v, double speed, double radius, FILE *about) {
  const bool rests = v->last_bodies > 0 && v->last_speed < 0.15 * speed;
  fprintf(about, ",\"by\":\"%s\"", !rests ? "speed" : v->n_walls == 0 ? "stone" : "height");
  fprintf(about, ",\"follow\":%s", v->share > 0.5 && v->n_walls == 0 && v->size < 0.75 * radius ? "true" : "false");
}

/* Of a sphere that holds nearly all bodies. Takes the place of the speeds. */
static double radius_of(struct view *v) {
  for (int64_t i = 0; i < v->n_speed; i++) {
    double square = 0.;
    for (int k = 0; k < 3; k++)
      square += pow(v->places[i][k] - 0.5 * (v->box[0][k] + v->box[1][k]), 2);
    v->speed[i] = sqrt(square) + v->places[i][3];
  }
  qsort(v->speed, (size_t)v->n_speed, sizeof *v->speed, by_value);
  const double radius = v->n_speed > 0 ? 1.04 * v->speed[(int64_t)(0.995 * (double)(v->n_speed - 1))] : 0.;
  return radius > 0. ? radius : 1.;
}

static int describe(struct view *v, FILE *about, struct cairn_error *error) {
  struct cairn_trajectory_frame frame;
  int status = cairn_trajectory_read_frame(v->run->trajectory, -1, &frame, error);
  if (status)
    return status;
  fprintf(about, "{\"n\":%lld,\"shown\":%lld,\"frames\":%lld,\"walls\":%d,\"hasPressure\":%s,\"grows\":%s,\"times\":[",
          (long long)v->n, (long long)v->shown, (long long)v->run->n_frames, v->n_walls,
          v->has_pressure ? "true" : "false", v->grows ? "true" : "false");
  for (int64_t k = 0; k < v->n_frames; k++) {
    fputs(k > 0 ? "," : "", about);
    cairn_text_number(about, v->run->times[frame_at(v, k)]);
  }
  fputs("],\"fragments\":[", about);
  for (int64_t k = 0; k < v->n_frames; k++)
    fprintf(about, "%s%lld", k > 0 ? "," : "", (long long)v->fragments[k]);
  fputs("],\"sphere\":[", about);
  for (int k = 0; k < 3; k++)
    fprintf(about, "%.9g,", 0.5 * (v->box[0][k] + v->box[1][k]));
  const double speed = nearly_all(v->speed, v->n_speed), pressure = nearly_all(v->pressure, v->n_pressure);
  const double radius = radius_of(v);
  fprintf(about, "%.9g],\"speed\":[0,%.6g],\"pressure\":[0,%.6g],\"height\":[%.9g,%.9g],\"materials\":", radius,
          speed > 0. ? speed : 1., pressure > 0. ? pressure : 1., v->box[0][2], v->box[1][2]);
  cairn_page_materials(v->run, about);
  describe_choices(v, speed, radius, about);
  status = describe_bodies(v, &frame.state, about, error);
  if (!status)
    status = describe_walls(v, &frame, about, error);
  fputc('}', about);
  cairn_trajectory_frame_fini(&frame);
  return status;
}

/* ---------------------------------------------------------------- all of them */

/* Has any body another radius in the last frame than in this one, the first? */
static int find_growth(struct view *v, const struct cairn_state *first, struct cairn_error *error) {
  struct cairn_trajectory_frame last;
  const int status = cairn_trajectory_read_frame(v->run->trajectory, -1, &last, error);
  if (status)
    return status;
  for (int64_t i = 0; i < first->n && i < last.state.n; i++)
    v->grows |= first->radius[i] != last.state.radius[i];
  cairn_trajectory_frame_fini(&last);
  return 0;
}

static int plan(struct view *v, int64_t budget, struct cairn_error *error) {
  struct cairn_trajectory_frame frame;
  int status = cairn_trajectory_read_frame(v->run->trajectory, 0, &frame, error);
  if (status)
    return status;
  v->n = frame.state.n;
  v->n_walls = frame.n_walls;
  v->has_pressure = frame.stress.pressure != NULL;
  status = find_growth(v, &frame.state, error);
  cairn_trajectory_frame_fini(&frame);
  if (status)
    return status;
  v->shown = v->n < CAIRN_PAGE_BODIES ? v->n : CAIRN_PAGE_BODIES;
  const int64_t room = budget / (int64_t)(block_size(v) + 1);
  v->n_frames = v->run->n_frames < room ? v->run->n_frames : room > 1 ? room : 1;
  for (int k = 0; k < 3; k++) {
    v->box[0][k] = INFINITY;
    v->box[1][k] = -INFINITY;
  }
  const size_t samples = (size_t)v->n_frames * (SAMPLE + 1);
  v->speed = malloc(samples * sizeof *v->speed);
  v->pressure = malloc(samples * sizeof *v->pressure);
  v->places = malloc(samples * sizeof *v->places);
  v->fragments = calloc((size_t)v->n_frames + 1, sizeof *v->fragments);
  if (!v->speed || !v->pressure || !v->places || !v->fragments)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the frames of '%s'", v->run->trajectory);
  return 0;
}

int cairn_page_frames(const struct cairn_page *page, int run, FILE *file, FILE *about, struct cairn_error *error) {
  struct view v = {.run = &page->runs[run]};
  if (!v.run->trajectory || v.run->n_frames == 0) {
    fputs("null", about);
    return 0;
  }
  int status = plan(&v, page->is_live ? CAIRN_PAGE_LIVE_BYTES : CAIRN_PAGE_BYTES / page->n, error);
  for (int64_t k = 0; k < v.n_frames && !status; k++)
    status = write_frame(&v, run, k, file, error);
  if (!status)
    status = describe(&v, about, error);
  free(v.speed);
  free(v.places);
  free(v.pressure);
  free(v.fragments);
  return status;
}
