/* A simulation begins with states that it can compute with and ends at the step that makes one it cannot, with the last
 * good state in hand. */
#include "sim.h"

static struct cairn_scenario *one_body(void) {
  return sim_scenario("time: {step: 0.1, end: 10}\n"
                      "materials: [{name: rock, density: 2500}]\n"
                      "interactions: [{between: [rock, rock], stiffness: 1e5}]\n"
                      "bodies: [{single: {position: [0, 0, 0], velocity: [1, 0, 0], radius: 1, material: rock}}]\n");
}

/* The state of the start, complete. */
static void begin(struct cairn_state *state) {
  struct cairn_scenario *scenario = one_body();
  struct cairn_simulation *sim = sim_create(scenario);
  if (cairn_state_copy(state, sim_state(sim), NULL))
    BAIL_OUT("out of memory");
  sim_free(sim, scenario);
}

static int resume(const struct cairn_state *state, struct cairn_error *error) {
  struct cairn_scenario *scenario = one_body();
  struct cairn_simulation *sim = NULL;
  const int status = cairn_simulation_create(scenario, state, &sim, error);
  sim_free(sim, scenario);
  return status;
}

static void test_begin(void) {
  struct cairn_state state = {0};
  struct cairn_error error = {0};
  begin(&state);
  cmp_ok(resume(&state, &error), "==", 0, "a state of a program is gone on from");
  double *const numbers[] = {state.position, state.velocity, state.spin, state.acceleration, state.radius, state.mass};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    const double was = *numbers[k];
    *numbers[k] = 1.7e308;
    cmp_ok(resume(&state, &error), "==", CAIRN_ERR_INPUT, "number %d beyond its bounds: refused", (int)k);
    *numbers[k] = was;
  }
  state.time = 3;
  cmp_ok(resume(&state, &error), "==", CAIRN_ERR_INPUT, "a time that is not that of its step: refused");
  like(error.message, "time is 3 s, but 0 steps", "by name");
  state.time = 0;
  state.n_refreshes = INT64_MAX;
  cmp_ok(resume(&state, &error), "==", CAIRN_ERR_INPUT, "a counter without room: refused");
  cairn_state_fini(&state);
}

/* The spin is at its bound and grows: after the second step it is beyond. */
static void test_retreat(void) {
  struct cairn_state state = {0};
  struct cairn_error error = {0};
  struct cairn_scenario *scenario = one_body();
  struct cairn_simulation *sim = NULL;
  begin(&state);
  state.step = 5;
  state.time = 0.5;
  state.spin[1] = 0.985e80;
  state.angular_acceleration[1] = 2e79; /* no torque holds it: half of a step adds 0.01e80, no more comes */
  if (cairn_simulation_create(scenario, &state, &sim, &error))
    BAIL_OUT("%s", error.message);
  cmp_ok(cairn_simulation_advance(sim, 1, &error), "==", 0, "one step");
  ok(cairn_simulation_capture(sim, &error) != NULL, "with a spin below its bound");
  cairn_simulation_free(sim);
  state.spin[1] = 0.995e80;
  if (cairn_simulation_create(scenario, &state, &sim, &error))
    BAIL_OUT("%s", error.message);
  cmp_ok(cairn_simulation_advance(sim, 1, &error), "==", 0, "one step, with a larger one");
  ok(!cairn_simulation_capture(sim, &error), "there is no state");
  cmp_ok(error.status, "==", CAIRN_ERR_NUMERIC, "a numerical failure");
  like(error.message, "step 6 \\(t = 0.6 s\\): .* body 0 is .* beyond all bounds", "that names step and body");
  cmp_ok(cairn_simulation_step(sim), "==", 5, "the step before is in hand");
  const struct cairn_state *kept = cairn_simulation_capture(sim, &error);
  ok(kept && kept->spin[1] == 0.995e80 && !cairn_state_check(kept, 1, 0, 0, &error), "with a state that is valid");
  cairn_state_fini(&state);
  sim_free(sim, scenario);
}

/* A run has its bodies once: those of the scenario, or of the state it resumes, are moved and give the same bits. */
static void test_adopt(void) {
  struct cairn_error error = {0};
  struct cairn_state state = {0};
  char digest[2][CAIRN_DIGEST_LENGTH + 1];
  for (int resumed = 0; resumed < 2; resumed++) {
    begin(&state);
    for (int adopted = 0; adopted < 2; adopted++) {
      struct cairn_scenario *scenario = one_body();
      struct cairn_simulation *sim = NULL;
      struct cairn_state *from = resumed ? &state : NULL;
      if ((adopted ? cairn_simulation_adopt(scenario, from, NULL, &sim, &error)
                   : cairn_simulation_create(scenario, from, &sim, &error)) ||
          cairn_simulation_advance(sim, 3, &error))
        BAIL_OUT("%s", error.message);
      cairn_state_digest(sim_state(sim), digest[adopted]);
      const struct cairn_state *source = resumed ? &state : &scenario->initial;
      ok(adopted ? source->n == 0 && !source->position : source->n == 1 && source->position, "%s",
         adopted ? "adopted bodies are gone from their source" : "copied ones are still there");
      sim_free(sim, scenario);
    }
    is(digest[1], digest[0], "and the run has the same bits");
    cairn_state_fini(&state);
  }
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_begin();
  test_retreat();
  test_adopt();
  cairn_engine_stop();
  done_testing();
}
