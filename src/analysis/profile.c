#include "analysis/profile.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/common/vec3.h"

enum { MOST_MATERIALS = 4096 }; /* far more than scenarios have: files are hostile */

static const double PI = 3.14159265358979323846;

static bool is_there(const struct cairn_state *s, int64_t i) { return s->captor[i] >= 0; }

static double cube(double x) { return x * x * x; }

static double sphere(double r) { return 4. / 3. * PI * cube(r); }

/* Volume of a sphere of radius r around 0 below the height h. */
static double below(double r, double h) {
  const double depth = fmin(fmax(h + r, 0.), 2. * r);
  return PI / 3. * depth * depth * (3. * r - depth);
}

/* ---- where bodies are ---- */

struct place {
  enum cairn_profile_axis axis;
  double center[3];          /* m, of mass */
  double lower, width, area; /* m, m²; the area of an axis */
  int n_bins;
};

static double coordinate(const struct place *p, const struct cairn_state *s, int64_t i) {
  const double *x = s->position + 3 * i, d[3] = {x[0] - p->center[0], x[1] - p->center[1], x[2] - p->center[2]};
  return p->axis == CAIRN_PROFILE_RADIUS ? cairn_vec3_length(d) : x[p->axis];
}

static struct place survey(const struct cairn_state *s, enum cairn_profile_axis axis, int n_bins) {
  struct place p = {.axis = axis, .n_bins = n_bins};
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, mass = 0., far = 0.;
  for (int64_t i = 0; i < s->n; i++) {
    mass += is_there(s, i) ? s->mass[i] : 0.;
    for (int k = 0; k < 3 && is_there(s, i); k++) {
      const double x = s->position[3 * i + k];
      p.center[k] += s->mass[i] * x;
      lower[k] = fmin(lower[k], x - s->radius[i]);
      upper[k] = fmax(upper[k], x + s->radius[i]);
    }
  }
  for (int k = 0; k < 3 && mass > 0.; k++)
    p.center[k] /= mass;
  if (axis == CAIRN_PROFILE_RADIUS) {
    for (int64_t i = 0; i < s->n; i++)
      far = is_there(s, i) ? fmax(far, coordinate(&p, s, i) + s->radius[i]) : far;
    p.width = far / n_bins;
  } else if (mass > 0.) {
    const int j = ((int)axis + 1) % 3, k = ((int)axis + 2) % 3;
    p.lower = lower[axis];
    p.width = (upper[axis] - lower[axis]) / n_bins;
    p.area = (upper[j] - lower[j]) * (upper[k] - lower[k]);
  }
  return p;
}

static int bin_of(const struct place *p, double x) {
  const double k = p->width > 0. ? floor((x - p->lower) / p->width) : 0.;
  return k < 0. ? 0 : k >= p->n_bins ? p->n_bins - 1 : (int)k;
}

/* ---- profiles ---- */

/* The velocity of a body in the directions of the profile. */
static void velocity_of(const struct place *p, const struct cairn_state *s, int64_t i, double out[3]) {
  const double *v = s->velocity + 3 * i, *x = s->position + 3 * i;
  for (int k = 0; k < 3; k++)
    out[k] = v[k];
  if (p->axis != CAIRN_PROFILE_RADIUS)
    return;
  const double d[3] = {x[0] - p->center[0], x[1] - p->center[1], x[2] - p->center[2]};
  const double r = cairn_vec3_length(d), across = sqrt(d[0] * d[0] + d[1] * d[1]);
  out[0] = r > 0. ? (d[0] * v[0] + d[1] * v[1] + d[2] * v[2]) / r : 0.;
  out[1] = across > 0. ? (d[0] * v[1] - d[1] * v[0]) / across : 0.;
}

/* Each bin gets the part of the body that lies in it; of a radius the bin of its centre gets all. */
static void add_matter(const struct place *p, const struct cairn_state *s, const struct cairn_body_stress *stress,
                       int64_t i, struct cairn_profile *out) {
  const double x = coordinate(p, s, i), r = s->radius[i], density = s->mass[i] / sphere(r);
  const bool whole = p->axis == CAIRN_PROFILE_RADIUS;
  const int first = bin_of(p, whole ? x : x - r), last = bin_of(p, whole ? x : x + r);
  for (int b = first; b <= last; b++) {
    struct cairn_profile_bin *bin = out->bin + b;
    const double volume = whole ? sphere(r) : below(r, bin->upper - x) - below(r, bin->lower - x);
    bin->packing += volume;
    bin->density += density * volume;
    out->composition[(int64_t)b * out->n_materials + s->material[i]] += density * volume;
    for (int k = 0; k < 6; k++)
      bin->stress[k] += stress ? volume * stress->stress[6 * i + k] : 0.;
  }
}

static void add_motion(const struct place *p, const struct cairn_state *s, double *mass, struct cairn_profile *out) {
  for (int64_t i = 0; i < s->n; i++) {
    double v[3];
    if (!is_there(s, i))
      continue;
    const int b = bin_of(p, coordinate(p, s, i));
    velocity_of(p, s, i, v);
    out->bin[b].n_bodies++;
    mass[b] += s->mass[i];
    for (int k = 0; k < 3; k++)
      out->bin[b].velocity[k] += s->mass[i] * v[k];
  }
  for (int b = 0; b < out->n_bins; b++)
    for (int k = 0; k < 3 && mass[b] > 0.; k++)
      out->bin[b].velocity[k] /= mass[b];
  for (int64_t i = 0; i < s->n; i++) {
    double v[3];
    if (!is_there(s, i))
      continue;
    const int b = bin_of(p, coordinate(p, s, i));
    velocity_of(p, s, i, v);
    for (int k = 0; k < 3; k++)
      out->bin[b].temperature +=
          s->mass[i] / (3. * mass[b]) * (v[k] - out->bin[b].velocity[k]) * (v[k] - out->bin[b].velocity[k]);
  }
}

/* I = γ̇ d √(ρ/P) with the rate of shear from the bins on both sides, the mean diameter d of all bodies and their own
 * density ρ. */
static void find_inertial_numbers(const struct place *p, double diameter, struct cairn_profile *out) {
  for (int b = 0; b < out->n_bins; b++) {
    struct cairn_profile_bin *bin = out->bin + b;
    const double pressure = (bin->stress[0] + bin->stress[1] + bin->stress[2]) / 3.;
    bin->inertial_number = (double)NAN;
    if (p->axis == CAIRN_PROFILE_RADIUS || b == 0 || b + 1 == out->n_bins || !(pressure > 0.) || !(bin->packing > 0.) ||
        bin[-1].n_bodies == 0 || bin[1].n_bodies == 0)
      continue;
    double shear2 = 0.;
    for (int k = 0; k < 3; k++) {
      const double slope = (bin[1].velocity[k] - bin[-1].velocity[k]) / (2. * p->width);
      shear2 += k == (int)p->axis ? 0. : slope * slope;
    }
    bin->inertial_number = sqrt(shear2 * bin->density / bin->packing / pressure) * diameter;
  }
}

/* From sums to means over the volume of the bins. */
static void divide(struct cairn_profile *out, bool has_stress) {
  for (int b = 0; b < out->n_bins; b++) {
    struct cairn_profile_bin *bin = out->bin + b;
    for (int m = 0; m < out->n_materials; m++)
      out->composition[b * out->n_materials + m] /= bin->density > 0. ? bin->density : 1.;
    bin->packing /= bin->volume > 0. ? bin->volume : 1.;
    bin->density /= bin->volume > 0. ? bin->volume : 1.;
    for (int k = 0; k < 6; k++)
      bin->stress[k] = has_stress ? bin->stress[k] / (bin->volume > 0. ? bin->volume : 1.) : (double)NAN;
  }
}

int cairn_profile_make(const struct cairn_state *s, const struct cairn_body_stress *stress,
                       enum cairn_profile_axis axis, int n_bins, struct cairn_profile *out, struct cairn_error *error) {
  const struct place p = survey(s, axis, n_bins);
  double diameter = 0., n = 0., *mass = calloc((size_t)n_bins, sizeof *mass);
  *out = (struct cairn_profile){.n_bins = n_bins, .n_materials = 1};
  for (int64_t i = 0; i < s->n; i++) {
    if (s->material[i] < 0 || s->material[i] >= MOST_MATERIALS) {
      free(mass);
      return cairn_error_set(error, CAIRN_ERR_INPUT, "body %lld has the material number %d; allowed: 0 to %d",
                             (long long)i, s->material[i], MOST_MATERIALS - 1);
    }
    out->n_materials = s->material[i] >= out->n_materials ? s->material[i] + 1 : out->n_materials;
    diameter += is_there(s, i) ? 2. * s->radius[i] : 0.;
    n += is_there(s, i) ? 1. : 0.;
  }
  out->bin = calloc((size_t)n_bins, sizeof *out->bin);
  out->composition = calloc((size_t)n_bins * (size_t)out->n_materials, sizeof *out->composition);
  if (!mass || !out->bin || !out->composition) {
    free(mass);
    cairn_profile_fini(out);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a profile of %d bins", n_bins);
  }
  for (int b = 0; b < n_bins; b++) {
    struct cairn_profile_bin *bin = out->bin + b;
    bin->lower = p.lower + b * p.width;
    bin->upper = p.lower + (b + 1) * p.width;
    bin->volume = axis == CAIRN_PROFILE_RADIUS ? sphere(bin->upper) - sphere(bin->lower) : p.area * p.width;
  }
  for (int64_t i = 0; i < s->n; i++)
    if (is_there(s, i))
      add_matter(&p, s, stress, i, out);
  add_motion(&p, s, mass, out);
  divide(out, stress != NULL);
  find_inertial_numbers(&p, n > 0. ? diameter / n : 0., out);
  free(mass);
  return 0;
}

void cairn_profile_fini(struct cairn_profile *profile) {
  free(profile->bin);
  free(profile->composition);
  *profile = (struct cairn_profile){0};
}

/* ---- heights ---- */

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int64_t cairn_profile_deciles(const struct cairn_state *s, enum cairn_profile_axis axis, int32_t material,
                              double deciles[9], struct cairn_error *error) {
  const struct place p = survey(s, axis, 1);
  double *x = malloc(((size_t)s->n + 1) * sizeof *x);
  int64_t n = 0;
  if (!x)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the heights of bodies");
  for (int64_t i = 0; i < s->n; i++)
    if (is_there(s, i) && s->material[i] == material)
      x[n++] = coordinate(&p, s, i);
  qsort(x, (size_t)n, sizeof *x, by_value);
  for (int k = 0; k < 9; k++) { /* between the two neighbours, as most programs do */
    const double at = 0.1 * (k + 1) * (double)(n - 1);
    const int64_t j = n > 0 ? (int64_t)at : 0, next = j + 1 < n ? j + 1 : j;
    deciles[k] = n > 0 ? x[j] + (at - (double)j) * (x[next] - x[j]) : (double)NAN;
  }
  free(x);
  return n;
}

/* ---- heaps ---- */

struct column {
  double r, mass, top; /* m from the axis, kg, m */
};

static int by_radius(const void *a, const void *b) {
  const struct column *x = a, *y = b;
  return (x->r > y->r) - (x->r < y->r);
}

/* The radius that holds 95 % of the mass; `c` is sorted. */
static double heap_radius(const struct column *c, int64_t n, double mass) {
  double inside = 0.;
  int64_t i = 0;
  while (i < n && inside < 0.95 * mass)
    inside += c[i++].mass;
  return i > 0 ? c[i - 1].r : 0.;
}

int cairn_profile_slope(const struct cairn_state *s, double *slope, struct cairn_error *error) {
  enum { RINGS = 20 };
  const struct place p = survey(s, CAIRN_PROFILE_Z, 1);
  struct column *c = malloc(((size_t)s->n + 1) * sizeof *c);
  double top[RINGS], mass = 0., n_rings = 0., sx = 0., sy = 0., sxx = 0., sxy = 0.;
  int64_t n = 0;
  *slope = (double)NAN;
  if (!c)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the slope of a heap");
  for (int64_t i = 0; i < s->n; i++)
    if (is_there(s, i)) {
      const double *x = s->position + 3 * i, dx = x[0] - p.center[0], dy = x[1] - p.center[1];
      c[n++] = (struct column){sqrt(dx * dx + dy * dy), s->mass[i], x[2] + s->radius[i]};
      mass += s->mass[i];
    }
  qsort(c, (size_t)n, sizeof *c, by_radius);
  const double radius = heap_radius(c, n, mass), from = 0.2 * radius, width = 0.6 * radius / RINGS;
  for (int k = 0; k < RINGS; k++)
    top[k] = -INFINITY;
  for (int64_t i = 0; i < n && width > 0.; i++)
    if (c[i].r >= from && c[i].r < from + RINGS * width) {
      const int k = (int)fmin((c[i].r - from) / width, RINGS - 1);
      top[k] = fmax(top[k], c[i].top);
    }
  for (int k = 0; k < RINGS; k++)
    if (top[k] > -INFINITY) {
      const double r = from + (k + 0.5) * width;
      n_rings += 1.;
      sx += r;
      sy += top[k];
      sxx += r * r;
      sxy += r * top[k];
    }
  const double spread = n_rings * sxx - sx * sx;
  if (n_rings >= 4. && spread > 0.)
    *slope = atan(-(n_rings * sxy - sx * sy) / spread);
  free(c);
  return 0;
}
