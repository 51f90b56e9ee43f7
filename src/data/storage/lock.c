#include "data/storage/lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "data/storage/durable.h"

/* Who holds the lock, for a message. The text may be anything: the file may be forged or just being written. */
static int refuse(int file, const char *name, struct cairn_error *error) {
  char text[128] = "", host[65] = "";
  long pid = 0;
  const ssize_t n = pread(file, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  const bool is_known = sscanf(text, "pid %ld on host %64s", &pid, host) == 2;
  for (char *c = host; *c; c++)
    if (!isprint((unsigned char)*c))
      *c = '?';
  if (!is_known)
    return cairn_error_set(error, CAIRN_ERR_IO, "%s is being written by another run", name);
  return cairn_error_set(error, CAIRN_ERR_IO, "%s is being written by another run (pid %ld on host %s)", name, pid,
                         host);
}

static void sign(int file) {
  struct utsname machine;
  char text[128];
  const int length =
      snprintf(text, sizeof text, "pid %ld on host %.64s\n", (long)getpid(), uname(&machine) ? "?" : machine.nodename);
  /* only a message would need it */
  int ignored = ftruncate(file, 0) || pwrite(file, text, (size_t)length, 0) != length;
  (void)ignored;
}

/* Open the file, made if needed, never through a link and never one that has another name elsewhere: it is written to.
 */
static int open_lock(const char *path, struct stat *about, struct cairn_error *error) {
  const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0 && errno != ELOOP) {
    cairn_durable_fail(error, "write", path, errno);
    return -1;
  }
  if (file >= 0 && !fstat(file, about) && S_ISREG(about->st_mode) && about->st_nlink <= 1)
    return file;
  if (file >= 0)
    close(file);
  cairn_error_set(error, CAIRN_ERR_IO, "'%s' is not the lock of a run: remove it, or choose another name", path);
  return -1;
}

int cairn_lock_take(struct cairn_lock *lock, const char *path, const char *name, struct cairn_error *error) {
  *lock = (struct cairn_lock){.file = -1};
  enum { ATTEMPTS = 100 };
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    struct stat about, named;
    const int file = open_lock(path, &about, error);
    if (file < 0)
      return CAIRN_ERR_IO;
    const int failed = flock(file, LOCK_EX | LOCK_NB), number = errno;
    if (failed && number == EWOULDBLOCK) {
      const int status = refuse(file, name, error);
      close(file);
      return status;
    }
    if (failed && number != EINTR) {
      unlink(path);
      close(file);
      return 0;
    }
    /* Whoever held it before removes the file before it lets go: then this lock is on a file without a name. */
    if (!failed && !lstat(path, &named) && named.st_ino == about.st_ino && named.st_dev == about.st_dev) {
      sign(file);
      *lock = (struct cairn_lock){.path = cairn_durable_name(path, "", error), .file = file, .is_held = true};
      if (lock->path)
        return 0;
      unlink(path);
      close(file);
      return CAIRN_ERR_NUMERIC;
    }
    close(file);
  }
  return cairn_error_set(error, CAIRN_ERR_IO, "%s is being written by other runs", name);
}

void cairn_lock_release(struct cairn_lock *lock) {
  if (lock->path) {
    unlink(lock->path);
    close(lock->file);
    free(lock->path);
  }
  *lock = (struct cairn_lock){.file = -1};
}
