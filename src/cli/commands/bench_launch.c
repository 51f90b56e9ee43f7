#define _GNU_SOURCE /* asprintf */
#include "cli/commands/bench_launch.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/signals.h"

extern char **environ;

enum { MOST_WORDS = 64, PATH = 4096 };

/* A word of the launcher with numbers in place of their names. The caller frees it. */
static char *fill_in(const char *word, int ranks, int workers) {
  const struct {
    const char *name;
    int number;
  } places[] = {{"{ranks}", ranks}, {"{workers}", workers}};
  char *text = strdup(word);
  for (int k = 0; k < 2; k++)
    for (char *at; text && (at = strstr(text, places[k].name));) {
      char *longer = NULL;
      if (asprintf(&longer, "%.*s%d%s", (int)(at - text), text, places[k].number, at + strlen(places[k].name)) < 0)
        longer = NULL;
      free(text);
      text = longer;
    }
  return text;
}

/* Returns the exit code; of a process that a signal ended, 128 and its number, as shells do. */
static int wait_for(pid_t pid) {
  int how = 0;
  bool told = false;
  while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
    if (*cairn_signals_flag() && !told) {
      kill(pid, SIGTERM);
      told = true;
    }
  return WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
}

static int start(char **argv, struct cairn_error *error) {
  pid_t pid;
  const int failed = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
  if (failed)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "cannot start '%s': %s; --launcher names what starts ranks here",
                           argv[0], strerror(failed));
  const int code = wait_for(pid);
  if (code == 0)
    return 0;
  if (*cairn_signals_flag())
    return cairn_error_set(error, CAIRN_STOPPED, "stopped");
  const enum cairn_status status = -code == CAIRN_ERR_NUMERIC || -code == CAIRN_ERR_IO ? -code : CAIRN_ERR_INPUT;
  return cairn_error_set(error, status, "'%s' ended with exit code %d", argv[0], code);
}

int cairn_bench_launch(const char *launcher, int ranks, int workers, char *const *words, struct cairn_error *error) {
  char *list = strdup(launcher), program[PATH], *rest = NULL;
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  int n = 0, n_own, n_words = 0, status = 0;
  while (words[n_words])
    n_words++;
  char **argv = calloc((size_t)(MOST_WORDS + n_words + 2), sizeof *argv);
  if (!list || !argv || length < 0)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  for (char *word = status ? NULL : strtok_r(list, " \t", &rest); word && n < MOST_WORDS && !status;
       word = strtok_r(NULL, " \t", &rest)) {
    argv[n] = fill_in(word, ranks, workers);
    if (!argv[n++])
      status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  }
  if (!status && n == 0)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "--launcher: there is no command");
  n_own = n;
  if (!status) {
    program[length] = '\0';
    argv[n++] = program;
    memcpy(argv + n, words, (size_t)n_words * sizeof *argv);
    status = start(argv, error);
  }
  for (int k = 0; k < n_own && argv; k++)
    free(argv[k]);
  free(argv);
  free(list);
  return status;
}
