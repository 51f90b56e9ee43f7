/* Time of impact: when a sphere that moves along a straight line first touches another sphere or a wall (Richardson et
 * al. 2011, section 2; docs/physics.md). Times count from now, in s; INFINITY: not within the given time. A pair that
 * touches or overlaps and approaches collides at once, at time 0 (Bannerman et al. 2014): so that rounding never lets a
 * body through, and overlaps do not grow. */
#ifndef CAIRN_KERNELS_HARD_IMPACT_H
#define CAIRN_KERNELS_HARD_IMPACT_H

#include "kernels/common/portable.h"
#include "kernels/common/vec3.h"

/* Of two spheres at the distance vector `rho`, with the relative velocity `u` and the sum `reach` of their radii: the
 * smaller root of |rho + u t| = reach, in the form that subtracts no two numbers of the same sign but for the gap
 * itself (Richardson et al. 2011, eq. 3; Press et al. 2007, section 5.6). */
CAIRN_INLINE double cairn_impact_spheres(const double rho[3], const double u[3], double reach, double most) {
  const double b = cairn_vec3_dot(rho, u);
  if (!(b < 0.))
    return INFINITY;
  const double c = cairn_vec3_dot(rho, rho) - reach * reach;
  if (c <= 0.)
    return 0.;
  if (c > -2. * b * most) /* the gap closes slower than c + 2 b t */
    return INFINITY;
  const double a = cairn_vec3_dot(u, u), discriminant = b * b - a * c;
  if (!(discriminant >= 0.))
    return INFINITY;
  const double t = c / (sqrt(discriminant) - b);
  return t <= most ? t : INFINITY;
}

/* The motion of a sphere relative to a wall, in the coordinates of the wall's assembly. */
struct cairn_impact_path {
  double x[3];   /* m, its centre */
  double u[3];   /* m/s, relative to the position of the assembly */
  double w[3];   /* rad/s, spin of the assembly about its position; zero if turning leaves the shape as it is */
  double radius; /* m */
  double most;   /* s, later impacts do not count */
};

/* Of a sphere and a shape that is no mesh (kernels/shapes/shapes.h). All shapes are sheets here, touched from both
 * sides, the plane too. */
double cairn_impact_shape(const double *shape, const struct cairn_impact_path *path);

/* Of a sphere and a mesh (kernels/shapes/mesh.h). */
double cairn_impact_mesh(const double *mesh, const struct cairn_impact_path *path);

/* Centre of the sphere at time t, in the coordinates of the assembly. */
void cairn_impact_place(const struct cairn_impact_path *path, double t, double x[3]);

#endif
