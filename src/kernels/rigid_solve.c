#include <math.h>

#include "kernels/rigid_cell.h"

void cairn_kernel_rigid_solve(const struct cairn_rigid_cell *cell, const struct cairn_rigid_step *step,
                              struct cairn_rigid_measure *measure, struct cairn_rigid_outcome *outcome) {
  struct cairn_rigid_control control = cairn_rigid_control_start();
  const int32_t solver = step->solver;
  cairn_kernel_rigid_warm(cell);
  outcome->sweeps = 0;
  outcome->contacts = measure->contacts;
  do {
    const int64_t look = outcome->sweeps + cairn_rigid_next_look(step, outcome->sweeps);
    for (; outcome->sweeps < look; outcome->sweeps++) {
      if (solver != CAIRN_RIGID_NSGS)
        cairn_kernel_rigid_ahead(cell, solver, control.beta);
      if (solver == CAIRN_RIGID_APGD) {
        cairn_kernel_rigid_descend(cell, &control, measure);
        cairn_kernel_rigid_yield(cell, measure);
      } else {
        cairn_kernel_rigid_sweep(cell, solver, control.beta, measure);
      }
      cairn_kernel_rigid_weigh(&control, solver, measure);
    }
    measure->residual = cairn_kernel_rigid_residual(cell);
    outcome->residual = measure->residual == 0. ? 0. : sqrt(measure->residual / measure->scale);
    cairn_rigid_control_look(&control, outcome->residual);
  } while (outcome->residual > step->tolerance && outcome->sweeps < step->most_sweeps);
  outcome->unsolved += !(outcome->residual <= step->tolerance);
}
