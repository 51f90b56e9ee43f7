/* Numbers in a cell that no state may have. */
#include "data/cells/cell_contacts.h"
#include "data/state/state_check.h"
#include "kernels/common/vector.h"

static bool is_sound_body(const struct cairn_cell *cell, int32_t i) {
  const double *s = cell->state + (int64_t)CAIRN_STATE * i, *x = s + CAIRN_STATE_X;
  const double *captor = cell->size.n_captures > 0 ? cell->state + cairn_capture_offset(cell->size, i) : NULL;
  if (captor && !cairn_state_check_range(captor + CAIRN_CAPTURE_PLACE, 3, CAIRN_STATE_MOST_LENGTH))
    return false;
  if (captor && captor[CAIRN_CAPTURE_CAPTOR] < 0.) /* it is parked where no body can be */
    x = captor + CAIRN_CAPTURE_PLACE;
  return cairn_state_check_place(x, cell->predicted[(int64_t)CAIRN_PREDICTED * i + CAIRN_PREDICTED_R]) &&
         cairn_state_check_range(s + CAIRN_STATE_V, CAIRN_STATE - CAIRN_STATE_V, CAIRN_STATE_MOST_RATE);
}

static bool is_sound_pair(const struct cairn_cell *cell, uint32_t memory, int32_t p) {
  struct {
    struct cairn_contact head;
    double numbers[CAIRN_CONTACT_MOST_NUMBERS];
  } contact;
  int row;
  cairn_cell_contacts_pack(cell, p, &contact.head);
  return cairn_state_check_memory(memory, contact.numbers, &row);
}

CAIRN_CLONES static bool is_within(const double *x, int64_t n, double most) {
  int32_t n_beyond = 0;
  for (int64_t i = 0; i < n; i++)
    n_beyond += x[i] >= -most && x[i] <= most ? 0 : 1;
  return n_beyond == 0;
}

/* Are all numbers of the columns sound, those of pairs that do not touch too? Then no pair needs a look of its own. */
static bool are_sound_columns(const struct cairn_cell *cell, uint32_t memory) {
  const struct cairn_history_offsets o = cairn_history_offsets(cell->size);
  const char *history = cell->history;
  const int64_t n = (int64_t)cell->size.n_pairs + cell->size.n_wall_pairs;
  bool sound = true;
  for (int row = 0; row < CAIRN_CONTACT_normal; row++)
    for (int k = cairn_contact_offset(memory, row); k < cairn_contact_offset(memory, row + 1) && sound; k++)
      sound = is_within((const double *)(const void *)(history + o.memory + (size_t)k * o.column), n,
                        cairn_state_most_remembered((enum cairn_contact_memory)row));
  return sound;
}

/* The lowest id counts, so that the answer does not depend on the cells. */
static void blame(struct cairn_cells_fault *fault, int32_t body, int32_t other, enum cairn_cells_fault_kind kind) {
  if (fault->kind == CAIRN_CELLS_SOUND || body < fault->body)
    *fault = (struct cairn_cells_fault){kind, body, other};
}

void cairn_cells_find_fault(const struct cairn_cells *cells, cairn_cell_t c, struct cairn_cells_fault *fault) {
  const struct cairn_cell *cell = cells->cell + c;
  const struct cairn_cell_size size = cell->size;
  const struct cairn_soft_spheres k = cairn_kernel_soft_spheres_bind(size, cell->state, cell->predicted,
                                                                     cell->pair_list, cell->history, NULL, NULL, NULL);
  for (int32_t i = 0; i < size.n; i++)
    if (!is_sound_body(cell, i))
      blame(fault, cell->id[i], -1, CAIRN_CELLS_BODY);
  const bool sound = are_sound_columns(cell, cells->rules.memory);
  for (int32_t p = 0; p < size.n_pairs + size.n_wall_pairs && !sound; p++)
    if (k.age[p] > 0 && !is_sound_pair(cell, cells->rules.memory, p)) {
      const bool wall = p >= size.n_pairs;
      blame(fault, cairn_cells_body(cell, k.a[p]), wall ? k.b[p] : cairn_cells_body(cell, k.b[p]),
            wall ? CAIRN_CELLS_WALL_CONTACT : CAIRN_CELLS_CONTACT);
    }
}
