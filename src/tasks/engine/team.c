#include "tasks/engine/team.h"

#include <sched.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* A part is open with the number 2 s in stretch s and taken with 2 s + 1; who comes late with the number of an earlier
 * stretch can take nothing. Each member looks at its own share first, the same in every stretch, because what it has
 * just worked on is in its caches; then it takes what others have left. */
enum { MOST_PARTS = 64 };

struct cairn_team {
  _Alignas(64) atomic_ullong stretch; /* number of the present one */
  atomic_int n;
  void (*_Atomic work)(void *arg, int32_t i);
  void *_Atomic arg;
  atomic_bool dismissed;
  _Alignas(64) atomic_int done; /* parts of this stretch */
  _Alignas(64) atomic_ullong part[MOST_PARTS];
  _Alignas(64) atomic_int members; /* the task, and assistants who may still come; the last one frees the team */
  int size;                        /* how many have a share */
  atomic_int present;              /* who have come, the task among them */
};

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

/* Take the part i of a stretch and do it, unless somebody has. The stretch lasts until it is done. */
static void take(struct cairn_team *team, unsigned long long stretch, int32_t i) {
  unsigned long long open = 2 * stretch;
  if (atomic_load(team->part + i) != open || !atomic_compare_exchange_strong(team->part + i, &open, open + 1))
    return;
  atomic_load (&team->work)(atomic_load(&team->arg), i);
  atomic_fetch_add(&team->done, 1);
}

/* Do the parts that are left. */
static void do_parts(struct cairn_team *team, unsigned long long stretch, int member) {
  const int32_t n = atomic_load(&team->n);
  for (int share = 0; share < team->size; share++)
    for (int32_t i = (member + share) % team->size; i < n; i += team->size)
      take(team, stretch, i);
}

static void assist(void *buffers[], void *arg) {
  (void)buffers;
  struct cairn_team *team = *(struct cairn_team **)arg;
  const int member = atomic_fetch_add(&team->present, 1) % team->size;
  unsigned long long last = 0;
  int polls = 0;
  while (!atomic_load(&team->dismissed)) {
    const unsigned long long stretch = atomic_load(&team->stretch);
    if (stretch != last) {
      do_parts(team, stretch, member);
      last = stretch;
      polls = 0;
    } else {
      wait_a_little(&polls);
    }
  }
  leave(team);
}

static struct starpu_codelet cairn_cl_assist = {
    .cpu_funcs = {assist}, .cpu_funcs_name = {"assist"}, .nbuffers = 0, .name = "assist"};

struct cairn_team *cairn_team_call(void) {
  const int n_assistants = (int)starpu_cpu_worker_get_count() - 1;
  struct cairn_team *team = n_assistants > 0 ? aligned_alloc(64, (sizeof *team + 63) / 64 * 64) : NULL;
  if (!team)
    return NULL;
  atomic_init(&team->stretch, 0);
  atomic_init(&team->done, 0);
  atomic_init(&team->n, 0);
  atomic_init(&team->work, NULL);
  atomic_init(&team->arg, NULL);
  atomic_init(&team->dismissed, false);
  atomic_init(&team->members, 1);
  atomic_init(&team->present, 1);
  team->size = n_assistants + 1;
  for (int i = 0; i < MOST_PARTS; i++)
    atomic_init(team->part + i, 1);
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

/* At most MOST_PARTS, from `first` on. */
struct some {
  void (*work)(void *arg, int32_t i);
  void *arg;
  int32_t first;
};

static void do_some(void *arg, int32_t i) {
  const struct some *some = arg;
  some->work(some->arg, some->first + i);
}

static void run_some(struct cairn_team *team, int32_t n, struct some *some) {
  const unsigned long long stretch = atomic_load(&team->stretch) + 1;
  int polls = 0;
  atomic_store(&team->done, 0);
  atomic_store(&team->n, n);
  atomic_store(&team->work, do_some);
  atomic_store(&team->arg, some);
  for (int32_t i = 0; i < n; i++)
    atomic_store(team->part + i, 2 * stretch);
  atomic_store(&team->stretch, stretch);
  do_parts(team, stretch, 0);
  while (atomic_load(&team->done) < n)
    wait_a_little(&polls);
}

void cairn_team_run(struct cairn_team *team, int32_t n, void (*work)(void *arg, int32_t i), void *arg) {
  if (!team || n < 2) {
    for (int32_t i = 0; i < n; i++)
      work(arg, i);
    return;
  }
  for (int32_t first = 0; first < n; first += MOST_PARTS) {
    struct some some = {work, arg, first};
    run_some(team, n - first < MOST_PARTS ? n - first : MOST_PARTS, &some);
  }
}

void cairn_team_dismiss(struct cairn_team *team) {
  if (!team)
    return;
  atomic_store(&team->dismissed, true);
  leave(team);
}
