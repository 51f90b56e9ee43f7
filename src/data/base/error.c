#include "cairn/error.h"

#include <stdarg.h>
#include <stdio.h>

int cairn_error_set(struct cairn_error *error, enum cairn_status status, const char *format, ...) {
  if (error) {
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
  }
  return status;
}
