/* Any bytes as a contact problem: refused with a message, or read and then fit to be solved: a few sweeps leave finite
 * numbers or say that they diverged. */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/fclib/fclib.h"
#include "solvers/friction/friction.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* HDF5 itself asks for whatever a damaged file says and can do without: no reason for the sanitizer to stop. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

static void check(bool good) {
  if (!good)
    abort();
}

static void check_problem(const struct cairn_fclib *file) {
  const struct cairn_friction_problem *p = file->problem;
  struct cairn_friction_result result;
  check(p->n > 0 && p->start[p->n] == p->n_blocks);
  for (int64_t k = 0; k < p->n_blocks; k++)
    check(p->row[k] >= 0 && p->row[k] < p->n);
  for (int i = 0; cairn_friction_solver_at(i); i++) {
    const struct cairn_friction_options options = {.solver = cairn_friction_solver_at(i), .max_sweeps = 20};
    check(cairn_friction_solve_problem(p, &options, &result, NULL) == 0);
    check(!result.converged || isfinite(result.residual));
    check(result.n_open + result.n_stick + result.n_slide == p->n);
    cairn_friction_result_fini(&result);
  }
}

/* A file with a name: HDF5 asks the system for the real one, which a file in memory does not have. */
static int file_descriptor = -1;
static char path[4096];

static void remove_name(void) { unlink(path); }

static void open_file(void) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/cairn-fuzz-XXXXXX", folder && *folder ? folder : "/tmp");
  file_descriptor = mkstemp(path);
  check(file_descriptor >= 0);
  atexit(remove_name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cairn_fclib file;
  struct cairn_error error = {.status = CAIRN_OK};
  if (file_descriptor < 0)
    open_file();
  check(pwrite(file_descriptor, data, size, 0) == (ssize_t)size && ftruncate(file_descriptor, (off_t)size) == 0);
  const int status = cairn_fclib_read(path, &file, &error);
  check((status == CAIRN_OK) == (file.problem != NULL));
  /* the library may crash in its child, which is killed by a signal; cairn's code there may not: a sanitizer exits */
  check(status == CAIRN_OK || (error.status == status && error.message[0] && !strstr(error.message, "exit code")));
  if (!status)
    check_problem(&file);
  cairn_fclib_fini(&file);
  return 0;
}
