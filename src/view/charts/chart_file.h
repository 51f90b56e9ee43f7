/* A plot in a file of its own. */
#ifndef CAIRN_VIEW_CHARTS_CHART_FILE_H
#define CAIRN_VIEW_CHARTS_CHART_FILE_H

#include "cairn/error.h"
#include "view/charts/chart.h"

/* Write NAME.svg or NAME.png; a path with another ending is refused. A file that is there is replaced. */
int cairn_chart_file_write(const struct cairn_chart *chart, const char *path, struct cairn_error *error);

#endif
