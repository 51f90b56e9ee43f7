#include "kernels/rigid_cell.h"

#include <string.h>

struct cairn_rigid_cell cairn_kernel_rigid_bind(struct cairn_cell_size size, int rotation, void *lines, void *rigid) {
  const struct cairn_rigid_offsets o = cairn_rigid_offsets(size);
  char *memory = rigid;
  return (struct cairn_rigid_cell){
      .size = size,
      .lines = lines,
      .n_contacts = (cairn_int *)memory,
      .contact = (struct cairn_rigid_contact *)(memory + o.contact),
      .turning = rotation ? (struct cairn_rigid_turning *)(memory + o.turning) : NULL,
      .old = (double *)(memory + o.old),
      .direction = (double *)(memory + o.direction),
      .old_lines = (double *)(memory + o.old_lines),
      .line_direction = (double *)(memory + o.line_direction),
  };
}

/* ---- the beginning of a step ---- */

static const struct cairn_rigid_law *law_of(const struct cairn_soft_spheres *b, int32_t k) {
  return (const struct cairn_rigid_law *)(b->world + CAIRN_WORLD_LAWS) + b->law[k];
}

static double *line_of(const struct cairn_rigid_cell *c, int32_t i) { return c->lines + (int64_t)CAIRN_RIGID * i; }

/* The velocity a body would have at the end of the step without contacts. */
static void free_body(const double *view, const double *gravity, double h, double *line) {
  const double r = view[CAIRN_VIEW_R], inertia = 1. / view[CAIRN_VIEW_I];
  for (int k = 0; k < 3; k++) {
    line[CAIRN_RIGID_V + k] = view[CAIRN_VIEW_V + k] + h * gravity[k];
    line[CAIRN_RIGID_S + k] = view[CAIRN_VIEW_W + k] * r;
  }
  line[CAIRN_RIGID_IM] = r * r / (CAIRN_RIGID_GYRATION * inertia);
  line[CAIRN_RIGID_IR] = 1. / r;
}

static void ground(double *line) {
  memset(line, 0, CAIRN_RIGID * sizeof *line);
  line[CAIRN_RIGID_IR] = 1.;
}

/* Relative velocity before the step at a contact of a body with view p and one with view q, or the ground (NULL). */
static void velocity_before(const double *p, const double *q, const double *n, double u[3]) {
  double s[3];
  for (int k = 0; k < 3; k++)
    s[k] = p[CAIRN_VIEW_R] * p[CAIRN_VIEW_W + k] + (q ? q[CAIRN_VIEW_R] * q[CAIRN_VIEW_W + k] : 0.);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    u[k] = (q ? q[CAIRN_VIEW_V + k] : 0.) - p[CAIRN_VIEW_V + k] + (n[i] * s[j] - n[j] * s[i]);
  }
}

/* Bodies may come nearer than they would alone, pushed by others: gaps below this count, in parts of the radius. */
static const double ALERT = 0.02;

/* What a candidate knows before it becomes a contact. */
struct candidate {
  int32_t pair, b;
  double n[3], gap, radius;
  const double *p, *q;
  double wall[3]; /* m/s, velocity of the wall there */
};

/* Moreau's rule with Newton's restitution: what touches leaves with e times the velocity before the step, reversed;
 * with e = 0 a contact may also close its gap within the step. An overlap is not pushed apart. A gap that closes with
 * restitution is left to the step that finds it closed: otherwise it would take energy. */
static int set_target(const struct candidate *x, const struct cairn_rigid_law *law, const struct cairn_rigid_step *step,
                      struct cairn_rigid_contact *k) {
  double u[3];
  velocity_before(x->p, x->q, x->n, u);
  for (int i = 0; i < 3; i++)
    u[i] += x->wall[i];
  const double un = u[0] * x->n[0] + u[1] * x->n[1] + u[2] * x->n[2];
  const double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), range = law->cohesion > 0. ? law->range : 0.;
  if (x->gap > (law->restitution > 0. ? range : 2. * step->h * speed + ALERT * x->radius + range))
    return 0;
  const double gap = x->gap > 0. ? x->gap / step->h : 0., across = x->gap <= 0. ? law->rebound : 0.;
  for (int i = 0; i < 3; i++)
    k->c[i] = (law->restitution * un + gap) * x->n[i] + across * (u[i] - un * x->n[i]) + x->wall[i];
  k->cohesion = x->gap <= range ? law->cohesion * step->h : 0.;
  return 1;
}

/* Lengths are given over the reduced radius, 1/r = 1/r_a + 1/r_b. */
static void add_turning(const double *a, const double *b, const struct cairn_rigid_law *law,
                        struct cairn_rigid_turning *t) {
  const double ia = a[CAIRN_RIGID_IR], ib = b[CAIRN_RIGID_IM] > 0. ? b[CAIRN_RIGID_IR] : 0.;
  const double radius = 1. / (ia + ib);
  *t = (struct cairn_rigid_turning){
      .inverse = 1. / (CAIRN_RIGID_GYRATION * (a[CAIRN_RIGID_IM] * ia * ia + b[CAIRN_RIGID_IM] * ib * ib)),
      .roll = law->rolling * radius,
      .twist = law->twisting * radius};
}

static double add_contact(const struct cairn_rigid_cell *c, const struct cairn_soft_spheres *b,
                          const struct candidate *x, const struct cairn_rigid_step *step) {
  struct cairn_rigid_contact *k = c->contact + *c->n_contacts;
  const struct cairn_rigid_law *law = law_of(b, x->pair);
  if (!set_target(x, law, step, k))
    return 0.;
  const double *first = line_of(c, b->a[x->pair]), *second = line_of(c, x->b);
  const double old = b->age[x->pair] > 0 ? 1. : 0.;
  memcpy(k->n, x->n, sizeof k->n);
  k->a = b->a[x->pair];
  k->b = x->b;
  k->pair = x->pair;
  k->law = b->law[x->pair];
  k->friction = law->friction;
  k->inverse = 1. / (first[CAIRN_RIGID_IM] + second[CAIRN_RIGID_IM]);
  k->p[0] = old * b->sx[x->pair];
  k->p[1] = old * b->sy[x->pair];
  k->p[2] = old * b->sz[x->pair];
  if (c->turning)
    add_turning(first, second, law, c->turning + *c->n_contacts);
  double q[3], square = 0.;
  cairn_rigid_velocity(first, second, k->n, q);
  for (int i = 0; i < 3; i++)
    square += (q[i] + k->c[i]) * (q[i] + k->c[i]);
  *c->n_contacts += 1;
  return 3. / (1. + 2. * CAIRN_RIGID_ACROSS) * k->inverse * square;
}

static double pair_of_bodies(const struct cairn_rigid_cell *c, const struct cairn_soft_spheres *b, int32_t pair,
                             const struct cairn_rigid_step *step) {
  struct candidate x = {.pair = pair, .b = b->b[pair]};
  x.p = b->view + (int64_t)CAIRN_VIEW * b->a[pair];
  x.q = b->view + (int64_t)CAIRN_VIEW * x.b;
  const double d[3] = {x.q[0] - x.p[0], x.q[1] - x.p[1], x.q[2] - x.p[2]};
  const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int k = 0; k < 3; k++)
    x.n[k] = d[k] / distance;
  x.gap = distance - x.p[CAIRN_VIEW_R] - x.q[CAIRN_VIEW_R];
  x.radius = fmin(x.p[CAIRN_VIEW_R], x.q[CAIRN_VIEW_R]);
  return add_contact(c, b, &x, step);
}

/* Pairs with one wall, from `pair` on; *n_slots says how many they are. */
static double pairs_with_wall(const struct cairn_rigid_cell *c, const struct cairn_soft_spheres *b, int32_t pair,
                              const struct cairn_rigid_step *step, int32_t *n_slots) {
  const double *wall = cairn_walls_of(b->world, b->n_laws) + (int64_t)CAIRN_WALL * b->b[pair];
  const double *assembly = cairn_walls_assembly(wall, b->assemblies), *w = assembly + CAIRN_ASSEMBLY_W;
  const double *p = b->view + (int64_t)CAIRN_VIEW * b->a[pair];
  struct cairn_nearest touch[CAIRN_WALL_TOUCHES];
  double sum = 0.;
  const double reach = 2. * cairn_walls_reach(p, assembly, step->h) - p[CAIRN_VIEW_R] * (1. - ALERT);
  const int32_t n = cairn_walls_touches(b->world, wall, assembly, p, reach, touch);
  *n_slots = cairn_walls_is_mesh(wall) ? CAIRN_WALL_TOUCHES : 1;
  for (int32_t k = 0; k < n; k++) {
    struct candidate x = {
        .pair = pair + k, .b = c->size.n + c->size.n_halo, .n = {touch[k].nx, touch[k].ny, touch[k].nz}};
    double arm[3];
    x.p = p;
    x.gap = touch[k].distance - p[CAIRN_VIEW_R];
    x.radius = p[CAIRN_VIEW_R];
    for (int i = 0; i < 3; i++)
      arm[i] = p[i] + touch[k].distance * x.n[i] - assembly[CAIRN_ASSEMBLY_X + i];
    for (int i = 0; i < 3; i++)
      x.wall[i] =
          assembly[CAIRN_ASSEMBLY_V + i] + (w[(i + 1) % 3] * arm[(i + 2) % 3] - w[(i + 2) % 3] * arm[(i + 1) % 3]);
    sum += add_contact(c, b, &x, step);
  }
  return sum;
}

double cairn_kernel_rigid_begin(const struct cairn_rigid_cell *c, const struct cairn_soft_spheres *b,
                                const struct cairn_rigid_step *step) {
  const int32_t n = c->size.n, all = n + c->size.n_halo, n_pairs = c->size.n_pairs;
  double sum = 0.;
  int32_t n_slots = 1;
  for (int32_t i = 0; i < n; i++)
    cairn_blocks_predict(b->state + (int64_t)CAIRN_STATE * i, (1. - step->theta) * step->h,
                         b->view + (int64_t)CAIRN_VIEW * i);
  for (int32_t i = 0; i < all; i++)
    free_body(b->view + (int64_t)CAIRN_VIEW * i, b->world + CAIRN_WORLD_GX, step->h, line_of(c, i));
  ground(line_of(c, all));
  *c->n_contacts = 0;
  for (int32_t k = 0; k < n_pairs; k++)
    if (b->a[k] < n)
      sum += pair_of_bodies(c, b, k, step);
  for (int32_t k = n_pairs; k < n_pairs + c->size.n_wall_pairs; k += n_slots)
    sum += pairs_with_wall(c, b, k, step, &n_slots);
  return sum;
}

void cairn_kernel_rigid_warm(const struct cairn_rigid_cell *c) {
  for (int32_t k = 0; k < *c->n_contacts; k++)
    cairn_rigid_push(line_of(c, c->contact[k].a), line_of(c, c->contact[k].b), c->contact[k].n, c->contact[k].p);
}

/* ---- iterations ---- */

static double visit(const struct cairn_rigid_cell *c, int32_t i) {
  struct cairn_rigid_contact *k = c->contact + i;
  double *a = line_of(c, k->a), *b = line_of(c, k->b), u[3], p[3], d[3], square = 0.;
  cairn_rigid_velocity(a, b, k->n, u);
  for (int j = 0; j < 3; j++)
    u[j] += k->c[j];
  cairn_rigid_solve(k, u, p);
  for (int j = 0; j < 3; j++) {
    d[j] = p[j] - k->p[j];
    k->p[j] = p[j];
    square += d[j] * d[j];
  }
  cairn_rigid_push(a, b, k->n, d);
  return square / k->inverse;
}

static double visit_turning(const struct cairn_rigid_cell *c, int32_t i) {
  const struct cairn_rigid_contact *k = c->contact + i;
  struct cairn_rigid_turning *t = c->turning + i;
  double *a = line_of(c, k->a), *b = line_of(c, k->b), m[3], d[3], square = 0.;
  cairn_rigid_solve_turn(a, b, k->n, cairn_rigid_grip(k), t, m);
  for (int j = 0; j < 3; j++) {
    d[j] = m[j] - t->m[j];
    t->m[j] = m[j];
    square += d[j] * d[j];
  }
  cairn_rigid_twist(a, b, d);
  return square / t->inverse;
}

double cairn_kernel_rigid_sweep(const struct cairn_rigid_cell *c) {
  double change = 0.;
  for (int32_t i = 0; i < *c->n_contacts; i++) {
    change += visit(c, i);
    if (c->turning)
      change += visit_turning(c, i);
  }
  return change;
}

/* x += β d, d = β d + (x - old), old = x */
static void go_on(double *x, double *old, double *way, double beta) {
  const double further = beta * *way, change = *x - *old;
  *way = further + change;
  *x += further;
  *old = *x;
}

static void start(const struct cairn_rigid_cell *c) {
  for (int32_t i = 0; i < *c->n_contacts; i++)
    for (int j = 0; j < 6; j++) {
      c->old[6 * (int64_t)i + j] = j < 3 ? c->contact[i].p[j] : c->turning ? c->turning[i].m[j - 3] : 0.;
      c->direction[6 * (int64_t)i + j] = 0.;
    }
  memcpy(c->old_lines, c->lines, (size_t)c->size.n * CAIRN_RIGID * sizeof(double));
  memset(c->line_direction, 0, 64 * (size_t)c->size.n);
}

void cairn_kernel_rigid_extrapolate(const struct cairn_rigid_cell *c, double beta) {
  if (beta < 0.) {
    start(c);
    return;
  }
  for (int32_t i = 0; i < *c->n_contacts; i++) {
    double *old = c->old + 6 * (int64_t)i, *way = c->direction + 6 * (int64_t)i;
    for (int j = 0; j < 3; j++)
      go_on(c->contact[i].p + j, old + j, way + j, beta);
    for (int j = 0; j < 3 && c->turning; j++)
      go_on(c->turning[i].m + j, old + 3 + j, way + 3 + j, beta);
  }
  for (int64_t i = 0; i < (int64_t)CAIRN_RIGID * c->size.n; i++)
    go_on(c->lines + i, c->old_lines + i, c->line_direction + i, beta);
}

static double turning_residual(const struct cairn_rigid_cell *c, int32_t i) {
  const struct cairn_rigid_contact *k = c->contact + i;
  double m[3], square = 0.;
  cairn_rigid_solve_turn(line_of(c, k->a), line_of(c, k->b), k->n, cairn_rigid_grip(k), c->turning + i, m);
  for (int j = 0; j < 3; j++)
    square += (m[j] - c->turning[i].m[j]) * (m[j] - c->turning[i].m[j]);
  return square / c->turning[i].inverse;
}

double cairn_kernel_rigid_residual(const struct cairn_rigid_cell *c) {
  double sum = 0.;
  for (int32_t i = 0; i < *c->n_contacts; i++) {
    const struct cairn_rigid_contact *k = c->contact + i;
    double u[3];
    cairn_rigid_velocity(line_of(c, k->a), line_of(c, k->b), k->n, u);
    for (int j = 0; j < 3; j++)
      u[j] += k->c[j];
    sum += cairn_rigid_residual(k, u) + (c->turning ? turning_residual(c, i) : 0.);
  }
  return sum;
}

/* ---- the end of a step ---- */

static void keep_impulses(const struct cairn_rigid_cell *c, const struct cairn_soft_spheres *b, double h) {
  const int32_t n_pairs = c->size.n_pairs, all = n_pairs + c->size.n_wall_pairs;
  for (int32_t k = 0; k < all; k++) {
    b->sx[k] = b->sy[k] = b->sz[k] = 0.;
    if (k >= n_pairs)
      memset(b->push + 6 * (int64_t)(k - n_pairs), 0, 6 * sizeof(double));
  }
  for (int32_t i = 0; i < *c->n_contacts; i++) {
    const struct cairn_rigid_contact *k = c->contact + i;
    const int touches = k->p[0] != 0. || k->p[1] != 0. || k->p[2] != 0.;
    b->sx[k->pair] = k->p[0];
    b->sy[k->pair] = k->p[1];
    b->sz[k->pair] = k->p[2];
    b->age[k->pair] = cairn_blocks_age(b->age[k->pair], touches ? 1. : 0.);
    if (k->pair < n_pairs)
      continue;
    double *push = b->push + 6 * (int64_t)(k->pair - n_pairs), *normal = b->normal + 3 * (int64_t)(k->pair - n_pairs);
    for (int j = 0; j < 3; j++) {
      push[j] = k->p[j] / h;
      normal[j] = k->n[j];
    }
  }
  /* pairs that are no contact have no age */
  for (int32_t k = 0; k < all; k++)
    if (b->sx[k] == 0. && b->sy[k] == 0. && b->sz[k] == 0.)
      b->age[k] = 0;
}

void cairn_kernel_rigid_end(const struct cairn_rigid_cell *c, const struct cairn_soft_spheres *b,
                            const struct cairn_rigid_step *step, struct cairn_report *report) {
  double way2 = 0., speed2 = 0.;
  for (int32_t i = 0; i < c->size.n; i++) {
    const double *line = line_of(c, i), *view = b->view + (int64_t)CAIRN_VIEW * i, r = view[CAIRN_VIEW_R];
    double *s = b->state + (int64_t)CAIRN_STATE * i, way = 0., speed = 0., turn = 0.;
    for (int k = 0; k < 3; k++) {
      s[CAIRN_STATE_V + k] = line[CAIRN_RIGID_V + k];
      s[CAIRN_STATE_W + k] = line[CAIRN_RIGID_S + k] * line[CAIRN_RIGID_IR];
      s[CAIRN_STATE_X + k] = view[CAIRN_VIEW_X + k] + step->theta * step->h * line[CAIRN_RIGID_V + k];
      const double d = s[CAIRN_STATE_X + k] - b->reference[3 * (int64_t)i + k];
      way += d * d;
      speed += line[CAIRN_RIGID_V + k] * line[CAIRN_RIGID_V + k];
      turn += line[CAIRN_RIGID_S + k];
    }
    way2 = fmax(way2, way);
    speed2 = fmax(speed2, speed);
    if (!(speed * step->h * step->h <= r * r + 0. * turn) && report->bad_steps == CAIRN_NEVER) {
      report->bad_steps = report->steps + 1;
      report->bad_body = i;
    }
  }
  keep_impulses(c, b, step->h);
  report->way = sqrt(way2);
  report->speed = sqrt(speed2);
  report->steps++;
  if (report->way > b->reach && report->valid_steps == CAIRN_NEVER)
    report->valid_steps = 0; /* contacts may have been missed in this very step */
}
