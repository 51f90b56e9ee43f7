/* The last 32 bytes of a checkpoint: 12 bytes of magic, the version of the format (4 bytes, little-endian) and the
 * XXH3 128-bit hash (16 bytes, canonical order) of every byte of the file before the hash. It tells accidents (cuts,
 * flipped bits, other files) before any library parses the file; it is no defence against forgery. */
#ifndef CAIRN_DATA_STORAGE_SEAL_H
#define CAIRN_DATA_STORAGE_SEAL_H

#include <stdint.h>

#include "cairn/error.h"

enum { CAIRN_SEAL_SIZE = 32 };

/* Append a seal to the file and bring all of it onto the disk. */
int cairn_seal_append(const char *path, uint32_t version, struct cairn_error *error);

/* Check the seal. CAIRN_ERR_INPUT if the file is not sealed or not intact; otherwise *version is the sealed version. */
int cairn_seal_check(const char *path, uint32_t *version, struct cairn_error *error);

#endif
