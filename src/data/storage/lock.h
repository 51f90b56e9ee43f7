/* One writer at a time: an advisory lock on a file of its own. The system gives it back when the process ends, however
 * it ends, so a file that a kill left behind locks nothing. */
#ifndef CAIRN_DATA_STORAGE_LOCK_H
#define CAIRN_DATA_STORAGE_LOCK_H

#include <stdbool.h>

#include "cairn/error.h"

struct cairn_lock {
  char *path;   /* NULL: nothing was taken, or the file system has no locks */
  int file;     /* descriptor; open while the lock is held */
  bool is_held; /* false: the file system has no locks, so nobody notices anybody */
};

/* Lock the file `path` for writing what is called `name`. If somebody else has it, CAIRN_ERR_IO with the process and
 * host. A file system without locks is no failure: then is_held is false. */
int cairn_lock_take(struct cairn_lock *lock, const char *path, const char *name, struct cairn_error *error);

/* Remove the file and give the lock back; a lock that is all zero is allowed. */
void cairn_lock_release(struct cairn_lock *lock);

#endif
