/* What a plan says of the step and the stiffness in force, and what it refuses. */
#ifndef CAIRN_CLI_ADVICE_H
#define CAIRN_CLI_ADVICE_H

#include <stdbool.h>
#include <stdio.h>

#include "solvers/simulation/simulation.h"

/* The recommended step and stiffness beside those in force; with `all` false only where they differ for the worse. */
void cairn_advice_report(FILE *stream, const struct cairn_scenario *scenario, const struct cairn_plan *plan, bool all);

/* Fails if contacts gain energy with the step in force (docs/physics.md, "Stability"). */
int cairn_advice_refuse(const struct cairn_plan *plan, struct cairn_error *error);

#endif
