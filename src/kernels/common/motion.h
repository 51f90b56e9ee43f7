/* Motions that are prescribed: where a wall is at a given time. */
#ifndef CAIRN_KERNELS_COMMON_MOTION_H
#define CAIRN_KERNELS_COMMON_MOTION_H

#include <stdint.h>

/* All parts add up; the pivot moves with all of them but the spin. Time counts from `from`, after `until` the wall
 * stays where it is. */
struct cairn_motion {
  double from, until;  /* s; until may be infinite */
  double velocity[3];  /* m/s, constant */
  double amplitude[3]; /* m: displacement A sin(Ωt + φ) - A sin φ */
  double frequency;    /* Ω, rad/s */
  double phase;        /* φ, rad */
  double spin;         /* rad/s about the axis through the pivot */
  double ramp;         /* s, in which the spin grows from 0 to its value; 0: at once */
  double axis[3];      /* unit vector */
  double pivot[3];     /* m, at the start, relative to the position of the assembly */
  /* Knocks (Tancredi et al. 2012, figure 7): every `period` the wall moves for `duration` with the knock's velocity
   * and stays there; the k-th knock (from 1) has the part min(1, k/ramp) of it, a ramp of 0 or 1 none. */
  double knock_velocity[3];            /* m/s */
  double knock_duration, knock_period; /* s; a period of 0: no knocks */
  int32_t knock_ramp;
  /* Displacements at given times, monotone cubics between them (Fritsch & Carlson 1980); the first and the last one
   * hold before and after. The table begins and ends with the speed it has there, not at rest: two points are a
   * steady motion. */
  int32_t n_points;
  double *time;         /* s [n_points], ascending, counted from `from` */
  double *displacement; /* m [n_points][3] */
  double *slope;        /* m/s [n_points][3], made by cairn_motion_slopes */
};

/* A rigid placement and how it changes: of the assembly's position and of its orientation relative to the start. */
struct cairn_pose {
  double x[3], v[3], a[3]; /* m, m/s, m/s²: displacement from the start and its derivatives */
  double q[4];             /* orientation, unit quaternion x y z w */
  double w[3], aw[3];      /* rad/s, rad/s² */
};

/* The pose at time t, in closed form: it does not depend on which times were asked for before. A motion that begins or
 * ends, and a knock, count as going on from its first instant to just before its last; for knocks, both to a few
 * roundings of t. */
void cairn_motion_pose(const struct cairn_motion *motion, double t, struct cairn_pose *pose);

/* Make the slopes of the table at its points; without a table, nothing. */
void cairn_motion_slopes(struct cairn_motion *motion);

/* No point of the wall within `extent` of its pivot will ever be faster than this, m/s. Infinite only if the wall spins
 * and is infinite. */
double cairn_motion_fastest(const struct cairn_motion *motion, double extent);

#endif
