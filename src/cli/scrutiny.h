/* What a valid scenario holds that its author may not have meant. */
#ifndef CAIRN_CLI_SCRUTINY_H
#define CAIRN_CLI_SCRUTINY_H

#include <stdio.h>

#include "cli/options.h"
#include "data/scenario/scenario.h"

/* A line "unused: …" for keys that the method has no use for. */
void cairn_scrutiny_keys(FILE *stream, const struct cairn_scenario *scenario, const struct cairn_options *options);

/* Lines "warning: …" for odd densities, gravity that leads away from every wall, hard spheres that settle, and output
 * beyond all measure.
 * `bodies` are those the run starts from. */
struct cairn_stretch_survey;
void cairn_scrutiny_warn(FILE *stream, const struct cairn_scenario *scenario,
                         const struct cairn_stretch_survey *bodies);

/* The lines "output: …": names, numbers and sizes of the files. */
void cairn_scrutiny_output(FILE *stream, const struct cairn_scenario *scenario);

#endif
