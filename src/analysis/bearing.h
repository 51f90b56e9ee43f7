/* Who bears a heap: rattlers are taken out one after the other, with the bodies that become rattlers by that. What is
 * left does not depend on the order. The bodies of a stretch of ids are counted here; those beyond it, elsewhere. */
#ifndef CAIRN_ANALYSIS_BEARING_H
#define CAIRN_ANALYSIS_BEARING_H

#include <stdbool.h>
#include <stdint.h>

/* What a body touches: how many other bodies and walls, and the exclusive or of the ids of those bodies, which is the
 * last of them where only one is left. */
struct cairn_bearing_body {
  int32_t others, n_bodies, n_walls;
  bool is_held; /* by a wall that captured it */
  bool is_out;  /* a rattler, or removed by a wall */
};

struct cairn_bearing {
  int64_t first, n; /* ids */
  struct cairn_bearing_body *body;
};

/* No contacts yet; not 0 if out of memory. */
int cairn_bearing_init(struct cairn_bearing *bearing, int64_t first, int64_t n);
void cairn_bearing_fini(struct cairn_bearing *bearing);

/* A body of the stretch touches another one, wherever that is; a wall; is held by a wall; is removed. */
void cairn_bearing_touch(struct cairn_bearing *bearing, int32_t id, int32_t other);
void cairn_bearing_lean(struct cairn_bearing *bearing, int32_t id);
void cairn_bearing_hold(struct cairn_bearing *bearing, int32_t id);
void cairn_bearing_remove(struct cairn_bearing *bearing, int32_t id);

/* A body that it touched has been taken out. */
void cairn_bearing_leave(struct cairn_bearing *bearing, int32_t id, int32_t other);

/* Take a body out if it is a rattler, then the one that it leaned on if that has become one, and so on. Where this
 * leads beyond the stretch, the body there, which *last has left; else -1. */
int32_t cairn_bearing_take_out(struct cairn_bearing *bearing, int32_t id, int32_t *last);

/* When none is left to take out: count[] of rattlers, of bodies that bear, of contacts of these. */
enum { CAIRN_BEARING_RATTLERS, CAIRN_BEARING_BEARING, CAIRN_BEARING_ENDS, CAIRN_BEARING_COUNTS };
void cairn_bearing_count(const struct cairn_bearing *bearing, int64_t count[CAIRN_BEARING_COUNTS]);

#endif
