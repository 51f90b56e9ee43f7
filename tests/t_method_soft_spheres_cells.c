/* Soft spheres with `cells.bodies: auto` try some sizes of cells while they run: the same bits as with any fixed size,
 * and the fastest one stays. */
#include "sim.h"

#include "data/state/state.h"
#include "solvers/simulation/simulation_parts.h"

enum { STEPS = 300 };

static struct cairn_scenario *column(const char *cells) {
  return sim_scenario("time: {step: 1e-4, end: 10}\nseed: 4\ngravity: {uniform: [0, 0, -9.81]}\n"
                      "materials: [{name: a, density: 2500}]\n"
                      "interactions: [{between: [a, a], stiffness: 1e5, restitution: 0.5, rolling_friction: 0.1}]\n"
                      "bodies: [{lattice: {origin: [0, 0, 0.05], counts: [20, 20, 20], spacing: 0.098, jitter: 0.002,\n"
                      "                    radius: 0.05, material: a}}]\n"
                      "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n"
                      "overlap: {limit: 1, initial: 0.5}\ncells: {bodies: %s}\n",
                      cells);
}

static void digest_of(struct cairn_simulation *sim, char *digest) {
  sim_advance(sim, STEPS - cairn_simulation_step(sim));
  cairn_state_digest(sim_state(sim), digest);
}

static void test_auto(const char *want) {
  char digest[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_scenario *s = column("auto");
  struct cairn_simulation *sim = sim_create(s);
  const struct cairn_cell_trial *trial = &sim->cell_trial;
  const int64_t first = sim->cell_bodies;
  ok(trial->active && trial->n > 1, "%d sizes are to be tried", trial->n);
  while (trial->active && cairn_simulation_step(sim) < STEPS)
    sim_advance(sim, 20);
  ok(!trial->active, "after %lld steps they have been", (long long)cairn_simulation_step(sim));
  int best = 0;
  for (int k = 0; k < trial->n; k++) {
    note("%lld bodies in a cell: %.3g ms", (long long)trial->size[k], 1e3 * trial->each[k]);
    ok(isfinite(trial->each[k]), "size %d was timed", k);
    best = trial->each[k] < (best == 0 ? CAIRN_CELL_GAIN : 1.) * trial->each[best] ? k : best;
  }
  ok(trial->size[0] == first, "the first one is the choice from the machine");
  ok(sim->cell_bodies == trial->size[best], "the fastest stays");
  digest_of(sim, digest);
  is(digest, want, "the bits are those of fixed cells");
  sim_free(sim, s);
}

int main(void) {
  char want[CAIRN_DIGEST_LENGTH + 1];
  plan(NO_PLAN);
  sim_start(2);
  struct cairn_scenario *s = column("2500");
  struct cairn_simulation *sim = sim_create(s);
  ok(!sim->cell_trial.active, "a size that is given is not tried");
  digest_of(sim, want);
  sim_free(sim, s);
  test_auto(want);
  s = column("2500");
  sim_resize(s, 3000);
  s->cells_bodies = 0;
  sim = sim_create(s);
  ok(!sim->cell_trial.active, "small systems have nothing to try");
  sim_free(sim, s);
  cairn_engine_stop();
  done_testing();
}
