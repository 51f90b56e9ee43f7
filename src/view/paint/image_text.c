/* Letters of strokes, so that a picture needs no font of the machine. A letter is strokes apart by blanks, a stroke its
 * points: x from 0 to 5 and y as a letter, c the base line, g the height of small letters, i that of capitals, a the
 * lowest. A stroke after ~ is the quadratic B-spline of its points, with both ends on it. */
#include <math.h>
#include <string.h>

#include "view/paint/image.h"

static const struct glyph {
  unsigned code;
  const char *strokes;
} glyphs[] = {
    {'A', "0c2i4c 1e3e"},
    {'B', "0c0i ~0i4i4f0f ~0f4f4c0c"},
    {'C', "~4h4i0i0c4c4d"},
    {'D', "0c0i ~0i4i4c0c"},
    {'E', "4i0i0c4c 0f3f"},
    {'F', "4i0i0c 0f3f"},
    {'G', "~4h4i0i0c4c4f 2f4f"},
    {'H', "0c0i 4c4i 0f4f"},
    {'I', "0c0i"},
    {'J', "3i3e ~3e3c0c0d"},
    {'K', "0c0i 4i0e 1f4c"},
    {'L', "0i0c3c"},
    {'M', "0c0i2e4i4c"},
    {'N', "0c0i4c4i"},
    {'O', "~2i0i0c4c4i2i"},
    {'P', "0c0i ~0i4i4f0f"},
    {'Q', "~2i0i0c4c4i2i 2e4c"},
    {'R', "0c0i ~0i4i4f0f 2f4c"},
    {'S', "~4h4i0i0f4f4c0c0d"},
    {'T', "0i4i 2i2c"},
    {'U', "0i0e ~0e0c4c4e 4e4i"},
    {'V', "0i2c4i"},
    {'W', "0i1c2g3c4i"},
    {'X', "0c4i 0i4c"},
    {'Y', "0i2f4i 2f2c"},
    {'Z', "0i4i0c4c"},
    {'a', "~3e3g0g0c3c3e 3g3c"},
    {'b', "0i0c ~0e0g3g3c0c0e"},
    {'c', "~3f3g0g0c3c3d"},
    {'d', "3i3c ~3e3g0g0c3c3e"},
    {'e', "0e3e ~3e3g0g0c3c3d"},
    {'f', "~3i1i1g 1g1c 0g2g"},
    {'g', "~3e3g0g0c3c3e 3g3b ~3b3a0a0b"},
    {'h', "0i0c ~0e0g3g3e 3e3c"},
    {'i', "0g0c 0h0h"},
    {'j', "1g1b ~1b1a0a 1h1h"},
    {'k', "0i0c 3g0e 1e3c"},
    {'l', "0i0c"},
    {'m', "0g0c ~0e0g2g2e 2e2c ~2e2g4g4e 4e4c"},
    {'n', "0g0c ~0e0g3g3e 3e3c"},
    {'o', "~3e3g0g0c3c3e"},
    {'p', "0g0a ~0e0g3g3c0c0e"},
    {'q', "3g3a ~3e3g0g0c3c3e"},
    {'r', "0g0c ~0e0g2g"},
    {'s', "~3f3g0g0e3e3c0c0d"},
    {'t', "1i1d ~1d1c2c 0g2g"},
    {'u', "0g0e ~0e0c3c3e 3g3c"},
    {'v', "0g2c4g"},
    {'w', "0g1c2f3c4g"},
    {'x', "0c3g 0g3c"},
    {'y', "0g2c 4g2c1a"},
    {'z', "0g3g0c3c"},
    {'0', "~3f3i0i0c3c3f"},
    {'1', "1h2i2c"},
    {'2', "~0h0i3i3f0c 0c3c"},
    {'3', "~0h0i3i3f1f ~1f3f3c0c0d"},
    {'4', "2c2i0e3e"},
    {'5', "3i0i0f ~0f3g3c0c0d"},
    {'6', "~3i0i0c3c3g0g0e"},
    {'7', "0i3i1c"},
    {'8', "~0h0i3i3f0f0h ~0e0f3f3c0c0e"},
    {'9', "~0c3c3i0i0e3e3g"},
    {'.', "0c0c"},
    {',', "0c0b"},
    {':', "0c0c 0f0f"},
    {';', "0c0b 0f0f"},
    {'-', "0e3e"},
    {'+', "0e4e 2c2g"},
    {'=', "0d3d 0f3f"},
    {'/', "0c3i"},
    {'(', "~1i0h0d1c"},
    {')', "~0i1h1d0c"},
    {'[', "1i0i0c1c"},
    {']', "0i1i1c0c"},
    {'_', "0b4b"},
    {'%', "0c4i 0h0h 4d4d"},
    {'\'', "0i0h"},
    {'"', "0i0h 1i1h"},
    {'!', "0i0e 0c0c"},
    {'?', "~0h0i3i3f1f1e 1c1c"},
    {'<', "3g0e3c"},
    {'>', "0g3e0c"},
    {'|', "0b0i"},
    {'*', "0f2h 0h2f"},
    {'#', "1c1h 3c3h 0d4d 0g4g"},
    {'&', "~4c0g0i3i2f0e0c3c4e"},
    {0xb7, "0e0e"},          /* middle dot */
    {0xd7, "0d2f 0f2d"},     /* times */
    {0x2212, "0e3e"},        /* minus */
    {0x2013, "0e4e"},        /* dash */
    {0xb5, "0a0g 0e0c3c3g"}, /* micro */
};

enum { N_GLYPHS = sizeof glyphs / sizeof *glyphs, MOST_POINTS = 16 };

/* Small raised digits, which exponents are made of. */
static const unsigned raised[][2] = {{0x2070, '0'}, {0xb9, '1'},   {0xb2, '2'},   {0xb3, '3'},
                                     {0x2074, '4'}, {0x2075, '5'}, {0x2076, '6'}, {0x2077, '7'},
                                     {0x2078, '8'}, {0x2079, '9'}, {0x207b, '-'}};

/* Where and how a letter is put. */
struct pen {
  struct cairn_image *image; /* NULL: only the width counts */
  const unsigned char *rgb;
  double x, y, unit, width; /* pixels: the left end of the base line, a unit of the grid, a stroke */
  int turned;
};

static unsigned next_code(const unsigned char **text) {
  const unsigned char *c = *text;
  const int n = c[0] < 0x80 ? 0 : c[0] < 0xe0 ? 1 : c[0] < 0xf0 ? 2 : 3;
  unsigned code = n == 0 ? c[0] : c[0] & (0x3fu >> n);
  int i = 1;
  for (; i <= n && (c[i] & 0xc0) == 0x80; i++)
    code = code << 6 | (c[i] & 0x3f);
  *text += i;
  return code;
}

static void draw(const struct pen *pen, double x0, double y0, double x1, double y1) {
  const double from[2] = {pen->x + (pen->turned ? -y0 : x0) * pen->unit, pen->y - (pen->turned ? x0 : y0) * pen->unit};
  const double to[2] = {pen->x + (pen->turned ? -y1 : x1) * pen->unit, pen->y - (pen->turned ? x1 : y1) * pen->unit};
  cairn_image_line(pen->image, from, to, pen->width, pen->rgb);
}

/* The quadratic B-spline of the points: parabolas from the middle of one edge to that of the next. */
static void draw_spline(const struct pen *pen, int n, const double (*p)[2]) {
  enum { PARTS = 8 };
  for (int i = 1; i + 1 < n; i++) {
    double a[2], b[2], last[2];
    for (int k = 0; k < 2; k++) {
      a[k] = i == 1 ? p[0][k] : 0.5 * (p[i - 1][k] + p[i][k]);
      b[k] = i + 2 == n ? p[n - 1][k] : 0.5 * (p[i][k] + p[i + 1][k]);
    }
    memcpy(last, a, sizeof last);
    for (int part = 1; part <= PARTS; part++) {
      const double t = (double)part / PARTS, u = 1. - t;
      const double x = u * u * a[0] + 2. * u * t * p[i][0] + t * t * b[0];
      const double y = u * u * a[1] + 2. * u * t * p[i][1] + t * t * b[1];
      draw(pen, last[0], last[1], x, y);
      last[0] = x;
      last[1] = y;
    }
  }
}

/* Returns the width of the letter in units. */
static double put_strokes(const struct pen *pen, const char *strokes) {
  double widest = 0.;
  while (*strokes) {
    double point[MOST_POINTS][2];
    int n = 0;
    const int smooth = *strokes == '~';
    strokes += smooth;
    for (; *strokes && *strokes != ' '; strokes += 2) {
      point[n][0] = strokes[0] - '0';
      point[n][1] = strokes[1] - 'c';
      widest = fmax(widest, point[n++][0]);
    }
    strokes += *strokes == ' ';
    if (pen->image && smooth)
      draw_spline(pen, n, (const double(*)[2])point);
    for (int i = 0; i + 1 < n && pen->image && !smooth; i++)
      draw(pen, point[i][0], point[i][1], point[i + 1][0], point[i + 1][1]);
  }
  return widest;
}

/* Returns how far the next letter is, in pixels. */
static double put_letter(const struct pen *pen, unsigned code) {
  static const double GAP = 1.7, BLANK = 2.6, SMALL = 0.62, UP = 3.2;
  if (code == ' ')
    return BLANK * pen->unit;
  for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
    if (raised[i][0] == code) {
      struct pen small = *pen;
      small.unit *= SMALL;
      small.width *= 0.85;
      *(pen->turned ? &small.x : &small.y) -= UP * pen->unit;
      return put_letter(&small, raised[i][1]);
    }
  const char *strokes = "0c0i3i3c0c";
  for (int i = 0; i < N_GLYPHS; i++)
    if (glyphs[i].code == code)
      strokes = glyphs[i].strokes;
  const double width = put_strokes(pen, strokes);
  /* digits are equally wide, so that columns of them stand still */
  return ((code >= '0' && code <= '9' ? 3. : width) + GAP) * pen->unit;
}

static double put_text(struct pen pen, const char *text) {
  double width = 0.;
  for (const unsigned char *c = (const unsigned char *)text; *c;) {
    const double step = put_letter(&pen, next_code(&c));
    *(pen.turned ? &pen.y : &pen.x) += pen.turned ? -step : step;
    width += step;
  }
  return width;
}

/* Capitals are 0.72 of the size high, and six units. */
static double unit_of(double size) { return 0.72 * size / 6.; }

void cairn_image_text(struct cairn_image *image, double x, double y, double size, int turned,
                      const unsigned char rgb[3], const char *text) {
  put_text((struct pen){image, rgb, x, y, unit_of(size), fmax(0.092 * size, 0.9), turned}, text);
}

double cairn_image_text_width(double size, const char *text) {
  return put_text((struct pen){.unit = unit_of(size)}, text);
}
