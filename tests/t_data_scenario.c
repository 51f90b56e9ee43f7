/* Scenarios: every value arrives where it belongs, every mistake is named with its place, and the effective
 * parameters are complete and lead back to the same scenario. */
#include "data/scenario/scenario.h"
#include "data/schema/schema.h"
#include "data/schema/yaml.h"
#include "tap/tap.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cairn_error error;

static struct cairn_scenario *parse(const char *text, const char *set) {
  struct cairn_scenario *scenario = NULL;
  error.message[0] = '\0';
  int status = cairn_scenario_parse(text, strlen(text), "dir/s.yaml", set != NULL, &set, 0, &scenario, &error);
  if ((status == CAIRN_OK) != (scenario != NULL))
    BAIL_OUT("status and result disagree");
  return scenario;
}

static const char minimal[] = "time: {end: 3}\n"
                              "materials:\n"
                              "  - {name: rock, density: 2500}\n"
                              "interactions:\n"
                              "  - between: [rock, rock]\n"
                              "bodies:\n"
                              "  - single: {position: [0, 0, 1], radius: 0.5, material: rock}\n"
                              "  - single: {position: [0, 0, 3], radius: 0.5, material: rock}\n"
                              "walls:\n"
                              "  - plane: {normal: [0, 0, 4], material: rock}\n";

static void test_defaults(void) {
  struct cairn_scenario *s = parse(minimal, NULL);
  if (!ok(s != NULL, "a minimal scenario"))
    BAIL_OUT("%s", error.message);
  is(s->file, "dir/s.yaml", "file");
  is(s->title, "s", "title is the stem of the file");
  is(s->output_name, "s", "so is the name of the output");
  is(s->text, minimal, "text");
  cmp_ok(s->method, "==", CAIRN_METHOD_soft_spheres, "method");
  cmp_ok(s->seed, "==", 1, "seed");
  ok(s->time_step == 0 && s->time_end == 3, "time");
  ok(s->gravity[0] == 0 && s->gravity[1] == 0 && s->gravity[2] == 0, "no gravity");
  const struct cairn_interaction *pair = s->interactions;
  ok(pair->law[CAIRN_LAW_hooke_stiffness] == 0 && pair->law[CAIRN_LAW_hooke_tangential_stiffness] == 0,
     "stiffness is auto");
  ok(pair->restitution == 0.5 && pair->law[CAIRN_LAW_hooke_tangential_restitution] == 0 && pair->friction == 0.5 &&
         pair->slip == 1 && pair->rolling_friction == 0 && pair->twisting_friction == 0,
     "the other numbers of a pair");
  cmp_ok(s->interaction_entry[0], "==", 0, "its entry");
  ok(s->walls[0].shape[6] == 1 && s->walls[0].reference[0] == 0 && s->walls[0].material == 0,
     "a wall, its normal of length one");
  is(s->walls[0].name, "wall 0", "its name");
  ok(s->n_assemblies == 1 && s->assemblies[0].rules.kind == CAIRN_ASSEMBLY_FIXED, "it is an assembly of its own");
  ok(s->world_lower[0] == (double)-INFINITY && s->world_upper[2] == (double)INFINITY, "the world has no end");
  ok(s->cells_bodies == 0 && s->cells_skin == 0, "cells are auto");
  tap_near(s->output_frames, 0.03, 0, 1e-15, "a hundred frames");
  tap_near(s->output_series, 0.006, 0, 1e-15, "five hundred rows");
  ok(s->output_checkpoint == 600 && s->overlap_limit == 0.01, "checkpoint and overlap limit");
  ok(s->initial.n == 2 && s->initial.step == 0 && s->initial.time == 0 && s->initial.contacts.n == 0, "the bodies");
  cairn_scenario_free(s);
}

static void test_values(const char *source) {
  char path[4096];
  struct cairn_scenario *s = NULL;
  snprintf(path, sizeof path, "%s/tests/seeds/scenario/full.yaml", source);
  cmp_ok(cairn_scenario_load(path, 0, NULL, 0, &s, &error), "==", 0, "a scenario that uses every key");
  if (!s)
    BAIL_OUT("%s", error.message);
  is(s->title, "every key: ünïcode", "title");
  ok(s->seed == 7 && s->time_step == 1e-4 && s->time_end == 2 && s->gravity[2] == -9.81, "seed, time, gravity");
  ok(s->self_gravity && s->self_accuracy == 1e-2 && s->self_order == 3 && s->self_refresh == 5, "self-gravity");
  const struct cairn_external *e = &s->external.start;
  ok(e->has_central && e->parameter == 6. && e->at[0] == 100. && !s->external.falls,
     "a mass, with the constant of gravity");
  ok(e->rotates && e->spin[2] == 0.5 && e->pivot[1] == 2., "a frame");
  const struct cairn_spin_up *up = s->spin_ups;
  ok(s->n_spin_ups == 2 && !up->is_torque && up->amount[1] == 0.1 && up->from == 0.5 && up->every == 0.25 &&
         up->until == 1.5 && up[1].is_torque && up[1].amount[2] == 3. && up[1].until == 0.2,
     "spin-up");
  cmp_ok(s->n_materials, "==", 2, "two materials");
  ok(strcmp(s->materials[1].name, "ice") == 0 && s->materials[1].density == 917, "the second one");
  const struct cairn_interaction *pair = &s->interactions[0];
  ok(pair->law[CAIRN_LAW_hooke_stiffness] == 1e5 && pair->law[CAIRN_LAW_hooke_tangential_stiffness] == 0 &&
         pair->restitution == 0.5 && pair->law[CAIRN_LAW_hooke_tangential_restitution] == 0.9 &&
         pair->friction == 0.5 && pair->slip == 0.1 && pair->rolling_friction == 0.01 &&
         pair->twisting_friction == 0.02,
     "all numbers of a pair");
  ok(s->interactions[1].restitution == 1 && s->interactions[2].restitution == 1 && s->interaction_entry[2] == 1 &&
         s->interaction_entry[3] == 2,
     "pairs are symmetric");
  is(s->walls[0].name, "floor", "wall");
  ok(s->cells_bodies == 128 && s->cells_skin == 0.01, "cells");
  is(s->output_name, "out/full", "output name");
  ok(s->output_frames == 0.1 && s->output_series == 0.01 && s->output_checkpoint == 60 && s->overlap_limit == 0.02,
     "output");
  cmp_ok(s->initial.n, "==", 93, "all bodies");
  cairn_scenario_free(s);
}

static int same_scenario(const struct cairn_scenario *a, const struct cairn_scenario *b) {
  char digest_a[CAIRN_DIGEST_LENGTH + 1], digest_b[CAIRN_DIGEST_LENGTH + 1];
  cairn_state_digest(&a->initial, digest_a);
  cairn_state_digest(&b->initial, digest_b);
  int same = strcmp(digest_a, digest_b) == 0 && strcmp(a->title, b->title) == 0 && a->method == b->method &&
             a->seed == b->seed && a->time_step == b->time_step && a->time_end == b->time_end &&
             memcmp(a->gravity, b->gravity, sizeof a->gravity) == 0 &&
             memcmp(&a->external, &b->external, sizeof a->external) == 0 && a->n_spin_ups == b->n_spin_ups &&
             memcmp(a->spin_ups, b->spin_ups, (size_t)a->n_spin_ups * sizeof *a->spin_ups) == 0 &&
             a->n_materials == b->n_materials && a->n_walls == b->n_walls && a->cells_bodies == b->cells_bodies &&
             a->cells_skin == b->cells_skin && strcmp(a->output_name, b->output_name) == 0 &&
             a->output_frames == b->output_frames && a->output_series == b->output_series &&
             a->output_checkpoint == b->output_checkpoint && a->overlap_limit == b->overlap_limit &&
             memcmp(a->world_lower, b->world_lower, sizeof a->world_lower) == 0 &&
             memcmp(a->world_upper, b->world_upper, sizeof a->world_upper) == 0;
  size_t pairs = (size_t)(a->n_materials * a->n_materials);
  same = same && memcmp(a->interactions, b->interactions, pairs * sizeof *a->interactions) == 0 &&
         memcmp(a->interaction_entry, b->interaction_entry, pairs * sizeof *a->interaction_entry) == 0;
  for (int i = 0; same && i < a->n_materials; i++)
    same =
        strcmp(a->materials[i].name, b->materials[i].name) == 0 && a->materials[i].density == b->materials[i].density;
  cairn_walls_digest(a, digest_a);
  cairn_walls_digest(b, digest_b);
  return same && strcmp(digest_a, digest_b) == 0;
}

/* Written out, read from another folder, and equal. */
static void round_trip(const struct cairn_scenario *s, const char *name) {
  struct cairn_scenario *again = NULL;
  char *text = cairn_scenario_effective(s);
  int status = cairn_scenario_parse(text, strlen(text), "elsewhere/other.yaml", 0, NULL, 0, &again, &error);
  if (!ok(status == 0 && same_scenario(s, again), "%s: the effective parameters give the same scenario", name))
    diag("%s\n%s", status ? error.message : "", text);
  char *text_again = again ? cairn_scenario_effective(again) : NULL;
  is(text_again, text, "%s: and the same effective parameters", name);
  free(text);
  free(text_again);
  cairn_scenario_free(again);
}

static void test_effective(const char *source) {
  static const char *const keys[] = {"title",
                                     "seed",
                                     "time.step",
                                     "gravity.uniform",
                                     "interactions.0.friction",
                                     "bodies.1.single.spin",
                                     "walls.0.plane.name",
                                     "overlap.initial",
                                     "cells.skin",
                                     "output.checkpoint"};
  struct cairn_scenario *s = parse(minimal, NULL);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    ok(cairn_yaml_find(s->tree, keys[i]) != NULL, "the tree has %s filled in", keys[i]);
  round_trip(s, "minimal");
  ok(cairn_scenario_resolve(s, "time.step", 1. / 3, &error) == 0 &&
         cairn_scenario_resolve(s, "interactions.0.stiffness", 12345.678, &error) == 0 &&
         cairn_scenario_resolve(s, "cells.bodies", 4096, &error) == 0,
     "numbers chosen by the program");
  s->time_step = 1. / 3;
  s->interactions[0].law[CAIRN_LAW_hooke_stiffness] = 12345.678;
  s->cells_bodies = 4096;
  round_trip(s, "resolved");
  cmp_ok(cairn_scenario_resolve(s, "time.stop", 1, &error), "==", CAIRN_ERR_INPUT, "no such key");
  cmp_ok(cairn_scenario_resolve(s, "time", 1, &error), "==", CAIRN_ERR_INPUT, "not a single value");
  cmp_ok(cairn_scenario_resolve(s, "time.step", (double)NAN, &error), "==", CAIRN_ERR_INPUT, "not a number");
  cairn_scenario_free(s);

  char path[4096];
  snprintf(path, sizeof path, "%s/tests/seeds/scenario/full.yaml", source);
  if (cairn_scenario_load(path, 0, NULL, 0, &s, &error) == 0)
    round_trip(s, "every key");
  cairn_scenario_free(s);

  /* A table named relative to its scenario is still found from the effective parameters. */
  mkdir("sub", 0755);
  FILE *file = fopen("sub/bed.txt", "w");
  fputs("0 0 1 0.5\n0 0 3 0.5\n", file);
  fclose(file);
  file = fopen("sub/s.yaml", "w");
  fprintf(file, "time: {end: 1}\nmaterials: [{name: rock, density: 1}]\ninteractions: [{between: [rock, rock]}]\n"
                "bodies: [{table: {file: bed.txt, material: rock}}]\n");
  fclose(file);
  s = NULL;
  cmp_ok(cairn_scenario_load("sub/s.yaml", 0, NULL, 0, &s, &error), "==", 0, "a table beside the scenario");
  if (!s)
    BAIL_OUT("%s", error.message);
  round_trip(s, "table");
  cairn_scenario_free(s);
  remove("sub/bed.txt");
  remove("sub/s.yaml");
  remove("sub");
}

static void test_overrides(void) {
  static const char *const set[] = {"time.end=5",
                                    "gravity.uniform=[0, 0, -1]",
                                    "bodies.0.single.radius=0.25",
                                    "seed=9",
                                    "walls.1={plane: {normal: [0, 0, -1], point: [0, 0, 9], material: rock}}",
                                    "world.lower=[-1, -2, -3]",
                                    "title=two words"};
  struct cairn_scenario *s = NULL;
  cairn_scenario_parse(minimal, strlen(minimal), "s.yaml", 7, set, 0, &s, &error);
  if (!ok(s != NULL, "seven overrides"))
    BAIL_OUT("%s", error.message);
  ok(s->time_end == 5 && s->gravity[2] == -1 && s->initial.radius[0] == 0.25 && s->seed == 9 && s->n_walls == 2,
     "all of them are in force");
  ok(s->world_lower[2] == -3 && s->world_upper[2] == (double)INFINITY, "the world ends below alone");
  is(s->title, "two words", "text without quotes");
  round_trip(s, "overridden");
  cairn_scenario_free(s);
}

/* Each mistake: an override of the minimal scenario, or with "\n" in it text appended to it, and the message. */
static const struct {
  const char *mistake, *pattern;
} mistakes[] = {
    {"time.end=abc", "^--set time.end=abc: found abc; allowed: number, ≥ 1e-50 and ≤ 1e\\+50, in s$"},
    {"time.end=0", "^--set time.end=0: found 0; allowed: number, ≥ 1e-50 and ≤ 1e\\+50, in s$"},
    {"time.end='2'", "found the text \"2\"; allowed: number"},
    {"time.end=.nan", "found .nan, which is not a finite number"},
    {"time.end=1e999", "found 1e999, which is not a finite number"},
    {"time.end=[1]", "found a list of 1; allowed: number"},
    {"time.end={}", "found a map; allowed: number"},
    {"time.end=", "found nothing; allowed: number"},
    {"time.step=4", "^--set time.step=4: found 4 s; allowed: at most time.end = 3 s"},
    {"time.step=1e-300", "makes 3e\\+300 steps up to time.end; allowed: at most 9e\\+15"},
    {"time.step=Auto", "found Auto; allowed: number or auto, > 0, in s"},
    {"time.ennd=3", "^--set time.ennd=3: unknown key; did you mean end\\? Allowed: step, end$"},
    {"tiem.end=3",
     "^--set tiem.end=3: tiem: unknown key; did you mean time\\? Allowed: title, method, law, rolling_law, seed, time"},
    {"xyzzy=3", "unknown key; allowed: title, method"},
    {"method=hard", "found hard; allowed: word: soft_spheres"},
    {"seed=-1", "found -1; allowed: integer, ≥ 0"},
    {"seed=1.5", "found 1.5; allowed: integer"},
    {"seed=99999999999999999999", "allowed: integer"},
    {"title=''", "found a text of 0 bytes"},
    {"title=\"a\\nb\"", "control character \\(code 10\\)"},
    {"gravity.uniform=[0, 0]", "found a list of 2; allowed: list of 3 numbers, in m/s²"},
    {"gravity.uniform=[0, 0, x]", "gravity.uniform.2: found x; allowed"},
    {"gravity.uniform=9.81", "found 9.81; allowed: list of 3 numbers"},
    {"gravity=[]", "found a list of 0; allowed: map with the keys uniform, self, central"},
    {"gravity.self=3", "found 3; allowed: map with the keys accuracy, "},
    {"materials=5", "found 5; allowed: list of maps with the keys name, density, young_modulus, poisson_ratio$"},
    {"gravity.self.accuracy=0", "found 0; allowed: number, > 0 and ≤ 0.1"},
    {"gravity.self.accuracy=-0.001", "found -0.001; allowed: number, > 0 and ≤ 0.1"},
    {"gravity.self.accuracy=0.11", "found 0.11; allowed: number, > 0 and ≤ 0.1"},
    {"gravity.self.accuracy=.nan", "found .nan, which is not a finite number; allowed: number, > 0 and ≤ 0.1"},
    {"gravity.self.order=0", "found 0; allowed: integer or auto, ≥ 1 and ≤ 5"},
    {"gravity.self.order=6", "found 6; allowed: integer or auto, ≥ 1 and ≤ 5"},
    {"gravity.self.order=2.5", "found 2.5; allowed: integer or auto"},
    {"gravity.self.refresh=0", "found 0; allowed: integer or auto, ≥ 1"},
    {"gravity.self.refresh=-1", "found -1; allowed: integer or auto, ≥ 1"},
    {"gravity.self.constant=0", "found 0; allowed: number, > 0, in m³/\\(kg s²\\)"},
    {"gravity.self.constant=-1", "found -1; allowed: number, > 0"},
    {"gravity.self.constant=.inf", "found .inf, which is not a finite number; allowed: number, > 0"},
    {"gravity.central={mass: 0, position: [9, 0, 0]}", "mass: found 0; allowed: number, > 0, in kg"},
    {"gravity.central={mass: 1}", "the key position is missing"},
    {"gravity.central={mass: 1, position: [0, 0, 1.2]}", "position: is inside of body 0; needed: a place outside"},
    {"gravity.central={mass: 1, position: [9, 0, 0], velocity: [-1, 0, 0]}",
     "velocity: leads the mass to 0 m from the origin, and body 0 is 1.5 m from it; needed: an orbit that passes"},
    {"gravity.central={mass: 1, position: [9, 0, 0], velocity: [0, 0, .nan]}", "velocity.2: found .nan, which is not"},
    {"frame={}", "the key spin is missing"},
    {"frame={spin: 1}", "spin: found 1; allowed: list of 3 numbers, in rad/s"},
    {"frame: {spin: [0, 0, 1]}\ngravity: {central: {mass: 1, position: [9, 0, 0], velocity: [0, 1, 0]}}\n",
     "frame: the frame cannot turn and fall past gravity.central at once"},
    {"frame: {spin: [0, 0, 1]}\nassemblies: [{name: lid, center: [0, 0, 9], mass: 1, free: [z], walls: [{plane: "
     "{normal: [0, 0, -1], "
     "point: "
     "[0, 0, 9], material: rock}}]}]\n",
     "frame: acts on bodies, but not on walls that are free to move, and lid is"},
    {"spin_up.0={}", "found an empty map; allowed: one of increments, torque"},
    {"spin_up.0={increments: {every: 1}}", "the key spin is missing"},
    {"spin_up.0={increments: {spin: [0, 0, 1], every: 0}}", "every: found 0; allowed: number, > 0, in s"},
    {"spin_up.0={increments: {spin: [0, 0, 1], from: 2, until: 2}}", "until: found 2 s; allowed: after from = 2 s"},
    {"spin_up.0={torque: {moment: [0, 0]}}", "moment: found a list of 2; allowed: list of 3 numbers, in N m"},
    {"spin_up.0={torque: {moment: [0, 0, 1], every: 3}}", "every: unknown key"},
    {"materials=[]", "found an empty list; allowed: at least one entry"},
    {"materials.0.density=-1", "found -1; allowed: number, > 0, in kg/m³"},
    {"materials.1=5", "found 5; allowed: a map with the keys name, density"},
    {"materials.1={name: rock, density: 1}", "materials.1.name: found rock, the name of materials.0"},
    {"materials.1={name: ice}", "ice}: the key density is missing \\(number, > 0, in kg/m³\\)"},
    {"interactions.0.restitution=1.5", "found 1.5; allowed: number, ≥ 0 and ≤ 1"},
    {"interactions.0.restitution=-0.1", "found -0.1; allowed: number, ≥ 0 and ≤ 1"},
    {"interactions.0.between=[rock]", "found a list of 1; allowed: list of 2 texts"},
    {"interactions.0.between=[rock, rokc]", "between.1: found rokc, which is not in materials \\(did you mean rock"},
    {"interactions.1={between: [rock, rock]}", "interactions.1.between: found the pair of interactions.0 again"},
    {"interactions=[]", "no entry between \\[rock, rock\\], which meet"},
    {"interactions.0.slip=2", "found 2; allowed: number, ≥ 0 and ≤ 1"},
    {"interactions.0.friction=-0.1", "found -0.1; allowed: number, ≥ 0"},
    {"interactions.0.rolling_length=-1", "found -1; allowed: number, ≥ 0, in m"},
    {"interactions.0.twisting_length=-1", "found -1; allowed: number, ≥ 0, in m"},
    {"interactions.0.cohesion=-1", "found -1; allowed: number, ≥ 0, in N"},
    {"interactions.0.cohesion_range=-1", "found -1; allowed: number, ≥ 0, in m"},
    {"interactions.0.cohesion_energy=-1", "found -1; allowed: number, ≥ 0, in J"},
    {"interactions.0.work_of_adhesion=-1", "found -1; allowed: number, ≥ 0, in J/m²"},
    {"interactions.0.hamaker_constant=-1", "found -1; allowed: number, ≥ 0, in J"},
    {"interactions.0.hamaker_separation=1", "found 1 m without a force; needed: hamaker_constant greater than 0"},
    {"interactions.0.hamaker_constant=1", "found 1 J without a smallest gap; needed: hamaker_separation greater"},
    {"interactions.0.cohesion_energy=1", "cohesion_energy=1: found 1; allowed with `method: soft_spheres`: 0"},
    {"interactions.0.rolling_length=1", "found 1; allowed with `method: soft_spheres`: 0"},
    {"interactions.0.twisting_length=1", "found 1; allowed with `method: soft_spheres`: 0"},
    {"interactions.0.tangential_rebound=1", "found 1; allowed with `method: soft_spheres`: 0"},
    {"interactions.0.tangential_rebound=1.5", "found 1.5; allowed: number, ≥ 0 and ≤ 1"},
    {"materials.0.density=0", "found 0; allowed: number, > 0, in kg/m³"},
    {"solver.tolerance=0", "found 0; allowed: number, > 0 and < 1"},
    {"solver.tolerance=1", "found 1; allowed: number, > 0 and < 1"},
    {"solver.sweeps=0", "found 0; allowed: integer, ≥ 1"},
    {"solver.theta=0.4", "found 0.4; allowed: number, ≥ 0.5 and ≤ 1"},
    {"solver.theta=1.1", "found 1.1; allowed: number, ≥ 0.5 and ≤ 1"},
    {"solver.patience=-1", "found -1; allowed: integer, ≥ 0"},
    {"solver.gaps=open", "found open; allowed: word: closing, touching"},
    {"solver: {theta: 2}\n", "^dir/s.yaml:11:17: solver.theta: found 2; allowed: number, ≥ 0.5 and ≤ 1$"},
    {"solver: {kind: nsgs, tolerance: 0}\n", "^dir/s.yaml:11:33: solver.tolerance: found 0; allowed: number, > 0"},
    {"bodies.0.single.radius=0", "found 0; allowed: number, > 0, in m"},
    {"bodies.0.single.radius=-1", "found -1; allowed: number, > 0, in m"},
    {"bodies.0.single.position=[0, 0, .inf]", "position.2: found .inf, which is not a finite number"},
    {"bodies.0.cloud={}", "cloud=\\{\\}: found a second key after single; allowed: exactly one of single, lattice"},
    {"bodies.0={singel: {}}",
     "unknown key; did you mean single\\? Allowed: single, lattice, cloud, packing, table, run"},
    {"bodies.0={}", "found an empty map; allowed: one of single"},
    {"bodies=5", "found 5; allowed: list of maps with one of single, lattice"},
    {"bodies.0={lattice: {counts: [1, 1, 0], spacing: 1, radius: 1, material: rock}}", "counts.2: found 0; allowed"},
    {"bodies.0={lattice: {counts: [1, 1, 1], spacing: -1, radius: 1, material: rock}}", "spacing: found -1; allowed"},
    {"bodies.0={cloud: {count: 1, in: {cube: {}}, radius: 1, material: rock}}", "in.cube: unknown key; allowed: box"},
    {"bodies.0={cloud: {count: 1, in: {sphere: {radius: 1}}, radius: {uniform: 1}, material: rock}}",
     "radius.uniform: found 1; allowed: list of 2 numbers, > 0, in m"},
    {"bodies.0={cloud: {count: 1, in: {sphere: {radius: 1}}, radius: big, material: rock}}",
     "radius: found big; allowed: number or map with one of constant, uniform, uniform_volume, normal, power_law"},
    {"walls.0.plane.normal=[0, 0, 0]", "found \\[0, 0, 0\\]; allowed: any other vector"},
    {"walls.1={plane: {name: wall 0, normal: [0, 0, 1], material: rock}}", "found wall 0, the name of walls.0"},
    {"world={lower: [0, 0, 0], upper: [1, 0, 1]}", "found 0, not above lower = 0, along y; allowed: upper > lower"},
    {"world={lower: [0, 0, .inf]}", "lower.2: found .inf, which is not a finite number"},
    {"overlap.limit=0", "found 0; allowed: number, > 0 and ≤ 1"},
    {"cells.bodies=0", "found 0; allowed: integer or auto, ≥ 1"},
    {"cells.skin=0", "found 0; allowed: number or auto, > 0, in m"},
    {"output.name=out/", "found the name of a folder"},
    {"output.frames=-1", "found -1; allowed: number or auto, ≥ 0, in s"},
    {"gravity: 3\n", "^dir/s.yaml:11:10: gravity: found 3; allowed: map with the keys uniform, self, central$"},
    {"gravity:\n  unifrom: [0, 0, 0]\n", "^dir/s.yaml:12:3: gravity.unifrom: unknown key; did you mean uniform\\?"},
    {"time: {end: 4}\n", "^dir/s.yaml:11:1: duplicate key \"time\", first given in line 1$"},
    {"output: {frames: [\n", "^dir/s.yaml:[0-9]+:[0-9]+: not valid YAML"},
};

static void test_mistakes(void) {
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    char text[4096];
    int appended = strchr(mistakes[i].mistake, '\n') != NULL;
    snprintf(text, sizeof text, "%s%s", minimal, appended ? mistakes[i].mistake : "");
    struct cairn_scenario *s = parse(text, appended ? NULL : mistakes[i].mistake);
    ok(!s && error.status == CAIRN_ERR_INPUT, "refused: %.60s", appended ? "appended" : mistakes[i].mistake);
    like(error.message, mistakes[i].pattern, "and explained");
    cairn_scenario_free(s);
  }
  ok(!parse("materials: []\n", NULL), "refused: an empty list");
  like(error.message, "^dir/s.yaml:1:12: materials: found an empty list", "with its place");
  ok(!parse("title: x\n", NULL), "refused: no time");
  like(error.message, "^dir/s.yaml:1:1: the key time is missing", "with the place of the map it belongs to");
  ok(!parse("", NULL), "refused: an empty file");
  like(error.message, "^dir/s.yaml:1:1: the scenario is empty; allowed: a map with the keys title, ", "which is said");
  ok(!parse("- 1\n", NULL), "refused: a list");
  like(error.message, "found a list of 1; a scenario is a map with the keys title, .*output",
       "which is said, with the keys");
}

/* The keys of the law in force, and no others. */
static void test_laws(void) {
  static const char hertz[] = "law: hertz\ntime: {end: 1}\nmaterials: [{name: a, density: 1, young_modulus: 1e9}]\n"
                              "interactions: [{between: [a, a]%s}]\n"
                              "bodies: [{single: {position: [0, 0, 0], radius: 1, material: a}}]\n";
  char text[1024];
  snprintf(text, sizeof text, hertz, ", viscous_time: 2e-3");
  struct cairn_scenario *s = parse(text, NULL);
  ok(s && s->law == CAIRN_LAW_hertz, "law: hertz is read");
  ok(s && s->materials[0].law[CAIRN_LAW_hertz_young_modulus] == 1e9 &&
         s->materials[0].law[CAIRN_LAW_hertz_poisson_ratio] == 0.3,
     "what it asks of a material, with a default");
  ok(s && s->interactions[0].law[CAIRN_LAW_hertz_viscous_time] == 2e-3 &&
         s->interactions[0].law[CAIRN_LAW_hertz_shear_ratio] == 0.4,
     "and of an interaction");
  char *effective = s ? cairn_scenario_effective(s) : NULL;
  struct cairn_scenario *again = effective ? parse(effective, NULL) : NULL;
  ok(again && again->law == CAIRN_LAW_hertz, "its effective parameters are a scenario");
  unlike(effective ? effective : "stiffness", "stiffness", "without the keys of other laws");
  free(effective);
  cairn_scenario_free(again);
  cairn_scenario_free(s);
  snprintf(text, sizeof text, hertz, ", stiffness: 1e5");
  ok(!parse(text, NULL), "refused: a key of another law");
  like(error.message,
       "^dir/s.yaml:4:34: interactions.0.stiffness: this key belongs to `law: hooke`; the scenario has "
       "`law: hertz`",
       "and explained");
  ok(!parse(minimal, "materials.0.young_modulus=1e9"), "refused: a modulus with the Hooke law");
  like(error.message, "this key belongs to `law: hertz`", "and explained");
  ok(!parse(minimal, "law=hertz"), "refused: the Hertz law without a modulus");
  like(error.message, "materials.0: the key young_modulus is missing, which `law: hertz` needs", "and explained");
  snprintf(text, sizeof text, hertz, "");
  ok(!parse(text, "method=contact_dynamics"), "refused: a contact law with contact dynamics");
  like(error.message, "found hertz; contact laws are for soft spheres", "and explained");
}

/* What may not stand together in the cohesion of soft spheres. */
static void test_cohesion_mistakes(void) {
  static const struct {
    const char *keys, *pattern;
  } cases[] = {
      {"cohesion: 1, work_of_adhesion: 2",
       "interactions.0: found more than one of cohesion = 1 N, work_of_adhesion = 2"},
      {"work_of_adhesion: 1, hamaker_constant: 2, hamaker_separation: 1", "found more than one of cohesion = 0 N"},
      {"hamaker_constant: 1, hamaker_separation: 1e-3, cohesion_range: 1e-3",
       "cohesion_range: found 0.001 m; needed with hamaker_constant: a gap at which the force ends, more than"},
      {"hamaker_constant: 1, hamaker_separation: 1e-3, cohesion_range: 2e-3", NULL},
      {"work_of_adhesion: 1", NULL},
      {"cohesion: 1, cohesion_range: 1", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "time: {end: 1}\nmaterials: [{name: a, density: 1}]\n"
             "interactions: [{between: [a, a], %s}]\n"
             "bodies: [{single: {position: [0, 0, 0], radius: 1, material: a}}]\n",
             cases[i].keys);
    struct cairn_scenario *s = parse(text, NULL);
    if (cases[i].pattern)
      like(error.message, cases[i].pattern, "refused and explained: %s", cases[i].keys);
    else
      ok(s != NULL, "allowed: %s (%s)", cases[i].keys, error.message);
    cairn_scenario_free(s);
  }
}

/* What rigid bodies may not have together. */
static void test_cd_mistakes(void) {
  static const struct {
    const char *law, *pattern;
  } cases[] = {
      {"cohesion: 1, cohesion_range: 1, cohesion_energy: 1",
       "^dir/s.yaml:4:63: interactions.0.cohesion_range: found 1 m beside cohesion_energy"},
      {"cohesion_energy: 1", "4:51: interactions.0.cohesion_energy: found 1 J without a force; needed: cohesion"},
      {"rolling_friction: 1, rolling_length: 2",
       "4:71: interactions.0.rolling_length: found 2 m beside rolling_friction"},
      {"twisting_length: 2, twisting_friction: 1",
       "interactions.0.twisting_length: found 2 m beside twisting_friction"},
      {"restitution: 1.5", "^dir/s.yaml:4:47: interactions.0.restitution: found 1.5; allowed: number, ≥ 0 and ≤ 1"},
      {"friction: -1", "^dir/s.yaml:4:44: interactions.0.friction: found -1; allowed: number, ≥ 0"},
      {"rolling_friction: 1, twisting_length: 1, cohesion: 3, cohesion_energy: 1", NULL},
      {"rolling_length: 1, twisting_friction: 1, cohesion: 3, cohesion_range: 1, restitution: 0", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "method: contact_dynamics\ntime: {end: 1}\nmaterials: [{name: a, density: 1}]\n"
             "interactions: [{between: [a, a], %s}]\n"
             "bodies: [{single: {position: [0, 0, 1], radius: 1, material: a}}]\n",
             cases[i].law);
    struct cairn_scenario *s = parse(text, NULL);
    if (cases[i].pattern)
      like(error.message, cases[i].pattern, "refused and explained: %s", cases[i].law);
    else
      ok(s != NULL, "allowed: %s (%s)", cases[i].law, error.message);
    cairn_scenario_free(s);
  }
}

static void test_files(void) {
  struct cairn_scenario *s = NULL;
  cmp_ok(cairn_scenario_load("none.yaml", 0, NULL, 0, &s, &error), "==", CAIRN_ERR_INPUT, "a missing file");
  is(error.message, "none.yaml: cannot read the scenario: No such file or directory", "is named");
  cmp_ok(cairn_scenario_load("/", 0, NULL, 0, &s, &error), "==", CAIRN_ERR_INPUT, "a folder");
  cmp_ok(cairn_scenario_load("/dev/zero", 0, NULL, 0, &s, &error), "==", CAIRN_ERR_INPUT, "an endless file");
  like(error.message, "longer than 16 MiB", "is cut off");
  const char *with_files =
      "time: {end: 1}\nmaterials: [{name: a, density: 1}]\nbodies: [{table: {file: none, material: a}}, "
      "{run: {file: none}}]\n";
  cmp_ok(cairn_scenario_parse(with_files, strlen(with_files), "s.yaml", 0, NULL, CAIRN_SCENARIO_NO_BODIES, &s, &error),
         "==", 0, "without bodies no file is opened");
  ok(s && s->initial.n == 0 && s->n_materials == 1, "and none are made");
  cairn_scenario_free(s);
  const char *bad =
      "time: {end: 1}\nmaterials: [{name: a, density: 1}]\nbodies: [{table: {file: none, material: b}}]\n";
  cmp_ok(cairn_scenario_parse(bad, strlen(bad), "s.yaml", 0, NULL, CAIRN_SCENARIO_NO_BODIES, &s, &error),
         "==", CAIRN_ERR_INPUT, "but entries are checked");
}

static void test_meetings(void) {
  static const char text[] = "time: {end: 1}\n"
                             "materials: [{name: a, density: 1}, {name: b, density: 1}, {name: c, density: 1}]\n"
                             "interactions: [{between: [b, a]}]\n"
                             "bodies: [{single: {position: [0, 0, 1], radius: 1, material: a}}]\n"
                             "walls: [{plane: {normal: [0, 0, 1], material: b}}]\n";
  struct cairn_scenario *s = parse(text, NULL);
  ok(s != NULL, "a lone body needs no contact with its own kind, a wall none with another: %s", error.message);
  ok(s && s->interaction_entry[1] == 0 && s->interaction_entry[0] == -1 && s->interactions[0].restitution == 0,
     "pairs that cannot meet are marked");
  cairn_scenario_free(s);
  s = parse(text, "walls.0.plane.material=c");
  ok(!s, "a body and its wall do meet");
  like(error.message, "no entry between \\[a, c\\]", "which is said");
  cairn_scenario_free(s);
}

static void test_shipped(const char *source) {
  char pattern[4096];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/scenarios/*.yaml", source);
  if (glob(pattern, 0, NULL, &found) != 0)
    BAIL_OUT("no scenarios in %s", pattern);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const char *name = strrchr(found.gl_pathv[i], '/') + 1;
    struct cairn_scenario *s = NULL;
    if (!ok(cairn_scenario_load(found.gl_pathv[i], 0, NULL, 0, &s, &error) == 0, "%s", name))
      diag("%s", error.message);
    else
      round_trip(s, name);
    cairn_scenario_free(s);
  }
  cmp_ok(found.gl_pathc, ">=", 3, "at least three scenarios are shipped");
  globfree(&found);
}

/* What a run writes into its checkpoint must be readable: names that are no text, and scenarios that defaults make too
 * long, are refused before it starts. */
static void test_readable_again(void) {
  static const char one[] = "time: {end: 1}\nmaterials: [{name: rock, density: 1}]\n"
                            "interactions: [{between: [rock, rock]}]\nbodies:\n"
                            "  - single: {position: [0, 0, 0], radius: 1, material: rock}\n";
  enum { MATERIALS = 256, EACH = 240 };
  struct cairn_scenario *scenario;
  static const char *const names[] = {"\xff.yaml", "\xed\xa0\x80.yaml", "\xe0\x80\x80.yaml", "\xc3.yaml",
                                      "\xf5\x80\x80\x80"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const int status = cairn_scenario_parse(one, strlen(one), names[k], 0, NULL, 0, &scenario, &error);
    cmp_ok(status, "==", CAIRN_ERR_INPUT, "file name %d is no UTF-8: refused", (int)k);
    like(error.message, "found bytes that are not UTF-8", "with a reason");
  }
  cmp_ok(cairn_scenario_parse(one, strlen(one), "größe ✓ 𝄞.yaml", 0, NULL, 0, &scenario, &error), "==", 0,
         "UTF-8 is read");
  cairn_scenario_free(scenario);
  /* all pairs of as many materials as there may be: each has a dozen defaults */
  char *text = malloc(MATERIALS * (MATERIALS + 2) * EACH);
  if (!text)
    BAIL_OUT("out of memory");
  size_t length = (size_t)sprintf(text,
                                  "time: {end: 1}\nbodies:\n"
                                  "  - single: {position: [0, 0, 0], radius: 1, material: m%0100d}\nmaterials:\n",
                                  0);
  for (int a = 0; a < MATERIALS; a++)
    length += (size_t)sprintf(text + length, "  - {name: m%0100d, density: 1}\n", a);
  length += (size_t)sprintf(text + length, "interactions:\n");
  for (int a = 0; a < MATERIALS; a++)
    for (int b = 0; b <= a; b++)
      length += (size_t)sprintf(text + length, "  - {between: [m%0100d, m%0100d]}\n", a, b);
  cmp_ok(cairn_scenario_parse(text, length, "long.yaml", 0, NULL, 0, &scenario, &error), "==", CAIRN_ERR_INPUT,
         "a scenario of %d KiB", (int)(length >> 10));
  like(error.message, "with all defaults written out it is [0-9]+ MiB long; allowed: 12 MiB",
       "is too long for a checkpoint");
  free(text);
}

int main(void) {
  const char *source = getenv("CAIRN_SOURCE_DIR");
  char folder[] = "scenario-XXXXXX";
  if (!source)
    plan(SKIP_ALL, "CAIRN_SOURCE_DIR is not set");
  plan(NO_PLAN);
  if (!mkdtemp(folder) || chdir(folder) != 0)
    BAIL_OUT("no temporary folder");
  test_defaults();
  test_values(source);
  test_effective(source);
  test_overrides();
  test_mistakes();
  test_laws();
  test_cohesion_mistakes();
  test_cd_mistakes();
  test_files();
  test_meetings();
  test_shipped(source);
  if (chdir("..") != 0 || rmdir(folder) != 0)
    diag("the temporary folder %s stays", folder);
  test_readable_again();
  done_testing();
}
