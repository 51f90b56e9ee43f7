/* The complete state of a simulation at one step, independent of cells, workers and ranks: bodies by id, contacts by
 * pair, walls by assembly. */
#ifndef CAIRN_STATE_H
#define CAIRN_STATE_H

#include <stdint.h>

#include "cairn/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A body's id is its index in every array of the state: 0 … n-1. Vectors are interleaved, x y z per body. SI units. */
struct cairn_state {
  int64_t step;         /* steps done since the start of the run */
  double time;          /* s */
  int64_t refresh_step; /* next evaluation of self-gravity */
  int64_t n_refreshes;  /* how often it was */
  double skin;          /* m, of the cells that `reference` belongs to; 0: there are none */

  /* Momentum of the sweeps of contact dynamics, learned from the steps so far (kernels/contact_dynamics/cd_cell.h). */
  double momentum_limit, pair_sweeps;

  /* Totals of contact dynamics since the start. Not part of the digest: sums over cells. */
  int64_t n_unsolved;       /* steps that did not reach the solver's tolerance */
  double dissipated_energy; /* J, lost in contacts */

  /* Totals of hard spheres since the start. Not part of the digest. */
  int64_t n_collisions;      /* of two bodies */
  int64_t n_wall_collisions; /* of a body and a wall */
  int64_t n_slow_collisions; /* of both kinds, made elastic because they were slow */
  double collision_virial;   /* J, impulse times distance of the centres, summed over the collisions of bodies */

  int64_t n_broken; /* bonds of soft spheres that broke since the start. Not part of the digest */

  int64_t n;                    /* bodies */
  double *position;             /* m      [n][3] */
  double *velocity;             /* m/s    [n][3] */
  double *spin;                 /* rad/s  [n][3] angular velocity */
  double *acceleration;         /* m/s²   [n][3] at this step: the leapfrog starts from it */
  double *angular_acceleration; /* rad/s² [n][3] */
  double *radius;               /* m      [n] */
  double *mass;                 /* kg     [n] */
  int32_t *material;            /* index into the scenario's materials [n] */
  int32_t *captor; /* [n] 0: free; 1 + w: captured by the sticky wall w; -1 - w: removed by the absorbing wall w; with W
                      walls, -1 - W - i: merged into body i, or, if that is the body itself, not yet inserted */
  double *capture_time;  /* s [n] when; 0 while free */
  double *capture_place; /* m [n][3] position of a captured body in the coordinates of its wall's assembly; else 0 */
  double *gravity;       /* m/s² [n][3] self-gravity as last evaluated, with the uniform field; else 0 */
  double *reference;     /* m [n][3] contact dynamics: the position that decides its cell; else 0 */

  struct cairn_contacts contacts;      /* between bodies */
  struct cairn_contacts wall_contacts; /* of bodies with walls; of one pair at most CAIRN_STATE_TOUCHES */

  /* Assemblies, the rigid sets of walls, in the order of the scenario. */
  int64_t n_assemblies;
  double *assembly_position;             /* m      [n_assemblies][3] */
  double *assembly_orientation;          /* [n_assemblies][4] unit quaternion x y z w, relative to the start */
  double *assembly_velocity;             /* m/s    [n_assemblies][3] */
  double *assembly_spin;                 /* rad/s  [n_assemblies][3] angular velocity */
  double *assembly_acceleration;         /* m/s²   [n_assemblies][3] at this step, as that of the bodies */
  double *assembly_angular_acceleration; /* rad/s² [n_assemblies][3] */
};

enum { CAIRN_STATE_TOUCHES = 4 }; /* contacts of one body with one wall, at most */

enum { CAIRN_DIGEST_LENGTH = 32 };

/* Write the digest of the whole state as 32 lower-case hexadecimal digits and a NUL. Two states have the same digest
 * exactly if all bits of bodies, contacts, assemblies, step and time agree. */
void cairn_state_digest(const struct cairn_state *state, char digest[CAIRN_DIGEST_LENGTH + 1]);

/* A state of the caller's own, the same as `state`; give it back with cairn_state_free. NULL if out of memory. */
struct cairn_state *cairn_state_clone(const struct cairn_state *state);

/* Of cairn_state_clone and cairn_files_load only; NULL is allowed. */
void cairn_state_free(struct cairn_state *state);

/* An array of a state by the name that it has in checkpoints (docs/files.md), for languages that do not read this
 * header. */
struct cairn_state_array {
  void *values;   /* [n][components], inside of the state */
  int64_t n;      /* elements */
  int components; /* 1, 3 or 4 */
  int is_integer; /* 1: int32_t, 0: double */
};

/* 0, or CAIRN_ERR_INPUT if there is no such array of bodies or assemblies. */
int cairn_state_find(const struct cairn_state *state, const char *name, struct cairn_state_array *array);

#ifdef __cplusplus
}
#endif
#endif
