/* The little that all users of the NetCDF library share. The library is not thread-safe: of the functions of cairn
 * that create, open or read NetCDF files, only one may run at a time. Appending frames and rows does not use it. */
#ifndef CAIRN_DATA_NC_H
#define CAIRN_DATA_NC_H

#include "data/provenance.h"

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

/* The text of an attribute on the heap, NULL if it is missing, not text, or memory is short. */
char *cairn_nc_text(int nc, int variable, const char *name);

#endif
