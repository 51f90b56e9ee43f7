#include "solvers/start/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/start/stretch.h"
#include "tasks/ranks/ranks.h"

struct slabs {
  int axis;
  double *cut; /* m, [ranks + 1] */
};

static void out_of_memory(void) { cairn_ranks_out_of_memory("the bodies near those of this rank"); }

/* Where a cut is looked for: an interval along the axis, and how many bodies are below it. */
struct interval {
  double low, high;
  int64_t before;
};

/* An interval is divided into this many bins; the one with the cut is divided again, as one body may be farther away
 * than all others are wide. */
enum { BINS = 256, ROUNDS = 4 };

static int bin_of(const struct interval *i, double at) {
  return (int)fmax(0., fmin((at - i->low) / (i->high - i->low) * BINS, BINS - 1));
}

/* Bodies in the bins of n intervals, which are in order and apart. */
static void count_bodies(const struct cairn_bodies_sphere *sphere, int64_t n_spheres, int axis,
                         const struct interval *interval, int n, int64_t *count) {
  memset(count, 0, (size_t)n * BINS * sizeof *count);
  for (int64_t k = 0; k < n_spheres; k++) {
    const double at = sphere[k].position[axis];
    int low = 0, high = n - 1;
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (interval[middle].low <= at)
        low = middle;
      else
        high = middle - 1;
    }
    if (at >= interval[low].low && at <= interval[low].high)
      count[low * BINS + bin_of(interval + low, at)]++;
  }
  cairn_ranks_sum(count, n * BINS);
}

/* The bin of an interval in which `target` bodies are reached; *n becomes how many it has. */
static struct interval narrow(const struct interval *from, const int64_t *count, int64_t target, int64_t *n) {
  const double width = (from->high - from->low) / BINS;
  int64_t before = from->before;
  int k = 0;
  for (; k < BINS - 1 && before + count[k] <= target; k++)
    before += count[k];
  *n = count[k];
  return (struct interval){from->low + width * k, from->low + width * (k + 1), before};
}

/* The cuts between slabs with about as many bodies each, from the box around all along the axis. */
static void find_cuts(const struct cairn_bodies_sphere *sphere, int64_t n, int64_t n_all, double low, double high,
                      struct slabs *slabs) {
  const int n_ranks = cairn_ranks_n();
  struct interval *cut = calloc((size_t)n_ranks, sizeof *cut), *apart = calloc((size_t)n_ranks, sizeof *apart);
  int64_t *count = calloc((size_t)n_ranks * BINS, sizeof *count), most = n_all;
  if (!cut || !apart || !count)
    out_of_memory();
  for (int q = 1; q < n_ranks; q++)
    cut[q] = (struct interval){low, high, 0};
  for (int round = 0; round < ROUNDS && most > n_all / (16 * n_ranks) + 1; round++) {
    int n_apart = 0;
    for (int q = 1; q < n_ranks; q++)
      if (n_apart == 0 || cut[q].low > apart[n_apart - 1].low)
        apart[n_apart++] = cut[q];
    count_bodies(sphere, n, slabs->axis, apart, n_apart, count);
    most = 0;
    for (int q = 1, k = 0; q < n_ranks; q++) {
      int64_t n_here;
      k += cut[q].low > apart[k].low;
      cut[q] = narrow(apart + k, count + (int64_t)k * BINS, n_all * q / n_ranks, &n_here);
      most = n_here > most ? n_here : most;
    }
  }
  for (int q = 1; q < n_ranks; q++)
    slabs->cut[q] = cut[q].low;
  free(count);
  free(apart);
  free(cut);
}

/* Slabs across the longest side of the box around all bodies. */
static struct slabs cut_space(const struct cairn_bodies_sphere *sphere, int64_t n) {
  const int n_ranks = cairn_ranks_n();
  struct slabs slabs = {0, calloc((size_t)n_ranks + 1, sizeof *slabs.cut)};
  int64_t n_all = n;
  double box[2][3];
  if (!slabs.cut)
    out_of_memory();
  for (int k = 0; k < 3; k++) {
    box[0][k] = -(box[1][k] = -INFINITY);
    for (int64_t i = 0; i < n; i++) {
      box[0][k] = fmin(box[0][k], sphere[i].position[k]);
      box[1][k] = fmax(box[1][k], sphere[i].position[k]);
    }
    box[0][k] = -cairn_ranks_max(-box[0][k]);
    box[1][k] = cairn_ranks_max(box[1][k]);
  }
  cairn_ranks_sum(&n_all, 1);
  for (int k = 1; k < 3; k++)
    slabs.axis = box[1][k] - box[0][k] > box[1][slabs.axis] - box[0][slabs.axis] ? k : slabs.axis;
  const double low = box[0][slabs.axis], high = box[1][slabs.axis];
  if (high > low)
    find_cuts(sphere, n, n_all, low, high, &slabs);
  slabs.cut[0] = -INFINITY;
  slabs.cut[n_ranks] = INFINITY;
  return slabs;
}

/* The ranks whose slabs have a body or are near it: from the lowest to the highest. */
static void ranks_of(const struct slabs *slabs, double at, double reach, int *lowest, int *highest) {
  int low = 0, high = cairn_ranks_n() - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (slabs->cut[middle + 1] + reach < at)
      low = middle + 1;
    else
      high = middle;
  }
  *lowest = low;
  for (*highest = low; *highest + 1 < cairn_ranks_n() && slabs->cut[*highest + 1] - reach <= at;)
    ++*highest;
}

/* Count what goes to each rank (filling is false), or write it. */
static void address(const struct cairn_bodies_sphere *sphere, int64_t n, const struct slabs *slabs, double reach,
                    bool filling, struct cairn_ranks_mail *out) {
  for (int64_t i = 0; i < n; i++) {
    int q, highest;
    for (ranks_of(slabs, sphere[i].position[slabs->axis], reach, &q, &highest); q <= highest; q++) {
      if (filling)
        memcpy((char *)out[q].data + out[q].bytes, sphere + i, sizeof *sphere);
      out[q].bytes += (int64_t)sizeof *sphere;
    }
  }
}

struct cairn_near cairn_near_gather_spheres(const struct cairn_bodies_sphere *mine, int64_t n_mine, double reach) {
  const struct slabs slabs = cut_space(mine, n_mine);
  const double from = slabs.cut[cairn_ranks_me()], to = slabs.cut[cairn_ranks_me() + 1];
  struct cairn_ranks_mail *out = calloc((size_t)cairn_ranks_n(), sizeof *out);
  struct cairn_near near = {0};
  if (!out)
    out_of_memory();
  address(mine, n_mine, &slabs, reach, false, out);
  for (int q = 0; q < cairn_ranks_n(); q++) {
    out[q].data = malloc((size_t)out[q].bytes + 1);
    out[q].bytes = 0;
    if (!out[q].data)
      out_of_memory();
  }
  address(mine, n_mine, &slabs, reach, true, out);
  struct cairn_ranks_mail *in = cairn_ranks_exchange(out);
  for (int q = 0; q < cairn_ranks_n(); q++)
    near.n += in[q].bytes / (int64_t)sizeof *near.sphere;
  near.sphere = malloc((size_t)near.n * sizeof *near.sphere + 1);
  if (!near.sphere)
    out_of_memory();
  for (int own = 1, q = 0, n = 0; own >= 0 && near.sphere; q = 0, own--) {
    for (; q < cairn_ranks_n(); q++) {
      const struct cairn_bodies_sphere *sphere = in[q].data;
      for (int64_t k = 0; k < in[q].bytes / (int64_t)sizeof *sphere; k++) {
        const double at = sphere[k].position[slabs.axis];
        if ((at >= from && at < to) == own)
          near.sphere[n++] = sphere[k];
      }
    }
    near.n_own = own ? n : near.n_own;
  }
  cairn_ranks_mail_free(in);
  free(slabs.cut);
  return near;
}

struct cairn_near cairn_near_gather(const struct cairn_scenario *s, double reach) {
  const struct cairn_state *bodies = &s->initial;
  struct cairn_bodies_sphere *mine = calloc((size_t)bodies->n + 1, sizeof *mine);
  int64_t n = 0;
  if (!mine)
    out_of_memory();
  for (int64_t i = 0; i < bodies->n && mine; i++) {
    if (bodies->captor[i] < 0)
      continue;
    mine[n] = (struct cairn_bodies_sphere){
        .radius = bodies->radius[i], .mass = bodies->mass[i], .id = (int32_t)(s->share.first + i)};
    memcpy(mine[n++].position, bodies->position + 3 * i, sizeof mine->position);
  }
  const struct cairn_near near = cairn_near_gather_spheres(mine, n, reach);
  free(mine);
  return near;
}

int cairn_near_check(const struct cairn_scenario *s, struct cairn_error *error) {
  struct cairn_near near = cairn_near_gather(s, 2. * s->share.largest);
  const int status = cairn_bodies_check_spheres(s, near.sphere, near.n, error);
  free(near.sphere);
  return cairn_ranks_agree(status, error);
}
