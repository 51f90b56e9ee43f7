#include "data/gravity/gravity.h"

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

/* Longer arrays; what is there stays. */
static int grow(void *array, size_t size, int32_t n, int32_t *capacity) {
  void **at = array;
  if (n <= *capacity)
    return 0;
  void *longer = realloc(*at, (size_t)n * size);
  if (!longer)
    return -1;
  *at = longer;
  *capacity = n;
  return 0;
}

int cairn_gravity_reserve_lists(struct cairn_gravity *g, int32_t n, int32_t n_entries) {
  return grow(&g->list, sizeof *g->list, n, &g->list_capacity) ||
         grow(&g->entry, sizeof *g->entry, n_entries, &g->entry_capacity);
}

int cairn_gravity_reserve_bodies(struct cairn_gravity *g, int32_t n) {
  return grow(&g->bodies.row, CAIRN_GRAVITY_ROWS * sizeof *g->bodies.row, n, &g->body_capacity) ||
         grow(&g->field, CAIRN_FIELD * sizeof *g->field, n, &g->field_capacity);
}

size_t cairn_gravity_top(int32_t n_branches) {
  const size_t keys = (size_t)n_branches * sizeof(uint64_t);
  return 2 * (size_t)n_branches + keys / sizeof(struct cairn_gravity_node) + 1;
}

int cairn_gravity_reserve_branches(struct cairn_gravity *g, int32_t n) {
  return grow(&g->branch, sizeof *g->branch, n, &g->branch_capacity);
}

int cairn_gravity_reserve_top(struct cairn_gravity *g, int32_t n_branches) {
  return grow(&g->top, sizeof *g->top, (int32_t)cairn_gravity_top(n_branches), &g->top_capacity);
}

int cairn_gravity_reserve_nodes(struct cairn_gravity *g, int32_t n) {
  if (n <= g->node_capacity)
    return 0;
  return grow(&g->node, sizeof *g->node, n + n / 16, &g->node_capacity); /* the number changes a little */
}

int cairn_gravity_begin(struct cairn_gravity *gravity, int32_t n, struct cairn_error *error) {
  const int32_t even = (n + LISTS - 1) / LISTS, size = even < SMALLEST_LIST ? SMALLEST_LIST : even;
  gravity->n_lists = gravity->n_nodes = gravity->n_room = gravity->n_guests = 0;
  gravity->terms.n = gravity->terms.n_branches = gravity->terms.first_branch = 0;
  if (cairn_gravity_reserve_lists(gravity, LISTS, n))
    return out_of_memory(error);
  for (int32_t first = 0; first < n; first += size) {
    const int32_t room = n - first < size ? n - first : size;
    gravity->list[gravity->n_lists++] = (struct cairn_gravity_list){.first = first, .room = room, .n = room};
  }
  gravity->n_room = n;
  return CAIRN_OK;
}

void cairn_gravity_collect(const struct cairn_packet *const *packet, int32_t n, int32_t skip,
                           struct cairn_gravity_prediction prediction, const struct cairn_gravity_list *list,
                           double *position, double *mass, int32_t *id) {
  const double lead = prediction.lead, later = prediction.later;
  int32_t at = 0;
  for (int32_t p = 0; p < n; p++, skip = 0)
    for (int32_t i = skip; i < packet[p]->n && at < list->room; i++, at++) {
      const struct cairn_body *body = cairn_packet_bodies(packet[p]) + i;
      const double *x = body->state + CAIRN_STATE_X, *v = body->state + CAIRN_STATE_V, *a = body->state + CAIRN_STATE_A;
      for (int k = 0; k < 3; k++)
        position[3 * (int64_t)at + k] = x[k] + lead * (v[k] + 0.5 * lead * a[k]) + later * v[k];
      mass[at] = body->mass;
      id[at] = body->captor < 0 ? -1 : body->id;
    }
}

void cairn_gravity_box(const double *position, const int32_t *id, struct cairn_gravity_list *list) {
  list->n = 0;
  for (int k = 0; k < 3; k++) {
    list->lower[k] = INFINITY;
    list->upper[k] = -INFINITY;
  }
  for (int64_t i = 0; i < list->room; i++) {
    if (id[i] < 0)
      continue;
    list->n++;
    for (int k = 0; k < 3; k++) {
      list->lower[k] = fmin(list->lower[k], position[3 * i + k]);
      list->upper[k] = fmax(list->upper[k], position[3 * i + k]);
    }
  }
}

struct cairn_gravity_extent cairn_gravity_extent(const struct cairn_gravity *gravity) {
  struct cairn_gravity_extent all = {.lower = {INFINITY, INFINITY, INFINITY},
                                     .upper = {-INFINITY, -INFINITY, -INFINITY}};
  for (int32_t l = 0; l < gravity->n_lists; l++) {
    struct cairn_gravity_extent more = {.n = gravity->list[l].n};
    memcpy(more.lower, gravity->list[l].lower, sizeof more.lower);
    memcpy(more.upper, gravity->list[l].upper, sizeof more.upper);
    cairn_gravity_join_extents(&all, &more);
  }
  return all;
}

void cairn_gravity_join_extents(void *all, const void *more) {
  struct cairn_gravity_extent *a = all;
  const struct cairn_gravity_extent *b = more;
  for (int k = 0; k < 3; k++) {
    a->lower[k] = fmin(a->lower[k], b->lower[k]);
    a->upper[k] = fmax(a->upper[k], b->upper[k]);
  }
  a->n += b->n;
}

void cairn_gravity_enclose(struct cairn_gravity *gravity, const struct cairn_gravity_extent *all) {
  struct cairn_gravity_terms *terms = &gravity->terms;
  memcpy(terms->lower, all->lower, sizeof terms->lower);
  terms->scale = cairn_morton_scale(all->lower, all->upper);
  terms->n = (int32_t)all->n;
  terms->is_direct = terms->n <= gravity->most_direct;
}

void cairn_gravity_order(const struct cairn_gravity_terms *terms, const double *position, const int32_t *id,
                         struct cairn_gravity_list *list, struct cairn_morton *entry) {
  struct cairn_morton *scratch = malloc((size_t)list->n * sizeof *scratch + 1);
  int32_t n = 0;
  list->failed = !scratch;
  if (!scratch)
    return;
  for (int32_t i = 0; i < list->room; i++) {
    const int32_t at = list->first + i;
    if (id[at] >= 0)
      entry[n++] = (struct cairn_morton){cairn_morton_key(position + 3 * (int64_t)at, terms->lower, terms->scale), at};
  }
  cairn_morton_sort(entry, scratch, n);
  free(scratch);
}

int cairn_gravity_cut(struct cairn_gravity *gravity, cairn_cut_sum *sum, struct cairn_error *error) {
  struct cairn_cut_list list[LISTS];
  const int32_t n = gravity->terms.n;
  int failed = 0;
  for (int32_t l = 0; l < gravity->n_lists; l++) {
    list[l] = (struct cairn_cut_list){gravity->entry + gravity->list[l].first, gravity->list[l].n, NULL};
    failed |= gravity->list[l].failed;
  }
  cairn_cut_fini(&gravity->cut);
  if (failed || cairn_cut_make(list, gravity->n_lists, branch_size(gravity, n), sum, NULL, &gravity->cut))
    return out_of_memory(error);
  if (sum)
    return CAIRN_OK;
  if (cairn_gravity_reserve_branches(gravity, gravity->cut.n) || cairn_gravity_reserve_top(gravity, gravity->cut.n) ||
      cairn_gravity_reserve_bodies(gravity, n))
    return out_of_memory(error);
  for (int32_t b = 0, first = 0; b < gravity->cut.n; first += gravity->branch[b++].n) {
    const struct cairn_cut_part part = gravity->cut.part[b];
    gravity->branch[b] = (struct cairn_gravity_branch){
        .first = first, .n = (int32_t)part.n, .range = part.first, .n_ranges = part.n_ranges};
  }
  gravity->bodies.pitch = n;
  gravity->terms.n_branches = gravity->cut.n;
  return CAIRN_OK;
}

/* The bodies of one branch as the lists have them, keys with their numbers; and the caller's index of each. */
static void collect(const struct cairn_gravity_source *source, const struct cairn_gravity_branch *branch,
                    struct cairn_morton *own, int32_t *index) {
  int32_t n = 0;
  for (int32_t k = branch->range; k < branch->range + branch->n_ranges; k++) {
    const struct cairn_cut_range range = source->range[k];
    for (int32_t i = range.from; i < range.to; i++, n++) {
      const struct cairn_morton *e = source->entry + source->list[range.list].first + i;
      own[n] = (struct cairn_morton){e->key, n};
      index[n] = e->id;
    }
  }
}

/* Bodies with equal keys, which are few, in the order of ids: that of lists is arbitrary. */
static void order_equals(struct cairn_morton *sorted, int32_t n, const int32_t *index, const int32_t *id) {
  for (int32_t i = 1; i < n; i++) {
    const struct cairn_morton own = sorted[i];
    int32_t at = i;
    for (; at > 0 && sorted[at - 1].key == own.key && id[index[sorted[at - 1].id]] > id[index[own.id]]; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = own;
  }
}

void cairn_gravity_gather(const struct cairn_gravity_terms *terms, const struct cairn_gravity_source *source,
                          struct cairn_gravity_branch *branch, struct cairn_gravity_bodies own) {
  const size_t n = (size_t)branch->n;
  struct cairn_morton *sorted = malloc(2 * n * sizeof *sorted);
  int32_t *index = malloc(n * sizeof *index), *place = (void *)cairn_gravity_row(own, CAIRN_GRAVITY_PLACE);
  uint64_t *key = (void *)cairn_gravity_row(own, CAIRN_GRAVITY_KEY);
  branch->failed = !sorted || !index;
  if (!branch->failed) {
    collect(source, branch, sorted, index);
    cairn_morton_sort(sorted, sorted + n, branch->n);
    order_equals(sorted, branch->n, index, source->id);
    for (int32_t i = 0; i < branch->n; i++) {
      const int64_t of = index[sorted[i].id];
      key[i] = sorted[i].key;
      place[sorted[i].id] = i;
      for (int k = 0; k < 3; k++)
        own.row[(CAIRN_GRAVITY_X + k) * own.pitch + i] = source->position[3 * of + k];
      own.row[CAIRN_GRAVITY_MASS * own.pitch + i] = source->mass[of];
    }
    branch->key = key[0];
    branch->n_nodes = terms->is_direct ? 0 : cairn_kernel_gravity_tree_count(branch->n, key, CAIRN_GRAVITY_LEAF);
  }
  free(sorted);
  free(index);
}

int cairn_gravity_reserve(struct cairn_gravity *gravity, struct cairn_error *error) {
  int failed = 0;
  gravity->n_nodes = 0;
  for (int32_t b = 0; b < gravity->terms.n_branches; b++) {
    gravity->branch[b].node = gravity->n_nodes;
    gravity->n_nodes += gravity->branch[b].n_nodes;
    failed |= gravity->branch[b].failed;
  }
  return failed || cairn_gravity_reserve_nodes(gravity, gravity->n_nodes) ? out_of_memory(error) : CAIRN_OK;
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
  const int32_t n = cairn_kernel_gravity_tree_cut(branch->first, branch->n, key, CAIRN_GRAVITY_LEAF,
                                                  terms->first_branch + number, node);
  cairn_kernel_gravity_tree_fill(terms->order, &points, n, node);
}

void cairn_gravity_join(int order, const struct cairn_gravity_branch *branch, int32_t n_branches,
                        const struct cairn_gravity_node *node, struct cairn_gravity_node *top) {
  uint64_t *key = (void *)(top + 2 * (size_t)n_branches);
  for (int32_t b = 0; b < n_branches; b++)
    key[b] = branch[b].key;
  const int32_t n = cairn_kernel_gravity_tree_cut(0, n_branches, key, 1, -1, top);
  cairn_kernel_gravity_tree_join(order, branch, node, n, top);
}

/* Walk with as large a stack as it takes. */
static int walk(const struct cairn_gravity_forest *forest, struct cairn_gravity_branch *branch, double *field) {
  int status = -1;
  for (int64_t room = STACK; status < 0; room *= 2) {
    const struct cairn_gravity_node **stack = malloc((size_t)room * sizeof *stack);
    if (!stack)
      return -1;
    status = cairn_kernel_gravity_walk(forest, forest->node + branch->node, stack, room, field, &branch->missing);
    free(stack);
  }
  return 0;
}

void cairn_gravity_evaluate(const struct cairn_gravity_terms *terms, struct cairn_gravity_bodies bodies,
                            const struct cairn_gravity_node *node, const struct cairn_gravity_node *top,
                            struct cairn_gravity_branch *branch, double *field) {
  const struct cairn_points all = points_of(bodies), sinks = points_of(cairn_gravity_from(bodies, branch->first));
  branch->missing.n = 0;
  if (terms->is_direct) {
    memset(field, 0, CAIRN_FIELD * (size_t)branch->n * sizeof *field);
    cairn_kernel_gravity_direct(branch->n, &sinks, terms->n, &all, field);
  } else {
    const struct cairn_gravity_forest forest = {.order = terms->order,
                                                .epsilon = terms->epsilon,
                                                .theta = CAIRN_GRAVITY_THETA,
                                                .top = top,
                                                .node = node,
                                                .bodies = all};
    branch->failed = walk(&forest, branch, field) != 0;
  }
  branch->is_done = !branch->failed && branch->missing.n == 0;
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

/* Up to the top of the tree, one piece after the other. */
static int prepare(struct cairn_gravity *g, const struct cairn_gravity_source *source, int32_t stride,
                   struct cairn_error *error) {
  const struct cairn_gravity_extent all = cairn_gravity_extent(g);
  cairn_gravity_enclose(g, &all);
  for (int32_t l = 0; l < g->n_lists; l++)
    cairn_gravity_order(&g->terms, source->position, source->id, g->list + l, g->entry + g->list[l].first);
  const int status = cairn_gravity_cut(g, NULL, error);
  return status ? status : cairn_gravity_plant(g, source->position, source->mass, source->id, stride, error);
}

int cairn_gravity_plant(struct cairn_gravity *g, const double *position, const double *mass, const int32_t *id,
                        int32_t stride, struct cairn_error *error) {
  const struct cairn_gravity_source source = {g->list, g->entry, g->cut.range, position, mass, id};
  for (int32_t turn = 0; turn < g->terms.n_branches; turn++) {
    struct cairn_gravity_branch *branch = g->branch + in_turn(g, turn, stride);
    cairn_gravity_gather(&g->terms, &source, branch, cairn_gravity_from(g->bodies, branch->first));
  }
  const int status = cairn_gravity_reserve(g, error);
  for (int32_t turn = 0; turn < g->terms.n_branches && !status && !g->terms.is_direct; turn++) {
    const int32_t b = in_turn(g, turn, stride);
    cairn_gravity_build(&g->terms, g->branch + b, b, cairn_gravity_from(g->bodies, g->branch[b].first),
                        g->node + g->branch[b].node);
  }
  return status;
}

int cairn_gravity_run(struct cairn_gravity *g, int32_t n, const double *position, const double *mass, int32_t stride,
                      double *acceleration, double *potential, struct cairn_error *error) {
  int32_t *id = malloc((size_t)n * sizeof *id + 1);
  const struct cairn_gravity_source source = {.position = position, .mass = mass, .id = id};
  int status = id ? cairn_gravity_begin(g, n, error) : out_of_memory(error), failed = 0;
  for (int32_t i = 0; i < n && id; i++)
    id[i] = i;
  for (int32_t l = 0; l < g->n_lists && !status; l++)
    cairn_gravity_box(position + 3 * (int64_t)g->list[l].first, id + g->list[l].first, g->list + l);
  status = status ? status : prepare(g, &source, stride, error);
  if (!status && !g->terms.is_direct && g->terms.n_branches > 0)
    cairn_gravity_join(g->terms.order, g->branch, g->terms.n_branches, g->node, g->top);
  for (int32_t turn = 0; turn < g->terms.n_branches && !status; turn++) {
    struct cairn_gravity_branch *branch = g->branch + in_turn(g, turn, stride);
    cairn_gravity_evaluate(&g->terms, g->bodies, g->node, g->top, branch,
                           g->field + CAIRN_FIELD * (int64_t)branch->first);
    failed |= branch->failed;
  }
  for (int32_t l = 0; l < g->n_lists && !status && !failed; l++)
    cairn_gravity_deliver(&g->terms, g->list + l, l, g->entry, g->cut.range, g->branch, g->bodies, g->field,
                          acceleration + 3 * (int64_t)g->list[l].first, potential + g->list[l].first);
  free(id);
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
  for (int64_t i = 0; i < list->room; i++) {
    for (int k = 0; k < 3; k++)
      total[3 * i + k] = id[i] < 0 ? uniform[k] : uniform[k] + (acceleration[3 * i + k] - drift[k]);
    if (id[i] >= 0 && !cairn_state_check_range(total + 3 * i, 3, CAIRN_STATE_MOST_RATE) && (bad < 0 || id[i] < bad))
      bad = id[i];
  }
  return bad;
}

void cairn_gravity_add_pull(const struct cairn_gravity *gravity, struct cairn_gravity_pull *sum) {
  const double *m = cairn_gravity_row(gravity->bodies, CAIRN_GRAVITY_MASS);
  for (int32_t i = 0; i < gravity->terms.n; i++) { /* not branch by branch, so that their size does not matter */
    sum->mass += m[i];
    for (int k = 0; k < 3; k++)
      sum->pull[k] += m[i] * gravity->field[CAIRN_FIELD * (int64_t)i + k];
  }
}

void cairn_gravity_mean(double G, const struct cairn_gravity_pull *sum, double drift[3]) {
  for (int k = 0; k < 3; k++)
    drift[k] = sum->mass > 0. ? sum->pull[k] * (G / sum->mass) : 0.;
}

void cairn_gravity_drift(const struct cairn_gravity *gravity, double drift[3]) {
  struct cairn_gravity_pull sum = {0};
  cairn_gravity_add_pull(gravity, &sum);
  cairn_gravity_mean(gravity->rules.G, &sum, drift);
}

size_t cairn_gravity_memory(const struct cairn_gravity *gravity) {
  const size_t n_branches = (size_t)gravity->terms.n_branches;
  size_t bytes = (size_t)gravity->entry_capacity * sizeof *gravity->entry +
                 (size_t)gravity->body_capacity * CAIRN_GRAVITY_ROWS * sizeof(double) +
                 (size_t)gravity->field_capacity * CAIRN_FIELD * sizeof(double) +
                 (size_t)(gravity->node_capacity + gravity->top_capacity) * sizeof *gravity->node +
                 (size_t)gravity->branch_capacity * sizeof *gravity->branch +
                 (size_t)gravity->list_capacity * sizeof *gravity->list;
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
