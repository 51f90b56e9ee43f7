/* The field tables: consistent in themselves, covering the whole state, and documented in docs/files.md. */
#include "data_sample.h"

static void test_table(void) {
  int n_bad = 0;
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *a = &cairn_fields[i];
    n_bad += (a->components != 1 && a->components != 3 && a->components != 4 && a->components != 6) || !a->unit ||
             !a->long_name;
    n_bad += !!(a->flags & (CAIRN_FIELD_STATIC | CAIRN_FIELD_FRAME)) != !!a->trajectory;
    n_bad += !!(a->flags & CAIRN_FIELD_CHECKPOINT) != !!a->checkpoint;
    n_bad += a->trajectory && a->list != CAIRN_FIELD_BODIES;
    n_bad += a->flags & CAIRN_FIELD_CAPTURE && !(a->flags & CAIRN_FIELD_FRAME);
    n_bad += a->flags & CAIRN_FIELD_STRESS && a->flags != (CAIRN_FIELD_STRESS | CAIRN_FIELD_FRAME);
    for (int j = 0; j < i; j++) {
      const struct cairn_field *b = &cairn_fields[j];
      n_bad += a->trajectory && b->trajectory && !strcmp(a->trajectory, b->trajectory);
      n_bad += a->checkpoint && b->checkpoint && !strcmp(a->checkpoint, b->checkpoint);
    }
  }
  cmp_ok(n_bad, "==", 0, "names, flags and lists of all fields fit together");
}

/* Change one value of each field: the digest must change, so nothing the digest covers is missing in checkpoints. */
static void test_cover(void) {
  struct cairn_state state;
  char before[CAIRN_DIGEST_LENGTH + 1], after[CAIRN_DIGEST_LENGTH + 1];
  size_t arrays = 0;
  sample_state(&state, 5, 1);
  sample_captures(&state);
  cairn_state_digest(&state, before);
  int n_blind = 0;
  for (int i = 0; i < cairn_fields_n; i++) {
    unsigned char *value = cairn_fields_values(&cairn_fields[i], &state);
    if (!value)
      continue;
    arrays++;
    value[0] ^= 1;
    cairn_state_digest(&state, after);
    value[0] ^= 1;
    n_blind += !strcmp(before, after);
  }
  struct cairn_contacts *lists[] = {&state.contacts, &state.wall_contacts};
  for (int l = 0; l < 2; l++)
    for (uint32_t i = 0; i < lists[l]->size; i++) {
      lists[l]->record[i] ^= 1;
      cairn_state_digest(&state, after);
      lists[l]->record[i] ^= 1;
      n_blind += !strcmp(before, after);
    }
  cmp_ok(n_blind, "==", 0, "each field is part of the digest");
  int n_empty = 0;
  for (int i = 0; i < cairn_fields_n; i++) {
    const char *values = cairn_fields_values(&cairn_fields[i], &state);
    const size_t bytes = (size_t)cairn_fields_count(&state, cairn_fields[i].list) * (size_t)cairn_fields[i].components *
                         cairn_fields_size(cairn_fields[i].type);
    size_t n_zero = 0;
    while (values && n_zero < bytes && values[n_zero] == 0)
      n_zero++;
    if (values && n_zero == bytes)
      diag("the sample state of tests/data_sample.h has no values of '%s'", cairn_fields[i].long_name);
    n_empty += values && n_zero == bytes;
  }
  cmp_ok(n_empty, "==", 0, "and has values in the sample that the tests of files write and read");
  /* All of struct cairn_state but step, time, skin, two of the momentum, seven sums since the start, two of the
   * refresh, two counts and the contacts is pointers to arrays. */
  size_t counted =
      (sizeof state - 10 * sizeof(int64_t) - 6 * sizeof(double) - 2 * sizeof(struct cairn_contacts)) / sizeof(void *);
  cmp_ok(arrays, "==", counted, "each array of the state is a field");
  cairn_state_fini(&state);
}

static void test_observables(void) {
  size_t bytes = 0;
  for (int i = 0; i < cairn_observables_n_fields; i++) {
    cmp_ok(cairn_observables_fields[i].offset, "==", bytes, "%s is in the order of the struct",
           cairn_observables_fields[i].name);
    bytes += (size_t)cairn_observables_fields[i].components * sizeof(double);
  }
  cmp_ok(bytes, "==", sizeof(struct cairn_observables), "all observables are in the table");
}

static void test_walls(void) {
  size_t bytes = 0;
  int n_nowhere = 0;
  for (int i = 0; i < cairn_wall_record_n_fields; i++) {
    cmp_ok(cairn_wall_fields[i].offset, "==", bytes, "%s is in the order of the struct", cairn_wall_fields[i].name);
    bytes += (size_t)cairn_wall_fields[i].components * sizeof(double);
    n_nowhere += !(cairn_wall_fields[i].files & (CAIRN_WALL_TRAJECTORY | CAIRN_WALL_SERIES));
  }
  cmp_ok(bytes, "==", sizeof(struct cairn_wall_sample), "all of a wall is in the table");
  cmp_ok(n_nowhere, "==", 0, "and in a file");
}

/* A table row of the page: | `name` | `unit` | … */
static int is_documented(const char *page, const char *name, const char *unit) {
  char row[256];
  snprintf(row, sizeof row, "| `%s` | `%s` |", name, unit);
  if (strstr(page, row))
    return 1;
  diag("docs/files.md has no row %s", row);
  return 0;
}

static void test_documents(void) {
  const char *source = getenv("CAIRN_SOURCE_DIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/docs/files.md", source ? source : "..");
  skip(access(path, R_OK), 4, "docs/files.md is not at hand");
  size_t size;
  char *page = (char *)sample_read(path, &size);
  int n_trajectory = 0, n_checkpoint = 0, n_series = 0, n_walls = 0;
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    n_trajectory += field->trajectory && !is_documented(page, field->trajectory, field->unit);
    n_checkpoint += field->checkpoint && !is_documented(page, field->checkpoint, field->unit);
  }
  for (int i = 0; i < cairn_observables_n_fields; i++)
    n_series += !is_documented(page, cairn_observables_fields[i].name, cairn_observables_fields[i].unit);
  for (int i = 0; i < cairn_wall_record_n_fields; i++)
    n_walls += !is_documented(page, cairn_wall_fields[i].name, cairn_wall_fields[i].unit);
  cmp_ok(n_trajectory, "==", 0, "docs/files.md has all variables of trajectories");
  cmp_ok(n_checkpoint, "==", 0, "and of checkpoints");
  cmp_ok(n_series, "==", 0, "and of series");
  cmp_ok(n_walls, "==", 0, "and of walls");
  free(page);
  end_skip;
}

int main(void) {
  plan(NO_PLAN);
  test_table();
  test_cover();
  test_observables();
  test_walls();
  test_documents();
  done_testing();
}
