/* Numbers as people read them. */
#include <math.h>

#include "cli/format.h"
#include "tap/tap.h"

int main(void) {
  char text[CAIRN_FORMAT_LENGTH];
  plan(NO_PLAN);
  is(cairn_format_duration(text, 0), "0.0 s");
  is(cairn_format_duration(text, 0.42), "0.4 s");
  is(cairn_format_duration(text, 9.96), "10 s");
  is(cairn_format_duration(text, 59.4), "59 s");
  is(cairn_format_duration(text, 59.6), "1 min 00 s");
  is(cairn_format_duration(text, 200), "3 min 20 s");
  is(cairn_format_duration(text, 3 * 3600 + 7 * 60), "3 h 07 min");
  is(cairn_format_duration(text, 100 * 3600), "4 d 4 h");
  is(cairn_format_duration(text, -1), "?", "an unknown time");
  is(cairn_format_duration(text, (double)NAN), "?", "no number");
  is(cairn_format_duration(text, (double)INFINITY), "?", "for ever");
  is(cairn_format_bytes(text, 512), "512 B");
  is(cairn_format_bytes(text, 1500), "1.50 kB");
  is(cairn_format_bytes(text, 20e6), "20.0 MB");
  is(cairn_format_bytes(text, 999.6e6), "1.00 GB", "rounding carries into the next unit");
  is(cairn_format_count(text, 7), "7");
  is(cairn_format_count(text, 0.25), "0.25");
  is(cairn_format_count(text, 12345), "12.3k");
  is(cairn_format_count(text, 3.5e6), "3.50M");
  is(cairn_format_count(text, 5e15), "5000T", "beyond the last suffix");
  done_testing();
}
