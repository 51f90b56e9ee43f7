#include "tasks/engine/idle.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "tasks/engine/times.h"

/* Waking a worker takes some 50 µs: one that has waited ten times as long loses little by it. Shorter waits, as between
 * the colors of a sweep, stay polls; they cost an otherwise idle machine nothing. Yielding instead of sleeping would
 * not do: on a busy machine each yield lasts a time slice of the others, whether a task becomes ready meanwhile or not.
 */
static const int64_t patience = 500000; /* ns */
/* Where the thread of StarPU-MPI shares the cores, it has the message that the worker waits for. */
static const int64_t short_patience = 20000; /* ns */
/* Tasks given to one certain worker do not pass through the scheduler: look for them now and then. */
static const int64_t long_nap = 10000000; /* ns */
/* There are ready tasks but not for this worker, or their queue is locked at the moment; or a worker of a device may
 * want help with moving data. */
static const int64_t short_nap = 100000; /* ns */

struct waiting {
  _Alignas(64) int64_t since; /* ns; first poll without a task, 0 while there are tasks */
};

/* The scheduler belongs to the process, as StarPU itself does. */
static struct {
  struct starpu_sched_policy policy;
  int (*push)(struct starpu_task *);
  struct starpu_task *(*pop)(unsigned);
  struct waiting worker[STARPU_NMAXWORKERS];
  atomic_int n_ready, n_asleep;
  atomic_bool may_sleep, with_devices, shares_cores;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
} idle = {.mutex = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* A push counts its task before it looks for sleepers, a sleeper counts itself before it looks for tasks: one of them
 * sees the other. */
static void nap(void) {
  const bool none_ready = atomic_load(&idle.n_ready) <= 0;
  const bool briefly = !none_ready || atomic_load(&idle.with_devices);
  const int64_t end = now(CLOCK_REALTIME) + (briefly ? short_nap : long_nap);
  const struct timespec until = {.tv_sec = end / 1000000000, .tv_nsec = end % 1000000000};
  starpu_worker_relax_on(); /* others may lock this worker's queue meanwhile */
  pthread_mutex_lock(&idle.mutex);
  atomic_fetch_add(&idle.n_asleep, 1);
  if (atomic_load(&idle.may_sleep) && (!none_ready || atomic_load(&idle.n_ready) <= 0))
    pthread_cond_timedwait(&idle.wake, &idle.mutex, &until);
  atomic_fetch_sub(&idle.n_asleep, 1);
  pthread_mutex_unlock(&idle.mutex);
  starpu_worker_relax_off();
}

/* Before each task a worker offers its core to the thread of StarPU-MPI, which looks for messages and yields in turn.
 * It would have it at ticks of the kernel's clock alone otherwise, some milliseconds apart, and needs several turns for
 * a message. */
static struct starpu_task *pop(unsigned context) {
  const int id = (int)starpu_worker_get_id_check();
  const bool shares = atomic_load(&idle.shares_cores);
  struct waiting *worker = idle.worker + id;
  if (shares)
    sched_yield();
  struct starpu_task *task = idle.pop(context);
  if (task) {
    atomic_fetch_sub(&idle.n_ready, 1);
    if (worker->since)
      cairn_times_end_idle(id, worker->since, now(CLOCK_MONOTONIC));
    worker->since = 0;
    return task;
  }
  const int64_t time = now(CLOCK_MONOTONIC);
  if (!worker->since) {
    worker->since = time;
    cairn_times_begin_idle(id, time);
  }
  if (time - worker->since > (shares ? short_patience : patience) && atomic_load(&idle.may_sleep) &&
      starpu_worker_get_type(id) == STARPU_CPU_WORKER)
    nap();
  return NULL;
}

static void wake(bool all) {
  pthread_mutex_lock(&idle.mutex);
  if (all)
    pthread_cond_broadcast(&idle.wake);
  else
    pthread_cond_signal(&idle.wake);
  pthread_mutex_unlock(&idle.mutex);
}

/* A worker that makes one task ready takes it itself in a moment; for every other one somebody is woken. */
static int push(struct starpu_task *task) {
  const int before = atomic_fetch_add(&idle.n_ready, 1);
  const int status = idle.push(task);
  if (atomic_load(&idle.n_asleep) > 0 && (before > 0 || starpu_worker_get_id() < 0))
    wake(false);
  return status;
}

struct starpu_sched_policy *cairn_idle_policy(const struct starpu_sched_policy *policy) {
  idle.policy = *policy;
  idle.push = policy->push_task;
  idle.pop = policy->pop_task;
  atomic_store(&idle.n_ready, 0);
  atomic_store(&idle.may_sleep, false);
  if (idle.pop) {
    idle.policy.push_task = push;
    idle.policy.pop_task = pop;
  }
  cairn_times_watch(&idle.policy);
  return &idle.policy;
}

void cairn_idle_share_cores(bool share) { atomic_store(&idle.shares_cores, share); }

void cairn_idle_allow_sleep(bool allow) {
  atomic_store(&idle.with_devices, starpu_worker_get_count() > starpu_cpu_worker_get_count());
  atomic_store(&idle.may_sleep, allow);
  if (!allow)
    wake(true);
}
