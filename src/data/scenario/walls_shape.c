#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/path.h"
#include "data/scenario/scenario.h"
#include "data/scenario/walls_parts.h"
#include "data/schema/schema.h"
#include "kernels/shapes/mesh.h"

/* Edges of a rectangle may miss the right angle by this, those of a triangle must open at least as much. rad */
static const double smallest_angle = 1e-6;

/* m; products of four lengths are still numbers */
static const double largest_length = 1e60;

bool cairn_walls_make_unit(double v[3]) {
  double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))), square = 0;
  if (!(largest > 0))
    return false;
  /* Scaled first: the squares of very long or short vectors would not be numbers. */
  for (int k = 0; k < 3; k++) {
    v[k] /= largest;
    square += v[k] * v[k];
  }
  for (int k = 0; k < 3; k++)
    v[k] /= sqrt(square);
  return true;
}

int cairn_walls_read_direction(const char *file, const struct cairn_node *map, const char *key, double n[3],
                               struct cairn_error *error) {
  cairn_schema_numbers(map, key, 3, n);
  if (cairn_walls_make_unit(n))
    return CAIRN_OK;
  return cairn_yaml_error(error, file, cairn_yaml_child(map, key), "found [0, 0, 0]; allowed: any other vector");
}

/* What the readers of the shapes get and fill. */
struct reader {
  const char *file;
  const struct cairn_node *node;
  const double *origin;
  struct cairn_wall *wall;
  double *shape; /* the wall's */
  double *axis;
  struct cairn_error *error;
};

static int read_axis(const struct reader *reader, int kind, const char *key) {
  reader->shape[0] = kind;
  int status = cairn_walls_read_direction(reader->file, reader->node, key, reader->axis, reader->error);
  memcpy(reader->shape + 4, reader->axis, 3 * sizeof(double));
  return status;
}

static int read_plane(const struct reader *reader) { return read_axis(reader, CAIRN_SHAPE_PLANE, "normal"); }

static int read_disk(const struct reader *reader) {
  double radius = cairn_schema_number(reader->node, "radius"), hole = cairn_schema_number(reader->node, "hole");
  reader->shape[7] = radius;
  reader->shape[8] = hole;
  if (hole >= radius)
    return cairn_yaml_error(reader->error, reader->file, cairn_yaml_child(reader->node, "hole"),
                            "found %g m; allowed: less than radius = %g m", hole, radius);
  return read_axis(reader, CAIRN_SHAPE_DISK, "normal");
}

static int read_cylinder(const struct reader *reader) {
  double radius = cairn_schema_number(reader->node, "radius"), taper = cairn_schema_number(reader->node, "taper");
  bool finite = cairn_yaml_child(reader->node, "length") != NULL;
  if (taper > 0 && !finite)
    return cairn_yaml_error(reader->error, reader->file, cairn_yaml_child(reader->node, "taper"),
                            "found %g without a length; allowed: 0, or a cylinder with the key length", taper);
  reader->shape[7] = radius;
  if (finite) {
    reader->shape[8] = cairn_schema_number(reader->node, "length");
    reader->shape[9] = radius * (1 - taper);
  }
  return read_axis(reader, finite ? CAIRN_SHAPE_CONE : CAIRN_SHAPE_CYLINDER, "axis");
}

static int read_sphere(const struct reader *reader) {
  reader->shape[0] = CAIRN_SHAPE_SPHERE;
  reader->shape[7] = cairn_schema_number(reader->node, "radius");
  return CAIRN_OK;
}

static int read_ring(const struct reader *reader) {
  reader->shape[7] = cairn_schema_number(reader->node, "radius");
  return read_axis(reader, CAIRN_SHAPE_RING, "normal");
}

static int read_line(const struct reader *reader) {
  reader->shape[8] = cairn_yaml_child(reader->node, "length") ? cairn_schema_number(reader->node, "length") : -1;
  return read_axis(reader, CAIRN_SHAPE_LINE, "axis");
}

static int read_point(const struct reader *reader) {
  reader->shape[0] = CAIRN_SHAPE_POINT;
  return CAIRN_OK;
}

/* Two edges; their unit vectors and what they have in common. */
static int read_edges(const struct reader *reader, int kind, double *cosine) {
  double u[2][3], sine = 0;
  reader->shape[0] = kind;
  cairn_schema_numbers(reader->node, "edge1", 3, reader->shape + 4);
  cairn_schema_numbers(reader->node, "edge2", 3, reader->shape + 7);
  int status = cairn_walls_read_direction(reader->file, reader->node, "edge1", u[0], reader->error);
  if (status == CAIRN_OK)
    status = cairn_walls_read_direction(reader->file, reader->node, "edge2", u[1], reader->error);
  if (status != CAIRN_OK)
    return status;
  *cosine = u[0][0] * u[1][0] + u[0][1] * u[1][1] + u[0][2] * u[1][2];
  for (int k = 0; k < 3; k++) {
    reader->axis[k] = u[0][(k + 1) % 3] * u[1][(k + 2) % 3] - u[0][(k + 2) % 3] * u[1][(k + 1) % 3];
    sine += reader->axis[k] * reader->axis[k];
  }
  if (sqrt(sine) < smallest_angle)
    return cairn_yaml_error(reader->error, reader->file, cairn_yaml_child(reader->node, "edge2"),
                            "found an edge along edge1; allowed: another direction");
  cairn_walls_make_unit(reader->axis);
  return CAIRN_OK;
}

static int read_rectangle(const struct reader *reader) {
  double cosine;
  int status = read_edges(reader, CAIRN_SHAPE_RECTANGLE, &cosine);
  if (status == CAIRN_OK && fabs(cosine) > smallest_angle)
    status = cairn_yaml_error(reader->error, reader->file, cairn_yaml_child(reader->node, "edge2"),
                              "found an angle with edge1 whose cosine is %.3g; allowed: a right angle, to %g", cosine,
                              smallest_angle);
  return status;
}

static int read_triangle(const struct reader *reader) {
  double cosine;
  return read_edges(reader, CAIRN_SHAPE_TRIANGLE, &cosine);
}

static int read_mesh(const struct reader *reader) {
  struct cairn_node *name = cairn_yaml_child(reader->node, "file");
  struct cairn_error cause;
  double shift[3];
  reader->shape[0] = CAIRN_SHAPE_MESH;
  for (int k = 0; k < 3; k++) {
    shift[k] = reader->wall->reference[k] - reader->origin[k];
    reader->shape[1 + k] = 0;
  }
  int status = cairn_path_resolve(reader->file, name, reader->error);
  if (status != CAIRN_OK)
    return status;
  double scale = cairn_schema_number(reader->node, "scale");
  status = cairn_mesh_read(name->text, scale, shift, &reader->wall->mesh, &cause);
  if (status != CAIRN_OK) {
    cairn_yaml_error(reader->error, reader->file, name, "%s", cause.message);
    if (reader->error)
      reader->error->status = (enum cairn_status)status;
  }
  return status;
}

/* By the keys of the list `walls`; the keys in the middle hold the point that stands for a wall. */
static const struct kind {
  const char *key, *reference;
  int (*read)(const struct reader *reader);
} kinds[] = {{"plane", "point", read_plane},          {"disk", "center", read_disk},
             {"rectangle", "corner", read_rectangle}, {"triangle", "corner", read_triangle},
             {"cylinder", "center", read_cylinder},   {"sphere", "center", read_sphere},
             {"ring", "center", read_ring},           {"line", "center", read_line},
             {"point", "position", read_point},       {"mesh", "shift", read_mesh}};

static const struct kind *kind_of(const struct cairn_node *node) {
  size_t i = 0;
  while (strcmp(kinds[i].key, node->key) != 0)
    i++;
  return &kinds[i];
}

void cairn_walls_read_reference(const struct cairn_node *node, double reference[3]) {
  cairn_schema_numbers(node, kind_of(node)->reference, 3, reference);
}

int cairn_walls_read_shape(const char *file, const struct cairn_node *node, const double origin[3],
                           struct cairn_wall *wall, double axis[3], struct cairn_error *error) {
  const struct reader reader = {file, node, origin, wall, wall->shape, axis, error};
  memcpy(axis, (const double[]){0, 0, 1}, 3 * sizeof *axis);
  cairn_walls_read_reference(node, wall->reference);
  for (int k = 0; k < 3; k++)
    wall->shape[1 + k] = wall->reference[k] - origin[k];
  int status = kind_of(node)->read(&reader);
  for (int k = 1; status == CAIRN_OK && k < CAIRN_SHAPE_DOUBLES; k++)
    if (!(fabs(wall->shape[k]) <= largest_length))
      status = cairn_yaml_error(error, file, node, "found a length or distance of %g m; allowed: at most %g m",
                                fabs(wall->shape[k]), largest_length);
  return status;
}

/* Is the point on the line through `on` along the unit vector `axis`, but for rounding of the coordinates? */
static bool is_on_axis(const double point[3], const double on[3], const double axis[3], double size) {
  double way[3], across = 0;
  for (int k = 0; k < 3; k++) {
    way[k] = point[k] - on[k];
    size += fabs(point[k]) + fabs(on[k]);
  }
  for (int k = 0; k < 3; k++)
    across = fmax(across, fabs(way[(k + 1) % 3] * axis[(k + 2) % 3] - way[(k + 2) % 3] * axis[(k + 1) % 3]));
  return across <= 1e-12 * size;
}

static bool is_parallel(const double a[3], const double b[3]) { return is_on_axis(a, (const double[]){0, 0, 0}, b, 0); }

bool cairn_walls_is_round(const double shape[CAIRN_SHAPE_DOUBLES], const double axis[3], const double pivot[3]) {
  switch ((int)shape[0]) {
  case CAIRN_SHAPE_PLANE:
    return is_parallel(shape + 4, axis);
  case CAIRN_SHAPE_DISK:
  case CAIRN_SHAPE_CYLINDER:
  case CAIRN_SHAPE_CONE:
  case CAIRN_SHAPE_RING:
    return is_parallel(shape + 4, axis) && is_on_axis(pivot, shape + 1, axis, shape[7]);
  case CAIRN_SHAPE_LINE:
    return is_parallel(shape + 4, axis) && is_on_axis(pivot, shape + 1, axis, 0);
  case CAIRN_SHAPE_SPHERE:
    return is_on_axis(pivot, shape + 1, axis, shape[7]);
  case CAIRN_SHAPE_POINT:
    return is_on_axis(pivot, shape + 1, axis, 0);
  default:
    return false;
  }
}

/* Distances at the start */

double cairn_walls_distance(const struct cairn_wall *wall, const double assembly_position[3], const double x[3],
                            double reach) {
  double y[3];
  for (int k = 0; k < 3; k++)
    y[k] = x[k] - assembly_position[k];
  if (!wall->mesh)
    return cairn_shapes_nearest(wall->shape, y[0], y[1], y[2]).distance;
  struct cairn_nearest touches[CAIRN_MESH_TOUCHES] = {{.distance = INFINITY}};
  int n = cairn_mesh_touches(wall->mesh->data, y[0], y[1], y[2], reach, touches);
  double least = INFINITY;
  for (int i = 0; i < n; i++)
    least = fmin(least, touches[i].distance);
  return least;
}

static void grow(struct cairn_walls_present *box, int k, double from, double to) {
  box->lower[k] = fmin(box->lower[k], fmin(from, to));
  box->upper[k] = fmax(box->upper[k], fmax(from, to));
}

/* The box, relative to the assembly. A circle of radius R reaches R √(1 - n²) along an axis. */
static void measure(const struct cairn_wall *wall, struct cairn_walls_present *box) {
  const double *s = wall->shape;
  for (int k = 0; k < 3; k++) {
    double n = s[4 + k], e1 = s[4 + k], e2 = s[7 + k], across = sqrt(fmax(0, 1 - n * n));
    box->lower[k] = box->upper[k] = s[1 + k];
    switch ((int)s[0]) {
    case CAIRN_SHAPE_DISK:
    case CAIRN_SHAPE_RING:
      grow(box, k, s[1 + k] - s[7] * across, s[1 + k] + s[7] * across);
      break;
    case CAIRN_SHAPE_RECTANGLE:
      grow(box, k, s[1 + k] + e1 + e2, s[1 + k]);
      grow(box, k, s[1 + k] + e1, s[1 + k] + e2);
      break;
    case CAIRN_SHAPE_TRIANGLE:
      grow(box, k, s[1 + k] + e1, s[1 + k] + e2);
      break;
    case CAIRN_SHAPE_CONE:
      grow(box, k, s[1 + k] - n * s[8] / 2 - s[7] * across, s[1 + k] - n * s[8] / 2 + s[7] * across);
      grow(box, k, s[1 + k] + n * s[8] / 2 - s[9] * across, s[1 + k] + n * s[8] / 2 + s[9] * across);
      break;
    case CAIRN_SHAPE_SPHERE:
      grow(box, k, s[1 + k] - s[7], s[1 + k] + s[7]);
      break;
    case CAIRN_SHAPE_LINE:
      grow(box, k, s[1 + k] - n * s[8] / 2, s[1 + k] + n * s[8] / 2);
      break;
    case CAIRN_SHAPE_MESH:
      box->lower[k] = wall->mesh->lower[k];
      box->upper[k] = wall->mesh->upper[k];
      break;
    }
  }
}

static bool is_endless(const double *shape) {
  return shape[0] == CAIRN_SHAPE_PLANE || shape[0] == CAIRN_SHAPE_CYLINDER ||
         (shape[0] == CAIRN_SHAPE_LINE && shape[8] < 0);
}

int cairn_walls_list_present(const struct cairn_scenario *scenario, struct cairn_walls_present **present, int32_t *n,
                             struct cairn_error *error) {
  *n = 0;
  *present = calloc((size_t)scenario->n_walls + 1, sizeof **present);
  if (!*present)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", scenario->file);
  for (int32_t w = 0; w < scenario->n_walls; w++) {
    const struct cairn_wall *wall = &scenario->walls[w];
    const struct cairn_assembly *assembly = &scenario->assemblies[wall->assembly];
    if (assembly->rules.appears > 0)
      continue;
    struct cairn_walls_present *box = &(*present)[(*n)++];
    box->wall = wall;
    box->position = assembly->position;
    measure(wall, box);
    for (int k = 0; k < 3; k++) {
      box->lower[k] = is_endless(wall->shape) ? -INFINITY : box->lower[k] + assembly->position[k];
      box->upper[k] = is_endless(wall->shape) ? INFINITY : box->upper[k] + assembly->position[k];
    }
  }
  return CAIRN_OK;
}

double cairn_walls_distance_within(const struct cairn_walls_present *present, const double x[3], double reach) {
  for (int k = 0; k < 3; k++)
    if (x[k] < present->lower[k] - reach || x[k] > present->upper[k] + reach)
      return INFINITY;
  return cairn_walls_distance(present->wall, present->position, x, reach);
}

bool cairn_walls_is_facing_away(const struct cairn_walls_present *present, const double *position, int64_t n) {
  bool is_away = present->wall->shape[0] == CAIRN_SHAPE_PLANE;
  for (int64_t i = 0; i < n && is_away; i++)
    is_away = cairn_walls_distance(present->wall, present->position, position + 3 * i, 0) < 0;
  return is_away;
}
