/* The tables of a run by step: bonds that broke, contacts at frames. */
#ifndef CAIRN_SOLVERS_RUN_TABLES_H
#define CAIRN_SOLVERS_RUN_TABLES_H

#include "data/checkpoint/checkpoint.h"
#include "data/storage/run_files.h"
#include "solvers/run/run_parts.h"

/* Open those that the scenario has, after trajectory and series: new ones, or those of the run that is resumed, cut to
 * its checkpoint. `table` has CAIRN_N_RUN_TABLES entries, NULL where there is none. */
int cairn_tables_open(struct cairn_step_table **table, const struct run *run, struct cairn_error *error);

/* Write the bonds that broke since the last call. */
int cairn_tables_note(struct cairn_step_table **table, struct cairn_simulation *simulation, struct cairn_error *error);

/* Bring all rows onto the disk. */
int cairn_tables_persist(struct cairn_step_table **table, struct cairn_error *error);

int cairn_tables_close(struct cairn_step_table **table, struct cairn_error *error);

#endif
