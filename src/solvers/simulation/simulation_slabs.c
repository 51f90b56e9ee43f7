/* What is asked of the bodies of all ranks without having them all in one place: slabs by id, one after the other, for
 * files; sums over packets for the rest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/simulation/ranks/notes.h"
#include "solvers/simulation/simulation_parts.h"
#include "tasks/ranks/parcel.h"

enum { SLAB = 1 << 15 }; /* bodies */

void cairn_simulation_find_gone(struct cairn_packet *const *packet, int32_t n, struct cairn_packet_gone *gone) {
  int64_t n_mine = 0;
  int32_t *mine = cairn_packet_list_gone(packet, n, &n_mine);
  struct cairn_ranks_mail *all = mine ? cairn_ranks_gather(mine, n_mine * (int64_t)sizeof *mine) : NULL;
  free(mine);
  *gone = (struct cairn_packet_gone){0};
  for (int q = 0; q < cairn_ranks_n() && all; q++)
    gone->n += all[q].bytes / (int64_t)sizeof *mine;
  gone->id = malloc((size_t)gone->n * sizeof *gone->id + 1);
  if (!all || !gone->id) {
    cairn_ranks_out_of_memory("the bodies that were removed");
    return;
  }
  char *to = (char *)gone->id;
  for (int q = 0; q < cairn_ranks_n(); to += all[q++].bytes)
    if (all[q].bytes > 0)
      memcpy(to, all[q].data, (size_t)all[q].bytes);
  cairn_ranks_mail_free(all);
  cairn_packet_sort_gone(gone);
}

/* ---- slabs ---- */

/* The packets of a slab on rank 0, which frees them: bodies of each rank with what is filed under them, and contacts
 * that are filed under a body of a later slab. */
enum { BODIES, STRAYS, PARTS };

/* Rank 0 gets those of all ranks. */
static void gather_slab(struct cairn_packet *mine[PARTS], struct cairn_packet **packet) {
  for (int part = 0; part < PARTS; part++) {
    packet[part] = mine[part];
    if (cairn_ranks_me() > 0)
      cairn_ranks_send(&(struct cairn_ranks_mail){mine[part], mine[part]->bytes}, 0);
  }
  for (int k = PARTS; k < PARTS * cairn_ranks_n() && cairn_ranks_me() == 0; k++) {
    struct cairn_ranks_mail mail;
    cairn_ranks_receive(&mail, k / PARTS);
    packet[k] = mail.data;
  }
}

/* Slabs of the packets of all ranks, and of the forces unless these are NULL; a visit that fails is the last. */
static int visit_slabs(struct cairn_simulation *sim, struct cairn_packet *const *own, int32_t n,
                       struct cairn_sim_forces *forces, cairn_simulation_visit *visit, void *context,
                       struct cairn_error *error) {
  const bool leads = cairn_ranks_me() == 0;
  const int n_packets = PARTS * (leads ? cairn_ranks_n() : 1);
  struct cairn_packet_gone gone;
  struct cairn_packet_strays strays;
  struct cairn_state state = {0};
  struct cairn_packet **packet = calloc((size_t)n_packets, sizeof *packet);
  int32_t *next = calloc((size_t)n + 1, sizeof *next);
  int64_t n_pairs = forces ? forces->n_pairs : 0;
  int status = 0;
  cairn_ranks_sum(&n_pairs, 1);
  state.step = sim->kept.step;
  state.time = sim->kept.time;
  if (!packet || !next || cairn_packet_find_strays(own, n, &strays))
    cairn_ranks_out_of_memory("a slab of bodies");
  cairn_simulation_find_gone(own, n, &gone);
  for (int64_t first = 0; first < sim->n_bodies; first += SLAB) {
    const int64_t end = first + SLAB < sim->n_bodies ? first + SLAB : sim->n_bodies;
    struct cairn_packet *mine[PARTS] = {cairn_packet_take_slab(own, n, end, next, sim->rules.extras, sim->rules.memory),
                                        cairn_packet_take_strays(&strays, end, sim->rules.memory)};
    if (!mine[BODIES] || !mine[STRAYS])
      cairn_ranks_out_of_memory("a slab of bodies");
    struct cairn_contact_force *force = NULL;
    gather_slab(mine, packet);
    const int64_t n_forces = forces ? cairn_sim_forces_take(forces, first, end, &force) : 0;
    if (leads && !status)
      status = cairn_state_resize(&state, end - first, error);
    if (leads && !status)
      status = cairn_packet_capture_slab(packet, n_packets, &(struct cairn_packet_slab){first, &state, &gone},
                                         sim->rules.memory, error);
    if (leads && !status)
      status = visit(context, &(struct cairn_simulation_slab){&state, first, force, n_forces, n_pairs}, error);
    free(force);
    for (int q = 0; q < n_packets; q++)
      free(packet[q]);
  }
  free(gone.id);
  free(strays.contact);
  free(packet);
  free(next);
  cairn_state_fini(&state);
  return status;
}

int cairn_simulation_visit_slabs(struct cairn_simulation *sim, bool with_forces, cairn_simulation_visit *visit,
                                 void *context, struct cairn_error *error) {
  if (cairn_ranks_n() == 1) {
    const struct cairn_state *state = cairn_simulation_capture(sim, error);
    return state ? visit(context, &(struct cairn_simulation_slab){.state = state}, error) : CAIRN_ERR_NUMERIC;
  }
  struct cairn_sim_forces forces = {0};
  int32_t n = 0;
  int status = with_forces ? cairn_simulation_forces(sim, &forces, error) : cairn_simulation_snapshot(sim, error);
  if (!status) {
    struct cairn_packet **own = cairn_simulation_packets(sim, &n);
    status = visit_slabs(sim, own, n, with_forces ? &forces : NULL, visit, context, error);
    free(own);
    status = cairn_ranks_agree(status, error);
  }
  cairn_sim_forces_fini(&forces);
  return status;
}

/* ---- stretches ---- */

/* A message to each rank: the bodies of its stretch of ids with their contacts, out of these packets. */
static struct cairn_ranks_mail *deal(const struct cairn_simulation *sim, struct cairn_packet *const *own, int32_t n) {
  const int n_ranks = cairn_ranks_n();
  struct cairn_ranks_mail *out = calloc((size_t)n_ranks, sizeof *out);
  int32_t *next = calloc((size_t)n + 1, sizeof *next);
  struct cairn_packet_strays strays;
  if (!out || !next || cairn_packet_find_strays(own, n, &strays))
    cairn_ranks_out_of_memory("bodies that go to another rank");
  for (int q = 0; q < n_ranks; q++) {
    const int64_t end = cairn_sim_notes_first(sim->n_bodies, q + 1);
    struct cairn_packet *mine[PARTS] = {cairn_packet_take_slab(own, n, end, next, sim->rules.extras, sim->rules.memory),
                                        cairn_packet_take_strays(&strays, end, sim->rules.memory)};
    for (int part = 0; part < PARTS; part++) {
      cairn_parcel_add(out + q, part, mine[part]);
      free(mine[part]);
    }
  }
  free(strays.contact);
  free(next);
  return cairn_ranks_exchange(out);
}

/* What came, as a state. */
static int take_dealt(struct cairn_simulation *sim, const struct cairn_ranks_mail *in,
                      const struct cairn_packet_slab *slab, struct cairn_error *error) {
  const int n_packets = PARTS * cairn_ranks_n();
  struct cairn_packet **packet = calloc((size_t)n_packets, sizeof *packet);
  int status = packet ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the bodies");
  for (int q = 0, k = 0; q < cairn_ranks_n() && packet; q++)
    for (int64_t at = 0, ignored; k < PARTS * (q + 1); k++)
      packet[k] = cairn_parcel_next(in + q, &at, &ignored);
  if (!status)
    status = cairn_packet_capture_slab(packet, n_packets, slab, sim->rules.memory, error);
  for (int k = 0; k < n_packets && packet; k++)
    free(packet[k]);
  free(packet);
  return status;
}

int cairn_simulation_deal(struct cairn_simulation *sim, struct cairn_state *state, struct cairn_state_stretch *stretch,
                          struct cairn_error *error) {
  const int me = cairn_ranks_me();
  struct cairn_packet_gone gone;
  int32_t n = 0;
  int status = cairn_simulation_snapshot(sim, error);
  if (status)
    return status;
  *stretch = (struct cairn_state_stretch){cairn_sim_notes_first(sim->n_bodies, me), sim->n_bodies};
  struct cairn_packet **own = cairn_simulation_packets(sim, &n);
  cairn_simulation_find_gone(own, n, &gone);
  struct cairn_ranks_mail *in = deal(sim, own, n);
  status = cairn_state_resize(state, cairn_sim_notes_first(sim->n_bodies, me + 1) - stretch->first, error);
  if (!status)
    status = take_dealt(sim, in, &(struct cairn_packet_slab){stretch->first, state, &gone}, error);
  if (!status)
    status = cairn_state_resize_assemblies(state, sim->kept.n_assemblies, error);
  if (!status) {
    cairn_simulation_copy_head(state, &sim->kept);
    state->skin = sim->is_expired ? 0. : sim->kept.skin;
    state->refresh_step = sim->state.refresh_step;
    state->n_refreshes = sim->state.n_refreshes;
  }
  cairn_ranks_mail_free(in);
  free(gone.id);
  free(own);
  return cairn_ranks_agree(status, error);
}

/* ---- sums ---- */

struct total {
  struct cairn_state_sum sum;
  int64_t n_contacts[CAIRN_PACKET_LISTS];
};

static void join_totals(void *all, const void *more) {
  struct total *to = all;
  const struct total *from = more;
  cairn_state_sum_join(&to->sum, &from->sum);
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++)
    to->n_contacts[l] += from->n_contacts[l];
}

static int add_bodies(const struct cairn_packet *packet, struct total *total) {
  struct cairn_state state = {0};
  int32_t *id = malloc((size_t)packet->n * sizeof *id + 1);
  const int failed = !id || cairn_state_resize(&state, packet->n, NULL);
  for (int32_t i = 0; i < packet->n && !failed; i++) {
    id[i] = cairn_packet_bodies(packet)[i].id;
    cairn_packet_put_body(packet, i, &state, i);
  }
  if (!failed)
    cairn_state_sum_bodies(&total->sum, &state, id);
  cairn_state_fini(&state);
  free(id);
  return failed;
}

static void add_contacts(const struct cairn_packet *packet, const struct cairn_packet_gone *gone, struct total *total) {
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++)
    for (int64_t k = 0; k < packet->n_contacts[l]; k++) {
      const struct cairn_contact *contact = cairn_packet_contact(packet, (enum cairn_packet_list)l, k);
      if (cairn_packet_is_gone(gone, contact->a) || (l == CAIRN_PACKET_PAIRS && cairn_packet_is_gone(gone, contact->b)))
        continue;
      cairn_state_sum_contact(&total->sum, contact, (size_t)packet->contact_bytes[l], l == CAIRN_PACKET_WALLS);
      total->n_contacts[l]++;
    }
}

/* The state of this step without bodies and contacts, of which it has the numbers. */
static struct cairn_state make_head(struct cairn_simulation *sim, const struct total *total) {
  starpu_data_acquire(sim->state_handle, STARPU_RW); /* writers of files may still read the last one */
  struct cairn_state head = sim->state;
  cairn_simulation_copy_head(&head, &sim->kept);
  starpu_data_release(sim->state_handle);
  head.skin = sim->is_expired ? 0. : sim->kept.skin;
  head.contacts = head.wall_contacts = (struct cairn_contacts){0};
  cairn_state_remember(&head, sim->rules.memory, NULL);
  head.n = sim->n_bodies;
  head.contacts.n = total->n_contacts[CAIRN_PACKET_PAIRS];
  head.wall_contacts.n = total->n_contacts[CAIRN_PACKET_WALLS];
  return head;
}

int cairn_simulation_total(struct cairn_simulation *sim, struct cairn_state *head, char digest[CAIRN_DIGEST_LENGTH + 1],
                           struct cairn_error *error) {
  if (cairn_ranks_n() == 1) {
    const struct cairn_state *state = cairn_simulation_capture(sim, error);
    if (!state)
      return CAIRN_ERR_NUMERIC;
    *head = *state;
    cairn_state_digest(state, digest);
    return 0;
  }
  struct total total = {0};
  struct cairn_packet_gone gone;
  int32_t n = 0;
  const int status = cairn_simulation_snapshot(sim, error);
  if (status)
    return status;
  struct cairn_packet **packet = cairn_simulation_packets(sim, &n);
  cairn_simulation_find_gone(packet, n, &gone);
  for (int32_t p = 0; p < n; p++) {
    if (packet[p] && add_bodies(packet[p], &total))
      cairn_ranks_out_of_memory("the digest");
    if (packet[p])
      add_contacts(packet[p], &gone, &total);
  }
  free(packet);
  free(gone.id);
  cairn_ranks_join(&total, sizeof total, join_totals);
  *head = make_head(sim, &total);
  cairn_state_sum_head(&total.sum, head);
  cairn_state_sum_digest(&total.sum, digest);
  return 0;
}

static void widen(double box[2][3], const double x[3], double radius) {
  for (int k = 0; k < 3; k++) {
    box[0][k] = fmin(box[0][k], x[k] - radius);
    box[1][k] = fmax(box[1][k], x[k] + radius);
  }
}

int cairn_simulation_box(struct cairn_simulation *sim, double box[2][3], struct cairn_error *error) {
  const bool shared = cairn_ranks_n() > 1;
  for (int k = 0; k < 3; k++)
    box[0][k] = -(box[1][k] = -INFINITY);
  if (!shared) {
    const struct cairn_state *state = cairn_simulation_capture(sim, error);
    for (int64_t i = 0; state && i < state->n; i++)
      widen(box, state->position + 3 * i, state->radius[i]);
    return state ? 0 : CAIRN_ERR_NUMERIC;
  }
  int32_t n = 0;
  const int status = cairn_simulation_snapshot(sim, error);
  struct cairn_packet **packet = status ? NULL : cairn_simulation_packets(sim, &n);
  for (int32_t p = 0; p < n; p++)
    for (int32_t i = 0; packet[p] && i < packet[p]->n; i++) {
      const struct cairn_body *body = cairn_packet_bodies(packet[p]) + i;
      widen(box, body->state + CAIRN_STATE_X, body->radius);
    }
  free(packet);
  for (int k = 0; k < 3 && !status; k++) {
    box[0][k] = -cairn_ranks_max(-box[0][k]);
    box[1][k] = cairn_ranks_max(box[1][k]);
  }
  return status;
}
