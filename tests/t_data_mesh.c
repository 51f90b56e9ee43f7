/* Meshes from files: what is in them is what is read, and what cannot be one is refused with the place. */
#include "tap/tap.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cairn/error.h"
#include "data/base/random.h"
#include "data/geometry/mesh.h"
#include "data/geometry/mesh_tree.h"
#include "kernels/shapes/mesh.h"

static char folder[3072], path[4096];
static const double ORIGIN[3] = {-0., 0., -0.};

static void write_file(const char *name, const void *bytes, size_t size) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
    BAIL_OUT("cannot write '%s'", path);
}

/* Write the text, read it as a mesh, remove it. */
static struct cairn_mesh *read_text(const char *name, const char *text, struct cairn_error *error) {
  struct cairn_mesh *mesh;
  write_file(name, text, strlen(text));
  const int status = cairn_mesh_read(path, 1., ORIGIN, &mesh, error);
  unlink(path);
  if ((status == CAIRN_OK) != (mesh != NULL) || (status != CAIRN_OK && status != error->status))
    BAIL_OUT("status %d", status);
  return mesh;
}

static void reads(const char *name, const char *text, int64_t n_triangles, const char *what) {
  struct cairn_error error = {0};
  struct cairn_mesh *mesh = read_text(name, text, &error);
  cmp_ok(mesh ? mesh->n_triangles : -1, "==", n_triangles, "%s", what);
  if (!mesh)
    diag("%s", error.message);
  cairn_mesh_free(mesh);
}

static void refuses(const char *name, const char *text, const char *pattern, const char *what) {
  struct cairn_error error = {0};
  struct cairn_mesh *mesh = read_text(name, text, &error);
  ok(!mesh && error.status == CAIRN_ERR_INPUT && strstr(error.message, name), "%s: refused", what);
  like(error.message, pattern, "%s: says so", what);
  cairn_mesh_free(mesh);
}

/* ASCII STL */

#define FACET(a, b, c)                                                                                                 \
  " facet normal 0 0 0\n  outer loop\n   vertex " a "\n   vertex " b "\n   vertex " c "\n  endloop\n endfacet\n"
#define ONE FACET("0 0 0", "1 0 0", "0 1 0")

static void test_ascii(void) {
  reads("a.stl", "solid a b c\n" ONE "endsolid a b c\n", 1, "ASCII STL");
  reads("a.stl", "solid\r\n" ONE "endsolid", 1, "without name and last newline, with carriage returns");
  reads("a.stl", "\n solid x\n\n" ONE "endsolid\nsolid y\n" FACET("0 0 1", "1 0 1", "0 1 1") "endsolid\n", 2,
        "two solids and empty lines");
  reads("a.stl",
        "SOLID A\n FACET NORMAL nan nan nan\n OUTER LOOP\n VERTEX 0 0 0\n VERTEX +1.e0 0 0\n VERTEX 0 .5E1 0\n"
        "ENDLOOP\nENDFACET\nENDSOLID\n",
        1, "capitals, exponents and a normal that is none");
  refuses("a.stl", "solid\n" FACET("0 0 0", "1 0 0", "0 1 x") "endsolid\n", ":6: found x; allowed: a finite number",
          "a coordinate that is no number");
  refuses("a.stl", "solid\n" FACET("0 0 0", "1 nan 0", "0 1 0") "endsolid\n", ":5: found nan", "NaN");
  refuses("a.stl", "solid\n" FACET("0 0 0", "1e999 0 0", "0 1 0") "endsolid\n", ":5: found 1e999", "overflow");
  refuses("a.stl", "solid\n" FACET("0 0 0", "1 0", "0 1 0") "endsolid\n", ":5: .*end of the line.*three",
          "two coordinates");
  refuses("a.stl", "solid\n facet\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n endloop\n",
          ":6: found endloop; allowed: vertex", "two corners");
  refuses("a.stl", "solid\n facet\n outer loop\n vertex 0 0 0\n", ":4: found the end of the file; allowed: vertex",
          "an end within a triangle");
  refuses("a.stl", "solid\n" ONE, ":8: found the end of the file; allowed: facet or endsolid", "an end within a solid");
  refuses("a.stl", "solid\nendsolid\n" ONE, ":3: found facet; allowed: solid", "a triangle outside of a solid");
  refuses("a.stl", "solid\nvertex 1 2 3\n", ":2: found vertex; allowed: facet or endsolid", "a corner outside");
  refuses("a.stl", "solid\nendsolid\n", "no triangle", "a solid without triangles");
  refuses("a.stl", "solid\n" FACET("0 0 0", "1 0 0", "2 0 0") FACET("0 0 0", "0 0 0", "1 1 1") "endsolid\n",
          "no triangle with an area, 2 without", "only degenerate triangles");
  refuses("a.stl", "hello\n", "neither STL \\(too short, 6 bytes\\) nor .*\\.obj", "something else");
  refuses("a.stl", "", "empty", "an empty file");
}

static void test_long_line(void) {
  char *text = malloc(70001);
  if (!text)
    BAIL_OUT("out of memory");
  memset(text, 'x', 70000);
  memcpy(text, "solid\n", 6);
  text[70000] = '\0';
  refuses("a.stl", text, ":2: found a line that does not end; allowed: at most 65535", "an overlong line");
  memset(text + 6, ' ', 65535);
  strcpy(text + 6 + 65535, "\n" ONE "endsolid\n");
  reads("a.stl", text, 1, "a line of just 65535 characters");
  struct cairn_error error = {0};
  struct cairn_mesh *mesh;
  memset(text, ' ', 200);
  memcpy(text, "solid\n", 6);
  text[190] = '\0';
  write_file("a.stl", text, 200);
  cmp_ok(cairn_mesh_read(path, 1., ORIGIN, &mesh, &error), "==", CAIRN_ERR_INPUT, "NUL in text");
  like(error.message, ":2: found a NUL character", "NUL in text: says so");
  unlink(path);
  free(text);
}

/* OBJ */

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void test_obj(void) {
  reads("a.obj", "# c\nmtllib x\n" SQUARE "vn 0 0 1\nvt 0 0\nusemtl y\ns off\nf 1 2 3\n", 1, "OBJ");
  reads("A.OBJ", SQUARE "f 1/1 2/2 3/3\nf 1//1 3//1 4//1\n", 2, "corners with textures and normals");
  reads("a.obj", SQUARE "f 1/1/1 2/1/1 3/1/1 4/1/1\n", 2, "a quadrangle is two triangles");
  reads("a.obj", SQUARE "v -0.5 0.5 0\r\nf 1 2 3 4 -1\r\n", 3, "a pentagon is three");
  reads("a.obj", SQUARE "f -4 -3 -2\nv 5 5 5\nf -5 -3 -1", 2, "negative numbers count from the last vertex so far");
  reads("a.obj", "v 0 0 0 1\nv 1 0 0 0.1 0.2 0.3\nv 0 1 0\nf 1 2 3\n", 1, "weights and colours are left out");
  refuses("a.obj", SQUARE "f 1 2 5\n", ":5: found 5; .*one of the 4 vertices so far", "a vertex that is not there");
  refuses("a.obj", SQUARE "f 1 2 -5\n", ":5: found -5", "a vertex before the first");
  refuses("a.obj", SQUARE "f 0 1 2\n", ":5: found 0", "vertex 0");
  refuses("a.obj", SQUARE "f 1 2 3.0\n", ":5: found 3\\.0", "a vertex that is not whole");
  refuses("a.obj", SQUARE "f 1 2 99999999999999999999999999\n", ":5: found 9999", "a huge number");
  refuses("a.obj", SQUARE "f 1 2 9223372036854775808\n", ":5: found 9223", "a number beyond 64 bits");
  refuses("a.obj", SQUARE "f 1 2 /3\n", ":5: found /3", "a corner without vertex");
  refuses("a.obj", SQUARE "f 1 2\n", ":5: .*at least three", "a face of two corners");
  refuses("a.obj", "v 0 0\n", ":1: found the end of the line", "a vertex of two coordinates");
  refuses("a.obj", "v 0 0 inf\n", ":1: found inf", "an infinite vertex");
  refuses("a.obj", SQUARE, "no triangle", "vertices without faces");
  refuses("a.obj", "solid\n" ONE "endsolid\n", "no triangle", "STL in OBJ");
}

/* Binary STL */

static void put_float(unsigned char *at, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  for (int k = 0; k < 4; k++)
    at[k] = (unsigned char)(bits >> 8 * k);
}

static void put_count(unsigned char *file, uint32_t count) {
  for (int k = 0; k < 4; k++)
    file[80 + k] = (unsigned char)(count >> 8 * k);
}

/* A tent of n triangles around the z axis. */
static unsigned char *make_binary(uint32_t n, size_t *size) {
  *size = 84 + 50 * (size_t)n;
  unsigned char *file = calloc(*size, 1);
  if (!file)
    BAIL_OUT("out of memory");
  memcpy(file, "solid, or so it seems", 21);
  put_count(file, n);
  for (uint32_t i = 0; i < n; i++) {
    unsigned char *record = file + 84 + 50 * (size_t)i + 12;
    for (int k = 0; k < 2; k++) {
      const double angle = 2. * 3.141592653589793 * (i + (double)k) / n;
      put_float(record + 12 * k, (float)cos(angle));
      put_float(record + 12 * k + 4, (float)sin(angle));
    }
    put_float(record + 32, 1.f);
  }
  return file;
}

static void refuses_bytes(const unsigned char *bytes, size_t size, const char *pattern, const char *what) {
  struct cairn_error error = {0};
  struct cairn_mesh *mesh;
  write_file("b.stl", bytes, size);
  cmp_ok(cairn_mesh_read(path, 1., ORIGIN, &mesh, &error), "==", CAIRN_ERR_INPUT, "%s: refused", what);
  like(error.message, pattern, "%s: says so", what);
  unlink(path);
}

static void test_binary(void) {
  size_t size;
  unsigned char *file = make_binary(5, &size);
  struct cairn_error error = {0};
  struct cairn_mesh *mesh;
  write_file("b.stl", file, size);
  const double shift[3] = {10., 20., 30.};
  if (cairn_mesh_read(path, 0.5, shift, &mesh, &error))
    BAIL_OUT("%s", error.message);
  cmp_ok(mesh->n_triangles, "==", 5, "binary STL whose header begins with solid");
  tap_near(mesh->upper[2], 30.5, 0., 0., "scaled, then shifted");
  tap_near(mesh->lower[2], 30., 0., 0., "lower end of the box");
  tap_near(mesh->upper[0], 10.5, 0., 0., "upper end of the box");
  tap_near(mesh->data[3], 0x1p-23, 0., 0.06, "tolerance: single precision of the size, about 1");
  cmp_ok(mesh->n_doubles, "==", mesh->data[2] + CAIRN_MESH_NODE * mesh->data[1], "as long as the layout says");
  cairn_mesh_free(mesh);
  ok(cairn_mesh_read(path, 1e60, shift, &mesh, &error) == CAIRN_ERR_INPUT && !mesh, "an absurd scale is refused");
  like(error.message, "triangle 1: found the coordinate", "an absurd scale: says so");
  unlink(path);

  refuses_bytes(file, size - 1, "found 333 bytes; .* 5 triangles.* has 334", "a file cut off");
  refuses_bytes(file, 84, "found 84 bytes", "a header alone");
  refuses_bytes(file, 50, "too short", "half a header");
  put_count(file, 6);
  refuses_bytes(file, size, "found 334 bytes; .* 6 triangles.* has 384", "a wrong count");
  put_count(file, 0xffffffff);
  refuses_bytes(file, size, "4294967295 triangles", "an absurd count");
  put_count(file, 0);
  refuses_bytes(file, 84, "no triangle", "a count of zero");
  put_count(file, 5);
  put_float(file + 84 + 50 * 3 + 12, (float)NAN);
  refuses_bytes(file, size, "triangle 4 .*not finite", "NaN");
  put_float(file + 84 + 50 * 3 + 12, -INFINITY);
  refuses_bytes(file, size, "triangle 4 .*not finite", "an infinity");
  free(file);
}

static void test_limit(void) {
  unsigned char head[84] = {0};
  struct cairn_error error = {0};
  struct cairn_mesh *mesh;
  put_count(head, 50000001);
  write_file("b.stl", head, sizeof head);
  /* a file with a hole: it takes no room */
  if (truncate(path, 84 + 50 * 50000001LL))
    BAIL_OUT("cannot make a long file");
  cmp_ok(cairn_mesh_read(path, 1., ORIGIN, &mesh, &error), "==", CAIRN_ERR_INPUT, "too many triangles: refused");
  like(error.message, "50000001 triangles; allowed: at most 50000000", "too many triangles: says so");
  unlink(path);
}

static void test_no_file(void) {
  struct cairn_error error = {0};
  struct cairn_mesh *mesh;
  snprintf(path, sizeof path, "%s/none.stl", folder);
  ok(cairn_mesh_read(path, 1., ORIGIN, &mesh, &error) == CAIRN_ERR_INPUT && !mesh, "a missing file: refused");
  like(error.message, "none.stl: cannot be read: No such file", "a missing file: says so");
  cmp_ok(cairn_mesh_read(folder, 1., ORIGIN, &mesh, &error), "==", CAIRN_ERR_INPUT, "a folder: refused");
  like(error.message, "not a regular file", "a folder: says so");
  if (mkfifo(path, 0600))
    BAIL_OUT("no pipe");
  cmp_ok(cairn_mesh_read(path, 1., ORIGIN, &mesh, &error), "==", CAIRN_ERR_INPUT, "a pipe: refused, not waited for");
  unlink(path);
  cairn_mesh_free(NULL);
}

/* What is dropped */

static void test_cleaning(void) {
  struct cairn_error error = {0};
  struct cairn_mesh *mesh = read_text("c.obj",
                                      SQUARE "v -0 0 -0\nv 2 0 0\nv 0.5 1e-8 0\nv 0.5 1e-10 0\nf 1 2 3\nf 3 1 2\nf 2 3 "
                                             "1\nf 3 2 1\nf 2 1 3\nf 1 3 2\nf 5 2 3\n" /* once */
                                             "f 1 3 4\nf 1 1 2\nf 1 5 2\nf 1 2 6\nf 1 2 7\nf 1 2 8\n",
                                      &error);
  if (!mesh)
    BAIL_OUT("%s", error.message);
  cmp_ok(mesh->n_triangles, "==", 3, "kept: each once, and one of height 1e-8");
  cmp_ok(mesh->n_duplicate, "==", 6, "duplicates: turned, turned over, and with -0 for 0");
  cmp_ok(mesh->n_degenerate, "==", 4, "degenerate: equal corners, equal but for the sign of 0, in line, height 1e-10");
  cairn_mesh_free(mesh);
}

/* The decimal point is a point, whatever the language of the user. */
static void test_locale(void) {
  const char *found = NULL;
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
    found = setlocale(LC_ALL, names[i]);
  skip(!found, 1, "no locale with a decimal comma");
  reads("a.stl", "solid\n" FACET("0 0 0", "0.5 0 0", "0 0.5 0") "endsolid\n", 1, "in a locale with decimal commas");
  end_skip;
  setlocale(LC_ALL, "C");
}

/* Trees */

/* Every triangle is in one leaf, every box holds what is below it, and levels are as few as the kernel allows. Nodes
 * come in the order of a walk that takes the first child first. */
static int is_sound(const double *data) {
  const int64_t n = (int64_t)data[0], n_nodes = (int64_t)data[1];
  const double *nodes = data + (int64_t)data[2];
  int level[CAIRN_MESH_LEVELS + 1] = {0}, n_left = 1, sound = 1;
  int64_t next = 0;
  for (int64_t i = 0; i < n_nodes && sound && n_left > 0; i++) {
    const double *node = nodes + CAIRN_MESH_NODE * i;
    const int here = level[--n_left];
    if (node[7] > 0.) {
      sound = (int64_t)node[6] == next && node[7] <= 4.;
      next += (int64_t)node[7];
      for (int64_t k = 9 * (int64_t)node[6]; k < 9 * next; k++) {
        const double c = data[CAIRN_MESH_HEADER + k];
        sound = sound && c >= node[k % 3] && c <= node[3 + k % 3];
      }
    } else {
      const double *first = node + CAIRN_MESH_NODE, *second = nodes + CAIRN_MESH_NODE * (int64_t)node[6];
      for (int k = 0; k < 3; k++)
        sound = sound && node[k] == fmin(first[k], second[k]) && node[3 + k] == fmax(first[3 + k], second[3 + k]);
      sound = sound && here < CAIRN_MESH_LEVELS;
      level[n_left++] = here + 1;
      level[n_left++] = here + 1;
    }
  }
  return sound && next == n && n_left == 0;
}

static void test_trees(void) {
  int n_wrong = 0;
  for (int n = 1; n <= 300; n++) {
    double corner[300 * 9], *data;
    size_t n_doubles;
    struct cairn_random random;
    cairn_random_init(&random, (uint64_t)n, 0, 0);
    for (int k = 0; k < 9 * n; k++) /* many equal middles */
      corner[k] = floor(cairn_random_between(&random, 0., 4.));
    if (cairn_mesh_tree_build(corner, n, 0., &data, &n_doubles, NULL))
      BAIL_OUT("out of memory");
    n_wrong += !is_sound(data) || n_doubles != (size_t)(data[2] + CAIRN_MESH_NODE * data[1]);
    free(data);
  }
  cmp_ok(n_wrong, "==", 0, "trees of 1 to 300 triangles hold every triangle once, in boxes that hold it");
}

/* All triangles around one point: no split by place can part them. */
static void test_same_middle(void) {
  enum { N = 100000 };
  double *corner = malloc(9 * N * sizeof *corner), *data;
  size_t n_doubles;
  if (!corner)
    BAIL_OUT("out of memory");
  for (int i = 0; i < N; i++) {
    const double t[9] = {i, 0., 1., -i, i, 0., 0., -i, -1.};
    memcpy(corner + 9 * i, t, sizeof t);
  }
  if (cairn_mesh_tree_build(corner, N, 0., &data, &n_doubles, NULL))
    BAIL_OUT("out of memory");
  ok(is_sound(data), "a tree of %d triangles with the same middle", N);
  free(corner);
  free(data);
}

/* A million triangles: a pleated square, sorted by place as files are, which a naive choice of pivots would be slow
 * on. Fewer under sanitizers, which make it ten times slower. */
static void test_large(void) {
  const char *sanitize = getenv("CAIRN_SANITIZE");
  const uint32_t side = sanitize && *sanitize ? 223 : 708, n = 2 * side * side;
  const size_t size = 84 + 50 * (size_t)n;
  unsigned char *file = calloc(size, 1);
  if (!file)
    BAIL_OUT("out of memory");
  put_count(file, n);
  for (uint32_t t = 0; t < n; t++)
    for (uint32_t k = 0; k < 3; k++) {
      static const int corners[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
      const int *corner = corners[t % 2][k];
      const uint32_t i = t / 2 / side + (uint32_t)corner[0], j = t / 2 % side + (uint32_t)corner[1];
      unsigned char *at = file + 84 + 50 * (size_t)t + 12 + 12 * k;
      put_float(at, (float)i);
      put_float(at + 4, (float)j);
      put_float(at + 8, (float)(i % 2));
    }
  write_file("large.stl", file, size);
  free(file);
  struct cairn_error error = {0};
  struct cairn_mesh *mesh;
  if (cairn_mesh_read(path, 1., ORIGIN, &mesh, &error))
    BAIL_OUT("%s", error.message);
  unlink(path);
  cmp_ok(mesh->n_triangles, "==", n, "%u triangles are read", n);
  ok(is_sound(mesh->data), "their tree is sound");
  struct cairn_nearest touches[CAIRN_MESH_TOUCHES];
  /* above the middle of a slope from height 0 to 1 */
  cmp_ok(cairn_mesh_touches(mesh->data, 30.5, 60.3, 0.6, 0.4, touches), "==", 1, "a touch with them");
  tap_near(touches[0].distance, 0.1 / sqrt(2.), 1e-15, 0., "at its distance");
  cairn_mesh_free(mesh);
}

int main(void) {
  plan(NO_PLAN);
  const char *parent = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/cairn-mesh-XXXXXX", parent && *parent ? parent : "/tmp");
  if (!mkdtemp(folder))
    BAIL_OUT("no temporary folder");
  test_ascii();
  test_long_line();
  test_obj();
  test_binary();
  test_limit();
  test_no_file();
  test_cleaning();
  test_locale();
  test_trees();
  test_same_middle();
  test_large();
  rmdir(folder);
  done_testing();
}
