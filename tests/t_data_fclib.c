/* Contact problems in FCLIB's layout: every way to store them gives the same problem, a solution comes back, nothing
 * wrong gets through. All files are made here. */
#define _GNU_SOURCE
#include "fclib_sample.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/fclib/fclib.h"
#include "data/fclib/hdf5_file.h"
#include "tap/tap.h"

enum { LANES = CAIRN_FRICTION_LANES };

/* Three contacts: the first two act on each other, the third is alone. Not symmetric, so that rows and columns cannot
 * be mixed up unseen. */
static double w[81];
static const double q[9] = {-1, 0.5, 0, -2, 0, 0.25, -3, 1, 1};
static const double mu[3] = {0.1, 0.2, 0.3};

static void fill_w(void) {
  memset(w, 0, sizeof w);
  for (int i = 0; i < 9; i++)
    w[9 * i + i] = 10 + i;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      w[9 * i + 3 + j] = 0.1 * (1 + 3 * i + j);
      w[9 * (3 + i) + j] = -0.01 * (1 + 3 * i + j);
    }
  w[1] = 0.5; /* W_00 itself, row 0, column 1 */
}

/* Entry (i, j) of the problem. */
static double entry(const struct cairn_friction_problem *p, int i, int j) {
  if (i / 3 == j / 3)
    return p->w[9 * (i / 3) + 3 * (i % 3) + j % 3];
  for (int64_t k = p->start[j / 3]; k < p->start[j / 3 + 1]; k++)
    if (p->row[k] == i / 3)
      return p->block[9 * k + 3 * (j % 3) + i % 3];
  return 0;
}

static void test_forms(void) {
  static const char *const names[] = {"triplets", "compressed columns", "compressed rows"};
  for (int form = SAMPLE_TRIPLET; form <= SAMPLE_ROWS; form++) {
    struct cairn_fclib file;
    struct cairn_error error = {0};
    sample_local("forms.hdf5", 3, 3, w, q, mu, (enum sample_form)form);
    cmp_ok(cairn_fclib_read("forms.hdf5", &file, &error), "==", 0, "%s %s", names[form], error.message);
    int same = file.problem->n == 3 && file.problem->n_blocks == 2;
    for (int i = 0; i < 9; i++)
      for (int j = 0; j < 9; j++)
        same &= entry(file.problem, i, j) == w[9 * i + j];
    ok(same, "  every entry is where it was put");
    for (int i = 0; i < 9; i++)
      same &= file.problem->q[LANES * (i / 3) + i % 3] == q[i] && file.problem->law[LANES * (i / 3) + 2] == mu[i / 3];
    ok(same, "  q and mu");
    cairn_fclib_fini(&file);
  }
}

static void test_repeats(void) {
  /* the entry (row 1, column 0) twice, (row 0, column 0) as a sum, a zero */
  const int p[] = {0, 0, 0, 1, 0, 2, 1, 0}, i[] = {0, 1, 0, 1, 1, 2, 0, 2};
  const double x[] = {1, 3, 2, 5, 4, 6, 0, 0}, zero[3] = {0};
  const hid_t file = sample_create("repeats.hdf5");
  struct cairn_fclib read;
  struct cairn_error error = {0};
  sample_integer(file, "/fclib_local", "spacedim", 3);
  sample_integer(file, "/fclib_local/W", "m", 3);
  sample_integer(file, "/fclib_local/W", "n", 3);
  sample_integer(file, "/fclib_local/W", "nz", 8);
  sample_put(file, "/fclib_local/W", "p", H5T_NATIVE_INT, p, 8);
  sample_put(file, "/fclib_local/W", "i", H5T_NATIVE_INT, i, 8);
  sample_put(file, "/fclib_local/W", "x", H5T_NATIVE_DOUBLE, x, 8);
  sample_put(file, "/fclib_local/vectors", "q", H5T_NATIVE_DOUBLE, zero, 3);
  sample_put(file, "/fclib_local/vectors", "mu", H5T_NATIVE_DOUBLE, zero, 1);
  H5Fclose(file);
  cmp_ok(cairn_fclib_read("repeats.hdf5", &read, &error), "==", 0, "triplets that repeat a place %s", error.message);
  ok(read.problem->w[0] == 3 && read.problem->w[3] == 7 && read.problem->w[4] == 5 && read.problem->w[8] == 6,
     "  are added up; p is the column, i the row");
  cairn_fclib_fini(&read);
}

/* W of a global problem, by hand: two rigid bodies, one with a full 2 × 2 coupling. */
static void test_global(void) {
  static const double m[16] = {2, 0, 0, 0, 0, 4, 0, 1, 0, 0, 5, 0, 0, 1, 0, 3};
  static const double inverse[16] = {0.5, 0, 0, 0, 0, 3. / 11, 0, -1. / 11, 0, 0, 0.2, 0, 0, -1. / 11, 0, 4. / 11};
  static const double f[4] = {1, 2, 3, 4}, shift[6] = {-1, -2, -3, -4, -5, -6}, both[2] = {0.5, 0.25};
  double h[24], v[4] = {0}, r[2 * LANES] = {1, 2, 3, 0, 4, 5, 6, 0};
  for (int k = 0; k < 24; k++)
    h[k] = sin(1 + 7. * k);
  struct cairn_fclib file;
  struct cairn_error error = {0};
  sample_global("global.hdf5", 3, 2, 4, m, h, f, shift, both, SAMPLE_ROWS);
  cmp_ok(cairn_fclib_read("global.hdf5", &file, &error), "==", 0, "a global problem %s", error.message);
  cmp_ok(file.mass.n_parts, "==", 3, "  M has three parts");
  double worst = 0, worst_q = 0;
  for (int i = 0; i < 6; i++) {
    double qi = shift[i];
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++)
        qi += h[6 * a + i] * inverse[4 * a + b] * f[b];
    worst_q = fmax(worst_q, fabs(qi - file.problem->q[LANES * (i / 3) + i % 3]));
    for (int j = 0; j < 6; j++) {
      double want = 0;
      for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
          want += h[6 * a + i] * inverse[4 * a + b] * h[6 * b + j];
      worst = fmax(worst, fabs(want - entry(file.problem, i, j)));
    }
  }
  /* sums of a dozen numbers of size 1 */
  tap_near(worst, 0, 1e-14, 0, "  W = H^T M^-1 H");
  tap_near(worst_q, 0, 1e-14, 0, "  q = H^T M^-1 f + w");
  cmp_ok(cairn_fclib_write(&file, "global.hdf5", "global.hdf5", r, r, &error), "==", 0, "  a solution is written");
  int n;
  double *stored = sample_read("global.hdf5", "/solution/v", &n);
  cmp_ok(n, "==", 4, "  with v");
  worst = 0;
  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < 4; b++) {
      double push = f[b];
      for (int i = 0; i < 6; i++)
        push += h[6 * b + i] * r[LANES * (i / 3) + i % 3];
      v[a] += inverse[4 * a + b] * push;
    }
    worst = fmax(worst, fabs(v[a] - stored[a]));
  }
  tap_near(worst, 0, 1e-13, 0, "  v = M^-1 (H r + f)");
  free(stored);
  cairn_fclib_fini(&file);
}

static void test_plane(void) {
  static const double flat[16] = {2, 0.5, 0, 0, 0.5, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  static const double pushed[4] = {-1, 0.5, -1, 0};
  struct cairn_fclib file;
  struct cairn_error error = {0};
  sample_local("plane.hdf5", 2, 2, flat, pushed, mu, SAMPLE_COLUMNS);
  cmp_ok(cairn_fclib_read("plane.hdf5", &file, &error), "==", 0, "two dimensions %s", error.message);
  tap_near(file.problem->contact[0].rho, 2. / (2 + 4), 0, 1e-15, "  rho = 2/trace");
  ok(file.problem->q[2] == 0 && file.problem->w[5] == 0 && file.problem->w[8] > 0, "  an idle third direction");
  const double r[2 * LANES] = {1, 2, 9, 9, 3, 4, 9, 9};
  cmp_ok(cairn_fclib_write(&file, "plane.hdf5", "plane.hdf5", r, r, &error), "==", 0, "  a solution is written");
  int n;
  double *stored = sample_read("plane.hdf5", "/solution/r", &n);
  ok(n == 4 && stored[0] == 1 && stored[1] == 2 && stored[2] == 3 && stored[3] == 4, "  with two numbers per contact");
  free(stored);
  cairn_fclib_fini(&file);
}

static long size_of(const char *path) {
  struct stat info;
  return stat(path, &info) ? -1 : (long)info.st_size;
}

static char *bytes_of(const char *path) {
  const long size = size_of(path);
  char *bytes = calloc((size_t)size + 1, 1);
  FILE *file = fopen(path, "rb");
  if (!file || fread(bytes, 1, (size_t)size, file) != (size_t)size)
    BAIL_OUT("cannot read %s", path);
  fclose(file);
  return bytes;
}

static void test_write(void) {
  const double r[3 * LANES] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0}, u[3 * LANES] = {0.5};
  struct cairn_fclib file;
  struct cairn_error error = {0};
  struct stat info;
  int n;
  sample_local("write.hdf5", 3, 3, w, q, mu, SAMPLE_COLUMNS);
  chmod("write.hdf5", 0640);
  if (cairn_fclib_read("write.hdf5", &file, &error))
    BAIL_OUT("%s", error.message);
  const long size = size_of("write.hdf5");
  char *before = bytes_of("write.hdf5");
  cmp_ok(cairn_fclib_write(&file, "write.hdf5", "other.hdf5", r, u, &error), "==", 0, "into another file");
  char *after = bytes_of("write.hdf5");
  ok(size_of("write.hdf5") == size && memcmp(before, after, (size_t)size) == 0, "  the first one keeps its bytes");
  free(before);
  free(after);
  for (int pass = 0; pass < 2; pass++)
    cmp_ok(cairn_fclib_write(&file, "write.hdf5", "write.hdf5", r, u, &error), "==", 0, "into the file itself, %s",
           pass ? "again" : "first");
  double *stored = sample_read("write.hdf5", "/solution/r", &n);
  ok(n == 9 && stored[0] == 1 && stored[3] == 4 && stored[8] == 9, "  r is there");
  free(stored);
  stored = sample_read("write.hdf5", "/solution/u", &n);
  ok(n == 9 && stored[0] == 0.5 && stored[8] == 0, "  u is there");
  free(stored);
  stored = sample_read("write.hdf5", "/solution/v", &n);
  ok(!stored, "  a local problem has no v");
  ok(stat("write.hdf5", &info) == 0 && (info.st_mode & 0777) == 0640, "  permissions stay");
  cairn_fclib_fini(&file);
  cmp_ok(cairn_fclib_read("write.hdf5", &file, &error), "==", 0, "  and the problem can be read again");
  ok(symlink("write.hdf5", "link.hdf5") == 0 && cairn_fclib_write(&file, "link.hdf5", "link.hdf5", r, u, &error) == 0 &&
         lstat("link.hdf5", &info) == 0 && S_ISLNK(info.st_mode),
     "  a symbolic link stays one");
  cmp_ok(cairn_fclib_write(&file, "write.hdf5", "nowhere/x.hdf5", r, u, &error), "==", CAIRN_ERR_IO,
         "into a folder that is not there");
  mkdir("folder", 0700);
  cmp_ok(cairn_fclib_write(&file, "write.hdf5", "folder", r, u, &error), "==", CAIRN_ERR_IO, "onto a folder");
  ok(rmdir("folder") == 0, "  nothing is left behind in it");
  unlink("write.hdf5");
  cmp_ok(cairn_fclib_write(&file, "write.hdf5", "gone.hdf5", r, u, &error), "==", CAIRN_ERR_IO,
         "from a file that is gone");
  ok(access("gone.hdf5", F_OK), "  nothing is left behind");
  cairn_fclib_fini(&file);
}

/* A good file with one thing changed. */
struct trap {
  const char *remove, *group, *name; /* dataset to leave out or to replace */
  int kind;                          /* 0: nothing, 1: an integer, 2: two reals, 3: integers where reals belong,
                                        4: pointers of columns that fall, from `value`, 5: that rise too far */
  double value;
  const char *message;
};

static void change(const struct trap *trap) {
  const hid_t file = H5Fopen("trap.hdf5", H5F_ACC_RDWR, H5P_DEFAULT);
  if (trap->remove)
    H5Ldelete(file, trap->remove, H5P_DEFAULT);
  if (trap->kind == 1)
    sample_integer(file, trap->group, trap->name, (int)trap->value);
  if (trap->kind == 2)
    sample_put(file, trap->group, trap->name, H5T_NATIVE_DOUBLE, (double[2]){trap->value, trap->value}, 2);
  if (trap->kind == 3) {
    int many[64] = {0};
    sample_put(file, trap->group, trap->name, H5T_NATIVE_INT, many, 64);
  }
  if (trap->kind == 4 || trap->kind == 5) {
    int falling[10];
    for (int k = 0; k < 10; k++)
      falling[k] = trap->kind == 5 ? 100 * k : (int)trap->value + (k == 4 ? 9 : k);
    sample_put(file, trap->group, trap->name, H5T_NATIVE_INT, falling, 10);
  }
  H5Fclose(file);
}

static void refused(const char *path, int status, const char *message, const char *name) {
  struct cairn_fclib file;
  struct cairn_error error = {0};
  const int got = cairn_fclib_read(path, &file, &error);
  ok(got == status && strstr(error.message, message) && !file.problem, "%s: %s", name, error.message);
  if (!got)
    cairn_fclib_fini(&file);
}

static void test_traps(void) {
  static const struct trap traps[] = {
      {"/fclib_local/spacedim", NULL, NULL, 0, 0, "/fclib_local/spacedim: is missing"},
      {"/fclib_local/spacedim", "/fclib_local", "spacedim", 1, 5, "neither 2 nor 3"},
      {"/fclib_local/spacedim", "/fclib_local", "spacedim", 1, 2, "no multiple of spacedim"},
      {"/fclib_local/spacedim", "/fclib_local", "spacedim", 2, 3, "wrong type, expected integers"},
      {"/fclib_local/W", NULL, NULL, 0, 0, "/fclib_local/W: is missing"},
      {"/fclib_local/W/m", "/fclib_local/W", "m", 1, 12, "has 9 numbers, expected 12"},
      {"/fclib_local/W/m", "/fclib_local/W", "m", 1, -9, "has no rows or columns"},
      {"/fclib_local/W/m", "/fclib_local/W", "m", 1, 2e9, "or more than the file can hold"},
      {"/fclib_local/W/n", "/fclib_local/W", "n", 1, 2e9, "or more than the file can hold"},
      {"/fclib_local/W/m", "/fclib_local/W", "m", 1, 6, "holds the index"},
      {"/fclib_local/W/n", "/fclib_local/W", "n", 1, 6, "holds the index"},
      {"/fclib_local/W/n", "/fclib_local/W", "n", 1, 12, "expected a square matrix"},
      {"/fclib_local/W/nz", "/fclib_local/W", "nz", 1, -3, "no known way to store"},
      {"/fclib_local/W/nz", "/fclib_local/W", "nz", 1, 1000, "expected 1000"},
      {"/fclib_local/W/nz", "/fclib_local/W", "nz", 1, 0, "expected positive numbers"},
      {"/fclib_local/W/p", "/fclib_local/W", "p", 4, 1, "does not ascend from 0"},
      {"/fclib_local/W/p", "/fclib_local/W", "p", 4, 0, "does not ascend from 0"},
      {"/fclib_local/W/p", "/fclib_local/W", "p", 5, 0, "has 84 numbers, expected 900"},
      {"/fclib_local/W/p", NULL, NULL, 0, 0, "/fclib_local/W/p: is missing"},
      {"/fclib_local/W/x", "/fclib_local/W", "x", 2, 1, "has 2 numbers"},
      {"/fclib_local/W/x", "/fclib_local/W", "x", 3, 1, "wrong type, expected real numbers"},
      {"/fclib_local/vectors/q", NULL, NULL, 0, 0, "/fclib_local/vectors/q: is missing"},
      {"/fclib_local/vectors/q", "/fclib_local/vectors", "q", 2, 1, "has 2 numbers, expected 9"},
      {"/fclib_local/vectors/mu", "/fclib_local/vectors", "mu", 2, 1, "has 2 numbers, expected 3"},
      {NULL, "/fclib_local", "R", 1, 1, "equality constraints are not supported"},
      {NULL, "/fclib_global_rolling", "spacedim", 1, 5, "rolling friction is not supported"},
      {"/fclib_local", NULL, NULL, 0, 0, "neither /fclib_local nor /fclib_global"},
  };
  for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
    sample_local("trap.hdf5", 3, 3, w, q, mu, traps[i].kind >= 4 ? SAMPLE_COLUMNS : SAMPLE_TRIPLET);
    change(&traps[i]);
    refused("trap.hdf5", CAIRN_ERR_INPUT, traps[i].message, "trap");
  }
}

/* Numbers that are no good where they stand. */
static void test_numbers(void) {
  double bad_q[9], bad_mu[3], bad_w[81];
  for (int i = 0; i < 5; i++) {
    memcpy(bad_q, q, sizeof q);
    memcpy(bad_mu, mu, sizeof mu);
    memcpy(bad_w, w, sizeof w);
    if (i == 0)
      bad_q[8] = NAN;
    if (i == 1)
      bad_mu[2] = -0.1;
    if (i == 2)
      bad_mu[0] = INFINITY;
    if (i == 3)
      bad_w[80] = NAN;
    if (i == 4)
      bad_w[9 * 3 + 3] = -1;
    sample_local("numbers.hdf5", 3, 3, bad_w, bad_q, bad_mu, SAMPLE_ROWS);
    refused("numbers.hdf5", CAIRN_ERR_INPUT, i == 1 || i == 4 ? "contact" : "not finite", "a bad number");
  }
  static const double h[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}, f[4] = {0}, shift[3] = {-1, 0, 0};
  double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.5, 0, 0, 0.5, 1};
  m[15] = 0.2;
  sample_global("numbers.hdf5", 3, 1, 4, m, h, f, shift, mu, SAMPLE_COLUMNS);
  refused("numbers.hdf5", CAIRN_ERR_INPUT, "M is not positive definite at row 3", "a mass that is not positive");
  m[15] = 1;
  m[14] = 0.4;
  sample_global("numbers.hdf5", 3, 1, 4, m, h, f, shift, mu, SAMPLE_COLUMNS);
  refused("numbers.hdf5", CAIRN_ERR_INPUT, "M is not symmetric", "a mass that is not symmetric");
}

static void test_files(void) {
  refused("missing.hdf5", CAIRN_ERR_IO, "missing.hdf5", "a missing file");
  refused(".", CAIRN_ERR_INPUT, "no regular file", "a folder");
  FILE *text = fopen("text.hdf5", "w");
  fputs("no HDF5 at all\n", text);
  fclose(text);
  refused("text.hdf5", CAIRN_ERR_INPUT, "no HDF5 file", "a text file");
  sample_local("cut.hdf5", 3, 3, w, q, mu, SAMPLE_TRIPLET);
  const long size = size_of("cut.hdf5");
  int read = 0;
  for (long keep = 0; keep < size; keep += size / 50) {
    struct cairn_fclib file;
    struct cairn_error error = {0};
    sample_local("cut.hdf5", 3, 3, w, q, mu, SAMPLE_TRIPLET);
    if (truncate("cut.hdf5", keep))
      BAIL_OUT("truncate");
    if (!cairn_fclib_read("cut.hdf5", &file, &error)) {
      read++;
      cairn_fclib_fini(&file);
    }
  }
  cmp_ok(read, "==", 0, "a file that was cut anywhere is refused");
  /* a few bytes that promise 2^40 numbers */
  const hid_t file = sample_create("huge.hdf5");
  const hsize_t huge = (hsize_t)1 << 40, chunk = 1024;
  sample_integer(file, "/fclib_local", "spacedim", 3);
  sample_integer(file, "/fclib_local/W", "m", 9);
  sample_integer(file, "/fclib_local/W", "n", 9);
  sample_integer(file, "/fclib_local/W", "nz", 2147483647);
  const hid_t space = H5Screate_simple(1, &huge, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(create, 1, &chunk);
  H5Dclose(H5Dcreate2(file, "/fclib_local/W/p", H5T_NATIVE_INT, space, H5P_DEFAULT, create, H5P_DEFAULT));
  H5Pclose(create);
  H5Sclose(space);
  H5Fclose(file);
  refused("huge.hdf5", CAIRN_ERR_INPUT, "claims more numbers than the file can hold", "an empty promise");
}

/* Files whose numbers are elsewhere: in a pipe, which would be waited for, or in another file. */
static void test_elsewhere(void) {
  const hsize_t size = 9;
  double stored[9] = {0};
  sample_local("elsewhere.hdf5", 3, 3, w, q, mu, SAMPLE_TRIPLET);
  hid_t file = H5Fopen("elsewhere.hdf5", H5F_ACC_RDWR, H5P_DEFAULT), create = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t space = H5Screate_simple(1, &size, NULL);
  H5Ldelete(file, "/fclib_local/vectors/q", H5P_DEFAULT);
  if (mkfifo("pipe", 0600) || H5Pset_external(create, "pipe", 0, sizeof stored) < 0)
    BAIL_OUT("cannot make a dataset in a pipe");
  H5Dclose(H5Dcreate2(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT));
  H5Pclose(create);
  H5Fclose(file);
  refused("elsewhere.hdf5", CAIRN_ERR_INPUT, "vectors/q: has its numbers in another file", "numbers in a pipe");

  sample_local("write.hdf5", 3, 3, w, q, mu, SAMPLE_TRIPLET);
  create = H5Pcreate(H5P_DATASET_CREATE);
  file = H5Fopen("elsewhere.hdf5", H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "/fclib_local/vectors/q", H5P_DEFAULT);
  H5Pset_virtual(create, space, "write.hdf5", "/fclib_local/vectors/q", space);
  H5Dclose(H5Dcreate2(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT));
  H5Pclose(create);
  H5Fclose(file);
  refused("elsewhere.hdf5", CAIRN_ERR_INPUT, "vectors/q: has its numbers in another file", "a virtual dataset");

  file = H5Fopen("elsewhere.hdf5", H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "/fclib_local/vectors/q", H5P_DEFAULT);
  H5Lcreate_external("write.hdf5", "/fclib_local/vectors/q", file, "/fclib_local/vectors/q", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  H5Sclose(space);
  refused("elsewhere.hdf5", CAIRN_ERR_INPUT, "vectors/q: is missing", "a link into another file");
}

/* A file that the HDF5 library cannot add to is not changed, and the program goes on. */
static void test_put(void) {
  const char *source = getenv("CAIRN_SOURCE_DIR");
  char path[4096];
  struct cairn_error error = {0};
  const struct cairn_hdf5_reals one = {"r", q, 9};
  snprintf(path, sizeof path, "%s/tests/seeds/fclib/damaged_1.hdf5", source ? source : ".");
  char *bytes = bytes_of(path);
  FILE *copy = fopen("damaged.hdf5", "wb");
  fwrite(bytes, 1, (size_t)size_of(path), copy);
  fclose(copy);
  free(bytes);
  refused("damaged.hdf5", CAIRN_ERR_INPUT, "is damaged: the HDF5 library failed on it", "a file that crashes HDF5");
  cmp_ok(cairn_hdf5_file_put("damaged.hdf5", "/solution", 1, &one, &error), "==", CAIRN_ERR_INPUT,
         "nor is anything put into it: %s", error.message);
}

int main(void) {
  static const char *const files[] = {"forms.hdf5", "repeats.hdf5", "global.hdf5",  "plane.hdf5",     "other.hdf5",
                                      "link.hdf5",  "trap.hdf5",    "numbers.hdf5", "text.hdf5",      "cut.hdf5",
                                      "huge.hdf5",  "write.hdf5",   "pipe",         "elsewhere.hdf5", "damaged.hdf5"};
  char folder[] = "fclib-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder))
    BAIL_OUT("no folder to work in");
  plan(NO_PLAN);
  fill_w();
  test_forms();
  test_repeats();
  test_global();
  test_plane();
  test_write();
  test_traps();
  test_numbers();
  test_files();
  test_elsewhere();
  test_put();
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    unlink(files[i]);
  ok(chdir("..") == 0 && rmdir(folder) == 0, "no other file was made");
  done_testing();
}
