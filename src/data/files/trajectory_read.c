/* Frames of an earlier run. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "data/files/trajectory.h"
#include "data/state/state_check.h"
#include "data/storage/nc.h"
#include "data/storage/record_file.h"

static int check_index(int nc, const char *name, const char *path, size_t first, size_t end,
                       struct cairn_error *error) {
  int32_t index[CAIRN_TRAJECTORY_CHUNK];
  for (; first < end; first += CAIRN_TRAJECTORY_CHUNK) {
    size_t count = end - first < CAIRN_TRAJECTORY_CHUNK ? end - first : CAIRN_TRAJECTORY_CHUNK;
    int nc_status = cairn_nc_get(nc, name, NC_INT, 1, &first, &count, index);
    if (nc_status)
      return cairn_nc_fail(error, "read", path, nc_status);
    for (size_t i = 0; i < count; i++)
      if (index[i] != (int32_t)(first + i))
        return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: body %zu has the id %d", path, first + i,
                               index[i]);
  }
  return 0;
}

static int reserve(const struct cairn_trajectory_layout *layout, const char *path, struct cairn_trajectory_frame *out,
                   struct cairn_error *error) {
  int status = cairn_state_resize(&out->state, (int64_t)layout->n, error);
  if (status || !layout->has_stress)
    return status;
  out->stress.pressure = calloc(layout->n, sizeof *out->stress.pressure);
  out->stress.stress = calloc(layout->n, 6 * sizeof *out->stress.stress);
  if (!out->stress.pressure || !out->stress.stress)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the stress in '%s'", path);
  return 0;
}

/* The bodies from `first` on, as many as there is room for. */
static int read_bodies(int nc, const char *path, size_t frame, size_t first,
                       const struct cairn_trajectory_layout *layout, struct cairn_trajectory_frame *out,
                       struct cairn_error *error) {
  const size_t n = (size_t)out->state.n;
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (!cairn_trajectory_has(field, CAIRN_FIELD_STATIC | CAIRN_FIELD_FRAME, layout) ||
        (field->flags & CAIRN_FIELD_STRESS && !out->stress.pressure))
      continue;
    const size_t start[3] = {frame, first, 0}, count[3] = {1, n, (size_t)field->components};
    const int skip = cairn_trajectory_has(field, CAIRN_FIELD_STATIC, layout) ? 1 : 0,
              rank = (field->components > 1 ? 3 : 2) - skip;
    void *values = field->flags & CAIRN_FIELD_STRESS ? cairn_fields_stress(field, &out->stress)
                                                     : cairn_fields_values(field, &out->state);
    int status = 0, nc_status = NC_NOERR;
    if (field->flags & CAIRN_FIELD_INDEX)
      status = check_index(nc, field->trajectory, path, first, first + n, error);
    else
      nc_status = cairn_nc_get(nc, cairn_trajectory_name(field, layout), cairn_fields_nc_type(field->type), rank,
                               start + skip, count + skip, values);
    if (nc_status)
      status = cairn_nc_fail(error, "read", path, nc_status);
    if (status)
      return status;
  }
  return 0;
}

/* Which frame is meant, counted from the front. */
static int resolve_frame(const struct cairn_record_file *records, const char *path, int64_t *frame,
                         struct cairn_error *error) {
  int64_t promised = cairn_record_file_n_promised(records), complete = cairn_record_file_n_complete(records);
  if (complete < promised)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is truncated: it holds %lld of %lld frames", path,
                           (long long)complete, (long long)promised);
  if (*frame >= complete || *frame < -complete)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' has no frame %lld: it holds %lld", path, (long long)*frame,
                           (long long)complete);
  *frame += *frame < 0 ? complete : 0;
  return 0;
}

static int read_walls(int nc, const char *path, size_t frame, struct cairn_trajectory_frame *out,
                      struct cairn_error *error) {
  if (out->n_walls == 0)
    return 0;
  out->shape = calloc((size_t)out->n_walls, sizeof *out->shape);
  out->walls = calloc((size_t)out->n_walls, sizeof *out->walls);
  if (!out->shape || !out->walls)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the walls of '%s'", path);
  int status = cairn_wall_record_read(nc, path, frame, out->n_walls, out->shape, out->walls, error);
  return status ? status : cairn_wall_triangles_read(nc, path, out->n_walls, &out->triangles, error);
}

static int check_state(const char *path, int64_t frame, const struct cairn_state_stretch *stretch,
                       const struct cairn_trajectory_frame *out, struct cairn_error *error) {
  struct cairn_error cause;
  if (!cairn_state_check_stretch(&out->state, stretch, INT32_MAX, out->n_walls, -1, &cause))
    return 0;
  return cairn_error_set(error, CAIRN_ERR_INPUT, "frame %lld of '%s' is damaged: %.800s", (long long)frame, path,
                         cause.message);
}

int cairn_trajectory_read_frame(const char *path, int64_t frame, struct cairn_trajectory_frame *out,
                                struct cairn_error *error) {
  struct cairn_record_file *records;
  struct cairn_trajectory_layout layout;
  memset(out, 0, sizeof *out);
  int nc, status = cairn_trajectory_look(path, &records, &nc, &layout, error);
  if (status)
    return status;
  out->has_captures = layout.has_captures;
  out->n_walls = layout.n_walls;
  memcpy(out->box, layout.box, sizeof out->box);
  status = resolve_frame(records, path, &frame, error);
  if (!status)
    status = reserve(&layout, path, out, error);
  if (!status)
    status = read_bodies(nc, path, (size_t)frame, 0, &layout, out, error);
  if (!status)
    status = check_state(path, frame, &(struct cairn_state_stretch){0, out->state.n}, out, error);
  if (!status)
    status = read_walls(nc, path, (size_t)frame, out, error);
  nc_close(nc);
  cairn_record_file_close(records, NULL);
  if (status)
    cairn_trajectory_frame_fini(out);
  return status;
}

void cairn_trajectory_frame_fini(struct cairn_trajectory_frame *frame) {
  cairn_state_fini(&frame->state);
  free(frame->shape);
  free(frame->walls);
  cairn_wall_triangles_fini(&frame->triangles);
  cairn_fields_stress_fini(&frame->stress);
  memset(frame, 0, sizeof *frame);
}

/* Leave out removed bodies; release captured ones. */
static int free_bodies(struct cairn_state *state, struct cairn_error *error) {
  int64_t n_kept = 0;
  for (int64_t i = 0; i < state->n; i++) {
    if (state->captor[i] < 0)
      continue;
    for (int k = 0; k < cairn_fields_n && n_kept < i; k++) {
      const struct cairn_field *field = &cairn_fields[k];
      char *values = field->list == CAIRN_FIELD_BODIES ? cairn_fields_values(field, state) : NULL;
      size_t size = (size_t)field->components * cairn_fields_size(field->type);
      if (values)
        memcpy(values + (size_t)n_kept * size, values + (size_t)i * size, size);
    }
    state->captor[n_kept] = 0;
    state->capture_time[n_kept++] = 0;
  }
  return cairn_state_resize(state, n_kept, error);
}

int cairn_trajectory_read(const char *path, struct cairn_trajectory_part *part, struct cairn_state *state,
                          struct cairn_error *error) {
  struct cairn_record_file *records;
  struct cairn_trajectory_layout layout;
  struct cairn_trajectory_frame read = {0};
  int nc, status = cairn_trajectory_look(path, &records, &nc, &layout, error);
  if (status)
    return status;
  read.n_walls = layout.n_walls;
  part->n_all = (int64_t)layout.n;
  const struct cairn_state_stretch stretch = {part->first < part->n_all ? part->first : part->n_all, part->n_all};
  const int64_t n = part->n < part->n_all - stretch.first ? part->n : part->n_all - stretch.first;
  status = resolve_frame(records, path, &part->frame, error);
  if (!status)
    status = cairn_state_resize(&read.state, n, error);
  if (!status)
    status = read_bodies(nc, path, (size_t)part->frame, (size_t)stretch.first, &layout, &read, error);
  if (!status)
    status = check_state(path, part->frame, &stretch, &read, error);
  if (!status)
    status = free_bodies(&read.state, error);
  nc_close(nc);
  cairn_record_file_close(records, NULL);
  if (!status) {
    part->n = n;
    cairn_state_fini(state);
    *state = read.state;
    read.state = (struct cairn_state){0};
  }
  cairn_trajectory_frame_fini(&read);
  return status;
}

int cairn_trajectory_times(const char *path, int64_t *n_frames, double **times, struct cairn_error *error) {
  struct cairn_record_file *records;
  struct cairn_trajectory_layout layout;
  int nc;
  *times = NULL;
  int status = cairn_trajectory_look(path, &records, &nc, &layout, error);
  if (status)
    return status;
  *n_frames = 0;
  if (cairn_record_file_n_promised(records) > 0)
    status = resolve_frame(records, path, &(int64_t){-1}, error);
  if (!status) {
    *n_frames = cairn_record_file_n_complete(records);
    *times = calloc((size_t)*n_frames + 1, sizeof **times);
    if (!*times)
      status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the times of '%s'", path);
  }
  if (!status) {
    const size_t first = 0, count = (size_t)*n_frames;
    int nc_status = cairn_nc_get(nc, "time", NC_DOUBLE, 1, &first, &count, *times);
    if (nc_status)
      status = cairn_nc_fail(error, "read", path, nc_status);
  }
  if (status) {
    free(*times);
    *times = NULL;
  }
  nc_close(nc);
  cairn_record_file_close(records, NULL);
  return status;
}
