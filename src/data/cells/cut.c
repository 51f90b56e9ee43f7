#include "data/cells/cut.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void cairn_cut_fini(struct cairn_cut *cut) {
  free(cut->part);
  free(cut->range);
  free(cut->slice);
  free(cut->number);
  *cut = (struct cairn_cut){0};
}

/* The first entry of a stretch whose key has this bit. */
static int32_t find_bit(const struct cairn_morton *entry, int32_t from, int32_t to, int bit) {
  while (from < to) {
    const int32_t middle = from + (to - from) / 2;
    if (entry[middle].key >> bit & 1)
      to = middle;
    else
      from = middle + 1;
  }
  return from;
}

static bool is_split(const struct cairn_cut_part *part, int64_t max_bodies) { return part->n > max_bodies; }

/* One half of a part: its stretches, and how many bodies of these lists it has. */
static struct cairn_cut_part take_half(const struct cairn_cut_list *list, const struct cairn_cut *from,
                                       const struct cairn_cut_part *part, int bit, int high, struct cairn_cut *to,
                                       int32_t *n_ranges) {
  struct cairn_cut_part half = {0, *n_ranges, 0};
  for (int32_t k = part->first; k < part->first + part->n_ranges; k++) {
    const struct cairn_cut_range r = from->range[k];
    const int32_t middle = find_bit(list[r.list].entry, r.from, r.to, bit);
    const struct cairn_cut_range piece = {r.list, high ? middle : r.from, high ? r.to : middle};
    if (piece.from == piece.to)
      continue;
    to->range[(*n_ranges)++] = piece;
    half.n += piece.to - piece.from;
    half.n_ranges++;
  }
  return half;
}

/* Halve what is too large at this bit; the others stay. Halves without bodies are dropped. */
static int halve(const struct cairn_cut_list *list, const struct cairn_cut *from, int64_t max_bodies, int bit,
                 cairn_cut_sum *sum, void *context, struct cairn_cut *to) {
  int32_t n_ranges = 0, n_halves = 0, room = 0;
  for (int32_t p = 0; p < from->n; p++) {
    n_halves += is_split(from->part + p, max_bodies) ? 2 : 0;
    room += from->part[p].n_ranges * (is_split(from->part + p, max_bodies) ? 2 : 1);
  }
  int64_t *count = malloc((size_t)n_halves * sizeof *count + 1);
  *to = (struct cairn_cut){.part = malloc(2 * (size_t)from->n * sizeof *to->part + 1),
                           .range = malloc((size_t)room * sizeof *to->range + 1)};
  int failed = !count || !to->part || !to->range;
  for (int32_t p = 0, h = 0; p < from->n && !failed; p++) {
    const struct cairn_cut_part *part = from->part + p;
    if (is_split(part, max_bodies)) {
      for (int high = 0; high < 2; high++) {
        to->part[to->n] = take_half(list, from, part, bit, high, to, &n_ranges);
        count[h++] = to->part[to->n++].n;
      }
      continue;
    }
    to->part[to->n++] = (struct cairn_cut_part){part->n, n_ranges, part->n_ranges};
    memcpy(to->range + n_ranges, from->range + part->first, (size_t)part->n_ranges * sizeof *to->range);
    n_ranges += part->n_ranges;
  }
  if (!failed && sum)
    failed = sum(context, count, n_halves);
  int32_t kept = 0, at = 0;
  for (int32_t p = 0, h = 0; p < from->n && !failed; p++)
    for (int k = 0; k < (is_split(from->part + p, max_bodies) ? 2 : 1); k++) {
      struct cairn_cut_part part = to->part[at++];
      part.n = is_split(from->part + p, max_bodies) ? count[h++] : part.n;
      if (part.n > 0)
        to->part[kept++] = part;
    }
  to->n = kept;
  free(count);
  return failed;
}

int cairn_cut_make(const struct cairn_cut_list *list, int32_t n_lists, int64_t max_bodies, cairn_cut_sum *sum,
                   void *context, struct cairn_cut *cut) {
  *cut = (struct cairn_cut){.part = calloc(1, sizeof *cut->part),
                            .range = malloc((size_t)n_lists * sizeof *cut->range + 1)};
  int failed = !cut->part || !cut->range;
  for (int32_t l = 0; l < n_lists && !failed; l++)
    if (list[l].n > 0) {
      cut->range[cut->part->n_ranges++] = (struct cairn_cut_range){l, 0, list[l].n};
      cut->part->n += list[l].n;
    }
  if (!failed && sum)
    failed = sum(context, &cut->part->n, 1);
  cut->n = !failed && cut->part->n > 0;
  for (int bit = 3 * CAIRN_MORTON_BITS - 1; bit >= 0 && !failed; bit--) {
    struct cairn_cut finer = {0};
    int32_t n_split = 0;
    for (int32_t p = 0; p < cut->n; p++)
      n_split += is_split(cut->part + p, max_bodies);
    if (n_split == 0)
      break;
    failed = halve(list, cut, max_bodies, bit, sum, context, &finer);
    cairn_cut_fini(cut);
    *cut = finer;
  }
  if (failed)
    cairn_cut_fini(cut);
  return failed;
}

/* ---- slices and columns ---- */

void cairn_cut_note(struct cairn_cut_spread *spread, const struct cairn_packet *packet) {
  const struct cairn_body *body = cairn_packet_bodies(packet);
  const struct cairn_body_extra *extra = cairn_packet_extras(packet);
  for (int32_t i = 0; i < packet->n; i++) {
    if (body[i].captor < 0)
      continue;
    spread->n++;
    for (int k = 0; k < 3; k++) {
      cairn_exact_sum_add(spread->sum + k, extra[i].reference[k]);
      cairn_exact_sum_add(spread->square + k, extra[i].reference[k] * extra[i].reference[k]);
    }
  }
}

void cairn_cut_join(struct cairn_cut_spread *all, const struct cairn_cut_spread *more) {
  for (int k = 0; k < 3; k++) {
    cairn_exact_sum_join(all->sum + k, more->sum + k);
    cairn_exact_sum_join(all->square + k, more->square + k);
  }
  all->n += more->n;
}

struct cairn_cut_slices cairn_cut_plan(const struct cairn_cut_spread *spread, int64_t max_bodies) {
  const int64_t n_cells = (spread->n + max_bodies - 1) / max_bodies;
  struct cairn_cut_slices slices = {.axis = {0, 1}, .n_slices = n_cells};
  double variance[3];
  for (int k = 0; k < 3; k++) {
    const double sum = cairn_exact_sum_value(spread->sum + k);
    variance[k] = (double)spread->n * cairn_exact_sum_value(spread->square + k) - sum * sum;
  }
  for (int k = 1; k < 3; k++)
    if (variance[k] > variance[slices.axis[0]])
      slices.axis[0] = k;
  slices.axis[1] = slices.axis[0] == 0 ? 1 : 0;
  for (int k = 1; k < 3; k++)
    if (k != slices.axis[0] && variance[k] > variance[slices.axis[1]])
      slices.axis[1] = k;
  if (n_cells <= CAIRN_CUT_MOST_SLICES)
    return slices;
  const double length = sqrt(fmax(variance[slices.axis[0]], 0.)), width = sqrt(fmax(variance[slices.axis[1]], 0.));
  const double shape = width > 0. ? length / width : (double)n_cells;
  slices.n_slices = (int64_t)fmin(fmax(round(sqrt((double)n_cells * shape)), 1.), (double)n_cells);
  slices.n_columns = (n_cells + slices.n_slices - 1) / slices.n_slices;
  return slices;
}

/* A key in the order of finite numbers. */
static uint64_t key_of(double x) {
  const double number = x + 0.; /* one zero */
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* By key; where keys are the same in the order they have. */
static int sort_along(const struct cairn_packet *packet, int axis, struct cairn_morton *entry, int32_t n) {
  const struct cairn_body_extra *extra = cairn_packet_extras(packet);
  struct cairn_morton *scratch = malloc((size_t)n * sizeof *scratch + 1);
  if (!scratch)
    return -1;
  for (int32_t i = 0; i < n; i++)
    entry[i].key = key_of(extra[entry[i].id].reference[axis]);
  cairn_morton_sort(entry, scratch, n);
  free(scratch);
  return 0;
}

struct cairn_morton *cairn_cut_order(const struct cairn_packet *packet, int axis, int32_t *n) {
  struct cairn_morton *entry = malloc((size_t)packet->n * sizeof *entry + 1);
  *n = 0;
  for (int32_t i = 0; i < packet->n && entry; i++)
    if (cairn_packet_bodies(packet)[i].captor >= 0)
      entry[(*n)++].id = i;
  if (entry && sort_along(packet, axis, entry, *n)) {
    free(entry);
    entry = NULL;
  }
  return entry;
}

static int compare_indices(const void *a, const void *b) {
  const struct cairn_morton *p = a, *q = b;
  return (p->id > q->id) - (p->id < q->id);
}

int cairn_cut_reorder(const struct cairn_packet *packet, int axis, struct cairn_morton *entry, int32_t n) {
  qsort(entry, (size_t)n, sizeof *entry, compare_indices);
  return sort_along(packet, axis, entry, n);
}

/* The search for the places at which parts are split: bit by bit of the keys, then of the ids. */
struct split {
  int64_t left;            /* bodies of the stretches below that go before the end of this part */
  int32_t first, n_ranges; /* stretches */
};

struct window {
  int32_t list, from, middle, to; /* entries that may be on either side; from `middle` on with the bit */
};

static bool has_bit(const struct cairn_cut_list *list, int32_t i, int bit) {
  const struct cairn_morton *entry = list->entry + i;
  return (bit >= 32 ? entry->key >> (bit - 32) : (uint64_t)list->body[entry->id].id >> bit) & 1;
}

static int32_t halve_window(const struct cairn_cut_list *list, int32_t from, int32_t to, int bit) {
  while (from < to) {
    const int32_t middle = from + (to - from) / 2;
    if (has_bit(list, middle, bit))
      to = middle;
    else
      from = middle + 1;
  }
  return from;
}

/* One bit of all splits. Returns how many are not done. */
static int32_t narrow(const struct cairn_cut_list *list, struct split *split, int32_t n, struct window *window, int bit,
                      int64_t *count, cairn_cut_sum *sum, void *context) {
  int32_t open = 0;
  for (int32_t s = 0; s < n; s++) {
    count[s] = 0;
    for (struct window *w = window + split[s].first; w < window + split[s].first + split[s].n_ranges; w++) {
      w->middle = w->from < w->to ? halve_window(list + w->list, w->from, w->to, bit) : w->from;
      count[s] += w->middle - w->from;
    }
  }
  if (sum && sum(context, count, n))
    return -1;
  for (int32_t s = 0; s < n; s++) {
    const bool all = split[s].left >= count[s];
    split[s].left -= all ? count[s] : 0;
    for (struct window *w = window + split[s].first; w < window + split[s].first + split[s].n_ranges; w++) {
      w->from = all ? w->middle : w->from;
      w->to = !all ? w->middle : split[s].left == 0 ? w->from : w->to;
    }
    open += split[s].left > 0;
  }
  return open;
}

/* The parts between the splits. */
static int take_parts(const struct cairn_cut *cut, const int32_t *n_ends, const int64_t *end,
                      const struct window *window, struct cairn_cut *finer) {
  int32_t n_parts = cut->n, n_ranges = 0, made = 0, s = 0;
  for (int32_t p = 0; p < cut->n; p++) {
    n_parts += n_ends[p];
    n_ranges += cut->part[p].n_ranges * (n_ends[p] + 1);
  }
  *finer = (struct cairn_cut){.part = calloc((size_t)n_parts + 1, sizeof *finer->part),
                              .range = malloc((size_t)n_ranges * sizeof *finer->range + 1)};
  if (!finer->part || !finer->range)
    return -1;
  for (int32_t p = 0; p < cut->n; p++) {
    const struct cairn_cut_part *part = cut->part + p;
    for (int32_t k = 0; k <= n_ends[p]; k++) {
      const int64_t from = k > 0 ? end[s + k - 1] : 0, to = k < n_ends[p] ? end[s + k] : part->n;
      struct cairn_cut_part *piece = finer->part + finer->n++;
      *piece = (struct cairn_cut_part){to - from, made, 0};
      for (int32_t r = 0; r < part->n_ranges; r++) {
        const struct cairn_cut_range whole = cut->range[part->first + r];
        const int32_t first = k > 0 ? window[(k - 1) * part->n_ranges + r].from : whole.from,
                      last = k < n_ends[p] ? window[k * part->n_ranges + r].from : whole.to;
        if (first < last)
          finer->range[made++] = (struct cairn_cut_range){whole.list, first, last};
      }
      piece->n_ranges = made - piece->first;
    }
    window += n_ends[p] * part->n_ranges;
    s += n_ends[p];
  }
  return 0;
}

/* Split each part p at n_ends[p] numbers of its bodies, all of which stand in end[], ascending: by key, and by id where
 * keys are the same. */
static int split_parts(const struct cairn_cut_list *list, struct cairn_cut *cut, const int32_t *n_ends,
                       const int64_t *end, cairn_cut_sum *sum, void *context) {
  int32_t n = 0, n_windows = 0;
  for (int32_t p = 0; p < cut->n; p++) {
    n += n_ends[p];
    n_windows += n_ends[p] * cut->part[p].n_ranges;
  }
  struct split *split = malloc((size_t)n * sizeof *split + 1);
  struct window *window = malloc((size_t)n_windows * sizeof *window + 1);
  int64_t *count = malloc((size_t)n * sizeof *count + 1);
  struct cairn_cut finer = {0};
  int failed = !split || !window || !count;
  int32_t s = 0, w = 0, open = n;
  for (int32_t p = 0; p < cut->n && !failed; p++)
    for (int32_t k = 0; k < n_ends[p]; k++, s++) {
      split[s] = (struct split){end[s], w, cut->part[p].n_ranges};
      for (int32_t r = cut->part[p].first; r < cut->part[p].first + cut->part[p].n_ranges; r++)
        window[w++] = (struct window){cut->range[r].list, cut->range[r].from, 0, cut->range[r].to};
    }
  for (int bit = 95; bit >= 0 && open > 0 && !failed; bit--) {
    open = narrow(list, split, n, window, bit, count, sum, context);
    failed = open < 0;
  }
  for (s = 0; s < n && !failed; s++) /* all bits of the last body are set */
    for (w = split[s].first; w < split[s].first + split[s].n_ranges && split[s].left > 0; w++)
      window[w].from = window[w].to;
  if (!failed)
    failed = take_parts(cut, n_ends, end, window, &finer);
  free(split);
  free(window);
  free(count);
  cairn_cut_fini(failed ? &finer : cut);
  if (!failed)
    *cut = finer;
  return failed;
}

int cairn_cut_make_slices(const struct cairn_cut_list *list, int32_t n_lists, int64_t n_bodies,
                          const struct cairn_cut_slices *slices, cairn_cut_sum *sum, void *context,
                          struct cairn_cut *cut) {
  const int32_t n_ends = (int32_t)slices->n_slices - 1;
  int64_t *end = malloc((size_t)slices->n_slices * sizeof *end + 1);
  *cut = (struct cairn_cut){.n = n_bodies > 0,
                            .part = calloc(1, sizeof *cut->part),
                            .range = malloc((size_t)n_lists * sizeof *cut->range + 1)};
  int failed = !end || !cut->part || !cut->range;
  for (int32_t l = 0; l < n_lists && !failed; l++)
    if (list[l].n > 0)
      cut->range[cut->part->n_ranges++] = (struct cairn_cut_range){l, 0, list[l].n};
  if (!failed)
    cut->part->n = n_bodies;
  for (int64_t s = 0; s < n_ends && !failed; s++)
    end[s] = n_bodies * (s + 1) / slices->n_slices;
  if (!failed && n_bodies > 0)
    failed = split_parts(list, cut, &n_ends, end, sum, context);
  free(end);
  if (failed)
    cairn_cut_fini(cut);
  return failed;
}

/* The slices of columns that are about to be made. */
static int note_slices(const struct cairn_cut *cut, const int32_t *n_ends, int32_t **slice) {
  int64_t n = cut->n, made = 0;
  for (int32_t s = 0; s < cut->n; s++)
    n += n_ends[s];
  *slice = malloc((size_t)n * sizeof **slice + 1);
  for (int32_t s = 0; s < cut->n && *slice; s++)
    for (int32_t k = 0; k <= n_ends[s]; k++)
      (*slice)[made++] = s;
  return *slice ? 0 : -1;
}

int cairn_cut_make_columns(const struct cairn_cut_list *list, const struct cairn_cut_slices *slices, cairn_cut_sum *sum,
                           void *context, struct cairn_cut *cut) {
  const int64_t most = slices->n_columns + 1;
  int32_t *n_ends = calloc((size_t)cut->n + 1, sizeof *n_ends);
  int64_t *end = malloc((size_t)cut->n * (size_t)most * sizeof *end + 1), n = 0;
  int32_t *slice = NULL;
  int failed = !n_ends || !end;
  for (int32_t s = 0; s < cut->n && !failed; s++) {
    const int64_t here = cut->part[s].n;
    int64_t last = 0;
    for (int64_t k = 1; k <= slices->n_columns + s % 2; k++) {
      const int64_t to = here * (2 * k - s % 2) / (2 * slices->n_columns);
      if (to <= last || to >= here) /* cells of a body or two: half of one is none */
        continue;
      end[n++] = last = to;
      n_ends[s]++;
    }
  }
  if (!failed)
    failed = note_slices(cut, n_ends, &slice) || split_parts(list, cut, n_ends, end, sum, context);
  cut->slice = slice;
  free(n_ends);
  free(end);
  if (failed)
    cairn_cut_fini(cut);
  return failed;
}
