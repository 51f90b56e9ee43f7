/* Cohesion of soft spheres against closed forms, with both contact laws: pull-off force, work of separation, energy
 * budget, friction under it, and what a list of neighbours has to see. */
#include "sim.h"

#include "contacts.h"

static const double RADIUS = 0.1, DENSITY = 1000.; /* m, kg/m³ */

static double mass(void) { return DENSITY * 4. / 3. * SIM_PI * RADIUS * RADIUS * RADIUS; }

/* A kind of cohesion: its keys, the force at contact between bodies with the reduced radius R, the work that parts
 * them, both from the textbook. */
struct cohesion {
  const char *keys;
  double force, force_per_radius; /* N, N/m */
  double length;                  /* m, work over force */
};

enum { N_KINDS = 4 };
static struct cohesion kinds[N_KINDS];

static void make_kinds(void) {
  kinds[0] = (struct cohesion){"cohesion: 10", 10., 0., 0.};
  kinds[1] = (struct cohesion){"cohesion: 10, cohesion_range: 2e-4", 10., 0., 2e-4};
  kinds[2] = (struct cohesion){"work_of_adhesion: 30, cohesion_range: 1e-4", 0., 2. * SIM_PI * 30., 1e-4};
  /* A R/6 (1/X0² up to X0, then ∫ dX/X² up to the range) */
  const double a = 1.2e-5, x0 = 1e-4, range = 1e-2, most = a / (6. * x0 * x0);
  kinds[3] = (struct cohesion){"hamaker_constant: 1.2e-5, hamaker_separation: 1e-4, cohesion_range: 0.01", 0., most,
                               x0 + x0 * x0 * (1. / x0 - 1. / range)};
}

static double force_of(const struct cohesion *k, double radius) { return k->force + k->force_per_radius * radius; }

struct law {
  const char *name, *material, *elastic, *lossy;
};
static const struct law laws[] = {
    {"hooke", "", "stiffness: 1e5, restitution: 1", "stiffness: 1e5, restitution: 0.1, tangential_restitution: 0.1"},
    {"hertz", ", young_modulus: 1e7", "viscous_time: 0", "viscous_time: 3e-3"}};

/* Two spheres of the radius, `gap` apart along x, losing nothing; a step of h. */
static struct cairn_scenario *pair(const struct law *law, const struct cohesion *kind, double gap, double h) {
  struct cairn_scenario *s =
      sim_scenario("law: %s\ntime: {step: %.17g, end: 100}\nmaterials: [{name: a, density: %g%s}]\n"
                   "interactions: [{between: [a, a], friction: 0, %s, %s}]\noverlap: {limit: 1}\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: %g, material: a}}]\n",
                   law->name, h, DENSITY, law->material, law->elastic, kind->keys, RADIUS);
  sim_resize(s, 2);
  sim_vector(s->initial.position, 1, 2. * RADIUS + gap, 0., 0.);
  return s;
}

static double gap_of(const struct cairn_state *s) { return s->position[3] - s->position[0] - 2. * RADIUS; }
static double opening(const struct cairn_state *s) { return s->velocity[3] - s->velocity[0]; }

static void part_with(struct cairn_state *s, double energy) {
  const double u = sqrt(4. * energy / mass());
  sim_vector(s->velocity, 0, -0.5 * u, 0., 0.);
  sim_vector(s->velocity, 1, 0.5 * u, 0., 0.);
}

/* A sphere that hangs from a ceiling under a weight: it stays under less than the pull-off force, 2π w R of the DMT
 * law, A R/(6 X0²) of van der Waals, and falls under more. At a flat wall the reduced radius is the radius. */
static void test_pull_off(const struct law *law, const struct cohesion *kind, double part) {
  const double g = part * force_of(kind, RADIUS) / mass();
  struct cairn_scenario *s = sim_scenario(
      "law: %s\ntime: {step: 2e-5, end: 100}\nmaterials: [{name: a, density: %g%s}]\n"
      "gravity: {uniform: [0, 0, %.17g]}\ninteractions: [{between: [a, a], friction: 0, %s, %s}]\noverlap: {limit: 1}\n"
      "bodies: [{single: {position: [0, 0, %.17g], radius: %g, material: a}}]\n"
      "walls: [{plane: {normal: [0, 0, -1], material: a}}]\n",
      law->name, DENSITY, law->material, -g, law->lossy, kind->keys, -RADIUS * (1. - 1e-7), RADIUS);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 20000);
  const struct cairn_state *state = sim_state(sim);
  const double fall = -RADIUS - state->position[2];
  if (part < 1.)
    ok(fall < 0. && state->wall_contacts.n == 1, "%s, %s: bears %g of the pull-off force (%g N)", law->name, kind->keys,
       part, force_of(kind, RADIUS));
  else
    ok(fall > 1e-3 && state->wall_contacts.n == 0, "%s, %s: parts at %g of it", law->name, kind->keys, part);
  sim_free(sim, s);
}

/* The two fly apart from contact with the energy E: they part with E - W, or are drawn back. */
static void test_work(const struct law *law, const struct cohesion *kind) {
  const double work = force_of(kind, 0.5 * RADIUS) * kind->length;
  for (int k = 0; k < 2; k++) {
    const double brought = (k ? 1.5 : 0.7) * work;
    struct cairn_scenario *s = pair(law, kind, 0., 5e-6);
    part_with(&s->initial, brought);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, 140000);
    const struct cairn_state *state = sim_state(sim);
    const double left = 0.25 * mass() * opening(state) * opening(state) / work;
    if (k)
      /* a step is a 500th of the gap over which the force changes, errors of second order: some 1e-6 */
      ok(gap_of(state) > 0.01 && fabs(left - 0.5) < 1e-5, "%s, %s: parts with E - W: %.6f W are left of 1.5 W",
         law->name, kind->keys, left);
    else
      ok(gap_of(state) < 0.01, "%s, %s: 0.7 W do not part it", law->name, kind->keys);
    sim_free(sim, s);
  }
}

/* Drawn together from rest inside the range, or touching, the pair vibrates for ever; largest error of the energy, over
 * the depth of the well. */
static double drift(const struct law *law, const struct cohesion *kind, double h) {
  const double from = kind->length > 0. ? 0.9 * kind->length : -1e-6, work = force_of(kind, 0.5 * RADIUS) * 1e-4;
  struct cairn_scenario *s = pair(law, kind, from, h);
  struct cairn_simulation *sim = sim_create(s);
  double start = 0., most = 0., deepest = INFINITY;
  for (int k = 0; k <= 40; k++) {
    const struct cairn_observables o = sim_observe(sim);
    const double energy = o.kinetic_energy + o.elastic_energy;
    start = k ? start : energy;
    most = fmax(most, fabs(energy - start));
    deepest = fmin(deepest, o.elastic_energy);
    sim_advance(sim, (int64_t)(1.3e-3 / h));
  }
  if (deepest > -0.2 * work)
    BAIL_OUT("the pair does not vibrate");
  sim_free(sim, s);
  return most / work;
}

static void test_budget(const struct law *law, const struct cohesion *kind) {
  const double coarse = drift(law, kind, 8e-7), fine = drift(law, kind, 2e-7);
  note("%s, %s: energy error %.1e of the well at 0.8 µs, %.1e at 0.2 µs", law->name, kind->keys, coarse, fine);
  /* asked for; the scheme has second order, so that a quarter of the step has a sixteenth of the error */
  ok(fine < 1e-6, "%s, %s: the energy budget of elastic bodies closes to %.1e", law->name, kind->keys, fine);
  ok(fine < 0.12 * coarse || fine < 1e-9, "%s, %s: with second order", law->name, kind->keys);
}

/* On a plane, without weight, pushed along it: friction holds up to μ times the attraction (N + F_C with N = 0), and
 * brakes with that beyond. Rolling friction of 1 keeps the sphere from rolling. */
static void test_friction(const struct law *law, double part) {
  const double pull = 10., mu = 0.4, g = part * mu * pull / mass();
  struct cairn_scenario *s =
      sim_scenario("law: %s\ntime: {step: 2e-5, end: 100}\nmaterials: [{name: a, density: %g%s}]\n"
                   "gravity: {uniform: [%.17g, 0, 0]}\n"
                   "interactions: [{between: [a, a], friction: %g, rolling_friction: 1, %s, cohesion: %g, "
                   "cohesion_range: 1e-5}]\noverlap: {limit: 1}\n"
                   "bodies: [{single: {position: [0, 0, %.17g], radius: %g, material: a}}]\n"
                   "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n",
                   law->name, DENSITY, law->material, g, mu, law->lossy, pull, RADIUS, RADIUS);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 40000);
  const double before = sim_state(sim)->velocity[0];
  sim_advance(sim, 10000);
  const double a = (sim_state(sim)->velocity[0] - before) / 0.2;
  if (part < 1.)
    ok(fabs(a) < 1e-3 * g, "%s: friction under cohesion holds %g of μ F_C (%.1e g)", law->name, part, a / g);
  else
    /* the limit is that of the contact force, which still trembles by 1e-3 of itself at most */
    tap_near(a, g - mu * pull / mass(), 2e-3 * g, 0., "%s: and takes μ F_C from %g times that", law->name, part);
  sim_free(sim, s);
}

/* Bodies far apart, in cells of a few: those within the range must find each other whatever the skin. */
static void test_reach(void) {
  struct cairn_scenario *s = sim_scenario(
      "time: {step: 1e-4, end: 100}\nmaterials: [{name: a, density: 1000}]\n"
      "interactions: [{between: [a, a], stiffness: 1e5, cohesion: 1, cohesion_range: 0.15}]\n"
      "bodies: [{lattice: {origin: [0, 0, 0], counts: [6, 6, 1], spacing: 0.3, radius: 0.1, material: a}}]\n"
      "cells: {bodies: 4, skin: 1e-3}\n");
  struct cairn_simulation *sim = sim_create(s);
  ok(cairn_simulation_n_cells(sim) > 8, "many cells");
  sim_advance(sim, 1);
  const struct cairn_state *state = sim_state(sim);
  /* a corner has two neighbours at right angles 0.1 m away, and none within 0.15 m but these */
  const double a = 1. / state->mass[0];
  tap_near(state->acceleration[0], a, 1e-12 * a, 0., "the corner is drawn along x");
  tap_near(state->acceleration[1], a, 1e-12 * a, 0., "and along y");
  const struct cairn_observables o = sim_observe(sim);
  tap_near(o.elastic_energy, -60. * (0.15 - 0.1), 1e-4, 0., "60 pairs store the rest of their work");
  tap_near(o.n_contacts, 0., 0., 0., "which are no contacts");
  /* the row at the edge is drawn by the next one, which is drawn from both sides: it falls as if that was fixed */
  sim_advance(sim, 4999);
  tap_near(sim_state(sim)->position[0], 0.5 * a * 0.25, 1e-6, 0., "and draw each other together");
  sim_free(sim, s);
}

/* Restarted from a captured state in the middle of the fall into each other: the same bits. */
static void test_restart(void) {
  char digest[2][CAIRN_DIGEST_LENGTH + 1];
  struct cairn_error error = {0};
  struct cairn_state middle = {0};
  for (int k = 0; k < 2; k++) {
    struct cairn_scenario *s = pair(laws + k, kinds + 3, 3e-4, 2e-6);
    struct cairn_simulation *sim = sim_create(s), *again = NULL;
    sim_advance(sim, 777);
    if (cairn_state_copy(&middle, sim_state(sim), &error))
      BAIL_OUT("%s", error.message);
    sim_advance(sim, 1777);
    cairn_state_digest(sim_state(sim), digest[0]);
    cairn_simulation_free(sim);
    if (cairn_simulation_create(s, &middle, &again, &error))
      BAIL_OUT("%s", error.message);
    sim_advance(again, 1777);
    cairn_state_digest(sim_state(again), digest[1]);
    is(digest[1], digest[0], "%s: resumed while the pair is drawn together, the same bits", laws[k].name);
    sim_free(again, s);
    cairn_state_fini(&middle);
  }
}

/* What `auto` makes of it: overlaps within the limit, a step that closes the budget to 3e-3 of the work
 * (second order, 1.0e-3 measured). */
static void test_auto(void) {
  struct cairn_scenario *s = sim_scenario(
      "time: {step: auto, end: 0.2}\nmaterials: [{name: a, density: 1000}]\n"
      "interactions: [{between: [a, a], friction: 0, restitution: 1, cohesion: 10, cohesion_range: 1e-3}]\n"
      "bodies: [{single: {position: [0, 0, 0], radius: 0.1, material: a}},\n"
      "         {single: {position: [0.2009, 0, 0], radius: 0.1, material: a}}]\n");
  struct cairn_simulation *sim = sim_create(s);
  double most = 0., start = 0., overlap = 0.;
  for (int k = 0; k < 200; k++) {
    const struct cairn_observables o = sim_observe(sim);
    start = k ? start : o.elastic_energy;
    most = fmax(most, fabs(o.kinetic_energy + o.elastic_energy - start));
    overlap = fmax(overlap, o.max_overlap);
    sim_advance(sim, 7);
  }
  note("k = %g N/m, h = %g s", s->interactions->law[CAIRN_LAW_hooke_stiffness], s->time_step);
  ok(overlap > 0.3 * s->overlap_limit && overlap <= s->overlap_limit,
     "stiffness: auto: overlaps up to %.2f of the limit", overlap / s->overlap_limit);
  ok(most < 3e-3 * 10. * 1e-3, "time.step: auto: the budget closes to %.1e of the work", most / (10. * 1e-3));
  sim_free(sim, s);
}

int main(void) {
  plan(NO_PLAN);
  make_kinds();
  sim_start(1);
  for (size_t l = 0; l < sizeof laws / sizeof *laws; l++) {
    for (int k = 0; k < N_KINDS; k++) {
      test_pull_off(laws + l, kinds + k, 0.98);
      test_pull_off(laws + l, kinds + k, 1.02);
      if (kinds[k].length > 0.)
        test_work(laws + l, kinds + k);
      test_budget(laws + l, kinds + k);
    }
    test_friction(laws + l, 0.9);
    test_friction(laws + l, 1.5);
  }
  test_reach();
  test_restart();
  test_auto();
  cairn_engine_stop();
  done_testing();
}
