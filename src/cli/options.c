#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/number.h"
#include "data/storage/run_files.h"
#include "solvers/friction/friction.h"
#include "solvers/run/deadline.h"
#include "view/scene/coloring.h"

#define SOLVER_NAME(name) #name " "
#define COLORING_NAME(name, unit) #name " "
#define MAP_NAME(name, description) #name " "
static const struct row {
  uint64_t bit;
  char letter;
  const char *name;
  const char *argument; /* NULL: takes none */
  const char *help;
} table[] = {
    {CAIRN_OPTION_SET, 's', "set", "KEY=VALUE", "override one key of the scenario: --set time.end=2 (repeatable)"},
    {CAIRN_OPTION_WORKERS, 'w', "workers", "N", "CPU workers (default: STARPU_NCPU, else one per core it may use)"},
    {CAIRN_OPTION_DEVICE, 'd', "device", "KIND", "where forces are computed: any (default), cpu or opencl"},
    {CAIRN_OPTION_OUTPUT, 'o', "output", "NAME", "write NAME.nc, NAME.series.nc and NAME.ckpt.nc"},
    {CAIRN_OPTION_OVERWRITE, 'f', "overwrite", NULL, "replace files of an earlier run, export or solve"},
    {CAIRN_OPTION_FORCE, 'F', "force", NULL, "run with an unstable step, continue after a numerical energy gain"},
    {CAIRN_OPTION_QUIET, 'q', "quiet", NULL, "print the result alone (digest, residual), warnings and errors"},
    {CAIRN_OPTION_LOG_EVERY, 'l', "log-every", "SECONDS", "time between progress lines in a log (default 60)"},
    {CAIRN_OPTION_TRIAL, 'T', "trial", "SECONDS", "time for the trial behind the estimate (default 5, 0: no trial)"},
    {CAIRN_OPTION_AMBER, 'a', "amber", "FILE", "a trajectory in strict AMBER units (MDAnalysis, VMD)"},
    {CAIRN_OPTION_VTK, 'v', "vtk", "PREFIX", "one VTK file per frame and an index (ParaView)"},
    {CAIRN_OPTION_SOLVER, 'm', "solver", "NAME", CAIRN_FRICTION_SOLVERS(SOLVER_NAME) "(default: the first)"},
    {CAIRN_OPTION_TOLERANCE, 't', "tolerance", "NUMBER", "residual at which a solution is good enough (default 1e-4)"},
    {CAIRN_OPTION_MAX_SWEEPS, 'n', "max-sweeps", "N", "give up after so many sweeps (default 10000)"},
    {CAIRN_OPTION_OUTPUT_FILE, 'o', "output", "FILE", "write the result to FILE instead"},
    {CAIRN_OPTION_VIEW, 'e', "view", "WORD",
     "iso (default), top, bottom, front, back, left, right, or AROUND,ABOVE in °"},
    {CAIRN_OPTION_FOLLOW, 'k', "follow", "WHAT", "largest: keep the largest fragment in the middle; none (default)"},
    {CAIRN_OPTION_ZOOM, 'x', "zoom", "FACTOR",
     "1 (default) shows the bulk of the bodies; less shows those far out too"},
    {CAIRN_OPTION_COLOR, 'c', "color", "BY", CAIRN_COLORINGS(COLORING_NAME) "(default: speed)"},
    {CAIRN_OPTION_MAP, 'p', "map", "NAME", "color map: " CAIRN_COLOR_MAPS(MAP_NAME) "(default: the first)"},
    {CAIRN_OPTION_SIZE, 'z', "size", "WxH", "pixels, both even (default 1920x1080)"},
    {CAIRN_OPTION_FRAME, 'r', "frame", "N", "from 0, negative from the end; last (default); for pictures also all"},
    {CAIRN_OPTION_MOVIE, 'M', "movie", NULL, "all frames as a movie, NAME.mp4; needs ffmpeg"},
    {CAIRN_OPTION_BACKGROUND, 'b', "background", "WORD", "dark (default) or white"},
    {CAIRN_OPTION_LOG, 'L', "log", NULL, "logarithmic axis"},
    {CAIRN_OPTION_LIVE, 'i', "live", NULL, "serve the page of the run on this machine while it goes on"},
    {CAIRN_OPTION_PORT, 'P', "port", "N", "port of that page (default: any that is free)"},
    {CAIRN_OPTION_JSON, 'j', "json", NULL, "print the result as one line of JSON"},
    {CAIRN_OPTION_ONCE, '1', "once", NULL, "show it once, also on a terminal"},
    {CAIRN_OPTION_LINKS, 'K', "links", "KIND", "fragments are what gaps (default), contacts, bonds or gravity link"},
    {CAIRN_OPTION_REGION, 'G', "region", "REGION", "packing, velocity and stress in it: 'sphere: {radius: 3}'"},
    {CAIRN_OPTION_PROFILE, 'O', "profile", "AXIS", "along x, y, z or radius, in 20 bins, or with their number: z:50"},
    {CAIRN_OPTION_ROW, 'R', "row", "N", "print the options of row N, from 1, and run nothing"},
    {CAIRN_OPTION_WALLTIME, 'W', "walltime", "SECONDS",
     "stop with a checkpoint before so much time has passed (default: as Slurm grants)"},
    {CAIRN_OPTION_TRACE, 'C', "trace", "FILE", "write when each task ran, for ui.perfetto.dev or chrome://tracing"},
    {CAIRN_OPTION_LAUNCHER, 'N', "launcher", "COMMAND",
     "starts {ranks} ranks with {workers} workers each (default: mpirun, cores bound)"},
    {0, 'h', "help", NULL, "show this help"},
};

enum { N_ROWS = sizeof table / sizeof *table };

/* Every command takes --help, which has no bit. */
static int is_accepted(const struct row *row, uint64_t accepted) { return row->bit == 0 || (row->bit & accepted); }

/* argv as one line that a shell would split again in the same way. */
static char *join(int argc, char **argv) {
  size_t size = sizeof "cairn";
  for (int i = 0; i < argc; i++)
    size += 4 * strlen(argv[i]) + 3;
  char *line = malloc(size), *at = line;
  if (!line)
    return NULL;
  at += sprintf(at, "cairn");
  for (int i = 0; i < argc; i++) {
    const char *plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
    *at++ = ' ';
    if (argv[i][0] && strspn(argv[i], plain) == strlen(argv[i])) {
      at += sprintf(at, "%s", argv[i]);
      continue;
    }
    *at++ = '\'';
    for (const char *c = argv[i]; *c; c++)
      at += *c == '\'' ? sprintf(at, "'\\''") : sprintf(at, "%c", *c);
    *at++ = '\'';
  }
  *at = '\0';
  return line;
}

static int take_workers(const char *text, struct cairn_options *options, struct cairn_error *error) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno || end == text || *end || value < 1 || value > 4096)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--workers: found '%s', expected a whole number from 1 to 4096",
                           text);
  options->workers = (int)value;
  return 0;
}

static int take_device(const char *text, struct cairn_options *options, struct cairn_error *error) {
  if (strcmp(text, "any") == 0)
    options->device = CAIRN_ENGINE_ANY;
  else if (strcmp(text, "cpu") == 0)
    options->device = CAIRN_ENGINE_CPU;
  else if (strcmp(text, "opencl") == 0)
    options->device = CAIRN_ENGINE_OPENCL;
  else
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--device: found '%s', expected any, cpu or opencl", text);
  return 0;
}

static int take_seconds(const char *option, const char *text, double *seconds, struct cairn_error *error) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !isfinite(value) || value < 0)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--%s: found '%s', expected a number of seconds", option, text);
  *seconds = value;
  return 0;
}

static int take_tolerance(const char *text, struct cairn_options *options, struct cairn_error *error) {
  double value;
  if (!cairn_number_parse(text, &value) || !(value > 0 && value < 1))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--tolerance: found '%s', expected a number between 0 and 1", text);
  options->tolerance = value;
  return 0;
}

static int take_max_sweeps(const char *text, struct cairn_options *options, struct cairn_error *error) {
  int64_t value;
  if (!cairn_number_parse_integer(text, &value) || value < 1)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--max-sweeps: found '%s', expected a whole number from 1 on", text);
  options->max_sweeps = value;
  return 0;
}

static int take_output(const char *text, struct cairn_options *options, struct cairn_error *error) {
  options->output = text;
  return *text ? cairn_run_files_check_name(text, error)
               : cairn_error_set(error, CAIRN_ERR_INPUT, "--output: the name is empty");
}

static int take_zoom(const char *text, struct cairn_options *options, struct cairn_error *error) {
  double value;
  if (!cairn_number_parse(text, &value) || !(value >= 0.01 && value <= 1000.))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--zoom: found '%s', expected a number from 0.01 to 1000", text);
  options->zoom = value;
  return 0;
}

static int take_size(const char *text, struct cairn_options *options, struct cairn_error *error) {
  char rest;
  int width, height;
  if (strlen(text) > 11 || sscanf(text, "%dx%d%c", &width, &height, &rest) != 2 || width < 16 || height < 16 ||
      width > 16384 || height > 16384 || width % 2 || height % 2)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "--size: found '%s', expected WIDTHxHEIGHT, even numbers from 16 to 16384", text);
  options->width = width;
  options->height = height;
  return 0;
}

static int take_whole(const char *name, const char *text, int64_t most, int64_t *number, struct cairn_error *error) {
  if (!cairn_number_parse_integer(text, number) || *number < 1 || *number > most)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--%s: found '%s', expected a whole number from 1 to %lld", name,
                           text, (long long)most);
  return 0;
}

/* Options that are there or not. */
static int *flag_of(uint64_t bit, struct cairn_options *options) {
  switch (bit) {
  case CAIRN_OPTION_OVERWRITE:
    return &options->overwrite;
  case CAIRN_OPTION_FORCE:
    return &options->force;
  case CAIRN_OPTION_QUIET:
    return &options->quiet;
  case CAIRN_OPTION_MOVIE:
    return &options->movie;
  case CAIRN_OPTION_LOG:
    return &options->logarithmic;
  case CAIRN_OPTION_LIVE:
    return &options->live;
  case CAIRN_OPTION_JSON:
    return &options->json;
  case CAIRN_OPTION_ONCE:
    return &options->once;
  default:
    return NULL;
  }
}

/* Options that are words. */
static const char **word_of(uint64_t bit, struct cairn_options *options) {
  switch (bit) {
  case CAIRN_OPTION_SOLVER:
    return &options->solver;
  case CAIRN_OPTION_AMBER:
    return &options->amber;
  case CAIRN_OPTION_VTK:
    return &options->vtk;
  case CAIRN_OPTION_VIEW:
    return &options->view;
  case CAIRN_OPTION_FOLLOW:
    return &options->follow;
  case CAIRN_OPTION_COLOR:
    return &options->color;
  case CAIRN_OPTION_MAP:
    return &options->map;
  case CAIRN_OPTION_FRAME:
    return &options->frame;
  case CAIRN_OPTION_BACKGROUND:
    return &options->background;
  case CAIRN_OPTION_TRACE:
    return &options->trace;
  case CAIRN_OPTION_PROFILE:
    return &options->profile;
  case CAIRN_OPTION_LINKS:
    return &options->links;
  case CAIRN_OPTION_LAUNCHER:
    return &options->launcher;
  case CAIRN_OPTION_REGION:
    return &options->region;
  default:
    return NULL;
  }
}

static int take(const struct row *row, const char *argument, struct cairn_options *options, struct cairn_error *error) {
  if (word_of(row->bit, options)) {
    *word_of(row->bit, options) = argument;
    return 0;
  }
  if (flag_of(row->bit, options)) {
    *flag_of(row->bit, options) = 1;
    return 0;
  }
  int64_t number;
  switch (row->bit) {
  case CAIRN_OPTION_ROW:
    return take_whole(row->name, argument, 1000000000, &options->row, error);
  case CAIRN_OPTION_PORT:
    if (take_whole(row->name, argument, 65535, &number, error))
      return CAIRN_ERR_INPUT;
    options->port = (int)number;
    return 0;
  case CAIRN_OPTION_ZOOM:
    return take_zoom(argument, options, error);
  case CAIRN_OPTION_SIZE:
    return take_size(argument, options, error);
  case CAIRN_OPTION_SET:
    if (!strchr(argument, '='))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "--set: found '%s', expected KEY=VALUE", argument);
    options->set[options->n_set++] = argument;
    return 0;
  case CAIRN_OPTION_WORKERS:
    return take_workers(argument, options, error);
  case CAIRN_OPTION_DEVICE:
    return take_device(argument, options, error);
  case CAIRN_OPTION_TOLERANCE:
    return take_tolerance(argument, options, error);
  case CAIRN_OPTION_MAX_SWEEPS:
    return take_max_sweeps(argument, options, error);
  case CAIRN_OPTION_OUTPUT_FILE:
  case CAIRN_OPTION_OUTPUT:
    return take_output(argument, options, error);
  case CAIRN_OPTION_LOG_EVERY:
    return take_seconds(row->name, argument, &options->log_every, error);
  case CAIRN_OPTION_WALLTIME:
    return take_seconds(row->name, argument, &options->walltime, error);
  case CAIRN_OPTION_TRIAL:
    return take_seconds(row->name, argument, &options->trial, error);
  default:
    options->help = 1;
    return 0;
  }
}

/* getopt's view of the accepted rows; `val` is the row's index, shifted to stay clear of '?' and ':'. */
static void fill(uint64_t accepted, struct option *longs, char *shorts) {
  *shorts++ = '+'; /* operands are collected below: getopt must not reorder an argv that it sees only in part */
  *shorts++ = ':';
  for (int i = 0; i < N_ROWS; i++) {
    if (!is_accepted(&table[i], accepted))
      continue;
    *longs++ = (struct option){table[i].name, table[i].argument ? required_argument : no_argument, NULL, 256 + i};
    *shorts++ = table[i].letter;
    if (table[i].argument)
      *shorts++ = ':';
  }
  *longs = (struct option){0};
  *shorts = '\0';
}

static const struct row *find(int value) {
  if (value >= 256)
    return &table[value - 256];
  for (int i = 0; i < N_ROWS; i++)
    if (table[i].letter == value)
      return &table[i];
  return NULL;
}

static int parse(int argc, char **argv, uint64_t accepted, struct cairn_options *options, struct cairn_error *error) {
  struct option longs[N_ROWS + 1];
  char shorts[2 * N_ROWS + 3];
  fill(accepted, longs, shorts);
  opterr = 0;
  optind = 0; /* zero, not one: glibc then forgets what it knows of an earlier argv */
  while (optind < argc) {
    int value = getopt_long(argc, argv, shorts, longs, NULL);
    int all_operands = value == -1 && optind > 0 && strcmp(argv[optind - 1], "--") == 0;
    if (value == -1 && optind >= argc)
      break;
    if (value == -1) {
      do
        options->operands[options->n_operands++] = argv[optind++];
      while (all_operands && optind < argc);
      continue;
    }
    const char *word = argv[optind - 1];
    if (value == ':')
      return cairn_error_set(error, CAIRN_ERR_INPUT, "option '%s' needs a value", word);
    if (value == '?' && optopt >= 256)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "option '--%s' takes no value", table[optopt - 256].name);
    if (value == '?' && optopt)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "unknown option '-%c'", optopt);
    if (value == '?')
      return cairn_error_set(error, CAIRN_ERR_INPUT, "unknown option '%s'", word);
    int status = take(find(value), optarg, options, error);
    if (status)
      return status;
  }
  return 0;
}

int cairn_options_parse(int argc, char **argv, uint64_t accepted, struct cairn_options *options,
                        struct cairn_error *error) {
  *options = (struct cairn_options){.log_every = 60, .trial = 5, .started = cairn_deadline_clock()};
  options->set = calloc((size_t)argc, sizeof *options->set);
  options->operands = calloc((size_t)argc, sizeof *options->operands);
  options->command_line = join(argc, argv);
  int status = 0;
  if (!options->set || !options->operands || !options->command_line)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  if (!status)
    status = parse(argc, argv, accepted, options, error);
  if (status)
    cairn_options_fini(options);
  return status;
}

void cairn_options_fini(struct cairn_options *options) {
  free(options->set);
  free(options->operands);
  free(options->command_line);
  *options = (struct cairn_options){0};
}

void cairn_options_print(FILE *stream, uint64_t accepted) {
  for (int i = 0; i < N_ROWS; i++) {
    if (!is_accepted(&table[i], accepted))
      continue;
    char left[64];
    snprintf(left, sizeof left, "-%c, --%s%s%s", table[i].letter, table[i].name, table[i].argument ? " " : "",
             table[i].argument ? table[i].argument : "");
    fprintf(stream, "  %-26s %s\n", left, table[i].help);
  }
}
