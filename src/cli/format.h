/* Numbers as people read them. Every function writes into `text` and returns it. */
#ifndef CAIRN_CLI_FORMAT_H
#define CAIRN_CLI_FORMAT_H

enum { CAIRN_FORMAT_LENGTH = 32 };

/* 0.4 s, 12 s, 3 min 20 s, 5 h 07 min, 3 d 4 h; "?" for a negative or non-finite time. */
const char *cairn_format_duration(char text[CAIRN_FORMAT_LENGTH], double seconds);

/* 512 B, 1.5 kB, 20 MB, 3.2 GB: powers of 1000. */
const char *cairn_format_bytes(char text[CAIRN_FORMAT_LENGTH], double bytes);

/* 950, 12.3k, 4.5M, 1.2G: three digits. */
const char *cairn_format_count(char text[CAIRN_FORMAT_LENGTH], double count);

#endif
