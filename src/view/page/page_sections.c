/* The parts of the page that are text and tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/schema/yaml.h"
#include "view/charts/chart_list.h"
#include "view/page/page_parts.h"
#include "view/paint/text.h"

const char *cairn_page_name(const struct cairn_run_record *run) {
  const char *slash = strrchr(run->name, '/');
  return slash ? slash + 1 : run->name;
}

/* ---------------------------------------------------------------- the parameters in force */

static struct cairn_node *parameters_of(const struct cairn_run_record *run) {
  struct cairn_error ignored;
  struct cairn_node *root = NULL;
  const char *text = cairn_run_record_attribute(run, "effective_parameters");
  if (!text || cairn_yaml_parse(text, strlen(text), "parameters", &root, &ignored))
    return NULL;
  return root;
}

bool cairn_page_parameter(const struct cairn_run_record *run, const char *key, char *text, size_t size) {
  struct cairn_node *root = parameters_of(run);
  const struct cairn_node *node = root ? cairn_yaml_find(root, key) : NULL;
  const bool found = node && node->text;
  if (found)
    snprintf(text, size, "%s", node->text);
  cairn_yaml_free(root);
  return found;
}

void cairn_page_materials(const struct cairn_run_record *run, FILE *file) {
  struct cairn_node *root = parameters_of(run);
  const struct cairn_node *list = root ? cairn_yaml_child(root, "materials") : NULL;
  fputc('[', file);
  for (size_t i = 0; list && list->kind == CAIRN_NODE_LIST && i < list->n && i < 64; i++) {
    const struct cairn_node *name = cairn_yaml_child(list->child[i], "name");
    fputs(i > 0 ? "," : "", file);
    cairn_text_json(file, name && name->text ? name->text : "?");
  }
  fputc(']', file);
  cairn_yaml_free(root);
}

/* ---------------------------------------------------------------- head */

/* A number for people: thousands apart, or as short as it stays readable. */
static void put_number(FILE *file, double value) {
  char digits[32];
  if (!isfinite(value)) {
    fputs("–", file);
    return;
  }
  if (fabs(value) < 1e15 && value == floor(value) && fabs(value) >= 1e4) {
    snprintf(digits, sizeof digits, "%.0f", fabs(value));
    fputs(value < 0. ? "−" : "", file);
    for (size_t n = strlen(digits), i = 0; i < n; i++)
      fprintf(file, "%s%c", i > 0 && (n - i) % 3 == 0 ? " " : "", digits[i]);
    return;
  }
  const int exponent = value != 0. ? (int)floor(log10(fabs(value))) : 0;
  if (exponent < -3 || exponent > 5) {
    char power[32];
    cairn_text_power(exponent, power, sizeof power);
    fprintf(file, "%.4g × %s", value / pow(10., exponent), power);
  } else
    fprintf(file, "%.4g", value);
}

static double last_of(const struct cairn_run_record *run, const char *name) {
  const struct cairn_run_column *column = cairn_run_record_column(run, name);
  return column && run->n_rows > 0 ? column->values[run->n_rows - 1] : NAN;
}

static void put_method(const struct cairn_run_record *run, FILE *file) {
  char method[64];
  if (!cairn_page_parameter(run, "method", method, sizeof method))
    snprintf(method, sizeof method, "unknown method");
  for (char *c = method; *c; c++)
    *c = *c == '_' ? ' ' : *c;
  cairn_text_html(file, method);
}

void cairn_page_lead(const struct cairn_page *page, FILE *file) {
  const struct cairn_run_record *run = &page->runs[0];
  if (page->n > 1) {
    fprintf(file, "%d runs side by side: ", page->n);
    for (int r = 0; r < page->n; r++) {
      fputs(r > 0 ? ", " : "", file);
      cairn_text_html(file, cairn_page_name(&page->runs[r]));
    }
    return;
  }
  put_method(run, file);
  const char *date = cairn_run_record_attribute(run, "date_created"), *host = cairn_run_record_attribute(run, "host");
  if (date) {
    fputs(" · ", file);
    cairn_text_html(file, date);
  }
  if (host) {
    fputs(" · ", file);
    cairn_text_html(file, host);
  }
}

static void put_fact(FILE *file, double value, const char *unit, const char *label) {
  if (!isfinite(value))
    return;
  fputs("<div class=\"fact\"><b>", file);
  if (value != floor(value) && fabs(value) >= 1e-3 && fabs(value) < 1e4)
    fprintf(file, fabs(value) < 100. ? "%.3g" : "%.4g", value);
  else
    put_number(file, value);
  if (unit[0])
    fprintf(file, " <small>%s</small>", unit);
  fprintf(file, "</b><span>%s</span></div>\n", label);
}

void cairn_page_facts(const struct cairn_page *page, FILE *file) {
  const struct cairn_run_record *run = &page->runs[0];
  if (page->n > 1)
    return;
  const struct cairn_run_column *bodies = cairn_run_record_column(run, "n_bodies");
  double most = NAN; /* bodies may be poured in, and may be removed */
  for (int64_t r = 0; r < run->n_rows && bodies; r++)
    most = fmax(most, bodies->values[r]);
  put_fact(file, most, "", "bodies");
  put_fact(file, last_of(run, "time"), "s", "simulated time");
  put_fact(file, last_of(run, "step"), "", "steps");
  char method[64];
  if (cairn_page_parameter(run, "method", method, sizeof method) && strcmp(method, "hard_spheres") == 0) {
    put_fact(file, last_of(run, "n_collisions") + last_of(run, "n_wall_collisions"), "", "collisions");
    put_fact(file, last_of(run, "n_merges"), "", "mergers");
  } else {
    put_fact(file, last_of(run, "n_contacts"), "", "contacts");
    put_fact(file, last_of(run, "coordination"), "", "coordination number");
  }
  put_fact(file, last_of(run, "max_speed"), "m/s", "largest speed");
  if (run->n_frames > 0)
    put_fact(file, (double)run->n_frames, "", "frames");
  if (run->digest[0])
    fprintf(file, "<div class=\"fact\"><b title=\"%s\">%.8s</b><span>digest of the state</span></div>\n", run->digest,
            run->digest);
}

/* ---------------------------------------------------------------- tables */

static void put_range(const struct cairn_run_record *run, const struct cairn_run_column *column, FILE *file) {
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < run->n_rows; i++)
    if (isfinite(column->values[i])) {
      low = fmin(low, column->values[i]);
      high = fmax(high, column->values[i]);
    }
  const double values[] = {column->values[0], column->values[run->n_rows - 1], low, high};
  for (int k = 0; k < 4; k++) {
    fputs("<td class=\"n\">", file);
    put_number(file, values[k]);
    fputs("</td>", file);
  }
}

static bool has_number(const struct cairn_run_record *run, const struct cairn_run_column *column) {
  for (int64_t i = 0; i < run->n_rows; i++)
    if (isfinite(column->values[i]) && column->values[i] != 0.)
      return true;
  return false;
}

static void put_unit(FILE *file, const char *unit) {
  char printed[64];
  cairn_text_unit(unit, printed, sizeof printed);
  cairn_text_html(file, printed);
}

static void summarise_one(const struct cairn_run_record *run, FILE *file) {
  fputs("<div class=\"table\"><table><thead><tr><th>quantity</th><th>unit</th><th>start</th><th>end</th><th>least</th>"
        "<th>most</th><th>meaning</th></tr></thead><tbody>\n",
        file);
  for (int c = 0; c < run->n_columns && run->n_rows > 0; c++) {
    const struct cairn_run_column *column = &run->columns[c];
    if (column->components == 6 || column->wall >= 0 || !has_number(run, column))
      continue;
    fputs("<tr><td>", file);
    cairn_text_html(file, column->name);
    fputs("</td><td class=\"n\">", file);
    put_unit(file, column->unit);
    fputs("</td>", file);
    put_range(run, column, file);
    fputs("<td>", file);
    cairn_text_html(file, column->meaning);
    fputs("</td></tr>\n", file);
  }
  fputs("</tbody></table></div>\n", file);
}

/* The last row of every run, beside each other. */
static void compare(const struct cairn_page *page, FILE *file) {
  fputs("<p>At the end of each run:</p><div class=\"table\"><table><thead><tr><th>quantity</th><th>unit</th>", file);
  for (int r = 0; r < page->n; r++) {
    fputs("<th>", file);
    cairn_text_html(file, cairn_page_name(&page->runs[r]));
    fputs("</th>", file);
  }
  fputs("</tr></thead><tbody>\n", file);
  const struct cairn_run_record *first = &page->runs[0];
  for (int c = 0; c < first->n_columns; c++) {
    const struct cairn_run_column *column = &first->columns[c];
    if (column->components == 6 || column->wall >= 0)
      continue;
    bool told = false;
    for (int r = 0; r < page->n; r++) {
      const struct cairn_run_column *other = cairn_run_record_column(&page->runs[r], column->name);
      told |= other && has_number(&page->runs[r], other);
    }
    if (!told)
      continue;
    fputs("<tr><td>", file);
    cairn_text_html(file, column->name);
    fputs("</td><td class=\"n\">", file);
    put_unit(file, column->unit);
    fputs("</td>", file);
    for (int r = 0; r < page->n; r++) {
      fputs("<td class=\"n\">", file);
      put_number(file, last_of(&page->runs[r], column->name));
      fputs("</td>", file);
    }
    fputs("</tr>\n", file);
  }
  fputs("</tbody></table></div>\n", file);
}

void cairn_page_summary(const struct cairn_page *page, FILE *file) {
  if (page->n > 1)
    compare(page, file);
  else if (page->runs[0].n_rows == 0)
    fputs("<p>It is made from the series, which this run does not have.</p>\n", file);
  else
    summarise_one(&page->runs[0], file);
}

/* ---------------------------------------------------------------- where it comes from */

static void put_text_block(FILE *file, const char *label, const char *text, bool open) {
  if (!text)
    return;
  fprintf(file, "<details%s><summary>%s</summary><pre>", open ? " open" : "", label);
  cairn_text_html(file, text);
  fputs("</pre></details>\n", file);
}

static void put_attributes(const struct cairn_run_record *run, FILE *file) {
  static const char *const elsewhere[] = {"scenario",    "effective_parameters", "summary",    "keywords",
                                          "Conventions", "cdm_data_type",        "cairn_file", "history",
                                          "source",      "ConventionVersion"};
  fputs("<div class=\"table\"><table><tbody>\n", file);
  if (run->digest[0])
    fprintf(file, "<tr><td class=\"key\">digest</td><td class=\"long\">%s</td></tr>\n", run->digest);
  for (int i = 0; i < run->n_attributes; i++) {
    bool skip = !run->attributes[i].value[0];
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
      skip |= strcmp(run->attributes[i].name, elsewhere[k]) == 0;
    if (skip)
      continue;
    fputs("<tr><td class=\"key\">", file);
    cairn_text_html(file, run->attributes[i].name);
    fputs("</td><td class=\"long\">", file);
    cairn_text_html(file, run->attributes[i].value);
    fputs("</td></tr>\n", file);
  }
  fputs("</tbody></table></div>\n", file);
}

void cairn_page_origin(const struct cairn_page *page, FILE *file) {
  for (int r = 0; r < page->n; r++) {
    const struct cairn_run_record *run = &page->runs[r];
    if (page->n > 1) {
      fputs("<h3>", file);
      cairn_text_html(file, cairn_page_name(run));
      fputs("</h3>\n", file);
    }
    put_text_block(file, "scenario as written", cairn_run_record_attribute(run, "scenario"), page->n == 1);
    put_text_block(file, "all parameters in force", cairn_run_record_attribute(run, "effective_parameters"), false);
    put_attributes(run, file);
  }
}

/* ---------------------------------------------------------------- plots */

static void put_chart(void *context, const struct cairn_chart *chart, const struct cairn_chart_source *source) {
  FILE *file = context;
  const struct cairn_chart_area a = cairn_chart_area_of(chart);
  const struct cairn_canvas canvas = cairn_canvas_svg(file);
  fprintf(file,
          "<figure class=\"chart\" data-area='{\"left\":%.6g,\"right\":%.6g,\"top\":%.6g,\"bottom\":%.6g,\"x0\":%.9g,"
          "\"x1\":%.9g}' data-curves='[",
          a.left, a.right, a.top, a.bottom, a.x[0], a.x[1]);
  for (int c = 0; c < chart->n_curves; c++) {
    fprintf(file, "%s{\"run\":%d,\"column\":%d,\"ink\":%d,\"label\":", c > 0 ? "," : "", source->run[c],
            source->column[c], CAIRN_INK_CURVE + (chart->curves[c].ink - CAIRN_INK_CURVE) % CAIRN_INK_CURVES);
    cairn_text_json(file, chart->curves[c].label); /* it has neither quotes of its own nor < > & left in it */
    fputc('}', file);
  }
  fputs("]'>", file);
  cairn_canvas_svg_begin(file, chart->width, chart->height, chart->title, 0);
  cairn_chart_draw(chart, &canvas, NULL);
  fputs("</svg></figure>\n", file);
}

void cairn_page_charts(const struct cairn_page *page, FILE *file) {
  bool any = false;
  for (int r = 0; r < page->n; r++)
    any |= page->runs[r].n_rows > 1;
  if (any)
    cairn_chart_list(page->n, page->runs, put_chart, file);
  else
    fputs("<p>There is no series, or it has not two rows yet.</p>\n", file);
}
