/* Fragments: what the pieces of a broken, ejected or aggregated body are and do. Definitions: docs/physics.md. */
#ifndef CAIRN_ANALYSIS_FRAGMENTS_H
#define CAIRN_ANALYSIS_FRAGMENTS_H

#include "analysis/equivalent_body.h"

struct cairn_fragment {
  int64_t n_bodies;
  struct cairn_equivalent_body body; /* mass, centre, velocity, inertia, angular momentum */
  double spin[3];                    /* rad/s, of the rigid body with these */
  double semi_axes[3];               /* m, of the homogeneous ellipsoid of the same mass and inertia, longest first */
};

/* The clusters of a state whose bodies are closer than a gap, by mass, the largest first. */
struct cairn_fragments {
  int64_t n;
  struct cairn_fragment *fragment; /* [n] */
  int32_t *rank;                   /* [state.n] the fragment of each body; -1: captured or removed by a wall */
  double mass;                     /* kg, of all of them */
};

/* The same of bodies that these links hold together. */
struct cairn_cluster_links;
int cairn_fragments_find_linked(const struct cairn_state *state, const struct cairn_cluster_links *links,
                                struct cairn_fragments *out, struct cairn_error *error);

/* On failure nothing is allocated. */
int cairn_fragments_find(const struct cairn_state *state, double gap, struct cairn_fragments *out,
                         struct cairn_error *error);

void cairn_fragments_fini(struct cairn_fragments *fragments);

/* What is not part of the largest fragment, seen from there. */
struct cairn_ejecta {
  double bound;      /* kg, of it: with less energy than it takes to leave the largest fragment, seen as a point */
  double escaping;   /* kg, the rest */
  double deciles[9]; /* m/s, 10 … 90 % of the mass of both is slower than these; 0 if there is none */
  double fastest;    /* m/s */
};

/* `constant` is that of gravity, m³/(kg s²); with 0 all of it escapes. */
int cairn_fragments_ejecta(const struct cairn_fragments *fragments, const struct cairn_state *state, double constant,
                           struct cairn_ejecta *out, struct cairn_error *error);

#endif
