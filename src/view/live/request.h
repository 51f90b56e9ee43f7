/* Requests to the page of a run that goes on: what is asked for, if it may be answered. */
#ifndef CAIRN_VIEW_LIVE_REQUEST_H
#define CAIRN_VIEW_LIVE_REQUEST_H

#include <stddef.h>

enum { CAIRN_REQUEST_MOST = 4096, CAIRN_REQUEST_TOKEN = 32 };

/* Everything but the first three is refused with the HTTP status of that number. */
enum cairn_request {
  CAIRN_REQUEST_PAGE,
  CAIRN_REQUEST_STATE,
  CAIRN_REQUEST_INCOMPLETE, /* its end has not come yet */
  CAIRN_REQUEST_BAD = 400,
  CAIRN_REQUEST_FORBIDDEN = 403, /* another host, or a wrong token */
  CAIRN_REQUEST_UNKNOWN = 404,
  CAIRN_REQUEST_METHOD = 405,
  CAIRN_REQUEST_LARGE = 431
};

/* The first n bytes of a connection. Good are GET /TOKEN/ and GET /TOKEN/state with a Host of 127.0.0.1:port or
 * localhost:port: a page of somebody else that has made its name point here is not that. */
enum cairn_request cairn_request_parse(const char *bytes, size_t n, const char *token, int port);

/* The words of a status. */
const char *cairn_request_reason(enum cairn_request request);

#endif
