#include "analysis/aggregate.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/contact_forces.h"
#include "kernels/common/vec3.h"

static const double SPHERE = 4. / 3. * 3.14159265358979323846; /* volume over r³ */

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

int cairn_aggregate_stress(const struct cairn_state *state, const struct cairn_scenario *s,
                           struct cairn_body_stress *out, struct cairn_error *error) {
  struct cairn_contact_forces forces;
  const int status = cairn_contact_forces_init(&forces, state, s, error);
  if (status)
    return status;
  out->pressure = calloc((size_t)state->n + 1, sizeof *out->pressure);
  out->stress = calloc((size_t)state->n + 1, 6 * sizeof *out->stress);
  if (!out->pressure || !out->stress) {
    cairn_fields_stress_fini(out);
    cairn_contact_forces_fini(&forces);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the stress of %lld bodies",
                           (long long)state->n);
  }
  for (int64_t k = 0; k < cairn_contact_forces_n(&forces); k++) {
    const struct cairn_contact_force c = cairn_contact_forces_at(&forces, k);
    add_moment(&c, c.arm[0], out->stress + 6 * (int64_t)c.a);
    if (!c.at_wall)
      add_moment(&c, c.arm[1], out->stress + 6 * (int64_t)c.b);
  }
  cairn_contact_forces_fini(&forces);
  for (int64_t i = 0; i < state->n; i++) {
    const double volume = SPHERE * cube(state->radius[i]);
    for (int k = 0; k < 6; k++)
      out->stress[6 * i + k] /= volume;
    out->pressure[i] = trace(out->stress + 6 * i) / 3.;
  }
  return 0;
}

static int add_forces(struct cairn_aggregate_sums *sums, const struct cairn_state *state,
                      const struct cairn_scenario *s, struct cairn_error *error) {
  struct cairn_contact_forces forces;
  const int status = cairn_contact_forces_init(&forces, state, s, error);
  if (status)
    return status;
  for (int64_t k = 0; k < cairn_contact_forces_n(&forces); k++) {
    const struct cairn_contact_force c = cairn_contact_forces_at(&forces, k);
    double moment[6] = {0};
    add_moment(&c, c.arm[0] + c.arm[1], moment);
    for (int i = 0; i < 6; i++)
      cairn_exact_sum_add(&sums->moment[i], moment[i]);
    cairn_exact_sum_add(&sums->cohesion, c.cohesion);
    sums->n_rough += c.friction > 0.;
    sums->n_sliding += c.friction > 0. && slides(&c);
  }
  sums->n_contacts += cairn_contact_forces_n(&forces);
  cairn_contact_forces_fini(&forces);
  return 0;
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

static int observe_bearing(const struct cairn_state *state, struct cairn_observables *out, struct cairn_error *error) {
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

void cairn_aggregate_weigh(struct cairn_aggregate_weight *weight, const struct cairn_state *state, int64_t n,
                           const struct cairn_scenario *s) {
  for (int64_t i = 0; i < n; i++) {
    const double m = state->mass[i];
    if (state->captor[i] < 0)
      continue;
    weight->n++;
    cairn_exact_sum_add(&weight->mass, m);
    cairn_exact_sum_add(&weight->diameters, 2. * state->radius[i]);
    cairn_exact_sum_add(&weight->weight, m * cairn_vec3_length(s->self_gravity ? state->gravity + 3 * i : s->gravity));
    for (int k = 0; k < 3; k++) {
      cairn_exact_sum_add(&weight->moment[k], m * state->position[3 * i + k]);
      cairn_exact_sum_add(&weight->momentum[k], m * state->velocity[3 * i + k]);
    }
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

int cairn_aggregate_add(struct cairn_aggregate_sums *sums, const struct cairn_aggregate_weight *weight,
                        const struct cairn_state *state, int64_t n, const struct cairn_scenario *s,
                        struct cairn_error *error) {
  double center[3], velocity[3];
  center_of(weight, center, velocity);
  for (int64_t i = 0; i < n; i++) {
    if (state->captor[i] < 0)
      continue;
    const double m = state->mass[i], r = state->radius[i];
    double d[3], v[3];
    for (int k = 0; k < 3; k++) {
      d[k] = state->position[3 * i + k] - center[k];
      v[k] = state->velocity[3 * i + k] - velocity[k];
    }
    for (int k = 0; k < 6; k++)
      cairn_exact_sum_add(&sums->place[k], m * (d[row_of[k]] * d[column_of[k]]));
    for (int k = 0; k < 9; k++)
      cairn_exact_sum_add(&sums->flow[k], m * (v[k / 3] * d[k % 3]));
    sums->reach = fmax(sums->reach, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + r);
    cairn_exact_sum_add(&sums->filled, SPHERE * cube(r));
    cairn_exact_sum_add(&sums->spheres, m * (0.2 * r * r));
  }
  return cairn_scenario_forces(s) == CAIRN_FORCES_NONE ? 0 : add_forces(sums, state, s, error);
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
  cairn_aggregate_weigh(&weight, state, state->n, s);
  const int status = cairn_aggregate_add(&sums, &weight, state, state->n, s, error);
  if (status)
    return status;
  cairn_aggregate_tell(&sums, &weight, s, out);
  return observe_bearing(state, out, error);
}
