/* The little that all users of the NetCDF library share. The library is not thread-safe: of the functions of cairn
 * that create, open or read NetCDF files, only one may run at a time. Appending frames and rows does not use it. */
#ifndef CAIRN_DATA_STORAGE_NC_H
#define CAIRN_DATA_STORAGE_NC_H

#include <stddef.h>

#include "data/files/provenance.h"

/* Return from a function with the status of a call to the NetCDF library that failed. */
#define CAIRN_NC_TRY(call)                                                                                             \
  do {                                                                                                                 \
    const int try_status = (call);                                                                                     \
    if (try_status)                                                                                                    \
      return try_status;                                                                                               \
  } while (0)

/* Fill `error` with "cannot DO 'PATH': REASON" for a status of the NetCDF library; returns CAIRN_ERR_IO. */
int cairn_nc_fail(struct cairn_error *error, const char *what, const char *path, int nc_status);

/* Close a file that was being created, or give it up if nc_status says that this failed before; returns the status of
 * the NetCDF library for all of it. */
int cairn_nc_close(int nc, int nc_status);

/* Write a text attribute; returns the status of the NetCDF library. */
int cairn_nc_put_text(int nc, int variable, const char *name, const char *value);

/* Write `units` and `long_name` of a variable; returns the status of the NetCDF library. */
int cairn_nc_put_meaning(int nc, int variable, const char *unit, const char *long_name);

/* Write every entry as a global attribute; returns the status of the NetCDF library. */
int cairn_nc_put_provenance(int nc, const struct cairn_provenance *provenance);

/* Does the text attribute exist and hold exactly this value? */
int cairn_nc_has_text(int nc, int variable, const char *name, const char *value);

/* Read a block of a variable: `count` values along each of its `rank` dimensions from `start` on. Nothing but this
 * reads variables: a variable of another type or rank is refused (NC_EBADTYPE, NC_EVARSIZE), so that whatever the file
 * says no more values arrive than the caller has room for. Returns the status of the NetCDF library. */
int cairn_nc_get(int nc, const char *name, int nc_type, int rank, const size_t *start, const size_t *count,
                 void *values);

/* The same of a variable that must have exactly these lengths, of at most 3 dimensions. */
int cairn_nc_get_part(int nc, const char *name, int nc_type, int rank, const size_t *length, const size_t *start,
                      const size_t *count, void *values);

/* Read all of a variable, which must have exactly these lengths, of at most 3 dimensions; as cairn_nc_get otherwise. */
int cairn_nc_get_all(int nc, const char *name, int nc_type, int rank, const size_t *length, void *values);

/* The run a file belongs to; empty if it does not say, or nothing sensible. */
void cairn_nc_run_id(int nc, char id[CAIRN_PROVENANCE_RUN_ID + 1]);

/* The text of an attribute on the heap, NULL if it is missing, not text, or memory is short. */
char *cairn_nc_text(int nc, int variable, const char *name);

#endif
