/* What contact dynamics says in words: advice about overlaps and steps, the values of an interaction. */
#include <math.h>
#include <stdio.h>

#include "solvers/contact_dynamics.h"

void cairn_contact_dynamics_advise_overlap(const struct cairn_scenario *s, double overlap, double recommended,
                                           char *text, size_t size) {
  (void)s, (void)overlap, (void)recommended; /* rigid bodies overlap by errors of the step and of the solver alone */
  snprintf(text, size, "a smaller time.step or solver.tolerance is advised");
}

void cairn_contact_dynamics_advise_step(const struct cairn_plan *plan, char *text, size_t size) {
  (void)plan;
  snprintf(text, size, "the fastest bodies move by more than a tenth of a radius in it");
}

void cairn_contact_dynamics_describe_pair(const struct cairn_scenario *s, const struct cairn_interaction *pair,
                                          char *text, size_t size) {
  char range[64] = "";
  (void)s;
  if (pair->cohesion > 0 && pair->cohesion_energy > 0)
    snprintf(range, sizeof range, " up to a work of %.4g J", pair->cohesion_energy);
  else if (pair->cohesion > 0)
    snprintf(range, sizeof range, " within %.4g m", pair->cohesion_range);
  snprintf(text, size, "restitution %.4g, friction %.4g, rolling %.4g%s, twisting %.4g%s, cohesion %.4g N%s",
           pair->restitution, pair->friction, fmax(pair->rolling_friction, pair->rolling_length),
           pair->rolling_length > 0 ? " m" : "", fmax(pair->twisting_friction, pair->twisting_length),
           pair->twisting_length > 0 ? " m" : "", pair->cohesion, range);
}

/* 3.2 contacts per body, 30 ns for each in a sweep; the rest of the step costs as much as ten sweeps. */
double cairn_contact_dynamics_dense_step(double sweeps) { return 3.2 * 30e-9 * (10. + sweeps); }
