/* Where there are several ranks: bodies that go to the rank of their new cell, borders with the cells of other ranks,
 * and the bodies of all ranks on rank 0. What runs out of memory here ends all ranks, because the others wait. */
#include <stdlib.h>
#include <string.h>

#include "data/cells/border.h"
#include "solvers/simulation/ranks/share.h"
#include "solvers/simulation/simulation_parts.h"
#include "tasks/ranks/links.h"
#include "tasks/ranks/parcel.h"

/* ---- new cells ---- */

/* The rank of each part of the cut. */
static void share_parts(struct cairn_simulation *sim, struct cairn_cut *cut, int *rank) {
  const struct cairn_packet **packet = calloc((size_t)sim->n_sources + 1, sizeof *packet);
  int64_t *cost = calloc((size_t)cut->n + 1, sizeof *cost);
  if (!packet || !cost)
    cairn_ranks_out_of_memory("the cells");
  for (int32_t i = 0; i < sim->n_sources; i++)
    packet[i] = sim->source[i].packet;
  free(sim->balance.slice);
  sim->balance.slice = NULL;
  if (!sim->world.walls
           .has_free_assemblies) { /* these go from rank to rank in the order of cells (tasks/ranks/loans.h) */
    sim->balance.slice = cut->slice;
    cut->slice = NULL;
  }
  cairn_share_cost(cut, packet, cost);
  cairn_ranks_sum(cost, cut->n);
  cairn_share_limit(cut, cost);
  cairn_sim_balance_share(&sim->balance, cost, cut->n, rank);
  free(packet);
  free(cost);
}

/* Send away the bodies of parts that go to other ranks. */
static struct cairn_ranks_mail *send_parts(struct cairn_simulation *sim, const struct cairn_cut *cut, const int *rank) {
  struct cairn_ranks_mail *out = calloc((size_t)cairn_ranks_n(), sizeof *out);
  if (!out)
    cairn_ranks_out_of_memory("bodies that go to another rank");
  for (int32_t p = 0; p < cut->n && out; p++) {
    const struct cairn_cut_part *part = cut->part + p;
    if (rank[p] == cairn_ranks_me() || part->n_ranges == 0)
      continue;
    struct cairn_packet_part *piece = calloc((size_t)part->n_ranges, sizeof *piece);
    for (int32_t k = 0; k < part->n_ranges && piece; k++) {
      const struct cairn_cut_range r = cut->range[part->first + k];
      piece[k] =
          (struct cairn_packet_part){sim->source[r.list].packet, sim->source[r.list].entry + r.from, r.to - r.from};
    }
    struct cairn_packet *packet =
        piece ? cairn_packet_merge(piece, part->n_ranges, sim->rules.extras, sim->rules.memory) : NULL;
    cairn_parcel_add(out + rank[p], p, packet);
    free(packet);
    free(piece);
  }
  return cairn_ranks_exchange(out);
}

/* What came becomes sources of their own. `number` is the part each belongs to. */
static void take_parts(struct cairn_simulation *sim, struct cairn_ranks_mail *in, int64_t **number) {
  struct cairn_packet *packet;
  int32_t n = 0, i = 0;
  for (int q = 0; q < cairn_ranks_n(); q++)
    for (int64_t at = 0, ignored; q != cairn_ranks_me() && (packet = cairn_parcel_next(in + q, &at, &ignored)); n++)
      free(packet);
  sim->arrived = cairn_sources_create(n);
  *number = calloc((size_t)n + 1, sizeof **number);
  if (!sim->arrived || !*number)
    cairn_ranks_out_of_memory("bodies from another rank");
  sim->n_arrived = n;
  for (int q = 0; q < cairn_ranks_n(); q++)
    for (int64_t at = 0; q != cairn_ranks_me() && (packet = cairn_parcel_next(in + q, &at, *number + i)); i++)
      sim->arrived[i].packet = packet;
  cairn_ranks_mail_free(in);
}

/* The parts of this rank alone, with what has come for them. */
static int keep_parts(struct cairn_simulation *sim, struct cairn_cut *cut, const int *rank, const int64_t *number) {
  int32_t n_ranges = sim->n_arrived, n = 0;
  for (int32_t p = 0; p < cut->n; p++)
    n_ranges += cut->part[p].n_ranges;
  struct cairn_cut own = {.part = calloc((size_t)cut->n + 1, sizeof *own.part),
                          .range = calloc((size_t)n_ranges + 1, sizeof *own.range),
                          .number = calloc((size_t)cut->n + 1, sizeof *own.number)};
  n_ranges = 0;
  for (int32_t p = 0; p < cut->n && own.part && own.range && own.number; p++) {
    const struct cairn_cut_part *part = cut->part + p;
    if (rank[p] != cairn_ranks_me())
      continue;
    own.number[n] = p;
    own.part[n] = (struct cairn_cut_part){part->n, n_ranges, part->n_ranges};
    memcpy(own.range + n_ranges, cut->range + part->first, (size_t)part->n_ranges * sizeof *own.range);
    n_ranges += part->n_ranges;
    for (int32_t i = 0; i < sim->n_arrived; i++)
      if (number[i] == p) {
        own.range[n_ranges++] = (struct cairn_cut_range){sim->n_sources + i, 0, sim->arrived[i].packet->n};
        own.part[n].n_ranges++;
      }
    n++;
  }
  if (!own.part || !own.range || !own.number)
    return -1;
  own.n = n;
  cairn_cut_fini(cut);
  *cut = own;
  return 0;
}

void cairn_simulation_migrate(struct cairn_simulation *sim, struct cairn_cut *cut) {
  if (cairn_ranks_n() == 1)
    return;
  int *rank = calloc((size_t)cut->n + 1, sizeof *rank);
  int64_t *number = NULL;
  if (!rank)
    cairn_ranks_out_of_memory("the cells");
  share_parts(sim, cut, rank);
  take_parts(sim, send_parts(sim, cut, rank), &number);
  if (keep_parts(sim, cut, rank, number))
    cairn_ranks_out_of_memory("the cells");
  free(rank);
  free(number);
}

/* ---- borders ---- */

/* The boxes of the cells of all ranks. */
static struct cairn_ranks_mail *gather_boxes(const struct cairn_cells *cells) {
  struct cairn_cell_box *box = calloc((size_t)cells->n_cells + 1, sizeof *box);
  if (!box)
    cairn_ranks_out_of_memory("the cells");
  for (cairn_cell_t c = 0; c < cells->n_cells && box; c++) {
    memcpy(box[c].lower, cells->cell[c].lower, sizeof box[c].lower);
    memcpy(box[c].upper, cells->cell[c].upper, sizeof box[c].upper);
    box[c].number = cells->cell[c].number;
  }
  struct cairn_ranks_mail *all = cairn_ranks_gather(box, (int64_t)cells->n_cells * (int64_t)sizeof *box);
  free(box);
  return all;
}

/* Lend the bodies of each border, and take those that are lent to this rank. */
static void exchange_ghosts(struct cairn_cells *cells, const struct cairn_border *border, int32_t n) {
  struct cairn_ranks_mail *out = calloc((size_t)cairn_ranks_n(), sizeof *out);
  if (!out)
    cairn_ranks_out_of_memory("the borders");
  for (int32_t l = 0; l < n && out; l++)
    for (int32_t k = 0; k < border[l].n; k++) {
      struct cairn_packet *packet = cairn_border_packet(cells, border + l, k);
      cairn_parcel_add(out + border[l].rank, k, packet);
      free(packet);
    }
  struct cairn_ranks_mail *in = cairn_ranks_exchange(out);
  int32_t g = 0;
  for (int32_t l = 0; l < n && in; l++) {
    struct cairn_packet *packet;
    for (int64_t at = 0, ignored; (packet = cairn_parcel_next(in + border[l].rank, &at, &ignored)); g++) {
      if (g == cells->n_ghosts || cells->ghost[g].link != l)
        cairn_ranks_out_of_memory("borders that two ranks do not agree on"); /* cannot be */
      cells->ghost[g].packet = packet;
    }
  }
  cairn_ranks_mail_free(in);
}

void cairn_simulation_lend(struct cairn_simulation *sim) {
  const struct cairn_links *links = sim->cells.links;
  const int32_t n = links ? links->n : 0;
  struct cairn_border *border = calloc((size_t)n + 1, sizeof *border);
  if (!border)
    cairn_ranks_out_of_memory("the borders");
  for (int32_t l = 0; l < n && border; l++)
    border[l] = links->link[l].border;
  exchange_ghosts(&sim->cells, border, n);
  free(border);
}

void cairn_simulation_return(struct cairn_simulation *sim) {
  for (int32_t g = 0; g < sim->cells.n_ghosts; g++) {
    free(sim->cells.ghost[g].packet);
    sim->cells.ghost[g].packet = NULL;
  }
}

/* Where the cells of each rank begin. */
static cairn_cell_t *find_first(const struct cairn_ranks_mail *box) {
  const int n = cairn_ranks_n();
  cairn_cell_t *first = calloc((size_t)n + 1, sizeof *first);
  if (!first)
    cairn_ranks_out_of_memory("the borders");
  for (int q = 0; q < n && first; q++)
    first[q + 1] = first[q] + (cairn_cell_t)(box[q].bytes / (int64_t)sizeof(struct cairn_cell_box));
  return first;
}

/* Where each cell is, by its number. */
static cairn_cell_t *find_places(const struct cairn_ranks_mail *box, const cairn_cell_t *first) {
  const int n = cairn_ranks_n();
  cairn_cell_t *place = calloc((size_t)first[n] + 1, sizeof *place);
  if (!place)
    cairn_ranks_out_of_memory("the borders");
  for (int q = 0; q < n && place; q++)
    for (cairn_cell_t c = first[q]; c < first[q + 1]; c++)
      place[((const struct cairn_cell_box *)box[q].data)[c - first[q]].number] = c;
  return place;
}

void cairn_simulation_link(struct cairn_simulation *sim) {
  struct cairn_cells *cells = &sim->cells;
  const int n_ranks = cairn_ranks_n();
  sim->most_cells = sim->n_cells = cells->n_cells;
  if (n_ranks == 1)
    return;
  struct cairn_ranks_mail *box = gather_boxes(cells);
  struct cairn_border *border = calloc((size_t)n_ranks, sizeof *border);
  if (!box || !border)
    cairn_ranks_out_of_memory("the borders");
  cairn_cell_t *first = find_first(box), *place = find_places(box, first);
  int32_t n = 0;
  sim->n_cells = first[n_ranks];
  cells->first = first[cairn_ranks_me()];
  for (int q = 0; q < n_ranks && border; q++) {
    const int32_t n_boxes = first[q + 1] - first[q];
    sim->most_cells = n_boxes > sim->most_cells ? n_boxes : sim->most_cells;
    if (q == cairn_ranks_me())
      continue;
    border[n].rank = q;
    if (cairn_border_find(cells, box[q].data, n_boxes, n, border + n))
      cairn_ranks_out_of_memory("the borders");
    if (border[n].n > 0)
      n++;
    else
      cairn_border_fini(border + n);
  }
  cairn_ranks_mail_free(box);
  exchange_ghosts(cells, border, n);
  if (cairn_links_create(cells, border, n, first, place))
    cairn_ranks_out_of_memory("the borders");
  free(border);
}

/* ---- all bodies on rank 0 ---- */

void cairn_simulation_collect(struct cairn_packet ***packet, int32_t *n) {
  int64_t count = *n;
  for (int q = 1; q < cairn_ranks_n(); q++) {
    if (q == cairn_ranks_me()) {
      cairn_ranks_send(&(struct cairn_ranks_mail){&count, sizeof count}, 0);
      for (int32_t k = 0; k < *n; k++)
        cairn_ranks_send(&(struct cairn_ranks_mail){(*packet)[k], (*packet)[k] ? (*packet)[k]->bytes : 0}, 0);
    }
    if (cairn_ranks_me() > 0)
      continue;
    struct cairn_ranks_mail mail;
    cairn_ranks_receive(&mail, q);
    memcpy(&count, mail.data, sizeof count);
    free(mail.data);
    struct cairn_packet **longer = realloc(*packet, ((size_t)*n + (size_t)count + 1) * sizeof *longer);
    if (!longer) {
      cairn_ranks_out_of_memory("the bodies of all ranks");
      return;
    }
    *packet = longer;
    for (int64_t k = 0; k < count; k++) {
      cairn_ranks_receive(&mail, q);
      if (mail.bytes > 0)
        longer[(*n)++] = mail.data;
      else
        free(mail.data);
    }
  }
}
