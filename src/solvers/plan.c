/* What a scenario means for the run, before anything runs. */
#include <hwloc.h>
#include <math.h>
#include <string.h>

#include "solvers/method.h"

/* What the size of cells is chosen from. */
struct machine {
  int64_t cores;
  int64_t cache;  /* bytes of a core's second-level cache; 0 if unknown */
  int64_t shared; /* bytes of the third-level cache; 0 if there is none */
};

static int64_t cache_size(hwloc_topology_t topology, unsigned level) {
  const int depth = hwloc_get_cache_type_depth(topology, level, HWLOC_OBJ_CACHE_UNIFIED);
  const hwloc_obj_t cache = depth >= 0 ? hwloc_get_obj_by_depth(topology, depth, 0) : NULL;
  return cache ? (int64_t)cache->attr->cache.size : 0;
}

static struct machine look_around(void) {
  struct machine machine = {.cores = 1};
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology))
    return machine;
  if (hwloc_topology_load(topology) == 0) {
    const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    machine.cores = cores > 1 ? cores : 1;
    machine.cache = cache_size(topology, 2);
    machine.shared = cache_size(topology, 3);
  }
  hwloc_topology_destroy(topology);
  return machine;
}

/* Large cells spare tasks and halo (docs/performance.md), so: four for each core of the machine, but none smaller than
 * is worth a task, and none larger than a core's cache bears. What is read and written in no simple order, view and
 * forces, takes about 200 bytes per body: it should fit where misses go to memory, and may exceed it twofold where the
 * whole system, 700 bytes per body, stays in half of the third-level cache. Depends on the bodies and the machine, not
 * on the number of workers. */
static int64_t default_cell(int64_t n) {
  enum { LEAST = 3072, MOST = 16384 };
  const struct machine machine = look_around();
  const int64_t bytes = 700 * n < machine.shared / 2 ? 128 : 256;
  const int64_t room = machine.cache / bytes < MOST ? machine.cache / bytes : MOST;
  const int64_t most = room > LEAST ? room : LEAST, share = n / (4 * machine.cores);
  return share < LEAST ? LEAST : share > most ? most : share;
}

/* Slices of rigid bodies (docs/decisions/0007): thick enough that one reaches into the next alone, two and a half
 * layers of a cube, and large enough to be worth a task. */
static int64_t default_slice(int64_t n) {
  enum { LEAST = 3072 };
  const double layers = 2.5 * pow((double)n, 2. / 3.);
  return layers < LEAST ? LEAST : (int64_t)layers;
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
  plan->stable_step = plan->packed_step = INFINITY;
  int status = cairn_method_of(scenario)->plan(scenario, plan, error);
  if (status)
    return status;
  const double steps = scenario->time_end / plan->step_size;
  if (!(steps <= CAIRN_MOST_STEPS)) /* the scenario refused it where it is given */
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "time.step: auto is %g s, which makes %g steps up to time.end; allowed: at most %g",
                           plan->step_size, steps, CAIRN_MOST_STEPS);
  if (scenario->cells_bodies == 0)
    scenario->cells_bodies =
        cairn_method_of(scenario)->rigid ? default_slice(scenario->initial.n) : default_cell(scenario->initial.n);
  status = show_choices(scenario, error);
  if (status)
    return status;
  const double n = (double)scenario->initial.n;
  plan->cells_bodies = scenario->cells_bodies;
  plan->n_steps = cairn_simulation_n_steps(scenario->time_end, plan->step_size);
  plan->n_cells = (int64_t)ceil(n / (0.7 * (double)plan->cells_bodies));
  plan->memory = 850. * n + 60e6;                 /* measured: docs/performance.md */
  for (int32_t w = 0; w < scenario->n_walls; w++) /* meshes are held twice, as read and as the kernels see them */
    plan->memory += scenario->walls[w].mesh ? 2. * sizeof(double) * (double)scenario->walls[w].mesh->n_doubles : 0.;
  return 0;
}
