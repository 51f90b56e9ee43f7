/* Pictures of the frames of a run, all with the same camera, light and colors. */
#ifndef CAIRN_VIEW_SCENE_FILM_H
#define CAIRN_VIEW_SCENE_FILM_H

#include "data/files/run_record.h"
#include "view/paint/image.h"
#include "view/scene/coloring.h"
#include "view/scene/wall_mesh.h"

struct cairn_film_options {
  int width, height; /* pixels */
  const char *view;  /* iso, top, bottom, front, back, left, right or side, or two angles in degrees: 30,20 */
  bool follow;       /* the largest fragment stays in the middle */
  double zoom;       /* 1: everything fits */
  enum cairn_coloring coloring;
  enum cairn_color_map map;
  bool white;  /* paper instead of night */
  bool legend; /* colors, time and scale are told in the picture */
};

struct cairn_film {
  struct cairn_film_options options;
  const struct cairn_run_record *run;
  double away[3], up[3], right[3]; /* of the camera: from the scene to it, and across */
  double light[3];
  double box[2][3];         /* of nearly all bodies in all frames */
  double center[3], radius; /* m, what is to be seen; with `follow` the center is that of each frame */
  double range[2];          /* of the numbers on the color map */
  double mean_radius;
  struct cairn_wall_mesh walls;
};

/* Look through the frames of the run, which must outlive the film. */
int cairn_film_open(const struct cairn_run_record *run, const struct cairn_film_options *options,
                    struct cairn_film *film, struct cairn_error *error);

/* Draw one frame, counted from 0, into an image of the size of the film. The engine must run. */
int cairn_film_draw(const struct cairn_film *film, int64_t frame, struct cairn_image *image, struct cairn_error *error);

void cairn_film_close(struct cairn_film *film);

/* The legend of a frame: color map or kinds, time, a bar of a round length. `meters` is what the height of the picture
 * spans. */
void cairn_film_legend(const struct cairn_film *film, double time, double meters, struct cairn_image *image);

#endif
