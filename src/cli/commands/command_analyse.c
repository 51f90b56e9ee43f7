#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bound.h"
#include "analysis/cluster.h"
#include "analysis/inside.h"
#include "analysis/profile.h"
#include "cli/command.h"
#include "cli/report.h"
#include "data/base/number.h"
#include "data/files/contact_network.h"
#include "data/files/run_record.h"
#include "data/files/trajectory.h"
#include "data/schema/schema.h"
#include "view/paint/text.h"

enum { MOST_SHOWN = 10, MOST_BINS = 10000 };

static const char *const axes[] = {"x", "y", "z", "radius"};

/* What holds fragments together. */
enum links { LINKS_GAPS, LINKS_CONTACTS, LINKS_BONDS, LINKS_GRAVITY };

/* What is found in one frame. */
struct findings {
  const char *path;
  enum links links;
  int64_t n_links;
  const struct cairn_trajectory_frame *frame;
  double time, gap, slope;
  struct cairn_fragments fragments;
  struct cairn_ejecta ejecta;
  enum cairn_profile_axis axis;
  bool has_profile;
  bool has_region;
  struct cairn_inside inside;   /* of that region */
  struct cairn_profile profile; /* of one bin where none is asked for: it knows the materials */
};

/* "z", "radius:30". */
static int read_profile(const char *text, enum cairn_profile_axis *axis, int *n_bins, struct cairn_error *error) {
  const char *colon = strchr(text, ':');
  const size_t length = colon ? (size_t)(colon - text) : strlen(text);
  int64_t bins = 20;
  bool found = false;
  for (int k = 0; k < 4 && !found; k++)
    if (strlen(axes[k]) == length && strncmp(axes[k], text, length) == 0) {
      *axis = (enum cairn_profile_axis)k;
      found = true;
    }
  if (!found || (colon && (!cairn_number_parse_integer(colon + 1, &bins) || bins < 1 || bins > MOST_BINS)))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "--profile: found '%.80s', expected x, y, z or radius, and perhaps a number of bins from 1 "
                           "to %d: z:20",
                           text, MOST_BINS);
  *n_bins = (int)bins;
  return 0;
}

static int choose_frame(const char *text, int64_t n, int64_t *frame, struct cairn_error *error) {
  if (n < 1)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "the trajectory has no frames");
  if (!text || strcmp(text, "last") == 0) {
    *frame = n - 1;
    return 0;
  }
  if (!cairn_number_parse_integer(text, frame) || *frame >= n || *frame < -n)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "--frame: found '%.80s', expected last or a number from %lld to %lld", text, (long long)-n,
                           (long long)(n - 1));
  *frame += *frame < 0 ? n : 0;
  return 0;
}

/* What the parameters of the run say of gravity. */
struct gravity {
  double constant; /* m³/(kg s²), of self-gravity; 0 if it has none */
  bool down;       /* is there a uniform field along -z, and nothing else? Then there may be heaps */
};

static void read_gravity(struct cairn_node *tree, struct gravity *out) {
  const struct cairn_node *constant = cairn_yaml_find(tree, "gravity.self.constant"),
                          *uniform = cairn_yaml_find(tree, "gravity.uniform");
  double g[3] = {0};
  if (constant && (constant->kind != CAIRN_NODE_SCALAR || !cairn_number_parse(constant->text, &out->constant)))
    out->constant = 0.;
  for (size_t k = 0; uniform && k < uniform->n && k < 3; k++)
    if (uniform->child[k]->kind != CAIRN_NODE_SCALAR || !cairn_number_parse(uniform->child[k]->text, g + k))
      g[k] = 0.;
  out->down = g[2] < 0. && out->constant == 0.;
}

static struct gravity gravity_of(const char *path) {
  struct cairn_run_record record;
  struct cairn_error ignored;
  struct cairn_node *tree = NULL;
  struct gravity gravity = {0};
  if (cairn_run_record_read(path, &record, &ignored))
    return gravity;
  const char *text = cairn_run_record_attribute(&record, "effective_parameters");
  if (text && !cairn_yaml_parse(text, strlen(text), path, &tree, &ignored))
    read_gravity(tree, &gravity);
  cairn_yaml_free(tree);
  cairn_run_record_fini(&record);
  return gravity;
}

static const char *const links[] = {"gaps", "contacts", "bonds", "gravity"};

static int read_links(const char *text, enum links *kind, struct cairn_error *error) {
  for (int k = 0; k < 4; k++)
    if (!text || strcmp(text, links[k]) == 0) {
      *kind = (enum links)k;
      return 0;
    }
  return cairn_error_set(error, CAIRN_ERR_INPUT, "--links: found '%.80s', expected gaps, contacts, bonds or gravity",
                         text);
}

/* Fragments over contacts or bonds, from the file of contacts beside the trajectory. */
static int find_linked(struct findings *f, struct cairn_error *error) {
  const struct cairn_state *s = &f->frame->state;
  struct cairn_contact_row *row;
  int64_t n, n_links = 0;
  int status = cairn_contact_network_read(f->path, f->time, s->n, &row, &n, error);
  if (status)
    return status;
  int32_t(*pair)[2] = malloc(((size_t)n + 1) * sizeof *pair);
  for (int64_t k = 0; k < n && pair; k++)
    if (row[k].b >= 0 && (f->links == LINKS_CONTACTS || row[k].bond)) {
      pair[n_links][0] = row[k].a;
      pair[n_links++][1] = row[k].b;
    }
  const struct cairn_cluster_links all = {n_links, pair};
  f->n_links = n_links;
  status = pair ? cairn_fragments_find_linked(s, &all, &f->fragments, error)
                : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the links");
  free(pair);
  free(row);
  return status;
}

static int find_fragments(struct findings *f, double constant, struct cairn_error *error) {
  const struct cairn_state *s = &f->frame->state;
  if (f->links == LINKS_GRAVITY && !(constant > 0.))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "--links gravity: the run has no self-gravity, which binds fragments");
  return f->links == LINKS_GAPS      ? cairn_fragments_find(s, f->gap, &f->fragments, error)
         : f->links == LINKS_GRAVITY ? cairn_bound_fragments(s, f->gap, constant, &f->fragments, error)
                                     : find_linked(f, error);
}

static int find(struct findings *f, int n_bins, const struct gravity *gravity, struct cairn_error *error) {
  const struct cairn_state *s = &f->frame->state;
  f->gap = cairn_cluster_gap(s);
  f->slope = (double)NAN;
  int status = find_fragments(f, gravity->constant, error);
  if (!status)
    status = cairn_fragments_ejecta(&f->fragments, s, gravity->constant, &f->ejecta, error);
  if (!status && gravity->down)
    status = cairn_profile_slope(s, &f->slope, error);
  if (!status)
    status =
        cairn_profile_make(s, f->frame->stress.stress ? &f->frame->stress : NULL, f->axis, n_bins, &f->profile, error);
  return status;
}

/* "sphere: {radius: 3}", as `in` of a scenario has it. */
static int find_inside(const char *text, struct findings *f, struct cairn_error *error) {
  const struct cairn_trajectory_frame *frame = f->frame;
  struct cairn_node *tree = NULL;
  struct cairn_region region = {0};
  int status = cairn_yaml_parse(text, strlen(text), "--region", &tree, error);
  if (!status)
    status = cairn_schema_region(tree, "--region", error);
  if (!status)
    status = cairn_region_read(tree, "--region", false, &region, error);
  if (!status)
    f->inside = cairn_inside_find(&frame->state, frame->stress.stress ? &frame->stress : NULL, &region);
  f->has_region = !status;
  cairn_region_fini(&region);
  cairn_yaml_free(tree);
  return status;
}

/* ---- as text ---- */

static void print_fragments(const struct findings *f) {
  const struct cairn_fragments *all = &f->fragments;
  if (f->links == LINKS_GRAVITY)
    cairn_report_field(stdout, "fragments", "%lld, bound by their gravity; total mass %.6g kg", (long long)all->n,
                       all->mass);
  else if (f->links == LINKS_GAPS)
    cairn_report_field(stdout, "fragments", "%lld, gaps up to %.4g m linked; total mass %.6g kg", (long long)all->n,
                       f->gap, all->mass);
  else
    cairn_report_field(stdout, "fragments", "%lld, linked by %lld %s; total mass %.6g kg", (long long)all->n,
                       (long long)f->n_links, links[f->links], all->mass);
  if (all->n > 0)
    printf("\n%8s %12s %8s %36s %11s %36s\n", "bodies", "mass kg", "part", "velocity m/s", "spin rad/s", "semi-axes m");
  for (int64_t p = 0; p < all->n && p < MOST_SHOWN; p++) {
    const struct cairn_fragment *g = all->fragment + p;
    const double *v = g->body.velocity, *w = g->spin, *a = g->semi_axes;
    printf("%8lld %12.5g %8.4f %12.4g%12.4g%12.4g %11.4g %12.4g%12.4g%12.4g\n", (long long)g->n_bodies, g->body.mass,
           g->body.mass / all->mass, v[0], v[1], v[2], sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), a[0], a[1], a[2]);
  }
  if (all->n > MOST_SHOWN)
    printf("%8s %lld more\n", "…", (long long)(all->n - MOST_SHOWN));
  printf("\n");
}

/* How many fragments have at least this part of the mass. */
static int64_t heavier(const struct cairn_fragments *all, double part) {
  int64_t n = 0;
  while (n < all->n && all->fragment[n].body.mass >= part * all->mass)
    n++;
  return n;
}

static void print_distribution(const struct findings *f) {
  const struct cairn_fragments *all = &f->fragments;
  char text[256] = "";
  for (double part = 0.5; all->n > 1 && part > 5e-7; part = part == 0.5 ? 0.1 : 0.1 * part) {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%lld ≥ %g", used ? ", " : "", (long long)heavier(all, part), part);
    if (heavier(all, part) == all->n)
      break;
  }
  if (*text)
    cairn_report_field(stdout, "masses", "fragments by part of the mass: %s", text);
}

static void print_ejecta(const struct findings *f) {
  const struct cairn_ejecta *e = &f->ejecta;
  const double mass = f->fragments.mass, *d = e->deciles;
  if (!(e->bound + e->escaping > 0.))
    return;
  cairn_report_field(stdout, "ejecta", "beside the largest fragment: bound to it %.4g, escaping %.4g of the mass",
                     e->bound / mass, e->escaping / mass);
  cairn_report_field(stdout, "",
                     "deciles of their speed: %.4g %.4g %.4g %.4g %.4g %.4g %.4g %.4g %.4g m/s; fastest "
                     "%.4g m/s",
                     d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8], e->fastest);
}

static int print_heights(const struct findings *f, struct cairn_error *error) {
  for (int32_t m = 0; m < f->profile.n_materials; m++) {
    double d[9];
    char label[32];
    const int64_t n = cairn_profile_deciles(&f->frame->state, f->axis, m, d, error);
    if (n < 0)
      return (int)n;
    snprintf(label, sizeof label, "material %d", m);
    if (n > 0)
      cairn_report_field(stdout, label, "%lld bodies; %s median %.5g m, deciles %.5g … %.5g m", (long long)n,
                         axes[f->axis], d[4], d[0], d[8]);
  }
  return 0;
}

static void print_region(const struct findings *f) {
  const struct cairn_inside *in = &f->inside;
  const double *v = in->velocity;
  cairn_report_field(stdout, "region", "%lld bodies; packing fraction %.4f, density %.4g kg/m³",
                     (long long)in->n_bodies, in->packing, in->density);
  cairn_report_field(stdout, "", "velocity %.4g %.4g %.4g m/s, granular temperature %.4g m²/s²", v[0], v[1], v[2],
                     in->temperature);
  if (isfinite(in->stress[0]))
    cairn_report_field(stdout, "", "pressure %.4g Pa", (in->stress[0] + in->stress[1] + in->stress[2]) / 3.);
}

static void print_profile(const struct findings *f) {
  printf("\n%11s %8s %8s %10s %33s %10s %10s %10s", axes[f->axis], "bodies", "packing", "kg/m³",
         f->axis == CAIRN_PROFILE_RADIUS ? "velocity out, around, up m/s" : "velocity m/s", "T m²/s²", "p Pa", "I");
  for (int m = 0; m < f->profile.n_materials && f->profile.n_materials > 1; m++)
    printf("   part %d", m);
  printf("\n");
  for (int b = 0; b < f->profile.n_bins; b++) {
    const struct cairn_profile_bin *k = f->profile.bin + b;
    printf("%11.4g %8lld %8.4f %10.4g %11.3g%11.3g%11.3g %10.3g %10.3g %10.3g", 0.5 * (k->lower + k->upper),
           (long long)k->n_bodies, k->packing, k->density, k->velocity[0], k->velocity[1], k->velocity[2],
           k->temperature, (k->stress[0] + k->stress[1] + k->stress[2]) / 3., k->inertial_number);
    for (int m = 0; m < f->profile.n_materials && f->profile.n_materials > 1; m++)
      printf(" %8.4f", f->profile.composition[b * f->profile.n_materials + m]);
    printf("\n");
  }
}

static int print(const struct findings *f, struct cairn_error *error) {
  cairn_report_field(stdout, "time", "%.6g s", f->time);
  print_fragments(f);
  print_distribution(f);
  print_ejecta(f);
  if (isfinite(f->slope))
    cairn_report_field(stdout, "slope", "%.3g° of a heap around a vertical axis",
                       f->slope * 180. / 3.14159265358979323846);
  if (f->has_region)
    print_region(f);
  const int status = print_heights(f, error);
  if (!status && f->has_profile)
    print_profile(f);
  return status;
}

/* ---- as JSON ---- */

static void put(const char *name, double value) {
  printf(", \"%s\": ", name);
  cairn_text_number(stdout, value);
}

static void put_list(const char *name, const double *values, int n) {
  printf(", \"%s\": [", name);
  for (int k = 0; k < n; k++) {
    fputs(k ? ", " : "", stdout);
    cairn_text_number(stdout, values[k]);
  }
  printf("]");
}

static void put_fragments(const struct cairn_fragments *all) {
  printf(", \"fragments\": [");
  for (int64_t p = 0; p < all->n; p++) {
    const struct cairn_fragment *g = all->fragment + p;
    printf("%s{\"bodies\": %lld", p ? ", " : "", (long long)g->n_bodies);
    put("mass", g->body.mass);
    put_list("center", g->body.center, 3);
    put_list("velocity", g->body.velocity, 3);
    put_list("spin", g->spin, 3);
    put_list("semi_axes", g->semi_axes, 3);
    printf("}");
  }
  printf("]");
}

static void put_profile(const struct findings *f) {
  const struct cairn_profile *p = &f->profile;
  printf(", \"axis\": \"%s\", \"profile\": [", axes[f->axis]);
  for (int b = 0; b < p->n_bins && f->has_profile; b++) {
    const struct cairn_profile_bin *k = p->bin + b;
    printf("%s{\"bodies\": %lld", b ? ", " : "", (long long)k->n_bodies);
    put("lower", k->lower);
    put("upper", k->upper);
    put("packing_fraction", k->packing);
    put("density", k->density);
    put_list("velocity", k->velocity, 3);
    put("temperature", k->temperature);
    put_list("stress", k->stress, 6);
    put("inertial_number", k->inertial_number);
    put_list("composition", p->composition + (int64_t)b * p->n_materials, p->n_materials);
    printf("}");
  }
  printf("]");
}

static void put_region(const struct cairn_inside *in) {
  printf(", \"region\": {\"bodies\": %lld", (long long)in->n_bodies);
  put("volume", in->volume);
  put("packing_fraction", in->packing);
  put("density", in->density);
  put_list("velocity", in->velocity, 3);
  put("temperature", in->temperature);
  put_list("stress", in->stress, 6);
  printf("}");
}

static int print_json(const struct findings *f, struct cairn_error *error) {
  printf("{\"time\": ");
  cairn_text_number(stdout, f->time);
  put("gap", f->gap);
  put("mass", f->fragments.mass);
  put("bound", f->ejecta.bound);
  put("escaping", f->ejecta.escaping);
  put_list("ejecta_speeds", f->ejecta.deciles, 9);
  put("fastest", f->ejecta.fastest);
  put("slope", f->slope);
  put_fragments(&f->fragments);
  printf(", \"heights\": [");
  for (int32_t m = 0; m < f->profile.n_materials; m++) {
    double d[9];
    const int64_t n = cairn_profile_deciles(&f->frame->state, f->axis, m, d, error);
    if (n < 0)
      return (int)n;
    printf("%s{\"material\": %d, \"bodies\": %lld", m ? ", " : "", m, (long long)n);
    put_list("deciles", d, 9);
    printf("}");
  }
  printf("]");
  put_profile(f);
  if (f->has_region)
    put_region(&f->inside);
  printf("}\n");
  return 0;
}

static int analyse(const struct cairn_options *options, double *times, int64_t n_frames, struct cairn_error *error) {
  struct cairn_trajectory_frame frame;
  struct findings f = {.frame = &frame, .axis = CAIRN_PROFILE_Z, .has_profile = options->profile != NULL};
  int64_t number;
  int n_bins = 1;
  int status = options->profile ? read_profile(options->profile, &f.axis, &n_bins, error) : 0;
  f.path = options->operands[0];
  if (!status)
    status = read_links(options->links, &f.links, error);
  if (!status)
    status = choose_frame(options->frame, n_frames, &number, error);
  if (!status)
    status = cairn_trajectory_read_frame(options->operands[0], number, &frame, error);
  if (status)
    return status;
  f.time = times[number];
  const struct gravity gravity = gravity_of(options->operands[0]);
  status = options->region ? find_inside(options->region, &f, error) : 0;
  if (!status)
    status = find(&f, n_bins, &gravity, error);
  if (!status)
    status = options->json ? print_json(&f, error) : print(&f, error);
  cairn_fragments_fini(&f.fragments);
  cairn_profile_fini(&f.profile);
  cairn_trajectory_frame_fini(&frame);
  return status;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  int64_t n_frames = 0;
  double *times = NULL;
  int status = cairn_trajectory_times(options->operands[0], &n_frames, &times, error);
  if (!status)
    status = analyse(options, times, n_frames, error);
  free(times);
  return status;
}

const struct cairn_command cairn_command_analyse = {
    .name = "analyse",
    .operands = "TRAJECTORY",
    .summary = "fragments, ejecta, heights and profiles of a frame",
    .help =
        "Fragments are clusters of bodies, linked over gaps up to a tenth of the mean radius, by the contacts or\n"
        "bonds in NAME.contacts.nc beside the trajectory (output.contacts), or what gravity binds. Ejecta are all but\n"
        "the largest. Profiles have density, velocity, granular temperature and composition; stress and inertial "
        "number\n"
        "where the frames have the stress in bodies (output.bodies). docs/physics.md has the definitions.",
    .options = CAIRN_OPTION_FRAME | CAIRN_OPTION_PROFILE | CAIRN_OPTION_LINKS | CAIRN_OPTION_REGION | CAIRN_OPTION_JSON,
    .min_operands = 1,
    .max_operands = 1,
    .takes = CAIRN_FILE_TRAJECTORY,
    .execute = execute,
};
