#include "data/files/contact_network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct cairn_contact_row, member)

static const struct cairn_step_column columns[] = {
    {"step", "1", "steps done", 0, 1, AT(step)},
    {"time", "s", "simulated time", 0, 1, AT(time)},
    {"body_a", "1", "body of lower id", 1, 1, AT(a)},
    {"body_b", "1", "body of higher id; -1 - w for the wall w", 1, 1, AT(b)},
    {"bond", "1", "1 where a bond holds them", 1, 1, AT(bond)},
    {"normal", "1", "unit vector from a to b", 0, 3, AT(normal)},
    {"normal_force", "N", "force along the normal, positive where they push each other apart", 0, 1, AT(push)},
    {"tangential_force", "N", "force on b in the plane of contact", 0, 3, AT(shear)},
};

const struct cairn_step_kind cairn_contact_network_kind = {
    .name = "contacts",
    .dimension = "contact",
    .summary = "Contacts of a simulation of granular matter at the times of its frames, with their forces.",
    .column = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .row_size = sizeof(struct cairn_contact_row),
};

/* NAME.nc becomes NAME.contacts.nc. */
static char *name_of(const char *trajectory) {
  static const char extension[] = ".nc", suffix[] = ".contacts.nc";
  const size_t length = strlen(trajectory),
               stem = length >= 3 && !strcmp(trajectory + length - 3, extension) ? length - 3 : length;
  char *name = malloc(stem + sizeof suffix);
  if (name)
    snprintf(name, stem + sizeof suffix, "%.*s%s", (int)stem, trajectory, suffix);
  return name;
}

/* Keep the rows of this time; a pair of ids that no run writes is damage. */
static int keep(struct cairn_contact_row *rows, int64_t *n, double time, int64_t n_bodies, const char *path,
                struct cairn_error *error) {
  int64_t kept = 0;
  for (int64_t k = 0; k < *n; k++) {
    const struct cairn_contact_row *row = rows + k;
    if (row->a < 0 || row->a >= n_bodies || row->b >= n_bodies || (row->b >= 0 && row->b <= row->a))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: row %lld is of the bodies %d and %d", path,
                             (long long)k, row->a, row->b);
    if (fabs(row->time - time) <= 1e-9 * fabs(time))
      rows[kept++] = *row;
  }
  *n = kept;
  return 0;
}

int cairn_contact_network_read(const char *trajectory, double time, int64_t n_bodies, struct cairn_contact_row **rows,
                               int64_t *n, struct cairn_error *error) {
  char *path = name_of(trajectory);
  void *all = NULL;
  if (!path)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  int status = cairn_step_table_read(path, &cairn_contact_network_kind, &all, n, error);
  *rows = all;
  if (!status)
    status = keep(*rows, n, time, n_bodies, path, error);
  free(path);
  if (status) {
    free(*rows);
    *rows = NULL;
  }
  return status;
}
