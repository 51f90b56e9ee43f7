/* What bonds do to soft spheres: pairs of the neighbour list, or of a body and a wall, that have one, one by one. */
#include <string.h>

#include "kernels/soft/soft_spheres.h"

/* A pair with a bond, in the terms of kernels/soft/bond.h. */
struct bonded {
  const struct cairn_soft_spheres *cell;
  int32_t pair;
  int at_wall;
  struct cairn_bond bond;
  struct cairn_bond_law law;
  double full, radius; /* m: distance at which the surfaces touch; radius of the bond */
};

static struct bonded bonded_of(const struct cairn_soft_spheres *c, int32_t k) {
  const double r1 = c->predicted[(int64_t)CAIRN_PREDICTED * c->a[k] + CAIRN_PREDICTED_R];
  struct bonded b = {.cell = c, .pair = k, .at_wall = k >= c->size.n_pairs, .full = r1, .radius = r1};
  if (!b.at_wall) {
    b.full = r1 + c->predicted[(int64_t)CAIRN_PREDICTED * c->b[k] + CAIRN_PREDICTED_R];
    b.radius = 0.5 * b.full;
  }
  b.bond = (struct cairn_bond){c->bond[CAIRN_BOND_LENGTH][k], c->bond[CAIRN_BOND_STIFFNESS][k],
                               c->bond[CAIRN_BOND_STRAIN][k], c->bond[CAIRN_BOND_LAW][k]};
  const double *laws = c->world + (size_t)c->world[CAIRN_WORLD_BONDS];
  memcpy(&b.law, laws + CAIRN_BOND_LAW_DOUBLES * (size_t)b.bond.law, sizeof b.law);
  return b;
}

static const double *constants_of(const struct bonded *b) {
  return cairn_laws_constants(b->cell->world + CAIRN_WORLD_LAWS, b->cell->law[b->pair]);
}

static struct cairn_contact_history recall(const struct bonded *b) {
  const struct cairn_soft_spheres *c = b->cell;
  const int32_t k = b->pair;
  struct cairn_contact_history now = {
      .sx = c->sx[k], .sy = c->sy[k], .sz = c->sz[k], .seconds = (double)(int32_t)c->age[k] * c->h};
  if (c->qx) {
    now.qx = c->qx[k];
    now.qy = c->qy[k];
    now.qz = c->qz[k];
  }
  return now;
}

static void remember(const struct bonded *b, const struct cairn_contact_history *now, uint32_t age) {
  const struct cairn_soft_spheres *c = b->cell;
  const int32_t k = b->pair;
  c->sx[k] = now->sx;
  c->sy[k] = now->sy;
  c->sz[k] = now->sz;
  if (c->qx) {
    c->qx[k] = now->qx;
    c->qy[k] = now->qy;
    c->qz[k] = now->qz;
  }
  c->age[k] = age;
  c->bond[CAIRN_BOND_LENGTH][k] = b->bond.length;
  c->bond[CAIRN_BOND_STIFFNESS][k] = b->bond.stiffness;
  c->bond[CAIRN_BOND_STRAIN][k] = b->bond.strain;
  c->bond[CAIRN_BOND_LAW][k] = b->bond.law;
}

/* The cell that owns the body of lower id reports a bond that breaks; the other one sees it too. */
static void note_break(const struct bonded *b, const struct cairn_contact_pair *p, double distance, int cause,
                       struct cairn_report *report) {
  const struct cairn_soft_spheres *c = b->cell;
  if (c->a[b->pair] >= c->size.n || (int32_t)c->breaks->n >= c->size.n_bonds)
    return;
  const double *x = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[b->pair];
  struct cairn_bond_break *list = (struct cairn_bond_break *)(void *)(c->breaks + 1);
  list[(int32_t)c->breaks->n] = (struct cairn_bond_break){
      .step = (double)c->number,
      .a = (double)c->a[b->pair],
      .b = b->at_wall ? -1. - (double)c->b[b->pair] : (double)c->b[b->pair],
      .cause = (double)cause,
      .place = {x[0] + p->l1 * p->nx, x[1] + p->l1 * p->ny, x[2] + p->l1 * p->nz},
      .strain = distance / b->bond.length - 1.,
  };
  c->breaks->n += 1.;
  report->breaks++;
}

/* Where the bodies overlap, they touch at this distance from now on and nothing pushes them apart. */
static void end_bond(struct bonded *b, double distance) {
  b->bond = (struct cairn_bond){.length = distance < b->full ? -distance : 0., .law = b->bond.law};
  if (b->bond.length == 0.)
    b->bond.law = 0.;
}

static struct cairn_contact_result act(struct bonded *b, struct cairn_contact_pair *p,
                                       struct cairn_contact_history *now, struct cairn_report *report) {
  static const struct cairn_contact_history none = {0};
  const struct cairn_soft_spheres *c = b->cell;
  const double distance = b->full - p->x;
  const uint32_t age = c->age[b->pair];
  struct cairn_contact_result r = {0};
  const int cause = cairn_bond_contact(c->law_kind, constants_of(b), &b->law, &b->bond, p, c->h, c->rotation, b->full,
                                       b->radius, age <= 1, now, &r);
  const uint32_t older = c->h > 0. ? cairn_blocks_age(age, 1.) : age;
  if (cause != CAIRN_BOND_HOLDS && c->h > 0.) {
    note_break(b, p, distance, cause, report);
    end_bond(b, distance);
    remember(b, &none, b->bond.length != 0. ? 1u : 0u);
    return (struct cairn_contact_result){0};
  }
  if (b->bond.length > 0.) {
    b->bond.length += c->h * b->law.creep * (distance - b->bond.length);
    report->bond_gap = distance - b->full > report->bond_gap ? distance - b->full : report->bond_gap;
  } else if (distance >= b->full) { /* they have parted: from now on a pair like any other */
    b->bond = (struct cairn_bond){0};
  }
  remember(b, now, b->bond.length != 0. ? older : cairn_blocks_age(age, r.weight));
  return r;
}

struct cairn_contact_result cairn_kernel_soft_bonds_pair(const struct cairn_soft_spheres *c, int32_t k,
                                                         struct cairn_report *report) {
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k],
               *q = c->predicted + (int64_t)CAIRN_PREDICTED * c->b[k];
  struct bonded b = bonded_of(c, k);
  struct cairn_contact_history now = recall(&b);
  if (cairn_soft_spheres_is_parked(p) || cairn_soft_spheres_is_parked(q)) {
    static const struct cairn_contact_history none = {0};
    const double *there = cairn_soft_spheres_is_parked(p) ? q : p;
    const struct cairn_contact_pair at = {
        .nx = there[0] - p[0], .ny = there[1] - p[1], .nz = there[2] - p[2], .l1 = 1.};
    if (b.bond.length > 0.)
      note_break(&b, &at, b.bond.length, CAIRN_BOND_BY_REMOVAL, report);
    b.bond = (struct cairn_bond){0};
    remember(&b, &none, 0);
    return (struct cairn_contact_result){0};
  }
  struct cairn_contact_pair pair = cairn_pairs_bodies(p, q, 1, c->root_mass[k], 1);
  return act(&b, &pair, &now, report);
}

struct cairn_contact_result cairn_kernel_soft_bonds_wall(const struct cairn_soft_spheres *c, int32_t k,
                                                         struct cairn_contact_pair *geometry,
                                                         struct cairn_contact_history *before,
                                                         struct cairn_report *report) {
  struct bonded b = bonded_of(c, k);
  return act(&b, geometry, before, report);
}

/* The shear displacement and rotation of a beam as of now. */
static struct cairn_bond_loads loads_of(const struct bonded *b) {
  const struct cairn_soft_spheres *c = b->cell;
  const struct cairn_contact_history now = recall(b);
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[b->pair];
  const double h = c->age[b->pair] > 1 ? c->h : 0.;
  struct cairn_contact_pair pair;
  if (b->at_wall)
    pair = cairn_kernel_soft_walls_geometry(c, b->pair);
  else
    pair = cairn_pairs_bodies(p, c->predicted + (int64_t)CAIRN_PREDICTED * c->b[b->pair], 1, 1., 1);
  const struct cairn_contact_velocity u = cairn_contact_velocity(&pair);
  return cairn_bond_loads(&pair, &u, h, &now);
}

void cairn_kernel_soft_bonds_observe(const struct cairn_soft_spheres *c, int32_t k, double overlap,
                                     struct cairn_sums *sums) {
  const struct bonded b = bonded_of(c, k);
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k], *q = c->predicted;
  const struct cairn_contact_history now = recall(&b);
  double distance = b.full - overlap, reduced = b.full;
  if (!b.at_wall) {
    q += (int64_t)CAIRN_PREDICTED * c->b[k];
    const double dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
    distance = sqrt(dx * dx + dy * dy + dz * dz);
    reduced = p[CAIRN_PREDICTED_R] * q[CAIRN_PREDICTED_R] / b.full;
  }
  const int holds = b.bond.length > 0., is_beam = holds && b.law.beam != 0.;
  const double x = (holds ? b.full : -b.bond.length) - distance;
  if (holds) {
    const struct cairn_bond_loads loads = is_beam ? loads_of(&b) : (struct cairn_bond_loads){0};
    cairn_exact_sum_add(&sums->elastic, cairn_bond_energy(&b.law, &b.bond, distance, b.radius, &loads));
    sums->n_bonds += 1.;
  }
  if (is_beam)
    return;
  const struct cairn_attraction attraction = cairn_laws_attraction(constants_of(&b));
  const double s2 = now.sx * now.sx + now.sy * now.sy + now.sz * now.sz;
  const double q2 = now.qx * now.qx + now.qy * now.qy + now.qz * now.qz;
  cairn_exact_sum_add(&sums->elastic,
                      cairn_laws_table[c->law_kind].energy(constants_of(&b), x > 0. ? x : 0., s2, q2, reduced));
  cairn_exact_sum_add(&sums->elastic, cairn_attraction_energy(&attraction, -x, reduced));
}
