#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster.h"
#include "data/initial/insert.h"
#include "solvers/simulation/ranks/fragments.h"
#include "solvers/simulation/simulation_parts.h"

int64_t cairn_simulation_step(const struct cairn_simulation *sim) { return sim->step; }

double cairn_simulation_time(const struct cairn_simulation *sim) { return (double)sim->step * sim->step_size; }

double cairn_simulation_step_size(const struct cairn_simulation *sim) { return sim->step_size; }

int64_t cairn_simulation_n_steps(double time_end, double step_size) {
  return (int64_t)fmin(ceil(time_end / step_size * (1. - 1e-12)), CAIRN_MOST_STEPS);
}

int64_t cairn_simulation_n_waiting(const struct cairn_simulation *sim) { return sim->n_waiting; }

int64_t cairn_simulation_n_bodies(const struct cairn_simulation *sim) { return sim->n_bodies; }

int64_t cairn_simulation_n_cells(const struct cairn_simulation *sim) { return sim->n_cells; }

int64_t cairn_simulation_n_regrids(const struct cairn_simulation *sim) { return sim->n_regrids; }

void cairn_simulation_imbalance(const struct cairn_simulation *sim, double *first, double *last) {
  *first = sim->balance.first;
  *last = sim->balance.last;
}

double cairn_simulation_gravity_seconds(const struct cairn_simulation *sim) { return sim->gravity_seconds; }

double cairn_simulation_gravity_share(const struct cairn_simulation *sim) { return sim->gravity.share; }

double cairn_simulation_gravity_received(const struct cairn_simulation *sim) { return sim->gravity.received; }

starpu_data_handle_t cairn_simulation_state_handle(const struct cairn_simulation *sim) { return sim->state_handle; }

struct cairn_overlaps cairn_simulation_overlaps(struct cairn_simulation *sim) {
  const struct cairn_overlaps overlaps = sim->overlaps;
  sim->overlaps = (struct cairn_overlaps){.a = -1, .b = -1};
  return overlaps;
}

struct cairn_escaped cairn_simulation_escaped(struct cairn_simulation *sim) {
  const struct cairn_escaped escaped = sim->escaped;
  sim->escaped = (struct cairn_escaped){.body = -1};
  return escaped;
}

int cairn_simulation_task_error(struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "StarPU refused a task, or out of memory");
}

/* ---- observing ---- */

/* Bodies within their bounds may still have an energy beyond a double, by the numbers of the scenario. */
static int check_sums(const struct cairn_simulation *sim, const struct cairn_observables *o,
                      struct cairn_error *error) {
  const struct {
    const char *name;
    double value;
  } sums[] = {{"kinetic energy", o->kinetic_energy},
              {"rotational energy", o->rotational_energy},
              {"potential energy", o->potential_energy},
              {"elastic energy", o->elastic_energy},
              {"dissipated energy", sim->method->solves || sim->method->collides ? o->dissipated_energy : 0.},
              {"momentum", o->momentum[0] + o->momentum[1] + o->momentum[2]},
              {"angular momentum", o->angular_momentum[0] + o->angular_momentum[1] + o->angular_momentum[2]}};
  for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
    if (!isfinite(sums[k].value))
      return cairn_error_set(error, CAIRN_ERR_NUMERIC,
                             "step %lld (t = %.9g s): the %s of all bodies is not finite; the state of this step is "
                             "kept",
                             (long long)sim->step, cairn_simulation_time(sim), sums[k].name);
  return 0;
}

/* Collisions so far, and the random motion of the bodies. */
static void observe_collisions(const struct cairn_simulation *sim, struct cairn_observables *out) {
  const bool collides = sim->method->collides;
  const double mass = out->total_mass, *p = out->momentum, square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
  out->granular_temperature = mass > 0. ? fmax(0., 2. * out->kinetic_energy - square / mass) / (3. * mass) : 0.;
  out->n_collisions = collides ? (double)sim->collided.collisions : (double)NAN;
  out->n_wall_collisions = collides ? (double)sim->collided.wall_collisions : (double)NAN;
  out->n_slow_collisions = collides ? (double)sim->collided.slow : (double)NAN;
  out->n_merges = collides ? (double)sim->collided.merges : (double)NAN;
  out->collision_virial = collides ? cairn_exact_sum_value(&sim->collided.virial) : (double)NAN;
  out->n_windows = collides ? (double)sim->world.hard.n_windows : (double)NAN;
  out->largest_island = collides ? (double)sim->collided.island : (double)NAN;
}

static void join_sums(void *all, const void *more) { cairn_kernel_soft_spheres_add(all, more); }

/* The sums of each cell, by tasks. */
static int submit_sums(struct cairn_simulation *sim, struct cairn_error *error) {
  cairn_sim_walls_predict(&sim->walls, &sim->world, sim->step, 0.);
  int failed = cairn_task_gather_all_submit(&sim->cells, 0.);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && !failed; c++)
    failed = cairn_task_observe_submit(sim->cells.cell + c, &sim->world);
  if (failed)
    cairn_ranks_out_of_memory("the sums of the cells"); /* other ranks wait */
  return failed ? cairn_simulation_task_error(error) : 0;
}

/* Wait for them and add them up. */
static int observe_sums(struct cairn_simulation *sim, struct cairn_observables *out, struct cairn_error *error) {
  struct cairn_sums sums = {0};
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_acquire(sim->cells.cell[c].handles->sums, STARPU_R);
    cairn_kernel_soft_spheres_add(&sums, &sim->cells.cell[c].sums);
    starpu_data_release(sim->cells.cell[c].handles->sums);
  }
  cairn_ranks_join(&sums, sizeof sums, join_sums);
  const double mass = cairn_exact_sum_value(&sums.mass);
  *out = (struct cairn_observables){
      .time = cairn_simulation_time(sim),
      .step = (double)sim->step,
      .step_size = sim->step_size,
      .kinetic_energy = cairn_exact_sum_value(&sums.kinetic),
      .rotational_energy = cairn_exact_sum_value(&sums.rotational),
      .potential_energy = cairn_exact_sum_value(&sums.potential),
      .elastic_energy = cairn_exact_sum_value(&sums.elastic),
      .dissipated_energy = sim->method->solves     ? sim->outcome.dissipated
                           : sim->method->collides ? cairn_exact_sum_value(&sim->collided.dissipated)
                                                   : (double)NAN,
      .total_mass = mass,
      .n_contacts = sums.n_contacts,
      .n_wall_contacts = sums.n_wall_contacts,
      .n_bonds = sums.n_bonds,
      .n_broken = (double)sim->bonds.n_broken,
      .coordination = sums.n_bodies > 0. ? 2. * sums.n_contacts / sums.n_bodies : 0.,
      .solver_contacts = sim->outcome.contacts,
      .solver_sweeps = (double)sim->outcome.sweeps,
      .solver_restarts = (double)sim->outcome.restarts,
      .solver_residual = sim->outcome.residual,
      .n_refreshes = (double)sim->state.n_refreshes,
      .n_unsolved = (double)sim->outcome.unsolved,
      .n_bodies = sums.n_bodies,
      .n_held = sums.n_held,
      .n_absorbed = (double)(sim->cells.n - sim->n_waiting) - sums.n_bodies,
      .n_outside = (double)sim->summary.n_outside,
      .n_fragments = (double)NAN,
      .largest_fragment = (double)NAN,
      .second_fragment = (double)NAN,
      .max_overlap = sums.max_overlap,
      .max_speed = sqrt(sums.max_speed2),
  };
  for (int k = 0; k < 3; k++) {
    out->momentum[k] = cairn_exact_sum_value(&sums.momentum[k]);
    out->angular_momentum[k] = cairn_exact_sum_value(&sums.angular_momentum[k]);
    out->center_of_mass[k] = mass > 0. ? cairn_exact_sum_value(&sums.mass_moment[k]) / mass : 0.;
  }
  observe_collisions(sim, out);
  return check_sums(sim, out, error);
}

int cairn_simulation_observe_cheaply(struct cairn_simulation *sim, struct cairn_observables *out,
                                     struct cairn_error *error) {
  int status = sim->is_bounded ? cairn_simulation_snapshot(sim, error) : 0; /* counts who is outside */
  if (!status)
    status = submit_sums(sim, error);
  return status ? status : observe_sums(sim, out, error);
}

/* What bonds or its own gravity hold together may be in pieces. `state` has all bodies; NULL: they are shared by ranks.
 */
static int observe_fragments(struct cairn_simulation *sim, const struct cairn_state *state,
                             struct cairn_observables *out, struct cairn_error *error) {
  struct cairn_cluster_fragments fragments;
  struct cairn_cluster_links bonds = {0};
  const bool bonded = sim->scenario->n_bonds > 0;
  if (!bonded && !sim->scenario->self_gravity)
    return 0;
  int status = bonded && state ? cairn_cluster_bonds(state, &bonds, error) : 0;
  if (!status && !state)
    status = cairn_sim_fragments_count(sim, bonded, &fragments, error);
  else if (!status)
    status = cairn_cluster_count(state, cairn_cluster_gap(state), bonded ? &bonds : NULL, &fragments, error);
  free(bonds.pair);
  if (status)
    return status;
  out->n_fragments = (double)fragments.n;
  out->largest_fragment = fragments.largest;
  out->second_fragment = fragments.second;
  return 0;
}

/* What describes all bodies as one aggregate. `state` has them; NULL: they are shared by ranks. */
static int observe_aggregate(struct cairn_simulation *sim, const struct cairn_state *state,
                             struct cairn_contact_rows *contacts, struct cairn_observables *out,
                             struct cairn_error *error) {
  int status = state ? cairn_task_aggregate_observe(sim->state_handle, state, sim->scenario, contacts, out, error)
                     : cairn_simulation_observe_aggregate(sim, out, error);
  if (!status)
    status = observe_fragments(sim, state, out, error);
  status = cairn_ranks_agree(status, error);
  cairn_ranks_tell(out, sizeof *out);
  return status;
}

int cairn_simulation_fragments(struct cairn_simulation *sim, struct cairn_cluster_fragments *out,
                               struct cairn_error *error) {
  struct cairn_sim_fragment largest;
  if (cairn_ranks_n() == 1) {
    const struct cairn_state *state = cairn_simulation_capture(sim, error);
    return state ? cairn_cluster_count(state, cairn_cluster_gap(state), NULL, out, error) : CAIRN_ERR_NUMERIC;
  }
  const int status = cairn_sim_fragments_largest(sim, &largest, error);
  if (status)
    return status;
  *out = largest.fragments;
  free(largest.member);
  return 0;
}

/* Potential energy of self-gravity. */
static int observe_gravity(struct cairn_simulation *sim, struct cairn_observables *out, struct cairn_error *error) {
  struct cairn_sim_gravity_bodies bodies = {0};
  double energy = 0.;
  int status = cairn_simulation_snapshot(sim, error);
  if (status)
    return status;
  struct cairn_packet **packet = cairn_simulation_packets(sim, &bodies.n);
  bodies.packet = packet;
  status = packet ? cairn_sim_gravity_energy(&sim->gravity, &bodies, &energy, error)
                  : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  free(packet);
  out->potential_energy += energy;
  return status ? status : check_sums(sim, out, error);
}

int cairn_simulation_observe_frame(struct cairn_simulation *sim, struct cairn_contact_rows *contacts,
                                   struct cairn_observables *out, struct cairn_error *error) {
  const bool alone = cairn_ranks_n() == 1;
  int status = alone || sim->is_bounded ? cairn_simulation_snapshot(sim, error) : 0;
  if (!status)
    status = submit_sums(sim, error);
  if (status)
    return status;
  /* while the workers add up */
  const struct cairn_state *state = alone ? cairn_simulation_capture(sim, error) : NULL;
  if (alone && !state)
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  status = observe_sums(sim, out, error);
  if (!status)
    status = observe_aggregate(sim, state, contacts, out, error);
  if (!status && sim->scenario->self_gravity)
    status = observe_gravity(sim, out, error);
  return status;
}

int cairn_simulation_observe(struct cairn_simulation *sim, struct cairn_observables *out, struct cairn_error *error) {
  return cairn_simulation_observe_frame(sim, NULL, out, error);
}

/* How many bodies each wall has captured and removed: of the state, or of the packets of this rank. */
static int count_captures(struct cairn_simulation *sim, struct cairn_wall_sample *samples, struct cairn_error *error) {
  const int32_t n_walls = sim->scenario->n_walls;
  if (!sim->world.walls.captures)
    return 0;
  if (cairn_ranks_n() == 1) {
    const struct cairn_state *state = cairn_simulation_capture(sim, error);
    for (int64_t i = 0; state && i < state->n; i++)
      cairn_sim_walls_count(state->captor[i], n_walls, samples);
    return state ? 0 : CAIRN_ERR_NUMERIC;
  }
  int32_t n = 0;
  const int status = cairn_simulation_snapshot(sim, error);
  struct cairn_packet **packet = status ? NULL : cairn_simulation_packets(sim, &n);
  for (int32_t p = 0; p < n && packet; p++)
    for (int32_t i = 0; packet[p] && i < packet[p]->n; i++)
      cairn_sim_walls_count(cairn_packet_bodies(packet[p])[i].captor, n_walls, samples);
  free(packet);
  return status;
}

int cairn_simulation_observe_walls(struct cairn_simulation *sim, struct cairn_wall_sample *samples,
                                   struct cairn_error *error) {
  memset(samples, 0, (size_t)sim->scenario->n_walls * sizeof *samples);
  int status = count_captures(sim, samples, error);
  if (status)
    return status;
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_acquire(sim->cells.cell[c].handles->history, STARPU_R);
    starpu_data_acquire(sim->cells.cell[c].handles->pair_list, STARPU_R);
  }
  status = cairn_sim_walls_observe(&sim->walls, &sim->cells, cairn_simulation_time(sim), samples, error);
  for (cairn_cell_t c = 0; c < sim->cells.n_cells; c++) {
    starpu_data_release(sim->cells.cell[c].handles->history);
    starpu_data_release(sim->cells.cell[c].handles->pair_list);
  }
  return status;
}

/* ---- beginning and end ---- */

/* Tables that the cells and the kernels need of the scenario. */
static int make_rules(struct cairn_simulation *sim, struct cairn_error *error) {
  const struct cairn_scenario *s = sim->scenario;
  const size_t n_materials = (size_t)s->n_materials;
  size_t n_doubles = 0;
  sim->law = malloc(n_materials * n_materials * sizeof *sim->law);
  sim->wall_law = malloc((size_t)s->n_walls * n_materials * sizeof *sim->wall_law + 1);
  if (!sim->law || !sim->wall_law)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  int status = sim->method->constants(s, &sim->world, sim->law, sim->wall_law, &sim->constants, &n_doubles, error);
  if (status)
    return status;
  sim->world.cd.outcome = &sim->outcome;
  sim->world.hard.n_bodies = sim->n_bodies;
  sim->world.hard.n_walls = s->n_walls;
  sim->world.hard.n_windows = 1;
  sim->world.hard.n_materials = s->n_materials;
  sim->world.hard.law = sim->law;
  sim->world.outside = s->external.start.has_central || s->external.start.rotates ? &s->external : NULL;
  starpu_vector_data_register(&sim->world.world_handle, STARPU_MAIN_RAM, (uintptr_t)sim->constants, (uint32_t)n_doubles,
                              sizeof(double));
  status = cairn_sim_walls_init(&sim->walls, s, &sim->world, error);
  if (status)
    return status;
  sim->rules = (struct cairn_cells_rules){
      .n_materials = s->n_materials,
      .law = sim->law,
      .n_walls = s->n_walls,
      .n_laws = sim->world.n_laws,
      .world = sim->constants,
      .assemblies = sim->walls.reference,
      .wall_law = sim->wall_law,
      .wall_mass = sim->walls.wall_mass,
      .memory = sim->method->memory(s),
      .captures = sim->world.walls.captures,
      .fields = s->self_gravity,
      .devices = cairn_task_advance_on_devices() && (cairn_ranks_n() == 1 || !sim->method->solves),
      .partition = sim->method->partition,
      .by_reference = sim->method->by_reference,
      .own_pairs = sim->method->own_pairs,
      .solves = sim->method->solves,
      .blocks = sim->method->blocks,
      .n_blocks = sim->method->n_blocks,
      .pairs_by_body = sim->method->pairs_by_body,
      .near = sim->method->near,
      .rotation = sim->world.rotation,
  };
  return 0;
}

/* Does any body have what it has in some runs only? */
static bool has_extras(const struct cairn_state *state) {
  bool found = false;
  for (int64_t i = 0; i < state->n && !found; i++) {
    found = state->captor[i] != 0 || state->capture_time[i] != 0.;
    for (int64_t k = 3 * i; k < 3 * i + 3; k++)
      found |= state->capture_place[k] != 0. || state->gravity[k] != 0. || state->reference[k] != 0.;
  }
  return found;
}

/* The rollback point of a new simulation is its state. */
static int keep_start(struct cairn_simulation *sim, struct cairn_error *error) {
  const struct cairn_scenario *s = sim->scenario;
  int64_t n_extras = has_extras(&sim->state);
  cairn_ranks_sum(&n_extras, 1);
  sim->rules.extras = sim->rules.captures || sim->rules.fields || sim->rules.by_reference || n_extras > 0;
  sim->bonds.gap = sim->bonds.kept_gap = cairn_ranks_max(sim->bonds.gap);
  for (int k = 0; k < 3; k++)
    sim->is_bounded |= isfinite(s->world_lower[k]) || isfinite(s->world_upper[k]);
  sim->escaped.body = -1;
  sim->step = sim->state.step;
  const int status = cairn_state_resize_assemblies(&sim->kept, sim->state.n_assemblies, error);
  if (!status)
    cairn_simulation_copy_head(&sim->kept, &sim->state);
  sim->kept.skin = sim->state.skin;
  cairn_exact_sum_add(&sim->kept_dissipated, sim->kept.dissipated_energy);
  cairn_exact_sum_add(&sim->kept_virial, sim->kept.collision_virial);
  return status;
}

/* m, of all bodies. Where ranks have stretches of them, the sum goes on from rank to rank. */
static void find_mean_radius(struct cairn_simulation *sim, bool shared) {
  if (shared)
    cairn_ranks_take_turn(&sim->mean_radius, sizeof sim->mean_radius);
  for (int64_t i = 0; i < sim->state.n; i++)
    sim->mean_radius += sim->state.radius[i] / (double)sim->n_bodies;
  if (shared)
    cairn_ranks_pass_turn(&sim->mean_radius, sizeof sim->mean_radius);
  else
    cairn_ranks_tell(&sim->mean_radius, sizeof sim->mean_radius);
}

/* What the state says, checked, is the rollback point. */
static int begin(struct cairn_simulation *sim, const struct cairn_state_stretch *stretch, bool resume,
                 struct cairn_error *error) {
  const struct cairn_scenario *s = sim->scenario;
  const struct cairn_state_stretch all = {0, sim->state.n};
  for (int64_t i = 0; i < sim->state.n; i++)
    sim->world.largest_radius = fmax(sim->world.largest_radius, sim->state.radius[i]);
  sim->world.largest_radius = cairn_ranks_max(sim->world.largest_radius);
  int status = make_rules(sim, error);
  if (!status && !resume)
    status = cairn_sim_walls_start(&sim->walls, &sim->state, error);
  if (!status)
    status = cairn_state_check_stretch(&sim->state, stretch ? stretch : &all, s->n_materials, s->n_walls,
                                       s->n_assemblies, error);
  if (!status)
    status = cairn_state_remember(&sim->state, sim->rules.memory, error);
  if (!status)
    status = cairn_state_check_step(&sim->state, s->time_step, error);
  status = cairn_ranks_agree(status, error);
  if (!status)
    status = cairn_sim_bonds_begin(sim, stretch, error);
  status = cairn_ranks_agree(status, error);
  if (!status)
    status = keep_start(sim, error);
  status = cairn_ranks_agree(status, error);
  if (status)
    return status;
  find_mean_radius(sim, stretch != NULL);
  status = cairn_simulation_begin(sim, stretch ? stretch->first : 0, error);
  if (resume) /* bodies that are outside the world already have been reported before */
    sim->escaped = (struct cairn_escaped){.body = -1};
  return status;
}

/* The simulation of these bodies, which are moved into it: `bodies` keeps only step and time. */
static int create(struct cairn_scenario *scenario, const struct cairn_plan *plan, struct cairn_state *bodies,
                  const struct cairn_state_stretch *stretch, bool resume, struct cairn_simulation **simulation,
                  struct cairn_error *error) {
  struct cairn_simulation *sim = calloc(1, sizeof *sim);
  if (!sim)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  sim->state = *bodies;
  *bodies = (struct cairn_state){.step = sim->state.step, .time = sim->state.time};
  sim->scenario = scenario;
  sim->n_bodies = stretch ? stretch->n_all : cairn_ranks_decide(sim->state.n); /* other ranks may have none */
  for (int64_t i = 0; i < sim->state.n; i++)
    sim->n_waiting += cairn_insert_waits(scenario, sim->state.captor[i], (stretch ? stretch->first : 0) + i);
  if (stretch)
    cairn_ranks_sum(&sim->n_waiting, 1);
  else
    sim->n_waiting = cairn_ranks_decide(sim->n_waiting);
  sim->method = cairn_method_of(scenario);
  sim->world.h = sim->step_size = scenario->time_step;
  sim->world.solves = sim->method->solves;
  sim->recommended_step = plan->recommended_step;
  sim->cell_bodies = plan->cells_bodies;
  sim->overlaps.a = sim->overlaps.b = -1;
  cairn_sim_gravity_init(&sim->gravity, scenario);
  starpu_variable_data_register(&sim->state_handle, STARPU_MAIN_RAM, (uintptr_t)&sim->state, sizeof sim->state);
  int status = begin(sim, stretch, resume, error);
  if (!status) {
    sim->world.cd.step.detection_margin = 0.02 * sim->mean_radius;
    status = cairn_simulation_partition(sim, error);
  }
  if (!status && !resume && scenario->n_spin_ups > 0)
    status = cairn_simulation_spin_up(sim, error);
  if (!status && !resume)
    status = sim->method->start(sim, error);
  sim->n_regrids = 0;
  sim->gravity_seconds = 0.;
  if (status) {
    cairn_simulation_free(sim);
    return status;
  }
  *simulation = sim;
  return 0;
}

/* Which of the initial bodies are here. */
static struct cairn_state_stretch initial_stretch(const struct cairn_scenario *scenario) {
  return (struct cairn_state_stretch){scenario->share.first, cairn_scenario_n_bodies(scenario)};
}

int cairn_simulation_create(struct cairn_scenario *scenario, const struct cairn_state *resume,
                            struct cairn_simulation **simulation, struct cairn_error *error) {
  struct cairn_plan plan;
  struct cairn_state copy = {0};
  const struct cairn_state_stretch stretch = initial_stretch(scenario);
  int status = cairn_simulation_plan(scenario, &plan, error);
  if (!status)
    status = cairn_state_check_arrays(resume ? resume : &scenario->initial, error);
  if (!status)
    status = cairn_state_copy(&copy, resume ? resume : &scenario->initial, error);
  if (!status)
    status = create(scenario, &plan, &copy, scenario->share.is_shared && !resume ? &stretch : NULL, resume != NULL,
                    simulation, error);
  cairn_state_fini(&copy);
  return status;
}

int cairn_simulation_adopt(struct cairn_scenario *scenario, struct cairn_state *resume,
                           const struct cairn_state_stretch *stretch, struct cairn_simulation **simulation,
                           struct cairn_error *error) {
  struct cairn_plan plan;
  struct cairn_state *bodies = resume ? resume : &scenario->initial;
  const struct cairn_state_stretch initial = initial_stretch(scenario);
  int status = cairn_simulation_plan(scenario, &plan, error);
  if (!status)
    status = cairn_state_check_arrays(bodies, error);
  if (status)
    return status;
  if (!resume && scenario->share.is_shared)
    stretch = &initial;
  if (!resume) /* the scenario has no bodies any more */
    cairn_scenario_share_fini(&scenario->share);
  return create(scenario, &plan, bodies, stretch, resume != NULL, simulation, error);
}

void cairn_simulation_free(struct cairn_simulation *sim) {
  if (!sim)
    return;
  if (cairn_ranks_n() > 1)
    starpu_task_wait_for_all(); /* tasks add their times to the cells */
  cairn_simulation_drop(sim);
  starpu_data_unregister(sim->state_handle);
  if (sim->world.world_handle)
    starpu_data_unregister(sim->world.world_handle);
  cairn_sim_walls_fini(&sim->walls, &sim->world);
  cairn_sim_gravity_fini(&sim->gravity);
  cairn_sim_bonds_fini(&sim->bonds);
  cairn_sources_free(sim->source, sim->n_sources);
  cairn_state_fini(&sim->state);
  cairn_state_fini(&sim->kept);
  free(sim->removed);
  free(sim->balance.slice);
  free(sim->law);
  free(sim->wall_law);
  free(sim->constants);
  free(sim);
}
