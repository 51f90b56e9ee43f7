/* Exports: the AMBER copy has the units and types that strict readers ask for, the VTK files the points and fields, the
 * walls and not what was taken out. */
#include "data_sample.h"

#include <endian.h>
#include <math.h>
#include <netcdf.h>
#include <signal.h>
#include <sys/resource.h>

#include "data/files/export.h"
#include "data/files/trajectory.h"

enum { N = 9, FRAMES = 3 };

/* Frames with stress; those from `broken` on cannot be read. */
static void write_frames(const char *path, uint64_t broken) {
  static const double box[2][3] = {{0, 0, 0}, {1, 1, 1}};
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory = NULL;
  for (uint64_t i = 0; i < FRAMES; i++) {
    struct cairn_state state;
    struct cairn_observables observables;
    sample_state(&state, N, i);
    sample_observables(&observables, i);
    observables.time = 0.25 * (double)i;
    double pressure[N], stress[N][6];
    for (int b = 0; b < N; b++) {
      pressure[b] = b + 0.5;
      for (int k = 0; k < 6; k++)
        stress[b][k] = 10. * b + k;
    }
    state.position[0] = i < broken ? state.position[0] : NAN;
    if ((i == 0 && cairn_trajectory_create(path, &state, box, NULL, true, NULL, &trajectory, &error)) ||
        cairn_trajectory_append(trajectory, &state, &observables, NULL,
                                &(struct cairn_body_stress){pressure, stress[0]}, &error))
      BAIL_OUT("%s", error.message);
    cairn_state_fini(&state);
  }
  cairn_trajectory_close(trajectory, NULL);
}

static int unit_is(int nc, const char *name, const char *unit, nc_type type) {
  char got[64] = "";
  size_t length;
  int id;
  nc_type found;
  return !nc_inq_varid(nc, name, &id) && !nc_inq_vartype(nc, id, &found) && found == type &&
         !nc_inq_attlen(nc, id, "units", &length) && length < sizeof got && !nc_get_att_text(nc, id, "units", got) &&
         !strcmp(got, unit);
}

static void test_amber(const char *from) {
  const char *to = sample_path("amber.nc");
  struct cairn_error error = {0};
  struct cairn_state state;
  const int n_before = sample_n_files();
  ok(!cairn_export_amber(from, to, false, &error), "export to AMBER units: %s", error.message);
  cmp_ok(sample_n_files(), "==", n_before + 1, "no temporary file is left");
  int nc, id;
  if (nc_open(to, NC_NOWRITE, &nc))
    BAIL_OUT("the NetCDF library does not open the file");
  ok(unit_is(nc, "coordinates", "angstrom", NC_FLOAT), "coordinates");
  ok(unit_is(nc, "velocities", "angstrom/picosecond", NC_FLOAT), "velocities");
  ok(unit_is(nc, "time", "picosecond", NC_FLOAT), "time");
  ok(nc_inq_varid(nc, "cell_lengths", &id) == NC_ENOTVAR, "no cell: MDAnalysis would call it periodic");
  size_t start[3] = {2, 0, 0}, count[3] = {1, N, 3};
  float got[3 * N], time;
  int n_same = 0;
  sample_state(&state, N, 2);
  nc_inq_varid(nc, "coordinates", &id);
  nc_get_vara_float(nc, id, start, count, got);
  for (int i = 0; i < 3 * N; i++)
    n_same += got[i] == (float)state.position[i];
  nc_inq_varid(nc, "velocities", &id);
  nc_get_vara_float(nc, id, start, count, got);
  for (int i = 0; i < 3 * N; i++)
    n_same += got[i] == (float)state.velocity[i];
  cmp_ok(n_same, "==", 6 * N, "the last frame, rounded to single precision");
  ok(!nc_inq_varid(nc, "time", &id) && !nc_get_var1_float(nc, id, start, &time) && time == 0.5f, "its time");
  nc_close(nc);
  cairn_state_fini(&state);
  memset(&state, 0, sizeof state);
  cmp_ok(cairn_trajectory_read(to, &(struct cairn_trajectory_part){.frame = 0, .n = INT64_MAX}, &state, &error),
         "==", CAIRN_ERR_INPUT, "an export is not taken for a run");
}

/* The bytes behind a line of a VTK file. */
static const unsigned char *behind(const unsigned char *bytes, size_t size, const char *line) {
  return bytes + sample_find(bytes, size, line, strlen(line)) + strlen(line);
}

static double number_at(const unsigned char *bytes, int64_t index) {
  uint64_t word;
  double value;
  memcpy(&word, bytes + 8 * index, 8);
  word = be64toh(word);
  memcpy(&value, &word, 8);
  return value;
}

static void test_vtk(const char *from) {
  struct cairn_error error = {0};
  struct cairn_state state;
  size_t size;
  ok(!cairn_export_vtk(from, sample_path("v"), false, &error), "export to VTK: %s", error.message);
  unsigned char *bytes = sample_read(sample_path("v_000002.vtk"), &size);
  ok(!memcmp(bytes, "# vtk DataFile Version 3.0\n", 27), "signature");
  sample_state(&state, N, 2);
  const unsigned char *points = behind(bytes, size, "\nPOINTS 9 double\n");
  const unsigned char *radii = behind(bytes, size, "\nSCALARS radius double 1\nLOOKUP_TABLE default\n");
  const unsigned char *velocities = behind(bytes, size, "\nVECTORS velocities double\n");
  const unsigned char *ids = behind(bytes, size, "\nSCALARS id int 1\nLOOKUP_TABLE default\n");
  int n_same = 0;
  for (int i = 0; i < 3 * N; i++)
    n_same += number_at(points, i) == state.position[i] && number_at(velocities, i) == state.velocity[i];
  for (int i = 0; i < N; i++)
    n_same += number_at(radii, i) == state.radius[i] && ids[4 * i + 3] == i;
  cmp_ok(n_same, "==", 4 * N, "positions, velocities, radii and ids, bit for bit");
  const unsigned char *pressure = behind(bytes, size, "\nSCALARS pressure double 1\nLOOKUP_TABLE default\n");
  const unsigned char *stress = behind(bytes, size, "\nTENSORS stress double\n");
  static const int place[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2}; /* xx xy xz, yx yy yz, zx zy zz among xx yy zz yz xz xy */
  n_same = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 9; k++)
      n_same += number_at(pressure, i) == i + 0.5 && number_at(stress, 9 * i + k) == 10. * i + place[k];
  cmp_ok(n_same, "==", 9 * N, "pressure and stress");
  tap_near(number_at(behind(bytes, size, "TimeValue 1 1 double\n"), 0), 0.5, 0, 0, "time");
  free(bytes);
  ok(access(sample_path("v_walls_000000.vtk"), F_OK) && access(sample_path("v_walls.vtk.series"), F_OK),
     "no walls, no files of walls");
  bytes = sample_read(sample_path("v.vtk.series"), &size);
  ok(strstr((char *)bytes, "{\"name\": \"v_000001.vtk\", \"time\": 0.25}"), "the index names files and times");
  free(bytes);
  cairn_state_fini(&state);
}

static int32_t integer_at(const unsigned char *bytes, int64_t index) {
  uint32_t word;
  memcpy(&word, bytes + 4 * index, 4);
  return (int32_t)be32toh(word);
}

/* Two frames with a rectangle that is not there in the second, a mesh, a ring and a point; body 2 is taken out. */
static void write_walls(const char *path) {
  static const double box[2][3] = {{0, 0, 0}, {1, 1, 1}};
  static const double shapes[4][CAIRN_SHAPE_DOUBLES] = {{CAIRN_SHAPE_RECTANGLE, 0, 0, 0, 2, 0, 0, 0, 1, 0},
                                                        {CAIRN_SHAPE_MESH},
                                                        {CAIRN_SHAPE_RING, 0, 0, 0, 0, 0, 1, 3},
                                                        {CAIRN_SHAPE_POINT}};
  static double corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 2, 0, 0, 0, 3}};
  const struct cairn_wall_triangles triangles = {2, (int32_t[]){0, 2, 0, 0}, corners[0]};
  const struct cairn_wall_labels labels = {.n = 4,
                                           .name = (const char *const[]){"a", "b", "c", "d"},
                                           .shape = shapes,
                                           .triangles = &triangles,
                                           .has_captures = true};
  struct cairn_wall_sample walls[4] = {{.position = {5, 0, 0}, .orientation = {0, 0, 0, 1}, .active = 1},
                                       /* half a turn about z */
                                       {.position = {0, 20, 0}, .orientation = {0, 0, 1, 0}, .active = 1},
                                       {.orientation = {0, 0, 0, 1}, .active = 1},
                                       {.position = {7, 8, 9}, .orientation = {0, 0, 0, 1}, .active = 1}};
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory = NULL;
  struct cairn_state state;
  struct cairn_observables observables = {0};
  sample_state(&state, N, 0);
  sample_captures(&state);
  int status = cairn_trajectory_create(path, &state, box, &labels, false, NULL, &trajectory, &error);
  if (!status)
    status = cairn_trajectory_append(trajectory, &state, &observables, walls, NULL, &error);
  walls[0].active = 0;
  if (!status)
    status = cairn_trajectory_append(trajectory, &state, &observables, walls, NULL, &error);
  if (status)
    BAIL_OUT("%s", error.message);
  cairn_trajectory_close(trajectory, NULL);
  cairn_state_fini(&state);
}

static void test_vtk_walls(const char *from) {
  struct cairn_error error = {0};
  size_t size;
  ok(!cairn_export_vtk(from, sample_path("w"), false, &error), "export walls to VTK: %s", error.message);
  unsigned char *bytes = sample_read(sample_path("w_walls_000000.vtk"), &size);
  /* 4 corners of the rectangle, 6 of the two triangles of the mesh, 65 points of the ring, 1 point. */
  const unsigned char *points = behind(bytes, size, "\nPOINTS 76 double\n");
  ok(number_at(points, 3) == 7 && number_at(points, 4) == 0, "a corner of the rectangle stands where the wall does");
  ok(number_at(points, 3 * 75) == 7 && number_at(points, 3 * 75 + 2) == 9, "so does the point");
  ok(number_at(points, 3 * 5) == -1 && number_at(points, 3 * 5 + 1) == 20 && number_at(points, 3 * 8 + 1) == 18 &&
         number_at(points, 3 * 9 + 2) == 3,
     "so do the triangles of the mesh, turned as it is");
  const unsigned char *vertices = behind(bytes, size, "\nVERTICES 1 2\n");
  ok(integer_at(vertices, 0) == 1 && integer_at(vertices, 1) == 75, "a vertex");
  const unsigned char *lines = behind(bytes, size, "\nLINES 1 66\n");
  ok(integer_at(lines, 0) == 65 && integer_at(lines, 1) == 10 && integer_at(lines, 65) == 74, "a curve");
  const unsigned char *polygons = behind(bytes, size, "\nPOLYGONS 3 13\n");
  ok(integer_at(polygons, 0) == 4 && integer_at(polygons, 1) == 0 && integer_at(polygons, 2) == 1 &&
         integer_at(polygons, 3) == 3 && integer_at(polygons, 4) == 2,
     "a polygon that goes round its corners");
  ok(integer_at(polygons, 5) == 3 && integer_at(polygons, 6) == 4 && integer_at(polygons, 10) == 7 &&
         integer_at(polygons, 12) == 9,
     "and triangles");
  const unsigned char *cells = behind(bytes, size, "\nCELL_DATA 5\nSCALARS wall int 1\nLOOKUP_TABLE default\n");
  ok(integer_at(cells, 0) == 3 && integer_at(cells, 1) == 2 && integer_at(cells, 2) == 0 && integer_at(cells, 3) == 1 &&
         integer_at(cells, 4) == 1,
     "which walls they are of");
  free(bytes);
  bytes = sample_read(sample_path("w_walls_000001.vtk"), &size);
  behind(bytes, size, "\nPOINTS 72 double\n");
  pass("a wall that is not there is not drawn");
  free(bytes);
  bytes = sample_read(sample_path("w_walls.vtk.series"), &size);
  ok(strstr((char *)bytes, "{\"name\": \"w_walls_000001.vtk\", \"time\": 0}"), "their index");
  free(bytes);
}

static void test_vtk_captures(const char *from) {
  size_t size;
  unsigned char *bytes = sample_read(sample_path("w_000001.vtk"), &size);
  struct cairn_state state;
  sample_state(&state, N, 0);
  const unsigned char *points = behind(bytes, size, "\nPOINTS 8 double\n");
  const unsigned char *ids = behind(bytes, size, "\nSCALARS id int 1\nLOOKUP_TABLE default\n");
  const unsigned char *captures = behind(bytes, size, "\nSCALARS captor int 1\nLOOKUP_TABLE default\n");
  ok(number_at(points, 3 * 2) == state.position[3 * 3] && integer_at(ids, 1) == 1 && integer_at(ids, 2) == 3,
     "the body that was taken out is left out, the others keep their ids");
  ok(integer_at(captures, 0) == 0 && integer_at(captures, 1) == 1, "and their captures");
  behind(bytes, size, "\nVERTICES 8 16\n");
  free(bytes);
  struct cairn_error error = {0};
  ok(!cairn_export_amber(from, sample_path("w.amber.nc"), false, &error), "AMBER: %s", error.message);
  int nc, id;
  size_t n = 0;
  ok(!nc_open(sample_path("w.amber.nc"), NC_NOWRITE, &nc) && !nc_inq_dimid(nc, "atom", &id) &&
         !nc_inq_dimlen(nc, id, &n) && n == N,
     "has all bodies in every frame");
  nc_close(nc);
  cairn_state_fini(&state);
}

static void test_refusals(const char *from) {
  struct cairn_error error = {0};
  cmp_ok(cairn_export_amber(from, from, false, &error), "==", CAIRN_ERR_INPUT, "onto itself: refused");
  cmp_ok(cairn_export_amber(sample_path("none"), sample_path("x"), false, &error), "==", CAIRN_ERR_IO, "no such file");
  cmp_ok(cairn_export_vtk(sample_path("none"), sample_path("x"), false, &error), "==", CAIRN_ERR_IO,
         "no such file, VTK");
  cmp_ok(cairn_export_vtk(from, sample_path("no/x"), false, &error), "==", CAIRN_ERR_IO, "no such folder");
  like(error.message, "cannot write '.*no/x_000000.vtk.tmp': No such file", "and says so");
  cmp_ok(cairn_export_vtk(from, "a\nb", false, &error), "==", CAIRN_ERR_INPUT, "a control character in the name");
  int n_files = sample_n_files();
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  fflush(stdout); /* which may be a file too */
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){600, limit.rlim_max});
  int amber = cairn_export_amber(from, sample_path("x"), false, &error),
      vtk = cairn_export_vtk(from, sample_path("x"), false, &error);
  setrlimit(RLIMIT_FSIZE, &limit);
  cmp_ok(amber, "==", CAIRN_ERR_IO, "no room for AMBER");
  cmp_ok(vtk, "==", CAIRN_ERR_IO, "no room for VTK");
  like(error.message, "File too large", "and says so");
  cmp_ok(sample_n_files(), "==", n_files, "and nothing is left");
}

/* Who exports twice under one name is asked; who fails has changed nothing. */
static void test_overwriting(const char *from) {
  struct cairn_error error = {0};
  char broken[4096];
  size_t size, size_after;
  cmp_ok(cairn_export_amber(from, sample_path("amber.nc"), false, &error), "==", CAIRN_ERR_INPUT, "AMBER, again");
  like(error.message, "amber.nc exists: choose another name, or replace it with --overwrite", "is refused");
  ok(!cairn_export_amber(from, sample_path("amber.nc"), true, &error), "but may overwrite: %s", error.message);
  unlink(sample_path("v.vtk.series"));
  unlink(sample_path("v_000000.vtk"));
  cmp_ok(cairn_export_vtk(from, sample_path("v"), false, &error), "==", CAIRN_ERR_INPUT, "VTK, one frame is there");
  like(error.message, "v_000001.vtk exists", "is refused");
  ok(!cairn_export_vtk(from, sample_path("v"), true, &error), "but may overwrite: %s", error.message);
  snprintf(broken, sizeof broken, "%s", sample_path("broken.nc"));
  write_frames(broken, 2);
  const int n_files = sample_n_files();
  free(sample_read(sample_path("v_000000.vtk"), &size));
  cmp_ok(cairn_export_vtk(broken, sample_path("b"), false, &error), "==", CAIRN_ERR_INPUT, "a damaged third frame");
  cmp_ok(cairn_export_vtk(broken, sample_path("v"), true, &error), "==", CAIRN_ERR_INPUT, "also where it overwrites");
  cmp_ok(sample_n_files(), "==", n_files, "leaves no file of the first two");
  free(sample_read(sample_path("v_000000.vtk"), &size_after));
  ok(size == size_after, "and what was there before");
}

static void damage(const char *path, const char *variable, size_t index, double value) {
  int nc, id;
  const size_t at[3] = {variable[0] == 'w' ? index : 0, 0, index};
  if (nc_open(path, NC_WRITE, &nc) || nc_inq_varid(nc, variable, &id) || nc_put_var1_double(nc, id, at, &value) ||
      nc_close(nc))
    BAIL_OUT("cannot damage %s", path);
}

static void test_damaged_triangles(void) {
  const struct {
    const char *variable;
    size_t index;
    double value;
  } cases[] = {{"wall_triangles", 1, 1}, {"wall_triangles", 0, -1}, {"triangle_corners", 1, NAN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cairn_error error = {0};
    write_walls(sample_path("damaged.nc"));
    damage(sample_path("damaged.nc"), cases[i].variable, cases[i].index, cases[i].value);
    char from[4096];
    snprintf(from, sizeof from, "%s", sample_path("damaged.nc"));
    cmp_ok(cairn_export_vtk(from, sample_path("d"), true, &error), "==", CAIRN_ERR_INPUT, "%s of %g", cases[i].variable,
           cases[i].value);
    like(error.message, "damaged: the triangles of its walls make no sense", "is refused");
  }
}

int main(void) {
  plan(NO_PLAN);
  signal(SIGXFSZ, SIG_IGN);
  sample_make_folder();
  char from[4096];
  snprintf(from, sizeof from, "%s", sample_path("run.nc"));
  write_frames(from, FRAMES);
  test_amber(from);
  test_vtk(from);
  test_refusals(from);
  test_overwriting(from);
  write_walls(from);
  test_vtk_walls(from);
  test_vtk_captures(from);
  test_damaged_triangles();
  done_testing();
}
