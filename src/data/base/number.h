/* Numbers as text: the same in every locale, refused rather than guessed. */
#ifndef CAIRN_DATA_BASE_NUMBER_H
#define CAIRN_DATA_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Read all of `text` as a decimal number: sign, digits, point, exponent. False for anything else: hexadecimal numbers,
 * blanks, an empty string. Infinities and NaN, written as such or by overflow, are read as what they are. */
bool cairn_number_parse(const char *text, double *value);

/* Read all of `text` as a whole number, as digits or in a form such as 1e6 (exact below 2^53). */
bool cairn_number_parse_integer(const char *text, int64_t *value);

enum { CAIRN_NUMBER_LENGTH = 32 };

/* The shortest of 15, 16 or 17 digits that reads back to the same bits. */
void cairn_number_format(double value, char text[CAIRN_NUMBER_LENGTH]);

/* Both with as many digits, `digits` at least, as it takes to tell them apart: 1.02 and 1, not 1 and 1. */
void cairn_number_apart(double a, double b, int digits, char text_a[CAIRN_NUMBER_LENGTH],
                        char text_b[CAIRN_NUMBER_LENGTH]);

#endif
