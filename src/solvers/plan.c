/* What a scenario means for the run, before anything runs. */
#include <hwloc.h>
#include <math.h>
#include <string.h>

#include "solvers/method.h"

/* As many bodies as have room in a core's second-level cache with what is read and written in no simple order: view and
 * forces, 160 bytes for each body and the halo's share. The rest streams. */
static int64_t cell_for_cache(void) {
  enum { HOT_BYTES = 256, LEAST = 2048, MOST = 8192 };
  int64_t bodies = LEAST;
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology))
    return bodies;
  if (hwloc_topology_load(topology) == 0) {
    const int depth = hwloc_get_cache_type_depth(topology, 2, HWLOC_OBJ_CACHE_UNIFIED);
    const hwloc_obj_t cache = depth >= 0 ? hwloc_get_obj_by_depth(topology, depth, 0) : NULL;
    if (cache)
      bodies = (int64_t)cache->attr->cache.size / HOT_BYTES;
  }
  hwloc_topology_destroy(topology);
  return bodies < LEAST ? LEAST : bodies > MOST ? MOST : bodies;
}

/* Up to 2560 bodies are one cell, whose task does many steps; larger systems are cut into about eight cells, so that a
 * few cores have work, and into cells of the cache's size from there on. Depends on the bodies and the machine, not on
 * the number of workers. */
static int64_t default_cell(int64_t n) {
  const int64_t most = cell_for_cache(), share = n / 8 > 2560 ? n / 8 : 2560;
  return share < most ? share : most;
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
    scenario->cells_bodies = default_cell(scenario->initial.n);
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
