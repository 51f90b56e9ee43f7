#define _GNU_SOURCE /* sync_file_range */
#include "data/storage/record_file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "data/storage/durable.h"

enum {
  MAX_NAME = 63,     /* cairn's own names are shorter; a longer one is read but never found */
  MAX_ENTRIES = 512, /* of a list: far above what cairn writes, low enough that a hostile header cannot cost memory */
  BUFFER_SIZE = 1 << 18
};
/* Tags of the lists in a classic header. */
enum { TAG_ABSENT = 0, TAG_DIMENSION = 10, TAG_VARIABLE = 11, TAG_ATTRIBUTE = 12 };

struct variable {
  char name[MAX_NAME + 1];
  int type;
  bool is_record;
  int64_t n_values; /* in a record, or in all */
  int64_t bytes;    /* of them */
  int64_t size;     /* the same, padded to 4 */
  int64_t begin;    /* offset of the (first) values */
};

struct cairn_record_file {
  int fd;
  bool is_writable;
  char *path;
  int version; /* 1, 2 or 5: the fourth byte of the file */
  int64_t size;
  int n_variables;
  struct variable *variables;
  int64_t record_begin; /* where the first record starts */
  int64_t record_size;
  int64_t n_promised, n_complete;
  int64_t n_committed, n_ended, n_dropped;
  int64_t hinted;        /* offset up to which the system was asked to write to the disk */
  bool is_cut;           /* only n_committed of the records in the file count, and the others are still there */
  unsigned char *buffer; /* encoded values that go to the file at offset buffer_at */
  size_t buffer_fill;
  int64_t buffer_at;
};

/* Reads the header front to back. Every getter returns 0 once anything went wrong, so that the checks stand in one
 * place at the end of each list. */
struct cursor {
  int fd;
  int64_t at, size;
  bool is_wide; /* CDF-5 counts have 8 bytes */
  bool is_bad;
  char repeated[MAX_NAME + 24]; /* "variables named 'time'" if a name occurs twice, or else empty */
  int64_t window_at;
  size_t window_fill;
  unsigned char window[4096];
};

static unsigned get_byte(struct cursor *cursor) {
  if (cursor->is_bad || cursor->at >= cursor->size) {
    cursor->is_bad = true;
    return 0;
  }
  if (cursor->at < cursor->window_at || cursor->at >= cursor->window_at + (int64_t)cursor->window_fill) {
    ssize_t n = pread(cursor->fd, cursor->window, sizeof cursor->window, cursor->at);
    cursor->is_bad = n <= 0;
    cursor->window_fill = n > 0 ? (size_t)n : 0;
    cursor->window_at = cursor->at;
    if (cursor->is_bad)
      return 0;
  }
  return cursor->window[cursor->at++ - cursor->window_at];
}

static int64_t get_number(struct cursor *cursor, int n_bytes) {
  uint64_t value = 0;
  for (int i = 0; i < n_bytes; i++)
    value = value << 8 | get_byte(cursor);
  if (value > INT64_MAX)
    cursor->is_bad = true;
  return cursor->is_bad ? 0 : (int64_t)value;
}

static int64_t get_count(struct cursor *cursor) { return get_number(cursor, cursor->is_wide ? 8 : 4); }

static void skip_bytes(struct cursor *cursor, int64_t n) {
  if (n > cursor->size - cursor->at)
    cursor->is_bad = true;
  else
    cursor->at += n;
}

/* The names of a list so far, as hashes: equal names have equal ones. */
struct names {
  const char *kind; /* "variables" */
  int n;
  uint64_t hash[MAX_ENTRIES];
};

static void refuse_repeated(struct cursor *cursor, const char *kind, char name[MAX_NAME + 1]) {
  for (char *letter = name; *letter; letter++)
    *letter = *letter >= ' ' && *letter <= '~' ? *letter : '?';
  snprintf(cursor->repeated, sizeof cursor->repeated, "%s named '%s'", kind, name);
  cursor->is_bad = true;
}

/* A name that is new to the list. Of two equal ones the NetCDF library returns the last and this file the first: what
 * was checked would not be what is read. */
static void get_name(struct cursor *cursor, struct names *names, char name[MAX_NAME + 1]) {
  char all[NC_MAX_NAME];
  int64_t length = get_count(cursor);
  if (length > NC_MAX_NAME)
    cursor->is_bad = true;
  for (int64_t i = 0; i < length && !cursor->is_bad; i++) {
    all[i] = (char)get_byte(cursor);
    name[i < MAX_NAME ? i : MAX_NAME] = all[i];
    if (all[i] == '\0') /* where the NetCDF library would end the name */
      cursor->is_bad = true;
  }
  name[length < MAX_NAME ? length : MAX_NAME] = '\0';
  skip_bytes(cursor, -length & 3);
  if (cursor->is_bad)
    return;
  uint64_t hash = XXH3_64bits(all, (size_t)length);
  for (int i = 0; i < names->n && !cursor->is_bad; i++)
    if (names->hash[i] == hash)
      refuse_repeated(cursor, names->kind, name);
  names->hash[names->n++] = hash;
}

/* The length of a list with this tag. */
static int get_list(struct cursor *cursor, int tag) {
  int64_t found = get_number(cursor, 4);
  int64_t n = get_count(cursor);
  if ((found != tag && (found != TAG_ABSENT || n != 0)) || n > MAX_ENTRIES)
    cursor->is_bad = true;
  return cursor->is_bad ? 0 : (int)n;
}

static int64_t type_size(int64_t type) {
  static const char size[] = {
      [NC_BYTE] = 1,  [NC_CHAR] = 1,   [NC_SHORT] = 2, [NC_INT] = 4,   [NC_FLOAT] = 4, [NC_DOUBLE] = 8,
      [NC_UBYTE] = 1, [NC_USHORT] = 2, [NC_UINT] = 4,  [NC_INT64] = 8, [NC_UINT64] = 8};
  return type > 0 && type < (int64_t)sizeof size ? size[type] : 0;
}

static void skip_attributes(struct cursor *cursor) {
  struct names names = {.kind = "attributes"};
  for (int n = get_list(cursor, TAG_ATTRIBUTE); n > 0 && !cursor->is_bad; n--) {
    char name[MAX_NAME + 1];
    get_name(cursor, &names, name);
    int64_t size = type_size(get_number(cursor, 4)), length = get_count(cursor);
    if (size == 0 || length > cursor->size)
      cursor->is_bad = true;
    else
      skip_bytes(cursor, (size * length + 3) & ~(int64_t)3);
  }
}

/* Dimension lengths; 0 marks the record dimension. */
static int get_dimensions(struct cursor *cursor, int64_t length[MAX_ENTRIES]) {
  struct names names = {.kind = "dimensions"};
  int n = get_list(cursor, TAG_DIMENSION);
  for (int i = 0; i < n && !cursor->is_bad; i++) {
    char name[MAX_NAME + 1];
    get_name(cursor, &names, name);
    length[i] = get_count(cursor);
  }
  return n;
}

static void get_variable(struct cursor *cursor, const int64_t *length, int n_dimensions, int version,
                         struct names *names, struct variable *variable) {
  get_name(cursor, names, variable->name);
  int64_t rank = get_count(cursor);
  if (rank > NC_MAX_VAR_DIMS)
    cursor->is_bad = true;
  variable->n_values = 1;
  for (int64_t i = 0; i < rank && !cursor->is_bad; i++) {
    int64_t id = get_count(cursor);
    if (id >= n_dimensions)
      cursor->is_bad = true;
    else if (length[id] == 0 && i == 0)
      variable->is_record = true;
    else if (length[id] == 0 || __builtin_mul_overflow(variable->n_values, length[id], &variable->n_values))
      cursor->is_bad = true;
  }
  skip_attributes(cursor);
  variable->type = (int)get_number(cursor, 4);
  get_count(cursor); /* the size as the header has it: of no use, CDF-2 cannot express large ones */
  variable->begin = get_number(cursor, version == 1 ? 4 : 8);
  int64_t size = type_size(variable->type);
  if (size == 0 || __builtin_mul_overflow(variable->n_values, size, &variable->bytes) ||
      variable->bytes > INT64_MAX / 4 || variable->begin > INT64_MAX / 4)
    cursor->is_bad = true;
  else
    variable->size = (variable->bytes + 3) & ~(int64_t)3;
}

/* Fixed variables must lie within the file; from the record variables follows how many records it can hold. */
static bool measure(struct cairn_record_file *file, int64_t header_end) {
  int n_record_variables = 0;
  const struct variable *last = NULL;
  for (int i = 0; i < file->n_variables; i++) {
    const struct variable *v = &file->variables[i];
    if (v->begin < header_end || (!v->is_record && v->bytes > file->size - v->begin))
      return false;
    if (!v->is_record)
      continue;
    n_record_variables++;
    if (__builtin_add_overflow(file->record_size, v->size, &file->record_size))
      return false;
    file->record_begin = file->record_begin && file->record_begin < v->begin ? file->record_begin : v->begin;
    last = last && last->begin > v->begin ? last : v;
  }
  if (n_record_variables == 0)
    return file->n_promised == 0;
  /* A lone record variable of 1- or 2-byte values would be packed without padding; cairn has no use for such files. */
  if (n_record_variables == 1 && type_size(last->type) < 4)
    return false;
  if (file->record_size == 0 || last->begin + last->size - file->record_begin != file->record_size)
    return false;
  int64_t fit = file->size < file->record_begin ? 0 : (file->size - file->record_begin) / file->record_size;
  file->n_complete = fit < file->n_promised ? fit : file->n_promised;
  return true;
}

static bool get_header(struct cursor *cursor, struct cairn_record_file *file) {
  int64_t magic = get_number(cursor, 4);
  file->version = (int)(magic & 255);
  if (magic >> 8 != 0x434446 || (file->version != 1 && file->version != 2 && file->version != 5))
    return false;
  cursor->is_wide = file->version == 5;
  file->n_promised = get_count(cursor);
  if (!cursor->is_wide && file->n_promised == UINT32_MAX) /* "streaming": the number of records is not known */
    return false;
  int64_t length[MAX_ENTRIES];
  int n_dimensions = get_dimensions(cursor, length);
  skip_attributes(cursor);
  struct names names = {.kind = "variables"};
  file->n_variables = get_list(cursor, TAG_VARIABLE);
  file->variables = calloc((size_t)file->n_variables + 1, sizeof *file->variables);
  if (!file->variables)
    return false;
  for (int i = 0; i < file->n_variables && !cursor->is_bad; i++)
    get_variable(cursor, length, n_dimensions, file->version, &names, &file->variables[i]);
  return !cursor->is_bad && measure(file, cursor->at);
}

static int read_header(struct cairn_record_file *file, struct cairn_error *error) {
  struct cursor cursor = {.fd = file->fd, .size = file->size};
  if (get_header(&cursor, file))
    return 0;
  if (*cursor.repeated)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: it has two %s", file->path, cursor.repeated);
  return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is not a classic NetCDF file, or it is damaged", file->path);
}

int cairn_record_file_open(const char *path, bool write, struct cairn_record_file **out, struct cairn_error *error) {
  *out = NULL;
  struct cairn_record_file *file = calloc(1, sizeof *file);
  if (!file)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for opening '%s'", path);
  int status = 0;
  struct stat about;
  file->is_writable = write;
  file->path = strdup(path);
  file->buffer = write ? malloc(BUFFER_SIZE) : NULL;
  /* Not blocking: a name that turns out to be a pipe must not hang the program. */
  file->fd = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
  if (!file->path || (write && !file->buffer))
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for opening '%s'", path);
  else if (file->fd < 0 || fstat(file->fd, &about))
    status = cairn_durable_fail(error, "open", path, errno);
  else if (!S_ISREG(about.st_mode))
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is not a regular file", path);
  if (!status) {
    file->size = about.st_size;
    status = read_header(file, error);
  }
  if (status) {
    cairn_record_file_close(file, NULL);
    return status;
  }
  file->n_committed = file->n_ended = file->n_complete;
  *out = file;
  return 0;
}

int64_t cairn_record_file_n_promised(const struct cairn_record_file *file) { return file->n_promised; }

int64_t cairn_record_file_n_complete(const struct cairn_record_file *file) { return file->n_complete; }

int64_t cairn_record_file_n_records(const struct cairn_record_file *file) { return file->n_ended; }

int64_t cairn_record_file_n_dropped(const struct cairn_record_file *file) { return file->n_dropped; }

int cairn_record_file_find(const struct cairn_record_file *file, const char *name, int nc_type, int64_t n) {
  for (int i = 0; i < file->n_variables; i++) {
    const struct variable *v = &file->variables[i];
    if (!strcmp(v->name, name))
      return v->is_record && v->type == nc_type && v->n_values == n ? i : -1;
  }
  return -1;
}

static int write_all(const struct cairn_record_file *file, const void *bytes, size_t n, int64_t at) {
  const char *next = bytes;
  while (n > 0) {
    ssize_t done = pwrite(file->fd, next, n, at);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return done < 0 ? errno : EIO;
    next += done;
    n -= (size_t)done;
    at += done;
  }
  return 0;
}

static int write_count(struct cairn_record_file *file, int64_t n) {
  uint64_t wide = htobe64((uint64_t)n);
  uint32_t narrow = htobe32((uint32_t)n);
  return file->version == 5 ? write_all(file, &wide, sizeof wide, 4) : write_all(file, &narrow, sizeof narrow, 4);
}

/* Back to the last commit. The error that led here is the one to report, so what fails here is not. */
static int drop(struct cairn_record_file *file, int number, struct cairn_error *error) {
  file->n_ended = file->n_committed;
  file->buffer_fill = 0;
  int ignored = ftruncate(file->fd, file->record_begin + file->n_committed * file->record_size);
  (void)ignored;
  return cairn_durable_fail(error, "write", file->path, number);
}

int cairn_record_file_cut(struct cairn_record_file *file, int64_t n, struct cairn_error *error) {
  if (n < 0 || n > file->n_complete)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' holds %lld complete records, %lld are needed", file->path,
                           (long long)file->n_complete, (long long)n);
  file->is_cut = true;
  file->n_dropped += file->n_complete - n;
  file->n_promised = file->n_complete = file->n_committed = file->n_ended = n;
  file->buffer_fill = 0;
  return 0;
}

/* Readers must not see a record of before the cut that is being overwritten. */
static int make_cut(struct cairn_record_file *file) {
  if (!file->is_cut)
    return 0;
  int number = write_count(file, file->n_committed);
  if (!number && ftruncate(file->fd, file->record_begin + file->n_committed * file->record_size))
    number = errno;
  file->is_cut = number != 0;
  return number;
}

static int flush(struct cairn_record_file *file) {
  int number = write_all(file, file->buffer, file->buffer_fill, file->buffer_at);
  file->buffer_at += (int64_t)file->buffer_fill;
  file->buffer_fill = 0;
  return number;
}

/* Encode as many values as fit, big-endian as the format asks. */
static size_t encode(unsigned char *to, size_t room, const unsigned char *values, size_t size, size_t n) {
  n = n < room / size ? n : room / size;
  if (size == 8) {
    for (size_t i = 0; i < n; i++) {
      uint64_t word;
      memcpy(&word, values + 8 * i, 8);
      word = htobe64(word);
      memcpy(to + 8 * i, &word, 8);
    }
  } else {
    for (size_t i = 0; i < n; i++) {
      uint32_t word;
      memcpy(&word, values + 4 * i, 4);
      word = htobe32(word);
      memcpy(to + 4 * i, &word, 4);
    }
  }
  return n;
}

/* n values of a variable in the record being written, from the one numbered `first` on; returns an error number. */
static int put_values(struct cairn_record_file *file, const struct variable *v, int64_t first, int64_t n,
                      const unsigned char *next) {
  size_t size = (size_t)type_size(v->type), left = (size_t)n;
  int64_t at = v->begin + file->n_ended * file->record_size + first * (int64_t)size;
  int number = 0;
  if (at != file->buffer_at + (int64_t)file->buffer_fill) {
    number = flush(file);
    file->buffer_at = at;
  }
  while (left > 0 && !number) {
    size_t n_encoded = encode(file->buffer + file->buffer_fill, BUFFER_SIZE - file->buffer_fill, next, size, left);
    file->buffer_fill += n_encoded * size;
    next += n_encoded * size;
    left -= n_encoded;
    if (left > 0)
      number = flush(file);
  }
  return number;
}

static bool can_put(const struct cairn_record_file *file, int variable) {
  return file->is_writable && variable >= 0 && variable < file->n_variables &&
         type_size(file->variables[variable].type) >= 4;
}

int cairn_record_file_put_part(struct cairn_record_file *file, int variable, int64_t first, int64_t n,
                               const void *values, struct cairn_error *error) {
  if (!can_put(file, variable))
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': no such variable", file->path);
  const struct variable *v = &file->variables[variable];
  if (first < 0 || n < 0 || first > v->n_values - n)
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': more values than a record holds", file->path);
  int number = make_cut(file);
  if (number)
    return cairn_durable_fail(error, "write", file->path, number);
  number = put_values(file, v, first, n, values);
  return number ? drop(file, number, error) : 0;
}

int cairn_record_file_put(struct cairn_record_file *file, int variable, const void *values, struct cairn_error *error) {
  const int64_t n = variable >= 0 && variable < file->n_variables ? file->variables[variable].n_values : 0;
  return cairn_record_file_put_part(file, variable, 0, n, values, error);
}

/* One column of n rows, into records that follow each other at `to`. */
static void encode_column(unsigned char *to, int64_t record_size, const struct variable *v, const unsigned char *rows,
                          size_t row_size, int64_t n) {
  const size_t size = (size_t)type_size(v->type), count = (size_t)v->n_values;
  if (size == 8 && count == 1)
    for (int64_t k = 0; k < n; k++)
      encode(to + k * record_size, 8, rows + (size_t)k * row_size, 8, 1);
  else if (size == 8 && count == 3)
    for (int64_t k = 0; k < n; k++)
      encode(to + k * record_size, 24, rows + (size_t)k * row_size, 8, 3);
  else
    for (int64_t k = 0; k < n; k++)
      encode(to + k * record_size, count * size, rows + (size_t)k * row_size, size, count);
}

/* Records are filled column by column: many short runs of values would otherwise cost more than what is in them. */
void cairn_record_file_encode_rows(const struct cairn_record_file *file, const struct cairn_record_column *columns,
                                   int n_columns, const void *rows, size_t row_size, int64_t n, void *to) {
  int64_t n_bytes = 0;
  for (int i = 0; i < n_columns; i++)
    n_bytes += file->variables[columns[i].variable].size;
  if (n_bytes < file->record_size) /* variables without a column */
    memset(to, 0, (size_t)(n * file->record_size));
  for (int i = 0; i < n_columns; i++) {
    const struct variable *v = &file->variables[columns[i].variable];
    encode_column((unsigned char *)to + (v->begin - file->record_begin), file->record_size, v,
                  (const unsigned char *)rows + columns[i].offset, row_size, n);
  }
}

static int put_rows(struct cairn_record_file *file, const struct cairn_record_column *columns, int n_columns,
                    const unsigned char *rows, size_t row_size, int64_t n) {
  const int64_t at = file->record_begin + file->n_ended * file->record_size, most = BUFFER_SIZE / file->record_size;
  int number = most > 0 ? 0 : EFBIG;
  if (!number && at != file->buffer_at + (int64_t)file->buffer_fill) {
    number = flush(file);
    file->buffer_at = at;
  }
  for (int64_t k = 0, count; k < n && !number; k += count) {
    if (((size_t)BUFFER_SIZE - file->buffer_fill) / (size_t)file->record_size == 0)
      number = flush(file);
    const int64_t room = (BUFFER_SIZE - (int64_t)file->buffer_fill) / file->record_size;
    count = n - k < room ? n - k : room;
    if (!number)
      cairn_record_file_encode_rows(file, columns, n_columns, rows + (size_t)k * row_size, row_size, count,
                                    file->buffer + file->buffer_fill);
    file->buffer_fill += number ? 0 : (size_t)(count * file->record_size);
    file->n_ended += number ? 0 : count;
  }
  return number;
}

int cairn_record_file_put_rows(struct cairn_record_file *file, const struct cairn_record_column *columns, int n_columns,
                               const void *rows, size_t row_size, int64_t n, struct cairn_error *error) {
  for (int i = 0; i < n_columns; i++)
    if (!can_put(file, columns[i].variable))
      return cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': no such variable", file->path);
  int number = make_cut(file);
  if (number)
    return cairn_durable_fail(error, "write", file->path, number);
  number = put_rows(file, columns, n_columns, rows, row_size, n);
  return number ? drop(file, number, error) : 0;
}

int64_t cairn_record_file_record_size(const struct cairn_record_file *file) { return file->record_size; }

int cairn_record_file_begin_rows(struct cairn_record_file *file, struct cairn_error *error) {
  const int number = make_cut(file);
  return number ? cairn_durable_fail(error, "write", file->path, number) : 0;
}

int cairn_record_file_write_rows(const struct cairn_record_file *file, int64_t first, int64_t n, const void *bytes) {
  const int64_t at = file->record_begin + (file->n_ended + first) * file->record_size;
  return write_all(file, bytes, (size_t)(n * file->record_size), at);
}

int cairn_record_file_end_rows(struct cairn_record_file *file, int64_t n, int number, struct cairn_error *error) {
  if (number)
    return drop(file, number, error);
  file->n_ended += n;
  return 0;
}

void cairn_record_file_end(struct cairn_record_file *file) { file->n_ended++; }

/* The system would keep what is written in memory for many seconds, and a checkpoint, or the end of a run, would wait
 * until all of it is on the disk: ask for whole pages as they become complete. It is no matter if nobody listens. */
static void begin_writing_out(struct cairn_record_file *file) {
  enum { PAGE = 4096, ENOUGH = 1 << 20 };
  const int64_t end = (file->record_begin + file->n_committed * file->record_size) / PAGE * PAGE;
  if (file->hinted < file->record_begin || file->hinted > end)
    file->hinted = (file->record_begin + PAGE - 1) / PAGE * PAGE;
  if (end - file->hinted < ENOUGH)
    return;
#ifdef SYNC_FILE_RANGE_WRITE
  sync_file_range(file->fd, file->hinted, end - file->hinted, SYNC_FILE_RANGE_WRITE);
#endif
  file->hinted = end;
}

int cairn_record_file_commit(struct cairn_record_file *file, struct cairn_error *error) {
  int number = make_cut(file);
  if (number)
    return cairn_durable_fail(error, "write", file->path, number);
  number = file->version != 5 && file->n_ended >= UINT32_MAX ? EFBIG : flush(file);
  if (!number && file->n_ended != file->n_committed)
    number = write_count(file, file->n_ended);
  if (number)
    return drop(file, number, error);
  file->n_promised = file->n_complete = file->n_committed = file->n_ended;
  begin_writing_out(file);
  return 0;
}

int cairn_record_file_sync(struct cairn_record_file *file, struct cairn_error *error) {
  return fsync(file->fd) ? cairn_durable_fail(error, "write", file->path, errno) : 0;
}

int cairn_record_file_rename(struct cairn_record_file *file, const char *to, struct cairn_error *error) {
  char *path = cairn_durable_name(to, "", error);
  int status = path ? cairn_durable_rename(file->path, to, error) : CAIRN_ERR_NUMERIC;
  if (status) {
    free(path);
    return status;
  }
  free(file->path);
  file->path = path;
  return 0;
}

int cairn_record_file_close(struct cairn_record_file *file, struct cairn_error *error) {
  if (!file)
    return 0;
  int status = 0;
  if (file->fd >= 0 && close(file->fd) && file->path)
    status = cairn_durable_fail(error, "write", file->path, errno);
  free(file->path);
  free(file->variables);
  free(file->buffer);
  free(file);
  return status;
}
