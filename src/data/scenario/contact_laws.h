/* The keys of contact laws in a scenario: those of the law in force are filled in and read, those of other laws are
 * refused (kernels/soft/laws.h). */
#ifndef CAIRN_DATA_SCENARIO_CONTACT_LAWS_H
#define CAIRN_DATA_SCENARIO_CONTACT_LAWS_H

#include <stdbool.h>

#include "data/scenario/scenario.h"
#include "data/schema/yaml.h"
#include "kernels/soft/laws.h"

/* The law with this name; it must exist. */
enum cairn_law_kind cairn_contact_laws_kind(const char *name);

/* Put the defaults of the law that the tree names into its materials and interactions. */
int cairn_contact_laws_fill(struct cairn_node *tree, const char *file, struct cairn_error *error);

/* The values of n keys in a map that has been filled; `auto` is 0. */
void cairn_contact_laws_read(const struct cairn_node *map, const struct cairn_law_key *keys, int n, double *values);

/* The constants of the law of soft spheres between two materials, its attraction included; without friction if so
 * asked. What the scenario leaves to the program must be resolved. */
void cairn_contact_laws_constants(const struct cairn_scenario *scenario, int32_t a, int32_t b, bool frictionless,
                                  double constants[CAIRN_LAW_DOUBLES]);

#endif
