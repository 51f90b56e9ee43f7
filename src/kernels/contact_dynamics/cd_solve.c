#include <math.h>

#include "kernels/contact_dynamics/cd_cell.h"

void cairn_kernel_cd_solve(const struct cairn_cd_cell *cell, const struct cairn_cd_step *step,
                           struct cairn_cd_measure *measure, struct cairn_cd_outcome *outcome) {
  struct cairn_cd_control control = cairn_cd_control_start();
  const int32_t solver = step->solver;
  cairn_kernel_cd_warm_start(cell);
  outcome->sweeps = 0;
  outcome->contacts = measure->contacts;
  do {
    const int64_t look = outcome->sweeps + cairn_cd_next_residual(step, outcome->sweeps);
    for (; outcome->sweeps < look; outcome->sweeps++) {
      if (solver != CAIRN_CD_NSGS)
        cairn_kernel_cd_extrapolate(cell, solver, control.beta);
      if (solver == CAIRN_CD_APGD) {
        cairn_kernel_cd_gradient_step(cell, &control, measure);
        cairn_kernel_cd_apply_impulses(cell, measure);
      } else {
        cairn_kernel_cd_sweep(cell, solver, control.beta, measure);
      }
      cairn_kernel_cd_momentum(&control, solver, measure);
    }
    measure->residual = cairn_kernel_cd_residual(cell);
    outcome->residual = measure->residual == 0. ? 0. : sqrt(measure->residual / measure->scale);
    cairn_cd_control_residual(&control, outcome->residual);
  } while (outcome->residual > step->tolerance && outcome->sweeps < step->most_sweeps);
  outcome->unsolved += !(outcome->residual <= step->tolerance);
}
