/* Contacts are put where they can be solved side by side: four in a group and, for devices, all groups of a stage share
 * no body that can move; every contact is in one place; the room is enough, also for bodies with more contacts than
 * there are colours. */
#include "tap/tap.h"

#include <stdlib.h>
#include <string.h>

#include "data/base/random.h"
#include "kernels/contact_dynamics/cd_cell.h"

enum { BODIES = 400, HALO = 100, ALL = BODIES + HALO, GROUND = ALL, MOST_CONTACTS = 20000 };

struct list {
  int32_t n, most;
  int32_t pair[MOST_CONTACTS][2], degree[ALL + 1];
};

static void add(struct list *list, int32_t a, int32_t b) {
  if (list->n == MOST_CONTACTS)
    BAIL_OUT("too many contacts");
  list->pair[list->n][0] = a;
  list->pair[list->n++][1] = b;
  list->most = ++list->degree[a] > list->most ? list->degree[a] : list->most;
  if (b != GROUND)
    list->most = ++list->degree[b] > list->most ? list->degree[b] : list->most;
}

/* Six contacts of each body with any others, and some with the ground. */
static void scatter(struct list *list, struct cairn_random *random) {
  for (int32_t i = 0; i < BODIES; i++) {
    for (int k = 0; k < 3; k++) {
      const int32_t other = (int32_t)(cairn_random_unit(random) * ALL);
      if (other != i)
        add(list, i, other);
    }
    if (i % 4 == 0)
      add(list, i, GROUND);
  }
}

/* Some bodies that touch all others. */
static void crowd(struct list *list, int n_large) {
  for (int32_t other = n_large; other < ALL; other++)
    for (int32_t i = 0; i < n_large; i++)
      add(list, i, other);
}

static int32_t room(const struct list *list, int32_t colored) {
  int64_t crowded = 0;
  for (int32_t k = 0; k < list->n; k++) {
    const int32_t *pair = list->pair[k];
    crowded += !colored || cairn_cd_is_crowded(list->degree[pair[0]], pair[1] == GROUND ? 1 : list->degree[pair[1]]);
  }
  return (int32_t)(cairn_cd_room(crowded, list->most) + (colored ? cairn_cd_colored_room(list->n) : 0));
}

static struct cairn_cd_cell make_cell(const struct list *list, int32_t colored, char **memory) {
  const struct cairn_cell_size size = {
      .n = BODIES, .n_halo = HALO, .n_pairs = list->n, .cd = {.n_groups = room(list, colored), .colored = colored}};
  *memory = aligned_alloc(64, CAIRN_PAD(cairn_cd_offsets(size).end));
  if (!*memory)
    BAIL_OUT("out of memory");
  return cairn_kernel_cd_bind(size, NULL, *memory);
}

static int shares(char *has, int32_t body) {
  const int twice = body != GROUND && has[body];
  has[body] = 1;
  return twice;
}

/* Contacts of the groups that share a body with another one of them. */
static int shared_in(const struct cairn_cd_cell *c, const int32_t *groups, int32_t n) {
  char has[ALL + 1] = {0};
  int shared = 0;
  for (int32_t i = 0; i < n; i++)
    for (int l = 0; l < c->fill[groups[i]]; l++)
      shared += shares(has, c->group[groups[i]].a[l]) + shares(has, c->group[groups[i]].b[l]);
  return shared;
}

static void check_stages(const struct cairn_cd_cell *c, const char *name) {
  int wrong = 0, shared = 0;
  int32_t *seen = calloc((size_t)*c->n_groups + 1, sizeof *seen);
  if (!seen)
    BAIL_OUT("out of memory");
  for (int32_t i = 0; i < *c->n_groups; i++)
    wrong += c->order[i] < 0 || c->order[i] >= *c->n_groups || seen[c->order[i]]++;
  for (int32_t s = 0; s < *c->n_stages; s++) {
    wrong += c->stage[s + 1] <= c->stage[s];
    shared += shared_in(c, c->order + c->stage[s], c->stage[s + 1] - c->stage[s]);
  }
  ok(wrong == 0 && c->stage[0] == 0 && c->stage[*c->n_stages] == *c->n_groups, "%s: stages have all groups once", name);
  cmp_ok(shared, "==", 0, "%s: no body twice in a stage", name);
  diag("%s: %d contacts, %d groups of at most %d, %d stages", name, *c->n_contacts, *c->n_groups, c->size.cd.n_groups,
       *c->n_stages);
  free(seen);
}

static void check(const struct list *list, int32_t colored, const char *name) {
  char *memory, used[HALO] = {0};
  int32_t first = 0, lanes = 0;
  int misplaced = 0, shared = 0, halo = 0;
  const struct cairn_cd_cell c = make_cell(list, colored, &memory);
  cairn_kernel_cd_colouring_none(&c);
  for (int32_t k = 0; k < list->n; k++) {
    const struct cairn_cd_colouring place = cairn_kernel_cd_colouring(&c, list->pair[k][0], list->pair[k][1], &first);
    c.pair[place.group][place.lane] = k;
  }
  cairn_kernel_cd_colouring_order(&c);
  cmp_ok(*c.n_groups, "<=", c.size.cd.n_groups, "%s: the room is enough", name);
  for (int32_t i = 0; i < *c.n_groups; i++) {
    lanes += c.fill[i];
    shared += shared_in(&c, &i, 1);
    for (int l = 0; l < CAIRN_CD_LANES; l++) {
      const int32_t k = c.pair[i][l];
      misplaced += (k >= 0) != (l < c.fill[i]) ||
                   (k >= 0 && (c.group[i].a[l] != list->pair[k][0] || c.group[i].b[l] != list->pair[k][1]));
    }
  }
  cmp_ok(lanes, "==", list->n, "%s: as many lanes as contacts", name);
  cmp_ok(misplaced, "==", 0, "%s: each contact is in its place", name);
  cmp_ok(shared, "==", 0, "%s: no body twice in a group", name);
  for (int32_t k = 0; k < *c.n_used; k++)
    used[c.halo[k]]++;
  for (int32_t i = 0; i < HALO; i++)
    halo += used[i] != (list->degree[BODIES + i] > 0);
  cmp_ok(halo, "==", 0, "%s: halo bodies in contacts are listed once", name);
  if (colored)
    check_stages(&c, name);
  /* greedy colouring: a contact is kept from no more colours than its bodies have other contacts */
  if (colored && 2 * list->most - 1 <= CAIRN_CD_COLORS)
    cmp_ok(*c.n_stages, "<", 2 * list->most, "%s: few stages", name);
  free(memory);
}

int main(void) {
  static struct list list;
  struct cairn_random random;
  cairn_random_init(&random, 3, 0, 0);
  plan(NO_PLAN);
  scatter(&list, &random);
  check(&list, 0, "a heap");
  check(&list, 1, "a heap in colours");
  memset(&list, 0, sizeof list);
  crowd(&list, 1);
  check(&list, 0, "one large body");
  check(&list, 1, "one large body in colours");
  for (int large = 2; large < 9; large += 6) {
    memset(&list, 0, sizeof list);
    crowd(&list, large);
    scatter(&list, &random);
    check(&list, 0, "large bodies");
    check(&list, 1, "large bodies in colours");
  }
  done_testing();
}
