/* A deterministic stand-in for libFuzzer: every seed as it is, then a fixed number of mutations of the seeds, as one
 * TAP test. What libFuzzer finds with coverage this does not, but it runs with every compiler in every test run.
 * An input that crashes is left as FUZZ_NAME.crash in the current directory.
 *
 * usage: fuzz_NAME [FILE…]   with files: run just those, without mutations */
#define _GNU_SOURCE
#include "tap/tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

#ifndef FUZZ_MUTATIONS
#define FUZZ_MUTATIONS 5000
#endif

enum { MAX_SEEDS = 256, MAX_SIZE = 1 << 20 };

struct seed {
  uint8_t *data;
  size_t size;
};

static const uint8_t *current;
static size_t current_size;

static void save_current(void) {
  int file = open(FUZZ_NAME ".crash", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    if (write(file, current, current_size) < 0)
      _exit(1);
    close(file);
  }
}

static void on_crash(int number) {
  save_current();
  signal(number, SIG_DFL);
  raise(number);
}

/* For every input again: what it starts, StarPU, may set handlers of its own. */
static void catch_crashes(void) {
  static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS};
  for (size_t i = 0; i < sizeof signals / sizeof *signals && !__sanitizer_set_death_callback; i++)
    signal(signals[i], on_crash);
}

static void run(const uint8_t *data, size_t size) {
  /* A copy of exactly this size: reads past its end are visible to the address sanitizer. */
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy)
    BAIL_OUT("out of memory");
  memcpy(copy, data, size);
  current = copy;
  current_size = size;
  catch_crashes();
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static uint64_t next_random(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static int read_seed(const char *path, struct seed *seed) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return 0;
  seed->data = malloc(MAX_SIZE);
  if (!seed->data)
    BAIL_OUT("out of memory");
  seed->size = fread(seed->data, 1, MAX_SIZE, file);
  fclose(file);
  return 1;
}

static int is_file(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int read_seeds(const char *folder, struct seed *seeds) {
  struct dirent **entries;
  int n_files = scandir(folder, &entries, is_file, alphasort);
  int n = 0;
  for (int i = 0; i < n_files; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    if (n < MAX_SEEDS && read_seed(path, &seeds[n]))
      n++;
    free(entries[i]);
  }
  if (n_files >= 0)
    free(entries);
  return n;
}

/* One small damage of the kinds that break parsers: flipped bits, cuts, repeats, swapped-in pieces, odd tokens. */
static size_t mutate(uint8_t *data, size_t size, const struct seed *other, uint64_t *random) {
  static const char *const tokens[] = {"nan", "-inf",     "1e999", "-1", "0",  "99999999999999999999",
                                       "~",   "[",        "{",     "}",  "&a", "*a",
                                       "!!",  "\n",       ": ",    "- ", "\t", "\"",
                                       "''",  "\xff\xfe", "%"};
  size_t at = size ? next_random(random) % size : 0;
  size_t length = 1 + next_random(random) % 64;
  switch (next_random(random) % 7) {
  case 0:
    if (size)
      data[at] ^= (uint8_t)(1u << next_random(random) % 8);
    return size;
  case 1:
    if (size)
      data[at] = (uint8_t)next_random(random);
    return size;
  case 2:
    return at;
  case 3:
    length = length > size - at ? size - at : length;
    memmove(data + at, data + at + length, size - at - length);
    return size - length;
  case 4: {
    const char *token = tokens[next_random(random) % (sizeof tokens / sizeof *tokens)];
    length = strlen(token);
    if (size + length > MAX_SIZE)
      return size;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, token, length);
    return size + length;
  }
  case 5: {
    size_t from = other->size ? next_random(random) % other->size : 0;
    length = length > other->size - from ? other->size - from : length;
    if (size + length > MAX_SIZE)
      return size;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, other->data + from, length);
    return size + length;
  }
  default:
    length = length > size - at ? size - at : length;
    if (size + length > MAX_SIZE)
      return size;
    memmove(data + at + length, data + at, size - at);
    return size + length;
  }
}

int main(int argc, char **argv) {
  static struct seed seeds[MAX_SEEDS];
  static uint8_t buffer[MAX_SIZE];
  if (LLVMFuzzerInitialize)
    LLVMFuzzerInitialize(&argc, &argv);
  if (__sanitizer_set_death_callback)
    __sanitizer_set_death_callback(save_current);
  int n = 0;
  for (int i = 1; i < argc && n < MAX_SEEDS; i++)
    n += read_seed(argv[i], &seeds[n]);
  if (argc == 1)
    n = read_seeds(FUZZ_SEEDS, seeds);
  plan(2);
  for (int i = 0; i < n; i++)
    run(seeds[i].data, seeds[i].size);
  run((const uint8_t *)"", 0);
  pass("%d seeds and the empty input", n);

  const char *wanted = getenv("FUZZ_MUTATIONS");
  long mutations = argc > 1 ? 0 : wanted ? atol(wanted) : FUZZ_MUTATIONS;
  struct seed empty = {(uint8_t *)"", 0};
  uint64_t random = 20;
  for (long i = 0; i < mutations; i++) {
    const struct seed *seed = n ? &seeds[next_random(&random) % (uint64_t)n] : &empty;
    const struct seed *other = n ? &seeds[next_random(&random) % (uint64_t)n] : &empty;
    size_t size = seed->size;
    memcpy(buffer, seed->data, size);
    for (uint64_t k = 1 + next_random(&random) % 4; k > 0; k--)
      size = mutate(buffer, size, other, &random);
    run(buffer, size);
  }
  pass("%ld mutations", mutations);
  for (int i = 0; i < n; i++)
    free(seeds[i].data);
  done_testing();
}
