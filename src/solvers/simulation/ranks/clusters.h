/* Clusters (analysis/cluster.h) of bodies that ranks share. Each rank links its own bodies; where a link leads to a
 * body of another rank, two of its clusters are one: these alone go to all ranks. What runs out of memory ends all
 * ranks. */
#ifndef CAIRN_SOLVERS_SIMULATION_RANKS_CLUSTERS_H
#define CAIRN_SOLVERS_SIMULATION_RANKS_CLUSTERS_H

#include "analysis/cluster.h"
#include "solvers/simulation/ranks/notes.h"

struct cairn_sim_clusters {
  int64_t n_bodies; /* of all ranks */
  int64_t n;        /* here: those that walls have neither captured nor removed */
  struct cairn_sim_clusters_body {
    int32_t id, parent;        /* index of a body of the same cluster with a lower id; its own: the lowest here */
    double mass;               /* kg */
  } * body;                    /* [n] by id */
  struct cairn_sim_note *link; /* [n_links] bodies elsewhere, and the index of one here */
  int64_t n_links, room;
  struct cairn_sim_note *joined; /* [n_joined] lowest id of a cluster here or elsewhere, and that of the whole, which is
                                    another or the same; ascending */
  int64_t n_joined;
};

/* At most n bodies here, each a cluster of its own: begin, add all, sort. */
void cairn_sim_clusters_begin(struct cairn_sim_clusters *clusters, int64_t n, int64_t n_bodies);
void cairn_sim_clusters_add(struct cairn_sim_clusters *clusters, int32_t id, double mass);
void cairn_sim_clusters_sort(struct cairn_sim_clusters *clusters);

/* Two bodies are linked, one of them at least here. */
void cairn_sim_clusters_link(struct cairn_sim_clusters *clusters, int32_t a, int32_t b);

/* All links are there: join the clusters of all ranks. Then: the lowest id of the cluster of body i here; their number,
 * and the masses of the largest two over that of all. Returns the lowest id of the largest, of two equal ones the
 * lower; -1: there is none. The first and the last by all ranks. */
void cairn_sim_clusters_join(struct cairn_sim_clusters *clusters);
int32_t cairn_sim_clusters_name(const struct cairn_sim_clusters *clusters, int64_t i);
int32_t cairn_sim_clusters_count(const struct cairn_sim_clusters *clusters, struct cairn_cluster_fragments *fragments);

void cairn_sim_clusters_fini(struct cairn_sim_clusters *clusters);

#endif
