#include "kernels/soft/soft_spheres.h"

#include <string.h>

#include "kernels/common/vector.h"

/* Pairs are computed a tile at a time: the bodies' packets are turned into arrays, a vector loop computes the law, and
 * its results are added to the bodies in the order of the list. A tile stays in the first-level cache. */
enum { TILE = 64 };

struct tile {
  _Alignas(64) double a[CAIRN_PREDICTED][TILE], b[CAIRN_PREDICTED][TILE];
  double fx[TILE], fy[TILE], fz[TILE];
  double t1x[TILE], t1y[TILE], t1z[TILE];
  double t2x[TILE], t2y[TILE], t2z[TILE];
  double gap[TILE];  /* m, that a bond spans; negative: none */
  double todo[TILE]; /* 1: with a bond that is not done yet */
};

CAIRN_INLINE void put_result(struct tile *restrict tile, int32_t k, const struct cairn_contact_result *r) {
  tile->fx[k] = r->fx;
  tile->fy[k] = r->fy;
  tile->fz[k] = r->fz;
  tile->t1x[k] = r->t1x;
  tile->t1y[k] = r->t1y;
  tile->t1z[k] = r->t1z;
  tile->t2x[k] = r->t2x;
  tile->t2y[k] = r->t2y;
  tile->t2z[k] = r->t2z;
}

CAIRN_INLINE struct cairn_contact_result get_result(const struct tile *restrict tile, int32_t k) {
  return (struct cairn_contact_result){.fx = tile->fx[k],
                                       .fy = tile->fy[k],
                                       .fz = tile->fz[k],
                                       .t1x = tile->t1x[k],
                                       .t1y = tile->t1y[k],
                                       .t1z = tile->t1z[k],
                                       .t2x = tile->t2x[k],
                                       .t2y = tile->t2y[k],
                                       .t2z = tile->t2z[k]};
}

/* r where `holds` is 1, else the other one. */
CAIRN_INLINE void choose_result(double holds, const struct cairn_contact_result *r,
                                const struct cairn_contact_result *other, struct tile *restrict tile, int32_t k) {
  tile->fx[k] = holds > 0. ? r->fx : other->fx;
  tile->fy[k] = holds > 0. ? r->fy : other->fy;
  tile->fz[k] = holds > 0. ? r->fz : other->fz;
  tile->t1x[k] = holds > 0. ? r->t1x : other->t1x;
  tile->t1y[k] = holds > 0. ? r->t1y : other->t1y;
  tile->t1z[k] = holds > 0. ? r->t1z : other->t1z;
  tile->t2x[k] = holds > 0. ? r->t2x : other->t2x;
  tile->t2y[k] = holds > 0. ? r->t2y : other->t2y;
  tile->t2z[k] = holds > 0. ? r->t2z : other->t2z;
}

/* Two and four doubles; the compiler maps them to what the clone's machine has. */
typedef double pair_vector __attribute__((vector_size(16), aligned(8)));
typedef double vector __attribute__((vector_size(32)));

struct cairn_soft_spheres cairn_kernel_soft_spheres_bind(struct cairn_cell_size size, void *state, void *predicted,
                                                         const void *pair_list, void *history, const void *world,
                                                         void *assemblies, void *force) {
  const struct cairn_pair_list_offsets l = cairn_pair_list_offsets(size);
  const struct cairn_history_offsets s = cairn_history_offsets(size);
  const cairn_int others = size.memory - size.bonds;
  const char *fixed = pair_list;
  char *memory = history;
  struct cairn_soft_spheres cell = {
      .size = size,
      .state = state,
      .predicted = predicted,
      .force = force,
      .inverse_mass = (const double *)(fixed + l.inverse_mass),
      .field = size.n_fields > 0 ? (const double *)(fixed + l.field) : NULL,
      .inverse_inertia = (const double *)(fixed + l.inverse_inertia),
      .reference = (const double *)(fixed + l.reference),
      .root_mass = (const double *)(fixed + l.root_mass),
      .a = (const int32_t *)(fixed + l.a),
      .b = (const int32_t *)(fixed + l.b),
      .law = (const int32_t *)(fixed + l.law),
      .sx = (double *)(memory + s.memory),
      .sy = (double *)(memory + s.memory + s.column),
      .sz = (double *)(memory + s.memory + 2 * s.column),
      .qx = others >= 6 ? (double *)(memory + s.memory + 3 * s.column) : NULL,
      .qy = others >= 6 ? (double *)(memory + s.memory + 4 * s.column) : NULL,
      .qz = others >= 6 ? (double *)(memory + s.memory + 5 * s.column) : NULL,
      .age = (uint32_t *)(memory + s.age),
      .normal = (double *)(memory + s.normal),
      .wall_load = (double *)(memory + s.wall_load),
      .rest = others % 3 == 1 ? (double *)(memory + s.memory + (size_t)(others - 1) * s.column) : NULL,
      .captor = size.n_captures > 0 && state ? (double *)state + (int64_t)CAIRN_STATE * size.n : NULL,
      .breaks = size.n_bonds > 0 ? (struct cairn_bond_breaks *)(void *)(memory + s.breaks) : NULL,
      .world = world,
      .assemblies = assemblies,
  };
  for (cairn_int k = 0; k < size.bonds; k++)
    cell.bond[k] = (double *)(memory + s.memory + (size_t)(others + k) * s.column);
  return cell;
}

/* The packets of four bodies as four entries of each array: a transposition, cheaper than gathering number by number.
 */
CAIRN_INLINE void transpose(const double *restrict predicted, const int32_t *restrict body,
                            double (*restrict out)[TILE], int32_t k) {
  const double *p0 = predicted + (int64_t)CAIRN_PREDICTED * body[0],
               *p1 = predicted + (int64_t)CAIRN_PREDICTED * body[1];
  const double *p2 = predicted + (int64_t)CAIRN_PREDICTED * body[2],
               *p3 = predicted + (int64_t)CAIRN_PREDICTED * body[3];
  for (int part = 0; part < CAIRN_PREDICTED; part += 2) {
    const pair_vector r0 = *(const pair_vector *)(p0 + part), r1 = *(const pair_vector *)(p1 + part);
    const pair_vector r2 = *(const pair_vector *)(p2 + part), r3 = *(const pair_vector *)(p3 + part);
    const vector even = __builtin_shufflevector(r0, r2, 0, 1, 2, 3), odd = __builtin_shufflevector(r1, r3, 0, 1, 2, 3);
    *(vector *)&out[part][k] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    *(vector *)&out[part + 1][k] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
  }
}

/* The bodies of `count` pairs; a last group of fewer than four is filled up with the last pair. */
CAIRN_INLINE void tile_load(const struct cairn_soft_spheres *restrict c, int32_t first, int32_t count,
                            struct tile *restrict tile) {
  const int32_t *a = c->a + first, *b = c->b + first;
  int32_t k = 0;
  for (; k + 4 <= count; k += 4) {
    transpose(c->predicted, a + k, tile->a, k);
    transpose(c->predicted, b + k, tile->b, k);
  }
  if (k < count) {
    int32_t last_a[4], last_b[4];
    for (int32_t i = 0; i < 4; i++) {
      last_a[i] = a[k + i < count ? k + i : count - 1];
      last_b[i] = b[k + i < count ? k + i : count - 1];
    }
    transpose(c->predicted, last_a, tile->a, k);
    transpose(c->predicted, last_b, tile->b, k);
  }
}

/* Bonds of a tile. They act in loops like that of the law; what is rare, a bond that breaks, one that is broken
 * already, a body that was removed, is left to kernels/soft/soft_bonds.c. */
struct tile_bonds {
  double *restrict length;
  const double *restrict stiffness, *restrict strain, *restrict law; /* of the pairs */
  const double *laws;                                                /* of the world */
  double only[CAIRN_BOND_LAW_DOUBLES];                               /* the first of them */
};

CAIRN_INLINE struct tile_bonds bonds_of(const struct cairn_soft_spheres *c, int32_t first) {
  struct tile_bonds b = {.length = c->bond[CAIRN_BOND_LENGTH] + first,
                         .stiffness = c->bond[CAIRN_BOND_STIFFNESS] + first,
                         .strain = c->bond[CAIRN_BOND_STRAIN] + first,
                         .law = c->bond[CAIRN_BOND_LAW] + first,
                         .laws = c->world + (size_t)c->world[CAIRN_WORLD_BONDS]};
  memcpy(b.only, b.laws, sizeof b.only);
  return b;
}

CAIRN_INLINE struct cairn_bond bond_at(const struct tile_bonds *b, int32_t k) {
  return (struct cairn_bond){b->length[k], b->stiffness[k], b->strain[k], b->law[k]};
}

/* The law of a bond; where all have one it is read once. Of a table, here and in that of the contact laws, gcc gathers
 * numbers only if they have an index that comes from an array: no product, no pointer to a row. */
CAIRN_INLINE struct cairn_bond_law bond_law_at(const struct tile_bonds *b, int uniform, const int32_t *rows,
                                               int32_t k) {
  const double *t = uniform ? b->only : b->laws;
  const int32_t i = uniform ? 0 : rows[k];
  return (struct cairn_bond_law){t[i], t[i + 1], t[i + 2], t[i + 3], t[i + 4], t[i + 5], t[i + 6], t[i + 7]};
}

CAIRN_INLINE void bond_rows(const struct tile_bonds *b, int uniform, int32_t count, int32_t *rows) {
  for (int32_t k = 0; k < count && !uniform; k++)
    rows[k] = CAIRN_BOND_LAW_DOUBLES * (int32_t)b->law[k];
}

/* In the loops over a tile everything that tells pairs apart is a double, 1 for yes: gcc does not combine comparisons
 * of doubles with integers of another size, and would leave the loop to scalars. */
CAIRN_INLINE double is_here(const struct tile *tile, int32_t k) {
  const double a = tile->a[CAIRN_PREDICTED_X][k], b = tile->b[CAIRN_PREDICTED_X][k], farther = a > b ? a : b;
  return farther > 0.5 * CAIRN_GONE ? 0. : 1.;
}

/* The spring beside contact k, added to its forces; returns 1 if it holds and is done. */
CAIRN_INLINE double tile_spring(const struct tile_bonds *b, int uniform, const int32_t *rows, int32_t k,
                                const struct cairn_contact_pair *pair, double full, double h,
                                struct tile *restrict tile, struct cairn_contact_result *r) {
  const struct cairn_bond bond = bond_at(b, k);
  const struct cairn_bond_law law = bond_law_at(b, uniform, rows, k);
  const double distance = full - pair->x, un = pair->vx * pair->nx + pair->vy * pair->ny + pair->vz * pair->nz;
  const double pull = cairn_bond_spring_force(&law, &bond, pair, distance, un);
  const double whole = cairn_bond_spring_is_torn(&law, &bond, distance, un) > 0. ? 0. : is_here(tile, k);
  const double grips = law.slips * r->slips > 0. ? 0. : whole, acts = law.beam == 0. ? grips : 0.;
  const double holds = bond.length > 0. ? acts : 0.;
  r->fx = holds > 0. ? r->fx + pull * pair->nx : r->fx;
  r->fy = holds > 0. ? r->fy + pull * pair->ny : r->fy;
  r->fz = holds > 0. ? r->fz + pull * pair->nz : r->fz;
  const double crept = bond.length + h * law.creep * (distance - bond.length), gap = distance - full;
  b->length[k] = holds > 0. ? crept : bond.length;
  tile->gap[k] = holds > 0. ? gap : -1.;
  return holds;
}

/* What the pairs of a tile remember; without rolling springs their columns are not there. */
struct tile_history {
  double *restrict sx, *restrict sy, *restrict sz, *restrict qx, *restrict qy, *restrict qz;
  uint32_t *restrict age;
};

CAIRN_INLINE struct tile_history history_of(const struct cairn_soft_spheres *c, int32_t first, int springs) {
  return (struct tile_history){.sx = c->sx + first,
                               .sy = c->sy + first,
                               .sz = c->sz + first,
                               .qx = springs ? c->qx + first : NULL,
                               .qy = springs ? c->qy + first : NULL,
                               .qz = springs ? c->qz + first : NULL,
                               .age = c->age + first};
}

CAIRN_INLINE struct cairn_contact_history recall(const struct tile_history *t, int springs, int32_t k) {
  return (struct cairn_contact_history){.sx = t->sx[k],
                                        .sy = t->sy[k],
                                        .sz = t->sz[k],
                                        .qx = springs ? t->qx[k] : 0.,
                                        .qy = springs ? t->qy[k] : 0.,
                                        .qz = springs ? t->qz[k] : 0.};
}

/* What a contact of this age remembers: `old` is 0 for a new one. */
CAIRN_INLINE struct cairn_contact_history history_before(const struct cairn_contact_history *was, int springs,
                                                         double old, double seconds) {
  return (struct cairn_contact_history){.sx = old * was->sx,
                                        .sy = old * was->sy,
                                        .sz = old * was->sz,
                                        .qx = springs ? old * was->qx : 0.,
                                        .qy = springs ? old * was->qy : 0.,
                                        .qz = springs ? old * was->qz : 0.,
                                        .seconds = seconds};
}

/* `now` where `changes` is 1, else what was there. */
CAIRN_INLINE void remember(const struct tile_history *t, int springs, int32_t k, double changes,
                           const struct cairn_contact_history *now, const struct cairn_contact_history *was) {
  t->sx[k] = changes > 0. ? now->sx : was->sx;
  t->sy[k] = changes > 0. ? now->sy : was->sy;
  t->sz[k] = changes > 0. ? now->sz : was->sz;
  if (springs) {
    t->qx[k] = changes > 0. ? now->qx : was->qx;
    t->qy[k] = changes > 0. ? now->qy : was->qy;
    t->qz[k] = changes > 0. ? now->qz : was->qz;
  }
}

/* The law over the pairs first … first+count-1; returns how many overlap beyond the limit. */
CAIRN_INLINE int32_t tile_law(const struct cairn_soft_spheres *restrict c, int32_t first, int32_t count, int kind,
                              int uniform, int rotation, int attracts, int bonds, int necks,
                              struct tile *restrict tile) {
  const int32_t *restrict law = c->law + first;
  const double *restrict root_mass = c->root_mass + first;
  const int springs = rotation == CAIRN_ROLLING_SPRING;
  const struct tile_history t = history_of(c, first, springs);
  const struct tile_bonds held = bonds ? bonds_of(c, first) : (struct tile_bonds){0};
  const double *restrict laws = c->world + CAIRN_WORLD_LAWS;
  double only[CAIRN_LAW_DOUBLES]; /* a copy that nothing in the loop can change */
  memcpy(only, laws, sizeof only);
  const double h = c->h, limit = c->world[CAIRN_WORLD_LIMIT];
  int32_t beyond = 0, row[TILE], bond_row[TILE];
  for (int32_t k = 0; k < count && !uniform; k++)
    row[k] = CAIRN_LAW_DOUBLES * law[k];
  if (bonds)
    bond_rows(&held, uniform, count, bond_row);
#pragma GCC ivdep
  for (int32_t k = 0; k < count; k++) {
    const struct cairn_contact_pair pair =
        cairn_pairs_bodies(&tile->a[0][k], &tile->b[0][k], TILE, root_mass[k], rotation);
    double mine[CAIRN_LAW_DOUBLES];
    for (int j = 0; j < CAIRN_LAW_DOUBLES && !uniform; j++)
      mine[j] = laws[row[k] + j];
    const double *constants = uniform ? only : mine;
    const uint32_t steps = t.age[k];
    const struct cairn_contact_history was = recall(&t, springs, k);
    const struct cairn_contact_history before =
        history_before(&was, springs, steps > 0 ? 1. : 0., (double)(int32_t)steps * h);
    struct cairn_contact_result r = cairn_laws_contact(kind, constants, &pair, h, &before, rotation);
    if (attracts) {
      const struct cairn_attraction attraction = cairn_laws_attraction(constants);
      cairn_attraction_add(&attraction, &pair, h, &r);
    }
    if (necks) {
      const struct cairn_neck neck = cairn_laws_neck(constants);
      cairn_neck_add(&neck, &pair, steps > 0, h, &r);
    }
    const double r1 = tile->a[CAIRN_PREDICTED_R][k], r2 = tile->b[CAIRN_PREDICTED_R][k], smaller = r1 < r2 ? r1 : r2;
    const double length = bonds ? held.length[k] : 0.;
    const double spring = bonds ? tile_spring(&held, uniform, bond_row, k, &pair, r1 + r2, h, tile, &r) : 0.;
    const double later = length != 0. ? 1. - spring : 0.; /* its history stays as it is */
    const double overlap = length != 0. ? -1. : pair.x;   /* that of a bond does not count */
    beyond += overlap > limit * smaller ? 1 : 0;
    put_result(tile, k, &r);
    const struct cairn_contact_history now = {r.sx, r.sy, r.sz, r.qx, r.qy, r.qz, 0.};
    remember(&t, springs, k, 1. - later, &now, &was);
    const uint32_t older = cairn_blocks_age(steps, spring > 0. ? 1. : r.weight);
    const double stays = h == 0. ? later + spring : later;
    t.age[k] = stays > 0. ? steps : older;
    if (bonds)
      tile->todo[k] = later;
  }
  return beyond;
}

/* The beams of a tile, each in place of what the law made of the pair. */
CAIRN_INLINE void tile_beams(const struct cairn_soft_spheres *restrict c, int32_t first, int32_t count, int uniform,
                             struct tile *restrict tile) {
  const struct tile_bonds b = bonds_of(c, first);
  const double *restrict root_mass = c->root_mass + first;
  const struct tile_history t = history_of(c, first, 1);
  int32_t rows[TILE];
  bond_rows(&b, uniform, count, rows);
  const double h = c->h;
#pragma GCC ivdep
  for (int32_t k = 0; k < count; k++) {
    const struct cairn_bond bond = bond_at(&b, k);
    const struct cairn_bond_law law = bond_law_at(&b, uniform, rows, k);
    const struct cairn_contact_pair pair = cairn_pairs_bodies(&tile->a[0][k], &tile->b[0][k], TILE, root_mass[k], 1);
    const double full = tile->a[CAIRN_PREDICTED_R][k] + tile->b[CAIRN_PREDICTED_R][k], distance = full - pair.x;
    const struct cairn_contact_history was = recall(&t, 1, k);
    const struct cairn_contact_result other = get_result(tile, k);
    const double other_gap = tile->gap[k], other_todo = tile->todo[k];
    const uint32_t steps = t.age[k];
    struct cairn_contact_history now = was;
    struct cairn_contact_result r = other;
    const struct cairn_bond_parts parts =
        cairn_bond_beam(&law, &bond, &pair, h, distance, 0.5 * full, steps <= 1, &now, &r);
    const double whole = cairn_bond_beam_load(&parts) > 1. ? 0. : is_here(tile, k);
    const double acts = law.beam != 0. ? whole : 0., holds = bond.length > 0. ? acts : 0.;
    choose_result(holds, &r, &other, tile, k);
    remember(&t, 1, k, holds, &now, &was);
    const uint32_t older = cairn_blocks_age(steps, 1.);
    const double ages = h > 0. ? holds : 0.;
    t.age[k] = ages > 0. ? older : steps;
    const double crept = bond.length + h * law.creep * (distance - bond.length), gap = distance - full;
    b.length[k] = holds > 0. ? crept : bond.length;
    tile->gap[k] = holds > 0. ? gap : other_gap;
    tile->todo[k] = holds > 0. ? 0. : other_todo;
  }
}

/* Whatever the contact law: not once more for each of the loops below. */
CAIRN_CLONES static void beams_uniform(const struct cairn_soft_spheres *c, int32_t first, int32_t count,
                                       struct tile *tile) {
  tile_beams(c, first, count, 1, tile);
}
CAIRN_CLONES static void beams_table(const struct cairn_soft_spheres *c, int32_t first, int32_t count,
                                     struct tile *tile) {
  tile_beams(c, first, count, 0, tile);
}

/* The largest of some numbers of a tile, found in lanes: in one row each comparison would wait for the last. */
CAIRN_INLINE double largest_of(const double *x, int32_t count) {
  enum { LANES = 8 };
  double most[LANES], largest = -1.;
  int32_t k = 0;
  for (int i = 0; i < LANES; i++)
    most[i] = -1.;
  for (; k + LANES <= count; k += LANES)
    for (int i = 0; i < LANES; i++)
      most[i] = x[k + i] > most[i] ? x[k + i] : most[i];
  for (int i = 0; i < LANES; i++)
    largest = most[i] > largest ? most[i] : largest;
  for (; k < count; k++)
    largest = x[k] > largest ? x[k] : largest;
  return largest;
}

/* What is left: beams, then the rare cases one by one. */
CAIRN_INLINE void tile_bonds(const struct cairn_soft_spheres *restrict c, int32_t first, int32_t count, int uniform,
                             struct tile *restrict tile, struct cairn_report *report) {
  if (largest_of(tile->todo, count) > 0. && c->qx)
    (uniform ? beams_uniform : beams_table)(c, first, count, tile);
  const double gap = largest_of(tile->gap, count);
  report->bond_gap = gap > report->bond_gap ? gap : report->bond_gap;
  if (!(largest_of(tile->todo, count) > 0.))
    return;
  for (int32_t k = 0; k < count; k++) {
    if (tile->todo[k] == 0.)
      continue;
    const struct cairn_contact_result r = cairn_kernel_soft_bonds_pair(c, first + k, report);
    put_result(tile, k, &r);
  }
}

/* The list is sorted by (lower id, higher id): each body receives its contributions in the order of its partners' ids,
 * whatever the cells. Pairs that do not touch add nothing. */
CAIRN_INLINE void tile_add(const struct cairn_soft_spheres *restrict c, int32_t first, int32_t count,
                           const struct tile *restrict in) {
  double *restrict force = c->force;
  for (int32_t k = 0; k < count; k++) {
    double *f = force + (int64_t)CAIRN_FORCE * c->a[first + k], *g = force + (int64_t)CAIRN_FORCE * c->b[first + k];
    f[0] += in->fx[k];
    f[1] += in->fy[k];
    f[2] += in->fz[k];
    f[3] += in->t1x[k];
    f[4] += in->t1y[k];
    f[5] += in->t1z[k];
    g[0] -= in->fx[k];
    g[1] -= in->fy[k];
    g[2] -= in->fz[k];
    g[3] += in->t2x[k];
    g[4] += in->t2y[k];
    g[5] += in->t2z[k];
  }
}

/* Rare: find the worst overlap of a tile for the warning. */
static void report_overlaps(const struct cairn_soft_spheres *c, int32_t first, int32_t count,
                            struct cairn_report *report) {
  for (int32_t k = first; k < first + count; k++) {
    const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k],
                 *q = c->predicted + (int64_t)CAIRN_PREDICTED * c->b[k];
    const double overlap = cairn_soft_spheres_is_bonded(c, k) ? 0. : cairn_soft_spheres_overlap(p, q);
    if (overlap > report->overlap) {
      report->overlap = overlap;
      report->overlap_a = c->a[k];
      report->overlap_b = c->b[k];
    }
  }
}

CAIRN_INLINE int32_t all_pairs(const struct cairn_soft_spheres *restrict c, int kind, int uniform, int rotation,
                               int attracts, int bonds, int necks, struct cairn_report *report) {
  int32_t beyond = 0;
  for (int32_t first = 0; first < c->size.n_pairs; first += TILE) {
    const int32_t left = c->size.n_pairs - first, count = left < TILE ? left : TILE;
    struct tile tile;
    tile_load(c, first, count, &tile);
    const int32_t here = tile_law(c, first, count, kind, uniform, rotation, attracts, bonds, necks, &tile);
    if (bonds)
      tile_bonds(c, first, count, uniform, &tile, report);
    tile_add(c, first, count, &tile);
    if (here > 0)
      report_overlaps(c, first, count, report);
    beyond += here;
  }
  return beyond;
}

/* One clone set for each kind of scenario: its law; its kind of rolling and twisting friction; where bodies attract
 * each other, where a cell has bonds, both, and with necks. Constants are one set for all pairs or a table of them;
 * with a table of laws of bonds gcc leaves the loop to scalars. */
typedef int32_t pair_loop(const struct cairn_soft_spheres *c, struct cairn_report *report);

#define PAIR_LOOP(law, name, uniform, rotation, attracts, bonds, necks)                                                \
  CAIRN_CLONES static int32_t law##_##name(const struct cairn_soft_spheres *c, struct cairn_report *report) {          \
    return all_pairs(c, CAIRN_LAW_##law, uniform, rotation, attracts, bonds, necks, report);                           \
  }
#define PAIR_LOOP_SET(law, name, uniform, attracts, bonds, necks)                                                      \
  PAIR_LOOP(law, name, uniform, CAIRN_ROLLING_NONE, attracts, bonds, necks)                                            \
  PAIR_LOOP(law, name##_spring, uniform, CAIRN_ROLLING_SPRING, attracts, bonds, necks)                                 \
  PAIR_LOOP(law, name##_viscous, uniform, CAIRN_ROLLING_VISCOUS, attracts, bonds, necks)
#define PAIR_LOOPS(law)                                                                                                \
  PAIR_LOOP_SET(law, table, 0, 0, 0, 0)                                                                                \
  PAIR_LOOP_SET(law, uniform, 1, 0, 0, 0)                                                                              \
  PAIR_LOOP_SET(law, attracts, 0, 1, 0, 0)                                                                             \
  PAIR_LOOP_SET(law, bonds, 0, 0, 1, 0)                                                                                \
  PAIR_LOOP_SET(law, bonds_uniform, 1, 0, 1, 0)                                                                        \
  PAIR_LOOP_SET(law, both, 0, 1, 1, 0)                                                                                 \
  PAIR_LOOP_SET(law, necks, 0, 1, 0, 1)
CAIRN_LAWS(PAIR_LOOPS)

enum { TABLE, ATTRACTS, BONDS, BOTH, NECKS, N_LOOPS };
#define PAIR_LOOP_NAMES(law, name) law##_##name, law##_##name##_spring, law##_##name##_viscous
#define PAIR_LOOP_ROW(law)                                                                                             \
  [CAIRN_LAW_##law] = {[TABLE] = {{PAIR_LOOP_NAMES(law, table)}, {PAIR_LOOP_NAMES(law, uniform)}},                     \
                       [ATTRACTS] = {{PAIR_LOOP_NAMES(law, attracts)}, {PAIR_LOOP_NAMES(law, attracts)}},              \
                       [BONDS] = {{PAIR_LOOP_NAMES(law, bonds)}, {PAIR_LOOP_NAMES(law, bonds_uniform)}},               \
                       [BOTH] = {{PAIR_LOOP_NAMES(law, both)}, {PAIR_LOOP_NAMES(law, both)}},                          \
                       [NECKS] = {{PAIR_LOOP_NAMES(law, necks)}, {PAIR_LOOP_NAMES(law, necks)}}},

static int32_t pairs(const struct cairn_soft_spheres *c, struct cairn_report *report) {
  static pair_loop *const loops[CAIRN_N_LAWS][N_LOOPS][2][3] = {CAIRN_LAWS(PAIR_LOOP_ROW)};
  const int attracts = cairn_laws_attract(c->world), uniform = c->n_laws == 1 && c->world[CAIRN_WORLD_N_BONDS] <= 1.;
  const int plain = attracts ? ATTRACTS : TABLE, bonded = attracts ? BOTH : BONDS;
  const int loop = c->breaks ? bonded : cairn_laws_necks(c->world) ? NECKS : plain;
  return loops[c->law_kind][loop][uniform][c->rotation](c, report);
}

/* Predict the own bodies at the coming step; later steps keep them predicted. */
static void predict(const struct cairn_soft_spheres *c) {
  for (int32_t i = 0; i < c->size.n; i++)
    cairn_blocks_predict(c->state + (int64_t)CAIRN_STATE * i, c->h, c->predicted + (int64_t)CAIRN_PREDICTED * i);
}

/* Move the bodies by a step; reports the largest displacement at the coming step and bodies that fail. */
CAIRN_INLINE void move_all(const struct cairn_soft_spheres *c, const struct cairn_external *external,
                           struct cairn_report *report) {
  double displacement2 = 0., speed2 = 0.;
  int32_t bad = -1;
  for (int32_t i = 0; i < c->size.n; i++) {
    const int bound = c->captor && c->captor[(int64_t)CAIRN_CAPTURE * i + CAIRN_CAPTURE_CAPTOR] != 0.;
    const struct cairn_body_step k =
        bound ? cairn_kernel_soft_walls_carry(c, i)
              : cairn_blocks_step(c->state + (int64_t)CAIRN_STATE * i, c->predicted + (int64_t)CAIRN_PREDICTED * i,
                                  c->force + (int64_t)CAIRN_FORCE * i, c->inverse_mass[i], c->inverse_inertia[i],
                                  c->reference + 3 * (int64_t)i, cairn_soft_spheres_field(c, i), external, c->h);
    displacement2 = k.displacement2 > displacement2 ? k.displacement2 : displacement2;
    speed2 = k.speed2 > speed2 ? k.speed2 : speed2;
    bad = k.bad && bad < 0 ? i : bad;
  }
  report->speed = sqrt(speed2);
  /* a pair feels the law up to half a step before it touches (cairn_contact_weight) */
  report->displacement = sqrt(displacement2) + 0.5 * c->h * report->speed;
  if (bad >= 0 && report->bad_steps == CAIRN_NEVER) {
    report->bad_steps = report->steps + 1;
    report->bad_body = bad;
  }
}

/* Where nothing acts from outside the loop is compiled without asking for it. */
static const struct cairn_external nothing = {0};

CAIRN_CLONES static void move_free(const struct cairn_soft_spheres *c, struct cairn_report *report) {
  move_all(c, &nothing, report);
}
CAIRN_CLONES static void move_outside(const struct cairn_soft_spheres *c, struct cairn_report *report) {
  move_all(c, &c->external, report);
}

/* Pairs reach for bodies here and there, and wait for each that is not in the caches; from front to back they come
 * several at a time. */
static void fetch(const struct cairn_soft_spheres *c) {
  const char *begin = (const char *)c->predicted,
             *end = (const char *)(c->predicted + (int64_t)CAIRN_PREDICTED * (c->size.n + c->size.n_halo));
  for (const char *line = begin; line < end; line += 64)
    __builtin_prefetch(line, 1, 2);
}

void cairn_kernel_soft_spheres_advance(struct cairn_soft_spheres *cell, int32_t n_steps, struct cairn_report *report) {
  const size_t bytes = sizeof(double) * CAIRN_FORCE * (size_t)(cell->size.n + cell->size.n_halo);
  if (!cell->is_predicted)
    predict(cell);
  fetch(cell);
  for (int32_t step = 0; step < n_steps; step++) {
    memset(cell->force, 0, bytes);
    const int64_t number = cell->number = cell->step + step + 1;
    cairn_soft_spheres_outside(cell, cell->outside, (double)number * cell->h);
    int32_t beyond = pairs(cell, report);
    beyond += cairn_kernel_soft_walls_forces(cell, (double)number * cell->h, report);
    if (cell->outside)
      move_outside(cell, report);
    else
      move_free(cell, report);
    report->steps++;
    report->overlap_steps += beyond > 0;
    if (report->displacement > cell->reach && report->valid_steps == CAIRN_NEVER)
      report->valid_steps = report->steps;
    if (cell->set) {
      cairn_kernel_walls_load(cell, cell->set->n, cell->set->load);
      cairn_kernel_walls_move(cell->set, cell->set->load, number, cell->h, cell->assemblies, cell->assemblies,
                              cell->walls_report);
      if (cell->walls_report->valid_steps < report->valid_steps)
        report->valid_steps = report->steps;
    }
    if (cell->size.n_halo == 0 && (report->valid_steps != CAIRN_NEVER || report->bad_steps != CAIRN_NEVER))
      return;
  }
}
