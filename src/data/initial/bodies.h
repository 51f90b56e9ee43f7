/* The bodies of a scenario, made from its list `bodies`. */
#ifndef CAIRN_DATA_INITIAL_BODIES_H
#define CAIRN_DATA_INITIAL_BODIES_H

#include <stdbool.h>

#include "data/scenario/scenario.h"

/* Fill scenario->initial from the validated tree, after materials and walls; `flags` as for cairn_scenario_parse.
 * Without bodies every entry is checked as far as that goes without making bodies or opening files. Where each rank
 * makes a stretch, bodies of different ranks are not checked for overlaps. */
int cairn_bodies_make(struct cairn_scenario *scenario, int flags, struct cairn_error *error);

/* A sphere somewhere, for the check of overlaps. */
struct cairn_bodies_sphere {
  double position[3], radius; /* m */
  double mass;                /* kg, where it matters */
  int32_t id;
};

/* Do any of these overlap more than allowed? For a scenario whose bodies are shared by ranks. */
int cairn_bodies_check_spheres(const struct cairn_scenario *scenario, const struct cairn_bodies_sphere *sphere,
                               int64_t n, struct cairn_error *error);

/* The material called by the text in `node`; an error that names the known ones if there is none. */
int cairn_bodies_find_material(const struct cairn_scenario *scenario, const struct cairn_node *node, int32_t *material,
                               struct cairn_error *error);

/* Room for n more bodies in scenario->initial, if the machine has it: memory that is promised but missing would end in
 * a kill. `node` is what asks for them. */
int cairn_bodies_add_room(struct cairn_scenario *scenario, const struct cairn_node *node, int64_t n,
                          struct cairn_error *error);

/* The mass of a body of scenario->initial from its radius and the density of its material; `node` is where a mass that
 * is no usable number was asked for. */
int cairn_bodies_set_mass(struct cairn_scenario *scenario, const struct cairn_node *node, int64_t id,
                          struct cairn_error *error);

#endif
