/* The diagnostics of one step. SI units. */
#ifndef CAIRN_OBSERVABLES_H
#define CAIRN_OBSERVABLES_H

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
