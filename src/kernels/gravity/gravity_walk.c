#include "kernels/gravity/gravity_walk.h"

#include <math.h>
#include <string.h>

enum { FAR = 64, NEAR = 256 };

/* A source with fewer bodies costs less body by body than through M2P. */
enum { MANY = 16 };

struct walk {
  const struct cairn_gravity_forest *forest;
  int32_t branch, first;                   /* of the sinks: their branch, the first of them */
  const struct cairn_gravity_node **stack; /* lists of sources left to the children */
  int64_t top, capacity;
  double *field;
  struct cairn_gravity_missing *missing;
  double limit;   /* m/s^2, epsilon^2 f of the sink */
  double settled; /* m/s^2, pulls of the sources that the sink and its ancestors have taken */
  int32_t n_far, n_middle, n_near;
  struct cairn_gravity_far far[FAR];    /* sources for M2L */
  struct cairn_gravity_far middle[FAR]; /* for M2P */
  double local[CAIRN_GRAVITY_COEFFICIENTS];
  double x[NEAR], y[NEAR], z[NEAR], m[NEAR]; /* bodies of sources near the leaf */
};

static const struct cairn_gravity_node *child_of(const struct walk *w, const struct cairn_gravity_node *a, int which) {
  const struct cairn_gravity_node *child = a + a->child + which;
  return a->branch < 0 && child->branch >= 0 ? w->forest->node + child->root : child;
}

static struct cairn_points points_of(const struct walk *w, const struct cairn_gravity_node *a) {
  const struct cairn_points *p = &w->forest->bodies;
  return (struct cairn_points){p->x + a->first, p->y + a->first, p->z + a->first, p->m + a->first};
}

static double *field_of(const struct walk *w, const struct cairn_gravity_node *a) {
  return w->field + CAIRN_FIELD * (int64_t)(a->first - w->first);
}

static void flush_far(struct walk *w) {
  cairn_kernel_gravity_m2l(w->forest->order, w->n_far, w->far, w->local);
  w->n_far = 0;
}

static void flush_middle(struct walk *w, const struct cairn_gravity_node *a) {
  const struct cairn_points own = points_of(w, a);
  cairn_kernel_gravity_m2p(w->forest->order, w->n_middle, w->middle, a->centre, a->n, &own, field_of(w, a));
  w->n_middle = 0;
}

static void flush_near(struct walk *w, const struct cairn_gravity_node *a) {
  const struct cairn_points sinks = points_of(w, a), sources = {w->x, w->y, w->z, w->m};
  cairn_kernel_gravity_direct(a->n, &sinks, w->n_near, &sources, field_of(w, a));
  w->n_near = 0;
}

static void add_near(struct walk *w, const struct cairn_gravity_node *a, const struct cairn_gravity_node *b) {
  struct cairn_points p = points_of(w, b);
  for (int32_t rest = b->n; rest > 0;) {
    const int32_t some = rest < NEAR - w->n_near ? rest : NEAR - w->n_near;
    const size_t bytes = (size_t)some * sizeof(double);
    memcpy(w->x + w->n_near, p.x, bytes);
    memcpy(w->y + w->n_near, p.y, bytes);
    memcpy(w->z + w->n_near, p.z, bytes);
    memcpy(w->m + w->n_near, p.m, bytes);
    p = (struct cairn_points){p.x + some, p.y + some, p.z + some, p.m + some};
    rest -= some;
    w->n_near += some;
    if (w->n_near == NEAR)
      flush_near(w, a);
  }
}

CAIRN_INLINE double separation(const struct cairn_gravity_node *a, const struct cairn_gravity_node *b, double d[3]) {
  for (int k = 0; k < 3; k++)
    d[k] = a->centre[k] - b->centre[k];
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

CAIRN_INLINE int is_far(const struct walk *w, double radius, const struct cairn_gravity_node *b, double r2) {
  return cairn_gravity_is_far(w->forest->order, w->forest->theta, w->limit, radius, b, r2);
}

/* Is it far from all bodies of a leaf, each taken by itself? */
static int is_far_from_bodies(const struct walk *w, const struct cairn_gravity_node *a,
                              const struct cairn_gravity_node *b, double r2) {
  const double nearest = sqrt(r2) - a->radius;
  return nearest > 0. && is_far(w, 0., b, nearest * nearest);
}

/* A source must be opened that has nothing in it here. */
static void miss(const struct walk *w, const struct cairn_gravity_node *b) {
  struct cairn_gravity_missing *m = w->missing;
  const int32_t node = (int32_t)(b - w->forest->node);
  for (int32_t i = 0; i < m->n; i++)
    if (m->node[i] == node)
      return;
  if (m->n < CAIRN_GRAVITY_MISSING)
    m->node[m->n++] = node;
}

static void visit(struct walk *w, const struct cairn_gravity_node *a, const struct cairn_gravity_node *b) {
  const int leaf = a->child == 0;
  double d[3];
  const double r2 = separation(a, b, d);
  if (is_far(w, a->radius, b, r2)) {
    w->far[w->n_far++] = (struct cairn_gravity_far){{d[0], d[1], d[2]}, b->multipole};
    w->settled += b->mass / r2;
    if (w->n_far == FAR)
      flush_far(w);
  } else if (leaf && b->n > MANY && is_far_from_bodies(w, a, b, r2)) {
    w->middle[w->n_middle++] = (struct cairn_gravity_far){{d[0], d[1], d[2]}, b->multipole};
    if (w->n_middle == FAR)
      flush_middle(w, a);
  } else if (b->child && (leaf || b->radius > a->radius)) {
    if (b->child < 0) {
      miss(w, b);
      return;
    }
    visit(w, a, child_of(w, b, 0));
    visit(w, a, child_of(w, b, 1));
  } else if (leaf) {
    if (b->first < 0)
      miss(w, b);
    else
      add_near(w, a, b);
  } else {
    if (w->top < w->capacity)
      w->stack[w->top] = b;
    w->top++;
  }
}

static int is_above(const struct walk *w, const struct cairn_gravity_node *a) {
  return a->branch < 0 ? a->first <= w->branch && w->branch < a->first + a->n_branches : a->branch == w->branch;
}

/* f of a sink node: what is settled, and the sources still listed, which may be as near as they are large. */
static double pull_on(const struct walk *w, const struct cairn_gravity_node *a, double settled, int64_t from,
                      int64_t to) {
  double pull = settled, d[3];
  for (int64_t i = from; i < to; i++) {
    const struct cairn_gravity_node *b = w->stack[i];
    pull += b->mass / (separation(a, b, d) + a->radius * a->radius + b->radius * b->radius);
  }
  return pull;
}

/* Down from a sink node: `local` is what its ancestors took, with pulls that sum up to `settled`; the sources left by
 * its parent stand at [from, to) on the stack. */
static void descend(struct walk *w, const struct cairn_gravity_node *a, const double *local, double settled,
                    int64_t from, int64_t to) {
  w->limit = w->forest->epsilon * w->forest->epsilon * pull_on(w, a, settled, from, to);
  w->settled = settled;
  memcpy(w->local, local, sizeof w->local);
  w->top = to;
  for (int64_t i = from; i < to; i++)
    visit(w, a, w->stack[i]);
  flush_far(w);
  if (w->top > w->capacity)
    return;
  if (a->child == 0) {
    const struct cairn_points own = points_of(w, a);
    flush_near(w, a);
    flush_middle(w, a);
    cairn_kernel_gravity_l2p(w->forest->order, w->local, a->centre, a->n, &own, field_of(w, a));
    return;
  }
  const double taken = w->settled;
  const int64_t end = w->top;
  double shift[2][3], below[2][CAIRN_GRAVITY_COEFFICIENTS];
  for (int c = 0; c < 2; c++)
    separation(child_of(w, a, c), a, shift[c]);
  cairn_kernel_gravity_l2l(w->forest->order, w->local, 2, (const double(*)[3])shift, below);
  for (int c = 0; c < 2 && w->top <= w->capacity; c++)
    if (is_above(w, child_of(w, a, c)))
      descend(w, child_of(w, a, c), below[c], taken, to, end);
}

int cairn_kernel_gravity_walk(const struct cairn_gravity_forest *forest, const struct cairn_gravity_node *root,
                              const struct cairn_gravity_node **stack, int64_t capacity, double *field,
                              struct cairn_gravity_missing *missing) {
  static const double nothing[CAIRN_GRAVITY_COEFFICIENTS] = {0.};
  struct walk w = {.forest = forest,
                   .branch = root->branch,
                   .first = root->first,
                   .stack = stack,
                   .capacity = capacity,
                   .field = field,
                   .missing = missing};
  missing->n = 0;
  memset(field, 0, (size_t)root->n * CAIRN_FIELD * sizeof *field);
  if (capacity < 1)
    return -1;
  stack[0] = forest->top->branch < 0 ? forest->top : root;
  descend(&w, stack[0], nothing, 0., 0, 1);
  return w.top > capacity ? -1 : 0;
}
