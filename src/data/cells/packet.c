#include "data/cells/packet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- layout ---- */

static int64_t pad(int64_t bytes) { return (bytes + 7) & ~INT64_C(7); }

static int64_t bodies_at(void) { return pad((int64_t)sizeof(struct cairn_packet)); }

static int64_t extras_at(const struct cairn_packet *p) {
  return bodies_at() + (int64_t)p->n * (int64_t)sizeof(struct cairn_body);
}

static int64_t first_at(const struct cairn_packet *p, int list) {
  return extras_at(p) + (int64_t)p->n_extra * (int64_t)sizeof(struct cairn_body_extra) +
         list * pad(((int64_t)p->n + 1) * (int64_t)sizeof(int32_t));
}

static int64_t contacts_at(const struct cairn_packet *p, int list) {
  return first_at(p, CAIRN_PACKET_LISTS) + (list == CAIRN_PACKET_WALLS ? p->n_contacts[0] * p->contact_bytes[0] : 0);
}

struct cairn_packet *cairn_packet_create(int32_t n, bool has_extra, const int64_t n_contacts[CAIRN_PACKET_LISTS],
                                         uint32_t memory) {
  const int64_t numbers = cairn_contact_offset(memory, CAIRN_CONTACT_N_MEMORIES),
                bytes = (int64_t)sizeof(struct cairn_contact) + numbers * (int64_t)sizeof(double);
  struct cairn_packet head = {.n = n,
                              .n_extra = has_extra ? n : 0,
                              .n_contacts = {n_contacts[0], n_contacts[1]},
                              .contact_bytes = {bytes, bytes + 3 * (int64_t)sizeof(double)}};
  if (n_contacts[0] > INT32_MAX || n_contacts[1] > INT32_MAX)
    return NULL;
  head.bytes = contacts_at(&head, CAIRN_PACKET_WALLS) + head.n_contacts[1] * head.contact_bytes[1];
  struct cairn_packet *packet = malloc((size_t)head.bytes);
  if (!packet)
    return NULL;
  *packet = head;
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++)
    *cairn_packet_first(packet, (enum cairn_packet_list)l) = 0;
  return packet;
}

static void *at(const struct cairn_packet *packet, int64_t offset) {
  return (char *)(uintptr_t)(const void *)packet + offset;
}

struct cairn_body *cairn_packet_bodies(const struct cairn_packet *packet) {
  return at(packet, bodies_at());
}

struct cairn_body_extra *cairn_packet_extras(const struct cairn_packet *packet) {
  return packet->n_extra > 0 ? at(packet, extras_at(packet)) : NULL;
}

int32_t *cairn_packet_first(const struct cairn_packet *packet, enum cairn_packet_list list) {
  return at(packet, first_at(packet, (int)list));
}

struct cairn_contact *cairn_packet_contact(const struct cairn_packet *packet, enum cairn_packet_list list, int64_t i) {
  return at(packet, contacts_at(packet, (int)list) + i * packet->contact_bytes[list]);
}

const struct cairn_contact *cairn_packet_find(const struct cairn_packet *packet, enum cairn_packet_list list, int32_t i,
                                              int32_t a, int32_t b, uint32_t feature) {
  const int32_t *first = cairn_packet_first(packet, list);
  for (int32_t k = first[i]; k < first[i + 1]; k++) {
    const struct cairn_contact *contact = cairn_packet_contact(packet, list, k);
    if (contact->b == b && contact->a == a && contact->feature == feature)
      return contact;
  }
  return NULL;
}

/* ---- from a state ---- */

/* The first contact of a body not before `id`. */
static int64_t find_first(const struct cairn_contacts *contacts, int64_t id) {
  int64_t low = 0, high = contacts->n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (cairn_contact_at(contacts, middle)->a < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void copy_body(const struct cairn_state *state, int64_t id, struct cairn_body *body,
                      struct cairn_body_extra *extra) {
  const struct {
    const double *values;
    int at;
  } parts[] = {{state->position, CAIRN_STATE_X},
               {state->velocity, CAIRN_STATE_V},
               {state->spin, CAIRN_STATE_W},
               {state->acceleration, CAIRN_STATE_A},
               {state->angular_acceleration, CAIRN_STATE_AW}};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    memcpy(body->state + parts[k].at, parts[k].values + 3 * id, 3 * sizeof(double));
  body->radius = state->radius[id];
  body->mass = state->mass[id];
  body->material = state->material[id];
  body->captor = state->captor[id];
  body->is_outside = 0;
  body->id = (int32_t)id;
  if (!extra)
    return;
  extra->capture_time = state->capture_time[id];
  memcpy(extra->capture_place, state->capture_place + 3 * id, 3 * sizeof(double));
  memcpy(extra->gravity, state->gravity + 3 * id, 3 * sizeof(double));
  memcpy(extra->reference, state->reference + 3 * id, 3 * sizeof(double));
}

/* The contacts of the k-th of n bodies, those at `id` or from `first` on. */
static void stretch_of(const struct cairn_contacts *contacts, int64_t id, int64_t *from, int64_t *to) {
  *from = find_first(contacts, id);
  *to = *from;
  while (*to < contacts->n && cairn_contact_at(contacts, *to)->a == id)
    ++*to;
}

void cairn_packet_of_state(const struct cairn_state *state, int64_t offset, const int32_t *index, int64_t first,
                           int32_t n, bool has_extra, uint32_t memory, struct cairn_packet **packet) {
  const struct cairn_contacts *lists[CAIRN_PACKET_LISTS] = {&state->contacts, &state->wall_contacts};
  int64_t n_contacts[CAIRN_PACKET_LISTS] = {0, 0}, from, to;
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++)
    for (int32_t k = 0; k < n && lists[l]->n > 0; k++) {
      stretch_of(lists[l], offset + (index ? index[k] : first + k), &from, &to);
      n_contacts[l] += to - from;
    }
  *packet = cairn_packet_create(n, has_extra, n_contacts, memory);
  if (!*packet)
    return;
  struct cairn_body *body = cairn_packet_bodies(*packet);
  struct cairn_body_extra *extra = cairn_packet_extras(*packet);
  for (int32_t k = 0; k < n; k++) {
    copy_body(state, index ? index[k] : first + k, body + k, extra ? extra + k : NULL);
    body[k].id += (int32_t)offset;
  }
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++) {
    int32_t *begin = cairn_packet_first(*packet, (enum cairn_packet_list)l);
    for (int32_t k = 0; k < n; k++) {
      from = to = 0;
      if (lists[l]->n > 0)
        stretch_of(lists[l], body[k].id, &from, &to);
      for (int64_t c = from; c < to; c++)
        memcpy(cairn_packet_contact(*packet, (enum cairn_packet_list)l, begin[k] + c - from),
               cairn_contact_at(lists[l], c), lists[l]->size);
      begin[k + 1] = begin[k] + (int32_t)(to - from);
    }
  }
}

/* ---- merging ---- */

struct pick {
  int32_t part, index;
};

/* The bodies of all parts by id. */
static struct pick *sort_by_id(const struct cairn_packet_part *part, int32_t n_parts, int32_t n) {
  struct pick *pick = malloc((size_t)n * sizeof *pick + 1), *sorted = malloc((size_t)n * sizeof *sorted + 1);
  struct cairn_morton *entry = malloc(2 * (size_t)n * sizeof *entry + 1);
  int32_t at_body = 0;
  for (int32_t p = 0; p < n_parts && pick && sorted && entry; p++) {
    const struct cairn_body *body = cairn_packet_bodies(part[p].packet);
    for (int32_t k = 0; k < part[p].n; k++, at_body++) {
      pick[at_body] = (struct pick){p, part[p].entry ? part[p].entry[k].id : k};
      entry[at_body] = (struct cairn_morton){(uint64_t)body[pick[at_body].index].id, at_body};
    }
  }
  if (pick && sorted && entry) {
    cairn_morton_sort(entry, entry + n, n);
    for (int32_t k = 0; k < n; k++)
      sorted[k] = pick[entry[k].id];
  } else {
    free(sorted);
    sorted = NULL;
  }
  free(pick);
  free(entry);
  return sorted;
}

static int64_t count_contacts(const struct cairn_packet_part *part, enum cairn_packet_list list) {
  const int32_t *first = cairn_packet_first(part->packet, list);
  int64_t n = 0;
  if (part->packet->n_contacts[list] == 0 || !part->entry)
    return part->packet->n_contacts[list];
  for (int32_t k = 0; k < part->n; k++)
    n += first[part->entry[k].id + 1] - first[part->entry[k].id];
  return n;
}

static void merge_contacts(const struct cairn_packet_part *part, const struct pick *pick, struct cairn_packet *packet,
                           enum cairn_packet_list list) {
  int32_t *first = cairn_packet_first(packet, list);
  if (packet->n_contacts[list] == 0) {
    memset(first, 0, ((size_t)packet->n + 1) * sizeof *first);
    return;
  }
  for (int32_t k = 0; k < packet->n; k++) {
    const struct cairn_packet *from = part[pick[k].part].packet;
    const int32_t *begin = cairn_packet_first(from, list) + pick[k].index, n = begin[1] - begin[0];
    if (n > 0)
      memcpy(cairn_packet_contact(packet, list, first[k]), cairn_packet_contact(from, list, begin[0]),
             (size_t)n * (size_t)packet->contact_bytes[list]);
    first[k + 1] = first[k] + n;
  }
}

struct cairn_packet *cairn_packet_merge(const struct cairn_packet_part *part, int32_t n_parts, bool has_extra,
                                        uint32_t memory) {
  int64_t n_contacts[CAIRN_PACKET_LISTS] = {0, 0};
  int32_t n = 0;
  for (int32_t p = 0; p < n_parts; p++)
    n += part[p].n;
  struct pick *pick = sort_by_id(part, n_parts, n);
  for (int32_t p = 0; p < n_parts; p++)
    for (int l = 0; l < CAIRN_PACKET_LISTS; l++)
      n_contacts[l] += count_contacts(part + p, (enum cairn_packet_list)l);
  struct cairn_packet *packet = pick ? cairn_packet_create(n, has_extra, n_contacts, memory) : NULL;
  struct cairn_body *body = packet ? cairn_packet_bodies(packet) : NULL;
  for (int32_t k = 0; k < n && packet; k++) {
    const struct cairn_packet *from = part[pick[k].part].packet;
    body[k] = cairn_packet_bodies(from)[pick[k].index];
    if (has_extra)
      cairn_packet_extras(packet)[k] = cairn_packet_extras(from)[pick[k].index];
  }
  for (int l = 0; l < CAIRN_PACKET_LISTS && packet; l++)
    merge_contacts(part, pick, packet, (enum cairn_packet_list)l);
  for (int32_t p = 0; p < n_parts && packet && n > 0; p++)
    packet->cost += part[p].packet->cost * part[p].n / n;
  free(pick);
  return packet;
}

/* ---- into a state ---- */

void cairn_packet_put_body(const struct cairn_packet *packet, int32_t i, struct cairn_state *state, int64_t to) {
  const struct cairn_body *body = cairn_packet_bodies(packet) + i;
  const struct cairn_body_extra *extra = cairn_packet_extras(packet);
  const size_t bytes = 3 * sizeof(double);
  memcpy(state->position + 3 * to, body->state + CAIRN_STATE_X, bytes);
  memcpy(state->velocity + 3 * to, body->state + CAIRN_STATE_V, bytes);
  memcpy(state->spin + 3 * to, body->state + CAIRN_STATE_W, bytes);
  memcpy(state->acceleration + 3 * to, body->state + CAIRN_STATE_A, bytes);
  memcpy(state->angular_acceleration + 3 * to, body->state + CAIRN_STATE_AW, bytes);
  state->radius[to] = body->radius;
  state->mass[to] = body->mass;
  state->material[to] = body->material;
  state->captor[to] = body->captor;
  if (!extra)
    return;
  state->capture_time[to] = extra[i].capture_time;
  memcpy(state->capture_place + 3 * to, extra[i].capture_place, bytes);
  memcpy(state->gravity + 3 * to, extra[i].gravity, bytes);
  memcpy(state->reference + 3 * to, extra[i].reference, bytes);
}

/* One of the two lists of a state while it is filled: where the contacts of each body begin, how many are there. */
struct filling {
  struct cairn_contacts *contacts;
  int64_t *first;  /* [n + 1] */
  int32_t *filled; /* [n] */
};

static int compare_ids(const void *p, const void *q) {
  const int32_t a = *(const int32_t *)p, b = *(const int32_t *)q;
  return a < b ? -1 : a > b;
}

bool cairn_packet_is_gone(const struct cairn_packet_gone *gone, int32_t id) {
  return gone && gone->n > 0 && bsearch(&id, gone->id, (size_t)gone->n, sizeof *gone->id, compare_ids);
}

int32_t *cairn_packet_list_gone(struct cairn_packet *const *packet, int32_t n, int64_t *n_gone) {
  int32_t *list = NULL;
  for (int filling = 0; filling < 2; filling++) {
    *n_gone = 0;
    for (int32_t p = 0; p < n; p++)
      for (int32_t i = 0; packet[p] && i < packet[p]->n; i++) {
        const struct cairn_body *body = cairn_packet_bodies(packet[p]) + i;
        if (body->captor >= 0)
          continue;
        if (filling)
          list[*n_gone] = body->id;
        ++*n_gone;
      }
    if (!filling && !(list = malloc((size_t)*n_gone * sizeof *list + 1)))
      return NULL;
  }
  return list;
}

void cairn_packet_sort_gone(struct cairn_packet_gone *gone) {
  qsort(gone->id, (size_t)gone->n, sizeof *gone->id, compare_ids);
}

/* Contacts of a lower body before the slab are in an earlier one. The last contacts of bodies that have just been
 * removed are dropped. */
static bool is_kept(const struct cairn_packet_slab *slab, const struct cairn_contact *contact,
                    enum cairn_packet_list list) {
  const struct cairn_state *state = slab->state;
  const int64_t a = contact->a - slab->first, b = contact->b - slab->first;
  if (a < 0)
    return false;
  if (state->captor[a] < 0 || list == CAIRN_PACKET_WALLS)
    return state->captor[a] >= 0;
  return b < state->n ? state->captor[b] >= 0 : !cairn_packet_is_gone(slab->gone, contact->b);
}

static bool is_before(const struct cairn_contact *p, const struct cairn_contact *q) {
  return p->b != q->b ? p->b < q->b : p->feature < q->feature;
}

/* Contacts of one body may come from several packets: each goes to its place among those of higher partners. */
static void insert(const struct cairn_contact *contact, int64_t a, struct filling *list) {
  const struct cairn_contacts *contacts = list->contacts;
  int64_t k = list->first[a] + list->filled[a]++;
  for (; k > list->first[a] && is_before(contact, cairn_contact_at(contacts, k - 1)); k--)
    memcpy(cairn_contact_at(contacts, k), cairn_contact_at(contacts, k - 1), contacts->size);
  memcpy(cairn_contact_at(contacts, k), contact, contacts->size);
}

/* Count (filling is false) or insert the contacts of all packets. */
static void take_contacts(struct cairn_packet *const *packet, int32_t n, const struct cairn_packet_slab *slab,
                          struct filling lists[CAIRN_PACKET_LISTS], bool filling) {
  for (int32_t p = 0; p < n; p++)
    for (int l = 0; l < CAIRN_PACKET_LISTS && packet[p]; l++)
      for (int64_t k = 0; k < packet[p]->n_contacts[l]; k++) {
        const struct cairn_contact *contact = cairn_packet_contact(packet[p], (enum cairn_packet_list)l, k);
        if (!is_kept(slab, contact, (enum cairn_packet_list)l))
          continue;
        if (filling)
          insert(contact, contact->a - slab->first, lists + l);
        else
          lists[l].first[contact->a - slab->first + 1]++;
      }
}

int cairn_packet_capture_slab(struct cairn_packet *const *packet, int32_t n, const struct cairn_packet_slab *slab,
                              uint32_t memory, struct cairn_error *error) {
  struct cairn_state *state = slab->state;
  struct filling lists[CAIRN_PACKET_LISTS] = {{.contacts = &state->contacts}, {.contacts = &state->wall_contacts}};
  int status = 0;
  for (int32_t p = 0; p < n; p++)
    for (int32_t i = 0; packet[p] && i < packet[p]->n; i++)
      cairn_packet_put_body(packet[p], i, state, cairn_packet_bodies(packet[p])[i].id - slab->first);
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++) {
    lists[l].first = calloc((size_t)state->n + 2, sizeof *lists[l].first);
    lists[l].filled = calloc((size_t)state->n + 1, sizeof *lists[l].filled);
    if (!lists[l].first || !lists[l].filled)
      status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the contacts");
  }
  if (!status) {
    take_contacts(packet, n, slab, lists, false);
    for (int l = 0; l < CAIRN_PACKET_LISTS; l++)
      for (int64_t i = 0; i < state->n; i++)
        lists[l].first[i + 1] += lists[l].first[i];
    state->contacts.n = state->wall_contacts.n = 0;
    status = cairn_state_remember(state, memory, error);
  }
  if (!status)
    status = cairn_state_resize_contacts(state, lists[0].first[state->n], lists[1].first[state->n], error);
  if (!status)
    take_contacts(packet, n, slab, lists, true);
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++) {
    free(lists[l].first);
    free(lists[l].filled);
  }
  return status;
}

int cairn_packet_capture(struct cairn_packet *const *packet, int32_t n, struct cairn_state *state, uint32_t memory,
                         struct cairn_error *error) {
  return cairn_packet_capture_slab(packet, n, &(struct cairn_packet_slab){.state = state}, memory, error);
}

/* The bodies up to an id, from those at next[] on, in one packet. */
struct cairn_packet *cairn_packet_take_slab(struct cairn_packet *const *packet, int32_t n, int64_t end, int32_t *next,
                                            bool has_extra, uint32_t memory) {
  struct cairn_packet_part *part = calloc((size_t)n + 1, sizeof *part);
  struct cairn_morton *entry = NULL, *at_entry;
  struct cairn_packet *slab = NULL;
  int64_t n_bodies = 0;
  int32_t n_parts = 0;
  for (int32_t p = 0; p < n && part; p++) {
    const int32_t from = next[p];
    while (packet[p] && next[p] < packet[p]->n && cairn_packet_bodies(packet[p])[next[p]].id < end)
      next[p]++;
    if (next[p] > from)
      part[n_parts++] = (struct cairn_packet_part){packet[p], NULL, next[p] - from};
    n_bodies += next[p] - from;
  }
  at_entry = entry = malloc((size_t)n_bodies * sizeof *entry + 1);
  for (int32_t p = 0, k = 0; p < n && part && entry; p++) {
    if (k == n_parts || part[k].packet != packet[p])
      continue;
    part[k].entry = at_entry;
    for (int32_t i = next[p] - part[k].n; i < next[p]; i++)
      *at_entry++ = (struct cairn_morton){0, i};
    k++;
  }
  if (part && entry)
    slab = cairn_packet_merge(part, n_parts, has_extra, memory);
  free(part);
  free(entry);
  return slab;
}

static int compare_lower(const void *p, const void *q) {
  const struct cairn_contact *a = *(const struct cairn_contact *const *)p, *b = *(const struct cairn_contact *const *)q;
  return a->a < b->a ? -1 : a->a > b->a;
}

int cairn_packet_find_strays(struct cairn_packet *const *packet, int32_t n, struct cairn_packet_strays *strays) {
  *strays = (struct cairn_packet_strays){0};
  for (int filling = 0; filling < 2; filling++) {
    strays->n = 0;
    for (int32_t p = 0; p < n; p++)
      for (int32_t i = 0; packet[p] && i < packet[p]->n; i++) {
        const int32_t *first = cairn_packet_first(packet[p], CAIRN_PACKET_PAIRS) + i;
        for (int32_t k = first[0]; k < first[1]; k++) {
          const struct cairn_contact *contact = cairn_packet_contact(packet[p], CAIRN_PACKET_PAIRS, k);
          if (contact->a == cairn_packet_bodies(packet[p])[i].id)
            continue;
          if (filling)
            strays->contact[strays->n] = contact;
          strays->n++;
        }
      }
    if (!filling && !(strays->contact = malloc((size_t)strays->n * sizeof *strays->contact + 1)))
      return -1;
  }
  qsort(strays->contact, (size_t)strays->n, sizeof *strays->contact, compare_lower);
  return 0;
}

struct cairn_packet *cairn_packet_take_strays(struct cairn_packet_strays *strays, int64_t end, uint32_t memory) {
  const int64_t from = strays->next;
  int64_t n_contacts[CAIRN_PACKET_LISTS] = {0, 0};
  for (; strays->next < strays->n && strays->contact[strays->next]->a < end; strays->next++)
    n_contacts[CAIRN_PACKET_PAIRS] += strays->contact[strays->next]->b >= end;
  struct cairn_packet *packet = cairn_packet_create(0, false, n_contacts, memory);
  for (int64_t k = from, to = 0; k < strays->next && packet; k++)
    if (strays->contact[k]->b >= end)
      memcpy(cairn_packet_contact(packet, CAIRN_PACKET_PAIRS, to++), strays->contact[k],
             (size_t)packet->contact_bytes[CAIRN_PACKET_PAIRS]);
  return packet;
}

/* ---- what the driver asks ---- */

int32_t cairn_packet_find_id(const struct cairn_packet *packet, int32_t id) {
  const struct cairn_body *body = cairn_packet_bodies(packet);
  int32_t low = 0, high = packet->n;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (body[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct cairn_packet_summary cairn_packet_summary_of_none(void) {
  struct cairn_packet_summary none = {.first_escaped = INT32_MAX};
  for (int k = 0; k < 3; k++) {
    none.lower[k] = none.near[k] = INFINITY;
    none.upper[k] = none.far[k] = -INFINITY;
  }
  return none;
}

void cairn_packet_note(struct cairn_packet_summary *s, const double *x, const double *v, const double *a, double radius,
                       double h) {
  double speed2 = 0.;
  for (int k = 0; k < 3; k++) {
    const double next = v[k] + h * a[k], near = x[k] - 2. * radius, far = x[k] + 2. * radius;
    speed2 += next * next;
    s->lower[k] = x[k] < s->lower[k] ? x[k] : s->lower[k];
    s->upper[k] = x[k] > s->upper[k] ? x[k] : s->upper[k];
    s->near[k] = near < s->near[k] ? near : s->near[k];
    s->far[k] = far > s->far[k] ? far : s->far[k];
  }
  s->speed2 = speed2 > s->speed2 ? speed2 : s->speed2;
}

void cairn_packet_join(struct cairn_packet_summary *all, const struct cairn_packet_summary *more) {
  for (int k = 0; k < 3; k++) {
    all->lower[k] = fmin(all->lower[k], more->lower[k]);
    all->upper[k] = fmax(all->upper[k], more->upper[k]);
    all->near[k] = fmin(all->near[k], more->near[k]);
    all->far[k] = fmax(all->far[k], more->far[k]);
  }
  all->speed2 = fmax(all->speed2, more->speed2);
  all->displacement2 = fmax(all->displacement2, more->displacement2);
  all->n_outside += more->n_outside;
  all->n_escaped += more->n_escaped;
  all->first_escaped = more->first_escaped < all->first_escaped ? more->first_escaped : all->first_escaped;
  all->n_removed += more->n_removed;
}

static void look_outside(struct cairn_packet_summary *s, struct cairn_body *body, const double bounds[2][3]) {
  bool outside = false;
  for (int k = 0; k < 3; k++)
    outside |= !(body->state[CAIRN_STATE_X + k] >= bounds[0][k] && body->state[CAIRN_STATE_X + k] <= bounds[1][k]);
  s->n_outside += outside;
  if (outside && !body->is_outside) {
    s->n_escaped++;
    s->first_escaped = body->id < s->first_escaped ? body->id : s->first_escaped;
    body->is_outside = 1;
  }
}

struct cairn_packet_summary cairn_packet_summarise(struct cairn_packet *packet, double h, const double bounds[2][3]) {
  struct cairn_packet_summary s = cairn_packet_summary_of_none();
  struct cairn_body *body = cairn_packet_bodies(packet);
  const struct cairn_body_extra *extra = cairn_packet_extras(packet);
  for (int32_t i = 0; i < packet->n; i++) {
    const double *state = body[i].state;
    s.n_removed += body[i].captor < 0;
    if (body[i].captor < 0)
      continue;
    cairn_packet_note(&s, state + CAIRN_STATE_X, state + CAIRN_STATE_V, state + CAIRN_STATE_A, body[i].radius, h);
    double displacement2 = 0.;
    for (int k = 0; k < 3 && extra; k++) {
      const double d = state[CAIRN_STATE_X + k] - extra[i].reference[k];
      displacement2 += d * d;
    }
    s.displacement2 = fmax(s.displacement2, displacement2);
    if (bounds)
      look_outside(&s, body + i, bounds);
  }
  return s;
}

struct cairn_morton *cairn_packet_order(const struct cairn_packet *packet, const double lower[3], double scale,
                                        int32_t *n) {
  const struct cairn_body *body = cairn_packet_bodies(packet);
  struct cairn_morton *entry = malloc((size_t)packet->n * sizeof *entry + 1),
                      *scratch = malloc((size_t)packet->n * sizeof *scratch + 1);
  *n = 0;
  if (entry && scratch) {
    for (int32_t i = 0; i < packet->n; i++)
      if (body[i].captor >= 0)
        entry[(*n)++] = (struct cairn_morton){cairn_morton_key(body[i].state + CAIRN_STATE_X, lower, scale), i};
    cairn_morton_sort(entry, scratch, *n);
  } else {
    free(entry);
    entry = NULL;
  }
  free(scratch);
  return entry;
}
