#include <math.h>

#include "kernels/contact_dynamics/cd_cell.h"
#include "kernels/contact_dynamics/cd_control.h"

void cairn_kernel_cd_solve(const struct cairn_cd_cell *cell, const struct cairn_cd_step *step,
                           struct cairn_cd_measure *measure, struct cairn_cd_outcome *outcome) {
  struct cairn_cd_control control = cairn_cd_control_start(step->solver);
  cairn_kernel_cd_warm_start(cell);
  outcome->sweeps = 0;
  outcome->contacts = measure->contacts;
  do {
    const int64_t look = outcome->sweeps + cairn_cd_control_sweeps(outcome->sweeps, step->most_sweeps);
    for (; outcome->sweeps < look; outcome->sweeps++) {
      const double beta = cairn_cd_control_momentum(&control);
      cairn_kernel_cd_extrapolate(cell->size, cell->velocities, beta);
      cairn_kernel_cd_sweep(cell, beta);
    }
    measure->residual = cairn_kernel_cd_residual(cell);
    outcome->residual = measure->residual == 0. ? 0. : sqrt(measure->residual / measure->scale);
    cairn_cd_control_residual(&control, outcome->residual);
  } while (outcome->residual > step->tolerance && outcome->sweeps < step->most_sweeps);
  outcome->restarts = control.restarts;
  outcome->unsolved += !(outcome->residual <= step->tolerance);
}
