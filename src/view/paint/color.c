#include "view/paint/color.h"

#include <math.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180.;

double cairn_color_linear(unsigned char value) {
  const double v = value / 255.;
  return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

unsigned char cairn_color_encode(double linear) {
  const double v = fmin(fmax(linear, 0.), 1.);
  return (unsigned char)(255. * (v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1. / 2.4) - 0.055) + 0.5);
}

/* OKLab to linear sRGB: the matrices of Ottosson (2020). */
static void from_lab(double lightness, double a, double b, double rgb[3]) {
  const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3.);
  const double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3.);
  const double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3.);
  rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

/* Lightness, chroma and hue as sRGB. A chroma that no screen can show is lowered, lightness and hue stay. */
static void from_lch(double lightness, double chroma, double hue, unsigned char out[3]) {
  double rgb[3], low = 0., high = 1., part = 1.; /* of the chroma */
  for (int i = 0; i < 20; i++) {
    from_lab(lightness, part * chroma * cos(hue * degree), part * chroma * sin(hue * degree), rgb);
    *(fmin(fmin(rgb[0], rgb[1]), rgb[2]) >= 0. && fmax(fmax(rgb[0], rgb[1]), rgb[2]) <= 1. ? &low : &high) = part;
    if (low == 1.)
      break;
    part = 0.5 * (low + high);
  }
  for (int k = 0; k < 3; k++)
    out[k] = cairn_color_encode(rgb[k]);
}

#define NAME(name, description) #name,
static const char *const names[] = {CAIRN_COLOR_MAPS(NAME)};

enum cairn_color_map cairn_color_map_of(const char *name) {
  int map = 0;
  while (map < CAIRN_N_COLOR_MAPS && strcmp(names[map], name))
    map++;
  return (enum cairn_color_map)map;
}

/* From one end to the other: lightness linear, hue linear, chroma an arc that is lower at both ends. */
static const struct ramp {
  double lightness[2], hue[2], chroma[3];
} ramps[] = {
    [CAIRN_COLOR_MAP_dusk] = {{0.36, 0.94}, {285, 98}, {0.13, 0.10, 0.13}},
    [CAIRN_COLOR_MAP_ember] = {{0.20, 0.94}, {-52, 96}, {0.06, 0.19, 0.10}},
    [CAIRN_COLOR_MAP_glacier] = {{0.30, 0.97}, {265, 220}, {0.09, 0.12, 0.01}},
    [CAIRN_COLOR_MAP_gray] = {{0.18, 0.97}, {0, 0}, {0, 0, 0}},
};

void cairn_color_at(enum cairn_color_map map, double t, unsigned char rgb[3]) {
  const struct ramp *r = &ramps[map < CAIRN_N_COLOR_MAPS ? map : 0];
  if (!(t == t)) {
    rgb[0] = rgb[1] = rgb[2] = 128;
    return;
  }
  t = fmin(fmax(t, 0.), 1.);
  const double chroma = (1. - t) * (1. - t) * r->chroma[0] + 2. * t * (1. - t) * r->chroma[1] + t * t * r->chroma[2];
  from_lch(r->lightness[0] + t * (r->lightness[1] - r->lightness[0]), chroma, r->hue[0] + t * (r->hue[1] - r->hue[0]),
           rgb);
}

void cairn_color_kind(int k, unsigned char rgb[3]) {
  /* Neighbours differ in hue and lightness; the first is the color of stone. */
  static const struct {
    double lightness, chroma, hue;
  } kinds[CAIRN_COLOR_KINDS] = {{0.74, 0.05, 75},  {0.62, 0.13, 245}, {0.70, 0.16, 50},  {0.68, 0.13, 160},
                                {0.80, 0.14, 90},  {0.58, 0.17, 25},  {0.72, 0.10, 220}, {0.60, 0.15, 310},
                                {0.78, 0.13, 130}, {0.50, 0.10, 265}, {0.80, 0.09, 10},  {0.52, 0.06, 110}};
  const int i = ((k % CAIRN_COLOR_KINDS) + CAIRN_COLOR_KINDS) % CAIRN_COLOR_KINDS;
  from_lch(kinds[i].lightness, kinds[i].chroma, kinds[i].hue, rgb);
}
