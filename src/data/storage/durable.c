#include "data/storage/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { SUFFIX_DIGITS = 12 }; /* of a token, in temporary names */
static const char extension[] = ".tmp";

int cairn_durable_token(char token[CAIRN_DURABLE_TOKEN + 1], struct cairn_error *error) {
  unsigned char bytes[CAIRN_DURABLE_TOKEN / 2];
  /* so few bytes come at once or not at all */
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return cairn_error_set(error, CAIRN_ERR_IO, "the system gives no random numbers: %s", strerror(errno));
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return 0;
}

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

int cairn_durable_settle(char *temporary, const char *path, int status, struct cairn_error *error) {
  if (!status && rename(temporary, path))
    status = cairn_durable_fail(error, "write", path, errno);
  if (status)
    unlink(temporary);
  free(temporary);
  return status;
}

char *cairn_durable_temporary_name(const char *path, struct cairn_error *error) {
  char token[CAIRN_DURABLE_TOKEN + 1], suffix[SUFFIX_DIGITS + sizeof extension + 1];
  if (cairn_durable_token(token, error))
    return NULL;
  snprintf(suffix, sizeof suffix, ".%.*s%s", SUFFIX_DIGITS, token, extension);
  return cairn_durable_name(path, suffix, error);
}

char *cairn_durable_temporary(const char *path, struct cairn_error *error) {
  char *name = cairn_durable_temporary_name(path, error);
  const int file = name ? open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666) : -1;
  if (name && file < 0) {
    cairn_durable_fail(error, "write", path, errno);
    free(name);
    return NULL;
  }
  if (name)
    close(file);
  return name;
}

bool cairn_durable_is_temporary(const char *name, const char *base) {
  const size_t length = strlen(base);
  if (strncmp(name, base, length) || name[length] != '.')
    return false;
  const char *suffix = name + length + 1;
  return strspn(suffix, "0123456789abcdef") == SUFFIX_DIGITS && !strcmp(suffix + SUFFIX_DIGITS, extension);
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

char *cairn_durable_folder(const char *path, struct cairn_error *error) {
  const char *slash = strrchr(path, '/');
  const size_t length = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
  char *folder = cairn_durable_name(length ? path : ".", "", error);
  if (folder && length)
    folder[length] = '\0';
  return folder;
}

static int sync_folder(const char *path, struct cairn_error *error) {
  char *folder = cairn_durable_folder(path, error);
  if (!folder)
    return CAIRN_ERR_NUMERIC;
  int status = 0;
  int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
