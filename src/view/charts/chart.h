/* Curves over time in one plot with axes and legend. */
#ifndef CAIRN_VIEW_CHARTS_CHART_H
#define CAIRN_VIEW_CHARTS_CHART_H

#include <stdbool.h>
#include <stdint.h>

#include "view/paint/canvas.h"

struct cairn_chart_curve {
  const char *label;
  int64_t n;
  const double *x, *y; /* [n]; a number that is not finite interrupts the curve */
  int ink;             /* enum cairn_ink */
};

/* A logarithmic axis shows nothing that is smaller than this part of the largest number. Nor does it stretch to the
 * least fiftieth of a curve where that lies decades below the rest, as the residual of a first, empty step. */
#define CAIRN_CHART_NOISE 1e-16

enum { CAIRN_CHART_CURVES = 16 };

struct cairn_chart {
  const char *title;
  const char *x_label, *x_unit; /* units as UDUNITS writes them */
  const char *y_label, *y_unit;
  bool logarithmic; /* then numbers of 0 and below are left out */
  bool names_one;   /* a legend for a single curve, too */
  double width, height;
  int n_curves;
  struct cairn_chart_curve curves[CAIRN_CHART_CURVES];
};

/* Where the axes are: pixels and the numbers there, for whoever points at the plot. */
struct cairn_chart_area {
  double left, right, top, bottom;
  double x[2], y[2]; /* at left and right, at bottom and top; of a logarithmic plot the decimal logarithms */
  int64_t n_below;   /* positive numbers below a logarithmic axis, which the plot tells of */
};

/* Is there a curve with at least two points to be seen? */
bool cairn_chart_has_points(const struct cairn_chart *chart);

void cairn_chart_draw(const struct cairn_chart *chart, const struct cairn_canvas *canvas,
                      struct cairn_chart_area *area);

/* Its axes, without drawing. */
struct cairn_chart_area cairn_chart_area_of(const struct cairn_chart *chart);

/* The distance of ticks, 1, 2 or 5 times a power of ten, that gives about `n` of them. */
double cairn_chart_step(double range, int n);

#endif
