/* Contacts as records: who touches whom, where, since when, and what the law of the contact remembers. */
#ifndef CAIRN_CONTACT_H
#define CAIRN_CONTACT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All that contacts may remember from step to step beside their age: MEMORY(name, numbers, unit, meaning). A run's laws
 * ask for some of it, a set with one bit each; the numbers of a record stand in this order. */
#define CAIRN_CONTACT_PAIR_MEMORIES(MEMORY)                                                                            \
  MEMORY(spring, 3, "m", "tangential displacement of soft spheres")                                                    \
  MEMORY(impulse, 3, "N s", "impulse of the latest step, contact dynamics")                                            \
  MEMORY(torque, 3, "N m s", "torque impulse of rolling and twisting friction, contact dynamics")                      \
  MEMORY(rest, 1, "m", "gap from which the work of cohesion is counted, contact dynamics")                             \
  MEMORY(rolling, 3, "rad", "rotation in the rolling spring of soft spheres")                                          \
  MEMORY(bond_length, 1, "m", "length of a bond at rest; negative: broken, minus the distance at which they touch")    \
  MEMORY(bond_stiffness, 1, "N m-1", "stiffness of a bond")                                                            \
  MEMORY(bond_strain, 1, "1", "at which a bond breaks")                                                                \
  MEMORY(bond_law, 1, "1", "entry of `bonds` in the scenario")

/* Contacts with walls have the normal too, behind all others. */
#define CAIRN_CONTACT_MEMORIES(MEMORY)                                                                                 \
  CAIRN_CONTACT_PAIR_MEMORIES(MEMORY)                                                                                  \
  MEMORY(normal, 3, "1", "unit vector from the body to the wall")

#define CAIRN_CONTACT_MEMORY_ROW(name, numbers, unit, meaning) CAIRN_CONTACT_##name,
enum cairn_contact_memory { CAIRN_CONTACT_MEMORIES(CAIRN_CONTACT_MEMORY_ROW) CAIRN_CONTACT_N_MEMORIES };

/* The set that holds one of them. */
#define CAIRN_CONTACT_REMEMBERS(name) (1u << CAIRN_CONTACT_##name)

/* All that belongs to a bond: together, or not at all. */
#define CAIRN_CONTACT_REMEMBERS_BONDS                                                                                  \
  (CAIRN_CONTACT_REMEMBERS(bond_length) | CAIRN_CONTACT_REMEMBERS(bond_stiffness) |                                    \
   CAIRN_CONTACT_REMEMBERS(bond_strain) | CAIRN_CONTACT_REMEMBERS(bond_law))

/* The head of a record; the numbers it remembers follow as doubles. */
struct cairn_contact {
  int32_t a, b;     /* ids of two bodies, a < b; or a body and the index of a wall in the scenario */
  uint32_t feature; /* which of the contacts of this pair, counted from 0: a body may touch a mesh at several places */
  uint32_t age;     /* steps since they touched or were bonded, at least 1 */
};

/* A list of contacts, sorted by (a, b, feature). */
struct cairn_contacts {
  int64_t n;
  uint32_t memory; /* what its records remember: a set of enum cairn_contact_memory, one bit each */
  uint32_t size;   /* bytes of a record */
  char *record;    /* [n][size] */
};

/* Most numbers that a record can have. */
#define CAIRN_CONTACT_ADD(name, numbers, unit, meaning) +numbers
enum { CAIRN_CONTACT_MOST_NUMBERS = 0 CAIRN_CONTACT_MEMORIES(CAIRN_CONTACT_ADD) };

/* How many numbers the rows before `row` take in a record with this set; CAIRN_CONTACT_N_MEMORIES: all of them. */
static inline int cairn_contact_offset(uint32_t memory, int row) {
#define CAIRN_CONTACT_NUMBERS(name, numbers, unit, meaning) numbers,
  static const int numbers[] = {CAIRN_CONTACT_MEMORIES(CAIRN_CONTACT_NUMBERS)};
#undef CAIRN_CONTACT_NUMBERS
  int sum = 0;
  for (int k = 0; k < row; k++)
    sum += memory >> k & 1 ? numbers[k] : 0;
  return sum;
}

/* A record, and all numbers it remembers. */
static inline struct cairn_contact *cairn_contact_at(const struct cairn_contacts *contacts, int64_t i) {
  return (struct cairn_contact *)(void *)(contacts->record + (size_t)i * contacts->size);
}
static inline double *cairn_contact_numbers(struct cairn_contact *contact) { return (double *)(void *)(contact + 1); }

/* What a record remembers of one kind; NULL if the list does not hold it. */
static inline double *cairn_contact_recall(const struct cairn_contacts *contacts, int64_t i,
                                           enum cairn_contact_memory row) {
  if (!(contacts->memory >> row & 1))
    return NULL;
  return cairn_contact_numbers(cairn_contact_at(contacts, i)) + cairn_contact_offset(contacts->memory, (int)row);
}

#ifdef __cplusplus
}
#endif
#endif
