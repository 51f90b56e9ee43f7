#include "kernels/gravity/gravity_expansion.h"

#include "kernels/common/vector.h"
#include "kernels/gravity/gravity_lanes.h"

/* Coefficients: those kept, z < 2, and derivatives with z < 3, the most a sum of two kept indices can have. */
enum { KEPT = CAIRN_GRAVITY_COEFFICIENTS, DERIVATIVES = 1 + 3 * CAIRN_GRAVITY_ORDERS * (CAIRN_GRAVITY_ORDERS + 1) / 2 };

/* The loops over indices have constant bounds where `p` is a constant, and are to be unrolled. */
#ifdef __clang__ /* which takes a loop it does not unroll as reason for a warning */
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* All indices (l, z, x) of coefficients that are kept, up to order `last`. */
#define EACH(l, z, x, last)                                                                                            \
  UNROLL for (int l = 0; l <= (last); l++) UNROLL for (int z = 0; z <= 1; z++) UNROLL for (int x = 0; x <= l - z; x++)

CAIRN_INLINE int kept(int l, int z, int x) { return l * l + z * (l + 1) + x; }

/* Of order l there are l+1 derivatives with z = 0, l with z = 1, l-1 with z = 2. */
CAIRN_INLINE int derivative(int l, int z, int x) {
  return (l > 0 ? 1 + 3 * l * (l - 1) / 2 : 0) + z * (l + 1) - (z == 2) + x;
}

/* Powers t = s^m / m! of a vector, modulo the Laplacian: t_l = t_{l-1} (s . d) / l. */
CAIRN_INLINE void powers(int p, const cairn_lanes s[3], cairn_lanes *restrict t) {
  t[0] = (cairn_lanes){1., 1., 1., 1., 1., 1., 1., 1.};
  UNROLL for (int l = 1; l <= p; l++) {
    const double scale = 1. / l;
    const cairn_lanes sx = s[0] * scale, sy = s[1] * scale, sz = s[2] * scale, none = {0.};
    UNROLL for (int x = 0; x <= l; x++) { /* z = 0, y = l-x; also from z = 1 times d_z, d_z^2 = -d_x^2 - d_y^2 */
      const cairn_lanes by_x = x > 0 ? sx * t[kept(l - 1, 0, x - 1)] : none;
      const cairn_lanes by_y = x < l ? sy * t[kept(l - 1, 0, x)] : none;
      const cairn_lanes zx = x > 1 ? t[kept(l - 1, 1, x - 2)] : none, zy = x < l - 1 ? t[kept(l - 1, 1, x)] : none;
      t[kept(l, 0, x)] = (by_x + by_y) - sz * (zx + zy);
    }
    UNROLL for (int x = 0; x < l; x++) { /* z = 1, y = l-1-x */
      const cairn_lanes by_x = x > 0 ? sx * t[kept(l - 1, 1, x - 1)] : none;
      const cairn_lanes by_y = x < l - 1 ? sy * t[kept(l - 1, 1, x)] : none;
      t[kept(l, 1, x)] = (by_x + by_y) + sz * t[kept(l - 1, 0, x)];
    }
  }
}

/* The derivatives with two z from the others. */
CAIRN_INLINE void complete(int p, cairn_lanes *restrict d) {
  UNROLL for (int l = 2; l <= p; l++) UNROLL for (int x = 0; x <= l - 2; x++) d[derivative(l, 2, x)] =
      -d[derivative(l, 0, x + 2)] - d[derivative(l, 0, x)];
}

/* Derivatives of 1/r by the recursion of McMurchie and Davidson (1978) for Gaussian integrals, whose auxiliary
 * functions are here R^(j) = (-1)^j (2j-1)!! / r^(2j+1): R^(j)_{n+e} = s_e R^(j+1)_n + n_e R^(j+1)_{n-e} for a
 * direction e. In place: orders downwards, as each needs the two below it of the next j. */
CAIRN_INLINE void derivatives(int p, const cairn_lanes s[3], cairn_lanes *restrict d) {
  const cairn_lanes r2 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
  cairn_lanes inverse, radial[CAIRN_GRAVITY_ORDERS + 1];
  cairn_lanes_inverse_root(&r2, &inverse);
  const cairn_lanes inverse2 = inverse * inverse;
  radial[0] = inverse;
  UNROLL for (int j = 1; j <= p; j++) radial[j] = radial[j - 1] * inverse2 * (double)(1 - 2 * j);
  UNROLL for (int j = p; j >= 0; j--) {
    UNROLL for (int l = p - j; l > 0; l--) {
      UNROLL for (int x = 0; x < l; x++) d[derivative(l, 1, x)] = s[2] * d[derivative(l - 1, 0, x)];
      UNROLL for (int x = 0; x <= l; x++) { /* from one y less, or one x less where there is no y */
        const int y = l - x, below = y > 0 ? derivative(l - 1, 0, x) : derivative(l - 1, 0, x - 1);
        const int again = y > 0 ? y - 1 : x - 1;
        cairn_lanes value = s[y > 0 ? 1 : 0] * d[below];
        if (again > 0)
          value += (double)again * d[y > 0 ? derivative(l - 2, 0, x) : derivative(l - 2, 0, x - 2)];
        d[derivative(l, 0, x)] = value;
      }
    }
    d[0] = radial[j];
  }
  complete(p, d);
}

/* L_n += sum_m M_m D_{n+m} for |n| <= q, |n| + |m| <= p; without dipoles M has no terms |m| = 1. */
CAIRN_INLINE void contract(int p, int q, int dipoles, const cairn_lanes *restrict m, const cairn_lanes *restrict d,
                           cairn_lanes *restrict l) {
  EACH(nl, nz, nx, q) {
    cairn_lanes sum = l[kept(nl, nz, nx)];
    EACH(ml, mz, mx, p - nl) {
      if (ml != 1 || dipoles)
        sum += m[kept(ml, mz, mx)] * d[derivative(nl + ml, nz + mz, nx + mx)];
    }
    l[kept(nl, nz, nx)] = sum;
  }
}

/* c = a b for polynomials in the derivatives, modulo the Laplacian, up to order p. */
CAIRN_INLINE void multiply(int p, const cairn_lanes *restrict a, const cairn_lanes *restrict b,
                           cairn_lanes *restrict c) {
  UNROLL for (int k = 0; k < (p + 1) * (p + 1); k++) c[k] = (cairn_lanes){0.};
  EACH(al, az, ax, p) {
    EACH(bl, bz, bx, p - al) {
      const int l = al + bl, x = ax + bx;
      const cairn_lanes term = a[kept(al, az, ax)] * b[kept(bl, bz, bx)];
      if (az + bz < 2) {
        c[kept(l, az + bz, x)] += term;
      } else { /* two z */
        c[kept(l, 0, x + 2)] -= term;
        c[kept(l, 0, x)] -= term;
      }
    }
  }
}

CAIRN_INLINE void load_points(const struct cairn_points *bodies, int32_t i, int32_t n, cairn_lanes s[3]) {
  cairn_lanes_load(bodies->x + i, n, 0., &s[0]);
  cairn_lanes_load(bodies->y + i, n, 0., &s[1]);
  cairn_lanes_load(bodies->z + i, n, 0., &s[2]);
}

/* Up to eight sources; lanes to spare get a source without mass. */
CAIRN_INLINE void load_far(int p, int32_t n, const struct cairn_gravity_far *far, cairn_lanes s[3], cairn_lanes *m) {
  static const double nothing[KEPT] = {0.};
  static const struct cairn_gravity_far none = {{1., 0., 0.}, nothing};
  const struct cairn_gravity_far *f[CAIRN_LANES];
  const double *a[CAIRN_LANES];
  for (int k = 0; k < CAIRN_LANES; k++) {
    f[k] = k < n ? far + k : &none;
    a[k] = f[k]->multipole;
  }
  for (int k = 0; k < 3; k++)
    s[k] =
        (cairn_lanes){f[0]->d[k], f[1]->d[k], f[2]->d[k], f[3]->d[k], f[4]->d[k], f[5]->d[k], f[6]->d[k], f[7]->d[k]};
  for (int k = 0; k < (p + 1) * (p + 1); k++)
    m[k] = (cairn_lanes){a[0][k], a[1][k], a[2][k], a[3][k], a[4][k], a[5][k], a[6][k], a[7][k]};
}

/* A local expansion as derivatives, the same in all lanes. */
CAIRN_INLINE void load_local(int p, const double *local, cairn_lanes *d) {
  EACH(l, z, x, p) { d[derivative(l, z, x)] = local[kept(l, z, x)] - (cairn_lanes){0.}; }
  complete(p, d);
}

/* Sums over the lanes of psi and its derivatives along y, x, z: the order of `kept`. */
CAIRN_INLINE void add_field(const cairn_lanes result[CAIRN_FIELD], double *field) {
  field[0] += cairn_lanes_sum(&result[2]);
  field[1] += cairn_lanes_sum(&result[1]);
  field[2] += cairn_lanes_sum(&result[3]);
  field[3] += cairn_lanes_sum(&result[0]);
}

/* The operators for an order that the compiler knows. */

CAIRN_INLINE void p2m(int p, int32_t n, const struct cairn_points *bodies, const double centre[3], double *multipole) {
  cairn_lanes sum[KEPT] = {{0.}}, t[KEPT], s[3] = {{0.}}, mass;
  for (int32_t i = 0; i < n; i += CAIRN_LANES) {
    const int32_t some = n - i < CAIRN_LANES ? n - i : CAIRN_LANES;
    load_points(bodies, i, some, s);
    cairn_lanes_load(bodies->m + i, some, 0., &mass);
    UNROLL for (int k = 0; k < 3; k++) s[k] = centre[k] - s[k];
    powers(p, s, t);
    UNROLL for (int k = 0; k < (p + 1) * (p + 1); k++) sum[k] += mass * t[k];
  }
  for (int k = 0; k < (p + 1) * (p + 1); k++)
    multipole[k] = cairn_lanes_sum(&sum[k]);
}

CAIRN_INLINE void m2m(int p, int32_t n, const struct cairn_gravity_far *children, double *parent) {
  cairn_lanes m[KEPT] = {{0.}}, t[KEPT], sum[KEPT], s[3] = {{0.}};
  load_far(p, n, children, s, m);
  powers(p, s, t);
  multiply(p, m, t, sum);
  for (int k = 0; k < (p + 1) * (p + 1); k++)
    parent[k] = cairn_lanes_sum(&sum[k]);
}

CAIRN_INLINE void m2l(int p, int32_t n, const struct cairn_gravity_far *sources, double *local) {
  cairn_lanes sum[KEPT] = {{0.}}, m[KEPT] = {{0.}}, d[DERIVATIVES], s[3] = {{0.}};
  for (int32_t i = 0; i < n; i += CAIRN_LANES) {
    load_far(p, n - i, sources + i, s, m);
    derivatives(p, s, d);
    contract(p, p, 0, m, d, sum);
  }
  for (int k = 0; k < (p + 1) * (p + 1); k++)
    local[k] += cairn_lanes_sum(&sum[k]);
}

CAIRN_INLINE void m2p(int p, int32_t n_sources, const struct cairn_gravity_far *sources, const double centre[3],
                      int32_t n, const struct cairn_points *bodies, double *field) {
  cairn_lanes m[KEPT] = {{0.}}, d[DERIVATIVES], s[3] = {{0.}};
  for (int32_t i = 0; i < n_sources; i += CAIRN_LANES) {
    load_far(p, n_sources - i, sources + i, s, m);
    for (int32_t k = 0; k < n; k++) {
      const cairn_lanes shifted[3] = {s[0] + (bodies->x[k] - centre[0]), s[1] + (bodies->y[k] - centre[1]),
                                      s[2] + (bodies->z[k] - centre[2])};
      cairn_lanes result[CAIRN_FIELD] = {{0.}};
      derivatives(p, shifted, d);
      contract(p, 1, 0, m, d, result);
      add_field(result, field + CAIRN_FIELD * k);
    }
  }
}

CAIRN_INLINE void l2l(int p, const double *parent, int32_t n, const double (*shift)[3], double (*child)[KEPT]) {
  cairn_lanes d[DERIVATIVES], t[KEPT], sum[KEPT] = {{0.}}, s[3] = {{0.}};
  for (int32_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      s[k][i] = shift[i][k];
  load_local(p, parent, d);
  powers(p, s, t);
  contract(p, p, 1, t, d, sum);
  for (int32_t i = 0; i < n; i++)
    for (int k = 0; k < (p + 1) * (p + 1); k++)
      child[i][k] = sum[k][i];
}

CAIRN_INLINE void l2p(int p, const double *local, const double centre[3], int32_t n, const struct cairn_points *bodies,
                      double *field) {
  cairn_lanes d[DERIVATIVES], t[KEPT], s[3] = {{0.}};
  load_local(p, local, d);
  for (int32_t i = 0; i < n; i += CAIRN_LANES) {
    const int32_t some = n - i < CAIRN_LANES ? n - i : CAIRN_LANES;
    cairn_lanes result[CAIRN_FIELD] = {{0.}};
    load_points(bodies, i, some, s);
    UNROLL for (int k = 0; k < 3; k++) s[k] -= centre[k];
    powers(p, s, t);
    contract(p, 1, 1, t, d, result);
    for (int32_t k = 0; k < some; k++) {
      double *f = field + CAIRN_FIELD * (i + k);
      f[0] += result[2][k];
      f[1] += result[1][k];
      f[2] += result[3][k];
      f[3] += result[0][k];
    }
  }
}

/* One copy of an operator for each order. */
#define FOR_ORDER(order, operator, ...)                                                                                \
  switch (order) {                                                                                                     \
  case 1:                                                                                                              \
    operator(1, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  case 2:                                                                                                              \
    operator(2, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  case 3:                                                                                                              \
    operator(3, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  case 4:                                                                                                              \
    operator(4, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  default:                                                                                                             \
    operator(5, __VA_ARGS__);                                                                                          \
  }

CAIRN_CLONES void cairn_kernel_gravity_p2m(int order, int32_t n, const struct cairn_points *bodies,
                                           const double centre[3],
                                           double *multipole){FOR_ORDER(order, p2m, n, bodies, centre, multipole)}

CAIRN_CLONES void cairn_kernel_gravity_m2m(int order, int32_t n, const struct cairn_gravity_far *children,
                                           double *parent){FOR_ORDER(order, m2m, n, children, parent)}

CAIRN_CLONES void cairn_kernel_gravity_m2l(int order, int32_t n, const struct cairn_gravity_far *sources,
                                           double *local){FOR_ORDER(order, m2l, n, sources, local)}

CAIRN_CLONES
    void cairn_kernel_gravity_m2p(int order, int32_t n_sources, const struct cairn_gravity_far *sources,
                                  const double centre[3], int32_t n, const struct cairn_points *bodies,
                                  double *field){FOR_ORDER(order, m2p, n_sources, sources, centre, n, bodies, field)}

CAIRN_CLONES void cairn_kernel_gravity_l2l(int order, const double *parent, int32_t n, const double (*shift)[3],
                                           double (*child)[CAIRN_GRAVITY_COEFFICIENTS]){
    FOR_ORDER(order, l2l, parent, n, shift, child)}

CAIRN_CLONES void cairn_kernel_gravity_l2p(int order, const double *local, const double centre[3], int32_t n,
                                           const struct cairn_points *bodies, double *field) {
  FOR_ORDER(order, l2p, local, centre, n, bodies, field)
}
