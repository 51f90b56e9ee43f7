/* Where a result comes from: the same list of texts in every file cairn writes. */
#ifndef CAIRN_DATA_FILES_PROVENANCE_H
#define CAIRN_DATA_FILES_PROVENANCE_H

#include <stdint.h>

#include "cairn/error.h"

enum { CAIRN_PROVENANCE_MAX = 40 };

/* Which run a file belongs to: hexadecimal digits, made once when a run starts and kept when it is resumed, in the
 * attribute `run_id` of all of its files. */
enum { CAIRN_PROVENANCE_RUN_ID = 32 };

/* Names are NetCDF attribute names; values are owned by the list. */
struct cairn_provenance {
  int n;
  struct {
    char name[48];
    char *value;
  } entry[CAIRN_PROVENANCE_MAX];
};

/* Fill in what the build, the machine and the environment tell by themselves: program, programVersion, git hash,
 * compiler and flags, library versions, host, topology (hwloc), date, Slurm job. */
int cairn_provenance_init(struct cairn_provenance *provenance, struct cairn_error *error);

/* Add or replace one entry. */
int cairn_provenance_set(struct cairn_provenance *provenance, const char *name, const char *value,
                         struct cairn_error *error);

void cairn_provenance_fini(struct cairn_provenance *provenance);

#endif
