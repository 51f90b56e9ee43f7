/* Test Anything Protocol with the interface of libtap (plan, ok, is, cmp_ok, skip, todo, …), plus tap_near for
 * floating-point numbers. Where libtap is installed, its own header comes first and only tap_near is ours.
 *
 *   #include "tap/tap.h"
 *   int main(void) {
 *     plan(2);
 *     ok(1 + 1 == 2, "integers");
 *     tap_near(sqrt(2.0), 1.41421356, 0, 1e-8, "square root of %d", 2);
 *     done_testing();
 *   }
 *
 * Names are optional printf formats and must be string literals: "%s" for a name that is not. Call these functions
 * from the main thread only. */
#ifndef CAIRN_TESTS_TAP_H
#define CAIRN_TESTS_TAP_H

#include <stddef.h>

#ifdef CAIRN_SYSTEM_TAP
#include <tap.h>
#else

#define NO_PLAN (-1)
#define SKIP_ALL (-2)

/* plan(NUMBER), plan(NO_PLAN) or plan(SKIP_ALL, "reason"), which ends the program with success. */
#define plan(tests, ...) tap_plan((tests), "" __VA_ARGS__)

/* Every assertion returns whether it held. */
#define ok(test, ...) tap_ok(__FILE__, __LINE__, !!(test), "" __VA_ARGS__)
#define pass(...) tap_ok(__FILE__, __LINE__, 1, "" __VA_ARGS__)
#define fail(...) tap_ok(__FILE__, __LINE__, 0, "" __VA_ARGS__)

/* Equal strings; NULL equals only NULL. */
#define is(got, expected, ...) tap_is(__FILE__, __LINE__, (got), (expected), 1, "" __VA_ARGS__)
#define isnt(got, expected, ...) tap_is(__FILE__, __LINE__, (got), (expected), 0, "" __VA_ARGS__)

/* Integers compared with an operator given as text: cmp_ok(n, ">=", 3, "enough"). Also % & | ^ && ||. */
#define cmp_ok(a, op, b, ...) tap_cmp(__FILE__, __LINE__, (long long)(a), (op), (long long)(b), "" __VA_ARGS__)
#define cmp_mem(got, expected, n, ...) tap_mem(__FILE__, __LINE__, (got), (expected), (n), "" __VA_ARGS__)

/* POSIX extended regular expressions. */
#define like(got, pattern, ...) tap_like(__FILE__, __LINE__, (got), (pattern), 1, "" __VA_ARGS__)
#define unlike(got, pattern, ...) tap_like(__FILE__, __LINE__, (got), (pattern), 0, "" __VA_ARGS__)

/* skip(condition, how_many, "reason"); … end_skip; leaves the enclosed assertions out where the condition holds. */
#define skip(test, ...)                                                                                                \
  do {                                                                                                                 \
    if (test) {                                                                                                        \
      tap_skip(__VA_ARGS__);                                                                                           \
      break;                                                                                                           \
    }
#define end_skip                                                                                                       \
  }                                                                                                                    \
  while (0)

/* todo("reason"); … end_todo; the enclosed assertions may fail. */
#define todo(...) tap_todo("" __VA_ARGS__)
#define end_todo tap_end_todo()

/* The last statement of main: prints the plan if there was none, returns the exit code. */
#define done_testing() return exit_status()
#define BAIL_OUT(...) tap_bail_out("" __VA_ARGS__)

/* Comments: diag to standard error (shown in a summary), note to standard output. */
int diag(const char *format, ...) __attribute__((format(printf, 1, 2)));
int note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* 0 if every planned test ran and none failed; prints what is missing. */
int exit_status(void);

void tap_plan(int tests, const char *format, ...) __attribute__((format(printf, 2, 3)));
int tap_ok(const char *file, int line, int held, const char *format, ...) __attribute__((format(printf, 4, 5)));
int tap_is(const char *file, int line, const char *got, const char *expected, int same, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
int tap_cmp(const char *file, int line, long long a, const char *op, long long b, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
int tap_mem(const char *file, int line, const void *got, const void *expected, size_t n, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
int tap_like(const char *file, int line, const char *got, const char *pattern, int matches, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void tap_skip(int tests, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tap_todo(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tap_end_todo(void);
void tap_bail_out(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif

/* Holds if |got - want| <= abs + rel |want|; a NaN on either side, or two infinities of different sign, fail. A
 * failure prints both values with all digits. `abs` and `rel` may be 0: both 0 asks for equality. */
#define tap_near(got, want, abs, rel, ...) tap_near_at(__FILE__, __LINE__, (got), (want), (abs), (rel), "" __VA_ARGS__)
int tap_near_at(const char *file, int line, double got, double want, double abs_tolerance, double rel_tolerance,
                const char *format, ...) __attribute__((format(printf, 7, 8)));

#endif
