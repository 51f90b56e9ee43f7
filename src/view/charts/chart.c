#include "view/charts/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/paint/text.h"

enum { TITLE = 15, LABEL = 12, LEGEND_ROW = 17, MOST_POINTS = 1400 };
enum { RARE = 50, FEW = 8, DECADES = 3 }; /* one value in RARE, of FEW or more, so far below the others is an outlier */

static double value_of(const struct cairn_chart *chart, double y) {
  return !chart->logarithmic ? y : y > 0. ? log10(y) : NAN;
}

static bool is_seen(const struct cairn_chart *chart, const struct cairn_chart_curve *curve, int64_t i) {
  return isfinite(curve->x[i]) && isfinite(value_of(chart, curve->y[i]));
}

bool cairn_chart_has_points(const struct cairn_chart *chart) {
  for (int c = 0; c < chart->n_curves; c++) {
    int seen = 0;
    for (int64_t i = 0; i < chart->curves[c].n && seen < 2; i++)
      seen += is_seen(chart, &chart->curves[c], i);
    if (seen == 2)
      return true;
  }
  return false;
}

double cairn_chart_step(double range, int n) {
  const double rough = range / n, power = pow(10., floor(log10(rough))), digit = rough / power;
  return power * (digit < 1.5 ? 1. : digit < 3.5 ? 2. : digit < 7.5 ? 5. : 10.);
}

/* ---------------------------------------------------------------- the axes */

static void widen(double range[2]) {
  const double size = fmax(fabs(range[0]), fabs(range[1]));
  if (range[1] - range[0] > 1e-9 * size)
    return;
  const double more = size > 0. ? 0.1 * size : 1.;
  range[0] -= more;
  range[1] += more;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The least logarithm of a curve, without outliers. */
static double least_of(const struct cairn_chart *chart, const struct cairn_chart_curve *curve) {
  double *all = malloc(((size_t)curve->n + 1) * sizeof *all), least = INFINITY;
  int64_t n = 0;
  for (int64_t i = 0; all && i < curve->n; i++)
    if (is_seen(chart, curve, i))
      all[n++] = value_of(chart, curve->y[i]);
  if (n > 0) {
    qsort(all, (size_t)n, sizeof *all, by_size);
    const int64_t rank = n < FEW ? 0 : n < RARE ? 1 : n / RARE;
    least = all[0] < all[rank] - DECADES ? all[rank] : all[0];
  }
  free(all);
  return least;
}

static void leave_out(const struct cairn_chart *chart, double y[2]) {
  double least = INFINITY;
  for (int c = 0; c < chart->n_curves; c++)
    least = fmin(least, least_of(chart, &chart->curves[c]));
  if (isfinite(least))
    y[0] = least;
}

static int64_t count_below(const struct cairn_chart *chart, double low) {
  int64_t n = 0;
  for (int c = 0; c < chart->n_curves; c++)
    for (int64_t i = 0; i < chart->curves[c].n; i++)
      n += is_seen(chart, &chart->curves[c], i) && value_of(chart, chart->curves[c].y[i]) < low;
  return n;
}

/* Whole decades, at least one; what is below the rounding of the largest number is noise. */
static void round_decades(double y[2]) {
  y[0] = floor(fmax(y[0], y[1] + log10(CAIRN_CHART_NOISE)));
  y[1] = ceil(y[1]);
  if (y[1] - y[0] < 1.)
    y[1] = y[0] + 1.;
}

static void round_linear(double y[2]) {
  if (y[0] > 0. && y[0] < 0.35 * y[1])
    y[0] = 0.;
  if (y[1] < 0. && y[1] > 0.35 * y[0])
    y[1] = 0.;
  const double pad = 0.05 * (y[1] - y[0]);
  y[0] -= y[0] == 0. ? 0. : pad;
  y[1] += y[1] == 0. ? 0. : pad;
}

static int legend_rows(const struct cairn_chart *chart, const struct cairn_chart_area *area);

/* Where the title ends. */
static double head_of(const struct cairn_chart *chart) { return chart->title[0] ? 24. : 6.; }

struct cairn_chart_area cairn_chart_area_of(const struct cairn_chart *chart) {
  struct cairn_chart_area a = {
      .left = 62., .right = chart->width - 16., .x = {INFINITY, -INFINITY}, .y = {INFINITY, -INFINITY}};
  for (int c = 0; c < chart->n_curves; c++) {
    const struct cairn_chart_curve *curve = &chart->curves[c];
    for (int64_t i = 0; i < curve->n; i++) {
      if (isfinite(curve->x[i])) {
        a.x[0] = fmin(a.x[0], curve->x[i]);
        a.x[1] = fmax(a.x[1], curve->x[i]);
      }
      if (!is_seen(chart, curve, i))
        continue;
      const double y = value_of(chart, curve->y[i]);
      a.y[0] = fmin(a.y[0], y);
      a.y[1] = fmax(a.y[1], y);
    }
  }
  if (!(a.x[0] <= a.x[1] && a.y[0] <= a.y[1]))
    a.x[0] = a.x[1] = a.y[0] = a.y[1] = 0.;
  widen(a.x);
  if (chart->logarithmic) {
    leave_out(chart, a.y);
    round_decades(a.y);
    a.n_below = count_below(chart, a.y[0]);
  } else {
    widen(a.y);
    round_linear(a.y);
  }
  a.top = head_of(chart) + 12. + LEGEND_ROW * legend_rows(chart, &a);
  a.bottom = chart->height - 44.;
  return a;
}

static double x_at(const struct cairn_chart_area *a, double x) {
  return a->left + (x - a->x[0]) / (a->x[1] - a->x[0]) * (a->right - a->left);
}

static double y_at(const struct cairn_chart_area *a, double y) {
  return a->bottom - (y - a->y[0]) / (a->y[1] - a->y[0]) * (a->bottom - a->top);
}

/* The power of ten that is taken out of the labels of an axis. */
static int exponent_of(const double range[2]) {
  const double size = fmax(fabs(range[0]), fabs(range[1]));
  if (!(size > 0.) || (size < 2e4 && size >= 0.05))
    return 0;
  return 3 * (int)floor(floor(log10(size)) / 3.);
}

/* As many decimals as it takes to tell ticks apart. */
static void format_tick(double value, double step, char *text, size_t size) {
  const int decimals = step < 1. ? (int)fmin(ceil(-log10(step) - 1e-9), 9.) : 0;
  snprintf(text, size, "%.*f", decimals, fabs(value) < 1e-6 * step ? 0. : value);
}

static void axis_label(const char *label, const char *unit, int exponent, char *text, size_t size) {
  char power[32] = "", printed[64];
  cairn_text_unit(unit, printed, sizeof printed);
  if (exponent)
    cairn_text_power(exponent, power, sizeof power);
  const bool bracket = power[0] || printed[0];
  snprintf(text, size, "%s%s%s%s%s%s", label, bracket ? " (" : "", power, power[0] && printed[0] ? " " : "", printed,
           bracket ? ")" : "");
}

static void draw_line(const struct cairn_canvas *canvas, double x0, double y0, double x1, double y1, int ink,
                      double width) {
  canvas->polyline(canvas, 2, (const double[][2]){{x0, y0}, {x1, y1}}, ink, width);
}

static void draw_x_axis(const struct cairn_chart *chart, const struct cairn_canvas *canvas,
                        const struct cairn_chart_area *a) {
  char text[160];
  const int exponent = exponent_of(a->x);
  const double factor = pow(10., exponent), step = cairn_chart_step(a->x[1] - a->x[0], 6);
  for (double k = ceil(a->x[0] / step - 1e-9); k * step <= a->x[1] + 1e-9 * step; k++) {
    const double x = x_at(a, k * step);
    draw_line(canvas, x, a->bottom, x, a->bottom + 4., CAIRN_INK_SOFT, 1.);
    format_tick(k * step / factor, step / factor, text, sizeof text);
    canvas->text(canvas, x, a->bottom + 17., LABEL, CAIRN_ANCHOR_MIDDLE, 0, CAIRN_INK_SOFT, text);
  }
  axis_label(chart->x_label, chart->x_unit, exponent, text, sizeof text);
  canvas->text(canvas, 0.5 * (a->left + a->right), chart->height - 9., LABEL, CAIRN_ANCHOR_MIDDLE, 0, CAIRN_INK_SOFT,
               text);
}

/* A line across the plot with its label. */
static void draw_y_tick(const struct cairn_canvas *canvas, const struct cairn_chart_area *a, double value,
                        const char *label) {
  const double y = y_at(a, value);
  draw_line(canvas, a->left, y, a->right, y, CAIRN_INK_GRID, 1.);
  canvas->text(canvas, a->left - 7., y + 4., LABEL, CAIRN_ANCHOR_END, 0, CAIRN_INK_SOFT, label);
}

/* Powers of ten; of few decades also twice and five times each, since a curve may lie between two powers. */
static void draw_decades(const struct cairn_canvas *canvas, const struct cairn_chart_area *a) {
  static const int DIGITS[] = {2, 5};
  enum { FEW_DECADES = 2 };
  char power[32], text[48];
  const double range = a->y[1] - a->y[0], step = fmax(1., ceil(range / 7.));
  for (double k = ceil(a->y[0] / step - 1e-9); k * step <= a->y[1] + 1e-9 * step; k++) {
    cairn_text_power((int)lround(k * step), power, sizeof power);
    draw_y_tick(canvas, a, k * step, power);
    for (int i = 0; i < 2 && range <= FEW_DECADES && k * step < a->y[1] - 0.5; i++) {
      snprintf(text, sizeof text, "%d·%s", DIGITS[i], power);
      draw_y_tick(canvas, a, k * step + log10(DIGITS[i]), text);
    }
  }
}

static void draw_y_axis(const struct cairn_chart *chart, const struct cairn_canvas *canvas,
                        const struct cairn_chart_area *a) {
  char text[160];
  const int exponent = chart->logarithmic ? 0 : exponent_of(a->y);
  const double factor = pow(10., exponent), step = cairn_chart_step(a->y[1] - a->y[0], 5);
  if (chart->logarithmic)
    draw_decades(canvas, a);
  for (double k = ceil(a->y[0] / step - 1e-9); !chart->logarithmic && k * step <= a->y[1] + 1e-9 * step; k++) {
    format_tick(k * step / factor, step / factor, text, sizeof text);
    draw_y_tick(canvas, a, k * step, text);
  }
  axis_label(chart->y_label, chart->y_unit, exponent, text, sizeof text);
  canvas->text(canvas, 15., 0.5 * (a->top + a->bottom), LABEL, CAIRN_ANCHOR_MIDDLE, 1, CAIRN_INK_SOFT, text);
}

/* What the axis leaves out, beside the label of the time. */
static void draw_note(const struct cairn_chart *chart, const struct cairn_canvas *canvas,
                      const struct cairn_chart_area *a) {
  char power[32], text[96];
  if (a->n_below == 0)
    return;
  cairn_text_power((int)lround(a->y[0]), power, sizeof power);
  snprintf(text, sizeof text, "%lld value%s below %s", (long long)a->n_below, a->n_below > 1 ? "s" : "", power);
  canvas->text(canvas, a->right, chart->height - 9., LABEL, CAIRN_ANCHOR_END, 0, CAIRN_INK_SOFT, text);
}

/* ---------------------------------------------------------------- curves and legend */

/* Of each part of a long curve its lowest and its highest point, in their order. */
static int64_t thin(const double (*all)[2], int64_t n, double (*out)[2]) {
  const int64_t parts = MOST_POINTS / 2;
  int64_t used = 0;
  for (int64_t part = 0; part < parts; part++) {
    const int64_t from = part * n / parts, to = (part + 1) * n / parts;
    int64_t low = from, high = from;
    for (int64_t i = from; i < to; i++) {
      low = all[i][1] < all[low][1] ? i : low;
      high = all[i][1] > all[high][1] ? i : high;
    }
    memcpy(out[used++], all[low < high ? low : high], sizeof *out);
    if (low != high)
      memcpy(out[used++], all[low < high ? high : low], sizeof *out);
  }
  return used;
}

static void draw_piece(const struct cairn_canvas *canvas, const double (*point)[2], int64_t n, int ink) {
  static const double WIDTH = 1.8;
  double thinned[MOST_POINTS][2];
  if (n > MOST_POINTS) {
    n = thin(point, n, thinned);
    point = (const double(*)[2])thinned;
  }
  canvas->polyline(canvas, n, point, ink, WIDTH);
}

static void draw_curve(const struct cairn_chart *chart, const struct cairn_chart_curve *curve,
                       const struct cairn_canvas *canvas, const struct cairn_chart_area *a) {
  double(*point)[2] = malloc(((size_t)curve->n + 1) * sizeof *point);
  int64_t n = 0;
  for (int64_t i = 0; point && i <= curve->n; i++) {
    if (i < curve->n && is_seen(chart, curve, i) && !(value_of(chart, curve->y[i]) < a->y[0])) {
      point[n][0] = x_at(a, curve->x[i]);
      point[n++][1] = y_at(a, value_of(chart, curve->y[i]));
    } else if (n > 0) {
      draw_piece(canvas, (const double(*)[2])point, n, curve->ink);
      n = 0;
    }
  }
  free(point);
}

/* Entry after entry, a new row where the next does not fit. Returns the number of rows. */
static int put_legend(const struct cairn_chart *chart, const struct cairn_canvas *canvas,
                      const struct cairn_chart_area *a) {
  static const double WIDER = 1.15; /* letters of browsers beside our own */
  const bool is_there = chart->n_curves > 1 || chart->names_one;
  double x = a->left;
  int row = 0;
  for (int c = 0; c < chart->n_curves && is_there; c++) {
    const double width = 28. + WIDER * cairn_image_text_width(LABEL, chart->curves[c].label);
    if (x + width > a->right && x > a->left) {
      x = a->left;
      row++;
    }
    const double y = head_of(chart) + 16. + LEGEND_ROW * row;
    if (canvas) {
      draw_line(canvas, x, y - 4., x + 16., y - 4., chart->curves[c].ink, 2.4);
      canvas->text(canvas, x + 21., y, LABEL, CAIRN_ANCHOR_START, 0, CAIRN_INK_TEXT, chart->curves[c].label);
    }
    x += width + 12.;
  }
  return is_there ? row + 1 : 0;
}

static int legend_rows(const struct cairn_chart *chart, const struct cairn_chart_area *area) {
  return put_legend(chart, NULL, area);
}

void cairn_chart_draw(const struct cairn_chart *chart, const struct cairn_canvas *canvas,
                      struct cairn_chart_area *area) {
  const struct cairn_chart_area a = cairn_chart_area_of(chart);
  canvas->text(canvas, a.left, 20., TITLE, CAIRN_ANCHOR_START, 0, CAIRN_INK_TEXT, chart->title);
  put_legend(chart, canvas, &a);
  draw_y_axis(chart, canvas, &a);
  draw_x_axis(chart, canvas, &a);
  draw_note(chart, canvas, &a);
  draw_line(canvas, a.left, a.bottom, a.right, a.bottom, CAIRN_INK_SOFT, 1.);
  for (int c = 0; c < chart->n_curves; c++)
    draw_curve(chart, &chart->curves[c], canvas, &a);
  if (area)
    *area = a;
}
