/* Files of a run: the whole run as `cairn run` does it, or frames, rows and checkpoints of a simulation that is stepped
 * by hand. */
#ifndef CAIRN_FILES_H
#define CAIRN_FILES_H

#include <stdint.h>

#include "cairn/error.h"
#include "cairn/state.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_scenario;
struct cairn_simulation;

struct cairn_files_options {
  int overwrite; /* replace the files of an earlier run of this name */
  /* called several times a second; what it returns is not 0: stop with a checkpoint. NULL is allowed */
  int (*progress)(void *context, int64_t step, int64_t n_steps, double time);
  void *context;
};

/* Run the scenario to its end, with trajectory, series and checkpoints as it says under `output`: the same files and
 * bits as `cairn run`. Needs a running engine; the bodies of the scenario are used up. Returns 0, or CAIRN_STOPPED
 * after an early stop; `digest` is that of the last state in both cases. */
int cairn_files_run(struct cairn_scenario *scenario, const struct cairn_files_options *options,
                    char digest[CAIRN_DIGEST_LENGTH + 1], struct cairn_error *error);

/* Write the current state as a checkpoint that `cairn resume` and cairn_files_load take; what is at `path` is kept
 * under the name of a previous checkpoint. */
int cairn_files_save(struct cairn_simulation *simulation, const char *path, struct cairn_error *error);

/* The scenario and the state of a checkpoint, both the caller's, for cairn_simulation_create. `set` are overrides as
 * for cairn_scenario_load. */
int cairn_files_load(const char *path, int n_set, const char *const *set, struct cairn_scenario **scenario,
                     struct cairn_state **state, struct cairn_error *error);

/* The files of a simulation that is stepped by hand. */
struct cairn_files_writer;

/* Which of them to write; add them up. */
enum cairn_files_part { CAIRN_FILES_FRAME = 1, CAIRN_FILES_ROW = 2, CAIRN_FILES_CHECKPOINT = 4 };

/* Start NAME.nc and NAME.series.nc with the current step as first frame and first row. Files of an earlier run of this
 * name are refused, or with `overwrite` replaced once the new ones are there. No other run can write to the name until
 * the writer is closed. It must be closed before the simulation is freed. */
int cairn_files_open(struct cairn_simulation *simulation, const char *name, int overwrite,
                     struct cairn_files_writer **writer, struct cairn_error *error);

/* Write the current step as a frame, a row of diagnostics, a checkpoint NAME.ckpt.nc: `parts` is a sum of enum
 * cairn_files_part. A frame or a row of this step that is there already is not written again. `cairn resume
 * NAME.ckpt.nc` continues from the checkpoint, in the same files. */
int cairn_files_write(struct cairn_files_writer *writer, int parts, struct cairn_error *error);

/* Close and free, whatever it returns: a failure to write shows here at the latest. NULL is allowed. */
int cairn_files_close(struct cairn_files_writer *writer, struct cairn_error *error);

#ifdef __cplusplus
}
#endif
#endif
