/* Bond number, inertial number, what is inside a region, and fragments that gravity binds, of states whose answers are
 * known. */
#include "sim.h"

#include "analysis/aggregate.h"
#include "analysis/bound.h"
#include "analysis/inside.h"
#include "data/schema/schema.h"

enum { SIDE = 6 };
static const double DENSITY = 6. / SIM_PI; /* spheres of mass 1 and diameter 1 */

/* Touching spheres from 0 to SIDE, sheared with v_x = 3 z, turning about y, growing evenly, and moving as a whole. */
static struct cairn_state cube(void) {
  struct cairn_state s = {0};
  if (cairn_state_resize(&s, SIDE * SIDE * SIDE, NULL))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < s.n; i++) {
    const double x = (double)(i % SIDE) + 0.5, y = (double)(i / SIDE % SIDE) + 0.5, z = (double)(i / SIDE / SIDE) + 0.5;
    sim_vector(s.position, i, x, y, z);
    sim_vector(s.velocity, i, 3. * z + 7. * z + 2. * x + 5., 2. * y, 2. * z - 7. * x);
    s.radius[i] = 0.5;
    s.mass[i] = 1.;
  }
  return s;
}

/* Of the bodies in two parts. */
static double inertial_number(struct cairn_state *s, double pressure) {
  const struct cairn_scenario scenario = {.method = CAIRN_METHOD_hard_spheres};
  struct cairn_aggregate_weight weight = {0};
  struct cairn_aggregate_sums sums = {0};
  const int64_t n = 50;
  cairn_aggregate_weigh(&weight, s, 0, n, &scenario);
  cairn_aggregate_weigh(&weight, s, n, s->n - n, &scenario);
  cairn_aggregate_add_bodies(&sums, &weight, s, 0, n);
  cairn_aggregate_add_bodies(&sums, &weight, s, n, s->n - n);
  const struct cairn_regime_motion motion = cairn_aggregate_motion(&sums, &weight);
  return cairn_regime_inertial_number(&motion, pressure);
}

static void test_inertial_number(void) {
  struct cairn_state s = cube();
  tap_near(inertial_number(&s, 4.), 3. * sqrt(DENSITY / 4.), 1e-12, 0.,
           "inertial number of a shear, to which rotation and expansion add nothing");
  ok(isnan(inertial_number(&s, 0.)), "without pressure there is none");
  for (int64_t i = 0; i < s.n; i++)
    s.position[3 * i + 1] = 0.;
  ok(isnan(inertial_number(&s, 4.)), "nor of bodies in a plane");
  cairn_state_fini(&s);
}

/* Two spheres on a floor under their weight and with cohesion, with each method that has forces. */
static void test_bond_number(const char *method, const char *cohesion) {
  struct cairn_scenario *scenario =
      sim_scenario("time: {step: 1e-5, end: 1}\nmethod: %s\ngravity: {uniform: [0, 0, -2]}\n"
                   "materials: [{name: a, density: 1000}]\ninteractions: [{between: [a, a], %s}]\n"
                   "bodies: [{single: {position: [0, 0, 0.1], radius: 0.1, material: a}},\n"
                   "         {single: {position: [1, 0, 0.1], radius: 0.1, material: a}}]\n"
                   "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n",
                   method, cohesion);
  const double weight = 1000. * 4. / 3. * SIM_PI * 1e-3 * 2.;
  struct cairn_simulation *sim = sim_create(scenario);
  sim_advance(sim, 20);
  const struct cairn_observables o = sim_observe(sim);
  cmp_ok((int64_t)o.n_wall_contacts, "==", 2, "%s: both touch the floor", method);
  tap_near(o.bond_number, 5. / weight, 1e-12, 0., "and are held with 5 N over their weight");
  ok(isnan(o.n_fragments), "without bonds and self-gravity nobody counts fragments");
  sim_free(sim, scenario);
}

static struct cairn_inside inside_of(const struct cairn_state *s, const struct cairn_body_stress *stress,
                                     const char *text) {
  struct cairn_node *tree = NULL;
  struct cairn_region region;
  struct cairn_error error;
  if (cairn_yaml_parse(text, strlen(text), "text", &tree, &error) || cairn_schema_region(tree, "text", &error) ||
      cairn_region_read(tree, "text", false, &region, &error))
    BAIL_OUT("%s", error.message);
  const struct cairn_inside inside = cairn_inside_find(s, stress, &region);
  cairn_region_fini(&region);
  cairn_yaml_free(tree);
  return inside;
}

static void test_inside(void) {
  struct cairn_state s = cube();
  double *stress = calloc((size_t)s.n, 6 * sizeof *stress);
  for (int64_t i = 0; i < s.n; i++) {
    stress[6 * i + 2] = 3.;
    sim_vector(s.velocity, i, 1., 0., i % 2 ? 0.3 : -0.3);
  }
  const struct cairn_body_stress known = {.stress = stress};
  struct cairn_inside in = inside_of(&s, &known, "box: {lower: [1, 1, 1], upper: [5, 5, 4]}");
  cmp_ok(in.n_bodies, "==", 48, "48 of a lattice have their centre in a box");
  tap_near(in.packing, SIM_PI / 6., 1e-12, 0., "its packing fraction");
  tap_near(in.density, 1., 1e-12, 0., "its density");
  tap_near(in.temperature, 0.09 / 3., 1e-12, 0., "its granular temperature");
  tap_near(in.stress[2], 3. * SIM_PI / 6., 1e-12, 0., "the stress in it");
  /* planes through the centres: half of each of those bodies, a quarter on edges; the grid has that symmetry */
  in = inside_of(&s, NULL, "box: {lower: [1.5, 1.5, 1.5], upper: [4.5, 4.5, 4.5]}");
  tap_near(in.packing, SIM_PI / 6., 1e-12, 0., "bodies that borders cut in halves count by their part");
  ok(isnan(in.stress[2]), "stress that is not known");
  /* a sphere within one body, whose centre is its own */
  in = inside_of(&s, NULL, "sphere: {center: [2.5, 2.5, 2.5], radius: 0.2}");
  /* of the grid, with 24 points along a diameter, five hundred lie in a sphere of 0.4 radii: n^-1/2 at worst */
  tap_near(in.packing, 1., 0.05, 0., "a region within a body is full");
  free(stress);
  cairn_state_fini(&s);
}

/* A heavy body with two satellites on circular orbits far out, one that escapes, and a pair that orbits itself and
 * leaves: three fragments. G = 1. */
static void test_bound(void) {
  struct cairn_state s = {0};
  struct cairn_fragments f;
  struct cairn_error error;
  if (cairn_state_resize(&s, 6, NULL))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < 6; i++) {
    s.radius[i] = 0.1;
    s.mass[i] = i == 5 ? 1000. : 1.;
  }
  s.radius[5] = 1.;
  sim_vector(s.position, 0, 100., 0., 0.);
  sim_vector(s.velocity, 0, 0., sqrt(10.), 0.);
  sim_vector(s.position, 1, -100., 0., 0.);
  sim_vector(s.velocity, 1, 0., -sqrt(10.), 0.);
  sim_vector(s.position, 2, 0., 100., 0.);
  sim_vector(s.velocity, 2, 0., 1.01 * sqrt(20.06), 0.); /* 2 G (M + all that is bound + m)/d, and 1 % more */
  for (int i = 3; i < 5; i++) {
    sim_vector(s.position, i, 0., -10000., i == 3 ? 1. : -1.);
    sim_vector(s.velocity, i, i == 3 ? 0.5 : -0.5, -10., 0.);
  }
  if (cairn_bound_fragments(&s, 0.01, 1., &f, &error))
    BAIL_OUT("%s", error.message);
  cmp_ok(f.n, "==", 3, "three fragments that gravity binds");
  ok(f.rank[5] == 0 && f.rank[0] == 0 && f.rank[1] == 0, "satellites belong to the body they orbit");
  ok(f.rank[3] == 1 && f.rank[4] == 1, "two that orbit each other are one");
  ok(f.rank[2] == 2, "one that is too fast is on its own");
  tap_near(f.fragment[0].body.mass, 1002., 1e-15, 0., "the mass of the largest");
  tap_near(f.fragment[1].body.velocity[1], -10., 1e-15, 0., "the velocity of the second");
  cairn_fragments_fini(&f);
  sim_vector(s.velocity, 2, 0., 0.99 * sqrt(20.06), 0.);
  if (cairn_bound_fragments(&s, 0.01, 1., &f, &error))
    BAIL_OUT("%s", error.message);
  ok(f.n == 2 && f.rank[2] == 0, "a little slower it is bound");
  cairn_fragments_fini(&f);
  cairn_state_fini(&s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_inertial_number();
  test_bond_number("soft_spheres", "stiffness: 1e5, cohesion: 5, cohesion_range: 1e-4");
  test_bond_number("contact_dynamics", "cohesion: 5, cohesion_range: 1e-4");
  test_inside();
  test_bound();
  cairn_engine_stop();
  done_testing();
}
