#include "data/cells/cut.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void cairn_cut_fini(struct cairn_cut *cut) {
  free(cut->part);
  free(cut->range);
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
