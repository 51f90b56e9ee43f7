/* The page of a run that goes on, served to a browser on this machine.
 *
 * The server is a process of its own, forked before the engine starts: it reads the files of the run as anybody may, at
 * low priority, and whatever happens to it the run does not notice. It listens on 127.0.0.1 alone, answers GET with the
 * token of this run, changes nothing, and ends when the run closes its end of the link, or is gone. */
#ifndef CAIRN_VIEW_LIVE_LIVE_H
#define CAIRN_VIEW_LIVE_LIVE_H

#include <stdbool.h>

#include "cairn/error.h"
#include "data/base/child.h"
#include "view/live/request.h"

struct cairn_live {
  bool is_on;
  struct cairn_child child;
  int port;
  char token[CAIRN_REQUEST_TOKEN + 1];
};

/* Serve the run with this name on the port; 0: any that is free. */
int cairn_live_start(struct cairn_live *live, const char *name, int port, struct cairn_error *error);

void cairn_live_stop(struct cairn_live *live);

#endif
