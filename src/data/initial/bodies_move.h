/* Moves of a group of bodies as a whole. */
#ifndef CAIRN_DATA_INITIAL_BODIES_MOVE_H
#define CAIRN_DATA_INITIAL_BODIES_MOVE_H

#include "data/state/state.h"

/* The centre of mass of bodies that are added one after the other. */
struct cairn_bodies_center {
  int64_t n;
  double origin[3]; /* m, the first one */
  double mass, sum[3];
};
void cairn_bodies_center_add(struct cairn_bodies_center *center, const double x[3], double mass);
void cairn_bodies_center_get(const struct cairn_bodies_center *center, double x[3]);

/* Turn a vector by `angle` (rad) about the unit vector `axis`. */
void cairn_bodies_turn_vector(const double axis[3], double angle, double v[3]);

/* Turn all bodies of a state by `angle` (rad) about the unit vector `axis` through `center`; velocities and spins turn
 * with them. */
void cairn_bodies_turn(struct cairn_state *state, const double center[3], const double axis[3], double angle);

/* Let the bodies from `first` to before `end` rotate as the parts of one rigid body: with ω = `spin` about `pivot`,
 * every body gets ω × (x - pivot) more velocity and ω more spin. */
void cairn_bodies_rotate(struct cairn_state *state, int64_t first, int64_t end, const double spin[3],
                         const double pivot[3]);

#endif
