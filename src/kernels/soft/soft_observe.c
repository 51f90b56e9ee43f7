/* What is observed of the bodies and contacts of a cell. */
#include <string.h>

#include "kernels/soft/soft_spheres.h"

/* What bodies add to the sums, a batch of them at a time. */
struct body_batch {
  int32_t n;
  double mass[CAIRN_EXACT_SUM_BATCH], kinetic[CAIRN_EXACT_SUM_BATCH], rotational[CAIRN_EXACT_SUM_BATCH],
      potential[CAIRN_EXACT_SUM_BATCH];
  double momentum[3][CAIRN_EXACT_SUM_BATCH], angular_momentum[3][CAIRN_EXACT_SUM_BATCH],
      mass_moment[3][CAIRN_EXACT_SUM_BATCH];
};

static void add_batch(struct cairn_sums *sums, struct body_batch *batch) {
  cairn_exact_sum_add_all(&sums->mass, batch->mass, batch->n);
  cairn_exact_sum_add_all(&sums->kinetic, batch->kinetic, batch->n);
  cairn_exact_sum_add_all(&sums->rotational, batch->rotational, batch->n);
  cairn_exact_sum_add_all(&sums->potential, batch->potential, batch->n);
  for (int k = 0; k < 3; k++) {
    cairn_exact_sum_add_all(&sums->momentum[k], batch->momentum[k], batch->n);
    cairn_exact_sum_add_all(&sums->angular_momentum[k], batch->angular_momentum[k], batch->n);
    cairn_exact_sum_add_all(&sums->mass_moment[k], batch->mass_moment[k], batch->n);
  }
  batch->n = 0;
}

static void observe_bodies(const struct cairn_soft_spheres *c, struct cairn_sums *sums) {
  const double *gravity = c->world + CAIRN_WORLD_GX;
  struct body_batch batch;
  batch.n = 0;
  for (int32_t i = 0; i < c->size.n; i++) {
    const double *s = c->state + (int64_t)CAIRN_STATE * i;
    const double captor = c->captor ? c->captor[(int64_t)CAIRN_CAPTURE * i + CAIRN_CAPTURE_CAPTOR] : 0.;
    if (captor < 0.)
      continue;
    sums->n_bodies += 1.;
    sums->n_held += captor > 0. ? 1. : 0.;
    const double *x = s + CAIRN_STATE_X, *v = s + CAIRN_STATE_V, *w = s + CAIRN_STATE_W;
    const double m = 1. / c->inverse_mass[i], inertia = 1. / c->inverse_inertia[i];
    const double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double height = -(gravity[0] * x[0] + gravity[1] * x[1] + gravity[2] * x[2]);
    const int32_t j = batch.n++;
    batch.mass[j] = m;
    batch.kinetic[j] = 0.5 * m * v2;
    batch.rotational[j] = 0.5 * inertia * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    batch.potential[j] = m * (height + cairn_external_potential(&c->external, x));
    for (int k = 0; k < 3; k++) {
      const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      batch.momentum[k][j] = m * v[k];
      batch.angular_momentum[k][j] = m * (x[k1] * v[k2] - x[k2] * v[k1]) + inertia * w[k];
      batch.mass_moment[k][j] = m * x[k];
    }
    sums->max_speed2 = v2 > sums->max_speed2 ? v2 : sums->max_speed2;
    if (batch.n == CAIRN_EXACT_SUM_BATCH)
      add_batch(sums, &batch);
  }
  add_batch(sums, &batch);
}

/* What contacts add to the elastic energy. */
struct energy_batch {
  int32_t n;
  double energy[CAIRN_EXACT_SUM_BATCH];
};

static void add_energies(struct cairn_sums *sums, struct energy_batch *batch) {
  cairn_exact_sum_add_all(&sums->elastic, batch->energy, batch->n);
  batch->n = 0;
}

static void observe_contact(const struct cairn_soft_spheres *c, int32_t k, double overlap, double radius,
                            double relative, struct cairn_sums *sums, struct energy_batch *batch) {
  const double x = overlap > 0. ? overlap : 0., s2 = c->sx[k] * c->sx[k] + c->sy[k] * c->sy[k] + c->sz[k] * c->sz[k];
  const double q2 = c->qx ? c->qx[k] * c->qx[k] + c->qy[k] * c->qy[k] + c->qz[k] * c->qz[k] : 0.;
  if (!c->cd)
    batch->energy[batch->n++] =
        cairn_laws_table[c->law_kind].energy(cairn_soft_spheres_constants(c, k), x, s2, q2, radius);
  if (batch->n == CAIRN_EXACT_SUM_BATCH)
    add_energies(sums, batch);
  sums->max_overlap = relative > sums->max_overlap ? relative : sums->max_overlap;
}

/* What attraction stores, between bodies that touch and those that do not. */
static void observe_attraction(const struct cairn_soft_spheres *c, struct cairn_sums *sums) {
  for (int32_t k = 0; k < c->size.n_pairs; k++) {
    const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k],
                 *q = c->predicted + (int64_t)CAIRN_PREDICTED * c->b[k];
    if (c->a[k] >= c->size.n || cairn_soft_spheres_is_parked(p) || cairn_soft_spheres_is_parked(q) ||
        cairn_soft_spheres_is_bonded(c, k))
      continue;
    const double r1 = p[CAIRN_PREDICTED_R], r2 = q[CAIRN_PREDICTED_R], smaller = r1 < r2 ? r1 : r2;
    const struct cairn_attraction attraction = cairn_laws_attraction(cairn_soft_spheres_constants(c, k));
    const struct cairn_neck neck = cairn_laws_neck(cairn_soft_spheres_constants(c, k));
    const double gap = -smaller * cairn_soft_spheres_overlap(p, q), radius = r1 * r2 / (r1 + r2);
    cairn_exact_sum_add(&sums->elastic, cairn_attraction_energy(&attraction, gap, radius));
    if (c->age[k] > 0)
      cairn_exact_sum_add(&sums->elastic, cairn_neck_energy(&neck, gap, radius));
  }
  cairn_kernel_soft_walls_attraction(c, &sums->elastic);
}

static void observe_pair(const struct cairn_soft_spheres *c, int32_t k, struct cairn_sums *sums,
                         struct energy_batch *batch) {
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k],
               *q = c->predicted + (int64_t)CAIRN_PREDICTED * c->b[k];
  if (cairn_soft_spheres_is_parked(p) || cairn_soft_spheres_is_parked(q))
    return;
  const double relative = cairn_soft_spheres_overlap(p, q);
  const double r1 = p[CAIRN_PREDICTED_R], r2 = q[CAIRN_PREDICTED_R], smaller = r1 < r2 ? r1 : r2;
  if (cairn_soft_spheres_is_bonded(c, k))
    cairn_kernel_soft_bonds_observe(c, k, 0., sums);
  else
    observe_contact(c, k, relative * smaller, r1 * r2 / (r1 + r2), relative, sums, batch);
  sums->n_contacts += 1.;
}

/* The pairs from `first` on that touch, up to BLOCK pairs, and are counted in this cell; returns how many. Whether a
 * pair touches is a guess for the processor, so that it is asked without a branch. */
enum { BLOCK = 256 };
static int32_t find_touching(const struct cairn_soft_spheres *c, int32_t first, int32_t touching[BLOCK]) {
  const int32_t left = c->size.n_pairs - first, count = left < BLOCK ? left : BLOCK;
  const int32_t most = c->cd ? INT32_MAX : c->size.n;
  int32_t n = 0;
  for (int32_t k = first; k < first + count; k++) {
    touching[n] = k;
    n += (c->age[k] > 0) & (c->a[k] < most);
  }
  return n;
}

void cairn_kernel_soft_spheres_observe(const struct cairn_soft_spheres *c, struct cairn_sums *sums) {
  int32_t touching[BLOCK];
  struct energy_batch batch;
  batch.n = 0;
  memset(sums, 0, sizeof *sums);
  for (int32_t i = 0; i < c->size.n; i++) {
    const double *state = c->state + (int64_t)CAIRN_STATE * i;
    double *predicted = c->predicted + (int64_t)CAIRN_PREDICTED * i;
    memcpy(predicted + CAIRN_PREDICTED_X, state + CAIRN_STATE_X, 3 * sizeof(double));
    memcpy(predicted + CAIRN_PREDICTED_V, state + CAIRN_STATE_V, 3 * sizeof(double));
    memcpy(predicted + CAIRN_PREDICTED_W, state + CAIRN_STATE_W, 3 * sizeof(double));
  }
  observe_bodies(c, sums);
  for (int32_t from = 0; from < c->size.n_pairs; from += BLOCK)
    for (int32_t i = 0, n = find_touching(c, from, touching); i < n; i++)
      observe_pair(c, touching[i], sums, &batch);
  for (int32_t k = c->size.n_pairs; k < c->size.n_pairs + c->size.n_wall_pairs; k++) {
    if (c->age[k] == 0)
      continue;
    const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k];
    if (cairn_soft_spheres_is_parked(p))
      continue;
    const double overlap = cairn_kernel_soft_walls_overlap(c, k);
    if (cairn_soft_spheres_is_bonded(c, k))
      cairn_kernel_soft_bonds_observe(c, k, overlap, sums);
    else
      observe_contact(c, k, overlap, p[CAIRN_PREDICTED_R], overlap / p[CAIRN_PREDICTED_R], sums, &batch);
    sums->n_wall_contacts += 1.;
  }
  add_energies(sums, &batch);
  if (!c->cd && cairn_laws_attract(c->world))
    observe_attraction(c, sums);
}

void cairn_kernel_soft_spheres_add(struct cairn_sums *total, const struct cairn_sums *cell) {
  cairn_exact_sum_join(&total->kinetic, &cell->kinetic);
  cairn_exact_sum_join(&total->rotational, &cell->rotational);
  cairn_exact_sum_join(&total->potential, &cell->potential);
  cairn_exact_sum_join(&total->elastic, &cell->elastic);
  cairn_exact_sum_join(&total->mass, &cell->mass);
  for (int k = 0; k < 3; k++) {
    cairn_exact_sum_join(&total->momentum[k], &cell->momentum[k]);
    cairn_exact_sum_join(&total->angular_momentum[k], &cell->angular_momentum[k]);
    cairn_exact_sum_join(&total->mass_moment[k], &cell->mass_moment[k]);
  }
  total->n_contacts += cell->n_contacts;
  total->n_wall_contacts += cell->n_wall_contacts;
  total->n_bodies += cell->n_bodies;
  total->n_held += cell->n_held;
  total->n_bonds += cell->n_bonds;
  total->max_overlap = cell->max_overlap > total->max_overlap ? cell->max_overlap : total->max_overlap;
  total->max_speed2 = cell->max_speed2 > total->max_speed2 ? cell->max_speed2 : total->max_speed2;
}
