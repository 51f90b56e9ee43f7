#include "solvers/forecast/graph.h"

#include <math.h>
#include <stdlib.h>

/* ---- the graph ---- */

struct cairn_graph_step {
  double amount; /* s of a task, bytes of a message */
  int32_t rank, to;
  int32_t n_before; /* that it waits for */
  int32_t after;    /* first of its edges, -1 at the end */
  bool is_message, on_devices;
};

struct cairn_graph_datum {
  int32_t writer;  /* -1: none yet */
  int32_t readers; /* edges to those since then, kept in the list of all edges; -1 at the end */
};

struct cairn_graph_edge {
  int32_t to, next;
};

void cairn_graph_init(struct cairn_graph *graph, int32_t n_ranks, int32_t n_data) {
  *graph = (struct cairn_graph){.n_ranks = n_ranks, .n_data = n_data};
  graph->datum = malloc(((size_t)n_data + 1) * sizeof *graph->datum);
  graph->failed = !graph->datum;
  for (int32_t d = 0; d < n_data && !graph->failed; d++)
    graph->datum[d] = (struct cairn_graph_datum){-1, -1};
}

void cairn_graph_fini(struct cairn_graph *graph) {
  free(graph->step);
  free(graph->datum);
  free(graph->edge);
  *graph = (struct cairn_graph){0};
}

/* The array, with room for one entry of `size` bytes more; as it was where memory or `most` entries do not allow it. */
static void *grown(struct cairn_graph *graph, void *array, int32_t n, int32_t *room, size_t size, int32_t most) {
  if (n < *room || graph->failed)
    return array;
  const int32_t wider = *room > 0 ? 2 * *room : 1024;
  void *longer = wider > most ? NULL : realloc(array, (size_t)wider * size);
  graph->failed = !longer;
  *room = longer ? wider : *room;
  return longer ? longer : array;
}

static int32_t add_step(struct cairn_graph *graph, struct cairn_graph_step step) {
  graph->step = grown(graph, graph->step, graph->n_steps, &graph->step_room, sizeof *graph->step, 1 << 28);
  if (graph->failed)
    return -1;
  step.after = -1;
  graph->step[graph->n_steps] = step;
  return graph->n_steps++;
}

int32_t cairn_graph_task(struct cairn_graph *graph, int32_t rank, double seconds, bool on_devices) {
  return add_step(graph, (struct cairn_graph_step){.amount = seconds, .rank = rank, .on_devices = on_devices});
}

int32_t cairn_graph_message(struct cairn_graph *graph, int32_t from, int32_t to, double bytes) {
  return add_step(graph, (struct cairn_graph_step){.amount = bytes, .rank = from, .to = to, .is_message = true});
}

/* An edge to `to` before those of this list; returns the new list. */
static int32_t add_edge(struct cairn_graph *graph, int32_t to, int32_t list) {
  graph->edge = grown(graph, graph->edge, graph->n_edges, &graph->edge_room, sizeof *graph->edge, 1 << 29);
  if (graph->failed)
    return list;
  graph->edge[graph->n_edges] = (struct cairn_graph_edge){to, list};
  return graph->n_edges++;
}

static void wait_for(struct cairn_graph *graph, int32_t step, int32_t before) {
  if (before < 0 || before == step)
    return;
  graph->step[before].after = add_edge(graph, step, graph->step[before].after);
  graph->step[step].n_before += !graph->failed;
}

void cairn_graph_read(struct cairn_graph *graph, int32_t step, int32_t datum) {
  if (graph->failed)
    return;
  wait_for(graph, step, graph->datum[datum].writer);
  graph->datum[datum].readers = add_edge(graph, step, graph->datum[datum].readers);
}

void cairn_graph_write(struct cairn_graph *graph, int32_t step, int32_t datum) {
  if (graph->failed)
    return;
  wait_for(graph, step, graph->datum[datum].writer);
  for (int32_t e = graph->datum[datum].readers; e >= 0 && !graph->failed; e = graph->edge[e].next)
    wait_for(graph, step, graph->edge[e].to);
  graph->datum[datum] = (struct cairn_graph_datum){step, -1};
}

/* ---- events ---- */

enum kind { SUBMITTED, SENT, ENDED };

/* Earlier first; at the same time in the order of the graph. */
struct event {
  double time;
  enum kind kind;
  int32_t step;
};

static bool is_before(const struct event *a, const struct event *b) {
  return a->time != b->time ? a->time < b->time : a->step < b->step;
}

/* A heap of events. */
struct queue {
  struct event *event;
  int32_t n;
};

static void put(struct queue *queue, struct event event) {
  int32_t at = queue->n++;
  for (; at > 0 && is_before(&event, queue->event + (at - 1) / 2); at = (at - 1) / 2)
    queue->event[at] = queue->event[(at - 1) / 2];
  queue->event[at] = event;
}

static struct event take(struct queue *queue) {
  const struct event first = queue->event[0], last = queue->event[--queue->n];
  int32_t at = 0;
  for (int32_t child; (child = 2 * at + 1) < queue->n; at = child) {
    child += child + 1 < queue->n && is_before(queue->event + child + 1, queue->event + child);
    if (!is_before(queue->event + child, &last))
      break;
    queue->event[at] = queue->event[child];
  }
  queue->event[at] = last;
  return first;
}

/* ---- a rank ---- */

/* Ready tasks are two lists, first come first served: those that a device may take and those for CPUs alone. */
struct rank {
  int32_t first[2], last[2]; /* -1: none */
  int free_workers, free_devices;
  int32_t n_awaited; /* messages to it that have not come */
  double sends_until;
  double since; /* until when waiting was counted */
};

struct run {
  const struct cairn_graph *graph;
  const struct cairn_graph_machine *machine;
  struct rank *rank;
  struct queue queue;
  int32_t *left;   /* [n_steps] that a step still waits for; its submission is one of them */
  int32_t *next;   /* [n_steps] of the ready tasks */
  bool *on_device; /* [n_steps] where it runs */
  struct cairn_graph_outcome outcome;
};

/* Before the workers or messages of a rank change. */
static void count_waiting(struct run *run, struct rank *rank, double time) {
  if (rank->n_awaited > 0)
    run->outcome.communication += (time - rank->since) * (rank->free_workers + rank->free_devices);
  rank->since = time;
}

static void start(struct run *run, int32_t list, bool on_device, struct rank *rank, double time) {
  const int32_t step = rank->first[list];
  const double speed = on_device ? run->machine->device_speed : 1.;
  const double seconds = run->graph->step[step].amount / speed;
  rank->first[list] = run->next[step];
  if (rank->first[list] < 0)
    rank->last[list] = -1;
  count_waiting(run, rank, time);
  *(on_device ? &rank->free_devices : &rank->free_workers) -= 1;
  run->on_device[step] = on_device;
  run->outcome.kernels += seconds;
  run->outcome.runtime += run->machine->overhead;
  put(&run->queue, (struct event){time + seconds + run->machine->overhead, ENDED, step});
}

/* Whoever is free takes what is ready. */
static void start_all(struct run *run, struct rank *rank, double time) {
  while (rank->free_devices > 0 && rank->first[1] >= 0)
    start(run, 1, true, rank, time);
  while (rank->free_workers > 0 && (rank->first[0] >= 0 || rank->first[1] >= 0))
    start(run, rank->first[0] >= 0 ? 0 : 1, false, rank, time);
}

/* One thing less that a step waits for. */
static void release(struct run *run, int32_t step, double time) {
  const struct cairn_graph_step *s = run->graph->step + step;
  struct rank *rank = run->rank + s->rank;
  if (--run->left[step] > 0)
    return;
  if (s->is_message) {
    rank->sends_until = fmax(rank->sends_until, time) + s->amount / run->machine->bandwidth;
    put(&run->queue, (struct event){rank->sends_until + run->machine->latency, SENT, step});
    return;
  }
  const int list = s->on_devices && run->machine->devices > 0;
  run->next[step] = -1;
  if (rank->last[list] >= 0)
    run->next[rank->last[list]] = step;
  else
    rank->first[list] = step;
  rank->last[list] = step;
}

static void end(struct run *run, const struct event *event) {
  const struct cairn_graph_step *s = run->graph->step + event->step;
  struct rank *rank = run->rank + (event->kind == SENT ? s->to : s->rank);
  count_waiting(run, rank, event->time);
  if (event->kind == SENT)
    rank->n_awaited--;
  else
    *(run->on_device[event->step] ? &rank->free_devices : &rank->free_workers) += 1;
  run->outcome.seconds = event->time;
  for (int32_t e = s->after; e >= 0; e = run->graph->edge[e].next) {
    const int32_t step = run->graph->edge[e].to;
    release(run, step, event->time);
    start_all(run, run->rank + run->graph->step[step].rank, event->time);
  }
  start_all(run, rank, event->time);
}

/* All ranks submit their steps one after the other. */
static void submit_all(struct run *run) {
  const struct cairn_graph *graph = run->graph;
  for (int32_t r = 0; r < graph->n_ranks; r++)
    run->rank[r] = (struct rank){.first = {-1, -1},
                                 .last = {-1, -1},
                                 .free_workers = run->machine->workers,
                                 .free_devices = run->machine->devices};
  for (int32_t s = 0; s < graph->n_steps; s++) {
    struct rank *rank = run->rank + graph->step[s].rank;
    rank->sends_until += run->machine->submission; /* the clock of the submission, for the moment */
    run->left[s] = graph->step[s].n_before + 1;
    put(&run->queue, (struct event){rank->sends_until, SUBMITTED, s});
    if (graph->step[s].is_message)
      run->rank[graph->step[s].to].n_awaited++;
  }
  for (int32_t r = 0; r < graph->n_ranks; r++)
    run->rank[r].sends_until = 0.;
}

int cairn_graph_run(const struct cairn_graph *graph, const struct cairn_graph_machine *machine,
                    struct cairn_graph_outcome *outcome) {
  const size_t n = (size_t)graph->n_steps + 1;
  struct run run = {.graph = graph,
                    .machine = machine,
                    .rank = calloc((size_t)graph->n_ranks + 1, sizeof *run.rank),
                    .queue = {malloc(n * sizeof *run.queue.event), 0},
                    .left = malloc(n * sizeof *run.left),
                    .next = malloc(n * sizeof *run.next),
                    .on_device = calloc(n, sizeof *run.on_device)};
  const int failed = graph->failed || !run.rank || !run.queue.event || !run.left || !run.next || !run.on_device;
  if (!failed)
    submit_all(&run);
  while (!failed && run.queue.n > 0) {
    const struct event event = take(&run.queue);
    if (event.kind == SUBMITTED) {
      release(&run, event.step, event.time);
      start_all(&run, run.rank + graph->step[event.step].rank, event.time);
    } else
      end(&run, &event);
  }
  *outcome = run.outcome;
  free(run.rank);
  free(run.queue.event);
  free(run.left);
  free(run.next);
  free(run.on_device);
  return failed;
}
