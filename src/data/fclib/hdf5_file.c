#include "data/fclib/hdf5_file.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/base/child.h"
#include "data/storage/durable.h"

enum { NAME = 256 };

enum what { HAS, INTEGERS, REALS, TEXT };

struct request {
  enum what what;
  int64_t n; /* numbers wanted */
  char name[NAME];
};

struct answer {
  int has;         /* it, or what was asked for: then n numbers follow */
  char text[NAME]; /* the text asked for, or why there is nothing */
};

struct cairn_hdf5_file {
  char *path;
  double most;
  struct cairn_child child;
  bool is_dead;
  char cause[64]; /* of its death */
};

/* What the child is told. */
struct place {
  const char *path;
  double most;
};

/* What a file of this size may cost. Arrays of zeros can be packed a thousand times, all of a large file cannot. */
static int64_t memory_for(int64_t size) { return ((int64_t)1 << 30) + 32 * size; }
static int64_t seconds_for(int64_t size) { return 60 + (size >> 20); }

/* ---------------------------------------------------------------- in the child */

/* HDF5 prints what goes wrong unless it is told not to. */
static void be_quiet(void) { H5Eset_auto2(H5E_DEFAULT, NULL, NULL); }

/* Links that lead elsewhere, into other files too, are not followed. */
static bool has(hid_t file, const char *name) {
  char part[NAME];
  H5L_info_t info;
  for (const char *end = strchr(name + 1, '/');; end = strchr(end + 1, '/')) {
    const size_t length = end ? (size_t)(end - name) : strlen(name);
    if (length >= sizeof part)
      return false;
    memcpy(part, name, length);
    part[length] = '\0';
    if (H5Lexists(file, part, H5P_DEFAULT) <= 0 || H5Lget_info(file, part, &info, H5P_DEFAULT) < 0 ||
        info.type != H5L_TYPE_HARD)
      return false;
    if (!end)
      return true;
  }
}

/* Are the numbers of a dataset in this file? They could be in any file of the system, or in a pipe. */
static bool is_inside(hid_t dataset) {
  const hid_t list = H5Dget_create_plist(dataset);
  const bool inside = list >= 0 && H5Pget_layout(list) != H5D_VIRTUAL && H5Pget_external_count(list) == 0;
  if (list >= 0)
    H5Pclose(list);
  return inside;
}

static bool refuse(struct answer *answer, const char *why) {
  snprintf(answer->text, sizeof answer->text, "%s", why);
  return false;
}

/* Is this a dataset of the wanted kind with at least n numbers? `found` is how many it has. */
static bool check_dataset(hid_t dataset, const struct request *request, double most, int64_t *found,
                          struct answer *answer) {
  if (!is_inside(dataset))
    return refuse(answer, "has its numbers in another file");
  const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
  const size_t width = type < 0 ? 1 : H5Tget_size(type);
  *found = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  if (type >= 0)
    H5Tclose(type);
  if (space >= 0)
    H5Sclose(space);
  if (class != (request->what == REALS ? H5T_FLOAT : H5T_INTEGER))
    return refuse(answer, request->what == REALS ? "has the wrong type, expected real numbers"
                                                 : "has the wrong type, expected integers");
  if (*found < 0 || (double)*found * (double)width > most)
    return refuse(answer, "claims more numbers than the file can hold");
  if (*found < request->n) {
    snprintf(answer->text, sizeof answer->text, "has %lld numbers, expected %lld", (long long)*found,
             (long long)request->n);
    return false;
  }
  return true;
}

/* The numbers of a dataset on the heap. */
static bool read_numbers(hid_t file, const struct request *request, double most, void **numbers,
                         struct answer *answer) {
  const bool is_real = request->what == REALS;
  int64_t found = 0;
  if (!has(file, request->name))
    return refuse(answer, "is missing");
  const hid_t dataset = H5Dopen2(file, request->name, H5P_DEFAULT);
  if (dataset < 0)
    return refuse(answer, "is no readable dataset");
  bool good = check_dataset(dataset, request, most, &found, answer);
  if (good) {
    *numbers = malloc((size_t)(found > 0 ? found : 1) * (is_real ? sizeof(double) : sizeof(int32_t)));
    good = *numbers || refuse(answer, "needs more memory than a file of this size should");
  }
  if (good && found > 0)
    good = H5Dread(dataset, is_real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, *numbers) >=
               0 ||
           refuse(answer, "cannot be read");
  H5Dclose(dataset);
  return good;
}

static void read_text(hid_t file, const char *name, struct answer *answer) {
  const hid_t dataset = has(file, name) ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
  const bool good = dataset >= 0 && is_inside(dataset);
  const hid_t type = good ? H5Dget_type(dataset) : -1, space = good ? H5Dget_space(dataset) : -1;
  if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
      H5Tget_size(type) < 1 << 20 && H5Sget_simple_extent_npoints(space) == 1) {
    char *text = calloc(H5Tget_size(type) + 1, 1);
    if (text && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0)
      snprintf(answer->text, sizeof answer->text, "%.*s", NAME - 1, text);
    free(text);
  }
  if (space >= 0)
    H5Sclose(space);
  if (type >= 0)
    H5Tclose(type);
  if (dataset >= 0)
    H5Dclose(dataset);
}

static int answer_one(int link, hid_t file, const struct request *request, double most) {
  struct answer answer = {0};
  void *numbers = NULL;
  size_t bytes = 0;
  switch (request->what) {
  case HAS:
    answer.has = has(file, request->name);
    break;
  case TEXT:
    read_text(file, request->name, &answer);
    break;
  default:
    answer.has = read_numbers(file, request, most, &numbers, &answer);
    bytes = answer.has ? (size_t)request->n * (request->what == REALS ? sizeof(double) : sizeof(int32_t)) : 0;
  }
  int status = cairn_child_send(link, &answer, sizeof answer);
  if (!status)
    status = cairn_child_send(link, numbers, bytes);
  free(numbers);
  return status;
}

static void serve(int link, const void *context) {
  const struct place *place = context;
  struct request request;
  be_quiet();
  const hid_t file = H5Fopen(place->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const struct answer opened = {.has = file >= 0};
  int status = cairn_child_send(link, &opened, sizeof opened);
  while (!status && file >= 0 && !cairn_child_receive(link, &request, sizeof request))
    status = answer_one(link, file, &request, place->most);
}

/* ---------------------------------------------------------------- reading */

/* A child that does not answer has died. */
static int receive(struct cairn_hdf5_file *file, void *bytes, size_t n) {
  if (file->is_dead || cairn_child_receive(file->child.link, bytes, n) == 0)
    return file->is_dead ? -1 : 0;
  file->is_dead = true;
  cairn_child_end(&file->child, file->cause);
  return -1;
}

static int damaged(const struct cairn_hdf5_file *file, const char *name, struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_INPUT, "%s: %s%sis damaged: the HDF5 library failed on it (%s)", file->path,
                         name, *name ? ": " : "", *file->cause ? file->cause : "it ended");
}

static int ask(struct cairn_hdf5_file *file, enum what what, const char *name, int64_t n, struct answer *answer,
               struct cairn_error *error) {
  struct request request = {.what = what, .n = n};
  snprintf(request.name, sizeof request.name, "%s", name);
  if (!file->is_dead)
    cairn_child_send(file->child.link, &request, sizeof request); /* its death shows in the answer */
  if (receive(file, answer, sizeof *answer))
    return damaged(file, name, error);
  answer->text[NAME - 1] = '\0';
  return 0;
}

static int open_child(struct cairn_hdf5_file *file, int64_t size, struct cairn_error *error) {
  const struct place place = {file->path, file->most};
  struct answer opened;
  int status = cairn_child_start(&file->child, serve, &place, memory_for(size), seconds_for(size), error);
  if (status) {
    file->is_dead = true;
    return status;
  }
  if (receive(file, &opened, sizeof opened))
    return damaged(file, "", error);
  return opened.has ? 0 : cairn_error_set(error, CAIRN_ERR_INPUT, "%s: is no HDF5 file, or a damaged one", file->path);
}

/* The size of a regular file. */
static int measure(const char *path, int64_t *size, struct cairn_error *error) {
  struct stat info;
  /* Not blocking: a name that turns out to be a pipe must not hang the program. */
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return cairn_durable_fail(error, "read", path, errno);
  const bool is_file = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  close(descriptor);
  *size = is_file ? info.st_size : 0;
  return is_file ? 0 : cairn_error_set(error, CAIRN_ERR_INPUT, "%s: is no regular file", path);
}

int cairn_hdf5_file_open(const char *path, struct cairn_hdf5_file **out, struct cairn_error *error) {
  int64_t size;
  *out = NULL;
  int status = measure(path, &size, error);
  if (status)
    return status;
  struct cairn_hdf5_file *file = calloc(1, sizeof *file);
  if (!file || !(file->path = strdup(path))) {
    free(file);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for opening '%s'", path);
  }
  file->most = 1e6 + 1100. * (double)size;
  status = open_child(file, size, error);
  if (status)
    cairn_hdf5_file_close(file);
  else
    *out = file;
  return status;
}

void cairn_hdf5_file_close(struct cairn_hdf5_file *file) {
  if (!file)
    return;
  if (!file->is_dead)
    cairn_child_end(&file->child, file->cause);
  free(file->path);
  free(file);
}

double cairn_hdf5_file_most(const struct cairn_hdf5_file *file) { return file->most; }

int cairn_hdf5_file_has(struct cairn_hdf5_file *file, const char *name, struct cairn_error *error) {
  struct answer answer;
  const int status = ask(file, HAS, name, 0, &answer, error);
  return status ? status : answer.has != 0;
}

static int numbers(struct cairn_hdf5_file *file, enum what what, const char *name, int64_t n, void **array,
                   struct cairn_error *error) {
  const size_t bytes = (size_t)n * (what == REALS ? sizeof(double) : sizeof(int32_t));
  struct answer answer;
  *array = NULL;
  int status = ask(file, what, name, n, &answer, error);
  if (!status && !answer.has)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "%s: %s: %s", file->path, name, answer.text);
  if (!status && !(*array = malloc(bytes ? bytes : 1)))
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for %s of '%s'", name, file->path);
  if (!status && receive(file, *array, bytes))
    status = damaged(file, name, error);
  if (status) {
    free(*array);
    *array = NULL;
  }
  return status;
}

int cairn_hdf5_file_integers(struct cairn_hdf5_file *file, const char *name, int64_t n, int32_t **array,
                             struct cairn_error *error) {
  void *memory;
  const int status = numbers(file, INTEGERS, name, n, &memory, error);
  *array = memory;
  return status;
}

int cairn_hdf5_file_reals(struct cairn_hdf5_file *file, const char *name, int64_t n, double **array,
                          struct cairn_error *error) {
  void *memory;
  const int status = numbers(file, REALS, name, n, &memory, error);
  *array = memory;
  return status;
}

void cairn_hdf5_file_text(struct cairn_hdf5_file *file, const char *name, char *text, size_t size) {
  struct answer answer;
  struct cairn_error ignored;
  snprintf(text, size, "%s", ask(file, TEXT, name, 0, &answer, &ignored) ? "" : answer.text);
}

/* ---------------------------------------------------------------- writing */

struct addition {
  const char *path, *group;
  int n;
  const struct cairn_hdf5_reals *datasets;
};

static bool put_dataset(hid_t group, const struct cairn_hdf5_reals *reals) {
  const hsize_t size = (hsize_t)reals->n;
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const hid_t dataset =
      space < 0 ? -1 : H5Dcreate2(group, reals->name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = dataset >= 0 && H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, reals->values) >= 0;
  if (dataset >= 0)
    good = H5Dclose(dataset) >= 0 && good;
  if (space >= 0)
    H5Sclose(space);
  return good;
}

static bool put_group(const struct addition *a) {
  const hid_t file = H5Fopen(a->path, H5F_ACC_RDWR, H5P_DEFAULT);
  if (file < 0)
    return false;
  bool good = H5Lexists(file, a->group, H5P_DEFAULT) <= 0 || H5Ldelete(file, a->group, H5P_DEFAULT) >= 0;
  const hid_t group = good ? H5Gcreate2(file, a->group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
  good = group >= 0;
  for (int i = 0; i < a->n && good; i++)
    good = put_dataset(group, &a->datasets[i]);
  if (group >= 0)
    good = H5Gclose(group) >= 0 && good;
  return H5Fclose(file) >= 0 && good;
}

static void serve_put(int link, const void *context) {
  be_quiet();
  const struct answer answer = {.has = put_group(context)};
  cairn_child_send(link, &answer, sizeof answer);
}

int cairn_hdf5_file_put(const char *path, const char *group, int n, const struct cairn_hdf5_reals *datasets,
                        struct cairn_error *error) {
  const struct addition addition = {path, group, n, datasets};
  struct cairn_child child;
  struct answer answer;
  char cause[64];
  int64_t size;
  int status = measure(path, &size, error);
  for (int i = 0; i < n; i++)
    size += datasets[i].n * (int64_t)sizeof(double);
  if (!status)
    status = cairn_child_start(&child, serve_put, &addition, memory_for(size), seconds_for(size), error);
  if (status)
    return status;
  const int lost = cairn_child_receive(child.link, &answer, sizeof answer);
  cairn_child_end(&child, cause);
  if (lost)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s: is damaged: the HDF5 library failed on adding '%s' to it (%s)",
                           path, group, cause);
  return answer.has ? 0 : cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s' into '%s'", group, path);
}
