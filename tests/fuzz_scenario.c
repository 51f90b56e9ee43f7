/* Any bytes as a scenario: refused with a message or read, never anything else. What was read must survive being
 * written out and read again. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/scenario.h"
#include "data/schema.h"
#include "data/yaml.h"

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
static void check_round_trip(const struct cairn_scenario *scenario, int flags) {
  struct cairn_scenario *again;
  struct cairn_error error;
  char *text = cairn_scenario_effective(scenario);
  check(text != NULL);
  check(cairn_scenario_parse(text, strlen(text), "fuzz.yaml", 0, NULL, flags, &again, &error) == CAIRN_OK);
  char *text_again = cairn_scenario_effective(again), digests[2][CAIRN_DIGEST_LENGTH + 1];
  check(text_again && strcmp(text, text_again) == 0);
  cairn_state_digest(&scenario->initial, digests[0]);
  cairn_state_digest(&again->initial, digests[1]);
  check(strcmp(digests[0], digests[1]) == 0);
  free(text);
  free(text_again);
  cairn_scenario_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cairn_scenario *scenario;
  struct cairn_error error = {.status = CAIRN_OK};
  int flags = CAIRN_SCENARIO_NO_BODIES;
  int status = cairn_scenario_parse((const char *)data, size, "fuzz.yaml", 0, NULL, flags, &scenario, &error);
  if (status == CAIRN_OK) {
    bool small = is_small(scenario);
    check_round_trip(scenario, flags);
    cairn_scenario_free(scenario);
    scenario = NULL;
    if (small)
      status = cairn_scenario_parse((const char *)data, size, "fuzz.yaml", 0, NULL, 0, &scenario, &error);
    if (scenario)
      check_round_trip(scenario, 0);
    cairn_scenario_free(scenario);
  }
  check(status == CAIRN_OK ||
        (status == error.status && error.message[0] && memchr(error.message, 0, sizeof error.message)));
  return 0;
}
