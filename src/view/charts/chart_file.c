#include "view/charts/chart_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/storage/durable.h"

static bool ends_with(const char *text, const char *ending) {
  const size_t length = strlen(text), cut = strlen(ending);
  return length > cut && strcmp(text + length - cut, ending) == 0;
}

static int write_svg(const struct cairn_chart *chart, const char *path, struct cairn_error *error) {
  char *temporary = cairn_durable_temporary(path, error);
  if (!temporary)
    return CAIRN_ERR_IO;
  FILE *file = fopen(temporary, "w");
  int status = file ? 0 : cairn_durable_fail(error, "write", path, errno);
  if (file) {
    const struct cairn_canvas canvas = cairn_canvas_svg(file);
    cairn_canvas_svg_begin(file, chart->width, chart->height, chart->y_label, 1);
    cairn_chart_draw(chart, &canvas, NULL);
    fputs("</svg>\n", file);
    const int failed = ferror(file);
    if (fclose(file) || failed)
      status = cairn_durable_fail(error, "write", path, errno ? errno : EIO);
  }
  return cairn_durable_settle(temporary, path, status, error);
}

/* Three pixels for one: sharp in print, at 8 cm by 5. */
static int write_png(const struct cairn_chart *chart, const char *path, struct cairn_error *error) {
  enum { SCALE = 3 };
  struct cairn_image image;
  int status = cairn_image_init(&image, (int)chart->width * SCALE, (int)chart->height * SCALE, error);
  if (status)
    return status;
  const struct cairn_canvas canvas = cairn_canvas_pixels(&image, SCALE);
  cairn_chart_draw(chart, &canvas, NULL);
  status = cairn_image_write(&image, path, error);
  cairn_image_fini(&image);
  return status;
}

int cairn_chart_file_write(const struct cairn_chart *chart, const char *path, struct cairn_error *error) {
  if (!ends_with(path, ".svg") && !ends_with(path, ".png"))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--output: '%.300s' ends neither with .svg nor with .png", path);
  return (ends_with(path, ".svg") ? write_svg : write_png)(chart, path, error);
}
