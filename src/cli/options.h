/* Command-line options: one table for all subcommands, each of which takes some of them. */
#ifndef CAIRN_CLI_OPTIONS_H
#define CAIRN_CLI_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "cairn/engine.h"
#include "cairn/error.h"

enum cairn_option {
  CAIRN_OPTION_SET = 1 << 0,
  CAIRN_OPTION_WORKERS = 1 << 1,
  CAIRN_OPTION_OUTPUT = 1 << 2,
  CAIRN_OPTION_OVERWRITE = 1 << 3,
  CAIRN_OPTION_QUIET = 1 << 4,
  CAIRN_OPTION_LOG_EVERY = 1 << 5,
  CAIRN_OPTION_AMBER = 1 << 6,
  CAIRN_OPTION_VTK = 1 << 7,
  CAIRN_OPTION_DEVICE = 1 << 8,
  CAIRN_OPTION_SOLVER = 1 << 9,
  CAIRN_OPTION_TOLERANCE = 1 << 10,
  CAIRN_OPTION_MAX_SWEEPS = 1 << 11,
  CAIRN_OPTION_FORCE = 1 << 13,
  CAIRN_OPTION_TRIAL = 1 << 14,
  CAIRN_OPTION_VIEW = 1 << 15,
  CAIRN_OPTION_FOLLOW = 1 << 16,
  CAIRN_OPTION_ZOOM = 1 << 17,
  CAIRN_OPTION_COLOR = 1 << 18,
  CAIRN_OPTION_MAP = 1 << 19,
  CAIRN_OPTION_SIZE = 1 << 20,
  CAIRN_OPTION_FRAME = 1 << 21,
  CAIRN_OPTION_MOVIE = 1 << 22,
  CAIRN_OPTION_BACKGROUND = 1 << 23,
  CAIRN_OPTION_LOG = 1 << 24,
  CAIRN_OPTION_LIVE = 1 << 25,
  CAIRN_OPTION_PORT = 1 << 26,
  CAIRN_OPTION_JSON = 1 << 27,
  CAIRN_OPTION_ONCE = 1 << 28,
  CAIRN_OPTION_ROW = 1 << 29,
  CAIRN_OPTION_WALLTIME = 1 << 30,
  CAIRN_OPTION_TRACE = 1LL << 31,
  CAIRN_OPTION_PROFILE = 1LL << 32,
  CAIRN_OPTION_LINKS = 1LL << 33,
  CAIRN_OPTION_LAUNCHER = 1LL << 34,
  CAIRN_OPTION_REGION = 1LL << 35,
  CAIRN_OPTION_OUTPUT_FILE = 1 << 12 /* --output for one file; a command takes this one or the other */
};

struct cairn_options {
  int n_operands;
  char **operands; /* strings inside argv; the array is owned */
  int n_set;
  const char **set; /* overrides a.b.c=value, strings inside argv; the array is owned */
  int workers;      /* 0: not given */
  enum cairn_engine_device device;
  const char *output; /* NULL: not given */
  int overwrite;
  int force;
  int quiet;
  double log_every; /* s between lines in a log */
  double trial;     /* s that a trial of steps may take */
  double started;   /* s since 1970, when the program was */
  double walltime;  /* s after that, when the run must be over; 0: not given */
  const char *amber, *vtk;
  const char *trace;                                            /* NULL: not given */
  const char *solver;                                           /* NULL: not given */
  double tolerance;                                             /* 0: not given */
  int64_t max_sweeps;                                           /* 0: not given */
  const char *view, *follow, *color, *map, *frame, *background; /* of pictures, NULL: not given */
  double zoom;
  int width, height; /* pixels; 0: not given */
  int movie;
  int logarithmic;
  int live, port; /* the page of the run while it goes on; port 0: any */
  int json, once;
  const char *profile;  /* NULL: not given */
  const char *links;    /* NULL: not given */
  const char *launcher; /* NULL: not given */
  const char *region;   /* NULL: not given */
  int64_t row;          /* of a table, from 1; 0: not given */
  int help;
  char *command_line; /* the whole command as it could be typed again, owned */
};

/* Parse the arguments of a subcommand; argv[0] is its name, `accepted` the options it takes. On failure nothing is
 * allocated. Operands and options may be mixed. */
int cairn_options_parse(int argc, char **argv, uint64_t accepted, struct cairn_options *options,
                        struct cairn_error *error);

void cairn_options_fini(struct cairn_options *options);

/* One line for each accepted option. */
void cairn_options_print(FILE *stream, uint64_t accepted);

#endif
