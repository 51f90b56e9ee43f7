/* The text of the progress line in every width. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/progress.h"
#include "tap/tap.h"

static struct cairn_progress example(void) {
  struct cairn_progress progress = {.step = 2500,
                                    .n_steps = 10000,
                                    .time = 0.25,
                                    .time_end = 1,
                                    .elapsed = 10,
                                    .remaining = 30,
                                    .body_steps_per_second = 3.5e6};
  progress.observables.kinetic_energy = 1;
  progress.observables.rotational_energy = 2;
  progress.observables.potential_energy = 3;
  progress.observables.elastic_energy = 4;
  progress.observables.n_contacts = 120;
  progress.observables.n_wall_contacts = 3;
  return progress;
}

static void test_parts(void) {
  char text[512];
  struct cairn_progress progress = example();
  size_t length = cairn_progress_format(&progress, 1, 200, text, sizeof text);
  cmp_ok(length, "==", (long long)strlen(text), "the length is that of the text");
  like(text, "^\\[#{10}\\.{30}\\]  25 %", "a bar, a quarter full");
  like(text, "30 s left", "remaining time");
  like(text, "step 2500/10000", "step");
  like(text, "t 0\\.25/1 s", "simulated time");
  like(text, "3\\.50M body-steps/s", "speed");
  like(text, "E 10 J", "total energy");
  like(text, "123 contacts", "contacts with bodies and walls");
  cairn_progress_format(&progress, 0, 200, text, sizeof text);
  unlike(text, "\\[", "no bar in a log");
  progress.remaining = -1;
  cairn_progress_format(&progress, 0, 200, text, sizeof text);
  like(text, "\\? left", "remaining time still unknown");
}

static void test_widths(void) {
  char text[512];
  struct cairn_progress progress = example();
  int fits = 1, percent = 1;
  for (size_t width = 0; width <= 250; width++) {
    memset(text, 'x', sizeof text);
    size_t length = cairn_progress_format(&progress, 1, width, text, sizeof text);
    fits = fits && length <= width && strlen(text) == length;
    percent = percent && (width < 5 || strstr(text, "25 %"));
  }
  ok(fits, "never wider than the terminal, from 0 to 250 columns");
  ok(percent, "the percentage is the last thing to go");
  char small[8];
  cmp_ok(cairn_progress_format(&progress, 1, 100, small, sizeof small), "<", 8, "a small buffer is respected");
  size_t at_80 = cairn_progress_format(&progress, 1, 79, text, sizeof text);
  cmp_ok(at_80, ">=", 60, "a usual terminal is put to use");
}

static void test_odd_numbers(void) {
  char text[512];
  struct cairn_progress progress = example();
  progress.n_steps = 0;
  cairn_progress_format(&progress, 1, 79, text, sizeof text);
  like(text, "100 %", "a run without steps is done");
  progress = example();
  progress.step = 20000;
  cairn_progress_format(&progress, 1, 79, text, sizeof text);
  like(text, "100 %", "never beyond the end");
  progress.observables.kinetic_energy = (double)NAN;
  progress.body_steps_per_second = 1e300;
  progress.time = 1e300;
  cmp_ok(cairn_progress_format(&progress, 1, 79, text, sizeof text), "<=", 79, "absurd numbers still fit");
}

/* A log: one line at the start of each interval, nothing rewritten. */
static void test_log(void) {
  FILE *log = tmpfile();
  if (!log)
    BAIL_OUT("no temporary file");
  struct cairn_progress_line line;
  struct cairn_progress progress = example();
  cairn_progress_init(&line, log, 0, 60);
  for (int second = 0; second <= 150; second++) {
    progress.elapsed = second;
    cairn_progress_show(&line, &progress);
  }
  cairn_progress_warn(&line, "something odd");
  cairn_progress_clear(&line);
  char text[4096];
  rewind(log);
  size_t length = fread(text, 1, sizeof text - 1, log);
  text[length] = '\0';
  fclose(log);
  int lines = 0;
  for (size_t i = 0; i < length; i++)
    lines += text[i] == '\n';
  cmp_ok(lines, "==", 3, "two lines in 150 seconds and one warning");
  unlike(text, "\r", "nothing is rewritten");
  like(text, "^warning: something odd$", "the warning");
}

static void test_quiet(void) {
  FILE *log = tmpfile();
  if (!log)
    BAIL_OUT("no temporary file");
  struct cairn_progress_line line;
  struct cairn_progress progress = example();
  cairn_progress_init(&line, log, 1, 0);
  cairn_progress_show(&line, &progress);
  cmp_ok(ftell(log), "==", 0, "quiet shows no progress");
  for (int i = 0; i < 1000; i++)
    cairn_progress_warn(&line, "again");
  cmp_ok(ftell(log), "<", 1000, "a thousand warnings are cut short");
  fclose(log);
}

int main(void) {
  plan(NO_PLAN);
  test_parts();
  test_widths();
  test_odd_numbers();
  test_log();
  test_quiet();
  done_testing();
}
