#include "solvers/simulation/walls.h"
#include "kernels/common/vec3.h"
#include "tasks/ranks/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes ---- */

static double farthest_corner(const double lower[3], const double upper[3], const double from[3]) {
  double square = 0.;
  for (int k = 0; k < 3; k++) {
    const double d = fmax(fabs(lower[k] - from[k]), fabs(upper[k] - from[k]));
    square += d * d;
  }
  return sqrt(square);
}

/* No point of the wall is farther from its assembly's position than this. */
static double size_of(const struct cairn_wall *wall) {
  static const double here[3] = {0., 0., 0.};
  const double *s = wall->shape, away = cairn_vec3_length(s + 1);
  switch ((int)s[0]) {
  case CAIRN_SHAPE_DISK:
  case CAIRN_SHAPE_RING:
  case CAIRN_SHAPE_SPHERE:
    return away + s[7];
  case CAIRN_SHAPE_RECTANGLE:
  case CAIRN_SHAPE_TRIANGLE:
    return away + cairn_vec3_length(s + 4) + cairn_vec3_length(s + 7);
  case CAIRN_SHAPE_CONE:
    return away + s[7] + 0.5 * s[8];
  case CAIRN_SHAPE_LINE:
    return s[8] < 0. ? INFINITY : away + 0.5 * s[8];
  case CAIRN_SHAPE_POINT:
    return away;
  case CAIRN_SHAPE_MESH:
    return farthest_corner(wall->mesh->lower, wall->mesh->upper, here);
  default:
    return INFINITY;
  }
}

/* ---- beginning and end ---- */

static bool moves(const struct cairn_assembly_rules *rules) {
  return rules->kind != CAIRN_ASSEMBLY_FIXED || rules->appears > 0. || rules->vanishes < INFINITY;
}

static int allocate(struct cairn_sim_walls *w, bool moving) {
  const size_t n = (size_t)w->scenario->n_assemblies + 1, block = n * CAIRN_ASSEMBLY;
  int failed = 0;
  w->rules = calloc(n, sizeof *w->rules);
  w->symmetric = calloc(n, sizeof *w->symmetric);
  double **const arrays[] = {&w->size,    &w->extent,    &w->wall_mass,      &w->load,
                             &w->current, &w->reference, &w->free_assemblies};
  const size_t counts[] = {n, n, (size_t)w->scenario->n_walls + 1, 6 * n, block, block, n * CAIRN_FREE_ASSEMBLY};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    *arrays[k] = calloc(counts[k], sizeof(double));
    failed |= !*arrays[k];
  }
  for (int k = 0; k < (moving ? CAIRN_TASK_RING : 1); k++) {
    w->slot[k] = calloc(block, sizeof(double));
    failed |= !w->slot[k];
  }
  return failed || !w->rules || !w->symmetric;
}

int cairn_sim_walls_init(struct cairn_sim_walls *w, const struct cairn_scenario *s, struct cairn_task_world *world,
                         struct cairn_error *error) {
  memset(w, 0, sizeof *w);
  w->scenario = s;
  for (int32_t a = 0; a < s->n_assemblies; a++)
    world->walls.moving |= moves(&s->assemblies[a].rules);
  if (allocate(w, world->walls.moving))
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the walls");
  for (int32_t a = 0; a < s->n_assemblies; a++) {
    w->rules[a] = s->assemblies[a].rules;
    w->symmetric[a] = s->assemblies[a].symmetric;
    w->is_free |= w->rules[a].kind == CAIRN_ASSEMBLY_FREE;
  }
  world->walls.captures = cairn_scenario_has_captures(s);
  for (int32_t k = 0; k < s->n_walls; k++) {
    const struct cairn_wall *wall = s->walls + k;
    const struct cairn_assembly_rules *rules = w->rules + wall->assembly;
    const bool is_free = rules->kind == CAIRN_ASSEMBLY_FREE && rules->n_slides > 0 && !(rules->servo_force > 0.);
    w->wall_mass[k] = is_free ? rules->mass : INFINITY;
    w->size[wall->assembly] = fmax(w->size[wall->assembly], size_of(wall));
    world->walls.has_free_assemblies = w->is_free;
  }
  for (int k = 0; k < CAIRN_TASK_RING && w->slot[k]; k++)
    starpu_vector_data_register(&world->walls.assemblies_handle[k], STARPU_MAIN_RAM, (uintptr_t)w->slot[k],
                                (uint32_t)((s->n_assemblies + 1) * CAIRN_ASSEMBLY), sizeof(double));
  starpu_vector_data_register(&world->walls.free_assemblies_handle, STARPU_MAIN_RAM, (uintptr_t)w->free_assemblies,
                              (uint32_t)((s->n_assemblies + 1) * CAIRN_FREE_ASSEMBLY), sizeof(double));
  world->walls.report = &w->report;
  world->walls.set = (struct cairn_walls_set){.n = s->n_assemblies,
                                              .rules = w->rules,
                                              .symmetric = w->symmetric,
                                              .extent = w->extent,
                                              .reference = w->reference,
                                              .gravity = {s->gravity[0], s->gravity[1], s->gravity[2]},
                                              .load = w->load};
  return 0;
}

static void free_loads(struct cairn_task_loads *loads) {
  cairn_wall_loads_free(loads);
  free(loads->cell);
  free(loads->contact);
  memset(loads, 0, sizeof *loads);
}

void cairn_sim_walls_fini(struct cairn_sim_walls *w, struct cairn_task_world *world) {
  for (int k = 0; k < CAIRN_TASK_RING; k++) {
    if (world->walls.assemblies_handle[k])
      starpu_data_unregister(world->walls.assemblies_handle[k]);
    free(w->slot[k]);
  }
  if (world->walls.free_assemblies_handle)
    starpu_data_unregister(world->walls.free_assemblies_handle);
  free_loads(&world->walls.loads);
  double *const arrays[] = {w->size, w->extent, w->wall_mass, w->load, w->current, w->reference, w->free_assemblies};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    free(arrays[k]);
  free(w->rules);
  free(w->symmetric);
}

/* ---- states ---- */

/* The arrays of a state and where their values are in the block. */
struct part {
  double *values;
  int at, n;
};
enum { N_PARTS = 6 };

static void parts_of(const struct cairn_state *state, struct part parts[N_PARTS]) {
  const struct part all[N_PARTS] = {
      {state->assembly_position, CAIRN_ASSEMBLY_STATE_X, 3},
      {state->assembly_orientation, CAIRN_ASSEMBLY_STATE_Q, 4},
      {state->assembly_velocity, CAIRN_ASSEMBLY_STATE_V, 3},
      {state->assembly_spin, CAIRN_ASSEMBLY_STATE_W, 3},
      {state->assembly_acceleration, CAIRN_ASSEMBLY_STATE_A, 3},
      {state->assembly_angular_acceleration, CAIRN_ASSEMBLY_STATE_AW, 3},
  };
  memcpy(parts, all, sizeof all);
}

static double *state_of(const double *block, int32_t a, int at) {
  return (double *)block + (int64_t)CAIRN_ASSEMBLY * a + CAIRN_ASSEMBLY_STATE + at;
}

void cairn_sim_walls_restore(struct cairn_sim_walls *w, const struct cairn_state *state) {
  struct part parts[N_PARTS];
  parts_of(state, parts);
  for (int32_t a = 0; a < w->scenario->n_assemblies; a++)
    for (int k = 0; k < N_PARTS; k++)
      memcpy(state_of(w->current, a, parts[k].at), parts[k].values + (int64_t)parts[k].n * a,
             (size_t)parts[k].n * sizeof(double));
}

void cairn_sim_walls_capture(const struct cairn_sim_walls *w, struct cairn_state *state) {
  struct part parts[N_PARTS];
  parts_of(state, parts);
  for (int32_t a = 0; a < w->scenario->n_assemblies; a++)
    for (int k = 0; k < N_PARTS; k++)
      memcpy(parts[k].values + (int64_t)parts[k].n * a, state_of(w->current, a, parts[k].at),
             (size_t)parts[k].n * sizeof(double));
}

int32_t cairn_sim_walls_fault(const struct cairn_sim_walls *w) {
  const double tolerance = 1e-6; /* as of states that are read */
  for (int32_t a = 0; a < w->scenario->n_assemblies; a++) {
    const double *s = state_of(w->current, a, 0), *q = s + CAIRN_ASSEMBLY_STATE_Q;
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!cairn_state_check_range(s + CAIRN_ASSEMBLY_STATE_X, 3, CAIRN_STATE_MOST_LENGTH) ||
        !(fabs(length - 1.) <= tolerance) || /* velocity, spin and both accelerations stand side by side */
        !cairn_state_check_range(s + CAIRN_ASSEMBLY_STATE_V, CAIRN_ASSEMBLY_STATE_DOUBLES - CAIRN_ASSEMBLY_STATE_V,
                                 CAIRN_STATE_MOST_RATE))
      return a;
  }
  return -1;
}

int cairn_sim_walls_start(const struct cairn_sim_walls *w, struct cairn_state *state, struct cairn_error *error) {
  const size_t n = (size_t)w->scenario->n_assemblies;
  double(*velocity)[3] = calloc(n + 1, sizeof *velocity), (*spin)[3] = calloc(n + 1, sizeof *spin);
  int status = velocity && spin ? cairn_state_resize_assemblies(state, (int64_t)n, error)
                                : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the walls");
  if (!status) {
    for (size_t a = 0; a < n; a++) {
      memcpy(velocity[a], w->scenario->assemblies[a].velocity, sizeof *velocity);
      memcpy(spin[a], w->scenario->assemblies[a].spin, sizeof *spin);
    }
    cairn_kernel_assemblies_start(w->rules, (int32_t)n, (const double(*)[3])velocity, (const double(*)[3])spin,
                                  w->current);
    cairn_sim_walls_capture(w, state);
  }
  free(velocity);
  free(spin);
  return status;
}

/* ---- partition ---- */

void cairn_sim_walls_partition(struct cairn_sim_walls *w, struct cairn_task_world *world,
                               const struct cairn_packet_summary *bodies, int64_t step, double h) {
  const int32_t n = w->scenario->n_assemblies;
  const double *lower = bodies->near, *upper = bodies->far;
  memcpy(w->reference, w->current, (size_t)n * CAIRN_ASSEMBLY * sizeof(double));
  cairn_kernel_assemblies_predict(w->rules, n, (double)step * h, 0., w->reference);
  for (int32_t a = 0; a < n; a++) {
    const double *x = w->reference + (int64_t)CAIRN_ASSEMBLY * a + CAIRN_ASSEMBLY_X;
    w->extent[a] = lower[0] <= upper[0] ? fmin(w->size[a], farthest_corner(lower, upper, x)) : 0.;
  }
  free_loads(&world->walls.loads);
}

struct numbered {
  struct cairn_task_wall_load contact;
  int32_t body;
};

static int compare_numbered(const void *a, const void *b) {
  const struct numbered *p = a, *q = b;
  if (p->body != q->body)
    return p->body < q->body ? -1 : 1;
  return (p->contact.pair > q->contact.pair) - (p->contact.pair < q->contact.pair);
}

/* Pairs of a cell with walls of free assemblies; appended to `list` if that is not NULL. */
static int64_t list_wall_loads(const struct cairn_sim_walls *w, const struct cairn_cell *cell, int32_t place,
                               struct numbered *list) {
  const struct cairn_pair_list_offsets o = cairn_pair_list_offsets(cell->size);
  const int32_t *body = (const int32_t *)((const char *)cell->pair_list + o.a) + cell->size.n_pairs;
  const int32_t *wall = (const int32_t *)((const char *)cell->pair_list + o.b) + cell->size.n_pairs;
  int64_t n = 0;
  for (int32_t k = 0; k < cell->size.n_wall_pairs; k++) {
    const int32_t a = w->scenario->walls[wall[k]].assembly;
    if (w->rules[a].kind != CAIRN_ASSEMBLY_FREE)
      continue;
    if (list)
      list[n] = (struct numbered){{place, k, a}, cell->id[body[k]]};
    n++;
  }
  return n;
}

int cairn_sim_walls_partitioned(struct cairn_sim_walls *w, struct cairn_task_world *world,
                                const struct cairn_cells *cells, struct cairn_error *error) {
  struct cairn_task_loads *loads = &world->walls.loads;
  if (!w->is_free)
    return 0;
  int64_t total = 0;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    total += list_wall_loads(w, cells->cell + c, 0, NULL);
  struct numbered *list = malloc((size_t)total * sizeof *list + 1);
  loads->contact = malloc((size_t)total * sizeof *loads->contact + 1);
  loads->cell = malloc((size_t)cells->n_cells * sizeof *loads->cell + 1);
  if (!list || !loads->contact || !loads->cell) {
    free(list);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the walls");
  }
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    const int64_t here = list_wall_loads(w, cells->cell + c, loads->n_cells, list + loads->n);
    if (here > 0)
      loads->cell[loads->n_cells++] = cells->cell + c;
    loads->n += here;
  }
  if (total > 0)
    qsort(list, (size_t)total, sizeof *list, compare_numbered);
  for (int64_t k = 0; k < total; k++)
    loads->contact[k] = list[k].contact;
  struct cairn_wall_load_place *place = calloc((size_t)total + 1, sizeof *place);
  for (int64_t k = 0; k < total && place; k++)
    place[k] = (struct cairn_wall_load_place){list[k].body, list[k].contact.assembly};
  if (place)
    cairn_wall_loads_share(loads, place);
  else
    cairn_ranks_out_of_memory("the walls");
  free(place);
  free(list);
  return 0;
}

/* ---- steps ---- */

double cairn_sim_walls_displacement(const struct cairn_sim_walls *w, int64_t step, double h, double *speed) {
  double most = 0.;
  *speed = 0.;
  for (int32_t a = 0; a < w->scenario->n_assemblies && h > 0.; a++) {
    double now[CAIRN_ASSEMBLY], next[CAIRN_ASSEMBLY];
    const int64_t at = (int64_t)CAIRN_ASSEMBLY * a;
    memcpy(now, w->current + at, sizeof now);
    memcpy(next, now, sizeof next);
    cairn_kernel_assemblies_predict(w->rules + a, 1, (double)step * h, 0., now);
    cairn_kernel_assemblies_predict(w->rules + a, 1, (double)(step + 1) * h, h, next);
    most = fmax(most, cairn_kernel_assemblies_displacement(w->reference + at, now, w->extent[a], w->symmetric[a]));
    *speed = fmax(*speed, cairn_kernel_assemblies_displacement(now, next, w->extent[a], w->symmetric[a]) / h);
  }
  return most;
}

void cairn_sim_walls_predict(struct cairn_sim_walls *w, struct cairn_task_world *world, int64_t step, double h) {
  const int32_t n = w->scenario->n_assemblies;
  const double time = h > 0. ? ((double)step + world->detection_point) * h : (double)step * world->h;
  starpu_data_acquire(world->walls.assemblies_handle[0], STARPU_W);
  memcpy(w->slot[0], w->current, (size_t)n * CAIRN_ASSEMBLY * sizeof(double));
  cairn_kernel_assemblies_predict(w->rules, n, time, world->detection_point * h, w->slot[0]);
  starpu_data_release(world->walls.assemblies_handle[0]);
  w->report = cairn_report_reset();
  world->step = step;
}

void cairn_sim_walls_accept(struct cairn_sim_walls *w, const struct cairn_task_world *world, int32_t steps,
                            bool alone) {
  if (!world->walls.moving)
    return;
  const int slot = alone ? 0 : steps % CAIRN_TASK_RING;
  starpu_data_acquire(world->walls.assemblies_handle[slot], STARPU_R);
  memcpy(w->current, w->slot[slot], (size_t)w->scenario->n_assemblies * CAIRN_ASSEMBLY * sizeof(double));
  starpu_data_release(world->walls.assemblies_handle[slot]);
}

/* ---- observing ---- */

/* Position and motion of the wall's reference point. */
static void place(const struct cairn_sim_walls *w, int32_t k, const double *predicted,
                  struct cairn_wall_sample *sample) {
  const struct cairn_wall *wall = w->scenario->walls + k;
  const double *x = predicted + CAIRN_ASSEMBLY_X, *r = predicted + CAIRN_ASSEMBLY_R,
               *start = w->rules[wall->assembly].start;
  double arm[3], turn[3];
  for (int i = 0; i < 3; i++) {
    arm[i] = 0.;
    for (int j = 0; j < 3; j++)
      arm[i] += r[3 * i + j] * (wall->reference[j] - start[j]);
  }
  cairn_vec3_cross(predicted + CAIRN_ASSEMBLY_W, arm, turn);
  for (int i = 0; i < 3; i++) {
    sample->position[i] = x[i] + arm[i];
    sample->velocity[i] = predicted[CAIRN_ASSEMBLY_V + i] + turn[i];
    sample->spin[i] = predicted[CAIRN_ASSEMBLY_W + i];
  }
  memcpy(sample->orientation, state_of(predicted, 0, CAIRN_ASSEMBLY_STATE_Q), sizeof sample->orientation);
  sample->active = predicted[CAIRN_ASSEMBLY_ACTIVE];
}

/* Force and torque on a wall, about its assembly's position. */
struct loads {
  struct cairn_exact_sum part[6];
};

static void add_wall_loads(const struct cairn_cell *cell, struct loads *loads, struct cairn_wall_sample *samples) {
  const struct cairn_pair_list_offsets o = cairn_pair_list_offsets(cell->size);
  const struct cairn_history_offsets s = cairn_history_offsets(cell->size);
  const int32_t *wall = (const int32_t *)((const char *)cell->pair_list + o.b) + cell->size.n_pairs;
  const uint32_t *age = (const uint32_t *)((const char *)cell->history + s.age) + cell->size.n_pairs;
  const double *push = (const double *)((const char *)cell->history + s.wall_load);
  for (int32_t k = 0; k < cell->size.n_wall_pairs; k++) {
    samples[wall[k]].n_contacts += age[k] > 0;
    for (int i = 0; i < 6; i++)
      if (push[6 * (int64_t)k + i] != 0.)
        cairn_exact_sum_add(&loads[wall[k]].part[i], push[6 * (int64_t)k + i]);
  }
}

void cairn_sim_walls_count(int32_t captor, int32_t n_walls, struct cairn_wall_sample *samples) {
  if (captor > 0)
    samples[captor - 1].n_held += 1.;
  else if (captor < 0 && -1 - captor < n_walls) /* others merged with a body */
    samples[-1 - captor].n_absorbed += 1.;
}

/* What one rank sees of a wall. */
struct seen {
  struct loads loads;
  double n_contacts, n_held, n_absorbed;
};

static void join_seen(void *to, const void *from) {
  struct seen *all = to;
  const struct seen *more = from;
  for (int i = 0; i < 6; i++)
    cairn_exact_sum_join(&all->loads.part[i], &more->loads.part[i]);
  all->n_contacts += more->n_contacts;
  all->n_held += more->n_held;
  all->n_absorbed += more->n_absorbed;
}

/* Over all ranks. */
static void join_ranks(struct loads *loads, struct cairn_wall_sample *sample) {
  struct seen seen = {*loads, sample->n_contacts, sample->n_held, sample->n_absorbed};
  if (cairn_ranks_n() == 1)
    return;
  cairn_ranks_join(&seen, sizeof seen, join_seen);
  *loads = seen.loads;
  sample->n_contacts = seen.n_contacts;
  sample->n_held = seen.n_held;
  sample->n_absorbed = seen.n_absorbed;
}

int cairn_sim_walls_observe(const struct cairn_sim_walls *w, const struct cairn_cells *cells, double time,
                            struct cairn_wall_sample *samples, struct cairn_error *error) {
  const struct cairn_scenario *s = w->scenario;
  struct loads *loads = calloc((size_t)s->n_walls + 1, sizeof *loads);
  if (!loads)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the walls");
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    add_wall_loads(cells->cell + c, loads, samples);
  for (int32_t k = 0; k < s->n_walls; k++)
    join_ranks(loads + k, samples + k);
  for (int32_t k = 0; k < s->n_walls; k++)
    for (int i = 0; i < 3; i++) {
      samples[k].force[i] = cairn_exact_sum_value(&loads[k].part[i]);
      samples[k].torque[i] = cairn_exact_sum_value(&loads[k].part[3 + i]);
    }
  free(loads);
  for (int32_t k = 0; k < s->n_walls; k++) {
    const int32_t a = s->walls[k].assembly;
    double block[CAIRN_ASSEMBLY], arm[3], moment[3];
    memcpy(block, w->current + (int64_t)CAIRN_ASSEMBLY * a, sizeof block);
    cairn_kernel_assemblies_predict(w->rules + a, 1, time, 0., block);
    place(w, k, block, samples + k);
    for (int i = 0; i < 3; i++)
      arm[i] = block[CAIRN_ASSEMBLY_X + i] - samples[k].position[i];
    cairn_vec3_cross(arm, samples[k].force, moment);
    for (int i = 0; i < 3; i++)
      samples[k].torque[i] += moment[i];
  }
  return 0;
}
