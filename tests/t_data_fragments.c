/* Fragments and ejecta of states whose answers are known. */
#include "sim.h"

#include "analysis/fragments.h"

/* Spheres of radius 1 and mass 1. */
static struct cairn_state spheres(int64_t n) {
  struct cairn_state s = {0};
  if (cairn_state_resize(&s, n, NULL))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < n; i++)
    s.radius[i] = s.mass[i] = 1.;
  return s;
}

static struct cairn_fragments fragments_of(const struct cairn_state *s) {
  struct cairn_fragments f;
  struct cairn_error error;
  if (cairn_fragments_find(s, 0.1, &f, &error))
    BAIL_OUT("%s", error.message);
  return f;
}

/* A dumbbell along x that moves and turns about z as one, a sphere that flies off, and one that a wall has removed. */
static void test_two(void) {
  static const double SPIN = 0.5, V = 2.;
  struct cairn_state s = spheres(4);
  sim_vector(s.position, 0, 10., 0., 0.); /* the lighter fragment has the lowest id */
  sim_vector(s.velocity, 0, 3., 0., 0.);
  sim_vector(s.position, 1, -1., 0., 0.);
  sim_vector(s.position, 2, 1., 0., 0.);
  sim_vector(s.velocity, 1, V, -SPIN, 0.);
  sim_vector(s.velocity, 2, V, SPIN, 0.);
  sim_vector(s.spin, 1, 0., 0., SPIN);
  sim_vector(s.spin, 2, 0., 0., SPIN);
  s.captor[3] = -1;
  struct cairn_fragments f = fragments_of(&s);
  cmp_ok(f.n, "==", 2, "two fragments");
  ok(f.rank[0] == 1 && f.rank[1] == 0 && f.rank[2] == 0 && f.rank[3] == -1, "the heavier first, removed ones in none");
  tap_near(f.mass, 3., 0., 0., "their mass");
  const struct cairn_fragment *pair = f.fragment;
  cmp_ok(pair->n_bodies, "==", 2, "the dumbbell");
  tap_near(pair->body.velocity[0], V, 1e-15, 0., "its velocity");
  tap_near(pair->spin[2], SPIN, 1e-15, 0., "its spin");
  tap_near(pair->spin[0], 0., 1e-15, 0., "about no other axis");
  /* second moments: along x 2 (1 + 1/5), across it 2/5, of an ellipsoid M a²/5 each */
  tap_near(pair->semi_axes[0], sqrt(6.), 1e-14, 0., "its longest semi-axis");
  tap_near(pair->semi_axes[1], 1., 1e-14, 0., "the second");
  tap_near(pair->semi_axes[2], 1., 1e-14, 0., "the third");
  tap_near(f.fragment[1].semi_axes[2], 1., 1e-14, 0., "a sphere is its own ellipsoid");

  /* speed 1 at a distance of 10 from a mass of 2: bound where G 2/10 > 1/2 */
  struct cairn_ejecta e;
  struct cairn_error error;
  ok(!cairn_fragments_ejecta(&f, &s, 2.6, &e, &error) && e.bound == 1. && e.escaping == 0., "bound by strong gravity");
  ok(!cairn_fragments_ejecta(&f, &s, 2.4, &e, &error) && e.bound == 0. && e.escaping == 1., "escapes from a weak one");
  ok(!cairn_fragments_ejecta(&f, &s, 0., &e, &error) && e.escaping == 1., "and from none");
  ok(e.fastest == 1. && e.deciles[0] == 1. && e.deciles[8] == 1., "with its speed");
  cairn_fragments_fini(&f);
  cairn_state_fini(&s);
}

/* A dimer and ten single spheres of speeds 1 … 10. */
static void test_ejecta(void) {
  struct cairn_state s = spheres(12);
  struct cairn_ejecta e;
  struct cairn_error error;
  for (int i = 0; i < 12; i++) {
    sim_vector(s.position, i, i < 2 ? 2. * i : 10. * i, 0., 0.);
    sim_vector(s.velocity, i, 0., i < 2 ? 0. : i - 1, 0.);
  }
  struct cairn_fragments f = fragments_of(&s);
  cmp_ok(f.n, "==", 11, "eleven fragments");
  ok(!cairn_fragments_ejecta(&f, &s, 0., &e, &error), "ejecta");
  for (int k = 0; k < 9; k++)
    tap_near(e.deciles[k], k + 1., 1e-12, 0., "%d %% of the mass is no faster than %d m/s", 10 * (k + 1), k + 1);
  tap_near(e.fastest, 10., 0., 0., "the fastest");
  cairn_fragments_fini(&f);
  cairn_state_fini(&s);
}

int main(void) {
  plan(NO_PLAN);
  test_two();
  test_ejecta();
  struct cairn_state none = {0};
  struct cairn_fragments f = fragments_of(&none);
  ok(f.n == 0 && f.mass == 0., "no bodies, no fragments");
  cairn_fragments_fini(&f);
  done_testing();
}
