/* What the files of the page share. */
#ifndef CAIRN_VIEW_PAGE_PAGE_PARTS_H
#define CAIRN_VIEW_PAGE_PAGE_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "data/files/run_record.h"

/* How many bytes of frames a page may have, and bodies in a frame: what a browser shows without a pause. */
enum {
  CAIRN_PAGE_BYTES = 48 << 20,
  CAIRN_PAGE_LIVE_BYTES = 6 << 20,
  CAIRN_PAGE_BODIES = 100000,
  CAIRN_PAGE_TRIANGLES = 200000
};

struct cairn_page {
  int n;
  struct cairn_run_record runs[8];
  char nonce[40];
  bool is_live;
};

/* The frames of a run as data blocks, and what the script must know of them as JSON into `about`, which is "null" if
 * there is nothing to show. */
int cairn_page_frames(const struct cairn_page *page, int run, FILE *file, FILE *about, struct cairn_error *error);

/* Names of the materials of a run as a JSON list. */
void cairn_page_materials(const struct cairn_run_record *run, FILE *file);

/* The scalar `key` of the parameters in force, e.g. method; false if there is none. */
bool cairn_page_parameter(const struct cairn_run_record *run, const char *key, char *text, size_t size);

/* The sections of the page. */
void cairn_page_lead(const struct cairn_page *page, FILE *file);
void cairn_page_facts(const struct cairn_page *page, FILE *file);
void cairn_page_summary(const struct cairn_page *page, FILE *file);
void cairn_page_origin(const struct cairn_page *page, FILE *file);
void cairn_page_charts(const struct cairn_page *page, FILE *file);

const char *cairn_page_name(const struct cairn_run_record *run);

#endif
