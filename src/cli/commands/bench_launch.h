/* A row of a bench over ranks: the program once more, under a launcher such as mpirun. */
#ifndef CAIRN_CLI_COMMANDS_BENCH_LAUNCH_H
#define CAIRN_CLI_COMMANDS_BENCH_LAUNCH_H

#include "cairn/error.h"

/* What starts ranks unless the user names another: mpirun, each rank on cores of its own; it refuses if there are too
 * few. */
#define CAIRN_BENCH_LAUNCHER "mpirun -n {ranks} --map-by slot:pe={workers} --bind-to core"

/* Run `launcher`, words apart by spaces with {ranks} and {workers} replaced, followed by this program with `words`
 * (NULL at the end), and wait for its end. */
int cairn_bench_launch(const char *launcher, int ranks, int workers, char *const *words, struct cairn_error *error);

#endif
