#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/page/page_parts.h"
#include "view/paint/text.h"
#include "view/scene/film.h"

/* Sizes for a picture of 1080 rows; others are scaled. */
enum { MARGIN = 40, TEXT = 24, BAR_WIDTH = 360, BAR_HEIGHT = 14, ROW = 36 };

/* Letters of nine pixels can still be read, and leave room for the bodies of a small picture. */
static const double SMALLEST = 9. / TEXT;

struct page {
  struct cairn_image *image;
  double scale;
  unsigned char ink[3], ground[3];
};

/* Text that begins, is centered or ends at x. */
static void put(const struct page *page, double x, double y, double part, const char *text) {
  const double size = TEXT * page->scale;
  cairn_image_text(page->image, x - part * cairn_image_text_width(size, text), y, size, 0, page->ink, text);
}

/* Letters stay readable before bright bodies and walls. */
static void put_ground(const struct page *page, double width, double height) {
  const double s = page->scale, w = (width + 1.5 * MARGIN) * s, h = (height + 1.5 * MARGIN) * s;
  cairn_image_veil(page->image, page->image->width - w, page->image->height - h, w, h, page->ground, 0.6);
}

static void put_map(const struct page *page, const struct cairn_film *film) {
  const double s = page->scale, width = BAR_WIDTH * s, x = page->image->width - MARGIN * s - width;
  const double y = page->image->height - (MARGIN + TEXT + 10) * s;
  const double most = fmax(fabs(film->range[0]), fabs(film->range[1]));
  const int exponent = most >= 1e3 || (most > 0. && most < 1e-2) ? (int)floor(log10(most)) : 0;
  char text[128], unit[64], power[40] = "";
  unsigned char rgb[3];
  put_ground(page, BAR_WIDTH, 2 * TEXT + 24);
  for (int i = 0; i < (int)width; i++) {
    cairn_color_at(film->options.map, i / (width - 1.), rgb);
    cairn_image_fill(page->image, floor(x) + i, y, 1., BAR_HEIGHT * s, rgb);
  }
  for (int k = 0; k < 3; k++) {
    const double value = film->range[0] + 0.5 * k * (film->range[1] - film->range[0]);
    snprintf(text, sizeof text, "%.3g", value / pow(10., exponent));
    put(page, x + 0.5 * k * width, page->image->height - MARGIN * s, 0.5 * k, text);
  }
  cairn_text_unit(cairn_coloring_unit(film->options.coloring), unit, sizeof unit);
  if (exponent)
    cairn_text_power(exponent, power, sizeof power);
  snprintf(text, sizeof text, "%s (%s%s%s)", cairn_coloring_name(film->options.coloring), power, exponent ? " " : "",
           unit);
  put(page, x, y - 14. * s, 0., text);
}

static void put_kinds(const struct page *page, const struct cairn_film *film) {
  static const char *const fragments[] = {"largest fragment", "second", "third", "fourth", "smaller"};
  const double s = page->scale, x = page->image->width - (MARGIN + 230) * s;
  const bool of_fragments = film->options.coloring == CAIRN_COLORING_fragment;
  char name[5][64];
  int n = 0;
  for (; n < 5; n++) {
    char key[32];
    snprintf(key, sizeof key, "materials.%d.name", n);
    if (of_fragments)
      snprintf(name[n], sizeof name[n], "%s", fragments[n]);
    else if (!cairn_page_parameter(film->run, key, name[n], sizeof name[n]))
      break;
  }
  put_ground(page, 230, ROW * (n - 1) + TEXT);
  for (int k = 0; k < n; k++) {
    const double y = page->image->height - (MARGIN + ROW * (n - 1 - k)) * s, middle[2] = {x, y - 8. * s};
    unsigned char rgb[3];
    cairn_coloring_rgb(film->options.coloring, film->options.map, film->range, 0, k, rgb);
    cairn_image_line(page->image, middle, middle, 18. * s, rgb);
    put(page, x + 22. * s, y, 0., name[k]);
  }
}

/* A bar of a round length, and the time. */
static void put_scale(const struct page *page, double time, double meters) {
  const double s = page->scale, per_meter = page->image->height / meters, rough = 300. * s / per_meter;
  const double power = pow(10., floor(log10(rough))), digit = rough / power;
  const double length = power * (digit >= 5. ? 5. : digit >= 2. ? 2. : 1.), x = MARGIN * s;
  const double y = page->image->height - (MARGIN + TEXT + 16) * s, end = x + length * per_meter;
  char text[64];
  const double points[4][2] = {{x, y - 8. * s}, {x, y}, {end, y}, {end, y - 8. * s}};
  for (int k = 0; k < 3; k++)
    cairn_image_line(page->image, points[k], points[k + 1], 2. * s, page->ink);
  snprintf(text, sizeof text, "%.6g m", length);
  put(page, x, page->image->height - MARGIN * s, 0., text);
  snprintf(text, sizeof text, "t = %.6g s", time);
  put(page, x, (MARGIN + TEXT) * s, 0., text);
}

void cairn_film_legend(const struct cairn_film *film, double time, double meters, struct cairn_image *image) {
  struct page page = {image, fmax(image->height / 1080., SMALLEST), {222, 227, 233}, {34, 37, 43}};
  if (film->options.white) {
    memset(page.ink, 40, sizeof page.ink);
    memset(page.ground, 255, sizeof page.ground);
  }
  put_scale(&page, time, meters);
  if (film->options.coloring == CAIRN_COLORING_stone)
    return;
  if (cairn_coloring_is_number(film->options.coloring))
    put_map(&page, film);
  else
    put_kinds(&page, film);
}
