/* The diagnostics of one step. SI units. */
#ifndef CAIRN_OBSERVABLES_H
#define CAIRN_OBSERVABLES_H

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_observables {
  double time;                 /* s */
  double step;                 /* steps done, a whole number */
  double step_size;            /* s */
  double kinetic_energy;       /* J, translation */
  double rotational_energy;    /* J */
  double potential_energy;     /* J, in the uniform field, zero at the origin */
  double elastic_energy;       /* J, in the springs of contacts and, negative, in cohesion */
  double dissipated_energy;    /* J, lost in contacts since the start; NaN with soft spheres */
  double granular_temperature; /* m²/s², a third of the mean square velocity about the mean, weighted by mass */
  double n_collisions;         /* of two bodies since the start; NaN but with hard spheres, as those below */
  double n_wall_collisions;    /* of bodies and walls */
  double n_slow_collisions;    /* made elastic because they were slow */
  double n_merges;             /* in which two bodies became one */
  double collision_virial;     /* J, impulse times distance of the centres, over the collisions of bodies */
  double largest_island;       /* bodies of the largest island since the run began or was resumed */
  double n_windows;            /* that the drift of a step is run in now */
  double momentum[3];          /* kg m/s */
  double angular_momentum[3];  /* kg m²/s about the origin, spins included */
  double center_of_mass[3];    /* m */
  double total_mass;           /* kg, without removed bodies */
  double n_contacts;           /* touching pairs, without walls */
  double n_wall_contacts;      /* places where bodies touch walls */
  double n_bonds;              /* that hold, of soft spheres */
  double n_broken;             /* bonds that broke since the start */
  double coordination;         /* mean number of touching neighbours of a body, walls not counted */
  double coordination_bearing; /* mean number of contacts, those with walls counted, of bodies that are no rattlers */
  double n_rattlers;           /* bodies with fewer than two contacts, left out again and again */
  double sliding_fraction;     /* of the contacts with friction, those where it is used up; NaN with soft spheres */
  double max_overlap;          /* largest overlap over the smaller radius of the pair, at this step */
  double max_speed;            /* m/s */
  double solver_contacts;      /* of the latest step; 0 where nothing is solved */
  double solver_sweeps;        /* of the latest step; 0 where nothing is solved */
  double solver_restarts;      /* of the momentum among them */
  double solver_residual;      /* relative, after them */
  double n_refreshes;          /* evaluations of self-gravity so far */
  double n_unsolved;           /* steps so far that did not reach the tolerance */
  double n_bodies;             /* without removed ones */
  double n_absorbed;           /* bodies removed by absorbing walls so far */
  double n_held;               /* bodies captured by sticky walls */
  double n_outside;            /* bodies outside the world box */
  double n_fragments;          /* pieces over bonds, or over gaps with self-gravity, single bodies counted; else NaN */
  double largest_fragment;     /* mass of the largest of them over that of all; else NaN */
  double second_fragment;      /* the same of the second largest, 0 if there is none; else NaN */
  double diameter;             /* m, of the sphere around the centre of mass that holds all bodies */
  double packing_fraction;     /* volume of the bodies over that of this sphere */
  double packing_fraction_ellipsoid; /* over that of the ellipsoid below */
  double semi_axes[3];    /* m, of the homogeneous ellipsoid of the same mass and inertia, the longest first */
  double mean_pressure;   /* Pa, a third of the trace of mean_stress; both are NaN with hard spheres */
  double mean_stress[6];  /* Pa, xx yy zz yz xz xy, over the volume of the sphere; pressure is positive */
  double bond_number;     /* mean cohesion of a contact over mean weight of a body; NaN without one of the two */
  double inertial_number; /* of the mean shear of all bodies; NaN without contacts that push */
};

/* The i-th entry of struct cairn_observables: name and unit as in series, number of doubles and offset in bytes. 0 past
 * the last one, else 1. */
int cairn_observables_entry(int i, const char **name, const char **unit, int *components, int *offset);

/* One wall at one step. */
struct cairn_wall_sample {
  double position[3];    /* m, the wall's reference point */
  double orientation[4]; /* unit quaternion x y z w, relative to the start */
  double velocity[3];    /* m/s of that point */
  double spin[3];        /* rad/s, angular velocity */
  double force[3];       /* N, of the bodies on the wall, at this step */
  double torque[3];      /* N m about the reference point */
  double n_contacts;     /* contacts with bodies, without captured ones */
  double n_absorbed;     /* bodies it has removed so far */
  double n_held;         /* bodies it holds */
  double active;         /* 1, or 0 while it is not there */
};

#ifdef __cplusplus
}
#endif
#endif
