#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/format.h"

enum { N_PARTS = 8, PART_LENGTH = 64, MIN_BAR = 10, MAX_BAR = 40, MAX_WARNINGS = 20 };

/* Slower than the eye, faster than boredom. */
static const double terminal_every = 0.1;

void cairn_progress_init(struct cairn_progress_line *line, FILE *stream, int quiet, double log_every) {
  const char *term = getenv("TERM");
  int terminal = isatty(fileno(stream)) && !(term && strcmp(term, "dumb") == 0);
  *line = (struct cairn_progress_line){
      .stream = stream, .quiet = quiet, .terminal = terminal, .every = terminal ? terminal_every : log_every};
}

static double fraction(const struct cairn_progress *progress) {
  if (progress->n_steps <= 0)
    return 1;
  double done = (double)progress->step / (double)progress->n_steps;
  return done < 0 ? 0 : done > 1 ? 1 : done;
}

/* The pieces of the line, the most important first. */
static void fill_parts(const struct cairn_progress *progress, char parts[N_PARTS][PART_LENGTH]) {
  const struct cairn_observables *seen = &progress->observables;
  char text[CAIRN_FORMAT_LENGTH];
  double energy = seen->kinetic_energy + seen->rotational_energy + seen->potential_energy + seen->elastic_energy;
  snprintf(parts[0], PART_LENGTH, "%3d %%", (int)(100 * fraction(progress)));
  snprintf(parts[1], PART_LENGTH, "%s left", cairn_format_duration(text, progress->remaining));
  snprintf(parts[2], PART_LENGTH, "t %.4g/%.4g s", progress->time, progress->time_end);
  parts[3][0] = '\0';
  if (progress->stage_name)
    snprintf(parts[3], PART_LENGTH, "stage %d/%d %.24s", progress->stage + 1, progress->n_stages, progress->stage_name);
  snprintf(parts[4], PART_LENGTH, "step %lld/%lld", (long long)progress->step, (long long)progress->n_steps);
  snprintf(parts[5], PART_LENGTH, "%s body-steps/s", cairn_format_count(text, progress->body_steps_per_second));
  snprintf(parts[6], PART_LENGTH, "E %.4g J", energy);
  snprintf(parts[7], PART_LENGTH, "%.0f contacts", seen->n_contacts + seen->n_wall_contacts);
}

size_t cairn_progress_format(const struct cairn_progress *progress, int bar, size_t width, char *text, size_t size) {
  char parts[N_PARTS][PART_LENGTH];
  fill_parts(progress, parts);
  if (size == 0)
    return 0;
  size_t room = width < size - 1 ? width : size - 1;
  size_t frame = bar ? MIN_BAR + 3 : 0; /* brackets and a blank */
  size_t used = strlen(parts[0]);
  if (used + frame > room)
    frame = 0;
  int n = 1;
  while (n < N_PARTS && used + 2 + strlen(parts[n]) + frame <= room)
    used += parts[n][0] ? 2 + strlen(parts[n]) : 0, n++;
  char *at = text;
  if (frame) {
    size_t length = room - used - 3 < MAX_BAR ? room - used - 3 : MAX_BAR;
    size_t filled = (size_t)(fraction(progress) * (double)length);
    *at++ = '[';
    memset(at, '#', filled);
    memset(at + filled, '.', length - filled);
    at += length;
    *at++ = ']';
    *at++ = ' ';
  }
  for (int i = 0; i < n; i++)
    at += snprintf(at, size - (size_t)(at - text), "%s%s", i && parts[i][0] ? "  " : "", parts[i]);
  size_t length = strlen(text);
  if (length > room) {
    text[room] = '\0';
    length = room;
  }
  return length;
}

static size_t terminal_width(FILE *stream) {
  struct winsize size;
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  const char *columns = getenv("COLUMNS");
  int width = columns ? atoi(columns) : 0;
  return width > 0 ? (size_t)width : 80;
}

void cairn_progress_show(void *context, const struct cairn_progress *progress) {
  struct cairn_progress_line *line = context;
  int last = progress->step >= progress->n_steps;
  if (line->quiet || (progress->elapsed - line->last < line->every && !(last && line->terminal)))
    return;
  line->last = progress->elapsed;
  char text[512];
  if (!line->terminal) {
    cairn_progress_format(progress, 0, sizeof text - 1, text, sizeof text);
    fprintf(line->stream, "%s\n", text);
    fflush(line->stream);
    return;
  }
  /* The last column stays free: some terminals wrap as soon as it is written. */
  size_t length = cairn_progress_format(progress, 1, terminal_width(line->stream) - 1, text, sizeof text);
  size_t blanks = line->shown > length ? line->shown - length : 0;
  fprintf(line->stream, "\r%s%*s", text, (int)blanks, "");
  fflush(line->stream);
  line->shown = length;
}

void cairn_progress_clear(struct cairn_progress_line *line) {
  if (!line->shown)
    return;
  fprintf(line->stream, "\r%*s\r", (int)line->shown, "");
  fflush(line->stream);
  line->shown = 0;
}

void cairn_progress_warn(void *context, const char *message) {
  struct cairn_progress_line *line = context;
  /* A run that goes wrong can warn at every step; the summary counts the rest. */
  if (++line->warnings > MAX_WARNINGS)
    return;
  cairn_progress_clear(line);
  fprintf(line->stream, "warning: %s\n", message);
  if (line->warnings == MAX_WARNINGS)
    fprintf(line->stream, "warning: that was warning %d, further ones are only counted\n", MAX_WARNINGS);
  fflush(line->stream);
}
