#include "cli/signals.h"

#include <stddef.h>
#include <unistd.h>

/* A signal handler can reach nothing but a global variable. */
static volatile sig_atomic_t flag;

static void raise_flag(int number) {
  if (number == SIGINT && flag == SIGINT) {
    /* Leaves the shell's prompt on a line of its own; there is nothing to do if that fails. */
    ssize_t ignored = write(STDERR_FILENO, "\n", 1);
    (void)ignored;
    _exit(128 + SIGINT);
  }
  if (!flag || number == SIGINT)
    flag = number;
}

void cairn_signals_install(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1, SIGHUP};
  flag = 0;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction action = {.sa_handler = raise_flag, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    if (numbers[i] == SIGHUP && sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
      continue;
    sigaction(numbers[i], &action, NULL);
  }
}

const volatile sig_atomic_t *cairn_signals_flag(void) { return &flag; }
