/* The files as other programs see them: ncdump, and the readers of data_readers.py as far as they are installed. */
#include "data_sample.h"

#include "data/checkpoint/checkpoint.h"
#include "data/files/export.h"
#include "data/files/series.h"
#include "data/files/trajectory.h"

enum { N = 7, FRAMES = 3, ROWS = 4 };

static void must(int status, const struct cairn_error *error) {
  if (status)
    BAIL_OUT("%s", error->message);
}

/* What data_readers.py expects. */
static void set_state(struct cairn_state *state, int frame) {
  for (int i = 0; i < N; i++) {
    memcpy(&state->position[3 * i], (double[]){i, frame, 0.125}, 3 * sizeof(double));
    memcpy(&state->velocity[3 * i], (double[]){0, 0, -1}, 3 * sizeof(double));
    state->radius[i] = 1 + i;
  }
}

static void write_files(void) {
  static const double box[2][3] = {{0, 0, 0}, {1, 1, 1}};
  struct cairn_error error = {0};
  struct cairn_provenance provenance = {0};
  struct cairn_checkpoint checkpoint = {.step_size = 0.25, .scenario = strdup("title: readers\n")};
  struct cairn_trajectory *trajectory;
  struct cairn_series *series;
  struct cairn_observables observables = {0};
  struct cairn_wall_sample walls[2] = {{.position = {0, 0, -1}, .orientation = {0, 0, 0, 1}, .active = 1},
                                       {.position = {0, 0, 2}, .orientation = {0, 0, 0, 1}, .active = 1}};
  must(cairn_provenance_set(&provenance, "command_line", "test", &error), &error);
  sample_state(&checkpoint.state, N, 0);
  checkpoint.state.time = 0;
  set_state(&checkpoint.state, 0);
  must(cairn_trajectory_create(sample_path("run.nc"), &checkpoint.state, box, &sample_labels, false, &provenance,
                               &trajectory, &error),
       &error);
  for (int i = 0; i < FRAMES; i++) {
    set_state(&checkpoint.state, i);
    observables.time = 0.5 * i;
    must(cairn_trajectory_append(trajectory, &checkpoint.state, &observables, walls, NULL, &error), &error);
  }
  must(cairn_trajectory_close(trajectory, &error), &error);
  must(cairn_series_create(sample_path("run.series.nc"), "readers", &sample_labels, &provenance, &series, &error),
       &error);
  for (int i = 0; i < ROWS; i++) {
    observables.time = 0.25 * i;
    observables.kinetic_energy = i;
    walls[1].force[2] = 10 * i;
    must(cairn_series_append(series, &observables, walls, &error), &error);
  }
  must(cairn_series_close(series, &error), &error);
  must(cairn_checkpoint_write(sample_path("run.ckpt.nc"), &checkpoint, &provenance, &error), &error);
  must(cairn_export_amber(sample_path("run.nc"), sample_path("amber.nc"), false, &error), &error);
  must(cairn_export_vtk(sample_path("run.nc"), sample_path("v"), false, &error), &error);
  cairn_provenance_fini(&provenance);
  cairn_checkpoint_fini(&checkpoint);
}

static void test_ncdump(void) {
  static const char *const files[][2] = {
      {"run.nc", "64-bit offset"}, {"run.series.nc", "64-bit offset"}, {"run.ckpt.nc", "cdf5"}};
  skip(system("command -v ncdump >/dev/null 2>&1"), 6, "ncdump is not installed");
  for (int i = 0; i < 3; i++) {
    char command[8192], line[64] = "";
    snprintf(command, sizeof command, "ncdump '%s' >/dev/null", sample_path(files[i][0]));
    ok(system(command) == 0, "ncdump shows all of %s", files[i][0]);
    snprintf(command, sizeof command, "ncdump -k '%s'", sample_path(files[i][0]));
    FILE *output = popen(command, "r");
    if (output && fgets(line, sizeof line, output))
      line[strcspn(line, "\n")] = '\0';
    if (output)
      pclose(output);
    is(line, files[i][1], "and calls it %s", files[i][1]);
  }
  end_skip;
}

static void test_python(void) {
  const char *python = getenv("CAIRN_PYTHON"), *source = getenv("CAIRN_SOURCE_DIR");
  char command[8192], line[1024];
  snprintf(command, sizeof command, "'%s' '%s/tests/data_readers.py' '%s'", python && *python ? python : "python3",
           source ? source : "..", sample_folder);
  FILE *output = popen(command, "r");
  int n_lines = 0;
  while (output && fgets(line, sizeof line, output)) {
    line[strcspn(line, "\n")] = '\0';
    n_lines++;
    if (!strncmp(line, "skip ", 5))
      tap_skip(1, "%s", line + 5);
    else
      ok(!strncmp(line, "ok ", 3), "%s", line + (line[0] == 'o' ? 3 : 7));
  }
  skip(n_lines == 0 && system("command -v python3 >/dev/null 2>&1"), 1, "Python is not installed");
  ok(output && pclose(output) == 0 && n_lines > 0, "the Python readers ran to their end");
  output = NULL;
  end_skip;
  if (output)
    pclose(output);
}

int main(void) {
  plan(NO_PLAN);
  sample_make_folder();
  write_files();
  test_ncdump();
  test_python();
  done_testing();
}
