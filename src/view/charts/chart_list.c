#include "view/charts/chart_list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A group of columns in one plot. Names end with a blank; a star stands for any end. */
static const struct group {
  const char *title, *y_label, *unit;
  const char *columns[8];
  bool logarithmic;
} groups[] = {
    {"Energies",
     "energy",
     "J",
     {"kinetic_energy", "rotational_energy", "potential_energy", "elastic_energy", "dissipated_energy"},
     false},
    {"Kinetic energy", "energy", "J", {"kinetic_energy", "rotational_energy"}, true},
    {"Contacts", "number", "1", {"n_contacts", "n_wall_contacts"}, false},
    {"Collisions", "since the start", "1", {"n_collisions", "n_wall_collisions", "n_slow_collisions"}, false},
    {"Mergers", "since the start", "1", {"n_merges"}, false},
    {"Granular temperature", "granular temperature", "m2 s-2", {"granular_temperature"}, true},
    {"Coordination number", "contacts per body", "1", {"coordination", "coordination_bearing"}, false},
    {"Residual of the solver", "relative residual", "1", {"solver_residual"}, true},
    {"Sweeps of the solver", "sweeps in a step", "1", {"solver_sweeps"}, false},
    {"Steps above the tolerance", "since the start", "1", {"n_unsolved"}, false},
    {"Largest speed", "speed", "m s-1", {"max_speed"}, true},
    {"Largest overlap", "over the smaller radius", "1", {"max_overlap"}, false},
    {"Momentum", "momentum", "kg m s-1", {"momentum_x", "momentum_y", "momentum_z"}, false},
    {"Angular momentum",
     "angular momentum",
     "kg m2 s-1",
     {"angular_momentum_x", "angular_momentum_y", "angular_momentum_z"},
     false},
    {"Center of mass", "position", "m", {"center_of_mass_x", "center_of_mass_y", "center_of_mass_z"}, false},
    {"Fragments", "number", "1", {"n_fragments"}, true},
    {"Largest fragments", "part of the mass", "1", {"largest_fragment", "second_fragment"}, false},
    {"Bonds", "number", "1", {"n_bonds", "n_broken"}, false},
    {"Inertial number", "inertial number", "1", {"inertial_number"}, true},
    {"Diameter", "diameter", "m", {"diameter"}, false},
    {"Packing fraction", "packing fraction", "1", {"packing_fraction", "packing_fraction_ellipsoid"}, false},
    {"Equivalent ellipsoid", "semi-axis", "m", {"semi_axes_x", "semi_axes_y", "semi_axes_z"}, false},
    {"Mean pressure", "pressure", "Pa", {"mean_pressure"}, false},
    {"Rattlers", "bodies", "1", {"n_rattlers"}, false},
    {"Sliding contacts", "fraction", "1", {"sliding_fraction"}, false},
    {"Bodies", "bodies", "1", {"n_bodies", "n_absorbed", "n_held", "n_outside"}, false},
};
enum { N_GROUPS = sizeof groups / sizeof *groups };

/* Is there anything but zeros in it? */
static bool is_telling(const struct cairn_run_record *run, const struct cairn_run_column *column) {
  for (int64_t i = 0; i < run->n_rows; i++)
    if (isfinite(column->values[i]) && column->values[i] != 0.)
      return true;
  return false;
}

static bool is_constant(const struct cairn_run_record *run, const struct cairn_run_column *column) {
  for (int64_t i = 1; i < run->n_rows; i++)
    if (column->values[i] != column->values[0])
      return false;
  return true;
}

static double most(const struct cairn_run_record *run, const struct cairn_run_column *column) {
  double largest = 0.;
  for (int64_t i = 0; i < run->n_rows; i++)
    largest = fmax(largest, column->values[i]);
  return largest;
}

/* Is the column of a logarithmic plot mere rounding beside the others? */
static bool is_noise(const struct cairn_run_record *run, const struct group *group,
                     const struct cairn_run_column *column) {
  const double mine = most(run, column);
  for (int k = 0; k < 8 && group->columns[k]; k++) {
    const struct cairn_run_column *other = cairn_run_record_column(run, group->columns[k]);
    if (other && group->logarithmic && mine < CAIRN_CHART_NOISE * most(run, other))
      return true;
  }
  return false;
}

/* "kinetic energy" of kinetic_energy; "contacts" of n_contacts. */
static void spell(const char *name, char *text, size_t size) {
  snprintf(text, size, "%s", strncmp(name, "n_", 2) == 0 ? name + 2 : name);
  for (char *c = text; *c; c++)
    *c = *c == '_' ? ' ' : *c;
}

static const char *base_name(const struct cairn_run_record *run) {
  const char *slash = strrchr(run->name, '/');
  return slash ? slash + 1 : run->name;
}

struct plot {
  struct cairn_chart chart;
  struct cairn_chart_source source;
  char labels[CAIRN_CHART_CURVES][128];
};

static void add(struct plot *plot, const struct cairn_run_record *runs, int run, int column, const char *label) {
  const int c = plot->chart.n_curves;
  if (c == CAIRN_CHART_CURVES)
    return;
  snprintf(plot->labels[c], sizeof plot->labels[c], "%s", label);
  plot->chart.curves[c] = (struct cairn_chart_curve){.label = plot->labels[c],
                                                     .n = runs[run].n_rows,
                                                     .x = runs[run].columns[0].values,
                                                     .y = runs[run].columns[column].values,
                                                     .ink = CAIRN_INK_CURVE + c};
  plot->source.run[c] = run;
  plot->source.column[c] = column;
  plot->chart.n_curves++;
}

static void begin(struct plot *plot, const char *title, const char *y_label, const char *unit, bool logarithmic) {
  memset(plot, 0, sizeof *plot);
  plot->chart = (struct cairn_chart){.title = title,
                                     .x_label = "time",
                                     .x_unit = "s",
                                     .y_label = y_label,
                                     .y_unit = unit,
                                     .logarithmic = logarithmic,
                                     .width = 560.,
                                     .height = 320.};
}

struct taker {
  void (*take)(void *context, const struct cairn_chart *chart, const struct cairn_chart_source *source);
  void *context;
};

static void end(struct plot *plot, const struct taker *taker) {
  if (cairn_chart_has_points(&plot->chart))
    taker->take(taker->context, &plot->chart, &plot->source);
}

static void list_group(const struct group *group, const struct cairn_run_record *run, const struct taker *taker) {
  struct plot plot;
  begin(&plot, group->title, group->y_label, group->unit, group->logarithmic);
  plot.chart.names_one = group->columns[1]; /* which of them is it? */
  bool moves = false;
  for (int k = 0; k < 8 && group->columns[k]; k++) {
    const struct cairn_run_column *column = cairn_run_record_column(run, group->columns[k]);
    char label[128];
    if (!column || !is_telling(run, column) || is_noise(run, group, column))
      continue;
    spell(column->name, label, sizeof label);
    add(&plot, run, 0, (int)(column - run->columns), label);
    moves |= !is_constant(run, column);
  }
  if (moves)
    end(&plot, taker);
}

/* What is plotted of walls: of all of one run in one plot, of several runs in a plot for each wall. */
static const struct wall_quantity {
  const char *variable, *title, *of_one, *y_label;
  int component;
} wall_quantities[] = {{"wall_force", "Force on the walls, x", "Force along x on ", "force", 0},
                       {"wall_force", "Force on the walls, y", "Force along y on ", "force", 1},
                       {"wall_force", "Force on the walls, z", "Force along z on ", "force", 2},
                       {"wall_contacts", "Contacts with each wall", "Contacts with ", "contacts", -1},
                       {"wall_absorbed", "Bodies removed by each wall", "Bodies removed by ", "bodies", -1},
                       {"wall_held", "Bodies captured by each wall", "Bodies captured by ", "bodies", -1}};
enum { N_WALL_QUANTITIES = sizeof wall_quantities / sizeof *wall_quantities, MOST_WALLS = 8 };

static bool is_of(const struct wall_quantity *quantity, const struct cairn_run_column *column) {
  return column->wall >= 0 && strcmp(column->variable, quantity->variable) == 0 &&
         column->component == quantity->component;
}

/* One component of the force on each wall that feels some. */
static void list_walls(const struct cairn_run_record *run, const struct taker *taker) {
  for (int k = 0; k < N_WALL_QUANTITIES; k++) {
    const struct wall_quantity *quantity = &wall_quantities[k];
    struct plot plot;
    begin(&plot, quantity->title, quantity->y_label, quantity->component >= 0 ? "N" : "1", false);
    plot.chart.names_one = true;
    for (int c = 0; c < run->n_columns; c++) {
      const struct cairn_run_column *column = &run->columns[c];
      if (is_of(quantity, column) && is_telling(run, column))
        add(&plot, run, 0, c, run->wall_names[column->wall]);
    }
    end(&plot, taker);
  }
}

/* The column of all runs in one plot, which has begun. */
static void add_runs(struct plot *plot, const char *name, int n_runs, const struct cairn_run_record *runs,
                     const struct taker *taker) {
  bool moves = false;
  plot->chart.names_one = true;
  for (int r = 0; r < n_runs; r++) {
    const struct cairn_run_column *column = cairn_run_record_column(&runs[r], name);
    if (!column || !is_telling(&runs[r], column))
      continue;
    add(plot, runs, r, (int)(column - runs[r].columns), base_name(&runs[r]));
    plot->chart.curves[plot->chart.n_curves - 1].ink = CAIRN_INK_CURVE + r; /* a run has one color everywhere */
    moves |= !is_constant(&runs[r], column);
  }
  if (moves)
    end(plot, taker);
}

/* One quantity of all runs. */
static void list_quantity(const struct group *group, const char *name, int n_runs, const struct cairn_run_record *runs,
                          const struct taker *taker) {
  struct plot plot;
  char title[128];
  spell(name, title, sizeof title);
  title[0] = (char)(title[0] >= 'a' && title[0] <= 'z' ? title[0] - 'a' + 'A' : title[0]);
  begin(&plot, title, group->y_label, group->unit, group->logarithmic);
  add_runs(&plot, name, n_runs, runs, taker);
}

/* The first walls of the first run, found in the others by their names. */
static void list_walls_of_runs(int n_runs, const struct cairn_run_record *runs, const struct taker *taker) {
  for (int k = 0; k < N_WALL_QUANTITIES; k++)
    for (int c = 0; c < runs[0].n_columns; c++) {
      const struct wall_quantity *quantity = &wall_quantities[k];
      const struct cairn_run_column *column = &runs[0].columns[c];
      struct plot plot;
      char title[128];
      if (!is_of(quantity, column) || column->wall >= MOST_WALLS)
        continue;
      snprintf(title, sizeof title, "%s%.90s", quantity->of_one, runs[0].wall_names[column->wall]);
      begin(&plot, title, quantity->y_label, quantity->component >= 0 ? "N" : "1", false);
      add_runs(&plot, column->name, n_runs, runs, taker);
    }
}

void cairn_chart_list(int n_runs, const struct cairn_run_record *runs,
                      void (*take)(void *context, const struct cairn_chart *chart, const struct cairn_chart_source *),
                      void *context) {
  const struct taker taker = {take, context};
  for (int g = 0; g < N_GROUPS && n_runs == 1; g++)
    list_group(&groups[g], runs, &taker);
  if (n_runs == 1)
    list_walls(runs, &taker);
  for (int g = 0; g < N_GROUPS && n_runs > 1; g++)
    for (int k = 0; k < 8 && groups[g].columns[k]; k++)
      if (g != 1) /* the kinetic energy has had its turn */
        list_quantity(&groups[g], groups[g].columns[k], n_runs, runs, &taker);
  if (n_runs > 1)
    list_walls_of_runs(n_runs, runs, &taker);
}

static int unknown(const struct cairn_run_record *run, const char *name, struct cairn_error *error) {
  char known[700] = "";
  size_t used = 0;
  for (int c = 1; c < run->n_columns && used + 64 < sizeof known; c++)
    if (run->columns[c].wall < 0)
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%.40s", c > 1 ? ", " : "", run->columns[c].name);
  return cairn_error_set(error, CAIRN_ERR_INPUT, "%.80s has no column '%.80s'; it has %s%s", run->name, name, known,
                         run->n_walls > 0 ? " and those of walls, such as wall_force_z[NAME]" : "");
}

int cairn_chart_list_named(int n_runs, const struct cairn_run_record *runs, int n_names, const char *const *names,
                           bool logarithmic, struct cairn_chart *chart, char (*labels)[128],
                           struct cairn_error *error) {
  *chart = (struct cairn_chart){.title = "",
                                .x_label = "time",
                                .x_unit = "s",
                                .y_label = "",
                                .y_unit = "1",
                                .logarithmic = logarithmic,
                                .width = 640.,
                                .height = 400.};
  for (int k = 0; k < n_names; k++)
    for (int r = 0; r < n_runs; r++) {
      const struct cairn_run_column *column = cairn_run_record_column(&runs[r], names[k]);
      const int c = chart->n_curves;
      if (!column)
        return unknown(&runs[r], names[k], error);
      if (c == CAIRN_CHART_CURVES)
        return cairn_error_set(error, CAIRN_ERR_INPUT, "a plot has at most %d curves", CAIRN_CHART_CURVES);
      if (c > 0 && strcmp(chart->y_unit, column->unit))
        return cairn_error_set(error, CAIRN_ERR_INPUT,
                               "'%.80s' is in %s, the quantities before it in %s: one plot each", names[k],
                               column->unit, chart->y_unit);
      char what[100];
      spell(column->name, what, sizeof what);
      snprintf(labels[c], 128, "%s%s%s", n_names > 1 || n_runs == 1 ? what : "", n_names > 1 && n_runs > 1 ? ", " : "",
               n_runs > 1 ? base_name(&runs[r]) : "");
      chart->y_unit = column->unit;
      chart->y_label = n_names == 1 ? column->meaning : "";
      chart->curves[c] = (struct cairn_chart_curve){labels[c], runs[r].n_rows, runs[r].columns[0].values,
                                                    column->values, CAIRN_INK_CURVE + c};
      chart->n_curves++;
    }
  if (!cairn_chart_has_points(chart))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s of %s has no two points to be drawn", names[0], runs[0].name);
  return 0;
}
