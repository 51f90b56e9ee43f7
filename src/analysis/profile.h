/* Profiles of a state along an axis or a radius, heights of materials, the slope of a heap. Definitions:
 * docs/physics.md.
 */
#ifndef CAIRN_ANALYSIS_PROFILE_H
#define CAIRN_ANALYSIS_PROFILE_H

#include "data/state/fields.h"

/* A coordinate of space, or the distance from the centre of mass. */
enum cairn_profile_axis { CAIRN_PROFILE_X, CAIRN_PROFILE_Y, CAIRN_PROFILE_Z, CAIRN_PROFILE_RADIUS };

struct cairn_profile_bin {
  double lower, upper;    /* m */
  double volume;          /* m³ */
  int64_t n_bodies;       /* with their centre in it */
  double packing;         /* part of the volume that bodies fill */
  double density;         /* kg/m³ */
  double velocity[3];     /* m/s, by mass; of a radius: outwards, around the z axis, along it */
  double temperature;     /* m²/s², a third of the mean square velocity about it */
  double stress[6];       /* Pa, xx yy zz yz xz xy; NaN if the stress in bodies is not known */
  double inertial_number; /* NaN without stress, without shear on both sides, and of a radius */
};

struct cairn_profile {
  int n_bins, n_materials;
  struct cairn_profile_bin *bin; /* [n_bins] */
  double *composition;           /* [n_bins][n_materials] part of the mass */
};

/* Bins of equal width over all bodies that no wall has removed; `stress` may be NULL. An axis has the cross-section of
 * the box around the bodies. On failure nothing is allocated. */
int cairn_profile_make(const struct cairn_state *state, const struct cairn_body_stress *stress,
                       enum cairn_profile_axis axis, int n_bins, struct cairn_profile *out, struct cairn_error *error);

void cairn_profile_fini(struct cairn_profile *profile);

/* m, 10 … 90 % of the bodies of a material have a smaller coordinate; returns how many they are, or a negative status.
 */
int64_t cairn_profile_deciles(const struct cairn_state *state, enum cairn_profile_axis axis, int32_t material,
                              double deciles[9], struct cairn_error *error);

/* rad, the slope of a heap around a vertical axis, z up, by a line through the highest points of rings between 0.2 and
 * 0.8 of the radius that holds 95 % of the mass; NaN where there are too few bodies. */
int cairn_profile_slope(const struct cairn_state *state, double *slope, struct cairn_error *error);

#endif
