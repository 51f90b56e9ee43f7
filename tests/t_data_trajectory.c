/* Trajectories: what is written is read back bit for bit, others find what AMBER promises them, a kill at any byte and
 * a full disk leave complete frames, damaged files are refused. */
#include "data_sample.h"

#include <errno.h>
#include <math.h>
#include <netcdf.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "data/files/provenance.h"
#include "data/files/series.h"
#include "data/files/trajectory.h"
#include "data/storage/record_file.h"

enum { N = 50 };
static const double box[2][3] = {{-1, -2, -3}, {4, 5, 6}};

static void write_frames(const char *path, int first, int n_frames) {
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory = NULL;
  struct cairn_state state;
  struct cairn_observables observables;
  for (int i = first; i < n_frames; i++) {
    sample_state(&state, N, (uint64_t)i);
    sample_observables(&observables, (uint64_t)i);
    if (i == first && (first ? cairn_trajectory_open(path, state.n, 0, first, &trajectory, &error)
                             : cairn_trajectory_create(path, &state, box, NULL, false, NULL, &trajectory, &error)))
      BAIL_OUT("%s", error.message);
    if (cairn_trajectory_append(trajectory, &state, &observables, NULL, NULL, &error))
      BAIL_OUT("%s", error.message);
    cairn_state_fini(&state);
  }
  if (cairn_trajectory_close(trajectory, &error))
    BAIL_OUT("%s", error.message);
}

/* Does frame f of the file hold what write_frames put there? */
static int is_frame(const char *path, int64_t frame, uint64_t seed) {
  struct cairn_error error = {0};
  struct cairn_state got = {0}, want;
  if (cairn_trajectory_read(path, frame, &got, &error)) {
    diag("%s", error.message);
    return 0;
  }
  sample_state(&want, N, seed);
  int same = sample_same(&got, &want, CAIRN_FIELD_STATIC) && sample_same(&got, &want, CAIRN_FIELD_FRAME);
  int bare = got.contacts.n == 0 && got.wall_contacts.n == 0;
  for (int i = 0; i < 3 * N; i++)
    bare = bare && got.acceleration[i] == 0 && got.angular_acceleration[i] == 0;
  cairn_state_fini(&got);
  cairn_state_fini(&want);
  return same && bare;
}

static int64_t count_frames(const char *path) {
  struct cairn_error error = {0};
  int64_t n;
  double *times;
  if (cairn_trajectory_times(path, &n, &times, &error)) {
    diag("%s", error.message);
    return -1;
  }
  free(times);
  return n;
}

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
  cmp_ok(cairn_trajectory_read(path, -1, &got, &error), "==", CAIRN_ERR_INPUT, "no last frame to read");
  like(error.message, "has no frame -1: it holds 0", "and says so");
  cairn_trajectory_close(trajectory, NULL);
  cairn_state_fini(&state);
  write_frames(path, 0, 4);
  for (int i = 0; i < 4; i++)
    ok(is_frame(path, i, (uint64_t)i), "frame %d has the same bits", i);
  ok(is_frame(path, -1, 3) && is_frame(path, -4, 0), "negative numbers count from the end");
  cmp_ok(cairn_trajectory_read(path, 4, &got, &error), "==", CAIRN_ERR_INPUT, "frame 4 of 4 does not exist");
  cmp_ok(cairn_trajectory_read(path, -5, &got, &error), "==", CAIRN_ERR_INPUT, "nor frame -5");
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

/* Frames of a run whose walls hold bodies and take them out: the state and the walls of frame i have the seed i. */
static void write_walls(const char *path, int first, int n_frames) {
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory = NULL;
  struct cairn_observables observables;
  struct cairn_wall_sample walls[2];
  for (int i = first; i < n_frames; i++) {
    struct cairn_state state;
    sample_state(&state, N, (uint64_t)i);
    sample_captures(&state);
    sample_observables(&observables, (uint64_t)i);
    sample_walls(walls, 2, (uint64_t)i);
    if ((i == first &&
         (first ? cairn_trajectory_open(path, state.n, 2, first, &trajectory, &error)
                : cairn_trajectory_create(path, &state, box, &sample_labels, false, NULL, &trajectory, &error))) ||
        cairn_trajectory_append(trajectory, &state, &observables, walls, NULL, &error))
      BAIL_OUT("%s", error.message);
    cairn_state_fini(&state);
  }
  cairn_trajectory_close(trajectory, NULL);
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
  ok(!cairn_trajectory_read(path, -1, &state, &error) && state.n == N - 1, "a new run starts without those taken out");
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

/* What was printed so far goes out first: standard output may be a file too. */
static void limit_file_size(rlim_t size) {
  fflush(stdout);
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = size;
  setrlimit(RLIMIT_FSIZE, &limit);
}

/* A child that dies at the first write beyond byte `limit`, with the bytes before it written: SIGXFSZ is a kill that
 * can be placed. */
static void die_at(const char *path, off_t limit) {
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGXFSZ, SIG_DFL);
    limit_file_size((rlim_t)limit);
    write_frames(path, 2, 5);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void test_kill_at_byte(void) {
  const char *path = sample_path("kill.nc");
  struct stat two;
  write_frames(path, 0, 2);
  if (stat(path, &two))
    BAIL_OUT("no file");
  write_frames(path, 0, 3);
  struct stat three;
  if (stat(path, &three))
    BAIL_OUT("no file");
  off_t record = three.st_size - two.st_size;
  int n_good = 0, n_tried = 0;
  for (off_t at = two.st_size; at < two.st_size + 3 * record; at += 331) {
    write_frames(path, 0, 2);
    die_at(path, at);
    int64_t n = count_frames(path), complete = 2 + (at - two.st_size) / record;
    int good = n == complete;
    for (int64_t i = 0; i < n; i++)
      good = good && is_frame(path, i, (uint64_t)i);
    n_good += good;
    n_tried++;
    if (!good)
      diag("dead at byte %lld: %lld frames, %lld expected", (long long)at, (long long)n, (long long)complete);
  }
  cmp_ok(n_good, "==", n_tried, "death at %d places within 3 frames leaves exactly the complete ones", n_tried);
}

static void test_kill_at_random(void) {
  const char *path = sample_path("random.nc");
  int n_good = 0;
  enum { KILLS = 20 };
  for (int i = 0; i < KILLS; i++) {
    int pipes[2];
    if (pipe(pipes))
      BAIL_OUT("no pipe");
    write_frames(path, 0, 1);
    pid_t child = fork();
    if (child == 0) {
      for (int frame = 1;; frame++) {
        write_frames(path, frame, frame + 1);
        if (write(pipes[1], "x", 1) != 1)
          _exit(1);
      }
    }
    usleep((useconds_t)(1000 + 1500 * i));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(pipes[1]);
    char acknowledged[65536];
    ssize_t n_acknowledged = read(pipes[0], acknowledged, sizeof acknowledged);
    close(pipes[0]);
    int64_t n = count_frames(path);
    int good = n >= 1 + n_acknowledged && n <= 2 + n_acknowledged && is_frame(path, -1, (uint64_t)(n - 1));
    if (!good)
      diag("%lld frames, %lld acknowledged", (long long)n, (long long)n_acknowledged);
    n_good += good;
  }
  cmp_ok(n_good, "==", KILLS, "SIGKILL at %d moments: every acknowledged frame is there", KILLS);
}

static void test_full_disk(void) {
  const char *path = sample_path("full.nc");
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory;
  struct cairn_state state;
  struct cairn_observables observables;
  struct stat before, after;
  write_frames(path, 0, 2);
  sample_state(&state, N, 2);
  sample_observables(&observables, 2);
  if (stat(path, &before) || cairn_trajectory_open(path, state.n, 0, 2, &trajectory, &error))
    BAIL_OUT("%s", error.message);
  limit_file_size((rlim_t)before.st_size + 1000);
  int status = cairn_trajectory_append(trajectory, &state, &observables, NULL, NULL, &error);
  limit_file_size(RLIM_INFINITY);
  cmp_ok(status, "==", CAIRN_ERR_IO, "no room for a frame");
  like(error.message, "cannot write '.*full.nc': File too large", "the sentence names file and reason");
  ok(!stat(path, &after) && after.st_size == before.st_size, "the room is given back");
  ok(count_frames(path) == 2 && is_frame(path, 1, 1), "the frames before are intact");
  ok(!cairn_trajectory_append(trajectory, &state, &observables, NULL, NULL, &error) && is_frame(path, 2, 2),
     "later it goes on");
  cairn_trajectory_close(trajectory, NULL);
  limit_file_size(100);
  status = cairn_trajectory_create(sample_path("no.nc"), &state, box, NULL, false, NULL, &trajectory, &error);
  limit_file_size(RLIM_INFINITY);
  cmp_ok(status, "==", CAIRN_ERR_IO, "no room for a header");
  ok(access(sample_path("no.nc"), F_OK), "and no file is left");
  cmp_ok(cairn_trajectory_create(sample_path("no/dir.nc"), &state, box, NULL, false, NULL, &trajectory, &error),
         "==", CAIRN_ERR_IO, "no such folder");
  like(error.message, "cannot write '.*no/dir.nc': No such file or directory", "and says so");
  cairn_state_fini(&state);
}

static int read_status(const char *path, struct cairn_error *error) {
  struct cairn_state state = {0};
  int status = cairn_trajectory_read(path, -1, &state, error);
  cairn_state_fini(&state);
  return status;
}

static void poke(const unsigned char *bytes, size_t size, size_t at, const void *value, size_t n, const char *message) {
  const char *path = sample_path("poked.nc");
  struct cairn_error error = {0};
  unsigned char *copy = malloc(size);
  if (!copy)
    BAIL_OUT("out of memory");
  memcpy(copy, bytes, size);
  memcpy(copy + at, value, n);
  sample_write(path, copy, size);
  free(copy);
  cmp_ok(read_status(path, &error), "==", CAIRN_ERR_INPUT, "refused: %s", message);
  like(error.message, message, "and says so");
}

/* Flipped bits may hit a comment and do no harm; what matters is a status instead of a crash. */
static void flip_header(const char *path, size_t n, size_t stride) {
  const char *copy = sample_path("copy.nc");
  static const unsigned char masks[] = {1, 128, 255};
  struct cairn_error error;
  size_t size, n_answers = 0, n_tried = 0;
  unsigned char *bytes = sample_read(path, &size);
  for (size_t at = 0; at < n && at < size; at += stride, n_tried++) {
    bytes[at] ^= masks[at % 3];
    sample_write(copy, bytes, size);
    bytes[at] ^= masks[at % 3];
    int status = read_status(copy, &error);
    n_answers += status == 0 || status == CAIRN_ERR_INPUT || status == CAIRN_ERR_IO;
  }
  cmp_ok(n_answers, "==", n_tried, "damage at %zu bytes of the header is answered", n_tried);
  free(bytes);
}

static void test_hostile(void) {
  const char *path = sample_path("hostile.nc"), *copy = sample_path("copy.nc");
  struct cairn_error error;
  size_t size;
  write_frames(path, 0, 2);
  unsigned char *bytes = sample_read(path, &size);
  int n_refused = 0, n_cut = 0;
  for (size_t length = 0; length < size; length += length < 4000 ? 7 : 101) {
    sample_write(copy, bytes, length);
    n_refused += read_status(copy, &error) == CAIRN_ERR_INPUT;
    n_cut++;
  }
  cmp_ok(n_refused, "==", n_cut, "cut at %d lengths: refused every time", n_cut);
  flip_header(path, 6000, 1);
  const char *walls = sample_path("hostile_walls.nc");
  write_walls(walls, 0, 2);
  flip_header(walls, 8000, 7);

  double last; /* the y component of the velocity of the last body, in the file's byte order */
  struct cairn_state state;
  sample_state(&state, N, 1);
  uint64_t word;
  last = state.velocity[3 * N - 2];
  memcpy(&word, &last, 8);
  word = __builtin_bswap64(word);
  size_t at = sample_find(bytes, size, &word, 8);
  poke(bytes, size, at, "\x7f\xf8\0\0\0\0\0\1", 8, "frame 1 .*body 49: velocity .* is not finite");
  memcpy(&word, &state.radius[N - 1], 8);
  word = __builtin_bswap64(word);
  poke(bytes, size, sample_find(bytes, size, &word, 8), "\x80\0\0\0\0\0\0\0", 8, "body 49: radius -0 must be positive");
  size_t atom = sample_find(bytes, size, "\0\0\0\4atom\0\0\0\x32", 12) + 8;
  poke(bytes, size, atom, "\x7f\xff\xff\xff", 4, "not a classic NetCDF file, or it is damaged");
  poke(bytes, size, atom, "\0\0\0\x31", 4, "not a classic NetCDF file, or it is damaged");
  poke(bytes, size, 4, "\0\0\0\3", 4, "is truncated: it holds 2 of 3 frames");
  poke(bytes, size, 4, "\xff\xff\xff\xff", 4, "not a classic NetCDF file, or it is damaged");
  poke(bytes, size, sample_find(bytes, size, "AMBER", 5), "AMBEr", 5, "not a trajectory of cairn");
  poke(bytes, size, sample_find(bytes, size, "radius", 6), "radios", 6, "has no variable 'radius'");
  poke(bytes, size, sample_find(bytes, size, "kg\0\0", 4), "lb\0\0", 4, "variable 'mass' of .* is not in 'kg'");
  poke(bytes, size, sample_find(bytes, size, "\0\0\0\x30\0\0\0\x31", 8), "\0\0\0\x31\0\0\0\x30", 8,
       "body 48 has the id 49");
  sample_write(copy, "just some text", 14);
  cmp_ok(read_status(copy, &error), "==", CAIRN_ERR_INPUT, "a text file is refused");
  cmp_ok(read_status(sample_folder, &error), "==", CAIRN_ERR_INPUT, "a folder is refused");
  cmp_ok(read_status(sample_path("none"), &error), "==", CAIRN_ERR_IO, "a missing file is refused");
  cairn_state_fini(&state);
  free(bytes);
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

/* A variable that the header puts beyond the end of the file. */
static void test_short_file(void) {
  const char *path = sample_path("short.nc");
  struct cairn_error error = {0};
  struct cairn_record_file *file;
  int nc, dimension, variable;
  double values[100] = {1};
  if (nc_create(path, NC_CLOBBER | NC_64BIT_OFFSET, &nc) || nc_def_dim(nc, "x", 100, &dimension) ||
      nc_def_var(nc, "a", NC_DOUBLE, 1, &dimension, &variable) || nc_enddef(nc) ||
      nc_put_var_double(nc, variable, values) || nc_close(nc))
    BAIL_OUT("cannot make a NetCDF file");
  ok(!cairn_record_file_open(path, false, &file, &error), "a file without records is fine");
  cairn_record_file_close(file, NULL);
  struct stat about;
  if (stat(path, &about) || truncate(path, about.st_size - 1))
    BAIL_OUT("cannot cut the file");
  cmp_ok(cairn_record_file_open(path, false, &file, &error), "==", CAIRN_ERR_INPUT, "one byte less is not");
}

int main(void) {
  plan(NO_PLAN);
  signal(SIGXFSZ, SIG_IGN);
  sample_make_folder();
  test_round_trip();
  test_layout();
  test_resume();
  test_stress();
  test_walls();
  test_kill_at_byte();
  test_kill_at_random();
  test_full_disk();
  test_hostile();
  test_cdf5();
  test_short_file();
  done_testing();
}
