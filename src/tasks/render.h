/* A picture as tasks: bands of rows of samples and of the map of shadows, then bands of pixels. */
#ifndef CAIRN_TASKS_RENDER_H
#define CAIRN_TASKS_RENDER_H

#include "cairn/error.h"
#include "kernels/view/raster.h"

/* Draw the scene into `rgb`, [height / SUB][width / SUB][3] bytes, and wait for it. The engine must run. The same scene
 * gives the same bytes whatever the workers are. */
int cairn_render(const struct cairn_raster_scene *scene, unsigned char *rgb, struct cairn_error *error);

#endif
