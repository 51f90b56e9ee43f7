#include "data/base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *cairn_lines_open(const char *path) {
  struct stat about;
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return NULL;
  const bool regular = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  FILE *stream = regular ? fdopen(file, "r") : NULL;
  const int cause = regular ? errno : EINVAL;
  if (!stream)
    close(file);
  errno = cause;
  return stream;
}

enum cairn_lines cairn_lines_next(FILE *stream, char *text, size_t size, size_t *length) {
  int c = getc(stream);
  *length = 0;
  if (c == EOF)
    return ferror(stream) ? CAIRN_LINES_FAILED : CAIRN_LINES_END;
  for (; c != EOF && c != '\n'; c = getc(stream)) {
    if (c == '\0')
      return CAIRN_LINES_NUL;
    if (*length == size - 1)
      return CAIRN_LINES_LONG;
    text[(*length)++] = (char)c;
  }
  text[*length] = '\0';
  return CAIRN_LINES_TEXT;
}
