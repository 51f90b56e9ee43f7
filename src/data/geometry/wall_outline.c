#include "data/geometry/wall_outline.h"
#include "kernels/common/vec3.h"

#include <math.h>
#include <string.h>

enum { ROUND = 64 }; /* segments of a full turn */

static const double turn = 6.283185307179586;

bool cairn_wall_outline_cells(const double shape[CAIRN_SHAPE_DOUBLES], int n[2]) {
  static const int cells[][2] = {
      [CAIRN_SHAPE_PLANE] = {1, 1},
      [CAIRN_SHAPE_DISK] = {ROUND, 1},
      [CAIRN_SHAPE_RECTANGLE] = {1, 1},
      [CAIRN_SHAPE_TRIANGLE] = {1, 1},
      [CAIRN_SHAPE_CYLINDER] = {ROUND, 1},
      [CAIRN_SHAPE_CONE] = {ROUND, 1},
      [CAIRN_SHAPE_SPHERE] = {ROUND, ROUND / 2},
      [CAIRN_SHAPE_RING] = {ROUND, 0},
      [CAIRN_SHAPE_LINE] = {1, 0},
      [CAIRN_SHAPE_POINT] = {0, 0},
  };
  if ((int)shape[0] == CAIRN_SHAPE_MESH)
    return false;
  memcpy(n, cells[(int)shape[0]], 2 * sizeof *n);
  return true;
}

/* Turn v by the unit quaternion (u, s), u of three numbers: v + 2 u × (u × v + s v). */
static void rotate(const double u[3], double s, const double v[3], double out[3]) {
  double inner[3], outer[3];
  cairn_vec3_cross(u, v, inner);
  for (int k = 0; k < 3; k++)
    inner[k] += s * v[k];
  cairn_vec3_cross(u, inner, outer);
  for (int k = 0; k < 3; k++)
    out[k] = v[k] + 2. * outer[k];
}

/* Two unit vectors at right angles to n and to each other, made from the axis that n is least along. */
static void span(const double n[3], double e[3], double f[3]) {
  const int k = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
  double axis[3] = {0, 0, 0}, length;
  axis[k] = 1.;
  cairn_vec3_cross(n, axis, e);
  length = sqrt(cairn_vec3_dot(e, e));
  for (int i = 0; i < 3; i++)
    e[i] /= length > 0. ? length : 1.;
  cairn_vec3_cross(n, e, f);
}

/* p = o + along n + radius (cos a e + sin a f) */
static void around(const double *o, const double *n, double along, double radius, double angle, double p[3]) {
  double e[3], f[3];
  span(n, e, f);
  for (int k = 0; k < 3; k++)
    p[k] = o[k] + along * n[k] + radius * (cos(angle) * e[k] + sin(angle) * f[k]);
}

/* In the coordinates of the wall; `middle` of the box too, `width` is its diagonal. */
static void local_point(const double *shape, const double middle[3], double width, int i, int j, double p[3]) {
  const double *o = shape + 1, *n = shape + 4, *last = shape + 7, angle = turn * (i % ROUND) / ROUND;
  const double away[3] = {middle[0] - o[0], middle[1] - o[1], middle[2] - o[2]}, along = cairn_vec3_dot(away, n);
  switch ((int)shape[0]) {
  case CAIRN_SHAPE_PLANE: {
    double foot[3];
    for (int k = 0; k < 3; k++)
      foot[k] = middle[k] - along * n[k];
    /* The corners of a square: half a diagonal away, at odd multiples of an eighth of a turn. */
    around(foot, n, 0., sqrt(0.5) * width, turn * (j ? (i ? 5 : 7) : (i ? 3 : 1)) / 8., p);
    break;
  }
  case CAIRN_SHAPE_DISK:
    around(o, n, 0., j ? last[0] : last[1], angle, p);
    break;
  case CAIRN_SHAPE_RECTANGLE:
    for (int k = 0; k < 3; k++)
      p[k] = o[k] + i * n[k] + j * last[k];
    break;
  case CAIRN_SHAPE_TRIANGLE: /* a patch one side of which has shrunk to a corner */
    for (int k = 0; k < 3; k++)
      p[k] = o[k] + (j ? last[k] : i * n[k]);
    break;
  case CAIRN_SHAPE_CYLINDER:
    around(o, n, along + (j - 0.5) * width, last[0], angle, p);
    break;
  case CAIRN_SHAPE_CONE:
    around(o, n, (j - 0.5) * last[1], j ? last[2] : last[0], angle, p);
    break;
  case CAIRN_SHAPE_SPHERE: {
    static const double pole[3] = {0, 0, 1};
    const double height = turn * j / ROUND;
    around(o, pole, -last[0] * cos(height), last[0] * sin(height), angle, p);
    break;
  }
  case CAIRN_SHAPE_RING:
    around(o, n, 0., last[0], angle, p);
    break;
  case CAIRN_SHAPE_LINE:
    around(o, n, last[1] < 0. ? along + (i - 0.5) * width : (i - 0.5) * last[1], 0., 0., p);
    break;
  default:
    memcpy(p, o, 3 * sizeof *p);
    break;
  }
}

void cairn_wall_outline_place(const struct cairn_wall_sample *wall, const double local[3], double point[3]) {
  rotate(wall->orientation, wall->orientation[3], local, point);
  for (int k = 0; k < 3; k++)
    point[k] += wall->position[k];
}

void cairn_wall_outline_point(const double shape[CAIRN_SHAPE_DOUBLES], const struct cairn_wall_sample *wall,
                              const double box[2][3], int i, int j, double point[3]) {
  const double *q = wall->orientation, back[3] = {-q[0], -q[1], -q[2]};
  double away[3], middle[3], local[3], width = 0.;
  for (int k = 0; k < 3; k++) {
    away[k] = 0.5 * (box[0][k] + box[1][k]) - wall->position[k];
    width += (box[1][k] - box[0][k]) * (box[1][k] - box[0][k]);
  }
  rotate(back, q[3], away, middle);
  local_point(shape, middle, sqrt(width), i, j, local);
  cairn_wall_outline_place(wall, local, point);
}
