/* Dimensionless numbers that tell in which regime bodies are: bond number, inertial number. Definitions:
 * docs/physics.md. */
#ifndef CAIRN_ANALYSIS_REGIME_H
#define CAIRN_ANALYSIS_REGIME_H

/* Mean cohesion of a contact (N) over the mean weight of a body, of n bodies of this weight (N); NaN without either. */
double cairn_regime_bond_number(double cohesion, double weight, double n);

/* How bodies lie and move about their centre of mass. */
struct cairn_regime_motion {
  double mass, volume, diameter;  /* kg, m³ of the spheres, m on average */
  double place[3][3], flow[3][3]; /* kg m², kg m²/s: by mass d ⊗ d, v ⊗ d */
};

/* I of the shear that fits the velocities of all bodies best, with the pressure (Pa) in them; NaN where they do not
 * push each other, or lie in a plane. */
double cairn_regime_inertial_number(const struct cairn_regime_motion *motion, double pressure);

#endif
