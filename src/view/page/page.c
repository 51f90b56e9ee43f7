#include "view/page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/version.h"
#include "data/storage/durable.h"
#include "page_source_page.h"
#include "page_source_script.h"
#include "page_source_style.h"
#include "view/page/page_parts.h"
#include "view/paint/color.h"
#include "view/paint/text.h"

static const char *title_of(const struct cairn_page *page) {
  const char *title = cairn_run_record_attribute(&page->runs[0], "title");
  return title && title[0] ? title : cairn_page_name(&page->runs[0]);
}

static void put_title(const struct cairn_page *page, FILE *file) {
  if (page->n == 1)
    cairn_text_html(file, title_of(page));
  else
    fprintf(file, "Comparison of %d runs", page->n);
}

/* Nothing is fetched, and the page's own script, which knows the nonce, is the only one that runs. */
static void put_policy(const struct cairn_page *page, FILE *file) {
  fprintf(file,
          "default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data: blob:; script-src "
          "&#39;nonce-%s&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;%s",
          page->nonce, page->is_live ? "; connect-src &#39;self&#39;" : "");
}

static void put_csv(const struct cairn_page *page, FILE *file) {
  for (int r = 0; r < page->n; r++) {
    if (page->runs[r].n_rows == 0)
      continue;
    fprintf(file, "<button type=\"button\" data-csv=\"%d\">", r);
    if (page->n > 1)
      cairn_text_html(file, cairn_page_name(&page->runs[r]));
    fputs(page->n > 1 ? ".csv</button> " : "download as CSV</button>", file);
  }
}

static void put_footer(const struct cairn_page *page, FILE *file) {
  (void)page;
  fprintf(file, "Written by cairn %s. This page needs no network: it can be kept, sent and printed as it is.",
          cairn_version_string());
}

static void put_columns(const struct cairn_run_record *run, FILE *file) {
  fputs("\"columns\":[", file);
  for (int c = 0; c < run->n_columns; c++) {
    fputs(c > 0 ? ",\n{\"name\":" : "\n{\"name\":", file);
    cairn_text_json(file, run->columns[c].name);
    fputs(",\"unit\":", file);
    cairn_text_json(file, run->columns[c].unit);
    fputs(",\"values\":[", file);
    for (int64_t i = 0; i < run->n_rows; i++) {
      fputs(i > 0 ? "," : "", file);
      cairn_text_number(file, run->columns[c].values[i]);
    }
    fputs("]}", file);
  }
  fputs("]", file);
}

static void put_colors(FILE *file) {
  unsigned char rgb[3];
  fputs("\"map\":[", file);
  for (int i = 0; i < 256; i++) {
    cairn_color_at(CAIRN_COLOR_MAP_dusk, i / 255., rgb);
    fprintf(file, "%s%d,%d,%d", i > 0 ? "," : "", rgb[0], rgb[1], rgb[2]);
  }
  fputs("],\"kinds\":[", file);
  for (int i = 0; i < CAIRN_COLOR_KINDS; i++) {
    cairn_color_kind(i, rgb);
    fprintf(file, "%s[%d,%d,%d]", i > 0 ? "," : "", rgb[0], rgb[1], rgb[2]);
  }
  fputs("]", file);
}

static int put_data(const struct cairn_page *page, FILE *file, struct cairn_error *error) {
  char *text = NULL;
  size_t size = 0;
  FILE *about = open_memstream(&text, &size);
  if (!about)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a page");
  int status = 0;
  for (int r = 0; r < page->n && !status; r++) {
    fprintf(about, "%s{\"index\":%d,\"name\":", r > 0 ? "," : "", r);
    cairn_text_json(about, cairn_page_name(&page->runs[r]));
    fputc(',', about);
    put_columns(&page->runs[r], about);
    fputs(",\"view\":", about);
    status = cairn_page_frames(page, r, file, about, error);
    fputc('}', about);
  }
  if (fclose(about) && !status)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a page");
  if (!status) {
    fputs("<script type=\"application/json\" id=\"cairn-data\">{\"runs\":[", file);
    fwrite(text, 1, size, file);
    fputs("],", file);
    put_colors(file);
    fprintf(file, ",\"live\":%s}</script>\n", page->is_live ? "true" : "false");
  }
  free(text);
  return status;
}

static void put_style(const struct cairn_page *page, FILE *file) {
  (void)page;
  fputs(cairn_page_source_style, file);
}

static void put_script(const struct cairn_page *page, FILE *file) {
  (void)page;
  fputs(cairn_page_source_script, file);
}

static void put_nonce(const struct cairn_page *page, FILE *file) { fputs(page->nonce, file); }

/* The marks {{NAME}} of page.html. */
static const struct {
  const char *mark;
  void (*put)(const struct cairn_page *page, FILE *file);
} parts[] = {{"policy", put_policy},        {"title", put_title},
             {"style", put_style},          {"lead", cairn_page_lead},
             {"facts", cairn_page_facts},   {"csv", put_csv},
             {"charts", cairn_page_charts}, {"summary", cairn_page_summary},
             {"origin", cairn_page_origin}, {"footer", put_footer},
             {"nonce", put_nonce},          {"script", put_script}};

static int put_page(const struct cairn_page *page, FILE *file, struct cairn_error *error) {
  const char *at = cairn_page_source_page, *open;
  int status = 0;
  for (; !status && (open = strstr(at, "{{")) != NULL; at = strstr(open, "}}") + 2) {
    fwrite(at, 1, (size_t)(open - at), file);
    if (strncmp(open, "{{data}}", 8) == 0)
      status = put_data(page, file, error);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
      if (strncmp(open + 2, parts[k].mark, strlen(parts[k].mark)) == 0 && open[2 + strlen(parts[k].mark)] == '}')
        parts[k].put(page, file);
  }
  if (!status)
    fputs(at, file);
  return status;
}

static int write_page(const struct cairn_page *page, const char *path, struct cairn_error *error) {
  char *temporary = cairn_durable_temporary(path, error);
  if (!temporary)
    return CAIRN_ERR_IO;
  FILE *file = fopen(temporary, "wb");
  int status = file ? put_page(page, file, error) : cairn_durable_fail(error, "write", path, errno);
  const int failed = file && ferror(file);
  if (file && (fclose(file) || failed) && !status)
    status = cairn_durable_fail(error, "write", path, errno ? errno : EIO);
  return cairn_durable_settle(temporary, path, status, error);
}

int cairn_page_write(int n, const char *const *names, const char *path, struct cairn_error *error) {
  struct cairn_page page = {0};
  if (n < 1 || n > CAIRN_PAGE_RUNS)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "a report is about 1 to %d runs, not %d", CAIRN_PAGE_RUNS, n);
  int status = cairn_durable_token(page.nonce, error);
  for (; page.n < n && !status; page.n += !status)
    status = cairn_run_record_read(names[page.n], &page.runs[page.n], error);
  if (!status)
    status = write_page(&page, path, error);
  for (int r = 0; r < page.n; r++)
    cairn_run_record_fini(&page.runs[r]);
  return status;
}

int cairn_page_print_live(const char *name, FILE *file, struct cairn_error *error) {
  struct cairn_page page = {.is_live = true};
  int status = cairn_durable_token(page.nonce, error);
  if (!status)
    status = cairn_run_record_read(name, &page.runs[0], error);
  if (status)
    return status;
  page.n = 1;
  status = put_page(&page, file, error);
  cairn_run_record_fini(&page.runs[0]);
  return status;
}
