/* Something to draw lines and texts on, for plots and legends: an SVG or an image of pixels. Lengths are pixels, x to
 * the right and y down from the upper left corner. */
#ifndef CAIRN_VIEW_PAINT_CANVAS_H
#define CAIRN_VIEW_PAINT_CANVAS_H

#include <stdint.h>
#include <stdio.h>

#include "view/paint/image.h"

enum cairn_ink {
  CAIRN_INK_PAPER, /* what is drawn on */
  CAIRN_INK_TEXT,
  CAIRN_INK_SOFT, /* labels of less importance */
  CAIRN_INK_GRID,
  CAIRN_INK_CURVE /* and the following ones: the k-th curve */
};
enum { CAIRN_INK_CURVES = 8 };

enum cairn_anchor { CAIRN_ANCHOR_START, CAIRN_ANCHOR_MIDDLE, CAIRN_ANCHOR_END };

struct cairn_canvas {
  void (*polyline)(const struct cairn_canvas *canvas, int64_t n, const double (*point)[2], int ink, double width);
  /* (x, y) is the anchor on the base line; turned: it is read from below to above. */
  void (*text)(const struct cairn_canvas *canvas, double x, double y, double size, enum cairn_anchor anchor, int turned,
               int ink, const char *text);
  void (*fill)(const struct cairn_canvas *canvas, double x, double y, double width, double height, int ink);
  FILE *file;                /* of an SVG */
  struct cairn_image *image; /* of pixels */
  double scale;              /* pixels of the image per pixel of the canvas */
};

struct cairn_canvas cairn_canvas_svg(FILE *file);
struct cairn_canvas cairn_canvas_pixels(struct cairn_image *image, double scale);

/* The opening tag of an SVG with its style, and the paper if `alone`: a file of its own. An SVG inside of a page takes
 * its colors from that. */
void cairn_canvas_svg_begin(FILE *file, double width, double height, const char *title, int alone);

/* The color of an ink on white paper. */
void cairn_canvas_rgb(int ink, unsigned char rgb[3]);

#endif
