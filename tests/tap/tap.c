/* State is global here because the interface of libtap has no handle; a test is one program with one stream. */
#include "tap/tap.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CAIRN_SYSTEM_TAP
#include <regex.h>

static int planned = NO_PLAN;
static int run_count;
static int failed_count;
static int todo_active;
static char todo_reason[256];

/* Each line of `text` behind "# ", so that no output is ever mistaken for a result. */
static void comment(FILE *stream, const char *text) {
  fflush(stdout);
  while (*text) {
    size_t length = strcspn(text, "\n");
    fprintf(stream, "# %.*s\n", (int)length, text);
    text += length + (text[length] == '\n');
  }
  fflush(stream);
}

int diag(const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  comment(stderr, text);
  return 0;
}

int note(const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  comment(stdout, text);
  return 0;
}

/* One result line. A '#' or newline in a name would read as a directive or as another line. */
static int result(const char *file, int line, int held, const char *format, va_list arguments) {
  char name[1024];
  vsnprintf(name, sizeof name, format, arguments);
  for (char *c = name; *c; c++)
    if (*c == '\n' || *c == '#')
      *c = ' ';
  run_count++;
  printf("%sok %d%s%s", held ? "" : "not ", run_count, name[0] ? " - " : "", name);
  if (todo_active)
    printf(" # TODO %s", todo_reason);
  printf("\n");
  fflush(stdout);
  if (!held) {
    failed_count += !todo_active;
    diag("  Failed%s test '%s' at %s line %d", todo_active ? " (TODO)" : "", name, file, line);
  }
  return held;
}

void tap_plan(int tests, const char *format, ...) {
  if (tests == NO_PLAN)
    return;
  if (tests == SKIP_ALL) {
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    printf("1..0 # SKIP %s\n", reason);
    fflush(stdout);
    exit(0);
  }
  planned = tests;
  printf("1..%d\n", tests);
  fflush(stdout);
}

int tap_ok(const char *file, int line, int held, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  result(file, line, held, format, arguments);
  va_end(arguments);
  return held;
}

static const char *shown(const char *text) { return text ? text : "(null)"; }

int tap_is(const char *file, int line, const char *got, const char *expected, int same, const char *format, ...) {
  int equal = got && expected ? strcmp(got, expected) == 0 : got == expected;
  int held = equal == same;
  va_list arguments;
  va_start(arguments, format);
  result(file, line, held, format, arguments);
  va_end(arguments);
  if (!held)
    diag("         got: '%s'\n    %s: '%s'", shown(got), same ? "expected" : "unwanted", shown(expected));
  return held;
}

/* Whether `a op b`; -1 for an operator that does not exist. */
static int compare(long long a, const char *op, long long b) {
  const struct {
    const char *op;
    int holds;
  } table[] = {{"==", a == b},      {"!=", a != b},      {"<", a < b},        {"<=", a <= b},
               {">", a > b},        {">=", a >= b},      {"&&", a && b},      {"||", a || b},
               {"&", (a & b) != 0}, {"|", (a | b) != 0}, {"^", (a ^ b) != 0}, {"%", b != 0 && b != -1 && a % b != 0}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(op, table[i].op) == 0)
      return table[i].holds;
  return -1;
}

int tap_cmp(const char *file, int line, long long a, const char *op, long long b, const char *format, ...) {
  int holds = compare(a, op, b);
  va_list arguments;
  va_start(arguments, format);
  result(file, line, holds == 1, format, arguments);
  va_end(arguments);
  if (holds < 0)
    diag("    unknown operator '%s'", op);
  else if (!holds)
    diag("    %lld\n        %s\n    %lld", a, op, b);
  return holds == 1;
}

int tap_mem(const char *file, int line, const void *got, const void *expected, size_t n, const char *format, ...) {
  size_t at = 0;
  const unsigned char *a = got, *b = expected;
  while (a && b && at < n && a[at] == b[at])
    at++;
  int held = a && b ? at == n : a == b;
  va_list arguments;
  va_start(arguments, format);
  result(file, line, held, format, arguments);
  va_end(arguments);
  if (!held && a && b)
    diag("    first difference at byte %zu of %zu: got 0x%02x, expected 0x%02x", at, n, a[at], b[at]);
  else if (!held)
    diag("    got %p, expected %p", got, expected);
  return held;
}

int tap_like(const char *file, int line, const char *got, const char *pattern, int matches, const char *format, ...) {
  regex_t regex;
  int broken = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE);
  int found = !broken && got && regexec(&regex, got, 0, NULL, 0) == 0;
  int held = !broken && found == matches;
  if (!broken)
    regfree(&regex);
  va_list arguments;
  va_start(arguments, format);
  result(file, line, held, format, arguments);
  va_end(arguments);
  if (broken)
    diag("    bad pattern '%s'", pattern);
  else if (!held)
    diag("                  '%s'\n    %s '%s'", shown(got), matches ? "doesn't match" : "      matches", pattern);
  return held;
}

void tap_skip(int tests, const char *format, ...) {
  char reason[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  for (int i = 0; i < tests; i++)
    printf("ok %d # SKIP %s\n", ++run_count, reason);
  fflush(stdout);
}

void tap_todo(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(todo_reason, sizeof todo_reason, format, arguments);
  va_end(arguments);
  todo_active = 1;
}

void tap_end_todo(void) { todo_active = 0; }

int exit_status(void) {
  if (planned == NO_PLAN) {
    planned = run_count;
    printf("1..%d\n", run_count);
    fflush(stdout);
  }
  if (run_count != planned)
    diag("Looks like you planned %d test%s but ran %d.", planned, planned == 1 ? "" : "s", run_count);
  if (failed_count)
    diag("Looks like you failed %d test%s of %d run.", failed_count, failed_count == 1 ? "" : "s", run_count);
  return failed_count || run_count != planned;
}

void tap_bail_out(const char *format, ...) {
  printf("Bail out!  ");
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
  fflush(stdout);
  exit(255);
}

#endif

int tap_near_at(const char *file, int line, double got, double want, double abs_tolerance, double rel_tolerance,
                const char *format, ...) {
  char name[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(name, sizeof name, format, arguments);
  va_end(arguments);
  double difference = fabs(got - want);
  double allowed = abs_tolerance + rel_tolerance * fabs(want);
  /* Written so that a NaN anywhere fails; equal infinities have a NaN for a difference and still agree. */
  int held = got == want || difference <= allowed;
  if (!isfinite(want) && got != want)
    held = 0;
#ifdef CAIRN_SYSTEM_TAP
  (void)file, (void)line;
  ok(held, "%s", name);
#else
  tap_ok(file, line, held, "%s", name);
#endif
  if (!held)
    diag("         got: %.17g\n    expected: %.17g\n  difference: %.3g, allowed %.3g", got, want, difference, allowed);
  return held;
}
