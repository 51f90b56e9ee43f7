/* Contacts of a state, for tests: fields of the records by name. */
#ifndef TESTS_CONTACTS_H
#define TESTS_CONTACTS_H

#include <string.h>

#include "data/state/state.h"

/* The k-th contact between bodies, or with a wall. */
static inline struct cairn_contact *pair_of(const struct cairn_state *s, int64_t k) {
  return cairn_contact_at(&s->contacts, k);
}
static inline struct cairn_contact *touch_of(const struct cairn_state *s, int64_t k) {
  return cairn_contact_at(&s->wall_contacts, k);
}

/* Numbers that it remembers. */
#define PAIR_MEMORY(state, k, name) cairn_contact_recall(&(state)->contacts, k, CAIRN_CONTACT_##name)
#define TOUCH_MEMORY(state, k, name) cairn_contact_recall(&(state)->wall_contacts, k, CAIRN_CONTACT_##name)

/* Do the lists have the same contacts of the same ages? */
static inline int same_contacts(const struct cairn_contacts *a, const struct cairn_contacts *b) {
  for (int64_t i = 0; i < a->n && a->n == b->n; i++)
    if (memcmp(cairn_contact_at(a, i), cairn_contact_at(b, i), sizeof(struct cairn_contact)) != 0)
      return 0;
  return a->n == b->n;
}

#endif
