#include "solvers/run/tables.h"

#include <stdio.h>

#include "data/files/break_log.h"
#include "data/files/contact_network.h"
#include "solvers/simulation/bonds.h"

static int open_table(struct cairn_step_table **table, enum cairn_run_file which, const struct cairn_step_kind *kind,
                      double last, const struct run *run, struct cairn_error *error) {
  struct cairn_run_files *files = run->options->files;
  if (!files->is_new && cairn_run_files_has(files, which))
    return cairn_step_table_open(files->path[which], kind, last, table + which, error);
  if (!files->is_new) {
    char message[4200];
    snprintf(message, sizeof message, "%s is gone: a new one is started", files->path[which]);
    cairn_run_warn(run, message);
  }
  const char *path = cairn_run_files_reserve(files, which, error);
  return path ? cairn_step_table_create(path, kind, run->scenario->title, &run->provenance, table + which, error)
              : CAIRN_ERR_IO;
}

int cairn_tables_open(struct cairn_step_table **table, const struct run *run, struct cairn_error *error) {
  const double step = run->options->resume ? (double)run->options->resume->state.step : 0.;
  int status = 0;
  if (run->scenario->n_bonds > 0)
    status = open_table(table, CAIRN_RUN_BREAKS, &cairn_break_log_kind, step, run, error);
  /* the frame of the checkpoint's step is written again, unless it was a regular one */
  if (!status && run->scenario->output_contacts && run->trajectory)
    status = open_table(table, CAIRN_RUN_CONTACTS, &cairn_contact_network_kind, run->last_frame < 0 ? step - 1. : step,
                        run, error);
  if (!status && table[CAIRN_RUN_BREAKS])
    snprintf(run->summary->breaks, sizeof run->summary->breaks, "%s", run->options->files->path[CAIRN_RUN_BREAKS]);
  if (!status && table[CAIRN_RUN_CONTACTS])
    snprintf(run->summary->contacts, sizeof run->summary->contacts, "%s",
             run->options->files->path[CAIRN_RUN_CONTACTS]);
  return status;
}

int cairn_tables_note(struct cairn_step_table **table, struct cairn_simulation *simulation, struct cairn_error *error) {
  int64_t n = 0;
  const struct cairn_break *list = cairn_sim_bonds_take(simulation, &n);
  return n > 0 && table[CAIRN_RUN_BREAKS] ? cairn_step_table_append(table[CAIRN_RUN_BREAKS], list, n, error) : 0;
}

int cairn_tables_persist(struct cairn_step_table **table, struct cairn_error *error) {
  int status = 0;
  for (int i = 0; i < CAIRN_N_RUN_TABLES && !status; i++)
    status = table[i] ? cairn_step_table_persist(table[i], error) : 0;
  return status;
}

int cairn_tables_close(struct cairn_step_table **table, struct cairn_error *error) {
  int status = 0;
  for (int i = 0; i < CAIRN_N_RUN_TABLES; i++) {
    const int closed = cairn_step_table_close(table[i], status ? NULL : error);
    status = status ? status : closed;
    table[i] = NULL;
  }
  return status;
}
