/* Workers that share one task: every part of every stretch of work is done once, whoever comes. */
#include "sim.h"

#include <starpu.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tasks/engine/team.h"

enum { STRETCHES = 20000, PARTS = 9, SLOW = 1000 };

static atomic_int done[PARTS];
static int wrong, running; /* written by one worker at a time */
static atomic_ulong workers_seen;

struct stretch {
  int index, n, pause; /* pause: µs in each part */
};

static void part(void *arg, int32_t i) {
  const struct stretch *stretch = arg;
  if (stretch->index != running)
    wrong++; /* a part of another stretch */
  if (stretch->pause > 0)
    usleep((useconds_t)stretch->pause);
  atomic_fetch_or(&workers_seen, 1ul << starpu_worker_get_id());
  atomic_fetch_add(done + i, 1);
}

static int seen_several(void) {
  const unsigned long seen = atomic_load(&workers_seen);
  return (seen & (seen - 1)) != 0;
}

/* On a busy machine assistants may come late: slow parts wait for them, 45 s at the most. */
static void whole(void *buffers[], void *arg) {
  (void)buffers;
  const int several = *(const int *)arg > 1;
  struct cairn_team *team = cairn_team_call();
  for (int k = 0; k < STRETCHES || (k < STRETCHES + SLOW && several && !seen_several()); k++) {
    struct stretch stretch = {k, k % (PARTS + 1), k < STRETCHES ? 0 : 5000};
    running = k;
    for (int i = 0; i < PARTS; i++)
      atomic_store(done + i, 0);
    cairn_team_run(team, stretch.n, part, &stretch);
    for (int i = 0; i < PARTS; i++)
      wrong += atomic_load(done + i) != (i < stretch.n);
  }
  cairn_team_dismiss(team);
}

static struct starpu_codelet codelet = {.cpu_funcs = {whole}, .name = "t_task_team"};

int main(void) {
  plan(3 * 3);
  for (int workers = 1; workers <= 4; workers *= 2) {
    struct cairn_error error = {0};
    struct cairn_engine_options options = {.workers = workers, .device = CAIRN_ENGINE_CPU};
    if (cairn_engine_start(&options, &error))
      BAIL_OUT("%s", error.message);
    wrong = 0;
    atomic_store(&workers_seen, 0);
    struct starpu_task *task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = &workers;
    task->cl_arg_size = sizeof workers;
    cmp_ok(starpu_task_submit(task), "==", 0, "%d workers: a task that calls others", workers);
    starpu_task_wait_for_all();
    cmp_ok(wrong, "==", 0, "each part of %d stretches is done once, within its stretch", STRETCHES);
    cmp_ok(seen_several(), "==", workers > 1, "by several workers where there are");
    cairn_engine_stop();
  }
  done_testing();
}
