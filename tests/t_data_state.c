/* The state: growing keeps what was there, the check finds every kind of damage, the digest sees every bit. */
#include "contacts.h"
#include "data/state/state_check.h"
#include "tap/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fill_assemblies(struct cairn_state *state) {
  cairn_state_resize_assemblies(state, 2, NULL);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 3; k++) {
      int j = 3 * i + k;
      state->assembly_position[j] = 100 + j;
      state->assembly_velocity[j] = 120 + j;
      state->assembly_spin[j] = 140 + j;
      state->assembly_acceleration[j] = 160 + j;
      state->assembly_angular_acceleration[j] = 180 + j;
    }
    state->assembly_orientation[4 * i + i] = 0.6;
    state->assembly_orientation[4 * i + 3] = 0.8;
  }
}

static void fill(struct cairn_state *state) {
  cairn_state_resize(state, 3, NULL);
  cairn_state_remember(state, CAIRN_CONTACT_REMEMBERS(spring) | CAIRN_CONTACT_REMEMBERS(rest), NULL);
  cairn_state_resize_contacts(state, 2, 2, NULL);
  state->step = 7;
  state->time = 0.25;
  state->skin = 0.125;
  state->refresh_step = 9;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      int j = 3 * i + k;
      state->position[j] = 1 + j;
      state->velocity[j] = 20 + j;
      state->spin[j] = 40 + j;
      state->acceleration[j] = 60 + j;
      state->angular_acceleration[j] = 80 + j;
      state->reference[j] = 90 + j;
      state->gravity[j] = 110 + j;
    }
    state->radius[i] = 0.5 + i;
    state->mass[i] = 10 + i;
    state->material[i] = i % 2;
    state->captor[i] = i == 0 ? 0 : i == 1 ? 2 : -1; /* free, held by wall 1, taken out by wall 0 */
    state->capture_time[i] = 0.125 * i;
    state->capture_place[3 * i] = i;
  }
  const int32_t a[2] = {0, 1}, b[2] = {2, 2}, body[2] = {1, 1}, wall[2] = {0, 1};
  for (int i = 0; i < 2; i++) {
    *pair_of(state, i) = (struct cairn_contact){a[i], b[i], 0, 3};
    *touch_of(state, i) = (struct cairn_contact){body[i], wall[i], 0, 4};
    for (int k = 0; k < 3; k++) {
      PAIR_MEMORY(state, i, spring)[k] = 0.01 * (i + k);
      TOUCH_MEMORY(state, i, spring)[k] = 0.02 * (i + k);
      TOUCH_MEMORY(state, i, normal)[k] = k == i;
    }
    *PAIR_MEMORY(state, i, rest) = -1e-3 * i;
    *TOUCH_MEMORY(state, i, rest) = -2e-3 * i;
  }
  fill_assemblies(state);
}

static void test_resize(void) {
  struct cairn_state state = {0};
  struct cairn_error error;
  fill(&state);
  ok(cairn_state_resize(&state, 5, &error) == 0 && state.n == 5, "grow to 5 bodies");
  ok(state.position[8] == 9 && state.velocity[8] == 28 && state.radius[2] == 2.5 && state.material[1] == 1,
     "the old bodies are kept");
  ok(state.position[9] == 0 && state.spin[14] == 0 && state.mass[4] == 0 && state.material[4] == 0,
     "the new bodies are zero");
  ok(cairn_state_resize(&state, 2, &error) == 0 && state.n == 2 && state.position[5] == 6, "shrink to 2 bodies");
  ok(cairn_state_resize_contacts(&state, 4, 1, &error) == 0 && state.contacts.n == 4 && state.wall_contacts.n == 1,
     "both lists of contacts change");
  ok(pair_of(&state, 1)->b == 2 && pair_of(&state, 3)->age == 0 && touch_of(&state, 0)->b == 0,
     "and keep what they had");
  ok(cairn_state_resize_assemblies(&state, 3, &error) == 0 && state.n_assemblies == 3 &&
         state.assembly_orientation[7] == 0.8 && state.assembly_spin[5] == 145 && state.assembly_orientation[11] == 0,
     "so do assemblies");
  cmp_ok(cairn_state_resize_assemblies(&state, -1, &error), "==", CAIRN_ERR_INPUT, "fewer than none are refused");
  cmp_ok(state.n_assemblies, "==", 3, "and nothing changes");
  cmp_ok(cairn_state_resize(&state, -1, &error), "==", CAIRN_ERR_INPUT, "a negative count is refused");
  cmp_ok(cairn_state_resize(&state, INT64_C(1) << 31, &error), "==", CAIRN_ERR_INPUT, "2^31 bodies are refused");
  like(error.message, "2147483648 bodies: the limit is 2147483647", "with the limit");
  cmp_ok(state.n, "==", 2, "a refusal changes nothing");
  ok(cairn_state_resize(&state, 0, &error) == 0 && state.n == 0, "no bodies");
  ok(cairn_state_resize(&state, 1, &error) == 0 && state.position[0] == 0, "one body again");
  cairn_state_fini(&state);
  ok(state.n == 0 && !state.position && !state.contacts.record && !state.wall_contacts.record && !state.assembly_spin,
     "fini leaves an empty state");
  cairn_state_fini(&state);
  pass("twice is harmless");
}

/* Each damage: what is changed, and what the message must say. */
enum {
  NAN_POSITION,
  INF_SPIN,
  ZERO_RADIUS,
  NEGATIVE_MASS,
  NAN_MASS,
  MATERIAL_RANGE,
  MATERIAL_NEGATIVE,
  CONTACT_RANGE,
  CONTACT_ORDER,
  CONTACT_REPEATED,
  CONTACT_SELF,
  CONTACT_AGE,
  CONTACT_SPRING,
  CONTACT_REST,
  WALL_RANGE,
  WALL_BODY,
  WALL_ORDER,
  WALL_NORMAL,
  CAPTURE_RANGE,
  CAPTURE_NEGATIVE,
  CAPTURE_LOWEST,
  CAPTURE_TIME,
  CAPTURE_PLACE,
  ASSEMBLY_VELOCITY,
  ASSEMBLY_LENGTH,
  ASSEMBLY_NAN,
  ASSEMBLY_COUNT,
  ASSEMBLY_MISSING,
  NEGATIVE_STEP,
  NAN_TIME,
  MISSING_ARRAY,
  N_DAMAGES
};

static const char *const messages[N_DAMAGES] = {[NAN_POSITION] = "body 1: position .* not finite",
                                                [INF_SPIN] = "body 2: spin .* not finite",
                                                [ZERO_RADIUS] = "body 0: radius 0 ",
                                                [NEGATIVE_MASS] = "body 1: mass -1 ",
                                                [NAN_MASS] = "body 1: mass .*nan",
                                                [MATERIAL_RANGE] = "body 2: material 2 ",
                                                [MATERIAL_NEGATIVE] = "body 2: material -1 ",
                                                [CONTACT_RANGE] = "contact 1: .*\\(1, 3\\) is out of range",
                                                [CONTACT_ORDER] = "contact 1: .* out of order",
                                                [CONTACT_REPEATED] = "contact 1: .* more often than allowed, 1",
                                                [CONTACT_SELF] = "contact 1: .*\\(2, 2\\)",
                                                [CONTACT_AGE] = "contact 0: its age is zero",
                                                [CONTACT_SPRING] = "contact 1: its spring, 0.01 …, is not finite",
                                                [CONTACT_REST] = "contact 1: its rest, -?nan",
                                                [WALL_RANGE] = "wall contact 1: .*\\(1, 2\\)",
                                                [WALL_BODY] = "wall contact 0: .*\\(-1, 0\\)",
                                                [WALL_ORDER] = "wall contact 1: .* out of order",
                                                [WALL_NORMAL] = "wall contact 1: its normal, .* not finite",
                                                [CAPTURE_RANGE] = "body 1: its captor 3 .* 2 walls",
                                                [CAPTURE_NEGATIVE] = "body 2: its captor -[0-9]+ .* no body",
                                                [CAPTURE_LOWEST] = "body 2: its captor -2147483648 ",
                                                [CAPTURE_TIME] = "body 1: the time of its capture",
                                                [CAPTURE_PLACE] = "body 1: place on its wall .* not finite",
                                                [ASSEMBLY_VELOCITY] = "assembly 1: velocity .* not finite",
                                                [ASSEMBLY_LENGTH] = "assembly 0: orientation .* length 1",
                                                [ASSEMBLY_NAN] = "assembly 1: orientation .* length 1",
                                                [ASSEMBLY_COUNT] = "1 assemblies where there must be 2",
                                                [ASSEMBLY_MISSING] = "array of the assemblies is missing",
                                                [NEGATIVE_STEP] = "step -1",
                                                [NAN_TIME] = "time .*nan",
                                                [MISSING_ARRAY] = "missing"};

static void damage(struct cairn_state *state, int kind) {
  switch (kind) {
  case NAN_POSITION:
    state->position[3] = (double)NAN;
    break;
  case INF_SPIN:
    state->spin[8] = (double)INFINITY;
    break;
  case ZERO_RADIUS:
    state->radius[0] = 0;
    break;
  case NEGATIVE_MASS:
    state->mass[1] = -1;
    break;
  case NAN_MASS:
    state->mass[1] = (double)NAN;
    break;
  case MATERIAL_RANGE:
    state->material[2] = 2;
    break;
  case MATERIAL_NEGATIVE:
    state->material[2] = -1;
    break;
  case CONTACT_RANGE:
    pair_of(state, 1)->b = 3;
    break;
  case CONTACT_ORDER:
    pair_of(state, 0)->a = 1, pair_of(state, 1)->a = 0;
    break;
  case CONTACT_REPEATED:
    pair_of(state, 1)->a = 0;
    break;
  case CONTACT_SELF:
    pair_of(state, 1)->a = 2;
    break;
  case CONTACT_AGE:
    pair_of(state, 0)->age = 0;
    break;
  case CONTACT_SPRING:
    PAIR_MEMORY(state, 1, spring)[1] = -(double)INFINITY;
    break;
  case CONTACT_REST:
    *PAIR_MEMORY(state, 1, rest) = (double)NAN;
    break;
  case WALL_RANGE:
    touch_of(state, 1)->b = 2;
    break;
  case WALL_BODY:
    touch_of(state, 0)->a = -1;
    break;
  case WALL_ORDER:
    touch_of(state, 0)->b = 1, touch_of(state, 1)->b = 0;
    break;
  case WALL_NORMAL:
    TOUCH_MEMORY(state, 1, normal)[2] = (double)NAN;
    break;
  case CAPTURE_RANGE:
    state->captor[1] = 3;
    break;
  case CAPTURE_NEGATIVE:
    state->captor[2] = -1 - 2 - (int32_t)state->n; /* merged into a body beyond the last */
    break;
  case CAPTURE_LOWEST:
    state->captor[2] = INT32_MIN;
    break;
  case CAPTURE_TIME:
    state->capture_time[1] = (double)INFINITY;
    break;
  case CAPTURE_PLACE:
    state->capture_place[4] = (double)NAN;
    break;
  case ASSEMBLY_VELOCITY:
    state->assembly_velocity[4] = (double)NAN;
    break;
  case ASSEMBLY_LENGTH:
    state->assembly_orientation[3] += 2e-6; /* the length changes by 0.8 times that, and 1e-6 is allowed */
    break;
  case ASSEMBLY_NAN:
    state->assembly_orientation[4] = (double)NAN;
    break;
  case ASSEMBLY_COUNT:
    cairn_state_resize_assemblies(state, 1, NULL);
    break;
  case ASSEMBLY_MISSING:
    free(state->assembly_spin), state->assembly_spin = NULL;
    break;
  case NEGATIVE_STEP:
    state->step = -1;
    break;
  case NAN_TIME:
    state->time = (double)NAN;
    break;
  default:
    free(state->mass), state->mass = NULL;
    break;
  }
}

static void test_check(void) {
  struct cairn_error error;
  struct cairn_state empty = {0};
  cmp_ok(cairn_state_check(&empty, 0, 0, 0, &error), "==", 0, "an empty state is valid");
  struct cairn_state good = {0};
  fill(&good);
  cmp_ok(cairn_state_check(&good, 2, 2, 2, &error), "==", 0, "the example is valid");
  cmp_ok(cairn_state_check(&good, 2, 2, -1, &error), "==", 0, "also where the number of assemblies is not known");
  cmp_ok(cairn_state_check(&good, 2, 1, 2, &error), "==", CAIRN_ERR_INPUT, "but not with one wall only");
  good.assembly_orientation[3] += 1e-6;
  cmp_ok(cairn_state_check(&good, 2, 2, 2, &error), "==", 0, "an orientation may be rounded");
  cairn_state_fini(&good);
  for (int kind = 0; kind < N_DAMAGES; kind++) {
    struct cairn_state state = {0};
    fill(&state);
    damage(&state, kind);
    error.message[0] = '\0';
    cmp_ok(cairn_state_check(&state, 2, 2, 2, &error), "==", CAIRN_ERR_INPUT, "damage %d is found", kind);
    like(error.message, messages[kind], "and named");
    cairn_state_fini(&state);
  }
}

/* Numbers that are finite, but of a size that no run can compute with. */
static void test_limits(void) {
  struct cairn_state state = {0};
  struct cairn_error error;
  int64_t body = -1;
  fill(&state);
  const struct {
    double *number, value;
    const char *message;
  } large[] = {{state.position + 3, -1.7e308, "body 1: position .* too large; allowed: up to 1e\\+25"},
               {state.position + 3, 2e12, "body 1 at .* too far from the origin for its radius 1.5"},
               {state.velocity + 8, 1e81, "body 2: velocity .* too large"},
               {state.spin + 8, 1e155, "body 2: spin .* too large"},
               {state.acceleration, 1e155, "body 0: acceleration .* too large"},
               {state.gravity, 1e155, "body 0: gravity .* too large"},
               {state.reference, 1e155, "body 0: reference .* too large"},
               {state.capture_place + 3, 1e155, "body 1: place on its wall .* too large"},
               {state.capture_time + 1, 1e155, "body 1: the time of its capture, 1e\\+155"},
               {state.radius + 1, 1e300, "body 1: radius 1e\\+300 is out of range"},
               {state.radius + 1, 1e-300, "body 1: radius 1e-300 is out of range"},
               {state.radius + 1, 1e-6, "radii of body 1 .* and body 2 .* factor of 2.5e\\+06; allowed: 1e\\+06"},
               {state.mass + 1, 1e-300, "body 1: mass 1e-300 is out of range"},
               {state.mass + 1, 1e300, "body 1: mass 1e\\+300 is out of range"},
               {PAIR_MEMORY(&state, 1, spring), 1e300, "contact 1: its spring, 1e\\+300 .*too large"},
               {PAIR_MEMORY(&state, 0, rest), -1e300, "contact 0: its rest, -1e\\+300"},
               {TOUCH_MEMORY(&state, 1, spring), 1e300, "wall contact 1: its spring, 1e\\+300"},
               {TOUCH_MEMORY(&state, 1, normal), 1.1, "wall contact 1: its normal, 1.1"},
               {state.assembly_position + 3, 1e155, "assembly 1: position .* too large"},
               {state.assembly_spin + 3, 1e155, "assembly 1: spin .* too large"},
               {&state.time, 1e155, "impossible step 7 or time 1e\\+155"},
               {&state.skin, 1e155, "impossible skin 1e\\+155"},
               {&state.skin, -1, "impossible skin -1"},
               {&state.dissipated_energy, 1e300, "dissipated energy 1e\\+300"}};
  for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
    const double was = *large[k].number;
    *large[k].number = large[k].value;
    cmp_ok(cairn_state_check(&state, 2, 2, 2, &error), "==", CAIRN_ERR_INPUT, "limit %d", (int)k);
    like(error.message, large[k].message, "is named");
    *large[k].number = was;
  }
  int64_t *const counters[] = {&state.step, &state.refresh_step, &state.n_refreshes, &state.n_unsolved};
  for (size_t k = 0; k < sizeof counters / sizeof *counters; k++) {
    const int64_t was = *counters[k];
    *counters[k] = INT64_MAX;
    cmp_ok(cairn_state_check(&state, 2, 2, 2, &error), "==", CAIRN_ERR_INPUT, "counter %d has no room", (int)k);
    *counters[k] = was;
  }
  pair_of(&state, 1)->age = UINT32_MAX;
  cmp_ok(cairn_state_check(&state, 2, 2, 2, &error), "==", CAIRN_ERR_INPUT, "an age that no contact reaches");
  pair_of(&state, 1)->age = INT32_MAX;
  cmp_ok(cairn_state_check(&state, 2, 2, 2, &error), "==", 0, "the largest one is valid");
  state.mass[2] = 0;
  cmp_ok(cairn_state_check_bodies(&state, &(struct cairn_state_stretch){0, state.n}, 2, 2, &body, &error),
         "==", CAIRN_ERR_INPUT, "a body alone");
  cmp_ok(body, "==", 2, "is pointed at");
  cmp_ok(cairn_state_check_step(&state, 0.25 / 7, &error), "==", 0, "7 steps of 1/28 s");
  cmp_ok(cairn_state_check_step(&state, 0.25, &error), "==", CAIRN_ERR_INPUT, "are not 7 steps of 1/4 s");
  cmp_ok(cairn_state_check_step(&state, 1e-300, &error), "==", CAIRN_ERR_INPUT, "nor of hardly anything");
  cmp_ok(cairn_state_check_step(&state, (double)NAN, &error), "==", CAIRN_ERR_INPUT, "nor of no number");
  cairn_state_fini(&state);
}

/* A body that lies in the corner of a mesh touches it at several places. */
static void test_touches(void) {
  struct cairn_state state = {0};
  struct cairn_error error;
  fill(&state);
  cairn_state_resize_contacts(&state, 2, 6, NULL);
  for (int i = 0; i < 6; i++) {
    *touch_of(&state, i) = (struct cairn_contact){i < 5 ? 1 : 2, i > 0, i > 0 && i < 5 ? (uint32_t)i - 1 : 0, 1};
  }
  cmp_ok(cairn_state_check(&state, 2, 2, 2, &error), "==", 0, "four touches of one body and one wall are valid");
  touch_of(&state, 2)->feature = 3;
  cmp_ok(cairn_state_check(&state, 2, 2, 2, &error), "==", CAIRN_ERR_INPUT, "features are counted");
  like(error.message, "wall contact 2: the feature of the pair \\(1, 1\\) is 3 instead of 1", "without a gap");
  for (int i = 0; i < 5; i++)
    *touch_of(&state, i) = (struct cairn_contact){1, 1, (uint32_t)i, 1};
  cmp_ok(cairn_state_check(&state, 2, 2, 2, &error), "==", CAIRN_ERR_INPUT, "five are not");
  like(error.message, "wall contact 4: the pair \\(1, 1\\) comes more often than allowed, 4", "and are named");
  cairn_state_fini(&state);
}

static void test_copy(void) {
  struct cairn_state from = {0}, to = {0};
  struct cairn_error error;
  char a[CAIRN_DIGEST_LENGTH + 1], b[CAIRN_DIGEST_LENGTH + 1];
  fill(&from);
  cairn_state_resize_assemblies(&to, 5, NULL);
  ok(!cairn_state_copy(&to, &from, &error) && to.n_assemblies == 2 && to.captor[1] == 2, "copy over what was there");
  cairn_state_digest(&from, a);
  cairn_state_digest(&to, b);
  is(b, a, "a copy has the digest of the original");
  to.assembly_position[0]++;
  cairn_state_digest(&from, b);
  is(b, a, "and lives on its own");
  cairn_state_fini(&from);
  cairn_state_fini(&to);
}

static int differs(const struct cairn_state *state, const char *reference) {
  char digest[CAIRN_DIGEST_LENGTH + 1];
  cairn_state_digest(state, digest);
  return strcmp(digest, reference) != 0;
}

/* Flip the lowest bit of every byte of an array: each flip must show. */
static int flips_seen(struct cairn_state *state, void *array, size_t bytes, const char *reference) {
  unsigned char *byte = array;
  for (size_t i = 0; i < bytes; i++) {
    byte[i] ^= 1;
    int seen = differs(state, reference);
    byte[i] ^= 1;
    if (!seen)
      return 0;
  }
  return 1;
}

static void test_digest(void) {
  struct cairn_state state = {0};
  char reference[CAIRN_DIGEST_LENGTH + 1], digest[CAIRN_DIGEST_LENGTH + 1];
  fill(&state);
  cairn_state_digest(&state, reference);
  like(reference, "^[0-9a-f]{32}$", "32 lower-case hexadecimal digits");
  is(reference, "b542c9eaa50285a4ddc93b33eea3d4e6", "a digest is the same on every machine and in every build");
  const struct {
    const char *name;
    void *array;
    size_t bytes;
  } arrays[] = {{"step", &state.step, 8},
                {"time", &state.time, 8},
                {"skin", &state.skin, 8},
                {"refresh step", &state.refresh_step, 8},
                {"position", state.position, 72},
                {"velocity", state.velocity, 72},
                {"spin", state.spin, 72},
                {"acceleration", state.acceleration, 72},
                {"angular acceleration", state.angular_acceleration, 72},
                {"reference", state.reference, 72},
                {"gravity", state.gravity, 72},
                {"radius", state.radius, 24},
                {"mass", state.mass, 24},
                {"material", state.material, 12},
                {"captor", state.captor, 12},
                {"capture time", state.capture_time, 24},
                {"capture place", state.capture_place, 72},
                {"contacts", state.contacts.record, 2 * state.contacts.size},
                {"wall contacts", state.wall_contacts.record, 2 * state.wall_contacts.size},
                {"assembly position", state.assembly_position, 48},
                {"assembly orientation", state.assembly_orientation, 64},
                {"assembly velocity", state.assembly_velocity, 48},
                {"assembly spin", state.assembly_spin, 48},
                {"assembly acceleration", state.assembly_acceleration, 48},
                {"assembly angular acceleration", state.assembly_angular_acceleration, 48}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ok(flips_seen(&state, arrays[i].array, arrays[i].bytes, reference), "every byte of %s counts", arrays[i].name);
  ok(!differs(&state, reference), "the same state has the same digest");
  state.contacts.n--;
  ok(differs(&state, reference), "so does the number of contacts");
  state.contacts.n++;
  state.wall_contacts.n = 0;
  ok(differs(&state, reference), "and of wall contacts");
  state.wall_contacts.n = 2;
  state.n_assemblies = 1;
  ok(differs(&state, reference), "and of assemblies");
  cairn_state_fini(&state);
  cairn_state_digest(&state, digest);
  like(digest, "^[0-9a-f]{32}$", "an empty state has a digest");
}

int main(void) {
  plan(NO_PLAN);
  test_resize();
  test_check();
  test_limits();
  test_touches();
  test_copy();
  test_digest();
  done_testing();
}
