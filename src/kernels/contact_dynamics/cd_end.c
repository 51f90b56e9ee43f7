#include <string.h>

#include "kernels/contact_dynamics/cd_walls.h"
#include "kernels/contact_dynamics/cohesion.h"

/* The gap of a pair where contacts were looked for, and the smaller radius. */
static double gap_of(const struct cairn_soft_spheres *b, int32_t pair, double *radius) {
  const double *p = b->predicted + (int64_t)CAIRN_PREDICTED * b->a[pair];
  *radius = p[CAIRN_PREDICTED_R];
  if (pair >= b->size.n_pairs)
    return -cairn_kernel_soft_walls_overlap(b, pair);
  const double *q = b->predicted + (int64_t)CAIRN_PREDICTED * b->b[pair];
  const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  *radius = fmin(p[CAIRN_PREDICTED_R], q[CAIRN_PREDICTED_R]);
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - p[CAIRN_PREDICTED_R] - q[CAIRN_PREDICTED_R];
}

/* What a pair that may be bound remembers, given its normal impulse; returns whether it remembers anything. */
static int keep_bond(const struct cairn_soft_spheres *b, int32_t pair, double normal) {
  const struct cairn_law_coulomb *law = cairn_cd_law_of(b, pair);
  double radius;
  const double gap = gap_of(b, pair, &radius);
  const int known = b->age[pair] > 0;
  if (!known || (normal > 0. && gap <= cairn_cohesion_touch(law->range, radius)))
    b->rest[pair] = cairn_cohesion_rest(gap);
  return cairn_cohesion_remembers(law->range, radius, gap, b->rest[pair], known);
}

/* The worst overlap beyond the limit, for the warning. Rigid bodies should have none: what there is shows what the
 * impulses lack. */
static void note_overlaps(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b,
                          struct cairn_report *report) {
  int beyond = 0;
  for (int32_t i = 0; i < *c->n_groups; i++)
    for (int l = 0; l < c->fill[i]; l++) {
      const int32_t pair = c->pair[i][l];
      double radius;
      const double gap = gap_of(b, pair, &radius), part = -gap / radius;
      beyond |= part > b->world[CAIRN_WORLD_LIMIT];
      if (part > b->world[CAIRN_WORLD_LIMIT] && part > report->overlap) {
        report->overlap = part;
        report->overlap_a = b->a[pair];
        report->overlap_b = pair < b->size.n_pairs ? b->b[pair] : -1 - b->b[pair];
      }
    }
  report->overlap_steps += beyond;
}

static void keep_impulse(const struct cairn_cd_cell *c, int32_t i, int l, int32_t pair,
                         const struct cairn_soft_spheres *b, int32_t n_pairs, double h) {
  const struct cairn_cd_group *g = c->group + i;
  const int free_contacts = g->p[0][l] != 0. || g->p[1][l] != 0. || g->p[2][l] != 0.;
  b->sx[pair] = g->p[0][l];
  b->sy[pair] = g->p[1][l];
  b->sz[pair] = g->p[2][l];
  if (b->qx && c->rotation_friction) {
    const struct cairn_cd_rotation_group *t = c->rotation_friction + i;
    b->qx[pair] = t->m[0][l];
    b->qy[pair] = t->m[1][l];
    b->qz[pair] = t->m[2][l];
  }
  const double along = g->p[0][l] * g->n[0][l] + g->p[1][l] * g->n[1][l] + g->p[2][l] * g->n[2][l];
  const int stays = (cairn_cd_law_of(b, pair)->bonds > 0. && keep_bond(b, pair, along)) || free_contacts;
  b->age[pair] = cairn_blocks_age(b->age[pair], stays ? 1. : 0.);
  if (pair < n_pairs)
    return;
  double p[3], m[3], *normal = b->normal + 3 * (int64_t)(pair - n_pairs);
  for (int j = 0; j < 3; j++) {
    normal[j] = g->n[j][l];
    p[j] = g->p[j][l];
    m[j] = c->rotation_friction ? c->rotation_friction[i].m[j][l] : 0.;
  }
  cairn_cd_load_wall(b, pair, normal, p, m, h);
}

static void keep_impulses(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b, double h) {
  const int32_t n_pairs = c->size.n_pairs, all = n_pairs + c->size.n_wall_pairs;
  for (int32_t k = 0; k < all; k++) {
    b->sx[k] = b->sy[k] = b->sz[k] = 0.;
    if (b->qx)
      b->qx[k] = b->qy[k] = b->qz[k] = 0.;
    if (k >= n_pairs)
      memset(b->wall_load + 6 * (int64_t)(k - n_pairs), 0, 6 * sizeof(double));
  }
  for (int32_t i = 0; i < *c->n_groups; i++)
    for (int l = 0; l < c->fill[i]; l++)
      keep_impulse(c, i, l, c->pair[i][l], b, n_pairs, h);
  /* pairs that are no contact have no age, unless they are bound */
  for (int32_t k = 0; k < all; k++)
    if (b->sx[k] == 0. && b->sy[k] == 0. && b->sz[k] == 0. && b->age[k] > 0 &&
        !(cairn_cd_law_of(b, k)->bonds > 0. && keep_bond(b, k, 0.)))
      b->age[k] = 0;
}

/* Energy that the contacts have taken from a body, -P · (v before + v after)/2 summed over its contacts: what it had
 * and what gravity has done, less what it has. Exact for θ = 1/2, where bodies move with the mean of both velocities.
 */
static double taken_from(const struct cairn_soft_spheres *b, int32_t i, const double *velocity, double h) {
  const double *predicted = b->predicted + (int64_t)CAIRN_PREDICTED * i;
  double sum = 0., free_v[3], free_s[3], v_after[3], s_after[3];
  cairn_cd_free(b, i, h, free_v, free_s);
  cairn_cd_final(b, i, h, velocity, v_after, s_after);
  for (int k = 0; k < 3; k++) {
    const double v = predicted[CAIRN_PREDICTED_V + k],
                 s = predicted[CAIRN_PREDICTED_W + k] * predicted[CAIRN_PREDICTED_R];
    const double dv = free_v[k] - velocity[CAIRN_CD_V + k], ds = free_s[k] - velocity[CAIRN_CD_S + k];
    sum += dv * (v + v_after[k]) + ds * (s + s_after[k]) / CAIRN_CD_GYRATION;
  }
  return velocity[CAIRN_CD_IM] > 0. ? 0.5 * sum / velocity[CAIRN_CD_IM] : 0.;
}

/* Work that bodies have done on a wall or on a captured body, at this contact. */
static double work_on_obstacle(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b, int32_t i, int l) {
  const struct cairn_cd_group *g = c->group + i;
  const struct cairn_cd_rotation_group *t = c->rotation_friction ? c->rotation_friction + i : NULL;
  const int32_t pair = c->pair[i][l];
  const double *p = b->predicted + (int64_t)CAIRN_PREDICTED * b->a[pair];
  const double *q = pair < c->size.n_pairs ? b->predicted + (int64_t)CAIRN_PREDICTED * b->b[pair] : NULL;
  const double n[3] = {g->n[0][l], g->n[1][l], g->n[2][l]};
  double v[3], w[3], sum = 0.;
  if (!q)
    cairn_cd_wall_motion(
        p, n,
        cairn_walls_assembly(cairn_walls_of(b->world, b->n_laws) + (int64_t)CAIRN_WALL * b->b[pair], b->assemblies), v,
        w);
  else if (p[CAIRN_PREDICTED_CAPTOR] != 0. || q[CAIRN_PREDICTED_CAPTOR] != 0.)
    cairn_cd_captured_motion(p, q, n, v, w);
  else
    return 0.;
  for (int k = 0; k < 3; k++)
    sum += g->p[k][l] * v[k] + (t ? t->m[k][l] * w[k] : 0.);
  return sum;
}

static double dissipated(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b, double h) {
  double sum = 0.;
  for (int32_t i = 0; i < c->size.n; i++)
    sum += taken_from(b, i, c->velocities + (int64_t)CAIRN_CD * i, h);
  for (int32_t i = 0; i < *c->n_groups; i++)
    for (int l = 0; l < c->fill[i]; l++)
      sum -= work_on_obstacle(c, b, i, l);
  return sum;
}

static void move(const struct cairn_soft_spheres *b, int32_t i, const double *velocity,
                 const struct cairn_cd_step *step) {
  const double *predicted = b->predicted + (int64_t)CAIRN_PREDICTED * i;
  double *s = b->state + (int64_t)CAIRN_STATE * i, v[3], spin[3];
  cairn_cd_final(b, i, step->h, velocity, v, spin);
  for (int k = 0; k < 3; k++) {
    s[CAIRN_STATE_V + k] = v[k];
    s[CAIRN_STATE_W + k] = spin[k] * velocity[CAIRN_CD_IR];
    s[CAIRN_STATE_X + k] = predicted[CAIRN_PREDICTED_X + k] + step->theta * step->h * v[k];
  }
}

void cairn_kernel_cd_end(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b, const double *during,
                         const struct cairn_cd_step *step, struct cairn_report *report) {
  double displacement2 = 0., speed2 = 0.;
  int gone = 0;
  struct cairn_soft_spheres then = *b;
  then.assemblies = (double *)during;
  keep_impulses(c, &then, step->h);
  report->dissipated += dissipated(c, &then, step->h);
  note_overlaps(c, &then, report);
  if (b->captor)
    cairn_kernel_cd_carry(c, b, step->h);
  for (int32_t i = 0; i < c->size.n; i++) {
    const double *predicted = b->predicted + (int64_t)CAIRN_PREDICTED * i, captor = predicted[CAIRN_PREDICTED_CAPTOR];
    const double r =
        captor > 0. ? INFINITY : predicted[CAIRN_PREDICTED_R]; /* a captured body may be as fast as its wall */
    double *s = b->state + (int64_t)CAIRN_STATE * i, displacement = 0., speed = 0., turn = 0.;
    gone |= captor < 0.;
    if (captor < 0.)
      continue;
    if (captor == 0.)
      move(b, i, c->velocities + (int64_t)CAIRN_CD * i, step);
    for (int k = 0; k < 3; k++) {
      const double v = s[CAIRN_STATE_V + k] + step->h * s[CAIRN_STATE_A + k]; /* captured bodies are accelerated */
      const double d = s[CAIRN_STATE_X + k] - b->reference[3 * (int64_t)i + k];
      displacement += d * d;
      speed += v * v;
      turn += s[CAIRN_STATE_W + k];
    }
    displacement2 = fmax(displacement2, displacement);
    speed2 = fmax(speed2, speed);
    if (!(speed * step->h * step->h <= r * r + 0. * turn) && report->bad_steps == CAIRN_NEVER) {
      report->bad_steps = report->steps + 1;
      report->bad_body = i;
    }
  }
  report->displacement = sqrt(displacement2);
  report->speed = sqrt(speed2);
  report->steps++;
  if (gone) /* a run that is resumed here makes cells without the body: so does this one */
    report->valid_steps = report->steps;
}
