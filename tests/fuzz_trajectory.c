/* Trajectories from strangers, exported to VTK and AMBER and taken as the bodies of a new run. The first byte of an
 * input chooses what the rest is, by its remainder of 4:
 *   0 (d)  a file as it is
 *   1 (a)  edits of a valid file with walls and captures: 3 bytes offset, 1 byte to be put there
 *   2 (b)  the same on one with stress and without walls
 *   3 (c)  lines OLD=NEW: the first OLD in the first file, with its length before it, gets the letters of NEW
 * K stands for edits of a file of contacts, which is read for the fragments that they link.
 * Whatever comes: a status and a message, or files and bodies; and no access past the end of any block, also not by the
 * NetCDF library, which no sanitizer looks into. */
#define _GNU_SOURCE
#include "data_sample.h"

#include <stdbool.h>

#include "data/files/contact_network.h"
#include "data/files/export.h"
#include "data/files/trajectory.h"
#include "data/scenario/scenario.h"
#include "fence.h"
#include "view/page/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N = 4, N_FRAMES = 2, MAX_SIZE = 1 << 17 };

enum { CONTACTS = 2, N_BASES = 3 };
static unsigned char *bases[N_BASES];
static size_t base_sizes[N_BASES];

static void check(bool good) {
  if (!good)
    abort();
}

/* Bodies that do not overlap, so that a run can start from them. */
static void write_base(const char *path, bool has_walls) {
  static const double box[2][3] = {{-1, -2, -3}, {4, 5, 6}};
  static double pressure[N], stress[N][6];
  const struct cairn_body_stress both = {pressure, stress[0]};
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory = NULL;
  struct cairn_observables observables;
  struct cairn_wall_sample walls[2];
  for (int i = 0; i < N_FRAMES; i++) {
    struct cairn_state state;
    sample_state(&state, N, (uint64_t)i);
    for (int k = 0; k < N; k++) {
      state.position[3 * k] = 4. * k;
      state.material[k] = 0;
    }
    if (has_walls)
      sample_captures(&state);
    sample_observables(&observables, (uint64_t)i);
    sample_walls(walls, 2, (uint64_t)i);
    check((i > 0 || !cairn_trajectory_create(path, &state, box, has_walls ? &sample_labels : NULL, !has_walls, NULL,
                                             &trajectory, &error)) &&
          !cairn_trajectory_append(trajectory, &state, &observables, walls, has_walls ? NULL : &both, &error));
    cairn_state_fini(&state);
  }
  cairn_trajectory_close(trajectory, NULL);
}

/* Contacts of two frames, one with a wall. */
static void write_contacts(const char *path) {
  static const struct cairn_contact_row rows[] = {
      {0., 0., 0, 1, 1, {1., 0., 0.}, 2., {0., 0.5, 0.}},
      {0., 0., 2, -1, 0, {0., 0., -1.}, 3., {0., 0., 0.}},
      {10., 1., 1, 3, 0, {0., 1., 0.}, -1., {0.1, 0., 0.}},
  };
  struct cairn_error error = {0};
  struct cairn_step_table *table = NULL;
  check(!cairn_step_table_create(path, &cairn_contact_network_kind, "fuzz", NULL, &table, &error) &&
        !cairn_step_table_append(table, rows, 3, &error) && !cairn_step_table_close(table, &error));
}

static void make_bases(void) {
  sample_make_folder();
  for (int i = 0; i < N_BASES; i++) {
    if (i == CONTACTS)
      write_contacts(sample_path("base.nc"));
    else
      write_base(sample_path("base.nc"), i == 0);
    bases[i] = sample_read(sample_path("base.nc"), &base_sizes[i]);
    check(base_sizes[i] <= MAX_SIZE);
  }
}

static void edit(unsigned char *bytes, size_t n, const uint8_t *data, size_t size) {
  for (size_t i = 0; i + 4 <= size; i += 4) {
    size_t at = (size_t)data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16;
    bytes[at % n] = data[i + 3];
  }
}

/* One line. */
static void give_name(unsigned char *bytes, size_t n, const uint8_t *line, size_t length) {
  const uint8_t *equals = memchr(line, '=', length);
  const size_t old = equals ? (size_t)(equals - line) : 0, new = equals ? length - old - 1 : 0;
  unsigned char counted[64] = {0, 0, 0, (unsigned char)old};
  if (old == 0 || old > sizeof counted - 4)
    return;
  memcpy(counted + 4, line, old);
  unsigned char *at = memmem(bytes, n, counted, 4 + old);
  if (at)
    memcpy(at + 4, equals + 1, new < old ? new : old);
}

static void give_names(unsigned char *bytes, size_t n, const uint8_t *data, size_t size) {
  for (size_t at = 0; at < size;) {
    const uint8_t *end = memchr(data + at, '\n', size - at);
    const size_t length = end ? (size_t)(end - data) - at : size - at;
    give_name(bytes, n, data + at, length);
    at += length + 1;
  }
}

static void check_status(int status, const struct cairn_error *error) {
  check(status == 0 || (status == error->status && error->message[0]));
}

static void try_export(const char *path) {
  struct cairn_error error = {0};
  check_status(cairn_export_vtk(path, sample_path("out"), true, &error), &error);
  check_status(cairn_export_amber(path, sample_path("out.nc"), true, &error), &error);
  check_status(cairn_page_write(1, &path, sample_path("out.html"), &error), &error);
}

static void try_bodies(const char *path) {
  struct cairn_error error = {0};
  struct cairn_scenario *scenario = NULL;
  char text[8192];
  const int length = snprintf(text, sizeof text,
                              "materials: [{name: rock, density: 2500}]\n"
                              "interactions: [{between: [rock, rock], stiffness: 1e6, restitution: 0.5}]\n"
                              "bodies: [{run: {file: '%s', frame: -1}}]\n"
                              "time: {end: 1}\n",
                              path);
  const int status = cairn_scenario_parse(text, (size_t)length, "fuzz.yaml", 0, NULL, 0, &scenario, &error);
  check_status(status, &error);
  check((status == 0) == (scenario != NULL));
  if (scenario)
    check(!cairn_state_check(&scenario->initial, 1, 0, 0, &error));
  cairn_scenario_free(scenario);
}

static void try_contacts(const uint8_t *data, size_t size) {
  char path[4096];
  struct cairn_contact_row *rows = NULL;
  struct cairn_error error = {0};
  int64_t n = 0;
  sample_write(sample_path("run.contacts.nc"), data, size);
  snprintf(path, sizeof path, "%s", sample_path("run.nc"));
  fence_begin();
  const int status = cairn_contact_network_read(path, 0., N, &rows, &n, &error);
  check_status(status, &error);
  for (int64_t k = 0; k < n && !status; k++)
    check(rows[k].a >= 0 && rows[k].a < N && rows[k].b < N);
  free(rows);
  fence_end();
  sample_remove_folder();
  check(mkdir(sample_folder, 0700) == 0);
}

static void try_file(const uint8_t *data, size_t size) {
  char path[4096]; /* a file with a name: scenarios ask the system for the real one */
  snprintf(path, sizeof path, "%s", sample_path("run.nc"));
  sample_write(path, data, size);
  fence_begin();
  try_export(path);
  try_bodies(path);
  fence_end();
  sample_remove_folder();
  check(mkdir(sample_folder, 0700) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static unsigned char edited[MAX_SIZE];
  const bool contacts = size && data[0] == 'K';
  const int kind = contacts ? 1 : size ? data[0] % 4 : 0, base = contacts ? CONTACTS : kind == 2;
  if (!bases[0])
    make_bases();
  if (kind == 0) {
    try_file(size ? data + 1 : data, size ? size - 1 : 0);
    return 0;
  }
  memcpy(edited, bases[base], base_sizes[base]);
  (kind == 3 ? give_names : edit)(edited, base_sizes[base], data + 1, size - 1);
  (contacts ? try_contacts : try_file)(edited, base_sizes[base]);
  return 0;
}
