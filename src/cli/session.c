#include "cli/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "cairn/engine.h"
#include "cairn/ranks.h"
#include "cli/advice.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/scrutiny.h"
#include "cli/signals.h"
#include "data/storage/durable.h"
#include "solvers/run/deadline.h"
#include "solvers/start/stretch.h"
#include "view/live/live.h"
#include "view/page/page.h"

/* How many bytes a line break of YAML has here; 0 if there is none. Beside the two of ASCII: NEL, LS and PS. */
static int line_break(const unsigned char *c) {
  if (*c == '\n' || *c == '\r')
    return 1;
  if (c[0] == 0xc2 && c[1] == 0x85)
    return 2;
  return c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9) ? 3 : 0;
}

/* output.name="NAME" with the quotes and escapes of YAML, so that any file name survives. */
static char *output_override(const char *name) {
  static const char key[] = "output.name=\"";
  char *text = malloc(sizeof key + 4 * strlen(name) + 2), *at = text;
  if (!text)
    return NULL;
  at = stpcpy(at, key);
  for (const unsigned char *c = (const unsigned char *)name; *c;) {
    const int length = line_break(c);
    if (length > 1)
      at += sprintf(at, length == 2 ? "\\N" : c[2] == 0xa8 ? "\\L" : "\\P");
    else if (*c < ' ')
      at += sprintf(at, "\\x%02x", *c);
    else
      at += sprintf(at, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    c += length ? length : 1;
  }
  strcpy(at, "\"");
  return text;
}

int cairn_session_overrides_init(struct cairn_session_overrides *overrides, const struct cairn_options *options,
                                 const char *name, struct cairn_error *error) {
  *overrides = (struct cairn_session_overrides){.n = options->n_set};
  overrides->set = calloc((size_t)options->n_set + 1, sizeof *overrides->set);
  if (name)
    overrides->output = output_override(name);
  if (!overrides->set || (name && !overrides->output)) {
    cairn_session_overrides_fini(overrides);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  }
  memcpy(overrides->set, options->set, (size_t)options->n_set * sizeof *overrides->set);
  if (name)
    overrides->set[overrides->n++] = overrides->output;
  return 0;
}

void cairn_session_overrides_fini(struct cairn_session_overrides *overrides) {
  free(overrides->set);
  free(overrides->output);
  *overrides = (struct cairn_session_overrides){0};
}

int cairn_session_is_finished(const struct cairn_checkpoint *checkpoint, const struct cairn_scenario *scenario) {
  return cairn_stages_are_over(scenario) ||
         checkpoint->state.step >= cairn_simulation_n_steps(scenario->time_end, checkpoint->step_size);
}

int cairn_session_compare(const struct cairn_scenario *scenario, struct cairn_error *error) {
  char *effective = cairn_scenario_effective(scenario);
  int status = effective ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  status = cairn_ranks_agree(status, error);
  if (!status)
    status = cairn_ranks_compare("this build of cairn", CAIRN_VERSION " " CAIRN_GIT_HASH, error);
  if (!status)
    status = cairn_ranks_compare("the scenario", effective, error);
  free(effective);
  return status;
}

/* The plan, and what there is to say of the bodies. */
static int make_plan(struct cairn_scenario *scenario, const struct cairn_checkpoint *checkpoint,
                     struct cairn_plan *plan, struct cairn_stretch_survey *bodies, struct cairn_error *error) {
  int status = 0;
  if (checkpoint)
    status = cairn_state_check_stretch(&checkpoint->state, &checkpoint->stretch, scenario->n_materials,
                                       scenario->n_walls, scenario->n_assemblies, error);
  status = cairn_ranks_agree(status, error);
  if (status)
    return status;
  /* A resumed scenario made no bodies; the plan is that of the bodies in the checkpoint, lent for the moment. */
  if (checkpoint)
    cairn_stretch_lend(scenario, checkpoint);
  status = cairn_stretch_survey(scenario, bodies, error);
  if (!status)
    status = cairn_simulation_plan(scenario, plan, error);
  if (checkpoint)
    cairn_stretch_return(scenario);
  return status;
}

/* Workers of all ranks: a line for each on rank 0, which frees it. */
static char *list_ranks(void) {
  struct cairn_engine_info info;
  char text[sizeof info.binding + 32];
  cairn_engine_info(&info);
  snprintf(text, sizeof text, "%d worker%s: %s", info.n_cpu_workers, info.n_cpu_workers == 1 ? "" : "s", info.binding);
  for (char *c = text; (c = strchr(c, '\n'));)
    *c = ';';
  return cairn_ranks_n() > 1 ? cairn_ranks_list(text) : NULL;
}

static void introduce(const struct cairn_options *options, const struct cairn_scenario *scenario,
                      const struct cairn_checkpoint *checkpoint, const struct cairn_stretch_survey *bodies,
                      const char *parent, const struct cairn_plan *plan, double deadline) {
  char left[CAIRN_FORMAT_LENGTH], *ranks = list_ranks();
  struct cairn_engine_info info;
  cairn_engine_info(&info);
  if (cairn_ranks_me() > 0)
    return;
  fprintf(stderr, "cairn %s (%s)\n", CAIRN_VERSION, CAIRN_GIT_HASH);
  cairn_report_scenario(stderr, scenario, bodies, plan);
  if (checkpoint)
    cairn_report_field(stderr, "resumed from", "%s, step %lld, t = %.6g s", parent, (long long)checkpoint->state.step,
                       checkpoint->state.time);
  cairn_advice_report(stderr, scenario, plan, false);
  cairn_scrutiny_keys(stderr, scenario, options);
  cairn_report_engine(stderr, &info);
  if (ranks)
    cairn_report_field(stderr, "ranks", "%s", ranks);
  free(ranks);
  cairn_report_field(stderr, "output", "%s.nc, %s.series.nc, %s.ckpt.nc%s%s", scenario->output_name,
                     scenario->output_name, scenario->output_name,
                     scenario->output_contacts ? ", and the table of contacts" : "",
                     scenario->n_bonds > 0 ? ", and that of broken bonds" : "");
  if (deadline > 0.)
    cairn_report_field(stderr, "time limit", "in %s; the run stops before it, with a checkpoint",
                       cairn_format_duration(left, fmax(deadline - cairn_deadline_clock(), 0.)));
}

/* NAME.html beside the files of the run. */
static int write_page(int quiet, const struct cairn_scenario *scenario, struct cairn_error *error) {
  char *path = cairn_durable_name(scenario->output_name, ".html", error);
  const char *const names[] = {scenario->output_name};
  const int status = path ? cairn_page_write(1, names, path, error) : CAIRN_ERR_NUMERIC;
  if (!status && !quiet)
    cairn_report_field(stdout, "report", "%s: open it in a browser", path);
  free(path);
  return status;
}

static int conclude(const struct cairn_options *options, int status, const struct cairn_run_summary *summary,
                    const struct cairn_scenario *scenario, struct cairn_simulation *simulation,
                    struct cairn_error *error) {
  const int quiet = options->quiet || options->json, leads = cairn_ranks_me() == 0;
  if (!quiet) {
    struct cairn_error ignored;
    struct cairn_wall_sample *walls = calloc((size_t)scenario->n_walls + 1, sizeof *walls);
    const int known = walls && scenario->n_walls > 0 && !cairn_simulation_observe_walls(simulation, walls, &ignored);
    if (leads && status == CAIRN_STOPPED)
      cairn_report_field(stdout, "stopped", "by %s; continue with: cairn resume %s",
                         *cairn_signals_flag() ? strsignal((int)*cairn_signals_flag()) : "the end of its time",
                         summary->checkpoint);
    if (leads)
      cairn_report_summary(stdout, summary, scenario, known ? walls : NULL);
    free(walls);
  }
  if (!leads)
    return status;
  const bool has_files = summary->trajectory[0] || summary->series[0];
  const int written = scenario->output_report && has_files ? write_page(quiet, scenario, error) : 0;
  if (scenario->output_report && !has_files && !quiet)
    cairn_report_field(stdout, "report", "none: the run wrote neither frames nor rows (output.frames, output.series)");
  if (options->json)
    cairn_json_summary(stdout, status, summary, scenario);
  else
    printf("digest: %s\n", summary->digest);
  return written ? written : status;
}

static int run(const struct cairn_options *options, struct cairn_scenario *scenario,
               struct cairn_checkpoint *checkpoint, const char *parent, const struct cairn_plan *plan, double deadline,
               struct cairn_run_files *files, struct cairn_error *error) {
  struct cairn_simulation *simulation = NULL;
  int status =
      cairn_simulation_adopt(scenario, checkpoint ? &checkpoint->state : NULL,
                             checkpoint && checkpoint->is_shared ? &checkpoint->stretch : NULL, &simulation, error);
  if (status)
    return status;
  struct cairn_progress_line line;
  cairn_progress_init(&line, stderr, options->quiet, options->log_every);
  const bool leads = cairn_ranks_me() == 0;
  struct cairn_run_options run_options = {.files = files,
                                          .command_line = options->command_line,
                                          .parent = parent,
                                          .resume = checkpoint,
                                          .recommended_step = plan->recommended_step,
                                          .force = options->force,
                                          .stop = cairn_signals_flag(),
                                          .deadline = deadline,
                                          .progress = leads ? cairn_progress_show : NULL,
                                          .warning = leads ? cairn_progress_warn : NULL,
                                          .context = &line};
  struct cairn_run_summary *summary = calloc(1, sizeof *summary);
  status = summary ? cairn_run(&simulation, scenario, &run_options, summary, error)
                   : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  cairn_progress_clear(&line);
  if (status == 0 || status == CAIRN_STOPPED)
    status = conclude(options, status, summary, scenario, simulation, error);
  free(summary);
  cairn_simulation_free(simulation);
  return status;
}

int cairn_session_run(const struct cairn_options *options, struct cairn_scenario *scenario,
                      struct cairn_checkpoint *checkpoint, const char *parent, struct cairn_run_files *files,
                      struct cairn_error *error) {
  struct cairn_plan plan = {0};
  struct cairn_stretch_survey bodies;
  double deadline;
  int status = cairn_deadline_find(options->started, options->walltime, &deadline, error);
  if (!status)
    status = make_plan(scenario, checkpoint, &plan, &bodies, error);
  if (!status && !options->force)
    status = cairn_advice_refuse(&plan, error);
  if (status)
    return status;
  struct cairn_engine_options engine = {.workers = options->workers,
                                        .device = options->device,
                                        .silent = options->quiet,
                                        .trace = options->trace != NULL};
  struct cairn_live live = {0};
  if (options->live && cairn_ranks_n() > 1)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "--live needs a process of its own, which MPI does not allow: watch "
                           "the files with `cairn watch`");
  if (options->live) /* a process of its own, made before there are threads */
    status = cairn_live_start(&live, scenario->output_name, options->port, error);
  if (!status)
    status = cairn_engine_start(&engine, error);
  const int agreed = cairn_ranks_agree(status, error);
  if (agreed) {
    if (!status)
      cairn_engine_stop();
    cairn_live_stop(&live);
    return agreed;
  }
  if (options->live)
    cairn_report_field(stderr, "live", "http://127.0.0.1:%d/%s/ until the run ends", live.port, live.token);
  cairn_signals_install();
  if (cairn_ranks_me() == 0)
    cairn_scrutiny_warn(stderr, scenario, &bodies);
  if (!options->quiet)
    introduce(options, scenario, checkpoint, &bodies, parent, &plan, deadline);
  status = run(options, scenario, checkpoint, parent, &plan, deadline, files, error);
  cairn_live_stop(&live);
  struct cairn_error tracing = {0};
  char trace[4200] = ""; /* of rank 3: FILE.3 */
  if (options->trace)
    snprintf(trace, sizeof trace, cairn_ranks_me() > 0 ? "%.4096s.%d" : "%.4096s", options->trace, cairn_ranks_me());
  if (options->trace && cairn_engine_write_trace(trace, &tracing) && !status) {
    *error = tracing;
    status = tracing.status;
  }
  cairn_engine_stop();
  return status;
}
