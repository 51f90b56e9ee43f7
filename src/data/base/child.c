#include "data/base/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void set_limit(int resource, int64_t value, int64_t grace) {
  struct rlimit limit;
  if (value < 0 || getrlimit(resource, &limit))
    return;
  if ((rlim_t)(value + grace) < limit.rlim_max)
    limit.rlim_max = (rlim_t)(value + grace);
  limit.rlim_cur = (rlim_t)value < limit.rlim_max ? (rlim_t)value : limit.rlim_max;
  setrlimit(resource, &limit);
}

/* Bytes of address space in use; negative if the system does not tell. */
static int64_t address_space(void) {
  long long pages = -1;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file) {
    if (fscanf(file, "%lld", &pages) != 1)
      pages = -1;
    fclose(file);
  }
  return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}

/* A crash here is an answer: no core file, no report of a sanitizer, no handler of the program. */
static void become_child(int64_t memory, int64_t seconds) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGINT, SIGTERM, SIGALRM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_DFL);
  const int64_t used = address_space();
  set_limit(RLIMIT_CORE, 0, 0);
  set_limit(RLIMIT_CPU, seconds, 1);
  set_limit(RLIMIT_AS, used < 0 ? -1 : used + memory, 0);
}

int cairn_child_start(struct cairn_child *child, void (*serve)(int link, const void *context), const void *context,
                      int64_t memory, int64_t seconds, struct cairn_error *error) {
  int link[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link))
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot start another process: %s", strerror(errno));
  child->pid = fork();
  if (child->pid == 0) {
    close(link[0]);
    become_child(memory, seconds);
    serve(link[1], context);
    _exit(0);
  }
  const int number = errno;
  close(link[1]);
  child->link = link[0];
  if (child->pid > 0)
    return 0;
  close(link[0]);
  return cairn_error_set(error, CAIRN_ERR_IO, "cannot start another process: %s", strerror(number));
}

int cairn_child_send(int link, const void *bytes, size_t n) {
  for (const char *next = bytes; n > 0;) {
    const ssize_t done = send(link, next, n, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return -1;
    next += done;
    n -= (size_t)done;
  }
  return 0;
}

int cairn_child_receive(int link, void *bytes, size_t n) {
  for (char *next = bytes; n > 0;) {
    const ssize_t done = recv(link, next, n, 0);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return -1;
    next += done;
    n -= (size_t)done;
  }
  return 0;
}

void cairn_child_end(struct cairn_child *child, char cause[64]) {
  int how = 0;
  pid_t ended;
  close(child->link);
  while ((ended = waitpid(child->pid, &how, 0)) < 0 && errno == EINTR)
    continue;
  cause[0] = '\0';
  if (ended == child->pid && WIFSIGNALED(how))
    snprintf(cause, 64, "%s", strsignal(WTERMSIG(how)));
  else if (ended == child->pid && WEXITSTATUS(how))
    snprintf(cause, 64, "exit code %d", WEXITSTATUS(how));
}
