#include "solvers/start/bonding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/cells/search.h"
#include "solvers/start/near.h"
#include "solvers/start/stretch.h"
#include "tasks/ranks/ranks.h"

static void *allocate(int64_t n, size_t size) {
  void *data = calloc((size_t)n + 1, size);
  if (!data)
    cairn_ranks_out_of_memory("the bonds between bodies of different ranks");
  return data;
}

/* ---- which rank has a body ---- */

/* The first id of each rank, and behind the last the largest number there is. */
static int64_t *list_stretches(int64_t first) {
  const int n = cairn_ranks_n();
  int64_t *stretch = allocate(n, sizeof *stretch);
  struct cairn_ranks_mail *mail = cairn_ranks_gather(&first, sizeof first);
  for (int q = 0; q < n; q++)
    memcpy(stretch + q, mail[q].data, sizeof *stretch);
  stretch[n] = INT64_MAX;
  cairn_ranks_mail_free(mail);
  return stretch;
}

/* The last rank that begins at or before an id: those that have none begin where the next one does. */
static int rank_of(const int64_t *stretch, int32_t id) {
  int low = 0, high = cairn_ranks_n() - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (stretch[middle] <= id)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Send records that begin with an id to the ranks of their bodies; `bytes` each. */
static struct cairn_ranks_mail *post(const void *record, int64_t n, size_t bytes, const int64_t *stretch) {
  struct cairn_ranks_mail *out = allocate(cairn_ranks_n(), sizeof *out);
  for (int filling = 0; filling < 2; filling++) {
    for (int64_t k = 0; k < n; k++) {
      const char *from = (const char *)record + (size_t)k * bytes;
      int32_t id;
      memcpy(&id, from, sizeof id);
      struct cairn_ranks_mail *mail = out + rank_of(stretch, id);
      if (filling)
        memcpy((char *)mail->data + mail->bytes, from, bytes);
      mail->bytes += (int64_t)bytes;
    }
    for (int q = 0; q < cairn_ranks_n() && !filling; q++) {
      out[q].data = allocate(out[q].bytes, 1);
      out[q].bytes = 0;
    }
  }
  return cairn_ranks_exchange(out);
}

/* ---- bodies of other ranks ---- */

static int compare(const void *p, const void *q) {
  const int32_t a = *(const int32_t *)p, b = *(const int32_t *)q;
  return (a > b) - (a < b);
}

/* The bodies with these ids, those that are here apart; the list is changed. */
static struct cairn_bonds_others fetch(const struct cairn_state *state, int64_t first, int32_t *id, int64_t n) {
  const struct cairn_bonds_others none = {0};
  int64_t *stretch = list_stretches(first), n_wanted = 0, at = 0;
  struct cairn_ranks_mail *reply = allocate(cairn_ranks_n(), sizeof *reply);
  qsort(id, (size_t)n, sizeof *id, compare);
  for (int64_t k = 0; k < n; k++)
    if ((id[k] < first || id[k] >= first + state->n) && (n_wanted == 0 || id[n_wanted - 1] != id[k]))
      id[n_wanted++] = id[k];
  struct cairn_ranks_mail *asked = post(id, n_wanted, sizeof *id, stretch);
  for (int q = 0; q < cairn_ranks_n(); q++) {
    const int64_t n_asked = asked[q].bytes / (int64_t)sizeof *id;
    struct cairn_bonds_body *body = allocate(n_asked, sizeof *body);
    for (int64_t k = 0; k < n_asked; k++)
      body[k] = cairn_bonds_body_of(state, first, &none, ((const int32_t *)asked[q].data)[k]);
    reply[q] = (struct cairn_ranks_mail){body, n_asked * (int64_t)sizeof *body};
  }
  struct cairn_ranks_mail *came = cairn_ranks_exchange(reply);
  struct cairn_bonds_others others = {n_wanted, allocate(n_wanted, sizeof *others.body)};
  for (int q = 0; q < cairn_ranks_n(); at += came[q++].bytes) /* ranks are in the order of ids */
    memcpy((char *)others.body + at, came[q].data, (size_t)came[q].bytes);
  cairn_ranks_mail_free(asked);
  cairn_ranks_mail_free(came);
  free(stretch);
  return others;
}

struct cairn_bonds_others cairn_bonding_partners(const struct cairn_state *state, int64_t first) {
  const bool has_bonds = state->contacts.memory & CAIRN_CONTACT_REMEMBERS(bond_length);
  const int64_t n = has_bonds ? state->contacts.n : 0;
  int32_t *id = allocate(n, sizeof *id);
  for (int64_t k = 0; k < n; k++)
    id[k] = cairn_contact_at(&state->contacts, k)->b;
  const struct cairn_bonds_others others = fetch(state, first, id, n);
  free(id);
  return others;
}

/* ---- new bonds ---- */

/* Pairs of the bodies near each other that entry `e` may bond, on the ranks of their lower bodies. A pair is found
 * where the lower body is in the slab of space. */
static void find_pairs(const struct cairn_scenario *s, const struct cairn_bonds *e, const struct cairn_near *near,
                       const struct cairn_sphere *sphere, const int64_t *stretch, struct cairn_pairs *found,
                       struct cairn_error *error) {
  struct cairn_pairs pairs = {0};
  int64_t n = 0;
  if (cairn_search_pairs(sphere, (int32_t)near->n_own, (int32_t)near->n, cairn_bonds_reach(e, s->share.largest), &pairs,
                         error))
    cairn_ranks_abort(error); /* the others wait for what is found here */
  for (int64_t k = 0; k < pairs.n; k++) {
    const int32_t i = pairs.pair[k][0], j = pairs.pair[k][1], a = near->sphere[i].id, b = near->sphere[j].id;
    if ((a < b ? i : j) >= near->n_own)
      continue;
    pairs.pair[n][0] = a < b ? a : b;
    pairs.pair[n++][1] = a < b ? b : a;
  }
  struct cairn_ranks_mail *mail = post(pairs.pair, n, sizeof *pairs.pair, stretch);
  cairn_search_pairs_fini(&pairs);
  for (int q = 0; q < cairn_ranks_n(); q++)
    found->n += mail[q].bytes / (int64_t)sizeof *found->pair;
  found->pair = allocate(found->n, sizeof *found->pair);
  char *at = (char *)found->pair;
  for (int q = 0; q < cairn_ranks_n(); at += mail[q++].bytes)
    memcpy(at, mail[q].data, (size_t)mail[q].bytes);
  cairn_ranks_mail_free(mail);
}

static bool is_by_gap(const struct cairn_bonds *e) { return e->wall < 0 && !e->has_table; }

static void find_all_pairs(const struct cairn_scenario *s, struct cairn_pairs *pairs, struct cairn_error *error) {
  double gap = -1.;
  for (int32_t e = 0; e < s->n_bonds; e++)
    if (is_by_gap(s->bonds + e))
      gap = fmax(gap, s->bonds[e].gap);
  if (gap < 0.)
    return;
  /* a little more than any entry reaches: which of them are bonded is decided later */
  struct cairn_near near = cairn_near_gather(s, gap + 2.001 * s->share.largest);
  struct cairn_sphere *sphere = allocate(near.n, sizeof *sphere);
  int64_t *stretch = list_stretches(s->share.first);
  for (int64_t i = 0; i < near.n; i++) {
    const double *x = near.sphere[i].position;
    sphere[i] = (struct cairn_sphere){x[0], x[1], x[2], near.sphere[i].radius};
  }
  for (int32_t e = 0; e < s->n_bonds; e++)
    if (is_by_gap(s->bonds + e))
      find_pairs(s, s->bonds + e, &near, sphere, stretch, pairs + e, error);
  free(stretch);
  free(sphere);
  free(near.sphere);
}

/* The bodies that pairs of all entries ask for. */
static struct cairn_bonds_others fetch_partners(const struct cairn_scenario *s, const struct cairn_pairs *pairs) {
  int64_t n = 0;
  for (int32_t e = 0; e < s->n_bonds; e++)
    n += pairs[e].n + s->bonds[e].n_pairs;
  int32_t *id = allocate(n, sizeof *id);
  n = 0;
  for (int32_t e = 0; e < s->n_bonds; e++) {
    for (int64_t k = 0; k < pairs[e].n; k++)
      id[n++] = pairs[e].pair[k][1];
    for (int64_t k = 0; k < s->bonds[e].n_pairs; k++)
      id[n++] = s->bonds[e].pair[k][1];
  }
  const struct cairn_bonds_others others = fetch(&s->initial, s->share.first, id, n);
  free(id);
  return others;
}

int cairn_bonding_make(struct cairn_scenario *s, uint32_t memory, struct cairn_error *error) {
  if (!s->share.is_shared || s->n_bonds == 0)
    return cairn_bonds_make(s, memory, NULL, error);
  free(s->share.others.body);
  s->share.others = (struct cairn_bonds_others){0};
  if (s->share.is_resumed) {
    s->share.others = cairn_bonding_partners(&s->initial, s->share.first);
    return 0;
  }
  struct cairn_pairs *pairs = allocate(s->n_bonds, sizeof *pairs);
  find_all_pairs(s, pairs, error);
  s->share.others = fetch_partners(s, pairs);
  const int status = cairn_bonds_make(s, memory, pairs, error);
  for (int32_t e = 0; e < s->n_bonds; e++)
    cairn_search_pairs_fini(pairs + e);
  free(pairs);
  return cairn_ranks_agree(status, error);
}

void cairn_bonding_count(struct cairn_scenario *s) {
  const struct cairn_contacts *lists[] = {&s->initial.contacts, &s->initial.wall_contacts};
  for (int32_t e = 0; e < s->n_bonds; e++)
    s->bonds[e].n_made = 0;
  for (int l = 0; l < 2; l++)
    for (int64_t k = 0; k < lists[l]->n && lists[l]->memory & CAIRN_CONTACT_REMEMBERS(bond_length); k++) {
      const double law = *cairn_contact_recall(lists[l], k, CAIRN_CONTACT_bond_law);
      if (*cairn_contact_recall(lists[l], k, CAIRN_CONTACT_bond_length) > 0. && law >= 0. && law < (double)s->n_bonds)
        s->bonds[(int)law].n_made++;
    }
  for (int32_t e = 0; e < s->n_bonds && s->share.is_shared; e++)
    cairn_ranks_sum(&s->bonds[e].n_made, 1);
}

struct cairn_bonds_pair cairn_bonding_fastest(const struct cairn_scenario *s) {
  struct cairn_bonds_pair fastest = {0};
  for (int at_walls = 0; at_walls < 2; at_walls++) {
    cairn_stretch_take(s, &fastest, sizeof fastest);
    cairn_bonds_find_fastest(s, at_walls, &fastest);
    cairn_stretch_pass(s, &fastest, sizeof fastest);
  }
  return fastest;
}
