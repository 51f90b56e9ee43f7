/* NAME.contacts.nc: the contacts at each frame with their forces, one row each (data/storage/step_table.h). */
#ifndef CAIRN_DATA_FILES_CONTACT_NETWORK_H
#define CAIRN_DATA_FILES_CONTACT_NETWORK_H

#include "data/storage/step_table.h"

struct cairn_contact_row {
  double step, time; /* steps done, s */
  int32_t a, b;      /* ids of the bodies, a < b; b = -1 - w for the wall w */
  int32_t bond;      /* 1: a bond holds them */
  double normal[3];  /* from a to b, or to the wall */
  double push;       /* N, normal force: negative where they pull at each other */
  double shear[3];   /* N, tangential force on b, or on the wall */
};

extern const struct cairn_step_kind cairn_contact_network_kind;

/* The rows of the frame at a time, s, of NAME.contacts.nc beside the trajectory NAME.nc; bodies must be below n_bodies.
 * *rows is allocated; on failure nothing is. A frame without contacts has no rows. */
int cairn_contact_network_read(const char *trajectory, double time, int64_t n_bodies, struct cairn_contact_row **rows,
                               int64_t *n, struct cairn_error *error);

#endif
