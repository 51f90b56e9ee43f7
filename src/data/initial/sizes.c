#include "data/initial/sizes.h"

#include <math.h>
#include <string.h>

#include "data/base/number.h"
#include "data/schema/schema.h"

/* Beyond this ratio of radii masses differ by 10^18: no step size serves both. */
static const double most_ratio = 1e6;

static double normal_below(double x) { return 0.5 * erfc(-x / 1.4142135623730951); }

static int check_normal(const struct cairn_node *node, const char *file, const struct cairn_sizes *sizes,
                        struct cairn_error *error) {
  double low = (sizes->min - sizes->mean) / sizes->deviation, high = (sizes->max - sizes->mean) / sizes->deviation;
  /* The upper tail as a lower one, where small probabilities keep their digits. */
  double probability = low > 0 ? normal_below(-low) - normal_below(-high) : normal_below(high) - normal_below(low);
  if (probability >= 1e-3)
    return CAIRN_OK;
  return cairn_yaml_error(
      error, file, node,
      "found min %g and max %g, between which only %.2g of the distribution lies; allowed: at least "
      "0.001",
      sizes->min, sizes->max, probability);
}

int cairn_sizes_read(const struct cairn_node *node, const char *file, struct cairn_sizes *sizes,
                     struct cairn_error *error) {
  memset(sizes, 0, sizeof *sizes);
  if (node->kind == CAIRN_NODE_SCALAR) {
    cairn_number_parse(node->text, &sizes->min);
    sizes->max = sizes->min;
    return CAIRN_OK;
  }
  const struct cairn_node *value = node->child[0];
  double limits[2] = {0, 0};
  if (value->kind == CAIRN_NODE_MAP) {
    limits[0] = cairn_schema_number(value, "min");
    limits[1] = cairn_schema_number(value, "max");
  } else {
    cairn_schema_numbers(node, value->key, 2, limits);
  }
  sizes->min = limits[0];
  sizes->max = limits[1];
  if (sizes->min > sizes->max)
    return cairn_yaml_error(error, file, value, "found min %g above max %g; allowed: min ≤ max", sizes->min,
                            sizes->max);
  if (sizes->max / sizes->min > most_ratio)
    return cairn_yaml_error(error, file, value, "found max/min = %g; allowed: at most %g", sizes->max / sizes->min,
                            most_ratio);
  if (strcmp(value->key, "uniform_volume") == 0) {
    sizes->kind = CAIRN_SIZES_UNIFORM_VOLUME;
  } else if (strcmp(value->key, "normal") == 0) {
    sizes->kind = CAIRN_SIZES_NORMAL;
    sizes->mean = cairn_schema_number(value, "mean");
    sizes->deviation = cairn_schema_number(value, "deviation");
    return check_normal(value, file, sizes, error);
  } else if (strcmp(value->key, "power_law") == 0) {
    sizes->kind = CAIRN_SIZES_POWER_LAW;
    sizes->exponent = cairn_schema_number(value, "exponent");
  }
  return CAIRN_OK;
}

/* With x = r/min between 1 and ρ and a = 1 - q, the distribution function is (x^a - 1)/(ρ^a - 1), or ln x/ln ρ for
 * a = 0. expm1 and log1p keep it accurate around a = 0. */
static double draw_power_law(const struct cairn_sizes *sizes, double u) {
  double logarithm = log(sizes->max / sizes->min), a = 1 - sizes->exponent;
  if (fabs(a * logarithm) < 1e-12)
    return sizes->min * exp(u * logarithm);
  return sizes->min * exp(log1p(u * expm1(a * logarithm)) / a);
}

double cairn_sizes_draw(const struct cairn_sizes *sizes, struct cairn_random *random) {
  double r = sizes->min, ratio = sizes->max / sizes->min;
  switch (sizes->kind) {
  case CAIRN_SIZES_UNIFORM:
    r = cairn_random_between(random, sizes->min, sizes->max);
    break;
  case CAIRN_SIZES_UNIFORM_VOLUME:
    r = sizes->min * cbrt(cairn_random_between(random, 1, ratio * ratio * ratio));
    break;
  case CAIRN_SIZES_NORMAL:
    /* At least one draw in a thousand falls inside, see check_normal: a hundred thousand misses do not happen. */
    for (int i = 0; i < 100000; i++) {
      r = sizes->mean + sizes->deviation * cairn_random_normal(random);
      if (r >= sizes->min && r <= sizes->max)
        break;
    }
    break;
  case CAIRN_SIZES_POWER_LAW:
    r = draw_power_law(sizes, cairn_random_unit(random));
    break;
  }
  return r < sizes->min ? sizes->min : r > sizes->max ? sizes->max : r;
}
