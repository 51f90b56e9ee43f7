#include "view/paint/text.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* The length of the UTF-8 sequence at `c`, 0 if there is none: overlong forms, surrogates and what is beyond Unicode
 * are none. */
static int sequence(const unsigned char *c) {
  const int n = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : c[0] >= 0xe0 && c[0] < 0xf0 ? 3 : 4;
  if (n == 1)
    return 1;
  if (c[0] < 0xc2 || c[0] > 0xf4)
    return 0;
  for (int i = 1; i < n; i++)
    if ((c[i] & 0xc0) != 0x80)
      return 0;
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
      (c[0] == 0xf4 && c[1] > 0x8f))
    return 0;
  return n;
}

void cairn_text_html(FILE *file, const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c;) {
    const int n = sequence(c);
    if (n == 0 || (*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
      fputs("\xef\xbf\xbd", file);
    else if (n == 1 && strchr("<>&\"'", *c))
      fprintf(file, "&#%d;", *c);
    else
      fwrite(c, 1, (size_t)n, file);
    c += n ? n : 1;
  }
}

void cairn_text_json(FILE *file, const char *text) {
  fputc('"', file);
  for (const unsigned char *c = (const unsigned char *)text; *c;) {
    const int n = sequence(c);
    if (n == 0)
      fputs("\\ufffd", file);
    else if (n == 1 && (*c < ' ' || *c == 0x7f || strchr("\"\\<>&'", *c)))
      fprintf(file, "\\u%04x", *c);
    else if (n == 3 && c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9))
      fprintf(file, "\\u20%02x", c[2] - 0x80); /* line breaks to some, not to others */
    else
      fwrite(c, 1, (size_t)n, file);
    c += n ? n : 1;
  }
  fputc('"', file);
}

void cairn_text_number(FILE *file, double value) {
  if (isfinite(value))
    fprintf(file, "%.9g", value);
  else
    fputs("null", file);
}

void cairn_text_base64(FILE *file, const void *bytes, size_t n) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *in = bytes;
  char out[4096];
  size_t used = 0;
  for (size_t i = 0; i < n; i += 3) {
    const size_t left = n - i;
    const uint32_t word =
        (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? (uint32_t)in[i + 2] : 0);
    out[used++] = digit[word >> 18];
    out[used++] = digit[word >> 12 & 63];
    out[used++] = left > 1 ? digit[word >> 6 & 63] : '=';
    out[used++] = left > 2 ? digit[word & 63] : '=';
    if (used == sizeof out) {
      fwrite(out, 1, used, file);
      used = 0;
    }
  }
  fwrite(out, 1, used, file);
}

static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

void cairn_text_unit(const char *unit, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  if (strcmp(unit, "1") == 0)
    return;
  for (const char *c = unit; *c && used + 4 < size; c++) {
    const int is_exponent = c > unit && (isdigit((unsigned char)*c) || (*c == '-' && isdigit((unsigned char)c[1])));
    if (is_exponent)
      used += (size_t)snprintf(out + used, size - used, "%s", *c == '-' ? "⁻" : raised[*c - '0']);
    else
      used += (size_t)snprintf(out + used, size - used, "%c", *c);
  }
}

void cairn_text_power(int exponent, char *out, size_t size) {
  char digits[16];
  size_t used = (size_t)snprintf(out, size, "10");
  snprintf(digits, sizeof digits, "%d", exponent);
  for (const char *c = digits; *c && used + 4 < size; c++)
    used += (size_t)snprintf(out + used, size - used, "%s", *c == '-' ? "⁻" : raised[*c - '0']);
}
