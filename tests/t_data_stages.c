/* Stages of a scenario: what can never end or begin is refused, with the reason. */
#include "bodies_sample.h"
#include "data/scenario/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char bodies[] = "bodies:\n  - single: {position: [0, 0, 1], radius: 0.5, material: rock}\n";

static void refused_stages(const char *list, const char *pattern, const char *name) {
  char text[2048];
  snprintf(text, sizeof text, "%sstages: %s\n", bodies, list);
  refused(text, pattern, name);
}

static void test_refused(void) {
  refused_stages("[{name: a}, {name: b}]",
                 "stages.0.until: found no end: the stage after it can never begin; needed: time, kinetic_energy",
                 "no end");
  refused_stages("[{name: a, until: {escaped: 1}}]", "none can escape: the scenario has no `world`", "no way out");
  refused_stages("[{name: a, until: {escaped: 2}}]\nworld: {lower: [-1, -1, -1], upper: [1, 1, 9]}",
                 "stages.0.until.escaped: found 2 bodies, but there are 1: the stage can never end so", "too many");
  refused_stages("[{name: a, until: {speed: 1, after: 0.5, time: 0.5}}]", "its conditions never count", "too short");
  refused_stages("[{name: a, until: {time: 0.1}}, {name: a}]", "found the name of stages.0", "one name twice");
  refused_stages("[{name: a, until: {kinetic_energy: 0}}]", "kinetic_energy: found 0", "no kinetic energy at all");
  refused_stages("[{name: a, ended: 7}]", "ended: found step 7; allowed: a step after", "a made-up end");
  refused_stages("[{name: a}]\nwalls: [{plane: {normal: [0, 0, 1], material: rock, appears_with: b}}]",
                 "appears_with: found b, which is not in stages; allowed: a", "an unknown stage");
  refused_stages("[]\nwalls: [{plane: {normal: [0, 0, 1], material: rock, motion: {with: b}}}]",
                 "motion.with: found b, which is not in stages; allowed: none", "no stages");
  refused_stages("[{name: a, until: {time: 0.1}}, {name: b}]\nwalls: [{plane: {normal: [0, 0, 1], material: rock, "
                 "appears_with: b, vanishes_with: a}}]",
                 "found a stage before that of appears_with", "gone before it comes");
}

/* What is in force before, while and after a stage, through the tree: as a resumed run would read it. */
static void test_in_force(void) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "%sstages:\n  - {name: a, until: {time: 0.25}, output: {frames: 0.2}}\n"
      "  - {name: b, gravity: [0, 0, -2], ended: 900}\n"
      "walls: [{plane: {normal: [0, 0, 1], material: rock, appears_with: b, appears: 0.125, motion: {with: b, from: "
      "0.5}}}]\n",
      bodies);
  refused(text, "stages.1.ended: found step 900", "the second cannot end before the first");
  char *gap = strstr(text, ", ended: 900");
  memmove(gap, gap + 12, strlen(gap + 12) + 1);
  struct cairn_scenario *s = make_good(text, "two stages");
  struct cairn_assembly_rules *rules = &s->assemblies[0].rules;
  ok(cairn_stages_current(s) == 0 && s->output_frames == 0.2 && s->gravity[2] == 0 && isinf(rules->appears) &&
         isinf(rules->motion.from),
     "what the first says is in force");
  s->time_step = 0.0009765625;
  ok(cairn_stages_end(s, 256, &error) == 0 && cairn_stages_current(s) == 1 && s->output_frames == 0.01 &&
         s->gravity[2] == -2 && rules->appears == 0.375 && rules->motion.from == 0.75,
     "then the second");
  cairn_scenario_resolve(s, "time.step", s->time_step, &error);
  char *effective = cairn_scenario_effective(s);
  struct cairn_scenario *again = NULL;
  ok(cairn_scenario_parse(effective, strlen(effective), "s.yaml", 0, NULL, 0, &again, &error) == 0,
     "the effective parameters are read back");
  ok(again && cairn_stages_current(again) == 1 && again->gravity[2] == -2 &&
         again->assemblies[0].rules.appears == 0.375 && again->stages[0].ended == 256,
     "with the stage that the run is in");
  ok(cairn_stages_end(s, 300, &error) == 0 && cairn_stages_are_over(s), "and then they are over");
  cairn_scenario_free(again);
  cairn_scenario_free(s);
  free(effective);
}

int main(void) {
  plan(NO_PLAN);
  test_refused();
  test_in_force();
  done_testing();
}
