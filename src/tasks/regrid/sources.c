/* Sources of a regrid, each behind a handle. */
#include <stdlib.h>

#include "tasks/regrid/regrid.h"

struct cairn_regrid_source *cairn_sources_create(int32_t n) {
  struct cairn_regrid_source *source = calloc((size_t)n + 1, sizeof *source);
  for (int32_t i = 0; i < n && source; i++)
    starpu_variable_data_register(&source[i].handle, STARPU_MAIN_RAM, (uintptr_t)(source + i), sizeof *source);
  return source;
}

void cairn_sources_wait(struct cairn_regrid_source *source, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    starpu_data_acquire(source[i].handle, STARPU_R);
    starpu_data_release(source[i].handle);
  }
}

void cairn_sources_free(struct cairn_regrid_source *source, int32_t n) {
  for (int32_t i = 0; i < n && source; i++) {
    starpu_data_unregister(source[i].handle);
    free(source[i].packet);
    free(source[i].entry);
  }
  free(source);
}
