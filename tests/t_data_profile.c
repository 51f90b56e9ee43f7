/* Profiles, heights and slopes of states whose answers are known. */
#include "sim.h"

#include "analysis/profile.h"

enum { SIDE = 10 };
static const double RADIUS = 0.5, DENSITY = 6. / SIM_PI; /* spheres of mass 1 in a lattice of constant 1 */

static struct cairn_profile profile_of(const struct cairn_state *s, const struct cairn_body_stress *stress,
                                       enum cairn_profile_axis axis, int n_bins) {
  struct cairn_profile p;
  struct cairn_error error;
  if (cairn_profile_make(s, stress, axis, n_bins, &p, &error))
    BAIL_OUT("%s", error.message);
  return p;
}

/* A cube of touching spheres from 0 to SIDE, sheared with v_x = z; of every layer half the bodies go up with 0.3 m/s,
 * half down. The lower half is of material 0, the upper half of material 1. */
static struct cairn_state cube(void) {
  struct cairn_state s = {0};
  if (cairn_state_resize(&s, SIDE * SIDE * SIDE, NULL))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < s.n; i++) {
    const double x = (double)(i % SIDE) + 0.5, y = (double)(i / SIDE % SIDE) + 0.5, z = (double)(i / SIDE / SIDE) + 0.5;
    sim_vector(s.position, i, x, y, z);
    sim_vector(s.velocity, i, z, 0., i % 2 ? 0.3 : -0.3);
    s.radius[i] = RADIUS;
    s.mass[i] = 1.;
    s.material[i] = z > 0.5 * SIDE;
  }
  return s;
}

static void test_axis(void) {
  struct cairn_state s = cube();
  double *stress = calloc((size_t)s.n, 6 * sizeof *stress), worst[6] = {0};
  for (int64_t i = 0; i < s.n; i++)
    stress[6 * i] = stress[6 * i + 1] = stress[6 * i + 2] = 4. + (double)(i / SIDE / SIDE);
  struct cairn_profile p = profile_of(&s, &(struct cairn_body_stress){.stress = stress}, CAIRN_PROFILE_Z, SIDE);
  const double fill = SIM_PI / 6.;
  for (int b = 0; b < SIDE; b++) {
    const struct cairn_profile_bin *k = p.bin + b;
    const double pressure = fill * (4. + b);
    worst[0] = fmax(worst[0], fabs(k->packing - fill) + fabs(k->density - fill * DENSITY));
    worst[1] = fmax(worst[1], fabs(k->velocity[0] - (b + 0.5)) + fabs(k->velocity[1]) + fabs(k->velocity[2]));
    worst[2] = fmax(worst[2], fabs(k->temperature - 0.09 / 3.));
    worst[3] = fmax(worst[3], fabs(k->stress[2] - pressure) + fabs(k->stress[5]));
    /* rate of shear 1, diameter 1 */
    worst[4] = b > 0 && b + 1 < SIDE ? fmax(worst[4], fabs(k->inertial_number - sqrt(DENSITY / pressure))) : worst[4];
    worst[5] = fmax(worst[5], fabs(p.composition[2 * b] - (b < SIDE / 2)) + fabs((double)k->n_bodies - 100.));
  }
  tap_near(worst[0], 0., 1e-12, 0., "packing fraction and density of a lattice");
  tap_near(worst[1], 0., 1e-12, 0., "the shear");
  tap_near(worst[2], 0., 1e-12, 0., "the granular temperature");
  tap_near(worst[3], 0., 1e-12, 0., "the stress");
  tap_near(worst[4], 0., 1e-12, 0., "the inertial number");
  ok(isnan(p.bin[0].inertial_number) && isnan(p.bin[SIDE - 1].inertial_number), "which ends have none of");
  tap_near(worst[5], 0., 0., 0., "composition and number");
  cairn_profile_fini(&p);

  /* bins that cut bodies: the packing of slices through spheres, ∫ π (1/4 - z²) dz over a quarter of the lattice */
  p = profile_of(&s, NULL, CAIRN_PROFILE_Z, 4 * SIDE);
  const double outer = SIM_PI * (0.25 * 0.25 - (0.125 - 0.015625) / 3.) / 0.25,
               inner = SIM_PI * (0.25 * 0.25 - 0.015625 / 3.) / 0.25;
  tap_near(p.bin[0].packing, outer, 1e-12, 0., "a thin bin at the edge of a layer");
  tap_near(p.bin[1].packing, inner, 1e-12, 0., "and in the middle of it");
  ok(isnan(p.bin[1].stress[0]) && isnan(p.bin[1].inertial_number), "no stress: not known");
  cairn_profile_fini(&p);

  double d[9];
  cmp_ok(cairn_profile_deciles(&s, CAIRN_PROFILE_Z, 1, d, NULL), "==", 500, "half of the bodies are of material 1");
  tap_near(d[4], 7.5, 0., 0., "with the median in the middle of its layers");
  ok(d[0] == 5.5 && d[8] == 9.5, "and the outer deciles in the first and the last");
  cmp_ok(cairn_profile_deciles(&s, CAIRN_PROFILE_Z, 2, d, NULL), "==", 0, "none of another");
  s.material[3] = INT32_MAX - 1;
  struct cairn_error error;
  cmp_ok(cairn_profile_make(&s, NULL, CAIRN_PROFILE_Z, 4, &p, &error), "==", CAIRN_ERR_INPUT, "an absurd material");
  free(stress);
  cairn_state_fini(&s);
}

/* The cube explodes: v = r, and turns about z. */
static void test_radius(void) {
  struct cairn_state s = cube();
  double filled = 0.;
  for (int64_t i = 0; i < s.n; i++) {
    const double *x = s.position + 3 * i, dx = x[0] - 5., dy = x[1] - 5., dz = x[2] - 5.;
    sim_vector(s.velocity, i, dx - 2. * dy, dy + 2. * dx, dz);
  }
  struct cairn_profile p = profile_of(&s, NULL, CAIRN_PROFILE_RADIUS, 8);
  bool within = true, turns = true;
  for (int b = 0; b < 8; b++) {
    const struct cairn_profile_bin *k = p.bin + b;
    within &= k->n_bodies == 0 || (k->velocity[0] >= k->lower && k->velocity[0] <= k->upper);
    turns &=
        k->n_bodies == 0 || (k->velocity[1] > 0. && k->velocity[1] <= 2. * k->upper && fabs(k->velocity[2]) < 1e-12);
    filled += k->packing * k->volume;
  }
  ok(within, "outwards with the radius");
  ok(turns, "and around the axis");
  tap_near(filled, 1000. * SIM_PI / 6., 1e-9, 0., "all matter is in the shells");
  tap_near(p.bin[7].upper, sqrt(3.) * 4.5 + 0.5, 1e-12, 0., "which end with the farthest body");
  cairn_profile_fini(&p);
  cairn_state_fini(&s);
}

/* A cone of small spheres with a slope of 25° on a floor, and a few that have rolled away. */
static void test_slope(void) {
  const double tangent = tan(25. * SIM_PI / 180.), step = 0.05;
  struct cairn_state s = {0};
  double slope;
  int64_t n = 0;
  if (cairn_state_resize(&s, 200000, NULL))
    BAIL_OUT("out of memory");
  for (double x = -2.; x <= 2.; x += step)
    for (double y = -2.; y <= 2.; y += step)
      for (double z = 0.; z <= tangent * (2. - sqrt(x * x + y * y)); z += 0.25 * step)
        if (n < s.n)
          sim_vector(s.position, n++, x, y, z);
  for (int k = 0; k < 5; k++)
    sim_vector(s.position, n++, k % 2 ? 20. : -20., k < 2 ? 5. : -5., 0.);
  s.n = n;
  for (int64_t i = 0; i < n; i++)
    s.radius[i] = s.mass[i] = 0.01;
  ok(n > 100000 && !cairn_profile_slope(&s, &slope, NULL), "a cone of %lld spheres", (long long)n);
  /* the grid cuts the surface to a quarter of a step, 1 % of the height of the rings */
  tap_near(slope * 180. / SIM_PI, 25., 0.5, 0., "has its slope");
  s.n = 3;
  ok(!cairn_profile_slope(&s, &slope, NULL) && isnan(slope), "three spheres have none");
  s.n = 200000;
  cairn_state_fini(&s);
}

int main(void) {
  plan(NO_PLAN);
  test_axis();
  test_radius();
  test_slope();
  done_testing();
}
