/* Files that are there completely or not at all, also after a kill or a power cut. */
#ifndef CAIRN_DATA_DURABLE_H
#define CAIRN_DATA_DURABLE_H

#include "cairn/error.h"

/* `path` with a suffix, on the heap; NULL with `error` filled if out of memory. */
char *cairn_durable_name(const char *path, const char *suffix, struct cairn_error *error);

/* Fill `error` with "cannot DO 'PATH': REASON" for the given errno; returns CAIRN_ERR_IO. */
int cairn_durable_fail(struct cairn_error *error, const char *what, const char *path, int number);

/* Bring what was written to `path` onto the disk. */
int cairn_durable_sync(const char *path, struct cairn_error *error);

/* Give the synced file `from` the name `to`, replacing what had that name, and make the change of names durable. */
int cairn_durable_rename(const char *from, const char *to, struct cairn_error *error);

#endif
