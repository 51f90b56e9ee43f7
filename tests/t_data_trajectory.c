/* Trajectories: what is written is read back bit for bit, others find what AMBER promises them, walls and captures come
 * along, and files of many bodies have their own encoding. */
#include "trajectory_sample.h"

#include <math.h>
#include <netcdf.h>

#include "data/files/series.h"
#include "data/storage/record_file.h"

static void test_round_trip(void) {
  const char *path = sample_path("round.nc");
  struct cairn_error error = {0};
  struct cairn_state state, got = {0};
  struct cairn_trajectory *trajectory;
  sample_state(&state, N, 1);
  ok(!cairn_trajectory_create(path, &state, box, NULL, false, NULL, &trajectory, &error), "create a trajectory");
  cmp_ok(cairn_trajectory_n_frames(trajectory), "==", 0, "it has no frame yet");
  cmp_ok(sample_n_files(), "==", 1, "no temporary file is left");
  cmp_ok(count_frames(path), "==", 0, "and is readable at once");
  cmp_ok(cairn_trajectory_read(path, &(struct cairn_trajectory_part){.frame = -1, .n = INT64_MAX}, &got, &error),
         "==", CAIRN_ERR_INPUT, "no last frame to read");
  like(error.message, "has no frame -1: it holds 0", "and says so");
  cairn_trajectory_close(trajectory, NULL);
  cairn_state_fini(&state);
  write_frames(path, 0, 4);
  for (int i = 0; i < 4; i++)
    ok(is_frame(path, i, (uint64_t)i), "frame %d has the same bits", i);
  ok(is_frame(path, -1, 3) && is_frame(path, -4, 0), "negative numbers count from the end");
  cmp_ok(cairn_trajectory_read(path, &(struct cairn_trajectory_part){.frame = 4, .n = INT64_MAX}, &got, &error),
         "==", CAIRN_ERR_INPUT, "frame 4 of 4 does not exist");
  cmp_ok(cairn_trajectory_read(path, &(struct cairn_trajectory_part){.frame = -5, .n = INT64_MAX}, &got, &error),
         "==", CAIRN_ERR_INPUT, "nor frame -5");
  ok(got.n == 0 && !got.position, "nothing is allocated by a failed read");
  int64_t n;
  double *times;
  ok(!cairn_trajectory_times(path, &n, &times, &error) && n == 4, "times are read");
  struct cairn_observables observables;
  sample_observables(&observables, 2);
  ok(n == 4 && times[2] == observables.time, "time of frame 2");
  free(times);
}

static int text_is(int nc, const char *name, const char *want) {
  char got[64] = "";
  size_t length;
  return !nc_inq_attlen(nc, NC_GLOBAL, name, &length) && length < sizeof got &&
         !nc_get_att_text(nc, NC_GLOBAL, name, got) && !strcmp(got, want);
}

/* The layout as other programs see it, read by the NetCDF library alone. */
static void test_layout(void) {
  int nc, format, id, n_variables, unlimited;
  size_t length;
  if (nc_open(sample_path("round.nc"), NC_NOWRITE, &nc))
    BAIL_OUT("the NetCDF library does not open the file");
  nc_inq_format(nc, &format);
  cmp_ok(format, "==", NC_FORMAT_64BIT_OFFSET, "64-bit offset encoding");
  ok(text_is(nc, "Conventions", "AMBER") && text_is(nc, "ConventionVersion", "1.0"), "AMBER 1.0");
  ok(text_is(nc, "program", "cairn"), "program");
  ok(!nc_inq_dimid(nc, "frame", &id) && !nc_inq_unlimdim(nc, &unlimited) && id == unlimited, "frame is unlimited");
  ok(!nc_inq_dimid(nc, "atom", &id) && !nc_inq_dimlen(nc, id, &length) && length == N, "atom");
  ok(!nc_inq_dimid(nc, "spatial", &id) && !nc_inq_dimlen(nc, id, &length) && length == 3, "spatial");
  char label[16] = "";
  ok(!nc_inq_varid(nc, "cell_angular", &id) && !nc_get_var_text(nc, id, label) && !strcmp(label, "alphabeta gamma"),
     "labels of the cell angles");
  int n_bad_units = 0, n_scaled = 0;
  nc_inq_nvars(nc, &n_variables);
  for (int i = 0; i < n_variables; i++) {
    nc_type type;
    nc_inq_vartype(nc, i, &type);
    n_bad_units += type != NC_CHAR && nc_inq_attlen(nc, i, "units", &length);
    n_scaled += !nc_inq_attlen(nc, i, "scale_factor", &length);
  }
  cmp_ok(n_bad_units, "==", 0, "every number has a unit");
  cmp_ok(n_scaled, "==", 0, "no scale_factor");
  struct cairn_observables want;
  sample_observables(&want, 3);
  for (int i = 0; i < cairn_observables_n_fields; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    double got = NAN, expected;
    size_t at = 3;
    if (field->components != 1)
      continue;
    memcpy(&expected, (const char *)&want + field->offset, sizeof expected);
    ok(!nc_inq_varid(nc, field->name, &id) && !nc_get_var1_double(nc, id, &at, &got) && got == expected, "%s(frame)",
       field->name);
  }
  double cell[3] = {1, 1, 1};
  size_t start[2] = {2, 0}, count[2] = {1, 3};
  ok(!nc_inq_varid(nc, "cell_lengths", &id) && !nc_get_vara_double(nc, id, start, count, cell) && cell[0] == 0 &&
         cell[1] == 0 && cell[2] == 0,
     "the cell is not periodic");
  ok(!nc_inq_varid(nc, "cell_origin", &id) && !nc_get_vara_double(nc, id, start, count, cell) && cell[0] == -1 &&
         cell[1] == -2 && cell[2] == -3,
     "it begins at the lower corner of the box");
  ok(!sample_has_walls(nc), "a run without walls has nothing of them in its file");
  nc_close(nc);
}

static void test_resume(void) {
  const char *path = sample_path("resume.nc");
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory;
  struct cairn_state state, other;
  write_frames(path, 0, 5);
  sample_state(&state, N, 0);
  sample_state(&other, N + 1, 0);
  cmp_ok(cairn_trajectory_open(path, state.n, 0, 6, &trajectory, &error), "==", CAIRN_ERR_INPUT,
         "6 of 5 frames: refused");
  like(error.message, "holds 5 frames, the checkpoint needs 6", "and says so");
  cmp_ok(cairn_trajectory_open(path, other.n, 0, 2, &trajectory, &error), "==", CAIRN_ERR_INPUT,
         "other bodies: refused");
  like(error.message, "holds 50 bodies, the run has 51", "and says so");
  cmp_ok(count_frames(path), "==", 5, "a refused file is not changed");
  cmp_ok(cairn_trajectory_open(sample_path("none.nc"), state.n, 0, 0, &trajectory, &error), "==", CAIRN_ERR_IO,
         "no file");
  like(error.message, "cannot open .*none.nc.*No such file", "and says so");
  struct cairn_series *series;
  ok(!cairn_series_create(sample_path("s.nc"), "t", NULL, NULL, &series, &error), "a file of another kind");
  cairn_series_close(series, NULL);
  cmp_ok(cairn_trajectory_open(sample_path("s.nc"), state.n, 0, 0, &trajectory, &error), "==", CAIRN_ERR_INPUT,
         "refused");
  like(error.message, "not a trajectory of cairn", "and says so");
  write_frames(path, 2, 4);
  cmp_ok(count_frames(path), "==", 4, "open after frame 2, write 2 more: later frames of the old run are gone");
  for (int i = 0; i < 4; i++)
    ok(is_frame(path, i, (uint64_t)i), "frame %d", i);
  ok(!cairn_trajectory_open(path, state.n, 0, 4, &trajectory, &error), "open at the end");
  struct cairn_observables observables = {0};
  cmp_ok(cairn_trajectory_append(trajectory, &other, &observables, NULL, NULL, &error), "==", CAIRN_ERR_IO,
         "a frame with another number of bodies is refused");
  ok(!cairn_trajectory_persist(trajectory, &error), "persist");
  cairn_trajectory_close(trajectory, NULL);
  cmp_ok(count_frames(path), "==", 4, "still 4 frames");
  cairn_state_fini(&state);
  cairn_state_fini(&other);
}

/* A run that knows the stress in bodies: body i of frame f has the pressure i + f. */
static void test_stress(void) {
  const char *path = sample_path("stress.nc");
  static double pressure[N], stress[N][6];
  const struct cairn_body_stress both = {pressure, stress[0]};
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory = NULL;
  struct cairn_observables observables = {0};
  struct cairn_state state;
  for (int frame = 0; frame < 3; frame++) {
    sample_state(&state, N, (uint64_t)frame);
    for (int i = 0; i < 6 * N; i++) {
      stress[i / 6][i % 6] = i + 1000 * frame;
      pressure[i / 6] = i / 6 + frame;
    }
    int status = frame == 0   ? cairn_trajectory_create(path, &state, box, NULL, true, NULL, &trajectory, &error)
                 : frame == 2 ? cairn_trajectory_open(path, state.n, 0, 2, &trajectory, &error)
                              : 0;
    if (status || cairn_trajectory_append(trajectory, &state, &observables, NULL, &both, &error))
      BAIL_OUT("%s", error.message);
    if (frame == 1) {
      cmp_ok(cairn_trajectory_append(trajectory, &state, &observables, NULL, NULL, &error), "==", CAIRN_ERR_IO,
             "a frame without stress is refused");
      cairn_trajectory_close(trajectory, NULL);
    }
    cairn_state_fini(&state);
  }
  cairn_trajectory_close(trajectory, NULL);
  ok(is_frame(path, 0, 0) && is_frame(path, 2, 2), "bodies of a trajectory with stress");
  int nc, id, dimension[3], Voigt;
  double got[6];
  const size_t start[3] = {2, N - 1, 0}, count[3] = {1, 1, 6};
  if (nc_open(path, NC_NOWRITE, &nc))
    BAIL_OUT("the NetCDF library does not open the file");
  ok(!nc_inq_varid(nc, "stress", &id) && !nc_inq_vardimid(nc, id, dimension) && !nc_inq_dimid(nc, "Voigt", &Voigt) &&
         dimension[2] == Voigt && !nc_get_vara_double(nc, id, start, count, got) &&
         !memcmp(got, stress[N - 1], sizeof got),
     "stress(frame, atom, Voigt)");
  ok(!nc_inq_varid(nc, "pressure", &id) && !nc_get_vara_double(nc, id, start, count, got) && got[0] == N + 1,
     "pressure(frame, atom)");
  nc_close(nc);
}

/* The walls of a file as the NetCDF library sees them. */
static int are_walls(const char *path, size_t n_frames) {
  int nc, id;
  double shape[2][CAIRN_SHAPE_DOUBLES];
  if (nc_open(path, NC_NOWRITE, &nc))
    return 0;
  int good = sample_has_names(nc) && !nc_inq_varid(nc, "wall_shape", &id) && !nc_get_var_double(nc, id, &shape[0][0]) &&
             !memcmp(shape, sample_shapes, sizeof shape);
  for (size_t i = 0; i < n_frames; i++)
    good = good && sample_is_wall_record(nc, i, CAIRN_WALL_TRAJECTORY, i);
  nc_close(nc);
  return good;
}

static void test_captures(const char *path) {
  struct cairn_error error = {0};
  struct cairn_state want, state = {0};
  struct cairn_trajectory_frame frame;
  sample_state(&want, N, 2);
  sample_captures(&want);
  ok(!cairn_trajectory_read_frame(path, -1, &frame, &error), "read a frame: %s", error.message);
  ok(frame.has_captures && frame.n_walls == 2 && !memcmp(frame.box, box, sizeof box),
     "with captures, two walls, its box");
  ok(sample_same(&frame.state, &want, CAIRN_FIELD_FRAME), "all bodies and their captures, bit for bit");
  struct cairn_wall_sample walls[2];
  sample_walls(walls, 2, 2);
  ok(!memcmp(frame.shape, sample_shapes, sizeof sample_shapes) &&
         !memcmp(frame.walls[1].orientation, walls[1].orientation, sizeof walls->orientation) &&
         frame.walls[0].position[2] == walls[0].position[2] && frame.walls[1].active == walls[1].active,
     "shapes and places of the walls");
  cairn_trajectory_frame_fini(&frame);
  ok(!cairn_trajectory_read(path, &(struct cairn_trajectory_part){.frame = -1, .n = INT64_MAX}, &state, &error) &&
         state.n == N - 1,
     "a new run starts without those taken out");
  int n_same = 0, n_free = 0;
  for (int i = 0; i < N - 1; i++) {
    int from = i < 2 ? i : i + 1; /* body 2 was taken out */
    n_same += !memcmp(state.velocity + 3 * i, want.velocity + 3 * from, 24) && state.mass[i] == want.mass[from] &&
              state.material[i] == want.material[from];
    n_free += state.captor[i] == 0 && state.capture_time[i] == 0;
  }
  ok(n_same == N - 1 && n_free == N - 1, "the others keep their order, and all are free");
  cairn_state_fini(&state);
  cairn_state_fini(&want);
}

/* Put a number into a variable of a wall file and see that it is refused. */
static void refuse_wall(const char *path, const char *name, const size_t *at, double value, const char *message) {
  struct cairn_error error = {0};
  struct cairn_trajectory_frame frame;
  int nc, id;
  double kept;
  if (nc_open(path, NC_WRITE, &nc) || nc_inq_varid(nc, name, &id) || nc_get_var1_double(nc, id, at, &kept) ||
      nc_put_var1_double(nc, id, at, &value) || nc_close(nc))
    BAIL_OUT("cannot change %s", name);
  cmp_ok(cairn_trajectory_read_frame(path, 0, &frame, &error), "==", CAIRN_ERR_INPUT, "refused: %s %g", name, value);
  like(error.message, message, "and says so");
  ok(!frame.walls && !frame.state.position, "nothing is allocated");
  if (nc_open(path, NC_WRITE, &nc) || nc_put_var1_double(nc, id, at, &kept) || nc_close(nc))
    BAIL_OUT("cannot change %s back", name);
}

/* Files of earlier versions call the captors of bodies `fate`: they are read, and runs go on in them. */
static void test_former_names(void) {
  const char *path = sample_path("former.nc");
  int nc, code, time;
  write_walls(path, 0, 2);
  if (nc_open(path, NC_WRITE, &nc) || nc_redef(nc) || nc_inq_varid(nc, "captor", &code) ||
      nc_inq_varid(nc, "capture_time", &time) || nc_rename_var(nc, code, "fate") ||
      nc_rename_var(nc, time, "fate_time") || nc_close(nc))
    BAIL_OUT("cannot rename");
  write_walls(path, 2, 3);
  test_captures(path);
}

static void test_walls(void) {
  const char *path = sample_path("walls.nc");
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory;
  struct cairn_state state;
  write_walls(path, 0, 3);
  ok(are_walls(path, 3), "names, shapes and every frame of the walls");
  test_captures(path);
  test_former_names();
  sample_state(&state, N, 0);
  cmp_ok(cairn_trajectory_open(path, state.n, 0, 1, &trajectory, &error), "==", CAIRN_ERR_INPUT, "no walls: refused");
  like(error.message, "holds 2 walls, the run has 0", "and says so");
  cmp_ok(cairn_trajectory_open(path, state.n, 3, 1, &trajectory, &error), "==", CAIRN_ERR_INPUT, "one more: refused");
  cairn_state_fini(&state);
  write_walls(path, 2, 4);
  ok(count_frames(path) == 4 && are_walls(path, 4), "with two it goes on");
  refuse_wall(path, "wall_shape", (size_t[]){1, 7}, NAN, "wall 1 has no sensible shape");
  refuse_wall(path, "wall_shape", (size_t[]){0, 0}, 11, "wall 0 has no sensible shape");
  refuse_wall(path, "wall_shape", (size_t[]){0, 0}, 0.5, "wall 0 has no sensible shape");
  refuse_wall(path, "wall_orientation", (size_t[]){0, 1, 3}, INFINITY, "wall 1 has no sensible shape or place");
  refuse_wall(path, "captor", (size_t[]){0, 4}, 3, "frame 0 .*body 4: its captor 3 is not one of the 2 walls");
}

/* The encoding for more than 170 million bodies, on a small file. */
static void test_cdf5(void) {
  const char *path = sample_path("five.nc");
  struct cairn_error error = {0};
  int nc, dimension[2], variable, count;
  if (nc_create(path, NC_CLOBBER | NC_64BIT_DATA, &nc) || nc_def_dim(nc, "t", NC_UNLIMITED, &dimension[0]) ||
      nc_def_dim(nc, "x", 5, &dimension[1]) || nc_def_var(nc, "a", NC_DOUBLE, 2, dimension, &variable) ||
      nc_def_var(nc, "n", NC_INT, 1, dimension, &variable) || nc_close(nc))
    BAIL_OUT("cannot make a CDF-5 file");
  struct cairn_record_file *file;
  ok(!cairn_record_file_open(path, true, &file, &error), "CDF-5 is understood");
  int a = cairn_record_file_find(file, "a", NC_DOUBLE, 5), n = cairn_record_file_find(file, "n", NC_INT, 1);
  ok(a >= 0 && n >= 0 && cairn_record_file_find(file, "a", NC_DOUBLE, 4) < 0, "its variables are found by shape");
  for (int32_t i = 0; i < 3; i++) {
    double values[5] = {i, 1.5, -2, 1e300, 0.1};
    cairn_record_file_put(file, n, &i, &error);
    cairn_record_file_put(file, a, values, &error);
    cairn_record_file_end(file);
  }
  size_t length = 9;
  int status = nc_open(path, NC_NOWRITE, &nc) || nc_inq_dimlen(nc, 0, &length);
  ok(!status && length == 0, "nothing is visible before the commit");
  nc_close(nc);
  ok(!cairn_record_file_commit(file, &error) && !cairn_record_file_close(file, &error), "commit");
  double row[5];
  size_t start[2] = {2, 0}, counts[2] = {1, 5};
  status = nc_open(path, NC_NOWRITE, &nc) || nc_inq_dimlen(nc, 0, &length) ||
           nc_get_vara_double(nc, 0, start, counts, row) || nc_get_var1_int(nc, 1, start, &count);
  ok(!status && length == 3 && row[0] == 2 && row[3] == 1e300 && row[4] == 0.1 && count == 2, "the values arrive");
  nc_close(nc);
}

int main(void) {
  plan(NO_PLAN);
  sample_make_folder();
  test_round_trip();
  test_layout();
  test_resume();
  test_stress();
  test_walls();
  test_cdf5();
  done_testing();
}
