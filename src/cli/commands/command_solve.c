#include <stdio.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/format.h"
#include "cli/report.h"
#include "data/fclib/fclib.h"
#include "solvers/friction/friction.h"

static int find_solver(const char *name, const struct cairn_friction_solver **solver, struct cairn_error *error) {
  *solver = name ? cairn_friction_solver_named(name) : cairn_friction_solver_at(0);
  if (*solver)
    return 0;
  char names[128] = "";
  for (int i = 0, at = 0; cairn_friction_solver_at(i); i++)
    at += snprintf(names + at, sizeof names - (size_t)at, "%s%s", i ? ", " : "", cairn_friction_solver_at(i)->name);
  return cairn_error_set(error, CAIRN_ERR_INPUT, "--solver: found '%s', expected one of %s", name, names);
}

static void report_problem(const char *path, const struct cairn_fclib *file,
                           const struct cairn_friction_solver *solver) {
  const struct cairn_friction_problem *p = file->problem;
  cairn_report_field(stdout, "problem", "%s%s%s%s", path, *file->title ? " (" : "", file->title,
                     *file->title ? ")" : "");
  cairn_report_field(stdout, "contacts", "%lld in %d dimensions, %.3g blocks per row of W%s", (long long)p->n,
                     p->dimension, 1. + (double)p->n_blocks / (double)p->n,
                     file->is_global ? ", formed from M and H" : "");
  cairn_report_field(stdout, "solver", "%s: %s", solver->name, solver->summary);
}

static void report_result(const struct cairn_friction_problem *p, const struct cairn_friction_result *result) {
  char speed[CAIRN_FORMAT_LENGTH];
  const double n = (double)p->n;
  cairn_report_field(stdout, "sweeps", "%lld", (long long)result->sweeps);
  if (result->restarts > 0 || result->switches > 0)
    cairn_report_field(stdout, "restarts", "%lld of the momentum; %lld times projected gradients for a while",
                       (long long)result->restarts, (long long)result->switches);
  cairn_report_field(stdout, "time", "%.4g s, %s contact updates per second", result->seconds,
                     cairn_format_count(speed, n * (double)result->sweeps / result->seconds));
  cairn_report_field(stdout, "states", "sticking %.1f %%, sliding %.1f %%, open %.1f %%",
                     100. * (double)result->n_stick / n, 100. * (double)result->n_slide / n,
                     100. * (double)result->n_open / n);
  cairn_report_field(stdout, "siconos", "%.4g (natural map with rho = 1, relative to the largest of |q|, |r|, |u|)",
                     result->siconos);
}

static int solve(const struct cairn_options *options, const struct cairn_fclib *file,
                 const struct cairn_friction_solver *solver, struct cairn_error *error) {
  const char *path = options->operands[0], *target = options->output ? options->output : path;
  const struct cairn_friction_options wanted = {
      .solver = solver, .tolerance = options->tolerance, .max_sweeps = options->max_sweeps};
  struct cairn_friction_result result;
  if (!options->quiet)
    report_problem(path, file, solver);
  int status = cairn_friction_solve_problem(file->problem, &wanted, &result, error);
  if (status)
    return status;
  if (!options->quiet)
    report_result(file->problem, &result);
  printf("residual: %.4g\n", result.residual);
  if (!result.converged)
    status =
        cairn_error_set(error, CAIRN_ERR_NUMERIC,
                        "%s: not converged after %lld sweeps: residual %.3g, wanted %.3g; no solution written", path,
                        (long long)result.sweeps, result.residual, options->tolerance > 0 ? options->tolerance : 1e-4);
  else
    status = cairn_fclib_write(file, path, target, result.r, result.u, error);
  if (!status && !options->quiet)
    cairn_report_field(stdout, "written", "/solution in %s", target);
  cairn_friction_result_fini(&result);
  return status;
}

/* A file of the user's that is not the problem gives way to --overwrite alone. */
static int check_target(const struct cairn_options *options, struct cairn_error *error) {
  struct stat problem, target;
  if (!options->output || options->overwrite || stat(options->output, &target) != 0)
    return 0;
  if (stat(options->operands[0], &problem) == 0 && problem.st_dev == target.st_dev && problem.st_ino == target.st_ino)
    return 0;
  return cairn_error_set(error, CAIRN_ERR_INPUT, "%s exists: choose another name, or replace it with --overwrite",
                         options->output);
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  const struct cairn_friction_solver *solver;
  struct cairn_fclib file;
  int status = find_solver(options->solver, &solver, error);
  if (!status)
    status = check_target(options, error);
  if (!status)
    status = cairn_fclib_read(options->operands[0], &file, error);
  if (!status) {
    status = solve(options, &file, solver, error);
    cairn_fclib_fini(&file);
  }
  return status;
}

const struct cairn_command cairn_command_solve = {
    .name = "solve",
    .operands = "FILE.hdf5",
    .summary = "solve a frictional contact problem in FCLIB's layout",
    .help =
        "Reads /fclib_local (W, q, mu) or /fclib_global (M, H, f, w, mu), solves Coulomb's law at all contacts and\n"
        "writes /solution (r, u; v of a global problem) into the file, or into a copy with --output. Without\n"
        "convergence nothing is written and the exit code is 1.",
    .options = CAIRN_OPTION_SOLVER | CAIRN_OPTION_TOLERANCE | CAIRN_OPTION_MAX_SWEEPS | CAIRN_OPTION_OUTPUT_FILE |
               CAIRN_OPTION_OVERWRITE | CAIRN_OPTION_QUIET,
    .min_operands = 1,
    .max_operands = 1,
    .takes = CAIRN_FILE_PROBLEM,
    .execute = execute,
};
