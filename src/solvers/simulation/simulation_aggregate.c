/* The heap that the bodies of all ranks are (analysis/aggregate.h), without having them all in one place: each rank
 * adds up its cells, one after the other, with the bodies that they touch in others. */
#include <stdlib.h>
#include <string.h>

#include "analysis/aggregate.h"
#include "solvers/simulation/simulation_parts.h"

/* ---- cells ---- */

/* Index of a body in a packet, -1 if it is not there. */
static int32_t find_body(const struct cairn_packet *packet, int32_t id) {
  const int32_t i = cairn_packet_find_id(packet, id);
  return i < packet->n && cairn_packet_bodies(packet)[i].id == id ? i : -1;
}

/* Where a body is in the state of a cell: its own ones come first, those of other cells behind them. -1 if it is
 * nowhere near. */
static int32_t place_body(const struct cairn_cells *cells, const struct cairn_cell *cell, int32_t id,
                          struct cairn_state *state) {
  const int32_t own = find_body(cell->packet, id);
  for (int32_t k = 0; k < cell->n_neighbors && own < 0; k++) {
    const struct cairn_packet *packet = cairn_cells_packet(cells, cell->neighbor[k]);
    const int32_t i = packet ? find_body(packet, id) : -1;
    if (i < 0)
      continue;
    cairn_packet_put_body(packet, i, state, state->n);
    return (int32_t)state->n++;
  }
  return own;
}

/* The contacts of a cell, between bodies or with walls, numbered by its state. */
static int place_contacts(const struct cairn_cells *cells, const struct cairn_cell *cell,
                          const struct cairn_packet_gone *gone, enum cairn_packet_list list,
                          struct cairn_state *state) {
  struct cairn_contacts *to = list == CAIRN_PACKET_PAIRS ? &state->contacts : &state->wall_contacts;
  to->n = 0;
  for (int64_t k = 0; k < cell->packet->n_contacts[list]; k++) {
    const struct cairn_contact *from = cairn_packet_contact(cell->packet, list, k);
    const bool pair = list == CAIRN_PACKET_PAIRS;
    if (cairn_packet_is_gone(gone, from->a) || (pair && cairn_packet_is_gone(gone, from->b)))
      continue;
    struct cairn_contact *contact = cairn_contact_at(to, to->n++);
    memcpy(contact, from, to->size);
    contact->a = place_body(cells, cell, from->a, state);
    contact->b = pair ? place_body(cells, cell, from->b, state) : from->b;
    if (contact->a < 0 || contact->b < 0)
      return -1; /* cannot be: a list has no pair of bodies that are not near */
  }
  return 0;
}

/* A state of the bodies of a cell, with room for more. */
static int put_bodies(const struct cairn_packet *packet, int64_t more, struct cairn_state *state) {
  if (cairn_state_resize(state, packet->n + more, NULL))
    return -1;
  for (int32_t i = 0; i < packet->n; i++)
    cairn_packet_put_body(packet, i, state, i);
  state->n = packet->n;
  return 0;
}

/* The same with their contacts, and with the bodies of other cells that they touch. */
static int make_state(struct cairn_simulation *sim, cairn_cell_t c, const struct cairn_packet_gone *gone,
                      struct cairn_state *state) {
  const struct cairn_cell *cell = sim->cells.cell + c;
  const int64_t *n = cell->packet->n_contacts;
  int failed = cairn_state_resize_contacts(state, 0, 0, NULL) || cairn_state_remember(state, sim->rules.memory, NULL) ||
               put_bodies(cell->packet, 2 * n[CAIRN_PACKET_PAIRS], state) ||
               cairn_state_resize_contacts(state, n[CAIRN_PACKET_PAIRS], n[CAIRN_PACKET_WALLS], NULL);
  for (int l = 0; l < CAIRN_PACKET_LISTS && !failed; l++)
    failed = place_contacts(&sim->cells, cell, gone, (enum cairn_packet_list)l, state);
  return failed;
}

/* ---- rattlers ---- */

/* What a rank is told of one of the bodies whose ids are its stretch: that it touches another one, or one of these. */
struct note {
  int32_t body, other;
};
enum { WALL = -1, HELD = -2, GONE = -3 };

/* Notes for each rank. */
struct outbox {
  struct cairn_ranks_mail *mail;
  int64_t *room; /* bytes */
};

static int64_t first_of(int64_t n, int rank) { return n * rank / cairn_ranks_n(); }

static int rank_of(int64_t n, int64_t id) {
  int rank = (int)(id * cairn_ranks_n() / n);
  while (rank > 0 && first_of(n, rank) > id)
    rank--;
  while (first_of(n, rank + 1) <= id)
    rank++;
  return rank;
}

static void open_outbox(struct outbox *box) {
  box->mail = calloc((size_t)cairn_ranks_n(), sizeof *box->mail);
  box->room = calloc((size_t)cairn_ranks_n(), sizeof *box->room);
  if (!box->mail || !box->room)
    cairn_ranks_out_of_memory("the rattlers");
}

static void post(struct outbox *box, int64_t n_bodies, int32_t body, int32_t other) {
  const int q = rank_of(n_bodies, body);
  const struct note note = {body, other};
  struct cairn_ranks_mail *mail = box->mail + q;
  if (mail->bytes + (int64_t)sizeof note > box->room[q]) {
    box->room[q] = 2 * box->room[q] + 4096;
    char *longer = realloc(mail->data, (size_t)box->room[q]);
    if (!longer) {
      cairn_ranks_out_of_memory("the rattlers");
      return;
    }
    mail->data = longer;
  }
  memcpy((char *)mail->data + mail->bytes, &note, sizeof note);
  mail->bytes += (int64_t)sizeof note;
}

static void post_packet(const struct cairn_packet *packet, const struct cairn_packet_gone *gone, int64_t n_bodies,
                        struct outbox *box) {
  for (int32_t i = 0; i < packet->n; i++) {
    const struct cairn_body *body = cairn_packet_bodies(packet) + i;
    if (body->captor != 0)
      post(box, n_bodies, body->id, body->captor > 0 ? HELD : GONE);
  }
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++)
    for (int64_t k = 0; k < packet->n_contacts[l]; k++) {
      const struct cairn_contact *contact = cairn_packet_contact(packet, (enum cairn_packet_list)l, k);
      const bool pair = l == CAIRN_PACKET_PAIRS;
      if (cairn_packet_is_gone(gone, contact->a) || (pair && cairn_packet_is_gone(gone, contact->b)))
        continue;
      post(box, n_bodies, contact->a, pair ? contact->b : WALL);
      if (pair)
        post(box, n_bodies, contact->b, contact->a);
    }
}

/* Send what is in the box; what comes for this rank goes to `note`. Returns how much all ranks have sent. */
static int64_t deliver(struct outbox *box, struct cairn_bearing *bearing,
                       void (*take)(struct cairn_bearing *bearing, struct note note)) {
  struct cairn_ranks_mail *in = cairn_ranks_exchange(box->mail);
  int64_t n_notes = 0;
  free(box->room);
  *box = (struct outbox){0};
  for (int q = 0; q < cairn_ranks_n() && in; q++) {
    const struct note *note = in[q].data;
    const int64_t n = in[q].bytes / (int64_t)sizeof *note;
    for (int64_t k = 0; k < n; k++)
      take(bearing, note[k]);
    n_notes += n;
  }
  cairn_ranks_mail_free(in);
  cairn_ranks_sum(&n_notes, 1);
  return n_notes;
}

static void learn(struct cairn_bearing *bearing, struct note note) {
  if (note.other >= 0)
    cairn_bearing_touch(bearing, note.body, note.other);
  else if (note.other == WALL)
    cairn_bearing_lean(bearing, note.body);
  else
    (note.other == HELD ? cairn_bearing_hold : cairn_bearing_remove)(bearing, note.body);
}

static void lose(struct cairn_bearing *bearing, struct note note) {
  cairn_bearing_leave(bearing, note.body, note.other);
}

/* Each rank takes out the rattlers of its stretch of ids; what these leaned on elsewhere is told there, until nobody
 * has anything to tell. */
static void observe_bearing(struct cairn_packet *const *packet, int32_t n, const struct cairn_packet_gone *gone,
                            int64_t n_bodies, struct cairn_observables *out) {
  const int64_t first = first_of(n_bodies, cairn_ranks_me()), end = first_of(n_bodies, cairn_ranks_me() + 1);
  struct cairn_bearing bearing;
  struct outbox box;
  int64_t count[CAIRN_BEARING_COUNTS], n_told = 1;
  if (cairn_bearing_init(&bearing, first, end - first))
    cairn_ranks_out_of_memory("the rattlers");
  open_outbox(&box);
  for (int32_t p = 0; p < n; p++)
    if (packet[p])
      post_packet(packet[p], gone, n_bodies, &box);
  deliver(&box, &bearing, learn);
  while (n_told > 0) {
    open_outbox(&box);
    for (int64_t i = first; i < end; i++) {
      int32_t last, other = cairn_bearing_take_out(&bearing, (int32_t)i, &last);
      if (other >= 0)
        post(&box, n_bodies, other, last);
    }
    n_told = deliver(&box, &bearing, lose);
  }
  cairn_bearing_count(&bearing, count);
  cairn_bearing_fini(&bearing);
  cairn_ranks_sum(count, CAIRN_BEARING_COUNTS);
  cairn_aggregate_tell_bearing(count, out);
}

/* ---- all of it ---- */

static int add_cells(struct cairn_simulation *sim, const struct cairn_packet_gone *gone, struct cairn_observables *out,
                     struct cairn_error *error) {
  struct cairn_aggregate_weight weight = {0};
  struct cairn_aggregate_sums sums = {0};
  struct cairn_state state = {0};
  int status = cairn_state_resize_assemblies(&state, sim->kept.n_assemblies, error);
  if (!status)
    cairn_simulation_copy_head(&state, &sim->kept);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !status; c++) {
    if (put_bodies(sim->cells.cell[c].packet, 0, &state))
      status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the shape of the aggregate");
    else
      cairn_aggregate_weigh(&weight, &state, 0, state.n, sim->scenario);
  }
  cairn_ranks_join(&weight, sizeof weight, cairn_aggregate_join_weights);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !status; c++) {
    if (make_state(sim, c, gone, &state))
      status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the shape of the aggregate");
    else
      status = cairn_aggregate_add(&sums, &weight, &state, sim->cells.cell[c].packet->n, sim->scenario, error);
  }
  cairn_state_fini(&state);
  cairn_ranks_join(&sums, sizeof sums, cairn_aggregate_join);
  cairn_aggregate_tell(&sums, &weight, sim->scenario, out);
  return cairn_ranks_agree(status, error);
}

int cairn_simulation_observe_aggregate(struct cairn_simulation *sim, struct cairn_observables *out,
                                       struct cairn_error *error) {
  struct cairn_packet_gone gone;
  int32_t n = 0;
  int status = cairn_simulation_snapshot_listed(sim, error);
  if (status)
    return status;
  struct cairn_packet **packet = cairn_simulation_packets(sim, &n);
  cairn_simulation_find_gone(packet, n, &gone);
  cairn_simulation_lend(sim);
  status = add_cells(sim, &gone, out, error);
  cairn_simulation_return(sim);
  if (!status)
    observe_bearing(packet, n, &gone, sim->n_bodies, out);
  free(packet);
  free(gone.id);
  return status;
}
