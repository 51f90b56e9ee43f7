/* Names of files in a scenario. */
#ifndef CAIRN_DATA_BASE_PATH_H
#define CAIRN_DATA_BASE_PATH_H

#include "data/schema/yaml.h"

/* Make the file name in a scalar absolute, relative ones being meant from the folder of the scenario `file`. The file
 * must exist. */
int cairn_path_resolve(const char *file, struct cairn_node *scalar, struct cairn_error *error);

/* The name of a file without folders and without the last ending, as a new string; "scenario" if nothing is left.
 * NULL if out of memory. */
char *cairn_path_stem(const char *file);

#endif
