/* Any bytes as a scenario, as the value of an override and as the name of a file: refused with a message or read, never
 * anything else. What was read must survive being written out and read again, also after a run has chosen what the user
 * left to it. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/scenario/scenario.h"
#include "data/schema/schema.h"
#include "data/schema/yaml.h"
#include "solvers/simulation/simulation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bodies are only made where that is quick and opens no file. */
static bool is_small(const struct cairn_scenario *scenario) {
  const struct cairn_node *bodies = cairn_yaml_child(scenario->tree, "bodies");
  double total = 0;
  for (size_t i = 0; i < bodies->n; i++) {
    const struct cairn_node *node = bodies->child[i]->child[0];
    double counts[3] = {1, 1, 1};
    if (strcmp(node->key, "table") == 0 || strcmp(node->key, "run") == 0)
      return false;
    if (strcmp(node->key, "lattice") == 0)
      cairn_schema_numbers(node, "counts", 3, counts);
    if (strcmp(node->key, "cloud") == 0)
      counts[0] = (double)cairn_schema_integer(node, "count");
    total += counts[0] * counts[1] * counts[2];
  }
  return total <= 200;
}

static void check(bool good) {
  if (!good)
    abort();
}

/* The effective parameters must be accepted, and lead to themselves. */
static void check_round_trip(const struct cairn_scenario *scenario, const char *file, int flags) {
  struct cairn_scenario *again;
  struct cairn_error error;
  char *text = cairn_scenario_effective(scenario);
  check(text != NULL);
  check(cairn_scenario_parse(text, strlen(text), file, 0, NULL, flags, &again, &error) == CAIRN_OK);
  struct cairn_plan plan;
  if (scenario->initial.contacts.n + scenario->initial.wall_contacts.n > 0) /* a plan has made bonds */
    check(cairn_simulation_plan(again, &plan, &error) == CAIRN_OK);
  char *text_again = cairn_scenario_effective(again), digests[2][CAIRN_DIGEST_LENGTH + 1];
  check(text_again && strcmp(text, text_again) == 0);
  cairn_state_digest(&scenario->initial, digests[0]);
  cairn_state_digest(&again->initial, digests[1]);
  check(strcmp(digests[0], digests[1]) == 0);
  free(text);
  free(text_again);
  cairn_scenario_free(again);
}

static void check_message(int status, const struct cairn_error *error) {
  check(status == CAIRN_OK ||
        (status == error->status && error->message[0] && memchr(error->message, 0, sizeof error->message)));
}

/* The same after a plan has put numbers in the place of each `auto`. */
static void check_planned(struct cairn_scenario *scenario, const char *file) {
  struct cairn_plan plan;
  struct cairn_error error = {.status = CAIRN_OK};
  int status = cairn_simulation_plan(scenario, &plan, &error);
  check_message(status, &error);
  if (status == CAIRN_OK)
    check_round_trip(scenario, file, 0);
}

static const char small[] = "time: {end: 1}\n"
                            "gravity: {uniform: [0, 0, -1]}\n"
                            "materials: [{name: rock, density: 1000}]\n"
                            "interactions: [{between: [rock, rock]}]\n"
                            "cells: {bodies: 100}\n"
                            "bodies: [{single: {position: [0, 0, 0], radius: 1, material: rock}}]\n";

/* A small scenario in a file of this name, with this override. */
static void try_text(const char *file, const char *set) {
  struct cairn_scenario *scenario;
  struct cairn_error error = {.status = CAIRN_OK};
  int status = cairn_scenario_parse(small, strlen(small), file, set != NULL, &set, 0, &scenario, &error);
  check_message(status, &error);
  if (status == CAIRN_OK) {
    check_round_trip(scenario, file, 0);
    check_planned(scenario, file);
    cairn_scenario_free(scenario);
  }
}

static void try_texts(const uint8_t *data, size_t size) {
  static const char *const keys[] = {"title=", "output.name=", "time.end=", "materials.0.name=", "time.step="};
  for (size_t k = 0; k <= sizeof keys / sizeof *keys; k++) {
    const char *key = k < sizeof keys / sizeof *keys ? keys[k] : "";
    const size_t length = strlen(key), most = size < 5000 ? size : 5000;
    char *text = calloc(length + most + 1, 1);
    check(text != NULL);
    memcpy(text, key, length);
    memcpy(text + length, data, most);
    if (k < sizeof keys / sizeof *keys)
      try_text("fuzz.yaml", text);
    else
      try_text(text, NULL);
    free(text);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cairn_scenario *scenario;
  struct cairn_error error = {.status = CAIRN_OK};
  int flags = CAIRN_SCENARIO_NO_BODIES;
  int status = cairn_scenario_parse((const char *)data, size, "fuzz.yaml", 0, NULL, flags, &scenario, &error);
  if (status == CAIRN_OK) {
    bool quick = is_small(scenario);
    check_round_trip(scenario, "fuzz.yaml", flags);
    cairn_scenario_free(scenario);
    scenario = NULL;
    if (quick)
      status = cairn_scenario_parse((const char *)data, size, "fuzz.yaml", 0, NULL, 0, &scenario, &error);
    if (scenario) {
      check_round_trip(scenario, "fuzz.yaml", 0);
      check_planned(scenario, "fuzz.yaml");
    }
    cairn_scenario_free(scenario);
  }
  check_message(status, &error);
  try_texts(data, size);
  return 0;
}
