/* The public interface of cairn: scenario → simulation → step → observe.
 *
 *   struct cairn_error error;
 *   struct cairn_scenario *scenario = NULL;
 *   struct cairn_simulation *simulation = NULL;
 *   int status = cairn_engine_start(NULL, &error);
 *   if (!status) status = cairn_scenario_load("pile.yaml", 0, NULL, 0, &scenario, &error);
 *   if (!status) status = cairn_simulation_create(scenario, NULL, &simulation, &error);
 *   if (!status) status = cairn_simulation_advance(simulation, 1000, &error);
 *   if (status) fprintf(stderr, "%s\n", error.message);
 *   cairn_simulation_free(simulation);
 *   cairn_scenario_free(scenario);
 *   cairn_engine_stop();
 *
 * Functions that can fail return 0 or a negative enum cairn_status and fill the error object. The library never ends
 * the process and keeps no state outside the objects it returns, StarPU's own aside. */
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include "cairn/engine.h"
#include "cairn/error.h"
#include "cairn/files.h"
#include "cairn/observables.h"
#include "cairn/scenario.h"
#include "cairn/simulation.h"
#include "cairn/state.h"
#include "cairn/version.h"

#endif
