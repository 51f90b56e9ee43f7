#include "kernels/gravity/gravity_essential.h"

#include <math.h>

static double distance2(const double a[3], const double b[3]) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

/* The pulls of the sources below a node of the top on the sinks, as the walk estimates them. */
static double pull_of(const struct cairn_gravity_node *root, const struct cairn_gravity_node *b) {
  const double r2 = distance2(root->centre, b->centre);
  if (b->branch >= 0 || 4. * b->radius * b->radius < r2)
    return b->mass / (r2 + root->radius * root->radius + b->radius * b->radius);
  return pull_of(root, b + b->child) + pull_of(root, b + b->child + 1);
}

struct cairn_gravity_sinks cairn_kernel_gravity_sinks(double epsilon, const struct cairn_gravity_node *root,
                                                      const struct cairn_gravity_node *top) {
  struct cairn_gravity_sinks sinks = {.radius = root->radius,
                                      .leaf = root->radius * cbrt((double)CAIRN_GRAVITY_LEAF / root->n),
                                      .limit = epsilon * epsilon * pull_of(root, top)};
  for (int k = 0; k < 3; k++) {
    sinks.lower[k] = root->lower[k];
    sinks.upper[k] = root->upper[k];
  }
  return sinks;
}

struct cairn_gravity_sinks cairn_kernel_gravity_join_sinks(const struct cairn_gravity_sinks *a,
                                                           const struct cairn_gravity_sinks *b) {
  struct cairn_gravity_sinks all = {
      .radius = fmax(a->radius, b->radius), .leaf = fmax(a->leaf, b->leaf), .limit = fmin(a->limit, b->limit)};
  for (int k = 0; k < 3; k++) {
    all.lower[k] = fmin(a->lower[k], b->lower[k]);
    all.upper[k] = fmax(a->upper[k], b->upper[k]);
  }
  return all;
}

/* A node is opened by a smaller sink, or by a leaf, that is too near. The centre of a sink is inside the box, by INSIDE
 * of its radius or more as a rule: less would be safe, and more bodies by a twentieth of all among 12 000 in a ball on
 * three ranks; with 0.5 some have to be asked for (tests/t_kernel_gravity_essential.c). */
static const double INSIDE = 0.3;

int cairn_kernel_gravity_opens(int order, double theta, const struct cairn_gravity_sinks *s,
                               const struct cairn_gravity_node *b) {
  const double radius = fmax(fmin(b->radius, s->radius), fmin(s->leaf, s->radius));
  double r2 = 0.;
  for (int k = 0; k < 3; k++) {
    const double d = fmax(fmax(s->lower[k] - b->centre[k], b->centre[k] - s->upper[k]), 0.);
    r2 += d * d;
  }
  const double r = sqrt(r2) + INSIDE * radius;
  return !cairn_gravity_is_far(order, theta, s->limit, radius, b, r * r);
}

static void mark(int order, double theta, const struct cairn_gravity_sinks *sinks,
                 const struct cairn_gravity_node *root, int32_t i, uint8_t *open) {
  if (!cairn_kernel_gravity_opens(order, theta, sinks, root + i))
    return;
  open[i] = 1;
  for (int c = 0; c < 2 && root[i].child; c++)
    mark(order, theta, sinks, root, i + root[i].child + c, open);
}

void cairn_kernel_gravity_mark(int order, double theta, const struct cairn_gravity_sinks *sinks,
                               const struct cairn_gravity_node *root, uint8_t *open) {
  mark(order, theta, sinks, root, 0, open);
}

static void take_bodies(const struct cairn_points *bodies, int32_t from, int32_t n, double (*to)[4]) {
  for (int32_t i = 0; i < n; i++) {
    to[i][0] = bodies->x[from + i];
    to[i][1] = bodies->y[from + i];
    to[i][2] = bodies->z[from + i];
    to[i][3] = bodies->m[from + i];
  }
}

/* A node as a guest; its children, if there are any, are to stand at `child`. */
static void take_node(const struct cairn_gravity_node *root, int32_t i, int is_open, int32_t child,
                      const struct cairn_points *bodies, struct cairn_gravity_piece *piece) {
  const struct cairn_gravity_node *b = root + i;
  if (piece->node) {
    struct cairn_gravity_node *guest = piece->node + piece->n_nodes;
    *guest = *b;
    guest->root = i;
    guest->first = is_open && !b->child ? piece->n_bodies : -1;
    guest->child = !b->child ? 0 : is_open ? child - piece->n_nodes : -1;
  }
  piece->n_nodes++;
  if (!is_open || b->child)
    return;
  if (piece->node)
    take_bodies(bodies, b->first - root->first, b->n, piece->body + piece->n_bodies);
  piece->n_bodies += b->n;
}

void cairn_kernel_gravity_take(const struct cairn_gravity_node *root, int32_t n_nodes, int32_t from,
                               const uint8_t *open, const struct cairn_points *bodies, int32_t *place,
                               struct cairn_gravity_piece *piece) {
  int32_t n = 1;
  piece->n_nodes = piece->n_bodies = 0;
  for (int32_t i = from; i < n_nodes; i++)
    place[i] = -1;
  place[from] = 0;
  for (int32_t i = from; i < n_nodes; i++) { /* children stand behind their parents, in the same order */
    if (place[i] < 0)
      continue;
    const int32_t child = i + root[i].child;
    const int opens = open[i] && root[i].child;
    if (opens) {
      place[child] = n++;
      place[child + 1] = n++;
    }
    take_node(root, i, open[i], opens ? place[child] : 0, bodies, piece);
  }
}

int32_t cairn_kernel_gravity_admit(const struct cairn_gravity_piece *piece, int32_t first_body, int32_t at,
                                   int32_t n_nodes, struct cairn_gravity_node *node) {
  for (int32_t i = 0; i < piece->n_nodes; i++) {
    const int32_t to = i == 0 ? at : n_nodes + i - 1;
    node[to] = piece->node[i];
    if (node[to].first >= 0)
      node[to].first += first_body;
  }
  if (piece->node->child > 0)
    node[at].child = n_nodes + piece->node->child - 1 - at;
  return n_nodes + piece->n_nodes - 1;
}
