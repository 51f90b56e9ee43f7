/* Every solver of contact dynamics: SOLVER(enumerator, name in scenarios and on the command line), the default first.
 * docs/physics.md has what they do, docs/decisions/0012-momentum-that-restarts.md why there are no others. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_CD_SOLVERS_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_CD_SOLVERS_H

#define CAIRN_CD_SOLVERS(SOLVER) SOLVER(NESTEROV, nesterov) SOLVER(NSGS, nsgs)

#define CAIRN_CD_SOLVERS_KIND(upper, name) CAIRN_CD_##upper,
enum cairn_cd_solver { CAIRN_CD_SOLVERS(CAIRN_CD_SOLVERS_KIND) CAIRN_CD_N_SOLVERS };

#endif
