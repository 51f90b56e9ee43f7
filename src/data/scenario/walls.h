/* Walls: what holds, shakes, catches and weighs the bodies. Every wall belongs to one assembly, the rigid set of walls
 * that moves as one; a wall of the list `walls` is an assembly of its own. */
#ifndef CAIRN_DATA_SCENARIO_WALLS_H
#define CAIRN_DATA_SCENARIO_WALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "data/geometry/mesh.h"
#include "data/scenario/stages.h"
#include "kernels/shapes/shapes.h"
#include "kernels/walls/assemblies.h"

enum cairn_wall_behavior {
  CAIRN_WALL_SOLID,
  CAIRN_WALL_FRICTIONLESS, /* its law has no tangential force and no friction of rotation */
  CAIRN_WALL_STICKY,       /* captures bodies that touch and carries them */
  CAIRN_WALL_ABSORBING     /* removes bodies that touch */
};

struct cairn_wall {
  char *name;
  int32_t material;
  int32_t assembly;
  enum cairn_wall_behavior behavior;
  double reference[3];               /* m, the point of it that files tell the position of, at the start */
  double shape[CAIRN_SHAPE_DOUBLES]; /* kernels/shapes/shapes.h, relative to the assembly's position at the start */
  struct cairn_mesh *mesh;           /* of a mesh wall, else NULL; belongs to the wall */
};

struct cairn_assembly {
  char *name;                  /* that of its wall, if it is one of the list `walls` */
  bool symmetric;              /* does its shape stay the same under the turning it does? */
  double position[3];          /* m at the start: centre of mass, or the reference of the wall */
  double velocity[3], spin[3]; /* m/s, rad/s at the start, of an assembly that is free */
  struct cairn_assembly_rules rules;
  struct cairn_stage_times times; /* those of `rules` as the scenario gives them */
};

struct cairn_node;
struct cairn_scenario;
struct cairn_error;

/* Give walls and assemblies of the validated tree the defaults that depend on where they stand: names, and `appears`
 * for all but the walls of an assembly. */
int cairn_walls_fill(struct cairn_node *tree, const char *file, struct cairn_error *error);

/* Read the validated lists `walls` and `assemblies` into the scenario, after its materials: first the walls of the one,
 * each an assembly of its own, then the assemblies of the other with their walls. Files of meshes and motions are
 * read. */
int cairn_walls_read(struct cairn_scenario *scenario, struct cairn_error *error);

/* Free what cairn_walls_read made. */
void cairn_walls_fini(struct cairn_scenario *scenario);

/* Distance of a point from the surface of a wall as it stands at the start: negative behind a plane. For a mesh, any
 * number above `reach` if nothing is within it. */
double cairn_walls_distance(const struct cairn_wall *wall, const double assembly_position[3], const double x[3],
                            double reach);

/* A wall that is there at the start, with a box around it that may be infinite, m. */
struct cairn_walls_present {
  const struct cairn_wall *wall;
  const double *position; /* of its assembly */
  double lower[3], upper[3];
};

/* The walls that are there at the start, as an array that the caller frees. */
int cairn_walls_list_present(const struct cairn_scenario *scenario, struct cairn_walls_present **present, int32_t *n,
                             struct cairn_error *error);

/* The same as cairn_walls_distance, but of any kind of wall it is a number above `reach` if nothing is within it. */
double cairn_walls_distance_within(const struct cairn_walls_present *present, const double x[3], double reach);

/* Is it a plane that has all n points behind it? Then most likely its normal is the wrong way round. */
bool cairn_walls_is_facing_away(const struct cairn_walls_present *present, const double *position, int64_t n);

enum { CAIRN_WALLS_DIGEST = 32 };

/* A fingerprint of all that defines walls and assemblies, the content of their files included, as hexadecimal text. */
void cairn_walls_digest(const struct cairn_scenario *scenario, char digest[CAIRN_WALLS_DIGEST + 1]);

/* A vector of a validated map as a unit vector; zero is refused. */
int cairn_walls_read_direction(const char *file, const struct cairn_node *map, const char *key, double n[3],
                               struct cairn_error *error);

#endif
