/* Pictures one after the other as a movie, by ffmpeg where it is installed. */
#ifndef CAIRN_VIEW_SCENE_MOVIE_H
#define CAIRN_VIEW_SCENE_MOVIE_H

#include <sys/types.h>

#include "view/paint/image.h"

struct cairn_movie {
  pid_t pid;
  int link;               /* its standard input */
  char *path, *temporary; /* owned */
};

/* Start ffmpeg for an MP4 file of H.264 with 25 pictures a second. `path` is written completely or not at all. */
int cairn_movie_begin(struct cairn_movie *movie, const char *path, int width, int height, struct cairn_error *error);

int cairn_movie_add(struct cairn_movie *movie, const struct cairn_image *image, struct cairn_error *error);

/* Finish the file, or with keep = 0 drop it. */
int cairn_movie_end(struct cairn_movie *movie, int keep, struct cairn_error *error);

#endif
