#include <math.h>
#include <stdio.h>

#include "cairn/error.h"
#include "data/base/path.h"
#include "data/scenario/walls_parts.h"
#include "data/schema/schema.h"

static const double pi = 3.14159265358979323846;

static void read_oscillation(const struct cairn_node *node, struct cairn_motion *motion) {
  if (!node)
    return;
  cairn_schema_numbers(node, "amplitude", 3, motion->amplitude);
  motion->frequency = 2 * pi * cairn_schema_number(node, "frequency");
  motion->phase = cairn_schema_number(node, "phase");
}

static int read_knocks(const char *file, const struct cairn_node *node, struct cairn_motion *motion,
                       struct cairn_error *error) {
  if (!node)
    return CAIRN_OK;
  cairn_schema_numbers(node, "velocity", 3, motion->knock_velocity);
  motion->knock_duration = cairn_schema_number(node, "duration");
  motion->knock_period = cairn_schema_number(node, "period");
  motion->knock_ramp = (int32_t)cairn_schema_integer(node, "ramp");
  if (motion->knock_period < motion->knock_duration)
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "period"),
                            "found %g s; allowed: at least duration = %g s", motion->knock_period,
                            motion->knock_duration);
  return CAIRN_OK;
}

static int read_table(const char *file, const struct cairn_node *node, struct cairn_motion *motion,
                      struct cairn_error *error) {
  char name[256];
  if (!node)
    return CAIRN_OK;
  struct cairn_node *path = cairn_yaml_child(node, "file");
  snprintf(name, sizeof name, "%.255s", path->text);
  int status = cairn_path_resolve(file, path, error);
  if (status == CAIRN_OK)
    status = cairn_walls_read_table(path->text, name, motion, error);
  if (status == CAIRN_OK)
    cairn_motion_slopes(motion);
  return status;
}

int cairn_walls_read_motion(const char *file, const struct cairn_node *node, const double axis[3],
                            const double position[3], struct cairn_motion *motion, struct cairn_error *error) {
  const struct cairn_node *until = cairn_yaml_child(node, "until"), *pivot = cairn_yaml_child(node, "pivot");
  *motion = (struct cairn_motion){.from = cairn_schema_number(node, "from"),
                                  .until = until ? cairn_schema_number(node, "until") : INFINITY,
                                  .spin = cairn_schema_number(node, "spin"),
                                  .ramp = cairn_schema_number(node, "ramp")};
  if (motion->until <= motion->from)
    return cairn_yaml_error(error, file, until, "found %g s; allowed: after from = %g s", motion->until, motion->from);
  cairn_schema_numbers(node, "velocity", 3, motion->velocity);
  read_oscillation(cairn_yaml_child(node, "oscillation"), motion);
  double point[3];
  if (pivot)
    cairn_schema_numbers(node, "pivot", 3, point);
  for (int k = 0; k < 3; k++) {
    motion->axis[k] = axis[k];
    motion->pivot[k] = pivot ? point[k] - position[k] : 0;
    if (!isfinite(motion->pivot[k]))
      return cairn_yaml_error(error, file, pivot, "found a place that is too far away to be a number");
  }
  int status = CAIRN_OK;
  if (cairn_yaml_child(node, "axis"))
    status = cairn_walls_read_direction(file, node, "axis", motion->axis, error);
  if (status == CAIRN_OK)
    status = read_knocks(file, cairn_yaml_child(node, "knocks"), motion, error);
  return status == CAIRN_OK ? read_table(file, cairn_yaml_child(node, "table"), motion, error) : status;
}
