/* What the tests of walls share: meshes written to a temporary folder, and what the walls feel. */
#ifndef CAIRN_TESTS_WALL_SIM_H
#define CAIRN_TESTS_WALL_SIM_H

#include "sim.h"

#include <dirent.h>
#include <unistd.h>

static char wall_folder[512];

static inline void wall_remove_folder(void) {
  DIR *folder = opendir(wall_folder);
  char path[1024];
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    snprintf(path, sizeof path, "%s/%s", wall_folder, entry->d_name);
    if (entry->d_name[0] != '.' && remove(path))
      perror(path);
  }
  if (folder)
    closedir(folder);
  rmdir(wall_folder);
}

/* Call before the first mesh; the folder goes at the end of the program. */
static inline void wall_make_folder(void) {
  const char *base = getenv("TMPDIR");
  snprintf(wall_folder, sizeof wall_folder, "%s/cairn-walls-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(wall_folder))
    BAIL_OUT("no temporary folder: %s", wall_folder);
  atexit(wall_remove_folder);
}

/* A mesh being written as ASCII STL, which takes all digits of a double. */
struct wall_mesh {
  char path[1024];
  FILE *file;
};

static inline struct wall_mesh wall_mesh_open(const char *name) {
  struct wall_mesh mesh;
  snprintf(mesh.path, sizeof mesh.path, "%s/%s.stl", wall_folder, name);
  mesh.file = fopen(mesh.path, "w");
  if (!mesh.file)
    BAIL_OUT("cannot write %s", mesh.path);
  fprintf(mesh.file, "solid mesh\n");
  return mesh;
}

static inline void wall_mesh_triangle(struct wall_mesh *mesh, const double a[3], const double b[3], const double c[3]) {
  const double *const corner[3] = {a, b, c};
  fprintf(mesh->file, "facet normal 0 0 0\nouter loop\n");
  for (int k = 0; k < 3; k++)
    fprintf(mesh->file, "vertex %.17g %.17g %.17g\n", corner[k][0], corner[k][1], corner[k][2]);
  fprintf(mesh->file, "endloop\nendfacet\n");
}

/* A parallelogram as two triangles, cut along one diagonal or the other. */
static inline void wall_mesh_quad(struct wall_mesh *mesh, const double a[3], const double b[3], const double c[3],
                                  const double d[3], int other) {
  wall_mesh_triangle(mesh, a, b, other ? d : c);
  wall_mesh_triangle(mesh, c, d, other ? b : a);
}

static inline void wall_mesh_close(struct wall_mesh *mesh) {
  fprintf(mesh->file, "endsolid mesh\n");
  if (fclose(mesh->file))
    BAIL_OUT("cannot write %s", mesh->path);
}

/* The walls as they are now. */
static inline void wall_observe(struct cairn_simulation *sim, struct cairn_wall_sample *samples) {
  struct cairn_error error = {0};
  if (cairn_simulation_observe_walls(sim, samples, &error))
    BAIL_OUT("%s", error.message);
}

static inline void wall_cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* A vector turned by the unit quaternion x y z w. */
static inline void wall_turn(const double q[4], const double v[3], double out[3]) {
  double u[3], t[3];
  wall_cross(q, v, u);
  for (int k = 0; k < 3; k++)
    t[k] = u[k] + q[3] * v[k];
  wall_cross(q, t, u);
  for (int k = 0; k < 3; k++)
    out[k] = v[k] + 2. * u[k];
}

static inline double wall_distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Damping constant of the law over √(k m): C = wall_damping(ε) √(k m). */
static inline double wall_damping(double restitution) {
  const double l = log(restitution);
  return -2. * l / sqrt(SIM_PI * SIM_PI + l * l);
}

/* Grain i, or with i = -1 the first assembly. */
struct mover {
  const double *x, *v, *w;
  double mass;
};

static inline struct mover mover_at(const struct cairn_scenario *s, const struct cairn_state *b, int64_t i) {
  return i < 0
             ? (struct mover){b->assembly_position, b->assembly_velocity, b->assembly_spin, s->assemblies[0].rules.mass}
             : (struct mover){b->position + 3 * i, b->velocity + 3 * i, b->spin + 3 * i, b->mass[i]};
}

#endif
