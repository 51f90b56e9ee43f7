/* The complete state of a simulation at one step, independent of cells, workers and ranks: bodies by id, contacts by
 * pair. */
#ifndef CAIRN_STATE_H
#define CAIRN_STATE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A body's id is its index in every array of the state: 0 … n-1. Vectors are interleaved, x y z per body. SI units. */
struct cairn_state {
  int64_t step; /* steps done since the start of the run */
  double time;  /* s */

  int64_t n;                    /* bodies */
  double *position;             /* m      [n][3] */
  double *velocity;             /* m/s    [n][3] */
  double *spin;                 /* rad/s  [n][3] angular velocity */
  double *acceleration;         /* m/s²   [n][3] at this step: the leapfrog starts from it */
  double *angular_acceleration; /* rad/s² [n][3] */
  double *radius;               /* m      [n] */
  double *mass;                 /* kg     [n] */
  int32_t *material;            /* index into the scenario's materials [n] */

  /* Touching pairs, sorted by (a, b), a < b. The spring is the tangential displacement S of the soft-sphere laws. */
  int64_t n_contacts;
  int32_t *contact_a;     /* [n_contacts] lower id */
  int32_t *contact_b;     /* [n_contacts] higher id */
  double *contact_spring; /* m [n_contacts][3] */
  uint32_t *contact_age;  /* [n_contacts] steps since the bodies touched, at least 1 */

  /* Bodies touching walls, sorted by (body, wall). */
  int64_t n_wall_contacts;
  int32_t *wall_contact_body;  /* [n_wall_contacts] */
  int32_t *wall_contact_wall;  /* [n_wall_contacts] index into the scenario's walls */
  double *wall_contact_spring; /* m [n_wall_contacts][3] */
  uint32_t *wall_contact_age;  /* [n_wall_contacts] */
};

enum { CAIRN_DIGEST_LENGTH = 32 };

/* Write the digest of the whole state as 32 lower-case hexadecimal digits and a NUL. Two states have the same digest
 * exactly if all bits of bodies, contacts, step and time agree. */
void cairn_state_digest(const struct cairn_state *state, char digest[CAIRN_DIGEST_LENGTH + 1]);

#ifdef __cplusplus
}
#endif
#endif
