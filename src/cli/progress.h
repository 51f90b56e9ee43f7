/* How far a run has come: one line rewritten in place on a terminal, one line now and then in a log. */
#ifndef CAIRN_CLI_PROGRESS_H
#define CAIRN_CLI_PROGRESS_H

#include <stddef.h>
#include <stdio.h>

#include "solvers/run/run.h"

struct cairn_progress_line {
  FILE *stream;
  int quiet;        /* show warnings only */
  int terminal;     /* rewrite in place */
  double every;     /* s between lines */
  double last;      /* wall clock of the run when the last line was shown, s */
  size_t shown;     /* columns of the line that stands on the terminal now */
  int64_t warnings; /* shown so far */
};

/* A stream that is no terminal (or TERM=dumb) is a log: a line every `log_every` seconds. */
void cairn_progress_init(struct cairn_progress_line *line, FILE *stream, int quiet, double log_every);

/* The callbacks of struct cairn_run_options; `context` is the struct cairn_progress_line. */
void cairn_progress_show(void *context, const struct cairn_progress *progress);
void cairn_progress_warn(void *context, const char *message);

/* Take the line off the terminal so that other output can follow. */
void cairn_progress_clear(struct cairn_progress_line *line);

/* The text of the line in at most `width` columns: what does not fit is left out, least important first; a bar takes
 * the room that is left (none if `bar` is 0). Returns its length. */
size_t cairn_progress_format(const struct cairn_progress *progress, int bar, size_t width, char *text, size_t size);

#endif
