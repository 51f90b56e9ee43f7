/* What is inside a region: packing fraction, density, velocity, granular temperature, stress. Definitions:
 * docs/physics.md. */
#ifndef CAIRN_ANALYSIS_INSIDE_H
#define CAIRN_ANALYSIS_INSIDE_H

#include "data/initial/region.h"
#include "data/state/fields.h"

struct cairn_inside {
  int64_t n_bodies;   /* with their centre in it */
  double volume;      /* m³, of the region */
  double packing;     /* part of it that bodies fill */
  double density;     /* kg/m³ */
  double velocity[3]; /* m/s, by mass, of the bodies with their centre in it */
  double temperature; /* m²/s², a third of their mean square velocity about it */
  double stress[6];   /* Pa, xx yy zz yz xz xy; NaN if the stress in bodies is not known */
};

/* Of the bodies that no wall has removed; `stress` may be NULL. */
struct cairn_inside cairn_inside_find(const struct cairn_state *state, const struct cairn_body_stress *stress,
                                      const struct cairn_region *region);

#endif
