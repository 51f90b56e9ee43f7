/* Cohesion in a scenario: which keys go together, and the attraction of soft spheres that they mean. */
#ifndef CAIRN_DATA_SCENARIO_COHESION_H
#define CAIRN_DATA_SCENARIO_COHESION_H

#include "data/scenario/scenario.h"
#include "data/schema/yaml.h"

/* Refuse keys of cohesion in an interaction that contradict each other. */
int cairn_cohesion_check(const struct cairn_node *node, const struct cairn_interaction *interaction, bool is_hertz,
                         const char *file, struct cairn_error *error);

/* The attraction of soft spheres with this interaction; all zero without cohesion. */
struct cairn_attraction cairn_cohesion_attraction(const struct cairn_interaction *interaction);

/* Its neck, between bodies of the effective modulus E* (Pa); all zero without JKR. */
struct cairn_neck cairn_cohesion_neck(const struct cairn_interaction *interaction, double modulus);

/* Has any interaction JKR? */
bool cairn_cohesion_has_necks(const struct cairn_scenario *scenario);

/* m, the largest gap over which soft spheres up to this radius attract each other; negative if none do. */
double cairn_cohesion_range(const struct cairn_scenario *scenario, double largest_radius);

#endif
