#include "solvers/method.h"

#define TABLE(name, forces, laws) &cairn_method_##name,
static const struct cairn_method_table *const methods[] = {CAIRN_METHODS(TABLE)};

const struct cairn_method_table *cairn_method_of(const struct cairn_scenario *scenario) {
  return methods[scenario->method];
}

const struct cairn_method_table *cairn_method_at(int index) {
  return index >= 0 && index < CAIRN_N_METHODS ? methods[index] : NULL;
}
