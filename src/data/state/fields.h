/* The one table of what a state consists of. It drives allocation, copy and digest of states, the static and per-frame
 * variables of trajectories and the variables of checkpoints, reading and writing alike: a new field of struct
 * cairn_state is one new line here. */
#ifndef CAIRN_DATA_STATE_FIELDS_H
#define CAIRN_DATA_STATE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/state/state.h"

/* Mean stress in each body, pressure positive. */
struct cairn_body_stress {
  double *pressure; /* Pa [n] */
  double *stress;   /* Pa [n][6] xx yy zz yz xz xy */
};

void cairn_fields_stress_fini(struct cairn_body_stress *stress);

enum cairn_field_type { CAIRN_FIELD_DOUBLE, CAIRN_FIELD_INT32, CAIRN_FIELD_UINT32 };

/* Which list of the state a field has one entry for each element of. */
enum cairn_field_list {
  CAIRN_FIELD_BODIES,
  CAIRN_FIELD_CONTACTS,
  CAIRN_FIELD_WALL_CONTACTS,
  CAIRN_FIELD_ASSEMBLIES,
  CAIRN_N_FIELD_LISTS
};

enum cairn_field_flags {
  CAIRN_FIELD_STATIC = 1,     /* in a trajectory once, over (atom) */
  CAIRN_FIELD_FRAME = 2,      /* in a trajectory per frame, over (frame, atom) */
  CAIRN_FIELD_CHECKPOINT = 4, /* in a checkpoint */
  CAIRN_FIELD_INDEX = 8,      /* the body's index itself: no array in the state */
  CAIRN_FIELD_CAPTURE = 16,   /* in the trajectory only if the run has sticky or absorbing walls */
  CAIRN_FIELD_STRESS = 32, /* of a struct cairn_body_stress, not of a state; only in the trajectory of a run with it */
  CAIRN_FIELD_HEAD = 64,   /* of a contact record, `offset` is that in its head */
  CAIRN_FIELD_GROWING = 256, /* in a trajectory per frame if bodies merge */
  CAIRN_FIELD_MEMORY = 128   /* of a contact record, `offset` is the row of enum cairn_contact_memory */
};

struct cairn_field {
  const char *trajectory; /* name in trajectories, NULL if it is not there */
  const char *checkpoint; /* name in checkpoints, NULL if it is not there */
  enum cairn_field_type type;
  int components; /* 1, 3 (a vector), 4 (a quaternion) or 6 (a symmetric tensor) */
  enum cairn_field_list list;
  size_t offset;    /* of the pointer to the values in struct cairn_state or cairn_body_stress */
  const char *unit; /* UDUNITS */
  const char *long_name;
  unsigned flags; /* enum cairn_field_flags */
};

extern const struct cairn_field cairn_fields[];
extern const int cairn_fields_n;

/* Name of the dimension of each list in checkpoints. */
extern const char *const cairn_fields_dimension[CAIRN_N_FIELD_LISTS];

/* How many elements the list has in this state. */
int64_t cairn_fields_count(const struct cairn_state *state, enum cairn_field_list list);

/* Does a state like this one have the field? Contacts remember what the laws of the run ask for. */
bool cairn_fields_has(const struct cairn_field *field, const struct cairn_state *state);

/* The values of a field in this state; NULL for CAIRN_FIELD_INDEX and CAIRN_FIELD_STRESS, and for contacts, whose
 * records hold the values of all their fields together. */
void *cairn_fields_values(const struct cairn_field *field, const struct cairn_state *state);

/* Copy the values of a field out of `n` contact records from `first` on, and into them. */
void cairn_fields_get(const struct cairn_field *field, const struct cairn_state *state, int64_t first, int64_t n,
                      void *values);
void cairn_fields_set(const struct cairn_field *field, struct cairn_state *state, int64_t first, int64_t n,
                      const void *values);

/* The values of a field with CAIRN_FIELD_STRESS. */
void *cairn_fields_stress(const struct cairn_field *field, const struct cairn_body_stress *stress);

/* Its name in files of earlier versions, which are still read; NULL: the same. */
const char *cairn_fields_former(const struct cairn_field *field);

/* Bytes of one component. */
size_t cairn_fields_size(enum cairn_field_type type);

/* The NetCDF type. */
int cairn_fields_nc_type(enum cairn_field_type type);

#endif
