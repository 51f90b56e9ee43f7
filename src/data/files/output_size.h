/* How large the files of a run will be. */
#ifndef CAIRN_DATA_FILES_OUTPUT_SIZE_H
#define CAIRN_DATA_FILES_OUTPUT_SIZE_H

#include "data/scenario/scenario.h"

struct cairn_output_size {
  double n_frames, frame; /* frames, bytes of one */
  double n_rows, row;     /* rows of the series, bytes of one */
  double checkpoint;      /* bytes of one, with three contacts for each body; there are two */
};

/* Of a scenario with its bodies and its step; what files say once is left out of frames and rows. */
struct cairn_output_size cairn_output_size_of(const struct cairn_scenario *scenario);

/* Bytes of all files together. */
double cairn_output_size_total(const struct cairn_output_size *size);

#endif
