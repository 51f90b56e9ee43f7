/* Which contacts are solved side by side: groups of four for the vectors of a CPU; colours for devices. */
#include <string.h>

#include "kernels/contact_dynamics/cd_cell.h"

static int is_ground(const struct cairn_cd_cell *c, int32_t body) { return body == c->size.n + c->size.n_halo; }

static int has_body(const struct cairn_cd_group *g, int32_t fill, int32_t body) {
  int found = 0;
  for (int l = 0; l < fill; l++)
    found |= g->a[l] == body || g->b[l] == body;
  return found;
}

static int32_t open_group(const struct cairn_cd_cell *c, int32_t color) {
  const int32_t i = *c->n_groups;
  struct cairn_cd_group *g = c->group + i;
  memset(g, 0, sizeof *g);
  for (int l = 0; l < CAIRN_CD_LANES; l++) {
    g->a[l] = g->b[l] = c->size.n + c->size.n_halo;
    c->pair[i][l] = -1;
  }
  if (c->rotation_friction)
    memset(c->rotation_friction + i, 0, sizeof *c->rotation_friction);
  if (c->color)
    c->color[i] = color;
  c->fill[i] = 0;
  *c->n_groups += 1;
  *c->n_alone += color == CAIRN_CD_COLORS;
  return i;
}

static int has_color(const struct cairn_cd_cell *c, int32_t i) { return c->color && c->color[i] < CAIRN_CD_COLORS; }

/* Is there no room for a contact without colour, whatever its bodies? */
static int is_closed(const struct cairn_cd_cell *c, int32_t i) {
  return c->fill[i] == CAIRN_CD_LANES || has_color(c, i);
}

/* The first group with room where neither body is: contacts stay nearly in the order of the list, which sweeps like.
 * A group with one of the bodies sends the search behind the latest such group at once, or a large body with many
 * contacts would make it long. `*first` is the first group with room. */
static int32_t find_group(const struct cairn_cd_cell *c, int32_t a, int32_t b, int32_t *first) {
  const int64_t room =
      c->size.cd.n_groups - (c->color ? cairn_cd_colored_room((int64_t)c->size.n_pairs + c->size.n_wall_pairs) : 0);
  while (*first < *c->n_groups && is_closed(c, *first))
    *first += 1;
  int32_t i = *first;
  while (i < *c->n_groups) {
    if (has_color(c, i))
      i++;
    else if (has_body(c->group + i, c->fill[i], a))
      i = c->last[a] + 1;
    else if (!is_ground(c, b) && has_body(c->group + i, c->fill[i], b))
      i = c->last[b] + 1;
    else if (is_closed(c, i))
      i++;
    else
      return i;
  }
  if (*c->n_alone < room)
    return open_group(c, CAIRN_CD_COLORS);
  /* the quick search has wasted too much room: a slow one finds what there is (cairn_cd_room) */
  for (i = *first; is_closed(c, i) || has_body(c->group + i, c->fill[i], a) ||
                   (!is_ground(c, b) && has_body(c->group + i, c->fill[i], b));
       i++)
    ;
  return i;
}

/* A group of the first colour that neither body has yet; -1 if there is none. */
static int32_t find_color(const struct cairn_cd_cell *c, int32_t a, int32_t b) {
  const uint64_t taken = c->taken[a] | (is_ground(c, b) ? 0 : c->taken[b]);
  int32_t color = 0;
  while (color < CAIRN_CD_COLORS && taken >> color & 1)
    color++;
  if (color == CAIRN_CD_COLORS)
    return -1;
  c->taken[a] |= UINT64_C(1) << color;
  c->taken[b] |= UINT64_C(1) << color;
  if (c->open[color] < 0 || c->fill[c->open[color]] == CAIRN_CD_LANES)
    c->open[color] = open_group(c, color);
  return c->open[color];
}

void cairn_kernel_cd_colouring_none(const struct cairn_cd_cell *c) {
  const int32_t all = c->size.n + c->size.n_halo + 1;
  *c->n_groups = *c->n_alone = *c->n_contacts = *c->n_used = *c->n_stages = 0;
  for (int32_t i = 0; i < all; i++)
    c->last[i] = -1;
  if (!c->color)
    return;
  memset(c->taken, 0, (size_t)all * sizeof *c->taken);
  for (int32_t k = 0; k < CAIRN_CD_COLORS; k++)
    c->open[k] = -1;
}

struct cairn_cd_colouring cairn_kernel_cd_colouring(const struct cairn_cd_cell *c, int32_t a, int32_t b,
                                                    int32_t *first) {
  const int32_t colored = c->color ? find_color(c, a, b) : -1;
  const int32_t group = colored < 0 ? find_group(c, a, b, first) : colored, lane = c->fill[group]++;
  const int32_t body[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    if (is_ground(c, body[k]))
      continue;
    if (body[k] >= c->size.n && c->last[body[k]] < 0) {
      c->halo[*c->n_used] = body[k] - c->size.n;
      *c->n_used += 1;
    }
    c->last[body[k]] = group > c->last[body[k]] ? group : c->last[body[k]];
  }
  c->group[group].a[lane] = a;
  c->group[group].b[lane] = b;
  *c->n_contacts += 1;
  return (struct cairn_cd_colouring){group, lane};
}

/* Colour by colour, then the groups without colour one by one. */
void cairn_kernel_cd_colouring_order(const struct cairn_cd_cell *c) {
  if (!c->color)
    return;
  const int32_t n = *c->n_groups;
  int32_t next[CAIRN_CD_COLORS + 2] = {0}, n_stages = 0;
  for (int32_t i = 0; i < n; i++)
    next[c->color[i] + 1]++;
  for (int32_t k = 0; k < CAIRN_CD_COLORS; k++) {
    next[k + 1] += next[k];
    if (next[k + 1] > next[k])
      c->stage[n_stages++] = next[k];
  }
  for (int32_t i = next[CAIRN_CD_COLORS]; i <= n; i++)
    c->stage[n_stages++] = i;
  *c->n_stages = n_stages - 1;
  for (int32_t i = 0; i < n; i++)
    c->order[next[c->color[i]]++] = i;
}
