/* The bodies and contacts of a cell as they are now, as a packet. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "data/cells/cell_contacts.h"

/* The lists of a cell that say which of its pairs are contacts. */
struct pairs {
  const struct cairn_cell *cell;
  const int32_t *a, *b;
  const uint32_t *age;
  bool own; /* is each pair in one cell alone? */
};

/* The position of a removed body is where that happened, not where it is parked. */
static void copy_captor(const double *captor, struct cairn_body *body, struct cairn_body_extra *extra) {
  const double *place = captor + CAIRN_CAPTURE_PLACE;
  body->captor = (int32_t)captor[CAIRN_CAPTURE_CAPTOR];
  extra->capture_time = captor[CAIRN_CAPTURE_TIME];
  for (int k = 0; k < 3; k++) {
    extra->capture_place[k] = body->captor > 0 ? place[k] : 0.;
    if (body->captor < 0)
      body->state[CAIRN_STATE_X + k] = place[k];
  }
}

/* The constants, which are all that follows the state, are those of the packet the cell was built from. */
static void copy_bodies(const struct cairn_cell *cell, struct cairn_body *body, struct cairn_body_extra *extra) {
  const struct cairn_body *before = cairn_packet_bodies(cell->packet);
  const size_t constants = offsetof(struct cairn_body, radius);
  if (extra)
    memcpy(extra, cairn_packet_extras(cell->packet), (size_t)cell->size.n * sizeof *extra);
  for (int32_t i = 0; i < cell->size.n; i++) {
    memcpy(body[i].state, cell->state + (int64_t)CAIRN_STATE * i, CAIRN_STATE * sizeof(double));
    memcpy((char *)(body + i) + constants, (const char *)(before + i) + constants, sizeof *body - constants);
    if (cell->size.n_captures > 0)
      copy_captor(cell->state + cairn_capture_offset(cell->size, i), body + i, extra + i);
  }
}

static bool is_gone(const struct cairn_cell *cell, int32_t i) {
  return i < cell->size.n && cell->size.n_captures > 0 &&
         cell->state[cairn_capture_offset(cell->size, i) + CAIRN_CAPTURE_CAPTOR] < 0.;
}

/* The pairs from `first` on that touch, up to BLOCK pairs; returns how many. Whether a pair touches is a guess for the
 * processor, so that it is asked once and without a branch. */
enum { BLOCK = 256 };
static int32_t find_touching(const struct pairs *p, int32_t first, int32_t touching[BLOCK]) {
  const int32_t left = p->cell->size.n_pairs + p->cell->size.n_wall_pairs - first, count = left < BLOCK ? left : BLOCK;
  int32_t n = 0;
  for (int32_t k = first; k < first + count; k++) {
    touching[n] = k;
    n += p->age[k] > 0;
  }
  return n;
}

/* The own body that a contact is filed under: that of lower id or, if another cell owns that one and this cell alone
 * lists the pair, the other. -1 if it is that of a removed body, or filed by another cell. */
static int32_t file_under(const struct pairs *p, int32_t pair) {
  const int32_t n = p->cell->size.n;
  if (is_gone(p->cell, p->a[pair]))
    return -1;
  if (pair >= p->cell->size.n_pairs)
    return p->a[pair];
  if (is_gone(p->cell, p->b[pair]))
    return -1;
  return p->a[pair] < n ? p->a[pair] : p->own ? p->b[pair] : -1;
}

static void count_contacts(const struct pairs *p, int32_t *const count[CAIRN_PACKET_LISTS],
                           int64_t total[CAIRN_PACKET_LISTS]) {
  const struct cairn_cell_size size = p->cell->size;
  int32_t touching[BLOCK];
  for (int32_t from = 0; from < size.n_pairs + size.n_wall_pairs; from += BLOCK)
    for (int32_t i = 0, n = find_touching(p, from, touching); i < n; i++) {
      const int32_t k = touching[i], body = file_under(p, k), list = k >= size.n_pairs;
      if (body < 0)
        continue;
      count[list][body]++;
      total[list]++;
    }
}

/* Contacts of a body with one wall are counted from 0, in the order of the list. */
static uint32_t feature_of(const struct cairn_packet *packet, int64_t first, int64_t i, int32_t wall) {
  const struct cairn_contact *before = i > first ? cairn_packet_contact(packet, CAIRN_PACKET_WALLS, i - 1) : NULL;
  return before && before->b == wall ? before->feature + 1 : 0;
}

static void copy_contacts(const struct pairs *p, int32_t *const count[CAIRN_PACKET_LISTS],
                          struct cairn_packet *packet) {
  const struct cairn_cell *cell = p->cell;
  int32_t *first[CAIRN_PACKET_LISTS];
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++) {
    first[l] = cairn_packet_first(packet, (enum cairn_packet_list)l);
    for (int32_t i = 0; i < packet->n; i++) {
      first[l][i + 1] = first[l][i] + count[l][i];
      count[l][i] = 0;
    }
  }
  int32_t touching[BLOCK];
  for (int32_t from = 0; from < cell->size.n_pairs + cell->size.n_wall_pairs; from += BLOCK)
    for (int32_t j = 0, n = find_touching(p, from, touching); j < n; j++) {
      const int32_t k = touching[j], body = file_under(p, k), list = k >= cell->size.n_pairs;
      if (body < 0)
        continue;
      const int64_t i = first[list][body] + count[list][body]++;
      struct cairn_contact *contact = cairn_packet_contact(packet, (enum cairn_packet_list)list, i);
      contact->a = cairn_cells_body(cell, p->a[k]);
      contact->b = list == CAIRN_PACKET_WALLS ? p->b[k] : cairn_cells_body(cell, p->b[k]);
      contact->feature = list == CAIRN_PACKET_WALLS ? feature_of(packet, first[list][body], i, p->b[k]) : 0;
      cairn_cell_contacts_pack(cell, k, contact);
    }
}

struct cairn_packet *cairn_cells_snapshot(const struct cairn_cells *cells, cairn_cell_t c) {
  const struct cairn_cell *cell = cells->cell + c;
  const struct cairn_pair_list_offsets o = cairn_pair_list_offsets(cell->size);
  const char *pair_list = cell->pair_list, *history = cell->history;
  const struct pairs p = {cell, (const int32_t *)(pair_list + o.a), (const int32_t *)(pair_list + o.b),
                          (const uint32_t *)(history + cairn_history_offsets(cell->size).age), cells->rules.own_pairs};
  int32_t *count[CAIRN_PACKET_LISTS] = {calloc((size_t)cell->size.n + 1, sizeof(int32_t)),
                                        calloc((size_t)cell->size.n + 1, sizeof(int32_t))};
  int64_t total[CAIRN_PACKET_LISTS] = {0, 0};
  struct cairn_packet *packet = NULL;
  if (count[0] && count[1]) {
    count_contacts(&p, count, total);
    packet = cairn_packet_create(cell->size.n, cells->rules.extras, total, cells->rules.memory);
  }
  if (packet) {
    copy_bodies(cell, cairn_packet_bodies(packet), cairn_packet_extras(packet));
    copy_contacts(&p, count, packet);
  }
  free(count[0]);
  free(count[1]);
  return packet;
}
