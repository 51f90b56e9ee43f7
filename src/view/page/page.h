/* The report of one run or several as one HTML page that needs nothing beside itself: numbers, plots, frames in 3-D.
 * Every text of a file is escaped, and the page's own policy lets no other script run and nothing be fetched. */
#ifndef CAIRN_VIEW_PAGE_PAGE_H
#define CAIRN_VIEW_PAGE_PAGE_H

#include <stdio.h>

#include "data/files/run_record.h"

enum { CAIRN_PAGE_RUNS = 8 };

/* Write the page of the runs `names` (as cairn_run_record_read takes them) to `path`, completely or not at all,
 * replacing what is there. */
int cairn_page_write(int n, const char *const *names, const char *path, struct cairn_error *error);

/* The page of a run that goes on: fewer frames, and it asks the server it came from for news. */
int cairn_page_print_live(const char *name, FILE *file, struct cairn_error *error);

#endif
