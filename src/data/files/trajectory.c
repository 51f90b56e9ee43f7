#include "data/files/trajectory.h"

#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/version.h"
#include "data/state/fields.h"
#include "data/state/state_check.h"
#include "data/storage/durable.h"
#include "data/storage/nc.h"
#include "data/storage/record_file.h"

/* What the header of a file tells. */
struct layout {
  size_t n; /* bodies */
  int32_t n_walls;
  bool has_captures, has_stress;
  bool has_merging;      /* mass and radius are there for each frame */
  bool has_former_names; /* of fields that were renamed */
  double box[2][3];      /* lower and upper corner of what a viewer should show, m */
};

struct cairn_trajectory {
  struct cairn_record_file *file;
  struct layout layout;
};

/* Dimensions of a trajectory being made. */
struct dimensions {
  int frame, atom, spatial, cell_spatial, cell_angular, label, Voigt;
};

/* The variables over (frame, 3) that describe the cell, in the order of their values in cell_values. cell_origin is no
 * part of AMBER; LAMMPS writes it and OVITO reads it. */
static const struct {
  const char *name, *unit, *long_name;
} cell_variables[] = {
    {"cell_origin", "m", "lower corner of the cell"},
    {"cell_lengths", "m", "edges of the cell, 0 where it is not periodic"},
    {"cell_angles", "degree", "angles of the cell"},
};
enum { N_CELL_VARIABLES = sizeof cell_variables / sizeof *cell_variables };

static const char box_attribute[] = "view_box";

static int define_dimensions(int nc, const struct layout *layout, struct dimensions *d) {
  CAIRN_NC_TRY(nc_def_dim(nc, "frame", NC_UNLIMITED, &d->frame));
  CAIRN_NC_TRY(nc_def_dim(nc, "atom", layout->n, &d->atom));
  CAIRN_NC_TRY(nc_def_dim(nc, "spatial", 3, &d->spatial));
  CAIRN_NC_TRY(nc_def_dim(nc, "cell_spatial", 3, &d->cell_spatial));
  CAIRN_NC_TRY(nc_def_dim(nc, "cell_angular", 3, &d->cell_angular));
  if (layout->has_stress)
    CAIRN_NC_TRY(nc_def_dim(nc, "Voigt", 6, &d->Voigt)); /* as LAMMPS and OVITO call it */
  return nc_def_dim(nc, "label", 5, &d->label);
}

static int define_labels(int nc, const struct dimensions *d) {
  int variable;
  CAIRN_NC_TRY(nc_def_var(nc, "spatial", NC_CHAR, 1, &d->spatial, &variable));
  CAIRN_NC_TRY(nc_def_var(nc, "cell_spatial", NC_CHAR, 1, &d->cell_spatial, &variable));
  return nc_def_var(nc, "cell_angular", NC_CHAR, 2, (int[]){d->cell_angular, d->label}, &variable);
}

/* Its name in a file with this layout. */
static const char *name_in(const struct cairn_field *field, const struct layout *layout) {
  const char *former = layout->has_former_names ? cairn_fields_former(field) : NULL;
  return former ? former : field->trajectory;
}

/* Is this a field of that kind which a trajectory with this layout holds? */
static bool is_in(const struct cairn_field *field, unsigned kind, const struct layout *layout) {
  const bool grows = layout->has_merging && field->flags & CAIRN_FIELD_GROWING; /* it is there for each frame */
  return (grows ? CAIRN_FIELD_FRAME : field->flags) & kind &&
         (layout->has_captures || !(field->flags & CAIRN_FIELD_CAPTURE)) &&
         (layout->has_stress || !(field->flags & CAIRN_FIELD_STRESS));
}

static int define_fields(int nc, const struct dimensions *d, unsigned kind, const struct layout *layout) {
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (!is_in(field, kind, layout))
      continue;
    int variable;
    const int dimension[3] = {d->frame, d->atom, field->components == 6 ? d->Voigt : d->spatial};
    const int *first = dimension + (kind == CAIRN_FIELD_STATIC);
    int rank = 1 + (kind == CAIRN_FIELD_FRAME) + (field->components > 1);
    CAIRN_NC_TRY(nc_def_var(nc, field->trajectory, cairn_fields_nc_type(field->type), rank, first, &variable));
    CAIRN_NC_TRY(cairn_nc_put_meaning(nc, variable, field->unit, field->long_name));
  }
  return NC_NOERR;
}

static int define_scalars(int nc, const struct dimensions *d) {
  int variable;
  for (int i = 0; i < cairn_observables_n_fields; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    if (field->components != 1)
      continue;
    CAIRN_NC_TRY(nc_def_var(nc, field->name, NC_DOUBLE, 1, &d->frame, &variable));
    CAIRN_NC_TRY(cairn_nc_put_meaning(nc, variable, field->unit, field->long_name));
  }
  for (int i = 0; i < N_CELL_VARIABLES; i++) {
    int last = i == N_CELL_VARIABLES - 1 ? d->cell_angular : d->cell_spatial;
    CAIRN_NC_TRY(nc_def_var(nc, cell_variables[i].name, NC_DOUBLE, 2, (int[]){d->frame, last}, &variable));
    CAIRN_NC_TRY(cairn_nc_put_meaning(nc, variable, cell_variables[i].unit, cell_variables[i].long_name));
  }
  return NC_NOERR;
}

static int define(int nc, const struct layout *layout, const struct cairn_wall_labels *walls,
                  const struct cairn_provenance *provenance) {
  struct dimensions d;
  int old_fill;
  CAIRN_NC_TRY(nc_set_fill(nc, NC_NOFILL, &old_fill));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "program", "cairn"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "programVersion", cairn_version_string()));
  CAIRN_NC_TRY(cairn_nc_put_provenance(nc, provenance));
  /* After the provenance, which must not change them: OVITO compares the whole string. */
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "Conventions", "AMBER"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "ConventionVersion", "1.0"));
  CAIRN_NC_TRY(nc_put_att_double(nc, NC_GLOBAL, box_attribute, NC_DOUBLE, 6, &layout->box[0][0]));
  CAIRN_NC_TRY(define_dimensions(nc, layout, &d));
  CAIRN_NC_TRY(define_labels(nc, &d));
  CAIRN_NC_TRY(define_fields(nc, &d, CAIRN_FIELD_STATIC, layout));
  CAIRN_NC_TRY(define_scalars(nc, &d));
  CAIRN_NC_TRY(cairn_wall_record_define(nc, d.frame, d.spatial, walls, CAIRN_WALL_TRAJECTORY));
  CAIRN_NC_TRY(define_fields(nc, &d, CAIRN_FIELD_FRAME, layout));
  return nc_enddef(nc);
}

static int put_text_variable(int nc, const char *name, const char *text) {
  int variable;
  CAIRN_NC_TRY(nc_inq_varid(nc, name, &variable));
  return nc_put_var_text(nc, variable, text);
}

enum { INDEX_CHUNK = 1 << 14 };

static int put_index(int nc, int variable, int64_t n) {
  int32_t index[INDEX_CHUNK];
  for (int64_t first = 0; first < n; first += INDEX_CHUNK) {
    size_t start = (size_t)first, count = (size_t)(n - first < INDEX_CHUNK ? n - first : INDEX_CHUNK);
    for (size_t i = 0; i < count; i++)
      index[i] = (int32_t)(start + i);
    CAIRN_NC_TRY(nc_put_vara_int(nc, variable, &start, &count, index));
  }
  return NC_NOERR;
}

static int put_static(int nc, const struct cairn_state *state, const struct layout *layout) {
  CAIRN_NC_TRY(put_text_variable(nc, "spatial", "xyz"));
  CAIRN_NC_TRY(put_text_variable(nc, "cell_spatial", "abc"));
  CAIRN_NC_TRY(put_text_variable(nc, "cell_angular", "alphabeta gamma"));
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    int variable;
    if (!is_in(field, CAIRN_FIELD_STATIC, layout))
      continue;
    CAIRN_NC_TRY(nc_inq_varid(nc, field->trajectory, &variable));
    if (field->flags & CAIRN_FIELD_INDEX)
      CAIRN_NC_TRY(put_index(nc, variable, state->n));
    else
      CAIRN_NC_TRY(nc_put_var(nc, variable, cairn_fields_values(field, state)));
  }
  return NC_NOERR;
}

/* CDF-2 has 32 bits for the size of a variable, within a record or fixed, CDF-5 has 64. */
static int format_for(const struct layout *layout, const struct cairn_wall_labels *walls) {
  const size_t components = layout->has_stress ? 6 : 3, most = 0xfffffffc / sizeof(double);
  const size_t n_triangles = walls && walls->triangles ? (size_t)walls->triangles->n : 0;
  return layout->n > most / components || n_triangles > most / 9 ? NC_64BIT_DATA : NC_64BIT_OFFSET;
}

static int write_header(const char *path, const struct cairn_state *state, const struct layout *layout,
                        const struct cairn_wall_labels *walls, const struct cairn_provenance *provenance) {
  int nc;
  CAIRN_NC_TRY(nc_create(path, NC_CLOBBER | format_for(layout, walls), &nc));
  int status = define(nc, layout, walls, provenance);
  if (!status)
    status = put_static(nc, state, layout);
  if (!status)
    status = cairn_wall_record_put_labels(nc, walls);
  return cairn_nc_close(nc, status);
}

static int attach(const char *path, const struct layout *layout, int64_t n_frames, struct cairn_trajectory **out,
                  struct cairn_error *error) {
  struct cairn_trajectory *trajectory = calloc(1, sizeof *trajectory);
  if (!trajectory)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for '%s'", path);
  trajectory->layout = *layout;
  int status = cairn_record_file_open(path, true, &trajectory->file, error);
  if (!status)
    status = cairn_record_file_cut(trajectory->file, n_frames, error);
  if (status) {
    cairn_trajectory_close(trajectory, NULL);
    return status;
  }
  *out = trajectory;
  return 0;
}

int cairn_trajectory_create(const char *path, const struct cairn_state *state, const double box[2][3],
                            const struct cairn_wall_labels *walls, bool has_stress,
                            const struct cairn_provenance *provenance, struct cairn_trajectory **trajectory,
                            struct cairn_error *error) {
  *trajectory = NULL;
  if (state->n < 1 || state->n > INT32_MAX)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "cannot write '%s': a trajectory needs 1 to %d bodies", path,
                           INT32_MAX);
  struct layout layout = {.n = (size_t)state->n,
                          .n_walls = walls ? walls->n : 0,
                          .has_captures = walls && walls->has_captures,
                          .has_merging = walls && walls->has_merging,
                          .has_stress = has_stress};
  memcpy(layout.box, box, sizeof layout.box);
  int nc_status = write_header(path, state, &layout, walls, provenance);
  int status = nc_status ? cairn_nc_fail(error, "write", path, nc_status) : cairn_durable_sync(path, error);
  if (!status)
    status = attach(path, &layout, 0, trajectory, error);
  if (status)
    unlink(path);
  return status;
}

static int put_scalars(const struct cairn_trajectory *trajectory, const struct cairn_observables *observables,
                       struct cairn_error *error) {
  struct cairn_record_file *file = trajectory->file;
  int status = 0;
  for (int i = 0; i < cairn_observables_n_fields && !status; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    if (field->components == 1)
      status = cairn_record_file_put(file, cairn_record_file_find(file, field->name, NC_DOUBLE, 1),
                                     (const char *)observables + field->offset, error);
  }
  /* cairn has no periodic boundaries, and AMBER says that by lengths of 0; anything else would make OVITO and others
   * look for neighbours across the box. */
  const double *low = trajectory->layout.box[0];
  const double cell[N_CELL_VARIABLES][3] = {{low[0], low[1], low[2]}, {0, 0, 0}, {90, 90, 90}};
  for (int i = 0; i < N_CELL_VARIABLES && !status; i++)
    status =
        cairn_record_file_put(file, cairn_record_file_find(file, cell_variables[i].name, NC_DOUBLE, 3), cell[i], error);
  return status;
}

int cairn_trajectory_append(struct cairn_trajectory *trajectory, const struct cairn_state *state,
                            const struct cairn_observables *observables, const struct cairn_wall_sample *walls,
                            const struct cairn_body_stress *stress, struct cairn_error *error) {
  struct cairn_record_file *file = trajectory->file;
  const struct layout *layout = &trajectory->layout;
  if ((size_t)state->n != layout->n)
    return cairn_error_set(error, CAIRN_ERR_IO, "a frame of %lld bodies does not fit a trajectory of %zu",
                           (long long)state->n, layout->n);
  if (layout->has_stress && !stress)
    return cairn_error_set(error, CAIRN_ERR_IO, "a frame without stress does not fit a trajectory that has it");
  int status = put_scalars(trajectory, observables, error);
  if (!status)
    status = cairn_wall_record_put(file, CAIRN_WALL_TRAJECTORY, layout->n_walls, walls, error);
  for (int i = 0; i < cairn_fields_n && !status; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (!is_in(field, CAIRN_FIELD_FRAME, layout))
      continue;
    int variable = cairn_record_file_find(file, name_in(field, layout), cairn_fields_nc_type(field->type),
                                          field->components * state->n);
    const void *values =
        field->flags & CAIRN_FIELD_STRESS ? cairn_fields_stress(field, stress) : cairn_fields_values(field, state);
    status = cairn_record_file_put(file, variable, values, error);
  }
  if (status)
    return status;
  cairn_record_file_end(file);
  return cairn_record_file_commit(file, error);
}

int cairn_trajectory_rename(struct cairn_trajectory *trajectory, const char *to, struct cairn_error *error) {
  return cairn_record_file_rename(trajectory->file, to, error);
}

int64_t cairn_trajectory_n_frames(const struct cairn_trajectory *trajectory) {
  return cairn_record_file_n_records(trajectory->file);
}

int64_t cairn_trajectory_n_dropped(const struct cairn_trajectory *trajectory) {
  return cairn_record_file_n_dropped(trajectory->file);
}

int cairn_trajectory_persist(struct cairn_trajectory *trajectory, struct cairn_error *error) {
  return cairn_record_file_sync(trajectory->file, error);
}

int cairn_trajectory_close(struct cairn_trajectory *trajectory, struct cairn_error *error) {
  if (!trajectory)
    return 0;
  int status = cairn_record_file_close(trajectory->file, error);
  free(trajectory);
  return status;
}

/* Is this a trajectory that cairn_trajectory_create made, as far as names, types, sizes and units go? The records
 * are checked against the size of the file before by cairn_record_file_open. */
static int check_layout(int nc, const char *path, struct layout *layout, struct cairn_error *error) {
  int atom, frame, optional, n_dims;
  size_t *n = &layout->n;
  if (!cairn_nc_has_text(nc, NC_GLOBAL, "Conventions", "AMBER") ||
      !cairn_nc_has_text(nc, NC_GLOBAL, "program", "cairn") || nc_inq_dimid(nc, "atom", &atom) ||
      nc_inq_dimlen(nc, atom, n) || nc_inq_unlimdim(nc, &frame))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is not a trajectory of cairn", path);
  if (*n < 1 || *n > INT32_MAX)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: it says that it holds %zu bodies", path, *n);
  layout->has_former_names = nc_inq_varid(nc, "captor", &optional) && !nc_inq_varid(nc, "fate", &optional);
  layout->has_captures = layout->has_former_names || !nc_inq_varid(nc, "captor", &optional);
  layout->has_stress = !nc_inq_varid(nc, "stress", &optional);
  layout->has_merging = !nc_inq_varid(nc, "mass", &optional) && !nc_inq_varndims(nc, optional, &n_dims) && n_dims == 2;
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (!is_in(field, CAIRN_FIELD_STATIC | CAIRN_FIELD_FRAME, layout))
      continue;
    int variable, rank, dimension[NC_MAX_VAR_DIMS] = {0};
    nc_type type;
    const bool once = is_in(field, CAIRN_FIELD_STATIC, layout);
    const char *name = name_in(field, layout);
    if (nc_inq_varid(nc, name, &variable) || nc_inq_var(nc, variable, NULL, &type, &rank, dimension, NULL))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' has no variable '%s'", path, name);
    size_t last = 0;
    if (type != cairn_fields_nc_type(field->type) || rank != (once ? 1 : 2) + (field->components > 1) ||
        dimension[once ? 0 : 1] != atom || (!once && dimension[0] != frame) ||
        (field->components > 1 && (nc_inq_dimlen(nc, dimension[rank - 1], &last) || last != (size_t)field->components)))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "variable '%s' of '%s' has an unexpected type or shape", name,
                             path);
    if (!cairn_nc_has_text(nc, variable, "units", field->unit))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "variable '%s' of '%s' is not in '%s'", name, path, field->unit);
  }
  return 0;
}

static int check_box(int nc, const char *path, struct layout *layout, struct cairn_error *error) {
  size_t n = 0;
  double *box = &layout->box[0][0];
  if (nc_inq_attlen(nc, NC_GLOBAL, box_attribute, &n) || n != 6 || nc_get_att_double(nc, NC_GLOBAL, box_attribute, box))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' has no attribute '%s'", path, box_attribute);
  for (int k = 0; k < 6; k++)
    if (!isfinite(box[k]))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: its '%s' is not finite", path, box_attribute);
  return 0;
}

/* Open for reading with everything checked that the header can tell. */
static int open_checked(const char *path, struct cairn_record_file **records, int *nc, struct layout *layout,
                        struct cairn_error *error) {
  int status = cairn_record_file_open(path, false, records, error);
  if (status)
    return status;
  int nc_status = nc_open(path, NC_NOWRITE, nc);
  if (nc_status)
    status = cairn_nc_fail(error, "read", path, nc_status);
  else {
    status = check_layout(*nc, path, layout, error);
    if (!status && cairn_record_file_find(*records, "time", NC_DOUBLE, 1) < 0)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' has no variable 'time' over its frames", path);
    if (!status)
      status = check_box(*nc, path, layout, error);
    if (!status)
      status = cairn_wall_record_count(*nc, path, *records, CAIRN_WALL_TRAJECTORY, &layout->n_walls, error);
    if (status)
      nc_close(*nc);
  }
  if (status)
    cairn_record_file_close(*records, NULL);
  return status;
}

static int check_records(const struct cairn_record_file *records, const char *path, struct cairn_error *error) {
  int status = 0;
  for (int i = 0; i < cairn_observables_n_fields && !status; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    if (field->components == 1 && cairn_record_file_find(records, field->name, NC_DOUBLE, 1) < 0)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is of another version of cairn: it has no '%s' per frame",
                               path, field->name);
  }
  for (int i = 0; i < N_CELL_VARIABLES && !status; i++)
    if (cairn_record_file_find(records, cell_variables[i].name, NC_DOUBLE, 3) < 0)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' has no variable '%s' over its frames", path,
                               cell_variables[i].name);
  return status;
}

int cairn_trajectory_open(const char *path, const struct cairn_state *state, int32_t n_walls, int64_t n_frames,
                          struct cairn_trajectory **trajectory, struct cairn_error *error) {
  *trajectory = NULL;
  struct cairn_record_file *records;
  struct layout layout;
  int nc, status = open_checked(path, &records, &nc, &layout, error);
  if (status)
    return status;
  if (layout.n != (size_t)state->n)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' holds %zu bodies, the run has %lld", path, layout.n,
                             (long long)state->n);
  else if (layout.n_walls != n_walls)
    status =
        cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' holds %d walls, the run has %d", path, layout.n_walls, n_walls);
  else if (n_frames < 0 || n_frames > cairn_record_file_n_complete(records))
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' holds %lld frames, the checkpoint needs %lld", path,
                             (long long)cairn_record_file_n_complete(records), (long long)n_frames);
  else
    status = check_records(records, path, error);
  nc_close(nc);
  cairn_record_file_close(records, NULL);
  return status ? status : attach(path, &layout, n_frames, trajectory, error);
}

static int check_index(int nc, const char *name, const char *path, size_t n, struct cairn_error *error) {
  int32_t index[INDEX_CHUNK];
  for (size_t first = 0; first < n; first += INDEX_CHUNK) {
    size_t count = n - first < INDEX_CHUNK ? n - first : INDEX_CHUNK;
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

static int reserve(const struct layout *layout, const char *path, struct cairn_trajectory_frame *out,
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

static int read_bodies(int nc, const char *path, size_t frame, const struct layout *layout,
                       struct cairn_trajectory_frame *out, struct cairn_error *error) {
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (!is_in(field, CAIRN_FIELD_STATIC | CAIRN_FIELD_FRAME, layout))
      continue;
    const size_t start[3] = {frame, 0, 0}, count[3] = {1, layout->n, (size_t)field->components};
    const int skip = is_in(field, CAIRN_FIELD_STATIC, layout) ? 1 : 0, rank = (field->components > 1 ? 3 : 2) - skip;
    void *values = field->flags & CAIRN_FIELD_STRESS ? cairn_fields_stress(field, &out->stress)
                                                     : cairn_fields_values(field, &out->state);
    int status = 0, nc_status = NC_NOERR;
    if (field->flags & CAIRN_FIELD_INDEX)
      status = check_index(nc, field->trajectory, path, layout->n, error);
    else
      nc_status = cairn_nc_get(nc, name_in(field, layout), cairn_fields_nc_type(field->type), rank, start + skip,
                               count + skip, values);
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

static int check_state(const char *path, int64_t frame, const struct cairn_trajectory_frame *out,
                       struct cairn_error *error) {
  struct cairn_error cause;
  if (!cairn_state_check(&out->state, INT32_MAX, out->n_walls, -1, &cause))
    return 0;
  return cairn_error_set(error, CAIRN_ERR_INPUT, "frame %lld of '%s' is damaged: %.800s", (long long)frame, path,
                         cause.message);
}

int cairn_trajectory_read_frame(const char *path, int64_t frame, struct cairn_trajectory_frame *out,
                                struct cairn_error *error) {
  struct cairn_record_file *records;
  struct layout layout;
  memset(out, 0, sizeof *out);
  int nc, status = open_checked(path, &records, &nc, &layout, error);
  if (status)
    return status;
  out->has_captures = layout.has_captures;
  out->n_walls = layout.n_walls;
  memcpy(out->box, layout.box, sizeof out->box);
  status = resolve_frame(records, path, &frame, error);
  if (!status)
    status = reserve(&layout, path, out, error);
  if (!status)
    status = read_bodies(nc, path, (size_t)frame, &layout, out, error);
  if (!status)
    status = check_state(path, frame, out, error);
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

int cairn_trajectory_read(const char *path, int64_t frame, struct cairn_state *state, struct cairn_error *error) {
  struct cairn_trajectory_frame read;
  int status = cairn_trajectory_read_frame(path, frame, &read, error);
  if (!status)
    status = free_bodies(&read.state, error);
  if (!status) {
    cairn_state_fini(state);
    *state = read.state;
    read.state = (struct cairn_state){0};
  }
  cairn_trajectory_frame_fini(&read);
  return status;
}

int cairn_trajectory_times(const char *path, int64_t *n_frames, double **times, struct cairn_error *error) {
  struct cairn_record_file *records;
  struct layout layout;
  int nc;
  *times = NULL;
  int status = open_checked(path, &records, &nc, &layout, error);
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
