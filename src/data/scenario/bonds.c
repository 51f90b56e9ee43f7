#include "data/scenario/bonds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/lines.h"
#include "data/base/path.h"
#include "data/initial/bodies.h"
#include "data/scenario/cohesion.h"
#include "data/scenario/scenario.h"
#include "data/scenario/unused_keys.h"
#include "data/schema/schema.h"

enum { MAX_LINE = 256 };

static bool is(const struct cairn_node *node, const char *key, const char *word) {
  return strcmp(cairn_schema_text(node, key), word) == 0;
}

/* ---- tables of pairs ---- */

static int add_pair(struct cairn_bonds *bonds, long low, long high) {
  const int64_t n = bonds->n_pairs;
  if ((n & (n - 1)) == 0) { /* room doubles */
    void *grown = realloc(bonds->pair, (size_t)(n > 0 ? 2 * n : 1) * sizeof *bonds->pair);
    if (!grown)
      return -1;
    bonds->pair = grown;
  }
  bonds->pair[n][0] = (int32_t)low;
  bonds->pair[n][1] = (int32_t)high;
  bonds->n_pairs++;
  return 0;
}

/* Two ids, separated by blanks or a comma; comments and empty lines have none. */
static int take_line(const struct cairn_scenario *s, struct cairn_bonds *bonds, char *text, const char *name, long line,
                     struct cairn_error *error) {
  const int64_t first = s->share.first, n_all = cairn_scenario_n_bodies(s);
  long id[2];
  char *at = text, *end;
  text[strcspn(text, "#")] = '\0';
  if (text[strspn(text, " \t\r,")] == '\0')
    return CAIRN_OK;
  for (int k = 0; k < 2; k++) {
    at += strspn(at, " \t,");
    errno = 0;
    id[k] = strtol(at, &end, 10);
    if (end == at || errno || id[k] < 0 || id[k] >= INT32_MAX || !strchr(" \t\r,", *end))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s:%ld: found '%.40s'; allowed: the ids of two bodies", name,
                             line, text);
    at = end;
  }
  if (at[strspn(at, " \t\r,")] != '\0' || id[0] == id[1])
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s:%ld: found '%.40s'; allowed: the ids of two different bodies",
                           name, line, text);
  const long low = id[0] < id[1] ? id[0] : id[1], high = id[0] < id[1] ? id[1] : id[0];
  if (high >= n_all)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "%s: bonds.%d.table: bonds bodies %ld and %ld, but there are %lld bodies; allowed: ids 0 … "
                           "%lld",
                           s->file, (int)(bonds - s->bonds), low, high, (long long)n_all, (long long)n_all - 1);
  if (low < first || low >= first + s->initial.n)
    return CAIRN_OK; /* of another rank */
  return add_pair(bonds, low, high) ? cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", name) : CAIRN_OK;
}

static int read_table(const struct cairn_scenario *s, const char *path, const char *name, struct cairn_bonds *bonds,
                      struct cairn_error *error) {
  FILE *stream = cairn_lines_open(path);
  char text[MAX_LINE];
  size_t length;
  long line = 0;
  int status = CAIRN_OK;
  if (!stream)
    return cairn_error_set(error, errno == EACCES || errno == EIO ? CAIRN_ERR_IO : CAIRN_ERR_INPUT,
                           "%s: cannot be read: %s", name, errno == EINVAL ? "not a regular file" : strerror(errno));
  enum cairn_lines kind = CAIRN_LINES_END;
  while (status == CAIRN_OK && (kind = cairn_lines_next(stream, text, sizeof text, &length)) == CAIRN_LINES_TEXT)
    status = take_line(s, bonds, text, name, ++line, error);
  fclose(stream);
  if (status == CAIRN_OK && kind == CAIRN_LINES_FAILED)
    return cairn_error_set(error, CAIRN_ERR_IO, "%s: cannot be read: %s", name, strerror(errno));
  if (status == CAIRN_OK && kind != CAIRN_LINES_END)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s:%ld: too long, or not text; allowed: the ids of two bodies",
                           name, line + 1);
  return status;
}

/* ---- entries ---- */

static int find_wall(const struct cairn_scenario *s, const struct cairn_node *node, struct cairn_bonds *bonds,
                     struct cairn_error *error) {
  const struct cairn_node *wall = cairn_yaml_child(node, "wall");
  bonds->wall = -1;
  for (int32_t w = 0; wall && w < s->n_walls; w++)
    if (strcmp(s->walls[w].name, wall->text) == 0)
      bonds->wall = w;
  if (wall && bonds->wall < 0)
    return cairn_yaml_error(error, s->file, wall, "found '%.80s'; allowed: the name of a wall", wall->text);
  if (wall && cairn_yaml_child(node, "table"))
    return cairn_yaml_error(error, s->file, wall, "found beside a table of pairs; allowed: one of the two");
  if (wall && s->walls[bonds->wall].mesh)
    return cairn_yaml_error(error, s->file, wall, "found '%.80s', a mesh; allowed: any other wall", wall->text);
  if (wall && s->walls[bonds->wall].behavior != CAIRN_WALL_SOLID &&
      s->walls[bonds->wall].behavior != CAIRN_WALL_FRICTIONLESS)
    return cairn_yaml_error(error, s->file, wall, "found '%.80s', which captures or removes bodies; allowed: any other",
                            wall->text);
  return CAIRN_OK;
}

static int read_limits(const struct cairn_scenario *s, const struct cairn_node *node, struct cairn_bonds *bonds,
                       struct cairn_error *error) {
  const struct cairn_node *strength = cairn_yaml_child(node, "strength");
  bonds->strain = cairn_schema_number(node, "strain");
  bonds->strain_scatter = cairn_schema_number(node, "strain_scatter");
  bonds->strength = strength ? cairn_schema_number(node, "strength") : 0.;
  bonds->strength_scatter = cairn_schema_number(node, "strength_scatter");
  if (strength && bonds->strain > 0.)
    return cairn_yaml_error(error, s->file, strength, "found beside strain; allowed: one of the two");
  if (bonds->strain_scatter > 0. && bonds->strain == 0.)
    return cairn_yaml_error(error, s->file, cairn_yaml_child(node, "strain_scatter"),
                            "found without a strain; needed: strain greater than 0");
  if (bonds->strength_scatter > 0. && !strength)
    return cairn_yaml_error(error, s->file, cairn_yaml_child(node, "strength_scatter"),
                            "found without a strength; needed: strength greater than 0");
  if (bonds->law.beam != 0. && !strength && bonds->strain == 0.)
    return cairn_yaml_error(error, s->file, node, "a beam needs a strength or a strain at which it breaks");
  return CAIRN_OK;
}

static int read_entry(const struct cairn_scenario *s, const struct cairn_node *node, bool dry,
                      struct cairn_bonds *bonds, struct cairn_error *error) {
  const struct cairn_node *between = cairn_yaml_child(node, "between"), *creep = cairn_yaml_child(node, "creep_time");
  const struct cairn_node *in = cairn_yaml_child(node, "in");
  const struct cairn_node *table = cairn_yaml_child(node, "table");
  *bonds = (struct cairn_bonds){
      .law = {.beam = is(node, "law", "beam") ? 1. : 0.,
              .damping = cairn_schema_number(node, "damping"),
              .pushes = is(node, "compression", "true") ? 1. : 0.,
              .slips = is(node, "slip", "breaks") ? 1. : 0.,
              .creep = creep ? 1. / cairn_schema_number(node, "creep_time") : 0.,
              .rate = cairn_schema_number(node, "rate_time"),
              .shear = 0.5 / (1. + cairn_schema_number(node, "poisson_ratio")),
              .shear_strength = cairn_schema_number(node, "shear_strength")},
      .material = {-1, -1},
      .has_region = in != NULL,
      .gap = cairn_schema_number(node, "gap"),
      .has_table = table != NULL,
      .modulus = cairn_schema_number(node, "modulus"),
      .modulus_scatter = cairn_schema_number(node, "modulus_scatter"),
  };
  int status = find_wall(s, node, bonds, error);
  for (int k = 0; k < 2 && between && status == CAIRN_OK; k++)
    status = cairn_bodies_find_material(s, between->child[k], bonds->material + k, error);
  if (status == CAIRN_OK && in && table)
    status = cairn_yaml_error(error, s->file, in, "found beside table; allowed: one of the two");
  if (status == CAIRN_OK && in)
    status = cairn_region_read(in, s->file, dry, &bonds->region, error);
  return status == CAIRN_OK ? read_limits(s, node, bonds, error) : status;
}

int cairn_bonds_read_tables(struct cairn_scenario *s, struct cairn_error *error) {
  const struct cairn_node *list = cairn_yaml_child(s->tree, "bonds");
  int status = CAIRN_OK;
  for (size_t i = 0; i < list->n && status == CAIRN_OK; i++) {
    struct cairn_node *table = cairn_yaml_child(list->child[i], "table");
    char name[256];
    if (!table)
      continue;
    snprintf(name, sizeof name, "%.255s", table->text);
    status = cairn_path_resolve(s->file, table, error);
    if (status == CAIRN_OK)
      status = read_table(s, table->text, name, s->bonds + i, error);
  }
  return status;
}

int cairn_bonds_read(struct cairn_scenario *s, bool dry, struct cairn_error *error) {
  const struct cairn_node *list = cairn_yaml_child(s->tree, "bonds");
  int status = CAIRN_OK;
  if (list->n > 0 && !cairn_unused_keys_is_used(s, "bonds"))
    return cairn_yaml_error(error, s->file, list, "found bonds; allowed with `method: %s`: none",
                            cairn_schema_text(s->tree, "method"));
  if (list->n > 0 && cairn_cohesion_has_necks(s))
    return cairn_yaml_error(error, s->file, list, "found bonds beside `adhesion_law: jkr`; allowed: one of the two");
  s->bonds = calloc(list->n + 1, sizeof *s->bonds);
  if (!s->bonds)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", s->file);
  for (size_t i = 0; i < list->n && status == CAIRN_OK; i++)
    status = read_entry(s, list->child[i], dry, s->bonds + s->n_bonds++, error);
  return status;
}

void cairn_bonds_fini(struct cairn_scenario *s) {
  for (int32_t i = 0; i < s->n_bonds; i++) {
    free(s->bonds[i].pair);
    cairn_region_fini(&s->bonds[i].region);
  }
  free(s->bonds);
  s->bonds = NULL;
  s->n_bonds = 0;
}

bool cairn_bonds_have_beams(const struct cairn_scenario *s) {
  bool found = false;
  for (int32_t i = 0; i < s->n_bonds; i++)
    found |= s->bonds[i].law.beam != 0.;
  return found;
}
