/* Any bytes as a request to the live page: refused, or one of the two that may be answered, and those only with the
 * token and a host of this machine in them. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view/live/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char token[] = "0123456789abcdef0123456789abcdef";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  /* a block of its own: sanitizers see a byte too far */
  char *bytes = malloc(size ? size : 1);
  if (!bytes)
    return 0;
  memcpy(bytes, data, size);
  const enum cairn_request request = cairn_request_parse(bytes, size, token, 8080);
  const int is_answered = request == CAIRN_REQUEST_PAGE || request == CAIRN_REQUEST_STATE;
  if (is_answered && (size < 60 || memcmp(bytes, "GET /", 5) || memcmp(bytes + 5, token, 32) || bytes[37] != '/' ||
                      !memmem(bytes, size, ":8080", 5)))
    abort();
  if (request == CAIRN_REQUEST_INCOMPLETE && size >= CAIRN_REQUEST_MOST)
    abort();
  if (!cairn_request_reason(request))
    abort();
  free(bytes);
  return 0;
}
