/* The shapes of walls: the point of a surface nearest to a given point. Shared by all methods (Schwartz 2013, section
 * 2.2; Richardson et al. 2011, section 2.2). A shape is CAIRN_SHAPE_DOUBLES numbers:
 *
 *   [0] kind  [1..3] o  [4..6] n, or first edge  [7..9] R, L, R2, or second edge
 *
 *   plane      o a point, n the unit normal towards the bodies; the half space behind it is solid
 *   disk       o the centre, n the unit normal, R the outer radius, L the radius of the hole (0: none)
 *   rectangle  o a corner, two edges at right angles
 *   triangle   o a corner, two edges
 *   cylinder   o a point of the axis, n its unit direction, R; infinite
 *   cone       o the middle of the axis, n its unit direction from the wide to the narrow end, R the wide radius,
 *              L the length, R2 the narrow radius; the finite cylinder is the cone with R2 = R; ends are open
 *   sphere     o the centre, R; a shell, touched from inside and outside
 *   ring       o the centre, n the unit normal of its plane, R
 *   line       o the middle, n its unit direction, L the length; negative: infinite
 *   point      o
 *   mesh       [1] where its data begin in the world (kernels/shapes/mesh.h)
 *
 * All but the plane are sheets without thickness, touched from both sides. Sizes are expected between 1e-60 and 1e60 m;
 * within that no place, however far or near, gives anything but finite numbers. */
#ifndef CAIRN_KERNELS_SHAPES_SHAPES_H
#define CAIRN_KERNELS_SHAPES_SHAPES_H

#include "kernels/common/portable.h"

enum {
  CAIRN_SHAPE_PLANE,
  CAIRN_SHAPE_DISK,
  CAIRN_SHAPE_RECTANGLE,
  CAIRN_SHAPE_TRIANGLE,
  CAIRN_SHAPE_CYLINDER,
  CAIRN_SHAPE_CONE,
  CAIRN_SHAPE_SPHERE,
  CAIRN_SHAPE_RING,
  CAIRN_SHAPE_LINE,
  CAIRN_SHAPE_POINT,
  CAIRN_SHAPE_MESH
};
enum { CAIRN_SHAPE_DOUBLES = 10 };

/* Where the nearest point of the surface is, seen from the given point. Where many points are nearest and their pushes
 * cancel (the middle of a sphere, the axis of a cylinder), n is zero: there is no force. Where they cancel but for one
 * direction (the axis of a ring, of a hole, of a cone), n is that direction: a phantom point as far away as the real
 * ones (Schwartz 2013, sections 2.2.2 and 2.2.6). On the surface itself n is against the normal of a flat shape, away
 * from the axis or centre of a round one, and zero on a ring, a line, a point or the tip of a cone. */
struct cairn_nearest {
  double distance;   /* m; negative behind a plane, never for the other shapes */
  double nx, ny, nz; /* unit vector to the nearest point (behind a plane: still against its normal), or zero */
};

/* m; who is farther away counts as that far, so that no product overflows */
#define CAIRN_SHAPES_FAR 1e100
/* m²; who is nearer counts as being there, so that no square loses digits in denormal numbers */
#define CAIRN_SHAPES_HERE 1e-280
/* Who is nearer to an axis than this part of the height along it counts as being on it: what is left of the radial
 * direction is rounding. */
#define CAIRN_SHAPES_ON_AXIS 1e-14

/* Comparisons, unlike fmin and fmax, let a number that is none pass: it must be seen. */
CAIRN_INLINE double cairn_shapes_bounded(double x) {
  return x > CAIRN_SHAPES_FAR ? CAIRN_SHAPES_FAR : x < -CAIRN_SHAPES_FAR ? -CAIRN_SHAPES_FAR : x;
}

/* The nearest point at the place (vx, vy, vz) seen from the given point; n is (fx, fy, fz) if it is there already. */
CAIRN_INLINE struct cairn_nearest cairn_shapes_towards(double vx, double vy, double vz, double fx, double fy,
                                                       double fz) {
  struct cairn_nearest r;
  const double d2 = vx * vx + vy * vy + vz * vz;
  const int here = d2 < CAIRN_SHAPES_HERE;
  r.distance = sqrt(d2);
  const double scale = 1. / (here ? 1. : r.distance);
  r.nx = here ? fx : scale * vx;
  r.ny = here ? fy : scale * vy;
  r.nz = here ? fz : scale * vz;
  return r;
}

/* The nearest point on a face with unit normal (nx, ny, nz) right below or above, at the height h. */
CAIRN_INLINE struct cairn_nearest cairn_shapes_face(double h, double nx, double ny, double nz) {
  struct cairn_nearest r;
  const double side = h < 0. ? 1. : -1.;
  r.distance = fabs(h);
  r.nx = side * nx;
  r.ny = side * ny;
  r.nz = side * nz;
  return r;
}

/* A point ρ in cylinder coordinates about an axis n through the origin: ρ = r t + h n. On the axis t is zero. */
struct cairn_shapes_polar {
  double h, r;
  double tx, ty, tz;
  double nx, ny, nz;
};

CAIRN_INLINE struct cairn_shapes_polar cairn_shapes_polar(CAIRN_GLOBAL const double *n, double x, double y, double z) {
  struct cairn_shapes_polar p;
  p.nx = n[0];
  p.ny = n[1];
  p.nz = n[2];
  const double h = x * p.nx + y * p.ny + z * p.nz;
  const double ax = x - h * p.nx, ay = y - h * p.ny, az = z - h * p.nz;
  /* once more: near the axis the rounding of h n is as large as what is left */
  const double rest = ax * p.nx + ay * p.ny + az * p.nz;
  const double bx = ax - rest * p.nx, by = ay - rest * p.ny, bz = az - rest * p.nz;
  const double r2 = bx * bx + by * by + bz * bz;
  const double axis = CAIRN_SHAPES_ON_AXIS * h;
  const int on_axis = r2 < CAIRN_SHAPES_HERE || r2 <= axis * axis;
  p.h = h;
  p.r = on_axis ? 0. : sqrt(r2);
  const double scale = (on_axis ? 0. : 1.) / (on_axis ? 1. : p.r);
  p.tx = scale * bx;
  p.ty = scale * by;
  p.tz = scale * bz;
  return p;
}

/* The nearest point of a surface of revolution, dr farther out and dh farther up than the given one; n is fr t + fh n
 * if it is there already. On the axis the nearest points are a circle whose pushes cancel across: what is left is along
 * the axis, the direction of dh, or nothing. */
CAIRN_INLINE struct cairn_nearest cairn_shapes_revolved(struct cairn_shapes_polar p, double dr, double dh, double fr,
                                                        double fh) {
  struct cairn_nearest r;
  const double d2 = dr * dr + dh * dh;
  const int here = d2 < CAIRN_SHAPES_HERE;
  r.distance = sqrt(d2);
  const double scale = 1. / (here ? 1. : r.distance);
  const double across = here ? fr : scale * dr;
  const double off_axis = here ? fh : scale * dh;
  const double on_axis = here ? fh : dh > 0. ? 1. : dh < 0. ? -1. : 0.;
  const double along = p.r > 0. ? off_axis : on_axis;
  r.nx = across * p.tx + along * p.nx;
  r.ny = across * p.ty + along * p.ny;
  r.nz = across * p.tz + along * p.nz;
  return r;
}

CAIRN_INLINE struct cairn_nearest cairn_shapes_plane(CAIRN_GLOBAL const double *shape, double x, double y, double z) {
  struct cairn_nearest r;
  r.distance = x * shape[4] + y * shape[5] + z * shape[6];
  r.nx = -shape[4];
  r.ny = -shape[5];
  r.nz = -shape[6];
  return r;
}

/* Face, rim or edge of the hole (Schwartz 2013, section 2.2.2, cases A to C). */
CAIRN_INLINE struct cairn_nearest cairn_shapes_disk(CAIRN_GLOBAL const double *shape, double x, double y, double z) {
  const struct cairn_shapes_polar p = cairn_shapes_polar(shape + 4, x, y, z);
  const double nearest = fmin(fmax(p.r, shape[8]), shape[7]);
  return cairn_shapes_revolved(p, nearest - p.r, -p.h, 0., -1.);
}

/* Face, edge or corner (Schwartz 2013, table 2.1): the edges are at right angles, so each coordinate for itself. */
CAIRN_INLINE struct cairn_nearest cairn_shapes_rectangle(CAIRN_GLOBAL const double *shape, double x, double y,
                                                         double z) {
  const double ax = shape[4], ay = shape[5], az = shape[6], bx = shape[7], by = shape[8], bz = shape[9];
  const double a2 = ax * ax + ay * ay + az * az, b2 = bx * bx + by * by + bz * bz;
  const double a = (x * ax + y * ay + z * az) / (a2 > 0. ? a2 : 1.);
  const double b = (x * bx + y * by + z * bz) / (b2 > 0. ? b2 : 1.);
  const double cx = ay * bz - az * by, cy = az * bx - ax * bz, cz = ax * by - ay * bx;
  const double c2 = cx * cx + cy * cy + cz * cz;
  const double scale = 1. / sqrt(c2 > 0. ? c2 : 1.);
  const double nx = scale * cx, ny = scale * cy, nz = scale * cz;
  if (c2 > 0. && a >= 0. && a <= 1. && b >= 0. && b <= 1.)
    return cairn_shapes_face(x * nx + y * ny + z * nz, nx, ny, nz);
  const double u = fmin(fmax(a, 0.), 1.), v = fmin(fmax(b, 0.), 1.);
  return cairn_shapes_towards(u * ax + v * bx - x, u * ay + v * by - y, u * az + v * bz - z, -nx, -ny, -nz);
}

/* What of a triangle is nearest: its face, an edge k, from corner k to the next one, or a corner k. */
enum { CAIRN_SHAPES_FACE = 0, CAIRN_SHAPES_EDGE = 1, CAIRN_SHAPES_CORNER = 4 };

/* A point of a triangle: corner 0 + u (corner 1 - corner 0) + v (corner 2 - corner 0). */
struct cairn_shapes_foot {
  double u, v;
  cairn_int feature; /* CAIRN_SHAPES_FACE, CAIRN_SHAPES_EDGE + k or CAIRN_SHAPES_CORNER + k */
};

/* A triangle as seen from the given point p: corner 0 is the origin, a and b are the edges from it, n is its unit
 * normal along a × b, or zero if it has no face. */
struct cairn_shapes_view {
  double px, py, pz, ax, ay, az, bx, by, bz, nx, ny, nz;
};

/* n·(v × w): the area that v and w span, with its sign. */
CAIRN_INLINE double cairn_shapes_area(const struct cairn_shapes_view *t, double vx, double vy, double vz, double wx,
                                      double wy, double wz) {
  return t->nx * (vy * wz - vz * wy) + t->ny * (vz * wx - vx * wz) + t->nz * (vx * wy - vy * wx);
}

/* The part of the edge e at which it is nearest to p, seen from its start; *d2 is the square of that distance. */
CAIRN_INLINE double cairn_shapes_part(double px, double py, double pz, double ex, double ey, double ez, double *d2) {
  const double e2 = ex * ex + ey * ey + ez * ez;
  const double part = fmin(fmax((px * ex + py * ey + pz * ez) / (e2 > 0. ? e2 : 1.), 0.), 1.);
  const double x = px - part * ex, y = py - part * ey, z = pz - part * ez;
  *d2 = x * x + y * y + z * z;
  return part;
}

/* Which feature is nearest: the face for a point above it (areas of the same sign, Ericson 2005, section 5.1.5), else
 * the nearest of the three edges or its end. Comparing distances there holds in needles too, where the planes that
 * bound the regions of edges and corners are as good as parallel. Table 2.2 of Schwartz (2013) decides by u and v
 * alone, which holds only for edges of equal length at right angles: behind an obtuse corner a point with u < 0 and v <
 * 0 may be nearest to an edge, and case D lands on the third edge askew. */
CAIRN_INLINE struct cairn_shapes_foot cairn_shapes_region(const struct cairn_shapes_view *t) {
  const double px = t->px, py = t->py, pz = t->pz, ax = t->ax, ay = t->ay, az = t->az, bx = t->bx, by = t->by,
               bz = t->bz;
  const double ex = bx - ax, ey = by - ay, ez = bz - az;             /* edge 1 */
  const double qx = px - ax, qy = py - ay, qz = pz - az;             /* p from corner 1 */
  const double area0 = cairn_shapes_area(t, ex, ey, ez, qx, qy, qz); /* of p and the edge that faces corner 0 */
  const double area1 = cairn_shapes_area(t, px, py, pz, bx, by, bz);
  const double area2 = cairn_shapes_area(t, ax, ay, az, px, py, pz);
  const int is_above = area0 > 0. && area1 > 0. && area2 > 0.;
  const double whole = is_above ? area0 + area1 + area2 : 1.;
  struct cairn_shapes_foot r;
  if (is_above) {
    r.u = area1 / whole;
    r.v = area2 / whole;
    r.feature = CAIRN_SHAPES_FACE;
    return r;
  }
  double d0, d1, d2;
  const double part0 = cairn_shapes_part(px, py, pz, ax, ay, az, &d0);
  const double part1 = cairn_shapes_part(qx, qy, qz, ex, ey, ez, &d1);
  const double part2 = cairn_shapes_part(px, py, pz, bx, by, bz, &d2); /* from corner 0, against the edge */
  const cairn_int k = d0 <= d1 && d0 <= d2 ? 0 : d1 <= d2 ? 1 : 2;
  r.u = k == 0 ? part0 : k == 1 ? 1. - part1 : 0.;
  r.v = k == 0 ? 0. : k == 1 ? part1 : part2;
  r.feature = r.u >= 1.                ? CAIRN_SHAPES_CORNER + 1
              : r.v >= 1.              ? CAIRN_SHAPES_CORNER + 2
              : r.u <= 0. && r.v <= 0. ? CAIRN_SHAPES_CORNER
                                       : CAIRN_SHAPES_EDGE + k;
  return r;
}

/* The nearest point of a triangle, given all but its normal. */
CAIRN_INLINE struct cairn_nearest cairn_shapes_triangle_seen(struct cairn_shapes_view t,
                                                             struct cairn_shapes_foot *foot) {
  const double cx = t.ay * t.bz - t.az * t.by, cy = t.az * t.bx - t.ax * t.bz, cz = t.ax * t.by - t.ay * t.bx;
  const double c2 = cx * cx + cy * cy + cz * cz;
  const double scale = 1. / sqrt(c2 > 0. ? c2 : 1.);
  t.nx = scale * cx;
  t.ny = scale * cy;
  t.nz = scale * cz;
  *foot = cairn_shapes_region(&t);
  const double vx = foot->u * t.ax + foot->v * t.bx - t.px;
  const double vy = foot->u * t.ay + foot->v * t.by - t.py;
  const double vz = foot->u * t.az + foot->v * t.bz - t.pz;
  /* from the foot, not from a far corner: the normal of a needle is not sharp */
  if (foot->feature == CAIRN_SHAPES_FACE)
    return cairn_shapes_face(-(vx * t.nx + vy * t.ny + vz * t.nz), t.nx, t.ny, t.nz);
  return cairn_shapes_towards(vx, vy, vz, -t.nx, -t.ny, -t.nz);
}

/* The nearest point of the triangle with the given three corners (nine numbers), and where on it that is. */
CAIRN_INLINE struct cairn_nearest cairn_shapes_triangle(CAIRN_GLOBAL const double *corners, double x, double y,
                                                        double z, struct cairn_shapes_foot *foot) {
  struct cairn_shapes_view t;
  t.px = cairn_shapes_bounded(x - corners[0]);
  t.py = cairn_shapes_bounded(y - corners[1]);
  t.pz = cairn_shapes_bounded(z - corners[2]);
  t.ax = corners[3] - corners[0];
  t.ay = corners[4] - corners[1];
  t.az = corners[5] - corners[2];
  t.bx = corners[6] - corners[0];
  t.by = corners[7] - corners[1];
  t.bz = corners[8] - corners[2];
  return cairn_shapes_triangle_seen(t, foot);
}

CAIRN_INLINE struct cairn_nearest cairn_shapes_triangle_wall(CAIRN_GLOBAL const double *shape, double x, double y,
                                                             double z) {
  struct cairn_shapes_view t;
  struct cairn_shapes_foot foot;
  t.px = x;
  t.py = y;
  t.pz = z;
  t.ax = shape[4];
  t.ay = shape[5];
  t.az = shape[6];
  t.bx = shape[7];
  t.by = shape[8];
  t.bz = shape[9];
  return cairn_shapes_triangle_seen(t, &foot);
}

CAIRN_INLINE struct cairn_nearest cairn_shapes_cylinder(CAIRN_GLOBAL const double *shape, double x, double y,
                                                        double z) {
  const struct cairn_shapes_polar p = cairn_shapes_polar(shape + 4, x, y, z);
  return cairn_shapes_revolved(p, shape[7] - p.r, 0., 1., 0.);
}

/* In the half plane through the axis and the point the flank is a segment from the wide to the narrow rim (Schwartz
 * 2013, eqs. 2.41 to 2.43; eq. 2.44 leaves out the wide rim that c counts from). Between the rims the distance is taken
 * along the normal of the flank, which stays sharp however near the point is. */
CAIRN_INLINE struct cairn_nearest cairn_shapes_cone(CAIRN_GLOBAL const double *shape, double x, double y, double z) {
  const struct cairn_shapes_polar p = cairn_shapes_polar(shape + 4, x, y, z);
  const double wide = shape[7], length = shape[8], narrow = shape[9], shrink = wide - narrow;
  const double flank2 = length * length + shrink * shrink, slant2 = flank2 > 0. ? flank2 : 1.;
  const double r = p.r - wide, h = p.h + 0.5 * length;
  const double c = (length * h - shrink * r) / slant2;
  if (c <= 0.)
    return cairn_shapes_revolved(p, -r, -h, 1., 0.);
  if (c >= 1.)
    return cairn_shapes_revolved(p, narrow - p.r, 0.5 * length - p.h, 1., 0.);
  const double part = (length * r + shrink * h) / slant2; /* height over the flank, over its length */
  return cairn_shapes_revolved(p, -part * length, -part * shrink, 1., 0.);
}

CAIRN_INLINE struct cairn_nearest cairn_shapes_sphere(CAIRN_GLOBAL const double *shape, double x, double y, double z) {
  struct cairn_nearest r = cairn_shapes_towards(x, y, z, 0., 0., 0.);
  const double out = shape[7] - r.distance, side = out < 0. ? -1. : 1.;
  r.distance = fabs(out);
  r.nx *= side;
  r.ny *= side;
  r.nz *= side;
  return r;
}

CAIRN_INLINE struct cairn_nearest cairn_shapes_ring(CAIRN_GLOBAL const double *shape, double x, double y, double z) {
  const struct cairn_shapes_polar p = cairn_shapes_polar(shape + 4, x, y, z);
  return cairn_shapes_revolved(p, shape[7] - p.r, -p.h, 0., 0.);
}

CAIRN_INLINE struct cairn_nearest cairn_shapes_line(CAIRN_GLOBAL const double *shape, double x, double y, double z) {
  const struct cairn_shapes_polar p = cairn_shapes_polar(shape + 4, x, y, z);
  const double end = 0.5 * shape[8];
  const double nearest = end < 0. ? p.h : fmin(fmax(p.h, -end), end);
  return cairn_shapes_revolved(p, -p.r, nearest - p.h, 0., 0.);
}

/* For every kind but a mesh. */
CAIRN_INLINE struct cairn_nearest cairn_shapes_nearest(CAIRN_GLOBAL const double *shape, double x, double y, double z) {
  const double px = cairn_shapes_bounded(x - shape[1]), py = cairn_shapes_bounded(y - shape[2]),
               pz = cairn_shapes_bounded(z - shape[3]);
  switch ((cairn_int)shape[0]) {
  case CAIRN_SHAPE_PLANE:
    return cairn_shapes_plane(shape, px, py, pz);
  case CAIRN_SHAPE_DISK:
    return cairn_shapes_disk(shape, px, py, pz);
  case CAIRN_SHAPE_RECTANGLE:
    return cairn_shapes_rectangle(shape, px, py, pz);
  case CAIRN_SHAPE_TRIANGLE:
    return cairn_shapes_triangle_wall(shape, px, py, pz);
  case CAIRN_SHAPE_CYLINDER:
    return cairn_shapes_cylinder(shape, px, py, pz);
  case CAIRN_SHAPE_CONE:
    return cairn_shapes_cone(shape, px, py, pz);
  case CAIRN_SHAPE_SPHERE:
    return cairn_shapes_sphere(shape, px, py, pz);
  case CAIRN_SHAPE_RING:
    return cairn_shapes_ring(shape, px, py, pz);
  case CAIRN_SHAPE_LINE:
    return cairn_shapes_line(shape, px, py, pz);
  default:
    return cairn_shapes_towards(-px, -py, -pz, 0., 0., 0.);
  }
}

#endif
