/* Appending records to a classic NetCDF file (CDF-1, CDF-2, CDF-5) in an order that survives a kill.
 *
 * A classic file starts with a header that holds the number of records and where the first record of each variable
 * begins; all records follow at the end, one after the other. Here the values of a record are written first and the
 * number of records, 4 or 8 bytes in one page, last: whoever opens the file at any moment, also after a SIGKILL, sees
 * complete records only. The NetCDF library gives no such promise: when a put fails half-way (full disk) its close
 * still counts the broken record, and in small files one write carries the header and the data behind it. It also is
 * not thread-safe; this file does not use it, so frames, rows and checkpoints can be written by different threads.
 * The header itself is made by the NetCDF library. */
#ifndef CAIRN_DATA_STORAGE_RECORD_FILE_H
#define CAIRN_DATA_STORAGE_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn/error.h"

struct cairn_record_file;

/* Read and check the header: every variable must lie within the file, except for records cut off at the end, and no
 * two variables, dimensions or attributes of one variable share a name. `write` is needed for all functions below that
 * change the file. A file that is not classic NetCDF is CAIRN_ERR_INPUT. */
int cairn_record_file_open(const char *path, bool write, struct cairn_record_file **file, struct cairn_error *error);

/* How many records the header promises, and how many of them the file really holds. */
int64_t cairn_record_file_n_promised(const struct cairn_record_file *file);
int64_t cairn_record_file_n_complete(const struct cairn_record_file *file);

/* The records so far: what was there when the file was opened or cut, plus what was ended since. */
int64_t cairn_record_file_n_records(const struct cairn_record_file *file);

/* Find a variable by name, with n values of this NetCDF type in each record; -1 if there is none like that. */
int cairn_record_file_find(const struct cairn_record_file *file, const char *name, int nc_type, int64_t n);

/* Keep the first n records only; there must be at least that many complete ones. The others go when the next record is
 * written or with the next commit: until then the file is as it was. */
int cairn_record_file_cut(struct cairn_record_file *file, int64_t n, struct cairn_error *error);

/* How many complete records the cut leaves out. */
int64_t cairn_record_file_n_dropped(const struct cairn_record_file *file);

/* Give a variable its values in the record being written: as many doubles (NC_DOUBLE) or int32_t (NC_INT) as a record
 * holds. Every variable of the record must get its values before it is ended. */
int cairn_record_file_put(struct cairn_record_file *file, int variable, const void *values, struct cairn_error *error);

/* The same for n of its values, from the one numbered `first` on. */
int cairn_record_file_put_part(struct cairn_record_file *file, int variable, int64_t first, int64_t n,
                               const void *values, struct cairn_error *error);

/* Whole records from an array of structs: for each of n rows, `row_size` bytes apart, the variables of the columns get
 * the values at their offsets, and the record is ended. */
struct cairn_record_column {
  int variable;
  size_t offset;
};
int cairn_record_file_put_rows(struct cairn_record_file *file, const struct cairn_record_column *columns, int n_columns,
                               const void *rows, size_t row_size, int64_t n, struct cairn_error *error);

/* The same by several threads at once. Begin, with all that was ended committed; each thread encodes rows, of
 * `cairn_record_file_record_size` bytes each, and writes them as the records from the one numbered `first` on, counted
 * from those that were ended; writing returns an error number. In the end, with the first of these, n records are
 * ended; if it is not 0, everything since the last commit is dropped. */
int64_t cairn_record_file_record_size(const struct cairn_record_file *file);
int cairn_record_file_begin_rows(struct cairn_record_file *file, struct cairn_error *error);
void cairn_record_file_encode_rows(const struct cairn_record_file *file, const struct cairn_record_column *columns,
                                   int n_columns, const void *rows, size_t row_size, int64_t n, void *to);
int cairn_record_file_write_rows(const struct cairn_record_file *file, int64_t first, int64_t n, const void *bytes);
int cairn_record_file_end_rows(struct cairn_record_file *file, int64_t n, int number, struct cairn_error *error);

/* The record is complete. Readers see it after the next commit. */
void cairn_record_file_end(struct cairn_record_file *file);

/* Make all ended records visible. On a failure of this or of a put, everything since the last commit is dropped, the
 * file has its old length again (a full disk gets the space back) and stays valid. */
int cairn_record_file_commit(struct cairn_record_file *file, struct cairn_error *error);

/* Bring all committed records onto the disk, so that they survive a power cut. */
int cairn_record_file_sync(struct cairn_record_file *file, struct cairn_error *error);

/* Rename the file, replacing what has that name. */
int cairn_record_file_rename(struct cairn_record_file *file, const char *to, struct cairn_error *error);

/* Close and free; what was not committed is dropped. NULL is allowed. */
int cairn_record_file_close(struct cairn_record_file *file, struct cairn_error *error);

#endif
