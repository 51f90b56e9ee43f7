#include "data/initial/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cairn_overlap_init(struct cairn_overlap *overlap, double base) {
  memset(overlap, 0, sizeof *overlap);
  overlap->base = base;
  overlap->first_class = CAIRN_OVERLAP_CLASSES;
  overlap->last_class = -1;
}

void cairn_overlap_fini(struct cairn_overlap *overlap) {
  free(overlap->item);
  free(overlap->slot);
  cairn_overlap_init(overlap, overlap->base);
}

int cairn_overlap_class(const struct cairn_overlap *overlap, double radius) {
  int exponent;
  double mantissa = frexp(radius / overlap->base, &exponent);
  int c = CAIRN_OVERLAP_BASE_CLASS - exponent + (mantissa == 0.5);
  return c < 0 ? 0 : c >= CAIRN_OVERLAP_CLASSES ? CAIRN_OVERLAP_CLASSES - 1 : c;
}

static double largest_radius(const struct cairn_overlap *overlap, int class) {
  return ldexp(overlap->base, CAIRN_OVERLAP_BASE_CLASS - class);
}

/* Far from everything the cells are clamped: they stay valid integers and only hold more. */
static int64_t cell_of(double x, double edge) {
  double cell = floor(x / edge);
  return !(cell > -4e18) ? -INT64_C(4000000000000000000) : cell > 4e18 ? INT64_C(4000000000000000000) : (int64_t)cell;
}

static uint64_t slot_of(const struct cairn_overlap *overlap, int class, int64_t x, int64_t y, int64_t z) {
  uint64_t h = (uint64_t) class;
  h = (h ^ (uint64_t)x) * UINT64_C(0x9e3779b97f4a7c15);
  h = (h ^ (h >> 29) ^ (uint64_t)y) * UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ (h >> 32) ^ (uint64_t)z) * UINT64_C(0x94d049bb133111eb);
  return (h ^ (h >> 31)) & overlap->mask;
}

static void link_item(struct cairn_overlap *overlap, int64_t index) {
  struct cairn_overlap_item *item = &overlap->item[index];
  int class = cairn_overlap_class(overlap, item->radius);
  double edge = 2 * largest_radius(overlap, class);
  uint64_t slot = slot_of(overlap, class, cell_of(item->position[0], edge), cell_of(item->position[1], edge),
                          cell_of(item->position[2], edge));
  item->next = overlap->slot[slot];
  overlap->slot[slot] = (int32_t)index;
}

int cairn_overlap_reserve(struct cairn_overlap *overlap, int64_t n, struct cairn_error *error) {
  if (n <= overlap->capacity)
    return CAIRN_OK;
  /* Entry after entry with one body each must not copy everything each time. */
  int64_t capacity = n > 2 * overlap->capacity ? n : 2 * overlap->capacity;
  uint64_t slots = 16;
  while (slots < (uint64_t)capacity)
    slots *= 2;
  struct cairn_overlap_item *item = realloc(overlap->item, (size_t)capacity * sizeof *item);
  if (item)
    overlap->item = item;
  int32_t *slot = item ? malloc(slots * sizeof *slot) : NULL;
  if (!slot)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the overlap search of %lld bodies",
                           (long long)n);
  free(overlap->slot);
  overlap->slot = slot;
  overlap->mask = slots - 1;
  overlap->capacity = capacity;
  memset(slot, 0xff, slots * sizeof *slot);
  for (int64_t i = 0; i < overlap->n; i++)
    link_item(overlap, i);
  return CAIRN_OK;
}

void cairn_overlap_insert(struct cairn_overlap *overlap, int32_t id, const double position[3], double radius) {
  struct cairn_overlap_item *item = &overlap->item[overlap->n];
  memcpy(item->position, position, sizeof item->position);
  item->radius = radius;
  item->id = id;
  int class = cairn_overlap_class(overlap, radius);
  overlap->count[class]++;
  if (class < overlap->first_class)
    overlap->first_class = class;
  if (class > overlap->last_class)
    overlap->last_class = class;
  link_item(overlap, overlap->n++);
}

struct probe {
  const double *position;
  double radius;
  cairn_overlap_allowed_t *allowed;
  void *context;
  double part; /* of the overlap found */
};

static bool overlaps(struct probe *probe, const struct cairn_overlap_item *item) {
  double d[3], reach = probe->radius + item->radius;
  for (int k = 0; k < 3; k++)
    d[k] = probe->position[k] - item->position[k];
  double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  if (!(square <= reach * reach))
    return false;
  double smaller = probe->radius < item->radius ? probe->radius : item->radius;
  probe->part = (reach - sqrt(square)) / smaller;
  return !probe->allowed || !probe->allowed(probe->context, item->id, probe->part);
}

static int32_t search_slot(struct cairn_overlap *overlap, uint64_t slot, struct probe *probe) {
  overlap->work++;
  for (int32_t i = overlap->slot[slot]; i >= 0; i = overlap->item[i].next) {
    overlap->work++;
    if (overlaps(probe, &overlap->item[i]))
      return overlap->item[i].id;
  }
  return -1;
}

static int32_t search_all(struct cairn_overlap *overlap, struct probe *probe) {
  overlap->work += overlap->n;
  for (int64_t i = 0; i < overlap->n; i++)
    if (overlaps(probe, &overlap->item[i]))
      return overlap->item[i].id;
  return -1;
}

int32_t cairn_overlap_find(struct cairn_overlap *overlap, const double position[3], double radius,
                           cairn_overlap_allowed_t *allowed, void *context, double *part) {
  struct probe probe = {position, radius, allowed, context, 0};
  int32_t hit = -1;
  for (int c = overlap->first_class; hit < 0 && c <= overlap->last_class; c++) {
    overlap->work++;
    if (overlap->count[c] == 0)
      continue;
    double largest = largest_radius(overlap, c), edge = 2 * largest;
    double reach = (radius + largest) * (1 + 1e-12); /* rounding must not lose a cell */
    int64_t low[3], high[3];
    double cells = 1;
    for (int k = 0; k < 3; k++) {
      low[k] = cell_of(position[k] - reach, edge);
      high[k] = cell_of(position[k] + reach, edge);
      cells *= (double)(high[k] - low[k] + 1);
    }
    /* A large sphere among much smaller ones: looking at all of them is cheaper than at all cells. */
    if (cells > 64 + (double)overlap->n) {
      hit = search_all(overlap, &probe);
      break;
    }
    /* The cell of the centre first: where there is an overlap, it is most likely found there. */
    hit = search_slot(
        overlap,
        slot_of(overlap, c, cell_of(position[0], edge), cell_of(position[1], edge), cell_of(position[2], edge)),
        &probe);
    for (int64_t z = low[2]; hit < 0 && z <= high[2]; z++)
      for (int64_t y = low[1]; hit < 0 && y <= high[1]; y++)
        for (int64_t x = low[0]; hit < 0 && x <= high[0]; x++)
          hit = search_slot(overlap, slot_of(overlap, c, x, y, z), &probe);
  }
  if (part)
    *part = probe.part;
  return hit;
}
