/* Contact forces of soft spheres, found again from a state: a bed at rest bears its own weight. */
#include "sim.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/aggregate.h"
#include "analysis/contact_forces.h"

static const double G = 9.81;

static const struct law {
  const char *name, *material, *pair;
} laws[] = {{"hooke", "", "stiffness: 2e5, restitution: 0.1, tangential_restitution: 0.1"},
            {"hertz", ", young_modulus: 2e7", "viscous_time: 8e-3"}};

/* Rough spheres of two sizes and a little cohesion, dropped into a box with smooth sides; `floor` is a wall. */
static struct cairn_scenario *bed(const struct law *law, const char *folder, const char *floor) {
  struct cairn_scenario *scenario = NULL;
  struct cairn_error error = {0};
  char text[4096], file[256];
  snprintf(file, sizeof file, "%s/bed.yaml", folder);
  snprintf(text, sizeof text,
           "law: %s\ntime: {step: 1e-4, end: 100}\nseed: 3\ngravity: {uniform: [0, 0, %g]}\n"
           "materials: [{name: a, density: 2500%s}]\n"
           "interactions: [{between: [a, a], friction: 0.4, rolling_friction: 0.05, %s, cohesion: 0.02}]\n"
           "bodies:\n"
           "  - lattice: {origin: [0.06, 0.06, 0.06], counts: [5, 5, 8], spacing: 0.12, jitter: 0.005, "
           "radius: {uniform: [0.04, 0.055]}, material: a}\n"
           "walls:\n"
           "  - %s\n"
           "  - plane: {normal: [1, 0, 0], material: a, behavior: frictionless}\n"
           "  - plane: {point: [0.6, 0, 0], normal: [-1, 0, 0], material: a, behavior: frictionless}\n"
           "  - plane: {normal: [0, 1, 0], material: a, behavior: frictionless}\n"
           "  - plane: {point: [0, 0.6, 0], normal: [0, -1, 0], material: a, behavior: frictionless}\n"
           "overlap: {limit: 1}\n",
           law->name, -G, law->material, law->pair, floor);
  if (cairn_scenario_parse(text, strlen(text), file, 0, NULL, 0, &scenario, &error))
    BAIL_OUT("%s", error.message);
  return scenario;
}

/* Bodies at rest: Σ f ⊗ r over contacts and floor is Σ m g z with heights above the floor, and the forces on the floor
 * are the weight. Rest is what is asked for, 1e-3; the trembling that is left is seen in the sum of the accelerations.
 */
static void test_bed(const struct law *law, const char *folder, const char *floor) {
  struct cairn_scenario *s = bed(law, folder, floor);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_error error = {0};
  struct cairn_body_stress stress = {0};
  sim_advance(sim, 25000);
  const struct cairn_observables o = sim_observe(sim);
  const struct cairn_state *state = sim_state(sim);
  double weight = 0., moment = 0., bodies = 0., push = 0.;
  if (cairn_aggregate_stress(state, s, &stress, &error))
    BAIL_OUT("%s", error.message);
  for (int64_t i = 0; i < state->n; i++) {
    weight += state->mass[i] * G;
    moment += state->mass[i] * G * state->position[3 * i + 2];
    bodies += 4. / 3. * SIM_PI * pow(state->radius[i], 3) * stress.stress[6 * i + 2];
  }
  struct cairn_contact_forces forces;
  if (cairn_contact_forces_init(&forces, state, s, &error))
    BAIL_OUT("%s", error.message);
  for (int64_t k = 0; k < cairn_contact_forces_n(&forces); k++) {
    const struct cairn_contact_force c = cairn_contact_forces_at(&forces, k);
    push -= c.at_wall && c.b == 0 ? c.f[2] : 0.;
  }
  cairn_contact_forces_fini(&forces);
  const double volume = SIM_PI / 6. * pow(o.diameter, 3);
  note("%s on a %.4s: %lld contacts, %.1e of the speed of a fall", law->name, floor, (long long)state->contacts.n,
       o.max_speed / sqrt(2. * G));
  ok(state->contacts.n > 350, "the bed is dense");
  note("floor %.1e, mean stress %.1e, bodies %.1e off", fabs(push / weight - 1.),
       fabs(o.mean_stress[2] * volume / moment - 1.), fabs(bodies / moment - 1.));
  tap_near(push, weight, 1e-3 * weight, 0., "%s on a %.4s: the floor bears the weight", law->name, floor);
  tap_near(o.mean_stress[2] * volume, moment, 1e-3 * moment, 0., "the mean stress is that of the weight");
  tap_near(bodies, moment, 1e-3 * moment, 0., "and so is that of the bodies together");
  ok(o.mean_pressure > 0.3 * o.mean_stress[2] && o.mean_pressure < o.mean_stress[2], "the sides bear less (%.2f)",
     o.mean_pressure / o.mean_stress[2]);
  cairn_fields_stress_fini(&stress);
  sim_free(sim, s);
}

static bool same_force(const struct cairn_contact_force *p, const struct cairn_contact_force *q) {
  return p->a == q->a && p->b == q->b && p->at_wall == q->at_wall && p->bond == q->bond &&
         !memcmp(p->n, q->n, sizeof p->n) && !memcmp(p->f, q->f, sizeof p->f) &&
         !memcmp(p->arm, q->arm, sizeof p->arm) && p->overlap == q->overlap && p->friction == q->friction &&
         p->cohesion == q->cohesion;
}

static off_t size_of(const char *path) {
  struct stat about;
  return stat(path, &about) ? -1 : about.st_size;
}

/* No file may grow beyond this; 0 for no limit. */
static void limit_files(off_t size) {
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = size > 0 ? (rlim_t)size : limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

static bool same_files(const char *p, const char *q) {
  FILE *a = fopen(p, "r"), *b = fopen(q, "r");
  int c = a && b ? 0 : EOF;
  bool same = c == 0;
  while (same && c != EOF)
    same = (c = getc(a)) == getc(b);
  if (a)
    fclose(a);
  if (b)
    fclose(b);
  return same;
}

/* Two frames of contacts put into their table by the tasks that add up the forces, against one contact after the other:
 * the same bytes. Between the two the disk is full: nothing of the frame counts, and its space is given back. */
static void test_network(struct cairn_simulation *sim, const struct cairn_scenario *s, const char *folder) {
  char path[2][64];
  const struct cairn_provenance provenance = {0};
  struct cairn_step_table *table[2];
  struct cairn_observables o;
  struct cairn_error error = {0};
  const struct cairn_state *state = sim_state(sim);
  const int64_t n = state->contacts.n + state->wall_contacts.n;
  for (int k = 0; k < 2; k++) {
    snprintf(path[k], sizeof path[k], "%s/network_%d.nc", folder, k);
    if (cairn_step_table_create(path[k], &cairn_contact_network_kind, "network", &provenance, table + k, &error))
      BAIL_OUT("%s", error.message);
  }
  for (int frame = 0; frame < 3; frame++) {
    struct cairn_contact_rows rows = {table[1], -1};
    const off_t size = size_of(path[1]);
    if (frame == 1) {
      limit_files(size + 84 * n / 2);
      cmp_ok(cairn_simulation_observe_frame(sim, &rows, &o, &error), "==", CAIRN_ERR_IO, "a disk is full");
      limit_files(0);
      ok(strstr(error.message, path[1]) && rows.n == -1, "it is told: %s", error.message);
      ok(size_of(path[1]) == size && cairn_step_table_n_rows(table[1]) == n, "the frame before it is all there is");
      continue;
    }
    if (cairn_contact_forces_append(state, s, table[0], &error) ||
        cairn_simulation_observe_frame(sim, &rows, &o, &error))
      BAIL_OUT("%s", error.message);
    cmp_ok(rows.n, "==", n, "the tasks have put the contacts into the table");
    cmp_ok(cairn_step_table_n_rows(table[1]), "==", frame > 0 ? n : 0, "where they do not count yet");
    if (cairn_step_table_end(table[1], rows.n, 0, &error))
      BAIL_OUT("%s", error.message);
  }
  for (int k = 0; k < 2; k++)
    cairn_step_table_close(table[k], NULL);
  ok(same_files(path[0], path[1]), "the files are the same");
  for (int k = 0; k < 2; k++)
    unlink(path[k]);
}

/* Many contacts at once against one by one, and the aggregate by tasks against that of one stretch: the same bits. The
 * bodies are enough for several tasks; they touch in a lattice that is shaken. */
static void test_shares(const char *folder, const char *law, const char *materials, const char *pairs,
                        const char *second) {
  struct cairn_scenario *s =
      sim_scenario("law: %s\ntime: {step: 1e-5, end: 1}\nmaterials: [%s]\ninteractions: [%s]\nbodies:\n"
                   "  - lattice: {counts: [16, 16, 10], spacing: 0.99, jitter: 0.02, radius: 0.5, velocity: [0, 0, 1], "
                   "material: a}\n"
                   "  - lattice: {origin: [0, 0, 9.9], counts: [16, 16, 7], spacing: 0.99, jitter: 0.02, radius: 0.5, "
                   "material: %s}\n"
                   "walls: [{plane: {point: [0, 0, -0.48], normal: [0, 0, 1], material: a}}]\n"
                   "overlap: {limit: 0.5, initial: 0.5}\n",
                   law, materials, pairs, second);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_error error = {0};
  struct cairn_contact_forces forces;
  sim_advance(sim, 20);
  const struct cairn_observables shared = sim_observe(sim);
  const struct cairn_state *state = sim_state(sim);
  struct cairn_observables alone = shared;
  alone.mean_pressure = alone.packing_fraction = alone.n_rattlers = 0.;
  if (cairn_contact_forces_init(&forces, state, s, &error) || cairn_aggregate_observe(state, s, &alone, &error))
    BAIL_OUT("%s", error.message);
  const int64_t n = cairn_contact_forces_n(&forces);
  struct cairn_contact_force *some = calloc((size_t)n, sizeof *some);
  int64_t n_same = 0;
  cairn_contact_forces_some(&forces, 0, 100, some); /* in pieces that end within a tile, and at the walls */
  cairn_contact_forces_some(&forces, 100, n - 100, some + 100);
  for (int64_t k = 0; k < n; k++) {
    const struct cairn_contact_force one = cairn_contact_forces_at(&forces, k);
    n_same += same_force(&one, some + k);
  }
  ok(n > 5000 && state->wall_contacts.n > 100, "%s: %lld contacts", law, (long long)n);
  cmp_ok(n_same, "==", n, "many at once have the bits of one by one");
  ok(!memcmp(&alone, &shared, sizeof alone), "tasks make the bits of one stretch");
  free(some);
  cairn_contact_forces_fini(&forces);
  test_network(sim, s, folder);
  sim_free(sim, s);
}

/* Forces on walls that move, as the walls themselves feel them. Half a step lies between the two: what the bodies that
 * touch do in it, over the force, is 1e-3. */
static void test_walls(void) {
  struct cairn_scenario *s = sim_scenario(
      "time: {step: 2e-5, end: 100}\ngravity: {uniform: [0, 0, -9.81]}\nmaterials: [{name: a, density: 2500}]\n"
      "interactions: [{between: [a, a], friction: 0.4, stiffness: 1e5, restitution: 0.3, cohesion: 1}]\n"
      "bodies: [{single: {position: [0.5, 0, 0.15], radius: 0.1, material: a}}]\n"
      "walls: [{disk: {center: [0, 0, 0.05], normal: [0, 0, 1], radius: 1, material: a, motion: {spin: 0.5}}},\n"
      "        {cylinder: {center: [0, 0, 0], axis: [0, 0, 1], radius: 0.6, material: a, motion: {spin: 0.5}}}]\n"
      "overlap: {limit: 1}\n");
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_error error = {0};
  struct cairn_wall_sample sample[2];
  struct cairn_contact_forces forces;
  sim_advance(sim, 50000);
  if (cairn_simulation_observe_walls(sim, sample, &error) ||
      cairn_contact_forces_init(&forces, sim_state(sim), s, &error))
    BAIL_OUT("%s", error.message);
  cmp_ok(cairn_contact_forces_n(&forces), "==", 2, "a sphere in a turning pot touches its floor and its side");
  for (int64_t k = 0; k < cairn_contact_forces_n(&forces); k++) {
    const struct cairn_contact_force c = cairn_contact_forces_at(&forces, k);
    const double *f = sample[c.b].force, size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    ok(size > 1e-3, "wall %d bears %.3g N", c.b, size);
    for (int i = 0; i < 3; i++)
      tap_near(c.f[i], f[i], 1e-3 * size, 0., "component %d is the one the wall feels", i);
    ok(c.cohesion == 1. && c.overlap > 0., "with cohesion, at an overlap");
  }
  cairn_contact_forces_fini(&forces);
  sim_free(sim, s);
}

static void write_floor(const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    BAIL_OUT("cannot write %s", path);
  for (int i = 0; i <= 8; i++)
    for (int j = 0; j <= 8; j++)
      fprintf(file, "v %g %g 0\n", -0.2 + 0.125 * i, -0.2 + 0.125 * j);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      fprintf(file, "f %d %d %d %d\n", 9 * i + j + 1, 9 * (i + 1) + j + 1, 9 * (i + 1) + j + 2, 9 * i + j + 2);
  fclose(file);
}

int main(void) {
  char folder[] = "cairn_stress_XXXXXX", mesh[64];
  plan(NO_PLAN);
  if (!mkdtemp(folder))
    BAIL_OUT("no temporary folder");
  snprintf(mesh, sizeof mesh, "%s/floor.obj", folder);
  write_floor(mesh);
  sim_start(2);
  test_bed(laws, folder, "plane: {normal: [0, 0, 1], material: a}");
  test_bed(laws + 1, folder, "plane: {normal: [0, 0, 1], material: a}");
  test_bed(laws, folder, "mesh: {file: floor.obj, material: a}");
  test_walls();
  const char *one = "{name: a, density: 2500}",
             *two = "{name: a, density: 2500, young_modulus: 2e9}, {name: b, density: 3500, young_modulus: 7e9}";
  test_shares(folder, "hooke", one, "{between: [a, a], friction: 0.4, stiffness: 1e7, restitution: 0.3}", "a");
  test_shares(folder, "hertz", two,
              "{between: [a, a], friction: 0.4}, {between: [a, b], friction: 0.1}, {between: [b, b]}", "b");
  test_shares(folder, "hertz", two,
              "{between: [a, a], friction: 0.4}, {between: [a, b]}, {between: [b, b], cohesion: 3}", "b");
  cairn_engine_stop();
  unlink(mesh);
  rmdir(folder);
  done_testing();
}
