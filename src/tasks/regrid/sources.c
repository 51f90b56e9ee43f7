/* Sources of a regrid, each behind a handle. */
#include <stdlib.h>

#include "tasks/regrid/regrid.h"
#include "tasks/tasks.h"

struct cairn_regrid_source *cairn_sources_create(int32_t n) {
  struct cairn_regrid_source *source = calloc((size_t)n + 1, sizeof *source);
  for (int32_t i = 0; i < n && source; i++)
    starpu_variable_data_register(&source[i].handle, STARPU_MAIN_RAM, (uintptr_t)(source + i), sizeof *source);
  return source;
}

static starpu_data_handle_t handle_of(const void *sources, int32_t i) {
  return ((const struct cairn_regrid_source *)sources)[i].handle;
}

void cairn_sources_wait(const struct cairn_regrid_source *source, int32_t n) { cairn_task_wait(n, handle_of, source); }

void cairn_sources_free(struct cairn_regrid_source *source, int32_t n) {
  for (int32_t i = 0; i < n && source; i++) {
    starpu_data_unregister(source[i].handle);
    free(source[i].packet);
    free(source[i].entry);
  }
  free(source);
}
