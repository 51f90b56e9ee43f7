/* For tests: a checkpoint that is read in parts, as several ranks do. */
#ifndef CAIRN_TESTS_CHECKPOINT_PARTS_H
#define CAIRN_TESTS_CHECKPOINT_PARTS_H

#include "data/checkpoint/checkpoint.h"

/* 0, or why ranks would refuse it: a part that cannot be read, or a digest that does not match. `n` are the bodies,
 * contacts and contacts with walls of all parts. */
static inline int read_parts(const char *path, int n_parts, int64_t n[3], struct cairn_error *error) {
  struct cairn_state_sum sum = {0, 0};
  int status = 0;
  n[0] = n[1] = n[2] = 0;
  for (int part = 0; part < n_parts && !status; part++) {
    struct cairn_checkpoint checkpoint;
    status = cairn_checkpoint_read_part(path, part, n_parts, &checkpoint, error);
    if (status)
      break;
    n[0] += checkpoint.state.n;
    n[1] += checkpoint.state.contacts.n;
    n[2] += checkpoint.state.wall_contacts.n;
    cairn_state_sum_join(&sum, &checkpoint.sum);
    if (part == n_parts - 1)
      status = cairn_checkpoint_verify(path, &checkpoint, &sum, error);
    cairn_checkpoint_fini(&checkpoint);
  }
  return status;
}

#endif
