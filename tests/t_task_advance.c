/* The task engine against brute force: the same bits for any cells, workers and skins. */
#include "brute_force.h"

#include "data/base/random.h"

enum { STEPS = 200 };

/* The contact law under test, with every friction on. */
static const struct law {
  const char *name, *a, *b, *aa, *ab, *bb; /* what it asks of two materials and their pairs */
} laws[] = {{"hooke", "", "", "stiffness: 2e5, restitution: 0.5, tangential_restitution: 0.5",
             "stiffness: 1e5, restitution: 0.3", "stiffness: 3e5, restitution: 0.8"},
            {"hooke\nrolling_law: viscous", "", "", "stiffness: 2e5, restitution: 0.5, tangential_restitution: 0.5",
             "stiffness: 1e5, restitution: 0.3", "stiffness: 3e5, restitution: 0.8"},
            {"hertz", ", young_modulus: 4e6", ", young_modulus: 1e7, poisson_ratio: 0.2", "viscous_time: 1e-3",
             "viscous_time: 2e-4, shear_ratio: 0.8", "shear_ratio: 0.6"},
            {"hooke", "", "", "stiffness: 2e5, restitution: 0.5, cohesion: 30, cohesion_range: 0.01",
             "stiffness: 1e5, restitution: 0.3, work_of_adhesion: 100",
             "stiffness: 3e5, restitution: 0.8, hamaker_constant: 0.02, hamaker_separation: 2e-3, cohesion_range: "
             "0.025"},
            {"hertz\nrolling_law: viscous", ", young_modulus: 4e6", ", young_modulus: 1e7, poisson_ratio: 0.2",
             "viscous_time: 1e-3, cohesion: 50", "viscous_time: 2e-4, work_of_adhesion: 200, cohesion_range: 0.02",
             "shear_ratio: 0.6"}};

static const struct law *law = laws;

/* Bodies of two materials thrown together in a box of planes. */
static struct cairn_scenario *box(int64_t cells_bodies, double skin) {
  char skin_text[32] = "auto";
  if (skin > 0.)
    snprintf(skin_text, sizeof skin_text, "%.17g", skin);
  return sim_scenario("law: %s\n"
                      "time: {step: 2e-4, end: 1}\n"
                      "seed: 11\n"
                      "gravity: {uniform: [1, -2, -9.81]}\n"
                      "materials: [{name: a, density: 2000%s}, {name: b, density: 3000%s}]\n"
                      "interactions:\n"
                      "  - {between: [a, a], %s,\n"
                      "     friction: 0.3, rolling_friction: 0.1, twisting_friction: 0.2}\n"
                      "  - {between: [a, b], %s, friction: 0.5, slip: 0.5}\n"
                      "  - {between: [b, b], %s, friction: 0.2, slip: 1,\n"
                      "     rolling_friction: 0.3}\n"
                      "bodies:\n"
                      "  - cloud: {count: 200, in: {box: {lower: [0, 0, 0], upper: [0.81, 0.81, 0.81]}},\n"
                      "            radius: {uniform: [0.03, 0.06]}, speed: 3, spin: [10, 0, 5], material: a}\n"
                      "  - cloud: {count: 100, in: {box: {lower: [0, 0, 0], upper: [0.81, 0.81, 0.81]}},\n"
                      "            radius: 0.05, speed: 3, material: b}\n"
                      "walls:\n"
                      "  - plane: {normal: [0, 0, 1], material: a}\n"
                      "  - plane: {point: [0, 0, 0.81], normal: [0, 0, -1], material: a}\n"
                      "  - plane: {normal: [1, 0, 0], material: b}\n"
                      "  - plane: {point: [0.81, 0, 0], normal: [-1, 0, 0.01], material: b}\n"
                      "  - plane: {normal: [0, 1, 0], material: a}\n"
                      "  - plane: {point: [0, 0.81, 0], normal: [0, -1, 0], material: b}\n"
                      "overlap: {limit: 1}\n"
                      "cells: {bodies: %lld, skin: %s}\n",
                      law->name, law->a, law->b, law->aa, law->ab, law->bb, (long long)cells_bodies, skin_text);
}

/* What brute force makes of it; once for all. */
static struct cairn_state wanted;
static char wanted_digest[CAIRN_DIGEST_LENGTH + 1];

static void make_reference(void) {
  cairn_state_fini(&wanted);
  struct cairn_scenario *s = box(64, 0.);
  struct cairn_plan plan_of_run;
  if (cairn_simulation_plan(s, &plan_of_run, NULL))
    BAIL_OUT("no plan");
  struct brute_force b = brute_force_create(s);
  brute_force_advance(&b, STEPS);
  brute_force_capture(&b, &wanted);
  cairn_state_digest(&wanted, wanted_digest);
  note("brute force, %s: %lld contacts, %lld at walls", law->name, (long long)wanted.contacts.n,
       (long long)wanted.wall_contacts.n);
  ok(wanted.contacts.n > 50 && wanted.wall_contacts.n > 20, "the sample has many contacts of both kinds");
  brute_force_free(&b);
  cairn_scenario_free(s);
}

/* Where two states first differ, for the message. */
static void show_difference(const struct cairn_state *got) {
  if (got->contacts.n != wanted.contacts.n || got->wall_contacts.n != wanted.wall_contacts.n)
    diag("%lld contacts and %lld at walls", (long long)got->contacts.n, (long long)got->wall_contacts.n);
  for (int64_t k = 0; k < 3 * wanted.n; k++)
    if (got->position[k] != wanted.position[k] || got->spin[k] != wanted.spin[k]) {
      diag("body %lld first: position %.17g, wanted %.17g; spin %.17g, wanted %.17g", (long long)(k / 3),
           got->position[k], wanted.position[k], got->spin[k], wanted.spin[k]);
      return;
    }
}

/* `batch`: steps asked for at once. */
static void run(int64_t cells_bodies, double skin, int64_t batch, int workers) {
  struct cairn_scenario *s = box(cells_bodies, skin);
  struct cairn_simulation *sim = sim_create(s);
  char digest[CAIRN_DIGEST_LENGTH + 1];
  const int64_t n_cells = cairn_simulation_n_cells(sim);
  for (int64_t done = 0; done < STEPS; done += batch)
    sim_advance(sim, batch < STEPS - done ? batch : STEPS - done);
  const struct cairn_state *state = sim_state(sim);
  cairn_state_digest(state, digest);
  if (!is(digest, wanted_digest,
          "%s, %d workers, cells of %lld bodies (%lld cells), skin %g (dealt anew %lld times), %lld steps at once",
          law->name, workers, (long long)cells_bodies, (long long)n_cells, skin,
          (long long)cairn_simulation_n_regrids(sim), (long long)batch))
    show_difference(state);
  sim_free(sim, s);
}

int main(void) {
  static const int64_t cells[] = {4, 17, 64, 1000};
  static const double skins[] = {0., 1e-4, 0.2}; /* auto, tiny, large */
  static const int workers[] = {1, 2, 4};
  plan(NO_PLAN);
  setenv("STARPU_WORKERS_NOBIND", "1", 1); /* more workers than cores must not wait for each other's time slice */
  make_reference();
  for (size_t w = 0; w < sizeof workers / sizeof *workers; w++) {
    sim_start(workers[w]);
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
      for (size_t k = 0; k < sizeof skins / sizeof *skins; k++)
        if (workers[w] == 2 || (skins[k] < 0.1 && cells[c] > 4)) /* the others are slow and show nothing new */
          run(cells[c], skins[k], STEPS, workers[w]);
    run(64, 0., 7, workers[w]);
    cairn_engine_stop();
  }
  for (law = laws + 1; law < laws + sizeof laws / sizeof *laws; law++) {
    make_reference();
    sim_start(2);
    for (size_t c = 1; c < sizeof cells / sizeof *cells; c++)
      run(cells[c], 0., STEPS, 2);
    cairn_engine_stop();
  }
  cairn_state_fini(&wanted);
  done_testing();
}
