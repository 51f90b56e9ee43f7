/* The one table of everything a scenario may say: it validates, fills in defaults, words the error messages and is
 * what docs/scenario.md is checked against. */
#ifndef CAIRN_DATA_SCHEMA_SCHEMA_H
#define CAIRN_DATA_SCHEMA_SCHEMA_H

#include <stdint.h>

#include "data/schema/yaml.h"

enum cairn_schema_type {
  CAIRN_SCHEMA_NUMBER,
  CAIRN_SCHEMA_INTEGER,
  CAIRN_SCHEMA_TEXT,
  CAIRN_SCHEMA_CHOICE,         /* one of the words in `choices` */
  CAIRN_SCHEMA_NUMBERS,        /* a list of `length` numbers */
  CAIRN_SCHEMA_INTEGERS,       /* a list of `length` integers */
  CAIRN_SCHEMA_TEXTS,          /* a list of `length` texts */
  CAIRN_SCHEMA_CHOICES,        /* a list of at least `length` words out of `choices` */
  CAIRN_SCHEMA_MAP,            /* a map with the keys in `keys` */
  CAIRN_SCHEMA_ONE_OF,         /* a map with exactly one of the keys in `keys` */
  CAIRN_SCHEMA_LIST_OF_MAPS,   /* a list of at least `length` maps with the keys in `keys` */
  CAIRN_SCHEMA_LIST_OF_ONE_OF, /* the same of maps with exactly one of the keys */
};

enum {
  CAIRN_SCHEMA_REQUIRED = 1,
  CAIRN_SCHEMA_OPTIONAL = 2,   /* may be missing and has no default */
  CAIRN_SCHEMA_COMPUTED = 4,   /* `fallback` says in words what it is computed from, after validation */
  CAIRN_SCHEMA_OR_AUTO = 8,    /* the word auto is allowed too */
  CAIRN_SCHEMA_OR_NUMBER = 16, /* a single number is allowed in place of a list or map */
  CAIRN_SCHEMA_OPEN_MIN = 32,  /* greater than `min`, not equal */
  CAIRN_SCHEMA_OPEN_MAX = 64
};

struct cairn_schema_key {
  const char *name;
  enum cairn_schema_type type;
  unsigned flags;
  int length;
  double min, max; /* of each number */
  const char *unit;
  const char *fallback;                /* the default as YAML; NULL if there is none */
  const char *choices;                 /* words separated by blanks */
  const char *shared;                  /* name under which `keys`, used in several places, is documented once */
  const char *common;                  /* name under which a key that several maps have is documented once */
  const struct cairn_schema_key *keys; /* ends with a name NULL */
  const char *law;                     /* the contact law it belongs to; NULL: to all */
  const char *description;
};

/* Check the tree of a scenario against the table and fill in every default. */
int cairn_schema_validate(struct cairn_node *root, const char *file, struct cairn_error *error);

/* The same of a region alone, the map that `in` has in a scenario: {sphere: {radius: 3}}. */
int cairn_schema_region(struct cairn_node *root, const char *file, struct cairn_error *error);

/* Texts of one key as documented: "number or `auto`", "> 0", "`auto`". */
struct cairn_schema_row {
  char path[128]; /* bodies.N.cloud.count, N for the number of an entry */
  char type[128];
  char range[128];
  char fallback[128];
  const char *unit;
  const char *description;
};

/* Call `visit` once for every key, in the order of the table. */
void cairn_schema_walk(void (*visit)(void *context, const struct cairn_schema_row *row), void *context);

/* The word in `words` (n of them) that `word` is most likely meant to be; NULL if none is near. */
const char *cairn_schema_nearest(const char *word, const char *const *words, size_t n);

/* Values of a validated map; the key must be there and of the type. A number written as auto is 0. */
double cairn_schema_number(const struct cairn_node *map, const char *key);
int64_t cairn_schema_integer(const struct cairn_node *map, const char *key);
const char *cairn_schema_text(const struct cairn_node *map, const char *key);

/* The n numbers of a list; a single number stands for all of them. */
void cairn_schema_numbers(const struct cairn_node *map, const char *key, int n, double *values);

#endif
