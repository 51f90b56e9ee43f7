/* Multipole and local expansions of the Newtonian potential, and the operators between them. Units: G = 1.
 *
 * The masses of a node act through psi(r) = sum_m M_m D_m(r), where D_m = d^m (1/r) with a multi-index m = (x, y, z),
 * and M_m = sum_i m_i (-s_i)^m / m! over the bodies at s_i from the node's centre. Near the centre of a sink node,
 * psi = sum_n L_n r^n / n!, with L_n = sum_m M_m D_{n+m}; terms up to |n| + |m| = p, the order (Warren and Salmon 1995;
 * Dehnen 2002).
 *
 * 1/r is harmonic, so wherever two z occur in an index, they can be replaced: D_zz = -D_xx - D_yy. M is therefore kept
 * as a polynomial in the derivatives modulo the Laplacian, L as the derivatives that are not implied by others: in both
 * z is 0 or 1, 2l + 1 coefficients of order l, (p+1)^2 in all, as many as spherical harmonics have, without their
 * trigonometry. Coefficient (l, z, x), y = l - z - x, stands at l^2 + z (l+1) + x. In this form all operators are
 * three: the powers s^m/m! of a shift (P2M), the product of two polynomials (M2M), and the contraction L_n = sum_m M_m
 * D_{n+m}: with the derivatives of 1/r it is M2L, and for |n| <= 1 M2P; with another L in the place of D and the powers
 * of a shift in the place of M it is L2L, and for |n| <= 1 L2P. */
#ifndef CAIRN_KERNELS_GRAVITY_GRAVITY_EXPANSION_H
#define CAIRN_KERNELS_GRAVITY_GRAVITY_EXPANSION_H

#include <stdint.h>

#include "kernels/gravity/gravity_direct.h"

enum { CAIRN_GRAVITY_ORDERS = 5, CAIRN_GRAVITY_COEFFICIENTS = (CAIRN_GRAVITY_ORDERS + 1) * (CAIRN_GRAVITY_ORDERS + 1) };

/* P2M: the multipole [(order+1)^2] of n bodies about a centre. */
void cairn_kernel_gravity_p2m(int order, int32_t n, const struct cairn_points *bodies, const double centre[3],
                              double *multipole);

/* A node as a source. */
struct cairn_gravity_far {
  double d[3]; /* m, from the source's centre to the sink's */
  const double *multipole;
};

/* M2M: the multipole of a parent from those of its n <= 8 children; the parent's centre is the sink. */
void cairn_kernel_gravity_m2m(int order, int32_t n, const struct cairn_gravity_far *children, double *parent);

/* M2L: add the expansions of n sources about the sink's centre to `local`. The sources' centres are their centres of
 * mass: dipoles are taken as zero. */
void cairn_kernel_gravity_m2l(int order, int32_t n, const struct cairn_gravity_far *sources, double *local);

/* M2P: add the fields of n_sources sources, their d counted to `centre`, to those of n bodies, [n][CAIRN_FIELD]. */
void cairn_kernel_gravity_m2p(int order, int32_t n_sources, const struct cairn_gravity_far *sources,
                              const double centre[3], int32_t n, const struct cairn_points *bodies, double *field);

/* L2L: the parent's expansion about the centres of n <= 8 children, at `shift` from the parent's. */
void cairn_kernel_gravity_l2l(int order, const double *parent, int32_t n, const double (*shift)[3],
                              double (*child)[CAIRN_GRAVITY_COEFFICIENTS]);

/* L2P: add the field of an expansion to those of n bodies, [n][CAIRN_FIELD]. */
void cairn_kernel_gravity_l2p(int order, const double *local, const double centre[3], int32_t n,
                              const struct cairn_points *bodies, double *field);

#endif
