#include "analysis/aggregate.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/contact_forces.h"
#include "analysis/regime.h"

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

/* Needs the volume: after observe_shape. */
static int observe_forces(const struct cairn_state *state, const struct cairn_scenario *s, double volume,
                          struct cairn_observables *out, struct cairn_error *error) {
  double moment[6] = {0}, n_rough = 0., n_sliding = 0., cohesion = 0.;
  struct cairn_contact_forces forces;
  const int status = cairn_contact_forces_init(&forces, state, s, error);
  if (status)
    return status;
  for (int64_t k = 0; k < cairn_contact_forces_n(&forces); k++) {
    const struct cairn_contact_force c = cairn_contact_forces_at(&forces, k);
    add_moment(&c, c.arm[0] + c.arm[1], moment);
    cohesion += c.cohesion;
    n_rough += c.friction > 0.;
    n_sliding += c.friction > 0. && slides(&c);
  }
  const double n = (double)cairn_contact_forces_n(&forces);
  cairn_contact_forces_fini(&forces);
  const bool solved = (state->contacts.memory & CAIRN_CONTACT_REMEMBERS(impulse)) != 0;
  out->sliding_fraction = !solved ? (double)NAN : n_rough > 0. ? n_sliding / n_rough : 0.;
  for (int k = 0; k < 6; k++)
    out->mean_stress[k] = volume > 0. ? moment[k] / volume : 0.;
  out->mean_pressure = trace(out->mean_stress) / 3.;
  out->bond_number = cairn_regime_bond_number(state, s, n > 0. ? cohesion / n : 0.);
  out->inertial_number =
      cairn_regime_inertial_number(state, out->mean_pressure * out->packing_fraction_ellipsoid / out->packing_fraction);
  return 0;
}

static void forget_forces(struct cairn_observables *out) {
  out->sliding_fraction = out->mean_pressure = out->bond_number = out->inertial_number = NAN;
  for (int k = 0; k < 6; k++)
    out->mean_stress[k] = NAN;
}

/* ---- who bears ---- */

/* What a body touches: how many other bodies and walls, and the exclusive or of the indices of its contacts with
 * bodies, which is that contact where only one is left. */
struct support {
  int64_t contact;
  int32_t n_bodies, n_walls;
  bool is_out; /* a rattler, or removed by a wall */
};

/* One contact bears nothing but the body's own weight: a body with fewer than two is a rattler. */
static bool rattles(const struct cairn_state *state, const struct support *at, int64_t i) {
  return !at[i].is_out && state->captor[i] == 0 && at[i].n_bodies + at[i].n_walls < 2;
}

/* Take a rattler out, then the body it leaned on if that has become one, and so on. What is left does not depend on the
 * order. */
static int64_t take_out(const struct cairn_state *state, struct support *at, int64_t i) {
  int64_t n = 0;
  while (i >= 0 && rattles(state, at, i)) {
    const int64_t contact = at[i].contact;
    const struct cairn_contact *last = at[i].n_bodies > 0 ? cairn_contact_at(&state->contacts, contact) : NULL;
    const int64_t other = !last ? -1 : last->a == i ? last->b : last->a;
    at[i].is_out = true;
    n++;
    if (other >= 0) {
      at[other].n_bodies--;
      at[other].contact ^= contact;
    }
    i = other;
  }
  return n;
}

static int observe_bearing(const struct cairn_state *state, struct cairn_observables *out, struct cairn_error *error) {
  struct support *at = calloc((size_t)state->n + 1, sizeof *at);
  if (!at)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the rattlers among %lld bodies",
                           (long long)state->n);
  for (int64_t k = 0; k < state->contacts.n; k++) {
    const struct cairn_contact *contact = cairn_contact_at(&state->contacts, k);
    const int32_t bodies[2] = {contact->a, contact->b};
    for (int i = 0; i < 2; i++) {
      at[bodies[i]].n_bodies++;
      at[bodies[i]].contact ^= k;
    }
  }
  for (int64_t k = 0; k < state->wall_contacts.n; k++)
    at[cairn_contact_at(&state->wall_contacts, k)->a].n_walls++;
  int64_t n_rattlers = 0, n_bearing = 0, n_ends = 0;
  for (int64_t i = 0; i < state->n; i++)
    at[i].is_out = state->captor[i] < 0;
  for (int64_t i = 0; i < state->n; i++)
    n_rattlers += take_out(state, at, i);
  for (int64_t i = 0; i < state->n; i++) {
    n_bearing += !at[i].is_out;
    n_ends += at[i].is_out ? 0 : at[i].n_bodies + at[i].n_walls;
  }
  free(at);
  out->n_rattlers = (double)n_rattlers;
  out->coordination_bearing = n_bearing > 0 ? (double)n_ends / (double)n_bearing : 0.;
  return 0;
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

static void center_of(const struct cairn_state *state, double center[3], double *mass) {
  double moment[3] = {0};
  *mass = 0.;
  for (int64_t i = 0; i < state->n; i++) {
    if (state->captor[i] < 0)
      continue;
    *mass += state->mass[i];
    for (int k = 0; k < 3; k++)
      moment[k] += state->mass[i] * state->position[3 * i + k];
  }
  for (int k = 0; k < 3; k++)
    center[k] = *mass > 0. ? moment[k] / *mass : 0.;
}

/* The ellipsoid of the same mass and the same moments of inertia: a homogeneous one has M a²/5 as its second moment
 * along the axis a, a sphere m r²/5 about its own centre. Returns the volume of the sphere around the centre of mass
 * that holds all bodies. */
static double observe_shape(const struct cairn_state *state, struct cairn_observables *out) {
  double center[3], mass, second[3][3] = {{0}}, filled = 0., reach = 0.;
  center_of(state, center, &mass);
  for (int64_t i = 0; i < state->n; i++) {
    if (state->captor[i] < 0)
      continue;
    const double m = state->mass[i], r = state->radius[i];
    double d[3];
    for (int k = 0; k < 3; k++)
      d[k] = state->position[3 * i + k] - center[k];
    for (int k = 0; k < 9; k++)
      second[k / 3][k % 3] += m * (d[k / 3] * d[k % 3] + (k % 4 == 0 ? 0.2 * r * r : 0.));
    reach = fmax(reach, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + r);
    filled += SPHERE * cube(r);
  }
  cairn_aggregate_semi_axes(second, mass, out->semi_axes);
  const double sphere = SPHERE * cube(reach),
               ellipsoid = SPHERE * out->semi_axes[0] * out->semi_axes[1] * out->semi_axes[2];
  out->diameter = 2. * reach;
  out->packing_fraction = sphere > 0. ? filled / sphere : 0.;
  out->packing_fraction_ellipsoid = ellipsoid > 0. ? filled / ellipsoid : 0.;
  return sphere;
}

int cairn_aggregate_observe(const struct cairn_state *state, const struct cairn_scenario *s,
                            struct cairn_observables *out, struct cairn_error *error) {
  const double volume = observe_shape(state, out);
  const bool has_forces = cairn_scenario_forces(s) != CAIRN_FORCES_NONE;
  if (!has_forces)
    forget_forces(out);
  const int status = has_forces ? observe_forces(state, s, volume, out, error) : 0;
  return status ? status : observe_bearing(state, out, error);
}
