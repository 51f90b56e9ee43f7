/* A buffer behind a handle that some tasks name as a whole and others in parts. */
#ifndef CAIRN_TASKS_GRAVITY_PARTS_H
#define CAIRN_TASKS_GRAVITY_PARTS_H

#include <starpu.h>

struct cairn_parts {
  starpu_data_handle_t whole, *part;
  uint32_t *length; /* of the parts */
  int32_t n;        /* parts */
};

/* Register a vector of n elements; or a matrix with rows of n numbers, whose parts are stretches of columns. Nothing if
 * it is registered already. */
void cairn_parts_open(struct cairn_parts *parts, const void *memory, int64_t n, size_t size);
void cairn_parts_open_rows(struct cairn_parts *parts, const double *memory, int64_t n, int rows);

/* Plan n parts of the lengths that a member of as many structures has; NULL: of one element. Not 0 if out of memory. */
int cairn_parts_plan(struct cairn_parts *parts, int32_t n, const int32_t *member, size_t structure);

/* Tasks that are submitted from now on name the parts; or the whole again. */
void cairn_parts_split(struct cairn_parts *parts);
void cairn_parts_join(struct cairn_parts *parts);

/* Wait until the tasks on the whole are done. */
void cairn_parts_wait(struct cairn_parts *parts);

/* Wait for all tasks on n buffers and unregister them. */
void cairn_parts_close(struct cairn_parts *parts, int32_t n);

#endif
