/* A function in a process of its own, with limits on memory and time: for libraries that crash on damaged files or take
 * whatever memory a file asks for. The child is a copy of this process (fork): start it before StarPU. */
#ifndef CAIRN_DATA_BASE_CHILD_H
#define CAIRN_DATA_BASE_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cairn/error.h"

struct cairn_child {
  pid_t pid;
  int link; /* socket to the child */
};

/* Start a child that calls serve(link, context) and then ends. It may use `memory` bytes more than this process does
 * now and `seconds` of CPU time. Nothing of what it does is seen here but what it sends. */
int cairn_child_start(struct cairn_child *child, void (*serve)(int link, const void *context), const void *context,
                      int64_t memory, int64_t seconds, struct cairn_error *error);

/* Send or receive exactly n bytes, on either side; -1 if the other side is gone. */
int cairn_child_send(int link, const void *bytes, size_t n);
int cairn_child_receive(int link, void *bytes, size_t n);

/* Close the link, which ends a child that waits for a request, and say how it ended: "" if by itself, or else
 * "Segmentation fault", "CPU time limit exceeded". */
void cairn_child_end(struct cairn_child *child, char cause[64]);

#endif
