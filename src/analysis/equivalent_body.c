#include "analysis/equivalent_body.h"
#include "kernels/common/vec3.h"

void cairn_equivalent_body_weigh(struct cairn_equivalent_body *b, const struct cairn_state *s, const bool *member) {
  for (int64_t i = 0; i < s->n; i++) {
    b->mass += member[i] ? s->mass[i] : 0.;
    for (int k = 0; k < 3 && member[i]; k++) {
      b->center[k] += s->mass[i] * s->position[3 * i + k];
      b->velocity[k] += s->mass[i] * s->velocity[3 * i + k];
    }
  }
}

void cairn_equivalent_body_center(struct cairn_equivalent_body *b) {
  for (int k = 0; k < 3 && b->mass > 0.; k++) {
    b->center[k] /= b->mass;
    b->velocity[k] /= b->mass;
  }
}

void cairn_equivalent_body_add(struct cairn_equivalent_body *b, const struct cairn_state *s, int64_t i) {
  const double *x = s->position + 3 * i, d[3] = {x[0] - b->center[0], x[1] - b->center[1], x[2] - b->center[2]};
  const double *u = s->velocity + 3 * i, v[3] = {u[0] - b->velocity[0], u[1] - b->velocity[1], u[2] - b->velocity[2]};
  const double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], own = 0.4 * s->radius[i] * s->radius[i];
  double l[3];
  cairn_vec3_cross(d, v, l);
  for (int j = 0; j < 3; j++) {
    b->momentum[j] += s->mass[i] * (l[j] + own * s->spin[3 * i + j]);
    for (int k = 0; k < 3; k++)
      b->inertia[j][k] += s->mass[i] * ((j == k ? d2 + own : 0.) - d[j] * d[k]);
  }
}

struct cairn_equivalent_body cairn_equivalent_body_of(const struct cairn_state *s, const bool *member) {
  struct cairn_equivalent_body b = {0};
  cairn_equivalent_body_weigh(&b, s, member);
  cairn_equivalent_body_center(&b);
  for (int64_t i = 0; i < s->n; i++)
    if (member[i])
      cairn_equivalent_body_add(&b, s, i);
  return b;
}

/* By Cramer's rule. */
void cairn_equivalent_body_respond(const struct cairn_equivalent_body *b, const double l[3], double spin[3]) {
  const double(*a)[3] = b->inertia;
  double c[3][3];
  for (int k = 0; k < 3; k++)
    cairn_vec3_cross(a[(k + 1) % 3], a[(k + 2) % 3], c[k]);
  const double det = a[0][0] * c[0][0] + a[0][1] * c[0][1] + a[0][2] * c[0][2];
  for (int j = 0; j < 3 && det > 0.; j++)
    for (int k = 0; k < 3; k++)
      spin[j] += c[k][j] * l[k] / det;
}

void cairn_equivalent_body_add_unrest(const struct cairn_equivalent_body *b, const struct cairn_state *s,
                                      const bool *member, double *energy) {
  double spin[3] = {0., 0., 0.};
  cairn_equivalent_body_respond(b, b->momentum, spin);
  for (int64_t i = 0; i < s->n; i++) {
    if (!member[i])
      continue;
    const double *x = s->position + 3 * i, d[3] = {x[0] - b->center[0], x[1] - b->center[1], x[2] - b->center[2]};
    double carried[3];
    cairn_vec3_cross(spin, d, carried);
    for (int k = 0; k < 3; k++) {
      const double v = s->velocity[3 * i + k] - b->velocity[k] - carried[k], w = s->spin[3 * i + k] - spin[k];
      *energy += 0.5 * s->mass[i] * (v * v + 0.4 * s->radius[i] * s->radius[i] * w * w);
    }
  }
}
