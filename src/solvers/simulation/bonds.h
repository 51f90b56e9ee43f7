/* The bonds of a simulation: how far they span, and those that broke. */
#ifndef CAIRN_SOLVERS_SIMULATION_BONDS_H
#define CAIRN_SOLVERS_SIMULATION_BONDS_H

#include "data/files/break_log.h"
#include "data/state/state_check.h"
#include "kernels/common/blocks.h"

struct cairn_simulation;

struct cairn_sim_bonds {
  double gap, kept_gap;     /* m, largest that a bond spans: now, and at the rollback point; 0: none */
  int64_t n_broken;         /* since the start */
  int64_t noted;            /* steps up to which they have been put into the list, once each */
  int64_t n, capacity;      /* those that nobody has taken yet */
  struct cairn_break *list; /* in the order of steps and cells */
};

/* Take over the bonds of the state that a simulation begins with, on ranks a stretch of all (or NULL); refuses those
 * that the scenario has no law for. By all ranks. */
int cairn_sim_bonds_begin(struct cairn_simulation *sim, const struct cairn_state_stretch *stretch,
                          struct cairn_error *error);

/* After a batch of steps that counts: its report. */
int cairn_sim_bonds_note(struct cairn_simulation *sim, const struct cairn_report *report, struct cairn_error *error);

void cairn_sim_bonds_fini(struct cairn_sim_bonds *bonds);

/* The bonds that broke since the last call, in the order of (step, a, b); valid until the next step. */
const struct cairn_break *cairn_sim_bonds_take(struct cairn_simulation *sim, int64_t *n);

#endif
