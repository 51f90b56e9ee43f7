#include "analysis/aggregate.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/contact_forces.h"
#include "kernels/common/vec3.h"

static const double SPHERE = 4. / 3. * 3.14159265358979323846; /* volume over r³ */

/* So many bodies or contacts are looked at together. */
enum { BATCH = CAIRN_EXACT_SUM_BATCH };

static double cube(double x) { return x * x * x; }

/* ---- contacts ---- */

/* Is friction all used up? A sweep leaves what slides on Coulomb's cone but for rounding, which the normal, computed
 * again from positions, makes larger by their size over the radius; 1e-9 is far above both. */
static bool slides(const struct cairn_contact_force *c) {
  static const double ROUNDING = 1e-9;
  const double normal = c->f[0] * c->n[0] + c->f[1] * c->n[1] + c->f[2] * c->n[2];
  double t2 = 0., f2 = 0.;
  for (int i = 0; i < 3; i++) {
    const double t = c->f[i] - normal * c->n[i];
    t2 += t * t;
    f2 += c->f[i] * c->f[i];
  }
  const double limit = c->friction * (normal + c->cohesion);
  return limit > ROUNDING * sqrt(f2) && sqrt(t2) >= (1. - ROUNDING) * limit;
}

/* Add -f ⊗ r (Sánchez et al. 2021, eq. 19, with pressure positive), its symmetric part: the body has
 * the contact at r n, or, as body b, at -r n. */
static void add_moment(const struct cairn_contact_force *c, double radius, double moment[6]) {
  static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
  for (int k = 0; k < 6; k++)
    moment[k] += 0.5 * radius * (c->f[row[k]] * c->n[column[k]] + c->f[column[k]] * c->n[row[k]]);
}

static double trace(const double tensor[6]) { return tensor[0] + tensor[1] + tensor[2]; }

static int begin_stress(int64_t n, struct cairn_body_stress *out, struct cairn_error *error) {
  out->pressure = calloc((size_t)n + 1, sizeof *out->pressure);
  out->stress = calloc((size_t)n + 1, 6 * sizeof *out->stress);
  if (out->pressure && out->stress)
    return 0;
  cairn_fields_stress_fini(out);
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the stress of %lld bodies", (long long)n);
}

/* Of the bodies first, first + 1, …, of which there are n. */
static void add_stress(const struct cairn_contact_force *c, int64_t first, int64_t n, struct cairn_body_stress *out) {
  const int64_t a = c->a - first, b = c->b - first;
  if (a >= 0 && a < n)
    add_moment(c, c->arm[0], out->stress + 6 * a);
  if (!c->at_wall && b >= 0 && b < n)
    add_moment(c, c->arm[1], out->stress + 6 * b);
}

static void end_stress(const struct cairn_state *state, struct cairn_body_stress *out) {
  for (int64_t i = 0; i < state->n; i++) {
    const double volume = SPHERE * cube(state->radius[i]);
    for (int k = 0; k < 6; k++)
      out->stress[6 * i + k] /= volume;
    out->pressure[i] = trace(out->stress + 6 * i) / 3.;
  }
}

int cairn_aggregate_stress(const struct cairn_state *state, const struct cairn_scenario *s,
                           struct cairn_body_stress *out, struct cairn_error *error) {
  struct cairn_contact_forces forces;
  int status = cairn_contact_forces_init(&forces, state, s, error);
  if (status)
    return status;
  status = begin_stress(state->n, out, error);
  for (int64_t first = 0, n = cairn_contact_forces_n(&forces); first < n && !status; first += BATCH) {
    struct cairn_contact_force some[BATCH];
    const int64_t count = n - first < BATCH ? n - first : BATCH;
    cairn_contact_forces_some(&forces, first, count, some);
    for (const struct cairn_contact_force *c = some; c < some + count; c++)
      add_stress(c, 0, state->n, out);
  }
  cairn_contact_forces_fini(&forces);
  if (!status)
    end_stress(state, out);
  return status;
}

int cairn_aggregate_slab_stress(const struct cairn_state *slab, int64_t first, const struct cairn_contact_force *force,
                                int64_t n, struct cairn_body_stress *out, struct cairn_error *error) {
  const int status = begin_stress(slab->n, out, error);
  for (int64_t k = 0; k < n && !status; k++)
    add_stress(force + k, first, slab->n, out);
  if (!status)
    end_stress(slab, out);
  return status;
}

/* Add columns of numbers, each to its sum. */
static void add_columns(struct cairn_exact_sum *sum, int n_sums, double (*column)[BATCH], int64_t n) {
  for (int k = 0; k < n_sums; k++)
    cairn_exact_sum_add_all(sum + k, column[k], n);
}

static void add_batch(struct cairn_aggregate_sums *sums, const struct cairn_contact_force *some, int64_t n,
                      bool solved) {
  double moment[6][BATCH], cohesion[1][BATCH];
  for (int64_t i = 0; i < n; i++) {
    const struct cairn_contact_force *c = some + i;
    double m[6] = {0};
    add_moment(c, c->arm[0] + c->arm[1], m);
    for (int k = 0; k < 6; k++)
      moment[k][i] = m[k];
    cohesion[0][i] = c->cohesion;
    sums->n_rough += c->friction > 0.;
    sums->n_sliding += solved && c->friction > 0. && slides(c);
  }
  add_columns(sums->moment, 6, moment, n);
  add_columns(&sums->cohesion, 1, cohesion, n);
}

void cairn_aggregate_add_contacts(struct cairn_aggregate_sums *sums, const struct cairn_contact_forces *forces,
                                  int64_t first, int64_t n, struct cairn_step_part *part) {
  const bool solved = cairn_scenario_forces(forces->scenario) == CAIRN_FORCES_TOLD;
  for (int64_t k = 0; k < n; k += BATCH) {
    struct cairn_contact_force some[BATCH];
    const int64_t count = n - k < BATCH ? n - k : BATCH;
    cairn_contact_forces_some(forces, first + k, count, some);
    add_batch(sums, some, count, solved);
    if (part)
      cairn_contact_forces_put(forces->state, some, count, part);
  }
  sums->n_contacts += n;
}

/* After the shape, which it needs. */
static void tell_forces(const struct cairn_aggregate_sums *sums, const struct cairn_aggregate_weight *weight,
                        const struct cairn_scenario *s, double volume, struct cairn_observables *out) {
  const struct cairn_regime_motion motion = cairn_aggregate_motion(sums, weight);
  const double n_rough = (double)sums->n_rough, n = (double)sums->n_contacts;
  const bool solved = cairn_scenario_forces(s) == CAIRN_FORCES_TOLD;
  out->sliding_fraction = !solved ? (double)NAN : n_rough > 0. ? (double)sums->n_sliding / n_rough : 0.;
  for (int k = 0; k < 6; k++)
    out->mean_stress[k] = volume > 0. ? cairn_exact_sum_value(&sums->moment[k]) / volume : 0.;
  out->mean_pressure = trace(out->mean_stress) / 3.;
  out->bond_number = cairn_regime_bond_number(n > 0. ? cairn_exact_sum_value(&sums->cohesion) / n : 0.,
                                              cairn_exact_sum_value(&weight->weight), (double)weight->n);
  out->inertial_number = cairn_regime_inertial_number(&motion, out->mean_pressure * out->packing_fraction_ellipsoid /
                                                                   out->packing_fraction);
}

static void forget_forces(struct cairn_observables *out) {
  out->sliding_fraction = out->mean_pressure = out->bond_number = out->inertial_number = NAN;
  for (int k = 0; k < 6; k++)
    out->mean_stress[k] = NAN;
}

/* ---- who bears ---- */

int cairn_aggregate_observe_bearing(const struct cairn_state *state, struct cairn_observables *out,
                                    struct cairn_error *error) {
  struct cairn_bearing bearing;
  int64_t count[CAIRN_BEARING_COUNTS];
  int32_t ignored;
  if (cairn_bearing_init(&bearing, 0, state->n))
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the rattlers among %lld bodies",
                           (long long)state->n);
  for (int64_t k = 0; k < state->contacts.n; k++) {
    const struct cairn_contact *contact = cairn_contact_at(&state->contacts, k);
    cairn_bearing_touch(&bearing, contact->a, contact->b);
    cairn_bearing_touch(&bearing, contact->b, contact->a);
  }
  for (int64_t k = 0; k < state->wall_contacts.n; k++)
    cairn_bearing_lean(&bearing, cairn_contact_at(&state->wall_contacts, k)->a);
  for (int64_t i = 0; i < state->n; i++)
    if (state->captor[i] != 0)
      (state->captor[i] > 0 ? cairn_bearing_hold : cairn_bearing_remove)(&bearing, (int32_t)i);
  for (int64_t i = 0; i < state->n; i++)
    cairn_bearing_take_out(&bearing, (int32_t)i, &ignored);
  cairn_bearing_count(&bearing, count);
  cairn_bearing_fini(&bearing);
  cairn_aggregate_tell_bearing(count, out);
  return 0;
}

void cairn_aggregate_tell_bearing(const int64_t count[CAIRN_BEARING_COUNTS], struct cairn_observables *out) {
  const double n_bearing = (double)count[CAIRN_BEARING_BEARING];
  out->n_rattlers = (double)count[CAIRN_BEARING_RATTLERS];
  out->coordination_bearing = n_bearing > 0. ? (double)count[CAIRN_BEARING_ENDS] / n_bearing : 0.;
}

/* ---- shape ---- */

/* Eigenvalues of a symmetric matrix, the largest first, by Jacobi's rotations: they converge quadratically, so that
 * sweeps beyond the eighth find nothing to do. */
static void eigenvalues(double a[3][3], double value[3]) {
  enum { SWEEPS = 10 };
  for (int k = 0; k < 3 * SWEEPS; k++) {
    const int p = k % 3 == 2, q = 1 + (k % 3 > 0), r = 3 - p - q;
    if (a[p][q] == 0.)
      continue;
    const double ratio = (a[q][q] - a[p][p]) / (2. * a[p][q]);
    const double t = (ratio < 0. ? -1. : 1.) / (fabs(ratio) + sqrt(ratio * ratio + 1.)), c = 1. / sqrt(t * t + 1.);
    const double arp = a[r][p], arq = a[r][q];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.;
    a[r][p] = a[p][r] = c * arp - t * c * arq;
    a[r][q] = a[q][r] = c * arq + t * c * arp;
  }
  for (int k = 0; k < 3; k++)
    value[k] = a[k][k];
  for (int k = 0; k < 3; k++) {
    const int i = k % 2; /* sorts three by comparing 0 1, 1 2, 0 1 */
    if (value[i] < value[i + 1]) {
      const double small = value[i];
      value[i] = value[i + 1];
      value[i + 1] = small;
    }
  }
}

void cairn_aggregate_semi_axes(double second[3][3], double mass, double axes[3]) {
  double value[3];
  eigenvalues(second, value);
  for (int k = 0; k < 3; k++)
    axes[k] = mass > 0. ? sqrt(5. * fmax(value[k], 0.) / mass) : 0.;
}

/* Some bodies of a state that were not removed, from the one numbered *next on, at most a batch. */
static int64_t take_bodies(const struct cairn_state *state, int64_t *next, int64_t end, int64_t out[BATCH]) {
  int64_t n = 0;
  for (; *next < end && n < BATCH; (*next)++)
    if (state->captor[*next] >= 0)
      out[n++] = *next;
  return n;
}

void cairn_aggregate_weigh(struct cairn_aggregate_weight *weight, const struct cairn_state *state, int64_t first,
                           int64_t n, const struct cairn_scenario *s) {
  int64_t body[BATCH], next = first, count;
  while ((count = take_bodies(state, &next, first + n, body)) > 0) {
    double one[3][BATCH], moment[3][BATCH], momentum[3][BATCH];
    for (int64_t j = 0; j < count; j++) {
      const int64_t i = body[j];
      const double m = state->mass[i];
      one[0][j] = m;
      one[1][j] = m * cairn_vec3_length(s->self_gravity ? state->gravity + 3 * i : s->gravity);
      one[2][j] = 2. * state->radius[i];
      for (int k = 0; k < 3; k++) {
        moment[k][j] = m * state->position[3 * i + k];
        momentum[k][j] = m * state->velocity[3 * i + k];
      }
    }
    weight->n += count;
    cairn_exact_sum_add_all(&weight->mass, one[0], count);
    cairn_exact_sum_add_all(&weight->weight, one[1], count);
    cairn_exact_sum_add_all(&weight->diameters, one[2], count);
    add_columns(weight->moment, 3, moment, count);
    add_columns(weight->momentum, 3, momentum, count);
  }
}

void cairn_aggregate_join_weights(void *all, const void *more) {
  struct cairn_aggregate_weight *to = all;
  const struct cairn_aggregate_weight *from = more;
  cairn_exact_sum_join(&to->mass, &from->mass);
  cairn_exact_sum_join(&to->diameters, &from->diameters);
  cairn_exact_sum_join(&to->weight, &from->weight);
  for (int k = 0; k < 3; k++) {
    cairn_exact_sum_join(&to->moment[k], &from->moment[k]);
    cairn_exact_sum_join(&to->momentum[k], &from->momentum[k]);
  }
  to->n += from->n;
}

/* Centre of mass and its velocity; returns the mass. */
static double center_of(const struct cairn_aggregate_weight *weight, double center[3], double velocity[3]) {
  const double mass = cairn_exact_sum_value(&weight->mass);
  for (int k = 0; k < 3; k++) {
    center[k] = mass > 0. ? cairn_exact_sum_value(&weight->moment[k]) / mass : 0.;
    velocity[k] = mass > 0. ? cairn_exact_sum_value(&weight->momentum[k]) / mass : 0.;
  }
  return mass;
}

static const int row_of[6] = {0, 1, 2, 1, 0, 0}, column_of[6] = {0, 1, 2, 2, 2, 1};

static void add_bodies(struct cairn_aggregate_sums *sums, const double center[3], const double velocity[3],
                       const struct cairn_state *state, const int64_t *body, int64_t n) {
  double place[6][BATCH], flow[9][BATCH], filled[1][BATCH], spheres[1][BATCH];
  for (int64_t j = 0; j < n; j++) {
    const int64_t i = body[j];
    const double m = state->mass[i], r = state->radius[i];
    double d[3], v[3];
    for (int k = 0; k < 3; k++) {
      d[k] = state->position[3 * i + k] - center[k];
      v[k] = state->velocity[3 * i + k] - velocity[k];
    }
    for (int k = 0; k < 6; k++)
      place[k][j] = m * (d[row_of[k]] * d[column_of[k]]);
    for (int k = 0; k < 9; k++)
      flow[k][j] = m * (v[k / 3] * d[k % 3]);
    sums->reach = fmax(sums->reach, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + r);
    filled[0][j] = SPHERE * cube(r);
    spheres[0][j] = m * (0.2 * r * r);
  }
  add_columns(sums->place, 6, place, n);
  add_columns(sums->flow, 9, flow, n);
  add_columns(&sums->filled, 1, filled, n);
  add_columns(&sums->spheres, 1, spheres, n);
}

void cairn_aggregate_add_bodies(struct cairn_aggregate_sums *sums, const struct cairn_aggregate_weight *weight,
                                const struct cairn_state *state, int64_t first, int64_t n) {
  double center[3], velocity[3];
  int64_t body[BATCH], next = first, count;
  center_of(weight, center, velocity);
  while ((count = take_bodies(state, &next, first + n, body)) > 0)
    add_bodies(sums, center, velocity, state, body, count);
}

int cairn_aggregate_add(struct cairn_aggregate_sums *sums, const struct cairn_aggregate_weight *weight,
                        const struct cairn_state *state, int64_t n, const struct cairn_scenario *s,
                        struct cairn_error *error) {
  struct cairn_contact_forces forces;
  cairn_aggregate_add_bodies(sums, weight, state, 0, n);
  if (cairn_scenario_forces(s) == CAIRN_FORCES_NONE)
    return 0;
  const int status = cairn_contact_forces_init(&forces, state, s, error);
  if (status)
    return status;
  cairn_aggregate_add_contacts(sums, &forces, 0, cairn_contact_forces_n(&forces), NULL);
  cairn_contact_forces_fini(&forces);
  return 0;
}

void cairn_aggregate_join(void *all, const void *more) {
  struct cairn_aggregate_sums *to = all;
  const struct cairn_aggregate_sums *from = more;
  for (int k = 0; k < 6; k++) {
    cairn_exact_sum_join(&to->place[k], &from->place[k]);
    cairn_exact_sum_join(&to->moment[k], &from->moment[k]);
  }
  for (int k = 0; k < 9; k++)
    cairn_exact_sum_join(&to->flow[k], &from->flow[k]);
  cairn_exact_sum_join(&to->spheres, &from->spheres);
  cairn_exact_sum_join(&to->filled, &from->filled);
  cairn_exact_sum_join(&to->cohesion, &from->cohesion);
  to->reach = fmax(to->reach, from->reach);
  to->n_contacts += from->n_contacts;
  to->n_rough += from->n_rough;
  to->n_sliding += from->n_sliding;
}

struct cairn_regime_motion cairn_aggregate_motion(const struct cairn_aggregate_sums *sums,
                                                  const struct cairn_aggregate_weight *weight) {
  struct cairn_regime_motion motion = {
      .mass = cairn_exact_sum_value(&weight->mass),
      .volume = cairn_exact_sum_value(&sums->filled),
      .diameter = weight->n > 0 ? cairn_exact_sum_value(&weight->diameters) / (double)weight->n : 0.};
  for (int k = 0; k < 6; k++)
    motion.place[row_of[k]][column_of[k]] = motion.place[column_of[k]][row_of[k]] =
        cairn_exact_sum_value(&sums->place[k]);
  for (int k = 0; k < 9; k++)
    motion.flow[k / 3][k % 3] = cairn_exact_sum_value(&sums->flow[k]);
  return motion;
}

/* The ellipsoid of the same mass and the same moments of inertia: a homogeneous one has M a²/5 as its second moment
 * along the axis a, a sphere m r²/5 about its own centre. */
void cairn_aggregate_tell(const struct cairn_aggregate_sums *sums, const struct cairn_aggregate_weight *weight,
                          const struct cairn_scenario *s, struct cairn_observables *out) {
  struct cairn_regime_motion motion = cairn_aggregate_motion(sums, weight);
  const double filled = motion.volume;
  for (int k = 0; k < 3; k++)
    motion.place[k][k] += cairn_exact_sum_value(&sums->spheres);
  cairn_aggregate_semi_axes(motion.place, motion.mass, out->semi_axes);
  const double sphere = SPHERE * cube(sums->reach),
               ellipsoid = SPHERE * out->semi_axes[0] * out->semi_axes[1] * out->semi_axes[2];
  out->diameter = 2. * sums->reach;
  out->packing_fraction = sphere > 0. ? filled / sphere : 0.;
  out->packing_fraction_ellipsoid = ellipsoid > 0. ? filled / ellipsoid : 0.;
  if (cairn_scenario_forces(s) == CAIRN_FORCES_NONE)
    forget_forces(out);
  else
    tell_forces(sums, weight, s, sphere, out);
}

int cairn_aggregate_observe(const struct cairn_state *state, const struct cairn_scenario *s,
                            struct cairn_observables *out, struct cairn_error *error) {
  struct cairn_aggregate_weight weight = {0};
  struct cairn_aggregate_sums sums = {0};
  cairn_aggregate_weigh(&weight, state, 0, state->n, s);
  const int status = cairn_aggregate_add(&sums, &weight, state, state->n, s, error);
  if (status)
    return status;
  cairn_aggregate_tell(&sums, &weight, s, out);
  return cairn_aggregate_observe_bearing(state, out, error);
}
