#include "data/schema/schema.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/number.h"
#include "data/schema/schema_table.h"

enum { MAX_KEYS = 32, MAX_TEXT = 4095, ALLOWED = 512 };

/* Words for documentation and messages */

static void add(char *text, size_t size, const char *more) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s", more);
}

/* "a, b, c" from the names of keys or, where there are none, from words separated by blanks. */
static void add_names(char *text, size_t size, const struct cairn_schema_key *keys, const char *choices) {
  for (const struct cairn_schema_key *key = keys; key && key->name; key++) {
    add(text, size, key == keys ? "" : ", ");
    add(text, size, key->name);
  }
  for (const char *word = choices; word && *word; word += strspn(word, " ")) {
    size_t length = strcspn(word, " ");
    char copy[64];
    snprintf(copy, sizeof copy, "%s%.*s", word == choices ? "" : ", ", (int)length, word);
    add(text, size, copy);
    word += length;
  }
}

static void write_type(const struct cairn_schema_key *key, char *text, size_t size) {
  static const char *const names[] = {[CAIRN_SCHEMA_NUMBER] = "number",
                                      [CAIRN_SCHEMA_INTEGER] = "integer",
                                      [CAIRN_SCHEMA_TEXT] = "text",
                                      [CAIRN_SCHEMA_CHOICE] = "word: ",
                                      [CAIRN_SCHEMA_NUMBERS] = "numbers",
                                      [CAIRN_SCHEMA_INTEGERS] = "integers",
                                      [CAIRN_SCHEMA_TEXTS] = "texts",
                                      [CAIRN_SCHEMA_CHOICES] = "list of words: ",
                                      [CAIRN_SCHEMA_MAP] = "map",
                                      [CAIRN_SCHEMA_ONE_OF] = "map with one of ",
                                      [CAIRN_SCHEMA_LIST_OF_MAPS] = "list of maps",
                                      [CAIRN_SCHEMA_LIST_OF_ONE_OF] = "list of maps with one of "};
  snprintf(text, size, "%s", key->flags & CAIRN_SCHEMA_OR_NUMBER ? "number or " : "");
  if (key->type == CAIRN_SCHEMA_NUMBERS || key->type == CAIRN_SCHEMA_INTEGERS || key->type == CAIRN_SCHEMA_TEXTS)
    snprintf(text + strlen(text), size - strlen(text), "list of %d ", key->length);
  add(text, size, names[key->type]);
  bool one_of = key->type == CAIRN_SCHEMA_ONE_OF || key->type == CAIRN_SCHEMA_LIST_OF_ONE_OF;
  add_names(text, size, one_of ? key->keys : NULL, key->choices);
  if (key->flags & CAIRN_SCHEMA_OR_AUTO)
    add(text, size, " or `auto`");
}

static bool has_numbers(const struct cairn_schema_key *key) {
  return key->type == CAIRN_SCHEMA_NUMBER || key->type == CAIRN_SCHEMA_INTEGER || key->type == CAIRN_SCHEMA_NUMBERS ||
         key->type == CAIRN_SCHEMA_INTEGERS || (key->flags & CAIRN_SCHEMA_OR_NUMBER);
}

static void write_range(const struct cairn_schema_key *key, char *text, size_t size) {
  /* Those of integers and doubles are limits of the machine, not of the key. */
  bool below = has_numbers(key) && key->max != INT32_MAX && key->max != (double)INT64_MAX && key->max < DBL_MAX;
  bool above = has_numbers(key) && key->min > -2147483647.0;
  const char *open_min = key->flags & CAIRN_SCHEMA_OPEN_MIN ? ">" : "≥";
  const char *open_max = key->flags & CAIRN_SCHEMA_OPEN_MAX ? "<" : "≤";
  text[0] = '\0';
  if (above && below)
    snprintf(text, size, "%s %g and %s %g", open_min, key->min, open_max, key->max);
  else if (above)
    snprintf(text, size, "%s %g", open_min, key->min);
  else if (below)
    snprintf(text, size, "%s %g", open_max, key->max);
}

/* "number or auto, > 0, in s", "map with the keys uniform, self" */
static const char *allowed(const struct cairn_schema_key *key, char text[ALLOWED]) {
  char range[128];
  write_type(key, text, ALLOWED);
  if (key->type == CAIRN_SCHEMA_MAP || key->type == CAIRN_SCHEMA_LIST_OF_MAPS) {
    add(text, ALLOWED, " with the keys ");
    add_names(text, ALLOWED, key->keys, NULL);
  }
  write_range(key, range, sizeof range);
  if (range[0]) {
    add(text, ALLOWED, ", ");
    add(text, ALLOWED, range);
  }
  if (key->unit && has_numbers(key)) {
    add(text, ALLOWED, ", in ");
    add(text, ALLOWED, key->unit);
  }
  /* Backquotes are for the documentation. */
  char *to = text;
  for (const char *from = text; *from; from++)
    if (*from != '`')
      *to++ = *from;
  *to = '\0';
  return text;
}

static const char *found(const struct cairn_node *node, char text[128]) {
  char shown[CAIRN_YAML_SHOWN];
  if (node->kind == CAIRN_NODE_MAP)
    snprintf(text, 128, "a map");
  else if (node->kind == CAIRN_NODE_LIST)
    snprintf(text, 128, "a list of %zu", node->n);
  else if (cairn_yaml_is_empty(node))
    snprintf(text, 128, "nothing");
  else if (node->quoted)
    snprintf(text, 128, "the text \"%s\"", cairn_yaml_show(node->text, shown));
  else
    snprintf(text, 128, "%s", cairn_yaml_show(node->text, shown));
  return text;
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* Edits from one short word to the other: letters added, left out, changed, or swapped with the next one. */
static int distance(const char *a, const char *b) {
  enum { LONGEST = 48 };
  int d[LONGEST + 1][LONGEST + 1], n = (int)strlen(b), m = (int)strlen(a);
  if (n > LONGEST || m > LONGEST)
    return LONGEST;
  for (int i = 0; i <= m; i++)
    for (int j = 0; j <= n; j++) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[m][n];
}

const char *cairn_schema_nearest(const char *word, const char *const *words, size_t n) {
  const char *nearest = NULL;
  size_t length = strlen(word);
  int best = length > 100 ? 0 : (int)(length + 1) / 3 + 1;
  for (size_t i = 0; i < n; i++) {
    int d = distance(word, words[i]);
    if (d < best) {
      best = d;
      nearest = words[i];
    }
  }
  return nearest;
}

/* Validation */

static int refuse(const struct cairn_schema_key *key, const struct cairn_node *node, const char *file,
                  struct cairn_error *error) {
  char what[128], text[ALLOWED];
  return cairn_yaml_error(error, file, node, "found %s; allowed: %s", found(node, what), allowed(key, text));
}

static bool is_auto(const struct cairn_node *node) {
  return node->kind == CAIRN_NODE_SCALAR && !node->quoted && strcmp(node->text, "auto") == 0;
}

static int check_number(const struct cairn_schema_key *key, bool integer, const struct cairn_node *node,
                        const char *file, struct cairn_error *error) {
  double value;
  int64_t whole;
  if (node->kind != CAIRN_NODE_SCALAR || node->quoted || !cairn_number_parse(node->text, &value))
    return refuse(key, node, file, error);
  if (!isfinite(value)) {
    char what[128], text[ALLOWED];
    return cairn_yaml_error(error, file, node, "found %s, which is not a finite number; allowed: %s", found(node, what),
                            allowed(key, text));
  }
  if (integer && !cairn_number_parse_integer(node->text, &whole))
    return refuse(key, node, file, error);
  bool low = key->flags & CAIRN_SCHEMA_OPEN_MIN ? value <= key->min : value < key->min;
  bool high = key->flags & CAIRN_SCHEMA_OPEN_MAX ? value >= key->max : value > key->max;
  return low || high ? refuse(key, node, file, error) : CAIRN_OK;
}

static int check_text(const struct cairn_schema_key *key, const struct cairn_node *node, const char *file,
                      struct cairn_error *error) {
  if (node->kind != CAIRN_NODE_SCALAR || cairn_yaml_is_empty(node))
    return refuse(key, node, file, error);
  size_t length = strlen(node->text);
  if (length == 0 || length > MAX_TEXT)
    return cairn_yaml_error(error, file, node, "found a text of %zu bytes; allowed: 1 to %d bytes", length, MAX_TEXT);
  if (!cairn_yaml_is_text(node->text))
    return cairn_yaml_error(error, file, node, "found bytes that are not UTF-8; allowed: UTF-8 text");
  for (const char *c = node->text; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      return cairn_yaml_error(error, file, node, "found a control character (code %d) in the text; allowed: one line",
                              *c);
  return CAIRN_OK;
}

static int check_choice(const struct cairn_schema_key *key, const struct cairn_node *node, const char *file,
                        struct cairn_error *error) {
  if (node->kind != CAIRN_NODE_SCALAR)
    return refuse(key, node, file, error);
  size_t length = strlen(node->text);
  for (const char *word = key->choices; *word; word += strspn(word, " ")) {
    size_t n = strcspn(word, " ");
    if (n == length && strncmp(word, node->text, n) == 0)
      return CAIRN_OK;
    word += n;
  }
  return refuse(key, node, file, error);
}

static int check_entries(const struct cairn_schema_key *key, const struct cairn_node *node, const char *file,
                         struct cairn_error *error) {
  size_t length = (size_t)key->length;
  bool exact = key->type != CAIRN_SCHEMA_CHOICES;
  if (node->kind != CAIRN_NODE_LIST || (exact ? node->n != length : node->n < length))
    return refuse(key, node, file, error);
  int status = CAIRN_OK;
  for (size_t i = 0; status == CAIRN_OK && i < node->n; i++) {
    if (key->type == CAIRN_SCHEMA_TEXTS)
      status = check_text(key, node->child[i], file, error);
    else if (key->type == CAIRN_SCHEMA_CHOICES)
      status = check_choice(key, node->child[i], file, error);
    else
      status = check_number(key, key->type == CAIRN_SCHEMA_INTEGERS, node->child[i], file, error);
  }
  return status;
}

static const struct cairn_schema_key *find_key(const struct cairn_schema_key *keys, const char *name) {
  for (; keys->name; keys++)
    if (strcmp(keys->name, name) == 0)
      return keys;
  return NULL;
}

static int refuse_unknown(const struct cairn_schema_key *keys, const struct cairn_node *node, const char *file,
                          struct cairn_error *error) {
  const char *names[MAX_KEYS];
  size_t n = 0;
  char list[256] = "";
  for (; keys[n].name && n < MAX_KEYS; n++)
    names[n] = keys[n].name;
  add_names(list, sizeof list, keys, NULL);
  const char *nearest = cairn_schema_nearest(node->key, names, n);
  if (nearest)
    return cairn_yaml_key_error(error, file, node, "unknown key; did you mean %s? Allowed: %s", nearest, list);
  return cairn_yaml_key_error(error, file, node, "unknown key; allowed: %s", list);
}

static int check_value(const struct cairn_schema_key *key, struct cairn_node *node, const char *file,
                       struct cairn_error *error);

static int fill_default(const struct cairn_schema_key *key, struct cairn_node *map, const char *file,
                        struct cairn_error *error) {
  char text[ALLOWED];
  if (key->law) /* data/scenario/contact_laws.h knows which law is in force */
    return CAIRN_OK;
  if (key->flags & CAIRN_SCHEMA_REQUIRED)
    return cairn_yaml_error(error, file, map, "the key %s is missing (%s): %s", key->name, allowed(key, text),
                            key->description);
  if (key->flags & (CAIRN_SCHEMA_OPTIONAL | CAIRN_SCHEMA_COMPUTED))
    return CAIRN_OK;
  struct cairn_node *made =
      key->fallback ? cairn_yaml_insert(map, key->name, key->fallback) : cairn_yaml_insert_map(map, key->name);
  if (!made)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", file);
  return check_value(key, made, file, error);
}

/* Put the values in the order of the table, so that effective parameters always read the same. */
static void sort_values(const struct cairn_schema_key *keys, struct cairn_node *map) {
  size_t placed = 0;
  for (; keys->name; keys++)
    for (size_t i = placed; i < map->n; i++)
      if (strcmp(map->child[i]->key, keys->name) == 0) {
        struct cairn_node *value = map->child[i];
        map->child[i] = map->child[placed];
        map->child[placed++] = value;
        break;
      }
}

static int check_map(const struct cairn_schema_key *keys, struct cairn_node *map, const char *file,
                     struct cairn_error *error) {
  int status = CAIRN_OK;
  for (size_t i = 0; status == CAIRN_OK && i < map->n; i++) {
    const struct cairn_schema_key *key = find_key(keys, map->child[i]->key);
    status = key ? check_value(key, map->child[i], file, error) : refuse_unknown(keys, map->child[i], file, error);
  }
  for (const struct cairn_schema_key *key = keys; status == CAIRN_OK && key->name; key++)
    if (!cairn_yaml_child(map, key->name))
      status = fill_default(key, map, file, error);
  sort_values(keys, map);
  return status;
}

static int check_one_of(const struct cairn_schema_key *keys, struct cairn_node *map, const char *file,
                        struct cairn_error *error) {
  char list[256] = "";
  add_names(list, sizeof list, keys, NULL);
  if (map->n == 0)
    return cairn_yaml_error(error, file, map, "found an empty map; allowed: one of %s", list);
  for (size_t i = 0; i < map->n; i++)
    if (!find_key(keys, map->child[i]->key))
      return refuse_unknown(keys, map->child[i], file, error);
  if (map->n > 1)
    return cairn_yaml_key_error(error, file, map->child[1], "found a second key after %s; allowed: exactly one of %s",
                                map->child[0]->key, list);
  return check_value(find_key(keys, map->child[0]->key), map->child[0], file, error);
}

static int check_list(const struct cairn_schema_key *key, struct cairn_node *list, const char *file,
                      struct cairn_error *error) {
  bool one_of = key->type == CAIRN_SCHEMA_LIST_OF_ONE_OF;
  char what[128], names[256] = "";
  add_names(names, sizeof names, key->keys, NULL);
  if (list->kind != CAIRN_NODE_LIST)
    return refuse(key, list, file, error);
  if (list->n < (size_t)key->length)
    return cairn_yaml_error(error, file, list, "found an empty list; allowed: at least one entry");
  int status = CAIRN_OK;
  for (size_t i = 0; status == CAIRN_OK && i < list->n; i++) {
    struct cairn_node *entry = list->child[i];
    if (entry->kind != CAIRN_NODE_MAP)
      status = cairn_yaml_error(error, file, entry, "found %s; allowed: a map with %s%s", found(entry, what),
                                one_of ? "one of " : "the keys ", names);
    else
      status = one_of ? check_one_of(key->keys, entry, file, error) : check_map(key->keys, entry, file, error);
  }
  return status;
}

static int check_value(const struct cairn_schema_key *key, struct cairn_node *node, const char *file,
                       struct cairn_error *error) {
  if ((key->flags & CAIRN_SCHEMA_OR_AUTO) && is_auto(node))
    return CAIRN_OK;
  if ((key->flags & CAIRN_SCHEMA_OR_NUMBER) && node->kind == CAIRN_NODE_SCALAR)
    return check_number(key, false, node, file, error);
  switch (key->type) {
  case CAIRN_SCHEMA_NUMBER:
  case CAIRN_SCHEMA_INTEGER:
    return check_number(key, key->type == CAIRN_SCHEMA_INTEGER, node, file, error);
  case CAIRN_SCHEMA_TEXT:
    return check_text(key, node, file, error);
  case CAIRN_SCHEMA_CHOICE:
    return check_choice(key, node, file, error);
  case CAIRN_SCHEMA_NUMBERS:
  case CAIRN_SCHEMA_INTEGERS:
  case CAIRN_SCHEMA_TEXTS:
  case CAIRN_SCHEMA_CHOICES:
    return check_entries(key, node, file, error);
  case CAIRN_SCHEMA_MAP:
    return node->kind == CAIRN_NODE_MAP ? check_map(key->keys, node, file, error) : refuse(key, node, file, error);
  case CAIRN_SCHEMA_ONE_OF:
    return node->kind == CAIRN_NODE_MAP ? check_one_of(key->keys, node, file, error) : refuse(key, node, file, error);
  case CAIRN_SCHEMA_LIST_OF_MAPS:
  case CAIRN_SCHEMA_LIST_OF_ONE_OF:
    return check_list(key, node, file, error);
  }
  return refuse(key, node, file, error);
}

int cairn_schema_validate(struct cairn_node *root, const char *file, struct cairn_error *error) {
  char what[128], names[ALLOWED] = "";
  add_names(names, sizeof names, cairn_schema_table_keys, NULL);
  if (cairn_yaml_is_empty(root))
    return cairn_yaml_error(error, file, root, "the scenario is empty; allowed: a map with the keys %s", names);
  if (root->kind != CAIRN_NODE_MAP)
    return cairn_yaml_error(error, file, root, "found %s; a scenario is a map with the keys %s", found(root, what),
                            names);
  return check_map(cairn_schema_table_keys, root, file, error);
}

int cairn_schema_region(struct cairn_node *root, const char *file, struct cairn_error *error) {
  static const struct cairn_schema_key key = {
      .name = "in", .type = CAIRN_SCHEMA_ONE_OF, .keys = cairn_schema_bodies_region_keys};
  return check_value(&key, root, file, error);
}

/* Documentation */

static void fill_row(const struct cairn_schema_key *key, struct cairn_schema_row *row) {
  write_type(key, row->type, sizeof row->type);
  write_range(key, row->range, sizeof row->range);
  const char *missing = key->flags & CAIRN_SCHEMA_REQUIRED ? "required" : "";
  if (!key->fallback)
    snprintf(row->fallback, sizeof row->fallback, "%s", missing);
  else if (key->flags & CAIRN_SCHEMA_COMPUTED)
    snprintf(row->fallback, sizeof row->fallback, "%s", key->fallback);
  else
    snprintf(row->fallback, sizeof row->fallback, "`%s`", key->fallback);
  row->unit = key->unit ? key->unit : "";
  row->description = key->description;
}

/* What several maps share and has been visited: names of tables of keys, and whole paths of single keys. */
struct seen {
  int n;
  char path[64][132];
};

static bool is_new(struct seen *seen, const char *path) {
  for (int i = 0; i < seen->n; i++)
    if (strcmp(seen->path[i], path) == 0)
      return false;
  if (seen->n < (int)(sizeof seen->path / sizeof *seen->path))
    snprintf(seen->path[seen->n++], sizeof *seen->path, "%s", path);
  return true;
}

static void walk(const struct cairn_schema_key *keys, const char *prefix, struct seen *seen,
                 void (*visit)(void *context, const struct cairn_schema_row *row), void *context) {
  for (; keys->name; keys++) {
    struct cairn_schema_row row = {0};
    snprintf(row.path, sizeof row.path, "%s%s%s", keys->common ? keys->common : prefix, keys->common ? "." : "",
             keys->name);
    if (keys->common && !is_new(seen, row.path))
      continue;
    fill_row(keys, &row);
    visit(context, &row);
    char below[sizeof row.path + 4];
    bool list = keys->type == CAIRN_SCHEMA_LIST_OF_MAPS || keys->type == CAIRN_SCHEMA_LIST_OF_ONE_OF;
    snprintf(below, sizeof below, "%s%s", keys->shared ? keys->shared : row.path, list ? ".N." : ".");
    if (keys->keys && (!keys->shared || is_new(seen, below)))
      walk(keys->keys, below, seen, visit, context);
  }
}

void cairn_schema_walk(void (*visit)(void *context, const struct cairn_schema_row *row), void *context) {
  struct seen seen = {0};
  walk(cairn_schema_table_keys, "", &seen, visit, context);
}

/* Values */

double cairn_schema_number(const struct cairn_node *map, const char *key) {
  const struct cairn_node *node = cairn_yaml_child(map, key);
  double value;
  return node && node->kind == CAIRN_NODE_SCALAR && cairn_number_parse(node->text, &value) ? value : 0;
}

int64_t cairn_schema_integer(const struct cairn_node *map, const char *key) {
  const struct cairn_node *node = cairn_yaml_child(map, key);
  int64_t value;
  return node && node->kind == CAIRN_NODE_SCALAR && cairn_number_parse_integer(node->text, &value) ? value : 0;
}

const char *cairn_schema_text(const struct cairn_node *map, const char *key) {
  const struct cairn_node *node = cairn_yaml_child(map, key);
  return node && node->kind == CAIRN_NODE_SCALAR ? node->text : "";
}

void cairn_schema_numbers(const struct cairn_node *map, const char *key, int n, double *values) {
  const struct cairn_node *node = cairn_yaml_child(map, key);
  for (int i = 0; i < n; i++) {
    const struct cairn_node *entry = node && node->kind == CAIRN_NODE_LIST ? node->child[i] : node;
    if (!entry || !cairn_number_parse(entry->text, &values[i]))
      values[i] = 0;
  }
}
