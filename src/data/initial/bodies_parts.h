/* What the makers of bodies share (data/initial/bodies.c, data/initial/bodies_files.c). */
#ifndef CAIRN_DATA_INITIAL_BODIES_PARTS_H
#define CAIRN_DATA_INITIAL_BODIES_PARTS_H

#include "data/initial/bodies.h"
#include "data/initial/bodies_move.h"
#include "data/initial/overlap.h"
#include "data/scenario/walls.h"

/* What the random numbers of an entry are for: each has its own stream. */
enum { CAIRN_BODIES_SIZES, CAIRN_BODIES_PLACES, CAIRN_BODIES_VELOCITIES };

struct cairn_maker {
  struct cairn_scenario *scenario;
  struct cairn_state *state;         /* the scenario's */
  struct cairn_overlap *placed;      /* bodies that clouds must avoid; those up to placed->n are in it */
  struct cairn_walls_present *walls; /* walls that clouds must avoid */
  int32_t n_walls;
  size_t entry;                      /* number of the entry being made */
  struct cairn_bodies_center center; /* of the bodies of this entry so far */
  bool dry;
  bool counting;    /* how many bodies each entry makes, without making them */
  bool shared;      /* of all bodies a stretch is made, scenario->share */
  int64_t n;        /* counted, or made so far of all */
  size_t n_avoided; /* entries before the last cloud */
  bool is_avoided;  /* a cloud comes after this entry, and a stretch is made: its bodies are noted in `obstacles` */
  struct cairn_bodies_obstacles {
    int64_t n, capacity;
    double (*sphere)[4]; /* m, places and radii, until they are among those placed */
  } obstacles;
  struct cairn_error *error;
};

/* What the keys shared by all kinds of entries say. */
struct cairn_group {
  int32_t material;
  double velocity[3], spin[3];
  double axis[3], angle; /* of `turn`; without it the angle is 0 */
};

/* How many bodies there are of all entries so far, on all ranks. */
int64_t cairn_bodies_n_made(const struct cairn_maker *maker);

/* Room for n more, unless they are counted alone or a stretch of all has its room already. */
int cairn_bodies_make_room(struct cairn_maker *maker, const struct cairn_node *node, int64_t n);

/* A body is where it shall be. Its place in the state is *index, or -1 where it is of another rank's stretch. */
int cairn_bodies_note(struct cairn_maker *maker, int64_t id, const double position[3], double radius, double mass,
                      int64_t *index);

/* The mass of a body from its radius and the density of its material, as cairn_bodies_set_mass. */
int cairn_bodies_find_mass(const struct cairn_scenario *scenario, const struct cairn_node *node, double radius,
                           int32_t material, double *mass, struct cairn_error *error);

/* The keys shared by all kinds of entries. */
int cairn_bodies_read_group(const struct cairn_maker *maker, const struct cairn_node *node, struct cairn_group *group);

/* May there be so many bodies? `node` is what asks for them. */
int cairn_bodies_check_room(const struct cairn_scenario *scenario, const struct cairn_node *node, int64_t n,
                            struct cairn_error *error);

/* Are the bodies at the start possible: of similar enough sizes, apart from each other, in front of walls? `first`
 * holds the first id of every entry of `bodies` and, after the last, the number of bodies; messages point at the entry
 * of the body that is wrong. Linear in the number of bodies. */
int cairn_bodies_check_initial(const struct cairn_scenario *scenario, const int64_t *first, struct cairn_error *error);

/* `table` and `run`: bodies that are read from files. */
int cairn_bodies_files_table(struct cairn_maker *maker, struct cairn_node *node);
int cairn_bodies_files_run(struct cairn_maker *maker, struct cairn_node *node);

#endif
