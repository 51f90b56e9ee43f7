/* The YAML layer: what is read, what is refused and where, overrides, and writing back. */
#include "data/base/number.h"
#include "data/schema/yaml.h"
#include "tap/tap.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cairn_node *read(const char *text) {
  struct cairn_node *root = NULL;
  struct cairn_error error;
  if (cairn_yaml_parse(text, strlen(text), "f.yaml", &root, &error) != CAIRN_OK)
    diag("%s", error.message);
  return root;
}

static void test_tree(void) {
  struct cairn_node *root = read("a: 1\nb:\n  - x\n  - {c: \"2\", d: [3, 4]}\n");
  ok(root && root->kind == CAIRN_NODE_MAP && root->n == 2, "a map of two");
  struct cairn_node *d = cairn_yaml_find(root, "b.1.d"), *c = cairn_yaml_find(root, "b.1.c");
  ok(d && d->kind == CAIRN_NODE_LIST && d->n == 2, "b.1.d is a list of two");
  cmp_ok(d->line, "==", 4, "its line");
  cmp_ok(d->column, "==", 17, "its column");
  cmp_ok(d->key_column, "==", 14, "the column of its key");
  ok(c && c->quoted && strcmp(c->text, "2") == 0, "a quoted number is text");
  ok(!cairn_yaml_find(root, "b.2") && !cairn_yaml_find(root, "b.x") && !cairn_yaml_find(root, "a.b"), "nothing there");
  ok(cairn_yaml_find(root, "") == root, "the empty path is the root");
  struct cairn_error error;
  cairn_yaml_error(&error, "f.yaml", d->child[1], "message %d", 5);
  is(error.message, "f.yaml:4:21: b.1.d.1: message 5", "an error names file, place and path");
  cairn_yaml_key_error(&error, "f.yaml", d, "message");
  is(error.message, "f.yaml:4:14: b.1.d: message", "or the place of the key");
  cairn_yaml_free(root);
  root = read("");
  ok(root && cairn_yaml_is_empty(root), "an empty text is an empty scalar");
  cairn_yaml_free(root);
  root = read("\xef\xbb\xbf"
              "a: \xc3\xbc\nb: 2\n");
  ok(root && root->n == 2, "UTF-8 with a byte order mark");
  is(root ? cairn_yaml_find(root, "a")->text : "", "\xc3\xbc", "its first key");
  cmp_ok(root ? root->child[0]->key_column : 0, "==", 1, "which is in the first column");
  cairn_yaml_free(root);
}

static void refused(const char *text, size_t length, const char *pattern, const char *name) {
  struct cairn_node *root = NULL;
  struct cairn_error error = {.message = ""};
  int status = cairn_yaml_parse(text, length, "f.yaml", &root, &error);
  ok(status == CAIRN_ERR_INPUT && !root, "%s: refused", name);
  like(error.message, pattern, "%s: message", name);
  cairn_yaml_free(root);
}

static void test_refusals(void) {
  static const struct {
    const char *text, *pattern;
  } cases[] = {
      {"a:\n\tb: 1\n", "^f.yaml:2:1: found a tab where YAML takes blanks only"},
      {"a:\n  \xc3\xbc: 1\n\tb: 1\n", "^f.yaml:3:1: found a tab"},
      {"a:\n  -\tb: 1\n", "^f.yaml:2:4: found a tab"},
      {"a: 1\nb: 2\na: 3\n", "^f.yaml:3:1: duplicate key \"a\", first given in line 1$"},
      {"a: &x 1\n", "^f.yaml:1:4: anchors"},
      {"a: [1]\nb: *x\n", "^f.yaml:2:4: aliases"},
      {"a: !!str 1\n", "^f.yaml:1:4: tags"},
      {"a: !x [1]\n", "^f.yaml:1:4: tags"},
      {"a: &x {b: 1}\n", "^f.yaml:1:4: anchors"},
      {"? [a, b]\n: 1\n", "^f.yaml:1:3: a key must be a plain word"},
      {"a: 1\n---\nb: 2\n", "^f.yaml:2:1: a second document"},
      {"a: [1, 2\nb: 3\n", "^f.yaml:[0-9]+:[0-9]+: not valid YAML"},
      {"\ta: 1\n", "^f.yaml:1:1: found a tab"},
      {"a: \"x\\0y\"\n", "^f.yaml:1:4: a text must not hold a NUL"},
      {"ok: 1\na: \xff\xfe\n", "^f.yaml:2:4: not readable as UTF-8"},
      {"a: \xc3\x28\n", "not readable as UTF-8"},
      {"a: \x1b[2J\n", "^f.yaml:1:4: not readable as UTF-8 text: control characters"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    refused(cases[i].text, strlen(cases[i].text), cases[i].pattern, cases[i].pattern);
  refused("a: 1\0b: 2\n", 10, "not readable as UTF-8", "an embedded NUL");

  char deep[200];
  memset(deep, '[', sizeof deep);
  refused(deep, sizeof deep, "^f.yaml:1:33: nested more than 32 levels", "deep nesting");
  char *many = malloc(300 * 10), *at = many;
  for (int i = 0; i < 300; i++)
    at += sprintf(at, "k%03d: 1\n", i);
  refused(many, (size_t)(at - many), "^f.yaml:257:1: more than 256 keys", "many keys");
  free(many);
  size_t length = CAIRN_YAML_MAX_LENGTH + 1;
  char *huge = malloc(length);
  memset(huge, ' ', length);
  refused(huge, length, "longer than 16 MiB", "a huge text");
  free(huge);
}

static void test_overrides(void) {
  struct cairn_node *root = read("time: {end: 1}\nbodies:\n  - cloud: {count: 5}\nempty:\n");
  struct cairn_error error;
  static const char *const good[] = {"time.end=abc",
                                     "bodies.0.cloud.count=100",
                                     "gravity.uniform=[0, 0, -1.5]",
                                     "bodies.1.single={}",
                                     "empty.a.b=x=y",
                                     "walls.0.plane.name='a b'",
                                     "title="};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    cmp_ok(cairn_yaml_override(root, good[i], &error), "==", 0, "%s", good[i]);
  is(cairn_yaml_find(root, "time.end")->text, "abc", "replaced");
  is(cairn_yaml_find(root, "bodies.0.cloud.count")->text, "100", "replaced in a list");
  is(cairn_yaml_find(root, "gravity.uniform.2")->text, "-1.5", "made, with a list as its value");
  ok(cairn_yaml_find(root, "bodies.1.single")->kind == CAIRN_NODE_MAP, "a list grows by one");
  is(cairn_yaml_find(root, "empty.a.b")->text, "x=y", "only the first equals sign separates");
  is(cairn_yaml_find(root, "walls.0.plane.name")->text, "a b", "a list is made where a number stands in the key");
  ok(cairn_yaml_is_empty(cairn_yaml_find(root, "title")), "an empty value");
  cairn_yaml_error(&error, "f.yaml", cairn_yaml_find(root, "time.end"), "message");
  is(error.message, "--set time.end=abc: message", "an error in an overridden value names the override");
  cairn_yaml_error(&error, "f.yaml", cairn_yaml_find(root, "gravity.uniform.2"), "message");
  is(error.message, "--set gravity.uniform=[0, 0, -1.5]: gravity.uniform.2: message", "and the place inside it");

  static const struct {
    const char *set, *pattern;
  } bad[] = {{"time.end", "^--set time.end: must have the form key=value"},
             {"=1", "must have the form"},
             {"time..end=1", "empty part"},
             {"time.end.x=1", "^--set time.end.x=1: the value before \"x\" is a single value"},
             {"bodies.7.cloud=1", "\"7\" must be the number of an entry of the list, from 0 to 2"},
             {"bodies.-1=1", "must be the number"},
             {"bodies.99999999999999999999=1", "must be the number"},
             {"time.end=[1", "^--set time.end=\\[1: not valid YAML"},
             {"time.end=&x 1", "^--set time.end=&x 1: anchors"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cmp_ok(cairn_yaml_override(root, bad[i].set, &error), "==", CAIRN_ERR_INPUT, "%s is refused", bad[i].set);
    like(error.message, bad[i].pattern, "with a reason");
  }
  cairn_yaml_free(root);
}

static void test_emit(void) {
  static const char text[] =
      "a: \"1\"\nb:\n- x: [1, 2.5]\n  y: \"two\\nlines \\e[0m\"\n- 'it''s'\n- []\n- {}\nc: \xc3\xbc\n"
      "\"k: #\": '#'\n";
  struct cairn_node *root = read(text);
  char *once = cairn_yaml_emit(root);
  struct cairn_node *again = read(once);
  char *twice = cairn_yaml_emit(again);
  is(twice, once, "what is written reads back to the same");
  is(cairn_yaml_find(again, "b.0.y")->text, "two\nlines \x1b[0m", "control characters survive");
  ok(cairn_yaml_find(again, "a")->quoted, "quoted stays quoted");
  ok(!cairn_yaml_find(again, "b.0.x.1")->quoted, "plain stays plain");
  is(cairn_yaml_child(again, "k: #")->text, "#", "odd keys survive");
  free(once);
  free(twice);
  cairn_yaml_free(root);
  cairn_yaml_free(again);
}

static void test_numbers(void) {
  static const struct {
    const char *text;
    double value;
  } good[] = {{"1", 1},       {"-2.5", -2.5}, {"+3.", 3},          {".5", 0.5},          {"1e5", 1e5},
              {"1E-3", 1e-3}, {"007", 7},     {"1e400", HUGE_VAL}, {"-.inf", -HUGE_VAL}, {"0.1", 0.1}};
  static const char *const bad[] = {"",   " 1", "1 ", "0x10",  "1_000", "1,5", "1e",
                                    "e5", ".",  "-",  "1.2.3", "--1",   "abc"};
  double value;
  int64_t whole;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    ok(cairn_number_parse(good[i].text, &value) && value == good[i].value, "%s", good[i].text);
  ok(cairn_number_parse("nan", &value) && isnan(value), "nan");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    ok(!cairn_number_parse(bad[i], &value), "not a number: '%s'", bad[i]);
  ok(cairn_number_parse_integer("9223372036854775807", &whole) && whole == INT64_MAX, "the largest integer");
  ok(!cairn_number_parse_integer("9223372036854775808", &whole), "one more is too large");
  ok(cairn_number_parse_integer("1e6", &whole) && whole == 1000000, "1e6 is an integer");
  ok(!cairn_number_parse_integer("1.5", &whole) && !cairn_number_parse_integer("1e300", &whole), "these are not");

  const double values[] = {0.1, 1.0 / 3, 2e-308, DBL_MAX, 5e-324, -1e5, 4096, 0.02, 123456789.123456789};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char text[CAIRN_NUMBER_LENGTH];
    cairn_number_format(values[i], text);
    ok(cairn_number_parse(text, &value) && value == values[i], "%s reads back to the same bits", text);
  }
  char text[CAIRN_NUMBER_LENGTH];
  cairn_number_format(0.1, text);
  is(text, "0.1", "no more digits than needed");
  skip(!setlocale(LC_ALL, "de_DE.UTF-8"), 2, "no locale with a decimal comma installed");
  ok(cairn_number_parse("2.5", &value) && value == 2.5, "a locale with a decimal comma changes nothing");
  cairn_number_format(2.5, text);
  is(text, "2.5", "in either direction");
  end_skip;
}

int main(void) {
  plan(NO_PLAN);
  test_tree();
  test_refusals();
  test_overrides();
  test_emit();
  test_numbers();
  done_testing();
}
