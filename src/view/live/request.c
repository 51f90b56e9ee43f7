#define _GNU_SOURCE
#include "view/live/request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The same time whatever the difference, so that nobody learns a token letter by letter. */
static int is_token(const char *given, const char *token) {
  unsigned char differs = 0;
  for (int i = 0; i < CAIRN_REQUEST_TOKEN; i++)
    differs |= (unsigned char)(given[i] ^ token[i]);
  return differs == 0;
}

/* The value of the one Host line in the head; 0 if there is none, or more than one. */
static size_t find_host(const char *head, size_t n, const char **value) {
  size_t length = 0;
  int found = 0;
  for (size_t at = 0; at + 5 < n;) {
    const char *end = memchr(head + at, '\n', n - at);
    const size_t line = end ? (size_t)(end - head) - at : n - at;
    if (line > 5 && strncasecmp(head + at, "host:", 5) == 0) {
      const char *from = head + at + 5, *to = head + at + line;
      while (from < to && *from == ' ')
        from++;
      while (to > from && (to[-1] == '\r' || to[-1] == ' '))
        to--;
      *value = from;
      length = (size_t)(to - from);
      found++;
    }
    at += line + 1;
  }
  return found == 1 ? length : 0;
}

static int is_here(const char *head, size_t n, int port) {
  static const char *const names[] = {"127.0.0.1", "localhost"};
  const char *host = NULL;
  const size_t length = find_host(head, n, &host);
  for (int i = 0; i < 2 && length > 0; i++) {
    char wanted[32];
    const int size = snprintf(wanted, sizeof wanted, "%s:%d", names[i], port);
    if (length == (size_t)size && strncasecmp(host, wanted, length) == 0)
      return 1;
  }
  return 0;
}

enum cairn_request cairn_request_parse(const char *bytes, size_t n, const char *token, int port) {
  if (n > CAIRN_REQUEST_MOST)
    return CAIRN_REQUEST_LARGE;
  const char *end = memmem(bytes, n, "\r\n\r\n", 4);
  if (!end)
    return n == CAIRN_REQUEST_MOST ? CAIRN_REQUEST_LARGE : CAIRN_REQUEST_INCOMPLETE;
  const size_t head = (size_t)(end - bytes);
  if (memchr(bytes, '\0', head))
    return CAIRN_REQUEST_BAD;
  const char *line = memchr(bytes, '\r', head + 1), *blank = memchr(bytes, ' ', head);
  if (!blank || blank > line)
    return CAIRN_REQUEST_BAD;
  if (blank - bytes != 3 || memcmp(bytes, "GET", 3))
    return CAIRN_REQUEST_METHOD;
  const char *path = blank + 1, *stop = memchr(path, ' ', (size_t)(line - path));
  if (!stop || (size_t)(line - stop) < 9 || memcmp(stop, " HTTP/1.", 8))
    return CAIRN_REQUEST_BAD;
  if (!is_here(bytes, head, port))
    return CAIRN_REQUEST_FORBIDDEN;
  const size_t length = (size_t)(stop - path);
  if (length < 2 + CAIRN_REQUEST_TOKEN || path[0] != '/' || path[1 + CAIRN_REQUEST_TOKEN] != '/' ||
      !is_token(path + 1, token))
    return CAIRN_REQUEST_FORBIDDEN;
  const char *name = path + 2 + CAIRN_REQUEST_TOKEN;
  const size_t rest = length - 2 - CAIRN_REQUEST_TOKEN;
  if (rest == 0)
    return CAIRN_REQUEST_PAGE;
  return rest == 5 && memcmp(name, "state", 5) == 0 ? CAIRN_REQUEST_STATE : CAIRN_REQUEST_UNKNOWN;
}

const char *cairn_request_reason(enum cairn_request request) {
  switch (request) {
  case CAIRN_REQUEST_FORBIDDEN:
    return "Forbidden";
  case CAIRN_REQUEST_UNKNOWN:
    return "Not Found";
  case CAIRN_REQUEST_METHOD:
    return "Method Not Allowed";
  case CAIRN_REQUEST_LARGE:
    return "Request Header Fields Too Large";
  case CAIRN_REQUEST_BAD:
    return "Bad Request";
  default:
    return "OK";
  }
}
