/* Reading text files that may be anything, line by line. */
#ifndef CAIRN_DATA_BASE_LINES_H
#define CAIRN_DATA_BASE_LINES_H

#include <stddef.h>
#include <stdio.h>

/* Open a regular file; without waiting, so that a pipe nobody writes to is refused instead of waited for. NULL with
 * errno if it cannot be opened or is something else. */
FILE *cairn_lines_open(const char *path);

/* What the next line is. */
enum cairn_lines { CAIRN_LINES_END, CAIRN_LINES_TEXT, CAIRN_LINES_NUL, CAIRN_LINES_LONG, CAIRN_LINES_FAILED };

/* Read the next line without its end into `text`, which holds `size` characters with the NUL at its end. *length is
 * that of what was read, up to a NUL character if there is one. CAIRN_LINES_FAILED leaves the cause in errno. */
enum cairn_lines cairn_lines_next(FILE *stream, char *text, size_t size, size_t *length);

#endif
