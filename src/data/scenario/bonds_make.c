/* The bonds of the initial bodies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/random.h"
#include "data/cells/search.h"
#include "data/scenario/bonds.h"
#include "data/scenario/contact_laws.h"
#include "data/scenario/scenario.h"

/* Bodies of a lattice touch up to rounding: so much of the smaller radius counts as touching. */
static const double TOUCHING = 1e-6;

/* Scatter beyond so many standard deviations is drawn again. */
static const double MOST_DEVIATIONS = 3.;

struct made {
  int32_t a, b; /* two bodies; or a body and a wall */
  struct cairn_bond bond;
};
struct making {
  const struct cairn_scenario *scenario;
  struct cairn_error *error;
  int64_t n[2], capacity[2]; /* of bodies, with walls */
  struct made *list[2];
};

static int no_memory(const struct making *m) {
  return cairn_error_set(m->error, CAIRN_ERR_NUMERIC, "out of memory for the bonds");
}

static int add(struct making *m, int at_wall, const struct made *made) {
  if (m->n[at_wall] == m->capacity[at_wall]) {
    const int64_t capacity = 2 * m->capacity[at_wall] + 64;
    void *grown = realloc(m->list[at_wall], (size_t)capacity * sizeof *made);
    if (!grown)
      return no_memory(m);
    m->list[at_wall] = grown;
    m->capacity[at_wall] = capacity;
  }
  m->list[at_wall][m->n[at_wall]++] = *made;
  return CAIRN_OK;
}

/* ---- one bond ---- */

/* A normal deviate about a mean, above 0 and without its tails. */
static double scattered(struct cairn_random *random, double mean, double deviation) {
  double value = 0.;
  if (deviation == 0.)
    return mean;
  do {
    const double z = cairn_random_normal(random);
    value = fabs(z) <= MOST_DEVIATIONS ? mean + deviation * z : 0.;
  } while (!(value > 0.));
  return value;
}

/* N, by which the contact law pushes a pair at rest apart. */
static double push_of(const struct cairn_scenario *s, const double *constants, double overlap, double mass,
                      double reduced) {
  const struct cairn_contact_history none = {0};
  const struct cairn_contact_pair pair = {
      .x = overlap, .nx = 1., .root_mass = sqrt(mass), .reduced_radius = reduced, .l1 = reduced};
  return -cairn_laws_contact((int)s->law, constants, &pair, 0., &none, CAIRN_ROLLING_NONE).fx;
}

/* What a bond is made from: the distance of the centres, or of centre and wall, now and where they touch; the radius of
 * the bond, the force of the contact. */
struct geometry {
  double distance, full, radius, push;
};

/* Length and stiffness such that bond and contact are in balance where they are (eq. 3.4); a beam begins at rest. */
static struct cairn_bond bond_of(const struct cairn_scenario *s, int32_t entry, int32_t a, int32_t b,
                                 struct geometry g) {
  static const double pi = 3.14159265358979323846;
  const struct cairn_bonds *e = s->bonds + entry;
  struct cairn_random random;
  cairn_random_init(&random, s->seed, (uint64_t)(uint32_t)a << 32 | (uint32_t)b,
                    UINT64_C(0x626f6e64) + (uint64_t)entry);
  const double modulus = scattered(&random, e->modulus, e->modulus_scatter), area = pi * g.radius * g.radius;
  const double tension = modulus * area, push = e->law.beam != 0. || g.push < 0. ? 0. : g.push;
  const double length = g.distance * tension / (push + tension);
  double strain = fmax(g.full, g.distance * (1. + TOUCHING)) / length - 1.;
  if (e->strength > 0.)
    strain = scattered(&random, e->strength, e->strength_scatter) / modulus;
  if (e->strain > 0.)
    strain = scattered(&random, e->strain, e->strain_scatter);
  return (struct cairn_bond){.length = length, .stiffness = tension / length, .strain = strain, .law = (double)entry};
}

/* Without friction a contact always slips, and so would the bond break at the first touch. */
static int check_friction(const struct making *m, int32_t entry, int32_t a, int32_t b) {
  const struct cairn_scenario *s = m->scenario;
  const struct cairn_bond_law *law = &s->bonds[entry].law;
  if (law->beam != 0. || law->slips == 0. || s->interactions[a * s->n_materials + b].friction > 0.)
    return CAIRN_OK;
  return cairn_error_set(m->error, CAIRN_ERR_INPUT,
                         "%s: bonds.%d.slip: found breaks, but contacts of %.80s and %.80s have no friction and always "
                         "slip; allowed: friction greater than 0, or slip: holds",
                         s->file, entry, s->materials[a].name, s->materials[b].name);
}

static struct cairn_bonds_body body_of(const struct cairn_scenario *s, int32_t id) {
  return cairn_bonds_body_of(&s->initial, s->share.first, &s->share.others, id);
}

static int bond_bodies(struct making *m, int32_t entry, const struct cairn_bonds_body *a,
                       const struct cairn_bonds_body *b) {
  const struct cairn_scenario *s = m->scenario;
  const double *x = a->position, *y = b->position, r1 = a->radius, r2 = b->radius, m1 = a->mass, m2 = b->mass;
  const double dx = y[0] - x[0], dy = y[1] - x[1], dz = y[2] - x[2], distance = sqrt(dx * dx + dy * dy + dz * dz);
  double constants[CAIRN_LAW_DOUBLES];
  if (!(distance > 0.))
    return cairn_error_set(m->error, CAIRN_ERR_INPUT, "%s: bonds.%d: bodies %d and %d are in the same place", s->file,
                           entry, a->id, b->id);
  if (check_friction(m, entry, a->material, b->material))
    return CAIRN_ERR_INPUT;
  cairn_contact_laws_constants(s, a->material, b->material, false, constants);
  const struct geometry g = {distance, r1 + r2, 0.5 * (r1 + r2),
                             push_of(s, constants, r1 + r2 - distance, m1 * m2 / (m1 + m2), r1 * r2 / (r1 + r2))};
  const struct made made = {a->id, b->id, bond_of(s, entry, a->id, b->id, g)};
  return add(m, 0, &made);
}

/* ---- who is bonded ---- */

static bool is_there(const struct cairn_bonds *e, const double x[3]) {
  return !e->has_region || cairn_region_has(&e->region, x);
}

static bool is_meant(const struct cairn_bonds *e, const struct cairn_bonds_body *a, const struct cairn_bonds_body *b) {
  const int32_t p = a->material, q = b->material;
  if (!is_there(e, a->position) || !is_there(e, b->position))
    return false;
  return e->material[0] < 0 || (p == e->material[0] && q == e->material[1]) ||
         (p == e->material[1] && q == e->material[0]);
}

struct cairn_bonds_body cairn_bonds_body_of(const struct cairn_state *state, int64_t first,
                                            const struct cairn_bonds_others *others, int32_t id) {
  const int64_t i = id - first;
  int64_t low = 0, high = others->n - 1;
  if (i >= 0 && i < state->n) {
    const double *x = state->position + 3 * i;
    return (struct cairn_bonds_body){{x[0], x[1], x[2]}, state->radius[i], state->mass[i], id, state->material[i]};
  }
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (others->body[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return others->body[low];
}

double cairn_bonds_gap(const struct cairn_bonds_body *a, const struct cairn_bonds_body *b) {
  const double *x = a->position, *y = b->position;
  const double dx = y[0] - x[0], dy = y[1] - x[1], dz = y[2] - x[2];
  return sqrt(dx * dx + dy * dy + dz * dz) - a->radius - b->radius;
}

double cairn_bonds_reach(const struct cairn_bonds *e, double largest) { return e->gap + 2. * TOUCHING * largest; }

static int bond_table(struct making *m, int32_t entry) {
  const struct cairn_bonds *e = m->scenario->bonds + entry;
  int status = CAIRN_OK;
  for (int64_t k = 0; k < e->n_pairs && status == CAIRN_OK; k++) {
    const struct cairn_bonds_body a = body_of(m->scenario, e->pair[k][0]), b = body_of(m->scenario, e->pair[k][1]);
    status = bond_bodies(m, entry, &a, &b);
  }
  return status;
}

/* Pairs of bodies within the reach of an entry. */
static int bond_pairs(struct making *m, int32_t entry, const struct cairn_pairs *pairs) {
  const struct cairn_scenario *s = m->scenario;
  const struct cairn_bonds *e = s->bonds + entry;
  int status = CAIRN_OK;
  for (int64_t k = 0; k < pairs->n && status == CAIRN_OK; k++) {
    const int32_t i = pairs->pair[k][0], j = pairs->pair[k][1];
    const struct cairn_bonds_body a = body_of(s, i < j ? i : j), b = body_of(s, i < j ? j : i);
    if (is_meant(e, &a, &b) && cairn_bonds_gap(&a, &b) <= e->gap + TOUCHING * fmin(a.radius, b.radius))
      status = bond_bodies(m, entry, &a, &b);
  }
  return status;
}

/* Bodies that wait to be inserted are all in one place, and bonded to nothing. */
static int bond_neighbors(struct making *m, int32_t entry) {
  const struct cairn_state *state = &m->scenario->initial;
  struct cairn_sphere *sphere = malloc((size_t)state->n * sizeof *sphere + 1);
  int32_t *id = malloc((size_t)state->n * sizeof *id + 1), n = 0;
  struct cairn_pairs pairs = {0};
  double largest = 0.;
  int status = sphere && id ? CAIRN_OK : no_memory(m);
  for (int32_t i = 0; i < state->n && status == CAIRN_OK; i++) {
    const double *x = state->position + 3 * (int64_t)i;
    largest = fmax(largest, state->radius[i]);
    if (state->captor[i] < 0)
      continue;
    id[n] = i;
    sphere[n++] = (struct cairn_sphere){x[0], x[1], x[2], state->radius[i]};
  }
  if (status == CAIRN_OK)
    status = cairn_search_pairs(sphere, n, n, cairn_bonds_reach(m->scenario->bonds + entry, largest), &pairs, m->error);
  for (int64_t k = 0; k < 2 * pairs.n; k++)
    pairs.pair[k / 2][k % 2] = id[pairs.pair[k / 2][k % 2]];
  if (status == CAIRN_OK)
    status = bond_pairs(m, entry, &pairs);
  cairn_search_pairs_fini(&pairs);
  free(sphere);
  free(id);
  return status;
}

static int bond_wall(struct making *m, int32_t entry) {
  const struct cairn_scenario *s = m->scenario;
  const struct cairn_bonds *e = s->bonds + entry;
  const struct cairn_state *state = &s->initial;
  const struct cairn_wall *wall = s->walls + e->wall;
  int status = CAIRN_OK;
  for (int32_t i = 0; i < state->n && status == CAIRN_OK; i++) {
    const double r = state->radius[i], reach = r + e->gap + TOUCHING * r;
    const double distance =
        cairn_walls_distance(wall, s->assemblies[wall->assembly].position, state->position + 3 * (int64_t)i, reach);
    double constants[CAIRN_LAW_DOUBLES];
    const int32_t p = state->material[i];
    if (state->captor[i] < 0 || !(distance > 0. && distance <= reach) ||
        !is_there(e, state->position + 3 * (int64_t)i) ||
        (e->material[0] >= 0 && p != e->material[0] && p != e->material[1]))
      continue;
    const bool slippery = wall->behavior == CAIRN_WALL_FRICTIONLESS && e->law.slips != 0. && e->law.beam == 0.;
    if (slippery)
      return cairn_error_set(m->error, CAIRN_ERR_INPUT,
                             "%s: bonds.%d.slip: found breaks at a wall without friction; allowed: slip: holds",
                             s->file, entry);
    if (check_friction(m, entry, p, wall->material))
      return CAIRN_ERR_INPUT;
    cairn_contact_laws_constants(s, p, wall->material, wall->behavior == CAIRN_WALL_FRICTIONLESS, constants);
    const struct geometry g = {distance, r, r, push_of(s, constants, r - distance, state->mass[i], r)};
    const int32_t id = (int32_t)(s->share.first + i);
    const struct made made = {id, e->wall, bond_of(s, entry, id, e->wall, g)};
    status = add(m, 1, &made);
  }
  return status;
}

/* ---- into the state ---- */

static int compare(const void *p, const void *q) {
  const struct made *x = p, *y = q;
  if (x->a != y->a)
    return x->a < y->a ? -1 : 1;
  if (x->b != y->b)
    return x->b < y->b ? -1 : 1;
  return (x->bond.law > y->bond.law) - (x->bond.law < y->bond.law);
}

/* Sorted, of each pair the bond of the first entry. */
static void sort(struct made *list, int64_t *n) {
  int64_t kept = 0;
  if (*n > 0)
    qsort(list, (size_t)*n, sizeof *list, compare);
  for (int64_t k = 0; k < *n; k++)
    if (kept == 0 || list[kept - 1].a != list[k].a || list[kept - 1].b != list[k].b)
      list[kept++] = list[k];
  *n = kept;
}

static void put(struct cairn_contacts *contacts, const struct made *list) {
  for (int64_t k = 0; k < contacts->n; k++) {
    struct cairn_contact *contact = cairn_contact_at(contacts, k);
    memset(contact, 0, contacts->size);
    *contact = (struct cairn_contact){.a = list[k].a, .b = list[k].b, .age = 1};
    *cairn_contact_recall(contacts, k, CAIRN_CONTACT_bond_length) = list[k].bond.length;
    *cairn_contact_recall(contacts, k, CAIRN_CONTACT_bond_stiffness) = list[k].bond.stiffness;
    *cairn_contact_recall(contacts, k, CAIRN_CONTACT_bond_strain) = list[k].bond.strain;
    *cairn_contact_recall(contacts, k, CAIRN_CONTACT_bond_law) = list[k].bond.law;
  }
}

int cairn_bonds_make(struct cairn_scenario *s, uint32_t memory, const struct cairn_pairs *near,
                     struct cairn_error *error) {
  struct making m = {.scenario = s, .error = error};
  int status = CAIRN_OK;
  if (s->n_bonds == 0 || cairn_scenario_n_bodies(s) == 0 || s->share.is_resumed)
    return CAIRN_OK;
  for (int32_t e = 0; e < s->n_bonds && status == CAIRN_OK; e++)
    status = s->bonds[e].wall >= 0   ? bond_wall(&m, e)
             : s->bonds[e].has_table ? bond_table(&m, e)
             : near                  ? bond_pairs(&m, e, near + e)
                                     : bond_neighbors(&m, e);
  for (int l = 0; l < 2; l++)
    sort(m.list[l], &m.n[l]);
  if (status == CAIRN_OK)
    status = cairn_state_resize_contacts(&s->initial, 0, 0, error);
  if (status == CAIRN_OK)
    status = cairn_state_remember(&s->initial, memory, error);
  if (status == CAIRN_OK)
    status = cairn_state_resize_contacts(&s->initial, m.n[0], m.n[1], error);
  if (status == CAIRN_OK) {
    put(&s->initial.contacts, m.list[0]);
    put(&s->initial.wall_contacts, m.list[1]);
  }
  free(m.list[0]);
  free(m.list[1]);
  return status;
}

/* ---- how fast they are ---- */

/* Of a bond with its contact in a kick: both are springs side by side. A beam takes the place of its contact; shear and
 * bending turn the bodies too, and a sphere's surface has 7/2 of a tangential spring. */
static struct cairn_bonds_pair speed_of(const struct cairn_scenario *s, const struct cairn_contacts *list, int64_t k,
                                        bool at_wall) {
  const struct cairn_contact *contact = cairn_contact_at(list, k);
  const double stiffness = *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_stiffness);
  const struct cairn_bond_law *law = &s->bonds[(int)*cairn_contact_recall(list, k, CAIRN_CONTACT_bond_law)].law;
  const struct cairn_bonds_body a = body_of(s, contact->a), b = at_wall ? a : body_of(s, contact->b);
  const int32_t other = at_wall ? s->walls[contact->b].material : b.material;
  const double m1 = a.mass, mass = at_wall ? m1 : m1 * b.mass / (m1 + b.mass);
  const double r1 = a.radius, reduced = at_wall ? r1 : r1 * b.radius / (r1 + b.radius);
  const double part = fmax(1., 3.5 * law->shear + 1.25), gap = at_wall ? 0. : cairn_bonds_gap(&a, &b);
  double constants[CAIRN_LAW_DOUBLES];
  struct cairn_bonds_pair pair = {stiffness * (law->beam != 0. ? part : 1.), 2. * law->damping * sqrt(stiffness * mass),
                                  mass};
  if (law->beam != 0. || gap > 0.)
    return pair;
  cairn_contact_laws_constants(s, a.material, other, false, constants);
  const double step = 1e-3 * reduced, x = fmax(-gap, step);
  pair.stiffness += (push_of(s, constants, x + step, mass, reduced) - push_of(s, constants, x, mass, reduced)) / step;
  return pair;
}

void cairn_bonds_find_fastest(const struct cairn_scenario *s, bool at_walls, struct cairn_bonds_pair *fastest) {
  const struct cairn_contacts *list = at_walls ? &s->initial.wall_contacts : &s->initial.contacts;
  for (int64_t k = 0; k < list->n && list->memory & CAIRN_CONTACT_REMEMBERS(bond_length); k++) {
    const double law = *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_law);
    if (!(law >= 0. && law < (double)s->n_bonds)) /* a checkpoint that will be refused */
      continue;
    const struct cairn_bonds_pair pair = speed_of(s, list, k, at_walls);
    if (fastest->mass == 0. || pair.stiffness * fastest->mass > fastest->stiffness * pair.mass)
      *fastest = pair;
  }
}
