/* Spin-up in whole runs of both methods: what bodies get and when, torque, restart, cells. */
#include "sim.h"

static const char *const methods[] = {"soft_spheres", "contact_dynamics"};

enum { CUBE = 8, ALL = 9 };

/* Eight spheres of different sizes at the corners of a cube, just touching at most, and one far away. */
static struct cairn_scenario *cube(const char *method, const char *spin_up) {
  struct cairn_scenario *s =
      sim_scenario("method: %s\ntime: {step: 0.1, end: 1e6}\nmaterials: [{name: a, density: 1000}]\n"
                   "interactions: [{between: [a, a], stiffness: 1000, restitution: 0.5, friction: 0}]\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: 1, material: a}}]\nspin_up: %s\n",
                   method, spin_up);
  sim_resize(s, ALL);
  for (int i = 0; i < CUBE; i++) {
    sim_vector(s->initial.position, i, 2. * (i & 1), 2. * (i >> 1 & 1), 2. * (i >> 2 & 1));
    sim_set_radius(s, i, 1. - 0.005 * i);
  }
  sim_vector(s->initial.position, CUBE, 50., 0., 0.);
  return s;
}

static void center_of(const struct cairn_state *s, double center[3]) {
  double mass = 0.;
  center[0] = center[1] = center[2] = 0.;
  for (int i = 0; i < CUBE; i++) {
    mass += s->mass[i];
    for (int k = 0; k < 3; k++)
      center[k] += s->mass[i] * s->position[3 * i + k];
  }
  for (int k = 0; k < 3; k++)
    center[k] /= mass;
}

static double norm(const double *v) { return hypot(hypot(v[0], v[1]), v[2]); }

/* How far the motion of the cube is from a rotation with the spin w. */
static double off_rotation(const struct cairn_state *s, const double w[3]) {
  double center[3], worst = 0.;
  center_of(s, center);
  for (int i = 0; i < CUBE; i++)
    for (int k = 0; k < 3; k++) {
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      const double *x = s->position + 3 * i;
      const double v = w[a] * (x[b] - center[b]) - w[b] * (x[a] - center[a]);
      worst = fmax(worst, fmax(fabs(s->velocity[3 * i + k] - v), fabs(s->spin[3 * i + k] - w[k])));
    }
  return worst;
}

static void test_increments(const char *method) {
  struct cairn_scenario *s =
      cube(method, "[{increments: {spin: [1e-6, 2e-6, -1e-6], from: 0.5, every: 0.5, until: 1.2}}]");
  struct cairn_simulation *sim = sim_create(s);
  static const double none[3] = {0., 0., 0.}, once[3] = {1e-6, 2e-6, -1e-6}, twice[3] = {2e-6, 4e-6, -2e-6};
  sim_advance(sim, 4);
  ok(off_rotation(sim_state(sim), none) == 0., "%s: nothing before its time", method);
  sim_advance(sim, 1);
  /* the rest is rounding, and what 1 s of rotation does to places: w² t */
  ok(off_rotation(sim_state(sim), once) < 1e-11, "then all rotate as one");
  sim_advance(sim, 7);
  ok(off_rotation(sim_state(sim), twice) < 1e-10, "and again");
  sim_advance(sim, 20);
  ok(off_rotation(sim_state(sim), twice) < 1e-10, "but no more after the end");
  const double *v = sim_state(sim)->velocity + 3 * CUBE, *w = sim_state(sim)->spin + 3 * CUBE;
  ok(norm(v) == 0. && norm(w) == 0., "a body far away is let alone");
  ok(norm(sim_observe(sim).momentum) < 1e-12 * sim_observe(sim).total_mass * 1e-6, "no momentum is given");
  sim_free(sim, s);
}

static void test_start(const char *method) {
  struct cairn_scenario *s = cube(method, "[{increments: {spin: [0, 0, 1e-6]}}]");
  struct cairn_simulation *sim = sim_create(s);
  ok(off_rotation(sim_state(sim), (double[]){0., 0., 1e-6}) < 1e-15, "%s: an increment at the start", method);
  sim_advance(sim, 3);
  ok(off_rotation(sim_state(sim), (double[]){0., 0., 1e-6}) < 1e-11, "is given once");
  sim_free(sim, s);
}

/* Nothing else turns the bodies: the angular momentum about their centre is torque times time. */
static void test_torque(const char *method) {
  struct cairn_scenario *s = cube(method, "[{torque: {moment: [1e-3, -2e-3, 3e-3]}}]");
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 119);
  const struct cairn_observables o = sim_observe(sim);
  /* 5 portions of 2 s each; the far body rests, and so does the centre of mass, so any origin will do */
  const double error[3] = {o.angular_momentum[0] - 1e-2, o.angular_momentum[1] + 2e-2, o.angular_momentum[2] - 3e-2};
  ok(norm(error) < 1e-12 * 3e-2, "%s: torque times time is the angular momentum (%.1e)", method, norm(error) / 3e-2);
  sim_free(sim, s);
}

static struct cairn_scenario *heap(const char *method, int cell) {
  return sim_scenario("method: %s\nseed: 4\ntime: {step: %s, end: 1e5}\nmaterials: [{name: a, density: 2000}]\n"
                      "gravity: {self: {}}\ncells: {bodies: %d}\n"
                      "interactions: [{between: [a, a], restitution: 0.3, friction: 0.3, stiffness: 1e6}]\n"
                      "bodies: [{packing: {in: {sphere: {center: [0, 0, 0], radius: 30}}, fraction: 0.5, radius: "
                      "{uniform: [3, 5]}, material: a}}]\n"
                      "spin_up: [{increments: {spin: [0, 1e-5, 2e-5], from: 0, every: %s}}, {torque: {moment: [0, 0, "
                      "1e4]}}]\n",
                      method, strcmp(method, "soft_spheres") == 0 ? "0.5" : "5", cell,
                      strcmp(method, "soft_spheres") == 0 ? "10" : "100");
}

/* Both at a step where spin-up is due and between two. */
static void test_restart(const char *method, int64_t step) {
  char one[CAIRN_DIGEST_LENGTH + 1], two[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_scenario *s = heap(method, 60);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, step);
  struct cairn_state kept = {0};
  cairn_state_copy(&kept, sim_state(sim), NULL);
  sim_advance(sim, 75 - step);
  cairn_state_digest(sim_state(sim), one);
  cairn_simulation_free(sim);
  if (cairn_simulation_create(s, &kept, &sim, NULL))
    BAIL_OUT("no restart");
  sim_advance(sim, 75 - step);
  cairn_state_digest(sim_state(sim), two);
  is(two, one, "%s: the same bits after a restart at step %lld", method, (long long)step);
  cairn_state_fini(&kept);
  sim_free(sim, s);
}

/* Two spheres that touch are turned so fast that one of them hits a third within the coming step, too far away for the
 * list of pairs as it was: the contact must be found as it is after a restart. */
static void test_fast(void) {
  char one[CAIRN_DIGEST_LENGTH + 1], two[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_scenario *s = cube("soft_spheres", "[{increments: {spin: [0, 0, 2], from: 0.5}}]");
  sim_resize(s, 3);
  sim_vector(s->initial.position, 1, 2., 0., 0.);
  sim_vector(s->initial.position, 2, 2., 2.08, 0.);
  for (int i = 0; i < 3; i++)
    sim_set_radius(s, i, 0.99);
  sim_vector(s->initial.velocity, 0, 1e-6, 0., 0.);
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_state kept = {0};
  sim_advance(sim, 5);
  cairn_state_copy(&kept, sim_state(sim), NULL);
  sim_advance(sim, 1);
  cairn_state_digest(sim_state(sim), one);
  ok(sim_state(sim)->acceleration[7] > 0., "a body is hit in the step after it was spun up");
  cairn_simulation_free(sim);
  if (cairn_simulation_create(s, &kept, &sim, NULL))
    BAIL_OUT("no restart");
  sim_advance(sim, 1);
  cairn_state_digest(sim_state(sim), two);
  is(two, one, "as after a restart");
  cairn_state_fini(&kept);
  sim_free(sim, s);
}

static void test_cells(void) {
  char one[CAIRN_DIGEST_LENGTH + 1], two[CAIRN_DIGEST_LENGTH + 1];
  for (int k = 0; k < 2; k++) {
    struct cairn_scenario *s = heap("soft_spheres", k ? 1000 : 30);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, 75);
    cairn_state_digest(sim_state(sim), k ? two : one);
    sim_free(sim, s);
  }
  is(two, one, "the same bits in other cells");
}

/* A kick that no number can hold is refused, and the bodies are as they were. */
static void test_too_much(const char *method) {
  struct cairn_scenario *s = cube(method, "[{increments: {spin: [1e308, 1e308, 0], from: 0.5}}]");
  struct cairn_simulation *sim = sim_create(s);
  struct cairn_error error = {0};
  cmp_ok(cairn_simulation_advance(sim, 10, &error), "==", CAIRN_ERR_NUMERIC, "%s: too much is refused", method);
  like(error.message, "^step 5 \\(t = 0.5 s\\): spin_up gives a spin that is not finite", "and said");
  ok(off_rotation(sim_state(sim), (double[]){0., 0., 0.}) == 0., "without harm");
  sim_free(sim, s);
}

int main(void) {
  sim_start(2);
  for (int m = 0; m < 2; m++) {
    test_increments(methods[m]);
    test_start(methods[m]);
    test_torque(methods[m]);
    test_too_much(methods[m]);
    test_restart(methods[m], 33);
    test_restart(methods[m], 40);
  }
  test_fast();
  test_cells();
  cairn_engine_stop();
  done_testing();
}
