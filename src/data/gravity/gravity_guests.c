#include "data/gravity/gravity_guests.h"

#include <stdlib.h>
#include <string.h>

void cairn_gravity_show_roots(const struct cairn_gravity *g, struct cairn_gravity_root *root) {
  for (int32_t b = 0; b < g->terms.n_branches; b++)
    root[b] = (struct cairn_gravity_root){g->branch[b].key, g->node[g->branch[b].node]};
}

int cairn_gravity_meet(struct cairn_gravity *g, const struct cairn_gravity_root *root, int32_t n,
                       struct cairn_gravity_branch *all) {
  if (cairn_gravity_reserve_top(g, n) || cairn_gravity_reserve_nodes(g, g->n_nodes + n))
    return -1;
  for (int32_t b = 0; b < n; b++) {
    const int32_t own = b - g->terms.first_branch;
    all[b] = (struct cairn_gravity_branch){.key = root[b].key, .n = root[b].node.n, .node = g->n_nodes};
    if (own >= 0 && own < g->terms.n_branches) {
      all[b].node = g->branch[own].node;
      continue;
    }
    struct cairn_gravity_node *closed = g->node + g->n_nodes++;
    *closed = root[b].node;
    closed->child = closed->child ? -1 : 0;
    closed->first = -1;
    closed->root = 0;
  }
  cairn_gravity_join(g->terms.order, all, n, g->node, g->top);
  return 0;
}

/* ---- parcels ---- */

/* A node of an own branch, and which of the branch's nodes are open. */
struct wish {
  int32_t branch, from, at; /* the branch by its number among the own ones */
  const uint8_t *open;
};

/* Of a parcel; behind it the labels of the pieces, nodes, bodies. */
struct head {
  int32_t n_pieces, n_nodes, n_bodies, unused;
};
struct label {
  int32_t branch, at, n_nodes, n_bodies; /* the branch by its number among all; at: -1 for its root */
};

static int64_t bytes_of(const struct head *head) {
  return (int64_t)sizeof *head + head->n_pieces * (int64_t)sizeof(struct label) +
         head->n_nodes * (int64_t)sizeof(struct cairn_gravity_node) + head->n_bodies * 4 * (int64_t)sizeof(double);
}

static struct label *labels_of(void *data) { return (void *)((struct head *)data + 1); }

/* The nodes of all pieces, and their bodies. */
static struct cairn_gravity_piece content_of(void *data) {
  const struct head *head = data;
  struct cairn_gravity_node *node = (void *)(labels_of(data) + head->n_pieces);
  return (struct cairn_gravity_piece){head->n_nodes, head->n_bodies, node, (void *)(node + head->n_nodes)};
}

static void take(const struct cairn_gravity *g, const struct wish *wish, int32_t *place,
                 struct cairn_gravity_piece *piece) {
  const struct cairn_gravity_branch *branch = g->branch + wish->branch;
  const struct cairn_gravity_bodies own = cairn_gravity_from(g->bodies, branch->first);
  const struct cairn_points points = {cairn_gravity_row(own, CAIRN_GRAVITY_X), cairn_gravity_row(own, CAIRN_GRAVITY_Y),
                                      cairn_gravity_row(own, CAIRN_GRAVITY_Z),
                                      cairn_gravity_row(own, CAIRN_GRAVITY_MASS)};
  cairn_kernel_gravity_take(g->node + branch->node, branch->n_nodes, wish->from, wish->open, &points, place, piece);
}

static int pack(const struct cairn_gravity *g, const struct wish *wish, int32_t n,
                struct cairn_gravity_parcel *parcel) {
  struct head head = {.n_pieces = n};
  int32_t most = 0;
  for (int32_t b = 0; b < g->terms.n_branches; b++)
    most = g->branch[b].n_nodes > most ? g->branch[b].n_nodes : most;
  int32_t *place = malloc((size_t)most * sizeof *place + 1);
  for (int32_t w = 0; w < n && place; w++) {
    struct cairn_gravity_piece piece = {0};
    take(g, wish + w, place, &piece);
    head.n_nodes += piece.n_nodes;
    head.n_bodies += piece.n_bodies;
  }
  *parcel = (struct cairn_gravity_parcel){place ? malloc((size_t)bytes_of(&head)) : NULL, bytes_of(&head)};
  if (parcel->data) {
    memcpy(parcel->data, &head, sizeof head);
    struct cairn_gravity_piece next = content_of(parcel->data);
    for (int32_t w = 0; w < n; w++) {
      take(g, wish + w, place, &next);
      labels_of(parcel->data)[w] =
          (struct label){g->terms.first_branch + wish[w].branch, wish[w].at, next.n_nodes, next.n_bodies};
      next.node += next.n_nodes;
      next.body += next.n_bodies;
    }
  }
  free(place);
  return parcel->data ? 0 : -1;
}

int cairn_gravity_offer(const struct cairn_gravity *g, const struct cairn_gravity_branch *all, int32_t first, int32_t n,
                        struct cairn_gravity_parcel *parcel) {
  const int32_t n_own = g->terms.n_branches;
  const int32_t n_nodes = n_own > 0 ? g->branch[n_own - 1].node + g->branch[n_own - 1].n_nodes : 0;
  uint8_t *open = calloc((size_t)n_nodes + 1, 1);
  struct wish *wish = malloc((size_t)n_own * sizeof *wish + 1);
  struct cairn_gravity_sinks *sinks = malloc((size_t)n * sizeof *sinks + 1), together = {0};
  int32_t n_wishes = 0;
  int failed = !open || !wish || !sinks;
  for (int32_t b = 0; b < n && !failed; b++) {
    sinks[b] = cairn_kernel_gravity_sinks(g->terms.epsilon, g->node + all[first + b].node, g->top);
    together = b == 0 ? sinks[b] : cairn_kernel_gravity_join_sinks(&together, sinks + b);
  }
  for (int32_t k = 0; k < n_own && n > 0 && !failed; k++) {
    const struct cairn_gravity_node *root = g->node + g->branch[k].node;
    uint8_t *opened = open + g->branch[k].node;
    if (!cairn_kernel_gravity_opens(g->terms.order, CAIRN_GRAVITY_THETA, &together, root))
      continue; /* far from all of them, as most branches are from most ranks */
    for (int32_t b = 0; b < n; b++)
      cairn_kernel_gravity_mark(g->terms.order, CAIRN_GRAVITY_THETA, sinks + b, root, opened);
    if (*opened)
      wish[n_wishes++] = (struct wish){k, 0, -1, opened};
  }
  failed = failed || pack(g, wish, n_wishes, parcel);
  free(sinks);
  free(open);
  free(wish);
  return failed;
}

struct cairn_gravity_request *cairn_gravity_list_missing(const struct cairn_gravity *g, int32_t *n) {
  uint8_t *is_asked = calloc((size_t)g->n_nodes + 1, 1);
  struct cairn_gravity_request *request =
      malloc((size_t)g->terms.n_branches * CAIRN_GRAVITY_MISSING * sizeof *request + 1);
  *n = 0;
  for (int32_t b = 0; b < g->terms.n_branches && is_asked && request; b++)
    for (int32_t i = 0; i < g->branch[b].missing.n; i++) {
      const int32_t at = g->branch[b].missing.node[i];
      if (!is_asked[at])
        request[(*n)++] = (struct cairn_gravity_request){g->node[at].branch, g->node[at].root, at};
      is_asked[at] = 1;
    }
  if (!is_asked) {
    free(request);
    request = NULL;
  }
  free(is_asked);
  return request;
}

int cairn_gravity_answer(const struct cairn_gravity *g, const struct cairn_gravity_request *request, int32_t n,
                         struct cairn_gravity_parcel *parcel) {
  int32_t most = 0;
  for (int32_t b = 0; b < g->terms.n_branches; b++)
    most = g->branch[b].n_nodes > most ? g->branch[b].n_nodes : most;
  uint8_t *open = malloc((size_t)most + 1);
  struct wish *wish = malloc((size_t)n * sizeof *wish + 1);
  int failed = !open || !wish;
  if (open)
    memset(open, 1, (size_t)most);
  for (int32_t r = 0; r < n && !failed; r++)
    wish[r] = (struct wish){request[r].branch - g->terms.first_branch, request[r].node, request[r].at, open};
  failed = failed || pack(g, wish, n, parcel);
  free(open);
  free(wish);
  return failed;
}

/* ---- taking them in ---- */

/* Rows with room for more bodies. */
static int widen(struct cairn_gravity *g, int32_t n) {
  const int64_t before = g->bodies.pitch;
  const size_t bytes = (size_t)(g->terms.n + g->n_guests) * sizeof(double);
  if (n <= before)
    return 0;
  if (n > g->body_capacity) {
    double *row = realloc(g->bodies.row, CAIRN_GRAVITY_ROWS * (size_t)n * sizeof *row);
    if (!row)
      return -1;
    g->bodies.row = row;
    g->body_capacity = n;
  }
  g->bodies.pitch = n;
  for (int r = CAIRN_GRAVITY_ROWS - 1; r > 0; r--)
    memmove(g->bodies.row + r * g->bodies.pitch, g->bodies.row + r * before, bytes);
  return 0;
}

static void admit(struct cairn_gravity *g, const struct cairn_gravity_branch *all, void *data) {
  const struct head *head = data;
  struct cairn_gravity_piece piece = content_of(data);
  for (int32_t p = 0; p < head->n_pieces; p++) {
    const struct label label = labels_of(data)[p];
    const int32_t first = g->terms.n + g->n_guests, at = label.at < 0 ? all[label.branch].node : label.at;
    piece.n_nodes = label.n_nodes;
    piece.n_bodies = label.n_bodies;
    g->n_nodes = cairn_kernel_gravity_admit(&piece, first, at, g->n_nodes, g->node);
    for (int32_t i = 0; i < label.n_bodies; i++) {
      for (int k = 0; k < 3; k++)
        cairn_gravity_row(g->bodies, CAIRN_GRAVITY_X + k)[first + i] = piece.body[i][k];
      cairn_gravity_row(g->bodies, CAIRN_GRAVITY_MASS)[first + i] = piece.body[i][3];
    }
    g->n_guests += label.n_bodies;
    piece.node += label.n_nodes;
    piece.body += label.n_bodies;
  }
}

int cairn_gravity_admit(struct cairn_gravity *g, const struct cairn_gravity_branch *all,
                        const struct cairn_gravity_parcel *parcel, int32_t n) {
  int32_t n_nodes = g->n_nodes, n_bodies = g->terms.n + g->n_guests;
  for (int32_t p = 0; p < n; p++) {
    const struct head *head = parcel[p].bytes > 0 ? parcel[p].data : &(struct head){0};
    n_nodes += head->n_nodes;
    n_bodies += head->n_bodies;
  }
  if (cairn_gravity_reserve_nodes(g, n_nodes) || widen(g, n_bodies))
    return -1;
  for (int32_t p = 0; p < n; p++)
    if (parcel[p].bytes > 0)
      admit(g, all, parcel[p].data);
  return 0;
}
