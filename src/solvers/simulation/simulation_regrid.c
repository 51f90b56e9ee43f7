/* New cells for old ones, by tasks: snapshots of the old cells, Morton order of each, the cut by counts alone, packets
 * of bodies from old cells to new ones, neighbour lists. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/state/state.h"
#include "solvers/simulation/simulation_parts.h"
#include "tasks/ranks/links.h"

static int out_of_memory(struct cairn_error *error) {
  cairn_ranks_out_of_memory("the cells"); /* other ranks wait */
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the cells");
}

static struct cairn_regrid_rules rules_of(const struct cairn_simulation *sim) {
  struct cairn_regrid_rules rules = {.h = sim->step_size,
                                     .is_bounded = sim->is_bounded,
                                     .scale = cairn_morton_scale(sim->summary.lower, sim->summary.upper),
                                     .state_handle = sim->state_handle,
                                     .state = &sim->state};
  memcpy(rules.lower, sim->summary.lower, sizeof rules.lower);
  memcpy(rules.bounds[0], sim->scenario->world_lower, sizeof rules.bounds[0]);
  memcpy(rules.bounds[1], sim->scenario->world_upper, sizeof rules.bounds[1]);
  return rules;
}

void cairn_simulation_copy_head(struct cairn_state *to, const struct cairn_state *from) {
  const struct {
    double *to, *from;
    size_t n;
  } parts[] = {{to->assembly_position, from->assembly_position, 3},
               {to->assembly_orientation, from->assembly_orientation, 4},
               {to->assembly_velocity, from->assembly_velocity, 3},
               {to->assembly_spin, from->assembly_spin, 3},
               {to->assembly_acceleration, from->assembly_acceleration, 3},
               {to->assembly_angular_acceleration, from->assembly_angular_acceleration, 3}};
  for (size_t k = 0; k < sizeof parts / sizeof *parts && from->n_assemblies > 0; k++)
    memcpy(parts[k].to, parts[k].from, parts[k].n * (size_t)from->n_assemblies * sizeof(double));
  cairn_state_copy_progress(to, from);
}

/* ---- snapshots ---- */

static void join_summaries(void *all, const void *more) { cairn_packet_join(all, more); }

/* Add up what the sources say, on all ranks; false if one is missing. */
static bool summarise(struct cairn_simulation *sim, const struct cairn_regrid_source *source, int32_t n) {
  bool complete = true;
  sim->summary = cairn_packet_summary_of_none();
  for (int32_t i = 0; i < n; i++) {
    complete &= source[i].packet != NULL;
    cairn_packet_join(&sim->summary, &source[i].summary);
  }
  cairn_ranks_join(&sim->summary, sizeof sim->summary, join_summaries);
  if (sim->summary.n_escaped > 0) {
    sim->escaped.body = sim->escaped.n == 0 ? sim->summary.first_escaped : sim->escaped.body;
    sim->escaped.n += sim->summary.n_escaped;
  }
  return complete;
}

/* What is kept of this step beside the bodies. */
static void keep_head(struct cairn_simulation *sim) {
  cairn_sim_walls_capture(&sim->walls, &sim->kept);
  sim->kept.step = sim->step;
  sim->kept.time = cairn_simulation_time(sim);
  sim->kept.momentum_limit = sim->outcome.tuning.limit;
  sim->kept.pair_sweeps = sim->outcome.tuning.sweeps;
  sim->kept.n_unsolved = sim->outcome.unsolved;
  sim->kept_dissipated = sim->collided.dissipated;
  sim->kept_virial = sim->collided.virial;
  sim->kept.dissipated_energy =
      sim->method->collides ? cairn_exact_sum_value(&sim->collided.dissipated) : sim->outcome.dissipated;
  sim->kept.n_collisions = sim->collided.collisions;
  sim->kept.n_wall_collisions = sim->collided.wall_collisions;
  sim->kept.n_slow_collisions = sim->collided.slow;
  sim->kept.collision_virial = cairn_exact_sum_value(&sim->collided.virial);
  sim->kept.n_broken = sim->bonds.n_broken;
  sim->bonds.kept_gap = sim->bonds.gap;
}

static int take_snapshot(struct cairn_simulation *sim, struct cairn_error *error) {
  const int32_t n = sim->cells.n_cells;
  const struct cairn_regrid_rules rules = rules_of(sim);
  struct cairn_regrid_source *source = cairn_sources_create(n);
  const int32_t mine = cairn_task_driver_has_core() ? n / (1 + (int32_t)starpu_cpu_worker_get_count()) : 0;
  int failed = !source;
  for (cairn_cell_t c = 0; c < n - mine && !failed; c++)
    failed = cairn_task_snapshot_submit(&sim->cells, c, &rules, source + c);
  for (cairn_cell_t c = n - mine; c < n && !failed; c++)
    cairn_task_snapshot_here(&sim->cells, c, &rules, source + c);
  bool sound = cairn_sim_walls_fault(&sim->walls) < 0;
  int64_t n_faults = 0;
  if (source)
    cairn_sources_wait(source, n);
  for (cairn_cell_t c = 0; c < n && source; c++)
    n_faults += source[c].fault.kind != CAIRN_CELLS_SOUND;
  cairn_ranks_sum(&n_faults, 1);
  sound &= n_faults == 0;
  const bool good = !failed && sound && summarise(sim, source, n);
  for (cairn_cell_t c = 0; c < n && good; c++) {
    free(sim->cells.cell[c].packet);
    sim->cells.cell[c].packet = source[c].packet;
    source[c].packet = NULL;
  }
  cairn_sources_free(source, n);
  if (!failed && !sound)
    return cairn_simulation_retreat(sim, error);
  if (!good)
    return out_of_memory(error);
  keep_head(sim);
  return 0;
}

int cairn_simulation_snapshot(struct cairn_simulation *sim, struct cairn_error *error) {
  return sim->kept.step == sim->step ? 0 : take_snapshot(sim, error);
}

int cairn_simulation_snapshot_listed(struct cairn_simulation *sim, struct cairn_error *error) {
  const bool listed = !sim->rules.own_pairs || sim->kept.step > sim->regrid_step;
  return sim->kept.step == sim->step && listed ? 0 : take_snapshot(sim, error);
}

int cairn_simulation_begin(struct cairn_simulation *sim, int64_t offset, struct cairn_error *error) {
  enum { CHUNK = 8192 };
  struct cairn_regrid_rules rules = rules_of(sim);
  rules.offset = offset;
  const int64_t n_ranks = cairn_ranks_n(), me = cairn_ranks_me();
  int64_t n_having = sim->state.n == sim->n_bodies; /* else each has a stretch, or rank 0 all */
  cairn_ranks_sum(&n_having, 1);
  const int64_t from = n_having == n_ranks ? sim->state.n * me / n_ranks : 0,
                to = n_having == n_ranks ? sim->state.n * (me + 1) / n_ranks : sim->state.n;
  const int32_t n = (int32_t)((to - from + CHUNK - 1) / CHUNK);
  struct cairn_regrid_source *source = cairn_sources_create(n);
  int failed = !source;
  for (int32_t i = 0; i < n && !failed; i++) {
    const int64_t first = from + (int64_t)i * CHUNK, left = to - first;
    failed = cairn_task_chunk_submit(&sim->rules, &rules, first, (int32_t)(left < CHUNK ? left : CHUNK), source + i);
  }
  if (source)
    cairn_sources_wait(source, n);
  if (failed || !summarise(sim, source, n)) {
    cairn_sources_free(source, n);
    return out_of_memory(error);
  }
  sim->source = source;
  sim->n_sources = n;
  if (n_ranks > 1) { /* the other bodies are on other ranks */
    sim->state.step = -1;
    cairn_state_resize(&sim->state, 0, NULL);
    cairn_state_resize_contacts(&sim->state, 0, 0, NULL);
  }
  return 0;
}

/* ---- new cells ---- */

void cairn_simulation_drop(struct cairn_simulation *sim) {
  cairn_links_free(&sim->cells);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++)
    cairn_task_handles_unregister(&sim->cells, c);
  if (sim->world.scratch_handle)
    starpu_data_unregister(sim->world.scratch_handle);
  sim->world.scratch_handle = NULL;
  cairn_task_handles_free(&sim->cells);
  cairn_cells_fini(&sim->cells);
}

static void free_sources(struct cairn_simulation *sim) {
  cairn_sources_free(sim->source, sim->n_sources);
  sim->source = NULL;
  sim->n_sources = 0;
  cairn_sources_free(sim->arrived, sim->n_arrived);
  sim->arrived = NULL;
  sim->n_arrived = 0;
}

/* The packets of the cells become sources. */
static int take_packets(struct cairn_simulation *sim) {
  const int32_t n = sim->cells.n_cells;
  if (sim->source)
    return 0;
  sim->source = cairn_sources_create(n);
  if (!sim->source)
    return -1;
  sim->n_sources = n;
  for (cairn_cell_t c = 0; c < n; c++) {
    sim->source[c].packet = sim->cells.cell[c].packet;
    sim->cells.cell[c].packet = NULL;
  }
  return 0;
}

/* Removed bodies are in no cell: they are kept apart. */
static int set_aside(struct cairn_simulation *sim) {
  const size_t n_parts = (size_t)sim->n_sources + 1;
  struct cairn_packet_part *part = calloc(n_parts, sizeof *part);
  struct cairn_morton *gone = malloc((size_t)sim->summary.n_removed * sizeof *gone), *next = gone;
  struct cairn_packet *all = NULL;
  int32_t n = 0;
  if (part && gone && sim->removed)
    part[n++] = (struct cairn_packet_part){sim->removed, NULL, sim->removed->n};
  for (int32_t i = 0; i < sim->n_sources && part && gone; i++) {
    const struct cairn_packet *packet = sim->source[i].packet;
    if (sim->source[i].n_entries == packet->n)
      continue;
    part[n] = (struct cairn_packet_part){packet, next, 0};
    for (int32_t k = 0; k < packet->n; k++)
      if (cairn_packet_bodies(packet)[k].captor < 0)
        next[part[n].n++].id = k;
    next += part[n++].n;
  }
  if (part && gone)
    all = cairn_packet_merge(part, n, sim->rules.extras, sim->rules.memory);
  free(part);
  free(gone);
  if (!all)
    return -1;
  free(sim->removed);
  sim->removed = all;
  sim->summary.n_removed = 0;
  return 0;
}

/* The Morton order of each source, for which nobody waits yet. */
static int order_sources(struct cairn_simulation *sim) {
  const struct cairn_regrid_rules rules = rules_of(sim);
  int failed = 0;
  for (int32_t i = 0; i < sim->n_sources; i++) { /* of an attempt that failed */
    free(sim->source[i].entry);
    sim->source[i].entry = NULL;
  }
  for (int32_t i = 0; i < sim->n_sources && sim->rules.partition == CAIRN_CELLS_OCTREE && !failed; i++)
    failed = cairn_task_order_submit(&rules, sim->source + i);
  return failed;
}

static int sum_counts(void *context, int64_t *count, int32_t n) {
  (void)context;
  cairn_ranks_sum(count, n);
  return 0;
}

/* The lists of a cut, once the sources are in order. Not 0 if out of memory. */
static int list_sources(struct cairn_simulation *sim, struct cairn_cut_list *list) {
  int failed = 0;
  cairn_sources_wait(sim->source, sim->n_sources);
  for (int32_t i = 0; i < sim->n_sources && !failed; i++) {
    const struct cairn_regrid_source *source = sim->source + i;
    list[i] = (struct cairn_cut_list){source->entry, source->n_entries, cairn_packet_bodies(source->packet)};
    failed = !source->entry;
  }
  if (!failed && sim->summary.n_removed > 0)
    failed = set_aside(sim);
  if (failed)
    cairn_ranks_out_of_memory("the cells");
  return failed;
}

static void join_spreads(void *all, const void *more) { cairn_cut_join(all, more); }

/* How to slice: from the spread of all bodies. */
static int plan_slices(struct cairn_simulation *sim, struct cairn_cut_slices *slices, int64_t *n) {
  struct cairn_cut_spread spread = {0};
  int failed = 0;
  for (int32_t i = 0; i < sim->n_sources && !failed; i++)
    failed = cairn_task_order_survey_submit(sim->reference_due, sim->source + i);
  cairn_sources_wait(sim->source, sim->n_sources);
  for (int32_t i = 0; i < sim->n_sources; i++)
    cairn_cut_join(&spread, &sim->source[i].spread);
  cairn_ranks_join(&spread, sizeof spread, join_spreads);
  *slices = cairn_cut_plan(&spread, sim->cell_bodies);
  *n = spread.n;
  sim->reference_due = false;
  return failed;
}

/* Within each slice the order along the second axis. */
static int order_columns(struct cairn_simulation *sim, const struct cairn_cut_slices *slices,
                         const struct cairn_cut *cut) {
  int32_t *end = calloc((size_t)sim->n_sources * (size_t)cut->n + 1, sizeof *end);
  int failed = !end;
  for (int32_t s = 0; s < cut->n && !failed; s++)
    for (int32_t k = cut->part[s].first; k < cut->part[s].first + cut->part[s].n_ranges; k++)
      end[(int64_t)cut->range[k].list * cut->n + s] = cut->range[k].to;
  for (int64_t k = 0; k < (int64_t)sim->n_sources * cut->n && !failed; k++) /* slices without bodies of a source */
    end[k] = end[k] == 0 && k % cut->n > 0 ? end[k - 1] : end[k];
  for (int32_t i = 0; i < sim->n_sources && !failed; i++)
    failed = cairn_task_order_again_submit(slices->axis[1], end + (int64_t)i * cut->n, cut->n, sim->source + i);
  cairn_sources_wait(sim->source, sim->n_sources);
  for (int32_t i = 0; i < sim->n_sources && !failed; i++)
    failed = !sim->source[i].entry;
  free(end);
  if (failed)
    cairn_ranks_out_of_memory("the cells");
  return failed;
}

/* Slices or columns by counts. */
static int slice_sources(struct cairn_simulation *sim, struct cairn_cut_list *list, struct cairn_cut *cut) {
  struct cairn_cut_slices slices;
  int64_t n;
  int failed = plan_slices(sim, &slices, &n);
  for (int32_t i = 0; i < sim->n_sources && !failed; i++)
    failed = cairn_task_order_along_submit(slices.axis[0], sim->source + i);
  failed = failed || list_sources(sim, list) ||
           cairn_cut_make_slices(list, sim->n_sources, n, &slices, sum_counts, NULL, cut);
  if (!failed && slices.n_columns > 0)
    failed = order_columns(sim, &slices, cut) || cairn_cut_make_columns(list, &slices, sum_counts, NULL, cut);
  return failed;
}

/* The parts that become cells. */
static int cut_sources(struct cairn_simulation *sim, struct cairn_cut *cut) {
  struct cairn_cut_list *list = calloc((size_t)sim->n_sources + 1, sizeof *list);
  int failed = !list;
  if (failed)
    cairn_ranks_out_of_memory("the cells");
  else if (sim->rules.partition == CAIRN_CELLS_SLICES)
    failed = slice_sources(sim, list, cut);
  else
    failed = list_sources(sim, list) || cairn_cut_make(list, sim->n_sources, sim->cell_bodies, sum_counts, NULL, cut);
  free(list);
  return failed;
}

static int hand_out(struct cairn_simulation *sim, const struct cairn_cut *cut) {
  struct cairn_cells *cells = &sim->cells;
  struct cairn_regrid_source **source = calloc((size_t)sim->n_sources + (size_t)sim->n_arrived + 1, sizeof *source);
  int failed = !source || cairn_task_handles_create(cells), status = 0;
  for (int32_t i = 0; i < sim->n_sources + sim->n_arrived && source; i++)
    source[i] = i < sim->n_sources ? sim->source + i : sim->arrived + (i - sim->n_sources);
  cairn_cell_t n_open = 0;
  for (; n_open < cells->n_cells && !failed; n_open++) {
    cairn_task_handles_open(cells, n_open);
    failed = cairn_task_adopt_submit(cells, n_open, source, cut, &status);
  }
  cairn_task_handles_wait(cells, 0, n_open);
  free(source);
  return failed || status;
}

/* Bonds span no more than the skin, which holds the largest gap of any: one that does comes from a state in which body
 * and wall are farther apart than its bond can stretch. */
static int lost_bond(struct cairn_error *error) {
  struct cairn_error ours;
  const int status = cairn_error_set(&ours, CAIRN_ERR_INPUT,
                                     "a bond of the state reaches farther than it can stretch: the state does not fit "
                                     "its walls");
  cairn_ranks_abort(&ours); /* other ranks wait */
  if (error)
    *error = ours;
  return status;
}

/* Build all cells by tasks, and register the blocks of some when they are done, while others are being built. Returns 0
 * or the status of one that failed. */
static int build_cells(struct cairn_simulation *sim) {
  struct cairn_cells *cells = &sim->cells;
  const size_t entry = sizeof(struct cairn_hard_entry) / sizeof(double); /* the heap of all bodies */
  size_t most = sim->method->collides ? entry * (size_t)cells->n + 1 : 1;
  int failed = 0, status = 0;
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++)
    failed = cairn_task_build_submit(cells, c, &status);
  for (cairn_cell_t c = 0, built = 0; c < cells->n_cells; c++) {
    if (c == built) { /* wait for half of those that are left */
      built += (cells->n_cells - c + 1) / 2;
      cairn_task_handles_built(cells, c, built);
    }
    if (failed || __atomic_load_n(&status, __ATOMIC_RELAXED))
      continue;
    const size_t doubles = cairn_task_advance_scratch(cells->cell[c].size);
    most = doubles > most ? doubles : most;
    cairn_task_handles_register(cells, c);
  }
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    cairn_task_handles_close(cells, c);
  cairn_simulation_return(sim);
  if (failed || status)
    return failed ? CAIRN_ERR_NUMERIC : status;
  starpu_vector_data_register(&sim->world.scratch_handle, -1, 0, (uint32_t)most, sizeof(double));
  return 0;
}

/* Bodies that were merged into others; each merging is one. */
static int64_t count_merged(const struct cairn_simulation *sim) {
  int64_t n = 0;
  for (int32_t i = 0; i <= sim->n_sources && sim->world.hard.merge; i++) {
    const struct cairn_packet *packet = i < sim->n_sources ? sim->source[i].packet : sim->removed;
    for (int32_t k = 0; packet && k < packet->n; k++)
      n += -1 - cairn_packet_bodies(packet)[k].captor >= sim->scenario->n_walls;
  }
  if (sim->world.hard.merge)
    cairn_ranks_sum(&n, 1);
  return sim->world.hard.merge ? n - sim->n_waiting : 0;
}

/* Walls, counters and speed of the rollback point; returns the largest speed of a wall. */
static double restore(struct cairn_simulation *sim) {
  double wall_speed;
  cairn_sim_walls_restore(&sim->walls, &sim->kept);
  cairn_sim_walls_partition(&sim->walls, &sim->world, &sim->summary, sim->step, sim->step_size);
  cairn_sim_walls_displacement(&sim->walls, sim->step, sim->step_size, &wall_speed);
  sim->speed = fmax(sqrt(sim->summary.speed2), wall_speed);
  sim->displacement = 0.;
  sim->regrid_due = sim->is_expired = false;
  sim->outcome.tuning = (struct cairn_cd_tuning){sim->kept.momentum_limit, sim->kept.pair_sweeps};
  sim->outcome.unsolved = sim->kept.n_unsolved; /* steps that are undone do not count */
  sim->outcome.dissipated = sim->kept.dissipated_energy;
  sim->collided.collisions = sim->kept.n_collisions;
  sim->collided.wall_collisions = sim->kept.n_wall_collisions;
  sim->collided.slow = sim->kept.n_slow_collisions;
  sim->collided.merges = count_merged(sim);
  sim->collided.virial = sim->kept_virial;
  sim->collided.dissipated = sim->kept_dissipated;
  sim->bonds.n_broken = sim->kept.n_broken;
  sim->bonds.gap = sim->bonds.kept_gap;
  return wall_speed;
}

/* Bodies are kept once, in packets. A state of an earlier step is of no use, unless files are still being written from
 * it. */
static void release_bodies(struct cairn_simulation *sim) {
  if (sim->state.step == sim->step || sim->state.n == 0 || starpu_data_acquire_try(sim->state_handle, STARPU_RW))
    return;
  sim->state.step = -1;
  cairn_state_resize(&sim->state, 0, NULL);
  cairn_state_resize_contacts(&sim->state, 0, 0, NULL);
  starpu_data_release(sim->state_handle);
}

/* Cells with their bodies, nothing built yet. */
static int make_cells(struct cairn_simulation *sim, double skin, struct cairn_error *error) {
  struct cairn_cut cut = {0};
  int failed = cut_sources(sim, &cut);
  if (!failed) {
    cairn_simulation_migrate(sim, &cut);
    failed = cairn_cells_create(&sim->cells, cut.n, &sim->rules, error);
    for (cairn_cell_t c = 0; c < cut.n && cut.number && !failed; c++)
      sim->cells.cell[c].number = cut.number[c];
    failed = failed || hand_out(sim, &cut);
  }
  cairn_cut_fini(&cut);
  sim->cells.n = sim->n_bodies;
  failed = failed || cairn_cells_find_neighbors(&sim->cells, skin, error);
  if (!failed)
    cairn_simulation_link(sim);
  return failed ? out_of_memory(error) : 0;
}

int cairn_simulation_partition(struct cairn_simulation *sim, struct cairn_error *error) {
  cairn_sim_balance_begin(&sim->balance, &sim->cells);
  if (take_packets(sim) || order_sources(sim))
    return out_of_memory(error);
  cairn_simulation_drop(sim); /* while the sources are put in order */
  const double wall_speed = restore(sim), skin = sim->method->skin(sim);
  int status = make_cells(sim, skin, error);
  if (!status) {
    if (sim->state.n > 0) /* the state takes memory too. Else later: memory that was just given back is slow */
      free_sources(sim);
    sim->method->reach(sim, skin, wall_speed);
    const int built = build_cells(sim);
    status = built == 0 ? 0 : built == CAIRN_ERR_INPUT ? lost_bond(error) : out_of_memory(error);
    free_sources(sim);
    if (status)
      take_packets(sim);
  }
  if (status) {
    for (cairn_cell_t c = 0; c < sim->cells.n_cells && sim->cells.cell[c].handles; c++)
      cairn_task_handles_close(&sim->cells, c);
    cairn_simulation_drop(sim);
    return status;
  }
  release_bodies(sim);
  sim->regrid_step = sim->step;
  cairn_sim_balance_restart(&sim->balance);
  return sim->method->partitioned ? sim->method->partitioned(sim, error) : 0;
}

int cairn_simulation_regrid(struct cairn_simulation *sim, struct cairn_error *error) {
  const int status = cairn_simulation_snapshot(sim, error);
  if (status)
    return status;
  if (sim->is_expired)
    sim->kept.skin = 0.;
  sim->n_regrids += sim->step > sim->regrid_step;
  return cairn_simulation_partition(sim, error);
}
