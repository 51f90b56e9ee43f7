/* A graph of tasks and messages, in the order in which it would be submitted, and how long a machine takes for it: a
 * simulation of events. The order follows from the data that tasks read and write, as StarPU derives it. */
#ifndef CAIRN_SOLVERS_FORECAST_GRAPH_H
#define CAIRN_SOLVERS_FORECAST_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/* All ranks are alike. */
struct cairn_graph_machine {
  int workers;         /* CPU workers of a rank */
  int devices;         /* of a rank, which are workers too, for tasks that may run there */
  double device_speed; /* of a device over a CPU worker */
  double overhead;     /* s that a worker spends around each task */
  double submission;   /* s that the driving thread of a rank takes to submit a task or a message */
  double latency;      /* s from the end of sending to the arrival */
  double bandwidth;    /* bytes/s at which a rank sends */
};

struct cairn_graph_step;
struct cairn_graph_datum;
struct cairn_graph_edge;

/* Tasks, messages and data are numbers from 0. */
struct cairn_graph {
  int32_t n_ranks, n_steps, n_data, n_edges;
  struct cairn_graph_step *step; /* [n_steps] */
  struct cairn_graph_datum *datum;
  struct cairn_graph_edge *edge;
  int32_t step_room, edge_room;
  bool failed; /* out of memory */
};

/* What the machine did. */
struct cairn_graph_outcome {
  double seconds;       /* from the first submission to the last end */
  double kernels;       /* s inside tasks, of all workers */
  double runtime;       /* s around them */
  double communication; /* s in which a worker had no task while a message to its rank was on its way or waited for */
};

void cairn_graph_init(struct cairn_graph *graph, int32_t n_ranks, int32_t n_data);
void cairn_graph_fini(struct cairn_graph *graph);

/* A task of `seconds` on a CPU worker of a rank. */
int32_t cairn_graph_task(struct cairn_graph *graph, int32_t rank, double seconds, bool on_devices);

/* A message from a rank to another, or to itself where it stands for others that do the same. */
int32_t cairn_graph_message(struct cairn_graph *graph, int32_t from, int32_t to, double bytes);

/* It reads this datum: after the last one that writes it. It writes it: after all before it that read or write it. */
void cairn_graph_read(struct cairn_graph *graph, int32_t step, int32_t datum);
void cairn_graph_write(struct cairn_graph *graph, int32_t step, int32_t datum);

/* Run it. Ready tasks are taken in the order in which they became ready. Not 0 if out of memory. */
int cairn_graph_run(const struct cairn_graph *graph, const struct cairn_graph_machine *machine,
                    struct cairn_graph_outcome *outcome);

#endif
