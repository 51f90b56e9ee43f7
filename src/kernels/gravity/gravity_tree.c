#include "kernels/gravity/gravity_tree.h"

#include <math.h>

/* Where the keys from `first` on get the given bit; they are sorted and agree in the bits above it. */
static int32_t find_bit(const uint64_t *key, int32_t first, int32_t n, int bit) {
  int32_t low = first, high = first + n;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (key[middle] >> bit & 1)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Where n sorted keys are cut in two: at the first bit in which they differ; 0 where they are one node. */
static int32_t middle_of(int32_t n, const uint64_t *key, int32_t leaf) {
  const uint64_t differ = key[0] ^ key[n - 1];
  return n <= leaf || differ == 0 ? 0 : find_bit(key, 0, n, 63 - __builtin_clzll(differ));
}

int32_t cairn_kernel_gravity_tree_count(int32_t n, const uint64_t *key, int32_t leaf) {
  const int32_t middle = middle_of(n, key, leaf);
  return middle == 0 ? 1
                     : 1 + cairn_kernel_gravity_tree_count(middle, key, leaf) +
                           cairn_kernel_gravity_tree_count(n - middle, key + middle, leaf);
}

int32_t cairn_kernel_gravity_tree_cut(int32_t first, int32_t n, const uint64_t *key, int32_t leaf, int32_t branch,
                                      struct cairn_gravity_node *node) {
  int32_t n_nodes = 1;
  node[0].first = first;
  node[0].n = n;
  for (int32_t i = 0; i < n_nodes; i++) {
    struct cairn_gravity_node *a = node + i;
    const int32_t middle = middle_of(a->n, key + (a->first - first), leaf);
    a->branch = branch;
    a->child = 0;
    if (middle == 0)
      continue;
    a->child = n_nodes - i;
    node[n_nodes].first = a->first;
    node[n_nodes].n = middle;
    node[n_nodes + 1].first = a->first + middle;
    node[n_nodes + 1].n = a->n - middle;
    n_nodes += 2;
  }
  return n_nodes;
}

static double distance2(const double a[3], const double b[3]) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

static double tail_of(double spread, double radius) {
  const double ratio2 = radius > 0. ? (spread / radius) * (spread / radius) : 0.;
  return ratio2 * ratio2;
}

/* A leaf from its bodies, which stand at `at` in their branch. */
static void fill_leaf(int order, const struct cairn_points *branch, int32_t at, struct cairn_gravity_node *a) {
  const struct cairn_points own = {branch->x + at, branch->y + at, branch->z + at, branch->m + at};
  const double *const axis[3] = {own.x, own.y, own.z};
  double mass = 0., spread2 = 0., radius2 = 0.;
  for (int32_t i = 0; i < a->n; i++)
    mass += own.m[i];
  for (int k = 0; k < 3; k++) {
    double moment = 0., lower = axis[k][0], upper = lower;
    for (int32_t i = 0; i < a->n; i++) {
      moment += own.m[i] * axis[k][i];
      lower = fmin(lower, axis[k][i]);
      upper = fmax(upper, axis[k][i]);
    }
    a->centre[k] = moment / mass;
    a->lower[k] = lower;
    a->upper[k] = upper;
  }
  for (int32_t i = 0; i < a->n; i++) {
    const double d2 = distance2((const double[3]){own.x[i], own.y[i], own.z[i]}, a->centre);
    spread2 += own.m[i] * d2;
    radius2 = fmax(radius2, d2);
  }
  a->mass = mass;
  a->radius = sqrt(radius2);
  a->spread = sqrt(spread2 / mass);
  a->tail = tail_of(a->spread, a->radius);
  cairn_kernel_gravity_p2m(order, a->n, &own, a->centre, a->multipole);
}

/* A node from its two children. */
static void fill_parent(int order, struct cairn_gravity_node *a) {
  const struct cairn_gravity_node *child = a + a->child;
  struct cairn_gravity_far part[2];
  const double mass = child[0].mass + child[1].mass;
  double around = 0., corner2 = 0., moment2 = 0.;
  for (int k = 0; k < 3; k++) {
    a->centre[k] = (child[0].mass * child[0].centre[k] + child[1].mass * child[1].centre[k]) / mass;
    a->lower[k] = fmin(child[0].lower[k], child[1].lower[k]);
    a->upper[k] = fmax(child[0].upper[k], child[1].upper[k]);
    const double far = fmax(a->upper[k] - a->centre[k], a->centre[k] - a->lower[k]);
    corner2 += far * far;
  }
  for (int c = 0; c < 2; c++) {
    const double d2 = distance2(a->centre, child[c].centre);
    around = fmax(around, sqrt(d2) + child[c].radius);
    moment2 += child[c].mass * (child[c].spread * child[c].spread + d2);
    part[c].multipole = child[c].multipole;
    for (int k = 0; k < 3; k++)
      part[c].d[k] = a->centre[k] - child[c].centre[k];
  }
  a->n = child[0].n + child[1].n;
  a->mass = mass;
  a->radius = fmin(around, sqrt(corner2));
  a->spread = sqrt(moment2 / mass);
  a->tail = tail_of(a->spread, a->radius);
  cairn_kernel_gravity_m2m(order, 2, part, a->multipole);
}

void cairn_kernel_gravity_tree_fill(int order, const struct cairn_points *own, int32_t n_nodes,
                                    struct cairn_gravity_node *node) {
  for (int32_t i = n_nodes - 1; i >= 0; i--)
    if (node[i].child == 0)
      fill_leaf(order, own, node[i].first - node->first, node + i);
    else
      fill_parent(order, node + i);
}

void cairn_kernel_gravity_tree_join(int order, const struct cairn_gravity_branch *branch,
                                    const struct cairn_gravity_node *node, int32_t n_top,
                                    struct cairn_gravity_node *top) {
  for (int32_t i = n_top - 1; i >= 0; i--) {
    top[i].n_branches = top[i].n;
    if (top[i].child == 0) {
      const int32_t root = branch[top[i].first].node;
      top[i] = node[root];
      top[i].root = root;
    } else {
      fill_parent(order, top + i);
    }
  }
}
