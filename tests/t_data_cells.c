/* Cutting space into cells, building them, and getting the state back. */
#include "contacts.h"
#include "tap/tap.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/random.h"
#include "data/cells/cells.h"
#include "data/cells/cut.h"

enum { N_MATERIALS = 2, N_WALLS = 2 };

static const int32_t law[] = {0, 1, 1, 2}, wall_material[] = {0, 1}, wall_law[] = {0, 1, 1, 2};
static const double plane[] = {0., 0., 1., -1.9, 1., 0., 0., -1.9}, wall_mass[] = {INFINITY, INFINITY};
static const double world[CAIRN_WORLD_LAWS + CAIRN_WALL * N_WALLS] = {
    [CAIRN_WORLD_RANGE] = -1.,
    [CAIRN_WORLD_LAWS] = CAIRN_SHAPE_PLANE,
    [CAIRN_WORLD_LAWS + 3] = -1.9,
    [CAIRN_WORLD_LAWS + 6] = 1.,
    [CAIRN_WORLD_LAWS + CAIRN_WALL] = CAIRN_SHAPE_PLANE,
    [CAIRN_WORLD_LAWS + CAIRN_WALL + 1] = -1.9,
    [CAIRN_WORLD_LAWS + CAIRN_WALL + 4] = 1.,
    [CAIRN_WORLD_LAWS + CAIRN_WALL + CAIRN_WALL_ASSEMBLY] = 1.};
static double assemblies[CAIRN_ASSEMBLY * N_WALLS];
static struct cairn_cells_rules rules = {.n_materials = N_MATERIALS,
                                         .law = law,
                                         .n_walls = N_WALLS,
                                         .world = world,
                                         .assemblies = assemblies,
                                         .wall_law = wall_law,
                                         .wall_mass = wall_mass};

enum shape { BALL, LINE, POINT, TWO_POINTS, DIAGONAL };

static void make_bodies(struct cairn_state *s, int64_t n, double ratio, enum shape shape) {
  struct cairn_random random;
  cairn_random_init(&random, 5, (uint64_t)shape, (uint64_t)n);
  if (cairn_state_resize(s, n, NULL))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < n; i++) {
    s->radius[i] = 0.1 / (1. - cairn_random_unit(&random) * (1. - 1. / ratio));
    s->mass[i] = cairn_random_between(&random, 1., 2.);
    s->material[i] = (int32_t)(i % N_MATERIALS);
    for (int k = 0; k < 3; k++) {
      const double x = cairn_random_between(&random, -1., 1.);
      const double places[] = {2. * x * fabs(x), k == 1 ? 6. * x : 0., 0.5, i % 2 ? 1. : -1., 0.01 * (double)i};
      s->position[3 * i + k] = places[shape];
      s->velocity[3 * i + k] = cairn_random_normal(&random);
      s->spin[3 * i + k] = cairn_random_normal(&random);
      s->acceleration[3 * i + k] = cairn_random_normal(&random);
      s->angular_acceleration[3 * i + k] = cairn_random_normal(&random);
    }
  }
}

static double gap(const struct cairn_state *s, int64_t i, int64_t j) {
  double d2 = 0.;
  for (int k = 0; k < 3; k++)
    d2 += pow(s->position[3 * i + k] - s->position[3 * j + k], 2.);
  return sqrt(d2) - s->radius[i] - s->radius[j];
}

/* Three contacts of four that touch remember something. */
static void make_contacts(struct cairn_state *s) {
  int64_t n = 0, n_walls = 0;
  rules.memory =
      rules.solves ? CAIRN_CONTACT_REMEMBERS(impulse) | CAIRN_CONTACT_REMEMBERS(rest) : CAIRN_CONTACT_REMEMBERS(spring);
  s->contacts.n = s->wall_contacts.n = 0;
  if (cairn_state_remember(s, rules.memory, NULL) ||
      cairn_state_resize_contacts(s, s->n * s->n / 2, s->n * N_WALLS, NULL))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < s->n; i++) {
    for (int64_t j = i + 1; j < s->n; j++) {
      if (gap(s, i, j) > 0. || (i + j) % 4 == 0)
        continue;
      *pair_of(s, n) = (struct cairn_contact){(int32_t)i, (int32_t)j, 0, (uint32_t)(1 + n)};
      double *numbers = cairn_contact_numbers(pair_of(s, n));
      for (int k = 0; k < 3; k++)
        numbers[k] = (double)(i * s->n + j) + 0.1 * k;
      if (rules.solves)
        numbers[3] = -1e-3 * (double)(1 + n);
      n++;
    }
    for (int32_t w = 0; w < N_WALLS; w++) {
      double distance = -plane[4 * w + 3] - s->radius[i];
      for (int k = 0; k < 3; k++)
        distance += plane[4 * w + k] * s->position[3 * i + k];
      if (distance > 0.)
        continue;
      *touch_of(s, n_walls) = (struct cairn_contact){(int32_t)i, w, 0, (uint32_t)(1000 + n_walls)};
      double *numbers = cairn_contact_numbers(touch_of(s, n_walls));
      for (int k = 0; k < 3; k++)
        numbers[k] = (double)(i + w) + 0.01 * k;
      if (rules.solves)
        numbers[3] = -1e-6 * (double)(1 + n_walls);
      n_walls++;
    }
  }
  if (cairn_state_resize_contacts(s, n, n_walls, NULL))
    BAIL_OUT("out of memory");
}

static int neighbors_are_symmetric(const struct cairn_cells *cells) {
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    for (int32_t k = 0; k < cells->cell[c].n_neighbors; k++) {
      const struct cairn_cell *other = cells->cell + cells->cell[c].neighbor[k];
      int found = 0;
      for (int32_t l = 0; l < other->n_neighbors; l++)
        found |= other->neighbor[l] == c;
      if (!found || other == cells->cell + c)
        return 0;
    }
  return 1;
}

/* Cells may exceed their size only where bodies share a Morton key. */
static int sizes_are_kept(const struct cairn_cells *cells, int64_t max_bodies) {
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    if (cells->cell[c].size.n > max_bodies || cells->cell[c].size.n < 1)
      return 0;
  return 1;
}

/* Laws, reduced masses and wall pairs as the rules say. */
static int pairs_know_their_law(const struct cairn_cells *cells, const struct cairn_state *s) {
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    const struct cairn_cell *cell = cells->cell + c;
    const struct cairn_soft_spheres k = cairn_kernel_soft_spheres_bind(
        cell->size, cell->state, cell->predicted, cell->pair_list, cell->history, NULL, NULL, NULL);
    for (int32_t p = 0; p < cell->size.n_pairs + cell->size.n_wall_pairs; p++) {
      const int32_t i = cairn_cells_body(cell, k.a[p]), wall = p >= cell->size.n_pairs;
      const int32_t j = wall ? k.b[p] : cairn_cells_body(cell, k.b[p]);
      const int32_t material = wall ? wall_material[j] : s->material[j];
      const double reduced = wall ? s->mass[i] : s->mass[i] * s->mass[j] / (s->mass[i] + s->mass[j]);
      if (k.law[p] != law[s->material[i] * N_MATERIALS + material] || k.root_mass[p] != sqrt(reduced))
        return 0;
    }
  }
  return 1;
}

static struct cairn_cells deal(const struct cairn_state *s, int64_t max_bodies, double skin) {
  struct cairn_cells cells;
  struct cairn_error error = {0};
  if (cairn_cells_partition(&cells, s, &rules, max_bodies, skin, &error))
    BAIL_OUT("%s", error.message);
  ok(neighbors_are_symmetric(&cells), "neighbours see each other");
  for (cairn_cell_t c = 0; c < cells.n_cells; c++)
    if (cairn_cells_build(&cells, c, &error))
      BAIL_OUT("%s", error.message);
  return cells;
}

/* Bytes of the blocks, as the allocator has them: rounded up by less than 64 each. */
static double allocated(const struct cairn_cells *cells) {
  double bytes = 0.;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    const struct cairn_cell *cell = cells->cell + c;
    void *const block[] = {cell->state,      cell->predicted, cell->pair_list,    cell->history,
                           cell->velocities, cell->groups,    cell->free_contacts};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
      bytes += (double)malloc_usable_size(block[k]);
  }
  return bytes;
}

static void round_trip(const struct cairn_state *s, int64_t max_bodies, double skin, int crowded, const char *name) {
  struct cairn_cells cells = deal(s, max_bodies, skin);
  struct cairn_state back = {0};
  char digest[2][CAIRN_DIGEST_LENGTH + 1];
  note("%s, cells of %lld, skin %g: %d cells", name, (long long)max_bodies, skin, cells.n_cells);
  ok(cairn_cells_is_valid(&cells, s), "%s: cells of %lld, skin %g are valid", name, (long long)max_bodies, skin);
  ok(rules.solves || neighbors_are_symmetric(&cells), "and those that lend bodies also borrow, unless they are rigid");
  ok(crowded || sizes_are_kept(&cells, max_bodies), "no cell is larger than asked for");
  ok(pairs_know_their_law(&cells, s), "pairs carry the law of their materials and their reduced mass");
  ok((double)cairn_cells_memory(&cells) + 512. * cells.n_cells >= allocated(&cells), "the memory of all blocks counts");
  if (cairn_state_resize(&back, s->n, NULL))
    BAIL_OUT("out of memory");
  if (s->n > 0) { /* the constants stay with the state */
    memcpy(back.radius, s->radius, (size_t)s->n * sizeof *s->radius);
    memcpy(back.mass, s->mass, (size_t)s->n * sizeof *s->mass);
    memcpy(back.material, s->material, (size_t)s->n * sizeof *s->material);
    memcpy(back.reference, s->reference, 3 * (size_t)s->n * sizeof *s->reference);
  }
  if (cairn_cells_capture(&cells, &back, NULL))
    BAIL_OUT("out of memory");
  cairn_state_digest(s, digest[0]);
  cairn_state_digest(&back, digest[1]);
  is(digest[1], digest[0], "capture gives the dealt state back, with %lld contacts and %lld at walls",
     (long long)s->contacts.n, (long long)s->wall_contacts.n);
  cairn_state_fini(&back);
  cairn_cells_fini(&cells);
}

static void test_many(double ratio) {
  static const int64_t sizes[] = {1, 7, 64, 300, 100000};
  struct cairn_state s = {0};
  char name[64];
  make_bodies(&s, 800, ratio, BALL);
  make_contacts(&s);
  if (rules.solves) /* are dealt by it */
    memcpy(s.reference, s.position, 3 * (size_t)s.n * sizeof *s.reference);
  snprintf(name, sizeof name, "800 bodies, radii 1:%g", ratio);
  ok(s.contacts.n > 100 && s.wall_contacts.n > 5, "the sample has contacts of both kinds");
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    round_trip(&s, sizes[k], 0.03, 0, name);
  round_trip(&s, 64, 0., 0, name);
  round_trip(&s, 64, 1., 0, name);
  cairn_state_fini(&s);
}

static void test_degenerate(void) {
  static const struct {
    int64_t n;
    enum shape shape;
    int crowded; /* more bodies in one place than a cell may hold */
    const char *name;
  } cases[] = {{0, BALL, 0, "no body"},          {1, BALL, 0, "one body"},         {2, BALL, 0, "two bodies"},
               {200, LINE, 0, "a line"},         {200, DIAGONAL, 0, "a diagonal"}, {40, POINT, 1, "all in one place"},
               {40, TWO_POINTS, 1, "two places"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct cairn_state s = {0};
    make_bodies(&s, cases[k].n, 2., cases[k].shape);
    make_contacts(&s);
    round_trip(&s, 8, 0.02, cases[k].crowded, cases[k].name);
    round_trip(&s, 1000, 0.02, 0, cases[k].name);
    cairn_state_fini(&s);
  }
}

/* The predicate itself must not accept everything. */
static void test_predicate(void) {
  struct cairn_state s = {0};
  make_bodies(&s, 100, 2., DIAGONAL);
  struct cairn_cells cells = deal(&s, 16, 0.02);
  ok(cairn_cells_is_valid(&cells, &s), "as built: valid");
  cells.skin = 0.5;
  ok(!cairn_cells_is_valid(&cells, &s), "a list that lacks close pairs is not");
  cells.skin = 0.02;
  cells.cell[1].halo[0].index++;
  ok(!cairn_cells_is_valid(&cells, &s), "a halo body from the wrong place is not");
  cells.cell[1].halo[0].index--;
  const int32_t id = cells.cell[0].id[0];
  cells.cell[0].id[0] = cells.cell[0].id[1];
  ok(!cairn_cells_is_valid(&cells, &s), "a body in two places is not");
  cells.cell[0].id[0] = id;
  ok(cairn_cells_is_valid(&cells, &s), "all mended: valid again");
  cairn_cells_fini(&cells);
  cairn_state_fini(&s);
}

/* Many cells are columns laid as bricks: each reaches the next one of its slice and two of the next slice, no more. */
static void test_bricks(void) {
  enum { EDGE = 24, HIGH = 4, MOST_ABOVE = 3 };
  struct cairn_state s = {0};
  make_bodies(&s, EDGE * EDGE * HIGH, 1., BALL);
  for (int64_t i = 0; i < s.n; i++) {
    const double place[] = {(double)(i % EDGE), (double)(i / EDGE % EDGE), (double)(i / (EDGE * EDGE))};
    for (int k = 0; k < 3; k++)
      s.reference[3 * i + k] = s.position[3 * i + k] = 0.2 * place[k];
  }
  struct cairn_cells cells = deal(&s, 16, 0.1);
  int32_t most = 0, flat = 0;
  for (cairn_cell_t c = 0; c < cells.n_cells; c++) {
    most = cells.cell[c].n_neighbors > most ? cells.cell[c].n_neighbors : most;
    flat += cells.cell[c].upper[2] - cells.cell[c].lower[2] < 0.2 * HIGH - 1e-9;
  }
  cmp_ok(cells.n_cells, ">", CAIRN_CUT_MOST_SLICES, "a layer of %lld bodies has many cells", (long long)s.n);
  cmp_ok(flat, "==", 0, "each as high as the layer");
  cmp_ok(most, "<=", MOST_ABOVE, "that lend to three others at most");
  cairn_cells_fini(&cells);
  cairn_state_fini(&s);
}

int main(void) {
  plan(NO_PLAN);
  test_many(1.);
  test_many(2.);
  test_many(20.);
  rules.by_reference = rules.own_pairs = rules.solves = true; /* pairs have one number more to remember */
  test_many(2.);
  rules.partition = CAIRN_CELLS_SLICES;
  test_many(2.);
  test_bricks();
  rules.partition = CAIRN_CELLS_OCTREE;
  rules.by_reference = rules.own_pairs = rules.solves = false;
  test_degenerate();
  test_predicate();
  done_testing();
}
