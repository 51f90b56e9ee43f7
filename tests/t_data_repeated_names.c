/* Files in which two things have one name. Of two variables the NetCDF library returns the last and the reader of
 * headers the first, so that one is checked and the other is read, into too little room. */
#include "data_sample.h"

#include "data/checkpoint/checkpoint.h"
#include "data/files/export.h"
#include "data/files/series.h"
#include "data/files/trajectory.h"
#include "data/storage/nc.h"
#include "data/storage/record_file.h"
#include "data/storage/seal.h"

enum { N = 50, N_FRAMES = 2 };

static void write_trajectory(const char *path) {
  static const double box[2][3] = {{-1, -2, -3}, {4, 5, 6}};
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory = NULL;
  struct cairn_observables observables;
  struct cairn_wall_sample walls[2];
  for (int i = 0; i < N_FRAMES; i++) {
    struct cairn_state state;
    sample_state(&state, N, (uint64_t)i);
    sample_captures(&state);
    sample_observables(&observables, (uint64_t)i);
    sample_walls(walls, 2, (uint64_t)i);
    if ((i == 0 && cairn_trajectory_create(path, &state, box, &sample_labels, false, NULL, &trajectory, &error)) ||
        cairn_trajectory_append(trajectory, &state, &observables, walls, NULL, &error))
      BAIL_OUT("%s", error.message);
    cairn_state_fini(&state);
  }
  cairn_trajectory_close(trajectory, NULL);
}

/* Give a name in the header of a copy the letters of another one of the same length; its length stands before it, in
 * `n_bytes` bytes. */
static void rename_in(const char *path, const char *copy, int n_bytes, const char *from, const char *to) {
  size_t size, length = strlen(from);
  unsigned char *bytes = sample_read(path, &size), counted[64] = {0};
  counted[n_bytes - 1] = (unsigned char)length;
  memcpy(counted + n_bytes, from, length);
  size_t at = sample_find(bytes, size, counted, (size_t)n_bytes + length) + (size_t)n_bytes;
  memcpy(bytes + at, to, length);
  sample_write(copy, bytes, size);
  free(bytes);
}

/* Everything that reads a trajectory refuses it. */
static void refuse_trajectory(const char *path, const char *message) {
  struct cairn_error error = {0};
  struct cairn_trajectory_frame frame;
  struct cairn_state state = {0};
  int64_t n = 0;
  double *times = NULL;
  cmp_ok(cairn_trajectory_times(path, &n, &times, &error), "==", CAIRN_ERR_INPUT, "times are refused");
  like(error.message, message, "and says why");
  free(times);
  cmp_ok(cairn_trajectory_read_frame(path, 0, &frame, &error), "==", CAIRN_ERR_INPUT, "a frame is refused");
  cmp_ok(cairn_trajectory_read(path, &(struct cairn_trajectory_part){.frame = -1, .n = INT64_MAX}, &state, &error),
         "==", CAIRN_ERR_INPUT, "bodies are refused");
  cmp_ok(cairn_export_vtk(path, sample_path("out"), true, &error), "==", CAIRN_ERR_INPUT, "export to VTK");
  cmp_ok(cairn_export_amber(path, sample_path("out.nc"), true, &error), "==", CAIRN_ERR_INPUT, "export to AMBER");
}

static void test_trajectory(void) {
  char path[4096], copy[4096]; /* sample_path keeps a name for eight calls only */
  int nc;
  snprintf(path, sizeof path, "%s", sample_path("run.nc"));
  snprintf(copy, sizeof copy, "%s", sample_path("copy.nc"));
  write_trajectory(path);
  /* N doubles would land in room for N_FRAMES + 1. */
  rename_in(path, copy, 4, "mass", "time");
  refuse_trajectory(copy, "copy.nc' is damaged: it has two variables named 'time'");
  rename_in(path, copy, 4, "label", "frame");
  refuse_trajectory(copy, "two dimensions named 'frame'");
  rename_in(path, copy, 4, "capture_time", "captor\0_time");
  refuse_trajectory(copy, "not a classic NetCDF file, or it is damaged");
  if (nc_open(path, NC_WRITE, &nc) || nc_redef(nc) || nc_put_att_text(nc, NC_GLOBAL, "prograM", 1, "\x1b") ||
      nc_close(nc))
    BAIL_OUT("cannot add an attribute");
  rename_in(path, copy, 4, "prograM", "program");
  refuse_trajectory(copy, "two attributes named 'program'");
  rename_in(path, copy, 4, "prograM", "pr\x1b[31m");
  rename_in(copy, copy, 4, "program", "pr\x1b[31m");
  refuse_trajectory(copy, "two attributes named 'pr\\?\\[31m'");
}

static void test_series(void) {
  struct cairn_error error = {0};
  struct cairn_series *series;
  if (cairn_series_create(sample_path("s.nc"), "t", NULL, NULL, &series, &error))
    BAIL_OUT("%s", error.message);
  cairn_series_close(series, NULL);
  rename_in(sample_path("s.nc"), sample_path("s2.nc"), 4, "diameter", "momentum");
  cmp_ok(cairn_series_open(sample_path("s2.nc"), 0, 0, &series, &error), "==", CAIRN_ERR_INPUT, "a series");
  like(error.message, "two variables named 'momentum'", "says why");
}

static void test_checkpoint(void) {
  const char *copy = sample_path("c2.nc");
  struct cairn_error error = {0};
  struct cairn_checkpoint checkpoint = {.step_size = 0.5}, read;
  struct stat about;
  sample_state(&checkpoint.state, N, 1);
  checkpoint.state.time = 0.5;
  if (cairn_checkpoint_write(sample_path("c.nc"), &checkpoint, NULL, &error))
    BAIL_OUT("%s", error.message);
  cairn_checkpoint_fini(&checkpoint);
  rename_in(sample_path("c.nc"), copy, 8, "mass", "time");
  if (stat(copy, &about) || truncate(copy, about.st_size - CAIRN_SEAL_SIZE) ||
      cairn_seal_append(copy, CAIRN_CHECKPOINT_VERSION, &error))
    BAIL_OUT("cannot seal the file again");
  cmp_ok(cairn_checkpoint_read(copy, &read, &error), "==", CAIRN_ERR_INPUT, "a checkpoint with a valid seal");
  like(error.message, "two variables named 'time'", "says why");
}

/* The one function that reads variables takes no other shape than the one it is told. */
static void test_get(void) {
  const size_t start[3] = {0}, count[3] = {1, N, 3}, more[3] = {N_FRAMES + 1, N, 3};
  static double values[(N_FRAMES + 1) * N * 3];
  int nc;
  if (nc_open(sample_path("run.nc"), NC_NOWRITE, &nc))
    BAIL_OUT("cannot open the file");
  cmp_ok(cairn_nc_get(nc, "velocities", NC_DOUBLE, 3, start, count, values), "==", NC_NOERR, "a block is read");
  cmp_ok(cairn_nc_get(nc, "velocities", NC_DOUBLE, 2, start, count, values), "==", NC_EVARSIZE, "another rank: not");
  cmp_ok(cairn_nc_get(nc, "velocities", NC_FLOAT, 3, start, count, values), "==", NC_EBADTYPE, "another type: not");
  cmp_ok(cairn_nc_get(nc, "velocities", NC_DOUBLE, 3, start, more, values), "==", NC_EEDGE, "more than is there: not");
  cmp_ok(cairn_nc_get(nc, "velocity", NC_DOUBLE, 3, start, count, values), "==", NC_ENOTVAR, "what is not there: not");
  nc_close(nc);
}

int main(void) {
  plan(NO_PLAN);
  sample_make_folder();
  test_trajectory();
  test_series();
  test_checkpoint();
  test_get();
  done_testing();
}
