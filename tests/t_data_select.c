/* Velocities and materials by place, and parts of a run with new velocities. */
#include "bodies_sample.h"
#include "data/files/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char lattice[] =
    "bodies:\n  - lattice: {origin: [-2, -2, -2], counts: [5, 5, 5], spacing: 1, radius: 0.4, "
    "material: rock, velocity: [0, 0, 1]}\n";

static struct cairn_scenario *select_of(const char *list, const char *name) {
  char text[2048];
  snprintf(text, sizeof text, "%sselect:\n%s", lattice, list);
  return make_good(text, name);
}

/* An explosion: bodies near a point of the surface fly towards the centre, and some of them are of ice. */
static void test_explosion(void) {
  struct cairn_scenario *s =
      select_of("  - {in: {sphere: {center: [2, 2, 2], radius: 1.1}}, outward: -100, center: [0, 0, 0]}\n"
                "  - {in: {box: {lower: [-3, -3, 1.5], upper: [3, 3, 3]}}, material: ice, spin: [0, 3, 0]}\n"
                "  - {in: {sphere: {radius: 9}}, of: ice, velocity: [7, 0, 0]}\n",
                "an explosion");
  const struct cairn_state *b = &s->initial;
  int64_t fast = 0, icy = 0;
  double worst = 0;
  for (int64_t i = 0; i < b->n; i++) {
    const double *x = b->position + 3 * i, *v = b->velocity + 3 * i, r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const double d2 = pow(x[0] - 2, 2) + pow(x[1] - 2, 2) + pow(x[2] - 2, 2);
    const bool near = d2<1.2, top = x[2]> 1.5;
    for (int k = 0; k < 3; k++) {
      const double wanted = (near ? -100 * x[k] / r : 0) + (k == 2) + (top && k == 0 ? 7 : 0);
      worst = fmax(worst, fabs(v[k] - wanted));
    }
    worst = fmax(worst, fabs(b->spin[3 * i + 1] - (top ? 3 : 0)));
    worst = fmax(worst, fabs(b->mass[i] - (top ? 917 : 2500) * 4 * acos(-1.) / 3 * 0.064));
    fast += near;
    icy += b->material[i] == 1;
  }
  ok(fast == 4 && icy == 25, "%d bodies are fast, %d of ice", (int)fast, (int)icy);
  ok(worst < 1e-10, "velocities, spins and masses are as the places say (%g)", worst);
  cairn_scenario_free(s);
}

static void test_middle(void) {
  struct cairn_scenario *s =
      select_of("  - {in: {box: {lower: [-3, -3, -3], upper: [3, 3, 3]}}, outward: 2}\n", "a burst from the middle");
  const struct cairn_state *b = &s->initial;
  double sum = 0;
  for (int64_t i = 0; i < b->n; i++)
    sum += pow(b->velocity[3 * i], 2) + pow(b->velocity[3 * i + 1], 2) + pow(b->velocity[3 * i + 2] - 1, 2);
  tap_near(sum, 4 * 124, 0., 1e-12, "all but the body in the middle have the speed");
  cairn_scenario_free(s);
}

static void test_refused(void) {
  char text[2048];
  snprintf(text, sizeof text, "%sselect:\n  - {in: {sphere: {center: [9, 0, 0], radius: 1}}, velocity: [1, 0, 0]}\n",
           lattice);
  refused(text, "select.0.in: no body has its centre in the region; allowed: at least one", "nothing there");
  snprintf(text, sizeof text, "%sselect:\n  - {in: {sphere: {radius: 9}}, of: ice}\n", lattice);
  refused(text, "no body of the material ice has its centre in the region", "nothing of that kind");
  snprintf(text, sizeof text, "%sselect:\n  - {in: {sphere: {radius: 9}}, material: irn}\n", lattice);
  refused(text, "found irn, which is not in materials", "no such material");
  snprintf(text, sizeof text, "%sselect:\n  - {velocity: [0, 0, 1]}\n", lattice);
  refused(text, "select.0.in: missing|select.0: .*in", "no region");
}

/* A part of a run, without the velocities it had. */
static void test_run(const char *path) {
  struct cairn_scenario *first = select_of("  - {in: {sphere: {radius: 9}}, spin: [1, 2, 3]}\n", "a run");
  struct cairn_trajectory *file;
  char text[6000];
  const struct cairn_observables observables = {.n_bodies = 125};
  const double box[2][3] = {{-3, -3, -3}, {3, 3, 3}};
  struct cairn_provenance provenance;
  if (cairn_provenance_init(&provenance, &error) ||
      cairn_trajectory_create(path, &first->initial, box, NULL, false, &provenance, &file, &error) ||
      cairn_trajectory_append(file, &first->initial, &observables, NULL, NULL, &error) ||
      cairn_trajectory_close(file, &error))
    BAIL_OUT("%s", error.message);
  cairn_provenance_fini(&provenance);
  snprintf(text, sizeof text,
           "bodies:\n  - run: {file: %s, in: {box: {lower: [-3, -3, -3], upper: [3, 3, -0.5]}}, at_rest: true, shift: "
           "[0, 0, 50], velocity: [0, 0, -8], spin: [0, 0, 6]}\n",
           path);
  struct cairn_scenario *s = make_good(text, "part of it again");
  const struct cairn_state *b = &s->initial;
  bool right = b->n == 50;
  for (int64_t i = 0; i < b->n; i++)
    right &=
        b->position[3 * i + 2] < 50 && b->velocity[3 * i + 2] == -8 && b->spin[3 * i] == 0 && b->spin[3 * i + 2] == 6;
  ok(right, "its lower two layers, with the new velocity alone");
  cairn_scenario_free(s);
  snprintf(text, sizeof text, "bodies:\n  - run: {file: %s, in: {sphere: {center: [9, 9, 9], radius: 1}}}\n", path);
  refused(text, "no body of the frame is in the region", "a region beside it");
  cairn_scenario_free(first);
  unlink(path);
}

int main(void) {
  plan(NO_PLAN);
  char path[4096];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/select_%ld.nc", folder ? folder : ".", (long)getpid());
  test_explosion();
  test_middle();
  test_refused();
  test_run(path);
  done_testing();
}
