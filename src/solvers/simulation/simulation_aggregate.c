/* The heap that the bodies of all ranks are (analysis/aggregate.h), without having them all in one place: each rank
 * adds up its cells, one after the other, with the bodies that they touch in others. */
#include <stdlib.h>
#include <string.h>

#include "analysis/aggregate.h"
#include "solvers/simulation/ranks/notes.h"
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

/* Has a body of the contact been removed? */
static bool is_gone(const struct cairn_packet_gone *gone, const struct cairn_contact *contact,
                    enum cairn_packet_list list) {
  return cairn_packet_is_gone(gone, contact->a) ||
         (list == CAIRN_PACKET_PAIRS && cairn_packet_is_gone(gone, contact->b));
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
    if (is_gone(gone, from, list))
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

/* What a rank is told of a body of its stretch of ids: that it touches another one, or one of these. */
enum { WALL = -1, HELD = -2, GONE = -3 };

static void post_packet(const struct cairn_packet *packet, const struct cairn_packet_gone *gone,
                        struct cairn_sim_notes *notes) {
  for (int32_t i = 0; i < packet->n; i++) {
    const struct cairn_body *body = cairn_packet_bodies(packet) + i;
    if (body->captor != 0)
      cairn_sim_notes_post(notes, body->id, body->captor > 0 ? HELD : GONE);
  }
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++)
    for (int64_t k = 0; k < packet->n_contacts[l]; k++) {
      const struct cairn_contact *contact = cairn_packet_contact(packet, (enum cairn_packet_list)l, k);
      const bool pair = l == CAIRN_PACKET_PAIRS;
      if (is_gone(gone, contact, (enum cairn_packet_list)l))
        continue;
      cairn_sim_notes_post(notes, contact->a, pair ? contact->b : WALL);
      if (pair)
        cairn_sim_notes_post(notes, contact->b, contact->a);
    }
}

static void learn(void *context, struct cairn_sim_note note) {
  struct cairn_bearing *bearing = context;
  if (note.other >= 0)
    cairn_bearing_touch(bearing, note.body, note.other);
  else if (note.other == WALL)
    cairn_bearing_lean(bearing, note.body);
  else
    (note.other == HELD ? cairn_bearing_hold : cairn_bearing_remove)(bearing, note.body);
}

static void lose(void *context, struct cairn_sim_note note) { cairn_bearing_leave(context, note.body, note.other); }

/* Each rank takes out the rattlers of its stretch of ids; what these leaned on elsewhere is told there, until nobody
 * has anything to tell. */
static void observe_bearing(struct cairn_packet *const *packet, int32_t n, const struct cairn_packet_gone *gone,
                            int64_t n_bodies, struct cairn_observables *out) {
  const int me = cairn_ranks_me();
  const int64_t first = cairn_sim_notes_first(n_bodies, me), end = cairn_sim_notes_first(n_bodies, me + 1);
  struct cairn_bearing bearing;
  struct cairn_sim_notes notes;
  int64_t count[CAIRN_BEARING_COUNTS], n_told = 1;
  if (cairn_bearing_init(&bearing, first, end - first))
    cairn_ranks_out_of_memory("the rattlers");
  cairn_sim_notes_open(&notes, n_bodies);
  for (int32_t p = 0; p < n; p++)
    if (packet[p])
      post_packet(packet[p], gone, &notes);
  cairn_sim_notes_deliver(&notes, learn, &bearing);
  while (n_told > 0) {
    cairn_sim_notes_open(&notes, n_bodies);
    for (int64_t i = first; i < end; i++) {
      int32_t last, other = cairn_bearing_take_out(&bearing, (int32_t)i, &last);
      if (other >= 0)
        cairn_sim_notes_post(&notes, other, last);
    }
    n_told = cairn_sim_notes_deliver(&notes, lose, &bearing);
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

/* The forces of a state of a cell, with the ids of its bodies. */
static int add_forces(const struct cairn_packet *packet, const struct cairn_packet_gone *gone,
                      const struct cairn_contact_forces *state, struct cairn_sim_forces *forces) {
  const int64_t n = cairn_contact_forces_n(state);
  struct cairn_contact_force some[64];
  struct cairn_sim_force *to;
  if (cairn_sim_forces_reserve(forces, n))
    return -1;
  to = forces->force + forces->n;
  for (int64_t k = 0; k < n; k++) {
    if (k % 64 == 0)
      cairn_contact_forces_some(state, k, n - k < 64 ? n - k : 64, some);
    to[k].force = some[k % 64];
  }
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++)
    for (int64_t k = 0; k < packet->n_contacts[l]; k++) {
      const struct cairn_contact *contact = cairn_packet_contact(packet, (enum cairn_packet_list)l, k);
      if (is_gone(gone, contact, (enum cairn_packet_list)l))
        continue;
      to->force.a = contact->a;
      to->force.b = contact->b;
      to++->feature = contact->feature;
    }
  forces->n += n;
  return 0;
}

static int add_cells_forces(struct cairn_simulation *sim, const struct cairn_packet_gone *gone,
                            struct cairn_sim_forces *forces, struct cairn_error *error) {
  struct cairn_contact_forces here;
  struct cairn_state state = {0};
  int status = cairn_state_resize_assemblies(&state, sim->kept.n_assemblies, error);
  if (!status)
    cairn_simulation_copy_head(&state, &sim->kept);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !status; c++) {
    int failed = make_state(sim, c, gone, &state);
    if (!failed)
      status = cairn_contact_forces_init(&here, &state, sim->scenario, error);
    if (!failed && !status) {
      failed = add_forces(sim->cells.cell[c].packet, gone, &here, forces);
      cairn_contact_forces_fini(&here);
    }
    if (failed)
      status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the forces of contacts");
  }
  cairn_state_fini(&state);
  if (!status && cairn_sim_forces_sort(forces))
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the forces of contacts");
  return cairn_ranks_agree(status, error);
}

/* The packets of the cells as they are now, with what is lent of other cells, while something is added up over them. */
struct listed {
  struct cairn_packet **packet;
  int32_t n;
  struct cairn_packet_gone gone;
};

static int list(struct cairn_simulation *sim, struct listed *all, struct cairn_error *error) {
  const int status = cairn_simulation_snapshot_listed(sim, error);
  if (status)
    return status;
  all->packet = cairn_simulation_packets(sim, &all->n);
  cairn_simulation_find_gone(all->packet, all->n, &all->gone);
  cairn_simulation_lend(sim);
  return 0;
}

static void free_listed(struct listed *all) {
  free(all->packet);
  free(all->gone.id);
}

int cairn_simulation_forces(struct cairn_simulation *sim, struct cairn_sim_forces *forces, struct cairn_error *error) {
  struct listed all;
  int status = list(sim, &all, error);
  if (status)
    return status;
  status = add_cells_forces(sim, &all.gone, forces, error);
  cairn_simulation_return(sim);
  free_listed(&all);
  return status;
}

int cairn_simulation_observe_aggregate(struct cairn_simulation *sim, struct cairn_observables *out,
                                       struct cairn_error *error) {
  struct listed all;
  int status = list(sim, &all, error);
  if (status)
    return status;
  status = add_cells(sim, &all.gone, out, error);
  cairn_simulation_return(sim);
  if (!status)
    observe_bearing(all.packet, all.n, &all.gone, sim->n_bodies, out);
  free_listed(&all);
  return status;
}
