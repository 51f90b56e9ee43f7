#include "data/initial/region.h"

#include <math.h>
#include <string.h>

#include "data/geometry/mesh.h"
#include "data/initial/region_mesh.h"
#include "data/scenario/walls.h"
#include "data/schema/schema.h"

static const double pi = 3.14159265358979323846;

static int read_box(const struct cairn_node *node, const char *file, struct cairn_region *region,
                    struct cairn_error *error) {
  double upper[3];
  cairn_schema_numbers(node, "lower", 3, region->origin);
  cairn_schema_numbers(node, "upper", 3, upper);
  for (int k = 0; k < 3; k++) {
    region->size[k] = upper[k] - region->origin[k];
    if (!(region->size[k] > 0))
      return cairn_yaml_error(error, file, cairn_yaml_child(node, "upper"),
                              "found %g, not above lower = %g, along %c; allowed: upper > lower on every axis",
                              upper[k], region->origin[k], "xyz"[k]);
  }
  region->volume = region->size[0] * region->size[1] * region->size[2];
  return CAIRN_OK;
}

/* Unit vectors across the axis, from the coordinate axis that is farthest from it. */
static void complete_frame(double frame[3][3]) {
  const double *a = frame[2];
  int least = fabs(a[0]) <= fabs(a[1]) ? (fabs(a[0]) <= fabs(a[2]) ? 0 : 2) : (fabs(a[1]) <= fabs(a[2]) ? 1 : 2);
  double length = 0;
  for (int k = 0; k < 3; k++) {
    frame[0][k] = (k == least) - a[least] * a[k];
    length += frame[0][k] * frame[0][k];
  }
  for (int k = 0; k < 3; k++)
    frame[0][k] /= sqrt(length);
  for (int k = 0; k < 3; k++)
    frame[1][k] = a[(k + 1) % 3] * frame[0][(k + 2) % 3] - a[(k + 2) % 3] * frame[0][(k + 1) % 3];
}

static int read_cylinder(const struct cairn_node *node, const char *file, struct cairn_region *region,
                         struct cairn_error *error) {
  cairn_schema_numbers(node, "base", 3, region->origin);
  region->radius = cairn_schema_number(node, "radius");
  region->height = cairn_schema_number(node, "height");
  region->volume = pi * region->radius * region->radius * region->height;
  int status = cairn_walls_read_direction(file, node, "axis", region->frame[2], error);
  if (status == CAIRN_OK)
    complete_frame(region->frame);
  return status;
}

int cairn_region_read(const struct cairn_node *node, const char *file, bool dry, struct cairn_region *region,
                      struct cairn_error *error) {
  const struct cairn_node *shape = node->child[0];
  int status = CAIRN_OK;
  memset(region, 0, sizeof *region);
  if (strcmp(shape->key, "box") == 0) {
    region->shape = CAIRN_REGION_BOX;
    status = read_box(shape, file, region, error);
  } else if (strcmp(shape->key, "sphere") == 0) {
    region->shape = CAIRN_REGION_SPHERE;
    cairn_schema_numbers(shape, "center", 3, region->origin);
    region->radius = cairn_schema_number(shape, "radius");
    region->volume = 4. / 3 * pi * region->radius * region->radius * region->radius;
  } else if (strcmp(shape->key, "ellipsoid") == 0) {
    region->shape = CAIRN_REGION_ELLIPSOID;
    cairn_schema_numbers(shape, "center", 3, region->origin);
    cairn_schema_numbers(shape, "semi_axes", 3, region->axes);
    region->volume = 4. / 3 * pi * region->axes[0] * region->axes[1] * region->axes[2];
  } else if (strcmp(shape->key, "mesh") == 0) {
    region->shape = CAIRN_REGION_MESH;
    if (dry)
      return CAIRN_OK;
    status = cairn_region_mesh_read(shape, file, region, error);
  } else {
    region->shape = CAIRN_REGION_CYLINDER;
    status = read_cylinder(shape, file, region, error);
  }
  if (status == CAIRN_OK && (!(region->volume > 0) || !isfinite(region->volume)))
    status = cairn_yaml_error(error, file, shape, "its volume %g is not a usable number", region->volume);
  return status;
}

void cairn_region_fini(struct cairn_region *region) {
  cairn_mesh_free(region->mesh);
  region->mesh = NULL;
}

/* The point of an ellipsoid's surface nearest to d from its centre: p = a² d/(a² + t) with the largest t that puts it
 * on the surface, found by halving between bounds that hold for any d. On a plane of symmetry, near the centre, the
 * nearest point may lie off it: of the coordinate along the shortest axis what is missing to the surface. */
static void nearest_on_ellipsoid(const double a[3], const double d[3], double p[3]) {
  int least = a[0] <= a[1] ? (a[0] <= a[2] ? 0 : 2) : (a[1] <= a[2] ? 1 : 2);
  double low = a[least] * fabs(d[least]) - a[least] * a[least], size2 = 0, sum = 0;
  for (int k = 0; k < 3; k++)
    size2 += a[k] * a[k] * d[k] * d[k];
  double high = sqrt(size2) - a[least] * a[least];
  for (int n = 0; n < 128 && low < high; n++) {
    double t = 0.5 * (low + high), value = 0;
    for (int k = 0; k < 3; k++) {
      double part = d[k] != 0 ? a[k] * d[k] / (t + a[k] * a[k]) : 0;
      value += part * part;
    }
    if (t <= low || t >= high)
      break;
    *(value > 1 ? &low : &high) = t;
  }
  for (int k = 0; k < 3; k++) {
    p[k] = d[k] != 0 ? a[k] * a[k] * d[k] / (high + a[k] * a[k]) : 0;
    sum += p[k] * p[k] / (a[k] * a[k]);
  }
  if (d[least] == 0 && sum < 1)
    p[least] = a[least] * sqrt(1 - sum);
}

/* How far a sphere around d from the centre reaches out of an ellipsoid: along its normal at the nearest point. */
static void push_into_ellipsoid(const double a[3], const double d[3], double r, double push[3]) {
  double p[3], n[3], inside = 0, distance = 0, length = 0;
  nearest_on_ellipsoid(a, d, p);
  for (int k = 0; k < 3; k++) {
    inside += d[k] * d[k] / (a[k] * a[k]);
    distance += (p[k] - d[k]) * (p[k] - d[k]);
    n[k] = p[k] / (a[k] * a[k]);
    length += n[k] * n[k];
  }
  double excess = r + (inside > 1 ? sqrt(distance) : -sqrt(distance));
  for (int k = 0; k < 3 && excess > 0; k++)
    push[k] = -excess * n[k] / sqrt(length);
}

/* Centres in the smaller ellipsoid, which holds all that fit, until the sphere lies inside as a whole. */
static bool sample_ellipsoid(const struct cairn_region *region, double r, struct cairn_random *random, double x[3]) {
  enum { TRIES = 10000 };
  const double *a = region->axes;
  if (r > fmin(a[0], fmin(a[1], a[2])))
    return false;
  for (int n = 0; n < TRIES; n++) {
    double direction[3], d[3], push[3] = {0}, distance = cbrt(cairn_random_unit(random));
    cairn_random_direction(random, direction);
    for (int k = 0; k < 3; k++)
      d[k] = distance * (a[k] - r) * direction[k];
    push_into_ellipsoid(a, d, r, push);
    if (push[0] != 0 || push[1] != 0 || push[2] != 0)
      continue;
    for (int k = 0; k < 3; k++)
      x[k] = region->origin[k] + d[k];
    return true;
  }
  return false;
}

bool cairn_region_sample(const struct cairn_region *region, double r, struct cairn_random *random, double x[3]) {
  if (region->shape == CAIRN_REGION_BOX) {
    for (int k = 0; k < 3; k++) {
      if (2 * r > region->size[k])
        return false;
      x[k] = region->origin[k] + r + (region->size[k] - 2 * r) * cairn_random_unit(random);
    }
    return true;
  }
  if (region->shape == CAIRN_REGION_ELLIPSOID)
    return sample_ellipsoid(region, r, random, x);
  if (region->shape == CAIRN_REGION_MESH)
    return cairn_region_mesh_sample(region, r, random, x);
  if (r > region->radius)
    return false;
  if (region->shape == CAIRN_REGION_SPHERE) {
    double direction[3], distance = (region->radius - r) * cbrt(cairn_random_unit(random));
    cairn_random_direction(random, direction);
    for (int k = 0; k < 3; k++)
      x[k] = region->origin[k] + distance * direction[k];
    return true;
  }
  if (2 * r > region->height)
    return false;
  double across = (region->radius - r) * sqrt(cairn_random_unit(random)), angle = 2 * pi * cairn_random_unit(random);
  double along = r + (region->height - 2 * r) * cairn_random_unit(random);
  for (int k = 0; k < 3; k++)
    x[k] = region->origin[k] + across * (cos(angle) * region->frame[0][k] + sin(angle) * region->frame[1][k]) +
           along * region->frame[2][k];
  return true;
}

/* Add what brings the coordinate `x` along the unit vector `axis` from below `low` or above `high` to them. */
static void push_between(double x, double low, double high, const double axis[3], double push[3]) {
  double amount = fmax(low - x, 0) - fmax(x - high, 0);
  for (int k = 0; k < 3; k++)
    push[k] += amount * axis[k];
}

void cairn_region_push(const struct cairn_region *region, const double x[3], double r, double push[3]) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double d[3], along = 0;
  for (int k = 0; k < 3; k++) {
    push[k] = 0;
    d[k] = x[k] - region->origin[k];
    along += d[k] * region->frame[2][k];
  }
  if (region->shape == CAIRN_REGION_BOX) {
    for (int k = 0; k < 3; k++)
      push_between(d[k], r, region->size[k] - r, axes[k], push);
    return;
  }
  if (region->shape == CAIRN_REGION_ELLIPSOID) {
    push_into_ellipsoid(region->axes, d, r, push);
    return;
  }
  if (region->shape == CAIRN_REGION_MESH) {
    cairn_region_mesh_push(region, x, r, push);
    return;
  }
  if (region->shape == CAIRN_REGION_CYLINDER) {
    push_between(along, r, region->height - r, region->frame[2], push);
    for (int k = 0; k < 3; k++)
      d[k] -= along * region->frame[2][k];
  }
  double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), excess = distance + r - region->radius;
  for (int k = 0; k < 3 && excess > 0 && distance > 0; k++)
    push[k] -= excess * d[k] / distance;
}

void cairn_region_bounds(const struct cairn_region *region, double lower[3], double upper[3]) {
  for (int k = 0; k < 3; k++) {
    double a = region->frame[2][k], along = a * region->height;
    double across = region->radius * sqrt(fmax(0, 1 - a * a));
    lower[k] = region->origin[k] + fmin(0, along) - across - region->axes[k];
    upper[k] = region->origin[k] + region->size[k] + fmax(0, along) + across + region->axes[k];
  }
}

bool cairn_region_has(const struct cairn_region *region, const double x[3]) {
  double push[3];
  cairn_region_push(region, x, 0, push);
  return push[0] == 0 && push[1] == 0 && push[2] == 0;
}

void cairn_region_middle(const struct cairn_region *region, double x[3]) {
  double lower[3], upper[3];
  cairn_region_bounds(region, lower, upper);
  for (int k = 0; k < 3; k++)
    x[k] = 0.5 * (lower[k] + upper[k]);
}
