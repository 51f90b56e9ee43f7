/* Signals raise a flag, once; the second Ctrl-C ends the process. Children are forked before anything else runs. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/signals.h"
#include "tap/tap.h"

/* What a child saw after the signals: its exit code, or 128 + the signal that killed it. */
static int child(int first, int second, int ignore_hangup) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0)
    BAIL_OUT("cannot fork");
  if (pid == 0) {
    if (ignore_hangup)
      signal(SIGHUP, SIG_IGN);
    cairn_signals_install();
    if (*cairn_signals_flag())
      _exit(99);
    if (first)
      raise(first);
    if (second)
      raise(second);
    _exit((int)*cairn_signals_flag());
  }
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(void) {
  plan(9);
  cmp_ok(child(0, 0, 0), "==", 0, "no signal, no flag");
  cmp_ok(child(SIGINT, 0, 0), "==", SIGINT, "SIGINT");
  cmp_ok(child(SIGTERM, 0, 0), "==", SIGTERM, "SIGTERM");
  cmp_ok(child(SIGUSR1, 0, 0), "==", SIGUSR1, "SIGUSR1");
  cmp_ok(child(SIGHUP, 0, 0), "==", SIGHUP, "SIGHUP");
  cmp_ok(child(SIGHUP, 0, 1), "==", 0, "SIGHUP stays ignored where it was");
  cmp_ok(child(SIGTERM, SIGTERM, 0), "==", SIGTERM, "a second SIGTERM changes nothing");
  cmp_ok(child(SIGINT, SIGINT, 0), "==", 130, "a second SIGINT exits at once with 130");
  cmp_ok(child(SIGUSR1, SIGINT, 0), "==", SIGINT, "one SIGINT after another signal does not");
  done_testing();
}
