#include "cli/file_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_DIMENSIONS = 64 };

static bool ends_with(const char *path, const char *suffix) {
  size_t length = strlen(path), cut = strlen(suffix);
  return length > cut && strcmp(path + length - cut, suffix) == 0;
}

/* The beginning of a regular file; 0 bytes of anything else. A pipe is left alone: what was read would be gone. */
static size_t read_page(const char *path, unsigned char page[PAGE]) {
  struct stat about;
  if (stat(path, &about) || !S_ISREG(about.st_mode))
    return 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = file < 0 ? 0 : read(file, page, PAGE);
  if (file >= 0)
    close(file);
  return n > 0 ? (size_t)n : 0;
}

/* A number of the header of a classic NetCDF file, big-endian; 0 past the end of the page. */
static uint64_t take_number(const unsigned char *page, size_t n, size_t *at, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width && *at + width <= n; i++)
    value = value << 8 | page[*at + i];
  *at += width;
  return value;
}

/* Does the header of a classic NetCDF file have a dimension of this name? It begins with magic, the number of records
 * and the list of dimensions: a tag, their number, and for each its name, filled up to a multiple of four, and length.
 * Numbers have 8 bytes in CDF-5, the fifth version, and 4 in those before. */
static bool has_dimension(const unsigned char *page, size_t n, const char *wanted) {
  const size_t width = page[3] == 5 ? 8 : 4;
  size_t at = 4 + width;
  if (take_number(page, n, &at, 4) != 10)
    return false;
  uint64_t count = take_number(page, n, &at, width);
  for (uint64_t i = 0; i < count && i < MOST_DIMENSIONS && at < n; i++) {
    uint64_t length = take_number(page, n, &at, width);
    if (at >= n || length > n - at)
      return false;
    if (length == strlen(wanted) && memcmp(page + at, wanted, length) == 0)
      return true;
    at += (length + 3) / 4 * 4 + width;
  }
  return false;
}

enum cairn_file_kind cairn_file_kind_of(const char *path) {
  unsigned char page[PAGE];
  size_t n = read_page(path, page);
  if (n >= 8 && memcmp(page, "\211HDF\r\n\032\n", 8) == 0)
    return CAIRN_FILE_PROBLEM;
  if (n >= 4 && memcmp(page, "CDF", 3) == 0) {
    if (has_dimension(page, n, "body"))
      return CAIRN_FILE_CHECKPOINT;
    if (has_dimension(page, n, "frame") && has_dimension(page, n, "atom"))
      return CAIRN_FILE_TRAJECTORY;
    return has_dimension(page, n, "time") ? CAIRN_FILE_SERIES : CAIRN_FILE_UNKNOWN;
  }
  bool is_named = ends_with(path, ".yaml") || ends_with(path, ".yml");
  return n > 0 && is_named && !memchr(page, '\0', n) ? CAIRN_FILE_SCENARIO : CAIRN_FILE_UNKNOWN;
}

/* "; its checkpoint is NAME.ckpt.nc: …" for NAME.nc or NAME.series.nc, where there is one. */
static void add_checkpoint(const char *path, char *text, size_t size) {
  char beside[1024];
  size_t cut = strlen(ends_with(path, ".series.nc") ? ".series.nc" : ends_with(path, ".nc") ? ".nc" : "");
  int length = snprintf(beside, sizeof beside, "%.*s.ckpt.nc", (int)(strlen(path) - cut), path);
  if (cut > 0 && length < (int)sizeof beside && cairn_file_kind_of(beside) == CAIRN_FILE_CHECKPOINT)
    snprintf(text, size, "; continue the run from its checkpoint: cairn resume %.300s", beside);
  else
    snprintf(text, size, "; a run continues from its checkpoint, NAME.ckpt.nc");
}

int cairn_file_kind_check(const char *path, enum cairn_file_kind wanted, struct cairn_error *error) {
  struct stat about;
  char more[400] = "";
  if (wanted == CAIRN_FILE_RUN) {
    if (cairn_file_kind_of(path) == CAIRN_FILE_SCENARIO)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%.300s is a scenario: run it first, cairn run %.300s", path,
                             path);
    return 0; /* NAME alone is no file */
  }
  if (stat(path, &about) && (errno == ENOENT || errno == ENOTDIR))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%.800s: %s", path, strerror(errno));
  enum cairn_file_kind kind = cairn_file_kind_of(path);
  if (kind == CAIRN_FILE_UNKNOWN || kind == wanted || wanted == CAIRN_FILE_UNKNOWN)
    return 0;
  if (kind == CAIRN_FILE_TRAJECTORY || kind == CAIRN_FILE_SERIES)
    add_checkpoint(path, more, sizeof more);
  switch (kind) {
  case CAIRN_FILE_SCENARIO:
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%.300s is a scenario: cairn run %.300s", path, path);
  case CAIRN_FILE_CHECKPOINT:
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "%.300s is a checkpoint: cairn resume %.300s continues it, cairn digest verifies it", path,
                           path);
  case CAIRN_FILE_PROBLEM:
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "%.300s is an HDF5 file, as contact problems are: cairn solve %.300s", path, path);
  case CAIRN_FILE_TRAJECTORY:
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "%.300s is a trajectory, the frames of a run: cairn export converts it%s", path, more);
  default:
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "%.300s is a series, the diagnostics of a run: xarray and ncdump show it%s", path, more);
  }
}
