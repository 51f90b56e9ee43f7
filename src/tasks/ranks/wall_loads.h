/* Loads on free assemblies where several ranks have contacts with them: each rank packs the loads of its own contacts
 * at every step and sends them to all others, and each adds up all of them in the order of one rank. */
#ifndef CAIRN_TASKS_RANKS_WALL_LOADS_H
#define CAIRN_TASKS_RANKS_WALL_LOADS_H

#include <starpu.h>
#include <stdint.h>

struct cairn_task_loads;

/* What a rank tells the others of a contact when cells are new. */
struct cairn_wall_load_place {
  int32_t body, assembly;
};

/* The loads of the contacts of one rank. */
struct cairn_wall_loads_share {
  int64_t n;
  double *load;                /* [n][6] */
  starpu_data_handle_t handle; /* NULL if n is 0 */
};

/* A contact in the order of all. */
struct cairn_wall_loads_turn {
  int32_t rank, assembly;
  int64_t index; /* among those of its rank */
};

struct cairn_wall_loads {
  struct cairn_wall_loads_share *share; /* [ranks] */
  int64_t n;
  struct cairn_wall_loads_turn *turn; /* [n] */
};

/* Tell each other where the contacts are; loads->contact lists those of this rank, and place[] the same. By all ranks;
 * loads->all is NULL where there is one rank. */
void cairn_wall_loads_share(struct cairn_task_loads *loads, const struct cairn_wall_load_place *place);

/* Wait for what is under way, and free it. */
void cairn_wall_loads_free(struct cairn_task_loads *loads);

/* Pack the loads of this rank, send them and receive those of the others. */
int cairn_wall_loads_submit(const struct cairn_task_loads *loads);

#endif
