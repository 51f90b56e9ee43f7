/* Assemblies: rigid sets of walls, at rest, driven by a prescribed motion, or free to respond to the bodies. Their
 * block holds for each of them its state at the current step and what the pair law reads of it at the coming step. */
#ifndef CAIRN_KERNELS_WALLS_ASSEMBLIES_H
#define CAIRN_KERNELS_WALLS_ASSEMBLIES_H

#include "kernels/common/portable.h"

enum {
  /* predicted kinematics, at the coming step */
  CAIRN_ASSEMBLY_X = 0,       /* m */
  CAIRN_ASSEMBLY_R = 3,       /* rotation matrix from its own to world coordinates, row by row */
  CAIRN_ASSEMBLY_V = 12,      /* m/s, predicted */
  CAIRN_ASSEMBLY_W = 15,      /* rad/s, predicted */
  CAIRN_ASSEMBLY_A = 18,      /* m/s²; of a free one that of the current step */
  CAIRN_ASSEMBLY_AW = 21,     /* rad/s²; likewise */
  CAIRN_ASSEMBLY_ACTIVE = 24, /* 1, or 0 while its walls are not there */
  CAIRN_ASSEMBLY_TURNED = 25, /* 0 while R is the identity */
  /* state, at the current step */
  CAIRN_ASSEMBLY_STATE = 26,   /* x[3], q[4] (x y z w), v[3], w[3], a[3], aw[3] */
  CAIRN_ASSEMBLY_IS_FREE = 45, /* 1 if it responds to the bodies */
  CAIRN_ASSEMBLY = 48
};
enum {
  CAIRN_ASSEMBLY_STATE_X = 0,
  CAIRN_ASSEMBLY_STATE_Q = 3,
  CAIRN_ASSEMBLY_STATE_V = 7,
  CAIRN_ASSEMBLY_STATE_W = 10,
  CAIRN_ASSEMBLY_STATE_A = 13,
  CAIRN_ASSEMBLY_STATE_AW = 16,
  CAIRN_ASSEMBLY_STATE_DOUBLES = 19
};

#ifndef __OPENCL_VERSION__
#include "kernels/common/motion.h"

enum cairn_assembly_kind { CAIRN_ASSEMBLY_FIXED, CAIRN_ASSEMBLY_DRIVEN, CAIRN_ASSEMBLY_FREE };

struct cairn_assembly_rules {
  enum cairn_assembly_kind kind;
  double appears, vanishes;   /* s: there from the first to just before the second; may be infinite */
  double start[3];            /* m, position at the start */
  struct cairn_motion motion; /* of a driven one */
  /* Of a free one. Where it is not free it keeps the velocity and spin it has. A step that begins while its walls are
   * not there leaves it where it is. */
  double mass;               /* kg */
  double inertia[3];         /* kg m², principal moments about its own axes, which are the world's at the start */
  int32_t n_slides, n_turns; /* degrees of freedom of translation and rotation */
  double slide[3][3];        /* unit vectors, at right angles to each other: the directions it may move along */
  double turn[3][3];         /* unit vectors, at right angles to each other: the axes it may turn about */
  double force[3];           /* N, applied from outside; gravity comes on top */
  /* A servo holds a force along an axis instead of following Newton's law there: the assembly moves along `axis` with
   * the speed servo_speed × (1 - push/servo_force), cut off at ± servo_speed, where `push` is the force of the bodies
   * against `axis`. */
  double servo_force;   /* N; 0: no servo */
  double servo_speed;   /* m/s */
  double servo_axis[3]; /* unit vector */
};

/* Put the state of all assemblies to the start of the run; the predicted kinematics stay empty until predicted. */
void cairn_kernel_assemblies_start(const struct cairn_assembly_rules *rules, int32_t n, const double (*velocity)[3],
                                   const double (*spin)[3], double *block);

/* Predict the kinematics of the coming step from the state: `time` is that of the coming step, a whole multiple of h
 * (as the product of the number of the step and h), h the time to it. With h = 0 they are those of the state. */
void cairn_kernel_assemblies_predict(const struct cairn_assembly_rules *rules, int32_t n, double time, double h,
                                     double *block);

/* One whole step: the predicted kinematics in `in` are those of the step that ends now, `load` is the force and torque
 * (about the position) of the bodies on each assembly at it, [n][6], `time` its time (a whole multiple of h, as above).
 * Writes the state at its end and the predicted kinematics of the step after it; out may be in. Leapfrog as of the
 * bodies; rotation by Euler's equations within the free axes. */
void cairn_kernel_assemblies_step(const struct cairn_assembly_rules *rules, int32_t n, const double *load,
                                  const double gravity[3], double time, double h, const double *in, double *out);

/* A free assembly during a step of contact dynamics: what impulses change, and its response. Zeros for one that is not
 * free. */
enum {
  CAIRN_FREE_ASSEMBLY_V = 0,      /* m/s */
  CAIRN_FREE_ASSEMBLY_W = 3,      /* rad/s */
  CAIRN_FREE_ASSEMBLY_X = 6,      /* m, its position at contact detection: origin of the arms */
  CAIRN_FREE_ASSEMBLY_IM = 9,     /* 1/kg, 3 × 3: Δv = IM p, along the directions that are free */
  CAIRN_FREE_ASSEMBLY_II = 18,    /* 1/(kg m²), 3 × 3: Δω = II (arm × p + m), about the axes that are free */
  CAIRN_FREE_ASSEMBLY_AXIS = 27,  /* of a servo */
  CAIRN_FREE_ASSEMBLY_SPEED = 30, /* m/s; 0: no servo. Its velocity along the axis is cut off there */
  CAIRN_FREE_ASSEMBLY_FROM =
      31, /* velocity and spin after the sweep before the latest (kernels/contact_dynamics/cd_cell.h) */
  CAIRN_FREE_ASSEMBLY = 40
};

/* Velocity of a free assembly's position; that of a servo is limited to its speed. */
CAIRN_INLINE void cairn_free_assembly_velocity(const double *free_assembly, double v[3]) {
  const double *axis = free_assembly + CAIRN_FREE_ASSEMBLY_AXIS, most = free_assembly[CAIRN_FREE_ASSEMBLY_SPEED];
  const double along = free_assembly[0] * axis[0] + free_assembly[1] * axis[1] + free_assembly[2] * axis[2];
  const double cut = most > 0. && along > most ? most - along : most > 0. && along < -most ? -most - along : 0.;
  for (int k = 0; k < 3; k++)
    v[k] = free_assembly[CAIRN_FREE_ASSEMBLY_V + k] + cut * axis[k];
}

/* Steps of contact dynamics: contacts are detected at the predicted positions in `block`, impulses change the free
 * assemblies, [n][CAIRN_FREE_ASSEMBLY]. `release` gives them the velocities at the end of a step of length h without
 * contacts. Rotation carries angular momentum on: I ω is the same before and after the matrix I has turned.
 * Along its axis a servo has the inverse mass v₀/(h F₀): its speed is v₀ (1 - p/(h F₀)) once the bodies have pushed
 * back by p. */
void cairn_kernel_assemblies_release(const struct cairn_assembly_rules *rules, int32_t n, const double gravity[3],
                                     double h, const double *block, double *free_assemblies);

/* The end of such a step: driven ones are where they are at `time`, free ones move on by θ h with their solved
 * velocity (`free_assemblies` is NULL if none is free). The predicted kinematics written are those of `time`; out may
 * be in. */
void cairn_kernel_assemblies_arrive(const struct cairn_assembly_rules *rules, int32_t n, const double *free_assemblies,
                                    double time, double h, double theta, const double *in, double *out);

/* Largest displacement of any point within `extent` of the position between two blocks, m; rotation does not count for
 * a `symmetric` assembly. Infinite only if the extent is and the assembly has turned. */
double cairn_kernel_assemblies_displacement(const double *from, const double *to, double extent, int symmetric);

#endif
#endif
