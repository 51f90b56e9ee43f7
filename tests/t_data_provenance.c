/* Provenance: the list itself, and that build, machine, date and job are in it. */
#include "tap/tap.h"

#include <stdlib.h>
#include <string.h>

#include "data/files/provenance.h"

static const char *value_of(const struct cairn_provenance *provenance, const char *name) {
  for (int i = 0; i < provenance->n; i++)
    if (!strcmp(provenance->entry[i].name, name))
      return provenance->entry[i].value;
  return NULL;
}

static void test_list(void) {
  struct cairn_provenance provenance = {0};
  struct cairn_error error = {0};
  ok(!cairn_provenance_set(&provenance, "seed", "1", &error), "add");
  ok(!cairn_provenance_set(&provenance, "seed", "2", &error) && provenance.n == 1, "replace");
  is(value_of(&provenance, "seed"), "2", "the new value");
  ok(!cairn_provenance_set(&provenance, "parent", NULL, &error), "no value");
  is(value_of(&provenance, "parent"), "", "is an empty one");
  static const char *const bad[] = {
      "", "9lives", "a b", "a/b", "_Fill", "größe", "a_name_that_is_much_too_long_for_the_space_there_is"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cmp_ok(cairn_provenance_set(&provenance, bad[i], "x", &error), "==", CAIRN_ERR_INPUT, "bad name '%s'", bad[i]);
  char name[] = "a0";
  int status = 0;
  while (provenance.n < CAIRN_PROVENANCE_MAX && !status) {
    name[0] = (char)('a' + provenance.n / 10);
    name[1] = (char)('0' + provenance.n % 10);
    status = cairn_provenance_set(&provenance, name, "x", &error);
  }
  ok(!status, "fill the list");
  cmp_ok(cairn_provenance_set(&provenance, "more", "x", &error), "==", CAIRN_ERR_INPUT, "a full list is refused");
  ok(!cairn_provenance_set(&provenance, "seed", "3", &error), "but a replacement is not");
  cairn_provenance_fini(&provenance);
  cmp_ok(provenance.n, "==", 0, "freed");
}

static void test_facts(void) {
  struct cairn_provenance provenance;
  struct cairn_error error = {0};
  setenv("SLURM_JOB_ID", "4711", 1);
  setenv("SLURM_JOB_NODELIST", "node[1-2]", 1);
  unsetenv("SLURM_ARRAY_TASK_ID");
  ok(!cairn_provenance_init(&provenance, &error), "gather: %s", error.message);
  is(value_of(&provenance, "program"), "cairn", "program");
  like(value_of(&provenance, "programVersion"), "^[0-9]+\\.[0-9]+\\.[0-9]+", "version");
  static const char *const present[] = {"git_hash",   "compiler", "compile_flags",
                                        "build_type", "host",     "operating_system"};
  for (size_t i = 0; i < sizeof present / sizeof *present; i++)
    ok(value_of(&provenance, present[i]), "%s", present[i]);
  static const char *const versions[] = {"starpu_version", "netcdf_version", "hwloc_version"};
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
    like(value_of(&provenance, versions[i]), "^[0-9]+\\.[0-9]+", "%s", versions[i]);
  like(value_of(&provenance, "topology"), "[0-9]+ cores?, [0-9]+ hardware threads?", "topology");
  like(value_of(&provenance, "date_created"), "^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$", "date");
  is(value_of(&provenance, "slurm_job_id"), "4711", "Slurm job");
  is(value_of(&provenance, "slurm_job_nodelist"), "node[1-2]", "Slurm nodes");
  ok(!value_of(&provenance, "slurm_array_task_id"), "what the job does not have is left out");
  cmp_ok(provenance.n, "<=", CAIRN_PROVENANCE_MAX - 16, "room is left for what a run adds");
  cairn_provenance_fini(&provenance);
}

int main(void) {
  plan(NO_PLAN);
  test_list();
  test_facts();
  done_testing();
}
