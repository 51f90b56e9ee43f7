/* The processes of this run and their communicators, for the files of this room. */
#ifndef CAIRN_TASKS_RANKS_RANKS_WORLD_H
#define CAIRN_TASKS_RANKS_RANKS_WORLD_H

#include "tasks/ranks/ranks.h"

#ifdef CAIRN_HAVE_MPI
#include <mpi.h>
#endif

struct cairn_ranks_world {
  int n, me;
  int n_sharing; /* ranks on this node with the same cores */
  bool is_first; /* of the ranks on this node */
#ifdef CAIRN_HAVE_MPI
  MPI_Comm driver; /* what the driving threads exchange */
  MPI_Comm tasks;  /* what StarPU-MPI does */
  void *reserve;   /* memory that MPI_Abort may need where there is no more: without it the exit code is lost */
#endif
};
extern struct cairn_ranks_world cairn_ranks_world;

#endif
