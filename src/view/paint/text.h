/* Texts and bytes inside HTML and JSON. Nothing that a file says can leave the place it is put into; bytes that are no
 * UTF-8 come out as U+FFFD. */
#ifndef CAIRN_VIEW_PAINT_TEXT_H
#define CAIRN_VIEW_PAINT_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* As text of an element or value of a quoted attribute. */
void cairn_text_html(FILE *file, const char *text);

/* As a JSON string with its quotes, also safe inside a script element. */
void cairn_text_json(FILE *file, const char *text);

/* As a JSON number of nine digits; null if it is not finite. */
void cairn_text_number(FILE *file, double value);

void cairn_text_base64(FILE *file, const void *bytes, size_t n);

/* A unit in UDUNITS notation as it is printed: kg m2 s-1 becomes kg m² s⁻¹, 1 becomes nothing. */
void cairn_text_unit(const char *unit, char *out, size_t size);

/* A power of ten as it is printed: 10⁹. */
void cairn_text_power(int exponent, char *out, size_t size);

#endif
