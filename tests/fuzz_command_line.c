/* Any bytes as a command line: the first chooses the command, the others are its words, one per line. Refused with a
 * message or parsed; then the line that files tell as their origin leads to the same words again, and what --set and
 * --output say is applied to a scenario, which is refused with a message or read. No command is executed. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_WORDS = 256 };

static const struct cairn_command *const commands[] = {
    &cairn_command_run,    &cairn_command_resume, &cairn_command_check,   &cairn_command_info,   &cairn_command_digest,
    &cairn_command_export, &cairn_command_solve,  &cairn_command_report,  &cairn_command_render, &cairn_command_plot,
    &cairn_command_watch,  &cairn_command_sweep,  &cairn_command_analyse,
};

static const char text[] = "time: {end: 1}\n"
                           "materials: [{name: rock, density: 2500}]\n"
                           "interactions: [{between: [rock, rock], stiffness: 1e6, restitution: 0.5}]\n"
                           "gravity: {uniform: [0, 0, -1]}\n"
                           "bodies: [{cloud: {count: 10, in: {sphere: {center: [0, 0, 9], radius: 5}}, radius: 0.1,\n"
                           "                  material: rock}}]\n"
                           "walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1], material: rock}}]\n";

static void check(bool good) {
  if (!good)
    abort();
}

/* The next word of a line as a shell splits it, in place; NULL at the end. */
static char *next_word(char **line) {
  char *from = *line + strspn(*line, " "), *word = from, *to = from;
  bool quoted = false;
  if (!*from)
    return NULL;
  for (; *from && (quoted || *from != ' '); from++) {
    if (*from == '\'')
      quoted = !quoted;
    else if (*from == '\\' && !quoted)
      *to++ = *++from;
    else
      *to++ = *from;
  }
  check(!quoted);
  *line = *from ? from + 1 : from;
  *to = '\0';
  return word;
}

static void check_line(const char *command_line, int argc, char **argv) {
  char *copy = strdup(command_line), *rest = copy;
  check(copy && strcmp(next_word(&rest), "cairn") == 0);
  for (int i = 0; i < argc; i++) {
    const char *word = next_word(&rest);
    check(word && strcmp(word, argv[i]) == 0);
  }
  check(!next_word(&rest));
  free(copy);
}

static void apply(const struct cairn_options *options) {
  struct cairn_error error = {0};
  struct cairn_scenario *scenario = NULL;
  struct cairn_session_overrides overrides;
  check(!cairn_session_overrides_init(&overrides, options, options->output, &error));
  const int status = cairn_scenario_parse(text, strlen(text), "fuzz.yaml", overrides.n, overrides.set,
                                          CAIRN_SCENARIO_NO_BODIES, &scenario, &error);
  check(status == 0 || (status == error.status && error.message[0]));
  check(status || !options->output || strcmp(scenario->output_name, options->output) == 0);
  cairn_scenario_free(scenario);
  cairn_session_overrides_fini(&overrides);
}

static void parse(const struct cairn_command *command, int argc, char **argv) {
  struct cairn_error error = {0};
  struct cairn_options options;
  const int status = cairn_options_parse(argc, argv, command->options, &options, &error);
  if (status) {
    check(status == CAIRN_ERR_INPUT && error.status == status && error.message[0]);
    return;
  }
  check(options.n_operands >= 0 && options.n_operands + options.n_set < argc);
  check_line(options.command_line, argc, argv);
  if (command == &cairn_command_run)
    apply(&options);
  cairn_options_fini(&options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct cairn_command *command = commands[size ? data[0] % (sizeof commands / sizeof *commands) : 0];
  char *words = malloc(size + 1), *argv[MAX_WORDS + 1], *name = strdup(command->name);
  int argc = 1;
  check(words && name);
  argv[0] = name;
  if (size > 1)
    memcpy(words, data + 1, size - 1);
  words[size ? size - 1 : 0] = '\0';
  for (char *at = words, *end; size > 1 && argc < MAX_WORDS; at = end + 1) {
    end = at + strcspn(at, "\n");
    argv[argc++] = at;
    if (!*end)
      break;
    *end = '\0';
  }
  argv[argc] = NULL;
  parse(command, argc, argv);
  free(words);
  free(name);
  return 0;
}
