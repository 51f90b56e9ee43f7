#include "data/storage/nc.h"

#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cairn_nc_fail(struct cairn_error *error, const char *what, const char *path, int nc_status) {
  return cairn_error_set(error, CAIRN_ERR_IO, "cannot %s '%s': %s", what, path, nc_strerror(nc_status));
}

int cairn_nc_close(int nc, int nc_status) {
  int close_status = nc_status ? nc_status : nc_close(nc);
  /* A close that failed, on a full disk, leaves the file open. */
  if (close_status)
    nc_abort(nc);
  return close_status;
}

int cairn_nc_put_text(int nc, int variable, const char *name, const char *value) {
  return nc_put_att_text(nc, variable, name, strlen(value), value);
}

int cairn_nc_put_meaning(int nc, int variable, const char *unit, const char *long_name) {
  int status = cairn_nc_put_text(nc, variable, "units", unit);
  return status ? status : cairn_nc_put_text(nc, variable, "long_name", long_name);
}

int cairn_nc_put_provenance(int nc, const struct cairn_provenance *provenance) {
  int status = NC_NOERR;
  for (int i = 0; provenance && i < provenance->n && !status; i++)
    status = cairn_nc_put_text(nc, NC_GLOBAL, provenance->entry[i].name, provenance->entry[i].value);
  return status;
}

int cairn_nc_get(int nc, const char *name, int nc_type, int rank, const size_t *start, const size_t *count,
                 void *values) {
  int variable, found_type, found_rank;
  int status = nc_inq_varid(nc, name, &variable);
  if (!status)
    status = nc_inq_vartype(nc, variable, &found_type);
  if (!status)
    status = nc_inq_varndims(nc, variable, &found_rank);
  if (!status && (found_type != nc_type || found_rank != rank))
    status = found_type != nc_type ? NC_EBADTYPE : NC_EVARSIZE;
  return status ? status : nc_get_vara(nc, variable, start, count, values);
}

int cairn_nc_get_part(int nc, const char *name, int nc_type, int rank, const size_t *length, const size_t *start,
                      const size_t *count, void *values) {
  int variable, found_rank, dimension[3];
  int status = nc_inq_varid(nc, name, &variable);
  if (!status)
    status = nc_inq_varndims(nc, variable, &found_rank);
  if (!status && (found_rank != rank || rank > 3))
    status = NC_EVARSIZE;
  if (!status)
    status = nc_inq_vardimid(nc, variable, dimension);
  for (int i = 0; i < rank && !status; i++) {
    size_t found;
    status = nc_inq_dimlen(nc, dimension[i], &found);
    if (!status && found != length[i])
      status = NC_EVARSIZE;
  }
  return status ? status : cairn_nc_get(nc, name, nc_type, rank, start, count, values);
}

int cairn_nc_get_all(int nc, const char *name, int nc_type, int rank, const size_t *length, void *values) {
  static const size_t start[3] = {0, 0, 0};
  return cairn_nc_get_part(nc, name, nc_type, rank, length, start, length, values);
}

char *cairn_nc_text(int nc, int variable, const char *name) {
  nc_type type;
  size_t length;
  if (nc_inq_att(nc, variable, name, &type, &length) || type != NC_CHAR)
    return NULL;
  char *text = malloc(length + 1);
  if (text && nc_get_att_text(nc, variable, name, text)) {
    free(text);
    return NULL;
  }
  if (text)
    text[length] = '\0';
  return text;
}

int cairn_nc_has_text(int nc, int variable, const char *name, const char *value) {
  char *text = cairn_nc_text(nc, variable, name);
  int same = text && !strcmp(text, value);
  free(text);
  return same;
}

void cairn_nc_run_id(int nc, char id[CAIRN_PROVENANCE_RUN_ID + 1]) {
  char *text = cairn_nc_text(nc, NC_GLOBAL, "run_id");
  const bool is_id =
      text && strlen(text) == CAIRN_PROVENANCE_RUN_ID && strspn(text, "0123456789abcdef") == CAIRN_PROVENANCE_RUN_ID;
  snprintf(id, CAIRN_PROVENANCE_RUN_ID + 1, "%s", is_id ? text : "");
  free(text);
}
