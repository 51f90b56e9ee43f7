/* One cell from its packet and those of its neighbours: own bodies, halo, pair list with contact history. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/cells/cell_contacts.h"
#include "data/cells/cell_walls.h"

/* Everything the building of one cell needs for a while. */
struct build {
  const struct cairn_cells *cells;
  struct cairn_cell *cell;
  cairn_cell_t *neighbor;    /* [n_neighbors] before those that lend no body are forgotten */
  int32_t n_local, capacity; /* own bodies and, after them, neighbours' bodies that come near the cell's box */
  struct cairn_sphere *sphere;
  int32_t *id;
  struct cairn_halo_source *source; /* of a neighbour's body */
  struct cairn_pairs pairs, wall_pairs;
  int32_t *rank;  /* [n_local] position in the order of ids, over own and halo bodies; -1: in no pair */
  int32_t *local; /* [n_local] new index of a body in `predicted`, by old local index */
};

static int reserve(struct build *b, int32_t n) {
  if (n <= b->capacity)
    return 0;
  const int32_t capacity = n + n / 2 + 64;
  void *sphere = realloc(b->sphere, (size_t)capacity * sizeof *b->sphere);
  if (sphere)
    b->sphere = sphere;
  void *id = realloc(b->id, (size_t)capacity * sizeof *b->id);
  if (id)
    b->id = id;
  void *source = realloc(b->source, (size_t)capacity * sizeof *b->source);
  if (source)
    b->source = source;
  if (!sphere || !id || !source)
    return -1;
  b->capacity = capacity;
  return 0;
}

static struct cairn_sphere sphere_of(const struct build *b, const struct cairn_packet *packet, int32_t i) {
  const struct cairn_body *body = cairn_packet_bodies(packet) + i;
  const double *x = b->cells->rules.by_reference ? cairn_packet_extras(packet)[i].reference : body->state;
  return (struct cairn_sphere){x[0], x[1], x[2], body->radius};
}

/* The packet a body came in; its index there is that of its source. Neighbours are those before pruning. */
static const struct cairn_packet *packet_of(const struct build *b, int32_t i) {
  const int32_t k = b->source[i].neighbor;
  return k < 0 ? b->cell->packet : cairn_cells_packet(b->cells, b->neighbor[k]);
}

static int near_box(const struct cairn_sphere *s, const struct cairn_cell *cell, double skin) {
  const double x[3] = {s->x, s->y, s->z};
  return cairn_cells_near(x, s->r + skin, cell->lower, cell->upper);
}

static int collect_bodies(struct build *b) {
  struct cairn_cell *cell = b->cell;
  b->neighbor = malloc((size_t)cell->n_neighbors * sizeof *b->neighbor + 1);
  if (!b->neighbor || reserve(b, cell->size.n))
    return -1;
  if (cell->n_neighbors > 0)
    memcpy(b->neighbor, cell->neighbor, (size_t)cell->n_neighbors * sizeof *b->neighbor);
  for (int32_t i = 0; i < cell->size.n; i++) {
    b->id[i] = cell->id[i];
    b->sphere[i] = sphere_of(b, cell->packet, i);
    b->source[i] = (struct cairn_halo_source){-1, i};
  }
  b->n_local = cell->size.n;
  for (int32_t k = 0; k < cell->n_neighbors; k++) {
    const struct cairn_packet *other = cairn_cells_packet(b->cells, cell->neighbor[k]);
    if (reserve(b, b->n_local + other->n))
      return -1;
    for (int32_t i = 0; i < other->n; i++) {
      const struct cairn_sphere s = sphere_of(b, other, i);
      if (!near_box(&s, cell, b->cells->skin))
        continue;
      b->sphere[b->n_local] = s;
      b->id[b->n_local] = cairn_packet_bodies(other)[i].id;
      b->source[b->n_local] = (struct cairn_halo_source){k, i};
      b->n_local++;
    }
  }
  return 0;
}

/* Forget neighbours that lend no halo body: a task names no handle it does not read. */
static void prune_neighbors(struct cairn_cell *cell, int32_t *lent) {
  memset(lent, 0, (size_t)cell->n_neighbors * sizeof *lent);
  for (int32_t i = 0; i < cell->size.n_halo; i++)
    lent[cell->halo[i].neighbor]++;
  int32_t kept = 0;
  for (int32_t k = 0; k < cell->n_neighbors; k++) {
    const int32_t bodies = lent[k];
    lent[k] = kept;
    if (bodies == 0)
      continue;
    cell->neighbor[kept++] = cell->neighbor[k];
  }
  cell->n_neighbors = kept;
  for (int32_t i = 0; i < cell->size.n_halo; i++)
    cell->halo[i].neighbor = lent[cell->halo[i].neighbor];
}

/* A pair is listed by the lower of its cells alone. */
static void keep_own_pairs(struct build *b) {
  const int32_t n = b->cell->size.n;
  int64_t kept = 0;
  for (int64_t k = 0; k < b->pairs.n; k++) {
    const int32_t *pair = b->pairs.pair[k], other = pair[0] >= n ? pair[0] : pair[1];
    if (other < n || cairn_cells_number(b->cells, b->cell->neighbor[b->source[other].neighbor]) > b->cell->number)
      memmove(b->pairs.pair[kept++], pair, sizeof *b->pairs.pair);
  }
  b->pairs.n = kept;
}

/* Contacts that may find no colour, all of them if there are no colours. */
static int64_t count_crowded(const struct build *b, const int32_t *degree) {
  int64_t n = 0;
  if (!b->cell->size.cd.colored)
    return b->pairs.n + b->wall_pairs.n;
  for (int64_t k = 0; k < b->pairs.n; k++)
    n += cairn_cd_is_crowded(degree[b->pairs.pair[k][0]], degree[b->pairs.pair[k][1]]);
  for (int64_t k = 0; k < b->wall_pairs.n; k++)
    n += cairn_cd_is_crowded(degree[b->wall_pairs.pair[k][0]], 1);
  return n;
}

static int count_groups(struct build *b) {
  int32_t *degree = calloc((size_t)b->n_local + 1, sizeof *degree), most = 0;
  if (!degree)
    return -1;
  for (int64_t k = 0; k < b->pairs.n; k++) {
    degree[b->pairs.pair[k][0]]++;
    degree[b->pairs.pair[k][1]]++;
  }
  for (int64_t k = 0; k < b->wall_pairs.n; k++)
    degree[b->wall_pairs.pair[k][0]]++;
  for (int32_t i = 0; i < b->n_local; i++)
    most = degree[i] > most ? degree[i] : most;
  const int64_t colored = b->cell->size.cd.colored ? cairn_cd_colored_room(b->pairs.n + b->wall_pairs.n) : 0;
  b->cell->size.cd.n_groups = (int32_t)(colored + cairn_cd_room(count_crowded(b, degree), most));
  free(degree);
  return 0;
}

struct numbered {
  int32_t id, at;
};

static int compare_numbered(const void *a, const void *b) {
  const struct numbered *p = a, *q = b;
  return (p->id > q->id) - (p->id < q->id);
}

/* Keep the halo bodies that occur in a pair, in the order of ids, and merge both orders into ranks. */
static int number_bodies(struct build *b) {
  struct cairn_cell *cell = b->cell;
  const int32_t n = cell->size.n;
  b->rank = malloc((size_t)b->n_local * sizeof *b->rank + 1);
  b->local = malloc((size_t)b->n_local * sizeof *b->local + 1);
  struct numbered *halo = malloc((size_t)(b->n_local - n) * sizeof *halo + 1);
  if (!b->rank || !b->local || !halo) {
    free(halo);
    return -1;
  }
  for (int32_t i = 0; i < b->n_local; i++)
    b->rank[i] = b->cells->rules.near > 0. ? 0 : -1;
  for (int64_t k = 0; k < b->pairs.n; k++)
    b->rank[b->pairs.pair[k][0]] = b->rank[b->pairs.pair[k][1]] = 0;
  int32_t n_halo = 0;
  for (int32_t i = n; i < b->n_local; i++)
    if (b->rank[i] == 0)
      halo[n_halo++] = (struct numbered){b->id[i], i};
  if (n_halo > 0)
    qsort(halo, (size_t)n_halo, sizeof *halo, compare_numbered);
  cell->halo_id = malloc((size_t)n_halo * sizeof *cell->halo_id + 1);
  cell->halo = malloc((size_t)n_halo * sizeof *cell->halo + 1);
  if (!cell->halo_id || !cell->halo) {
    free(halo);
    return -1;
  }
  cell->size.n_halo = n_halo;
  int32_t own = 0, other = 0;
  while (own < n || other < n_halo) {
    if (other == n_halo || (own < n && b->id[own] < halo[other].id)) {
      b->rank[own] = own + other;
      b->local[own] = own;
      own++;
    } else {
      const int32_t at = halo[other].at;
      b->rank[at] = own + other;
      b->local[at] = n + other;
      cell->halo_id[other] = halo[other].id;
      cell->halo[other] = b->source[at];
      other++;
    }
  }
  free(halo);
  int32_t *lent = malloc((size_t)cell->n_neighbors * sizeof *lent + 1);
  if (!lent)
    return -1;
  prune_neighbors(cell, lent);
  free(lent);
  return 0;
}

/* Order each pair by id and count the pairs of each lower body; returns where their stretches begin. */
static int32_t *begin_stretches(struct build *b, int32_t n_ranks) {
  int32_t *begin = calloc((size_t)n_ranks + 2, sizeof *begin);
  if (!begin)
    return NULL;
  for (int64_t k = 0; k < b->pairs.n; k++) {
    int32_t *pair = b->pairs.pair[k];
    if (b->rank[pair[0]] > b->rank[pair[1]]) {
      const int32_t swap = pair[0];
      pair[0] = pair[1];
      pair[1] = swap;
    }
    begin[b->rank[pair[0]] + 1]++;
  }
  for (int32_t r = 0; r < n_ranks; r++)
    begin[r + 1] += begin[r];
  return begin;
}

/* Sort the pairs by (lower id, higher id): a counting sort by the first, insertion by the second. */
static int sort_pairs(struct build *b) {
  const int32_t n_ranks = b->cell->size.n + b->cell->size.n_halo;
  int32_t *begin = begin_stretches(b, n_ranks), *filled = calloc((size_t)n_ranks + 1, sizeof *filled);
  int32_t(*sorted)[2] = malloc((size_t)b->pairs.n * sizeof *sorted + 1);
  const int failed = !begin || !filled || !sorted;
  for (int64_t k = 0; k < b->pairs.n && !failed; k++) {
    const int32_t *pair = b->pairs.pair[k];
    const int32_t first = b->rank[pair[0]];
    int32_t hole = begin[first] + filled[first]++;
    for (; hole > begin[first] && b->rank[sorted[hole - 1][1]] > b->rank[pair[1]]; hole--)
      memcpy(sorted[hole], sorted[hole - 1], sizeof *sorted);
    memcpy(sorted[hole], pair, sizeof *sorted);
  }
  free(begin);
  free(filled);
  if (failed) {
    free(sorted);
    return -1;
  }
  free(b->pairs.pair);
  b->pairs.pair = sorted;
  b->pairs.capacity = b->pairs.n;
  return 0;
}

/* Pairs with walls of free assemblies. */
static int32_t count_free_contacts(const struct build *b) {
  const struct cairn_cells_rules *rules = &b->cells->rules;
  int32_t n = 0;
  for (int32_t p = 0; p < b->cell->size.n_wall_pairs && rules->solves; p++) {
    const double *wall = cairn_walls_of(rules->world, rules->n_laws) + (int64_t)CAIRN_WALL * b->wall_pairs.pair[p][1];
    n += cairn_walls_assembly(wall, rules->assemblies)[CAIRN_ASSEMBLY_IS_FREE] != 0.;
  }
  return n;
}

/* Of own bodies alone. */
static void fill_own(const struct build *b, int32_t i, const struct cairn_body *body,
                     const struct cairn_body_extra *extra) {
  struct cairn_cell *cell = b->cell;
  const struct cairn_pair_list_offsets o = cairn_pair_list_offsets(cell->size);
  const double inertia = 0.4 * body->mass * body->radius * body->radius;
  const double *place = b->cells->rules.by_reference ? extra->reference : body->state + CAIRN_STATE_X;
  memcpy(cell->state + (int64_t)CAIRN_STATE * i, body->state, CAIRN_STATE * sizeof(double));
  memcpy((double *)((char *)cell->pair_list + o.reference) + 3 * (int64_t)i, place, 3 * sizeof(double));
  ((double *)((char *)cell->pair_list + o.inverse_mass))[i] = 1. / body->mass;
  ((double *)((char *)cell->pair_list + o.inverse_inertia))[i] = 1. / inertia;
  if (cell->size.n_captures > 0) {
    double *captor = cell->state + cairn_capture_offset(cell->size, i);
    captor[CAIRN_CAPTURE_CAPTOR] = (double)body->captor;
    captor[CAIRN_CAPTURE_TIME] = extra->capture_time;
    memcpy(captor + CAIRN_CAPTURE_PLACE, extra->capture_place, 3 * sizeof(double));
  }
}

static void fill_bodies(const struct build *b) {
  struct cairn_cell *cell = b->cell;
  double *field = (double *)((char *)cell->pair_list + cairn_pair_list_offsets(cell->size).field);
  int32_t *material = (int32_t *)((char *)cell->pair_list + cairn_pair_list_offsets(cell->size).material);
  for (int32_t i = 0; i < cell->size.n + cell->size.n_halo; i++) {
    const struct cairn_halo_source source =
        i < cell->size.n ? (struct cairn_halo_source){-1, i} : cell->halo[i - cell->size.n];
    const struct cairn_packet *packet =
        source.neighbor < 0 ? cell->packet : cairn_cells_packet(b->cells, cell->neighbor[source.neighbor]);
    const struct cairn_body *body = cairn_packet_bodies(packet) + source.index;
    const struct cairn_body_extra *extra = packet->n_extra > 0 ? cairn_packet_extras(packet) + source.index : NULL;
    const double inertia = 0.4 * body->mass * body->radius * body->radius;
    double *predicted = cell->predicted + (int64_t)CAIRN_PREDICTED * i;
    memcpy(predicted + CAIRN_PREDICTED_X, body->state + CAIRN_STATE_X, 3 * sizeof(double));
    memcpy(predicted + CAIRN_PREDICTED_V, body->state + CAIRN_STATE_V, 3 * sizeof(double));
    memcpy(predicted + CAIRN_PREDICTED_W, body->state + CAIRN_STATE_W, 3 * sizeof(double));
    predicted[CAIRN_PREDICTED_R] = body->radius;
    predicted[CAIRN_PREDICTED_I] = 1. / inertia;
    if (cell->size.n_fields > 0)
      memcpy(field + 3 * (int64_t)i, extra->gravity, 3 * sizeof(double));
    if (cell->size.n_materials > 0)
      material[i] = body->material;
    if (i < cell->size.n)
      fill_own(b, i, body, extra);
  }
}

/* The lists are written through these; the kernel sees them as constant. */
struct lists {
  double *root_mass;
  int32_t *a, *b, *law;
};

static struct lists lists_of(struct cairn_cell *cell) {
  const struct cairn_pair_list_offsets o = cairn_pair_list_offsets(cell->size);
  char *pair_list = cell->pair_list;
  return (struct lists){.root_mass = (double *)(pair_list + o.root_mass),
                        .a = (int32_t *)(pair_list + o.a),
                        .b = (int32_t *)(pair_list + o.b),
                        .law = (int32_t *)(pair_list + o.law)};
}

/* A contact is filed under one of its bodies, almost always the lower. */
static const struct cairn_contact *find_contact(const struct build *b, int32_t i, int32_t j) {
  const int32_t low = b->id[i], high = b->id[j];
  const struct cairn_contact *contact =
      cairn_packet_find(packet_of(b, i), CAIRN_PACKET_PAIRS, b->source[i].index, low, high, 0);
  if (!contact && b->cells->rules.own_pairs)
    contact = cairn_packet_find(packet_of(b, j), CAIRN_PACKET_PAIRS, b->source[j].index, low, high, 0);
  return contact;
}

static bool is_bonded(const struct build *b, const struct cairn_contact *contact) {
  const int at = cairn_contact_offset(b->cells->rules.memory, CAIRN_CONTACT_bond_length);
  return contact && ((const double *)(const void *)(contact + 1))[at] != 0.;
}

/* The bonds of the pairs in the list, those with walls included. Not 0 if one of an own body is missing there. */
static int count_bonds(struct build *b) {
  const struct cairn_packet *packet = b->cell->packet;
  int64_t n = 0, n_own = 0, n_filed = 0;
  if (!(b->cells->rules.memory & CAIRN_CONTACT_REMEMBERS(bond_length)))
    return 0;
  b->cell->size.bonds = CAIRN_BOND;
  for (int64_t k = 0; k < b->pairs.n; k++) {
    const int32_t *pair = b->pairs.pair[k];
    const bool bonded = is_bonded(b, find_contact(b, pair[0], pair[1]));
    n += bonded;
    n_own += bonded && pair[0] < b->cell->size.n;
  }
  for (int l = 0; l < CAIRN_PACKET_LISTS; l++)
    for (int64_t k = 0; k < packet->n_contacts[l]; k++)
      n_filed += is_bonded(b, cairn_packet_contact(packet, (enum cairn_packet_list)l, k));
  for (int64_t k = 0; k < b->wall_pairs.n; k++) {
    const int32_t *pair = b->wall_pairs.pair[k];
    n_own += is_bonded(b, cairn_packet_find(packet, CAIRN_PACKET_WALLS, pair[0], b->id[pair[0]], pair[1], 0));
  }
  b->cell->size.n_bonds = (int32_t)(n + n_filed);
  return n_own < n_filed && !b->cells->rules.captures; /* a partner may just have been removed */
}

static void fill_pairs(const struct build *b, const struct lists *l) {
  const int32_t n_materials = b->cells->rules.n_materials;
  for (int32_t k = 0; k < b->cell->size.n_pairs; k++) {
    const int32_t i = b->pairs.pair[k][0], j = b->pairs.pair[k][1];
    const struct cairn_body *low = cairn_packet_bodies(packet_of(b, i)) + b->source[i].index,
                            *high = cairn_packet_bodies(packet_of(b, j)) + b->source[j].index;
    l->a[k] = b->local[i];
    l->b[k] = b->local[j];
    l->law[k] = b->cells->rules.law[low->material * n_materials + high->material];
    l->root_mass[k] = sqrt(low->mass * high->mass / (low->mass + high->mass));
    const struct cairn_contact *contact = find_contact(b, i, j);
    if (contact)
      cairn_cell_contacts_unpack(b->cell, k, contact);
  }
}

static void fill_wall_pairs(const struct build *b, const struct lists *l) {
  const struct cairn_cells_rules *rules = &b->cells->rules;
  const struct cairn_packet *packet = b->cell->packet;
  uint32_t slot = 0;
  for (int32_t p = 0; p < b->cell->size.n_wall_pairs; p++) {
    const int32_t k = b->cell->size.n_pairs + p, i = b->wall_pairs.pair[p][0], w = b->wall_pairs.pair[p][1];
    const struct cairn_body *body = cairn_packet_bodies(packet) + i;
    const double m = body->mass, mass = rules->wall_mass[w];
    slot = p > 0 && b->wall_pairs.pair[p - 1][0] == i && b->wall_pairs.pair[p - 1][1] == w ? slot + 1 : 0;
    l->a[k] = i;
    l->b[k] = w;
    l->law[k] = rules->wall_law[w * rules->n_materials + body->material];
    l->root_mass[k] = sqrt(isinf(mass) ? m : m * mass / (m + mass));
    const struct cairn_contact *contact = cairn_packet_find(packet, CAIRN_PACKET_WALLS, i, body->id, w, slot);
    if (contact)
      cairn_cell_contacts_unpack(b->cell, k, contact);
  }
}

/* For each own body the pairs it occurs in, in the order of the list (kernels/common/blocks.h). */
static void fill_pairs_by_body(const struct cairn_cell *cell, const struct lists *l) {
  if (cell->size.n_pairs_by_body == 0)
    return;
  const struct cairn_pair_list_offsets o = cairn_pair_list_offsets(cell->size);
  int32_t *first = (int32_t *)((char *)cell->pair_list + o.first),
          *entry = (int32_t *)((char *)cell->pair_list + o.entry);
  const int32_t n = cell->size.n, n_pairs = cell->size.n_pairs, all = n_pairs + cell->size.n_wall_pairs;
  /* counted one place up, so that filling moves each beginning to its place */
  for (int32_t k = 0; k < all; k++) {
    if (l->a[k] + 2 <= n)
      first[l->a[k] + 2]++;
    if (k < n_pairs && l->b[k] + 2 <= n)
      first[l->b[k] + 2]++;
  }
  for (int32_t i = 2; i <= n; i++)
    first[i] += first[i - 1];
  for (int32_t k = 0; k < all; k++) {
    if (l->a[k] < n)
      entry[first[l->a[k] + 1]++] = 2 * k;
    if (k < n_pairs && l->b[k] < n)
      entry[first[l->b[k] + 1]++] = 2 * k + 1;
  }
}

static int32_t count_pairs_by_body(const struct build *b) {
  int32_t entries = b->cell->size.n_wall_pairs;
  for (int64_t k = 0; k < b->pairs.n; k++)
    entries += (b->pairs.pair[k][0] < b->cell->size.n) + (b->pairs.pair[k][1] < b->cell->size.n);
  return entries;
}

static void free_build(struct build *b) {
  free(b->neighbor);
  free(b->sphere);
  free(b->id);
  free(b->source);
  free(b->rank);
  free(b->local);
  cairn_search_pairs_fini(&b->pairs);
  cairn_search_pairs_fini(&b->wall_pairs);
}

int cairn_cells_build(struct cairn_cells *cells, cairn_cell_t c, struct cairn_error *error) {
  struct build b = {.cells = cells, .cell = cells->cell + c};
  int failed = collect_bodies(&b);
  if (!failed && !(cells->rules.near > 0.))
    failed = cairn_search_pairs(b.sphere, b.cell->size.n, b.n_local, cells->skin, &b.pairs, error);
  if (!failed)
    failed = cairn_cell_walls_find(cells, b.cell, b.sphere, &b.wall_pairs);
  if (!failed && b.pairs.n + b.wall_pairs.n > INT32_MAX / 4)
    failed = -1;
  if (!failed && cells->rules.own_pairs)
    keep_own_pairs(&b);
  if (!failed && cells->rules.solves) {
    b.cell->size.cd.colored = cells->rules.devices && cells->n_cells > 1;
    failed = count_groups(&b);
    b.cell->size.cd.rotation = cells->rules.rotation;
  }
  if (!failed)
    failed = number_bodies(&b) || sort_pairs(&b);
  const int lost = !failed && count_bonds(&b);
  failed = failed || lost;
  if (!failed) {
    b.cell->size.n_pairs = (int32_t)b.pairs.n;
    b.cell->size.n_wall_pairs = (int32_t)b.wall_pairs.n;
    b.cell->size.n_fields = cells->rules.fields ? b.cell->size.n + b.cell->size.n_halo : 0;
    b.cell->size.n_materials = cells->rules.near > 0. ? b.cell->size.n + b.cell->size.n_halo : 0;
    b.cell->size.n_near = (int32_t)fmin(cells->rules.near * b.cell->size.n, INT32_MAX / 4);
    b.cell->size.n_captures = cells->rules.captures ? b.cell->size.n : 0;
    b.cell->size.memory = cairn_contact_offset(cells->rules.memory, CAIRN_CONTACT_N_MEMORIES);
    b.cell->size.n_pairs_by_body =
        cells->rules.pairs_by_body || (cells->rules.devices && !cells->rules.solves) ? count_pairs_by_body(&b) : 0;
    b.cell->n_free_contacts = count_free_contacts(&b);
    failed = cairn_cell_blocks_allocate(cells, b.cell);
  }
  if (!failed) {
    const struct lists lists = lists_of(b.cell);
    fill_bodies(&b);
    fill_pairs(&b, &lists);
    fill_wall_pairs(&b, &lists);
    fill_pairs_by_body(b.cell, &lists);
  }
  free_build(&b);
  if (lost)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "a bond reaches beyond the neighbours of its body");
  return failed ? cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a cell of %d bodies", b.cell->size.n)
                : 0;
}
