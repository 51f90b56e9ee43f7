#include "data/cells/cell_contacts.h"

#include <string.h>

/* A pair with a wall has its normal behind the columns that all pairs have (kernels/common/blocks.h). */
void cairn_cell_contacts_pack(const struct cairn_cell *cell, int32_t pair, struct cairn_contact *contact) {
  const struct cairn_history_offsets o = cairn_history_offsets(cell->size);
  const char *history = cell->history;
  double *numbers = cairn_contact_numbers(contact);
  contact->age = ((const uint32_t *)(history + o.age))[pair];
  for (int32_t k = 0; k < cell->size.memory; k++)
    numbers[k] = ((const double *)(history + o.memory + (size_t)k * o.column))[pair];
  if (pair >= cell->size.n_pairs)
    memcpy(numbers + cell->size.memory, (const double *)(history + o.normal) + 3 * (int64_t)(pair - cell->size.n_pairs),
           3 * sizeof(double));
}

void cairn_cell_contacts_unpack(struct cairn_cell *cell, int32_t pair, const struct cairn_contact *contact) {
  const struct cairn_history_offsets o = cairn_history_offsets(cell->size);
  char *history = cell->history;
  const double *numbers = (const double *)(const void *)(contact + 1);
  ((uint32_t *)(history + o.age))[pair] = contact->age;
  for (int32_t k = 0; k < cell->size.memory; k++)
    ((double *)(history + o.memory + (size_t)k * o.column))[pair] = numbers[k];
  if (pair >= cell->size.n_pairs)
    memcpy((double *)(history + o.normal) + 3 * (int64_t)(pair - cell->size.n_pairs), numbers + cell->size.memory,
           3 * sizeof(double));
}
