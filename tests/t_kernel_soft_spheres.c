/* The kernel of one cell, vectorised, without StarPU: the bits of brute force, and no floating-point exception. */
#define _GNU_SOURCE /* feenableexcept */
#include "brute_force.h"

#include <fenv.h>

#include "data/cells/cells.h"

enum { STEPS = 300 };

static struct cairn_scenario *box(int n_laws, int rotation) {
  static const char *const more = "  - {between: [a, b], stiffness: 1e5, restitution: 0.3, friction: 0.5, slip: 0.5}\n"
                                  "  - {between: [b, b], stiffness: 3e5, restitution: 0.8, friction: 0.2}\n";
  return sim_scenario("time: {step: 2e-4, end: 1}\n"
                      "gravity: {uniform: [0, 0, -9.81]}\n"
                      "materials: [{name: a, density: 2000}%s]\n"
                      "interactions:\n"
                      "  - {between: [a, a], stiffness: 2e5, restitution: 0.5, tangential_restitution: 0.5,\n"
                      "     friction: 0.3, rolling_friction: %g, twisting_friction: %g}\n%s"
                      "bodies:\n"
                      "  - lattice: {origin: [0.05, 0.05, 0.05], counts: [5, 5, 8], spacing: 0.095, jitter: 0.002,\n"
                      "              radius: 0.045, spin: [1, 0, 5], material: a}\n"
                      "  - cloud: {count: 30, in: {box: {lower: [0, 0, 0.8], upper: [0.6, 0.6, 1.4]}},\n"
                      "            radius: {uniform: [0.01, 0.05]}, speed: 3, material: %s}\n"
                      "walls:\n"
                      "  - plane: {normal: [0, 0, 1], material: a}\n"
                      "  - plane: {normal: [1, 0, 0], material: %s}\n"
                      "overlap: {limit: 1}\n",
                      n_laws > 1 ? ", {name: b, density: 3000}" : "", rotation ? 0.1 : 0., rotation ? 0.2 : 0.,
                      n_laws > 1 ? more : "", n_laws > 1 ? "b" : "a", n_laws > 1 ? "b" : "a");
}

/* One cell that holds everything, with a skin that lasts. */
static void advance_cell(const struct cairn_scenario *s, struct cairn_state *state) {
  const int32_t n = s->n_materials;
  struct cairn_task_world world = {0};
  struct cairn_cells cells;
  double *block = NULL;
  size_t n_doubles;
  int32_t law[4], wall_law[4];
  double assemblies[2 * CAIRN_ASSEMBLY] = {0.};
  const double wall_mass[2] = {INFINITY, INFINITY};
  if (cairn_method_of(s)->constants(s, &world, law, wall_law, &block, &n_doubles, NULL))
    BAIL_OUT("no constants");
  for (int a = 0; a < 2; a++)
    assemblies[a * CAIRN_ASSEMBLY + CAIRN_ASSEMBLY_ACTIVE] = 1.; /* both at the origin, at rest */
  const struct cairn_cells_rules rules = {.n_materials = n,
                                          .law = law,
                                          .n_walls = s->n_walls,
                                          .n_laws = world.n_laws,
                                          .world = block,
                                          .assemblies = assemblies,
                                          .wall_law = wall_law,
                                          .wall_mass = wall_mass,
                                          .memory = cairn_method_of(s)->memory(s)};
  if (cairn_cells_partition(&cells, &s->initial, &rules, 100000, 1., NULL) || cairn_cells_build(&cells, 0, NULL))
    BAIL_OUT("out of memory");
  struct cairn_cell *cell = cells.cell;
  double *force = brute_force_memory((size_t)cell->size.n * CAIRN_FORCE, sizeof(double));
  struct cairn_soft_spheres k = cairn_kernel_soft_spheres_bind(
      cell->size, cell->state, cell->predicted, cell->pair_list, cell->history, block, assemblies, force);
  struct cairn_report report = cairn_report_reset();
  k.n_laws = world.n_laws;
  k.rotation = world.rotation;
  k.reach = 0.5;
  k.h = 0.; /* divides by the step where it caps the friction of rotation: not under the trap */
  cairn_kernel_soft_spheres_advance(&k, 1, &report);
  report = cairn_report_reset();
  k.h = s->time_step;
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  cairn_kernel_soft_spheres_advance(&k, STEPS, &report);
  struct cairn_sums sums;
  cairn_kernel_soft_spheres_observe(&k, &sums);
  fedisableexcept(FE_ALL_EXCEPT);
  cmp_ok(report.steps, "==", STEPS, "all steps are done");
  ok(report.bad_steps == INT32_MAX && report.valid_steps == INT32_MAX, "nothing went bad, the list held");
  if (cairn_cells_capture(&cells, state, NULL) || cairn_state_resize_assemblies(state, 2, NULL))
    BAIL_OUT("out of memory");
  for (int a = 0; a < 2; a++)
    state->assembly_orientation[4 * a + 3] = 1.;
  cmp_ok(sums.n_contacts, "==", state->contacts.n, "observed contacts are those of the state");
  cmp_ok(sums.n_wall_contacts, "==", state->wall_contacts.n, "at walls too");
  free(force);
  free(block);
  cairn_cells_fini(&cells);
}

static void compare(int n_laws, int rotation) {
  struct cairn_scenario *s = box(n_laws, rotation);
  struct cairn_state got = {0}, want = {0};
  char digest[2][CAIRN_DIGEST_LENGTH + 1];
  struct cairn_plan resolved; /* k_t = 2/7 k_n */
  if (cairn_simulation_plan(s, &resolved, NULL))
    BAIL_OUT("no plan");
  struct brute_force b = brute_force_create(s);
  brute_force_advance(&b, STEPS);
  brute_force_capture(&b, &want);
  brute_force_capture(&b, &got); /* for the constants of the bodies */
  for (int64_t i = 0; i < 3 * got.n; i++)
    got.position[i] = NAN;
  advance_cell(s, &got);
  cairn_state_digest(&got, digest[0]);
  cairn_state_digest(&want, digest[1]);
  note("%lld contacts, %lld at walls", (long long)want.contacts.n, (long long)want.wall_contacts.n);
  ok(want.contacts.n > 30 && want.wall_contacts.n > 10, "there are contacts");
  is(digest[0], digest[1], "%s, %s rotational friction: the bits of brute force", n_laws > 1 ? "three laws" : "one law",
     rotation ? "with" : "without");
  brute_force_free(&b);
  cairn_state_fini(&got);
  cairn_state_fini(&want);
  cairn_scenario_free(s);
}

int main(void) {
  plan(NO_PLAN);
  for (int n_laws = 1; n_laws <= 3; n_laws += 2)
    for (int rotation = 0; rotation < 2; rotation++)
      compare(n_laws, rotation);
  done_testing();
}
