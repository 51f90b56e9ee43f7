/* How many processes a launcher has started, joining them, and leaving together. */
#define _GNU_SOURCE /* CPU masks */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "data/base/number.h"
#include "tasks/ranks/ranks_world.h"

struct cairn_ranks_world cairn_ranks_world = {.n = 1, .n_sharing = 1};

int cairn_ranks_n(void) { return cairn_ranks_world.n; }

int cairn_ranks_me(void) { return cairn_ranks_world.me; }

int cairn_ranks_sharing(void) { return cairn_ranks_world.n_sharing; }

/* Processes by the environment of Open MPI, of other launchers, of srun; 1 if it says nothing. */
static int64_t count_launched(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
  int64_t n = 1;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const char *text = getenv(names[k]);
    if (text && cairn_number_parse_integer(text, &n) && n > 0)
      return n;
  }
  return 1;
}

#ifdef CAIRN_HAVE_MPI
#include <starpu_mpi.h>

/* The ranks on this node: those with the same CPU mask, this one among them, and which is the first. */
static void look_around(struct cairn_ranks_world *world) {
  MPI_Comm node;
  cpu_set_t mine, others;
  int n, me;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  MPI_Comm_split_type(world->driver, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &n);
  MPI_Comm_rank(node, &me);
  world->is_first = me == 0;
  world->n_sharing = 0;
  for (int r = 0; r < n; r++) {
    others = mine;
    MPI_Bcast(&others, (int)sizeof others, MPI_BYTE, r, node);
    world->n_sharing += CPU_EQUAL(&mine, &others);
  }
  MPI_Comm_free(&node);
}

int cairn_ranks_start(struct cairn_error *error) {
  const int64_t launched = count_launched();
  int provided = 0, n = 1;
  if (launched < 2)
    return 0;
  /* workers have all cores: a thread that waits for a message must not keep one from them */
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  if (provided < MPI_THREAD_MULTIPLE || n != launched) {
    MPI_Finalize();
    if (n != launched)
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%lld processes were started together and MPI finds %d: the launcher must be one of this "
                             "MPI's (mpirun, or srun --mpi=pmix)",
                             (long long)launched, n);
    return cairn_error_set(error, CAIRN_ERR_INPUT, "this MPI cannot be called by several threads");
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &cairn_ranks_world.me);
  MPI_Comm_dup(MPI_COMM_WORLD, &cairn_ranks_world.driver);
  MPI_Comm_dup(MPI_COMM_WORLD, &cairn_ranks_world.tasks);
  cairn_ranks_world.reserve = malloc(1 << 22);
  cairn_ranks_world.n = n;
  look_around(&cairn_ranks_world);
  return 0;
}

void cairn_ranks_stop(void) {
  if (cairn_ranks_world.n < 2)
    return;
  free(cairn_ranks_world.reserve);
  MPI_Comm_free(&cairn_ranks_world.driver);
  MPI_Comm_free(&cairn_ranks_world.tasks);
  MPI_Finalize();
  cairn_ranks_world = (struct cairn_ranks_world){.n = 1, .n_sharing = 1};
}

void cairn_ranks_first_of_node(bool before) {
  if (cairn_ranks_world.n > 1 && cairn_ranks_world.is_first == !before)
    MPI_Barrier(cairn_ranks_world.driver);
}

int cairn_ranks_start_tasks(void) {
  return cairn_ranks_world.n > 1 && starpu_mpi_init_comm(NULL, NULL, 0, cairn_ranks_world.tasks);
}

void cairn_ranks_stop_tasks(void) {
  if (cairn_ranks_world.n > 1)
    starpu_mpi_shutdown();
}

void cairn_ranks_abort(const struct cairn_error *error) {
  if (cairn_ranks_world.n < 2)
    return;
  free(__atomic_exchange_n(&cairn_ranks_world.reserve, NULL, __ATOMIC_RELAXED)); /* tasks may come here at once */
  fprintf(stderr, "cairn: rank %d: %s; the run ends, the last checkpoint holds\n", cairn_ranks_world.me,
          error ? error->message : "it failed");
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, error && error->status < 0 ? -error->status : -CAIRN_ERR_NUMERIC);
}

int cairn_ranks_agree(int status, struct cairn_error *error) {
  const int n = cairn_ranks_world.n;
  int64_t first = status ? cairn_ranks_world.me : n;
  if (n < 2)
    return status;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, cairn_ranks_world.driver);
  if (first == n)
    return 0;
  struct cairn_error found = {0};
  if (first == cairn_ranks_world.me) {
    found = error ? *error : (struct cairn_error){0};
    found.status = status;
    if (first > 0) {
      char message[sizeof found.message];
      memcpy(message, found.message, sizeof message);
      snprintf(found.message, sizeof found.message, "rank %d: %.*s", (int)first, (int)sizeof message - 32, message);
    }
  }
  MPI_Bcast(&found, (int)sizeof found, MPI_BYTE, (int)first, cairn_ranks_world.driver);
  if (error)
    *error = found;
  return found.status;
}

int cairn_ranks_compare(const char *what, const char *text, struct cairn_error *error) {
  uint64_t mine = XXH64(text, strlen(text), 0), first = mine;
  if (cairn_ranks_world.n < 2)
    return 0;
  MPI_Bcast(&first, 1, MPI_UINT64_T, 0, cairn_ranks_world.driver);
  const int status =
      first == mine ? 0 : cairn_error_set(error, CAIRN_ERR_INPUT, "%s differs from that of rank 0", what);
  return cairn_ranks_agree(status, error);
}

char *cairn_ranks_list(const char *text) {
  struct cairn_ranks_mail *all = cairn_ranks_gather(text, (int64_t)strlen(text));
  size_t bytes = 1;
  for (int r = 0; r < cairn_ranks_world.n && all; r++)
    bytes += (size_t)all[r].bytes + 32;
  char *list = cairn_ranks_world.me == 0 && all ? calloc(bytes, 1) : NULL, *at = list;
  for (int r = 0; r < cairn_ranks_world.n && list; r++)
    at += sprintf(at, "%srank %d: %.*s", r > 0 ? "\n" : "", r, (int)all[r].bytes, (const char *)all[r].data);
  cairn_ranks_mail_free(all);
  return list;
}
#else
int cairn_ranks_start(struct cairn_error *error) {
  const int64_t launched = count_launched();
  if (launched < 2)
    return 0;
  return cairn_error_set(error, CAIRN_ERR_INPUT,
                         "%lld processes were started together, and this cairn was built without MPI: start one, or "
                         "build it where StarPU-MPI is installed",
                         (long long)launched);
}

void cairn_ranks_stop(void) {}
void cairn_ranks_first_of_node(bool before) { (void)before; }
int cairn_ranks_start_tasks(void) { return 0; }
void cairn_ranks_stop_tasks(void) {}
void cairn_ranks_abort(const struct cairn_error *error) { (void)error; }

int cairn_ranks_agree(int status, struct cairn_error *error) {
  (void)error;
  return status;
}

int cairn_ranks_compare(const char *what, const char *text, struct cairn_error *error) {
  (void)what, (void)text, (void)error;
  return 0;
}

char *cairn_ranks_list(const char *text) { return strdup(text); }
#endif
