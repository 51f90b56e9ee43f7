/* Scenarios from a common beginning and the bodies of a test: made, or refused. */
#ifndef CAIRN_TESTS_BODIES_SAMPLE_H
#define CAIRN_TESTS_BODIES_SAMPLE_H

#include <stdio.h>

#include "data/initial/bodies.h"
#include "tap/tap.h"

/* Everything a scenario needs besides its bodies. */
static const char head[] = "time: {end: 1}\n"
                           "materials: [{name: rock, density: 2500}, {name: ice, density: 917}]\n"
                           "interactions: [{between: [rock, rock]}, {between: [ice, rock]}, {between: [ice, ice]}]\n";

static struct cairn_error error;

/* Line 4 of the scenario is the first of `rest`. NULL with the error filled if it is refused. */
static struct cairn_scenario *make(const char *rest) {
  struct cairn_scenario *scenario = NULL;
  char text[8192];
  int length = snprintf(text, sizeof text, "%s%s", head, rest);
  error.message[0] = '\0';
  cairn_scenario_parse(text, (size_t)length, "s.yaml", 0, NULL, 0, &scenario, &error);
  return scenario;
}

static struct cairn_scenario *make_good(const char *rest, const char *name) {
  struct cairn_scenario *scenario = make(rest);
  if (!ok(scenario != NULL, "%s", name))
    BAIL_OUT("%s", error.message);
  return scenario;
}

static void refused(const char *rest, const char *pattern, const char *name) {
  struct cairn_scenario *scenario = make(rest);
  ok(!scenario && error.status == CAIRN_ERR_INPUT, "%s: refused", name);
  like(error.message, pattern, "%s: message", name);
  cairn_scenario_free(scenario);
}

#endif
