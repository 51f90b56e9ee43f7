#include "data/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *cairn_durable_name(const char *path, const char *suffix, struct cairn_error *error) {
  size_t size = strlen(path) + strlen(suffix) + 1;
  char *name = malloc(size);
  if (!name)
    cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a file name");
  else
    snprintf(name, size, "%s%s", path, suffix);
  return name;
}

int cairn_durable_fail(struct cairn_error *error, const char *what, const char *path, int number) {
  return cairn_error_set(error, CAIRN_ERR_IO, "cannot %s '%s': %s", what, path, strerror(number));
}

int cairn_durable_sync(const char *path, struct cairn_error *error) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return cairn_durable_fail(error, "open", path, errno);
  int status = fsync(file) ? cairn_durable_fail(error, "write", path, errno) : 0;
  if (close(file) && !status)
    status = cairn_durable_fail(error, "write", path, errno);
  return status;
}

static int sync_folder(const char *path, struct cairn_error *error) {
  char *folder = cairn_durable_name(path, "", error);
  if (!folder)
    return CAIRN_ERR_NUMERIC;
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = '\0';
  int status = 0;
  int file = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    status = cairn_durable_fail(error, "open the folder", folder, errno);
  /* Some file systems cannot sync a folder and say EINVAL: then there is nothing more to be done. */
  else if (fsync(file) && errno != EINVAL)
    status = cairn_durable_fail(error, "sync the folder", folder, errno);
  if (file >= 0)
    close(file);
  free(folder);
  return status;
}

int cairn_durable_rename(const char *from, const char *to, struct cairn_error *error) {
  if (rename(from, to))
    return cairn_durable_fail(error, "write", to, errno);
  return sync_folder(to, error);
}
