/* Status codes and the error object that every fallible function of cairn fills. */
#ifndef CAIRN_ERROR_H
#define CAIRN_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* The negative of a status is the exit code of the program `cairn`. */
enum cairn_status {
  CAIRN_OK = 0,
  CAIRN_ERR_NUMERIC = -1, /* the simulation itself failed: a body not finite or too fast, out of memory */
  CAIRN_ERR_INPUT = -2,   /* bad usage, bad scenario, bad checkpoint */
  CAIRN_ERR_IO = -3,      /* a file could not be read or written */
  CAIRN_STOPPED = -75     /* stopped early on request, with a checkpoint */
};

/* What went wrong, in one sentence without a trailing newline. */
struct cairn_error {
  enum cairn_status status;
  char message[1024];
};

/* Store `status` and the formatted message (cut to fit) in `error`, which may be NULL; returns `status`. */
int cairn_error_set(struct cairn_error *error, enum cairn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
