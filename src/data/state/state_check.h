/* Is a state one that a run can go on from? The one answer for bodies that were just made, frames and checkpoints that
 * were read, states handed over by a program, and what a run is about to write. */
#ifndef CAIRN_DATA_STATE_STATE_CHECK_H
#define CAIRN_DATA_STATE_STATE_CHECK_H

#include <math.h>
#include <stdbool.h>

#include "data/state/state.h"

/* Far beyond any rubble pile, in whatever units, and small enough that no square, cube or product of them that the
 * search, the Morton order, the forces and the energies form leaves the range of a double. */
#define CAIRN_STATE_MOST_LENGTH 1e25  /* m: positions, radii, gaps; radii are at least the inverse of it */
#define CAIRN_STATE_MOST_MOMENTUM 1e9 /* limit of the momentum of sweeps */
#define CAIRN_STATE_MOST_SWEEPS 1e12  /* of a step */
#define CAIRN_STATE_MOST_MASS 1e60    /* kg; at least the inverse of it */
#define CAIRN_STATE_MOST_RATE 1e80    /* SI units: velocities, spins, and what accelerates them */
#define CAIRN_STATE_MOST_SPRING 1e100
#define CAIRN_STATE_MOST_ENERGY 1e250 /* J */
#define CAIRN_STATE_MOST_TIME 1e50    /* s; a run lasts at least the inverse of it */

/* Radii of one state may differ by this factor. A body farther from the origin than this many of its radii is lost: a
 * double no longer resolves where it touches others. */
#define CAIRN_STATE_MOST_RATIO 1e6
#define CAIRN_STATE_MOST_RADII 1e12

/* Steps, and whatever is counted at most once a step: times are doubles, and more could not be told apart. There is
 * room above it in 64 bits. */
#define CAIRN_MOST_STEPS 9e15

/* Are all of these numbers, and none beyond ± most? */
static inline bool cairn_state_check_range(const double *values, int n, double most) {
  bool good = true;
  for (int i = 0; i < n; i++)
    good &= fabs(values[i]) <= most;
  return good;
}

/* Does a double at x still resolve what a body of this radius touches? */
static inline bool cairn_state_check_place(const double x[3], double radius) {
  const double most = CAIRN_STATE_MOST_RADII * radius;
  return cairn_state_check_range(x, 3, most < CAIRN_STATE_MOST_LENGTH ? most : CAIRN_STATE_MOST_LENGTH);
}

/* Is every array consistent: ids in range and sorted, numbers within the limits above, radii and masses positive,
 * orientations of unit length, materials below n_materials, walls below n_walls (INT32_MAX for both: not known here),
 * counters with room to grow, and are there n_assemblies assemblies (-1: any number)? */
int cairn_state_check(const struct cairn_state *state, int32_t n_materials, int32_t n_walls, int64_t n_assemblies,
                      struct cairn_error *error);

/* The same of a state that has a stretch of the ids: the bodies from `first` on, of n_all, and the contacts that have
 * one of them as the lower body. */
struct cairn_state_stretch {
  int64_t first, n_all;
};
int cairn_state_check_stretch(const struct cairn_state *state, const struct cairn_state_stretch *stretch,
                              int32_t n_materials, int32_t n_walls, int64_t n_assemblies, struct cairn_error *error);

/* The bodies alone; where they are refused, *body is the id of the one to blame. The arrays must be there. */
int cairn_state_check_bodies(const struct cairn_state *state, const struct cairn_state_stretch *stretch,
                             int32_t n_materials, int32_t n_walls, int64_t *body, struct cairn_error *error);

/* Do the radii of all bodies, from the smallest to the largest, differ by no more than they may? Bodies by their ids.
 */
int cairn_state_check_radii(int64_t smallest, double least, int64_t largest, double most, struct cairn_error *error);

/* Are the numbers that a contact remembers within their limits? Otherwise *row of enum cairn_contact_memory is not. */
bool cairn_state_check_memory(uint32_t memory, const double *numbers, int *row);

/* The largest size of such a number. */
double cairn_state_most_remembered(enum cairn_contact_memory row);

/* Is `h` a length of a step, and the state that of a step of this length: its time the number of its steps times h? */
int cairn_state_check_step(const struct cairn_state *state, double h, struct cairn_error *error);

#endif
