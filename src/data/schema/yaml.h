/* YAML text to a tree that remembers where everything stood, and back. Anchors, aliases, tags and several documents in
 * one file are refused; nesting and sizes are limited: the text is hostile. */
#ifndef CAIRN_DATA_SCHEMA_YAML_H
#define CAIRN_DATA_SCHEMA_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "cairn/error.h"

enum { CAIRN_YAML_MAX_LENGTH = 16 << 20, CAIRN_YAML_MAX_DEPTH = 32, CAIRN_YAML_MAX_KEYS = 256 };

enum cairn_node_kind { CAIRN_NODE_SCALAR, CAIRN_NODE_LIST, CAIRN_NODE_MAP };

struct cairn_node {
  enum cairn_node_kind kind;
  bool quoted;               /* a scalar in quotes is text, whatever it looks like */
  int line, column;          /* where the value stands, counted from 1 */
  int key_line, key_column;  /* where its key stands, in a map */
  char *key;                 /* in a map, otherwise NULL */
  char *text;                /* of a scalar, otherwise NULL */
  char *set;                 /* the override "a.b.c=value" that put it here; NULL if it comes from the file */
  struct cairn_node *parent; /* NULL at the root */
  size_t n, capacity;
  struct cairn_node **child; /* [n] entries of a list, values of a map in the order of the file */
};

/* Parse one document. `file` is the name for messages. The root may be of any kind. */
int cairn_yaml_parse(const char *text, size_t length, const char *file, struct cairn_node **root,
                     struct cairn_error *error);

/* Free the node and all below it; NULL is allowed. The parent must forget it first. */
void cairn_yaml_free(struct cairn_node *node);

/* The value of `key` in a map; NULL if there is none or `map` is no map. */
struct cairn_node *cairn_yaml_child(const struct cairn_node *map, const char *key);

/* The node at a.b.0.c, list entries by number; NULL if there is none. An empty path is the root. */
struct cairn_node *cairn_yaml_find(struct cairn_node *root, const char *path);

/* Apply "a.b.c=value": the value is YAML on one line, such as 3, text or [0, 0, -1]. Missing keys of maps are made, and
 * a list may grow by one entry. */
int cairn_yaml_override(struct cairn_node *root, const char *set, struct cairn_error *error);

/* Add `key` with a value given as YAML on one line; it takes the mark of the map. NULL if out of memory. */
struct cairn_node *cairn_yaml_insert(struct cairn_node *map, const char *key, const char *value);

/* Add `key` with an empty map or a text that is kept as it is. NULL if out of memory. */
struct cairn_node *cairn_yaml_insert_map(struct cairn_node *map, const char *key);
struct cairn_node *cairn_yaml_insert_text(struct cairn_node *map, const char *key, const char *text);

/* Replace the text of a scalar; false if out of memory. */
bool cairn_yaml_set_text(struct cairn_node *scalar, const char *text, bool quoted);

/* Is this UTF-8 that a file can hold and give back? */
bool cairn_yaml_is_text(const char *text);

/* Is it a scalar without a value: nothing, ~ or null? */
bool cairn_yaml_is_empty(const struct cairn_node *node);

/* The tree as YAML text that reads back to the same tree; the caller frees it. NULL if out of memory. */
char *cairn_yaml_emit(const struct cairn_node *root);

enum { CAIRN_YAML_SHOWN = 80 };

/* What a message may show of a text from outside: cut, without control characters. Returns `shown`. */
const char *cairn_yaml_show(const char *text, char shown[CAIRN_YAML_SHOWN]);

/* Fill `error` with CAIRN_ERR_INPUT and "file:line:column: a.b.c: message", or "--set a.b.c=value: message" where an
 * override put the node there; the second one points at the key instead of the value. */
int cairn_yaml_error(struct cairn_error *error, const char *file, const struct cairn_node *node, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
int cairn_yaml_key_error(struct cairn_error *error, const char *file, const struct cairn_node *node, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));

#endif
