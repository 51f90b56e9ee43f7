/* What `cairn` reports about a run, before and after. */
#ifndef CAIRN_CLI_REPORT_H
#define CAIRN_CLI_REPORT_H

#include <stdio.h>

#include "cairn/engine.h"
#include "solvers/run/run.h"

/* One line "label: text", further lines of `text` indented below; an empty label continues the field before. */
void cairn_report_field(FILE *stream, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Title, bodies, materials, walls, cells, step. `bodies` are those the run starts from. */
struct cairn_stretch_survey;
void cairn_report_scenario(FILE *stream, const struct cairn_scenario *scenario,
                           const struct cairn_stretch_survey *bodies, const struct cairn_plan *plan);

/* What is not as asked for or as the machine would allow, with the reason; nothing if all is. */
void cairn_report_notes(FILE *stream, const struct cairn_engine_info *info);

/* Workers, scheduler, binding, STARPU_* variables set, notes. */
void cairn_report_engine(FILE *stream, const struct cairn_engine_info *info);

/* What was simulated, energies, contacts, speed, files and what opens them. `walls` is what each wall of the scenario
 * has done at the end; NULL if that is not known. */
void cairn_report_summary(FILE *stream, const struct cairn_run_summary *summary, const struct cairn_scenario *scenario,
                          const struct cairn_wall_sample *walls);

#endif
