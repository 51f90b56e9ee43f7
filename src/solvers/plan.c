/* What a scenario means for the run, before anything runs. */
#include <hwloc.h>
#include <math.h>
#include <string.h>

#include "solvers/method.h"

/* As many bodies as have room in a core's second-level cache with what is read and written in no simple order, view and
 * forces, 160 bytes for each body and the halo's share; the rest streams (docs/performance.md). */
static int64_t default_cell(void) {
  enum { HOT_BYTES = 256, LEAST = 1024, MOST = 8192 };
  int64_t bodies = 2048;
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology))
    return bodies;
  if (hwloc_topology_load(topology) == 0) {
    const int depth = hwloc_get_cache_type_depth(topology, 2, HWLOC_OBJ_CACHE_UNIFIED);
    const hwloc_obj_t cache = depth >= 0 ? hwloc_get_obj_by_depth(topology, depth, 0) : NULL;
    if (cache && cache->attr->cache.size > 0)
      bodies = (int64_t)cache->attr->cache.size / HOT_BYTES;
  }
  hwloc_topology_destroy(topology);
  return bodies < LEAST ? LEAST : bodies > MOST ? MOST : bodies;
}

/* Put what was chosen where the user would look for it. */
static int show_choices(struct cairn_scenario *s, struct cairn_error *error) {
  int status = cairn_scenario_resolve(s, "time.step", s->time_step, error);
  if (!status)
    status = cairn_scenario_resolve(s, "cells.bodies", (double)s->cells_bodies, error);
  return status;
}

int cairn_simulation_plan(struct cairn_scenario *scenario, struct cairn_plan *plan, struct cairn_error *error) {
  memset(plan, 0, sizeof *plan);
  int status = cairn_method_of(scenario)->plan(scenario, plan, error);
  if (status)
    return status;
  if (scenario->cells_bodies == 0)
    scenario->cells_bodies = default_cell();
  status = show_choices(scenario, error);
  if (status)
    return status;
  const double n = (double)scenario->initial.n;
  plan->cells_bodies = scenario->cells_bodies;
  plan->n_steps = (int64_t)ceil(scenario->time_end / plan->step_size * (1. - 1e-12));
  plan->n_cells = (int64_t)ceil(n / (0.7 * (double)plan->cells_bodies));
  plan->memory = 850. * n + 60e6; /* measured: docs/performance.md */
  return 0;
}
