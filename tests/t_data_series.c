/* Series: rows come back bit for bit, are visible after a sync, survive a kill and a full disk; CF, ACDD metadata. */
#include "data_sample.h"

#include <math.h>
#include <netcdf.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "data/files/provenance.h"
#include "data/files/series.h"

static void append_rows(struct cairn_series *series, int first, int n) {
  struct cairn_error error = {0};
  struct cairn_observables observables;
  for (int i = first; i < n; i++) {
    sample_observables(&observables, (uint64_t)i);
    if (cairn_series_append(series, &observables, NULL, &error))
      BAIL_OUT("%s", error.message);
  }
}

static int64_t visible_rows(const char *path) {
  int nc, dimension;
  size_t length;
  if (nc_open(path, NC_NOWRITE, &nc))
    return -1;
  int bad = nc_inq_unlimdim(nc, &dimension) || nc_inq_dimlen(nc, dimension, &length);
  nc_close(nc);
  return bad ? -1 : (int64_t)length;
}

/* Is row i, as the NetCDF library reads it, what append_rows wrote? */
static int is_row(const char *path, size_t row) {
  int nc, id, same = 1;
  struct cairn_observables want;
  sample_observables(&want, (uint64_t)row);
  if (nc_open(path, NC_NOWRITE, &nc))
    return 0;
  for (int i = 0; i < cairn_observables_n_fields; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    double got[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    size_t start[2] = {row, 0}, count[2] = {1, (size_t)field->components};
    same = same && !nc_inq_varid(nc, field->name, &id) && !nc_get_vara_double(nc, id, start, count, got) &&
           !memcmp(got, (const char *)&want + field->offset, (size_t)field->components * sizeof(double));
  }
  nc_close(nc);
  return same;
}

static void test_rows(const char *path) {
  struct cairn_error error = {0};
  struct cairn_series *series;
  ok(!cairn_series_create(path, "a title", NULL, NULL, &series, &error), "create a series");
  cmp_ok(sample_n_files(), "==", 1, "no temporary file is left");
  cmp_ok(visible_rows(path), "==", 0, "readable at once");
  append_rows(series, 0, 3);
  cmp_ok(visible_rows(path), "==", 0, "rows wait for the sync");
  cmp_ok(cairn_series_n_rows(series), "==", 3, "but are counted");
  ok(!cairn_series_sync(series, &error), "sync");
  cmp_ok(visible_rows(path), "==", 3, "now they are visible");
  append_rows(series, 3, 5000);
  ok(!cairn_series_persist(series, &error), "many rows, brought to the disk");
  ok(visible_rows(path) == 5000 && is_row(path, 0) && is_row(path, 2) && is_row(path, 4999), "with the same bits");
  append_rows(series, 5000, 5001);
  ok(!cairn_series_close(series, &error), "close");
  ok(visible_rows(path) == 5001 && is_row(path, 5000), "a close syncs");
}

static int attribute_is(int nc, int variable, const char *name, const char *want) {
  char got[256] = "";
  size_t length;
  return !nc_inq_attlen(nc, variable, name, &length) && length < sizeof got &&
         !nc_get_att_text(nc, variable, name, got) && !strcmp(got, want);
}

static void test_metadata(const char *path) {
  int nc, format, id;
  if (nc_open(path, NC_NOWRITE, &nc))
    BAIL_OUT("the NetCDF library does not open the file");
  nc_inq_format(nc, &format);
  cmp_ok(format, "==", NC_FORMAT_64BIT_OFFSET, "64-bit offset encoding");
  ok(attribute_is(nc, NC_GLOBAL, "Conventions", "CF-1.8, ACDD-1.3"), "Conventions");
  ok(attribute_is(nc, NC_GLOBAL, "title", "a title"), "title");
  for (int i = 0; i < cairn_observables_n_fields; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    ok(!nc_inq_varid(nc, field->name, &id) && attribute_is(nc, id, "units", field->unit) &&
           attribute_is(nc, id, "long_name", field->long_name),
       "%s in %s", field->name, field->unit);
  }
  ok(!sample_has_walls(nc), "a run without walls has nothing of them in its file");
  nc_close(nc);
}

static void test_resume(const char *path) {
  struct cairn_error error = {0};
  struct cairn_series *series;
  cmp_ok(cairn_series_open(path, 0, 5002, &series, &error), "==", CAIRN_ERR_INPUT, "5002 of 5001 rows: refused");
  like(error.message, "holds 5001 rows, the checkpoint needs 5002", "and says so");
  cmp_ok(cairn_series_open(path, 0, -1, &series, &error), "==", CAIRN_ERR_INPUT, "a negative number is refused");
  cmp_ok(visible_rows(path), "==", 5001, "a refused file is not changed");
  ok(!cairn_series_open(path, 0, 10, &series, &error), "go on after row 10");
  cmp_ok(visible_rows(path), "==", 5001, "the rows after it stay until there are new ones");
  append_rows(series, 10, 12);
  ok(!cairn_series_close(series, &error) && visible_rows(path) == 12 && is_row(path, 9) && is_row(path, 11),
     "and new ones follow");
  sample_write(sample_path("text"), "no NetCDF", 9);
  cmp_ok(cairn_series_open(sample_path("text"), 0, 0, &series, &error), "==", CAIRN_ERR_INPUT,
         "a text file is refused");
  cmp_ok(cairn_series_open(sample_path("none"), 0, 0, &series, &error), "==", CAIRN_ERR_IO,
         "a missing file is refused");
  int nc;
  if (nc_create(sample_path("other.nc"), NC_CLOBBER, &nc) || nc_close(nc))
    BAIL_OUT("cannot make a NetCDF file");
  cmp_ok(cairn_series_open(sample_path("other.nc"), 0, 0, &series, &error), "==", CAIRN_ERR_INPUT,
         "another NetCDF file");
  like(error.message, "not a series of cairn", "is named for what it is not");
}

static void test_faults(const char *path) {
  struct cairn_error error = {0};
  struct cairn_series *series;
  struct stat about;
  if (cairn_series_open(path, 0, 12, &series, &error) || stat(path, &about))
    BAIL_OUT("%s", error.message);
  append_rows(series, 12, 20);
  sample_limit_files((rlim_t)about.st_size + 100);
  int status = cairn_series_sync(series, &error);
  sample_limit_files(RLIM_INFINITY);
  cmp_ok(status, "==", CAIRN_ERR_IO, "no room");
  like(error.message, "cannot write '.*': File too large", "the sentence names file and reason");
  ok(cairn_series_n_rows(series) == 12 && visible_rows(path) == 12 && is_row(path, 11), "the rows before are intact");
  append_rows(series, 12, 14);
  ok(!cairn_series_close(series, &error) && visible_rows(path) == 14 && is_row(path, 13), "later it goes on");

  pid_t child = fork();
  if (child == 0) {
    if (cairn_series_open(path, 0, 14, &series, &error))
      _exit(1);
    append_rows(series, 14, 30);
    if (cairn_series_sync(series, &error))
      _exit(1);
    append_rows(series, 30, 20000);
    raise(SIGKILL);
  }
  int how;
  waitpid(child, &how, 0);
  ok(WIFSIGNALED(how) && visible_rows(path) == 30 && is_row(path, 29), "a kill leaves the rows of the last sync");
  ok(!cairn_series_open(path, 0, 30, &series, &error), "and the file can be continued");
  append_rows(series, 30, 31);
  cairn_series_close(series, &error);
  ok(visible_rows(path) == 31 && is_row(path, 30), "over what the kill left behind");
}

static void append_walls(struct cairn_series *series, int first, int n) {
  struct cairn_error error = {0};
  struct cairn_observables observables;
  struct cairn_wall_sample walls[2];
  for (int i = first; i < n; i++) {
    sample_observables(&observables, (uint64_t)i);
    sample_walls(walls, 2, (uint64_t)i);
    if (cairn_series_append(series, &observables, walls, &error))
      BAIL_OUT("%s", error.message);
  }
}

static void test_walls(const char *path) {
  struct cairn_error error = {0};
  struct cairn_series *series;
  ok(!cairn_series_create(path, "walls", &sample_labels, NULL, &series, &error), "a series of a run with walls");
  append_walls(series, 0, 5);
  ok(!cairn_series_close(series, &error), "close");
  cmp_ok(cairn_series_open(path, 0, 3, &series, &error), "==", CAIRN_ERR_INPUT, "no walls: refused");
  like(error.message, "holds 2 walls, the run has 0", "and says so");
  cmp_ok(cairn_series_open(path, 3, 3, &series, &error), "==", CAIRN_ERR_INPUT, "one more: refused");
  ok(!cairn_series_open(path, 2, 3, &series, &error), "with two it goes on");
  append_walls(series, 3, 7);
  cairn_series_close(series, NULL);
  int nc, id, n_good = 0;
  if (nc_open(path, NC_NOWRITE, &nc))
    BAIL_OUT("the NetCDF library does not open the file");
  for (size_t row = 0; row < 7; row++)
    n_good += sample_is_wall_record(nc, row, CAIRN_WALL_SERIES, row) && is_row(path, row);
  cmp_ok(n_good, "==", 7, "all rows of diagnostics and walls, bit for bit");
  ok(sample_has_names(nc), "names of the walls");
  ok(!nc_inq_varid(nc, "wall_force", &id) && attribute_is(nc, id, "units", "N"), "forces in newton");
  nc_close(nc);
  struct cairn_series *plain;
  if (cairn_series_create(path, "none", NULL, NULL, &plain, &error) || cairn_series_close(plain, &error))
    BAIL_OUT("%s", error.message);
  cmp_ok(cairn_series_open(path, 2, 0, &plain, &error), "==", CAIRN_ERR_INPUT, "walls, but not in the file: refused");
}

int main(void) {
  plan(NO_PLAN);
  signal(SIGXFSZ, SIG_IGN);
  sample_make_folder();
  char path[4096];
  snprintf(path, sizeof path, "%s", sample_path("run.series.nc"));
  test_rows(path);
  test_metadata(path);
  test_resume(path);
  test_faults(path);
  test_walls(path);
  done_testing();
}
