#include "tasks/gravity/parts.h"

#include <stdbool.h>
#include <stdlib.h>

void cairn_parts_open(struct cairn_parts *parts, const void *memory, int64_t n, size_t size) {
  if (!parts->whole)
    starpu_vector_data_register(&parts->whole, STARPU_MAIN_RAM, (uintptr_t)memory, (uint32_t)n, size);
}

void cairn_parts_open_rows(struct cairn_parts *parts, const double *memory, int64_t n, int rows) {
  if (!parts->whole)
    starpu_matrix_data_register(&parts->whole, STARPU_MAIN_RAM, (uintptr_t)memory, (uint32_t)n, (uint32_t)n,
                                (uint32_t)rows, sizeof(double));
}

/* A stretch of the columns of a matrix. */
static void take_columns(void *whole, void *part, struct starpu_data_filter *filter, unsigned number, unsigned n) {
  const struct starpu_matrix_interface *all = whole;
  struct starpu_matrix_interface *some = part;
  const uint32_t *length = filter->filter_arg_ptr;
  size_t first = 0;
  (void)n;
  for (unsigned k = 0; k < number; k++)
    first += length[k] * all->elemsize;
  *some = *all;
  some->nx = length[number];
  some->allocsize = (size_t)some->nx * some->ny * some->elemsize;
  some->offset += first;
  if (some->ptr)
    some->ptr += first;
}

int cairn_parts_plan(struct cairn_parts *parts, int32_t n, const int32_t *member, size_t structure) {
  struct starpu_data_filter filter = {.filter_func = starpu_vector_filter_block, .nchildren = (unsigned)n};
  parts->n = n;
  parts->part = malloc((size_t)n * sizeof(starpu_data_handle_t));
  parts->length = malloc((size_t)n * sizeof *parts->length);
  if (!parts->part || !parts->length) {
    free(parts->part);
    parts->part = NULL;
    return -1;
  }
  for (int32_t k = 0; k < n && member; k++)
    parts->length[k] = (uint32_t) * (const int32_t *)(const void *)((const char *)member + (size_t)k * structure);
  if (member) {
    const bool is_matrix = starpu_data_get_interface_id(parts->whole) == STARPU_MATRIX_INTERFACE_ID;
    filter.filter_func = is_matrix ? take_columns : starpu_vector_filter_list;
    filter.filter_arg_ptr = parts->length;
  }
  starpu_data_partition_plan(parts->whole, &filter, parts->part);
  return 0;
}

void cairn_parts_split(struct cairn_parts *parts) {
  starpu_data_partition_submit(parts->whole, (unsigned)parts->n, parts->part);
}

void cairn_parts_join(struct cairn_parts *parts) {
  starpu_data_unpartition_submit(parts->whole, (unsigned)parts->n, parts->part, STARPU_MAIN_RAM);
}

void cairn_parts_wait(struct cairn_parts *parts) {
  starpu_data_acquire(parts->whole, STARPU_RW);
  starpu_data_release(parts->whole);
}

void cairn_parts_close(struct cairn_parts *parts, int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    if (parts[k].part)
      starpu_data_partition_clean(parts[k].whole, (unsigned)parts[k].n, parts[k].part);
    if (parts[k].whole)
      starpu_data_unregister(parts[k].whole);
    free(parts[k].part);
    free(parts[k].length);
  }
}
