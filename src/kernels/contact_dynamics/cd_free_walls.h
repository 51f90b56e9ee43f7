/* Contacts of spheres with the walls of free assemblies, in contact dynamics. Such a contact does not rely on spheres:
 * it has a frame, an arm to either centre, and any symmetric operator from impulse to velocity. A free assembly
 * (kernels/walls/assemblies.h) is shared by the contacts of all cells, a sphere is one of the cell's own. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_CD_FREE_WALLS_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_CD_FREE_WALLS_H

#include "kernels/contact_dynamics/cd_cell.h"
#include "kernels/contact_dynamics/friction.h"

/* Vectors p, m, c, spin and the operators are in the frame: along the normal, then along two tangents. */
struct cairn_cd_free_contact {
  double frame[9];          /* rows: n from the sphere to the assembly, two tangents */
  double arm[3];            /* m, from the assembly's position to the contact */
  double p[3], m[3];        /* N s, N m s: on the assembly */
  double c[3], spin[3];     /* the law acts on u + c and ω_b - ω_a + spin */
  double at[3], turn[3];    /* m/s, rad/s: velocity of the assembly there and its spin, before the step */
  double w[9];              /* 1/kg: u changes by W p */
  double roll, twist;       /* m: |m_t| ≤ roll P, |m_n| ≤ twist P */
  double rolling_response;  /* 1/(kg m²), the largest response of the relative spin to a torque impulse across n, */
  double twisting_response; /* and the one along n */
  double cohesion;          /* N s */
  double overlap;           /* over the radius, at contact detection */
  double before[6];         /* p and m after the sweep before the latest */
  struct cairn_friction_contact local;
  cairn_int a; /* index of the body velocity, or -1 for a captured body */
  cairn_int free_assembly;
  cairn_int pair;
  cairn_uint age; /* in steps, before this one */
};

/* Those of a cell. */
struct cairn_cd_free_walls {
  cairn_int *n;
  struct cairn_cd_free_contact *contact;
  double *velocities, *free_assemblies;
};

/* Bytes for as many. */
CAIRN_INLINE unsigned long cairn_cd_free_walls_bytes(cairn_int n) {
  return 64ul + sizeof(struct cairn_cd_free_contact) * (unsigned long)n;
}

struct cairn_cd_free_walls cairn_kernel_cd_free_walls_bind(void *memory, double *velocities, double *free_assemblies);

/* Detect them at the predicted positions. Returns Σ ρ |q|². */
double cairn_kernel_cd_free_walls_begin(const struct cairn_cd_free_walls *free_contacts,
                                        const struct cairn_soft_spheres *blocks, const struct cairn_cd_step *step);

/* As for contacts of spheres (kernels/contact_dynamics/cd_cell.h): warm start, sweep, residual. */
void cairn_kernel_cd_free_walls_warm_start(const struct cairn_cd_free_walls *free_contacts);
void cairn_kernel_cd_free_walls_sweep(const struct cairn_cd_free_walls *free_contacts, double beta);
double cairn_kernel_cd_free_walls_residual(const struct cairn_cd_free_walls *free_contacts);

/* Extrapolate the velocities of the free assemblies to the start of the next sweep. */
void cairn_kernel_cd_free_assemblies_extrapolate(int32_t n, double *free_assemblies, double beta);

/* Add the impulses on captured bodies to their body velocities. */
void cairn_kernel_cd_free_walls_gather_captured(const struct cairn_cd_free_walls *free_contacts,
                                                const struct cairn_soft_spheres *blocks);

/* Keep the impulses for the next step and for the files; after those of the contacts of spheres. Reports overlaps, and
 * the work of the bodies on assemblies as energy that is not dissipated. */
void cairn_kernel_cd_free_walls_end(const struct cairn_cd_free_walls *free_contacts,
                                    const struct cairn_soft_spheres *blocks, double h, struct cairn_report *report);

#endif
