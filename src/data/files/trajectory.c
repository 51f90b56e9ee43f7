#include "data/files/trajectory.h"

#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/version.h"
#include "data/storage/durable.h"
#include "data/storage/nc.h"
#include "data/storage/record_file.h"

struct cairn_trajectory {
  struct cairn_record_file *file; /* NULL: still being made, by the NetCDF library */
  struct cairn_trajectory_layout layout;
  char *path;
  int nc;
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

static int define_dimensions(int nc, const struct cairn_trajectory_layout *layout, struct dimensions *d) {
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

const char *cairn_trajectory_name(const struct cairn_field *field, const struct cairn_trajectory_layout *layout) {
  const char *former = layout->has_former_names ? cairn_fields_former(field) : NULL;
  return former ? former : field->trajectory;
}

bool cairn_trajectory_has(const struct cairn_field *field, unsigned kind,
                          const struct cairn_trajectory_layout *layout) {
  const bool grows = layout->has_merging && field->flags & CAIRN_FIELD_GROWING; /* it is there for each frame */
  return (grows ? CAIRN_FIELD_FRAME : field->flags) & kind &&
         (layout->has_captures || !(field->flags & CAIRN_FIELD_CAPTURE)) &&
         (layout->has_stress || !(field->flags & CAIRN_FIELD_STRESS));
}

static int define_fields(int nc, const struct dimensions *d, unsigned kind,
                         const struct cairn_trajectory_layout *layout) {
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (!cairn_trajectory_has(field, kind, layout))
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

static int define(int nc, const struct cairn_trajectory_layout *layout, const struct cairn_wall_labels *walls,
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

static int put_index(int nc, int variable, int64_t first, int64_t n) {
  int32_t index[CAIRN_TRAJECTORY_CHUNK];
  for (int64_t from = first; from < first + n; from += CAIRN_TRAJECTORY_CHUNK) {
    const int64_t left = first + n - from;
    size_t start = (size_t)from, count = (size_t)(left < CAIRN_TRAJECTORY_CHUNK ? left : CAIRN_TRAJECTORY_CHUNK);
    for (size_t i = 0; i < count; i++)
      index[i] = (int32_t)(start + i);
    CAIRN_NC_TRY(nc_put_vara_int(nc, variable, &start, &count, index));
  }
  return NC_NOERR;
}

static int put_static(int nc, const struct cairn_state *slab, int64_t first,
                      const struct cairn_trajectory_layout *layout) {
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    const size_t start[2] = {(size_t)first, 0}, count[2] = {(size_t)slab->n, (size_t)field->components};
    int variable;
    if (!cairn_trajectory_has(field, CAIRN_FIELD_STATIC, layout))
      continue;
    CAIRN_NC_TRY(nc_inq_varid(nc, field->trajectory, &variable));
    if (field->flags & CAIRN_FIELD_INDEX)
      CAIRN_NC_TRY(put_index(nc, variable, first, slab->n));
    else
      CAIRN_NC_TRY(nc_put_vara(nc, variable, start, count, cairn_fields_values(field, slab)));
  }
  return NC_NOERR;
}

static int put_labels(int nc) {
  CAIRN_NC_TRY(put_text_variable(nc, "spatial", "xyz"));
  CAIRN_NC_TRY(put_text_variable(nc, "cell_spatial", "abc"));
  return put_text_variable(nc, "cell_angular", "alphabeta gamma");
}

/* CDF-2 has 32 bits for the size of a variable, within a record or fixed, CDF-5 has 64. */
static int format_for(const struct cairn_trajectory_layout *layout, const struct cairn_wall_labels *walls) {
  const size_t components = layout->has_stress ? 6 : 3, most = 0xfffffffc / sizeof(double);
  const size_t n_triangles = walls && walls->triangles ? (size_t)walls->triangles->n : 0;
  return layout->n > most / components || n_triangles > most / 9 ? NC_64BIT_DATA : NC_64BIT_OFFSET;
}

static int write_header(int nc, const struct cairn_trajectory_layout *layout, const struct cairn_wall_labels *walls,
                        const struct cairn_provenance *provenance) {
  CAIRN_NC_TRY(define(nc, layout, walls, provenance));
  CAIRN_NC_TRY(put_labels(nc));
  return cairn_wall_record_put_labels(nc, walls);
}

static int attach(struct cairn_trajectory *trajectory, int64_t n_frames, struct cairn_error *error) {
  const int status = cairn_record_file_open(trajectory->path, true, &trajectory->file, error);
  return status ? status : cairn_record_file_cut(trajectory->file, n_frames, error);
}

static struct cairn_trajectory *allocate(const char *path, struct cairn_error *error) {
  struct cairn_trajectory *trajectory = calloc(1, sizeof *trajectory);
  if (trajectory)
    trajectory->path = strdup(path);
  if (trajectory && trajectory->path) {
    trajectory->nc = -1;
    return trajectory;
  }
  free(trajectory);
  cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for '%s'", path);
  return NULL;
}

int cairn_trajectory_make(const char *path, int64_t n, const double box[2][3], const struct cairn_wall_labels *walls,
                          bool has_stress, const struct cairn_provenance *provenance,
                          struct cairn_trajectory **trajectory, struct cairn_error *error) {
  *trajectory = NULL;
  if (n < 1 || n > INT32_MAX)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "cannot write '%s': a trajectory needs 1 to %d bodies", path,
                           INT32_MAX);
  struct cairn_trajectory *t = allocate(path, error);
  if (!t)
    return CAIRN_ERR_NUMERIC;
  t->layout = (struct cairn_trajectory_layout){.n = (size_t)n,
                                               .n_walls = walls ? walls->n : 0,
                                               .has_captures = walls && walls->has_captures,
                                               .has_merging = walls && walls->has_merging,
                                               .has_stress = has_stress};
  memcpy(t->layout.box, box, sizeof t->layout.box);
  int nc, nc_status = nc_create(path, NC_CLOBBER | format_for(&t->layout, walls), &nc);
  if (!nc_status) {
    t->nc = nc;
    nc_status = write_header(nc, &t->layout, walls, provenance);
  }
  if (nc_status) {
    cairn_trajectory_close(t, NULL);
    return cairn_nc_fail(error, "write", path, nc_status);
  }
  *trajectory = t;
  return 0;
}

int cairn_trajectory_put_static(struct cairn_trajectory *trajectory, const struct cairn_state *slab, int64_t first,
                                struct cairn_error *error) {
  const int nc_status = put_static(trajectory->nc, slab, first, &trajectory->layout);
  return nc_status ? cairn_nc_fail(error, "write", trajectory->path, nc_status) : 0;
}

int cairn_trajectory_begin(struct cairn_trajectory *trajectory, struct cairn_error *error) {
  const int nc_status = cairn_nc_close(trajectory->nc, NC_NOERR);
  trajectory->nc = -1;
  int status = nc_status ? cairn_nc_fail(error, "write", trajectory->path, nc_status)
                         : cairn_durable_sync(trajectory->path, error);
  if (!status)
    status = attach(trajectory, 0, error);
  if (status && !trajectory->file)
    unlink(trajectory->path);
  return status;
}

int cairn_trajectory_create(const char *path, const struct cairn_state *state, const double box[2][3],
                            const struct cairn_wall_labels *walls, bool has_stress,
                            const struct cairn_provenance *provenance, struct cairn_trajectory **trajectory,
                            struct cairn_error *error) {
  int status = cairn_trajectory_make(path, state->n, box, walls, has_stress, provenance, trajectory, error);
  if (!status)
    status = cairn_trajectory_put_static(*trajectory, state, 0, error);
  if (!status)
    status = cairn_trajectory_begin(*trajectory, error);
  if (status) {
    cairn_trajectory_close(*trajectory, NULL);
    *trajectory = NULL;
  }
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

int cairn_trajectory_frame(struct cairn_trajectory *trajectory, const struct cairn_observables *observables,
                           const struct cairn_wall_sample *walls, struct cairn_error *error) {
  const int status = put_scalars(trajectory, observables, error);
  return status
             ? status
             : cairn_wall_record_put(trajectory->file, CAIRN_WALL_TRAJECTORY, trajectory->layout.n_walls, walls, error);
}

int cairn_trajectory_put(struct cairn_trajectory *trajectory, const struct cairn_state *slab, int64_t first,
                         const struct cairn_body_stress *stress, struct cairn_error *error) {
  const struct cairn_trajectory_layout *layout = &trajectory->layout;
  int status = 0;
  for (int i = 0; i < cairn_fields_n && !status; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (!cairn_trajectory_has(field, CAIRN_FIELD_FRAME, layout))
      continue;
    const int variable =
        cairn_record_file_find(trajectory->file, cairn_trajectory_name(field, layout),
                               cairn_fields_nc_type(field->type), field->components * (int64_t)layout->n);
    const void *values =
        field->flags & CAIRN_FIELD_STRESS ? cairn_fields_stress(field, stress) : cairn_fields_values(field, slab);
    status = cairn_record_file_put_part(trajectory->file, variable, field->components * first,
                                        field->components * slab->n, values, error);
  }
  return status;
}

int cairn_trajectory_end(struct cairn_trajectory *trajectory, struct cairn_error *error) {
  cairn_record_file_end(trajectory->file);
  return cairn_record_file_commit(trajectory->file, error);
}

int cairn_trajectory_append(struct cairn_trajectory *trajectory, const struct cairn_state *state,
                            const struct cairn_observables *observables, const struct cairn_wall_sample *walls,
                            const struct cairn_body_stress *stress, struct cairn_error *error) {
  if ((size_t)state->n != trajectory->layout.n)
    return cairn_error_set(error, CAIRN_ERR_IO, "a frame of %lld bodies does not fit a trajectory of %zu",
                           (long long)state->n, trajectory->layout.n);
  if (trajectory->layout.has_stress && !stress)
    return cairn_error_set(error, CAIRN_ERR_IO, "a frame without stress does not fit a trajectory that has it");
  int status = cairn_trajectory_frame(trajectory, observables, walls, error);
  if (!status)
    status = cairn_trajectory_put(trajectory, state, 0, stress, error);
  return status ? status : cairn_trajectory_end(trajectory, error);
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
  if (trajectory->nc >= 0) { /* it was never complete */
    nc_abort(trajectory->nc);
    unlink(trajectory->path);
  }
  int status = cairn_record_file_close(trajectory->file, error);
  free(trajectory->path);
  free(trajectory);
  return status;
}

/* Is this a trajectory that cairn_trajectory_create made, as far as names, types, sizes and units go? The records
 * are checked against the size of the file before by cairn_record_file_open. */
static int check_layout(int nc, const char *path, struct cairn_trajectory_layout *layout, struct cairn_error *error) {
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
    if (!cairn_trajectory_has(field, CAIRN_FIELD_STATIC | CAIRN_FIELD_FRAME, layout))
      continue;
    int variable, rank, dimension[NC_MAX_VAR_DIMS] = {0};
    nc_type type;
    const bool once = cairn_trajectory_has(field, CAIRN_FIELD_STATIC, layout);
    const char *name = cairn_trajectory_name(field, layout);
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

static int check_box(int nc, const char *path, struct cairn_trajectory_layout *layout, struct cairn_error *error) {
  size_t n = 0;
  double *box = &layout->box[0][0];
  if (nc_inq_attlen(nc, NC_GLOBAL, box_attribute, &n) || n != 6 || nc_get_att_double(nc, NC_GLOBAL, box_attribute, box))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' has no attribute '%s'", path, box_attribute);
  for (int k = 0; k < 6; k++)
    if (!isfinite(box[k]))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: its '%s' is not finite", path, box_attribute);
  return 0;
}

int cairn_trajectory_look(const char *path, struct cairn_record_file **records, int *nc,
                          struct cairn_trajectory_layout *layout, struct cairn_error *error) {
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

int cairn_trajectory_open(const char *path, int64_t n, int32_t n_walls, int64_t n_frames,
                          struct cairn_trajectory **trajectory, struct cairn_error *error) {
  *trajectory = NULL;
  struct cairn_record_file *records;
  struct cairn_trajectory_layout layout;
  int nc, status = cairn_trajectory_look(path, &records, &nc, &layout, error);
  if (status)
    return status;
  if (layout.n != (size_t)n)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' holds %zu bodies, the run has %lld", path, layout.n,
                             (long long)n);
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
  struct cairn_trajectory *t = status ? NULL : allocate(path, error);
  if (!t)
    return status ? status : CAIRN_ERR_NUMERIC;
  t->layout = layout;
  status = attach(t, n_frames, error);
  if (status)
    cairn_trajectory_close(t, NULL);
  else
    *trajectory = t;
  return status;
}
