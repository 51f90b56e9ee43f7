#include "data/initial/packing/packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/initial/cloud.h"
#include "data/initial/overlap.h"

/* Spheres push with radii that are larger by this part: once they overlap by less, the true ones do not touch. */
static const double margin = 1e-3;

/* The list of neighbours holds until a sphere has moved by this part of its radius. */
static const double skin = 0.4;

/* Steps between two looks at the energy, the part of it that must be gone by then, most steps, most sets of radii. */
enum { STEPS_PER_LOOK = 100, MOST_STEPS = 20000, MOST_TRIES = 10 };
static const double least_progress = 0.02;

/* Of FIRE, see below; the time unit is that of the smallest sphere on one spring. */
static const double first_step = 0.1, longest_step = 0.5, first_mixing = 0.1;

/* Minimisation of Σ overlap²/2 over pairs of spheres and over spheres and the border of the region. */
struct relaxation {
  const struct cairn_region *region;
  int64_t n;
  double *x;        /* [n][3] m */
  double *v, *f;    /* [n][3] velocity and force, in units of stiffness 1 and mass 1 of the smallest sphere */
  double *old;      /* [n][3] positions for which the list was made */
  double *r, *mass; /* [n] radius with margin; mass */
  struct cairn_overlap *search;
  int32_t (*pair)[2];
  int64_t n_pairs, capacity;
  int32_t probe; /* sphere whose neighbours are listed */
  bool is_full;  /* no memory for more pairs */
  double energy;
  double overlap;                 /* sum of all overlaps, each as part of the radii that add up */
  int64_t n_touching, n_overlaps; /* overlaps with margin and without */
};

static bool add_pair(void *context, int32_t other, double part) {
  struct relaxation *relax = context;
  (void)part;
  if (relax->n_pairs == relax->capacity) {
    int64_t capacity = 2 * relax->capacity + 1024;
    void *grown = realloc(relax->pair, (size_t)capacity * sizeof *relax->pair);
    relax->is_full = !grown;
    if (!grown)
      return false;
    relax->pair = grown;
    relax->capacity = capacity;
  }
  relax->pair[relax->n_pairs][0] = relax->probe;
  relax->pair[relax->n_pairs++][1] = other;
  return true;
}

/* Spheres are sorted by size: each looks only for those as large or larger. */
static int list_pairs(struct relaxation *relax, struct cairn_error *error) {
  struct cairn_overlap *search = relax->search;
  cairn_overlap_fini(search);
  cairn_overlap_init(search, relax->r[0]);
  int status = cairn_overlap_reserve(search, relax->n, error);
  relax->n_pairs = 0;
  for (int64_t i = 0; status == CAIRN_OK && i < relax->n; i++) {
    const double *x = relax->x + 3 * i, reach = relax->r[i] * (1 + skin);
    relax->probe = (int32_t)i;
    cairn_overlap_find(search, x, reach, add_pair, relax, NULL);
    cairn_overlap_insert(search, (int32_t)i, x, reach);
  }
  memcpy(relax->old, relax->x, (size_t)relax->n * 3 * sizeof(double));
  if (status == CAIRN_OK && relax->is_full)
    status =
        cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a packing of %lld bodies", (long long)relax->n);
  return status;
}

static bool is_outdated(const struct relaxation *relax) {
  for (int64_t i = 0; i < relax->n; i++) {
    double square = 0, reach = skin * relax->r[i];
    for (int64_t k = 3 * i; k < 3 * i + 3; k++)
      square += (relax->x[k] - relax->old[k]) * (relax->x[k] - relax->old[k]);
    if (square > reach * reach)
      return true;
  }
  return false;
}

/* Note an overlap of radii with margin that add up to `reach`. */
static void note_overlap(struct relaxation *relax, double overlap, double reach) {
  relax->energy += overlap * overlap / 2;
  relax->overlap += overlap / reach;
  relax->n_touching++;
  relax->n_overlaps += overlap > margin / (1 + margin) * reach;
}

static void push_pair(struct relaxation *relax, int32_t i, int32_t j) {
  double d[3], *a = relax->f + 3 * (int64_t)i, *b = relax->f + 3 * (int64_t)j;
  double reach = relax->r[i] + relax->r[j], square = 0;
  for (int k = 0; k < 3; k++) {
    d[k] = relax->x[3 * (int64_t)i + k] - relax->x[3 * (int64_t)j + k];
    square += d[k] * d[k];
  }
  if (!(square < reach * reach) || !(square > 0))
    return;
  double distance = sqrt(square), overlap = reach - distance;
  for (int k = 0; k < 3; k++) {
    a[k] += overlap / distance * d[k];
    b[k] -= overlap / distance * d[k];
  }
  note_overlap(relax, overlap, reach);
}

static void compute_forces(struct relaxation *relax) {
  relax->energy = relax->overlap = 0;
  relax->n_touching = relax->n_overlaps = 0;
  for (int64_t i = 0; i < relax->n; i++) {
    double *f = relax->f + 3 * i;
    cairn_region_push(relax->region, relax->x + 3 * i, relax->r[i], f);
    double push = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    if (push > 0)
      note_overlap(relax, push, relax->r[i]);
  }
  for (int64_t p = 0; p < relax->n_pairs; p++)
    push_pair(relax, relax->pair[p][0], relax->pair[p][1]);
}

/* The step of the method FIRE, which lets inertia work as long as it leads downhill (Bitzek et al. 2006). */
struct fire {
  double step, mixing;
  int downhill; /* steps since it last led uphill */
};

static void steer(struct relaxation *relax, struct fire *fire) {
  double power = 0, speed = 0, force = 0;
  for (int64_t k = 0; k < 3 * relax->n; k++) {
    power += relax->f[k] * relax->v[k];
    speed += relax->v[k] * relax->v[k];
    force += relax->f[k] * relax->f[k];
  }
  double keep = 1 - fire->mixing, turn = force > 0 ? fire->mixing * sqrt(speed / force) : 0;
  if (power <= 0)
    keep = turn = 0;
  for (int64_t k = 0; k < 3 * relax->n; k++)
    relax->v[k] = keep * relax->v[k] + turn * relax->f[k];
  if (power <= 0) {
    *fire = (struct fire){.step = 0.5 * fire->step, .mixing = first_mixing};
  } else if (++fire->downhill > 5) {
    fire->step = fmin(1.1 * fire->step, longest_step);
    fire->mixing *= 0.99;
  }
}

static void move(struct relaxation *relax, double step) {
  for (int64_t i = 0; i < relax->n; i++)
    for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
      relax->v[k] += step / relax->mass[i] * relax->f[k];
      relax->x[k] += step * relax->v[k];
    }
}

/* Push until no true radii overlap, or until that leads nowhere. */
static int relax_all(struct relaxation *relax, struct cairn_error *error) {
  struct fire fire = {.step = first_step, .mixing = first_mixing};
  double looked = INFINITY;
  memset(relax->v, 0, (size_t)relax->n * 3 * sizeof(double));
  int status = list_pairs(relax, error);
  for (int i = 0; status == CAIRN_OK; i++) {
    compute_forces(relax);
    if (relax->n_overlaps == 0 || i == MOST_STEPS)
      break;
    if (i % STEPS_PER_LOOK == 0) {
      if (relax->energy > (1 - least_progress) * looked)
        break;
      looked = relax->energy;
    }
    steer(relax, &fire);
    move(relax, fire.step);
    if (is_outdated(relax))
      status = list_pairs(relax, error);
  }
  return status;
}

static void set_radii(struct relaxation *relax, const double *radius, double scale) {
  for (int64_t i = 0; i < relax->n; i++) {
    relax->r[i] = radius[i] * scale * (1 + margin);
    /* The force on a sphere grows with the number of neighbours: its mass as well, for steps that suit all. */
    relax->mass[i] = radius[i] / radius[relax->n - 1] * (radius[i] / radius[relax->n - 1]);
  }
}

/* Where the spheres jam, shrink them by their mean overlap and push again, to find out what would have found a place.
 */
static int find_places(struct relaxation *relax, const double *radius, double *scale, struct cairn_error *error) {
  int status = CAIRN_OK;
  *scale = 1;
  for (int i = 0; i < MOST_TRIES; i++) {
    set_radii(relax, radius, *scale);
    status = relax_all(relax, error);
    if (status != CAIRN_OK || relax->n_overlaps == 0)
      return status;
    *scale *= 1 - relax->overlap / (double)relax->n_touching - margin;
  }
  *scale = 0;
  return CAIRN_OK;
}

static int larger_first(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

void cairn_packing_sort(struct cairn_packing *packing) {
  qsort(packing->radius, (size_t)packing->n, sizeof *packing->radius, larger_first);
}

int cairn_packing_place(struct cairn_packing *packing, struct cairn_random *random, double *scale,
                        struct cairn_error *error) {
  size_t n = (size_t)packing->n;
  *scale = 0;
  cairn_packing_sort(packing);
  for (size_t i = 0; i < n; i++)
    if (!cairn_region_sample(packing->region, packing->radius[i], random, packing->position + 3 * i))
      return CAIRN_OK;
  double *numbers = malloc(11 * n * sizeof *numbers);
  struct relaxation relax = {.region = packing->region,
                             .n = packing->n,
                             .x = packing->position,
                             .v = numbers,
                             .f = numbers + 3 * n,
                             .old = numbers + 6 * n,
                             .r = numbers + 9 * n,
                             .mass = numbers + 10 * n,
                             .search = calloc(1, sizeof *relax.search)};
  int status = CAIRN_OK;
  if (!numbers || !relax.search)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a packing of %zu bodies", n);
  if (status == CAIRN_OK)
    status = find_places(&relax, packing->radius, scale, error);
  if (relax.search)
    cairn_overlap_fini(relax.search);
  free(relax.search);
  free(relax.pair);
  free(numbers);
  if (status == CAIRN_OK && *scale == 1)
    status = cairn_cloud_sort(packing->n, packing->position, packing->radius, error);
  return status;
}
