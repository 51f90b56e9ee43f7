/* Two soft spheres: restitution, its convergence, and what a collision conserves. */
#include "contacts.h"
#include "sim.h"

#include "data/base/random.h"
#include "kernels/common/vec3.h"

struct pair_case {
  double restitution, radius1, radius2, density1, density2;
};

/* Two spheres on the x axis that approach with relative speed 1 and touch after a little more than a step; `part` of
 * the recommended step is taken, `phase` in 0 … 1 says where within the step they touch. */
static struct cairn_scenario *head_on(const struct pair_case *c, double part, double phase) {
  struct cairn_scenario *s = sim_scenario("time: {end: 1}\n"
                                          "materials: [{name: a, density: %.17g}, {name: b, density: %.17g}]\n"
                                          "interactions:\n"
                                          "  - {between: [a, b], stiffness: 1e6, restitution: %.17g}\n"
                                          "  - {between: [a, a], stiffness: 1}\n"
                                          "  - {between: [b, b], stiffness: 1}\n"
                                          "bodies:\n"
                                          "  - single: {position: [0, 0, 0], radius: %.17g, material: a}\n"
                                          "  - single: {position: [10, 0, 0], radius: %.17g, material: b}\n"
                                          "overlap: {limit: 1}\n",
                                          c->density1, c->density2, c->restitution, c->radius1, c->radius2);
  const struct cairn_state *b = &s->initial;
  const double l = log(c->restitution), xi = -l / sqrt(SIM_PI * SIM_PI + l * l);
  const double reduced = b->mass[0] * b->mass[1] / (b->mass[0] + b->mass[1]);
  /* τ_overlap / 50, here from the closed form (eq. 2.39) */
  s->time_step = part * SIM_PI * sqrt(reduced / (1e6 * (1. - xi * xi))) / 50.;
  const double share = b->mass[1] / (b->mass[0] + b->mass[1]);
  sim_vector(b->velocity, 0, share, 0., 0.);
  sim_vector(b->velocity, 1, share - 1., 0., 0.);
  sim_vector(b->position, 1, c->radius1 + c->radius2 + (1. + phase) * s->time_step, 0., 0.);
  return s;
}

/* Speed of separation over speed of approach. */
static double rebound(const struct pair_case *c, double part, double phase) {
  struct cairn_scenario *s = head_on(c, part, phase);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, (int64_t)(60. / part));
  const struct cairn_state *b = sim_state(sim);
  if (b->contacts.n > 0)
    BAIL_OUT("the pair has not parted yet");
  const double speed = b->velocity[3] - b->velocity[0];
  sim_free(sim, s);
  return speed;
}

/* Worst error of the restitution over moments of first contact, with `per_contact` steps and up to one more per
 * contact. The fractions matter: with a whole number of steps per contact the errors of its beginning and its end
 * cancel. */
static double worst_error(const struct pair_case *c, double per_contact, int n_phases) {
  double worst = 0.;
  for (int fraction = 0; fraction < 4; fraction++)
    for (int k = 0; k < n_phases; k++) {
      const double got = rebound(c, 50. / (per_contact + 0.25 * fraction), (k + 0.37) / n_phases);
      worst = fmax(worst, fabs(got - c->restitution));
    }
  return worst;
}

static void test_restitution(void) {
  static const double restitutions[] = {0.2, 0.5, 0.8, 0.95};
  static const struct pair_case shapes[] = {
      {0., 0.5, 0.5, 2000., 2000.}, {0., 0.5, 0.1, 2000., 2000.}, {0., 0.2, 0.3, 8000., 500.}};
  static const char *const names[] = {"equal spheres", "radii 5:1", "densities 16:1"};
  for (size_t k = 0; k < 4; k++)
    for (size_t shape = 0; shape < 3; shape++) {
      struct pair_case c = shapes[shape];
      c.restitution = restitutions[k];
      const double error = worst_error(&c, 50., 7);
      note("restitution %g, %s: off by %.1e", c.restitution, names[shape], error);
      /* asked for; over 50 phases the worst is 8.2e-4, at restitution 0.2 */
      ok(error <= 1e-3, "restitution %g within 1e-3 at the recommended step: %s", c.restitution, names[shape]);
    }
}

/* The recommended step is that of the closed form above. */
static void test_step(void) {
  const struct pair_case c = {0.5, 0.2, 0.3, 8000., 500.};
  struct cairn_scenario *s = head_on(&c, 1., 0.5);
  const double wanted = s->time_step;
  struct cairn_plan p;
  s->time_step = 0.;
  /* the softer laws of a material with itself have longer steps */
  if (cairn_simulation_plan(s, &p, NULL))
    BAIL_OUT("no plan");
  tap_near(p.step_size, wanted, 0., 1e-14, "auto is τ_overlap / 50"); /* one closed form against another: rounding */
  cairn_scenario_free(s);
}

/* Halving the step four times: the error falls by 4 each time for a method of second order. Seen: 4.04 and 4.00. */
static void test_order(double restitution) {
  const struct pair_case c = {restitution, 0.5, 0.3, 2000., 3000.};
  double error[5];
  for (int k = 0; k < 5; k++)
    error[k] = worst_error(&c, 50. * pow(2., k), 9);
  note("restitution %g: errors %.2e %.2e %.2e %.2e %.2e", restitution, error[0], error[1], error[2], error[3],
       error[4]);
  const double fall = pow(error[0] / error[4], 0.25);
  ok(fall >= 3.8, "restitution %g converges: halving the step divides the error by %.2f, 4 is second order",
     restitution, fall);
}

struct balance {
  double momentum[3], angular[3], scale_p, scale_l, energy;
};

static struct balance balance_of(const struct cairn_state *s) {
  struct balance b = {0};
  for (int64_t i = 0; i < s->n; i++) {
    const double *x = s->position + 3 * i, *v = s->velocity + 3 * i, *w = s->spin + 3 * i;
    const double inertia = 0.4 * s->mass[i] * s->radius[i] * s->radius[i];
    double orbit[3], v2 = 0., w2 = 0.;
    cairn_vec3_cross(x, v, orbit);
    for (int k = 0; k < 3; k++) {
      b.momentum[k] += s->mass[i] * v[k];
      b.angular[k] += s->mass[i] * orbit[k] + inertia * w[k];
      b.scale_l += fabs(s->mass[i] * orbit[k]) + fabs(inertia * w[k]);
      v2 += v[k] * v[k];
      w2 += w[k] * w[k];
    }
    b.scale_p += s->mass[i] * sqrt(v2);
    b.energy += 0.5 * s->mass[i] * v2 + 0.5 * inertia * w2;
  }
  return b;
}

/* With a small stiffness the pair turns far while it touches. */
static struct cairn_scenario *oblique(double stiffness) {
  struct cairn_scenario *s = sim_scenario(
      "time: {end: 1}\n"
      "materials: [{name: a, density: 2500}]\n"
      "interactions:\n"
      "  - {between: [a, a], stiffness: %g, restitution: 0.9, tangential_restitution: 0.8, friction: 0.6,\n"
      "     slip: 0.5, rolling_friction: 0.1, twisting_friction: 0.2}\n"
      "bodies:\n"
      "  - single: {position: [0.3, -0.2, 0.1], radius: 0.3, material: a, velocity: [1.5, 0.3, -0.2],\n"
      "             spin: [3, -7, 2]}\n"
      "  - single: {position: [0.75, 0.06, 0.2], radius: 0.2, material: a, velocity: [-1, 0.4, 0.3],\n"
      "             spin: [-4, 1, 9]}\n"
      "overlap: {limit: 1, initial: 0.5}\n",
      stiffness);
  return s;
}

/* Advance by `steps`; the largest part of momentum and angular momentum lost on the way, the largest spring. */
static void test_conservation(double stiffness, int steps, const char *name) {
  struct cairn_scenario *s = oblique(stiffness);
  struct cairn_simulation *sim = sim_create(s);
  const struct balance first = balance_of(sim_state(sim));
  double lost_p = 0., lost_l = 0., spring = 0., turned = 0., n0[3];
  int contact_steps = 0;
  for (int k = 0; k < steps; k++) {
    sim_advance(sim, 1);
    const struct cairn_state *b = sim_state(sim);
    const struct balance now = balance_of(b);
    double n[3], d = 0., cosine = 0.;
    for (int i = 0; i < 3; i++) {
      lost_p = fmax(lost_p, fabs(now.momentum[i] - first.momentum[i]) / first.scale_p);
      lost_l = fmax(lost_l, fabs(now.angular[i] - first.angular[i]) / first.scale_l);
      n[i] = b->position[3 + i] - b->position[i];
      d += n[i] * n[i];
    }
    if (b->contacts.n == 0)
      continue;
    for (int i = 0; i < 3; i++) {
      n[i] /= sqrt(d);
      if (contact_steps == 0)
        n0[i] = n[i];
      cosine += n[i] * n0[i];
      spring = fmax(spring, fabs(PAIR_MEMORY(b, 0, spring)[i]));
    }
    contact_steps++;
    turned = acos(fmin(cosine, 1.));
  }
  const struct balance last = balance_of(sim_state(sim));
  note("%s: momentum off by %.1e, angular momentum by %.1e; %d steps in contact, spring up to %.1e m, turned by %.2f "
       "rad",
       name, lost_p, lost_l, contact_steps, spring, turned);
  ok(contact_steps > 20 && spring > 1e-6, "%s: they touch, with a loaded spring", name);
  ok(turned > (stiffness < 5e3 ? 0.4 : 0.), "%s: the normal turns while they touch", name);
  /* exact in exact arithmetic at any step; what is left is rounding of some hundred steps */
  ok(lost_p <= 1e-12, "%s: momentum is conserved to 1e-12", name);
  ok(lost_l <= 1e-12, "%s: angular momentum is conserved to 1e-12", name);
  ok(last.energy < first.energy, "%s: friction and damping cost energy", name);
  sim_free(sim, s);
}

static void rotate(const double m[3][3], double *v) {
  double r[3];
  for (int i = 0; i < 3; i++)
    r[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  memcpy(v, r, sizeof r);
}

/* The same collision in another frame: turned by a matrix, or moving past. Rounding alone differs, amplified by the
 * collision a little: 1e-11 is a hundred times what is seen. */
static void test_frames(void) {
  const double c = cos(1.1), sn = sin(1.1);
  const double turn[3][3] = {{c, -sn * 0.6, sn * 0.8}, {sn, c * 0.6, -c * 0.8}, {0., 0.8, 0.6}};
  const double still[3][3] = {{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}};
  double result[3][6];
  for (int frame = 0; frame < 3; frame++) {
    struct cairn_scenario *s = oblique(2e3);
    const double past = frame == 2 ? 3. : 0.;
    for (int64_t i = 0; i < 2; i++) {
      double *const vectors[] = {s->initial.position, s->initial.velocity, s->initial.spin};
      for (int k = 0; k < 3; k++)
        rotate(frame == 1 ? turn : still, vectors[k] + 3 * i);
      s->initial.velocity[3 * i] += past;
    }
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, 300);
    const struct cairn_state *b = sim_state(sim);
    memcpy(result[frame], b->velocity, 3 * sizeof(double));
    memcpy(result[frame] + 3, b->spin, 3 * sizeof(double));
    result[frame][0] -= past;
    sim_free(sim, s);
  }
  rotate(turn, result[0]);
  rotate(turn, result[0] + 3);
  double difference[2] = {0., 0.};
  for (int k = 0; k < 6; k++)
    difference[0] = fmax(difference[0], fabs(result[1][k] - result[0][k]));
  rotate(turn, result[2]);
  rotate(turn, result[2] + 3);
  for (int k = 0; k < 6; k++)
    difference[1] = fmax(difference[1], fabs(result[2][k] - result[0][k]));
  note("turned frame %.1e, moving frame %.1e", difference[0], difference[1]);
  ok(difference[0] <= 1e-11, "a turned frame sees the turned collision");
  ok(difference[1] <= 1e-11, "a moving frame sees the same collision");
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_step();
  test_restitution();
  test_order(0.2);
  test_order(0.8);
  test_conservation(1e6, 400, "a hard oblique collision");
  test_conservation(2e3, 400, "a soft pair that tumbles");
  test_frames();
  cairn_engine_stop();
  done_testing();
}
