#include "tasks/engine/team.h"

#include <sched.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* A ticket is the next part of the present stretch of work; behind the last one there is none. A part is taken by
 * counting the ticket up, which fails if the stretch has ended meanwhile, because its number stands in the upper half.
 */
enum { NO_PART = 0x7fffffff };

struct cairn_team {
  _Alignas(64) atomic_uint_fast64_t ticket;
  _Alignas(64) atomic_int done; /* parts of this stretch */
  _Alignas(64) atomic_int n;
  void (*_Atomic work)(void *arg, int32_t i);
  void *_Atomic arg;
  atomic_bool dismissed;
  _Alignas(64) atomic_int members; /* the task, and assistants who may still come; the last one turns off the light */
};

static uint64_t ticket_of(uint64_t stretch, uint32_t part) { return stretch << 32 | part; }

static void leave(struct cairn_team *team) {
  if (atomic_fetch_sub(&team->members, 1) == 1)
    free(team);
}

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/* Polls are short: parts take tens of microseconds. On a machine with other work a poll must not last a time slice. */
static void wait_a_little(int *polls) {
  if (++*polls < 2000)
    relax();
  else
    sched_yield();
}

/* Take one part and do it; false if there is none. */
static int do_part(struct cairn_team *team) {
  uint_fast64_t ticket = atomic_load(&team->ticket);
  const uint32_t part = (uint32_t)ticket;
  const int32_t n = atomic_load(&team->n);
  void (*work)(void *, int32_t) = atomic_load(&team->work);
  void *arg = atomic_load(&team->arg);
  if (part >= (uint32_t)n || !atomic_compare_exchange_strong(&team->ticket, &ticket, ticket + 1))
    return 0;
  work(arg, (int32_t)part);
  atomic_fetch_add(&team->done, 1);
  return 1;
}

static void assist(void *buffers[], void *arg) {
  (void)buffers;
  struct cairn_team *team = *(struct cairn_team **)arg;
  int polls = 0;
  while (!atomic_load(&team->dismissed))
    if (do_part(team))
      polls = 0;
    else
      wait_a_little(&polls);
  leave(team);
}

static struct starpu_codelet cairn_cl_assist = {
    .cpu_funcs = {assist}, .cpu_funcs_name = {"assist"}, .nbuffers = 0, .name = "assist"};

struct cairn_team *cairn_team_call(void) {
  const int n_assistants = (int)starpu_cpu_worker_get_count() - 1;
  struct cairn_team *team = n_assistants > 0 ? aligned_alloc(64, (sizeof *team + 63) / 64 * 64) : NULL;
  if (!team)
    return NULL;
  atomic_init(&team->ticket, ticket_of(0, NO_PART));
  atomic_init(&team->done, 0);
  atomic_init(&team->n, 0);
  atomic_init(&team->work, NULL);
  atomic_init(&team->arg, NULL);
  atomic_init(&team->dismissed, false);
  atomic_init(&team->members, 1);
  for (int k = 0; k < n_assistants; k++) {
    struct starpu_task *task = starpu_task_create();
    struct cairn_team **copy = malloc(sizeof *copy);
    if (!task || !copy) {
      free(copy);
      if (task)
        starpu_task_destroy(task);
      break;
    }
    *copy = team;
    task->cl = &cairn_cl_assist;
    task->cl_arg = copy;
    task->cl_arg_size = sizeof *copy;
    task->cl_arg_free = 1;
    atomic_fetch_add(&team->members, 1);
    if (starpu_task_submit(task))
      leave(team);
  }
  return team;
}

void cairn_team_run(struct cairn_team *team, int32_t n, void (*work)(void *arg, int32_t i), void *arg) {
  if (!team || n < 2) {
    for (int32_t i = 0; i < n; i++)
      work(arg, i);
    return;
  }
  const uint64_t stretch = (atomic_load(&team->ticket) >> 32) + 1;
  int polls = 0;
  atomic_store(&team->done, 0);
  atomic_store(&team->n, n);
  atomic_store(&team->work, work);
  atomic_store(&team->arg, arg);
  atomic_store(&team->ticket, ticket_of(stretch, 0));
  while (do_part(team))
    continue;
  while (atomic_load(&team->done) < n)
    wait_a_little(&polls);
  atomic_store(&team->ticket, ticket_of(stretch, NO_PART));
}

void cairn_team_dismiss(struct cairn_team *team) {
  if (!team)
    return;
  atomic_store(&team->dismissed, true);
  leave(team);
}
