#include "view/scene/coloring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster.h"

#define NAME(name, unit) #name,
#define UNIT(name, unit) unit,
static const char *const names[] = {CAIRN_COLORINGS(NAME)};
static const char *const units[] = {CAIRN_COLORINGS(UNIT)};

enum cairn_coloring cairn_coloring_of(const char *name) {
  int coloring = 0;
  while (coloring < CAIRN_N_COLORINGS && strcmp(names[coloring], name))
    coloring++;
  return (enum cairn_coloring)coloring;
}

const char *cairn_coloring_name(enum cairn_coloring coloring) { return names[coloring]; }

const char *cairn_coloring_unit(enum cairn_coloring coloring) { return units[coloring]; }

bool cairn_coloring_is_number(enum cairn_coloring coloring) { return units[coloring][0] != '\0'; }

static int rank_fragments(const struct cairn_state *state, double *values, struct cairn_error *error) {
  int32_t *rank = malloc(((size_t)state->n + 1) * sizeof *rank);
  const int64_t n = rank ? cairn_cluster_ranks(state, cairn_cluster_gap(state), rank, error)
                         : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the fragments");
  for (int64_t i = 0; i < state->n && n >= 0; i++)
    values[i] = rank[i];
  free(rank);
  return n < 0 ? (int)n : 0;
}

int cairn_coloring_values(enum cairn_coloring coloring, const struct cairn_trajectory_frame *frame, double *values,
                          struct cairn_error *error) {
  const struct cairn_state *state = &frame->state;
  if (coloring == CAIRN_COLORING_fragment)
    return rank_fragments(state, values, error);
  if (coloring == CAIRN_COLORING_pressure && !frame->stress.pressure)
    return cairn_error_set(
        error, CAIRN_ERR_INPUT,
        "the trajectory has no pressure: contact dynamics writes it, soft spheres with output.bodies: stress");
  for (int64_t i = 0; i < state->n; i++) {
    const double *u = state->velocity + 3 * i;
    const double all[CAIRN_N_COLORINGS] = {[CAIRN_COLORING_speed] = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]),
                                           [CAIRN_COLORING_material] = state->material[i],
                                           [CAIRN_COLORING_radius] = state->radius[i],
                                           [CAIRN_COLORING_height] = state->position[3 * i + 2]};
    values[i] = coloring == CAIRN_COLORING_pressure ? frame->stress.pressure[i] : all[coloring];
  }
  return 0;
}

/* No two stones have the same shade. */
static void shade_stone(int64_t i, unsigned char rgb[3]) {
  const uint32_t k = (uint32_t)i;
  const double shade = 0.80 + 0.36 * (double)((k * 2654435761u >> 8) % 1000) / 1000.;
  const double warm = (double)((k * 40503u >> 4) % 100) / 100.;
  rgb[0] = (unsigned char)fmin(255., 172. * shade);
  rgb[1] = (unsigned char)fmin(255., (156. + 6. * warm) * shade);
  rgb[2] = (unsigned char)fmin(255., (134. + 22. * warm) * shade);
}

void cairn_coloring_rgb(enum cairn_coloring coloring, enum cairn_color_map map, const double range[2], int64_t i,
                        double value, unsigned char rgb[3]) {
  if (coloring == CAIRN_COLORING_stone)
    shade_stone(i, rgb);
  else if (cairn_coloring_is_number(coloring))
    cairn_color_at(map, (value - range[0]) / (range[1] - range[0]), rgb);
  else if (coloring == CAIRN_COLORING_fragment && !(value >= 0. && value <= 3.))
    memcpy(rgb, (const unsigned char[]){150, 156, 164}, 3); /* the smaller ones, and who is in none */
  else
    cairn_color_kind((int)value, rgb);
}
