#include "view/scene/wall_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/geometry/wall_outline.h"
#include "kernels/common/vec3.h"

enum { SIDES = 6 }; /* of a curve drawn as a tube */

struct maker {
  const struct cairn_trajectory_frame *frame;
  const double (*box)[3];
  double thin;
  struct cairn_wall_mesh *mesh; /* NULL: count only */
  int64_t n;
};

/* A point of the world in the coordinates of the wall. */
static void to_local(const struct cairn_wall_sample *wall, const double world[3], double local[3]) {
  const double back[4] = {-wall->orientation[0], -wall->orientation[1], -wall->orientation[2], wall->orientation[3]};
  struct cairn_wall_sample turn = {0};
  double away[3];
  memcpy(turn.orientation, back, sizeof back);
  for (int k = 0; k < 3; k++)
    away[k] = world[k] - wall->position[k];
  cairn_wall_outline_place(&turn, away, local);
}

static void add(struct maker *m, int32_t wall, const double a[3], const double b[3], const double c[3]) {
  if (m->mesh) {
    double(*corner)[3] = m->mesh->corner[m->n];
    to_local(&m->frame->walls[wall], a, corner[0]);
    to_local(&m->frame->walls[wall], b, corner[1]);
    to_local(&m->frame->walls[wall], c, corner[2]);
    m->mesh->wall[m->n] = wall;
  }
  m->n++;
}

static void point(const struct maker *m, int32_t wall, int i, int j, double p[3]) {
  cairn_wall_outline_point(m->frame->shape[wall], &m->frame->walls[wall], m->box, i, j, p);
}

static void add_surface(struct maker *m, int32_t wall, const int n[2]) {
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < n[1]; j++) {
      double p[4][3];
      for (int k = 0; k < 4; k++)
        point(m, wall, i + (k & 1), j + (k >> 1), p[k]);
      add(m, wall, p[0], p[1], p[3]);
      add(m, wall, p[0], p[3], p[2]);
    }
}

/* Two unit vectors at right angles to `along` and each other. */
static void span(const double along[3], double e[3], double f[3]) {
  const double axis[3] = {fabs(along[0]) < 0.5, fabs(along[0]) >= 0.5, 0};
  cairn_vec3_cross(along, axis, e);
  const double length = sqrt(cairn_vec3_dot(e, e));
  for (int k = 0; k < 3; k++)
    e[k] /= length > 0. ? length : 1.;
  cairn_vec3_cross(along, e, f);
}

/* A piece of a tube from a to b. */
static void add_tube(struct maker *m, int32_t wall, const double a[3], const double b[3]) {
  double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, e[3], f[3];
  const double length = sqrt(cairn_vec3_dot(along, along));
  for (int k = 0; k < 3; k++)
    along[k] /= length > 0. ? length : 1.;
  span(along, e, f);
  for (int s = 0; s < SIDES; s++) {
    double p[4][3];
    for (int q = 0; q < 4; q++) {
      const double angle = 6.283185307179586 * ((s + (q & 1)) % SIDES) / SIDES;
      const double *end = q >> 1 ? b : a;
      for (int k = 0; k < 3; k++)
        p[q][k] = end[k] + m->thin * (cos(angle) * e[k] + sin(angle) * f[k]);
    }
    add(m, wall, p[0], p[1], p[3]);
    add(m, wall, p[0], p[3], p[2]);
  }
}

static void add_mesh(struct maker *m, int32_t wall) {
  const struct cairn_wall_triangles *triangles = &m->frame->triangles;
  int64_t first = 0;
  for (int32_t w = 0; w < wall && triangles->n > 0; w++)
    first += triangles->count[w];
  const int64_t n = triangles->n > 0 ? triangles->count[wall] : 0;
  if (m->mesh) {
    for (int64_t i = 0; i < n; i++) {
      memcpy(m->mesh->corner[m->n + i], triangles->corners + 9 * (first + i), 9 * sizeof(double));
      m->mesh->wall[m->n + i] = wall;
    }
    m->mesh->lacks_meshes |= n == 0;
  }
  m->n += n;
}

static void add_walls(struct maker *m) {
  for (int32_t w = 0; w < m->frame->n_walls; w++) {
    int n[2];
    if (!cairn_wall_outline_cells(m->frame->shape[w], n))
      add_mesh(m, w);
    else if (n[1] > 0)
      add_surface(m, w, n);
    for (int i = 0; i < n[0] && (int)m->frame->shape[w][0] != CAIRN_SHAPE_MESH && n[1] == 0; i++) {
      double a[3], b[3];
      point(m, w, i, 0, a);
      point(m, w, i + 1, 0, b);
      add_tube(m, w, a, b);
    }
    if ((int)m->frame->shape[w][0] == CAIRN_SHAPE_POINT) {
      double a[3], b[3];
      point(m, w, 0, 0, a);
      memcpy(b, a, sizeof b);
      a[2] -= m->thin;
      b[2] += m->thin;
      add_tube(m, w, a, b);
    }
  }
}

/* ---- things and containers ---- */

/* The box of a wall in its own coordinates. */
static void box_of(const struct cairn_wall_mesh *mesh, int32_t wall, double box[2][3]) {
  for (int k = 0; k < 3; k++) {
    box[0][k] = INFINITY;
    box[1][k] = -INFINITY;
  }
  for (int64_t i = 0; i < mesh->n; i++)
    for (int c = 0; c < 9 && mesh->wall[i] == wall; c++) {
      const double x = mesh->corner[i][c / 3][c % 3];
      box[0][c % 3] = fmin(box[0][c % 3], x);
      box[1][c % 3] = fmax(box[1][c % 3], x);
    }
}

/* A wall may be a thing if it is no sheet and smaller than half of what the bodies fill. */
static void find_solids(struct cairn_wall_mesh *mesh, const double (*bodies)[3]) {
  const double all = cairn_vec3_distance(bodies[0], bodies[1]);
  for (int32_t w = 0; w < mesh->n_walls; w++) {
    double box[2][3], least = INFINITY, most = 0.;
    box_of(mesh, w, box);
    for (int k = 0; k < 3; k++) {
      least = fmin(least, box[1][k] - box[0][k]);
      most = fmax(most, box[1][k] - box[0][k]);
    }
    mesh->solid[w] = least > 0.25 * most && most < 0.5 * all;
  }
}

/* Bodies inside of a wall make it a container. */
static void look(struct cairn_wall_mesh *mesh, const struct cairn_trajectory_frame *frame) {
  for (int32_t w = 0; w < mesh->n_walls && w < frame->n_walls; w++) {
    double box[2][3];
    box_of(mesh, w, box);
    for (int64_t i = 0; i < frame->state.n && mesh->solid[w]; i++) {
      double local[3], square = 0.;
      to_local(&frame->walls[w], frame->state.position + 3 * i, local);
      for (int k = 0; k < 3; k++)
        square += pow((2. * local[k] - box[0][k] - box[1][k]) / (box[1][k] - box[0][k]), 2);
      mesh->solid[w] = square > 0.9 || frame->state.captor[i] < 0; /* outside of the ellipsoid in its box */
    }
  }
}

int cairn_wall_mesh_look_at(struct cairn_wall_mesh *mesh, const struct cairn_run_record *run,
                            struct cairn_error *error) {
  bool unsure = false;
  for (int32_t w = 0; w < mesh->n_walls; w++)
    unsure |= mesh->solid[w];
  for (int k = 0; k < 2 && unsure; k++) {
    struct cairn_trajectory_frame frame;
    const int status = cairn_trajectory_read_frame(run->trajectory, k * run->n_frames / 2, &frame, error);
    if (status)
      return status;
    look(mesh, &frame);
    cairn_trajectory_frame_fini(&frame);
  }
  return 0;
}

int cairn_wall_mesh_make(const struct cairn_trajectory_frame *frame, const double (*box)[3], double thin,
                         struct cairn_wall_mesh *mesh, struct cairn_error *error) {
  struct maker count = {frame, box, thin, NULL, 0}, make = {frame, box, thin, mesh, 0};
  memset(mesh, 0, sizeof *mesh);
  add_walls(&count);
  mesh->corner = malloc(((size_t)count.n + 1) * sizeof *mesh->corner);
  mesh->wall = malloc(((size_t)count.n + 1) * sizeof *mesh->wall);
  mesh->n_walls = frame->n_walls;
  mesh->solid = calloc((size_t)frame->n_walls + 1, 1);
  if (!mesh->corner || !mesh->wall || !mesh->solid) {
    cairn_wall_mesh_fini(mesh);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the %lld triangles of walls",
                           (long long)count.n);
  }
  add_walls(&make);
  mesh->n = make.n;
  find_solids(mesh, box);
  look(mesh, frame);
  return 0;
}

void cairn_wall_mesh_fini(struct cairn_wall_mesh *mesh) {
  free(mesh->corner);
  free(mesh->wall);
  free(mesh->solid);
  memset(mesh, 0, sizeof *mesh);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void cairn_wall_mesh_box(const struct cairn_state *state, double box[2][3]) {
  enum { SAMPLE = 4000 };
  static const double OUTSIDE = 0.01;
  double value[SAMPLE];
  for (int k = 0; k < 3; k++) {
    int64_t n = 0, each = 1 + state->n / SAMPLE;
    double radius = 0.;
    for (int64_t i = 0; i < state->n; i += each) {
      if (state->captor[i] < 0)
        continue;
      value[n++] = state->position[3 * i + k];
      radius = fmax(radius, state->radius[i]);
    }
    qsort(value, (size_t)n, sizeof *value, by_value);
    const int64_t cut = (int64_t)(OUTSIDE * (double)n);
    box[0][k] = n > 0 ? value[cut] - radius : 0.;
    box[1][k] = n > 0 ? value[n - 1 - cut] + radius : 0.;
  }
}
