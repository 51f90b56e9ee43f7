/* What writing and reading of checkpoints share: single numbers, texts, and what is refused. */
#ifndef CAIRN_DATA_CHECKPOINT_CHECKPOINT_PARTS_H
#define CAIRN_DATA_CHECKPOINT_CHECKPOINT_PARTS_H

#include <stddef.h>

#include "data/checkpoint/checkpoint.h"

/* Single numbers and texts, as the fields of cairn_fields are the lists. */
struct cairn_checkpoint_scalar {
  const char *name;
  int nc_type; /* NC_INT64 or NC_DOUBLE */
  size_t offset;
  const char *unit, *long_name;
};
struct cairn_checkpoint_text {
  const char *name;
  size_t offset; /* of the pointer */
  const char *long_name;
};
enum {
  CAIRN_CHECKPOINT_SCALARS = 17,
  CAIRN_CHECKPOINT_TEXTS = 4,
  CAIRN_CHECKPOINT_BUFFER = 1 << 19 /* bytes, of the NetCDF library, which would take 4 KiB */
};
extern const struct cairn_checkpoint_scalar cairn_checkpoint_parts_scalars[CAIRN_CHECKPOINT_SCALARS];
extern const struct cairn_checkpoint_text cairn_checkpoint_parts_texts[CAIRN_CHECKPOINT_TEXTS];

char *cairn_checkpoint_parts_text(const struct cairn_checkpoint *checkpoint, const struct cairn_checkpoint_text *text);
void cairn_checkpoint_parts_set_text(struct cairn_checkpoint *checkpoint, const struct cairn_checkpoint_text *text,
                                     char *value);

/* What reading refuses, writing refuses too. How many materials, walls and assemblies there are, only the scenario
 * knows: whoever puts the two together checks that. */
int cairn_checkpoint_parts_check(const struct cairn_checkpoint *checkpoint, struct cairn_error *error);

#endif
