/* The same surface as planes, as rectangles and as meshes: what a sphere does there must not depend on how it is
 * described, nor on where the edges of a mesh run. */
#include "contacts.h"
#include "wall_sim.h"

static const double RADIUS = 0.1;

/* ---- a box ---- */

/* A cube of side 1: a corner and three edges at right angles. */
struct box {
  double corner[3], edge[3][3];
};

static void point_of(const struct box *b, double x, double y, double z, double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = b->corner[k] + x * b->edge[0][k] + y * b->edge[1][k] + z * b->edge[2][k];
}

/* A point of the side (axis, far): u and v from 0 to 1. */
static void side_point(const struct box *b, int axis, int far, double u, double v, double out[3]) {
  double x[3];
  x[axis] = far;
  x[(axis + 1) % 3] = u;
  x[(axis + 2) % 3] = v;
  point_of(b, x[0], x[1], x[2], out);
}

enum description { PLANES, RECTANGLES, MESH };

static void describe_box(const struct box *b, enum description how, int n, char *text, size_t size) {
  size_t used = 0;
  struct wall_mesh mesh = {.file = NULL};
  if (how == MESH)
    mesh = wall_mesh_open("box");
  for (int side = 0; side < 6; side++) {
    const int axis = side / 2, far = side % 2;
    const double *u = b->edge[(axis + 1) % 3], *v = b->edge[(axis + 2) % 3], sign = far ? -1. : 1.;
    double p[3], q[3], r[3], s[3];
    side_point(b, axis, far, 0., 0., p);
    if (how == PLANES)
      used +=
          (size_t)snprintf(text + used, size - used,
                           "  - plane: {point: [%.17g, %.17g, %.17g], normal: [%.17g, %.17g, %.17g], material: a}\n",
                           p[0], p[1], p[2], sign * b->edge[axis][0], sign * b->edge[axis][1], sign * b->edge[axis][2]);
    if (how == RECTANGLES)
      used += (size_t)snprintf(text + used, size - used,
                               "  - rectangle: {corner: [%.17g, %.17g, %.17g], edge1: [%.17g, %.17g, %.17g], edge2: "
                               "[%.17g, %.17g, %.17g], material: a}\n",
                               p[0], p[1], p[2], u[0], u[1], u[2], v[0], v[1], v[2]);
    for (int i = 0; how == MESH && i < n * n; i++) {
      const double x = (double)(i % n), y = (double)(i / n), h = (double)n; /* NOLINT */
      side_point(b, axis, far, x / h, y / h, p);
      side_point(b, axis, far, (x + 1.) / h, y / h, q);
      side_point(b, axis, far, (x + 1.) / h, (y + 1.) / h, r);
      side_point(b, axis, far, x / h, (y + 1.) / h, s);
      wall_mesh_quad(&mesh, p, q, r, s, (i % n + i / n + side) % 2);
    }
  }
  if (how == MESH) {
    wall_mesh_close(&mesh);
    snprintf(text, size, "  - mesh: {file: '%s', material: a}\n", mesh.path);
  }
}

enum { STRIDE = 240, SAMPLES = 80, ROLLED = 120, STEPS = 50 };

struct path {
  double sample[SAMPLES][9]; /* position, velocity, spin */
};

/* Gravity along the third edge; the sphere starts in the air and ends rolling on the floor from side to side. */
static void run_box(const struct box *b, enum description how, int n, struct path *path) {
  static char walls[8192];
  describe_box(b, how, n, walls, sizeof walls);
  const double g = -9.81, *up = b->edge[2];
  struct cairn_scenario *s = sim_scenario(
      "time: {end: 100, step: 1.4e-4}\n"
      "gravity: {uniform: [%.17g, %.17g, %.17g]}\n"
      "materials: [{name: a, density: 2500}]\n"
      "interactions: [{between: [a, a], stiffness: 2e6, restitution: 0.8, tangential_restitution: 0.5, friction: 0.2,\n"
      "                slip: 1, rolling_friction: 0.005, twisting_friction: 0.005}]\n"
      "bodies: [{single: {position: [%.17g, %.17g, %.17g], radius: %.17g, material: a}}]\n"
      "walls:\n%s"
      "overlap: {limit: 1}\n",
      g * up[0], g * up[1], g * up[2], b->corner[0] + 0.5 * (b->edge[0][0] + b->edge[1][0] + b->edge[2][0]),
      b->corner[1] + 0.5 * (b->edge[0][1] + b->edge[1][1] + b->edge[2][1]),
      b->corner[2] + 0.5 * (b->edge[0][2] + b->edge[1][2] + b->edge[2][2]), RADIUS, walls);
  const double v[3] = {2.3, 1.7, 1.1}, w[3] = {9., -14., 21.};
  for (int k = 0; k < 3; k++) {
    s->initial.velocity[k] = v[0] * b->edge[0][k] + v[1] * b->edge[1][k] + v[2] * b->edge[2][k];
    s->initial.spin[k] = w[0] * b->edge[0][k] + w[1] * b->edge[1][k] + w[2] * b->edge[2][k];
  }
  struct cairn_simulation *sim = sim_create(s);
  for (int i = 0; i < SAMPLES; i++) {
    sim_advance(sim, STRIDE);
    const struct cairn_state *state = sim_state(sim);
    memcpy(path->sample[i], state->position, 3 * sizeof(double));
    memcpy(path->sample[i] + 3, state->velocity, 3 * sizeof(double));
    memcpy(path->sample[i] + 6, state->spin, 3 * sizeof(double));
  }
  sim_free(sim, s);
}

/* Reversals of the velocity along any edge. */
static int count_bounces(const struct box *b, const struct path *path) {
  int n = 0;
  for (int i = 1; i < SAMPLES; i++)
    for (int k = 0; k < 3; k++) {
      const double *v = path->sample[i] + 3, *u = path->sample[i - 1] + 3, *e = b->edge[k];
      n += (v[0] * e[0] + v[1] * e[1] + v[2] * e[2]) * (u[0] * e[0] + u[1] * e[1] + u[2] * e[2]) < 0.;
    }
  return n;
}

static void compare(const struct path *a, const struct path *b, const char *name) {
  double displacement = 0., speed = 0., spin = 0.;
  for (int i = 0; i < SAMPLES; i++) {
    displacement = fmax(displacement, wall_distance(a->sample[i], b->sample[i]));
    speed = fmax(speed, wall_distance(a->sample[i] + 3, b->sample[i] + 3));
    spin = fmax(spin, wall_distance(a->sample[i] + 6, b->sample[i] + 6));
  }
  note("%s: off by %.1e m, %.1e m/s, %.1e rad/s", name, displacement, speed, spin);
  /* Flat walls do not spread paths: what rounding does to a velocity at a bounce (1e-15 m/s) grows linearly with time
     only, and a contact carries it on with factors of order one. Friction and the losses at bounces pull paths
     together. The box is 1 m, speeds are up to 5 m/s, spins up to 50 rad/s: 1e-9 of each leaves room for the hundred
     bounces of these 2.7 s. A path that misses one edge differs by 1e-3. */
  ok(displacement < 1e-9, "%s: the same path", name);
  ok(speed < 5e-9, "%s: the same velocity", name);
  ok(spin < 5e-8, "%s: the same spin", name);
}

static void test_box(const struct box *b, const char *name) {
  static struct path planes, other;
  char label[80];
  run_box(b, PLANES, 0, &planes);
  const int bounces = count_bounces(b, &planes);
  const double *last = planes.sample[SAMPLES - 1], *up = b->edge[2];
  const double height =
      (last[0] - b->corner[0]) * up[0] + (last[1] - b->corner[1]) * up[1] + (last[2] - b->corner[2]) * up[2];
  note("%s: %d bounces, at the end %.6g m above the floor with %.3g m/s", name, bounces, height,
       sqrt(last[3] * last[3] + last[4] * last[4] + last[5] * last[5]));
  ok(bounces > 20, "%s: the sphere bounces from all sides", name);
  tap_near(height, RADIUS, 1e-3, 0., "%s: and rolls on the floor at the end", name);
  run_box(b, RECTANGLES, 0, &other);
  snprintf(label, sizeof label, "%s of rectangles", name);
  compare(&planes, &other, label);
  for (int n = 1; n <= 7; n += 6) {
    run_box(b, MESH, n, &other);
    snprintf(label, sizeof label, "%s of %d triangles", name, 12 * n * n);
    compare(&planes, &other, label);
  }
}

/* A turned coordinate system: rows of a rotation matrix by three angles. */
static void turned_box(double a, double b, double c, struct box *box) {
  const double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), cc = cos(c), sc = sin(c);
  const double edge[3][3] = {{cb * cc, cb * sc, -sb},
                             {sa * sb * cc - ca * sc, sa * sb * sc + ca * cc, sa * cb},
                             {ca * sb * cc + sa * sc, ca * sb * sc - sa * cc, ca * cb}};
  memcpy(box->edge, edge, sizeof edge);
}

/* ---- a plane of triangles ---- */

/* 46 × 21 points 0.1 m apart, moved at random within the plane but for every seventh row, whose edges lie on a line. */
enum { LONG = 46, WIDE = 21, STRAIGHT = 7 };

static void write_floor(const struct box *frame, struct wall_mesh *mesh) {
  static double point[WIDE][LONG][3];
  uint64_t random = 12345;
  for (int j = 0; j < WIDE; j++)
    for (int i = 0; i < LONG; i++) {
      double shift[2];
      for (int k = 0; k < 2; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        shift[k] = j % STRAIGHT == 3 ? 0. : ((double)(random >> 40) / 16777216. - 0.5) * 0.07;
      }
      point_of(frame, 0.1 * (double)(i - 5) + shift[0], 0.1 * (double)(j - 10) + shift[1], 0., point[j][i]);
    }
  *mesh = wall_mesh_open("floor");
  for (int j = 0; j + 1 < WIDE; j++)
    for (int i = 0; i + 1 < LONG; i++)
      wall_mesh_quad(mesh, point[j][i], point[j][i + 1], point[j + 1][i + 1], point[j + 1][i], (i + j) % 2);
  wall_mesh_close(mesh);
}

struct roll {
  double sample[ROLLED][12]; /* position, velocity, spin, spring */
  int64_t contacts;          /* most at a time */
  int64_t reset;             /* samples at which the contact was not as old as the run */
};

/* Down a slope of 0.2 rad in the direction `angle` of the plane, from y beside the middle. The slope loads the
 * tangential spring, so that one that is lost, or turned wrongly, shows. */
static void run_floor(const struct box *frame, const struct wall_mesh *mesh, double angle, double y,
                      struct roll *roll) {
  const double slope = 0.2, g = 9.81, k = 1e6, *n = frame->edge[2], c = cos(angle), d = sin(angle), speed = 1.;
  char wall[2048];
  if (mesh)
    snprintf(wall, sizeof wall, "mesh: {file: '%s', material: a}", mesh->path);
  else
    snprintf(wall, sizeof wall, "plane: {point: [%.17g, %.17g, %.17g], normal: [%.17g, %.17g, %.17g], material: a}",
             frame->corner[0], frame->corner[1], frame->corner[2], n[0], n[1], n[2]);
  double down[3], axis[3];
  for (int i = 0; i < 3; i++) {
    down[i] = g * (sin(slope) * (c * frame->edge[0][i] + d * frame->edge[1][i]) - cos(slope) * n[i]);
    axis[i] = c * frame->edge[1][i] - d * frame->edge[0][i];
  }
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100, step: 1.4e-4}\n"
                   "gravity: {uniform: [%.17g, %.17g, %.17g]}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: %g, restitution: 0.5, tangential_restitution: 0.5,\n"
                   "                friction: 0.5, slip: 1, rolling_friction: 0.02}]\n"
                   "bodies: [{single: {position: [0, 0, 9], radius: %.17g, material: a}}]\n"
                   "walls: [{%s}]\n"
                   "overlap: {limit: 1}\n",
                   down[0], down[1], down[2], k, RADIUS, wall);
  const double height = RADIUS - s->initial.mass[0] * g * cos(slope) / k;
  point_of(frame, 0., y, height, s->initial.position);
  for (int i = 0; i < 3; i++) {
    s->initial.velocity[i] = speed * (c * frame->edge[0][i] + d * frame->edge[1][i]);
    s->initial.spin[i] = speed / height * axis[i];
  }
  struct cairn_simulation *sim = sim_create(s);
  const uint32_t first = sim_state(sim)->wall_contacts.n == 1 ? touch_of(sim_state(sim), 0)->age : 0;
  memset(roll, 0, sizeof *roll);
  for (int i = 0; i < ROLLED; i++) {
    sim_advance(sim, STEPS);
    const struct cairn_state *state = sim_state(sim);
    memcpy(roll->sample[i], state->position, 3 * sizeof(double));
    memcpy(roll->sample[i] + 3, state->velocity, 3 * sizeof(double));
    memcpy(roll->sample[i] + 6, state->spin, 3 * sizeof(double));
    if (state->wall_contacts.n > 0)
      memcpy(roll->sample[i] + 9, TOUCH_MEMORY(state, 0, spring), 3 * sizeof(double));
    roll->contacts = state->wall_contacts.n > roll->contacts ? state->wall_contacts.n : roll->contacts;
    roll->reset += state->wall_contacts.n < 1 || touch_of(state, 0)->age != first + (uint32_t)(STEPS * (i + 1));
  }
  sim_free(sim, s);
}

static void test_floor(const struct box *frame, const struct wall_mesh *mesh, double angle, double y,
                       const char *name) {
  static struct roll plane, tiles;
  double off[4] = {0., 0., 0., 0.};
  run_floor(frame, NULL, angle, y, &plane);
  run_floor(frame, mesh, angle, y, &tiles);
  for (int i = 0; i < ROLLED; i++)
    for (int k = 0; k < 4; k++)
      off[k] = fmax(off[k], wall_distance(plane.sample[i] + 3 * k, tiles.sample[i] + 3 * k));
  const double displacement = wall_distance(tiles.sample[0], tiles.sample[ROLLED - 1]);
  note("%s: %.2f m, off by %.1e m, %.1e m/s, %.1e rad/s, spring %.1e m", name, displacement, off[0], off[1], off[2],
       off[3]);
  ok(displacement > 1., "%s: rolls over many triangles", name);
  /* Rounding alone: 6000 steps, each with a force of 100 N that has lost four digits of sixteen to the subtraction of
     the distance from the radius, make 1e-12 m/s at most; the spring is 2e-5 m. An edge that is felt, or a spring that
     is forgotten, makes 1e-5 m/s. */
  ok(off[0] < 1e-12 && off[1] < 1e-12, "%s: as on the plane", name);
  ok(off[2] < 1e-11, "%s: with the same spin", name);
  ok(off[3] < 1e-16, "%s: and the same spring", name);
  cmp_ok(tiles.contacts, "==", 1, "%s: touches once, also on edges and corners", name);
  cmp_ok(tiles.reset, "==", 0, "%s: the contact is as old as the run", name);
}

/* ---- a tube of flat strips ---- */

/* A tube along y of n strips. */
static struct wall_mesh write_pipe(double radius, int n) {
  struct wall_mesh mesh = wall_mesh_open("pipe");
  for (int i = 0; i < n; i++) {
    double corner[4][3];
    for (int k = 0; k < 4; k++) {
      const double a = 2. * SIM_PI * ((double)(i + (k == 1 || k == 2)) + 0.5) / (double)n;
      corner[k][0] = radius * sin(a);
      corner[k][1] = k < 2 ? -1. : 1.;
      corner[k][2] = -radius * cos(a);
    }
    wall_mesh_quad(&mesh, corner[0], corner[1], corner[2], corner[3], i % 2);
  }
  wall_mesh_close(&mesh);
  return mesh;
}

struct swing {
  double x[ROLLED];
  double tilt;       /* largest part of the spring along the normal */
  double pull;       /* how far friction is from 2/7 of the downhill force, as a part of it, at most */
  int64_t contacts;  /* most at a time */
  int64_t age, last; /* of the oldest contact at the end; steps of the run */
};

/* A sphere where x = 0 with the speed v along x; the surface below it is at z = top. */
static void run_pipe(const struct wall_mesh *mesh, double radius, double top, double v, int64_t steps,
                     struct swing *swing) {
  char wall[2048];
  if (mesh)
    snprintf(wall, sizeof wall, "mesh: {file: '%s', material: a}", mesh->path);
  else
    snprintf(wall, sizeof wall, "cylinder: {axis: [0, 1, 0], radius: %.17g, material: a}", radius);
  struct cairn_scenario *s =
      sim_scenario("time: {end: 100, step: 1.4e-4}\n"
                   "gravity: {uniform: [0, 0, -9.81]}\n"
                   "materials: [{name: a, density: 2500}]\n"
                   "interactions: [{between: [a, a], stiffness: 1e6, restitution: 0.1, tangential_restitution: 0.1,\n"
                   "                friction: 0.8, slip: 1}]\n"
                   "bodies: [{single: {position: [0, 0, 9], radius: %.17g, material: a}}]\n"
                   "walls: [{%s}]\n"
                   "overlap: {limit: 1}\n",
                   RADIUS, wall);
  const double weight = s->initial.mass[0] * 9.81, height = RADIUS - weight / 1e6;
  sim_vector(s->initial.position, 0, 0., 0., top + height);
  sim_vector(s->initial.velocity, 0, v, 0., 0.);
  sim_vector(s->initial.spin, 0, 0., v / height, 0.);
  struct cairn_simulation *sim = sim_create(s);
  memset(swing, 0, sizeof *swing);
  for (int i = 0; i < ROLLED; i++) {
    sim_advance(sim, steps);
    const struct cairn_state *state = sim_state(sim);
    swing->x[i] = state->position[0];
    swing->age = 0;
    for (int64_t k = 0; k < state->wall_contacts.n; k++) {
      const double *t = TOUCH_MEMORY(state, k, spring), *n = TOUCH_MEMORY(state, k, normal);
      const double size = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
      swing->age = touch_of(state, k)->age > swing->age ? touch_of(state, k)->age : swing->age;
      if (state->step > 2000)
        swing->pull = fmax(swing->pull, fabs(size * 2. / 7. * 1e6 / (2. / 7. * weight * fabs(n[0])) - 1.));
      swing->tilt = fmax(swing->tilt, fabs(t[0] * n[0] + t[1] * n[1] + t[2] * n[2]) / (size > 0. ? size : 1.));
    }
    swing->contacts = state->wall_contacts.n > swing->contacts ? state->wall_contacts.n : swing->contacts;
  }
  swing->last = cairn_simulation_step(sim);
  sim_free(sim, s);
}

/* Inside, edges go in: the sphere touches the next strip before it leaves the last one. At each edge, which turns the
 * surface by α, the part v α of the velocity comes in along the new normal and is lost, at most; there are 1/α edges on
 * each radian of the way, so the energy falls by the part α per radian at most and the amplitude by half of that. */
static void test_pipe(int n) {
  static struct swing round, strips, back;
  const double radius = 1., v = 1., alpha = 2. * SIM_PI / (double)n;
  const struct wall_mesh mesh = write_pipe(radius, n);
  double off = 0., asymmetry = 0., displacement = 0., amplitude = 0.;
  run_pipe(NULL, radius, -radius, v, 100, &round);
  run_pipe(&mesh, radius, -radius * cos(0.5 * alpha), v, 100, &strips);
  run_pipe(&mesh, radius, -radius * cos(0.5 * alpha), -v, 100, &back);
  for (int i = 0; i < ROLLED; i++) {
    off = fmax(off, fabs(strips.x[i] - round.x[i]));
    asymmetry = fmax(asymmetry, fabs(strips.x[i] + back.x[i]));
    displacement += i > 0 ? fabs(round.x[i] - round.x[i - 1]) : 0.;
    amplitude = fmax(amplitude, fabs(round.x[i]));
  }
  note("pipe of %d strips: off by %.2e m of %.3f, left from right by %.1e m", n, off, amplitude, asymmetry);
  ok(off < 0.5 * alpha * displacement / radius * amplitude, "a pipe of %d strips is round to the order of their angle",
     n);
  /* the mesh is its own mirror image but for the diagonals and the order of its triangles; the swing is stable */
  ok(asymmetry < 1e-12, "a pipe of %d strips is the same to the left and to the right", n);
  ok(strips.tilt < 1e-12, "a pipe of %d strips: springs lie in its faces", n);
}

/* Outside, edges stick out: the sphere turns about them without leaving the surface, with one spring. Its way about an
 * edge is an arc of the radius r, so it stays on as long as v² < g r. */
static void test_hill(int n) {
  static struct swing strips;
  const struct wall_mesh mesh = write_pipe(1., n);
  run_pipe(&mesh, 1., cos(SIM_PI / (double)n), 0.2, 50, &strips);
  note("hill of %d strips: from 0 to x = %.3f m, contact of %lld of %lld steps, spring off the face by %.1e, friction "
       "by %.1e",
       n, strips.x[ROLLED - 1], (long long)strips.age, (long long)strips.last, strips.tilt, strips.pull);
  ok(strips.x[ROLLED - 1] > 1.5 * 2. * SIM_PI / (double)n, "a hill of %d strips: rolls over edges", n);
  cmp_ok(strips.contacts, "==", 1, "a hill of %d strips: touches once", n);
  cmp_ok(strips.age, ">=", strips.last, "a hill of %d strips: the contact is as old as the run", n);
  ok(strips.tilt < 1e-12, "a hill of %d strips: its spring turns with the normal", n);
  /* Rolling down a face, and about an edge, F = m g sin θ I/(I + m r²). Part of it is damping: the spring lags behind
     by C/k = 7 ms, and about an edge F grows at the rate (v/r)/tan θ, here up to 30 /s: a fifth. A spring that is
     forgotten where the normal turns is all missing. */
  ok(strips.pull < 0.3, "a hill of %d strips: and carries 2/7 of the downhill force all the way", n);
}

int main(void) {
  static const struct box straight = {{-0.2, 0.1, -0.3}, {{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}}};
  struct box turned = {.corner = {0.3, -0.4, 0.2}};
  turned_box(0.5, -0.7, 1.1, &turned);
  plan(NO_PLAN);
  wall_make_folder();
  sim_start(1);
  test_box(&straight, "a box");
  test_box(&turned, "a turned box");
  struct wall_mesh mesh;
  for (int k = 0; k < 2; k++) {
    const struct box *frame = k ? &turned : &straight;
    const char *name = k ? "turned floor" : "floor";
    char label[80];
    write_floor(frame, &mesh);
    snprintf(label, sizeof label, "%s, along edges", name);
    test_floor(frame, &mesh, 0., 0., label);
    snprintf(label, sizeof label, "%s, between edges", name);
    test_floor(frame, &mesh, 0., 0.23, label);
    snprintf(label, sizeof label, "%s, across", name);
    test_floor(frame, &mesh, 0.3, -0.4, label);
    snprintf(label, sizeof label, "%s, through corners", name);
    test_floor(frame, &mesh, atan(0.5), -0.7, label);
  }
  for (int n = 64; n <= 1024; n *= 4)
    test_pipe(n);
  test_hill(64);
  test_hill(256);
  cairn_engine_stop();
  done_testing();
}
