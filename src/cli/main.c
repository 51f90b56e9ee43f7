/* The program `cairn`: finds the subcommand, parses its options, turns its status into an exit code. */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"
#include "cairn/ranks.h"
#include "cli/command.h"
#include "solvers/method.h"

static const struct cairn_command *const commands[] = {
    &cairn_command_run,    &cairn_command_resume,  &cairn_command_check,    &cairn_command_info,
    &cairn_command_digest, &cairn_command_export,  &cairn_command_solve,    &cairn_command_report,
    &cairn_command_render, &cairn_command_plot,    &cairn_command_watch,    &cairn_command_sweep,
    &cairn_command_bench,  &cairn_command_analyse, &cairn_command_forecast,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(FILE *stream) {
  fprintf(stream,
          "cairn %s: granular matter and rubble piles on a task engine\n\n"
          "usage: cairn COMMAND [OPTIONS] …\n\n",
          CAIRN_VERSION);
  for (int i = 0; i < N_COMMANDS; i++)
    fprintf(stream, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
  fprintf(stream, "  help     show help about a command: cairn help run\n\n"
                  "  --version, --help\n\n"
                  "methods (the key method of a scenario):\n");
  for (int i = 0; cairn_method_at(i); i++)
    fprintf(stream, "  %-17s %s\n", cairn_method_at(i)->name, cairn_method_at(i)->description);
  fprintf(stream, "\n"
                  "exit codes: 0 done, 1 numerical failure, 2 bad usage or input, 3 I/O failure,\n"
                  "            75 stopped early with a checkpoint (cairn resume continues it)\n");
}

static void print_help(const struct cairn_command *command) {
  printf("usage: cairn %s [OPTIONS] %s\n\n%s\n\n%s\n\n", command->name, command->operands, command->summary,
         command->help);
  cairn_options_print(stdout, command->options);
}

static const struct cairn_command *find(const char *name) {
  for (int i = 0; i < N_COMMANDS; i++)
    if (strcmp(commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

static int unknown(const char *name) {
  fprintf(stderr, "cairn: unknown command '%s'; the commands are", name);
  for (int i = 0; i < N_COMMANDS; i++)
    fprintf(stderr, " %s%s", commands[i]->name, i + 1 < N_COMMANDS ? "," : " and help\n");
  return -CAIRN_ERR_INPUT;
}

static int help(int argc, char **argv) {
  if (argc < 2) {
    print_usage(stdout);
    return 0;
  }
  const struct cairn_command *command = find(argv[1]);
  if (!command)
    return unknown(argv[1]);
  print_help(command);
  return 0;
}

static int execute(const struct cairn_command *command, int argc, char **argv) {
  struct cairn_error error = {0};
  struct cairn_options options;
  int status = cairn_options_parse(argc, argv, command->options, &options, &error);
  if (!status && !options.help &&
      (options.n_operands < command->min_operands || options.n_operands > command->max_operands)) {
    char most[32] = "";
    if (options.n_operands > command->max_operands && command->max_operands > 1)
      snprintf(most, sizeof most, " (at most %d)", command->max_operands);
    status = cairn_error_set(&error, CAIRN_ERR_INPUT, "expected %s%s, found %d operand%s",
                             *command->operands ? command->operands : "nothing", most, options.n_operands,
                             options.n_operands == 1 ? "" : "s");
    cairn_options_fini(&options);
  }
  if (status) {
    fprintf(stderr, "cairn %s: %s (see: cairn help %s)\n", command->name, error.message, command->name);
    return -status;
  }
  if (options.help)
    print_help(command);
  if (command->on_ranks && !options.help)
    status = cairn_ranks_start(&error);
  for (int i = 0; i < options.n_operands && !options.help && !status; i++)
    status = cairn_file_kind_check(options.operands[i], command->takes, &error);
  status = cairn_ranks_agree(status, &error);
  if (!options.help && !status)
    status = command->execute(&options, &error);
  cairn_options_fini(&options);
  /* What fails fails on all ranks: one says it, before any of them leaves, because the launcher then ends the others.
   * Messages about input start with file:line:column, which editors follow only at the start of a line. */
  if (status && status != CAIRN_STOPPED && cairn_ranks_me() == 0)
    fprintf(stderr, "%s%s\n", status == CAIRN_ERR_INPUT ? "" : "cairn: ", error.message);
  cairn_ranks_stop();
  return -status;
}

/* A closed standard stream would give its descriptor to the next file that is opened, and messages would overwrite that
 * file. Standard output is filled with something that cannot be written, so that a result that nobody gets is still a
 * failure; messages to a closed standard error vanish. */
static int fill_streams(void) {
  for (int stream = 0; stream <= 2; stream++)
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY) != stream)
      return -1;
  return 0;
}

/* Cells and their packets come and go by megabytes, with every regrid, row and frame. The C library would give that
 * memory back to the system each time, and the system make each page anew: a third of the time of a frame. */
static void keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

int main(int argc, char **argv) {
  keep_memory();
  int code;
  if (fill_streams())
    return -CAIRN_ERR_IO;
  if (argc < 2) {
    print_usage(stderr);
    return -CAIRN_ERR_INPUT;
  }
  const struct cairn_command *command = find(argv[1]);
  if (command)
    code = execute(command, argc - 1, argv + 1);
  else if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
    code = printf("cairn %s (%s)\n", CAIRN_VERSION, CAIRN_GIT_HASH) < 0;
  else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
    code = help(argc - 1, argv + 1);
  else
    code = unknown(argv[1]);
  /* Results that did not arrive (a full disk behind standard output) are a failure. */
  if ((fflush(stdout) || ferror(stdout)) && code == 0) {
    fprintf(stderr, "cairn: cannot write to standard output\n");
    code = -CAIRN_ERR_IO;
  }
  return code;
}
