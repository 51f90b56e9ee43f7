#include "view/paint/image.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/storage/durable.h"

int cairn_image_init(struct cairn_image *image, int width, int height, struct cairn_error *error) {
  *image = (struct cairn_image){width, height, malloc((size_t)width * (size_t)height * 3)};
  if (!image->rgb)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a picture of %d by %d pixels", width, height);
  memset(image->rgb, 255, (size_t)width * (size_t)height * 3);
  return 0;
}

void cairn_image_fini(struct cairn_image *image) {
  free(image->rgb);
  *image = (struct cairn_image){0};
}

static void blend(struct cairn_image *image, int x, int y, double part, const unsigned char rgb[3]) {
  unsigned char *p = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
  for (int k = 0; k < 3; k++)
    p[k] = (unsigned char)(p[k] + part * (rgb[k] - p[k]) + 0.5);
}

/* The whole numbers from `low` to `high` that lie in 0 … n - 1. */
static int first_of(double low) { return low > 0. ? (low < 1e9 ? (int)low : 1000000000) : 0; }
static int last_of(double high, int n) { return high < n - 1 ? (int)ceil(high) : n - 1; }

void cairn_image_line(struct cairn_image *image, const double from[2], const double to[2], double width,
                      const unsigned char rgb[3]) {
  const double ex = to[0] - from[0], ey = to[1] - from[1], length = ex * ex + ey * ey, reach = 0.5 * width + 0.5;
  if (!isfinite(ex + ey))
    return;
  const int y1 = last_of(fmax(from[1], to[1]) + reach, image->height);
  const int x0 = first_of(fmin(from[0], to[0]) - reach), x1 = last_of(fmax(from[0], to[0]) + reach, image->width);
  for (int y = first_of(fmin(from[1], to[1]) - reach); y <= y1; y++)
    for (int x = x0; x <= x1; x++) {
      const double px = x + 0.5 - from[0], py = y + 0.5 - from[1];
      const double t = length > 0. ? fmin(fmax((px * ex + py * ey) / length, 0.), 1.) : 0.;
      const double cover = reach - hypot(px - t * ex, py - t * ey);
      if (cover > 0.)
        blend(image, x, y, fmin(cover, 1.), rgb);
    }
}

void cairn_image_veil(struct cairn_image *image, double x, double y, double width, double height,
                      const unsigned char rgb[3], double part) {
  const int y1 = last_of(y + height, image->height), x0 = first_of(x), x1 = last_of(x + width, image->width);
  for (int j = first_of(y); j <= y1; j++)
    for (int i = x0; i <= x1; i++) {
      const double across = fmin(i + 1., x + width) - fmax(i, x), down = fmin(j + 1., y + height) - fmax(j, y);
      if (across > 0. && down > 0.)
        blend(image, i, j, part * across * down, rgb);
    }
}

void cairn_image_fill(struct cairn_image *image, double x, double y, double width, double height,
                      const unsigned char rgb[3]) {
  cairn_image_veil(image, x, y, width, height, rgb, 1.);
}

/* ---------------------------------------------------------------- PNG */

/* Nothing between setjmp and longjmp may be changed and read later but through this. */
struct writer {
  png_structp png;
  png_infop info;
};

static int write_rows(struct writer *writer, const struct cairn_image *image, FILE *file) {
  if (setjmp(png_jmpbuf(writer->png)))
    return -1;
  png_init_io(writer->png, file);
  png_set_compression_level(writer->png, 3);
  png_set_filter(writer->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
  png_set_IHDR(writer->png, writer->info, (png_uint_32)image->width, (png_uint_32)image->height, 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(writer->png, writer->info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(writer->png, writer->info);
  for (int y = 0; y < image->height; y++)
    png_write_row(writer->png, image->rgb + 3 * (size_t)y * (size_t)image->width);
  png_write_end(writer->png, NULL);
  return 0;
}

static void be_silent(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void jump(png_structp png, png_const_charp message) {
  (void)message;
  png_longjmp(png, 1);
}

static int encode(const struct cairn_image *image, FILE *file) {
  struct writer writer = {png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, jump, be_silent), NULL};
  int status = -1;
  if (writer.png && (writer.info = png_create_info_struct(writer.png)))
    status = write_rows(&writer, image, file);
  png_destroy_write_struct(&writer.png, &writer.info);
  return status;
}

int cairn_image_write(const struct cairn_image *image, const char *path, struct cairn_error *error) {
  char *temporary = cairn_durable_temporary(path, error);
  if (!temporary)
    return CAIRN_ERR_IO;
  errno = 0;
  FILE *file = fopen(temporary, "wb");
  const int bad = !file || encode(image, file) || ferror(file), number = errno;
  int status = 0;
  if ((file && fclose(file)) || bad)
    status = cairn_durable_fail(error, "write", path, number ? number : EIO);
  return cairn_durable_settle(temporary, path, status, error);
}
