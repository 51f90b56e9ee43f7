#include "data/base/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program that links cairn may have set a locale whose decimal point is a comma. */
static double read_in_c_locale(const char *text) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = uselocale(c);
  double value = strtod(text, NULL);
  uselocale(before);
  if (c)
    freelocale(c);
  return value;
}

static const char *skip_digits(const char *text) { return text + strspn(text, "0123456789"); }

static bool is_decimal(const char *text) {
  text += *text == '+' || *text == '-';
  const char *start = text;
  text = skip_digits(text);
  ptrdiff_t digits = text - start;
  if (*text == '.') {
    start = ++text;
    text = skip_digits(text);
    digits += text - start;
  }
  if (digits == 0)
    return false;
  if (*text == 'e' || *text == 'E') {
    text++;
    text += *text == '+' || *text == '-';
    start = text;
    text = skip_digits(text);
    if (text == start)
      return false;
  }
  return *text == '\0';
}

static bool is_one_of(const char *text, const char *const *words) {
  for (; *words; words++)
    if (strcmp(text, *words) == 0)
      return true;
  return false;
}

bool cairn_number_parse(const char *text, double *value) {
  static const char *const infinities[] = {".inf", ".Inf", ".INF", "inf", "Inf", "INF", "infinity", "Infinity", NULL};
  static const char *const nans[] = {".nan", ".NaN", ".NAN", "nan", "NaN", "NAN", NULL};
  if (is_decimal(text)) {
    *value = read_in_c_locale(text);
    return true;
  }
  bool negative = *text == '-';
  text += *text == '+' || *text == '-';
  if (is_one_of(text, infinities))
    *value = negative ? -HUGE_VAL : HUGE_VAL;
  else if (is_one_of(text, nans))
    *value = (double)NAN;
  else
    return false;
  return true;
}

bool cairn_number_parse_integer(const char *text, int64_t *value) {
  const char *digits = text + (*text == '+' || *text == '-');
  if (*digits && *skip_digits(digits) == '\0') {
    errno = 0;
    long long parsed = strtoll(text, NULL, 10);
    *value = parsed;
    return errno == 0;
  }
  double number;
  if (!cairn_number_parse(text, &number) || !(fabs(number) <= 9007199254740992.0) || number != floor(number))
    return false;
  *value = (int64_t)number;
  return true;
}

void cairn_number_format(double value, char text[CAIRN_NUMBER_LENGTH]) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = uselocale(c);
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, CAIRN_NUMBER_LENGTH, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      break;
  }
  uselocale(before);
  if (c)
    freelocale(c);
}

/* Whole numbers of up to five digits without an exponent: 107, not 1.1e+02. */
static void put_digits(double value, int digits, char text[CAIRN_NUMBER_LENGTH]) {
  const int whole = fabs(value) >= 1. && fabs(value) < 1e5 ? 1 + (int)log10(fabs(value)) : 0;
  snprintf(text, CAIRN_NUMBER_LENGTH, "%.*g", whole > digits ? whole : digits, value);
}

void cairn_number_apart(double a, double b, int digits, char text_a[CAIRN_NUMBER_LENGTH],
                        char text_b[CAIRN_NUMBER_LENGTH]) {
  enum { MOST = 17 };
  do {
    put_digits(a, digits, text_a);
    put_digits(b, digits, text_b);
  } while (a != b && strcmp(text_a, text_b) == 0 && ++digits <= MOST);
}
