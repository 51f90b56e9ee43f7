/* Datasets of an HDF5 file that nobody vouches for. The HDF5 library crashes on damaged files, reads from other files
 * where one says so, and takes as much memory as one asks for; so it works in a child process with limits, which sends
 * numbers. Whatever happens to the child, here it is a message. */
#ifndef CAIRN_DATA_FCLIB_HDF5_FILE_H
#define CAIRN_DATA_FCLIB_HDF5_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "cairn/error.h"

struct cairn_hdf5_file;

/* Must not be called while StarPU runs. CAIRN_ERR_IO if the system cannot open the file, CAIRN_ERR_INPUT if it is not
 * HDF5. Messages of all functions start with the path. */
int cairn_hdf5_file_open(const char *path, struct cairn_hdf5_file **file, struct cairn_error *error);

/* NULL is allowed. */
void cairn_hdf5_file_close(struct cairn_hdf5_file *file);

/* No dataset has more bytes than this: no filter of HDF5 packs more than about a thousand times, so a small file that
 * promises more is damaged. */
double cairn_hdf5_file_most(const struct cairn_hdf5_file *file);

/* 1 if every part of an absolute name exists in this file itself, 0 if not, a negative status on failure. */
int cairn_hdf5_file_has(struct cairn_hdf5_file *file, const char *name, struct cairn_error *error);

/* Read the first n numbers of a dataset of integers or reals into a new array that the caller frees. Nothing is
 * allocated before it is known that the dataset has n numbers. On failure *array is NULL. */
int cairn_hdf5_file_integers(struct cairn_hdf5_file *file, const char *name, int64_t n, int32_t **array,
                             struct cairn_error *error);
int cairn_hdf5_file_reals(struct cairn_hdf5_file *file, const char *name, int64_t n, double **array,
                          struct cairn_error *error);

/* A text of fixed length, cut to `size` - 1 bytes; empty if there is none like that. */
void cairn_hdf5_file_text(struct cairn_hdf5_file *file, const char *name, char *text, size_t size);

/* Replace the group `group` of a file by one with these datasets of reals: n lengths, names and arrays. */
struct cairn_hdf5_reals {
  const char *name;
  const double *values;
  int64_t n;
};
int cairn_hdf5_file_put(const char *path, const char *group, int n, const struct cairn_hdf5_reals *datasets,
                        struct cairn_error *error);

#endif
