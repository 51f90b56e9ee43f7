/* Shape, rattlers, sliding and stress of heaps whose answers are known. */
#include "contacts.h"
#include "tap/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/aggregate.h"

static const double PI = 3.14159265358979323846;
static const double H = 0.25, THETA = 0.5, MU = 0.5;

/* Two materials, the second without friction, and three walls of the first, the last of them frictionless. */
static struct cairn_interaction laws[4] = {[0] = {.friction = 0.5}};
static struct cairn_wall walls[3] = {
    {.behavior = CAIRN_WALL_SOLID}, {.behavior = CAIRN_WALL_SOLID}, {.behavior = CAIRN_WALL_FRICTIONLESS}};
static struct cairn_scenario scenario = {.method = CAIRN_METHOD_contact_dynamics,
                                         .time_step = 0.25,
                                         .solver_theta = 0.5,
                                         .n_materials = 2,
                                         .interactions = laws,
                                         .n_walls = 3,
                                         .walls = walls};

/* Spheres of density 1. */
static struct cairn_state heap(int64_t n, double radius) {
  struct cairn_state state = {0};
  if (cairn_state_resize(&state, n, NULL) ||
      cairn_state_remember(&state, CAIRN_CONTACT_REMEMBERS(impulse) | CAIRN_CONTACT_REMEMBERS(rest), NULL))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < n; i++) {
    state.radius[i] = radius;
    state.mass[i] = 4. / 3. * PI * radius * radius * radius;
  }
  return state;
}

static void place(struct cairn_state *state, int64_t i, double x, double y, double z) {
  state->position[3 * i] = x;
  state->position[3 * i + 1] = y;
  state->position[3 * i + 2] = z;
}

/* A force (N) on b. */
static void touch(struct cairn_state *state, int32_t a, int32_t b, double fx, double fy, double fz) {
  const int64_t k = state->contacts.n;
  if (cairn_state_resize_contacts(state, k + 1, state->wall_contacts.n, NULL))
    BAIL_OUT("out of memory");
  *pair_of(state, k) = (struct cairn_contact){a, b, 0, 1};
  double *impulse = PAIR_MEMORY(state, k, impulse);
  impulse[0] = H * fx;
  impulse[1] = H * fy;
  impulse[2] = H * fz;
}

/* A force on the wall of so much along the axis from the body to the wall, of so much along the next axis. */
static void lean(struct cairn_state *state, int32_t body, int32_t wall, int axis, double sign, double along,
                 double across) {
  const int64_t k = state->wall_contacts.n;
  if (cairn_state_resize_contacts(state, state->contacts.n, k + 1, NULL))
    BAIL_OUT("out of memory");
  *touch_of(state, k) = (struct cairn_contact){body, wall, 0, 1};
  TOUCH_MEMORY(state, k, normal)[axis] = sign;
  TOUCH_MEMORY(state, k, impulse)[axis] = H * sign * along;
  TOUCH_MEMORY(state, k, impulse)[(axis + 1) % 3] = H * across;
}

static struct cairn_observables observe(const struct cairn_state *state) {
  struct cairn_observables out = {0};
  struct cairn_error error = {0};
  if (cairn_aggregate_observe(state, &scenario, &out, &error))
    BAIL_OUT("%s", error.message);
  return out;
}

static struct cairn_body_stress stress_of(const struct cairn_state *state) {
  struct cairn_body_stress stress = {0};
  struct cairn_error error = {0};
  if (cairn_aggregate_stress(state, &scenario, &stress, &error))
    BAIL_OUT("%s", error.message);
  return stress;
}

/* Radii 1 and 2 along x, pressed by 6 N and sheared by 2 N along y; they have turned by a right angle about z since the
 * contact was found. */
static void test_pair(void) {
  struct cairn_state state = heap(2, 1.);
  state.radius[1] = 2.;
  state.mass[1] = 8. * state.mass[0];
  place(&state, 1, 0., 3., 0.);
  state.velocity[3] = -3. / (THETA * H);
  state.velocity[4] = 3. / (THETA * H);
  touch(&state, 0, 1, 6., 2., 0.);
  const double want[6] = {6., 0., 0., 0., 0., 1.}; /* sym(f ⊗ n) */
  const struct cairn_observables o = observe(&state);
  struct cairn_body_stress stress = stress_of(&state);
  double worst = 0., whole = 0.;
  const double reach = 3. * 8. / 9. + 1., volume = 4. / 3. * PI * reach * reach * reach;
  for (int k = 0; k < 6; k++) {
    worst = fmax(worst, fabs(stress.stress[k] - want[k] / (4. / 3. * PI)));
    worst = fmax(worst, fabs(stress.stress[6 + k] - 2. * want[k] / (4. / 3. * PI * 8.)));
    whole = fmax(whole, fabs(o.mean_stress[k] - 3. * want[k] / volume));
  }
  tap_near(worst, 0., 1e-14, 0., "two spheres: stress of each");
  tap_near(whole, 0., 1e-14, 0., "and of both, over the sphere around them");
  tap_near(stress.pressure[0], 2. / (4. / 3. * PI), 0., 1e-14, "pressure in the small one");
  tap_near(o.mean_pressure, 6. / volume, 0., 1e-14, "mean pressure");
  tap_near(o.diameter, 2. * reach, 0., 1e-14, "diameter");
  tap_near(o.packing_fraction, 9. / (reach * reach * reach), 0., 1e-14, "packing fraction");
  cairn_fields_stress_fini(&stress);
  cairn_state_fini(&state);
}

/* A box of N³ touching spheres between six walls, under another pressure along each axis: force pressure × (2 r)² at
 * every contact. Love's formula over the volume of the box gives the pressures back. */
static void test_lattice(void) {
  enum { N = 4 };
  static const double pressure[3] = {1., 2., 4.};
  const double r = 0.3;
  struct cairn_state state = heap((int64_t)N * N * N, r);
  for (int32_t i = 0; i < N * N * N; i++) {
    const int at[3] = {i % N, i / N % N, i / (N * N)}, next[3] = {1, N, N * N};
    place(&state, i, 2. * r * at[0], 2. * r * at[1], 2. * r * at[2]);
    for (int k = 0; k < 3; k++) {
      const double force = pressure[k] * 4. * r * r;
      if (at[k] < N - 1)
        touch(&state, i, i + next[k], k == 0 ? force : 0., k == 1 ? force : 0., k == 2 ? force : 0.);
      if (at[k] == 0)
        lean(&state, i, 0, k, -1., force, 0.);
      if (at[k] == N - 1)
        lean(&state, i, 1, k, 1., force, 0.);
    }
  }
  const struct cairn_observables o = observe(&state);
  struct cairn_body_stress stress = stress_of(&state);
  const double box = pow(2. * r * N, 3.), sphere = PI / 6. * pow(o.diameter, 3.);
  double worst = 0., worst_body = 0.;
  for (int k = 0; k < 6; k++) {
    const double want = k < 3 ? pressure[k] : 0.;
    worst = fmax(worst, fabs(o.mean_stress[k] * sphere / box - want));
    for (int64_t i = 0; i < state.n; i++)
      worst_body = fmax(worst_body, fabs(stress.stress[6 * i + k] * PI / 6. - want));
  }
  tap_near(worst, 0., 1e-13, 0., "cubic lattice between walls: the stress is the pressure");
  tap_near(worst_body, 0., 1e-13, 0., "in each sphere too, over its cell of the lattice");
  cmp_ok((int)o.n_rattlers, "==", 0, "no rattlers");
  tap_near(o.coordination_bearing, 6., 0., 0., "six contacts each, walls counted");
  tap_near(o.sliding_fraction, 0., 0., 0., "nothing slides");
  cairn_fields_stress_fini(&stress);
  cairn_state_fini(&state);
}

/* One sphere is its own ellipsoid; so is a solid one with axes 3, 2, 1, turned, filled by a lattice of spheres. */
static void test_ellipsoid(void) {
  struct cairn_state one = heap(1, 0.7);
  place(&one, 0, 5., -3., 2.);
  struct cairn_observables o = observe(&one);
  for (int k = 0; k < 3; k++)
    tap_near(o.semi_axes[k], 0.7, 0., 1e-14, "one sphere: axis %d", k);
  tap_near(o.packing_fraction_ellipsoid, 1., 0., 1e-13, "and full");
  cairn_state_fini(&one);

  const double spacing = 0.1, axis[3] = {1., 3., 2.};
  const double c = cos(0.7), s = sin(0.7);
  struct cairn_state state = heap(60 * 60 * 60, 0.5 * spacing);
  int64_t n = 0;
  for (int64_t i = 0; i < state.n; i++) {
    const double x = spacing * ((double)(i % 60) - 29.5), y = spacing * ((double)(i / 60 % 60) - 29.5),
                 z = spacing * ((double)(i / 3600) - 29.5);
    if (x * x / (axis[0] * axis[0]) + y * y / (axis[1] * axis[1]) + z * z / (axis[2] * axis[2]) > 1.)
      continue;
    const double turned[3] = {c * x - s * y, s * x + c * y, z};
    place(&state, n++, 10. + turned[0], c * turned[1] - s * turned[2], s * turned[1] + c * turned[2]);
  }
  if (cairn_state_resize(&state, n, NULL) ||
      cairn_state_remember(&state, CAIRN_CONTACT_REMEMBERS(impulse) | CAIRN_CONTACT_REMEMBERS(rest), NULL))
    BAIL_OUT("cannot shrink");
  o = observe(&state);
  /* second order in the spacing: 0.2, 0.1, 0.05, 0.025 are off by 0.9, 0.29, 0.07, 0.02 % at most */
  tap_near(o.semi_axes[0], 3., 0., 4e-3, "ellipsoid: longest axis");
  tap_near(o.semi_axes[1], 2., 0., 4e-3, "second");
  tap_near(o.semi_axes[2], 1., 0., 4e-3, "shortest");
  tap_near(o.packing_fraction_ellipsoid, PI / 6., 0., 4e-3, "filled as the lattice is");
  cairn_state_fini(&state);
}

/* A ring of four, a tail of three on it, a bead that hangs on a body on the floor, one body alone, one jammed between
 * two walls, one held by a wall that another leans on, one taken out. */
static void test_rattlers(void) {
  enum { N = 15 };
  struct cairn_state state = heap(N, 0.1);
  for (int64_t i = 0; i < N; i++)
    place(&state, i, (double)i, 0., 0.);
  static const int32_t pair[][2] = {{0, 4}, {1, 4},  {0, 9}, {1, 9}, /* ring */
                                    {3, 9}, {3, 7},  {2, 7},         /* tail: 3 7 2 */
                                    {5, 6}, {10, 11}};               /* on the floor; on the held one */
  for (size_t k = 0; k < sizeof pair / sizeof *pair; k++)
    touch(&state, pair[k][0], pair[k][1], 1., 0., 0.);
  lean(&state, 6, 0, 2, -1., 1., 0.);
  lean(&state, 8, 0, 2, -1., 1., 0.);
  lean(&state, 8, 1, 2, 1., 1., 0.);
  lean(&state, 13, 1, 2, 1., 1., 0.);
  state.captor[10] = 1;
  state.captor[14] = -1;
  const struct cairn_observables o = observe(&state);
  /* 3 of the tail, 5 and 6, 11 which leans, 12 alone, 13 on a floor */
  cmp_ok((int)o.n_rattlers, "==", 8, "rattlers, chains of them too");
  /* two contacts of each of the ring and of the jammed one, none of the held one */
  tap_near(o.coordination_bearing, 10. / 6., 0., 1e-15, "contacts of the others");
  cairn_state_fini(&state);
}

static void test_sliding(void) {
  struct cairn_state state = heap(8, 0.5);
  for (int64_t i = 0; i < 8; i++)
    place(&state, i, (double)i, 0., 0.);
  state.material[6] = state.material[7] = 1;
  touch(&state, 0, 1, 1., 0.9999 * MU, 0.);
  touch(&state, 1, 2, 1., 0., MU);
  touch(&state, 2, 3, 1., 0., 0.);
  touch(&state, 6, 7, 1., 0., 0.); /* no friction */
  lean(&state, 4, 0, 2, -1., 1., MU);
  lean(&state, 5, 2, 2, -1., 1., 0.); /* frictionless wall */
  tap_near(observe(&state).sliding_fraction, 2. / 4., 0., 0., "two of four contacts with friction slide");
  laws[0].cohesion = 1.;
  tap_near(observe(&state).sliding_fraction, 0., 0., 0., "with cohesion none");
  PAIR_MEMORY(&state, 0, impulse)[0] = -H;
  PAIR_MEMORY(&state, 0, impulse)[1] = 0.;
  PAIR_MEMORY(&state, 1, impulse)[0] = -0.5 * H;
  PAIR_MEMORY(&state, 1, impulse)[2] = 0.5 * MU * H;
  tap_near(observe(&state).sliding_fraction, 1. / 4., 0., 0., "pulled apart, it slides; torn off, it does not");
  /* bodies of radius 0.5 at distance 1 are bound over a way of energy over force, counted from the rest */
  laws[0].cohesion_energy = 0.1;
  *PAIR_MEMORY(&state, 1, rest) = -0.09;
  tap_near(observe(&state).sliding_fraction, 1. / 4., 0., 0., "bound with an energy: the same");
  *PAIR_MEMORY(&state, 1, rest) = -0.11;
  tap_near(observe(&state).sliding_fraction, 0., 0., 0., "and not once it has parted");
  laws[0].cohesion = laws[0].cohesion_energy = 0.;
  scenario.method = CAIRN_METHOD_hard_spheres;
  const struct cairn_observables o = observe(&state);
  ok(isnan(o.sliding_fraction) && isnan(o.mean_pressure) && isnan(o.mean_stress[5]), "hard spheres: not known");
  ok(o.diameter > 0. && o.n_rattlers > 0., "but the shape and the rattlers are");
  scenario.method = CAIRN_METHOD_contact_dynamics;
  cairn_state_fini(&state);
}

int main(void) {
  plan(NO_PLAN);
  test_pair();
  test_lattice();
  test_ellipsoid();
  test_rattlers();
  test_sliding();
  struct cairn_state none = {0};
  const struct cairn_observables o = observe(&none);
  ok(o.diameter == 0. && o.packing_fraction == 0. && o.mean_pressure == 0. && o.coordination_bearing == 0.,
     "no bodies: all zero");
  done_testing();
}
