#include "solvers/simulation/ranks/fragments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/cells/search.h"
#include "solvers/simulation/ranks/clusters.h"
#include "solvers/simulation/simulation_parts.h"
#include "solvers/start/near.h"

static void no_memory(void) { cairn_ranks_out_of_memory("the clusters of bodies"); }

/* ---- links ---- */

static void link_bonds(const struct cairn_simulation *sim, struct cairn_packet *const *packet, int32_t n,
                       struct cairn_sim_clusters *clusters) {
  const int length = cairn_contact_offset(sim->rules.memory, CAIRN_CONTACT_bond_length);
  int64_t most = 0;
  for (int32_t p = 0; p < n; p++)
    most += packet[p] ? packet[p]->n : 0;
  cairn_sim_clusters_begin(clusters, most, sim->n_bodies);
  for (int32_t p = 0; p < n; p++)
    for (int32_t i = 0; packet[p] && i < packet[p]->n; i++) {
      const struct cairn_body *body = cairn_packet_bodies(packet[p]) + i;
      if (body->captor == 0)
        cairn_sim_clusters_add(clusters, body->id, body->mass);
    }
  cairn_sim_clusters_sort(clusters);
  for (int32_t p = 0; p < n; p++)
    for (int64_t k = 0; packet[p] && k < packet[p]->n_contacts[CAIRN_PACKET_PAIRS]; k++) {
      struct cairn_contact *contact = cairn_packet_contact(packet[p], CAIRN_PACKET_PAIRS, k);
      if (cairn_contact_numbers(contact)[length] > 0.)
        cairn_sim_clusters_link(clusters, contact->a, contact->b);
    }
}

static void join_sums(void *all, const void *more) { cairn_exact_sum_join(all, more); }

/* The bodies that may be in clusters; returns their number. *gap is that of all bodies. */
static int64_t list_free(const struct cairn_simulation *sim, struct cairn_packet *const *packet, int32_t n,
                         struct cairn_bodies_sphere **sphere, double *gap, double *largest) {
  struct cairn_exact_sum radii = {0};
  int64_t n_free = 0, most = 0;
  for (int32_t p = 0; p < n; p++)
    most += packet[p] ? packet[p]->n : 0;
  *sphere = malloc((size_t)most * sizeof **sphere + 1);
  *largest = 0.;
  if (!*sphere)
    no_memory();
  for (int32_t p = 0; p < n; p++)
    for (int32_t i = 0; packet[p] && i < packet[p]->n; i++) {
      const struct cairn_body *body = cairn_packet_bodies(packet[p]) + i;
      const double *x = body->state + CAIRN_STATE_X;
      cairn_exact_sum_add(&radii, body->radius);
      *largest = fmax(*largest, body->radius);
      if (body->captor == 0)
        (*sphere)[n_free++] = (struct cairn_bodies_sphere){{x[0], x[1], x[2]}, body->radius, body->mass, body->id};
    }
  cairn_ranks_join(&radii, sizeof radii, join_sums);
  *gap = cairn_cluster_gap_of(&radii, sim->n_bodies);
  *largest = cairn_ranks_max(*largest);
  return n_free;
}

static void link_near(const struct cairn_simulation *sim, struct cairn_packet *const *packet, int32_t n,
                      struct cairn_sim_clusters *clusters) {
  struct cairn_bodies_sphere *mine;
  struct cairn_pairs pairs = {0};
  double gap, largest;
  const int64_t n_mine = list_free(sim, packet, n, &mine, &gap, &largest);
  const struct cairn_near near = cairn_near_gather_spheres(mine, n_mine, 2.001 * largest + gap);
  struct cairn_sphere *sphere = malloc((size_t)near.n * sizeof *sphere + 1);
  free(mine);
  if (!sphere)
    no_memory();
  cairn_sim_clusters_begin(clusters, near.n_own, sim->n_bodies);
  for (int64_t k = 0; k < near.n && sphere; k++) {
    const struct cairn_bodies_sphere *s = near.sphere + k;
    sphere[k] = (struct cairn_sphere){s->position[0], s->position[1], s->position[2], s->radius};
    if (k < near.n_own)
      cairn_sim_clusters_add(clusters, s->id, s->mass);
  }
  cairn_sim_clusters_sort(clusters);
  if (cairn_search_pairs(sphere, (int32_t)near.n_own, (int32_t)near.n, gap, &pairs, NULL))
    no_memory();
  for (int64_t k = 0; k < pairs.n; k++)
    cairn_sim_clusters_link(clusters, near.sphere[pairs.pair[k][0]].id, near.sphere[pairs.pair[k][1]].id);
  cairn_search_pairs_fini(&pairs);
  free(sphere);
  free(near.sphere);
}

static int find(struct cairn_simulation *sim, bool bonds, struct cairn_sim_clusters *clusters,
                struct cairn_error *error) {
  int32_t n = 0;
  const int status = cairn_simulation_snapshot(sim, error);
  if (status)
    return status;
  struct cairn_packet **packet = cairn_simulation_packets(sim, &n);
  (bonds ? link_bonds : link_near)(sim, packet, n, clusters);
  free(packet);
  cairn_sim_clusters_join(clusters);
  return 0;
}

int cairn_sim_fragments_count(struct cairn_simulation *sim, bool bonds, struct cairn_cluster_fragments *out,
                              struct cairn_error *error) {
  struct cairn_sim_clusters clusters;
  const int status = find(sim, bonds, &clusters, error);
  if (status)
    return status;
  cairn_sim_clusters_count(&clusters, out);
  cairn_sim_clusters_fini(&clusters);
  return 0;
}

/* ---- the largest ---- */

struct members {
  int64_t first;
  bool *member;
};

static void learn_member(void *context, struct cairn_sim_note note) {
  const struct members *m = context;
  m->member[note.body - m->first] = true;
}

static bool *tell_members(const struct cairn_sim_clusters *c, int32_t name) {
  const int me = cairn_ranks_me();
  const int64_t first = cairn_sim_notes_first(c->n_bodies, me), end = cairn_sim_notes_first(c->n_bodies, me + 1);
  struct members members = {first, calloc((size_t)(end - first) + 1, sizeof *members.member)};
  struct cairn_sim_notes notes;
  if (!members.member)
    no_memory();
  cairn_sim_notes_open(&notes, c->n_bodies);
  for (int64_t i = 0; i < c->n; i++)
    if (cairn_sim_clusters_name(c, i) == name)
      cairn_sim_notes_post(&notes, c->body[i].id, 1);
  cairn_sim_notes_deliver(&notes, learn_member, &members);
  return members.member;
}

/* Sums in the order of ids, from rank to rank. */
static void add_up(const struct cairn_state *state, struct cairn_sim_fragment *f) {
  double cubes = 0.;
  f->body = (struct cairn_equivalent_body){0};
  cairn_ranks_take_turn(&f->body, sizeof f->body);
  cairn_equivalent_body_weigh(&f->body, state, f->member);
  cairn_ranks_pass_turn(&f->body, sizeof f->body);
  cairn_equivalent_body_center(&f->body);
  cairn_ranks_take_turn(&f->body, sizeof f->body);
  for (int64_t i = 0; i < state->n; i++)
    if (f->member[i])
      cairn_equivalent_body_add(&f->body, state, i);
  cairn_ranks_pass_turn(&f->body, sizeof f->body);
  cairn_ranks_take_turn(&cubes, sizeof cubes);
  cairn_cluster_add_cubes(state, f->member, &cubes);
  cairn_ranks_pass_turn(&cubes, sizeof cubes);
  f->fragments.radius = cairn_cluster_radius(cubes);
  cairn_ranks_take_turn(&f->fragments.unrest, sizeof f->fragments.unrest);
  cairn_equivalent_body_add_unrest(&f->body, state, f->member, &f->fragments.unrest);
  cairn_ranks_pass_turn(&f->fragments.unrest, sizeof f->fragments.unrest);
}

int cairn_sim_fragments_largest(struct cairn_simulation *sim, struct cairn_sim_fragment *largest,
                                struct cairn_error *error) {
  struct cairn_sim_clusters clusters;
  struct cairn_state state = {0};
  struct cairn_state_stretch stretch;
  int status = find(sim, false, &clusters, error);
  if (status)
    return status;
  const int32_t name = cairn_sim_clusters_count(&clusters, &largest->fragments);
  largest->member = tell_members(&clusters, name);
  cairn_sim_clusters_fini(&clusters);
  status = cairn_simulation_deal(sim, &state, &stretch, error);
  if (!status)
    add_up(&state, largest);
  cairn_state_fini(&state);
  if (status)
    free(largest->member);
  return status;
}

bool *cairn_sim_fragments_ask(const struct cairn_simulation *sim, const bool *member, const int32_t *id, int64_t n) {
  const int n_ranks = cairn_ranks_n();
  struct cairn_ranks_mail *question = calloc((size_t)n_ranks, sizeof *question),
                          *answer = calloc((size_t)n_ranks, sizeof *answer);
  bool *out = malloc((size_t)n * sizeof *out + 1);
  if (!question || !answer || !out)
    no_memory();
  for (int64_t q = 0, k = 0, from = 0; q < n_ranks; q++, from = k) {
    while (k < n && id[k] < cairn_sim_notes_first(sim->n_bodies, (int)q + 1))
      k++;
    question[q].bytes = (k - from) * (int64_t)sizeof *id;
    question[q].data = malloc((size_t)question[q].bytes + 1);
    if (!question[q].data)
      no_memory();
    if (k > from)
      memcpy(question[q].data, id + from, (size_t)question[q].bytes);
  }
  struct cairn_ranks_mail *in = cairn_ranks_exchange(question);
  for (int q = 0; q < n_ranks; q++) {
    const int32_t *asked = in[q].data;
    const int64_t n_asked = in[q].bytes / (int64_t)sizeof *asked;
    bool *told = malloc((size_t)n_asked * sizeof *told + 1);
    if (!told)
      no_memory();
    for (int64_t k = 0; k < n_asked && told; k++)
      told[k] = member[asked[k] - cairn_sim_notes_first(sim->n_bodies, cairn_ranks_me())];
    answer[q] = (struct cairn_ranks_mail){told, n_asked * (int64_t)sizeof *told};
  }
  cairn_ranks_mail_free(in);
  in = cairn_ranks_exchange(answer);
  char *to = (char *)out;
  for (int q = 0; q < n_ranks; to += in[q++].bytes)
    if (in[q].bytes > 0)
      memcpy(to, in[q].data, (size_t)in[q].bytes);
  cairn_ranks_mail_free(in);
  return out;
}
