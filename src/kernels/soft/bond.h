/* Bonds of soft spheres: a body and its neighbour, or a wall, held together until the bond breaks (Schwartz 2013,
 * chapter 3; Wang et al. 2006; docs/physics.md). Two laws:
 *   spring  a spring and a dashpot between the centres, beside the contact law:  F = k (ρ - z) + γ u_n
 *   beam    in place of the contact law, a cylinder of the mean radius that resists stretching, shear, bending, torsion
 * A bond that breaks where the bodies overlap leaves them touching at that distance, until they have parted. Inline
 * functions without side effects, and without branches where a loop over pairs uses them. */
#ifndef CAIRN_KERNELS_SOFT_BOND_H
#define CAIRN_KERNELS_SOFT_BOND_H

#include "kernels/soft/laws.h"

/* What the record of a contact tells of its bond, behind all else that pairs of bodies remember (cairn/contact.h). */
enum { CAIRN_BOND_LENGTH, CAIRN_BOND_STIFFNESS, CAIRN_BOND_STRAIN, CAIRN_BOND_LAW, CAIRN_BOND };
struct cairn_bond {
  double length;    /* m, z at rest; negative: broken, minus the distance of the centres at which they touch; 0: none */
  double stiffness; /* N/m, k = Y A/z */
  double strain;    /* ε_max */
  double law;       /* its index in the scenario */
};

/* What all bonds of an entry of the scenario share: doubles only, a table of them in the world. */
struct cairn_bond_law {
  double beam;           /* 1: the law is that of the beam */
  double damping;        /* γ over the critical one */
  double pushes;         /* 1: the spring acts below its length too */
  double slips;          /* 1: it breaks where the contact slips */
  double creep;          /* 1/s, of the length towards the distance */
  double rate;           /* s, growth of the limiting strain with the strain rate */
  double shear;          /* G/Y of a beam */
  double shear_strength; /* of a beam, over the tensile one */
};
enum { CAIRN_BOND_LAW_DOUBLES = 8 };

/* Why a bond broke. */
enum cairn_bond_cause {
  CAIRN_BOND_HOLDS,
  CAIRN_BOND_BY_STRAIN,
  CAIRN_BOND_BY_SHEAR,
  CAIRN_BOND_BY_BENDING,
  CAIRN_BOND_BY_TORSION,
  CAIRN_BOND_BY_REMOVAL, /* one of the bodies was removed */
  CAIRN_BOND_N_CAUSES
};

/* A bond that broke, in the history of a cell: doubles only. */
struct cairn_bond_break {
  double step;     /* at its end */
  double a, b;     /* indices into `predicted`; b = -1 - wall for a wall */
  double cause;    /* enum cairn_bond_cause */
  double place[3]; /* m, the point of contact */
  double strain;   /* of the distance against z */
};
struct cairn_bond_breaks {
  double n; /* so many of them follow */
  double padding[7];
};

/* Force on body 1 along n of a bond of either law: towards body 2 while it is stretched. */
CAIRN_INLINE double cairn_bond_pull(const struct cairn_bond_law *law, const struct cairn_bond *bond, double distance) {
  const double stretch = distance - bond->length, force = bond->stiffness * stretch;
  return (stretch > 0.) | (law->pushes != 0.) | (law->beam != 0.) ? force : 0.;
}

/* kg/s, γ = 2 ζ √(k μ). */
CAIRN_INLINE double cairn_bond_damping(const struct cairn_bond_law *law, double stiffness, double root_mass) {
  return 2. * law->damping * sqrt(stiffness) * root_mass;
}

/* The strain at which it breaks, at this rate of change of the distance. */
CAIRN_INLINE double cairn_bond_limit(const struct cairn_bond_law *law, const struct cairn_bond *bond, double un) {
  return bond->strain * (1. + law->rate * fabs(un) / bond->length);
}

/* Rotational stiffnesses of a beam with this radius, N m: bending k r²/4, torsion G/Y k r²/2. */
CAIRN_INLINE double cairn_bond_bending(const struct cairn_bond *bond, double radius) {
  return 0.25 * bond->stiffness * radius * radius;
}
CAIRN_INLINE double cairn_bond_torsion(const struct cairn_bond_law *law, const struct cairn_bond *bond, double radius) {
  return 0.5 * law->shear * bond->stiffness * radius * radius;
}

/* The loads of a beam without their damping: shear displacement and rotation as of now. */
struct cairn_bond_loads {
  double sx, sy, sz; /* m */
  double qx, qy, qz; /* rad, the part across n */
  double twist;      /* rad, about n */
};

/* Springs are fed with the velocity at the end of each step, which runs half a step ahead of the bodies: without that
 * half they would damp what they hold. */
CAIRN_INLINE struct cairn_bond_loads cairn_bond_loads(const struct cairn_contact_pair *p,
                                                      const struct cairn_contact_velocity *u, double h,
                                                      const struct cairn_contact_history *now) {
  const double part = 0.5 * h;
  const double qx = now->qx - part * (p->w2x - p->w1x), qy = now->qy - part * (p->w2y - p->w1y),
               qz = now->qz - part * (p->w2z - p->w1z);
  struct cairn_bond_loads loads;
  loads.sx = now->sx - part * u->x;
  loads.sy = now->sy - part * u->y;
  loads.sz = now->sz - part * u->z;
  loads.twist = qx * p->nx + qy * p->ny + qz * p->nz;
  loads.qx = qx - loads.twist * p->nx;
  loads.qy = qy - loads.twist * p->ny;
  loads.qz = qz - loads.twist * p->nz;
  return loads;
}

CAIRN_INLINE double cairn_bond_length_of(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

/* Does the beam break? The sum of its loads over their strengths reaches 1; the largest of them is the cause.
 * Strengths: F_n0 = k z ε_max, F_s0 = s F_n0, bending F_n0 r/4 and torsion F_s0 r/2: the outermost fibre of a round
 * bar. */
struct cairn_bond_parts {
  double strain, shear, bending, torsion;
};
CAIRN_INLINE struct cairn_bond_parts cairn_bond_beam_parts(const struct cairn_bond_law *law,
                                                           const struct cairn_bond *bond,
                                                           const struct cairn_bond_loads *l, double distance, double un,
                                                           double radius) {
  const double normal = bond->stiffness * bond->length * cairn_bond_limit(law, bond, un);
  const double across = law->shear_strength * normal, pull = bond->stiffness * (distance - bond->length);
  struct cairn_bond_parts parts;
  parts.strain = (pull > 0. ? pull : 0.) / normal;
  parts.shear = law->shear * bond->stiffness * cairn_bond_length_of(l->sx, l->sy, l->sz) / across;
  parts.bending = 4. * cairn_bond_bending(bond, radius) * cairn_bond_length_of(l->qx, l->qy, l->qz) / (normal * radius);
  parts.torsion = 2. * cairn_bond_torsion(law, bond, radius) * fabs(l->twist) / (across * radius);
  return parts;
}

/* Their sum: above 1 it breaks. */
CAIRN_INLINE double cairn_bond_beam_load(const struct cairn_bond_parts *p) {
  return p->strain + p->shear + p->bending + p->torsion;
}

CAIRN_INLINE int cairn_bond_beam_cause(const struct cairn_bond_parts *p) {
  const int first = p->shear > p->strain ? CAIRN_BOND_BY_SHEAR : CAIRN_BOND_BY_STRAIN;
  const double larger = p->shear > p->strain ? p->shear : p->strain;
  const int second = p->bending > larger ? CAIRN_BOND_BY_BENDING : first;
  const double largest = p->bending > larger ? p->bending : larger;
  const int cause = p->torsion > largest ? CAIRN_BOND_BY_TORSION : second;
  return cairn_bond_beam_load(p) > 1. ? cause : CAIRN_BOND_HOLDS;
}

/* The beam over one step; `radius` is that of the bond. `now` has shear and rotation, before it and after; in the first
 * step they get the half step ahead, see above. */
CAIRN_INLINE struct cairn_bond_parts cairn_bond_beam(const struct cairn_bond_law *law, const struct cairn_bond *bond,
                                                     const struct cairn_contact_pair *p, double h, double distance,
                                                     double radius, int is_first, struct cairn_contact_history *now,
                                                     struct cairn_contact_result *r) {
  const struct cairn_contact_velocity u = cairn_contact_velocity(p);
  const double wx = p->w2x - p->w1x, wy = p->w2y - p->w1y, wz = p->w2z - p->w1z;
  const double spin = wx * p->nx + wy * p->ny + wz * p->nz, ahead = is_first ? 1.5 * h : h;
  cairn_contact_turn(p, h, &now->sx, &now->sy, &now->sz);
  cairn_contact_carry(p, h, &now->qx, &now->qy, &now->qz);
  now->sx += ahead * u.x;
  now->sy += ahead * u.y;
  now->sz += ahead * u.z;
  now->qx += ahead * wx;
  now->qy += ahead * wy;
  now->qz += ahead * wz;
  const struct cairn_bond_loads l = cairn_bond_loads(p, &u, h, now);
  const double k_s = law->shear * bond->stiffness, c_s = cairn_bond_damping(law, k_s, p->root_mass);
  const double k_b = cairn_bond_bending(bond, radius), k_t = cairn_bond_torsion(law, bond, radius);
  const double inertia = 1. / sqrt(p->inverse_inertia1 + p->inverse_inertia2);
  const double c_b = cairn_bond_damping(law, k_b, inertia), c_t = cairn_bond_damping(law, k_t, inertia);
  const double normal =
      cairn_bond_pull(law, bond, distance) + cairn_bond_damping(law, bond->stiffness, p->root_mass) * u.n;
  const double fx = k_s * l.sx + c_s * u.x, fy = k_s * l.sy + c_s * u.y, fz = k_s * l.sz + c_s * u.z;
  const double twist = k_t * l.twist + c_t * spin;
  const double mx = k_b * l.qx + c_b * (wx - spin * p->nx) + twist * p->nx;
  const double my = k_b * l.qy + c_b * (wy - spin * p->ny) + twist * p->ny;
  const double mz = k_b * l.qz + c_b * (wz - spin * p->nz) + twist * p->nz;
  const double cx = p->ny * fz - p->nz * fy, cy = p->nz * fx - p->nx * fz, cz = p->nx * fy - p->ny * fx;
  r->fx = fx + normal * p->nx;
  r->fy = fy + normal * p->ny;
  r->fz = fz + normal * p->nz;
  r->t1x = p->l1 * cx + mx;
  r->t1y = p->l1 * cy + my;
  r->t1z = p->l1 * cz + mz;
  r->t2x = p->l2 * cx - mx;
  r->t2y = p->l2 * cy - my;
  r->t2z = p->l2 * cz - mz;
  return cairn_bond_beam_parts(law, bond, &l, distance, u.n, radius);
}

/* N, force of a spring on body 1 along n. */
CAIRN_INLINE double cairn_bond_spring_force(const struct cairn_bond_law *law, const struct cairn_bond *bond,
                                            const struct cairn_contact_pair *p, double distance, double un) {
  return cairn_bond_pull(law, bond, distance) + cairn_bond_damping(law, bond->stiffness, p->root_mass) * un;
}

/* 1 where its strain is beyond the limit, else 0: a double, which loops over pairs can use. */
CAIRN_INLINE double cairn_bond_spring_is_torn(const struct cairn_bond_law *law, const struct cairn_bond *bond,
                                              double distance, double un) {
  const double strain = distance / bond->length - 1., limit = cairn_bond_limit(law, bond, un);
  return strain > limit ? 1. : 0.;
}

/* A spring beside a contact whose forces are in `r`: adds its pull; does it break? */
CAIRN_INLINE int cairn_bond_spring(const struct cairn_bond_law *law, const struct cairn_bond *bond,
                                   const struct cairn_contact_pair *p, double distance,
                                   struct cairn_contact_result *r) {
  const double un = p->vx * p->nx + p->vy * p->ny + p->vz * p->nz;
  const double pull = cairn_bond_spring_force(law, bond, p, distance, un);
  r->fx += pull * p->nx;
  r->fy += pull * p->ny;
  r->fz += pull * p->nz;
  const int slips = (law->slips != 0.) & (r->slips != 0);
  const int otherwise = slips ? CAIRN_BOND_BY_SHEAR : CAIRN_BOND_HOLDS;
  return cairn_bond_spring_is_torn(law, bond, distance, un) > 0. ? CAIRN_BOND_BY_STRAIN : otherwise;
}

/* A contact with a bond over one step, whatever its law: forces, springs and whether the bond breaks in it. `full` is
 * the distance at which the surfaces touch; of a broken bond the overlap becomes that of the distance at which the two
 * have touched since. */
CAIRN_INLINE int cairn_bond_contact(int kind, const double *constants, const struct cairn_bond_law *law,
                                    const struct cairn_bond *bond, struct cairn_contact_pair *p, double h, int rotation,
                                    double full, double radius, int is_first, struct cairn_contact_history *now,
                                    struct cairn_contact_result *r) {
  const struct cairn_attraction attraction = cairn_laws_attraction(constants);
  const double distance = full - p->x;
  if (bond->length > 0. && law->beam != 0.) {
    r->weight = 1.;
    const struct cairn_bond_parts parts = cairn_bond_beam(law, bond, p, h, distance, radius, is_first, now, r);
    return cairn_bond_beam_cause(&parts);
  }
  p->x = bond->length < 0. ? -bond->length - distance : p->x;
  *r = cairn_laws_contact(kind, constants, p, h, now, rotation);
  cairn_attraction_add(&attraction, p, h, r);
  now->sx = r->sx;
  now->sy = r->sy;
  now->sz = r->sz;
  now->qx = r->qx;
  now->qy = r->qy;
  now->qz = r->qz;
  if (bond->length < 0.)
    return CAIRN_BOND_HOLDS;
  return cairn_bond_spring(law, bond, p, distance, r);
}

/* J, of the bond alone; `l` is read of a beam alone. */
CAIRN_INLINE double cairn_bond_energy(const struct cairn_bond_law *law, const struct cairn_bond *bond, double distance,
                                      double radius, const struct cairn_bond_loads *l) {
  const double pull = cairn_bond_pull(law, bond, distance), stretched = 0.5 * pull * pull / bond->stiffness;
  if (law->beam == 0.)
    return stretched;
  return stretched + 0.5 * (law->shear * bond->stiffness * (l->sx * l->sx + l->sy * l->sy + l->sz * l->sz) +
                            cairn_bond_bending(bond, radius) * (l->qx * l->qx + l->qy * l->qy + l->qz * l->qz) +
                            cairn_bond_torsion(law, bond, radius) * l->twist * l->twist);
}

#endif
