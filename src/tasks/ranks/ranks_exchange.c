/* What the driving threads of the ranks compute together and send each other. */
#include <stdlib.h>
#include <string.h>

#include "tasks/engine/times.h"
#include "tasks/ranks/ranks_world.h"

void cairn_ranks_out_of_memory(const char *what) {
  struct cairn_error error;
  cairn_error_set(&error, CAIRN_ERR_NUMERIC, "out of memory for %s", what);
  cairn_ranks_abort(&error);
}

void cairn_ranks_mail_free(struct cairn_ranks_mail *mail) {
  for (int q = 0; mail && q < cairn_ranks_world.n; q++)
    free(mail[q].data);
  free(mail);
}

int64_t cairn_ranks_decide(int64_t mine) {
  cairn_ranks_tell(&mine, sizeof mine);
  return mine;
}

#ifdef CAIRN_HAVE_MPI
/* Counts of MPI are int: longer messages go in pieces. */
enum { PIECE = 1 << 30 };

static void *allocate(int64_t bytes) {
  void *data = malloc((size_t)bytes + 1);
  if (!data)
    cairn_ranks_out_of_memory("what another rank sends");
  return data;
}

void cairn_ranks_sum(int64_t *count, int32_t n) {
  if (cairn_ranks_world.n < 2)
    return;
  cairn_times_await(1);
  MPI_Allreduce(MPI_IN_PLACE, count, n, MPI_INT64_T, MPI_SUM, cairn_ranks_world.driver);
  cairn_times_await(-1);
}

double cairn_ranks_max(double value) {
  if (cairn_ranks_world.n < 2)
    return value;
  cairn_times_await(1);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, cairn_ranks_world.driver);
  cairn_times_await(-1);
  return value;
}

void cairn_ranks_share(double *all, const int32_t *first, int32_t numbers) {
  const int n = cairn_ranks_world.n;
  if (n < 2)
    return;
  int *count = allocate(2 * n * (int64_t)sizeof *count);
  for (int q = 0; q < n; q++) {
    count[q] = numbers * (first[q + 1] - first[q]);
    count[n + q] = numbers * first[q];
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, count + n, MPI_DOUBLE, cairn_ranks_world.driver);
  free(count);
}

/* MPI passes nothing of the caller's to an operation; only the driving thread is here. */
static struct {
  void (*join)(void *all, const void *more);
  size_t bytes;
} joining;

static void join_all(void *more, void *all, int *n, MPI_Datatype *type) {
  (void)type;
  for (int k = 0; k < *n; k++)
    joining.join((char *)all + (size_t)k * joining.bytes, (char *)more + (size_t)k * joining.bytes);
}

void cairn_ranks_join(void *all, size_t bytes, void (*join)(void *all, const void *more)) {
  MPI_Datatype type;
  MPI_Op operation;
  if (cairn_ranks_world.n < 2)
    return;
  joining.join = join;
  joining.bytes = bytes;
  MPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(join_all, 1, &operation);
  cairn_times_await(1);
  MPI_Allreduce(MPI_IN_PLACE, all, 1, type, operation, cairn_ranks_world.driver);
  cairn_times_await(-1);
  MPI_Op_free(&operation);
  MPI_Type_free(&type);
}

void cairn_ranks_tell(void *data, size_t bytes) {
  if (cairn_ranks_world.n < 2)
    return;
  cairn_times_await(1);
  for (size_t at = 0; at < bytes; at += PIECE)
    MPI_Bcast((char *)data + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, 0, cairn_ranks_world.driver);
  cairn_times_await(-1);
}

void cairn_ranks_take_turn(void *data, size_t bytes) {
  cairn_times_await(1);
  if (cairn_ranks_world.me > 0)
    MPI_Recv(data, (int)bytes, MPI_BYTE, cairn_ranks_world.me - 1, 2, cairn_ranks_world.driver, MPI_STATUS_IGNORE);
  cairn_times_await(-1);
}

void cairn_ranks_pass_turn(void *data, size_t bytes) {
  const int last = cairn_ranks_world.n - 1;
  if (last < 1)
    return;
  cairn_times_await(1);
  if (cairn_ranks_world.me < last)
    MPI_Send(data, (int)bytes, MPI_BYTE, cairn_ranks_world.me + 1, 2, cairn_ranks_world.driver);
  MPI_Bcast(data, (int)bytes, MPI_BYTE, last, cairn_ranks_world.driver);
  cairn_times_await(-1);
}

/* Begin to send or to receive; returns how many requests that are. */
static int begin_pieces(const struct cairn_ranks_mail *mail, int other, int tag, bool sends, MPI_Request *request) {
  int n = 0;
  for (int64_t at = 0; at < mail->bytes; at += PIECE, n++) {
    const int bytes = (int)(mail->bytes - at < PIECE ? mail->bytes - at : PIECE);
    char *from = (char *)mail->data + at;
    if (sends)
      MPI_Isend(from, bytes, MPI_BYTE, other, tag, cairn_ranks_world.driver, request + n);
    else
      MPI_Irecv(from, bytes, MPI_BYTE, other, tag, cairn_ranks_world.driver, request + n);
  }
  return n;
}

static int count_pieces(const struct cairn_ranks_mail *mail) { return (int)((mail->bytes + PIECE - 1) / PIECE); }

struct cairn_ranks_mail *cairn_ranks_exchange(struct cairn_ranks_mail *out) {
  const int n = cairn_ranks_world.n, me = cairn_ranks_world.me;
  struct cairn_ranks_mail *in = allocate(n * (int64_t)sizeof *in);
  int64_t *sizes = allocate(2 * n * (int64_t)sizeof *sizes);
  int n_requests = 0;
  cairn_times_await(1);
  for (int q = 0; q < n; q++)
    sizes[q] = out[q].bytes;
  MPI_Alltoall(sizes, 1, MPI_INT64_T, sizes + n, 1, MPI_INT64_T, cairn_ranks_world.driver);
  for (int q = 0; q < n; q++) {
    in[q] = q == me ? out[q] : (struct cairn_ranks_mail){allocate(sizes[n + q]), sizes[n + q]};
    n_requests += count_pieces(in + q) + count_pieces(out + q);
  }
  MPI_Request *request = allocate((n_requests + 1) * (int64_t)sizeof *request);
  n_requests = 0;
  for (int q = 0; q < n; q++)
    if (q != me) {
      n_requests += begin_pieces(in + q, q, 0, false, request + n_requests);
      n_requests += begin_pieces(out + q, q, 0, true, request + n_requests);
    }
  MPI_Waitall(n_requests, request, MPI_STATUSES_IGNORE);
  cairn_times_await(-1);
  for (int q = 0; q < n; q++)
    if (q != me)
      free(out[q].data);
  free(out);
  free(sizes);
  free(request);
  return in;
}

struct cairn_ranks_mail *cairn_ranks_gather(const void *mine, int64_t bytes) {
  const int n = cairn_ranks_world.n;
  struct cairn_ranks_mail *out = allocate(n * (int64_t)sizeof *out);
  for (int q = 0; q < n; q++) {
    out[q] = (struct cairn_ranks_mail){allocate(bytes), bytes};
    memcpy(out[q].data, mine, (size_t)bytes);
  }
  return cairn_ranks_exchange(out);
}

void cairn_ranks_send(const struct cairn_ranks_mail *mail, int to) {
  MPI_Request *request = allocate((count_pieces(mail) + 1) * (int64_t)sizeof *request);
  MPI_Send(&mail->bytes, 1, MPI_INT64_T, to, 1, cairn_ranks_world.driver);
  MPI_Waitall(begin_pieces(mail, to, 1, true, request), request, MPI_STATUSES_IGNORE);
  free(request);
}

void cairn_ranks_receive(struct cairn_ranks_mail *mail, int from) {
  MPI_Recv(&mail->bytes, 1, MPI_INT64_T, from, 1, cairn_ranks_world.driver, MPI_STATUS_IGNORE);
  mail->data = allocate(mail->bytes);
  MPI_Request *request = allocate((count_pieces(mail) + 1) * (int64_t)sizeof *request);
  MPI_Waitall(begin_pieces(mail, from, 1, false, request), request, MPI_STATUSES_IGNORE);
  free(request);
}
#else
void cairn_ranks_sum(int64_t *count, int32_t n) { (void)count, (void)n; }
double cairn_ranks_max(double value) { return value; }
void cairn_ranks_share(double *all, const int32_t *first, int32_t numbers) { (void)all, (void)first, (void)numbers; }
void cairn_ranks_join(void *all, size_t bytes, void (*join)(void *all, const void *more)) {
  (void)all, (void)bytes, (void)join;
}
void cairn_ranks_take_turn(void *data, size_t bytes) { (void)data, (void)bytes; }
void cairn_ranks_pass_turn(void *data, size_t bytes) { (void)data, (void)bytes; }
void cairn_ranks_tell(void *data, size_t bytes) { (void)data, (void)bytes; }

struct cairn_ranks_mail *cairn_ranks_exchange(struct cairn_ranks_mail *out) {
  return out;
}

struct cairn_ranks_mail *cairn_ranks_gather(const void *mine, int64_t bytes) {
  struct cairn_ranks_mail *mail = malloc(sizeof *mail);
  if (mail)
    *mail = (struct cairn_ranks_mail){malloc((size_t)bytes + 1), bytes};
  if (mail && mail->data)
    memcpy(mail->data, mine, (size_t)bytes);
  return mail;
}

void cairn_ranks_send(const struct cairn_ranks_mail *mail, int to) { (void)mail, (void)to; }
void cairn_ranks_receive(struct cairn_ranks_mail *mail, int from) { (void)mail, (void)from; }
#endif
