/* Events across ranks: bodies of all of them that meet each other, run as one cell (docs/decisions/0022). */
#include "kernels/hard/drift.h"

void cairn_drift_pool_run(struct cairn_hard_scope *s) {
  struct cairn_hard_cell *c = s->cell;
  s->n_heap = 0;
  s->n_events = 0;
  s->longest = 0.;
  s->wanted = s->stuck = (struct cairn_hard_ref){-1, -1};
  for (int32_t i = 0; i < c->blocks.size.n; i++)
    cairn_drift_queue_reset(c, c->body + i, 0);
  for (int32_t i = 0; i < c->blocks.size.n; i++)
    cairn_drift_queue_predict(s, (struct cairn_hard_ref){0, i});
  cairn_drift_queue_run(s);
  for (int32_t i = 0; i < c->blocks.size.n; i++) {
    cairn_drift_close_box(c, c->body + i, s->end);
    c->flags[i] |= c->flags[c->body[cairn_drift_queue_root(c, i)].body] & CAIRN_HARD_OPEN;
  }
}
