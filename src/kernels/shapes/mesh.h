/* A mesh of triangles as one wall: the points where a sphere touches it, found with a tree of boxes. One stretch of
 * doubles that can travel to a device as it is:
 *
 *   [0] number of triangles  [1] number of nodes  [2] where the nodes begin  [3] tolerance, m
 *   triangles  [n][9]  three corners
 *   nodes      [n][8]  lower and upper corner of the box, then two numbers: of a leaf the first triangle and how many
 *                      (> 0); of an inner node the index of its second child (the first follows it) and 0
 *
 * Triangles are in the order of the leaves. Surfaces no farther apart than the tolerance are connected: so it does not
 * matter whether triangles that meet share their corners. */
#ifndef CAIRN_KERNELS_SHAPES_MESH_H
#define CAIRN_KERNELS_SHAPES_MESH_H

#include "kernels/common/portable.h"
#include "kernels/shapes/shapes.h"

enum { CAIRN_MESH_HEADER = 4, CAIRN_MESH_TRIANGLE = 9, CAIRN_MESH_NODE = 8 };

/* Levels of the tree at most: halving 2^31 triangles takes fewer. */
enum { CAIRN_MESH_LEVELS = 32 };

/* A sphere touches a mesh in at most this many points; of more the deepest count. */
enum { CAIRN_MESH_TOUCHES = 4 };

/* Half the square of the angle (1 - cos) below which two directions are one. Two distances can be told apart if they
 * differ by a few roundings of the size L of the triangles, and on a flat patch a point at the angle a from the foot is
 * farther by a²/2: up to L/d = 10^7 only points within this angle pass for nearest together. As real angle between two
 * faces, 0.008 degrees, it is none that a grain could feel. */
#define CAIRN_MESH_SAME 1e-8

/* Square of the angle to its normal below which a triangle touched at an edge or corner is touched at its face: above
 * what distances can tell (see CAIRN_MESH_SAME, L/d about 1), so that a flat patch gives its normal also where the foot
 * is on or beside an edge. */
#define CAIRN_MESH_UPRIGHT 1e-14

/* Square of the part of its size within which a point is on a triangle: the direction of what is left is rounding. */
#define CAIRN_MESH_THERE 1e-28

/* The triangles of all leaves whose box is within reach of a point, in ascending order. */
struct cairn_mesh_walk {
  double x, y, z, reach2;
  cairn_int next, end; /* triangles left of this leaf */
  cairn_int n_nodes;   /* nodes left */
  cairn_int node[CAIRN_MESH_LEVELS + 1];
};

CAIRN_INLINE void cairn_mesh_start(struct cairn_mesh_walk *walk, double x, double y, double z, double reach) {
  walk->x = x;
  walk->y = y;
  walk->z = z;
  /* a little more: the distance to a triangle may be rounded below that to its box */
  walk->reach2 = reach * reach * (1. + 1e-12);
  walk->next = walk->end = 0;
  walk->n_nodes = 1;
  walk->node[0] = 0;
}

CAIRN_INLINE double cairn_mesh_gap(double lower, double upper, double x) {
  const double below = lower - x, above = x - upper;
  const double gap = below > above ? below : above;
  return gap > 0. ? gap : 0.;
}

/* The next triangle, or -1. */
CAIRN_INLINE cairn_int cairn_mesh_next(CAIRN_GLOBAL const double *mesh, struct cairn_mesh_walk *walk) {
  const cairn_int nodes = (cairn_int)mesh[2];
  while (walk->next >= walk->end && walk->n_nodes > 0) {
    const cairn_int i = walk->node[--walk->n_nodes];
    CAIRN_GLOBAL const double *node = mesh + nodes + CAIRN_MESH_NODE * i;
    const double gx = cairn_mesh_gap(node[0], node[3], walk->x);
    const double gy = cairn_mesh_gap(node[1], node[4], walk->y);
    const double gz = cairn_mesh_gap(node[2], node[5], walk->z);
    if (!(gx * gx + gy * gy + gz * gz <= walk->reach2))
      continue;
    if (node[7] > 0.) {
      walk->next = (cairn_int)node[6];
      walk->end = walk->next + (cairn_int)node[7];
    } else {
      walk->node[walk->n_nodes++] = (cairn_int)node[6];
      walk->node[walk->n_nodes++] = i + 1;
    }
  }
  return walk->next < walk->end ? walk->next++ : -1;
}

CAIRN_INLINE CAIRN_GLOBAL const double *cairn_mesh_triangle(CAIRN_GLOBAL const double *mesh, cairn_int i) {
  return mesh + CAIRN_MESH_HEADER + CAIRN_MESH_TRIANGLE * i;
}

/* Half the square of the angle between two directions that are close. */
CAIRN_INLINE double cairn_mesh_spread(struct cairn_nearest a, struct cairn_nearest b) {
  const double x = a.nx - b.nx, y = a.ny - b.ny, z = a.nz - b.nz;
  return 0.5 * (x * x + y * y + z * z);
}

/* Are the two one touch? Nearer than the tolerance it is not known on which side of the surface the point is. */
CAIRN_INLINE int cairn_mesh_is_same(struct cairn_nearest a, struct cairn_nearest b, double tolerance) {
  if (a.distance <= tolerance && b.distance <= tolerance && a.nx * b.nx + a.ny * b.ny + a.nz * b.nz < 0.) {
    b.nx = -b.nx;
    b.ny = -b.ny;
    b.nz = -b.nz;
  }
  return cairn_mesh_spread(a, b) < CAIRN_MESH_SAME;
}

/* The normal of the triangle for a direction that is all but along it, or mere rounding. */
CAIRN_INLINE struct cairn_nearest cairn_mesh_straighten(CAIRN_GLOBAL const double *t, struct cairn_nearest touch) {
  const double ax = t[3] - t[0], ay = t[4] - t[1], az = t[5] - t[2];
  const double bx = t[6] - t[0], by = t[7] - t[1], bz = t[8] - t[2];
  const double cx = ay * bz - az * by, cy = az * bx - ax * bz, cz = ax * by - ay * bx;
  const double along = touch.nx * cx + touch.ny * cy + touch.nz * cz;
  const double length = sqrt(cx * cx + cy * cy + cz * cz);
  const double scale = 1. / (along < 0. ? -length : length);
  struct cairn_nearest upright = touch;
  upright.nx = scale * cx;
  upright.ny = scale * cy;
  upright.nz = scale * cz;
  const double size2 = ax * ax + ay * ay + az * az + bx * bx + by * by + bz * bz;
  const int is_there = touch.distance * touch.distance <= CAIRN_MESH_THERE * size2;
  return is_there || cairn_mesh_spread(touch, upright) < 0.5 * CAIRN_MESH_UPRIGHT ? upright : touch;
}

/* Does the surface come nearer to the given point on the way from the touch, a point of an edge? A triangle is convex:
 * if one that contains the touch is nearer anywhere, it is so right beside the touch. Who comes nearer is a candidate
 * itself, so the nearest of those that meet in a point is never lost, however distances are rounded. */
CAIRN_INLINE int cairn_mesh_is_passed(CAIRN_GLOBAL const double *mesh, double x, double y, double z,
                                      struct cairn_nearest touch) {
  const double px = x + touch.distance * touch.nx, py = y + touch.distance * touch.ny,
               pz = z + touch.distance * touch.nz;
  struct cairn_mesh_walk walk;
  struct cairn_shapes_foot foot;
  cairn_mesh_start(&walk, px, py, pz, mesh[3]);
  for (cairn_int i = cairn_mesh_next(mesh, &walk); i >= 0; i = cairn_mesh_next(mesh, &walk)) {
    CAIRN_GLOBAL const double *t = cairn_mesh_triangle(mesh, i);
    if (cairn_shapes_triangle(t, x, y, z, &foot).distance < touch.distance &&
        cairn_shapes_triangle(t, px, py, pz, &foot).distance <= mesh[3])
      return 1;
  }
  return 0;
}

/* Where the touch goes in the list: the place of one with its direction, else the next free one, else that of the
 * farthest. */
CAIRN_INLINE cairn_int cairn_mesh_place(const struct cairn_nearest *touches, cairn_int n, struct cairn_nearest touch,
                                        double tolerance) {
  cairn_int farthest = 0;
  for (cairn_int k = 0; k < n; k++) {
    if (cairn_mesh_is_same(touches[k], touch, tolerance))
      return k;
    if (touches[k].distance > touches[farthest].distance)
      farthest = k;
  }
  return n < CAIRN_MESH_TOUCHES ? n : farthest;
}

CAIRN_INLINE void cairn_mesh_sort(cairn_int *key, struct cairn_nearest *touches, cairn_int n) {
  for (cairn_int k = 1; k < n; k++)
    for (cairn_int l = k; l > 0 && key[l - 1] > key[l]; l--) {
      const cairn_int other_key = key[l];
      const struct cairn_nearest other = touches[l];
      key[l] = key[l - 1];
      touches[l] = touches[l - 1];
      key[l - 1] = other_key;
      touches[l - 1] = other;
    }
}

/* The points of the mesh within `reach` of the given point whose distance from it is a local minimum over the surface,
 * each once, in the order of triangles. So a flat patch touches once wherever its edges run, an edge or corner that
 * sticks out touches once, and each side of a corner that goes in touches for itself. Of points in the same direction
 * the nearest counts, the one of the first triangle if they are equal. For a point on the surface the direction is a
 * normal. Returns how many. */
CAIRN_INLINE cairn_int cairn_mesh_touches(CAIRN_GLOBAL const double *mesh, double x, double y, double z, double reach,
                                          struct cairn_nearest touches[CAIRN_MESH_TOUCHES]) {
  struct cairn_mesh_walk walk;
  struct cairn_shapes_foot foot;
  cairn_int key[CAIRN_MESH_TOUCHES], n = 0;
  cairn_mesh_start(&walk, x, y, z, reach);
  for (cairn_int i = cairn_mesh_next(mesh, &walk); i >= 0; i = cairn_mesh_next(mesh, &walk)) {
    CAIRN_GLOBAL const double *t = cairn_mesh_triangle(mesh, i);
    const struct cairn_nearest found = cairn_shapes_triangle(t, x, y, z, &foot);
    if (!(found.distance <= reach))
      continue;
    const int on_face = foot.feature == CAIRN_SHAPES_FACE;
    const struct cairn_nearest touch = on_face ? found : cairn_mesh_straighten(t, found);
    const cairn_int k = cairn_mesh_place(touches, n, touch, mesh[3]);
    if (k < n && touches[k].distance <= touch.distance)
      continue;
    if (!on_face && cairn_mesh_is_passed(mesh, x, y, z, found))
      continue;
    touches[k] = touch;
    key[k] = i;
    n += k == n;
  }
  cairn_mesh_sort(key, touches, n);
  return n;
}

/* Is any point of the mesh nearer than `reach`? */
CAIRN_INLINE int cairn_mesh_is_near(CAIRN_GLOBAL const double *mesh, double x, double y, double z, double reach) {
  struct cairn_mesh_walk walk;
  struct cairn_shapes_foot foot;
  cairn_mesh_start(&walk, x, y, z, reach);
  for (cairn_int i = cairn_mesh_next(mesh, &walk); i >= 0; i = cairn_mesh_next(mesh, &walk))
    if (cairn_shapes_triangle(cairn_mesh_triangle(mesh, i), x, y, z, &foot).distance < reach)
      return 1;
  return 0;
}

#endif
