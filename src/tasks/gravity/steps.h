/* The steps of an evaluation of self-gravity, for the files of this room. All wait for their tasks and return not 0 if
 * out of memory. */
#ifndef CAIRN_TASKS_GRAVITY_STEPS_H
#define CAIRN_TASKS_GRAVITY_STEPS_H

#include "tasks/tasks.h"

/* Lists in Morton order in the cube around these bodies, and the cut; `sum` as for cairn_gravity_cut. */
int cairn_task_gravity_order(const struct cairn_task_self_gravity *self, const struct cairn_gravity_extent *all,
                             cairn_cut_sum *sum);

/* The bodies of the branches and their trees, without the top. */
int cairn_task_gravity_plant(const struct cairn_task_self_gravity *self);

/* The fields of branches that are not done, with a top over so many. */
int cairn_task_gravity_evaluate(struct cairn_gravity *gravity, int32_t n_branches);

#endif
