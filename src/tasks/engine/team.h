/* Workers that share the inside of one task. Gauss–Seidel sweeps of a small system are shorter than what it takes to
 * submit a task, but many in a row: one task runs them all, and workers that have nothing else to do assist it. Parts
 * of a stretch of work touch different data, so that it does not matter who does which: the bits are those of one
 * worker. Nobody is waited for before he has begun: without assistants the task does all of it. */
#ifndef CAIRN_TASKS_ENGINE_TEAM_H
#define CAIRN_TASKS_ENGINE_TEAM_H

#include <stdint.h>

struct cairn_team;

/* Call the idle workers to the task that is running; NULL if there are none, or no memory. */
struct cairn_team *cairn_team_call(void);

/* work(arg, i) for all i below n, in any order; returns when all are done. A team of NULL is this worker alone. */
void cairn_team_run(struct cairn_team *team, int32_t n, void (*work)(void *arg, int32_t i), void *arg);

/* Let the assistants go. */
void cairn_team_dismiss(struct cairn_team *team);

#endif
