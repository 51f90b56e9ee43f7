/* Waiting for tasks on several data: all of them are done afterwards, and tasks on other data are not waited for. */
#include <starpu.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cairn/engine.h"
#include "tap/tap.h"
#include "tasks/tasks.h"

enum { MOST = 100 };

static atomic_int is_over;

/* Slow enough that nobody who does not wait finds it done. */
static void work_cpu(void *buffers[], void *arg) {
  (void)arg;
  usleep(1000);
  *(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) += 1;
}

/* Goes on until the test says so, or for ten seconds. */
static void linger_cpu(void *buffers[], void *arg) {
  (void)arg;
  for (int k = 0; k < 1000 && !atomic_load(&is_over); k++)
    usleep(10000);
  *(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) = atomic_load(&is_over);
}

static struct starpu_codelet work = {
    .cpu_funcs = {work_cpu}, .cpu_funcs_name = {"work_cpu"}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "work"};
static struct starpu_codelet linger = {
    .cpu_funcs = {linger_cpu}, .cpu_funcs_name = {"linger_cpu"}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "linger"};

static starpu_data_handle_t handle_at(const void *handles, int32_t k) {
  return ((const starpu_data_handle_t *)handles)[k];
}

static void submit(struct starpu_codelet *codelet, starpu_data_handle_t handle) {
  struct starpu_task *task = cairn_task_create(codelet, &(int){0}, sizeof(int));
  if (!task)
    BAIL_OUT("out of memory");
  task->handles[0] = handle;
  if (starpu_task_submit(task))
    BAIL_OUT("a task was refused");
}

static void test_wait(int32_t n) {
  int done[MOST] = {0}, n_done = 0;
  starpu_data_handle_t handle[MOST] = {NULL};
  for (int32_t k = 0; k < n; k++) {
    starpu_variable_data_register(handle + k, STARPU_MAIN_RAM, (uintptr_t)(done + k), sizeof *done);
    submit(&work, handle[k]);
    submit(&work, handle[k]);
  }
  cairn_task_wait(n, handle_at, handle);
  for (int32_t k = 0; k < n; k++)
    n_done += done[k];
  cmp_ok(n_done, "==", 2 * n, "both tasks on each of %d data are done", n);
  for (int32_t k = 0; k < n; k++)
    starpu_data_unregister(handle[k]);
}

int main(void) {
  struct cairn_error error;
  int other = -1;
  starpu_data_handle_t handle;
  plan(NO_PLAN);
  if (cairn_engine_start(&(struct cairn_engine_options){.workers = 2, .silent = 1}, &error))
    BAIL_OUT("%s", error.message);
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&other, sizeof other);
  submit(&linger, handle);
  test_wait(0);
  test_wait(1);
  test_wait(5);
  test_wait(MOST);
  atomic_store(&is_over, 1);
  starpu_data_unregister(handle);
  cmp_ok(other, "==", 1, "a task on other data still ran");
  cairn_engine_stop();
  done_testing();
}
