/* The methods by name: one list for the schema, the scenario and the solvers. */
#ifndef CAIRN_DATA_SCENARIO_METHODS_H
#define CAIRN_DATA_SCENARIO_METHODS_H

/* METHOD(name in the scenario, whether its states have contact forces, whether `law` is for it), the default first. The
 * rest of a method is its table cairn_method_NAME (solvers/method.h). */
#define CAIRN_METHODS(METHOD)                                                                                          \
  METHOD(soft_spheres, false, true) METHOD(contact_dynamics, true, false) METHOD(hard_spheres, false, false)

#define CAIRN_METHODS_KIND(name, forces, laws) CAIRN_METHOD_##name,
enum cairn_method { CAIRN_METHODS(CAIRN_METHODS_KIND) CAIRN_N_METHODS };

#endif
