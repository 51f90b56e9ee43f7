/* Moves of a group of bodies as a whole: all bodies of a state from `first` on. Masses must be set. */
#ifndef CAIRN_DATA_INITIAL_BODIES_MOVE_H
#define CAIRN_DATA_INITIAL_BODIES_MOVE_H

#include "data/state/state.h"

/* Their centre of mass, in m. */
void cairn_bodies_center(const struct cairn_state *state, int64_t first, double center[3]);

/* Turn a vector by `angle` (rad) about the unit vector `axis`. */
void cairn_bodies_turn_vector(const double axis[3], double angle, double v[3]);

/* Turn them by `angle` (rad) about the unit vector `axis` through their centre of mass; velocities and spins turn with
 * them. */
void cairn_bodies_turn(struct cairn_state *state, int64_t first, const double axis[3], double angle);

/* Let them rotate as the parts of one rigid body: with ω = `spin` about `pivot`, every body gets ω × (x - pivot) more
 * velocity and ω more spin. */
void cairn_bodies_rotate(struct cairn_state *state, int64_t first, const double spin[3], const double pivot[3]);

#endif
