#include "solvers/method.h"

/* In the order of enum cairn_method. */
static const struct cairn_method_table *const methods[] = {&cairn_method_soft_spheres, &cairn_method_contact_dynamics};

const struct cairn_method_table *cairn_method_of(const struct cairn_scenario *scenario) {
  return methods[scenario->method];
}
