/* What kind of file a user has named, to name the right command where it is not the one typed. */
#ifndef CAIRN_CLI_FILE_KIND_H
#define CAIRN_CLI_FILE_KIND_H

#include "cairn/error.h"

enum cairn_file_kind {
  CAIRN_FILE_UNKNOWN, /* not there, damaged, or of some other program */
  CAIRN_FILE_SCENARIO,
  CAIRN_FILE_TRAJECTORY,
  CAIRN_FILE_SERIES,
  CAIRN_FILE_CHECKPOINT,
  CAIRN_FILE_PROBLEM,
  CAIRN_FILE_RUN /* wanted only: NAME of a run, or any of its files */
};

/* From its first bytes; from its name only that a text is a scenario. Reads no more than a page and trusts nothing. */
enum cairn_file_kind cairn_file_kind_of(const char *path);

/* Refuse a file that is not there, and one that is of another kind than `wanted`, with the command that takes it. What
 * is unknown passes: the reader of the wanted kind says best what is wrong with it. */
int cairn_file_kind_check(const char *path, enum cairn_file_kind wanted, struct cairn_error *error);

#endif
