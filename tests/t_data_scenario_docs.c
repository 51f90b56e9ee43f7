/* docs/scenario.md against the schema: one row for every key, saying what the table says, and no other rows; every
 * example on the page is valid. */
#include "data/scenario/scenario.h"
#include "data/schema/schema.h"
#include "data/schema/yaml.h"
#include "tap/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_page(void) {
  const char *source = getenv("CAIRN_SOURCE_DIR");
  char path[4096];
  if (!source)
    plan(SKIP_ALL, "CAIRN_SOURCE_DIR is not set");
  snprintf(path, sizeof path, "%s/docs/scenario.md", source);
  FILE *file = fopen(path, "rb");
  char *page = calloc(1, 1 << 20);
  if (!file || !page || fread(page, 1, (1 << 20) - 1, file) == 0)
    BAIL_OUT("cannot read docs/scenario.md");
  fclose(file);
  return page;
}

static int n_keys;

static void check_row(void *context, const struct cairn_schema_row *row) {
  const char *page = context;
  char wanted[1024];
  snprintf(wanted, sizeof wanted, "\n| `%s` | %s | %s | %s | %s | %s |\n", row->path, row->type, row->unit, row->range,
           row->fallback, row->description);
  const char *found = strstr(page, wanted);
  if (!ok(found && !strstr(found + 1, wanted), "%s has its row, once", row->path))
    diag("wanted: %s", wanted + 1);
  n_keys++;
}

/* A part of a scenario, completed with what it leaves out. */
static void check_example(const char *text, size_t length, int number) {
  static const struct {
    const char *key, *rest;
  } needed[] = {{"time", "time: {end: 1}\n"},
                {"materials", "materials: [{name: rock, density: 1}]\n"},
                {"interactions", "interactions: [{between: [rock, rock]}]\n"},
                {"bodies", "bodies: [{single: {position: [0, 0, 9], radius: 1, material: rock}}]\n"}};
  struct cairn_error error;
  struct cairn_node *tree = NULL;
  struct cairn_scenario *scenario = NULL;
  char whole[8192];
  snprintf(whole, sizeof whole, "%.*s", (int)length, text);
  int status = cairn_yaml_parse(text, length, "scenario.md", &tree, &error);
  for (size_t i = 0; status == 0 && i < sizeof needed / sizeof *needed; i++)
    if (!cairn_yaml_child(tree, needed[i].key))
      strncat(whole, needed[i].rest, sizeof whole - strlen(whole) - 1);
  cairn_yaml_free(tree);
  if (status == 0)
    status =
        cairn_scenario_parse(whole, strlen(whole), "scenario.md", 0, NULL, CAIRN_SCENARIO_NO_BODIES, &scenario, &error);
  if (!ok(status == 0, "example %d is valid", number))
    diag("%s\n%s", error.message, whole);
  cairn_scenario_free(scenario);
}

/* The files that examples name. */
static const char *const files[][2] = {{"chute.stl", "solid chute\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
                                                     "vertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n"},
                                       {"shake.txt", "# t x y z\n0 0 0 0\n1 0 0 0.1\n"}};

static void write_files(void) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    FILE *file = fopen(files[i][0], "w");
    if (!file || fputs(files[i][1], file) < 0 || fclose(file) != 0)
      BAIL_OUT("cannot write %s", files[i][0]);
  }
}

int main(void) {
  char *page = read_page(), folder[] = "docs-XXXXXX";
  plan(NO_PLAN);
  if (!mkdtemp(folder) || chdir(folder) != 0)
    BAIL_OUT("no temporary folder");
  write_files();
  cairn_schema_walk(check_row, page);

  int n_rows = 0;
  for (const char *row = strstr(page, "\n| `"); row; row = strstr(row + 1, "\n| `"))
    n_rows++;
  cmp_ok(n_rows, "==", n_keys, "the page documents nothing that does not exist");
  cmp_ok(n_keys, ">", 160, "the schema was walked");

  static const char fence[] = "\n```yaml\n";
  int n_examples = 0;
  for (const char *start = strstr(page, fence); start; start = strstr(start, fence)) {
    start += sizeof fence - 1;
    const char *end = strstr(start, "\n```\n");
    if (!end)
      BAIL_OUT("an example does not end");
    check_example(start, (size_t)(end - start) + 1, ++n_examples);
  }
  cmp_ok(n_examples, ">=", 25, "there are examples");
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    remove(files[i][0]);
  if (chdir("..") != 0 || rmdir(folder) != 0)
    diag("the temporary folder %s stays", folder);
  free(page);
  done_testing();
}
