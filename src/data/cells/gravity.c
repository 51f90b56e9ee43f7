#include "data/cells/gravity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/state/state_check.h"

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

/* A body takes 1 to 4 us: tasks of half a millisecond at least, of some at most. Lists: putting them in order takes a
 * thirtieth of that. */
enum { BRANCHES = 16, SMALLEST_BRANCH = 256, LARGEST_BRANCH = 4096, LISTS = 32, SMALLEST_LIST = 2048 };

/* Sources that wait on the way down, at first. */
enum { STACK = 4096 };

static int out_of_memory(struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for self-gravity");
}

void cairn_gravity_init(struct cairn_gravity *gravity, const struct cairn_gravity_rules *rules) {
  *gravity = (struct cairn_gravity){.rules = *rules};
  struct cairn_gravity_terms *terms = &gravity->terms;
  terms->G = rules->G;
  terms->order = rules->order;
  if (rules->order == 0) {
    terms->order = rules->accuracy < 5e-3 ? 5 : 4; /* at low accuracy 4 is as fast, with a smaller tree */
    gravity->most_direct = (int32_t)fmin(CROSSOVER * pow(rules->accuracy / 5e-4, CROSSOVER_POWER), 1e6);
  }
  terms->epsilon = epsilon_of[terms->order].factor * pow(rules->accuracy, epsilon_of[terms->order].power);
}

static int32_t branch_size(const struct cairn_gravity *gravity, int32_t n) {
  const int32_t even = n / BRANCHES;
  if (gravity->rules.max_bodies > 0)
    return gravity->rules.max_bodies;
  return even < SMALLEST_BRANCH ? SMALLEST_BRANCH : even > LARGEST_BRANCH ? LARGEST_BRANCH : even;
}

/* Room for n bodies; what was there is lost. */
static int reserve_bodies(struct cairn_gravity *gravity, int32_t n) {
  if (n <= gravity->body_capacity)
    return 0;
  const size_t room = (size_t)n;
  free(gravity->entry);
  free(gravity->bodies.row);
  free(gravity->field);
  gravity->entry = malloc(room * sizeof *gravity->entry);
  gravity->bodies.row = malloc(CAIRN_GRAVITY_ROWS * room * sizeof *gravity->bodies.row);
  gravity->field = malloc(CAIRN_FIELD * room * sizeof *gravity->field);
  gravity->body_capacity = gravity->entry && gravity->bodies.row && gravity->field ? n : 0;
  return gravity->body_capacity == n ? 0 : -1;
}

size_t cairn_gravity_top(int32_t n_branches) {
  const size_t keys = (size_t)n_branches * sizeof(uint64_t);
  return 2 * (size_t)n_branches + keys / sizeof(struct cairn_gravity_node) + 1;
}

/* Room for n branches; what was there is lost. */
static int reserve_branches(struct cairn_gravity *gravity, int32_t n) {
  if (n <= gravity->branch_capacity)
    return 0;
  free(gravity->branch);
  free(gravity->top);
  gravity->branch = malloc((size_t)n * sizeof *gravity->branch);
  gravity->top = malloc(cairn_gravity_top(n) * sizeof *gravity->top);
  gravity->branch_capacity = gravity->branch && gravity->top ? n : 0;
  return gravity->branch_capacity == n ? 0 : -1;
}

int cairn_gravity_begin(struct cairn_gravity *gravity, int32_t n, struct cairn_error *error) {
  const int32_t even = (n + LISTS - 1) / LISTS, size = even < SMALLEST_LIST ? SMALLEST_LIST : even;
  gravity->n_lists = gravity->n_nodes = gravity->n_room = 0;
  gravity->terms.n = gravity->terms.n_branches = 0;
  if (!gravity->list && !(gravity->list = malloc(LISTS * sizeof *gravity->list)))
    return out_of_memory(error);
  if (reserve_bodies(gravity, n))
    return out_of_memory(error);
  for (int32_t first = 0; first < n; first += size) {
    const int32_t room = n - first < size ? n - first : size;
    gravity->list[gravity->n_lists++] = (struct cairn_gravity_list){.first = first, .room = room, .n = room};
  }
  gravity->n_room = n;
  return CAIRN_OK;
}

void cairn_gravity_collect(const struct cairn_packet *const *packet, int32_t n,
                           struct cairn_gravity_prediction prediction, struct cairn_gravity_list *list,
                           double *position, double *mass, int32_t *id) {
  const double lead = prediction.lead, later = prediction.later;
  for (int32_t i = 0; i < list->room; i++)
    id[i] = -1;
  for (int32_t p = 0; p < n; p++)
    for (int32_t i = packet[p] ? cairn_packet_find_id(packet[p], list->first) : 0; packet[p] && i < packet[p]->n; i++) {
      const struct cairn_body *body = cairn_packet_bodies(packet[p]) + i;
      const int32_t at = body->id - list->first;
      if (at >= list->room)
        break;
      if (body->captor < 0)
        continue;
      const double *x = body->state + CAIRN_STATE_X, *v = body->state + CAIRN_STATE_V, *a = body->state + CAIRN_STATE_A;
      for (int k = 0; k < 3; k++)
        position[3 * (int64_t)at + k] = x[k] + lead * (v[k] + 0.5 * lead * a[k]) + later * v[k];
      mass[at] = body->mass;
      id[at] = body->id;
    }
  list->n = 0;
  for (int32_t i = 0; i < list->room; i++)
    if (id[i] >= 0) {
      memmove(position + 3 * (int64_t)list->n, position + 3 * (int64_t)i, 3 * sizeof *position);
      mass[list->n] = mass[i];
      id[list->n++] = id[i];
    }
}

void cairn_gravity_box(const double *position, struct cairn_gravity_list *list) {
  for (int k = 0; k < 3; k++) {
    list->lower[k] = INFINITY;
    list->upper[k] = -INFINITY;
  }
  for (int64_t i = 0; i < list->n; i++)
    for (int k = 0; k < 3; k++) {
      list->lower[k] = fmin(list->lower[k], position[3 * i + k]);
      list->upper[k] = fmax(list->upper[k], position[3 * i + k]);
    }
}

void cairn_gravity_enclose(struct cairn_gravity *gravity) {
  struct cairn_gravity_terms *terms = &gravity->terms;
  double upper[3];
  for (int k = 0; k < 3; k++) {
    terms->lower[k] = INFINITY;
    upper[k] = -INFINITY;
    for (int32_t l = 0; l < gravity->n_lists; l++) {
      terms->lower[k] = fmin(terms->lower[k], gravity->list[l].lower[k]);
      upper[k] = fmax(upper[k], gravity->list[l].upper[k]);
    }
  }
  terms->scale = cairn_morton_scale(terms->lower, upper);
  terms->n = 0;
  for (int32_t l = 0; l < gravity->n_lists; l++)
    terms->n += gravity->list[l].n;
  terms->is_direct = terms->n <= gravity->most_direct;
  gravity->bodies.pitch = terms->n;
}

void cairn_gravity_order(const struct cairn_gravity_terms *terms, const double *position,
                         struct cairn_gravity_list *list, struct cairn_morton *entry) {
  struct cairn_morton *scratch = malloc((size_t)list->n * sizeof *scratch + 1);
  list->failed = !scratch;
  if (!scratch)
    return;
  for (int32_t i = 0; i < list->n; i++) {
    entry[i].id = list->first + i;
    entry[i].key = cairn_morton_key(position + 3 * (int64_t)entry[i].id, terms->lower, terms->scale);
  }
  cairn_morton_sort(entry, scratch, list->n);
  free(scratch);
}

int cairn_gravity_cut(struct cairn_gravity *gravity, struct cairn_error *error) {
  struct cairn_cut_list list[LISTS];
  int failed = 0;
  for (int32_t l = 0; l < gravity->n_lists; l++) {
    list[l] = (struct cairn_cut_list){gravity->entry + gravity->list[l].first, gravity->list[l].n, NULL};
    failed |= gravity->list[l].failed;
  }
  cairn_cut_fini(&gravity->cut);
  if (failed ||
      cairn_cut_make(list, gravity->n_lists, branch_size(gravity, gravity->terms.n), NULL, NULL, &gravity->cut) ||
      reserve_branches(gravity, gravity->cut.n))
    return out_of_memory(error);
  for (int32_t b = 0, first = 0; b < gravity->cut.n; first += gravity->branch[b++].n) {
    const struct cairn_cut_part part = gravity->cut.part[b];
    gravity->branch[b] = (struct cairn_gravity_branch){
        .first = first, .n = (int32_t)part.n, .range = part.first, .n_ranges = part.n_ranges};
  }
  gravity->terms.n_branches = gravity->cut.n;
  return CAIRN_OK;
}

/* The bodies of one branch as the lists have them, keys with their numbers; and the caller's index of each. */
static void collect(const struct cairn_gravity_list *list, const struct cairn_morton *entry,
                    const struct cairn_cut_range *range, const struct cairn_gravity_branch *branch,
                    struct cairn_morton *own, int32_t *id) {
  int32_t n = 0;
  for (int32_t k = branch->range; k < branch->range + branch->n_ranges; k++)
    for (int32_t i = range[k].from; i < range[k].to; i++, n++) {
      const struct cairn_morton *e = entry + list[range[k].list].first + i;
      own[n] = (struct cairn_morton){e->key, n};
      id[n] = e->id;
    }
}

void cairn_gravity_gather(const struct cairn_gravity_terms *terms, const struct cairn_gravity_list *list,
                          const struct cairn_morton *entry, const struct cairn_cut_range *range, const double *position,
                          const double *mass, struct cairn_gravity_branch *branch, struct cairn_gravity_bodies own) {
  const size_t n = (size_t)branch->n;
  struct cairn_morton *sorted = malloc(2 * n * sizeof *sorted);
  int32_t *id = malloc(n * sizeof *id), *place = (void *)cairn_gravity_row(own, CAIRN_GRAVITY_PLACE);
  uint64_t *key = (void *)cairn_gravity_row(own, CAIRN_GRAVITY_KEY);
  branch->failed = !sorted || !id;
  if (!branch->failed) {
    collect(list, entry, range, branch, sorted, id);
    cairn_morton_sort(sorted, sorted + n, branch->n); /* lists are in the caller's order, and so are equal keys */
    for (int32_t i = 0; i < branch->n; i++) {
      const int64_t of = id[sorted[i].id];
      key[i] = sorted[i].key;
      place[sorted[i].id] = i;
      for (int k = 0; k < 3; k++)
        own.row[(CAIRN_GRAVITY_X + k) * own.pitch + i] = position[3 * of + k];
      own.row[CAIRN_GRAVITY_MASS * own.pitch + i] = mass[of];
    }
    branch->n_nodes = terms->is_direct ? 0 : cairn_kernel_gravity_tree_count(branch->n, key, CAIRN_GRAVITY_LEAF);
  }
  free(sorted);
  free(id);
}

int cairn_gravity_reserve(struct cairn_gravity *gravity, struct cairn_error *error) {
  int failed = 0;
  gravity->n_nodes = 0;
  for (int32_t b = 0; b < gravity->terms.n_branches; b++) {
    gravity->branch[b].node = gravity->n_nodes;
    gravity->n_nodes += gravity->branch[b].n_nodes;
    failed |= gravity->branch[b].failed;
  }
  if (failed)
    return out_of_memory(error);
  if (gravity->n_nodes <= gravity->node_capacity)
    return CAIRN_OK;
  const int32_t room = gravity->n_nodes + gravity->n_nodes / 16; /* the number changes a little as bodies move */
  free(gravity->node);
  gravity->node = malloc((size_t)room * sizeof *gravity->node);
  gravity->node_capacity = gravity->node ? room : 0;
  return gravity->node ? CAIRN_OK : out_of_memory(error);
}

static struct cairn_points points_of(struct cairn_gravity_bodies bodies) {
  return (struct cairn_points){cairn_gravity_row(bodies, CAIRN_GRAVITY_X), cairn_gravity_row(bodies, CAIRN_GRAVITY_Y),
                               cairn_gravity_row(bodies, CAIRN_GRAVITY_Z),
                               cairn_gravity_row(bodies, CAIRN_GRAVITY_MASS)};
}

void cairn_gravity_build(const struct cairn_gravity_terms *terms, const struct cairn_gravity_branch *branch,
                         int32_t number, struct cairn_gravity_bodies own, struct cairn_gravity_node *node) {
  const struct cairn_points points = points_of(own);
  const uint64_t *key = (const void *)cairn_gravity_row(own, CAIRN_GRAVITY_KEY);
  const int32_t n = cairn_kernel_gravity_tree_cut(branch->first, branch->n, key, CAIRN_GRAVITY_LEAF, number, node);
  cairn_kernel_gravity_tree_fill(terms->order, &points, n, node);
}

void cairn_gravity_join(const struct cairn_gravity_terms *terms, const struct cairn_gravity_branch *branch,
                        struct cairn_gravity_bodies bodies, const struct cairn_gravity_node *node,
                        struct cairn_gravity_node *top) {
  const uint64_t *all = (const void *)cairn_gravity_row(bodies, CAIRN_GRAVITY_KEY);
  uint64_t *key = (void *)(top + 2 * (size_t)terms->n_branches);
  for (int32_t b = 0; b < terms->n_branches; b++)
    key[b] = all[branch[b].first];
  const int32_t n = cairn_kernel_gravity_tree_cut(0, terms->n_branches, key, 1, -1, top);
  cairn_kernel_gravity_tree_join(terms->order, branch, node, n, top);
}

/* Walk with as large a stack as it takes. */
static int walk(const struct cairn_gravity_forest *forest, const struct cairn_gravity_node *root, double *field) {
  int status = -1;
  for (int64_t room = STACK; status < 0; room *= 2) {
    const struct cairn_gravity_node **stack = malloc((size_t)room * sizeof *stack);
    if (!stack)
      return -1;
    status = cairn_kernel_gravity_walk(forest, root, stack, room, field);
    free(stack);
  }
  return 0;
}

void cairn_gravity_evaluate(const struct cairn_gravity_terms *terms, struct cairn_gravity_bodies bodies,
                            const struct cairn_gravity_node *node, const struct cairn_gravity_node *top,
                            struct cairn_gravity_branch *branch, double *field) {
  const struct cairn_points all = points_of(bodies), sinks = points_of(cairn_gravity_from(bodies, branch->first));
  if (terms->is_direct) {
    memset(field, 0, CAIRN_FIELD * (size_t)branch->n * sizeof *field);
    cairn_kernel_gravity_direct(branch->n, &sinks, terms->n, &all, field);
    return;
  }
  const struct cairn_gravity_forest forest = {
      .order = terms->order, .epsilon = terms->epsilon, .theta = theta, .top = top, .node = node, .bodies = all};
  branch->failed = walk(&forest, node + branch->node, field) != 0;
}

void cairn_gravity_deliver(const struct cairn_gravity_terms *terms, const struct cairn_gravity_list *list,
                           int32_t number, const struct cairn_morton *entry, const struct cairn_cut_range *range,
                           const struct cairn_gravity_branch *branch, struct cairn_gravity_bodies bodies,
                           const double *field, double *acceleration, double *potential) {
  const double G = terms->G;
  for (int32_t b = 0; b < terms->n_branches; b++) {
    const struct cairn_gravity_bodies own = cairn_gravity_from(bodies, branch[b].first);
    const int32_t *place = (const void *)cairn_gravity_row(own, CAIRN_GRAVITY_PLACE);
    int32_t n = 0;
    for (int32_t k = branch[b].range; k < branch[b].range + branch[b].n_ranges; k++) {
      for (int32_t i = range[k].from; i < range[k].to && range[k].list == number; i++) {
        const double *f = field + CAIRN_FIELD * (int64_t)(branch[b].first + place[n + i - range[k].from]);
        const int64_t at = entry[list->first + i].id - list->first;
        for (int j = 0; j < 3; j++)
          acceleration[3 * at + j] = G * f[j];
        potential[at] = -G * f[3];
      }
      n += range[k].to - range[k].from;
    }
  }
}

/* The number of the branch that is the turn's. */
static int32_t in_turn(const struct cairn_gravity *g, int32_t turn, int32_t stride) {
  return (int32_t)((int64_t)turn * stride % g->terms.n_branches);
}

int cairn_gravity_prepare(struct cairn_gravity *g, const double *position, const double *mass, int32_t stride,
                          struct cairn_error *error) {
  int status = 0;
  cairn_gravity_enclose(g);
  for (int32_t l = 0; l < g->n_lists; l++)
    cairn_gravity_order(&g->terms, position, g->list + l, g->entry + g->list[l].first);
  status = cairn_gravity_cut(g, error);
  for (int32_t turn = 0; turn < g->terms.n_branches && !status; turn++) {
    struct cairn_gravity_branch *branch = g->branch + in_turn(g, turn, stride);
    cairn_gravity_gather(&g->terms, g->list, g->entry, g->cut.range, position, mass, branch,
                         cairn_gravity_from(g->bodies, branch->first));
  }
  status = status ? status : cairn_gravity_reserve(g, error);
  for (int32_t turn = 0; turn < g->terms.n_branches && !status && !g->terms.is_direct; turn++) {
    const int32_t b = in_turn(g, turn, stride);
    cairn_gravity_build(&g->terms, g->branch + b, b, cairn_gravity_from(g->bodies, g->branch[b].first),
                        g->node + g->branch[b].node);
  }
  if (!status && !g->terms.is_direct && g->terms.n_branches > 0)
    cairn_gravity_join(&g->terms, g->branch, g->bodies, g->node, g->top);
  return status;
}

int cairn_gravity_run(struct cairn_gravity *g, int32_t n, const double *position, const double *mass, int32_t stride,
                      double *acceleration, double *potential, struct cairn_error *error) {
  int status = cairn_gravity_begin(g, n, error), failed = 0;
  for (int32_t l = 0; l < g->n_lists && !status; l++)
    cairn_gravity_box(position + 3 * (int64_t)g->list[l].first, g->list + l);
  status = status ? status : cairn_gravity_prepare(g, position, mass, stride, error);
  for (int32_t turn = 0; turn < g->terms.n_branches && !status; turn++) {
    struct cairn_gravity_branch *branch = g->branch + in_turn(g, turn, stride);
    cairn_gravity_evaluate(&g->terms, g->bodies, g->node, g->top, branch,
                           g->field + CAIRN_FIELD * (int64_t)branch->first);
    failed |= branch->failed;
  }
  for (int32_t l = 0; l < g->n_lists && !status && !failed; l++)
    cairn_gravity_deliver(&g->terms, g->list + l, l, g->entry, g->cut.range, g->branch, g->bodies, g->field,
                          acceleration + 3 * (int64_t)g->list[l].first, potential + g->list[l].first);
  return failed && !status ? out_of_memory(error) : status;
}

void cairn_gravity_note(const struct cairn_packet *packet, struct cairn_gravity_motion *motion) {
  memset(motion, 0, sizeof *motion);
  for (int32_t i = 0; i < packet->n; i++) {
    const struct cairn_body *body = cairn_packet_bodies(packet) + i;
    const double r = body->radius;
    if (body->captor < 0)
      continue;
    cairn_exact_sum_add(&motion->mass, body->mass);
    cairn_exact_sum_add(&motion->volume, 4. / 3. * 3.14159265358979323846 * r * r * r);
    for (int k = 0; k < 3; k++)
      cairn_exact_sum_add(motion->momentum + k, body->mass * body->state[CAIRN_STATE_V + k]);
  }
}

void cairn_gravity_note_all(struct cairn_gravity_motion *all, const struct cairn_gravity_motion *more) {
  cairn_exact_sum_join(&all->mass, &more->mass);
  cairn_exact_sum_join(&all->volume, &more->volume);
  for (int k = 0; k < 3; k++)
    cairn_exact_sum_join(all->momentum + k, more->momentum + k);
}

/* The time in which a body with speed v and acceleration a is displaced by d. */
static double time_for(double d, double v, double a) {
  return a > 0. ? 2. * d / (v + sqrt(v * v + 2. * a * d)) : v > 0. ? d / v : INFINITY;
}

double cairn_gravity_time(const struct cairn_packet *packet, const double mean[3], const double uniform[3],
                          double fraction) {
  double shortest = INFINITY;
  for (int32_t i = 0; i < packet->n; i++) {
    const struct cairn_body *body = cairn_packet_bodies(packet) + i;
    const double *v = body->state + CAIRN_STATE_V, *a = cairn_packet_extras(packet)[i].gravity;
    double v2 = 0., a2 = 0.;
    for (int k = 0; k < 3; k++) {
      v2 += (v[k] - mean[k]) * (v[k] - mean[k]);
      a2 += (a[k] - uniform[k]) * (a[k] - uniform[k]);
    }
    if (body->captor >= 0)
      shortest = fmin(shortest, time_for(fraction * 2. * body->radius, sqrt(v2), sqrt(a2)));
  }
  return shortest;
}

int32_t cairn_gravity_total(const struct cairn_gravity_list *list, const int32_t *id, const double *acceleration,
                            const double uniform[3], const double drift[3], double *total) {
  int32_t bad = -1;
  for (int32_t i = 0; i < list->room; i++)
    memcpy(total + 3 * (int64_t)i, uniform, 3 * sizeof *total);
  for (int32_t i = list->n - 1; i >= 0; i--) {
    double *sum = total + 3 * (int64_t)(id[i] - list->first);
    for (int k = 0; k < 3; k++)
      sum[k] = uniform[k] + (acceleration[3 * (int64_t)i + k] - drift[k]);
    if (!cairn_state_check_range(sum, 3, CAIRN_STATE_MOST_RATE))
      bad = id[i];
  }
  return bad;
}

void cairn_gravity_drift(const struct cairn_gravity *gravity, double drift[3]) {
  const double *m = cairn_gravity_row(gravity->bodies, CAIRN_GRAVITY_MASS);
  double mass = 0.;
  memset(drift, 0, 3 * sizeof *drift);
  for (int32_t i = 0; i < gravity->terms.n; i++) { /* not branch by branch, so that their size does not matter */
    mass += m[i];
    for (int k = 0; k < 3; k++)
      drift[k] += m[i] * gravity->field[CAIRN_FIELD * (int64_t)i + k];
  }
  for (int k = 0; k < 3 && gravity->terms.n > 0; k++)
    drift[k] *= gravity->rules.G / mass;
}

size_t cairn_gravity_memory(const struct cairn_gravity *gravity) {
  const size_t per_body = sizeof *gravity->entry + (CAIRN_GRAVITY_ROWS + CAIRN_FIELD) * sizeof(double);
  const size_t n_branches = (size_t)gravity->terms.n_branches;
  size_t bytes = (size_t)gravity->body_capacity * per_body + (size_t)gravity->node_capacity * sizeof *gravity->node +
                 (size_t)gravity->branch_capacity * sizeof *gravity->branch +
                 cairn_gravity_top(gravity->branch_capacity) * sizeof *gravity->top + LISTS * sizeof *gravity->list;
  for (size_t b = 0; b < n_branches; b++)
    bytes += sizeof *gravity->cut.part + (size_t)gravity->branch[b].n_ranges * sizeof *gravity->cut.range;
  return bytes;
}

void cairn_gravity_fini(struct cairn_gravity *gravity) {
  cairn_cut_fini(&gravity->cut);
  free(gravity->list);
  free(gravity->entry);
  free(gravity->branch);
  free(gravity->bodies.row);
  free(gravity->node);
  free(gravity->top);
  free(gravity->field);
  *gravity = (struct cairn_gravity){0};
}
