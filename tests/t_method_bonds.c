/* Bonds of soft spheres against closed forms: periods, strengths, energy; a target that breaks with the same bits for
 * any cells and after any restart. */
#include "sim.h"

#include "solvers/simulation/bonds.h"
#include "solvers/start/stretch.h"

static const double RADIUS = 0.1, DENSITY = 1000., MODULUS = 1e6; /* m, kg/m³, Pa */

static double mass(void) { return DENSITY * 4. / 3. * SIM_PI * RADIUS * RADIUS * RADIUS; }
static double area(void) { return SIM_PI * RADIUS * RADIUS; }

/* Two equal spheres `distance` apart along x. */
static struct cairn_scenario *pair(const char *bond, const char *law, double distance, double h) {
  struct cairn_scenario *s = sim_scenario(
      "time: {step: %.17g, end: 1000}\nmaterials: [{name: a, density: %g}]\n"
      "interactions: [{between: [a, a], stiffness: 1e5, restitution: 1, %s}]\noverlap: {limit: 1, initial: "
      "0.5}\n"
      "bonds: [{modulus: %g, %s}]\n"
      "bodies: [{single: {position: [0, 0, 0], radius: %g, material: a}}]\n",
      h, DENSITY, law, MODULUS, bond, RADIUS);
  sim_resize(s, 2);
  sim_vector(s->initial.position, 1, distance, 0., 0.);
  return s;
}

static double distance_of(const struct cairn_state *s) { return s->position[3] - s->position[0]; }

/* Time of n whole periods of x(t) about its start, from the upward crossings, by linear interpolation. */
static double period_of(struct cairn_simulation *sim, double (*read)(const struct cairn_state *), int n) {
  const double h = cairn_simulation_step_size(sim), start = read(sim_state(sim));
  double last = 0., first_time = -1., time = 0.;
  for (int crossings = 0; crossings <= n;) {
    sim_advance(sim, 1);
    const double now = read(sim_state(sim)) - start;
    if (last < 0. && now >= 0.) {
      time = cairn_simulation_time(sim) - h * now / (now - last);
      first_time = crossings == 0 ? time : first_time;
      crossings++;
    }
    last = now;
  }
  return (time - first_time) / n;
}

/* A leapfrog oscillates with sin(ω' h/2) = ω h/2: the period is known to rounding of the interpolation, (ωh)²/24 with
 * it; 200 steps per period make that 4e-5. */
static void test_period(const char *what, const char *bond, const char *law, double distance, double stiffness) {
  const double period = 2. * SIM_PI * sqrt(0.5 * mass() / stiffness), h = period / 200.;
  struct cairn_scenario *s = pair(bond, law, distance, h);
  sim_vector(s->initial.velocity, 0, -1e-4, 0., 0.);
  sim_vector(s->initial.velocity, 1, 1e-4, 0., 0.);
  struct cairn_simulation *sim = sim_create(s);
  tap_near(period_of(sim, distance_of, 5), period, 1e-4 * period, 0., "%s: period %g s", what, period);
  sim_free(sim, s);
}

static double twist_of(const struct cairn_state *s) { return s->spin[3] - s->spin[0]; }
static double swing_of(const struct cairn_state *s) { return s->spin[5] - s->spin[2]; }

/* Torsion and bending of a beam: k_t = Y/(2 + 2ν) A r²/2z and k_b = Y A r²/4z against half the inertia of a sphere.
 * Opposite spins across the axis bend without shear. The springs are fed with velocities of the step's end, which costs
 * (ωh)²/4 of the frequency. */
static void test_turning(int axis, double share, double (*read)(const struct cairn_state *), const char *what) {
  const double inertia = 0.4 * mass() * RADIUS * RADIUS, k = MODULUS * area() / (2. * RADIUS) * RADIUS * RADIUS * share;
  const double period = 2. * SIM_PI * sqrt(0.5 * inertia / k), h = period / 1000.;
  struct cairn_scenario *s = pair("law: beam, strain: 1, poisson_ratio: 0.25", "friction: 0", 2. * RADIUS, h);
  s->initial.spin[axis] = -1e-3;
  s->initial.spin[3 + axis] = 1e-3;
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 250); /* the crossings of zero */
  const double quarter = read(sim_state(sim));
  ok(fabs(quarter) < 2e-5, "%s: after a quarter of the period %g s the spin is spent, %g", what, period, quarter);
  sim_advance(sim, 750);
  tap_near(read(sim_state(sim)), 2e-3, 2e-3 * 1e-3, 0., "%s: after all of it it is back", what);
  sim_free(sim, s);
}

/* Thrown apart, a spring that breaks at ε keeps half k (z ε)². */
static void test_strain(double part, const char *bond, double strain) {
  const double z = 2.2 * RADIUS, k = MODULUS * area() / z, energy = 0.5 * k * z * z * strain * strain;
  const double u = sqrt(4. * part * energy / mass());
  struct cairn_scenario *s = pair(bond, "friction: 0", z, 1e-5);
  sim_vector(s->initial.velocity, 0, -0.5 * u, 0., 0.);
  sim_vector(s->initial.velocity, 1, 0.5 * u, 0., 0.);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 20000);
  const struct cairn_observables o = sim_observe(sim);
  int64_t n = 0;
  const struct cairn_break *broken = cairn_sim_bonds_take(sim, &n);
  if (part < 1.) {
    ok(n == 0 && o.n_bonds == 1. && o.n_broken == 0., "%s: holds against %g of its energy", bond, part);
    tap_near(o.kinetic_energy + o.elastic_energy, part * energy, 1e-3 * energy, 0., "and keeps what it got");
  } else {
    ok(n == 1 && o.n_bonds == 0. && o.n_broken == 1., "%s: breaks with %g of its energy", bond, part);
    /* the step in which it breaks is not cut: a step of the strain that is left */
    tap_near(o.kinetic_energy, (part - 1.) * energy, 2e-3 * energy, 0., "which it takes along");
    ok(n == 1 && broken->a == 0 && broken->b == 1 && broken->cause == CAIRN_BOND_BY_STRAIN, "the log says who and why");
    tap_near(broken->strain, strain, 1e-3 * strain, 0., "at which strain");
    tap_near(broken->place[0], 0.5 * z, 1e-12, 0., "and where");
  }
  sim_free(sim, s);
}

/* A sphere glued under a ceiling bears its strength times the area, and no more. Critical damping: no overshoot. */
static void test_glue(const char *law, double part) {
  const double strength = 100., g = part * strength * area() / mass();
  struct cairn_scenario *s = sim_scenario(
      "time: {step: 2e-5, end: 100}\nmaterials: [{name: a, density: %g}]\ngravity: {uniform: [0, 0, %.17g]}\n"
      "interactions: [{between: [a, a], stiffness: 1e5, restitution: 1}]\n"
      "bodies: [{single: {position: [0, 0, %.17g], radius: %g, material: a}}]\n"
      "bonds: [{law: %s, wall: lid, modulus: %g, strength: %g, damping: 1, slip: holds}]\n"
      "walls: [{plane: {name: lid, normal: [0, 0, -1], material: a}}]\n",
      DENSITY, -g, -RADIUS, RADIUS, law, MODULUS, strength);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 40000);
  const struct cairn_observables o = sim_observe(sim);
  const double sag = -RADIUS - sim_state(sim)->position[2], k = MODULUS * area() / RADIUS;
  if (part < 1.) {
    ok(o.n_bonds == 1., "%s: glue bears %g of its strength", law, part);
    tap_near(sag, mass() * g / k, 1e-6 * sag, 0., "and sags by weight over stiffness");
  } else {
    ok(o.n_bonds == 0. && sag > RADIUS, "%s: and falls with %g of it", law, part);
  }
  sim_free(sim, s);
}

/* A sphere that hangs on a creeping bond sinks for ever: dz/dt = (ρ - z)/T with k (ρ - z) + γ u = m g. */
static void test_creep(const char *law) {
  const double g = 10., time = 0.1, h = 2e-5, k = MODULUS * area() / RADIUS, damping = 2. * sqrt(k * mass());
  struct cairn_scenario *s =
      sim_scenario("time: {step: %g, end: 100}\nmaterials: [{name: a, density: %g}]\ngravity: {uniform: [0, 0, %g]}\n"
                   "interactions: [{between: [a, a], stiffness: 1e5, restitution: 1}]\n"
                   "bodies: [{single: {position: [0, 0, %.17g], radius: %g, material: a}}]\n"
                   "bonds: [{law: %s, wall: lid, modulus: %g, strain: 1, damping: 1, slip: holds, creep_time: %g}]\n"
                   "walls: [{plane: {name: lid, normal: [0, 0, -1], material: a}}]\n",
                   h, DENSITY, -g, -RADIUS, RADIUS, law, MODULUS, time);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 20000); /* four creep times, a hundred periods */
  const double speed = -sim_state(sim)->velocity[2], wanted = mass() * g / (k * time + damping);
  tap_near(speed, wanted, 0., 2. * h / time, "%s: creeps with weight over stiffness and creep time", law);
  const double before = sim_state(sim)->position[2];
  sim_advance(sim, 10000);
  tap_near(before - sim_state(sim)->position[2], 1e4 * h * wanted, 0., 2. * h / time, "%s: and does so for ever", law);
  sim_free(sim, s);
}

/* Torn so fast that the bond does not slow the bodies, it bears the strain ε (1 + t u/z). */
static void test_rate(const char *bond) {
  const double z = 2.2 * RADIUS, u = 50., h = 1e-7;
  struct cairn_scenario *s = pair(bond, "friction: 0", z, h);
  sim_vector(s->initial.velocity, 0, -0.5 * u, 0., 0.);
  sim_vector(s->initial.velocity, 1, 0.5 * u, 0., 0.);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 1500);
  int64_t n = 0;
  const struct cairn_break *broken = cairn_sim_bonds_take(sim, &n);
  const double limit = 0.01 * (1. + 0.0088 * u / z);
  ok(n == 1 && broken->cause == CAIRN_BOND_BY_STRAIN, "%s: breaks", bond);
  /* the bond takes 2e-3 of the energy, 1e-3 of the speed, of which the limit has two thirds; it breaks within a step */
  tap_near(n ? broken->strain : 0., limit, h * u / z, 1e-3, "%s: at three times the strain, for the rate", bond);
  sim_free(sim, s);
}

/* A state in which a glued body is far from its wall is refused with its reason. */
static void test_lost(void) {
  struct cairn_scenario *s = sim_scenario("time: {step: 2e-5, end: 100}\nmaterials: [{name: a, density: 1000}]\n"
                                          "interactions: [{between: [a, a], stiffness: 1e5, restitution: 1}]\n"
                                          "bodies: [{single: {position: [0, 0, 0.1], radius: 0.1, material: a}}]\n"
                                          "bonds: [{wall: floor, modulus: 1e6, strain: 0.1}]\n"
                                          "walls: [{plane: {name: floor, normal: [0, 0, 1], material: a}}]\n");
  struct cairn_simulation *sim = sim_create(s), *none = NULL;
  struct cairn_state state = {0};
  struct cairn_error error = {0};
  sim_advance(sim, 10);
  if (cairn_state_copy(&state, sim_state(sim), &error))
    BAIL_OUT("%s", error.message);
  state.position[2] += 100.;
  cmp_ok(cairn_simulation_create(s, &state, &none, &error), "==", CAIRN_ERR_INPUT, "a bond over 100 m is refused");
  like(error.message, "^a bond of the state reaches farther than it can stretch", "and not called a lack of memory");
  cairn_state_fini(&state);
  sim_free(sim, s);
}

/* A run that was stopped before its first step has its bonds in the checkpoint: a plan leaves them as they are. */
static void test_step_zero(void) {
  struct cairn_scenario *s = pair("strain: 1", "friction: 0.2", 1.8 * RADIUS, 1e-5);
  struct cairn_simulation *sim = sim_create(s);
  const struct cairn_checkpoint checkpoint = {.state = s->initial, .stretch = {0, s->initial.n}};
  const struct cairn_contacts *bonds = &checkpoint.state.contacts;
  struct cairn_plan plan;
  struct cairn_error error = {0};
  const double length = *cairn_contact_recall(bonds, 0, CAIRN_CONTACT_bond_length) *= 1.001;
  cairn_stretch_lend(s, &checkpoint);
  ok(!cairn_simulation_plan(s, &plan, &error), "the plan of a checkpoint of step 0: %s", error.message);
  cmp_ok(s->initial.contacts.n, "==", bonds->n, "has no new bonds");
  ok(*cairn_contact_recall(&s->initial.contacts, 0, CAIRN_CONTACT_bond_length) == length, "and the old ones unchanged");
  cairn_stretch_return(s);
  s->initial = checkpoint.state;
  sim_free(sim, s);
}

/* A state with a bond of an entry that the scenario does not have, however far beyond the list, is refused. */
static void test_foreign(void) {
  struct cairn_scenario *s = pair("strain: 1", "friction: 0.2", 1.8 * RADIUS, 1e-5);
  struct cairn_simulation *sim = sim_create(s), *none = NULL;
  struct cairn_plan plan;
  struct cairn_error error = {0};
  s->initial.step = 1;
  s->share.is_resumed = true;
  *cairn_contact_recall(&s->initial.contacts, 0, CAIRN_CONTACT_bond_law) = 2e9;
  ok(!cairn_simulation_plan(s, &plan, &error), "a plan does not look it up: %s", error.message);
  s->initial.time = 1e-5;
  cmp_ok(cairn_simulation_create(s, &s->initial, &none, &error), "==", CAIRN_ERR_INPUT, "a bond without a law");
  like(error.message, "a law that the scenario does not have", "is refused");
  sim_free(sim, s);
}

/* A chain of touching spheres thrown about: nothing is lost but by the step, O(h²) of the energy. */
static double energy_error(const char *bond, double h, double time, double *momentum) {
  enum { N = 6 };
  struct cairn_scenario *s = pair(bond, "friction: 0", 2. * RADIUS, h);
  sim_resize(s, N);
  double scale = 0.;
  for (int i = 0; i < N; i++) {
    sim_vector(s->initial.position, i, 2. * RADIUS * i, 0., 0.);
    for (int k = 0; k < 3; k++) {
      s->initial.velocity[3 * i + k] = 0.01 * sin(3. * i + 2. * k);
      s->initial.spin[3 * i + k] = 0.1 * cos(5. * i + k);
      scale += fabs(0.01 * mass());
    }
  }
  struct cairn_simulation *sim = sim_create(s);
  const struct cairn_observables before = sim_observe(sim);
  double worst = 0.;
  for (int n = 0; n < 20; n++) {
    sim_advance(sim, (int64_t)(time / h / 20.));
    const struct cairn_observables now = sim_observe(sim);
    const double start = before.kinetic_energy + before.rotational_energy + before.elastic_energy;
    worst = fmax(worst, fabs(now.kinetic_energy + now.rotational_energy + now.elastic_energy - start) / start);
    for (int k = 0; k < 3; k++) {
      *momentum = fmax(*momentum, fabs(now.momentum[k] - before.momentum[k]) / scale);
      *momentum = fmax(*momentum, fabs(now.angular_momentum[k] - before.angular_momentum[k]) / (scale * RADIUS));
    }
  }
  ok(sim_observe(sim).n_bonds == N - 1, "no bond broke");
  sim_free(sim, s);
  return worst;
}

static void test_energy(const char *bond) {
  const double fastest = 2. * SIM_PI * sqrt(0.25 * mass() / (MODULUS * area() / (2. * RADIUS)));
  double momentum = 0.;
  const double coarse = energy_error(bond, fastest / 500., 6. * fastest, &momentum),
               fine = energy_error(bond, fastest / 8000., 6. * fastest, &momentum);
  note("%s: energy error %.2g with 500 steps per period, %.2g with 8000", bond, coarse, fine);
  ok(fine < 1e-6, "%s: the energy budget closes to 1e-6: %.2g", bond, fine);
  ok(coarse / fine > 100., "and by the square of the step: %.3g for 16 times", coarse / fine);
  ok(momentum < 1e-11, "momentum and angular momentum stay: %.2g", momentum);
}

/* Overlapping spheres in balance (eq. 3.4), then slid: the bond breaks where the contact slips, and nothing drives the
 * two apart, because they touch at the distance they have from now on. */
static void test_shear(void) {
  struct cairn_scenario *s = pair("strain: 1", "friction: 0.2", 1.8 * RADIUS, 1e-5);
  sim_vector(s->initial.velocity, 1, 0., 4., 0.);
  struct cairn_simulation *sim = sim_create(s);
  int64_t n = 0;
  const struct cairn_break *broken = NULL;
  for (int k = 0; k < 4000 && n == 0; k++) {
    sim_advance(sim, 1);
    broken = cairn_sim_bonds_take(sim, &n);
  }
  ok(n == 1 && broken->cause == CAIRN_BOND_BY_SHEAR, "it breaks by shear");
  const struct cairn_state *state = sim_state(sim);
  cmp_ok(state->contacts.n, "==", 1, "the contact is still there");
  const double *length = cairn_contact_recall(&state->contacts, 0, CAIRN_CONTACT_bond_length);
  const double before = distance_of(state), opening = state->velocity[3] - state->velocity[0];
  ok(length && *length < 0. && -*length < 1.81 * RADIUS, "and remembers the distance, %g m", length ? -*length : 0.);
  const double kinetic = sim_observe(sim).kinetic_energy;
  sim_advance(sim, 200);
  ok(sim_observe(sim).kinetic_energy < 1.0001 * kinetic, "the overlap does not push the two apart");
  note("distance %g, opening at %g m/s", before, opening);
  sim_advance(sim, 15000);
  cmp_ok(sim_state(sim)->contacts.n, "==", 0, "far apart it is forgotten");
  sim_free(sim, s);
}

static double start_force(const char *bond, double distance) {
  struct cairn_scenario *s = pair(bond, "friction: 0.2", distance, 1e-5);
  struct cairn_simulation *sim = sim_create(s);
  const double force = fabs(sim_state(sim)->acceleration[0]) * mass();
  sim_free(sim, s);
  return force;
}

/* ---- a target that breaks ---- */

/* The same for all pairs of materials. */
#define PAIR "stiffness: 2e5, restitution: 0.5, friction: 0.3, rolling_friction: 0.1}"

/* The projectile is of the material a, or of b, which is like it. */
static struct cairn_scenario *shot(const char *law, int cells, const char *more, const char *projectile) {
  return sim_scenario(
      "time: {step: 2e-6, end: 100}\nseed: 7\nmaterials: [{name: a, density: 2500}, {name: b, density: 2500}]\n"
      "interactions: [{between: [a, a], " PAIR "%s]\n"
      "bodies:\n"
      "  - lattice: {arrangement: cubic, spacing: 0.00999, in: {sphere: {center: [0, 0, 0], radius: 0.034}},\n"
      "              radius: 0.005, material: a}\n"
      "  - single: {position: [0, 0.003, 0.045], radius: 0.006, velocity: [0, 0, -60], material: %s}\n"
      "overlap: {limit: 1, initial: 0.1}\n"
      "bonds: [{law: %s, modulus: 2e7, modulus_scatter: 4e6, strength: 2e5, strength_scatter: 3e4, damping: 0.05}]\n"
      "cells: {bodies: %d%s}\n",
      *projectile == 'a' ? "" : ", {between: [a, b], " PAIR ", {between: [b, b], " PAIR, projectile, law, cells, more);
}

static struct cairn_scenario *target(const char *law, int cells, const char *more) {
  return shot(law, cells, more, "a");
}

enum { STEPS = 360 };

static void digest_of(struct cairn_scenario *s, const struct cairn_state *from, int64_t steps, struct cairn_state *end,
                      char digest[CAIRN_DIGEST_LENGTH + 1], double *broken) {
  struct cairn_simulation *sim = NULL;
  struct cairn_error error = {0};
  if (cairn_simulation_create(s, from, &sim, &error))
    BAIL_OUT("%s", error.message);
  sim_advance(sim, steps);
  *broken = sim_observe(sim).n_broken;
  sim_finish(sim, s, end, digest);
}

static void test_target(const char *law) {
  char whole[CAIRN_DIGEST_LENGTH + 1], parts[CAIRN_DIGEST_LENGTH + 1];
  double broken = 0., half = 0., again = 0.;
  digest_of(target(law, 5000, ""), NULL, STEPS, NULL, whole, &broken);
  note("%s: %g bonds broke", law, broken);
  ok(broken > 20., "%s: the target breaks: %g bonds", law, broken);
  digest_of(target(law, 20, ""), NULL, STEPS, NULL, parts, &again);
  is(parts, whole, "%s: same bits with many small cells", law);
  cmp_ok((int)again, "==", (int)broken, "and as many broken bonds");
  digest_of(target(law, 35, ", skin: 1e-5"), NULL, STEPS, NULL, parts, &again);
  is(parts, whole, "%s: same bits with a thin skin", law);
  struct cairn_state kept = {0};
  digest_of(target(law, 30, ""), NULL, STEPS / 3, &kept, parts, &half);
  digest_of(target(law, 70, ""), &kept, STEPS - STEPS / 3, NULL, parts, &again);
  ok(half > 0. && half < broken, "%s: interrupted after %g of them", law, half);
  is(parts, whole, "%s: resumed in the middle of it: same bits", law);
  cmp_ok((int)again, "==", (int)broken, "the count goes on");
  cairn_state_fini(&kept);
}

/* One set of constants is read once, a table of them for each pair: loops of their own, with the same bits. */
static void test_table(const char *law) {
  char digest[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_state one = {0}, table = {0};
  double broken, again;
  digest_of(target(law, 5000, ""), NULL, STEPS, &one, digest, &broken);
  digest_of(shot(law, 5000, "", "b"), NULL, STEPS, &table, digest, &again);
  const size_t bytes = 3 * (size_t)one.n * sizeof(double);
  ok(broken > 20. && again == broken, "%s: as many broken bonds with a table of constants", law);
  ok(one.n == table.n && !memcmp(one.position, table.position, bytes) && !memcmp(one.spin, table.spin, bytes),
     "%s: and the same bits", law);
  cairn_state_fini(&one);
  cairn_state_fini(&table);
}

/* Bonds over gaps far beyond any skin, across cells, that stretch to twice their length. */
static void test_long(int cells, char digest[CAIRN_DIGEST_LENGTH + 1]) {
  struct cairn_scenario *s = sim_scenario(
      "time: {step: 1e-4, end: 100}\nmaterials: [{name: a, density: 1000}]\n"
      "interactions: [{between: [a, a], stiffness: 1e5, restitution: 1}]\n"
      "bodies: [{lattice: {counts: [40, 1, 1], spacing: 0.8, radius: 0.1, material: a, rotation: {spin: [0, 0.6, "
      "0]}}}]\n"
      "bonds: [{gap: 0.7, modulus: 1e4, strain: 100, compression: true}]\ncells: {bodies: %d, skin: 1e-3}\n",
      cells);
  struct cairn_simulation *sim = sim_create(s);
  cmp_ok((int)sim_observe(sim).n_bonds, "==", 39, "a bond between all neighbours");
  sim_advance(sim, 4000);
  cmp_ok((int)sim_observe(sim).n_bonds, "==", 39, "that holds, %d bodies in a cell", cells);
  cairn_state_digest(sim_state(sim), digest);
  sim_free(sim, s);
}

int main(void) {
  char one[CAIRN_DIGEST_LENGTH + 1], many[CAIRN_DIGEST_LENGTH + 1];
  plan(NO_PLAN);
  sim_start(2);
  const double z = 2.2 * RADIUS, overlapping = 1.8 * RADIUS, tension = MODULUS * area();
  test_period("spring over a gap", "gap: 0.1, strain: 10, compression: true, slip: holds", "friction: 0", z,
              tension / z);
  test_period("beam over a gap", "law: beam, gap: 0.1, strain: 10", "friction: 0", z, tension / z);
  /* eq. 3.5: (2 k_n s + Y A)/ρ0 */
  test_period("spring and contact", "strain: 10, slip: holds", "friction: 0", overlapping,
              (1e5 * 2. * RADIUS + tension) / overlapping);
  tap_near(start_force("strain: 1", overlapping), 0., 1e-9 * 1e5 * 0.2 * RADIUS, 0.,
           "overlapping spheres are in balance");
  tap_near(start_force("law: beam, strain: 1", overlapping), 0., 1e-9, 0., "those of a beam too");
  test_turning(0, 0.5 * 0.4, twist_of, "torsion");
  test_turning(2, 0.25, swing_of, "bending");
  test_strain(0.98, "gap: 0.1, strain: 0.01, slip: holds", 0.01);
  test_strain(1.1, "gap: 0.1, strain: 0.01, slip: holds", 0.01);
  test_strain(0.98, "law: beam, gap: 0.1, strength: 1e4", 0.01);
  test_strain(1.1, "law: beam, gap: 0.1, strength: 1e4", 0.01);
  test_strain(0.98, "gap: 0.1, strength: 1e4, compression: true, slip: holds", 0.01);
  for (int k = 0; k < 2; k++) {
    test_glue(k ? "beam" : "spring", 0.99);
    test_glue(k ? "beam" : "spring", 1.01);
  }
  test_creep("spring");
  test_creep("beam");
  test_rate("gap: 0.1, strain: 0.01, slip: holds, rate_time: 0.0088");
  test_rate("law: beam, gap: 0.1, strain: 0.01, rate_time: 0.0088");
  test_lost();
  test_step_zero();
  test_foreign();
  test_shear();
  test_energy("strain: 1, slip: holds, compression: true");
  test_energy("law: beam, strain: 1");
  test_table("spring");
  test_table("beam");
  test_target("spring");
  test_target("beam");
  test_long(1000, one);
  test_long(3, many);
  is(one, many, "long bonds: same bits");
  cairn_engine_stop();
  done_testing();
}
