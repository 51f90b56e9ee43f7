/* Files that are there completely or not at all, also after a kill or a power cut. */
#ifndef CAIRN_DATA_STORAGE_DURABLE_H
#define CAIRN_DATA_STORAGE_DURABLE_H

#include <stdbool.h>

#include "cairn/error.h"

enum { CAIRN_DURABLE_TOKEN = 32 };

/* 128 bits from the system's random numbers as hexadecimal digits: two are never the same, nobody can guess one. */
int cairn_durable_token(char token[CAIRN_DURABLE_TOKEN + 1], struct cairn_error *error);

/* `path` with a suffix, on the heap; NULL with `error` filled if out of memory. */
char *cairn_durable_name(const char *path, const char *suffix, struct cairn_error *error);

/* Fill `error` with "cannot DO 'PATH': REASON" for the given errno; returns CAIRN_ERR_IO. */
int cairn_durable_fail(struct cairn_error *error, const char *what, const char *path, int number);

/* The end of a file that was written under the name `temporary`, which is freed: it takes the place of `path` if
 * `status` is 0 and is removed otherwise. Returns `status`, or that of the renaming. */
int cairn_durable_settle(char *temporary, const char *path, int status, struct cairn_error *error);

/* A name beside `path` that nobody can guess: PATH.TOKEN.tmp, on the heap, or NULL with `error` filled. */
char *cairn_durable_temporary_name(const char *path, struct cairn_error *error);

/* Make an empty file of such a name, for what shall replace `path` once it is complete. The file is new: where others
 * may write into the folder they cannot have put a link there that leads elsewhere, and where they may not remove it
 * (sticky folders such as /tmp) it can safely be opened again by its name. */
char *cairn_durable_temporary(const char *path, struct cairn_error *error);

/* Is `name` what cairn_durable_temporary_name makes for `base`, both without folder? */
bool cairn_durable_is_temporary(const char *name, const char *base);

/* Bring what was written to `path` onto the disk. */
int cairn_durable_sync(const char *path, struct cairn_error *error);

/* Give the synced file `from` the name `to`, replacing what had that name, and make the change of names durable. */
int cairn_durable_rename(const char *from, const char *to, struct cairn_error *error);

/* The folder that `path` lies in, "." if it names none; on the heap, NULL with `error` filled if out of memory. */
char *cairn_durable_folder(const char *path, struct cairn_error *error);

#endif
