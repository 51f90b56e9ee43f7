#include "data/base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cairn_path_resolve(const char *file, struct cairn_node *scalar, struct cairn_error *error) {
  char shown[CAIRN_YAML_SHOWN];
  const char *slash = strrchr(file, '/');
  size_t folder = slash && scalar->text[0] != '/' ? (size_t)(slash - file) + 1 : 0;
  char *joined = malloc(folder + strlen(scalar->text) + 1);
  if (!joined)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", file);
  memcpy(joined, file, folder);
  strcpy(joined + folder, scalar->text);
  char *absolute = realpath(joined, NULL);
  int status = CAIRN_OK;
  if (!absolute)
    status = cairn_yaml_error(error, file, scalar, "cannot find the file %s: %s", cairn_yaml_show(joined, shown),
                              strerror(errno));
  else if (!cairn_yaml_is_text(absolute))
    status = cairn_yaml_error(error, file, scalar, "the file lies in a folder whose name is not UTF-8: %s",
                              cairn_yaml_show(absolute, shown));
  else if (!cairn_yaml_set_text(scalar, absolute, true))
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", file);
  free(absolute);
  free(joined);
  return status;
}

char *cairn_path_stem(const char *file) {
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
  size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
  return length ? strndup(name, length) : strdup("scenario");
}
