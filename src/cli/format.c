#include "cli/format.h"

#include <math.h>
#include <stdio.h>

const char *cairn_format_duration(char text[CAIRN_FORMAT_LENGTH], double seconds) {
  if (!isfinite(seconds) || seconds < 0 || seconds > 1e9)
    snprintf(text, CAIRN_FORMAT_LENGTH, "?");
  else if (seconds < 9.95)
    snprintf(text, CAIRN_FORMAT_LENGTH, "%.1f s", seconds);
  else if (seconds < 59.5)
    snprintf(text, CAIRN_FORMAT_LENGTH, "%.0f s", seconds);
  else {
    long whole = lround(seconds);
    if (whole < 3600)
      snprintf(text, CAIRN_FORMAT_LENGTH, "%ld min %02ld s", whole / 60, whole % 60);
    else if (whole < 86400)
      snprintf(text, CAIRN_FORMAT_LENGTH, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
    else
      snprintf(text, CAIRN_FORMAT_LENGTH, "%ld d %ld h", whole / 86400, whole / 3600 % 24);
  }
  return text;
}

static void scaled(char text[CAIRN_FORMAT_LENGTH], double value, const char *between, const char *const *suffixes,
                   int n) {
  int i = 0;
  while (i + 1 < n && fabs(value) >= 999.5) {
    value /= 1000;
    i++;
  }
  int whole = i == 0 && value == floor(value);
  int decimals = whole || fabs(value) >= 99.95 ? 0 : fabs(value) >= 9.995 ? 1 : 2;
  snprintf(text, CAIRN_FORMAT_LENGTH, "%.*f%s%s", decimals, value, between, suffixes[i]);
}

const char *cairn_format_bytes(char text[CAIRN_FORMAT_LENGTH], double bytes) {
  static const char *const suffixes[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  scaled(text, bytes, " ", suffixes, 6);
  return text;
}

const char *cairn_format_count(char text[CAIRN_FORMAT_LENGTH], double count) {
  static const char *const suffixes[] = {"", "k", "M", "G", "T"};
  scaled(text, count, "", suffixes, 5);
  return text;
}
