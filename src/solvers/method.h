/* A method: one way to treat contact. One constant table per method; all of them stand in one list. */
#ifndef CAIRN_SOLVERS_METHOD_H
#define CAIRN_SOLVERS_METHOD_H

#include "data/scenario/scenario.h"
#include "solvers/simulation/simulation.h"
#include "tasks/tasks.h"

struct cairn_simulation;

struct cairn_method_table {
  const char *name;        /* as in the scenario */
  const char *title;       /* as in reports: "soft spheres" */
  const char *description; /* one sentence */

  /* Resolve what is `auto` in the scenario for this method and fill the physical part of the plan. */
  int (*plan)(struct cairn_scenario *scenario, struct cairn_plan *plan, struct cairn_error *error);

  /* Its advice and descriptions, in words, all without a full stop: what keeps an overlap like this one, over the
   * smaller radius, within scenario->overlap_limit (`recommended` is the recommended step in s, 0 if it is not known: a
   * step in force that is longer is the first thing to change); what a step longer than the recommended one does; and
   * the values of an interaction. */
  void (*advise_overlap)(const struct cairn_scenario *scenario, double overlap, double recommended, char *text,
                         size_t size);
  void (*advise_step)(const struct cairn_plan *plan, char *text, size_t size);
  void (*describe_pair)(const struct cairn_scenario *scenario, const struct cairn_interaction *pair, char *text,
                        size_t size);

  double body_bytes; /* of a run, per body of a dense pile (bench/memory.sh) */

  /* s per body and step of a dense pile on one worker, with so many sweeps in a step (docs/performance.md). */
  double (*dense_step)(double sweeps);

  /* What contacts between bodies remember, a set of enum cairn_contact_memory; those with walls also have the normal.
   */
  uint32_t (*memory)(const struct cairn_scenario *scenario);

  /* How space is partitioned, by the positions of the bodies or by those of their reference, whether the lower of its
   * two cells alone lists a pair, whether pairs are also listed by body, and into cells of how many bodies by default,
   * of n in all. */
  enum cairn_cells_partition partition;
  bool by_reference, own_pairs, pairs_by_body;
  double near; /* at the start; see struct cairn_cells_rules */
  int64_t (*cell_bodies)(int64_t n);
  bool tries_cells; /* does it try other sizes while it runs, where the scenario says auto? */

  /* The blocks that cells have beside the common ones. */
  const struct cairn_cell_block *blocks;
  int n_blocks;

  /* Make the block of constants all cells share (freed with free) and fill n_laws and rotation of `world`. `law` is the
   * table of laws by pair of materials, [n_materials][n_materials], and `wall_law` that by wall and material of the
   * body, [n_walls][n_materials], to be filled. */
  int (*constants)(const struct cairn_scenario *scenario, struct cairn_task_world *world, int32_t *law,
                   int32_t *wall_law, double **block, size_t *n_doubles, struct cairn_error *error);

  /* What a new simulation needs before its first step. */
  int (*start)(struct cairn_simulation *simulation, struct cairn_error *error);

  /* The driver: advance by one step or by a stretch of at most `most`, with new cells where the neighbour list expires.
   */
  int (*advance)(struct cairn_simulation *simulation, int64_t most, struct cairn_error *error);

  /* Insert the tasks of n_steps steps. */
  int (*submit)(struct cairn_cells *cells, const struct cairn_task_world *world, int32_t n_steps);

  /* The neighbour list: the skin of new cells; how far bodies and walls may go before it expires, given the speed of
   * the walls; what is done once the cells are built; and what a jump of the velocities by `change` means for it. The
   * last two may be NULL. */
  double (*skin)(struct cairn_simulation *simulation);
  void (*reach)(struct cairn_simulation *simulation, double skin, double wall_speed);
  int (*partitioned)(struct cairn_simulation *simulation, struct cairn_error *error);
  void (*accelerated)(struct cairn_simulation *simulation, double change);

  /* What it observes. */
  bool solves;   /* for impulses: residual, sweeps, dissipated energy, load-bearing contacts */
  bool collides; /* in events: collisions, dissipated energy, virial */
  bool stores;   /* energy in its contacts: the sum of all energies must not grow by itself */
};

#define CAIRN_METHODS_TABLE(name, forces, laws) extern const struct cairn_method_table cairn_method_##name;
CAIRN_METHODS(CAIRN_METHODS_TABLE)

/* The table of a scenario's method. */
const struct cairn_method_table *cairn_method_of(const struct cairn_scenario *scenario);

/* The table of method number `index`, counted from 0; NULL behind the last. */
const struct cairn_method_table *cairn_method_at(int index);

#endif
