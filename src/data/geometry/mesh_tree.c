#include "data/geometry/mesh_tree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/error.h"
#include "kernels/shapes/mesh.h"

enum { LEAF = 4 };

/* A triangle while the tree is built. */
struct item {
  double middle[3]; /* three times the centroid */
  int64_t index;
};

struct builder {
  const double *corner;
  struct item *item;
  double *triangle, *node; /* in the stretch */
  int64_t n_nodes;
};

/* Unlike fmin and fmax, which care for NaN, these are one instruction. */
static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

/* By the middle along an axis, then by index: a total order, so that nothing depends on how the sort goes on. */
static bool is_before(const struct item *a, const struct item *b, int axis) {
  return a->middle[axis] < b->middle[axis] || (a->middle[axis] == b->middle[axis] && a->index < b->index);
}

static void swap(struct item *a, struct item *b) {
  const struct item other = *a;
  *a = *b;
  *b = other;
}

/* Put the pivot, one of the items, where it belongs between smaller and larger ones; that place. */
static int64_t divide(struct item *item, int64_t begin, int64_t end, int64_t pivot, int axis) {
  int64_t place = begin;
  swap(item + pivot, item + end - 1);
  for (int64_t i = begin; i < end - 1; i++)
    if (is_before(item + i, item + end - 1, axis))
      swap(item + i, item + place++);
  swap(item + place, item + end - 1);
  return place;
}

/* Order the items so far that none before `middle` belongs after it (Hoare 1961, Find). Pivots come from a fixed
 * sequence of random numbers: files are often sorted, or made to be slow. */
static void halve(struct item *item, int64_t begin, int64_t end, int64_t middle, int axis) {
  uint64_t random = 0x9e3779b97f4a7c15u;
  while (end - begin > 1) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const int64_t pivot = begin + (int64_t)((random >> 33) % (uint64_t)(end - begin));
    const int64_t place = divide(item, begin, end, pivot, axis);
    if (place == middle)
      return;
    if (place < middle)
      begin = place + 1;
    else
      end = place;
  }
}

static int widest_axis(const struct item *item, int64_t begin, int64_t end) {
  double width[3];
  for (int k = 0; k < 3; k++) {
    double lower = INFINITY, upper = -INFINITY;
    for (int64_t i = begin; i < end; i++) {
      lower = smaller(lower, item[i].middle[k]);
      upper = larger(upper, item[i].middle[k]);
    }
    width[k] = upper - lower;
  }
  return width[0] >= width[1] && width[0] >= width[2] ? 0 : width[1] >= width[2] ? 1 : 2;
}

static void build_leaf(struct builder *b, double *node, int64_t begin, int64_t end) {
  for (int k = 0; k < 3; k++) {
    node[k] = INFINITY;
    node[3 + k] = -INFINITY;
  }
  for (int64_t i = begin; i < end; i++) {
    const double *from = b->corner + CAIRN_MESH_TRIANGLE * b->item[i].index;
    memcpy(b->triangle + CAIRN_MESH_TRIANGLE * i, from, CAIRN_MESH_TRIANGLE * sizeof *from);
    for (int k = 0; k < CAIRN_MESH_TRIANGLE; k++) {
      node[k % 3] = smaller(node[k % 3], from[k]);
      node[3 + k % 3] = larger(node[3 + k % 3], from[k]);
    }
  }
  node[6] = (double)begin;
  node[7] = (double)(end - begin);
}

/* The node of these items and all below it; its index. Halves differ by at most one, which bounds the depth. */
static int64_t build_node(struct builder *b, int64_t begin, int64_t end) {
  const int64_t index = b->n_nodes++;
  double *node = b->node + CAIRN_MESH_NODE * index;
  if (end - begin <= LEAF) {
    build_leaf(b, node, begin, end);
    return index;
  }
  const int64_t middle = begin + (end - begin) / 2;
  halve(b->item, begin, end, middle, widest_axis(b->item, begin, end));
  const double *first = b->node + CAIRN_MESH_NODE * build_node(b, begin, middle);
  const int64_t second_index = build_node(b, middle, end);
  const double *second = b->node + CAIRN_MESH_NODE * second_index;
  for (int k = 0; k < 3; k++) {
    node[k] = smaller(first[k], second[k]);
    node[3 + k] = larger(first[3 + k], second[3 + k]);
  }
  node[6] = (double)second_index;
  node[7] = 0.;
  return index;
}

/* Nodes of the tree of n triangles. On each level there are ranges of at most two sizes, m and m + 1. */
static int64_t count_nodes(int64_t n) {
  int64_t nodes = 0, size = n, n_small = 1, n_large = 0;
  while (n_small + n_large > 0) {
    nodes += n_small + n_large;
    const int64_t split_small = size > LEAF ? n_small : 0, split_large = size + 1 > LEAF ? n_large : 0;
    const bool odd = size % 2 != 0;
    n_small = odd ? split_small : 2 * split_small + split_large;
    n_large = odd ? split_small + 2 * split_large : split_large;
    size /= 2;
  }
  return nodes;
}

static int fail_memory(struct cairn_error *error, int64_t n) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the tree of a mesh of %lld triangles",
                         (long long)n);
}

int cairn_mesh_tree_build(const double *corner, int64_t n, double tolerance, double **data, size_t *n_doubles,
                          struct cairn_error *error) {
  const int64_t n_nodes = count_nodes(n), nodes_at = CAIRN_MESH_HEADER + CAIRN_MESH_TRIANGLE * n;
  *n_doubles = (size_t)(nodes_at + CAIRN_MESH_NODE * n_nodes);
  *data = malloc(*n_doubles * sizeof **data);
  struct builder b = {.corner = corner, .item = malloc((size_t)n * sizeof *b.item)};
  if (!*data || !b.item) {
    free(*data);
    free(b.item);
    *data = NULL;
    return fail_memory(error, n);
  }
  for (int64_t i = 0; i < n; i++) {
    b.item[i].index = i;
    for (int k = 0; k < 3; k++)
      b.item[i].middle[k] = corner[9 * i + k] + corner[9 * i + 3 + k] + corner[9 * i + 6 + k];
  }
  (*data)[0] = (double)n;
  (*data)[1] = (double)n_nodes;
  (*data)[2] = (double)nodes_at;
  (*data)[3] = tolerance;
  b.triangle = *data + CAIRN_MESH_HEADER;
  b.node = *data + nodes_at;
  build_node(&b, 0, n);
  free(b.item);
  return CAIRN_OK;
}
