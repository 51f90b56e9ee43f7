#include "data/schema/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

static struct cairn_node *node_create(enum cairn_node_kind kind, const char *set) {
  struct cairn_node *node = calloc(1, sizeof *node);
  if (!node)
    return NULL;
  node->kind = kind;
  if (set && !(node->set = strdup(set))) {
    free(node);
    return NULL;
  }
  return node;
}

void cairn_yaml_free(struct cairn_node *node) {
  if (!node)
    return;
  for (size_t i = 0; i < node->n; i++)
    cairn_yaml_free(node->child[i]);
  free(node->child);
  free(node->key);
  free(node->text);
  free(node->set);
  free(node);
}

static bool append(struct cairn_node *parent, struct cairn_node *child) {
  if (parent->n == parent->capacity) {
    size_t capacity = parent->capacity ? 2 * parent->capacity : 4;
    struct cairn_node **grown = realloc(parent->child, capacity * sizeof(struct cairn_node *));
    if (!grown)
      return false;
    parent->child = grown;
    parent->capacity = capacity;
  }
  parent->child[parent->n++] = child;
  child->parent = parent;
  return true;
}

struct cairn_node *cairn_yaml_child(const struct cairn_node *map, const char *key) {
  if (!map || map->kind != CAIRN_NODE_MAP)
    return NULL;
  for (size_t i = 0; i < map->n; i++)
    if (strcmp(map->child[i]->key, key) == 0)
      return map->child[i];
  return NULL;
}

bool cairn_yaml_is_empty(const struct cairn_node *node) {
  return node->kind == CAIRN_NODE_SCALAR && !node->quoted &&
         (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

/* How many bytes the character at `text` has, 0 if they are none: too short, too long, or half a pair of UTF-16. */
static int character_length(const unsigned char *text) {
  const int n = text[0] < 0x80   ? 1
                : text[0] < 0xc2 ? 0
                : text[0] < 0xe0 ? 2
                : text[0] < 0xf0 ? 3
                : text[0] < 0xf5 ? 4
                                 : 0;
  for (int k = 1; k < n; k++)
    if ((text[k] & 0xc0) != 0x80)
      return 0;
  const bool is_short = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
  const bool is_beyond = (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f);
  return is_short || is_beyond ? 0 : n;
}

bool cairn_yaml_is_text(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  for (int n = 1; *at && n > 0; at += n)
    n = character_length(at);
  return *at == '\0';
}

/* Messages */

const char *cairn_yaml_show(const char *text, char shown[CAIRN_YAML_SHOWN]) {
  size_t n = 0, limit = CAIRN_YAML_SHOWN - 4;
  for (; *text && n < limit; text++) {
    unsigned char c = (unsigned char)*text;
    shown[n++] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
  }
  if (*text) {
    /* Not in the middle of a UTF-8 sequence. */
    while (n > 0 && ((unsigned char)shown[n - 1] & 0xc0) == 0x80)
      n--;
    if (n > 0 && (unsigned char)shown[n - 1] >= 0xc0)
      n--;
    memcpy(shown + n, "...", 3);
    n += 3;
  }
  shown[n] = '\0';
  return shown;
}

/* Write the path of the node, "bodies.2.cloud.count", with what fits. */
static size_t write_path(const struct cairn_node *node, char *path, size_t size) {
  if (!node->parent)
    return 0;
  size_t n = write_path(node->parent, path, size);
  char name[CAIRN_YAML_SHOWN] = "";
  if (node->key) {
    cairn_yaml_show(node->key, name);
  } else {
    size_t index = 0;
    while (node->parent->child[index] != node)
      index++;
    snprintf(name, sizeof name, "%zu", index);
  }
  int added = snprintf(path + n, size - n, "%s%s", n ? "." : "", name);
  return added < 0 || (size_t)added >= size - n ? n : n + (size_t)added;
}

static int set_error(struct cairn_error *error, const char *file, const struct cairn_node *node, bool at_key,
                     const char *format, va_list arguments) {
  char path[256] = "", message[640], shown[CAIRN_YAML_SHOWN];
  size_t length = write_path(node, path, sizeof path);
  vsnprintf(message, sizeof message, format, arguments);
  if (node->set) {
    /* The path stands in the override already, unless it goes on into the value. */
    bool same = strncmp(node->set, path, length) == 0 && node->set[length] == '=';
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--set %s: %s%s%s", cairn_yaml_show(node->set, shown),
                           same ? "" : path, length && !same ? ": " : "", message);
  }
  return cairn_error_set(error, CAIRN_ERR_INPUT, "%s:%d:%d: %s%s%s", file, at_key ? node->key_line : node->line,
                         at_key ? node->key_column : node->column, path, length ? ": " : "", message);
}

int cairn_yaml_error(struct cairn_error *error, const char *file, const struct cairn_node *node, const char *format,
                     ...) {
  va_list arguments;
  va_start(arguments, format);
  int status = set_error(error, file, node, false, format, arguments);
  va_end(arguments);
  return status;
}

int cairn_yaml_key_error(struct cairn_error *error, const char *file, const struct cairn_node *node, const char *format,
                         ...) {
  va_list arguments;
  va_start(arguments, format);
  int status = set_error(error, file, node, true, format, arguments);
  va_end(arguments);
  return status;
}

/* Reading. libyaml's events come one at a time, so nothing is built beyond the first thing that is refused. */

struct builder {
  const char *text;
  size_t length;
  const char *file;
  const char *set; /* the override whose value is being read, or NULL */
  struct cairn_node *root, *current;
  char *key; /* read, its value still to come */
  int key_line, key_column;
  int depth, documents;
  struct cairn_error *error;
};

static int refuse(struct builder *builder, yaml_mark_t mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(struct builder *builder, yaml_mark_t mark, const char *format, ...) {
  char message[512], shown[CAIRN_YAML_SHOWN];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (builder->set)
    return cairn_error_set(builder->error, CAIRN_ERR_INPUT, "--set %s: %s", cairn_yaml_show(builder->set, shown),
                           message);
  return cairn_error_set(builder->error, CAIRN_ERR_INPUT, "%s:%zu:%zu: %s", builder->file, mark.line + 1,
                         mark.column + 1, message);
}

static int out_of_memory(struct builder *builder) {
  return cairn_error_set(builder->error, CAIRN_ERR_NUMERIC, "%s: out of memory", builder->file);
}

static int check_text(struct builder *builder, const yaml_event_t *event) {
  if (memchr(event->data.scalar.value, '\0', event->data.scalar.length))
    return refuse(builder, event->start_mark, "a text must not hold a NUL character");
  return CAIRN_OK;
}

static int take_key(struct builder *builder, const yaml_event_t *event) {
  char shown[CAIRN_YAML_SHOWN];
  const char *key = (const char *)event->data.scalar.value;
  const struct cairn_node *map = builder->current;
  const struct cairn_node *first = cairn_yaml_child(map, key);
  if (first)
    return refuse(builder, event->start_mark, "duplicate key \"%s\", first given in line %d",
                  cairn_yaml_show(key, shown), first->key_line);
  if (map->n >= CAIRN_YAML_MAX_KEYS)
    return refuse(builder, event->start_mark, "more than %d keys in one map", CAIRN_YAML_MAX_KEYS);
  builder->key = strdup(key);
  builder->key_line = (int)event->start_mark.line + 1;
  builder->key_column = (int)event->start_mark.column + 1;
  return builder->key ? CAIRN_OK : out_of_memory(builder);
}

static int take_node(struct builder *builder, const yaml_event_t *event, enum cairn_node_kind kind) {
  struct cairn_node *node = node_create(kind, builder->set);
  if (!node)
    return out_of_memory(builder);
  node->line = (int)event->start_mark.line + 1;
  node->column = (int)event->start_mark.column + 1;
  if (kind == CAIRN_NODE_SCALAR) {
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = strdup((const char *)event->data.scalar.value);
  }
  if ((kind == CAIRN_NODE_SCALAR && !node->text) || (builder->current && !append(builder->current, node))) {
    cairn_yaml_free(node);
    return out_of_memory(builder);
  }
  if (!builder->current)
    builder->root = node;
  node->key = builder->key;
  node->key_line = builder->key ? builder->key_line : node->line;
  node->key_column = builder->key ? builder->key_column : node->column;
  builder->key = NULL;
  if (kind != CAIRN_NODE_SCALAR)
    builder->current = node;
  return CAIRN_OK;
}

static int refuse_decoration(struct builder *builder, const yaml_event_t *event, const void *anchor, const void *tag) {
  if (anchor)
    return refuse(builder, event->start_mark, "anchors (&name) are not allowed; write the value out");
  if (tag)
    return refuse(builder, event->start_mark, "tags (!name) are not allowed");
  return CAIRN_OK;
}

static int take_collection(struct builder *builder, const yaml_event_t *event, enum cairn_node_kind kind) {
  if (builder->current && builder->current->kind == CAIRN_NODE_MAP && !builder->key)
    return refuse(builder, event->start_mark, "a key must be a plain word, not a list or a map");
  if (++builder->depth > CAIRN_YAML_MAX_DEPTH)
    return refuse(builder, event->start_mark, "nested more than %d levels deep", CAIRN_YAML_MAX_DEPTH);
  return take_node(builder, event, kind);
}

static int take_event(struct builder *builder, const yaml_event_t *event) {
  int status = CAIRN_OK;
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (++builder->documents > 1)
      status = refuse(builder, event->start_mark, "a second document begins here; one is allowed");
    break;
  case YAML_ALIAS_EVENT:
    status = refuse(builder, event->start_mark, "aliases (*name) are not allowed; write the value out");
    break;
  case YAML_SCALAR_EVENT:
    status = refuse_decoration(builder, event, event->data.scalar.anchor, event->data.scalar.tag);
    if (status == CAIRN_OK)
      status = check_text(builder, event);
    if (status == CAIRN_OK && builder->current && builder->current->kind == CAIRN_NODE_MAP && !builder->key)
      status = take_key(builder, event);
    else if (status == CAIRN_OK)
      status = take_node(builder, event, CAIRN_NODE_SCALAR);
    break;
  case YAML_SEQUENCE_START_EVENT:
    status = refuse_decoration(builder, event, event->data.sequence_start.anchor, event->data.sequence_start.tag);
    if (status == CAIRN_OK)
      status = take_collection(builder, event, CAIRN_NODE_LIST);
    break;
  case YAML_MAPPING_START_EVENT:
    status = refuse_decoration(builder, event, event->data.mapping_start.anchor, event->data.mapping_start.tag);
    if (status == CAIRN_OK)
      status = take_collection(builder, event, CAIRN_NODE_MAP);
    break;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    builder->depth--;
    builder->current = builder->current->parent;
    break;
  default:
    break;
  }
  return status;
}

/* Is the character at the mark a tab? Marks count characters, not bytes. */
static bool is_tab(const struct builder *builder, yaml_mark_t mark) {
  size_t i = 0;
  for (size_t line = 0; line < mark.line && i < builder->length; i++)
    line += builder->text[i] == '\n';
  for (size_t column = 0; column < mark.column && i < builder->length; column++)
    do
      i++;
    while (i < builder->length && ((unsigned char)builder->text[i] & 0xc0) == 0x80);
  return i < builder->length && builder->text[i] == '\t';
}

static int refuse_syntax(struct builder *builder, const yaml_parser_t *parser) {
  yaml_mark_t mark = parser->problem_mark;
  if (parser->error == YAML_MEMORY_ERROR)
    return out_of_memory(builder);
  if (parser->error == YAML_READER_ERROR) {
    /* Bad characters come with an offset in bytes only. */
    memset(&mark, 0, sizeof mark);
    for (size_t i = 0; i < parser->problem_offset && i < builder->length; i++) {
      bool newline = builder->text[i] == '\n';
      mark.line += newline;
      mark.column = newline ? 0 : mark.column + 1;
    }
    return refuse(builder, mark, "not readable as UTF-8 text: %s", parser->problem);
  }
  if (is_tab(builder, mark))
    return refuse(builder, mark, "found a tab where YAML takes blanks only: indent with blanks");
  return refuse(builder, mark, "not valid YAML: %s%s%s", parser->problem ? parser->problem : "syntax error",
                parser->context ? " " : "", parser->context ? parser->context : "");
}

static int build(struct builder *builder, yaml_parser_t *parser) {
  for (bool more = true; more;) {
    yaml_event_t event;
    if (!yaml_parser_parse(parser, &event))
      return refuse_syntax(builder, parser);
    more = event.type != YAML_STREAM_END_EVENT;
    int status = take_event(builder, &event);
    yaml_event_delete(&event);
    if (status != CAIRN_OK)
      return status;
  }
  return CAIRN_OK;
}

static int parse(const char *text, size_t length, const char *file, const char *set, struct cairn_node **root,
                 struct cairn_error *error) {
  /* Some editors begin a file with a byte order mark. To libyaml it is a character of the first line, whose keys would
   * then stand one column right of all others. */
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    text += 3;
    length -= 3;
  }
  struct builder builder = {.text = text, .length = length, .file = file, .set = set, .error = error};
  yaml_mark_t start = {0, 0, 0};
  *root = NULL;
  if (length > CAIRN_YAML_MAX_LENGTH)
    return refuse(&builder, start, "longer than %d MiB; put many bodies into a table", CAIRN_YAML_MAX_LENGTH >> 20);
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser))
    return out_of_memory(&builder);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  int status = build(&builder, &parser);
  yaml_parser_delete(&parser);
  free(builder.key);
  if (status == CAIRN_OK && !builder.root) {
    builder.root = node_create(CAIRN_NODE_SCALAR, set);
    if (!builder.root || !(builder.root->text = strdup("")))
      status = out_of_memory(&builder);
    else
      builder.root->line = builder.root->column = builder.root->key_line = builder.root->key_column = 1;
  }
  if (status != CAIRN_OK) {
    cairn_yaml_free(builder.root);
    return status;
  }
  *root = builder.root;
  return CAIRN_OK;
}

int cairn_yaml_parse(const char *text, size_t length, const char *file, struct cairn_node **root,
                     struct cairn_error *error) {
  return parse(text, length, file, NULL, root, error);
}

/* Changing */

/* Attach `node` under `key`, with the mark of the map: a value that nobody wrote stands where it was left out. */
static struct cairn_node *attach(struct cairn_node *map, const char *key, struct cairn_node *node) {
  if (node && (node->key = strdup(key)) && append(map, node)) {
    node->line = node->key_line = map->line;
    node->column = node->key_column = map->column;
    return node;
  }
  cairn_yaml_free(node);
  return NULL;
}

struct cairn_node *cairn_yaml_insert(struct cairn_node *map, const char *key, const char *value) {
  struct cairn_node *node;
  if (parse(value, strlen(value), key, map->set, &node, NULL) != CAIRN_OK)
    return NULL;
  return attach(map, key, node);
}

struct cairn_node *cairn_yaml_insert_map(struct cairn_node *map, const char *key) {
  return attach(map, key, node_create(CAIRN_NODE_MAP, map->set));
}

struct cairn_node *cairn_yaml_insert_text(struct cairn_node *map, const char *key, const char *text) {
  struct cairn_node *node = node_create(CAIRN_NODE_SCALAR, map->set);
  if (node && !cairn_yaml_set_text(node, text, true)) {
    cairn_yaml_free(node);
    node = NULL;
  }
  return attach(map, key, node);
}

bool cairn_yaml_set_text(struct cairn_node *scalar, const char *text, bool quoted) {
  char *copy = strdup(text);
  if (!copy)
    return false;
  free(scalar->text);
  scalar->text = copy;
  scalar->quoted = quoted;
  return true;
}

/* Cut the next component off a path; the rest, or NULL after the last one. */
static char *cut(char *path) {
  char *dot = strchr(path, '.');
  if (!dot)
    return NULL;
  *dot = '\0';
  return dot + 1;
}

static bool is_index(const char *name, size_t *index) {
  size_t length = strlen(name);
  if (length == 0 || length > 9 || strspn(name, "0123456789") != length)
    return false;
  *index = strtoul(name, NULL, 10);
  return true;
}

struct cairn_node *cairn_yaml_find(struct cairn_node *root, const char *path) {
  char *copy = strdup(path);
  struct cairn_node *node = copy ? root : NULL;
  char *rest = copy && *copy ? copy : NULL;
  while (node && rest) {
    char *name = rest;
    size_t index;
    rest = cut(name);
    if (node->kind == CAIRN_NODE_MAP)
      node = cairn_yaml_child(node, name);
    else if (node->kind == CAIRN_NODE_LIST && is_index(name, &index) && index < node->n)
      node = node->child[index];
    else
      node = NULL;
  }
  free(copy);
  return node;
}

/* Turn a scalar without a value into what the path needs of it, a list or a map. */
static void become_collection(struct cairn_node *node, const char *name) {
  size_t index;
  if (!cairn_yaml_is_empty(node))
    return;
  free(node->text);
  node->text = NULL;
  node->kind = is_index(name, &index) ? CAIRN_NODE_LIST : CAIRN_NODE_MAP;
}

/* The entry `name` of `node`, made as an empty scalar if it is missing. */
static int descend(struct cairn_node *node, const char *name, const char *set, struct cairn_node **next,
                   struct cairn_error *error) {
  char shown[CAIRN_YAML_SHOWN];
  size_t index = 0;
  become_collection(node, name);
  *next = NULL;
  if (node->kind == CAIRN_NODE_SCALAR)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--set %s: the value before \"%s\" is a single value, not a map",
                           set, cairn_yaml_show(name, shown));
  if (node->kind == CAIRN_NODE_LIST) {
    if (!is_index(name, &index) || index > node->n)
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "--set %s: \"%s\" must be the number of an entry of the list, from 0 to %zu", set,
                             cairn_yaml_show(name, shown), node->n);
    *next = index < node->n ? node->child[index] : NULL;
  } else {
    *next = cairn_yaml_child(node, name);
  }
  if (*next)
    return CAIRN_OK;
  if (node->kind == CAIRN_NODE_MAP && node->n >= CAIRN_YAML_MAX_KEYS)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--set %s: more than %d keys in one map", set, CAIRN_YAML_MAX_KEYS);
  struct cairn_node *made = node_create(CAIRN_NODE_SCALAR, set);
  if (made && (made->text = strdup("")) && (node->kind == CAIRN_NODE_LIST || (made->key = strdup(name))) &&
      append(node, made)) {
    *next = made;
    return CAIRN_OK;
  }
  cairn_yaml_free(made);
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "--set %s: out of memory", set);
}

/* Put `value` in the place of `node`, which keeps its key and its parent. */
static void replace(struct cairn_node *node, struct cairn_node *value) {
  struct cairn_node old = *node;
  *node = *value;
  node->key = old.key;
  node->key_line = old.key_line;
  node->key_column = old.key_column;
  node->parent = old.parent;
  for (size_t i = 0; i < node->n; i++)
    node->child[i]->parent = node;
  old.key = NULL;
  *value = old;
  cairn_yaml_free(value);
}

int cairn_yaml_override(struct cairn_node *root, const char *set, struct cairn_error *error) {
  char shown[CAIRN_YAML_SHOWN];
  const char *equals = strchr(set, '=');
  cairn_yaml_show(set, shown);
  if (!equals || equals == set)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--set %s: must have the form key=value, such as time.end=2", shown);
  struct cairn_node *value, *node = root;
  int status = parse(equals + 1, strlen(equals + 1), "--set", set, &value, error);
  if (status != CAIRN_OK)
    return status;
  char *path = strndup(set, (size_t)(equals - set)), *rest = path;
  if (!path)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "--set %s: out of memory", shown);
  for (int depth = 0; status == CAIRN_OK && rest; depth++) {
    char *name = rest;
    rest = cut(name);
    if (*name == '\0' || depth >= CAIRN_YAML_MAX_DEPTH)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "--set %s: the key has an empty part or too many parts", shown);
    else
      status = descend(node, name, shown, &node, error);
  }
  free(path);
  if (status == CAIRN_OK)
    replace(node, value);
  else
    cairn_yaml_free(value);
  return status;
}
