/* Self-gravity of n bodies by the fast multipole method (kernels/gravity/gravity_walk.h), cut into pieces of work that
 * can run at once. Each works on buffers that it is given: tasks name them (tasks/gravity/), and cairn_gravity_run
 * below does one piece after the other.
 *
 *   cairn_gravity_begin      the caller's bodies in lists, stretches of about the same length; memory
 *   cairn_gravity_collect    of each list: its bodies from packets, where that is what the caller has
 *   cairn_gravity_box        of each list: the box around its bodies
 *   cairn_gravity_enclose    after all of them: the cube around all bodies, the root of the Morton order; where ranks
 *                            share the bodies, around those of all
 *   cairn_gravity_order      of each list: its bodies in Morton order
 *   cairn_gravity_cut        after all of them: the curve in branches, the work that one task does; counts alone
 *   cairn_gravity_gather     of each branch: its bodies from the lists, in Morton order
 *   cairn_gravity_reserve    after all of them: memory for the nodes
 *   cairn_gravity_build      of each branch: its tree, with multipoles
 *   cairn_gravity_join       after all of them: the top of the tree, small
 *   cairn_gravity_evaluate   of each branch: its field; reads all trees
 *   cairn_gravity_deliver    after all of them, of each list: accelerations and potentials in the caller's order
 *   cairn_gravity_drift      the mean acceleration, which the caller subtracts from every body
 *
 * The acceleration of a body depends on the masses and positions of the bodies alone, to the last bit: not on an
 * earlier state, nor on the size of lists and branches or the order in which they are done. */
#ifndef CAIRN_DATA_GRAVITY_GRAVITY_H
#define CAIRN_DATA_GRAVITY_GRAVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn/error.h"
#include "data/cells/cut.h"
#include "kernels/gravity/gravity_walk.h"

#define CAIRN_GRAVITY_THETA 0.9     /* largest size of sink and source over their distance (gravity_walk.h) */
#define CAIRN_GRAVITY_G 6.67430e-11 /* m^3/(kg s^2), CODATA 2018 */

/* How to treat the bodies. */
struct cairn_gravity_rules {
  double G;           /* gravitational constant in the caller's units */
  double accuracy;    /* RMS error of the acceleration over the RMS acceleration; 1e-6 … 0.1 is measured */
  int order;          /* of the expansions, 1 … 5; 0: the fastest for the accuracy, few bodies by direct sums */
  int32_t max_bodies; /* of a branch, at least CAIRN_GRAVITY_LEAF; 0: enough branches for some workers, none so small
                         that it costs much more */
};

/* A list: a stretch of the caller's bodies, of which n are there. */
struct cairn_gravity_list {
  int32_t first, room, n;
  int32_t failed; /* was there no memory to put it in order? */
  double lower[3], upper[3];
};

/* Bodies in Morton order as rows of one matrix, all of them or those of one branch. */
enum {
  CAIRN_GRAVITY_X,
  CAIRN_GRAVITY_Y,
  CAIRN_GRAVITY_Z,
  CAIRN_GRAVITY_MASS,
  CAIRN_GRAVITY_KEY,   /* uint64_t */
  CAIRN_GRAVITY_PLACE, /* int32_t: where in its branch the k-th body stands, in the order in which the lists have them
                        */
  CAIRN_GRAVITY_ROWS
};
struct cairn_gravity_bodies {
  double *row;
  int64_t pitch; /* doubles from one row to the next */
};

/* What tells one evaluation from another; safe to copy. */
struct cairn_gravity_terms {
  int32_t n, n_branches; /* of this process */
  int32_t first_branch;  /* number of its first branch among those of all ranks */
  bool is_direct;        /* so few bodies are summed directly: no trees */
  int order;
  double G, epsilon;
  double lower[3], scale; /* of the cube around all bodies */
};

struct cairn_gravity {
  struct cairn_gravity_rules rules;
  struct cairn_gravity_terms terms;
  int32_t most_direct;
  int32_t n_lists, n_nodes;
  int32_t n_room; /* bodies that lists have room for */
  struct cairn_cut cut;
  struct cairn_gravity_list *list;     /* [n_lists] */
  struct cairn_morton *entry;          /* [n_room] list by list, each in Morton order; `id` is the caller's index */
  struct cairn_gravity_branch *branch; /* [n_branches] */
  struct cairn_gravity_bodies bodies;  /* [CAIRN_GRAVITY_ROWS][n + n_guests] */
  struct cairn_gravity_node *node;     /* [n_nodes] branch by branch */
  struct cairn_gravity_node *top;      /* [cairn_gravity_top(n_branches)] */
  double *field;                       /* [n][CAIRN_FIELD] in Morton order */
  int32_t n_guests;                    /* bodies of other ranks' branches (gravity_guests.h), behind the own ones */
  int32_t entry_capacity, list_capacity, body_capacity, field_capacity, branch_capacity, top_capacity, node_capacity;
};

void cairn_gravity_init(struct cairn_gravity *gravity, const struct cairn_gravity_rules *rules);

/* n bodies, or room for as many. */
int cairn_gravity_begin(struct cairn_gravity *gravity, int32_t n, struct cairn_error *error);

/* The bodies of a list from n packets, one packet after the other, from the body `skip` of the first of them on:
 * positions, masses and ids [room]. The id of one that was removed is -1. Positions are predicted for the time `lead`,
 * and `later` after that by velocities alone. */
struct cairn_gravity_prediction {
  double lead, later; /* s */
};
void cairn_gravity_collect(const struct cairn_packet *const *packet, int32_t n, int32_t skip,
                           struct cairn_gravity_prediction prediction, const struct cairn_gravity_list *list,
                           double *position, double *mass, int32_t *id);

/* From the positions of its bodies; how many have an id. */
void cairn_gravity_box(const double *position, const int32_t *id, struct cairn_gravity_list *list);

/* The box around the bodies of all lists, and their number; that of others may be joined. */
struct cairn_gravity_extent {
  double lower[3], upper[3];
  int64_t n;
};
struct cairn_gravity_extent cairn_gravity_extent(const struct cairn_gravity *gravity);
void cairn_gravity_join_extents(void *all, const void *more);
void cairn_gravity_enclose(struct cairn_gravity *gravity, const struct cairn_gravity_extent *all);

/* The entries of one list. Sets list->failed if there is no memory. */
void cairn_gravity_order(const struct cairn_gravity_terms *terms, const double *position, const int32_t *id,
                         struct cairn_gravity_list *list, struct cairn_morton *entry);

/* `sum` adds up counts over all ranks, NULL: all bodies are here. Where there are others, branches are known by their
 * parts of the cut alone. */
int cairn_gravity_cut(struct cairn_gravity *gravity, cairn_cut_sum *sum, struct cairn_error *error);

/* The bodies of one branch, from the entries of all lists and from positions [n][3] and masses [n], all above 0; equal
 * keys in the order of ids. Counts its nodes. Sets branch->failed if there is no memory. */
struct cairn_gravity_source {
  const struct cairn_gravity_list *list;
  const struct cairn_morton *entry;
  const struct cairn_cut_range *range;
  const double *position, *mass;
  const int32_t *id;
};
void cairn_gravity_gather(const struct cairn_gravity_terms *terms, const struct cairn_gravity_source *source,
                          struct cairn_gravity_branch *branch, struct cairn_gravity_bodies own);

int cairn_gravity_reserve(struct cairn_gravity *gravity, struct cairn_error *error);

/* Room for so many lists and entries, bodies, fields, branches, nodes: what is there stays, but for the rows of bodies.
 * Not 0 if out of memory. */
int cairn_gravity_reserve_lists(struct cairn_gravity *gravity, int32_t n, int32_t n_entries);
int cairn_gravity_reserve_bodies(struct cairn_gravity *gravity, int32_t n);
int cairn_gravity_reserve_branches(struct cairn_gravity *gravity, int32_t n);
int cairn_gravity_reserve_top(struct cairn_gravity *gravity, int32_t n_branches);
int cairn_gravity_reserve_nodes(struct cairn_gravity *gravity, int32_t n);

/* The nodes of a branch, the given one by number, from its own bodies. */
void cairn_gravity_build(const struct cairn_gravity_terms *terms, const struct cairn_gravity_branch *branch,
                         int32_t number, struct cairn_gravity_bodies own, struct cairn_gravity_node *node);

/* Nodes that the top takes, with scratch behind them. */
size_t cairn_gravity_top(int32_t n_branches);
void cairn_gravity_join(int order, const struct cairn_gravity_branch *branch, int32_t n_branches,
                        const struct cairn_gravity_node *node, struct cairn_gravity_node *top);

/* The field of the bodies of one branch, [n][CAIRN_FIELD]. Sets branch->failed if there is no memory. */
void cairn_gravity_evaluate(const struct cairn_gravity_terms *terms, struct cairn_gravity_bodies bodies,
                            const struct cairn_gravity_node *node, const struct cairn_gravity_node *top,
                            struct cairn_gravity_branch *branch, double *field);

/* Accelerations [n][3] and potentials [n] of the bodies of one list, the given one by number. */
void cairn_gravity_deliver(const struct cairn_gravity_terms *terms, const struct cairn_gravity_list *list,
                           int32_t number, const struct cairn_morton *entry, const struct cairn_cut_range *range,
                           const struct cairn_gravity_branch *branch, struct cairn_gravity_bodies bodies,
                           const double *field, double *acceleration, double *potential);

/* The bodies and trees of all branches, one after the other, from lists that were cut; in steps of `stride`. */
int cairn_gravity_plant(struct cairn_gravity *gravity, const double *position, const double *mass, const int32_t *id,
                        int32_t stride, struct cairn_error *error);

/* All of it, one piece after the other, branches in steps of `stride`, which must not divide their number. The id of a
 * body is its index. */
int cairn_gravity_run(struct cairn_gravity *gravity, int32_t n, const double *position, const double *mass,
                      int32_t stride, double *acceleration, double *potential, struct cairn_error *error);

/* What the bodies of a packet add to mass, momentum and volume of all. */
struct cairn_gravity_motion {
  struct cairn_exact_sum mass, volume, momentum[3];
};
void cairn_gravity_note(const struct cairn_packet *packet, struct cairn_gravity_motion *motion);
void cairn_gravity_note_all(struct cairn_gravity_motion *all, const struct cairn_gravity_motion *more);

/* The shortest time in which a body of the packet is displaced by a fraction of its diameter, by its velocity relative
 * to `mean` and its gravity without the uniform field. */
double cairn_gravity_time(const struct cairn_packet *packet, const double mean[3], const double uniform[3],
                          double fraction);

/* What acts on the bodies of a list, [room][3]: the uniform field and, where a body is there, its acceleration without
 * the drift. Returns the lowest id of a body for which that is not finite or beyond all bounds, or -1. */
int32_t cairn_gravity_total(const struct cairn_gravity_list *list, const int32_t *id, const double *acceleration,
                            const double uniform[3], const double drift[3], double *total);

/* Mean acceleration by mass: sums in Morton order, over one stretch of it after the other, and the mean of the sums.
 * The forces are not exactly mutual, so it is not zero but of the order of the error; with it subtracted the total
 * momentum is kept to rounding. */
struct cairn_gravity_pull {
  double mass, pull[3];
};
void cairn_gravity_add_pull(const struct cairn_gravity *gravity, struct cairn_gravity_pull *sum);
void cairn_gravity_mean(double G, const struct cairn_gravity_pull *sum, double drift[3]);
void cairn_gravity_drift(const struct cairn_gravity *gravity, double drift[3]);

/* Bytes held. */
size_t cairn_gravity_memory(const struct cairn_gravity *gravity);

void cairn_gravity_fini(struct cairn_gravity *gravity);

/* A row of the bodies. */
static inline double *cairn_gravity_row(struct cairn_gravity_bodies bodies, int row) {
  return bodies.row + row * bodies.pitch;
}

/* The bodies from one of them on. */
static inline struct cairn_gravity_bodies cairn_gravity_from(struct cairn_gravity_bodies bodies, int32_t first) {
  return (struct cairn_gravity_bodies){bodies.row + first, bodies.pitch};
}

#endif
