/* States for programs that link the library: copies, and arrays by name. */
#include <stdlib.h>
#include <string.h>

#include "data/state/fields.h"

struct cairn_state *cairn_state_clone(const struct cairn_state *state) {
  struct cairn_error ignored;
  struct cairn_state *copy = calloc(1, sizeof *copy);
  if (copy && cairn_state_copy(copy, state, &ignored)) {
    cairn_state_free(copy);
    return NULL;
  }
  return copy;
}

void cairn_state_free(struct cairn_state *state) {
  if (state)
    cairn_state_fini(state);
  free(state);
}

int cairn_state_find(const struct cairn_state *state, const char *name, struct cairn_state_array *array) {
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (!field->checkpoint || strcmp(field->checkpoint, name) ||
        field->flags & (CAIRN_FIELD_STRESS | CAIRN_FIELD_INDEX) ||
        (field->list != CAIRN_FIELD_BODIES && field->list != CAIRN_FIELD_ASSEMBLIES))
      continue;
    *array = (struct cairn_state_array){cairn_fields_values(field, state), cairn_fields_count(state, field->list),
                                        field->components, field->type != CAIRN_FIELD_DOUBLE};
    return 0;
  }
  return CAIRN_ERR_INPUT;
}
