/* How many bodies the cells of soft spheres have: a first choice from the machine, then the fastest of some sizes that
 * were tried. Results do not depend on it (docs/architecture.md, "Same bits"). */
#include <hwloc.h>
#include <math.h>

#include "solvers/simulation/simulation_parts.h"
#include "solvers/soft_spheres.h"

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
 * is worth a task, and none larger than a core's cache bears. What is accessed at random, predicted kinematics and
 * forces, takes about 200 bytes per body: it should fit where misses go to memory, and may exceed it twofold where the
 * whole system, 700 bytes per body, stays in half of the third-level cache. Depends on the bodies and the machine, not
 * on the number of workers. */
int64_t cairn_soft_spheres_cells_bodies(int64_t n) {
  enum { LEAST = 3072, MOST = 16384 };
  const struct machine machine = look_around();
  const int64_t bytes = 700 * n < machine.shared / 2 ? 128 : 256;
  const int64_t room = machine.cache / bytes < MOST ? machine.cache / bytes : MOST;
  const int64_t most = room > LEAST ? room : LEAST, share = n / (4 * machine.cores);
  return share < LEAST ? LEAST : share > most ? most : share;
}

/* Each size is tried for at least so many batches of steps, after one that does not count, and for so long, s. A batch
 * is limited meanwhile, to so many steps of a body: 0.1 to 0.2 s. With fewer the wait at its end would favour few large
 * cells. */
enum { TRIED_BATCHES = 3, TRIED_WORK = 2000000, LEAST_STEPS = 4 };
static const double TRIED_SECONDS = 0.03;

/* Smaller systems are one cell or two. */
enum { LEAST_BODIES = 6144, LEAST_CELL = 1024 };

/* The sizes to try next: the one in force, half of it, twice and four times as many, as long as every worker has a
 * cell. */
static void begin(struct cairn_simulation *sim) {
  static const double factors[CAIRN_CELL_SIZES] = {1., 0.5, 2., 4.};
  struct cairn_cell_trial *t = &sim->cell_trial;
  int64_t workers = starpu_worker_get_count_by_type(STARPU_CPU_WORKER);
  cairn_ranks_sum(&workers, 1);
  t->n = 0;
  for (int k = 0; k < CAIRN_CELL_SIZES; k++) {
    const int64_t size = (int64_t)(factors[k] * (double)sim->cell_bodies);
    if (k > 0 && (size < LEAST_CELL || size * workers > sim->n_bodies))
      continue;
    t->size[t->n] = size;
    t->each[t->n++] = INFINITY;
  }
  t->at = t->batches = 0;
  t->seconds = 0.;
  t->active = t->n > 1;
  t->fresh = true;
}

static double n_pairs(const struct cairn_simulation *sim) {
  int64_t sum = 0;
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++)
    sum += (int64_t)sim->cells.cell[c].size.n_pairs + sim->cells.cell[c].size.n_wall_pairs;
  cairn_ranks_sum(&sum, 1);
  return (double)sum;
}

/* New sizes are tried at the start, and when the number of pairs has doubled or halved. */
void cairn_soft_spheres_cells_partitioned(struct cairn_simulation *sim) {
  struct cairn_cell_trial *t = &sim->cell_trial;
  t->fresh = true;
  if (!sim->scenario->cells_auto || sim->n_bodies < LEAST_BODIES || t->active)
    return;
  const double pairs = n_pairs(sim), ratio = t->pairs > 0. ? pairs / t->pairs : INFINITY;
  if (ratio < 2. && ratio > 0.5)
    return;
  t->pairs = pairs;
  begin(sim);
}

int64_t cairn_soft_spheres_cells_batch(const struct cairn_simulation *sim, int64_t n) {
  const int64_t steps = sim->n_bodies > 0 ? TRIED_WORK / sim->n_bodies : n,
                most = steps > LEAST_STEPS ? steps : LEAST_STEPS;
  return sim->cell_trial.active && n > most ? most : n;
}

/* On to the next size, or to the fastest: a new partition. */
static void next(struct cairn_simulation *sim) {
  struct cairn_cell_trial *t = &sim->cell_trial;
  int best = 0;
  t->at++;
  for (int k = 1; k < t->n; k++)
    best = t->each[k] < (best == 0 ? CAIRN_CELL_GAIN : 1.) * t->each[best] ? k : best;
  t->active = t->at < t->n;
  const int64_t size = t->size[t->active ? t->at : best];
  t->batches = 0;
  t->seconds = 0.;
  sim->regrid_due |= size != sim->cell_bodies;
  sim->cell_bodies = size;
}

void cairn_soft_spheres_cells_note(struct cairn_simulation *sim, int64_t n_steps, double seconds) {
  struct cairn_cell_trial *t = &sim->cell_trial;
  if (!t->active || n_steps < 1)
    return;
  if (t->fresh) { /* the caches are cold */
    t->fresh = false;
    return;
  }
  seconds = cairn_ranks_max(seconds); /* all ranks decide the same */
  t->each[t->at] = fmin(t->each[t->at], seconds / (double)n_steps);
  t->seconds += seconds;
  if (++t->batches >= TRIED_BATCHES && t->seconds >= TRIED_SECONDS)
    next(sim);
}
