/* A child process with limits: what it sends arrives, and how it ends is told, whatever it does. */
#include "tap/tap.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/child.h"

/* Under the address sanitizer malloc fails as it does elsewhere. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

enum { MEGABYTE = 1 << 20 };

/* Doubles numbers until there are no more. */
static void serve_doubles(int link, const void *context) {
  double number;
  while (!cairn_child_receive(link, &number, sizeof number)) {
    number *= *(const double *)context;
    if (cairn_child_send(link, &number, sizeof number))
      return;
  }
}

static void serve_crash(int link, const void *context) {
  (void)link;
  (void)context;
  raise(SIGSEGV);
}

static void serve_forever(int link, const void *context) {
  (void)link;
  (void)context;
  for (volatile unsigned i = 0;; i = i + 1)
    continue;
}

/* Sends whether 64 MB and whether 1 GB can be had. */
static void serve_memory(int link, const void *context) {
  int had[2] = {0, 0};
  (void)context;
  for (int i = 0; i < 2; i++) {
    char *volatile block = malloc((size_t)(i ? 1024 : 64) * MEGABYTE);
    had[i] = block != NULL;
    free(block);
  }
  cairn_child_send(link, had, sizeof had);
}

static struct cairn_child start(void (*serve)(int link, const void *context), const void *context, int64_t memory,
                                int64_t seconds) {
  struct cairn_child child;
  struct cairn_error error;
  if (cairn_child_start(&child, serve, context, memory, seconds, &error))
    BAIL_OUT("%s", error.message);
  return child;
}

int main(void) {
  const double factor = 2;
  double number = 21;
  int had[2] = {9, 9};
  char cause[64];
  plan(NO_PLAN);
  struct cairn_child child = start(serve_doubles, &factor, 256 * MEGABYTE, 60);
  for (int i = 0; i < 3; i++)
    ok(!cairn_child_send(child.link, &number, sizeof number) &&
           !cairn_child_receive(child.link, &number, sizeof number),
       "a question is answered");
  ok(number == 168, "by the child");
  cairn_child_end(&child, cause);
  is(cause, "", "which ends when nobody asks");

  child = start(serve_crash, NULL, 256 * MEGABYTE, 60);
  ok(cairn_child_receive(child.link, &number, sizeof number), "a child that crashes does not answer");
  ok(cairn_child_send(child.link, &number, sizeof number) || 1, "asking it is no crash here");
  cairn_child_end(&child, cause);
  is(cause, strsignal(SIGSEGV), "and its end is told");

  child = start(serve_forever, NULL, 256 * MEGABYTE, 1);
  ok(cairn_child_receive(child.link, &number, sizeof number), "a child that computes for ever is ended");
  cairn_child_end(&child, cause);
  is(cause, strsignal(SIGXCPU), "for that reason");

  child = start(serve_memory, NULL, 256 * MEGABYTE, 60);
  ok(!cairn_child_receive(child.link, had, sizeof had), "a child that takes memory");
  cairn_child_end(&child, cause);
  ok(had[0], "gets what it may have");
  ok(!had[1], "but not more");
  done_testing();
}
