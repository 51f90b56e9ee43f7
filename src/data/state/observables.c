#include "data/state/observables.h"

#include <stddef.h>

#define AT(member) (int)offsetof(struct cairn_observables, member)

const struct cairn_observable_field cairn_observables_fields[] = {
    {"time", "s", "simulated time", 1, AT(time)},
    {"step", "1", "steps done", 1, AT(step)},
    {"step_size", "s", "size of the time step", 1, AT(step_size)},
    {"kinetic_energy", "J", "kinetic energy of translation", 1, AT(kinetic_energy)},
    {"rotational_energy", "J", "kinetic energy of rotation", 1, AT(rotational_energy)},
    {"potential_energy", "J",
     "potential energy: in the uniform field, zero at the origin, and of the bodies' own gravity", 1,
     AT(potential_energy)},
    {"elastic_energy", "J", "energy in the springs of contacts and, negative, in cohesion", 1, AT(elastic_energy)},
    {"dissipated_energy", "J", "energy lost in contacts since the start", 1, AT(dissipated_energy)},
    {"granular_temperature", "m2 s-2", "a third of the mean square velocity about the mean, weighted by mass", 1,
     AT(granular_temperature)},
    {"n_collisions", "1", "collisions of two bodies since the start", 1, AT(n_collisions)},
    {"n_wall_collisions", "1", "collisions of bodies with walls since the start", 1, AT(n_wall_collisions)},
    {"n_slow_collisions", "1", "collisions made elastic because they were slow", 1, AT(n_slow_collisions)},
    {"n_merges", "1", "collisions in which two bodies became one since the start", 1, AT(n_merges)},
    {"collision_virial", "J", "impulse times distance of the centres, over all collisions of bodies", 1,
     AT(collision_virial)},
    {"largest_island", "1", "bodies of the largest island since the run began or was resumed", 1, AT(largest_island)},
    {"n_windows", "1", "windows that the drift of a step is run in now", 1, AT(n_windows)},
    {"momentum", "kg m s-1", "linear momentum", 3, AT(momentum)},
    {"angular_momentum", "kg m2 s-1", "angular momentum about the origin, spins included", 3, AT(angular_momentum)},
    {"center_of_mass", "m", "center of mass", 3, AT(center_of_mass)},
    {"total_mass", "kg", "mass of the bodies that were not removed", 1, AT(total_mass)},
    {"n_contacts", "1", "touching pairs of bodies", 1, AT(n_contacts)},
    {"n_wall_contacts", "1", "places where bodies touch walls", 1, AT(n_wall_contacts)},
    {"n_bonds", "1", "bonds that hold", 1, AT(n_bonds)},
    {"n_broken", "1", "bonds that broke since the start", 1, AT(n_broken)},
    {"coordination", "1", "mean number of touching neighbours of a body, walls not counted", 1, AT(coordination)},
    {"coordination_bearing", "1", "mean number of contacts of a body that is no rattler, walls counted", 1,
     AT(coordination_bearing)},
    {"n_rattlers", "1", "bodies with fewer than two contacts, left out again and again", 1, AT(n_rattlers)},
    {"sliding_fraction", "1", "part of the contacts with friction that slide", 1, AT(sliding_fraction)},
    {"max_overlap", "1", "largest overlap over the smaller radius of the pair", 1, AT(max_overlap)},
    {"max_speed", "m s-1", "largest speed of a body", 1, AT(max_speed)},
    {"solver_contacts", "1", "contacts solved for in the latest step, those that turned out to carry nothing included",
     1, AT(solver_contacts)},
    {"solver_sweeps", "1", "sweeps over all contacts in the latest step", 1, AT(solver_sweeps)},
    {"solver_restarts", "1", "how often the momentum of the sweeps started anew in the latest step", 1,
     AT(solver_restarts)},
    {"solver_residual", "1", "relative residual of the latest step", 1, AT(solver_residual)},
    {"n_refreshes", "1", "how often self-gravity was found so far", 1, AT(n_refreshes)},
    {"n_unsolved", "1", "steps that did not reach the tolerance so far", 1, AT(n_unsolved)},
    {"n_bodies", "1", "bodies that were not removed", 1, AT(n_bodies)},
    {"n_absorbed", "1", "bodies removed by absorbing walls so far", 1, AT(n_absorbed)},
    {"n_held", "1", "bodies captured by sticky walls", 1, AT(n_held)},
    {"n_outside", "1", "bodies outside the world box", 1, AT(n_outside)},
    {"n_fragments", "1", "fragments: over bonds, or with self-gravity over small gaps; single bodies counted", 1,
     AT(n_fragments)},
    {"largest_fragment", "1", "mass of the largest fragment over that of all bodies", 1, AT(largest_fragment)},
    {"second_fragment", "1", "mass of the second largest fragment over that of all bodies", 1, AT(second_fragment)},
    {"diameter", "m", "diameter of the sphere around the center of mass that holds all bodies", 1, AT(diameter)},
    {"packing_fraction", "1", "volume of the bodies over that of the sphere that holds all", 1, AT(packing_fraction)},
    {"packing_fraction_ellipsoid", "1", "volume of the bodies over that of the equivalent ellipsoid", 1,
     AT(packing_fraction_ellipsoid)},
    {"semi_axes", "m", "semi-axes of the ellipsoid of the same mass and inertia, the longest first", 3, AT(semi_axes)},
    {"mean_pressure", "Pa", "a third of the trace of mean_stress", 1, AT(mean_pressure)},
    {"mean_stress", "Pa", "stress in the sphere that holds all bodies, pressure positive: xx yy zz yz xz xy", 6,
     AT(mean_stress)},
    {"bond_number", "1", "mean cohesion of a contact over mean weight of a body", 1, AT(bond_number)},
    {"inertial_number", "1", "rate of the mean shear, made dimensionless with pressure, diameter and density", 1,
     AT(inertial_number)},
};
const int cairn_observables_n_fields = sizeof cairn_observables_fields / sizeof *cairn_observables_fields;

int cairn_observables_entry(int i, const char **name, const char **unit, int *components, int *offset) {
  if (i < 0 || i >= cairn_observables_n_fields)
    return 0;
  *name = cairn_observables_fields[i].name;
  *unit = cairn_observables_fields[i].unit;
  *components = cairn_observables_fields[i].components;
  *offset = cairn_observables_fields[i].offset;
  return 1;
}
