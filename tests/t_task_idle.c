/* Workers without tasks leave the cores to others, and no task waits for a worker that sleeps. */
#include "sim.h"

#include <starpu.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 100, TASKS = 7 };

static atomic_int n_done;

static void count(void *buffers[], void *arg) {
  (void)buffers, (void)arg;
  atomic_fetch_add(&n_done, 1);
}

static struct starpu_codelet codelet = {.cpu_funcs = {count}, .name = "t_task_idle"};

static double seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Polling workers take all the time that the machine has for them: 2 of 2 cores here, some percent where many threads
 * compete for them. Sleeping ones look 100 times a second. */
static void idle_costs_nothing(const char *name) {
  usleep(50000); /* until the last polls are over */
  const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
  usleep(500000);
  const double share = (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (seconds(CLOCK_MONOTONIC) - wall);
  ok(share < 0.05, "%s: idle workers take %.2f %% of a core", name, 100 * share);
}

/* Pauses of all lengths: workers poll, are about to fall asleep, sleep. */
static void all_tasks_run(const char *name) {
  int submitted = 0;
  atomic_store(&n_done, 0);
  for (int round = 0; round < ROUNDS; round++) {
    usleep((useconds_t)(round * 37 % 1500));
    for (int i = 0; i < 1 + round % TASKS; i++) {
      struct starpu_task *task = starpu_task_create();
      task->cl = &codelet;
      submitted += starpu_task_submit(task) == 0;
    }
    starpu_task_wait_for_all();
  }
  cmp_ok(atomic_load(&n_done), "==", submitted, "%s: every task has run", name);
}

int main(void) {
  static const char *const schedulers[] = {"lws", "eager", "dmda", "modular-eager", "ws"};
  enum { N = sizeof schedulers / sizeof *schedulers };
  plan(3 * N);
  for (int i = 0; i < N; i++) {
    struct cairn_error error = {0};
    struct cairn_engine_options options = {.workers = 2, .device = CAIRN_ENGINE_CPU};
    struct cairn_engine_info info;
    setenv("STARPU_SCHED", schedulers[i], 1);
    if (cairn_engine_start(&options, &error))
      BAIL_OUT("%s", error.message);
    cairn_engine_info(&info);
    is(info.scheduler, schedulers[i], "the scheduler asked for");
    all_tasks_run(schedulers[i]);
    idle_costs_nothing(schedulers[i]);
    cairn_engine_stop();
  }
  done_testing();
}
