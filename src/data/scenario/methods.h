/* The methods by name: one list for the schema, the scenario and the solvers. */
#ifndef CAIRN_DATA_SCENARIO_METHODS_H
#define CAIRN_DATA_SCENARIO_METHODS_H

/* METHOD(name in the scenario, what its states tell of contact forces, whether `law` is for it), the default first. The
 * rest of a method is its table cairn_method_NAME (solvers/method.h). */
#define CAIRN_METHODS(METHOD)                                                                                          \
  METHOD(soft_spheres, CAIRN_FORCES_ASKED, true)                                                                       \
  METHOD(contact_dynamics, CAIRN_FORCES_TOLD, false)                                                                   \
  METHOD(hard_spheres, CAIRN_FORCES_NONE, false)

/* None; some, which frames tell where asked for; some, which frames tell unless not wanted. */
enum cairn_forces { CAIRN_FORCES_NONE, CAIRN_FORCES_ASKED, CAIRN_FORCES_TOLD };

#define CAIRN_METHODS_KIND(name, forces, laws) CAIRN_METHOD_##name,
enum cairn_method { CAIRN_METHODS(CAIRN_METHODS_KIND) CAIRN_N_METHODS };

#endif
