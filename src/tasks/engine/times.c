#include "tasks/engine/times.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Records of one worker: 24 bytes each, so that a forgotten trace does not fill the memory. */
enum { MOST_RECORDS = 4 << 20 };

struct record {
  const char *name; /* of the codelet, which outlives the process' tasks */
  int64_t begin, end;
};

/* Tasks of one name. */
struct kind {
  const char *name;
  int64_t n;
  double seconds, squares; /* s, s² */
};

/* Written by its worker alone. */
struct worker {
  _Alignas(64) int64_t begin;
  int64_t *cost; /* where the time of this task is added up; NULL: nowhere */
  int64_t charged;
  atomic_llong kernels, idle, n_tasks; /* ns, ns */
  atomic_llong waited;                 /* ns of `idle` in which messages were awaited */
  int64_t waited_before;               /* time in which they were, when the worker's wait began */
  struct record *records;
  int n_records, capacity;
  struct kind kind[CAIRN_ENGINE_KINDS];
};

/* The scheduler belongs to the process, as StarPU itself does. */
static struct {
  void (*before)(struct starpu_task *, unsigned);
  void (*after)(struct starpu_task *, unsigned);
  struct worker worker[STARPU_NMAXWORKERS];
  bool keeps;
  int64_t origin;
} watch;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Other processes may have the core for a while: that is no cost of a task. A thread that waits for a device has none,
 * so there the clock counts. */
static int64_t charge(int id) {
  struct timespec time;
  clock_gettime(starpu_worker_get_type(id) == STARPU_CPU_WORKER ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void begin(struct starpu_task *task, unsigned context) {
  const int id = starpu_worker_get_id();
  if (watch.before)
    watch.before(task, context);
  if (id < 0)
    return;
  struct worker *worker = watch.worker + id;
  worker->cost = STARPU_TASK_GET_NBUFFERS(task) > 0 ? starpu_data_get_user_data(STARPU_TASK_GET_HANDLE(task, 0)) : NULL;
  if (worker->cost)
    worker->charged = charge(id);
  worker->begin = now();
}

static void keep(struct worker *worker, const char *name, int64_t end) {
  if (worker->n_records == worker->capacity) {
    const int capacity = worker->capacity > 0 ? 2 * worker->capacity : 1024;
    struct record *grown =
        capacity > MOST_RECORDS ? NULL : realloc(worker->records, (size_t)capacity * sizeof *worker->records);
    if (!grown)
      return;
    worker->records = grown;
    worker->capacity = capacity;
  }
  worker->records[worker->n_records++] = (struct record){name, worker->begin, end};
}

/* Names of codelets are constants: one that is at another place is another one. */
static void count(struct worker *worker, const char *name, double seconds) {
  int k = 0;
  while (k < CAIRN_ENGINE_KINDS - 1 && worker->kind[k].name && worker->kind[k].name != name)
    k++;
  struct kind *kind = worker->kind + k;
  kind->name = name;
  kind->n++;
  kind->seconds += seconds;
  kind->squares += seconds * seconds;
}

static void end(struct starpu_task *task, unsigned context) {
  const int id = starpu_worker_get_id();
  if (id >= 0) {
    struct worker *worker = watch.worker + id;
    const int64_t time = now();
    const char *name = task->cl && task->cl->name ? task->cl->name : "task";
    count(worker, name, 1e-9 * (double)(time - worker->begin));
    atomic_fetch_add_explicit(&worker->kernels, time - worker->begin, memory_order_relaxed);
    atomic_fetch_add_explicit(&worker->n_tasks, 1, memory_order_relaxed);
    if (worker->cost)
      __atomic_fetch_add(worker->cost, charge(id) - worker->charged, __ATOMIC_RELAXED);
    if (watch.keeps)
      keep(worker, name, time);
  }
  if (watch.after)
    watch.after(task, context);
}

void cairn_times_watch(struct starpu_sched_policy *policy) {
  watch.before = policy->pre_exec_hook;
  watch.after = policy->post_exec_hook;
  policy->pre_exec_hook = begin;
  policy->post_exec_hook = end;
}

/* For how long messages have been awaited, by anybody. */
static struct {
  pthread_mutex_t mutex;
  int n; /* of them */
  int64_t since, total;
} messages = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int64_t messages_awaited(int64_t time) {
  pthread_mutex_lock(&messages.mutex);
  const int64_t total = messages.total + (messages.n > 0 && time > messages.since ? time - messages.since : 0);
  pthread_mutex_unlock(&messages.mutex);
  return total;
}

void cairn_times_await(int n) {
  const int64_t time = now();
  pthread_mutex_lock(&messages.mutex);
  if (messages.n > 0)
    messages.total += time - messages.since;
  messages.n += n;
  messages.since = time;
  pthread_mutex_unlock(&messages.mutex);
}

void cairn_times_begin_idle(int worker, int64_t since) { watch.worker[worker].waited_before = messages_awaited(since); }

void cairn_times_end_idle(int worker, int64_t since, int64_t until) {
  struct worker *w = watch.worker + worker;
  const int64_t waited = messages_awaited(until) - w->waited_before, idle = until - since;
  atomic_fetch_add_explicit(&w->idle, idle, memory_order_relaxed);
  atomic_fetch_add_explicit(&w->waited, waited < 0 ? 0 : waited < idle ? waited : idle, memory_order_relaxed);
}

void cairn_times_read(struct cairn_engine_times *times) {
  *times = (struct cairn_engine_times){.clock = 1e-9 * (double)now()};
  for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
    times->kernels += 1e-9 * (double)atomic_load(&watch.worker[w].kernels);
    times->idle += 1e-9 * (double)atomic_load(&watch.worker[w].idle);
    times->communication += 1e-9 * (double)atomic_load(&watch.worker[w].waited);
    times->n_tasks += atomic_load(&watch.worker[w].n_tasks);
  }
}

int cairn_times_kinds(struct cairn_engine_kind kinds[CAIRN_ENGINE_KINDS]) {
  int n = 0;
  for (unsigned w = 0; w < starpu_worker_get_count(); w++)
    for (int i = 0; i < CAIRN_ENGINE_KINDS && watch.worker[w].kind[i].name; i++) {
      const struct kind *kind = watch.worker[w].kind + i;
      int k = 0;
      while (k < n && strcmp(kinds[k].name, kind->name))
        k++;
      if (k == CAIRN_ENGINE_KINDS)
        continue;
      if (k == n) {
        kinds[n] = (struct cairn_engine_kind){0};
        snprintf(kinds[n].name, sizeof kinds[n].name, "%s", kind->name);
        n++;
      }
      kinds[k].n += kind->n;
      kinds[k].seconds += kind->seconds;
      kinds[k].squares += kind->squares;
    }
  return n;
}

void cairn_times_reset(bool keep_tasks) {
  for (int w = 0; w < STARPU_NMAXWORKERS; w++) {
    free(watch.worker[w].records);
    watch.worker[w] = (struct worker){0};
  }
  watch.keeps = keep_tasks;
  watch.origin = now();
}

static void write_worker(FILE *file, int w) {
  char name[64];
  starpu_worker_get_name(w, name, sizeof name);
  fprintf(file, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":%d,\"args\":{\"name\":\"%s\"}}", w, name);
  for (int i = 0; i < watch.worker[w].n_records; i++) {
    const struct record *r = watch.worker[w].records + i;
    fprintf(file, ",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":0,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f}", r->name, w,
            1e-3 * (double)(r->begin - watch.origin), 1e-3 * (double)(r->end - r->begin));
  }
}

int cairn_times_write(const char *path, struct cairn_error *error) {
  FILE *file = fopen(path, "w");
  if (!file)
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", file);
  for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
    fputs(w > 0 ? ",\n" : "", file);
    write_worker(file, (int)w);
  }
  fputs("\n]}\n", file);
  const int failed = ferror(file);
  if (fclose(file) || failed)
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  return 0;
}
