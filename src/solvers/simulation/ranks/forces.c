#include "solvers/simulation/ranks/forces.h"

#include <stdlib.h>
#include <string.h>

static int by_number(int64_t p, int64_t q) { return (p > q) - (p < q); }

static int compare(const struct cairn_sim_force *p, const struct cairn_sim_force *q, bool walls_last) {
  int order = walls_last ? by_number(p->force.at_wall, q->force.at_wall) : 0;
  order = order ? order : by_number(p->force.a, q->force.a);
  order = order ? order : by_number(p->force.at_wall, q->force.at_wall);
  order = order ? order : by_number(p->force.b, q->force.b);
  return order ? order : by_number(p->feature, q->feature);
}

static int by_lower(const void *p, const void *q) { return compare(p, q, false); }
static int as_listed(const void *p, const void *q) { return compare(p, q, true); }

static int by_higher(const void *p, const void *q) {
  return by_number((*(const struct cairn_sim_force *const *)p)->force.b,
                   (*(const struct cairn_sim_force *const *)q)->force.b);
}

int cairn_sim_forces_reserve(struct cairn_sim_forces *forces, int64_t n) {
  if (forces->n + n <= forces->capacity)
    return 0;
  const int64_t capacity = forces->capacity + forces->capacity / 2 + n;
  void *longer = realloc(forces->force, (size_t)capacity * sizeof *forces->force);
  if (!longer)
    return -1;
  forces->force = longer;
  forces->capacity = capacity;
  return 0;
}

int cairn_sim_forces_sort(struct cairn_sim_forces *forces) {
  if (forces->n > 0)
    qsort(forces->force, (size_t)forces->n, sizeof *forces->force, by_lower);
  forces->higher = malloc((size_t)forces->n * sizeof *forces->higher + 1);
  forces->n_pairs = 0;
  for (int64_t k = 0; k < forces->n && forces->higher; k++)
    if (!forces->force[k].force.at_wall)
      forces->higher[forces->n_pairs++] = forces->force + k;
  if (forces->higher)
    qsort(forces->higher, (size_t)forces->n_pairs, sizeof *forces->higher, by_higher);
  return forces->higher ? 0 : -1;
}

/* Those of this rank that have a body in the slab: as the lower one, or as the higher one alone. */
static struct cairn_ranks_mail take_mine(struct cairn_sim_forces *forces, int64_t first, int64_t end) {
  const int64_t from = forces->next, from_higher = forces->next_higher;
  int64_t n = 0;
  while (forces->next < forces->n && forces->force[forces->next].force.a < end)
    forces->next++;
  for (; forces->next_higher < forces->n_pairs && forces->higher[forces->next_higher]->force.b < end;
       forces->next_higher++)
    n += forces->higher[forces->next_higher]->force.a < first;
  n += forces->next - from;
  struct cairn_sim_force *out = malloc((size_t)n * sizeof *out + 1);
  if (!out)
    cairn_ranks_out_of_memory("the forces of a slab");
  n = forces->next - from;
  if (n > 0)
    memcpy(out, forces->force + from, (size_t)n * sizeof *out);
  for (int64_t k = from_higher; k < forces->next_higher && out; k++)
    if (forces->higher[k]->force.a < first)
      out[n++] = *forces->higher[k];
  return (struct cairn_ranks_mail){out, n * (int64_t)sizeof *out};
}

/* Behind what is there. */
static void append(struct cairn_ranks_mail *all, const struct cairn_ranks_mail *more) {
  char *longer = realloc(all->data, (size_t)(all->bytes + more->bytes) + 1);
  if (!longer) {
    cairn_ranks_out_of_memory("the forces of a slab");
    return;
  }
  if (more->bytes > 0)
    memcpy(longer + all->bytes, more->data, (size_t)more->bytes);
  all->data = longer;
  all->bytes += more->bytes;
}

int64_t cairn_sim_forces_take(struct cairn_sim_forces *forces, int64_t first, int64_t end,
                              struct cairn_contact_force **force) {
  struct cairn_ranks_mail all = take_mine(forces, first, end);
  *force = NULL;
  if (cairn_ranks_me() > 0) {
    cairn_ranks_send(&all, 0);
    free(all.data);
    return 0;
  }
  for (int q = 1; q < cairn_ranks_n(); q++) {
    struct cairn_ranks_mail mail;
    cairn_ranks_receive(&mail, q);
    append(&all, &mail);
    free(mail.data);
  }
  struct cairn_sim_force *list = all.data;
  const int64_t n = all.bytes / (int64_t)sizeof *list;
  *force = malloc((size_t)n * sizeof **force + 1);
  if (!*force)
    cairn_ranks_out_of_memory("the forces of a slab");
  if (n > 0)
    qsort(list, (size_t)n, sizeof *list, as_listed);
  for (int64_t k = 0; k < n && *force; k++)
    (*force)[k] = list[k].force;
  free(list);
  return n;
}

void cairn_sim_forces_fini(struct cairn_sim_forces *forces) {
  free(forces->force);
  free(forces->higher);
  *forces = (struct cairn_sim_forces){0};
}
