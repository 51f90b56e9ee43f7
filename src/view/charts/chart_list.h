/* Which plots a report has: groups of quantities of the series that belong together. */
#ifndef CAIRN_VIEW_CHARTS_CHART_LIST_H
#define CAIRN_VIEW_CHARTS_CHART_LIST_H

#include "data/files/run_record.h"
#include "view/charts/chart.h"

/* Where the curves of a plot come from: run and column each. */
struct cairn_chart_source {
  int run[CAIRN_CHART_CURVES], column[CAIRN_CHART_CURVES];
};

/* Call `take` for every plot that has something to show. One run: a plot for each group, one curve per quantity;
 * several: a plot for each quantity, one curve per run. What is 0 or unknown throughout is left out. */
void cairn_chart_list(int n_runs, const struct cairn_run_record *runs,
                      void (*take)(void *context, const struct cairn_chart *chart, const struct cairn_chart_source *),
                      void *context);

/* The plot of the named columns (kinetic_energy, momentum_x, wall_force_z[floor]) of all runs. The names must outlive
 * the chart. */
int cairn_chart_list_named(int n_runs, const struct cairn_run_record *runs, int n_names, const char *const *names,
                           bool logarithmic, struct cairn_chart *chart, char (*labels)[128], struct cairn_error *error);

#endif
