#include "data/cells/cell_contacts.h"

#include <stdlib.h>
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

int64_t *cairn_cell_contacts_index(const struct cairn_contacts *contacts, int64_t n) {
  int64_t *first = calloc((size_t)n + 2, sizeof *first);
  if (!first)
    return NULL;
  for (int64_t k = 0; k < contacts->n; k++)
    first[cairn_contact_at(contacts, k)->a + 1]++;
  for (int64_t i = 0; i < n; i++)
    first[i + 1] += first[i];
  return first;
}

const struct cairn_contact *cairn_cell_contacts_find(const struct cairn_contacts *contacts, int64_t first, int64_t end,
                                                     int32_t partner, uint32_t feature) {
  for (int64_t k = first; k < end; k++) {
    const struct cairn_contact *contact = cairn_contact_at(contacts, k);
    if (contact->b == partner && contact->feature == feature)
      return contact;
  }
  return NULL;
}

/* The lists of a cell that say which of its pairs are contacts. */
struct pairs {
  const struct cairn_cell *cell;
  const int32_t *a, *b;
  const uint32_t *age;
  bool own; /* is each pair in one cell alone? */
};

static struct pairs pairs_of(const struct cairn_cells *cells, cairn_cell_t c) {
  const struct cairn_cell *cell = cells->cell + c;
  const struct cairn_pair_list_offsets o = cairn_pair_list_offsets(cell->size);
  const char *pair_list = cell->pair_list, *history = cell->history;
  return (struct pairs){cell, (const int32_t *)(pair_list + o.a), (const int32_t *)(pair_list + o.b),
                        (const uint32_t *)(history + cairn_history_offsets(cell->size).age), cells->rules.own_pairs};
}

static int is_gone(const struct cairn_state *state, int32_t body) { return state->captor[body] < 0; }

/* A contact is copied from the cell that owns its lower id, or from the only cell that lists it; contacts with walls
 * from the body's cell. The last ones of bodies that have just been removed are dropped. */
static int is_copied(const struct pairs *p, int32_t pair, const struct cairn_state *state) {
  const struct cairn_cell *cell = p->cell;
  if (p->age[pair] == 0 || (!p->own && p->a[pair] >= cell->size.n))
    return 0;
  return cell->size.n_captures == 0 ||
         (!is_gone(state, cairn_cells_body(cell, p->a[pair])) &&
          (pair >= cell->size.n_pairs || !is_gone(state, cairn_cells_body(cell, p->b[pair]))));
}

/* One of the two lists of a state while it is filled: where the contacts of each body begin, how many are there. */
struct filling {
  struct cairn_contacts *contacts;
  int64_t *first;  /* [n + 1] */
  int32_t *filled; /* [n] */
};

static void count(const struct cairn_cells *cells, cairn_cell_t c, const struct cairn_state *state,
                  struct filling list[2]) {
  const struct cairn_cell *cell = cells->cell + c;
  const struct pairs p = pairs_of(cells, c);
  for (int32_t k = 0; k < cell->size.n_pairs + cell->size.n_wall_pairs; k++)
    if (is_copied(&p, k, state))
      list[k >= cell->size.n_pairs].first[cairn_cells_body(cell, p.a[k]) + 1]++;
}

/* Contacts of one body may come from several cells: each goes to its place among those of higher partners. */
static void insert(const struct pairs *p, int32_t k, bool wall, struct filling *list) {
  const int32_t body = cairn_cells_body(p->cell, p->a[k]),
                partner = wall ? p->b[k] : cairn_cells_body(p->cell, p->b[k]);
  const struct cairn_contacts *contacts = list->contacts;
  int64_t at = list->first[body] + list->filled[body]++;
  for (; at > list->first[body] && cairn_contact_at(contacts, at - 1)->b > partner; at--)
    memcpy(cairn_contact_at(contacts, at), cairn_contact_at(contacts, at - 1), contacts->size);
  struct cairn_contact *contact = cairn_contact_at(contacts, at);
  const struct cairn_contact *before = at > list->first[body] ? cairn_contact_at(contacts, at - 1) : NULL;
  contact->a = body;
  contact->b = partner;
  contact->feature = before && before->b == partner ? before->feature + 1 : 0;
  cairn_cell_contacts_pack(p->cell, k, contact);
}

static int make_room(const struct cairn_cells *cells, struct cairn_state *state, struct filling list[2],
                     struct cairn_error *error) {
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    count(cells, c, state, list);
  for (int64_t i = 0; i < cells->n; i++)
    for (int k = 0; k < 2; k++)
      list[k].first[i + 1] += list[k].first[i];
  state->contacts.n = state->wall_contacts.n = 0;
  const int status = cairn_state_remember(state, cells->rules.memory, error);
  return status ? status : cairn_state_resize_contacts(state, list[0].first[cells->n], list[1].first[cells->n], error);
}

int cairn_cell_contacts_capture(const struct cairn_cells *cells, struct cairn_state *state, struct cairn_error *error) {
  struct filling list[2] = {{.contacts = &state->contacts}, {.contacts = &state->wall_contacts}};
  int status = 0;
  for (int k = 0; k < 2; k++) {
    list[k].first = calloc((size_t)cells->n + 2, sizeof *list[k].first);
    list[k].filled = calloc((size_t)cells->n + 1, sizeof *list[k].filled);
    if (!list[k].first || !list[k].filled)
      status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the contacts");
  }
  if (!status)
    status = make_room(cells, state, list, error);
  for (cairn_cell_t c = 0; c < cells->n_cells && !status; c++) {
    const struct cairn_cell *cell = cells->cell + c;
    const struct pairs p = pairs_of(cells, c);
    for (int32_t k = 0; k < cell->size.n_pairs + cell->size.n_wall_pairs; k++)
      if (is_copied(&p, k, state))
        insert(&p, k, k >= cell->size.n_pairs, &list[k >= cell->size.n_pairs]);
  }
  for (int k = 0; k < 2; k++) {
    free(list[k].first);
    free(list[k].filled);
  }
  return status;
}
