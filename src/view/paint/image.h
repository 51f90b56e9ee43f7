/* An image of 8-bit sRGB pixels, its lines and letters, and PNG files. */
#ifndef CAIRN_VIEW_PAINT_IMAGE_H
#define CAIRN_VIEW_PAINT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "cairn/error.h"

struct cairn_image {
  int width, height;
  unsigned char *rgb; /* [height][width][3], from the upper left corner */
};

/* White. */
int cairn_image_init(struct cairn_image *image, int width, int height, struct cairn_error *error);
void cairn_image_fini(struct cairn_image *image);

/* A line with round ends; coverage of the pixels at its edges is by distance. */
void cairn_image_line(struct cairn_image *image, const double from[2], const double to[2], double width,
                      const unsigned char rgb[3]);

/* A rectangle; its edges cover pixels in part. */
void cairn_image_fill(struct cairn_image *image, double x, double y, double width, double height,
                      const unsigned char rgb[3]);

/* The same, and `part` of 1 of its color: what is below shines through. */
void cairn_image_veil(struct cairn_image *image, double x, double y, double width, double height,
                      const unsigned char rgb[3], double part);

/* Write a text in letters of strokes, `size` pixels high as fonts count, with its lower left corner at (x, y); turned:
 * read from below to above. UTF-8; what has no letter is a box. */
void cairn_image_text(struct cairn_image *image, double x, double y, double size, int turned,
                      const unsigned char rgb[3], const char *text);

/* Its width in pixels. */
double cairn_image_text_width(double size, const char *text);

/* Write it to `path`, completely or not at all, replacing what is there. The same pixels give the same bytes. */
int cairn_image_write(const struct cairn_image *image, const char *path, struct cairn_error *error);

#endif
