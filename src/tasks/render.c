#include "tasks/render.h"

#include <stdlib.h>
#include <string.h>

#include "tasks/tasks.h"

enum { BANDS = 16, LEAST_ROWS = 32, SHADOW_BANDS = 8 };

/* Rows of samples or of the map of shadows that one task fills. */
struct band {
  int first, end;
  int32_t n;      /* spheres that may touch it */
  int32_t *order; /* [n] near ones first */
  void *block;    /* depths, then ids and panes if it is of samples */
  size_t size;
  starpu_data_handle_t handle;
};

struct picture {
  const struct cairn_raster_scene *scene;
  int n_bands, n_shadow_bands;
  struct band bands[BANDS + 1], shadow_bands[SHADOW_BANDS];
  struct cairn_raster_rows rows; /* of the whole picture */
  const float **depth_rows, **shadow_rows;
  starpu_data_handle_t rgb_handle[BANDS + 1];
};

/* ---- tasks ---- */

struct cairn_render_args {
  const struct picture *picture;
  int band;
  unsigned char *rgb;
};

static float *depths_of(const struct band *band) { return band->block; }

static int32_t *ids_of(const struct picture *p, const struct band *band) {
  return (int32_t *)(depths_of(band) + (size_t)(band->end - band->first) * (size_t)p->scene->width);
}

static unsigned char *panes_of(const struct picture *p, const struct band *band) {
  return (unsigned char *)(ids_of(p, band) + (size_t)(band->end - band->first) * (size_t)p->scene->width);
}

static void render_depths_cpu(void *buffers[], void *arg) {
  const struct cairn_render_args *args = arg;
  const struct band *band = &args->picture->bands[args->band];
  (void)buffers;
  cairn_raster_depths(args->picture->scene, band->first, band->end, band->n, band->order, depths_of(band),
                      ids_of(args->picture, band), panes_of(args->picture, band));
}

static void render_shadows_cpu(void *buffers[], void *arg) {
  const struct cairn_render_args *args = arg;
  const struct band *band = &args->picture->shadow_bands[args->band];
  (void)buffers;
  cairn_raster_shadows(args->picture->scene, band->first, band->end, band->n, band->order, depths_of(band));
}

static void render_shade_cpu(void *buffers[], void *arg) {
  const struct cairn_render_args *args = arg;
  const struct picture *p = args->picture;
  const struct band *band = &p->bands[args->band];
  const int above = args->band > 0 ? args->band - 1 : 0;
  const int below = args->band + 1 < p->n_bands ? args->band + 1 : args->band;
  struct cairn_raster_rows rows = p->rows;
  (void)buffers;
  /* the rows that the task has named, no others */
  rows.first = p->bands[above].first;
  rows.end = p->bands[below].end;
  rows.depth += rows.first;
  cairn_raster_shade(p->scene, band->first / CAIRN_RASTER_SUB, band->end / CAIRN_RASTER_SUB, &rows, ids_of(p, band),
                     panes_of(p, band), args->rgb);
}

static struct starpu_perfmodel depths_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_render_depths"};
static struct starpu_perfmodel shadows_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_render_shadows"};
static struct starpu_perfmodel shade_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_render_shade"};

static struct starpu_codelet cairn_cl_render_depths = {.cpu_funcs = {render_depths_cpu},
                                                       .cpu_funcs_name = {"render_depths_cpu"},
                                                       .nbuffers = 1,
                                                       .modes = {STARPU_W},
                                                       .model = &depths_model,
                                                       .name = "render_depths"};
static struct starpu_codelet cairn_cl_render_shadows = {.cpu_funcs = {render_shadows_cpu},
                                                        .cpu_funcs_name = {"render_shadows_cpu"},
                                                        .nbuffers = 1,
                                                        .modes = {STARPU_W},
                                                        .model = &shadows_model,
                                                        .name = "render_shadows"};
/* Buffers: the pixels, written; the bands of samples around, then all of the map of shadows, read. */
static struct starpu_codelet cairn_cl_render_shade = {.cpu_funcs = {render_shade_cpu},
                                                      .cpu_funcs_name = {"render_shade_cpu"},
                                                      .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                      .model = &shade_model,
                                                      .name = "render_shade"};

static int submit_band(struct starpu_codelet *codelet, const struct picture *p, int band, starpu_data_handle_t handle) {
  const struct cairn_render_args args = {p, band, NULL};
  struct starpu_task *task = cairn_task_create(codelet, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = handle;
  return starpu_task_submit(task);
}

static int submit_shade(const struct picture *p, int band, unsigned char *rgb) {
  const int first = band > 0 ? band - 1 : 0, last = band + 1 < p->n_bands ? band + 1 : band;
  const struct cairn_render_args args = {p, band, rgb};
  const int n_buffers = 1 + (last - first + 1) + p->n_shadow_bands;
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_render_shade, &args, sizeof args, n_buffers);
  int buffer = 0;
  if (!task)
    return -1;
  cairn_task_name_buffer(task, buffer++, p->rgb_handle[band], STARPU_W);
  for (int b = first; b <= last; b++)
    cairn_task_name_buffer(task, buffer++, p->bands[b].handle, STARPU_R);
  for (int b = 0; b < p->n_shadow_bands; b++)
    cairn_task_name_buffer(task, buffer++, p->shadow_bands[b].handle, STARPU_R);
  return starpu_task_submit(task);
}

/* ---- the bands and the spheres in them ---- */

struct key {
  float near;
  int32_t id;
};

static int by_depth(const void *a, const void *b) {
  const struct key *x = a, *y = b;
  return x->near != y->near ? (x->near < y->near ? -1 : 1) : (x->id > y->id) - (x->id < y->id);
}

/* The rows that a sphere may touch. */
static void rows_of(const struct picture *p, int shadows, const struct cairn_raster_sphere *s, float rows[2]) {
  if (!shadows)
    cairn_raster_extent(p->scene, s, 1, rows);
  else {
    rows[0] = (s->ly - s->r) * p->scene->shadow_scale;
    rows[1] = (s->ly + s->r) * p->scene->shadow_scale;
  }
}

/* Give every band the spheres in its rows, in the order of `keys`. */
static int fill_bands(const struct picture *p, int shadows, int n_bands, struct band *bands, int32_t n,
                      const struct key *keys) {
  for (int pass = 0; pass < 2; pass++) {
    for (int b = 0; b < n_bands && pass == 1; b++) {
      bands[b].order = malloc(((size_t)bands[b].n + 1) * sizeof *bands[b].order);
      if (!bands[b].order)
        return -1;
      bands[b].n = 0;
    }
    for (int32_t i = 0; i < n; i++) {
      float rows[2];
      rows_of(p, shadows, &p->scene->spheres[keys[i].id], rows);
      for (int b = 0; b < n_bands; b++) {
        if (rows[1] < (float)bands[b].first || rows[0] > (float)bands[b].end)
          continue;
        if (pass == 1)
          bands[b].order[bands[b].n] = keys[i].id;
        bands[b].n++;
      }
    }
  }
  return 0;
}

static int order_spheres(struct picture *p) {
  const struct cairn_raster_scene *scene = p->scene;
  struct key *keys = malloc(((size_t)scene->n_spheres + 1) * sizeof *keys);
  int32_t n = 0;
  if (!keys)
    return -1;
  for (int32_t i = 0; i < scene->n_spheres; i++)
    if (scene->spheres[i].visible)
      keys[n++] = (struct key){scene->spheres[i].z - scene->spheres[i].r, i};
  qsort(keys, (size_t)n, sizeof *keys, by_depth);
  const int status =
      fill_bands(p, 0, p->n_bands, p->bands, n, keys) || fill_bands(p, 1, p->n_shadow_bands, p->shadow_bands, n, keys);
  free(keys);
  return status ? -1 : 0;
}

/* Cut `rows` rows into bands of at least `least` of them, a multiple of SUB; returns how many bands. */
static int cut(int rows, int least, int most_bands, size_t row_bytes, struct band *bands) {
  int each = (rows + most_bands - 1) / most_bands, n = 0;
  each = each > least ? each : least;
  each = (each + CAIRN_RASTER_SUB - 1) / CAIRN_RASTER_SUB * CAIRN_RASTER_SUB;
  for (int first = 0; first < rows; first += each, n++) {
    bands[n].first = first;
    bands[n].end = first + each < rows ? first + each : rows;
    bands[n].size = (size_t)(bands[n].end - first) * row_bytes;
  }
  return n;
}

static int allocate(struct picture *p) {
  const struct cairn_raster_scene *s = p->scene;
  const size_t width = (size_t)s->width, size = (size_t)s->shadow_size;
  p->n_bands = cut(s->height, LEAST_ROWS * CAIRN_RASTER_SUB, BANDS, width * 9, p->bands);
  p->n_shadow_bands = cut(s->shadow_size, LEAST_ROWS, SHADOW_BANDS, size * sizeof(float), p->shadow_bands);
  p->depth_rows = malloc((size_t)s->height * sizeof *p->depth_rows);
  p->shadow_rows = malloc((size + 1) * sizeof *p->shadow_rows);
  if (!p->depth_rows || !p->shadow_rows)
    return -1;
  for (int b = 0; b < p->n_bands + p->n_shadow_bands; b++) {
    struct band *band = b < p->n_bands ? &p->bands[b] : &p->shadow_bands[b - p->n_bands];
    const float **rows = b < p->n_bands ? p->depth_rows : p->shadow_rows;
    band->block = malloc(band->size);
    if (!band->block)
      return -1;
    for (int row = band->first; row < band->end; row++)
      rows[row] = depths_of(band) + (size_t)(row - band->first) * (b < p->n_bands ? width : size);
  }
  p->rows = (struct cairn_raster_rows){0, s->height, p->depth_rows, p->shadow_rows};
  return 0;
}

static void release(struct picture *p) {
  for (int b = 0; b <= BANDS; b++) {
    free(p->bands[b].block);
    free(p->bands[b].order);
  }
  for (int b = 0; b < SHADOW_BANDS; b++) {
    free(p->shadow_bands[b].block);
    free(p->shadow_bands[b].order);
  }
  free(p->depth_rows);
  free(p->shadow_rows);
}

static int draw(struct picture *p, unsigned char *rgb) {
  const size_t row = (size_t)(p->scene->width / CAIRN_RASTER_SUB) * 3;
  int status = 0;
  for (int b = 0; b < p->n_shadow_bands; b++) {
    struct band *band = &p->shadow_bands[b];
    starpu_vector_data_register(&band->handle, STARPU_MAIN_RAM, (uintptr_t)band->block, (uint32_t)(band->size / 4), 4);
    status |= submit_band(&cairn_cl_render_shadows, p, b, band->handle);
  }
  for (int b = 0; b < p->n_bands; b++) {
    struct band *band = &p->bands[b];
    starpu_vector_data_register(&band->handle, STARPU_MAIN_RAM, (uintptr_t)band->block, (uint32_t)band->size, 1);
    starpu_vector_data_register(&p->rgb_handle[b], STARPU_MAIN_RAM,
                                (uintptr_t)(rgb + (size_t)(band->first / CAIRN_RASTER_SUB) * row),
                                (uint32_t)((size_t)((band->end - band->first) / CAIRN_RASTER_SUB) * row), 1);
    status |= submit_band(&cairn_cl_render_depths, p, b, band->handle);
  }
  for (int b = 0; b < p->n_bands; b++)
    status |= submit_shade(p, b, rgb + (size_t)(p->bands[b].first / CAIRN_RASTER_SUB) * row);
  for (int b = 0; b < p->n_bands; b++) {
    starpu_data_unregister(p->rgb_handle[b]);
    starpu_data_unregister(p->bands[b].handle);
  }
  for (int b = 0; b < p->n_shadow_bands; b++)
    starpu_data_unregister(p->shadow_bands[b].handle);
  return status;
}

int cairn_render(const struct cairn_raster_scene *scene, unsigned char *rgb, struct cairn_error *error) {
  struct picture *p = calloc(1, sizeof *p);
  int status = p ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a picture");
  if (!p)
    return status;
  p->scene = scene;
  if (allocate(p) || order_spheres(p))
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a picture of %d by %d pixels",
                             scene->width / CAIRN_RASTER_SUB, scene->height / CAIRN_RASTER_SUB);
  else if (draw(p, rgb))
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "StarPU refused a task");
  release(p);
  free(p);
  return status;
}
