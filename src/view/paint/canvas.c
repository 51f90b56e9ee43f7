#include "view/paint/canvas.h"

#include <math.h>

#include "view/paint/text.h"

/* On white paper. Curves: Okabe and Ito (2008), which color-blind readers tell apart, in an order that also differs in
 * lightness. */
static const unsigned char colors[][3] = {{255, 255, 255}, {28, 32, 38},   {96, 104, 114}, {226, 229, 233},
                                          {0, 99, 166},    {213, 94, 0},   {0, 142, 108},  {190, 80, 140},
                                          {222, 143, 5},   {70, 160, 214}, {90, 90, 96},   {120, 90, 40}};

static int color_of(int ink) {
  return ink < CAIRN_INK_CURVE ? ink : CAIRN_INK_CURVE + (ink - CAIRN_INK_CURVE) % CAIRN_INK_CURVES;
}

void cairn_canvas_rgb(int ink, unsigned char rgb[3]) {
  for (int k = 0; k < 3; k++)
    rgb[k] = colors[color_of(ink)][k];
}

/* ---------------------------------------------------------------- SVG */

static void svg_polyline(const struct cairn_canvas *canvas, int64_t n, const double (*point)[2], int ink,
                         double width) {
  if (n < 1)
    return;
  fprintf(canvas->file, "<path class=\"i%d\" stroke-width=\"%.3g\" d=\"M", color_of(ink), width);
  for (int64_t i = 0; i < n; i++)
    fprintf(canvas->file, "%s%.2f,%.2f", i == 0 ? "" : " ", point[i][0], point[i][1]);
  if (n == 1)
    fprintf(canvas->file, " h0.01"); /* a dot */
  fputs("\"/>\n", canvas->file);
}

static void svg_text(const struct cairn_canvas *canvas, double x, double y, double size, enum cairn_anchor anchor,
                     int turned, int ink, const char *text) {
  static const char *const anchors[] = {"start", "middle", "end"};
  fprintf(canvas->file, "<text class=\"f%d\" font-size=\"%.3g\" text-anchor=\"%s\" x=\"%.2f\" y=\"%.2f\"",
          color_of(ink), size, anchors[anchor], x, y);
  if (turned)
    fprintf(canvas->file, " transform=\"rotate(-90 %.2f %.2f)\"", x, y);
  fputc('>', canvas->file);
  cairn_text_html(canvas->file, text);
  fputs("</text>\n", canvas->file);
}

static void svg_fill(const struct cairn_canvas *canvas, double x, double y, double width, double height, int ink) {
  fprintf(canvas->file, "<rect class=\"f%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", color_of(ink),
          x, y, width, height);
}

struct cairn_canvas cairn_canvas_svg(FILE *file) {
  return (struct cairn_canvas){.polyline = svg_polyline, .text = svg_text, .fill = svg_fill, .file = file, .scale = 1.};
}

void cairn_canvas_svg_begin(FILE *file, double width, double height, const char *title, int alone) {
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.6g %.6g\"", width, height);
  if (alone)
    fprintf(file, " width=\"%.6g\" height=\"%.6g\"", width, height);
  fputs(" role=\"img\"><title>", file);
  cairn_text_html(file, title);
  fputs("</title>\n", file);
  if (!alone)
    return;
  fputs("<style>text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif}"
        "path{fill:none;stroke-linecap:round;stroke-linejoin:round}",
        file);
  for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
    fprintf(file, ".i%zu{stroke:#%02x%02x%02x}.f%zu{fill:#%02x%02x%02x}", i, colors[i][0], colors[i][1], colors[i][2],
            i, colors[i][0], colors[i][1], colors[i][2]);
  fputs("</style>\n", file);
  svg_fill(&(struct cairn_canvas){.file = file}, 0., 0., width, height, CAIRN_INK_PAPER);
}

/* ---------------------------------------------------------------- pixels */

static void pixel_polyline(const struct cairn_canvas *canvas, int64_t n, const double (*point)[2], int ink,
                           double width) {
  const double s = canvas->scale;
  for (int64_t i = 0; i + 1 < n || i == 0; i++) {
    const double *from = point[i], *to = point[i + 1 < n ? i + 1 : i];
    if (n < 1)
      break;
    cairn_image_line(canvas->image, (double[]){s * from[0], s * from[1]}, (double[]){s * to[0], s * to[1]}, s * width,
                     colors[color_of(ink)]);
  }
}

static void pixel_text(const struct cairn_canvas *canvas, double x, double y, double size, enum cairn_anchor anchor,
                       int turned, int ink, const char *text) {
  const double s = canvas->scale, back = 0.5 * (int)anchor * cairn_image_text_width(s * size, text);
  cairn_image_text(canvas->image, s * x - (turned ? 0. : back), s * y + (turned ? back : 0.), s * size, turned,
                   colors[color_of(ink)], text);
}

static void pixel_fill(const struct cairn_canvas *canvas, double x, double y, double width, double height, int ink) {
  const double s = canvas->scale;
  cairn_image_fill(canvas->image, s * x, s * y, s * width, s * height, colors[color_of(ink)]);
}

struct cairn_canvas cairn_canvas_pixels(struct cairn_image *image, double scale) {
  return (struct cairn_canvas){
      .polyline = pixel_polyline, .text = pixel_text, .fill = pixel_fill, .image = image, .scale = scale};
}
