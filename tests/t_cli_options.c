/* Parsing of command lines: order, values, refusals, and the line kept for provenance. */
#include <string.h>

#include "cli/options.h"
#include "tap/tap.h"

enum { ALL = 0x1ff };

/* Split a line at blanks, parse it; "_" stands for a blank inside a word. */
static int parse(const char *line, uint64_t accepted, struct cairn_options *options, struct cairn_error *error) {
  static char words[512];
  static char *argv[32];
  int argc = 0;
  strcpy(words, line);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
    for (char *c = word; *c; c++)
      *c = *c == '_' ? ' ' : *c;
    argv[argc++] = word;
  }
  argv[argc] = NULL;
  error->message[0] = '\0';
  return cairn_options_parse(argc, argv, accepted, options, error);
}

static void test_order(void) {
  static const char *const lines[] = {"run a.yaml --set x=1 -w 3 --set y=2 -q", "run -q --set x=1 a.yaml --set=y=2 -w3",
                                      "run --workers=3 --quiet -sx=1 -s y=2 -- a.yaml"};
  for (int i = 0; i < 3; i++) {
    struct cairn_options options;
    struct cairn_error error;
    cmp_ok(parse(lines[i], ALL, &options, &error), "==", 0, "%s", lines[i]);
    ok(options.n_operands == 1 && strcmp(options.operands[0], "a.yaml") == 0, "  one operand");
    ok(options.n_set == 2 && strcmp(options.set[0], "x=1") == 0 && strcmp(options.set[1], "y=2") == 0,
       "  overrides in their order");
    ok(options.workers == 3 && options.quiet && !options.overwrite && !options.help, "  values");
    cairn_options_fini(&options);
  }
}

static void test_refusals(void) {
  static const struct {
    const char *line, *message;
  } cases[] = {
      {"run --nonsense a", "unknown option '--nonsense'"},
      {"run -Z a", "unknown option '-Z'"},
      {"run a --workers", "needs a value"},
      {"run a --workers 0", "--workers: found '0'"},
      {"run a --workers two", "--workers: found 'two'"},
      {"run a --workers 3x", "--workers: found '3x'"},
      {"run a --workers 99999999999999999999", "--workers: found"},
      {"run a --device gpu", "--device: found 'gpu', expected any, cpu or opencl"},
      {"run a --set x", "--set: found 'x', expected KEY=VALUE"},
      {"run a --log-every nan", "--log-every: found 'nan'"},
      {"run a --log-every -1", "--log-every: found '-1'"},
      {"run a --quiet=3", "takes no value"},
      {"run a --output=", "the name is empty"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cairn_options options;
    struct cairn_error error;
    cmp_ok(parse(cases[i].line, ALL, &options, &error), "==", CAIRN_ERR_INPUT, "%s", cases[i].line);
    ok(strstr(error.message, cases[i].message), "  says so: %s", error.message);
  }
  struct cairn_options options;
  struct cairn_error error;
  cmp_ok(parse("digest a --workers 2", 0, &options, &error), "==", CAIRN_ERR_INPUT,
         "an option of another command is unknown");
}

static void test_command_line(void) {
  struct cairn_options options;
  struct cairn_error error;
  parse("run a_b.yaml --set x=[1,_2] it's", ALL, &options, &error);
  is(options.command_line, "cairn run 'a b.yaml' --set 'x=[1, 2]' 'it'\\''s'", "quoted so that it can be typed again");
  cairn_options_fini(&options);
  parse("run --help", ALL, &options, &error);
  ok(options.help, "--help");
  cairn_options_fini(&options);
}

int main(void) {
  plan(NO_PLAN);
  test_order();
  test_refusals();
  test_command_line();
  done_testing();
}
