/* A scenario: everything the user asked for, validated, with every default filled in. */
#ifndef CAIRN_DATA_SCENARIO_SCENARIO_H
#define CAIRN_DATA_SCENARIO_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn/scenario.h"
#include "data/scenario/bonds.h"
#include "data/scenario/methods.h"
#include "data/scenario/spin_up.h"
#include "data/scenario/stages.h"
#include "data/scenario/walls.h"
#include "data/state/state_check.h"
#include "kernels/common/external.h"
#include "kernels/contact_dynamics/cd_solvers.h"
#include "kernels/soft/laws.h"

struct cairn_material {
  char *name;
  double density;             /* kg/m³ */
  double law[CAIRN_LAW_KEYS]; /* what the law asks of it (kernels/soft/laws.h), in the order of its keys */
};

/* How two materials act on each other. */
struct cairn_interaction {
  double law[CAIRN_LAW_KEYS];    /* of the contact law, in the order of its keys; 0 while `auto` is unresolved */
  double restitution;            /* ε_n, 0 … 1, of contact dynamics */
  double transverse_restitution; /* ε_t of hard spheres, -1 … 1 */
  double restitution_speed;      /* m/s, of hard spheres: the speed at which ε_n is `restitution`; 0: at every speed */
  double restitution_exponent;   /* of hard spheres */
  double tangential_rebound;     /* e_t of contact dynamics, 0 … 1 */
  double friction;               /* μ_s ≥ 0 */
  double slip;                   /* b, 0 … 1: part of the spring that survives a slip */
  double rolling_friction;       /* μ_r ≥ 0 */
  double twisting_friction;      /* μ_t ≥ 0 */
  double rolling_length;         /* m, contact dynamics: torque over normal force */
  double twisting_length;        /* m */
  double cohesion;               /* N */
  double cohesion_range;         /* m */
  double cohesion_energy;        /* J; more than 0: of the law with a binding energy */
  double work_of_adhesion;       /* J/m², soft spheres */
  bool jkr;                      /* is its law that of JKR? */
  double hamaker_constant;       /* J, soft spheres */
  double hamaker_separation;     /* m */
};

struct cairn_insertion;
struct cairn_node; /* the YAML tree behind the scenario, see data/schema/yaml.h */

enum { CAIRN_SCENARIO_MOST_MATERIALS = 256 };

/* The initial bodies of this rank where each has a stretch of ids; but for `is_resumed` all zero where every rank has
 * all of them. */
struct cairn_scenario_share {
  bool is_shared;
  bool is_resumed;     /* the bodies are those of a checkpoint, lent, with their bonds */
  int64_t first, end;  /* id of the first body here, and behind the last, those that will be inserted among them */
  int64_t n_elsewhere; /* bodies on other ranks */
  double largest;      /* m, largest radius of all bodies, once ranks have told each other; before: 0 */
  int64_t *entry; /* [entries of the list `bodies` + 1] first id of each; NULL if the bodies are from a checkpoint */
  struct cairn_bonds_others others;
  int64_t *n_selected; /* [entries of the list `select`] bodies of this rank that each has changed; NULL likewise */
};

/* No bodies any more. */
void cairn_scenario_share_fini(struct cairn_scenario_share *share);

struct cairn_scenario {
  char *file; /* name used in messages */
  char *title;
  enum cairn_method method;
  enum cairn_law_kind law;        /* of soft spheres */
  enum cairn_rolling rolling_law; /* of soft spheres: CAIRN_ROLLING_SPRING or CAIRN_ROLLING_VISCOUS */
  uint64_t seed;
  double time_step;                     /* s; 0 means auto, unresolved */
  double time_end;                      /* s */
  double gravity[3];                    /* m/s², uniform, of the current stage */
  struct cairn_external_rules external; /* what else acts from outside */
  int32_t n_spin_ups;
  struct cairn_spin_up *spin_ups;
  int32_t n_insertions;
  struct cairn_insertion *insertions; /* data/initial/insert.h */
  int32_t n_stages;
  struct cairn_stage *stages;
  double self_constant; /* G, m³/(kg s²) */
  bool self_gravity;    /* do the bodies pull on each other? Then: */
  double self_accuracy;
  int64_t self_order, self_refresh; /* 0: auto */

  int32_t n_materials;
  struct cairn_material *materials;
  struct cairn_interaction *interactions; /* [n_materials][n_materials], symmetric */
  int32_t *interaction_entry; /* [n_materials][n_materials], symmetric: which entry of the list `interactions` it is;
                                 -1 for a pair that is not listed because it cannot meet (all its numbers are 0) */

  struct cairn_state initial; /* bodies at t = 0; no contacts yet, but bonds once the method has its plan */
  struct cairn_scenario_share share;

  int32_t n_bonds; /* entries */
  struct cairn_bonds *bonds;

  int32_t n_walls;
  struct cairn_wall *walls;
  int32_t n_assemblies;
  struct cairn_assembly *assemblies;     /* one for every wall of the list `walls`, then those of `assemblies` */
  double world_lower[3], world_upper[3]; /* m, bodies that leave this box are reported; infinite: none */

  enum cairn_cd_solver solver; /* of contact dynamics */
  double solver_tolerance;     /* relative residual */
  int64_t solver_sweeps;       /* at most, per step */
  double solver_theta;
  bool solver_touching;    /* only bodies that touch act on each other */
  int64_t solver_patience; /* steps in a row that may miss the tolerance; 0: any number */

  double collisions_elastic_below; /* m/s, of hard spheres; negative means auto, unresolved */
  bool collisions_merge;           /* hard spheres become one when they meet */

  int64_t cells_bodies; /* most bodies in a cell; 0 means auto */
  bool cells_auto;      /* was it auto before it was resolved? */
  double cells_skin;    /* m; 0 means auto */

  char *output_name;        /* prefix of the files: NAME.nc, NAME.series.nc, NAME.ckpt.nc */
  double output_frames;     /* s of simulated time between frames; 0 means none */
  double output_series;     /* s of simulated time between rows; 0 means none */
  double output_checkpoint; /* s of wall-clock time between checkpoints; 0 means only at the end */
  bool output_stress;       /* frames tell the stress in each body */
  bool output_contacts;     /* a table of the contacts of each frame */
  bool output_report;       /* a page for the browser at the end */
  double overlap_limit;     /* warn when an overlap exceeds this part of the smaller radius */

  char *text;              /* the file as it was read */
  struct cairn_node *tree; /* the same with overrides applied and defaults filled in */
};

enum {
  CAIRN_SCENARIO_NO_BODIES = 1, /* validate `bodies` but make none: a resumed run takes them from its checkpoint */
  CAIRN_SCENARIO_SHARED = 2     /* of several ranks, each makes a stretch of the bodies */
};

/* Bodies at the start, of all ranks. */
int64_t cairn_scenario_n_bodies(const struct cairn_scenario *scenario);

/* Is there an interaction for each pair of materials that can meet? `n_bodies` are those of each material, of all
 * ranks.
 */
int cairn_scenario_check_interactions(const struct cairn_scenario *scenario, const int64_t *n_bodies,
                                      struct cairn_error *error);

/* What do the states of its method tell of the forces of contacts? */
enum cairn_forces cairn_scenario_forces(const struct cairn_scenario *scenario);

/* May bodies be captured or removed, by walls or by merging? */
bool cairn_scenario_has_captures(const struct cairn_scenario *scenario);

/* Put a number that was chosen by the program (an `auto`) into the tree, so that the effective parameters show it.
 * `path` is a.b.c with list entries as numbers: interactions.0.stiffness. */
int cairn_scenario_resolve(struct cairn_scenario *scenario, const char *path, double value, struct cairn_error *error);

#endif
