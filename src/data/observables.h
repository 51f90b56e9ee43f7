/* The diagnostics of one step: a row of the series file, the scalars of a trajectory frame, the progress line. */
#ifndef CAIRN_DATA_OBSERVABLES_H
#define CAIRN_DATA_OBSERVABLES_H

#include <stdint.h>

struct cairn_observables {
  double time;                /* s */
  double step;                /* steps done, a whole number */
  double step_size;           /* s */
  double kinetic_energy;      /* J, translation */
  double rotational_energy;   /* J */
  double potential_energy;    /* J, in the uniform field, zero at the origin */
  double elastic_energy;      /* J, in the normal and tangential springs */
  double momentum[3];         /* kg m/s */
  double angular_momentum[3]; /* kg m²/s about the origin, spins included */
  double center_of_mass[3];   /* m */
  double n_contacts;          /* touching pairs, without walls */
  double n_wall_contacts;     /* touching body-wall pairs */
  double coordination;        /* mean number of touching neighbours of a body, walls not counted */
  double max_overlap;         /* largest overlap over the smaller radius of the pair, at this step */
  double max_speed;           /* m/s */
};

/* One row per entry: what it is called in files, how many components, its unit and its description. */
struct cairn_observable_field {
  const char *name;
  const char *unit; /* UDUNITS */
  const char *long_name;
  int components; /* 1 or 3 */
  int offset;     /* byte offset of the double(s) in struct cairn_observables */
};

extern const struct cairn_observable_field cairn_observable_fields[];
extern const int cairn_n_observable_fields;

#endif
