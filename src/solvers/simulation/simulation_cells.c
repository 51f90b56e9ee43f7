/* What is asked of all cells at once: faults, and their bodies captured into a state. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/simulation/simulation_parts.h"

double cairn_simulation_speed(const struct cairn_simulation *sim) {
  struct cairn_packet_summary all = cairn_packet_summary_of_none();
  int32_t n = 0;
  struct cairn_packet **packet = cairn_simulation_packets(sim, &n);
  for (int32_t p = 0; p < n; p++)
    for (int32_t i = 0; packet[p] && i < packet[p]->n; i++) {
      const struct cairn_body *body = cairn_packet_bodies(packet[p]) + i;
      const double *s = body->state;
      if (body->captor >= 0)
        cairn_packet_note(&all, s + CAIRN_STATE_X, s + CAIRN_STATE_V, s + CAIRN_STATE_A, body->radius, sim->step_size);
    }
  free(packet);
  return cairn_ranks_max(sqrt(all.speed2));
}

static void acquire_cells(struct cairn_simulation *sim) {
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_acquire(sim->cells.cell[c].handles->state, STARPU_R);
    starpu_data_acquire(sim->cells.cell[c].handles->history, STARPU_R);
    starpu_data_acquire(sim->cells.cell[c].handles->pair_list, STARPU_R);
  }
}

static void release_cells(struct cairn_simulation *sim) {
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_release(sim->cells.cell[c].handles->state);
    starpu_data_release(sim->cells.cell[c].handles->history);
    starpu_data_release(sim->cells.cell[c].handles->pair_list);
  }
}

static void join_faults(void *all, const void *more) {
  struct cairn_cells_fault *fault = all;
  const struct cairn_cells_fault *other = more;
  if (other->kind != CAIRN_CELLS_SOUND && (fault->kind == CAIRN_CELLS_SOUND || other->body < fault->body))
    *fault = *other;
}

bool cairn_simulation_has_fault(struct cairn_simulation *sim, char what[256]) {
  struct cairn_cells_fault fault = {CAIRN_CELLS_SOUND, -1, -1};
  const int32_t assembly = cairn_sim_walls_fault(&sim->walls);
  acquire_cells(sim);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++)
    cairn_cells_find_fault(&sim->cells, c, &fault);
  release_cells(sim);
  cairn_ranks_join(&fault, sizeof fault, join_faults);
  if (fault.kind == CAIRN_CELLS_BODY)
    snprintf(what, 256, "the position or a velocity of body %d", fault.body);
  else if (fault.kind == CAIRN_CELLS_CONTACT)
    snprintf(what, 256, "the contact history of body %d and body %d", fault.body, fault.other);
  else if (fault.kind == CAIRN_CELLS_WALL_CONTACT)
    snprintf(what, 256, "the contact history of body %d and the wall %.80s", fault.body,
             sim->scenario->walls[fault.other].name);
  else if (assembly >= 0)
    snprintf(what, 256, "the position or a velocity of the assembly %.80s", sim->scenario->assemblies[assembly].name);
  return fault.kind != CAIRN_CELLS_SOUND || assembly >= 0;
}

struct cairn_packet **cairn_simulation_packets(const struct cairn_simulation *sim, int32_t *n) {
  struct cairn_packet **packet = calloc((size_t)sim->cells.n_cells + (size_t)sim->n_sources + 1, sizeof *packet);
  *n = 0;
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && packet; c++)
    packet[(*n)++] = sim->cells.cell[c].packet;
  for (int32_t i = 0; i < sim->n_sources && packet; i++)
    packet[(*n)++] = sim->source[i].packet;
  if (packet)
    packet[(*n)++] = sim->removed;
  else
    cairn_ranks_out_of_memory("the bodies"); /* other ranks wait */
  return packet;
}

struct cairn_packet **cairn_simulation_all_packets(const struct cairn_simulation *sim, int32_t *n) {
  struct cairn_packet **packet = cairn_simulation_packets(sim, n);
  cairn_simulation_collect(&packet, n);
  return packet;
}

void cairn_simulation_free_packets(const struct cairn_simulation *sim, struct cairn_packet **packet, int32_t n) {
  for (int32_t k = sim->cells.n_cells + sim->n_sources + 1; k < n && packet; k++) /* of other ranks */
    free(packet[k]);
  free(packet);
}

/* On rank 0 all bodies, on the others none. */
const struct cairn_state *cairn_simulation_capture(struct cairn_simulation *sim, struct cairn_error *error) {
  if (sim->state.step == sim->step)
    return &sim->state;
  int32_t n = 0;
  if (cairn_simulation_snapshot(sim, error))
    return NULL;
  starpu_data_acquire(sim->state_handle, STARPU_RW); /* writers of files may still read the last one */
  struct cairn_packet **packet = cairn_simulation_all_packets(sim, &n);
  const bool leads = cairn_ranks_me() == 0;
  int status = packet ? cairn_state_resize(&sim->state, leads ? sim->n_bodies : 0, error)
                      : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  if (!status && leads)
    status = cairn_packet_capture(packet, n, &sim->state, sim->rules.memory, error);
  status = cairn_ranks_agree(status, error);
  cairn_simulation_free_packets(sim, packet, n);
  cairn_simulation_copy_head(&sim->state, &sim->kept);
  sim->state.skin = sim->is_expired ? 0. : sim->kept.skin;
  sim->state.step = status ? -1 : sim->step;
  starpu_data_release(sim->state_handle);
  return status ? NULL : &sim->state;
}
