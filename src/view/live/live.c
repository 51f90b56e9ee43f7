#define _GNU_SOURCE
#include "view/live/live.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "data/base/child.h"
#include "data/storage/durable.h"
#include "view/page/page.h"

enum { MOST_CLIENTS = 8, PATIENCE = 5000, SEND_PATIENCE = 20000 }; /* ms for a request, and for its answer */

struct client {
  int socket; /* -1: free */
  int64_t since;
  size_t used;
  char bytes[CAIRN_REQUEST_MOST];
};

struct server {
  const struct cairn_live *live;
  const char *name;
  int listener, link;
  struct client clients[MOST_CLIENTS];
  char *page; /* the last one that was made, and of what */
  size_t size;
  struct stat files[2];
};

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---------------------------------------------------------------- answers */

static void look(const char *name, struct stat files[2]) {
  static const char *const endings[] = {".series.nc", ".nc"};
  char path[4096];
  memset(files, 0, 2 * sizeof *files);
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%.4000s%s", name, endings[i]);
    if (stat(path, &files[i]))
      files[i].st_size = -1;
  }
}

static int has_changed(const struct stat a[2], const struct stat b[2]) {
  for (int i = 0; i < 2; i++)
    if (a[i].st_size != b[i].st_size || a[i].st_ino != b[i].st_ino || a[i].st_mtim.tv_sec != b[i].st_mtim.tv_sec ||
        a[i].st_mtim.tv_nsec != b[i].st_mtim.tv_nsec)
      return 1;
  return 0;
}

/* The page of the files as they are now; false if they cannot be read, since they are being made or just grow. */
static bool try_page(struct server *server) {
  struct cairn_error error = {0};
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return false;
  const int status = cairn_page_print_live(server->name, file, &error);
  if (fclose(file) || status) {
    free(text);
    return false;
  }
  free(server->page);
  server->page = text;
  server->size = size;
  return true;
}

/* That of before if nothing has changed, or if it does not succeed. */
static void make_page(struct server *server) {
  enum { TRIES = 5 };
  struct stat files[2];
  look(server->name, files);
  if (server->page && !has_changed(files, server->files))
    return;
  for (int i = 0; i < TRIES; i++) {
    if (try_page(server)) {
      memcpy(server->files, files, sizeof files);
      return;
    }
    usleep(20000);
  }
}

/* All of it or nothing more: a client that does not take it is left alone. */
static void send_all(int socket, const char *bytes, size_t n) {
  const int64_t end = now() + SEND_PATIENCE;
  while (n > 0 && now() < end) {
    const ssize_t sent = send(socket, bytes, n, MSG_NOSIGNAL);
    if (sent > 0) {
      bytes += sent;
      n -= (size_t)sent;
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      struct pollfd wait = {.fd = socket, .events = POLLOUT};
      poll(&wait, 1, 200);
    } else if (sent < 0 && errno != EINTR)
      return;
  }
}

static void answer(struct server *server, int socket, enum cairn_request request) {
  char head[512], state[128];
  const char *body = cairn_request_reason(request), *kind = "text/plain";
  size_t size = strlen(body);
  int code = (int)request;
  if (request == CAIRN_REQUEST_PAGE) {
    make_page(server);
    code = server->page ? 200 : 503;
    body = server->page ? server->page : "the run has written nothing yet: try again";
    size = server->page ? server->size : strlen(body);
    kind = server->page ? "text/html; charset=utf-8" : kind;
  } else if (request == CAIRN_REQUEST_STATE) {
    struct stat files[2];
    look(server->name, files);
    size = (size_t)snprintf(state, sizeof state, "{\"series\":%lld,\"frames\":%lld}", (long long)files[0].st_size,
                            (long long)files[1].st_size);
    body = state;
    kind = "application/json";
    code = 200;
  }
  const int n =
      snprintf(head, sizeof head,
               "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
               "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
               "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n",
               code, code == 503 ? "Service Unavailable" : cairn_request_reason(request), kind, size);
  send_all(socket, head, (size_t)n);
  send_all(socket, body, size);
}

/* ---------------------------------------------------------------- connections */

static void hang_up(struct client *client) {
  close(client->socket);
  client->socket = -1;
}

static void take(struct server *server, struct client *client) {
  const ssize_t n = recv(client->socket, client->bytes + client->used, sizeof client->bytes - client->used, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0) {
    hang_up(client);
    return;
  }
  client->used += (size_t)n;
  const enum cairn_request request =
      cairn_request_parse(client->bytes, client->used, server->live->token, server->live->port);
  if (request == CAIRN_REQUEST_INCOMPLETE)
    return;
  answer(server, client->socket, request);
  hang_up(client);
}

static void welcome(struct server *server) {
  const int socket = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0)
    return;
  for (int i = 0; i < MOST_CLIENTS; i++)
    if (server->clients[i].socket < 0) {
      server->clients[i].socket = socket;
      server->clients[i].since = now();
      server->clients[i].used = 0;
      return;
    }
  close(socket); /* too many */
}

static void serve(struct server *server) {
  for (;;) {
    struct pollfd wait[MOST_CLIENTS + 2] = {{.fd = server->link, .events = POLLIN},
                                            {.fd = server->listener, .events = POLLIN}};
    for (int i = 0; i < MOST_CLIENTS; i++)
      wait[2 + i] = (struct pollfd){.fd = server->clients[i].socket, .events = POLLIN};
    if (poll(wait, MOST_CLIENTS + 2, 1000) < 0 && errno != EINTR)
      return;
    if (wait[0].revents) /* the run has ended */
      return;
    if (wait[1].revents & POLLIN)
      welcome(server);
    for (int i = 0; i < MOST_CLIENTS; i++) {
      struct client *client = &server->clients[i];
      if (client->socket >= 0 && client->socket == wait[2 + i].fd && wait[2 + i].revents)
        take(server, client);
      if (client->socket >= 0 && now() - client->since > PATIENCE)
        hang_up(client);
    }
  }
}

/* In the child: nothing of the parent stays open, its locks least of all. */
static void be_server(int link, const void *context) {
  const struct server *given = context;
  struct server *server = calloc(1, sizeof *server);
  if (!server)
    return;
  *server = *given;
  server->link = link;
  for (int file = 3; file < 1024; file++)
    if (file != link && file != server->listener)
      close(file);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN); /* Ctrl-C is for the run, which goes on to its checkpoint */
  signal(SIGUSR1, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  setpriority(PRIO_PROCESS, 0, 10);
  for (int i = 0; i < MOST_CLIENTS; i++)
    server->clients[i].socket = -1;
  serve(server);
  free(server->page);
  free(server);
}

static int listen_here(struct cairn_live *live, int port, struct cairn_error *error) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  socklen_t size = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (listener >= 0)
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (listener < 0 || bind(listener, (const struct sockaddr *)&address, size) || listen(listener, MOST_CLIENTS) ||
      getsockname(listener, (struct sockaddr *)&address, &size)) {
    cairn_error_set(error, CAIRN_ERR_IO, "cannot serve the page on port %d of 127.0.0.1: %s", port, strerror(errno));
    if (listener >= 0)
      close(listener);
    return -1;
  }
  live->port = ntohs(address.sin_port);
  return listener;
}

int cairn_live_start(struct cairn_live *live, const char *name, int port, struct cairn_error *error) {
  static const int64_t MEMORY = INT64_C(1) << 30, SECONDS = 10000000;
  *live = (struct cairn_live){0};
  if (cairn_durable_token(live->token, error))
    return CAIRN_ERR_IO;
  const int listener = listen_here(live, port, error);
  if (listener < 0)
    return CAIRN_ERR_IO;
  struct server *server = calloc(1, sizeof *server);
  int status = server ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  if (!status) {
    *server = (struct server){.live = live, .name = name, .listener = listener};
    status = cairn_child_start(&live->child, be_server, server, MEMORY, SECONDS, error);
  }
  live->is_on = !status;
  free(server);
  close(listener);
  return status;
}

void cairn_live_stop(struct cairn_live *live) {
  char cause[64];
  if (!live->is_on)
    return;
  live->is_on = false;
  shutdown(live->child.link, SHUT_RDWR);
  for (int i = 0; i < 20; i++) { /* a second, for an answer on its way */
    siginfo_t about = {0};
    if (!waitid(P_PID, (id_t)live->child.pid, &about, WEXITED | WNOHANG | WNOWAIT) && about.si_pid == live->child.pid)
      break;
    usleep(50000);
  }
  kill(live->child.pid, SIGKILL);
  cairn_child_end(&live->child, cause);
}
