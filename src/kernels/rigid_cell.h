/* The rigid spheres of one cell: contacts of a step, sweeps over them, and the end of the step. No StarPU, no
 * allocation. A contact belongs to the cell of its body of lower id, a contact with a wall to the body's cell.
 *
 * Block `lines`  [n + n_halo + 1][8]  own bodies, copies of the neighbours' bodies, the ground, which never moves
 * Block `rigid`  the contacts, then what acceleration needs: for each contact and each own body the values before the
 *                latest sweep and the search direction */
#ifndef CAIRN_KERNELS_RIGID_CELL_H
#define CAIRN_KERNELS_RIGID_CELL_H

#include "kernels/rigid.h"
#include "kernels/soft_spheres.h"

/* Constants of a pair of materials: as many doubles as a law of soft spheres. */
struct cairn_rigid_law {
  double restitution, rebound; /* normal and tangential */
  double friction;
  double rolling, twisting; /* over the reduced radius */
  double cohesion;          /* N */
  double range;             /* m */
  double unused[2];
};

/* Room for the contacts of a cell: every pair of its list may become one. */
CAIRN_INLINE unsigned long cairn_rigid_lines(struct cairn_cell_size size) {
  return (unsigned long)CAIRN_RIGID * ((unsigned long)size.n + (unsigned long)size.n_halo + 1ul);
}

struct cairn_rigid_offsets {
  unsigned long contact, turning, old, direction, old_lines, line_direction, end;
};

CAIRN_INLINE struct cairn_rigid_offsets cairn_rigid_offsets(struct cairn_cell_size size) {
  const unsigned long n = (unsigned long)size.n, p = (unsigned long)size.n_pairs + (unsigned long)size.n_wall_pairs;
  struct cairn_rigid_offsets o;
  o.contact = 64; /* before it: how many there are */
  o.turning = o.contact + CAIRN_PAD(sizeof(struct cairn_rigid_contact) * p);
  o.old = o.turning + CAIRN_PAD(sizeof(struct cairn_rigid_turning) * p); /* impulses, then torque impulses */
  o.direction = o.old + CAIRN_PAD(48 * p);
  o.old_lines = o.direction + CAIRN_PAD(48 * p);
  o.line_direction = o.old_lines + CAIRN_PAD(64 * n);
  o.end = o.line_direction + CAIRN_PAD(64 * n);
  return o;
}

/* Sums over the contacts of a cell. */
struct cairn_rigid_measure {
  double scale;    /* Σ ρ |q|², of the problem */
  double change;   /* Σ w |Δp|², of the latest sweep */
  double residual; /* Σ |natural map|² / ρ */
  double contacts; /* how many there are */
};

/* A cell's blocks as the functions below see them. */
struct cairn_rigid_cell {
  struct cairn_cell_size size;
  double *lines;
  cairn_int *n_contacts;
  struct cairn_rigid_contact *contact;
  struct cairn_rigid_turning *turning; /* NULL without friction of rotation */
  double *old, *direction;             /* [n_contacts][6] */
  double *old_lines, *line_direction;  /* [n][8] */
};

/* `rotation` says whether any law has friction of rotation. */
struct cairn_rigid_cell cairn_kernel_rigid_bind(struct cairn_cell_size size, int rotation, void *lines, void *rigid);

/* What joins the sweeps: how far to go on along the search direction. */
struct cairn_rigid_control {
  double before; /* Σ w |Δp|² of the sweep before */
  double beta;
};

/* How a step is made. */
struct cairn_rigid_step {
  double h, theta;
  int32_t solver; /* how impulses are found, and when they are good enough */
  double tolerance;
  int64_t most_sweeps;
};

/* What came of a step. */
struct cairn_rigid_outcome {
  int64_t sweeps;
  double residual;
  int64_t unsolved; /* steps that did not reach the tolerance, so far */
};

/* Find the contacts at the configuration in the view, which must be that after (1 - θ) h (own bodies are moved there
 * here, the halo by gathering), and put all bodies to their free velocity. Returns Σ ρ |q|² of the contacts, the
 * measure of the residual. */
double cairn_kernel_rigid_begin(const struct cairn_rigid_cell *cell, const struct cairn_soft_spheres *blocks,
                                const struct cairn_rigid_step *step);

/* Push all bodies by the impulses the contacts start with. */
void cairn_kernel_rigid_warm(const struct cairn_rigid_cell *cell);

/* One Gauss–Seidel sweep in the order of the list. Returns Σ w |Δp|². */
double cairn_kernel_rigid_sweep(const struct cairn_rigid_cell *cell);

/* Go on along the search direction: nonsmooth nonlinear conjugate gradients around the sweep (Silcowitz et al. 2010).
 */
void cairn_kernel_rigid_extrapolate(const struct cairn_rigid_cell *cell, double beta);

/* Σ of the squares of the natural map over ρ. */
double cairn_kernel_rigid_residual(const struct cairn_rigid_cell *cell);

/* Move the own bodies to the end of the step and keep the impulses for the next one. */
void cairn_kernel_rigid_end(const struct cairn_rigid_cell *cell, const struct cairn_soft_spheres *blocks,
                            const struct cairn_rigid_step *step, struct cairn_report *report);

#endif
