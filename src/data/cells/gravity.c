#include "data/cells/gravity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Epsilon for an accuracy: factor accuracy^power, by order. Errors add up faster than random signs would let them, as
 * sources on the same side of a body err alike, the more the smaller and more numerous they are: at low orders first.
 * RMS errors come out at 0.3 to 0.9 of the accuracy for all kinds of bodies in bench/gravity.c and N up to 1e6. */
static const struct {
  double factor, power;
} epsilon_of[CAIRN_GRAVITY_ORDERS + 1] = {{0., 0.}, {1., 2.}, {11., 1.6}, {7., 1.24}, {6.4, 1.13}, {5., 1.05}};

static const double theta = 0.9;

/* Up to so many bodies direct sums are faster, at an accuracy of 5e-4 and in proportion to this power of it: what
 * bench/gravity.c measures. */
static const double CROSSOVER = 1000., CROSSOVER_POWER = -0.35;

/* A body takes 1 to 4 us: tasks of half a millisecond at least, of some at most. */
enum { BRANCHES = 16, SMALLEST_BRANCH = 256, LARGEST_BRANCH = 2048 };

static int out_of_memory(struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for self-gravity");
}

void cairn_gravity_init(struct cairn_gravity *gravity, const struct cairn_gravity_rules *rules) {
  *gravity = (struct cairn_gravity){.rules = *rules};
  if (rules->order > 0)
    return;
  gravity->rules.order = rules->accuracy < 5e-3 ? 5 : 4; /* at low accuracy 4 is as fast, with a smaller tree */
  gravity->most_direct = (int32_t)fmin(CROSSOVER * pow(rules->accuracy / 5e-4, CROSSOVER_POWER), 1e6);
}

static int32_t branch_size(const struct cairn_gravity *gravity, int32_t n) {
  const int32_t even = n / BRANCHES;
  if (gravity->rules.max_bodies > 0)
    return gravity->rules.max_bodies;
  return even < SMALLEST_BRANCH ? SMALLEST_BRANCH : even > LARGEST_BRANCH ? LARGEST_BRANCH : even;
}

static int is_direct(const struct cairn_gravity *gravity) { return gravity->n <= gravity->most_direct; }

/* Room for n bodies; what was there is lost. */
static int reserve_bodies(struct cairn_gravity *gravity, int32_t n) {
  if (n <= gravity->body_capacity)
    return 0;
  const size_t room = (size_t)n;
  free(gravity->entry);
  free(gravity->key);
  free(gravity->x);
  gravity->entry = malloc(2 * room * sizeof *gravity->entry);
  gravity->key = malloc(room * sizeof *gravity->key);
  gravity->x = malloc((4 + CAIRN_FIELD) * room * sizeof *gravity->x);
  gravity->body_capacity = 0;
  if (!gravity->entry || !gravity->key || !gravity->x)
    return -1;
  gravity->body_capacity = n;
  gravity->scratch = gravity->entry + room;
  gravity->y = gravity->x + room;
  gravity->z = gravity->y + room;
  gravity->m = gravity->z + room;
  gravity->field = gravity->m + room;
  return 0;
}

/* Room for n branches; those that are there keep their memory. */
static int reserve_branches(struct cairn_gravity *gravity, int32_t n) {
  if (n <= gravity->branch_capacity)
    return 0;
  struct cairn_gravity_branch *branch = realloc(gravity->branch, (size_t)n * sizeof *branch);
  if (!branch)
    return -1;
  memset(branch + gravity->branch_capacity, 0, (size_t)(n - gravity->branch_capacity) * sizeof *branch);
  gravity->branch = branch;
  gravity->branch_capacity = n;
  free(gravity->top);
  free(gravity->root);
  gravity->top = malloc(2 * (size_t)n * sizeof *gravity->top);
  gravity->root = malloc((size_t)n * sizeof *gravity->root);
  return gravity->top && gravity->root ? 0 : -1;
}

int cairn_gravity_cut(struct cairn_gravity *gravity, int32_t n, const double *position, struct cairn_error *error) {
  gravity->n = gravity->n_branches = 0;
  if (n == 0)
    return CAIRN_OK;
  int64_t *end = malloc((size_t)n * sizeof *end);
  if (!end || reserve_bodies(gravity, n)) {
    free(end);
    return out_of_memory(error);
  }
  for (int32_t i = 0; i < n; i++)
    gravity->entry[i].id = i;
  cairn_morton_order(position, gravity->entry, gravity->scratch, n);
  const int32_t n_branches = cairn_morton_cut(gravity->entry, n, branch_size(gravity, n), end);
  const int failed = reserve_branches(gravity, n_branches);
  for (int32_t b = 0; b < n_branches && !failed; b++) {
    gravity->branch[b].first = (int32_t)(b > 0 ? end[b - 1] : 0);
    gravity->branch[b].n = (int32_t)end[b] - gravity->branch[b].first;
  }
  free(end);
  if (failed)
    return out_of_memory(error);
  gravity->n = n;
  gravity->n_branches = n_branches;
  return CAIRN_OK;
}

static struct cairn_points bodies_of(const struct cairn_gravity *gravity) {
  return (struct cairn_points){gravity->x, gravity->y, gravity->z, gravity->m};
}

/* The bodies of a branch as arrays in Morton order. */
static void gather(struct cairn_gravity *gravity, const struct cairn_gravity_branch *branch, const double *position,
                   const double *mass) {
  for (int32_t i = branch->first; i < branch->first + branch->n; i++) {
    const int64_t id = gravity->entry[i].id;
    gravity->key[i] = gravity->entry[i].key;
    gravity->x[i] = position[3 * id];
    gravity->y[i] = position[3 * id + 1];
    gravity->z[i] = position[3 * id + 2];
    gravity->m[i] = mass[id];
  }
}

int cairn_gravity_build(struct cairn_gravity *gravity, int32_t branch, const double *position, const double *mass,
                        struct cairn_error *error) {
  struct cairn_gravity_branch *b = gravity->branch + branch;
  const struct cairn_points bodies = bodies_of(gravity);
  gather(gravity, b, position, mass);
  if (is_direct(gravity))
    return CAIRN_OK;
  while ((b->n_nodes = cairn_kernel_gravity_tree_cut(b->first, b->n, gravity->key, CAIRN_GRAVITY_LEAF, branch, b->node,
                                                     b->node_capacity)) < 0) {
    const int32_t room = b->node_capacity > 0 ? 2 * b->node_capacity : 4 * (b->n / CAIRN_GRAVITY_LEAF) + 1;
    free(b->node);
    b->node = malloc((size_t)room * sizeof *b->node);
    b->node_capacity = b->node ? room : 0;
    if (!b->node)
      return out_of_memory(error);
  }
  cairn_kernel_gravity_tree_fill(gravity->rules.order, &bodies, b->n_nodes, b->node);
  return CAIRN_OK;
}

void cairn_gravity_join(struct cairn_gravity *gravity) {
  gravity->n_top = 0;
  if (gravity->n_branches == 0 || is_direct(gravity))
    return;
  uint64_t *key = gravity->key; /* the trees of the branches are built: their keys have done their work */
  for (int32_t b = 0; b < gravity->n_branches; b++) {
    gravity->root[b] = gravity->branch[b].node;
    key[b] = gravity->entry[gravity->branch[b].first].key;
  }
  gravity->n_top =
      cairn_kernel_gravity_tree_cut(0, gravity->n_branches, key, 1, -1, gravity->top, 2 * gravity->n_branches);
  cairn_kernel_gravity_tree_join(gravity->rules.order, gravity->root, gravity->n_top, gravity->top);
}

/* Walk with as large a stack as it takes. */
static int walk(struct cairn_gravity *gravity, int32_t branch) {
  struct cairn_gravity_branch *b = gravity->branch + branch;
  const int order = gravity->rules.order;
  const struct cairn_gravity_forest forest = {.order = order,
                                              .epsilon = epsilon_of[order].factor *
                                                         pow(gravity->rules.accuracy, epsilon_of[order].power),
                                              .theta = theta,
                                              .top = gravity->top,
                                              .root = gravity->root,
                                              .bodies = bodies_of(gravity)};
  while (cairn_kernel_gravity_walk(&forest, branch, b->stack, b->stack_capacity, gravity->field)) {
    const int64_t room = b->stack_capacity > 0 ? 2 * b->stack_capacity : 1024;
    free(b->stack);
    b->stack = malloc((size_t)room * sizeof *b->stack);
    b->stack_capacity = b->stack ? room : 0;
    if (!b->stack)
      return -1;
  }
  return 0;
}

static void sum_directly(struct cairn_gravity *gravity, const struct cairn_gravity_branch *b) {
  const int32_t first = b->first;
  const struct cairn_points all = bodies_of(gravity), sinks = {all.x + first, all.y + first, all.z + first, NULL};
  double *field = gravity->field + CAIRN_FIELD * (int64_t)first;
  memset(field, 0, CAIRN_FIELD * (size_t)b->n * sizeof *field);
  cairn_kernel_gravity_direct(b->n, &sinks, gravity->n, &all, field);
}

int cairn_gravity_evaluate(struct cairn_gravity *gravity, int32_t branch, double *acceleration, double *potential,
                           struct cairn_error *error) {
  struct cairn_gravity_branch *b = gravity->branch + branch;
  if (is_direct(gravity))
    sum_directly(gravity, b);
  else if (walk(gravity, branch))
    return out_of_memory(error);
  cairn_gravity_deliver(gravity, branch, acceleration, potential);
  return CAIRN_OK;
}

void cairn_gravity_deliver(const struct cairn_gravity *gravity, int32_t branch, double *acceleration,
                           double *potential) {
  const struct cairn_gravity_branch *b = gravity->branch + branch;
  const double G = gravity->rules.G;
  for (int32_t i = b->first; i < b->first + b->n; i++) {
    const double *field = gravity->field + CAIRN_FIELD * (int64_t)i;
    const int64_t id = gravity->entry[i].id;
    for (int k = 0; k < 3; k++)
      acceleration[3 * id + k] = G * field[k];
    potential[id] = -G * field[3];
  }
}

void cairn_gravity_drift(const struct cairn_gravity *gravity, double drift[3]) {
  double mass = 0.;
  memset(drift, 0, 3 * sizeof *drift);
  for (int32_t i = 0; i < gravity->n; i++) { /* not branch by branch, so that their size does not matter */
    mass += gravity->m[i];
    for (int k = 0; k < 3; k++)
      drift[k] += gravity->m[i] * gravity->field[CAIRN_FIELD * (int64_t)i + k];
  }
  for (int k = 0; k < 3 && gravity->n > 0; k++)
    drift[k] *= gravity->rules.G / mass;
}

size_t cairn_gravity_memory(const struct cairn_gravity *gravity) {
  const size_t per_body = 2 * sizeof *gravity->entry + sizeof *gravity->key + (4 + CAIRN_FIELD) * sizeof *gravity->x;
  const size_t per_branch = sizeof *gravity->branch + 2 * sizeof *gravity->top + sizeof *gravity->root;
  size_t bytes = (size_t)gravity->body_capacity * per_body + (size_t)gravity->branch_capacity * per_branch;
  for (int32_t b = 0; b < gravity->branch_capacity; b++)
    bytes += (size_t)gravity->branch[b].node_capacity * sizeof *gravity->branch->node +
             (size_t)gravity->branch[b].stack_capacity * sizeof *gravity->branch->stack;
  return bytes;
}

void cairn_gravity_fini(struct cairn_gravity *gravity) {
  for (int32_t b = 0; b < gravity->branch_capacity; b++) {
    free(gravity->branch[b].node);
    free(gravity->branch[b].stack);
  }
  free(gravity->branch);
  free(gravity->top);
  free(gravity->root);
  free(gravity->entry);
  free(gravity->key);
  free(gravity->x);
  *gravity = (struct cairn_gravity){0};
}
