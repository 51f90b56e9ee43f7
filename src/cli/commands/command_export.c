#include <stdio.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/report.h"
#include "data/files/export.h"

static void report(const struct cairn_options *options) {
  char walls[4096];
  if (options->amber)
    cairn_report_field(stdout, "written", "%s", options->amber);
  if (!options->vtk)
    return;
  snprintf(walls, sizeof walls, "%s_walls.vtk.series", options->vtk);
  cairn_report_field(stdout, options->amber ? "" : "written", "%s.vtk.series%s%s; open in ParaView", options->vtk,
                     access(walls, F_OK) ? "" : " and ", access(walls, F_OK) ? "" : walls);
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  const char *from = options->operands[0];
  if (!options->amber && !options->vtk)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "cairn export: give --amber FILE or --vtk PREFIX (or both)");
  int status = options->amber ? cairn_export_amber(from, options->amber, options->overwrite, error) : 0;
  if (!status && options->vtk) {
    status = cairn_export_vtk(from, options->vtk, options->overwrite, error);
    /* What is refused or fails leaves no half of itself; a file that was replaced on request cannot come back. */
    if (status && options->amber && !options->overwrite)
      unlink(options->amber);
  }
  if (!status)
    report(options);
  return status;
}

const struct cairn_command cairn_command_export = {
    .name = "export",
    .operands = "TRAJECTORY",
    .summary = "convert a trajectory for programs that do not read it as it is",
    .help = "NAME.nc opens in OVITO, VMD and xarray without conversion. --vtk also draws the walls.",
    .options = CAIRN_OPTION_AMBER | CAIRN_OPTION_VTK | CAIRN_OPTION_OVERWRITE,
    .min_operands = 1,
    .max_operands = 1,
    .takes = CAIRN_FILE_TRAJECTORY,
    .execute = execute,
};
